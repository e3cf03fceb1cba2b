#!/usr/bin/env bash
# Initialises an empty data directory, then becomes mysqld with the options given.
# Started as root, it hands the data to the user mysql and drops to it; started as any other user
# (docker run --user), it stays that user.
set -euo pipefail

readonly DATA=/var/lib/mysql
readonly FIRST_SQL=/docker-entrypoint-initdb.d/telar.sql

if [[ "$(id -u)" == 0 ]]; then
  find "$DATA" \! -user mysql -exec chown mysql:mysql {} +
  exec setpriv --reuid=mysql --regid=mysql --clear-groups "$0" "$@"
fi

# --no-defaults: Debian's own configuration has no say. NUMA calls are forbidden in a container.
options=(--no-defaults "--datadir=$DATA" --socket=/tmp/mysql.sock --pid-file=/tmp/mysql.pid
  --secure-file-priv=NULL --innodb-numa-interleave=OFF "$@")
if [[ ! -d "$DATA/mysql" ]]; then
  first=()
  if [[ -f "$FIRST_SQL" ]]; then first=("--init-file=$FIRST_SQL"); fi
  mysqld "${options[@]}" --initialize-insecure "${first[@]}"
fi
exec mysqld "${options[@]}"

#!/usr/bin/env bash
# Makes an empty data directory a database, then becomes postgres with the options given.
# Started as root, it hands the data to the user postgres and drops to it; started as any other user
# (docker run --user), it stays that user.
set -euo pipefail

readonly DATA=/var/lib/postgresql
readonly CLUSTER=$DATA/18/docker # as in the official image

if [[ "$(id -u)" == 0 ]]; then
  find "$DATA" \! -user postgres -exec chown postgres:postgres {} +
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

if [[ ! -d "$CLUSTER" ]]; then
  rm -rf "$DATA/new"
  cp -r /usr/share/telar/cluster "$DATA/new"
  chmod -R u=rwX,go= "$DATA/new"
  mkdir -p "$DATA/18"
  mv "$DATA/new" "$CLUSTER"
fi
rm -f "$CLUSTER/postmaster.pid" # of a killed container

exec postgres -D "$CLUSTER" --unix_socket_directories=/tmp "$@"

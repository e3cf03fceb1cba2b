#!/usr/bin/env bash
# Starts PostgreSQL on the data directory (/data/db) and FerretDB in front of it on 127.0.0.1:$PORT;
# when one of them ends, or on SIGTERM, both end.
# Started as root, it hands the data to the user postgres and drops to it; started as any other user
# (docker run --user), it stays that user.
set -euo pipefail

readonly DATA=/data/db
readonly CLUSTER=$DATA/postgres

if [[ "$(id -u)" == 0 ]]; then
  find "$DATA" \! -user postgres -exec chown postgres:postgres {} +
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

if [[ ! -d "$CLUSTER" ]]; then
  rm -rf "$DATA/new"
  cp -r /usr/share/telar/cluster "$DATA/new"
  chmod -R u=rwX,go= "$DATA/new"
  mv "$DATA/new" "$CLUSTER"
fi
rm -f "$CLUSTER/postmaster.pid"  # of a copied data directory, or a killed container

postgres -D "$CLUSTER" &
postgres=$!
trap 'kill -TERM "${ferretdb:-}" 2>/dev/null || true; kill -INT "$postgres" 2>/dev/null || true' TERM INT

until pg_isready --quiet --host=/tmp --username=postgres; do
  kill -0 "$postgres"
  sleep 0.1
done
# Without statistics the planner sorts the whole collection for a page that its index has in order.
psql --quiet --host=/tmp --username=postgres --dbname=postgres --command=ANALYZE
mkdir -p "$DATA/ferretdb"
ferretdb --listen "127.0.0.1:${PORT:-27017}" --state "$DATA/ferretdb" \
  --postgres 'postgres://postgres@/postgres?host=/tmp&pool_max_conns=50' &
ferretdb=$!

status=0
wait -n "$postgres" "$ferretdb" || status=$?
kill -TERM "$ferretdb" 2>/dev/null || true
wait "$ferretdb" || true
kill -INT "$postgres" 2>/dev/null || true  # INT: disconnect clients, checkpoint, exit
wait "$postgres" || true
exit "$status"

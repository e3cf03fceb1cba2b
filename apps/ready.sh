#!/usr/bin/env bash
# Asks the app whether it is ready; succeeds on 200. The images have bash, but no curl. Without a path (a guest that
# speaks HTTPS) it succeeds once anything listens: the runner asks for itself.
set -euo pipefail

path="${READY_PATH-/health/ready}"
exec 3<>"/dev/tcp/127.0.0.1/${METRICS_PORT:-9090}"
[[ -n "$path" ]] || exit 0
printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' "$path" >&3
read -r _ status _ <&3
[[ "$status" == 200 ]]

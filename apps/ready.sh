#!/usr/bin/env bash
# Asks the app whether it is ready; succeeds on 200. The images have bash, but no curl.
set -euo pipefail

exec 3<>"/dev/tcp/127.0.0.1/${METRICS_PORT:-9090}"
printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' "${READY_PATH:-/health/ready}" >&3
read -r _ status _ <&3
[[ "$status" == 200 ]]

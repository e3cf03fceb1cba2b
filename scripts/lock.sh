#!/usr/bin/env bash
# Writes requirements*.txt from requirements*.in: exact versions with their hashes, no index in them.
set -euo pipefail
cd "$(dirname "$0")"
python3 -m venv "${TMPDIR:-/tmp}/telar-lock"
"${TMPDIR:-/tmp}/telar-lock/bin/pip" install --quiet pip-tools
for name in requirements requirements-mcp requirements-dev; do
  "${TMPDIR:-/tmp}/telar-lock/bin/pip-compile" --quiet --generate-hashes --no-emit-index-url \
    --no-emit-trusted-host --no-emit-find-links --strip-extras --allow-unsafe \
    --output-file "$name.txt" "$name.in"
done

#!/usr/bin/env bash
# Makes the image telar/debian:sid, the base of all images here, by debootstrap from the mirror of this
# machine's apt. One that exists is kept: to have a newer one, remove it first (docker image rm).
# Needs root, as debootstrap does.
set -euo pipefail

readonly IMAGE=telar/debian:sid
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

if docker image inspect "$IMAGE" >/dev/null 2>&1; then exit 0; fi
mirror="$("$here/../../scripts/runner/debian-mirror.sh")"
root="$(mktemp -d)"
trap 'rm -rf "$root"' EXIT

if ! debootstrap --variant=minbase sid "$root" "$mirror" >"$root.log" 2>&1; then
  tail -n 20 "$root.log" >&2
  exit 4
fi
rm "$root.log"

# A mirror that stands still (a snapshot, an air-gapped copy) has expired dates.
echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/50telar"
tar -C "$root" --exclude='./var/cache/apt/archives/*.deb' --exclude='./var/lib/apt/lists/*' -c . |
  docker import --change 'ENV DEBIAN_FRONTEND=noninteractive' --change 'CMD ["bash"]' \
    --change 'LABEL dev.telar=image' - "$IMAGE"

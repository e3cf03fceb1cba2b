#!/usr/bin/env bash
# Sets what a machine that measures should have, and says what it couldn't set. Needs root; until the next
# start of the machine, so that nothing stays of it that somebody would look for in vain.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: tune.sh [--loopback-only] [--help]

Sets, where this machine has it: the processors' governor, the range of outgoing ports, no swapping of what is
in use, no transparent huge pages that are made while one measures.

  --loopback-only   also the packet filter: Telar's services (group 10001) reach 127.0.0.1 and nothing else.
                    Wanted where a pull request's code runs. `telar doctor --runner --strangers` tries it.
  --help            this text

Ends with 1 when the packet filter was asked for and can't be set; all else is only said.
USAGE
}

readonly GROUP=10001 # of Telar's services: GROUP in scripts/src/telar/run/compose.py

main() {
  local loopback_only=no
  while (($#)); do
    case "$1" in
      --loopback-only) loopback_only=yes ;;
      --help) usage; exit 0 ;;
      *) usage >&2; exit 2 ;;
    esac
    shift
  done
  [[ "$(id -u)" == 0 ]] || { echo "tune: needs root: run it with sudo" >&2; exit 3; }

  local governor
  for governor in /sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor; do
    set_to performance "$governor"
  done
  set_to "20000 65000" /proc/sys/net/ipv4/ip_local_port_range # above all ports of Telar
  set_to 1 /proc/sys/vm/swappiness
  set_to madvise /sys/kernel/mm/transparent_hugepage/enabled
  set_to never /sys/kernel/mm/transparent_hugepage/defrag
  if [[ "$loopback_only" == yes ]]; then filter; fi
}

set_to() {
  if [[ ! -e "$2" ]]; then
    echo "tune: not here: $2"
  elif echo "$1" 2>/dev/null >"$2"; then
    echo "tune: $2 = $1"
  else
    echo "tune: can't be set: $2"
  fi
}

# Once for each protocol, before all other rules; what is there already stays.
filter() {
  local tables rule=(OUTPUT -m owner --gid-owner "$GROUP" ! -o lo -j REJECT)
  for tables in iptables ip6tables; do
    "$tables" -C "${rule[@]}" 2>/dev/null || "$tables" -I "${rule[@]}"
    echo "tune: $tables: group $GROUP reaches loopback only"
  done
}

main "$@"

#!/usr/bin/env bash
# Registers this machine as an ephemeral runner: it takes one job, and is then removed. Around it stands whatever
# starts machines (a loop, a systemd unit, actions-runner-controller), so that each job finds a clean one.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: register.sh --url URL [--name NAME] [--folder DIR] [--help]   < file with the registration token

  --url URL      of the repository or organisation, as GitHub shows it
  --name NAME    [default: the host's name and the time]
  --folder DIR   where GitHub's runner was unpacked [default: /opt/actions-runner]

The token is read from standard input: a command line is seen by every user of the machine. GitHub's own
config.sh and run.sh do the rest. Run it as a user that may use Docker and is not root; before it, once, as root:
provision-debian.sh and tune.sh --loopback-only.
USAGE
}

main() {
  local url="" name="" folder=/opt/actions-runner token
  while (($#)); do
    case "$1" in
      --url) url="${2:?--url needs a URL}"; shift ;;
      --name) name="${2:?--name needs a name}"; shift ;;
      --folder) folder="${2:?--folder needs a directory}"; shift ;;
      --help) usage; exit 0 ;;
      *) usage >&2; exit 2 ;;
    esac
    shift
  done
  [[ -n "$url" ]] || { usage >&2; exit 2; }
  [[ "$(id -u)" != 0 ]] || { echo "register: not as root: what runs here is a workflow" >&2; exit 3; }
  [[ -x "$folder/config.sh" ]] || { echo "register: no config.sh in $folder: unpack GitHub's runner there" >&2; exit 3; }
  docker version >/dev/null 2>&1 || { echo "register: this user can't use Docker" >&2; exit 3; }
  read -r token
  [[ -n "$token" ]] || { echo "register: no token on standard input" >&2; exit 2; }

  cd "$folder"
  ./config.sh --unattended --ephemeral --disableupdate --replace \
    --url "$url" --token "$token" --labels telar --name "${name:-$(hostname)-$(date +%s)}"
  unset token
  exec ./run.sh
}

main "$@"

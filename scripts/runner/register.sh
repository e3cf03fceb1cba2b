#!/usr/bin/env bash
# Registers this machine as an ephemeral runner: it takes one job, and is then removed. Around it stands whatever
# starts machines (a loop, a systemd unit, actions-runner-controller), so that each job finds a clean one.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: register.sh --url URL [--branch NAME] [--workflows "FILE …"] [--name NAME] [--folder DIR]   < token
       register.sh --url URL --jit [--branch NAME] [--workflows "FILE …"] [--folder DIR]           < configuration

  --url URL         of the repository, as GitHub shows it; of an organisation together with --repository
  --repository R    OWNER/NAME whose workflows may run here [default: the URL's]
  --branch NAME     of which branch they may be [default: main]
  --workflows "…"   their files [default: bench.yml bench-compare.yml search.yml calibrate.yml]
  --jit             standard input holds a just-in-time configuration (REST: generate-jitconfig), not a token
  --name NAME       [default: the host's name and the time]
  --folder DIR      where GitHub's runner was unpacked [default: /opt/actions-runner]
  --help            this text

A job of any other workflow or branch is refused before its first step, whatever label it asks for
(job-started.sh). The token is read from standard input and handed on in the environment: a command line is seen by
every user of the machine. GitHub's own config.sh and run.sh do the rest. Run it as a user that may use Docker and
is not root; before it, once, as root: provision-debian.sh and tune.sh --loopback-only.
USAGE
}

main() {
  local url="" repository="" branch=main name="" folder=/opt/actions-runner jit=no secret file
  local workflows="bench.yml bench-compare.yml search.yml calibrate.yml"
  while (($#)); do
    case "$1" in
      --url) url="${2:?--url needs a URL}"; shift ;;
      --repository) repository="${2:?--repository needs OWNER/NAME}"; shift ;;
      --branch) branch="${2:?--branch needs a name}"; shift ;;
      --workflows) workflows="${2:?--workflows needs files}"; shift ;;
      --jit) jit=yes ;;
      --name) name="${2:?--name needs a name}"; shift ;;
      --folder) folder="${2:?--folder needs a directory}"; shift ;;
      --help) usage; exit 0 ;;
      *) usage >&2; exit 2 ;;
    esac
    shift
  done
  [[ -n "$url" ]] || { usage >&2; exit 2; }
  repository="${repository:-$(repository_of "$url")}"
  [[ -n "$repository" ]] || { echo "register: $url is no repository's: say --repository OWNER/NAME" >&2; exit 2; }
  [[ "$(id -u)" != 0 ]] || { echo "register: not as root: what runs here is a workflow" >&2; exit 3; }
  [[ -x "$folder/config.sh" ]] || { echo "register: no config.sh in $folder: unpack GitHub's runner there" >&2; exit 3; }
  docker version >/dev/null 2>&1 || { echo "register: this user can't use Docker" >&2; exit 3; }
  read -r secret || true
  [[ -n "$secret" ]] || { echo "register: no token on standard input" >&2; exit 2; }

  ACTIONS_RUNNER_HOOK_JOB_STARTED="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)/job-started.sh"
  TELAR_WORKFLOWS=""
  for file in $workflows; do
    TELAR_WORKFLOWS+="$repository/.github/workflows/$file@refs/heads/$branch "
  done
  export ACTIONS_RUNNER_HOOK_JOB_STARTED TELAR_WORKFLOWS
  # Not in the checkout, which each job begins with a clean one of.
  export TELAR_VENVS="${TELAR_VENVS:-$HOME/.cache/telar/venvs}"

  cd "$folder"
  if [[ "$jit" == yes ]]; then
    ACTIONS_RUNNER_INPUT_JITCONFIG="$secret" exec ./run.sh
  fi
  ACTIONS_RUNNER_INPUT_TOKEN="$secret" ./config.sh --unattended --ephemeral --disableupdate --replace \
    --url "$url" --labels telar --name "${name:-$(hostname)-$(date +%s)}"
  unset secret
  exec ./run.sh
}

# OWNER/NAME of https://github.com/OWNER/NAME; nothing of an organisation's URL.
repository_of() {
  local path="${1#*://*/}"
  path="${path%/}"
  path="${path%.git}"
  if [[ "$path" =~ ^[^/]+/[^/]+$ ]]; then echo "$path"; fi
}

main "$@"

#!/usr/bin/env bash
# Makes a bare Debian machine a Telar runner: Docker Engine with buildx and compose, the tools that
# build images without a container registry, and a running dockerd. Needs root and an apt that works;
# needs no systemd. Run it as often as you like: what is there already is left alone.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: provision-debian.sh [--with-chromium] [--no-start] [--data-root DIR] [--help]

  --with-chromium   also install Chromium, for the site's browser tests
  --no-start        install only, don't start dockerd
  --data-root DIR   where dockerd keeps images and containers (default /var/lib/docker)
  --help            this text

dockerd, when this script starts it, writes /var/run/telar/docker.pid and /var/log/telar/dockerd.log.
Stop it with: kill "$(cat /var/run/telar/docker.pid)"
USAGE
}

readonly LATER_SUITE=sid                 # its engine and plugins need no newer C library than bookworm's
readonly ENGINE=/opt/telar/docker        # where that suite's packages are unpacked
readonly PLUGINS=/usr/local/lib/docker/cli-plugins
readonly PRIVATE_APT=/var/cache/telar/apt
readonly KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
readonly RUN_DIR=/var/run/telar
readonly LOG_DIR=/var/log/telar

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
readonly here

main() {
  local chromium=no start=yes data_root=/var/lib/docker
  while (($#)); do
    case "$1" in
      --with-chromium) chromium=yes ;;
      --no-start) start=no ;;
      --data-root) data_root="${2:?--data-root needs a directory}"; shift ;;
      --help) usage; exit 0 ;;
      *) usage >&2; exit 2 ;;
    esac
    shift
  done

  require_debian_root
  install_own_suite debootstrap shellcheck ca-certificates git
  if [[ "$chromium" == yes ]]; then install_own_suite chromium; fi
  if ! engine_answers; then install_engine; fi
  install_plugins
  if [[ "$start" == yes ]]; then start_engine "$data_root"; fi
  report
}

say() { echo "provision: $*"; }
die() { echo "provision: $*" >&2; exit 3; }

require_debian_root() {
  [[ -f /etc/debian_version ]] || die "this machine isn't Debian; install Docker Engine, buildx and compose your usual way"
  [[ "$(id -u)" == 0 ]] || die "needs root: run it with sudo"
}

# Packages of the machine's own suite, installed the ordinary way; apt isn't touched when all are there.
install_own_suite() {
  local missing=() package
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  say "installing ${missing[*]}"
  apt-get -qq update
  DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends "${missing[@]}" >/dev/null
}

is_installed() { [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]; }

engine_answers() { command -v docker >/dev/null && docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

# The engine of a later suite beside the machine's own runc and iptables, which are bound to its C library.
install_engine() {
  if command -v dockerd >/dev/null; then return 0; fi
  install_own_suite iptables runc
  unpack_later docker.io containerd docker-cli tini-static
  local program
  for program in dockerd docker-proxy containerd containerd-shim-runc-v2; do
    link_program "$program" "$program"
  done
  link_program tini-static docker-init
  command -v docker >/dev/null || link_program docker docker
}

install_plugins() {
  local missing=() plugin
  for plugin in buildx compose; do
    docker "$plugin" version >/dev/null 2>&1 || missing+=("$plugin")
  done
  ((${#missing[@]})) || return 0
  unpack_later "${missing[@]/#/docker-}"
  mkdir -p "$PLUGINS"
  for plugin in "${missing[@]}"; do
    ln -sf "$(find "$ENGINE" -name "docker-$plugin" -path '*cli-plugins*' -print -quit)" "$PLUGINS/docker-$plugin"
  done
}

link_program() {
  local found
  found="$(find "$ENGINE" -name "$1" -type f -perm -u+x -print -quit)"
  [[ -n "$found" ]] || die "the package of $1 doesn't hold it any more"
  ln -sf "$found" "/usr/local/bin/$2"
}

# Downloads packages of the later suite and unpacks them below $ENGINE. Neither apt's sources and lists
# nor dpkg's database learn of it: the machine stays what it was.
unpack_later() {
  say "fetching $* from Debian $LATER_SUITE"
  private_apt_update
  local downloads
  downloads="$(mktemp -d)"
  (cd "$downloads" && private_apt apt-get -qq -o APT::Sandbox::User=root download "$@")
  mkdir -p "$ENGINE"
  local package
  for package in "$downloads"/*.deb; do
    dpkg -x "$package" "$ENGINE"
  done
  rm -r "$downloads"
}

private_apt_update() {
  local uri
  uri="$("$here/debian-mirror.sh")"
  mkdir -p "$PRIVATE_APT/lists/partial" "$PRIVATE_APT/cache/archives/partial"
  echo "deb [signed-by=$KEYRING] $uri $LATER_SUITE main" >"$PRIVATE_APT/sources.list"
  # A mirror that stands still (a snapshot, an air-gapped copy) has expired dates.
  private_apt apt-get -qq -o Acquire::Check-Valid-Until=false update
}

private_apt() {
  "$1" -o "Dir::Etc::sourcelist=$PRIVATE_APT/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o "Dir::State::lists=$PRIVATE_APT/lists" -o "Dir::Cache=$PRIVATE_APT/cache" "${@:2}"
}

start_engine() {
  if engine_answers; then return 0; fi
  mkdir -p "$RUN_DIR" "$LOG_DIR"
  say "starting dockerd (log: $LOG_DIR/dockerd.log)"
  local flags=()
  # Telar's containers use the host's network, so a kernel without NAT is no obstacle.
  if ! iptables --table nat --list --numeric >/dev/null 2>&1; then
    flags=(--bridge none --iptables=false --ip6tables=false)
  fi
  # Its own session: it outlives the shell, the CI job and the terminal that started it.
  setsid dockerd --data-root "$1" --pidfile "$RUN_DIR/docker.pid" "${flags[@]}" \
    </dev/null >>"$LOG_DIR/dockerd.log" 2>&1 &
  local waited
  for ((waited = 0; waited < 60; waited++)); do
    if engine_answers; then return 0; fi
    sleep 0.5
  done
  tail -n 20 "$LOG_DIR/dockerd.log" >&2
  die "dockerd didn't answer within 30 s; its last lines are above"
}

report() {
  echo "debootstrap $(dpkg-query --show --showformat='${Version}' debootstrap)"
  echo "shellcheck $(dpkg-query --show --showformat='${Version}' shellcheck)"
  docker buildx version | awk '{ print "buildx", $2 }'
  echo "compose $(docker compose version --short)"
  docker version --format 'docker client {{.Client.Version}}'
  engine_answers || { echo "docker engine not running"; return 0; }
  docker info --format \
    'docker engine {{.ServerVersion}}, storage {{.Driver}}, cgroup v{{.CgroupVersion}} ({{.CgroupDriver}}), root {{.DockerRootDir}}'
}

main "$@"

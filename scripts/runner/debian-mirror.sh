#!/usr/bin/env bash
# Prints the URI of the Debian mirror that this machine's apt is configured with. Everything of Telar
# that needs a Debian suite other than the machine's own asks here, so that no mirror is ever written
# down in the project.
set -euo pipefail

# shellcheck source=/dev/null
codename="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")"

# The suite's own line, not its -security or -updates companions, which may live elsewhere.
# shellcheck disable=SC2016  # apt expands these, not the shell
mirror="$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
  awk -v suite="$codename" '$1 == suite { print $2; exit }')"

if [[ -z "$mirror" ]]; then
  echo "No Debian mirror: apt has no source for the suite '$codename' (see /etc/apt/sources.list*)." >&2
  exit 3
fi
echo "$mirror"

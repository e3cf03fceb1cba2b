#!/usr/bin/env bash
# GitHub's runner calls this before each job (ACTIONS_RUNNER_HOOK_JOB_STARTED) and ends the job where it fails.
#
# A label can be asked for by any workflow, also by one that a pull request brings. A runner group can be kept for
# main's workflows, but an account of a person has no groups. So the machine looks itself: GITHUB_* are set by
# GitHub and can't be set by a workflow. TELAR_WORKFLOWS, from register.sh, holds what may run here.
set -euo pipefail

refuse() {
  echo "::error::this machine doesn't take the job: $1"
  echo "It takes jobs of: ${TELAR_WORKFLOWS:-no workflow}"
  exit 1
}

[[ -n "${TELAR_WORKFLOWS:-}" ]] || refuse "nothing says what it may run"
case "${GITHUB_EVENT_NAME:-}" in
  push | schedule | workflow_dispatch | workflow_run) ;;
  *) refuse "it comes from the event ${GITHUB_EVENT_NAME:-of no name}" ;;
esac
for allowed in $TELAR_WORKFLOWS; do
  if [[ "${GITHUB_WORKFLOW_REF:-}" == "$allowed" ]]; then exit 0; fi
done
refuse "it is of ${GITHUB_WORKFLOW_REF:-no workflow}"

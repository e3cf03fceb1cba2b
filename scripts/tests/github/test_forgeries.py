"""Forgeries: whatever a pull request changes, adds or leaves out, it never makes its own success."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from ..publish.test_verdict import comparison
from .hub import Hub
from .test_artifact import said
from .test_pull_request import BUILT, COMPARED, SAME, github, give, job, states, write

__all__ = ["github"]

# ---- forgeries: each has a verdict that says "same", and everything else that it can have


def edited_workflow(own: Hub) -> None:
    """The pull request's own copy of bench-compare.yml, which ran because it also starts on its events."""
    own.runs[COMPARED] |= {"event": "pull_request", "head_branch": "faster",
                           "head_repository": {"full_name": "stranger/shop"}}  # fmt: skip


def edited_on_a_branch(own: Hub) -> None:
    """The same, of a person who may push branches, started by hand."""
    own.runs[COMPARED] |= {"event": "workflow_dispatch", "head_branch": "faster"}


def started_by_hand_on_main(own: Hub) -> None:
    own.runs[COMPARED] |= {"event": "workflow_dispatch"}


def on_another_machine_of_the_owners(own: Hub) -> None:
    job(own, "compare")["labels"] = ["self-hosted", "office"]


def branch_called_main(own: Hub) -> None:
    own.runs[COMPARED] |= {"head_repository": {"full_name": "stranger/shop"}}


def extra_artifact(own: Hub) -> None:
    """The pull request's run left a verdict; the comparison none."""
    (found,) = own.artifacts
    found["workflow_run"] = {"id": BUILT}


def second_artifact(own: Hub) -> None:
    own.artifact(COMPARED, "telar-verdict", b"other")


def changed_artifact(own: Hub) -> None:
    own.content[own.artifacts[0]["id"]] = said(msgspec.to_builtins(comparison(SAME, SAME)))


def failed_job(own: Hub) -> None:
    job(own, "compare")["conclusion"] = "failure"


def timed_out_job(own: Hub) -> None:
    job(own, "compare")["conclusion"] = "timed_out"


def skipped_job(own: Hub) -> None:
    job(own, "compare")["conclusion"] = "skipped"


def all_skipped(own: Hub) -> None:
    """As if nothing had been changed, though an app was."""
    job(own, "compare")["conclusion"] = job(own, "base")["conclusion"] = "skipped"
    own.files[5] = [{"filename": "apps/pom.xml"}]


def cancelled_job(own: Hub) -> None:
    job(own, "compare")["conclusion"] = "cancelled"


def job_that_goes_on(own: Hub) -> None:
    job(own, "compare")["conclusion"] = None


def no_job(own: Hub) -> None:
    own.jobs[COMPARED].remove(job(own, "compare"))


def two_jobs(own: Hub) -> None:
    own.job(COMPARED, "x / compare", labels=["self-hosted", "telar"], runner_group_name="Default")


def skipped_approval(own: Hub) -> None:
    own.approvals.clear()


def approval_of_another_environment(own: Hub) -> None:
    own.approvals.clear()
    own.approve(COMPARED, "preview")


def approval_of_another_run(own: Hub) -> None:
    own.approvals = {BUILT: own.approvals[COMPARED]}


def rejected(own: Hub) -> None:
    own.approvals.clear()
    own.approve(COMPARED, state="rejected")


def other_workflow_of_that_name(own: Hub) -> None:
    own.runs[COMPARED] |= {"path": ".github/workflows/evil.yml", "name": "bench-compare"}


def built_by_another_workflow(own: Hub) -> None:
    own.runs[BUILT] |= {"path": ".github/workflows/evil.yml", "name": "bench-pr"}


def built_at_another_commit(own: Hub) -> None:
    own.runs[COMPARED] |= {"display_title": f"compare run {BUILT} at {'c' * 40}"}


def build_that_failed(own: Hub) -> None:
    own.runs[BUILT] |= {"conclusion": "failure"}


def on_a_hosted_machine(own: Hub) -> None:
    job(own, "compare").update(labels=["ubuntu-latest"], runner_group_name="GitHub Actions")


def on_a_hosted_machine_with_the_label(own: Hub) -> None:
    job(own, "compare")["runner_group_name"] = "GitHub Actions"


FORGERIES = (
    edited_workflow, edited_on_a_branch, branch_called_main, extra_artifact, second_artifact,
    changed_artifact, failed_job, timed_out_job, skipped_job, all_skipped, cancelled_job, job_that_goes_on,
    no_job, two_jobs, skipped_approval, approval_of_another_environment, approval_of_another_run, rejected,
    other_workflow_of_that_name, built_by_another_workflow, built_at_another_commit, build_that_failed,
    on_a_hosted_machine, on_a_hosted_machine_with_the_label, started_by_hand_on_main,
    on_another_machine_of_the_owners,
)  # fmt: skip


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda f: f.__name__)
def test_a_forgery_is_never_a_success(github: Hub, forge: Any) -> None:
    give(github, SAME)
    forge(github)
    write(github)
    assert "success" not in states(github)
    assert "same" not in "".join(c["body"] for c in github.comments.get(5, []))


def test_the_same_without_a_forgery_is_one(github: Hub) -> None:
    give(github, SAME)
    assert write(github).state == "success"

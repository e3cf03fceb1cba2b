"""The comment on a pull request: one, written again, of the right one, and only with a verdict to be
believed.
"""

from __future__ import annotations

import calendar
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.catalog.guest import with_guest
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.errors import ConfigError, Refused, RunError
from telar.github import runs, subject, waiting
from telar.github.api import GitHub
from telar.github.commands import obey
from telar.github.pull_request import CONTEXT, MARK, Answered, Workflows, answer, head_of
from telar.github.runs import Machine

from ..publish.test_verdict import CATALOG, STILL, compared, comparison, verdict
from .hub import REPOSITORY, Hub, hub
from .test_artifact import HEAD, packed, said

BUILT, COMPARED = 70, 77  # runs
ROOT = Path(__file__).parents[3]
GUEST = """\
name = "shop"
framework = "spring"
description = "the shop"
build = { maven = "..", output = "target/shop-*.jar" }
http = { ready = "/ready" }
load = { script = "load.ts", rate = 50 }
environment = { SERVER_PORT = "{port}" }
"""
WORSE, SAME = (compared(verdict(), STILL), compared(STILL))


@pytest.fixture
def github() -> Iterator[Hub]:
    """A pull request of a fork whose head was built, and compared as it should be."""
    with hub() as own:
        own.pulls.append(
            {
                "number": 5, "state": "open", "labels": [], "body": None,
                "head": {"sha": HEAD, "ref": "faster", "user": {"login": "stranger"}},
            }
        )  # fmt: skip
        build(own)
        compare(own)
        yield own


def build(own: Hub, **changes: Any) -> None:
    given = {
        "path": ".github/workflows/bench-pr.yml", "event": "pull_request", "head_sha": HEAD,
        "head_branch": "faster", "head_repository": {"full_name": "stranger/shop"}, "display_title": "Faster",
    }  # fmt: skip
    own.run(BUILT, **{**given, **changes})


def compare(own: Hub, **changes: Any) -> None:
    given = {
        "path": ".github/workflows/bench-compare.yml@refs/heads/main", "event": "workflow_run",
        "display_title": f"compare run {BUILT} at {HEAD}",
    }  # fmt: skip
    own.run(COMPARED, **{**given, **changes})
    own.job(COMPARED, "subject")
    own.job(COMPARED, "base")
    own.job(COMPARED, "compare", labels=["self-hosted", "telar"], runner_group_name="Default")
    own.approve(COMPARED)


def job(own: Hub, name: str) -> dict[str, Any]:
    return next(each for each in own.jobs[COMPARED] if each["name"] == name)


def give(own: Hub, *found: Any) -> None:
    """The verdict that the run left."""
    own.artifacts[:] = [a for a in own.artifacts if a["name"] != "telar-verdict"]
    own.artifact(COMPARED, "telar-verdict", said(msgspec.to_builtins(comparison(*found))))


def api(own: Hub) -> GitHub:
    return GitHub(REPOSITORY, "secret", own.url)


def write(own: Hub, files: Workflows | None = None, catalog: Catalog = CATALOG) -> Answered:
    return answer(catalog, api(own), runs.get(api(own), COMPARED), files or Workflows())


def text(own: Hub) -> str:
    (found,) = own.comments[5]
    return str(found["body"])


def states(own: Hub) -> list[str]:
    return [status["state"] for found in own.statuses.values() for status in found]


def test_the_verdict_becomes_a_comment_and_a_status(github: Hub) -> None:
    give(github, WORSE)
    done = write(github)
    assert (done.pull_request, done.state) == (5, "failure")
    assert text(github).startswith(MARK)
    assert "worse" in text(github)
    (status,) = github.statuses[HEAD]
    assert (status["context"], status["state"]) == (CONTEXT, "failure")
    assert status["target_url"].endswith(f"/runs/{COMPARED}")


def test_the_second_push_writes_the_same_comment_again(github: Hub) -> None:
    others: list[dict[str, Any]] = [
        {"id": 1, "user": {"login": "stranger", "type": "User"}, "body": f"{MARK} not a bot's"},
        {"id": 2, "user": {"login": "echo[bot]", "type": "Bot"}, "body": f"{MARK} another bot's"},
    ]
    others += [{"id": n, "user": others[1]["user"], "body": "another bot's"} for n in range(3, 120)]
    github.comments[5] = [*others]
    give(github, WORSE)
    write(github)
    give(github, SAME)
    write(github)
    assert github.comments[5][:-1] == others
    assert "same" in github.comments[5][-1]["body"]
    assert states(github) == ["failure", "success"]


def again(own: Hub, attempt: int, *found: Any) -> Answered:
    """GitHub runs the same run again, and it finds something else."""
    own.runs[COMPARED]["run_attempt"] = attempt
    give(own, *found)
    return write(own)


@pytest.mark.thorough
def test_asking_again_does_not_undo_what_was_called_worse(github: Hub) -> None:
    assert again(github, 1, WORSE).state == "failure"
    done = again(github, 2, SAME)
    assert done.state == "failure"
    assert "Asked 2 times of this commit: worse, same." in text(github)
    assert github.statuses[HEAD][-1]["description"] == f"worse: run {COMPARED} of this commit said so"
    assert again(github, 3, SAME).state == "failure"
    assert "Asked 3 times of this commit: worse, same, same." in text(github)


def test_asking_again_may_decide_what_was_not_called_worse(github: Hub) -> None:
    assert again(github, 1, SAME).state == "success"
    assert "Asked" not in text(github)
    assert again(github, 2, SAME).state == "success"
    assert "Asked 2 times of this commit: same, same." in text(github)
    assert again(github, 3, WORSE).state == "failure"


def test_what_was_called_worse_ends_with_the_commit(github: Hub) -> None:
    assert again(github, 1, WORSE).state == "failure"
    (own,) = github.comments[5]
    own["body"] = own["body"].replace(HEAD, "9" * 40)  # as if another commit had been answered since
    assert again(github, 2, SAME).state == "success"
    assert "Asked" not in text(github)


def test_what_was_called_worse_ends_with_a_maintainers_label(github: Hub) -> None:
    github.label(5, "telar-accept")
    assert again(github, 1, WORSE).state == "success"
    assert again(github, 2, SAME).state == "success"


def test_a_note_that_is_none_is_no_answer(github: Hub) -> None:
    assert again(github, 1, WORSE).state == "failure"
    (own,) = github.comments[5]
    own["body"] = re.sub(r"(telar:answers) .* -->", r"\1 {broken} -->", own["body"])
    assert again(github, 2, SAME).state == "success"


def test_the_group_of_runners_is_the_one_that_the_owner_names(github: Hub) -> None:
    give(github, SAME)
    where = Machine(labels=("telar",), group="benchmark machines")
    assert write(github, Workflows(machine=where)).state == "error"
    job(github, "compare").update(labels=["telar"], runner_group_name="benchmark machines")
    assert write(github, Workflows(machine=where)).state == "success"


def test_a_private_repository_needs_no_approval(github: Hub) -> None:
    give(github, SAME)
    github.approvals.clear()
    github.repository["private"] = True
    assert write(github).state == "success"


def test_a_reusable_workflows_job_has_its_callers_before_its_name(github: Hub) -> None:
    give(github, SAME)
    for each in github.jobs[COMPARED]:
        each["name"] = f"telar / {each['name']}"
    assert write(github).state == "success"


def test_a_hostile_artifact_is_answered_with_the_refusal_and_nothing_of_it(github: Hub) -> None:
    github.artifact(COMPARED, "telar-verdict", packed('{"occasion": "<img src=x onerror=alert(1)>"}'))
    assert write(github).state == "error"
    assert "no verdict" in text(github)
    assert "onerror" not in text(github)


def test_an_artifact_that_is_too_large_is_not_even_taken_whole(github: Hub) -> None:
    github.artifact(COMPARED, "telar-verdict", b"0" * 5_000_000)
    write(github)
    assert "too large" in text(github)


@pytest.mark.parametrize(
    ("files", "state", "words"),
    [
        ([{"filename": "docs/method.md"}], "success", "nothing to compare"),
        ([{"filename": "apps/pom.xml"}], "error", "an app was changed"),
        ([{"filename": "x.java", "previous_filename": "apps/x.java"}], "error", "an app was changed"),
    ],
)
def test_a_comparison_of_nothing_is_fine_where_no_app_was_changed(
    github: Hub, files: list[dict[str, str]], state: str, words: str
) -> None:
    job(github, "compare")["conclusion"] = job(github, "base")["conclusion"] = "skipped"
    github.files[5] = files  # as GitHub tells it, not the run
    assert write(github).state == state
    assert words in text(github)


@pytest.mark.parametrize(
    ("path", "state"),
    [
        ("shop/README.md", "success"),
        ("docs/index.md", "success"),
        ("other/src/main/java/Other.java", "success"),  # another service of the repository
        ("shop/src/main/java/Shop.java", "error"),
        ("shop/pom.xml", "error"),
    ],
)
def test_a_change_that_touches_no_service_is_not_measured(
    github: Hub, tmp_path: Path, path: str, state: str
) -> None:
    file = tmp_path / "shop" / "bench" / "variant.toml"
    file.parent.mkdir(parents=True)
    subprocess.run(["git", "-C", tmp_path, "init", "--quiet"], check=True)
    file.with_name("load.ts").write_text("")
    (tmp_path / "shop" / "pom.xml").write_text("<project/>")
    file.write_text(GUEST)
    job(github, "compare")["conclusion"] = job(github, "base")["conclusion"] = "skipped"
    github.files[5] = [{"filename": path}]
    assert write(github, catalog=with_guest(load(ROOT), file)).state == state


# ---- what is accepted


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("Why not.\r\nTelar-accept: the index is worth it\r\n", "the index is worth it"),
        ("telar-ACCEPT:  x `](https://evil.example) @everyone", "x ']("),
        (None, "no reason"),
    ],
)
def test_a_label_accepts_what_got_worse_with_the_reason(github: Hub, body: str | None, words: str) -> None:
    github.pulls[0]["body"] = body
    give(github, WORSE)
    github.label(5, "telar-accept")
    assert write(github).state == "success"
    assert words in text(github)
    assert "worse" in text(github)  # it is still said
    assert github.statuses[HEAD][-1]["description"].startswith("accepted: ")


def test_the_words_alone_accept_nothing(github: Hub) -> None:
    github.pulls[0] |= {"labels": [{"name": "bug"}], "body": "Telar-accept: please"}
    give(github, WORSE)
    assert write(github).state == "failure"


def test_a_label_that_was_set_before_there_was_a_verdict_accepts_nothing(github: Hub) -> None:
    github.label(5, "telar-accept")
    job(github, "compare")["completed_at"] = github.moment()
    give(github, WORSE)
    assert write(github).state == "failure"
    assert "set it again" in text(github)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("worse", "state"),
    [
        (verdict(effect=0.21, low=0.16, high=0.26), "success"),  # not surely more than the 20 % accepted
        (verdict(effect=0.40, low=0.35, high=0.45), "failure"),
        (verdict(metric="app-cpu"), "failure"),  # another metric
    ],
)
def test_a_label_covers_later_commits_no_further_than_what_it_was_set_for(
    github: Hub, worse: Any, state: str
) -> None:
    give(github, WORSE)
    github.label(5, "telar-accept")
    assert write(github).state == "success"
    job(github, "compare")["completed_at"] = github.moment()  # measured again, after the label
    give(github, compared(worse, STILL))
    assert write(github).state == state
    give(github, WORSE)
    assert write(github).state == "success", "what was accepted isn't forgotten meanwhile"


# ---- who it is about


def test_a_label_writes_the_last_comparisons_verdict_again(github: Hub) -> None:
    path = ".github/workflows/bench-compare.yml"
    github.run(90, path=path, event="workflow_run", display_title=f"compare run 71 at {'c' * 40}")
    github.run(91, path=path, event="workflow_run", display_title=f"compare run {BUILT} at {HEAD}",
               status="in_progress", conclusion=None)  # fmt: skip
    found = runs.latest(api(github), path, head_of({"pull_request": {"head": {"sha": HEAD}}}))
    assert found is not None
    assert found.id == COMPARED
    assert runs.latest(api(github), path, "d" * 40) is None
    for wrong in ({}, None, {"pull_request": {"head": {"sha": "main"}}}):
        with pytest.raises(Refused):
            head_of(wrong)


def test_a_run_that_was_asked_for_answers_the_pull_request_that_it_names(github: Hub) -> None:
    asked = {"event": "workflow_dispatch", "head_sha": "d" * 40, "head_branch": "main",
             "head_repository": {"full_name": REPOSITORY}}  # fmt: skip
    build(github, display_title="telar run smoke on #5", **asked)
    github.runs[COMPARED]["display_title"] = f"compare run {BUILT} at {'d' * 40}"
    give(github, SAME)
    assert write(github).pull_request == 5
    build(github, display_title="telar run smoke on #5; more", **asked)
    assert write(github).pull_request is None
    build(github, display_title="telar run smoke on #5", **{**asked, "head_branch": "evil"})
    assert write(github).state == "error"


MOVED_ON = {"head": {"sha": "c" * 40, "ref": "faster", "user": {"login": "stranger"}}}


@pytest.mark.parametrize("change", [MOVED_ON, {"state": "closed"}])
def test_a_pull_request_that_moved_on_is_left_alone(github: Hub, change: dict[str, Any]) -> None:
    github.pulls[0] |= change
    give(github, SAME)
    assert write(github).pull_request is None
    assert (github.comments, github.statuses) == ({}, {})


@pytest.mark.thorough
def test_a_build_names_what_is_to_be_compared(github: Hub) -> None:
    event = {"workflow_run": {"id": BUILT}}
    path = Workflows().build
    found = subject.subject(api(github), event, path)
    assert found is not None
    assert (found.number, found.head, found.suite) == (5, HEAD, "")
    for conclusion in ("cancelled", "action_required"):
        build(github, conclusion=conclusion)
        assert subject.subject(api(github), event, path) is None
    build(github, path=".github/workflows/evil.yml")
    with pytest.raises(Refused, match="another workflow"):
        subject.subject(api(github), event, path)
    wrong: Any
    for wrong in ({}, [], None, {"workflow_run": {}}, {"workflow_run": {"id": "x"}}):
        with pytest.raises(Refused):
            subject.subject(api(github), wrong, path)


# ---- what it waits for


def waits(own: Hub, status: str, now: float) -> list[str]:
    job(own, "compare").update(status=status, conclusion=None, created_at="2026-11-24T10:00:00Z")
    own.runs[COMPARED] |= {"status": "in_progress", "conclusion": None}
    path = Workflows().compare
    return [w.line for w in waiting.say(api(own), path, Machine(), now)]


TEN = float(calendar.timegm((2026, 11, 24, 10, 0, 0)))


def test_a_machine_that_is_off_is_said_once(github: Hub) -> None:
    assert waits(github, "queued", TEN + 600) == []
    (line,) = waits(github, "queued", TEN + 3600)
    assert (
        line == "no machine has taken it since 2026-11-24 10:00 UTC: is one with self-hosted, telar online?"
    )
    assert waits(github, "queued", TEN + 7200) == []
    (status,) = github.statuses[HEAD]
    assert (status["state"], status["description"]) == ("pending", line)


def test_an_approval_is_waited_for_by_name(github: Hub) -> None:
    assert waits(github, "waiting", TEN) == ["waits for a maintainer's approval since 2026-11-24 10:00 UTC"]
    assert waits(github, "in_progress", TEN + 9999) == []
    github.pulls.clear()
    github.statuses.clear()
    assert waits(github, "waiting", TEN) == []


# ---- commands

COMMENT: dict[str, Any] = {
    "comment": {"body": "/telar run smoke\r\n\r\nplease", "author_association": "MEMBER"},
    "issue": {"number": 5, "pull_request": {}},
    "repository": {"default_branch": "main"},
}


def test_a_maintainer_starts_a_run(github: Hub) -> None:
    assert "started" in obey(CATALOG, api(github), COMMENT)
    inputs = {"pull_request": "5", "suite": "smoke"}
    assert github.dispatched == [("bench-pr.yml", {"ref": "main", "inputs": inputs})]


@pytest.mark.parametrize("who", ["NONE", "CONTRIBUTOR", "FIRST_TIME_CONTRIBUTOR", "owner"])
def test_others_start_none(github: Hub, who: str) -> None:
    wrong = {**COMMENT, "comment": {**COMMENT["comment"], "author_association": who}}
    with pytest.raises(Refused):
        obey(CATALOG, api(github), wrong)
    assert github.dispatched == []


@pytest.mark.parametrize(
    "body", ["", "run smoke", "/telar run smoke --now", "/telar run $(id)", " x\n/telar run smoke"]
)
def test_other_words_start_nothing(github: Hub, body: str) -> None:
    other = {**COMMENT, "comment": {"body": body, "author_association": "OWNER"}}
    assert "nothing" in obey(CATALOG, api(github), other)
    assert github.calls == []


def test_a_suite_that_there_is_not_is_said(github: Hub) -> None:
    wrong = {**COMMENT, "comment": {"body": "/telar run smok", "author_association": "OWNER"}}
    with pytest.raises(ConfigError, match="no suite 'smok'"):
        obey(CATALOG, api(github), wrong)


def test_what_github_refuses_is_said_with_its_words(github: Hub) -> None:
    with pytest.raises(RunError, match="404 no"):
        runs.get(api(github), 12345)


def test_a_repository_has_an_owner_and_a_name() -> None:
    for wrong in ("", "a", "a/b/c", "../x", "a/b?c"):
        with pytest.raises(ConfigError):
            GitHub(wrong, "secret")

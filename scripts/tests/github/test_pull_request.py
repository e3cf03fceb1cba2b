"""The comment on a pull request: one, written anew, of the right one, with nothing of strangers in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from telar.errors import ConfigError, Refused, RunError
from telar.github.api import GitHub
from telar.github.commands import obey
from telar.github.pull_request import CONTEXT, MARK, answer, last_run, run_of

from ..publish.test_verdict import CATALOG, STILL, compared, comparison, verdict
from .double import Double, double
from .test_artifact import HEAD, packed, said

REPOSITORY = "/repos/acme/shop"


def event(**changes: Any) -> dict[str, Any]:
    run = {
        "id": 77, "head_sha": HEAD, "head_branch": "faster", "conclusion": "success", "event": "pull_request",
        "html_url": "https://github.com/acme/shop/actions/runs/77",
        "head_repository": {"owner": {"login": "stranger"}},
    }  # fmt: skip
    return {"workflow_run": {**run, **changes}}


@pytest.fixture
def api() -> Iterator[Double]:
    with double() as found:
        found.answers = {
            f"GET {REPOSITORY}/pulls": [{"number": 5, "head": {"sha": HEAD}}],
            f"GET {REPOSITORY}/actions/runs/77/artifacts": {"artifacts": [{"id": 9, "expired": False}]},
            f"POST {REPOSITORY}/statuses/{HEAD}": {},
        }
        yield found
        assert found.unexpected == []


def give(api: Double, artifact: bytes) -> None:
    api.answers[f"GET {REPOSITORY}/actions/artifacts/9/zip"] = artifact


def github(api: Double) -> GitHub:
    return GitHub("acme/shop", "secret", api.url)


def status(api: Double) -> dict[str, Any]:
    (found,) = api.sent("POST", "/statuses/")
    assert isinstance(found, dict)
    return found


def test_the_verdict_becomes_a_comment_and_a_status(api: Double) -> None:
    give(api, said(msgspec.to_builtins(comparison(compared(verdict(), STILL)))))
    done = answer(CATALOG, github(api), run_of(event()))
    assert (done.pull_request, done.state) == (5, "failure")
    (comment,) = api.comments
    assert comment["body"].startswith(MARK)
    assert "worse" in comment["body"]
    assert status(api)["context"] == CONTEXT
    assert status(api)["state"] == "failure"
    assert len(status(api)["description"]) <= 140


def test_the_second_push_writes_the_same_comment_anew(api: Double) -> None:
    api.comments += [
        {"id": 1, "user": {"type": "User"}, "body": f"{MARK} not a bot's"},
        *({"id": n, "user": {"type": "Bot"}, "body": "another bot's"} for n in range(2, 120)),
    ]
    give(api, said(msgspec.to_builtins(comparison(compared(verdict())))))
    answer(CATALOG, github(api), run_of(event()))
    count = len(api.comments)
    give(api, said(msgspec.to_builtins(comparison(compared(STILL)))))
    answer(CATALOG, github(api), run_of(event()))
    assert len(api.comments) == count
    assert api.comments[0]["body"] == f"{MARK} not a bot's"
    assert "same" in api.comments[-1]["body"]


def test_a_hostile_artifact_is_answered_with_the_refusal_and_nothing_of_it(api: Double) -> None:
    give(api, packed('{"occasion": "<img src=x onerror=alert(1)>"}'))
    done = answer(CATALOG, github(api), run_of(event()))
    assert done.state == "error"
    assert "no verdict" in api.comments[0]["body"]
    assert "onerror" not in api.comments[0]["body"]
    assert status(api)["state"] == "error"


def test_an_artifact_that_is_too_large_is_not_even_taken_whole(api: Double) -> None:
    give(api, b"0" * 5_000_000)
    answer(CATALOG, github(api), run_of(event()))
    assert "too large" in api.comments[0]["body"]


@pytest.mark.parametrize(
    ("artifacts", "reason"),
    [
        ([{"id": 9}, {"id": 10}], "more than one"),
        ([{"id": 9, "expired": True}], "expired"),
    ],
)
def test_there_is_one_artifact(api: Double, artifacts: list[dict[str, Any]], reason: str) -> None:
    api.answers[f"GET {REPOSITORY}/actions/runs/77/artifacts"] = {"artifacts": artifacts}
    answer(CATALOG, github(api), run_of(event()))
    assert reason in api.comments[0]["body"]


@pytest.mark.parametrize(
    ("files", "state", "words"),
    [
        ([{"filename": "docs/method.md"}], "success", "nothing to compare"),
        ([{"filename": "apps/pom.xml"}], "error", "an app was changed"),
        ([{"filename": "x.java", "previous_filename": "apps/x.java"}], "error", "an app was changed"),
    ],
)
def test_a_run_that_left_nothing_is_fine_where_no_app_was_changed(
    api: Double, files: list[dict[str, str]], state: str, words: str
) -> None:
    api.answers[f"GET {REPOSITORY}/actions/runs/77/artifacts"] = {"artifacts": []}
    api.answers[f"GET {REPOSITORY}/pulls/5/files"] = files  # as GitHub tells it, not the run
    assert answer(CATALOG, github(api), run_of(event())).state == state
    assert words in api.comments[0]["body"]


def test_a_run_that_failed_and_left_nothing_is_an_error_whatever_was_changed(api: Double) -> None:
    api.answers[f"GET {REPOSITORY}/actions/runs/77/artifacts"] = {"artifacts": []}
    assert answer(CATALOG, github(api), run_of(event(conclusion="failure"))).state == "error"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("Why not.\r\nTelar-accept: the index is worth it\r\n", "the index is worth it"),
        ("telar-ACCEPT:  x `](https://evil.example) @everyone", "x ']("),
        (None, "no reason"),
    ],
)
def test_a_label_accepts_what_got_worse_with_the_reason(api: Double, body: str | None, words: str) -> None:
    own = {"number": 5, "head": {"sha": HEAD}, "labels": [{"name": "telar-accept"}], "body": body}
    api.answers[f"GET {REPOSITORY}/pulls"] = [own]
    give(api, said(msgspec.to_builtins(comparison(compared(verdict(), STILL)))))
    assert answer(CATALOG, github(api), run_of(event())).state == "success"
    assert words in api.comments[0]["body"]
    assert "worse" in api.comments[0]["body"]  # it is still told
    assert status(api)["description"].startswith("accepted: ")


def test_the_words_alone_accept_nothing(api: Double) -> None:
    own = {"number": 5, "head": {"sha": HEAD}, "labels": [{"name": "bug"}], "body": "Telar-accept: please"}
    api.answers[f"GET {REPOSITORY}/pulls"] = [own]
    give(api, said(msgspec.to_builtins(comparison(compared(verdict(), STILL)))))
    assert answer(CATALOG, github(api), run_of(event())).state == "failure"


def test_a_label_writes_the_last_runs_verdict_anew(api: Double) -> None:
    labelled = {"action": "labeled", "pull_request": {"number": 5, "head": {"sha": HEAD}}}
    runs = [{**event()["workflow_run"], "id": n} for n in (12, 77, 40)]
    api.answers[f"GET {REPOSITORY}/actions/workflows/bench-pr.yml/runs"] = {"workflow_runs": runs}
    found = last_run(github(api), labelled)
    assert found is not None
    assert found.id == 77
    api.answers[f"GET {REPOSITORY}/actions/workflows/bench-pr.yml/runs"] = {"workflow_runs": []}
    assert last_run(github(api), labelled) is None
    for wrong in ({}, None, {"pull_request": {"head": {"sha": "main"}}}):
        with pytest.raises(Refused):
            last_run(github(api), wrong)


def test_a_run_that_was_asked_for_answers_the_pull_request_that_it_names(api: Double) -> None:
    asked = event(event="workflow_dispatch", head_sha="d" * 40, display_title="telar run smoke on #6")
    api.answers[f"GET {REPOSITORY}/pulls/6"] = {"number": 6, "state": "open", "head": {"sha": HEAD}}
    give(api, said(msgspec.to_builtins(comparison(compared(STILL)))))
    assert answer(CATALOG, github(api), run_of(asked)).pull_request == 6
    with pytest.raises(Refused):
        run_of(event(event="workflow_dispatch", display_title="telar run smoke on #6; more"))


COMMENT = {
    "comment": {"body": "/telar run smoke\r\n\r\nplease", "author_association": "MEMBER"},
    "issue": {"number": 5, "pull_request": {}},
    "repository": {"default_branch": "main"},
}


def test_a_maintainer_starts_a_run(api: Double) -> None:
    api.answers[f"POST {REPOSITORY}/actions/workflows/bench-pr.yml/dispatches"] = {}
    assert "started" in obey(CATALOG, github(api), COMMENT)
    (sent,) = api.sent("POST", "dispatches")
    assert sent == {"ref": "main", "inputs": {"pull_request": "5", "suite": "smoke"}}


@pytest.mark.parametrize("who", ["NONE", "CONTRIBUTOR", "FIRST_TIME_CONTRIBUTOR", "owner"])
def test_nobody_else_does(api: Double, who: str) -> None:
    wrong = {**COMMENT, "comment": {**COMMENT["comment"], "author_association": who}}  # type: ignore[dict-item]
    with pytest.raises(Refused):
        obey(CATALOG, github(api), wrong)
    assert api.calls == []


@pytest.mark.parametrize(
    "body", ["", "run smoke", "/telar run smoke --now", "/telar run $(id)", " x\n/telar run smoke"]
)
def test_other_words_start_nothing(api: Double, body: str) -> None:
    other = {**COMMENT, "comment": {"body": body, "author_association": "OWNER"}}
    assert "nothing" in obey(CATALOG, github(api), other)
    assert api.calls == []


def test_a_suite_that_there_is_not_is_said(api: Double) -> None:
    with pytest.raises(ConfigError, match="no suite 'smok'"):
        obey(
            CATALOG,
            github(api),
            {**COMMENT, "comment": {"body": "/telar run smok", "author_association": "OWNER"}},
        )


@pytest.mark.parametrize("pulls", [[], [{"number": 6, "head": {"sha": "c" * 40}}]])
def test_a_pull_request_that_moved_on_is_left_alone(api: Double, pulls: list[dict[str, Any]]) -> None:
    api.answers[f"GET {REPOSITORY}/pulls"] = pulls
    done = answer(CATALOG, github(api), run_of(event()))
    assert done.pull_request is None
    assert (api.comments, api.sent("POST", "")) == ([], [])


@pytest.mark.parametrize(
    "wrong",
    [{}, [], None, {"workflow_run": {}}, event(event="push"), event(head_sha="main"), event(id="x"),
     event(head_repository=None)],
)  # fmt: skip
def test_an_event_that_is_none_is_refused(wrong: Any) -> None:
    with pytest.raises(Refused):
        run_of(wrong)


def test_what_github_refuses_is_told_with_its_words(api: Double) -> None:
    api.answers[f"GET {REPOSITORY}/pulls"] = 403
    with pytest.raises(RunError, match="403 no"):
        answer(CATALOG, github(api), run_of(event()))


def test_a_repository_has_an_owner_and_a_name() -> None:
    for wrong in ("", "a", "a/b/c", "../x", "a/b?c"):
        with pytest.raises(ConfigError):
            GitHub(wrong, "secret")

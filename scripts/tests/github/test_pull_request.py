"""The comment on a pull request: one, written anew, of the right one, with nothing of strangers in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from telar.errors import ConfigError, Refused, RunError
from telar.github.api import GitHub
from telar.github.pull_request import CONTEXT, MARK, answer, run_of

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
        ([], "left none"),
        ([{"id": 9}, {"id": 10}], "more than one"),
        ([{"id": 9, "expired": True}], "expired"),
    ],
)
def test_there_is_one_artifact(api: Double, artifacts: list[dict[str, Any]], reason: str) -> None:
    api.answers[f"GET {REPOSITORY}/actions/runs/77/artifacts"] = {"artifacts": artifacts}
    answer(CATALOG, github(api), run_of(event()))
    assert reason in api.comments[0]["body"]


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

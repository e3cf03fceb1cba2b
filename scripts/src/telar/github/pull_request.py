"""A pull request's comment and status, from the run that compared it."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from telar.catalog.types import Catalog
from telar.errors import Refused
from telar.github.api import GitHub
from telar.github.artifact import PACKED, verdict_of
from telar.publish.verdict import LIMIT, headline, markdown

MARK = "<!-- telar:verdict -->"  # by which the comment is found again
CONTEXT = "telar/verdict"  # the status: can be required
STATES = {"worse": "failure", "better": "success", "same": "success", "undecided": "success"}
ARTIFACT = "telar-verdict"
Sha = str


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """The run of the pull request's workflow, as GitHub (not the run) tells it."""

    id: int
    head: Sha
    owner: str  # of the repository that the head is in
    branch: str
    conclusion: str
    url: str


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    pull_request: int | None  # None: there is no open one with that head any more
    comment: str
    state: str


def run_of(event: Any) -> Run:
    """From a `workflow_run` event. Raises Refused when it is none, or not of a pull request."""
    try:
        run = event["workflow_run"]
        found = Run(
            id=int(run["id"]),
            head=str(run["head_sha"]),
            owner=str(run["head_repository"]["owner"]["login"]),
            branch=str(run["head_branch"]),
            conclusion=str(run["conclusion"]),
            url=str(run["html_url"]),
        )
        kind = run["event"]
    except (KeyError, TypeError, ValueError) as error:
        raise Refused("the event isn't one of a finished workflow run") from error
    if kind != "pull_request":
        raise Refused("the run isn't one of a pull request")
    if not re.fullmatch(r"[0-9a-f]{40}", found.head):
        raise Refused("the event names no commit")
    return found


def answer(catalog: Catalog, github: GitHub, run: Run) -> Answered:
    """Writes the comment, or writes it anew, and sets the status of the head commit."""
    number = _number(github, run)
    if number is None:
        return Answered(pull_request=None, comment="", state="")
    try:
        comparison = verdict_of(catalog, _artifact(github, run), run.head)
        text, line = markdown(catalog, comparison), headline(catalog, comparison)
        state = STATES[comparison.word]
    except Refused as refused:
        text = f"### Telar: no verdict\n\nWhat the run left can't be taken: {refused.message}.\n"
        line, state = f"no verdict: {refused.message}", "error"
    body = f"{MARK}\n{text}\n<sub>[The run]({run.url}), commit {run.head[:12]}</sub>\n"
    assert len(body) <= LIMIT + 536, "GitHub takes 65,536 characters"
    _write(github, number, body)
    github.post(
        f"statuses/{run.head}",
        {"state": state, "context": CONTEXT, "description": line[:140], "target_url": run.url},
    )
    return Answered(pull_request=number, comment=body, state=state)


def _number(github: GitHub, run: Run) -> int | None:
    """The open pull request with this head: GitHub says which, never the run."""
    head = f"{run.owner}:{run.branch}"
    for each in github.every("pulls", state="open", head=head):
        if each["head"]["sha"] == run.head:
            return int(each["number"])
    return None


def _artifact(github: GitHub, run: Run) -> bytes:
    found = list(github.every(f"actions/runs/{run.id}/artifacts", key="artifacts", name=ARTIFACT))
    if not found:
        raise Refused(
            "it left none"
            if run.conclusion == "success"
            else "it ended before there was one, as its log says"
        )
    if len(found) > 1 or found[0].get("expired"):
        raise Refused("it left more than one, or an expired one")
    content = github.download(f"actions/artifacts/{int(found[0]['id'])}/zip", PACKED)
    if content is None:
        raise Refused("it is too large")
    return content


def _write(github: GitHub, number: int, body: str) -> None:
    """One comment: the one that is there is written anew. Only a bot's: anybody can write the mark."""
    for comment in github.every(f"issues/{number}/comments"):
        if comment["user"]["type"] == "Bot" and comment["body"].startswith(MARK):
            if comment["body"] != body:
                github.patch(f"issues/comments/{comment['id']}", {"body": body})
            return
    github.post(f"issues/{number}/comments", {"body": body})

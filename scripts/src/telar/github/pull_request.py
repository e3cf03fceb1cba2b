"""A pull request's comment and status, from the run that compared it.

Who the pull request is comes from GitHub. What the run left comes from a stranger. A maintainer's label
accepts what got worse; the reason is a line of the pull request's text, `Telar-accept: …`.
"""

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
WORKFLOW = "bench-pr.yml"
ACCEPTED = "telar-accept"  # the label; only who may triage can set it
_REASON = re.compile(r"^Telar-accept:[ \t]*(\S[^\r\n]{0,300})", re.MULTILINE | re.IGNORECASE)
_TITLE = re.compile(r"telar run [a-z0-9-]+ on #([0-9]{1,9})")  # run-name of a run that was asked for
APPS = "apps/"  # where the systems under test are
Sha = str


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """The run of the pull request's workflow, as GitHub (not the run) tells it."""

    id: int
    head: Sha
    owner: str  # of the repository that the head is in
    branch: str
    conclusion: str
    url: str
    asked_for: int | None = None  # the pull request, where a maintainer asked for the run


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    pull_request: int | None  # None: there is no open one with that head any more
    comment: str
    state: str


def last_run(github: GitHub, event: Any) -> Run | None:
    """The newest finished run on the pull request of a `pull_request_target` event, whose labels or text were
    changed; None when there is none yet. Raises Refused for another event."""
    try:
        head = str(event["pull_request"]["head"]["sha"])
    except (KeyError, TypeError) as error:
        raise Refused("the event isn't one of a pull request") from error
    if not re.fullmatch(r"[0-9a-f]{40}", head):
        raise Refused("the event names no commit")
    of_head = f"actions/workflows/{WORKFLOW}/runs"
    found = github.every(
        of_head, key="workflow_runs", head_sha=head, event="pull_request", status="completed"
    )
    newest = max(found, key=lambda run: int(run["id"]), default=None)
    return None if newest is None else run_of({"workflow_run": newest})


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
    if kind == "workflow_dispatch":  # started by who may write here, on this repository's own branch
        named = _TITLE.fullmatch(str(run.get("display_title")))
        if named is None:
            raise Refused("the run says of no pull request that it was asked for it")
        return msgspec.structs.replace(found, asked_for=int(named[1]))
    if kind != "pull_request":
        raise Refused("the run isn't one of a pull request")
    if not re.fullmatch(r"[0-9a-f]{40}", found.head):
        raise Refused("the event names no commit")
    return found


def answer(catalog: Catalog, github: GitHub, run: Run) -> Answered:
    """Writes the comment, or writes it anew, and sets the status of the head commit."""
    own = _pull_request(github, run)
    if own is None:
        return Answered(pull_request=None, comment="", state="")
    number, head = int(own["number"]), str(own["head"]["sha"])
    try:
        packed = _artifact(github, run)
        if packed is None and catalog.guest is None and not _changes_apps(github, number):
            text = "### Telar: nothing to compare\n\nNo app runs otherwise for what this changes.\n"
            line, state = "no app changed", "success"
        elif packed is None:
            raise Refused("it left none, though an app was changed")
        else:
            comparison = verdict_of(catalog, packed, head)
            text, line = markdown(catalog, comparison), headline(catalog, comparison)
            state = STATES[comparison.word]
        if state == "failure" and (reason := _accepted(own)) is not None:
            text += f"\nAccepted by a maintainer: {_plain(reason)}\n"
            line, state = f"accepted: {reason}", "success"
    except Refused as refused:
        text = f"### Telar: no verdict\n\nWhat the run left can't be taken: {refused.message}.\n"
        line, state = f"no verdict: {refused.message}", "error"
    body = f"{MARK}\n{text}\n<sub>[The run]({run.url}), commit {head[:12]}</sub>\n"
    assert len(body) <= LIMIT + 536, "GitHub takes 65,536 characters"
    _write(github, number, body)
    github.post(
        f"statuses/{head}",
        {"state": state, "context": CONTEXT, "description": line[:140], "target_url": run.url},
    )
    return Answered(pull_request=number, comment=body, state=state)


def _pull_request(github: GitHub, run: Run) -> Any:
    """The open pull request with this head, None where there is none: GitHub says which, never the run."""
    if run.asked_for is not None:
        found = github.get(f"pulls/{run.asked_for}")
        return found if found["state"] == "open" else None
    head = f"{run.owner}:{run.branch}"
    every = github.every("pulls", state="open", head=head)
    return next((each for each in every if each["head"]["sha"] == run.head), None)


def _changes_apps(github: GitHub, number: int) -> bool:
    files = github.every(f"pulls/{number}/files")
    names = (str(file.get(key, "")) for file in files for key in ("filename", "previous_filename"))
    return any(name.startswith(APPS) for name in names)


def _accepted(own: Any) -> str | None:
    """The reason why what got worse is accepted; None while no maintainer says so."""
    if ACCEPTED not in {str(label["name"]) for label in own.get("labels") or ()}:
        return None
    said = _REASON.search(str(own.get("body") or ""))
    return said[1].strip() if said else "no reason is given"


def _plain(text: str) -> str:
    """A stranger's words as text: nothing in them is markup, a mention or a link."""
    return f"`{''.join(c for c in text if c.isprintable()).replace('`', chr(39))}`"


def _artifact(github: GitHub, run: Run) -> bytes | None:
    """What the run left, None where a run that ended well left nothing."""
    found = list(github.every(f"actions/runs/{run.id}/artifacts", key="artifacts", name=ARTIFACT))
    if not found and run.conclusion == "success":
        return None
    if not found:
        raise Refused("it ended before there was one, as its log says")
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

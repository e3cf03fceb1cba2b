"""A pull request's comment and status, from the run that compared it.

Who the pull request is and whether the run may be believed come from GitHub (`runs.py`). What the run left
is read as if a stranger had written it (`artifact.py`). A maintainer's label accepts what got worse
(`acceptance.py`).
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from telar.catalog.guest import WINDOWS
from telar.catalog.types import Catalog
from telar.errors import Refused
from telar.github import acceptance, answers, runs
from telar.github.acceptance import Acceptance
from telar.github.answers import Answers
from telar.github.api import GitHub
from telar.github.artifact import PACKED, digest_of, verdict_of
from telar.github.runs import Compared, Machine, Run
from telar.plan.pipeline import touched
from telar.publish.verdict import Comparison, headline, markdown

MARK = "<!-- telar:verdict -->"  # by which the comment is found again
WRITER = "github-actions[bot]"  # who a workflow's token is: anybody else can write the mark, too
TAKEN = 65_536  # characters of a comment: the verdict leaves room for the notes (publish/verdict.py)
CONTEXT = "telar/verdict"  # the status: can be required
STATES = {"worse": "failure", "better": "success", "same": "success", "undecided": "success"}
ARTIFACT = "telar-verdict"
APPS = "apps/"  # where the systems under test are


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    pull_request: int | None  # None: there is no open one with that head any more
    comment: str
    state: str


class Workflows(msgspec.Struct, frozen=True, kw_only=True):
    """The files that a verdict may come from, and the machine."""

    build: str = runs.FOLDER + runs.BUILD
    compare: str = runs.FOLDER + runs.COMPARE
    machine: Machine = Machine()


def head_of(event: Any) -> str:
    """The commit that a `pull_request_target` event is about. Raises Refused for another event."""
    try:
        head = str(event["pull_request"]["head"]["sha"])
    except (KeyError, TypeError) as error:
        raise Refused("the event isn't one of a pull request") from error
    if not re.fullmatch(r"[0-9a-f]{40}", head):
        raise Refused("the event names no commit")
    return head


def open_with(github: GitHub, build: Run) -> Any:
    """The open pull request that was built, None where there is none with that head any more: GitHub says
    which, never the run.
    """
    if build.asked:
        found = github.get(f"pulls/{build.asked[1]}")
        return found if found["state"] == "open" else None
    head = f"{build.repository.partition('/')[0]}:{build.branch}"
    every = github.every("pulls", state="open", head=head)
    return next((each for each in every if each["head"]["sha"] == build.head), None)


def say(github: GitHub, head: str, state: str, line: str, url: str) -> None:
    """Sets the status of a commit."""
    body = {"state": state, "context": CONTEXT, "description": line[:140]}
    if url:
        body["target_url"] = url
    github.post(f"statuses/{head}", body)


def answer(catalog: Catalog, github: GitHub, run: Run, files: Workflows) -> Answered:
    """Writes the comment, or writes it again, and sets the status of the head commit."""
    build = _build(github, run)
    own = open_with(github, build) if build else None
    if own is None:
        return Answered(pull_request=None, comment="", state="")
    number, head = int(own["number"]), str(own["head"]["sha"])
    before = _comment(github, number)
    text, line, state, word = _verdict(catalog, github, run, files, own, before)
    known, key = answers.read(before["body"] if before else "", head), f"{run.id}.{run.attempt}"
    if word:
        known = known.with_(key, word)
        text, line, state = _asked_again(known, key, own, before, text, line, state)
    text += answers.written(known)
    body = f"{MARK}\n{text}\n<sub>[The run]({run.url}), commit {head[:12]}</sub>\n"
    assert len(body) <= TAKEN, "GitHub takes no more characters"
    _write(github, number, before, body)
    say(github, head, state, line, run.url)
    return Answered(pull_request=number, comment=body, state=state)


def _verdict(
    catalog: Catalog, github: GitHub, run: Run, files: Workflows, own: Any, before: Any
) -> tuple[str, str, str, str]:
    """Text of the comment, line and state of the status, and the word; empty where there is no verdict."""
    try:
        found = runs.compared(github, run.id, files.compare, files.build, files.machine)
        if found.nothing:
            return *_nothing(catalog, github, int(own["number"])), ""
        comparison = verdict_of(catalog, _artifact(github, found), str(own["head"]["sha"]))
    except Refused as refused:
        text = f"### Telar: no verdict\n\nThere is none that can be believed: {refused.message}.\n"
        return text, f"no verdict: {refused.message}", "error", ""
    text, line = markdown(catalog, comparison), headline(catalog, comparison)
    if STATES[comparison.word] != "failure" or not acceptance.wished(own):
        return text, line, STATES[comparison.word], comparison.word
    if found.completed and acceptance.set_at(github, int(own["number"])) >= found.completed:
        known: Acceptance | None = acceptance.of(comparison)
    else:
        known = acceptance.read(before["body"] if before else "")
    return *_accepted(comparison, own, known, text, line), comparison.word


def _asked_again(
    known: Answers, key: str, own: Any, before: Any, text: str, line: str, state: str
) -> tuple[str, str, str]:
    """Says how often this commit was asked about. What an earlier run called worse stays so, until another
    commit or a maintainer's label: each run errs once in a hundred times, so asking often gets any answer.
    """
    if len(known.words) == 1:
        return text, line, state
    said = ", ".join(known.words.values())
    text += f"\nAsked {len(known.words)} times of this commit: {said}.\n"
    first = known.worse_before(key)
    accepted = acceptance.wished(own) and acceptance.read(before["body"] if before else "") is not None
    if not first or state != "success" or accepted:
        return text, line, state
    text += (
        "What an earlier run called worse stays so: another commit, or the label `telar-accept`, ends it.\n"
    )
    return text, f"worse: run {first.partition('.')[0]} of this commit said so", "failure"


def _nothing(catalog: Catalog, github: GitHub, number: int) -> tuple[str, str, str]:
    if _changes_apps(catalog, github, number):
        raise Refused("it compared nothing, though an app was changed")
    text = "### Telar: nothing to compare\n\nNo app runs otherwise for what this changes.\n"
    return text, "no app changed", "success"


def _accepted(
    comparison: Comparison, own: Any, known: Acceptance | None, text: str, line: str
) -> tuple[str, str, str]:
    """What becomes of a verdict for the worse where the label is set; `known`: what it was set for."""
    if known is None or not acceptance.covers(known, comparison):
        text += (
            "\nThe label `telar-accept` was set before this verdict and doesn't cover it: "
            "take it off and set it again to accept what is said here.\n"
        )
        return text + (acceptance.written(known) if known else ""), line, "failure"
    reason = acceptance.reason(own)
    text += f"\nAccepted by a maintainer: {_plain(reason)}\n" + acceptance.written(known)
    return text, f"accepted: {reason}", "success"


def _build(github: GitHub, run: Run) -> Run | None:
    """What the run compared, as its name says; only to find the pull request: `compared` checks all of it."""
    number = runs.build_number(run)
    return None if number is None else runs.get(github, number)


def _changes_apps(catalog: Catalog, github: GitHub, number: int) -> bool:
    """By GitHub's own list of the files that it changes."""
    files = github.every(f"pulls/{number}/files")
    names = [str(file[key]) for file in files for key in ("filename", "previous_filename") if file.get(key)]
    if catalog.guest:
        return bool(touched(catalog, WINDOWS, names))
    return any(name.startswith(APPS) for name in names)


def _plain(text: str) -> str:
    """A stranger's words as text: nothing in them is markup, a mention or a link."""
    return f"`{''.join(c for c in text if c.isprintable()).replace('`', chr(39))}`"


def _artifact(github: GitHub, found: Compared) -> bytes:
    """The verdict that the run left: of this run, by its exact name, with the digest that GitHub knows."""
    number = found.run.id
    listed = [
        artifact
        for artifact in github.every(f"actions/runs/{number}/artifacts", key="artifacts", name=ARTIFACT)
        if artifact["name"] == ARTIFACT
    ]
    if len(listed) != 1 or listed[0]["expired"] or listed[0]["workflow_run"]["id"] != number:
        raise Refused("it left no verdict, more than one, or an expired one")
    content = github.download(f"actions/artifacts/{int(listed[0]['id'])}/zip", PACKED)
    if content is None:
        raise Refused("it is too large")
    if listed[0].get("digest") not in (None, digest_of(content)):
        raise Refused("it isn't what was uploaded: its digest is another")
    return content


def _comment(github: GitHub, number: int) -> Any:
    """The one comment that is Telar's, None where there is none yet."""
    every = github.every(f"issues/{number}/comments")
    return next((c for c in every if c["user"]["login"] == WRITER and c["body"].startswith(MARK)), None)


def _write(github: GitHub, number: int, before: Any, body: str) -> None:
    if before is None:
        github.post(f"issues/{number}/comments", {"body": body})
    elif before["body"] != body:
        github.patch(f"issues/comments/{before['id']}", {"body": body})

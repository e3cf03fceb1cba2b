"""A stand-in for GitHub that behaves as its documentation says, as far as Telar asks: real HTTP on the
loopback.

What each part does is said beside it in the words of GitHub's REST API and Actions documentation. It knows
nothing of Telar: what a test wants to be there, it puts there as GitHub would have it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .double import Elsewhere, serving

OWNER, NAME = "acme", "shop"
REPOSITORY = f"{OWNER}/{NAME}"
MAIN = "a" * 40
BOT = {"login": "github-actions[bot]", "type": "Bot"}  # whom a workflow's GITHUB_TOKEN writes as
Answer = Callable[..., Any]


class Hub:
    """One repository. A path that isn't there answers 404, like what the token may not see."""

    def __init__(self) -> None:
        self.url = ""
        self.repository = {"full_name": REPOSITORY, "default_branch": "main", "private": False}
        self.runs: dict[int, dict[str, Any]] = {}
        self.jobs: dict[int, list[dict[str, Any]]] = {}
        self.approvals: dict[int, list[dict[str, Any]]] = {}
        self.artifacts: list[dict[str, Any]] = []
        self.content: dict[int, bytes] = {}  # of artifacts
        self.pulls: list[dict[str, Any]] = []
        self.files: dict[int, list[dict[str, Any]]] = {}
        self.events: dict[int, list[dict[str, Any]]] = {}
        self.comments: dict[int, list[dict[str, Any]]] = {}
        self.issues: list[dict[str, Any]] = []
        self.statuses: dict[str, list[dict[str, Any]]] = {}
        self.commits: dict[str, dict[str, Any]] = {}
        self.line: list[str] = []  # main's commits, oldest first
        self.dispatched: list[tuple[str, dict[str, Any]]] = []
        self.clock = 0  # counts what is written, as moments of ISO 8601
        self.calls: list[str] = []
        self.hooks: list[Any] = []  # what was posted to /hook

    # ---- what a test puts there

    def run(self, number: int, **said: Any) -> dict[str, Any]:
        """A workflow run. `head_sha` and `head_branch` of one that `workflow_run` started are the default
        branch's, since such a workflow always runs from there; of `pull_request` they are the head's."""
        self.runs[number] = {
            "id": number, "path": ".github/workflows/ci.yml", "event": "push", "head_sha": MAIN,
            "head_branch": "main", "head_repository": {"full_name": REPOSITORY}, "status": "completed",
            "conclusion": "success", "display_title": "a title", "created_at": self.moment(),
            "html_url": f"https://github.com/{REPOSITORY}/actions/runs/{number}", **said,
        }  # fmt: skip
        return self.runs[number]

    def job(self, run: int, name: str, **said: Any) -> dict[str, Any]:
        """A job of a run's last attempt; `labels` are what it asked for, the group is where it ran."""
        made = {
            "name": name, "conclusion": "success", "labels": ["ubuntu-latest"],
            "runner_group_name": "GitHub Actions", "status": "completed", "created_at": self.moment(),
            "completed_at": self.moment(), **said,
        }  # fmt: skip
        self.jobs.setdefault(run, []).append(made)
        return made

    def artifact(self, run: int, name: str, content: bytes, **said: Any) -> dict[str, Any]:
        """Any job of a run may add one. Which job did isn't said by the API."""
        number = 9000 + len(self.artifacts)
        made = {
            "id": number, "name": name, "expired": False, "size_in_bytes": len(content),
            "digest": f"sha256:{hashlib.sha256(content).hexdigest()}", "workflow_run": {"id": run}, **said,
        }  # fmt: skip
        self.artifacts.append(made)
        self.content[number] = content
        return made

    def approve(self, run: int, environment: str = "benchmark", state: str = "approved") -> None:
        """A required reviewer of an environment reviews the deployment that a job waits for."""
        review = {"state": state, "environments": [{"name": environment}], "user": {"login": "maintainer"}}
        self.approvals.setdefault(run, []).append(review)

    def label(self, number: int, name: str) -> None:
        """As a person who may triage sets it: on the pull request, and in its list of events."""
        own = next(p for p in self.pulls if p["number"] == number)
        own["labels"] = [*own.get("labels", []), {"name": name}]
        event = {"event": "labeled", "label": {"name": name}, "created_at": self.moment()}
        self.events.setdefault(number, []).append(event)

    def moment(self) -> str:
        self.clock += 1
        return f"2026-11-24T{self.clock // 3600:02d}:{self.clock // 60 % 60:02d}:{self.clock % 60:02d}Z"

    # ---- what it answers

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Any:
        self.calls.append(f"{method} {path}")
        if path.startswith("/storage/"):
            return self.content[int(path.rpartition("/")[2])]
        if path == "/hook":
            self.hooks.append(body)
            return {}
        inside = path.removeprefix(f"/repos/{REPOSITORY}").lstrip("/")
        for route, own in ROUTES:
            wanted, _, pattern = route.partition(" ")
            found = re.fullmatch(pattern, inside)
            if wanted == method and found and path.startswith("/repos/"):
                try:
                    return own(self, *found.groups(), query=query, body=body)
                except (KeyError, StopIteration, IndexError):
                    return 404
        return 404

    def _about(self, **_: Any) -> Any:
        return self.repository

    def _run(self, number: str, **_: Any) -> Any:
        return self.runs[int(number)]

    def _runs(self, file: str, query: dict[str, str], **_: Any) -> Any:
        """Runs of a workflow's file, the newest first; `status` also takes a conclusion."""
        wanted = {"event": "event", "branch": "head_branch", "head_sha": "head_sha"}
        found = [
            run for run in sorted(self.runs.values(), key=lambda r: (r["created_at"], r["id"]), reverse=True)
            if run["path"].partition("@")[0] == f".github/workflows/{file}"
            and all(run[key] == query[name] for name, key in wanted.items() if name in query)
            and query.get("status", run["status"]) in (run["status"], run["conclusion"])
        ]  # fmt: skip
        return {"total_count": len(found), "workflow_runs": paged(found, query)}

    def _jobs(self, number: str, query: dict[str, str], **_: Any) -> Any:
        found = self.jobs.get(int(number), [])
        return {"total_count": len(found), "jobs": paged(found, query)}

    def _approvals(self, number: str, **_: Any) -> Any:
        return self.approvals.get(int(number), [])

    def _artifacts(self, number: str, query: dict[str, str], **_: Any) -> Any:
        """With `name`, those of exactly this name."""
        found = [a for a in self.artifacts if a["workflow_run"]["id"] == int(number)]
        found = [a for a in found if query.get("name") in (None, a["name"])]
        return {"total_count": len(found), "artifacts": paged(found, query)}

    def _zip(self, number: str, **_: Any) -> Any:
        """A redirect to where it is kept, valid for a minute. An expired one is 410 Gone."""
        artifact = next(a for a in self.artifacts if a["id"] == int(number))
        if artifact["expired"]:
            return 410
        return Elsewhere(f"{self.url.replace('127.0.0.1', 'localhost')}/storage/{number}")

    def _pulls(self, query: dict[str, str], **_: Any) -> Any:
        """`head` is OWNER:BRANCH."""
        found = [p for p in self.pulls if query.get("state", "open") in ("all", p["state"])]
        if "head" in query:
            found = [p for p in found if f"{p['head']['user']['login']}:{p['head']['ref']}" == query["head"]]
        return paged(found, query)

    def _pull(self, number: str, **_: Any) -> Any:
        return next(p for p in self.pulls if p["number"] == int(number))

    def _files(self, number: str, query: dict[str, str], **_: Any) -> Any:
        return paged(self.files.get(int(number), []), query)

    def _events(self, number: str, query: dict[str, str], **_: Any) -> Any:
        return paged(self.events.get(int(number), []), query)

    def _comments(self, number: str, query: dict[str, str], **_: Any) -> Any:
        """In the order of their creation."""
        return paged(self.comments.get(int(number), []), query)

    def _comment(self, number: str, body: Any, **_: Any) -> Any:
        made = {"id": sum(map(len, self.comments.values())) + 1, "user": BOT, "body": body["body"]}
        self.comments.setdefault(int(number), []).append(made)
        return made

    def _edit(self, number: str, body: Any, **_: Any) -> Any:
        found = next(c for own in self.comments.values() for c in own if c["id"] == int(number))
        found["body"] = body["body"]
        return found

    def _status(self, sha: str, body: Any, **_: Any) -> Any:
        """The newest of a context counts. A description has 140 characters at most, there are four states."""
        if len(body["description"]) > 140 or body["state"] not in ("error", "failure", "pending", "success"):
            return 422
        if not body.get("target_url", "https:").startswith("http"):
            return 422
        self.statuses.setdefault(sha, []).append(body)
        return body

    def _statuses(self, sha: str, **_: Any) -> Any:
        """The newest of each context, and what they come to."""
        newest = {status["context"]: status for status in self.statuses.get(sha, [])}
        return {"state": "pending", "sha": sha, "statuses": list(newest.values())}

    def _issues(self, query: dict[str, str], **_: Any) -> Any:
        """The newest first. Every pull request is an issue, too; `labels` must all be there."""
        wanted = set(filter(None, query.get("labels", "").split(",")))
        found = [i for i in self.issues if query.get("state", "open") in ("all", i["state"])]
        found = [i for i in found if wanted <= {label["name"] for label in i["labels"]}]
        return paged(sorted(found, key=lambda i: -i["number"]), query)

    def _open(self, body: Any, **_: Any) -> Any:
        if len(body["body"]) > 65_536 or len(body["title"]) > 256:
            return 422
        made = {
            "number": 100 + len(self.issues), "state": "open", "state_reason": None, "user": BOT,
            "title": body["title"], "body": body["body"],
            "labels": [{"name": name} for name in body.get("labels", ())],
            "created_at": self.moment(), "closed_by": None,
        }  # fmt: skip
        made["html_url"] = f"https://github.com/{REPOSITORY}/issues/{made['number']}"
        self.issues.append(made)
        return made

    def _change(self, number: str, body: Any, **_: Any) -> Any:
        found = next(i for i in self.issues if i["number"] == int(number))
        found.update(body)
        if body.get("state") == "closed":
            found["closed_by"] = BOT
        return found

    def _commit(self, sha: str, **_: Any) -> Any:
        return self.commits[sha]

    def _between(self, base: str, head: str, **_: Any) -> Any:
        """The commits that `head` has and `base` hasn't, oldest first; 404 for one that isn't there."""
        first, last = self.line.index(base) if base in self.line else -1, self.line.index(head)
        if first < 0:
            return 404
        found = [self.commits[sha] for sha in self.line[first + 1 : last + 1]]
        return {"total_commits": len(found), "commits": found[:250]}

    def _dispatch(self, file: str, body: Any, **_: Any) -> Any:
        self.dispatched.append((file, body))
        return {}


def paged(found: list[Any], query: dict[str, str]) -> list[Any]:
    """30 on a page unless `per_page` says otherwise, 100 at most; pages count from 1."""
    size, page = min(100, int(query.get("per_page", 30))), int(query.get("page", 1))
    return found[(page - 1) * size : page * size]


ROUTES: tuple[tuple[str, Answer], ...] = (
    ("GET ", Hub._about),
    (r"GET actions/runs/(\d+)", Hub._run),
    (r"GET actions/workflows/([^/]+)/runs", Hub._runs),
    (r"GET actions/runs/(\d+)/jobs", Hub._jobs),
    (r"GET actions/runs/(\d+)/approvals", Hub._approvals),
    (r"GET actions/runs/(\d+)/artifacts", Hub._artifacts),
    (r"GET actions/artifacts/(\d+)/zip", Hub._zip),
    (r"GET pulls", Hub._pulls),
    (r"GET pulls/(\d+)", Hub._pull),
    (r"GET pulls/(\d+)/files", Hub._files),
    (r"GET issues/(\d+)/events", Hub._events),
    (r"GET issues/(\d+)/comments", Hub._comments),
    (r"POST issues/(\d+)/comments", Hub._comment),
    (r"PATCH issues/comments/(\d+)", Hub._edit),
    (r"POST statuses/([0-9a-f]{40})", Hub._status),
    (r"GET commits/([0-9a-f]{40})/status", Hub._statuses),
    (r"GET issues", Hub._issues),
    (r"POST issues", Hub._open),
    (r"PATCH issues/(\d+)", Hub._change),
    (r"GET commits/([0-9a-f]{40})", Hub._commit),
    (r"GET compare/([0-9a-f]{40})\.\.\.([0-9a-f]{40})", Hub._between),
    (r"POST actions/workflows/([^/]+)/dispatches", Hub._dispatch),
)


@contextmanager
def hub() -> Iterator[Hub]:
    own = Hub()
    with serving(own):
        yield own

"""The workflows on act: a push of all variants, a pull request, its comparison and its comment.

    PYTHONPATH=scripts/src:scripts .telar/venv-requirements-dev/bin/python scripts/measure/on_act.py FOLDER \\
        --act ACT --action actions/checkout=CLONE --action benchmark-action/github-action-benchmark=CLONE

ACT is the program (https://github.com/nektos/act), each CLONE a bare clone of that action. FOLDER gets a
private repository with this checkout's HEAD, act's logs, and what was sent to GitHub. Stand-ins, all of them:

* GitHub: tests/github/hub.py answers its API, tests/github/githttp.py serves the repository.
* actions/upload-artifact and download-artifact: two scripts that copy to a folder and from it.
* The suites warm up with 20,000 requests, and the gate `warm` lets that pass: this is about the pipeline.
* Two jobs that measure run one after the other (`max-parallel: 1`), since both are on this machine.

The machine has to be a runner (scripts/runner), with images that `telar images --from debian` built.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
from tests.github import githttp
from tests.github.double import serving
from tests.github.hub import REPOSITORY, Hub
from tests.github.test_artifact import packed

from telar.plan.cells import Plan
from telar.store.points import Point
from telar.store.published import Published
from telar.tools.components.base import home

ROOT = Path(__file__).resolve().parents[2]
LARGE = 10_000_000  # bytes: of a bundle the stand-in for the API knows that it is there
PUSHED, BUILT, COMPARED = 101, 102, 103  # runs of workflows
APP = "apps/movies/spring-mysql-blocking/src/main/java/dev/telar/movies/MovieController.java"
READS, SLOWER = (
    "    MovieJson find(@PathVariable String id) {\n",
    """\
        long end = System.nanoTime() + 5_000_000;
        while (System.nanoTime() < end) {
            java.util.concurrent.locks.LockSupport.parkNanos(end - System.nanoTime());
        }
""",
)
UPLOAD = """
name: upload
description: copies to a folder
inputs:
  {name: {}, path: {}, retention-days: {}, compression-level: {}, if-no-files-found: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {NAME: "${{ inputs.name }}", FROM: "${{ inputs.path }}"}
      run: |
        to="$ACT_ARTIFACTS/$GITHUB_RUN_ID/$NAME"; mkdir -p "$to"
        if [ -d "$FROM" ]; then cp -r "$FROM/." "$to"; else cp "$FROM" "$to"; fi
"""
DOWNLOAD = """
name: download
description: copies from a folder
inputs:
  {name: {}, pattern: {}, path: {default: .}, merge-multiple: {}, run-id: {}, github-token: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env:
        NAME: ${{ inputs.name || inputs.pattern }}
        TO: ${{ inputs.path }}
        RUN: ${{ inputs.run-id }}
      run: |
        mkdir -p "$TO"
        for from in "$ACT_ARTIFACTS/${RUN:-$GITHUB_RUN_ID}"/$NAME; do cp -r "$from/." "$TO"; done
"""
ABSENT = """
name: absent
description: an action that isn't needed, which act wants to have all the same
runs:
  using: composite
  steps: [{shell: bash, run: "echo this action was to be left out; exit 1"}]
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--act", type=Path, required=True)
    parser.add_argument("--action", action="append", default=[], metavar="OWNER/NAME=CLONE")
    parser.add_argument("--only", choices=("push", "pull-request"))
    parser.add_argument("--runners", default="2", help="how many jobs the push is split into (2)")
    parser.add_argument("--variants", default="", help="of the push, e.g. 'spring-mysql-*' (all fourteen)")
    said = parser.parse_args()
    folder: Path = said.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    artifacts = folder / "artifacts"
    with githttp.serving(folder / "served") as server, serving(github := GitHub(artifacts)):
        github.repository["private"] = True  # nothing is attested: GitHub would have to sign
        work = _repository(folder, server.url)
        act = Act(folder, said.act.resolve(), server.url, github, dict(a.split("=", 1) for a in said.action))
        if said.only != "pull-request":
            _push(act, work, github, TELAR_VARIANTS=said.variants, TELAR_RUNNERS=said.runners)
        if said.only != "push":
            _pull_request(act, work, github)
        (folder / "github.json").write_text(json.dumps(
            {"calls": github.calls, "statuses": github.statuses, "comments": github.comments}, indent=1
        ), encoding="utf-8")  # fmt: skip


class GitHub(Hub):
    """It has the small artifacts that workflows left, as soon as they are asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Any:
        there = {(a["workflow_run"]["id"], a["name"]) for a in self.artifacts}
        for own in self.folder.glob("*/*"):
            files = list(own.iterdir())
            key = (int(own.parent.name), own.name)
            if key not in there and len(files) == 1 and files[0].is_file():
                content = files[0].read_bytes() if files[0].stat().st_size < LARGE else b""
                self.artifact(*key, packed(content, files[0].name))
        return super().answer(method, path, query, body)


class Act:
    def __init__(self, folder: Path, program: Path, served: str, github: Hub, clones: dict[str, str]) -> None:
        self.folder, self.program, self.served, self.github = folder, program, served, github
        self.artifacts = folder / "artifacts"
        self.actions = _actions(folder, clones)
        # github-action-benchmark knows no server without https.
        own = served.replace("://", "://x-access-token:secret@")
        configuration = f'[url "{own}/"]\n\tinsteadOf = https://x-access-token:secret@127.0.0.1/\n'
        (folder / "gitconfig").write_text(configuration + "[safe]\n\tdirectory = *\n", encoding="utf-8")

    def __call__(self, event: str, file: str, run: int, payload: dict[str, Any], **variables: str) -> None:
        """Runs a workflow to its end; ends this program where a job of it failed."""
        given = self.folder / f"{event}.json"
        payload = {"repository": {
            "full_name": REPOSITORY, "fork": False, "private": True, "default_branch": "main",
            "html_url": f"https://127.0.0.1/{REPOSITORY}", "name": REPOSITORY.split("/")[1],
            "owner": {"login": REPOSITORY.split("/", maxsplit=1)[0]},
        }, **payload}  # fmt: skip
        given.write_text(json.dumps(payload), encoding="utf-8")
        environment = {
            "GITHUB_API_URL": self.github.url, "GITHUB_SERVER_URL": self.served, "GITHUB_RUN_ID": str(run),
            "ACT_ARTIFACTS": str(self.artifacts), "GIT_CONFIG_GLOBAL": str(self.folder / "gitconfig"),
            "TELAR_IMAGES_FROM": "debian", "GIT_TERMINAL_PROMPT": "0", "GITHUB_REPOSITORY": REPOSITORY,
            "TELAR_VENVS": str(self.folder / "venvs"), "TELAR_CACHE": str(home()),
        }  # fmt: skip
        command = [
            str(self.program), event, "-W", f".github/workflows/{file}", "-e", str(given), "--rm",
            "-s", "GITHUB_TOKEN=secret", "--pull=false", "--no-cache-server",
            *(f"--platform={label}=-self-hosted" for label in ("ubuntu-latest", "self-hosted", "telar")),
            *(f"--local-repository={name}={path}" for name, path in self.actions.items()),
            *(f"--env={name}={value}" for name, value in environment.items()),
            *(f"--var={name}={value}" for name, value in variables.items()),
        ]  # fmt: skip
        started = time.monotonic()
        with (self.folder / f"{event}.log").open("w", encoding="utf-8") as log:
            done = subprocess.run(command, cwd=self.folder / "work", stdout=log, stderr=subprocess.STDOUT,
                                  env=os.environ | environment | {"XDG_CACHE_HOME": f"{self.folder}/cache"},
                                  check=False)  # fmt: skip
        print(
            f"{event} {file}: ended with {done.returncode} after {time.monotonic() - started:.0f} s",
            flush=True,
        )
        for line in Path(log.name).read_text(encoding="utf-8").splitlines():
            if re.search(r"🏁|❌", line):
                print(f"  {line}")
        if done.returncode:
            sys.exit(1)


def _actions(folder: Path, clones: dict[str, str]) -> dict[str, str]:
    """Each action as the workflows pin it -> a folder with it."""
    files = (ROOT / ".github" / "workflows").glob("*.yml")
    pinned = {found for file in files for found in re.findall(r"uses: (\S+@[0-9a-f]{40})", file.read_text())}
    found = {}
    for name in pinned:
        path = folder / "actions" / name.replace("/", "+")
        repository, _, commit = name.partition("@")
        own = {"actions/upload-artifact": UPLOAD, "actions/download-artifact": DOWNLOAD}.get(repository)
        if own is None and repository not in clones:
            own = ABSENT
        if not path.exists():
            path.mkdir(parents=True)
            if own:
                (path / "action.yml").write_text(own, encoding="utf-8")
            else:
                archive = subprocess.run(["git", "-C", clones[repository], "archive", commit], check=True,
                                         capture_output=True).stdout  # fmt: skip
                subprocess.run(["tar", "-x", "-C", str(path)], input=archive, check=True)
        found[name] = str(path)
    return found


def git(folder: Path, *words: str) -> str:
    own = (
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@localhost",
        "-c",
        "http.extraHeader=Authorization: " + githttp.WANTED,
    )
    done = subprocess.run(
        ["git", "-C", str(folder), *own, *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def _repository(folder: Path, served: str) -> Path:
    """A checkout of main whose origin is served; its pull request 5 waits 5 ms longer in one endpoint."""
    bare, work = folder / "served" / f"{REPOSITORY}.git", folder / "work"
    if work.exists():
        git(work, "remote", "set-url", "origin", f"{served}/{REPOSITORY}.git")
        return work
    bare.mkdir(parents=True)
    git(bare, "init", "--quiet", "--bare", "--initial-branch=main")
    git(bare, "config", "http.receivepack", "true")
    git(bare, "config", "uploadpack.allowFilter", "true")
    git(folder, "clone", "--quiet", "--no-local", str(ROOT), str(work))
    git(work, "checkout", "--quiet", "-B", "main")
    file = work / "telar.toml"
    text = re.sub(r'(warmup = \{ workload = "movies-constant", rate = \d+)[^}]*\}', r"\1, requests = 20000 }",
                  file.read_text(encoding="utf-8"))  # fmt: skip
    text = text.replace("[gate.warm]\ncompiling = ", "[gate.warm]\ncompiling = 0.9 # ")
    file.write_text(text, encoding="utf-8")
    bench = work / ".github" / "workflows" / "bench.yml"
    once = bench.read_text(encoding="utf-8").replace("fail-fast: false", "max-parallel: 1 #")
    bench.write_text(once, encoding="utf-8")
    git(work, "commit", "--quiet", "-am", "Short warm-ups")
    git(work, "remote", "set-url", "origin", f"{served}/{REPOSITORY}.git")
    git(work, "checkout", "--quiet", "-b", "slower")
    text = (work / APP).read_text(encoding="utf-8")
    assert READS in text
    (work / APP).write_text(text.replace(READS, READS + SLOWER), encoding="utf-8")
    git(work, "commit", "--quiet", "-am", "Slower")
    git(work, "push", "--quiet", str(bare), "main", "slower:refs/pull/5/head")
    git(work, "checkout", "--quiet", "main")
    return work


def _push(act: Act, work: Path, github: Hub, **variables: str) -> None:
    commit = git(work, "rev-parse", "main")
    github.run(PUSHED, path=".github/workflows/bench.yml", head_sha=commit, status="in_progress")
    person = {"name": "t", "email": "t@localhost", "username": "t"}
    of_head = {
        "id": commit, "message": "Short warm-ups", "timestamp": git(work, "log", "-1", "--format=%cI"),
        "url": f"https://127.0.0.1/{REPOSITORY}/commit/{commit}", "author": person, "committer": person,
    }  # fmt: skip
    event = {"ref": "refs/heads/main", "after": commit, "head_commit": of_head}
    act("push", "bench.yml", PUSHED, event, **variables)
    git(work, "fetch", "--quiet", "origin", "gh-pages")
    _published(act.folder, work)


def _published(folder: Path, work: Path) -> None:
    """What the branch has: each run of the jobs' plans once, and the charts of github-action-benchmark."""
    branch = folder / "branch"
    git(work, "worktree", "add", "--force", "--detach", str(branch), "FETCH_HEAD")
    store = Published(branch)
    points: list[Point] = [p for month in store.months for p in store.points(month)]
    plans = [
        msgspec.json.decode(file.read_bytes(), type=Plan)
        for file in sorted((folder / "artifacts" / str(PUSHED) / "plans").glob("job-*.json"))
    ]
    planned = sorted(run.cell.label for plan in plans for run in plan.runs)
    found = Counter((p.series, p.metric) for p in points)
    series = {p.series for p in points}
    print(f"jobs of {', '.join(str(len(plan.runs)) for plan in plans)} runs; {len(series)} series,")
    print(f"{len(points)} points, {sum(n > 1 for n in found.values())} of them twice; validity: "
          + ", ".join(f"{n} {word}" for word, n in Counter(p.validity for p in points).items()))  # fmt: skip
    missing = [label for label in planned if not any(label in name for name in series)]
    charts = (branch / "dev" / "bench" / "data.js").stat().st_size
    print(f"planned and not there: {', '.join(missing) or 'none'}; dev/bench/data.js: {charts:,} bytes")


def _pull_request(act: Act, work: Path, github: Hub) -> None:
    base, head = git(work, "rev-parse", "main"), git(work, "rev-parse", "slower")
    pull = {
        "number": 5, "state": "open", "labels": [], "body": None, "title": "Slower",
        "base": {"sha": base, "ref": "main"},
        "head": {"sha": head, "ref": "slower", "user": {"login": "stranger"}},
    }  # fmt: skip
    github.pulls.append(pull)
    built = {
        "path": ".github/workflows/bench-pr.yml", "event": "pull_request", "head_sha": head,
        "head_branch": "slower", "head_repository": {"full_name": "stranger/shop"}, "display_title": "Slower",
    }  # fmt: skip
    github.run(BUILT, **built)
    act("pull_request", "bench-pr.yml", BUILT, {"number": 5, "pull_request": pull})
    github.run(COMPARED, path=".github/workflows/bench-compare.yml@refs/heads/main", event="workflow_run",
               display_title=f"compare run {BUILT} at {head}", head_sha=base)  # fmt: skip
    for name in ("subject", "base"):
        github.job(COMPARED, name)
    github.job(COMPARED, "compare", labels=["self-hosted", "telar"], runner_group_name="Default")
    github.approve(COMPARED)
    act("workflow_run", "bench-compare.yml", COMPARED, {"workflow_run": {"id": BUILT, **built}},
        TELAR_BUDGET="5m")  # fmt: skip
    for status in github.statuses[head]:
        print(f"  {status['context']}: {status['state']}: {status['description']}")
    print(github.comments[5][0]["body"])


if __name__ == "__main__":
    main()

"""bench-compare.yml and its neighbours: their steps as they are written, on a private repository."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from ..publish.test_verdict import STILL, compared, comparison
from . import githttp, steps
from .githttp import Server
from .hub import REPOSITORY, Hub, hub
from .test_artifact import packed
from .test_pull_request import BUILT, COMPARED, build, compare

pytestmark = pytest.mark.thorough

NO_PROMPT = {"GIT_TERMINAL_PROMPT": "0"}


def git(folder: Path, *words: str) -> str:
    own = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    done = subprocess.run(["git", "-C", folder, *own, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with githttp.serving(tmp_path / "served") as own:
        yield own


@pytest.fixture
def work(checkout: Path, tmp_path: Path, server: Server) -> Path:
    """Main's checkout, of a private repository with a pull request 5 that changes an app."""
    bare = tmp_path / "served" / f"{REPOSITORY}.git"
    bare.parent.mkdir(parents=True)
    git(tmp_path, "init", "--quiet", "--bare", str(bare))
    git(bare, "config", "http.receivepack", "true")
    git(bare, "config", "uploadpack.allowFilter", "true")
    git(checkout, "init", "--quiet", "--initial-branch=main")
    (checkout / "apps").unlink()  # a link: git would put a folder in its place
    shutil.copytree(steps.ROOT / "apps", checkout / "apps", ignore=shutil.ignore_patterns("target"))
    git(checkout, "add", "telar.toml", "apps")
    git(checkout, "commit", "--quiet", "-m", "base")
    git(checkout, "checkout", "--quiet", "-b", "change")
    made = subprocess.run(["git", "-C", checkout, "hash-object", "-w", "--stdin"], input=b"x", check=True,
                          capture_output=True).stdout.decode().strip()  # fmt: skip
    path = "apps/movies/spring-mysql-blocking/A.java"
    git(checkout, "update-index", "--add", "--cacheinfo", f"100644,{made},{path}")
    git(checkout, "commit", "--quiet", "-m", "slower")
    git(checkout, "push", "--quiet", str(bare), "main", "change:refs/pull/5/head")
    git(checkout, "checkout", "--quiet", "-f", "main")
    git(checkout, "branch", "--quiet", "-D", "change")
    git(checkout, "remote", "add", "origin", f"{server.url}/{REPOSITORY}.git")
    steps.launcher(checkout)
    return checkout


@pytest.fixture
def github(work: Path, tmp_path: Path) -> Iterator[Hub]:
    head = git(tmp_path / "served" / f"{REPOSITORY}.git", "rev-parse", "refs/pull/5/head")
    with hub() as own:
        user = {"login": "stranger"}
        own.pulls.append({"number": 5, "state": "open", "labels": [], "body": None,
                          "head": {"sha": head, "ref": "faster", "user": user}})  # fmt: skip
        build(own, head_sha=head)
        compare(own, display_title=f"compare run {BUILT} at {head}")
        own.repository["private"] = True
        yield own


@pytest.fixture
def env(github: Hub, server: Server, tmp_path: Path) -> dict[str, str]:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"workflow_run": {"id": BUILT}}))
    return {
        "GITHUB_EVENT_PATH": str(event), "GITHUB_REPOSITORY": REPOSITORY, "GITHUB_API_URL": github.url,
        "GITHUB_SERVER_URL": server.url, "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_RUN_ID": str(COMPARED), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), **NO_PROMPT,
    }  # fmt: skip


VALUES = {
    "github.token": "secret", "github.server_url": "https://github.com", "github.repository": REPOSITORY,
    "github.run_id": str(COMPARED), "needs.subject.outputs.number": "5",
    "github.event.pull_request.number || inputs.pull_request": "5",
    "inputs.suite || 'pull-request'": "pull-request",
}  # fmt: skip


def outputs(env: dict[str, str]) -> dict[str, str]:
    lines = Path(env["GITHUB_OUTPUT"]).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_the_subject_is_what_github_and_git_say(work: Path, github: Hub, env: dict[str, str]) -> None:
    done = steps.run("bench-compare.yml", "subject", "workflow subject", work, VALUES, **env)
    assert done.returncode == 0, done.stderr
    head = github.pulls[0]["head"]["sha"]
    assert outputs(env) == {
        "number": "5", "base": git(work, "rev-parse", "main"), "head": head, "suite": "pull-request",
        "variants": "spring-mysql-blocking-virtual", "drivers": "", "factors": "",
    }  # fmt: skip
    (status,) = github.statuses[head]
    assert (status["state"], status["target_url"].rpartition("/")[2]) == ("pending", str(COMPARED))
    assert "approval" in status["description"]


def test_a_build_that_failed_is_compared_with_nothing(work: Path, github: Hub, env: dict[str, str]) -> None:
    github.runs[BUILT]["conclusion"] = "failure"
    steps.run("bench-compare.yml", "subject", "workflow subject", work, VALUES, **env)
    assert (outputs(env)["number"], outputs(env)["variants"]) == ("5", "")
    assert github.statuses == {}
    done = steps.run("bench-compare.yml", "comment", "./telar comment", work, VALUES, **env)
    assert "pull request 5: error" in done.stdout + done.stderr


def test_a_pull_request_that_moved_on_meanwhile_asks_for_nothing(
    work: Path, github: Hub, env: dict[str, str]
) -> None:
    other = "c" * 40
    github.pulls[0]["head"]["sha"] = github.runs[BUILT]["head_sha"] = other
    done = steps.run("bench-compare.yml", "subject", "workflow subject", work, VALUES, **env)
    assert "moved on" in done.stdout + done.stderr
    assert not Path(env["GITHUB_OUTPUT"]).exists()


@pytest.mark.parametrize(("file", "job"), [("bench-pr.yml", "build"), ("bench-compare.yml", "compare")])
def test_a_private_repositorys_commits_are_fetched_with_the_token(
    work: Path, github: Hub, env: dict[str, str], file: str, job: str
) -> None:
    values = {**VALUES, "vars.TELAR_BUDGET || '15m'": "15m", **NEEDS}
    done = steps.run(file, job, "workflow fetch", work, values, **env)
    assert done.returncode == 0, done.stderr
    assert git(work, "rev-parse", "refs/telar/head") == github.pulls[0]["head"]["sha"]
    assert "secret" not in (work / ".git" / "config").read_text()
    without = steps.run(file, job, "workflow fetch", work, {**values, "github.token": ""}, **env)
    assert without.returncode == 2
    assert "private repository needs GITHUB_TOKEN" in without.stderr


EACH = "steps.alone.outcome == 'success' && '5m' || ''"
NEEDS = {
    "needs.subject.outputs.suite": "pull-request", "needs.subject.outputs.base": "b" * 40,
    "needs.subject.outputs.head": "c" * 40, "needs.subject.outputs.variants": "one,two",
    "needs.subject.outputs.drivers": "mysql=9.9.9", "vars.TELAR_BUDGET || '15m'": "15m",
    "steps.alone.outcome": "skipped", EACH: "",
}  # fmt: skip


def bundles(folder: Path, base: bytes = b"base") -> dict[str, str]:
    for side, content in (("base", base), ("head", b"head")):
        (folder / side).mkdir()
        (folder / side / f"{side}.tar").write_bytes(content)
    (folder / "head" / "base.tar").write_bytes(b"a head's build that adds the other side, too")
    return {**NEEDS, "needs.base.outputs.digest": f"{hashlib.sha256(b'base').hexdigest()}  -"}


def test_both_sides_are_taken_each_from_its_own_place(tmp_path: Path) -> None:
    notes = steps.pretender(tmp_path, "true")
    done = steps.run("bench-compare.yml", "compare", "Take both sides", tmp_path, bundles(tmp_path))
    assert done.returncode == 0, done.stderr
    assert notes.read_text().splitlines() == [
        f"build pull-request --only one,two --revision {'b' * 40} --load base/base.tar",
        f"build pull-request --only one,two --revision {'c' * 40} --driver mysql=9.9.9 --load head/head.tar",
    ]


def test_what_each_bumped_version_is_alone_is_taken_and_asked_where_it_was_built(tmp_path: Path) -> None:
    notes = steps.pretender(tmp_path, "echo said > verdict.md")
    values = {**bundles(tmp_path), "steps.alone.outcome": "success", EACH: "5m"}
    assert steps.run("bench-compare.yml", "compare", "Take both sides", tmp_path, values).returncode == 0
    sides = f"--base {'b' * 40} --head {'c' * 40} --head driver=mysql=9.9.9"
    assert notes.read_text().splitlines()[2] == (
        f"build pull-request --only one,two {sides} --load alone/alone.tar"
    )
    done = steps.run("bench-compare.yml", "compare", "./telar ab", tmp_path, values,
                     GITHUB_STEP_SUMMARY=str(tmp_path / "summary"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"ab pull-request --only one,two {sides} --engine compose --attribute 5m" in notes.read_text()


def test_each_bumped_version_alone_is_built_by_the_pull_requests_run(tmp_path: Path) -> None:
    notes = steps.pretender(tmp_path, "true")
    own = {f"steps.changed.outputs.{name}": value for name, value in
           (("base", "b" * 40), ("head", "c" * 40), ("variants", "one,two"), ("drivers", ""))}  # fmt: skip
    done = steps.run("bench-pr.yml", "build", "by itself", tmp_path, {**VALUES, **own})
    assert done.returncode == 0, done.stderr
    assert notes.read_text().strip() == (
        f"build pull-request --only one,two --base {'b' * 40} --head {'c' * 40} --save alone.tar"
    )


def test_a_base_that_its_job_did_not_build_is_not_taken(tmp_path: Path) -> None:
    notes = steps.pretender(tmp_path, "true")
    values = bundles(tmp_path, base=b"slower")
    done = steps.run("bench-compare.yml", "compare", "Take both sides", tmp_path, values)
    assert done.returncode == 1
    assert not notes.exists()


def test_the_digest_of_the_base_is_what_is_compared_with(tmp_path: Path) -> None:
    steps.pretender(tmp_path, "printf base > base.tar")
    output = tmp_path / "output"
    done = steps.run(
        "bench-compare.yml", "base", "Build main's side", tmp_path, NEEDS, GITHUB_OUTPUT=str(output)
    )
    assert done.returncode == 0, done.stderr
    assert output.read_text() == f"digest={hashlib.sha256(b'base').hexdigest()}  -\n"


def test_the_head_is_built_as_a_commit(tmp_path: Path) -> None:
    notes = steps.pretender(tmp_path, "true")
    own = {f"steps.changed.outputs.{name}": value for name, value in
           (("head", "c" * 40), ("variants", "one,two"), ("drivers", ""))}  # fmt: skip
    done = steps.run("bench-pr.yml", "build", "Build this side", tmp_path, {**VALUES, **own})
    assert done.returncode == 0, done.stderr
    assert notes.read_text().strip() == (
        f"build pull-request --only one,two --revision {'c' * 40} --save head.tar"
    )


def test_what_changed_is_said_to_the_steps_that_build(work: Path, github: Hub, env: dict[str, str]) -> None:
    assert steps.run("bench-pr.yml", "build", "workflow fetch", work, VALUES, **env).returncode == 0
    done = steps.run("bench-pr.yml", "build", "workflow changed", work, VALUES, **env)
    assert done.returncode == 0, done.stderr
    found = outputs(env)
    assert (found["head"], found["variants"]) == (
        github.pulls[0]["head"]["sha"],
        "spring-mysql-blocking-virtual",
    )


@pytest.mark.parametrize(("code", "ends"), [(0, 0), (8, 0), (5, 1)])
def test_what_an_app_prints_is_no_command_to_the_runner(tmp_path: Path, code: int, ends: int) -> None:
    steps.pretender(tmp_path, f'echo "::add-mask::evil"; echo said > verdict.md; exit {code}')
    summary = tmp_path / "summary"
    done = steps.run("bench-compare.yml", "compare", "./telar ab", tmp_path, NEEDS,
                     GITHUB_STEP_SUMMARY=str(summary))  # fmt: skip
    assert (done.returncode != 0) == (ends != 0)
    first, inside, last = done.stdout.splitlines()
    assert first.startswith("::stop-commands::")
    assert inside == "::add-mask::evil"
    assert last == f"::{first.removeprefix('::stop-commands::')}::"
    assert summary.exists() == (ends == 0)


def test_the_comment_is_written_by_the_run_that_compared(
    work: Path, github: Hub, env: dict[str, str]
) -> None:
    found = comparison(compared(STILL))
    head = github.pulls[0]["head"]["sha"]
    own = msgspec.structs.replace(found, occasion=msgspec.structs.replace(found.occasion, head_commit=head))
    github.artifact(COMPARED, "telar-verdict", packed(msgspec.json.encode(own)))
    done = steps.run("bench-compare.yml", "comment", "./telar comment", work, VALUES, **env)
    assert "pull request 5: success" in done.stdout + done.stderr
    values = {**VALUES, "vars.TELAR_RUNNER_GROUP": "another group"}
    done = steps.run("bench-compare.yml", "comment", "./telar comment", work, values, **env)
    assert "pull request 5: error" in done.stdout + done.stderr


def test_a_label_has_the_comment_written_again(work: Path, github: Hub, env: dict[str, str]) -> None:
    head = github.pulls[0]["head"]["sha"]
    Path(env["GITHUB_EVENT_PATH"]).write_text(json.dumps({"pull_request": {"head": {"sha": head}}}))
    own = {**env, "GITHUB_RUN_ID": "99999"}
    done = steps.run("bench-comment.yml", "comment", "./telar comment", work, VALUES, **own)
    assert "pull request 5: error" in done.stdout + done.stderr  # there is a comparison, without a verdict
    github.runs.pop(COMPARED)
    done = steps.run("bench-comment.yml", "comment", "./telar comment", work, VALUES, **own)
    assert "nothing to say" in done.stdout + done.stderr


def test_a_comparison_that_waits_says_so(work: Path, github: Hub, env: dict[str, str]) -> None:
    github.runs[COMPARED] |= {"status": "waiting", "conclusion": None}
    for job in github.jobs[COMPARED]:
        job.update(status="waiting", conclusion=None)
    done = steps.run("waiting.yml", "say", "workflow waiting", work, VALUES, **env)
    assert done.returncode == 0, done.stderr
    (status,) = github.statuses[github.pulls[0]["head"]["sha"]]
    assert "waits for a maintainer's approval" in status["description"]


def test_a_merge_queues_commit_has_the_status_that_is_required(
    work: Path, github: Hub, env: dict[str, str]
) -> None:
    Path(env["GITHUB_EVENT_PATH"]).write_text(json.dumps({"merge_group": {"head_sha": "d" * 40}}))
    done = steps.run("bench-merge.yml", "merge", "workflow merge", work, VALUES, **env)
    assert done.returncode == 0, done.stderr
    assert [s["state"] for s in github.statuses["d" * 40]] == ["success"]


def test_nothing_of_a_pull_request_decides_where_it_runs() -> None:
    """bench-pr.yml is the pull request's own copy: it has no machine of ours, no secret and no right to
    write.
    """
    own = steps.workflow("bench-pr.yml")
    assert own["permissions"] == {}
    for job in own["jobs"].values():
        assert job["runs-on"] == "ubuntu-latest"
        assert job["permissions"] == {"contents": "read"}
        assert "environment" not in job
    other = steps.workflow("bench-compare.yml")
    (triggers,) = (value for key, value in other.items() if str(key) == "True")  # YAML 1.1 takes `on` for it
    assert list(triggers) == ["workflow_run"]
    assert other["jobs"]["compare"]["environment"] == "benchmark"
    assert all("write" not in str(other["jobs"][name]["permissions"]) for name in ("base", "compare"))
    signing = [n for n, job in other["jobs"].items() if "id-token" in job.get("permissions", {})]
    assert signing == ["attest"]  # which runs no code of anybody's
    assert all("uses" in step for step in other["jobs"]["attest"]["steps"])
    assert other["jobs"]["attest"]["runs-on"] == "ubuntu-latest"


def test_each_artifact_is_taken_by_its_exact_name() -> None:
    for name in ("bench-compare.yml", "guest-compare.yml", "guest.yml"):
        for job in steps.workflow(name)["jobs"].values():
            for each in job["steps"]:
                if "download-artifact" in each.get("uses", ""):
                    assert "name" in each["with"], (name, each)
                    assert "pattern" not in each["with"]

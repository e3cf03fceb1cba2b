"""Publishers that GitHub cancels while they wait: the next one publishes what they left."""

from __future__ import annotations

import io
import subprocess
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from telar.store.files import Session
from telar.store.published import Published

from ..cli.conftest import Telar
from ..store.records import CELL, plan, record
from . import steps
from .concurrency import Groups
from .hub import REPOSITORY, Hub, hub

pytestmark = pytest.mark.thorough

START = 1_795_000_000.0


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with hub() as own:
        monkeypatch.setenv("GITHUB_REPOSITORY", REPOSITORY)
        monkeypatch.setenv("GITHUB_TOKEN", "secret")
        monkeypatch.setenv("GITHUB_API_URL", own.url)
        yield own


@pytest.fixture
def remote(tmp_path: Path) -> str:
    folder = tmp_path / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", folder], check=True)
    subprocess.run(["git", "-C", folder, "config", "uploadpack.allowFilter", "true"], check=True)
    return f"file://{folder}"


def measured(folder: Path, number: int) -> Session:
    """A session of one run, as a job of the machine leaves it."""
    moment = START + 600 * number
    name = time.strftime("%Y%m%d-%H%M%S-smoke", time.gmtime(moment))
    session = Session.create(folder / name, plan(CELL))
    own = record(
        session=name, position=1, repetition=1, validity="valid", started=moment, finished=moment + 60
    )
    session.add(session.plan.runs[0].name, own)
    return session


def zipped(folder: Path) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            archive.write(path, str(path.relative_to(folder)))
    return out.getvalue()


def ran(own: Hub, folder: Path, number: int) -> str:
    """A run of bench.yml whose machine is done: its sessions are uploaded, its job `publish` isn't queued
    yet.
    """
    own.run(number, path=".github/workflows/bench.yml", status="in_progress", conclusion=None,
            created_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))  # fmt: skip
    session = measured(folder / f"run-{number}", number)
    own.artifact(number, "sessions-1", zipped(folder / f"run-{number}"))
    own.artifact(number, "bundle", b"not of sessions")
    return session.id


def ended(own: Hub, number: int) -> None:
    """A run ends as its job `publish` did."""
    conclusion = own.jobs[number][0]["conclusion"]
    own.runs[number] |= {"status": "completed", "conclusion": conclusion}


def history(remote: str, folder: Path) -> list[str]:
    subprocess.run(["git", "clone", "--quiet", "--branch=gh-pages", remote, folder], check=True)
    assert (folder / ".nojekyll").exists()
    return published(folder)


def published(folder: Path) -> list[str]:
    store = Published(folder)
    return [row.id for month in store.months for row in store.sessions(month)]


def test_three_publishers_at_once_lose_nothing_by_githubs_own_rule(
    github: Hub, telar: Telar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = steps.step("bench.yml", "publish", "onto gh-pages")["run"].split()
    group = steps.workflow("bench.yml")["jobs"]["publish"]["concurrency"]["group"]
    assert (command[:2], "--catch-up" in command) == (["./telar", "publish"], True)
    groups, names, cancelled = Groups(), list[str](), 0
    for turn in range(20):
        numbers = [1000 + 3 * turn + n for n in range(3)]
        for number in numbers:
            names.append(ran(github, tmp_path, number))
            job = github.job(number, "publish", conclusion=None, id=number)
            if gone := groups.queue(group, job):
                cancelled += 1
                ended(github, gone["id"])
        running = groups.running[group]
        while running:
            number = running["id"]
            monkeypatch.setenv("GITHUB_RUN_ID", str(number))
            more = [word for word in command[1:] if word != "--pages"]
            said = telar(*more, "--data", tmp_path / f"run-{number}", "--to", tmp_path / "public")
            assert said.code == 0, said.err
            following = groups.end(group)
            ended(github, number)
            if following is None:
                break
            running = following
    assert cancelled == 20  # each of them would be lost without catching up
    assert sorted(published(tmp_path / "public")) == sorted(names)


def test_what_is_left_is_only_mains_own(github: Hub, remote: str, telar: Telar, tmp_path: Path) -> None:
    done = {"status": "completed", "conclusion": "failure"}
    ids = {number: ran(github, tmp_path, number) for number in range(1, 8)}
    for number in ids:
        github.runs[number] |= done
    github.runs[2] |= {"head_branch": "feature"}
    github.runs[3] |= {"head_repository": {"full_name": "stranger/shop"}}
    github.runs[4] |= {"event": "pull_request"}
    github.runs[5] |= {"created_at": "2020-01-01T00:00:00Z"}
    github.runs[6] |= {"status": "in_progress", "conclusion": None}  # its turn may come
    github.job(7, "publish")  # it was done; something else failed
    said = telar("publish", "--all", "--catch-up", "--data", tmp_path / "nothing", "--remote", remote)
    assert said.code == 0, said.err
    assert history(remote, tmp_path / "seen") == [ids[1]]


def test_a_spoilt_artifact_is_said_and_holds_up_no_other(
    github: Hub, remote: str, telar: Telar, tmp_path: Path
) -> None:
    ids = {number: ran(github, tmp_path, number) for number in (1, 2, 3)}
    for number in ids:
        github.runs[number] |= {"status": "completed", "conclusion": "cancelled"}
    spoilt = [a for a in github.artifacts if a["name"] == "sessions-1"]
    github.content[spoilt[0]["id"]] = b"no zip file"
    (file,) = (tmp_path / "run-2").rglob("records/*.json")
    file.write_text(file.read_text()[:-20])
    github.content[spoilt[1]["id"]] = zipped(tmp_path / "run-2")
    said = telar("publish", "--all", "--catch-up", "--data", tmp_path / "nothing", "--remote", remote)
    assert said.code == 0
    assert "sessions-1 of run 1 isn't published" in said.out
    assert f"the session {ids[2]} of an earlier run isn't published" in said.out
    assert history(remote, tmp_path / "seen") == [ids[3]]

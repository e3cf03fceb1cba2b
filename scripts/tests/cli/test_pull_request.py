"""The commands of bench-pr.yml and bench-compare.yml, as they stand there: whatever a pull request changes is
what is compared.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from telar.build import artifacts, bake, bundle, maven, sources
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.errors import RunError
from telar.plan.cells import Cell, Plan
from telar.run import session as sessions
from telar.store.files import Session

from .conftest import ROOT, Telar

CATALOG = load(ROOT)
WORKFLOWS = ROOT / ".github" / "workflows"
SUITE = ["quarkus-mysql-blocking-virtual", "spring-mysql-blocking-virtual"]
RECORDER = """#!/bin/bash
# Stands where the workflow calls ./telar: keeps what it was called with.
printf '%s\\0' "$@" >> calls
printf '\\1\\0' >> calls
"""


def resource(app: str) -> str:
    return f"apps/movies/{app}/src/main/resources/application.properties"


class Change(NamedTuple):
    """Of a pull request."""

    appended: tuple[str, ...]  # files that get a line more
    variants: list[str]  # that have to be compared
    drivers: Mapping[str, str] = {}  # whose default it moves, and to what
    suite: str = ""


APPS = {app.name: app for app in (v.app for v in CATALOG.variants.values())}
# The suite's launch of an app, else the last, which is the one on virtual threads where there is one.
COMPARED = {name: f"{name}-{list(app.file.launch)[-1]}" for name, app in APPS.items()}
MONGO = sorted(COMPARED[name] for name, app in APPS.items() if "mongodb" in app.file.drivers)
CHANGES = {
    **{name: Change((resource(name),), [COMPARED[name]]) for name in APPS},
    "an app of the suite and one that isn't in it": Change(
        (resource("spring-mysql-blocking"), resource("spring-mongodb-nonblocking")),
        [COMPARED["spring-mongodb-nonblocking"], COMPARED["spring-mysql-blocking"]],
    ),
    "what all inherit": Change(("apps/pom.xml",), SUITE),
    "what Quarkus' inherit": Change(("apps/quarkus-parent/pom.xml",), SUITE[:1]),
    "a driver that the suite hasn't": Change((), sorted([*MONGO]), {"mongodb": "99.1.0"}),
    "two drivers and an app that takes neither": Change(
        (resource("quarkus-mysql-nonblocking"),),
        sorted([*MONGO, *SUITE, COMPARED["quarkus-mysql-nonblocking"]]),
        {"mysql": "99.2.0", "mongodb": "99.1.0"},
    ),
    "an app, in the suite of all": Change(
        (resource("spring-mongodb-blocking"),),
        ["spring-mongodb-blocking-platform", "spring-mongodb-blocking-virtual"],
        suite="smoke",
    ),
    "nothing that runs": Change(
        ("README.md", "apps/README.md", "apps/movies/spring-mysql-blocking/README.md", "apps/Dockerfile"), []
    ),
}


class Repository:
    """A clone whose main is this checkout, with a branch for each change."""

    def __init__(self, root: Path) -> None:
        self.root = root
        listed = subprocess.run(
            ["git", "-C", ROOT, "ls-files", "-z", "apps", "compose", "k6", "telar.toml", "README.md"],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        for name in filter(None, listed.split("\0")):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "t")
        self.git("config", "user.email", "t@localhost")
        self._commit("main")

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", "-C", self.root, *words], check=True, capture_output=True, text=True, env=os.environ
        )
        return done.stdout.strip()

    def propose(self, change: Change) -> None:
        """The change becomes what the workflow fetched; the checkout stays main's."""
        self.git("checkout", "--quiet", "--detach", "main")
        for name in change.appended:
            with (self.root / name).open("a") as file:
                file.write("<!-- more -->\n" if name.endswith(".xml") else "# more\n")
        toml = self.root / "telar.toml"
        text = toml.read_text()
        for driver, version in change.drivers.items():
            own = f'default = "{CATALOG.file.driver[driver].default}"'
            assert text.count(own) == 1
            text = text.replace(own, f'default = "{version}"').replace(
                "versions = [", f'versions = ["{version}", '
            )
        toml.write_text(text)
        self._commit("change")
        self.git("update-ref", "refs/telar/head", "HEAD")
        self.git("checkout", "--quiet", "main")

    def _commit(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return Repository(tmp_path_factory.mktemp("repository"))


class Jobs:
    """The workflows' jobs with the expressions that they take their values from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, str] = {
            "github.event.pull_request.number || inputs.pull_request": "7",
            "needs.subject.outputs.number": "7",
            "vars.TELAR_BUDGET || '15m'": "15m",
            "github.token": "",
        }
        (folder / "telar").write_text(RECORDER)
        (folder / "telar").chmod(0o755)
        (folder / "verdict.md").touch()
        for side in ("base", "head"):
            (folder / side).mkdir()
            (folder / side / f"{side}.tar").touch()
            (folder / f"{side}.tar").touch()
        empty = subprocess.run(["sha256sum"], input=b"", capture_output=True, check=True).stdout.decode()
        self.known["needs.base.outputs.digest"] = empty.rstrip("\n")

    def commands(self, workflow: str, job: str) -> Iterator[list[str]]:
        """What each `./telar` of the job would be called with: its `run:` lines, by bash, step by step, so
        that a step may use what came of the one before it.
        """
        file = yaml.safe_load((WORKFLOWS / workflow).read_text())
        own = file["jobs"][job]
        for step in own["steps"]:
            if "telar " not in step.get("run", "") or self._skipped(step):
                continue
            calls = self.folder / "calls"
            calls.unlink(missing_ok=True)
            given = {**file.get("env", {}), **own.get("env", {}), **step.get("env", {})}
            environment = {name: self._valued(str(value)) for name, value in given.items()}
            subprocess.run(
                ["bash", "-e", "-c", self._valued(step["run"])], cwd=self.folder, check=True,
                env={"PATH": os.environ["PATH"], "GITHUB_STEP_SUMMARY": "/dev/null",
                     "GITHUB_OUTPUT": "/dev/null", **environment},
            )  # fmt: skip
            said = calls.read_text().removesuffix("\1\0").split("\1\0")
            yield from (call.removesuffix("\0").split("\0") for call in said)

    def _skipped(self, step: Mapping[str, Any]) -> bool:
        found = re.fullmatch(r"(\S+) != ''", step.get("if", ""))
        return found is not None and not self.known[found[1]]

    def _valued(self, text: str) -> str:
        return re.sub(r"\$\{\{ *(.+?) *\}\}", lambda found: self.known[found[1]], text)


class Seen:
    """What the commands were about to build, hand over and measure."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.built: list[list[Cell]] = []
        self.plans: list[Plan] = []
        monkeypatch.setattr(artifacts, "prepare", self._prepare)
        monkeypatch.setattr(bake, "build", lambda *_: {})
        monkeypatch.setattr(bundle, "save", lambda c, cells, *_, **__: self.built.append(list(cells)))
        monkeypatch.setattr(bundle, "load", self._load)
        monkeypatch.setattr(sessions, "run", self._run)
        self.loaded: list[list[Cell]] = []

    def _prepare(self, catalog: Catalog, cells: Iterable[Cell], say: object) -> dict[str, Path]:
        return {cell.name: self.folder(catalog, cell) for cell in cells}

    def _load(self, catalog: Catalog, cells: Iterable[Cell], *_: object) -> bundle.Manifest:
        self.loaded.append(list(cells))
        return bundle.Manifest(format=1, artifacts={}, images=())

    def _run(self, catalog: object, engine: object, session: Session, *_: object, **__: Any) -> None:
        self.plans.append(session.plan)
        raise RunError("services would start here")

    @staticmethod
    def folder(catalog: Catalog, cell: Cell) -> Path:
        return maven.artifact_folder(catalog, maven.build_of(catalog, cell))


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_pull_request_changes_is_built_and_compared(
    name: str, repository: Repository, telar: Telar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = CHANGES[name]
    repository.propose(change)
    monkeypatch.setenv("TELAR_ROOT", str(repository.root))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # a lock of our own
    output = tmp_path / "output"
    monkeypatch.setenv("GITHUB_OUTPUT", str(output))
    seen, jobs = Seen(monkeypatch), Jobs(tmp_path)
    jobs.known["inputs.suite || 'pull-request'"] = change.suite or "pull-request"

    def call(workflow: str, job: str) -> None:
        for words in jobs.commands(workflow, job):
            if words[0] == "doctor" or words[:2] == ["workflow", "fetch"]:  # of the machine; of GitHub
                continue
            said = telar(*words)
            assert said.code == (5 if words[0] == "ab" else 0), said.err
            if words[:2] == ["workflow", "changed"]:
                lines = (line.partition("=") for line in output.read_text().splitlines())
                outputs.update({key: value for key, _, value in lines})
                jobs.known |= {f"steps.changed.outputs.{key}": value for key, value in outputs.items()}

    outputs: dict[str, str] = {}
    call("bench-pr.yml", "build")
    named = list(filter(None, outputs["variants"].split(",")))
    assert sorted(named) == sorted(change.variants)
    assert outputs["drivers"] == ",".join(
        f"{d}={v}" for d, v in sorted(change.drivers.items(), key=_in_catalogue)
    )
    if not named:
        return  # the other jobs are skipped
    subject = {**outputs, "suite": change.suite or "pull-request"}  # as `telar workflow subject` says it
    jobs.known |= {f"needs.subject.outputs.{key}": value for key, value in subject.items()}
    call("bench-compare.yml", "base")
    call("bench-compare.yml", "compare")
    seen.built.reverse()  # the head is built first, loaded second

    catalog = sources.with_versions(load(repository.root), outputs["head"])
    (plan,) = seen.plans
    compared = []
    for number, side in enumerate("ab"):
        cells = {run.cell.variant: run.cell for run in plan.runs if run.pair and run.pair.side == side}
        assert sorted(cells) == sorted(named)
        folders = {variant: seen.folder(catalog, cell) for variant, cell in cells.items()}
        for handed in (seen.built[number], seen.loaded[number]):
            assert {cell.variant: seen.folder(catalog, cell) for cell in handed} == folders
        compared.append(folders)
    for variant in named:
        assert compared[0][variant] != compared[1][variant], "it would be compared with itself"


def _in_catalogue(item: tuple[str, str]) -> int:
    return list(CATALOG.file.driver).index(item[0])

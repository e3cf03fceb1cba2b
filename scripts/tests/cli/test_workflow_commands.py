"""The commands of the workflows, as they stand there: what is asked for is what is built and measured."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from telar.build import artifacts, bake, bundle, maven, sources
from telar.catalog import select
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
    bumps: tuple[str, ...] = ()  # properties of apps/pom.xml that get another version


MOVIES = select.variants_of(CATALOG, "movies")
APPS = {v.app.name: v.app for v in MOVIES}
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
    "what two apps compile": Change(
        ("apps/movies/shared/spring-mysql/java/dev/telar/movies/MovieId.java",),
        [COMPARED["spring-mysql-blocking"], COMPARED["spring-mysql-nonblocking"]],
    ),
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
    "an app, in a suite that compares two variants of another": Change(
        (resource("quarkus-mongodb-blocking"),), [COMPARED["quarkus-mongodb-blocking"]], suite="quickstart"
    ),
    "an app of another system, which has a suite of its own for that": Change(
        ("apps/sleep/spring-webflux/src/main/resources/application.properties",),
        ["sleep/spring-webflux-delay"],
    ),
    "two versions at once": Change((), SUITE, bumps=("spring-boot", "quarkus")),
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
        for name in change.bumps:
            pom = self.root / "apps" / "pom.xml"
            pom.write_text(re.sub(rf"(<{name}\.version>\d+)", r"\g<1>9", pom.read_text()))
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


SIDES = ("base", "head", "alone")


class Jobs:
    """The jobs of workflows, with the expressions that they take their values from."""

    def __init__(self, folder: Path, *workflows: str) -> None:
        self.folder = folder
        self.files = [yaml.safe_load((WORKFLOWS / name).read_text()) for name in workflows]
        self.known: dict[str, str] = {}
        self.outputs: dict[str, str] = {}  # of whatever step or job
        (folder / "telar").write_text(RECORDER)
        (folder / "telar").chmod(0o755)
        for left in ("verdict.md", *(f"{where}{side}.tar" for side in SIDES for where in ("", f"{side}/"))):
            (folder / left).parent.mkdir(exist_ok=True)
            (folder / left).touch()

    def calls(self, *commands: str) -> list[list[str]]:
        """What each of these commands would be called with: the `run:` lines that have one, by bash."""
        found = []
        for file in self.files:
            for job in file["jobs"].values():
                steps = [
                    s for s in job["steps"]
                    if any(f"./telar {c}" in s.get("run", "") for c in commands) and self._goes(s)
                ]  # fmt: skip
                for matrix in job.get("strategy", {}).get("matrix", {}).get("include", [{}]) if steps else ():
                    own = {f"matrix.{key}": self._valued(str(value), {}) for key, value in matrix.items()}
                    for step in steps:
                        given = {**file.get("env", {}), **job.get("env", {}), **step.get("env", {})}
                        found += self._run(step["run"], given, own)
        return [words for words in found if " ".join(words).startswith(commands)]

    def _goes(self, step: Mapping[str, str]) -> bool:
        """Whether its `if` lets it run, where that asks for an output."""
        asked = re.fullmatch(r".+\.outputs\.(\w+) != ''", step.get("if", ""))
        return not asked or bool(self.outputs.get(asked[1]))

    def _run(self, lines: str, given: Mapping[str, object], matrix: Mapping[str, str]) -> list[list[str]]:
        calls = self.folder / "calls"
        calls.unlink(missing_ok=True)
        nowhere = dict.fromkeys(("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"), "/dev/null")
        environment = {name: self._valued(str(value), matrix) for name, value in given.items()}
        subprocess.run(
            ["bash", "-e", "-c", self._valued(lines, matrix)],
            cwd=self.folder, check=True, stdout=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], **nowhere, **environment},
        )  # fmt: skip
        said = calls.read_text().removesuffix("\1\0").split("\1\0")
        return [call.removesuffix("\0").split("\0") for call in said]

    def _valued(self, text: str, matrix: Mapping[str, str]) -> str:
        def value(found: re.Match[str]) -> str:
            expression = found[1]
            if expression in self.known:
                return self.known[expression]
            if expression.startswith("matrix."):
                return matrix.get(expression, "")
            return self.outputs[expression.rpartition(".outputs.")[2]]

        return re.sub(r"\$\{\{ *(.+?) *\}\}", value, text)


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

    def _load(self, catalog: Catalog, cells: Iterable[Cell], *_: object, images: bool) -> bundle.Manifest:
        assert not images, "each side's images are built where they are measured"
        self.loaded.append(list(cells))
        return bundle.Manifest(format=1, artifacts={}, images=())

    def _run(self, catalog: object, engine: object, session: Session, *_: object, **__: Any) -> None:
        self.plans.append(session.plan)
        raise RunError("services would start here")

    @staticmethod
    def folder(catalog: Catalog, cell: Cell) -> Path:
        return maven.artifact_folder(catalog, maven.build_of(catalog, cell))


@pytest.mark.thorough
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
    # As many of them as there are: what is compared may be measured by another workflow than what builds it.
    workflows = [name for name in ("bench-pr.yml", "bench-compare.yml") if (WORKFLOWS / name).exists()]
    seen, jobs = Seen(monkeypatch), Jobs(tmp_path, *workflows)
    suite = change.suite or "pull-request"
    jobs.known = {
        "github.event.pull_request.number || inputs.pull_request": "7",
        "github.token": "",
        "inputs.suite || 'pull-request'": suite,
        "vars.TELAR_BUDGET || '15m'": "15m",
    }

    def call(*commands: str) -> int:
        calls = jobs.calls(*commands)
        for words in calls:
            said = telar(*words)
            assert said.code == (5 if words[0] == "ab" else 0), said.err
        return len(calls)

    assert call("workflow changed") == 1
    jobs.outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
    named = list(filter(None, jobs.outputs["variants"].split(",")))
    assert sorted(named) == sorted(change.variants)
    moved = sorted(change.drivers.items(), key=_in_catalogue)
    assert jobs.outputs["drivers"] == ",".join(f"{driver}={version}" for driver, version in moved)
    if not named:
        return  # the other jobs are skipped
    jobs.outputs |= {"suite": suite, "number": "7", "digest": f"{hashlib.sha256().hexdigest()}  -"}
    told_apart = bool(jobs.outputs["factors"])
    assert told_apart == (len(change.bumps) + len(moved) + bool(change.appended) > 1)
    jobs.known |= {"steps.alone.outcome": "success" if told_apart else "skipped",
                   "steps.alone.outcome == 'success' && '5m' || ''": "5m" if told_apart else ""}  # fmt: skip
    # Each side built, and taken, and what differs by itself likewise; then compared.
    assert call("build", "ab") == (3 if told_apart else 2) * 2 + 1

    catalog = sources.with_versions(load(repository.root), jobs.outputs["head"])
    (plan,) = seen.plans
    compared = []
    for side, revision in (("a", jobs.outputs["base"]), ("b", jobs.outputs["head"])):
        cells = {run.cell.label: run.cell for run in plan.runs if run.pair and run.pair.side == side}
        assert sorted(cells) == sorted(named)
        folders = {variant: seen.folder(catalog, cell) for variant, cell in cells.items()}
        for handed in (seen.built, seen.loaded):
            (own,) = [cells for cells in handed if {cell.revision for cell in cells} == {revision}]
            assert {cell.label: seen.folder(catalog, cell) for cell in own} == folders
        compared.append(folders)
    if told_apart:
        sides = {folder for side in compared for folder in side.values()}
        for handed in (seen.built, seen.loaded):
            both = ({jobs.outputs["base"]}, {jobs.outputs["head"]})
            (own,) = [cells for cells in handed if {c.revision for c in cells} not in both]
            assert {cell.label for cell in own} <= set(named)
            assert not sides & {seen.folder(catalog, cell) for cell in own}, "a side is a stranger's"
            assert bool(own) == bool(change.bumps)  # a driver alone on the base is what the head is
    for variant in named:
        assert compared[0][variant] != compared[1][variant], "it would be compared with itself"


MONGO_APP, MYSQL_APP = "spring-mongodb-blocking-virtual", "spring-mysql-blocking-virtual"
BY_HAND = {
    "suite": "pull-request",
    "variants": f"{MYSQL_APP},{MONGO_APP}",
    "jdks": "21,25",
    "drivers": "mysql=8.0.33,mysql=9.7.0",
}
QUARKUS = {name for name in CATALOG.variants if name.startswith("quarkus-mysql-")}
# An event, its inputs, what the repository narrows it down to -> the variants that it means.
ASKED: dict[str, tuple[str, dict[str, str], str, set[str]]] = {
    "a push": ("push", {}, "", {v.label for v in MOVIES if v.app.file.database != "postgresql"}),
    "a push, narrowed": ("push", {}, f"{MONGO_APP} quarkus-mysql-*", {MONGO_APP, *QUARKUS}),
    "a night, narrowed": ("schedule", {}, MONGO_APP, {MONGO_APP}),
    "by hand, what the suite hasn't": ("workflow_dispatch", BY_HAND, "", {MYSQL_APP, MONGO_APP}),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ASKED)
def test_what_an_event_asks_for_is_planned_built_and_measured(
    name: str, repository: Repository, telar: Telar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event, inputs, narrowed, variants = ASKED[name]
    monkeypatch.setenv("TELAR_ROOT", str(repository.root))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    output, said = tmp_path / "output", tmp_path / "event.json"
    said.write_text(json.dumps({"inputs": inputs}))
    for variable, value in (
        ("GITHUB_OUTPUT", str(output)), ("GITHUB_EVENT_NAME", event), ("GITHUB_EVENT_PATH", str(said)),
        ("TELAR_VARIANTS", narrowed), ("TELAR_RUNNERS", "3"),
    ):  # fmt: skip
        monkeypatch.setenv(variable, value)
    seen, jobs = Seen(monkeypatch), Jobs(tmp_path, "bench.yml")
    jobs.known = {
        "vars.TELAR_RUNNERS || 1": "3",
        "vars.TELAR_VARIANTS": narrowed,
        "vars.TELAR_REMOTE || format('{0}/{1}.git', github.server_url, github.repository)": str(
            repository.root
        ),
        "github.token": "",
        "vars.TELAR_REGISTRY": "127.0.0.1:1",
        "github.repository": "acme/telar",
        "matrix.job": "",
    }

    def call(command: str) -> None:
        for words in jobs.calls(command):
            if "--push" not in words and "--load" not in words:
                said = telar(*words)
                assert said.code == (5 if words[0] == "run" else 0), said.err

    call("workflow plan")
    numbers = json.loads(output.read_text().removeprefix("jobs="))
    call("build")
    for number in numbers:
        jobs.known["matrix.job"] = str(number)
        call("run")
        shutil.rmtree(tmp_path / "sessions")  # the next is another machine's
    planned = {run.cell.name: run.cell for plan in seen.plans for run in plan.runs}
    assert {cell.label for cell in planned.values()} == variants
    assert {cell.name for cell in seen.built[0]} == planned.keys()
    assert {cell.jdk for cell in planned.values()} >= set(filter(None, inputs.get("jdks", "").split(",")))


def _in_catalogue(item: tuple[str, str]) -> int:
    return list(CATALOG.file.driver).index(item[0])

"""The house of the program: which way imports go, how long files are, and that a run keeps its insides."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2]
SOURCE = SCRIPTS / "src"
HTTP = SOURCE / "telar" / "run" / "http"

# A package takes from its own floor and from those below it.
FLOORS = (
    {"errors", "words"},
    {"tools", "catalog"},
    {"plan", "build", "store", "databases"},
    {"collect", "gates", "analyse"},
    {"run", "publish"},
    {"sabotage", "github"},
    {"cli", "__main__"},
)
LONGEST = 400  # lines of a file


@cache
def _modules() -> dict[str, Path]:
    files = SOURCE.rglob("*.py")
    return {".".join(f.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): f for f in files}


@cache
def _imports() -> dict[str, set[str]]:
    """Module -> the modules that it takes in when it runs, wherever the import stands."""
    return {
        name: {i for i in _imported(ast.parse(file.read_text())) if i.startswith("telar.")} - {name}
        for name, file in _modules().items()
    }


def _imported(node: ast.AST) -> Iterator[str]:
    """All but what types alone are checked with."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom) and node.module:
        names = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (name if name in _modules() else node.module for name in names)
    for child in ast.iter_child_nodes(node):
        yield from _imported(child)


def _package(module: str) -> str:
    return module.split(".")[1]


@pytest.mark.thorough
def test_each_package_takes_from_its_own_floor_and_those_below() -> None:
    floor = {package: n for n, packages in enumerate(FLOORS) for package in packages}
    upwards = [
        f"{name} takes {other}"
        for name, others in _imports().items()
        for other in others
        if name != "telar" and floor[_package(name)] < floor[_package(other)]
    ]
    assert upwards == []


def test_no_module_and_no_package_takes_itself_in_by_a_detour() -> None:
    packages: dict[str, set[str]] = {}
    for name, others in _imports().items():
        if name != "telar":
            packages.setdefault(_package(name), set()).update(map(_package, others))
    TopologicalSorter(_imports()).prepare()  # raises CycleError, with the circle
    TopologicalSorter({name: others - {name} for name, others in packages.items()}).prepare()


def test_no_file_is_longer_than_it_may_be() -> None:
    root = SOURCE / "telar"
    lengths = {f.relative_to(root).as_posix(): f.read_text().count("\n") for f in root.rglob("*.py")}
    assert {f: n for f, n in lengths.items() if n > LONGEST} == {}


@cache
def _insides() -> dict[str, set[str]]:
    """Class of a run under load -> its attributes and methods that begin with `_`."""
    classes = [
        c for f in HTTP.glob("*.py") for c in ast.parse(f.read_text()).body if isinstance(c, ast.ClassDef)
    ]
    return {c.name: {name for name in _names(c) if _is_private(name)} for c in classes}


def _names(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.FunctionDef):
            yield each.name
        elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "self":
            yield each.attr


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def _reaches_in(tree: ast.AST) -> Iterator[str]:
    """Attributes of a run's classes that begin with `_`, of another object than `self`, or overridden."""
    insides = set[str]().union(*_insides().values())
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in insides:
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if not own:
                yield f"{node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.ClassDef):
            bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases} & _insides().keys()
            found = set(_names(node)) & set[str]().union(*(_insides()[base] for base in bases))
            yield from (f"{node.lineno}: {node.name}.{name}" for name in sorted(found))


@pytest.mark.thorough
def test_no_file_outside_a_run_touches_what_is_its_own() -> None:
    files = [f for folder in ("src", "measure", "tests") for f in (SCRIPTS / folder).rglob("*.py")]
    outside = [f for f in files if not f.is_relative_to(SOURCE / "telar" / "run")]
    assert {
        f.relative_to(SCRIPTS).as_posix(): found
        for f in outside
        if (found := list(_reaches_in(ast.parse(f.read_text()))))
    } == {}


def test_a_file_that_does_is_named_with_its_line() -> None:
    assert {"_window", "_found", "_up"} <= _insides()["CellRun"]
    tree = ast.parse("run._up()\nself._window\nclass Mine(cell.CellRun):\n    def _window(self): self._found")
    assert sorted(_reaches_in(tree)) == ["1: run._up", "3: Mine._found", "3: Mine._window"]

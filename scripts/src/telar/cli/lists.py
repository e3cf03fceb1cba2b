"""`telar list`: what can be run."""

from __future__ import annotations

import os

import click

from telar.catalog import select
from telar.catalog.types import Catalog
from telar.catalog.workload import Workload
from telar.cli.common import catalog, console, json_option, print_json
from telar.plan.cells import Wishes, cell_of, make_plan
from telar.plan.parts import suites_of
from telar.publish import folding
from telar.store.files import sessions

KINDS = ("systems", "variants", "records", "suites", "workloads", "jdks", "drivers", "metrics", "runners")

NONE = "none here"


@click.command("list")
@click.argument("kind", type=click.Choice(KINDS), required=False)
@json_option
def list_(kind: str | None, as_json: bool) -> None:
    """Lists what the catalogue has.

    \b
    Examples:
      telar list                everything, in short
      telar list variants
      telar list records        a suite for each variant (--only NAME), newest record
      telar list suites --json
    """
    rows = {k: _ROWS[k](catalog()) for k in ([kind] if kind else KINDS)}
    if as_json:
        print_json(rows[kind] if kind else rows)
        return
    for title, entries in rows.items():
        if not entries:  # a guest has no drivers of Telar's
            continue
        columns = [_column(name, [entry[name] for entry in entries]) for name in entries[0]]
        table = [[str(v) for v in entry.values()] for entry in entries]
        folding.print_table(console, columns, table, title=title, where=f"--json, and {folding.WIDER}")
        console.print()


def _column(name: str, values: list[object]) -> folding.Column:
    if all(isinstance(v, int) for v in values):
        return folding.figure(name)
    return folding.text(name, 20 if name == "what it is" else 10)


def _systems(c: Catalog) -> list[dict[str, object]]:
    newest = _newest(c)
    return [
        {
            "system": name,
            "kind": s.file.kind,
            "variants": len(select.variants_of(c, name)),
            "run by": _command(c, name),
            "newest record": max(
                (newest[v.label] for v in select.variants_of(c, name) if v.label in newest), default=NONE
            ),
            "what it is": s.file.description,
        }
        for name, s in c.systems.items()
    ]


def _command(c: Catalog, system: str) -> str:
    if c.guest:
        return f"./telar --guest {os.path.relpath(c.guest.file)} run"
    return f"./telar run {_suite(c, system)}"


def _suite(c: Catalog, system: str) -> str:
    """Its suite of its own name, or its first one; of the default system the default suite."""
    own = list(c.systems[system].file.suite)
    return system if system in own else next(iter(own), c.file.defaults.suite)


def _records(c: Catalog) -> list[dict[str, object]]:
    newest = _newest(c)
    suites = {system: _alone(c, system) for system in c.systems}
    return [
        {
            "variant": v.label,
            "suite": suites[v.app.file.system],
            "newest record": newest.get(v.label, NONE),
        }
        for v in c.variants.values()
    ]


def _alone(c: Catalog, system: str) -> str:
    """A suite that takes any one variant by `--only`: one that compares two takes none."""
    first = _suite(c, system)
    return next((n for n in (first, *suites_of(c, system)) if not c.file.suite[n].compare), first)


def _newest(c: Catalog) -> dict[str, str]:
    """Variant -> the newest session below the data folder that has a record of it. By the records' names, so
    that nothing large is read.
    """
    found: dict[str, str] = {}
    folders = [c.data / "local", *(f for f in (c.data / "reference").glob("*") if f.is_dir())]
    every = [s for folder in folders for s in sessions(folder)]
    for session in sorted(every, key=lambda s: s.id):
        for path in (session.folder / "records").glob("*.json"):
            first, _, rest = cell_of(path.name).partition("+")
            label = f"{first}/{rest.partition('+')[0]}" if first in c.systems else first
            found[label] = session.id
    return found


def _variants(c: Catalog) -> list[dict[str, object]]:
    return [
        {
            "variant": v.label,
            "framework": v.app.file.framework,
            "database": v.app.file.database,
            "model": v.app.file.model or "",
            "launch": v.launch,
            "drivers": " ".join(v.app.file.drivers),
            "what it is": v.app.file.description,
        }
        for v in c.variants.values()
    ]


def _suites(c: Catalog) -> list[dict[str, object]]:
    return [
        {
            "suite": name,
            # Of a suite that compares, each cell has two sides.
            "runs": len(make_plan(c, Wishes(suite=name, engine=s.engine or "embedded")).runs)
            * (2 if s.compare else 1),
            "workload": s.workload,
            "repeat": s.repeat,
            "what it is": s.description,
        }
        for name, s in c.file.suite.items()
    ]


def _workloads(c: Catalog) -> list[dict[str, object]]:
    return [
        {
            "workload": w.name,
            "seconds": f"{w.duration:g}",
            "arrivals": f"{w.arrivals:g}" if isinstance(w, Workload) else "",
            "peak rate": f"{w.peak_rate}/s" if isinstance(w, Workload) else "",
            "what it is": w.file.description,
        }
        for w in c.work.values()
    ]


def _metrics(c: Catalog) -> list[dict[str, object]]:
    return [
        {"metric": n, "unit": m.unit, "better": m.better, "what it is": m.title}
        for n, m in c.file.metric.items()
    ]


def _drivers(c: Catalog) -> list[dict[str, object]]:
    return [
        {"driver": n, "default": d.default, "versions": " ".join(d.versions), "what it is": d.title}
        for n, d in c.file.driver.items()
    ]


def _jdks(c: Catalog) -> list[dict[str, object]]:
    return [{"jdk": n, "what it is": j.title} for n, j in c.file.jdk.items()]


def _runners(c: Catalog) -> list[dict[str, object]]:
    return [{"runner": n, "layout": r.layout, "what it is": r.description} for n, r in c.file.runner.items()]


_ROWS = {
    "systems": _systems,
    "variants": _variants,
    "records": _records,
    "suites": _suites,
    "workloads": _workloads,
    "jdks": _jdks,
    "drivers": _drivers,
    "metrics": _metrics,
    "runners": _runners,
}

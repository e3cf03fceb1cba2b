"""`telar doctor`: what this machine has, what is missing, what to do; and whether the catalogue holds."""

from __future__ import annotations

import platform
import time
from pathlib import Path

import click
from rich.text import Text

from telar.catalog import jvm
from telar.catalog.types import Catalog
from telar.cli.common import catalog, console, data_folder, json_option, print_json, seconds_of
from telar.databases import types
from telar.errors import EnvironmentProblem, MissingToolError
from telar.publish import folding
from telar.run import fit
from telar.run import session as sessions
from telar.run.pair import SHIFT
from telar.tools import components
from telar.tools.ports import is_free, owner

# Without these nothing runs; all others are needed by an engine, a JDK or a test only.
PAUSE = 15.0  # seconds between two looks at a machine that is starting
REQUIRED = ("jdk", "maven", "k6")


@click.command()
@click.option("--runner", is_flag=True, help="Whether this machine is fit to measure, now.")
@click.option("--strangers", is_flag=True, help="With --runner: also to run code of a fork.")
@click.option(
    "--wait",
    "patience",
    default="0s",
    metavar="TIME",
    help="With --runner: how long a machine that is just starting may take to become fit.",
)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@json_option
def doctor(runner: bool, strangers: bool, patience: str, data: Path | None, as_json: bool) -> None:
    """Names every tool and component found or missing, what to do, and checks the whole catalogue.

    Ends with 3 where a tool is missing that Telar can't set up, with 6 where a port is taken that a run
    needs.

    With --runner it looks at the machine instead, as a workflow does before each job: what was left behind,
    what else runs, what the host takes, disk, ports; ends with 6 when no number of it would be believed.

    \b
    Examples:
      telar doctor
      telar doctor --json
      telar doctor --runner
      telar doctor --runner --strangers --wait 10m
    """
    if (strangers or seconds_of(patience)) and not runner:
        raise click.UsageError("--strangers and --wait go with --runner")
    c = catalog()  # a mistake in it ends here, with its place
    console.stderr = as_json
    if runner:
        _fit(c, data_folder(data), seconds_of(patience), strangers=strangers, as_json=as_json)
        return
    recipes = [*map(components.describe, components.names()), *(jvm.runtime(c, jdk) for jdk in c.file.jdk)]
    rows = [_component(recipe) for recipe in recipes]
    busy = _busy_ports(c)
    if as_json:
        print_json({"components": rows, "ports_in_use": busy, "catalogue": _catalogue(c)})
    else:
        _print(c, rows, busy)
    missing = [r for r in rows if r["state"] == "missing" and r["name"] in REQUIRED]
    if missing:
        raise MissingToolError(
            "missing, and Telar can't set it up itself: " + ", ".join(str(r["name"]) for r in missing),
            hint="; ".join(str(r["remedy"]) for r in missing),
        )
    if busy:
        raise EnvironmentProblem(
            "ports that a run needs are taken: "
            + "; ".join(f"{port} by {who}" for port, who in busy.items()),
            hint="end what holds them, or change the ports where the catalogue sets them (telar.toml, "
            "database.toml)",
        )


def _fit(c: Catalog, data: Path, patience: float, *, strangers: bool, as_json: bool) -> None:
    with sessions.alone(c):  # doesn't wait for another run under way: that is an answer, too
        found = _looked(c, data, patience, strangers=strangers)
    if as_json:
        print_json(found)
    else:
        columns = [folding.figure(""), *(folding.text(h, 14) for h in ("check", "found", "what to do"))]
        marks = {state: Text.from_markup(mark) for state, mark in _FIT.items()}
        folding.print_table(
            console, columns, [[marks[each.state], each.name, each.found, each.remedy] for each in found]
        )
    failed = [each for each in found if each.state == "fail"]
    if failed:
        raise EnvironmentProblem(
            "this machine isn't fit to measure: " + "; ".join(f"{f.name}: {f.found}" for f in failed),
            hint="; ".join(f.remedy for f in failed),
        )


def _looked(c: Catalog, data: Path, patience: float, *, strangers: bool) -> list[fit.Finding]:
    """What is found once nothing fails any more, or when the time is up."""
    until = time.monotonic() + patience
    while True:
        found = fit.look(c, data, strangers=strangers)
        failed = [each.name for each in found if each.state == "fail"]
        if not failed or time.monotonic() >= until:
            return found
        console.print(f"not fit yet ({', '.join(failed)}): looking again in {PAUSE:.0f} s", markup=False)
        time.sleep(min(PAUSE, max(0.0, until - time.monotonic())))


_FIT = {"ok": "[green]✓[/green]", "warn": "[yellow]![/yellow]", "fail": "[red]✗[/red]"}


def _component(recipe: components.Recipe) -> dict[str, object]:
    found = recipe.find()
    absent = "set up when needed" if recipe.install else "missing"
    return {
        "name": recipe.name,
        "state": "found" if found else absent,
        "version": found.version if found else "",
        "where": str(found.path) if found else "",
        "purpose": recipe.purpose,
        "remedy": "" if found else recipe.remedy,
    }


def _busy_ports(c: Catalog) -> dict[str, str]:
    """Ports that a run would need and somebody else has."""
    needed = {"app": c.file.ports.app, "metrics": c.file.ports.metrics}
    needed |= {name: types.load(folder).file.port for name, folder in c.databases.items()}
    needed |= {f"{name}, side b of a comparison": port + SHIFT for name, port in needed.items()}
    busy = {f"{port} ({what})": owner(port) for what, port in needed.items() if not is_free(port)}
    return {
        port: f"process {who.pid}: {who.command}" if who else "another user's" for port, who in busy.items()
    }


def _catalogue(c: Catalog) -> dict[str, int]:
    return {
        "variants": len(c.variants),
        "workloads": len(c.work),
        "databases": len(c.databases),
        "suites": len(c.file.suite),
        "metrics": len(c.file.metric),
    }


def _print(c: Catalog, rows: list[dict[str, object]], busy: dict[str, str]) -> None:
    marks = {
        "found": "[green]✓[/green]",
        "set up when needed": "[yellow]·[/yellow]",
        "missing": "[red]✗[/red]",
    }
    columns = [
        folding.figure(""),
        *(folding.text(h, 14) for h in ("component", "version", "where, or what to do")),
    ]
    table: list[list[str | Text]] = [
        [Text.from_markup(marks["found"]), "python", platform.python_version(), ""]
    ]
    for row in rows:
        where = row["where"] or f"{row['state']}: {row['purpose']}. {row['remedy']}"
        mark = Text.from_markup(marks[str(row["state"])])
        table.append([mark, str(row["name"]), str(row["version"]), str(where)])
    folding.print_table(console, columns, table)
    console.print()
    for port, who in busy.items():
        console.print(f"[red]✗[/red] port {port} is taken by {who}")
    counts = ", ".join(f"{n} {what}" for what, n in _catalogue(c).items())
    console.print(f"[green]✓[/green] the catalogue holds: {counts}")

"""`telar doctor`: what this machine has, what is missing, what to do; and whether the catalogue holds."""

from __future__ import annotations

import platform

import click
from rich.table import Table

from telar.catalog.types import Catalog
from telar.cli.common import catalog, console, json_option, print_json
from telar.databases import types
from telar.errors import MissingToolError
from telar.tools import components
from telar.tools.ports import is_free, owner

# Without these nothing runs; all others are needed by an engine, a JDK or a test only.
REQUIRED = ("jdk", "maven", "k6")


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Names every tool and component found or missing, what to do, and checks the whole catalogue.

    \b
    Examples:
      telar doctor
      telar doctor --json
    """
    c = catalog()  # a mistake in it ends here, with its place
    rows = [_component(name) for name in components.names()]
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


def _component(name: str) -> dict[str, object]:
    found, recipe = components.find(name), components.describe(name)
    absent = "set up when needed" if recipe.install else "missing"
    return {
        "name": name,
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
    busy = {f"{port} ({what})": owner(port) for what, port in needed.items() if not is_free(port)}
    return {
        port: f"process {who.pid}: {who.command}" if who else "another user's" for port, who in busy.items()
    }


def _catalogue(c: Catalog) -> dict[str, int]:
    return {
        "variants": len(c.variants),
        "workloads": len(c.workloads),
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
    table = Table(box=None, pad_edge=False)
    for column in ("", "component", "version", "where, or what to do"):
        table.add_column(column, overflow="fold")
    table.add_row(marks["found"], "python", platform.python_version(), "")
    for row in rows:
        where = row["where"] or f"{row['state']}: {row['purpose']}. {row['remedy']}"
        table.add_row(marks[str(row["state"])], str(row["name"]), str(row["version"]), str(where))
    console.print(table)
    console.print()
    for port, who in busy.items():
        console.print(f"[red]✗[/red] port {port} is taken by {who}")
    counts = ", ".join(f"{n} {what}" for what, n in _catalogue(c).items())
    console.print(f"[green]✓[/green] the catalogue holds: {counts}")

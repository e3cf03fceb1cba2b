"""`telar sabotage`: breaks one thing at a time, and looks whether its gate says so."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from telar.catalog.files import nearest
from telar.cli.common import catalog, console, data_folder, json_option, print_json
from telar.errors import ConfigError, RunError
from telar.run.embedded import EmbeddedEngine
from telar.run.session import alone, require_ports
from telar.sabotage import run as runs
from telar.sabotage.faults import FAULTS, Fault, matching
from telar.store.files import Session
from telar.store.record import Gate, Record

NOISE = frozenset({"client", "little", "telemetry", "warm"})  # a processor that comes late trips them, too


@click.command()
@click.option("--only", multiple=True, metavar="FAULT", help="Only these faults; a gate's name works too.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where the records are kept.")
@click.option(
    "--write",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Put the table between the marks of this document.",
)
@click.option("--skip-clean", is_flag=True, help="Not the clean run, nor the faults compared with it.")
@click.option(
    "--shared-machine",
    is_flag=True,
    help="Report what a busy machine does to the clean run, without failing the command.",
)
@click.option("--inside", is_flag=True, hidden=True)
@json_option
def sabotage(
    only: tuple[str, ...],
    data: Path | None,
    write: Path | None,
    skip_clean: bool,
    shared_machine: bool,
    inside: bool,
    as_json: bool,
) -> None:
    """Runs each gate's own fault, for real: a gate that stays silent is no gate.

    A clean run comes first: none of its gates may fail.

    \b
    Examples:
      telar sabotage
      telar sabotage --only dropped-index --only client
      telar sabotage --write docs/gates.md
    """
    console.stderr = as_json
    faults = [f for f in _chosen(only) if not (skip_clean and f.compared)]
    c = catalog()
    session = Session.begin(data_folder(data), "sabotage", runs.plan_for(c, faults))
    saboteur = runs.Saboteur(c, EmbeddedEngine(c), session, console.print)
    if inside:  # the process outside holds the machine
        saboteur.prepare()
        saboteur.alone_in_its_network(faults[0])
        return
    outcomes: list[runs.Outcome] = []
    with alone(c):
        require_ports(c, pairs=False)
        saboteur.prepare()
        clean, unsound = None, []
        if not skip_clean:
            console.print("clean run: warming up by 60,000 requests …")
            clean = saboteur.clean()
            unsound = _judged(clean, forgiven=NOISE if shared_machine else frozenset())
            if unsound:
                console.print("once more: the machine may have been somebody else's …")
                clean = saboteur.clean(again=True)
                unsound = _judged(clean, forgiven=NOISE if shared_machine else frozenset())
        for position, fault in enumerate(faults, start=1):
            console.print(f"[{position}/{len(faults)}] {fault.name}: {fault.story} …", markup=False)
            outcome = saboteur.outcome(fault, position, clean)
            outcomes.append(outcome)
            _print(outcome)
    if write:
        runs.write_table(write, outcomes)
    if as_json:
        print_json(outcomes)
    silent = [o.fault for o in outcomes if not o.fired]
    if silent or unsound:
        raise RunError(
            "; ".join(
                [f"the clean run fails {', '.join(unsound)}"] * bool(unsound)
                + [f"no alarm for {', '.join(silent)}"] * bool(silent)
            ),
            hint=f"the records: {session.folder / 'records'}",
        )


def _judged(clean: Record, forgiven: frozenset[str]) -> list[str]:
    """The gates that the clean run fails: there must be none, but for what others did to the machine."""
    if clean.stopped:
        raise RunError(f"the clean run failed: {clean.stopped.error}", hint=clean.stopped.hint)
    failed = [g for g in clean.gates if g.verdict == "fail"]
    for gate in failed:
        mark = "[red]✗[/red]" if _counts(gate, forgiven) else "[yellow]![/yellow]"
        console.print(f"  {mark} {gate.name}: {escape(gate.observed)}")
    if not failed:
        console.print(f"  [green]✓[/green] {clean.validity}, {len(clean.gates)} gates passed or warned")
    return [g.name for g in failed if _counts(g, forgiven)]


def _counts(gate: Gate, forgiven: frozenset[str]) -> bool:
    return gate.limited_by != "machine" and gate.name not in forgiven


def _print(outcome: runs.Outcome) -> None:
    mark = "[green]✓[/green]" if outcome.fired else "[red]✗[/red]"
    said = f"{outcome.gate.verdict}: {outcome.gate.observed}" if outcome.gate else outcome.stopped
    others = f"  (also {', '.join(outcome.others)})" if outcome.others else ""
    console.print(f"  {mark} {outcome.expected}: {escape(said)}{others}", soft_wrap=True)


def _chosen(only: tuple[str, ...]) -> list[Fault]:
    names = sorted({f.name for f in FAULTS} | {f.gate for f in FAULTS})
    for name in only:
        if name not in names:
            raise ConfigError(f"no fault and no gate {name!r}", hint=nearest(name, names))
    return list(matching(only))

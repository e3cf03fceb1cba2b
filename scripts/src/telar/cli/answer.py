"""A comparison's answer from the records of its session: for `telar ab`, `telar run` and `telar report`."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click
import msgspec

from telar.analyse import verdicts
from telar.analyse.verdicts import Compared
from telar.build import bumps
from telar.catalog.suite import CompareFile
from telar.catalog.types import Catalog
from telar.cli import comparing
from telar.cli.common import seconds_of, wishes
from telar.errors import ConfigError
from telar.plan.cells import Cell, Plan, left_out, make_plan
from telar.plan.sides import words_of
from telar.publish import evidence
from telar.publish import verdict as published
from telar.publish.soundness import flags_apart
from telar.publish.verdict import Comparison, Occasion
from telar.store import evidence as evidence_file
from telar.store.evidence import Evidence
from telar.store.files import Session, write_atomically
from telar.store.record import Record

Pairs = dict[tuple[str, str], int]  # names of base and head -> pairs of windows that were planned
LEAST = 2  # sound pairs, before a suite's comparison ends early


def plan_of(c: Catalog, asked: CompareFile, said: dict[str, Any]) -> Plan:
    """The windows of a suite that compares. Raises ConfigError where what was said has no place in it."""
    base, head = (
        comparing.side(c, f"suite {said['suite']}, compare.{name}", words)
        for name, words in (("base", asked.base), ("head", asked.head))
    )
    once, found = comparing.cells(c, said)
    if said["only"] and base.variant and head.variant:
        raise ConfigError(
            f"--only {','.join(said['only'])}: the suite {said['suite']} compares {base.label} with "
            f"{head.label}, whatever is said",
            hint="other variants: telar ab --base variant=NAME --head variant=NAME",
        )
    pairs = comparing.pairs_for(base, head, found)
    return comparing.plan_of(c, once, pairs, seconds_of(asked.budget), said["repeat"])[0]


def planned(c: Catalog, said: dict[str, Any]) -> Plan:
    """What `telar run` and `telar plan` are asked for: runs, or the windows of a suite that compares."""
    suite = said["suite"] or c.file.defaults.suite
    asked = c.file.suite[suite].compare if suite in c.file.suite else None
    if asked:
        return plan_of(c, asked, {**said, "suite": suite})
    wished = wishes(c, **said)
    if missing := left_out(c, wished):
        click.echo(
            f"left out: {', '.join(missing)}: the engine {wished.engine} runs no benchmarks and no programs; "
            "for these say --engine embedded",
            err=True,
        )
    return make_plan(c, wished)


def patient(c: Catalog, suite: str) -> Catalog:
    """The catalogue with as much patience as the suite has: a disturbed window is measured again at once."""
    times = c.file.suite[suite].again if suite in c.file.suite else None
    if times is None:
        return c
    times = min(times, c.file.again.times)
    again = msgspec.structs.replace(c.file.again, times=times, patience=0)
    return msgspec.structs.replace(c, file=msgspec.structs.replace(c.file, again=again))


def until_decided(c: Catalog, session: Session) -> Callable[[], bool]:
    """Whether all that was asked is answered, from more than one pair of each."""
    planned = planned_pairs(session.plan)

    def enough() -> bool:
        found = compared(c, session, session.records(), ended=False)
        return len(found) == len(planned) and all(f.pairs >= LEAST for f in found) and verdicts.decided(found)

    return enough


def compared(c: Catalog, session: Session, records: Sequence[Record], *, ended: bool) -> list[Compared]:
    return verdicts.compare(c, records, comparing.known_floors(c), planned_pairs(session.plan), ended=ended)


def of_session(c: Catalog, session: Session, records: Sequence[Record]) -> Comparison | None:
    """What the pairs of a session say, interrupted or not; None where it compares nothing with anything."""
    sides = _sides(session.plan)
    kept = _kept(session)
    if not records or not sides or (kept is None and all(a == b for a, b in sides)):
        return None
    said = (kept.base, kept.head) if kept else tuple(" ".join(w) for w in words_of(*sides[0]))
    made = occasion(
        c,
        session.id,
        records,
        base=said[0] or "this checkout",
        head=said[1] or "this checkout",
        command=kept.command if kept else command(session.plan, *words_of(*sides[0])),
        minutes=(max(r.finished for r in records) - min(r.started for r in records)) / 60,
    )
    return Comparison(occasion=made, compared=tuple(compared(c, session, records, ended=True)))


def occasion(
    c: Catalog,
    session: str,
    records: Sequence[Record],
    *,
    base: str,
    head: str,
    command: str,
    minutes: float,
    asked: int = 1,
) -> Occasion:
    first = records[0]
    calibration = comparing.known_floors(c).calibration(first.cell, first.provenance.machine)
    by_side = {r.pair.side: r for r in records if r.pair}
    return Occasion(
        session=session,
        base=base,
        head=head,
        command=command,
        base_commit=_commit(by_side.get("a", first)),
        head_commit=_commit(by_side.get("b", first)),
        machine=first.provenance.machine,
        minutes=minutes,
        asked=asked,
        calibrated_on=calibration.machine if calibration else None,
        flags=flags_apart(*(by_side.get(side, first).provenance.java for side in ("a", "b"))),
        bumps=bumps.words(c.home, *(by_side.get(side, first).cell.revision for side in ("a", "b"))),
    )


def found_in(c: Catalog, session: Session, comparison: Callable[[], Comparison | None]) -> Evidence | None:
    """What a session of pairs found: a search's or an attribution's own words, or else the verdict. A
    calibration compares nothing, and is in the noise that the history has.
    """
    path = session.folder / evidence_file.FILE
    if path.exists():
        return evidence_file.read(path)
    made = comparison()
    return evidence.of_comparison(c, made) if made else None


def command(plan: Plan, base: Iterable[str], head: Iterable[str]) -> str:
    """That compares the same again."""
    cell = plan.runs[0].cell
    words = [part for word in base for part in ("--base", word)]
    words += [part for word in head for part in ("--head", word)]
    if not any(word.startswith("variant=") for word in (*base, *head)):
        words += [part for name in sorted({r.cell.label for r in plan.runs}) for part in ("--only", name)]
    suite = [] if plan.suite == comparing.SUITE else [plan.suite]
    where = ["--workload", cell.workload, "--engine", cell.engine]
    return shlex.join(["./telar", "ab", *suite, *words, *where])


def keep(c: Catalog, session: Session, comparison: Comparison) -> tuple[bytes, bytes]:
    """verdict.md and verdict.json in the session's folder; gives what is in them."""
    contents = published.markdown(c, comparison).encode(), msgspec.json.encode(comparison) + b"\n"
    for name, content in zip(("verdict.md", "verdict.json"), contents, strict=True):
        write_atomically(session.folder / name, content)
    return contents


def planned_pairs(plan: Plan) -> Pairs:
    windows = {(fork, pair) for fork, pair, _, _ in _windows(plan)}
    cells = {(fork, side): cell.name for fork, _, side, cell in _windows(plan)}
    return dict(Counter((cells[fork, "a"], cells[fork, "b"]) for fork, _ in sorted(windows)))


def _sides(plan: Plan) -> list[tuple[Cell, Cell]]:
    """The cells that are compared, each pair of them once."""
    cells = {(fork, side): cell for fork, _, side, cell in _windows(plan)}
    found = [(cells[fork, "a"], cells[fork, "b"]) for fork in dict.fromkeys(f for f, _ in cells)]
    return list({(a.name, b.name): (a, b) for a, b in found}.values())


def _windows(plan: Plan) -> list[tuple[int, int, str, Cell]]:
    return [(r.pair.fork, r.pair.window, r.pair.side, r.cell) for r in plan.runs if r.pair]


def _kept(session: Session) -> Occasion | None:
    """How the comparison was asked for, where it came to its end."""
    path = session.folder / "verdict.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Comparison).occasion
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None  # interrupted, or of a version with other words: the cells say it, too


def _commit(record: Record) -> str:
    changes = "+changes" if record.provenance.dirty else ""
    return record.cell.revision or record.provenance.commit + changes

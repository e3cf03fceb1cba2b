"""What our own records say of published claims (docs/claims.md). None is typed: no record, no verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Literal

import msgspec

from telar.analyse import claims as analyse
from telar.analyse.claims import Estimate
from telar.analyse.interval import LEAST
from telar.catalog import select
from telar.catalog.claims import AssertionFile, Claim, UnsoundFile, read_claims
from telar.catalog.files import nearest
from telar.catalog.types import Catalog
from telar.catalog.variant import label
from telar.errors import ConfigError, StoreError
from telar.gates import GATES, judged_again
from telar.gates.arms import ARM_GATES, comparable
from telar.plan.cells import Cell
from telar.plan.parts import parts_of
from telar.publish.arms import product
from telar.store.decode import RecordError
from telar.store.files import Session
from telar.store.record import Gate, Record

FOLDER = Path("benchmarks-data", "claims")
Word = Literal["reproduced", "not reproduced", "undecided", "not testable here"]


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """Of one assertion."""

    assertion: AssertionFile
    word: analyse.Word
    why: str  # it is undecided; empty where it isn't
    of: float | None  # median over the runs, in the metric's unit
    against: float | None
    runs: tuple[int, ...]  # of each side: JVMs, however many windows
    estimate: Estimate | None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What one session says: nothing is compared across sessions."""

    session: str
    where: str  # JDK, database, machine
    word: analyse.Word
    said: tuple[Said, ...]

    @property
    def runs(self) -> int:
        """Of the side that has the fewest."""
        return min(n for each in self.said for n in each.runs)


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    system: str
    source: str
    claim: str
    word: Word
    why: str  # it is undecided or not testable
    command: str  # that makes the records; empty where nothing can yet
    comparison: Comparison | None  # of the session with most runs, of these the newest
    others: tuple[Comparison, ...]
    left_out: dict[str, int]  # records of its cells that don't count, by the reason
    originals: tuple[str, ...]
    means: str
    differs: str
    unsound: tuple[UnsoundFile, ...]


def shipped(catalog: Catalog) -> list[Claim]:
    """The checkout's claims. Raises ConfigError naming file and key."""
    found = read_claims(catalog.root / FOLDER, catalog)
    for claim in found:
        for number, own in enumerate(claim.file.unsound):
            if own.gate not in (known := GATES.keys() | ARM_GATES.keys()):
                raise ConfigError(
                    f"{claim.path}: unsound.{number}.gate = {own.gate!r}: there is no such gate",
                    hint=nearest(own.gate, known),
                )
        _require_suite(claim, catalog)
    return found


def _require_suite(claim: Claim, catalog: Catalog) -> None:
    """The suite makes records of every side."""
    if claim.file.suite is None or claim.missing:
        return
    try:
        parts = parts_of(catalog, claim.file.suite, _only(claim, catalog), None)
    except ConfigError as error:
        said = f"{claim.path}: suite = {claim.file.suite!r}: {error.message}"
        raise ConfigError(said, hint=error.hint) from error
    made = {(v.label, part.workload) for part in parts for v in part.variants}
    for name in claim.file.side:
        if (cell := (_label(claim, name, catalog), claim.workload_of(name))) not in made:
            said = f"runs no {cell[0]} under {cell[1]}"
            raise ConfigError(f"{claim.path}: suite = {claim.file.suite!r}: {said}")


def records_of(
    claims: Sequence[Claim], catalog: Catalog, folders: Iterable[Path]
) -> tuple[list[Record], list[str]]:
    """The records of the claims' cells in all sessions below the folders, each run once; and what couldn't be
    read.
    """
    found: dict[str, Record] = {}
    problems: list[str] = []
    for path in (p for folder in folders for p in sorted(folder.glob("**/plan.json"))):
        session = Session(path.parent)
        try:
            wanted = any(_side(c, run.cell, catalog) for run in session.plan.runs for c in claims)
        except StoreError as error:
            problems.append(error.message)
            continue
        for each in session.contents() if wanted else ():
            if isinstance(each, RecordError):
                problems.append(each.message)
            else:
                found.setdefault(each.run_id, each)
    return judged_again(found.values(), catalog), problems


def outcome(claim: Claim, records: Sequence[Record], catalog: Catalog) -> Outcome:
    """The verdict on a claim. A comparison is inside one session, of one JDK, engine and layout."""
    left_out: Counter[str] = Counter()
    groups: dict[str, dict[str, list[Record]]] = {}
    for record in sorted(records, key=lambda r: (r.session, r.position)):
        sides = _sides(claim, record, catalog)
        if sides and (reason := _unusable(claim, record)):
            left_out[reason] += 1
            continue
        for side in sides:
            groups.setdefault(_surroundings(record), {}).setdefault(side, []).append(record)
    whole = [group for group in groups.values() if group.keys() == claim.file.side.keys()]
    compared = sorted((_compare(claim, g, catalog) for g in whole), key=lambda c: (c.runs, c.session))
    best = compared[-1] if compared else None
    word, why = _word(claim, best, groups.values(), left_out)
    file = claim.file
    return Outcome(
        name=claim.name, system=file.system, source=file.source, claim=file.claim, word=word, why=why,
        command=command(claim, best.runs if best else 0, catalog) if word == "undecided" else "",
        comparison=best if word != "not testable here" else None, others=tuple(compared[:-1]),
        left_out=dict(left_out), originals=tuple(a.original for a in file.assertion),
        means=file.means, differs=file.differs, unsound=file.unsound,
    )  # fmt: skip


def _word(
    claim: Claim, best: Comparison | None, groups: Iterable[dict[str, list[Record]]], left_out: Counter[str]
) -> tuple[Word, str]:
    if claim.file.untestable:
        return "not testable here", claim.file.untestable
    if claim.missing:
        return (
            "undecided",
            f"the catalogue has no {' and no '.join(claim.missing)}; to come: {claim.file.awaits}",
        )
    if best is None:
        partly = [", ".join(f"{len(g[s])} of {s}" if s in g else f"none of {s}" for s in claim.file.side)
                  for g in groups]  # fmt: skip
        reasons = [f"{n} left out: {reason}" for reason, n in left_out.items()]
        said = f"no session has all of its sides: {partly[-1]}" if partly else "no record"
        return "undecided", "; ".join([said, *reasons])
    return best.word, "; ".join(dict.fromkeys(s.why for s in best.said if s.why)) * (best.word == "undecided")


def command(claim: Claim, runs: int, catalog: Catalog) -> str:
    """What makes the records: at least three runs of each side, or twice as many as there are."""
    if claim.file.suite is None or claim.missing:
        return ""
    least = max(catalog.file.gate.repeats.least, LEAST, 2 * runs)
    words = [f"./telar run {claim.file.suite}"]
    made = {v.label for part in parts_of(catalog, claim.file.suite, (), None) for v in part.variants}
    if made != set(_only(claim, catalog)):
        words.append(f"--only {_pattern(claim, catalog)}")
    words += [f"--engine {claim.file.engine}"] * bool(claim.file.engine)
    words += [f"--repeat {least}"] * (catalog.file.suite[claim.file.suite].repeat < least)
    return " ".join(words)


def _only(claim: Claim, catalog: Catalog) -> list[str]:
    return list(dict.fromkeys(_label(claim, side, catalog) for side in claim.file.side))


def _pattern(claim: Claim, catalog: Catalog) -> str:
    """The variants' names, or one pattern where it matches just these."""
    names = _only(claim, catalog)
    app = catalog.variants[names[0]].app
    pattern = label(app.system, f"{app.name}-*")
    own = {v.label for v in select.matching(catalog.variants.values(), [pattern])}
    return f"'{pattern}'" if own == set(names) and len(names) > 1 else ",".join(names)


def _label(claim: Claim, side: str, catalog: Catalog) -> str:
    default = claim.file.system == catalog.file.defaults.system
    return label("" if default else claim.file.system, claim.file.side[side].variant)


def _side(claim: Claim, cell: Cell, catalog: Catalog) -> bool:
    return any(
        (cell.label, cell.workload) == (_label(claim, side, catalog), claim.workload_of(side))
        for side in claim.file.side
    )


def _sides(claim: Claim, record: Record, catalog: Catalog) -> list[str]:
    """Those that a record is of."""
    cell = (record.cell.label, record.cell.workload)
    return [
        name
        for name, side in claim.file.side.items()
        if cell == (_label(claim, name, catalog), claim.workload_of(name))
    ]


def _surroundings(record: Record) -> str:
    """What is alike in a comparison: the session, and all of the cell that no claim is about."""
    cell = msgspec.structs.replace(record.cell, variant="x", workload="x")
    return f"{record.session} {cell.name} {cell.engine} {cell.runner} {cell.layout}"


def _unusable(claim: Claim, record: Record) -> str:
    """Why a record doesn't count; empty where it does."""
    database, failed = record.provenance.database, [g for g in record.gates if g.verdict == "fail"]
    if record.outcome != "completed":
        return "failed"
    if record.planned and record.planned.warmup_seconds is not None:
        return "a preview, not warm"
    if claim.file.products and (not database or database.name not in claim.file.products):
        return f"{database.name if database else 'no database'}, not {' or '.join(claim.file.products)}"
    if record.validity == "invalid":
        return "invalid" + f" ({', '.join(g.name for g in failed if not g.limited_by)})" * bool(failed)
    beyond = [g for g in failed if g.limited_by not in claim.file.limited_by]
    return f"limited ({', '.join(g.name for g in beyond)})" if beyond else ""


def _compare(claim: Claim, sides: dict[str, list[Record]], catalog: Catalog) -> Comparison:
    first = next(iter(sides.values()))[0]
    said = tuple(_said(claim, own, sides, catalog) for own in claim.file.assertion)
    made = first.provenance
    parts = [f"JDK {made.java.version if made.java else first.cell.jdk}", product(made.database)]
    parts += [f"{made.machine.processors} × {made.machine.cpu_model}", f"kernel {made.machine.kernel}"]
    return Comparison(
        session=first.session,
        where=", ".join(filter(None, parts)),
        word=analyse.together([s.word for s in said]),
        said=said,
    )


def _said(claim: Claim, own: AssertionFile, sides: dict[str, list[Record]], catalog: Catalog) -> Said:
    arms = [sides[name] for name in (own.of, own.against) if name is not None]
    values = [list(_values(arm, own.metric)) for arm in arms]
    if own.happens:
        estimate = analyse.highest(values[0])
    else:
        estimate = analyse.level(values[0]) if own.against is None else analyse.ratio(*values)
    refused = list(_refused(claim, own, arms, catalog))
    word = "undecided" if refused else analyse.word(estimate, own.least, own.most)
    of, against = ([median(v) if v else None for v in values] + [None])[:2]
    runs = tuple(map(len, values))
    return Said(
        assertion=own, word=word, of=of, against=against, runs=runs, estimate=estimate,
        why=_why(own, runs, estimate, refused) if word == "undecided" else "",
    )  # fmt: skip


def _values(arm: Iterable[Record], metric: str) -> Iterator[float]:
    """One of each JVM: windows in one and the same aren't independent."""
    by_jvm: dict[object, list[float]] = {}
    for record in arm:
        if metric in record.metrics:
            jvm = record.pair.fork if record.pair else record.run_id
            by_jvm.setdefault(jvm, []).append(record.metrics[metric].value)
    yield from (median(values) for values in by_jvm.values())


def _refused(claim: Claim, own: AssertionFile, arms: list[list[Record]], catalog: Catalog) -> Iterator[Gate]:
    """The gates that forbid the comparison. Where the load is the factor, `flags` and `status` would name
    just that; its sides are of one variant in one session. A machine whose speed moved says nothing in
    seconds.
    """
    if own.against is None:
        return
    factor = {"flags", "status"} if claim.workload_of(own.of) != claim.workload_of(own.against) else set()
    for gate in comparable(arms[1], arms[0], catalog):
        untimed = gate.name == "speed" and not catalog.file.metric[own.metric].timed
        if gate.verdict == "fail" and gate.name not in factor and not untimed:
            yield gate


def _why(own: AssertionFile, runs: tuple[int, ...], estimate: Estimate | None, refused: list[Gate]) -> str:
    if min(runs) < LEAST:
        said = " and ".join(map(str, runs))
        return f"{said} runs with {own.metric}: at least {LEAST} of each are needed"
    if refused:
        return "not comparable: " + "; ".join(f"{g.name} ({g.observed})" for g in refused)
    if estimate is None:
        return f"{own.metric}: a value of 0 has no ratio"
    return f"{own.metric}: the interval reaches across the bounds: more runs make it narrower"

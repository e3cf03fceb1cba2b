"""Whether a record's numbers are sound. Pure: a record in, verdicts out.

To add a gate on a run: one function in the module of its theme, its line in `GATES` with the kinds that it
applies to, and its thresholds, each with its reason, in telar.toml. Gates on a comparison are in `arms.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec
from msgspec.structs import replace

from telar.catalog.system import Kind
from telar.catalog.types import Catalog
from telar.gates import database, jmh, load, machine, numbers, service
from telar.store.record import Gate, Record, Validity


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A gate, and the kinds of runs that have what it looks at."""

    judge: Callable[[Record, Catalog], Gate]
    kinds: frozenset[Kind]


def _of(*kinds: Kind) -> Callable[[Callable[[Record, Catalog], Gate]], Rule]:
    return lambda judge: Rule(judge=judge, kinds=frozenset(kinds))


_service, _benchmark, _any = _of("http"), _of("jmh"), _of("http", "jmh", "task")

GATES: dict[str, Rule] = {
    "arrivals": _service(load.arrivals),
    "client": _service(load.client),
    "status": _service(load.status),
    "little": _service(load.little),
    "state": _service(database.state),
    "plan": _service(database.plan),
    "target": _service(service.target),
    "flags": _service(service.flags),
    "telemetry": _service(service.telemetry),
    "warm": _service(service.warm),
    "saturation": _service(machine.saturation),
    "steady": _benchmark(jmh.steady),
    "error": _benchmark(jmh.error),
    "foreign": _any(machine.foreign),
    "speed": _any(machine.speed),
    "bounds": _any(numbers.bounds),
}


# They look at what is measured in seconds, and say nothing of what is counted.
TIMED = frozenset({"client", "little", "telemetry", "saturation", "foreign", "speed"})
# They look at how a rate was held: a search for the highest goes beyond it.
BEYOND = frozenset({"arrivals", "client", "status", "little", "target", "saturation"})


def judge(record: Record, catalog: Catalog) -> tuple[Gate, ...]:
    """The verdict of every gate of the run's kind, in the order of `GATES`; none on a run that failed."""
    if record.outcome != "completed":
        return ()
    own = catalog.of(record.cell.system)
    gates = {n: rule.judge(record, own) for n, rule in GATES.items() if record.kind in rule.kinds}
    runner = catalog.file.runner.get(record.cell.runner)
    if runner and runner.judges:
        gates |= _only_warned(gates, TIMED, "no verdict rests on the clock here, or else: ")
    if catalog.search(record.cell.workload):
        beyond = "the search goes beyond what the service holds, and each of its rates has a setup"
        gates |= {n: replace(g, advice=beyond) for n, g in _only_warned(gates, BEYOND).items()}
    return tuple(gates.values())


def _only_warned(gates: Mapping[str, Gate], names: Iterable[str], why: str = "") -> dict[str, Gate]:
    """Those of these names that fail, in which nothing is wrong."""
    failed = [gates[name] for name in names if name in gates and gates[name].verdict == "fail"]
    return {g.name: replace(g, verdict="warn", advice=why + g.advice, limited_by=None) for g in failed}


def validity(gates: tuple[Gate, ...]) -> Validity:
    """Of all gates together: what any of them found wrong, the worse kind first."""
    failed = [g for g in gates if g.verdict == "fail"]
    if not gates or any(not g.limited_by for g in failed):
        return "invalid"
    return "limited" if failed else "valid"


def judged_again(records: Iterable[Record], catalog: Catalog) -> list[Record]:
    """Records as they are to be read today: one with a metric outside its bounds is invalid, whoever wrote it
    when nothing asked for that yet. The files stay as they were written.
    """
    return [_bounded(record, catalog) for record in records]


def _bounded(record: Record, catalog: Catalog) -> Record:
    found = numbers.bounds(record, catalog)
    if found.verdict == "pass" or record.outcome != "completed":
        return record
    gates = (*(g for g in record.gates if g.name != found.name), found)
    return msgspec.structs.replace(record, gates=gates, validity=validity(gates))

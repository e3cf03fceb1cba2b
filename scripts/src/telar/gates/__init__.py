"""Whether a record's numbers are sound. Pure: a record in, verdicts out.

To add a gate on a run: one function in the module of its theme, its line in `GATES`, and its thresholds, each
with its reason, in telar.toml. Gates on a comparison are in `arms.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from telar.catalog.types import Catalog
from telar.gates import database, load, machine, numbers, service
from telar.store.record import Gate, Record, Validity

GATES: dict[str, Callable[[Record, Catalog], Gate]] = {
    "arrivals": load.arrivals,
    "client": load.client,
    "status": load.status,
    "little": load.little,
    "state": database.state,
    "plan": database.plan,
    "target": service.target,
    "flags": service.flags,
    "telemetry": service.telemetry,
    "warm": service.warm,
    "saturation": machine.saturation,
    "foreign": machine.foreign,
    "speed": machine.speed,
    "bounds": numbers.bounds,
}


def judge(record: Record, catalog: Catalog) -> tuple[Gate, ...]:
    """Every gate's verdict on a completed run, in the order of `GATES`; none on one that failed."""
    if record.outcome != "completed":
        return ()
    own = catalog.of(record.cell.system)
    return tuple(gate(record, own) for gate in GATES.values())


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

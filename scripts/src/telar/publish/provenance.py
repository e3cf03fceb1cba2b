"""What a session's runs have in common, in words; the page of a run shows all else that its record holds."""

from __future__ import annotations

import time
from collections.abc import Iterable

import msgspec

from telar.publish.arms import Arm
from telar.store.record import Machine, Provenance


def utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))


def code(provenance: Provenance) -> str:
    changed = f" with uncommitted changes {provenance.dirty}" if provenance.dirty else ""
    return f"{provenance.commit[:12] or 'no commit'}{changed}"


def machine_text(machine: Machine) -> str:
    return f"{machine.processors} × {machine.cpu_model}, {machine.memory_mib / 1024:.1f} GiB"


def differences(arms: Iterable[Arm]) -> list[str]:
    """What isn't the same in all runs of a cell, though it should be: a sentence for each such cell."""
    found = []
    for arm in arms:
        done = [_comparable(r.provenance) for r in arm.records if r.outcome == "completed"]
        names = [f for f in Provenance.__struct_fields__ if len({repr(getattr(p, f)) for p in done}) > 1]
        if names:
            found.append(f"{arm.cell.label}: its runs differ in {', '.join(names)}, and should not.")
    return found


def _comparable(provenance: Provenance) -> Provenance:
    """Without command lines, which name files of each run's own, and without jars that are those which were
    open just then.
    """
    java, database = provenance.java, provenance.database
    jars = java.class_path if java and java.class_path_source == "artifact" else ()
    return msgspec.structs.replace(
        provenance,
        java=java and msgspec.structs.replace(java, command=(), class_path=jars),
        database=database and msgspec.structs.replace(database, command=()),
    )

"""The machine's side: who was at the limit, and who else was there?"""

from __future__ import annotations

from telar.catalog.types import Catalog
from telar.gates.evidence import cores, gate, growth, processors, span
from telar.store.record import Gate, Limiter, Record, Stage

COMPONENTS = ("app", "database", "generator")


def saturation(record: Record, catalog: Catalog) -> Gate:
    """At the highest rate: whether the database or the machine, and not the app, set the limit."""
    rules = catalog.file.gate.saturation
    stage = _ceiling(record)
    used = {c: cores(record, c, stage.start, stage.end) or 0.0 for c in COMPONENTS}
    whole = len(set().union(*(processors(c) for c in record.provenance.cpus.values())))
    total = sum(used.values())
    limiter: Limiter | None = None
    if total and used["database"] > rules.database * total:
        limiter = "database"
    elif total > rules.machine * whole:
        limiter = "machine"
    at = f"at {stage.to_rate:g}/s: " + ", ".join(f"{name} {value:.2f}" for name, value in used.items())
    return gate(
        "saturation",
        "fail" if limiter else "pass",
        f"{at} of {whole} processors",
        expected=f"database under {rules.database:.0%} of what is used, all under {rules.machine:.0%}",
        advice=f"these are true numbers about the {limiter}: lower the rate to learn about the app",
        limited_by=limiter,
    )


def foreign(record: Record, catalog: Catalog) -> Gate:
    """Processor time of anything that isn't the app, its database, the generator or the runner."""
    limit = catalog.file.gate.foreign.seconds_per_30
    everything, known = growth(record, "host.busy_seconds"), span(record, "host.busy_seconds")
    expected = f"at most {limit:g} s of processor time in 30 s"
    if everything is None or known is None:
        advice = "the machine's own counters could not be read"
        return gate("foreign", "warn", "not known", expected=expected, advice=advice)
    ours = sum(growth(record, f"{c}.cpu_seconds") or 0.0 for c in (*COMPONENTS, "runner", "telemetry"))
    others = max(0.0, everything - ours) * 30 / (known[1] - known[0])
    return gate(
        "foreign",
        "pass" if others <= limit else "fail",
        f"{others:.2f} s in 30 s",
        expected=expected,
        advice="somebody else used the machine: end it, and repeat the run",
        limited_by="machine",
    )


def speed(record: Record, catalog: Catalog) -> Gate:
    """Fixed work took as long after the window as before it."""
    limit, ruler = catalog.file.gate.speed.moved, record.ruler
    expected = f"within {limit:.0%} of each other"
    if ruler is None:
        advice = "no fixed work was timed: the host's speed isn't known"
        return gate("speed", "warn", "not known", expected=expected, advice=advice)
    moved = max(ruler.before, ruler.after) / min(ruler.before, ruler.after) - 1
    return gate(
        "speed",
        "pass" if moved <= limit else "fail",
        f"{ruler.before * 1000:.1f} ms before, {ruler.after * 1000:.1f} ms after the window",
        expected=expected,
        advice="the host's speed moved: repeat the run, or normalise by its speed",
        limited_by="machine",
    )


def _ceiling(record: Record) -> Stage:
    assert record.load, "a completed run has its load"
    return max(record.load.stages, key=lambda s: (min(s.from_rate, s.to_rate), s.end))

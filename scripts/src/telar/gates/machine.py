"""The machine's side: who was at the limit, and who else was there?"""

from __future__ import annotations

from telar.catalog.types import Catalog
from telar.gates.evidence import ceiling, cores, gate, growth, readings, share, span
from telar.store.record import Gate, Limiter, Record

COMPONENTS = ("app", "database", "generator")
# Seconds of readings. Over one second, what is read a little later than the rest was 8 s in 30 s of others.
LEAST = 5


def _components(record: Record) -> tuple[str, ...]:
    """Those that the run had: a guest may keep its data itself, and only a service has a generator."""
    if record.kind != "http":
        return ("app",)
    own = tuple(c for c in COMPONENTS if c != "database" or record.provenance.database)
    return (*own, *record.provenance.beside)


def saturation(record: Record, catalog: Catalog) -> Gate:
    """At the highest rate: whether the database or the machine, and not the app, set the limit."""
    rules, stage = catalog.file.gate.saturation, ceiling(record)
    known = {c: cores(record, c, stage.start, stage.end) for c in _components(record)}
    used = {name: value for name, value in known.items() if value is not None}
    whole, own = len(share(record, *COMPONENTS)), len(share(record, "database"))
    expected = (
        f"database under {rules.database:.0%} of what is used and under {rules.machine:.0%} of its {own} "
        f"processors, all under {rules.machine:.0%} of {whole}"
    )
    if len(used) < len(known):
        missing = ", ".join(sorted(known.keys() - used.keys()))
        advice = f"who set the limit isn't known: a longer stage at {stage.to_rate:g}/s has more readings"
        return gate("saturation", "warn", f"not known of {missing}", expected=expected, advice=advice)
    total, database = sum(used.values()), used.get("database", 0.0)
    limiter: Limiter | None = None
    if total and (database > rules.database * total or database > rules.machine * own):
        limiter = "database"
    elif total > rules.machine * whole:
        limiter = "machine"
    at = f"at {stage.to_rate:g}/s: " + ", ".join(f"{name} {value:.2f}" for name, value in used.items())
    return gate(
        "saturation",
        "fail" if limiter else "pass",
        f"{at} of {whole} processors",
        expected=expected,
        advice=f"these are true numbers about the {limiter}: lower the rate to learn about the app",
        limited_by=limiter,
    )


def foreign(record: Record, catalog: Catalog) -> Gate:
    """Processor time of anything that isn't the app, its database, the generator or the runner; the host's
    other guests, too.
    """
    rules = catalog.file.gate.foreign
    expected = (
        f"at most {rules.seconds_per_30:g} s of processor time in 30 s for others, "
        f"and {rules.stolen_per_30:g} s for other guests of the host"
    )
    watched = [f"{c}.cpu_seconds" for c in (*_components(record), "runner")]
    watched += ["telemetry.cpu_seconds"] * bool(readings(record, "telemetry.cpu_seconds"))
    known = span(record, "host.busy_seconds", *watched)
    if known is None:
        advice = "the counters of the machine or of a component could not be read: look at the series"
        return gate("foreign", "warn", "not known", expected=expected, advice=advice)
    if known[1] - known[0] < LEAST:
        found = f"not known: {known[1] - known[0]:.0f} s of readings"
        advice = f"the run was too short: what others use is known from {LEAST} s on"
        return gate("foreign", "warn", found, expected=expected, advice=advice)
    everything = growth(record, "host.busy_seconds", *known) or 0.0
    ours = sum(growth(record, name, *known) or 0.0 for name in watched)
    per_30 = 30 / (known[1] - known[0])
    others = max(0.0, everything - ours) * per_30
    stolen = (growth(record, "host.steal_seconds", *known) or 0.0) * per_30
    disturbed = others > rules.seconds_per_30
    # Another guest can't be ended from here.
    advice = (
        "somebody else used the machine: end it, and repeat the run"
        if disturbed
        else "other guests of the host used the processors: repeat the run when the host is quieter"
    )
    return gate(
        "foreign",
        "fail" if disturbed or stolen > rules.stolen_per_30 else "pass",
        f"{others:.2f} s in 30 s, {stolen:.2f} s stolen",
        expected=expected,
        advice=advice,
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

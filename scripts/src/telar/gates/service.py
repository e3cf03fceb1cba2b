"""The service's side: was it the one that was planned, watched without gaps, and warm?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from telar.catalog.jvm import options
from telar.catalog.types import Catalog
from telar.gates.evidence import (
    counted,
    falls_behind,
    fell,
    gate,
    growth,
    load_of,
    processors,
    readings,
    span,
)
from telar.store.record import Gate, Java, Limits, Provenance, Record, Verdict

# What Telar itself adds to every launch, to learn what ran (run/java.py).
OUR_OPTIONS = ("-showversion", "-XX:+PrintFlagsFinal", "-jar")
OUR_FILES = (
    "-Xlog:gc:file=", "-XX:ErrorFile=", "-XX:StartFlightRecording=", "-XX:FlightRecorderOptions=",
)  # fmt: skip
# Options that set a flag of another name.
SHORT = {"-Xms": "InitialHeapSize", "-Xmx": "MaxHeapSize"}
POOL = re.compile(r"-D\S*(?:hikari\.maximum-pool-size|jdbc\.max-size)=(\d+)")
SPARE = 0.3  # of all processors in use: with less, the machine isn't why a port doesn't answer
UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}


def target(record: Record, catalog: Catalog) -> Gate:
    """The process that was scraped answered the requests that were sent, on the JVM and drivers planned."""
    wrong = [*_wrong_java(record), *_wrong_drivers(record, catalog)]
    variant = catalog.variants.get(record.cell.label)
    counts = variant is None or variant.app.http.metrics is not None
    miscounted = _wrong_count(record, catalog) if counts else []
    expected = "the planned JVM and drivers, and as many requests served as were answered"
    if miscounted and not wrong and (falls_behind(record) or _is_silent(record, catalog)):
        return gate(
            "target",
            "fail",
            "; ".join(miscounted),
            expected=expected,
            advice="the service falls behind or blocks: it serves what waited before the window, or whoever "
            "has given up",
            limited_by="app",
        )
    wrong += miscounted
    if not wrong and not counts:
        advice = "without the app's own count it isn't known whether it answered all requests"
        return gate("target", "warn", "no count of served requests", expected=expected, advice=advice)
    return gate(
        "target",
        "fail" if wrong else "pass",
        "; ".join(wrong) or "as planned",
        expected=expected,
        advice="another process was measured: see who listens on the app's ports",
    )


def flags(record: Record, catalog: Catalog) -> Gate:
    """The JVM says that it took what every cell has and what its launch adds; limits are the layout's."""
    java, variant = record.provenance.java, record.cell.label
    pool = _pool_of(record.cell.flags) or catalog.file.gate.flags.pool
    own = options(catalog, catalog.variants.get(variant), record.cell.flags)
    asked = dict(filter(None, map(_flag, own)))  # a launch's own come last, and win
    wrong = [*_wrong_flags(java, asked), *_wrong_options(java, own)] if java else ["no JVM known"]
    wrong += _wrong_limits(record.provenance)
    size = readings(record, "app.pool_max")
    other = [f"a pool of {size[-1][1]:g}"] if size and pool and size[-1][1] != pool else []
    refused = wrong or (other and not record.cell.revision)  # a comparison of commits may be about its pool
    return gate(
        "flags",
        "fail" if refused else "warn" if other else "pass",
        ", ".join([*wrong, *other]) or "as planned",
        expected=f"{' '.join(f'{name}={value}' for name, value in asked.items())}, nothing beside the plan, "
        f"{f'a pool of {pool}, ' if pool else ''}the layout's processors and memory",
        advice="something else set them: JAVA_TOOL_OPTIONS, an image's entry point, a container's limit",
    )


def telemetry(record: Record, catalog: Catalog) -> Gate:
    """The app's metrics could be read at each second of the window."""
    limit = _longest_gap(record, catalog)
    expected = f"no gap; at most {limit:.1f} s"
    if not record.telemetry_gaps:
        advice = "the app was never scraped: gauges and heap are not known"
        return gate("telemetry", "warn", "not known", expected=expected, advice=advice)
    gap = sum(record.telemetry_gaps.values())
    verdict: Verdict = "pass" if not gap else "warn" if gap <= limit else "fail"
    return gate(
        "telemetry",
        verdict,
        f"{gap:.1f} s without a reading" if gap else "no gap",
        expected=expected,
        advice="gauges and heap are not known for these seconds: is the metrics port served under load?",
        limited_by="app" if falls_behind(record) or _is_silent(record, catalog) else None,
    )


def _longest_gap(record: Record, catalog: Catalog) -> float:
    return catalog.file.gate.telemetry.share * load_of(record).seconds


def _is_silent(record: Record, catalog: Catalog) -> bool:
    """Whether the app's metrics port didn't answer though the machine had processors to spare: handlers block
    the threads that would answer there.
    """
    known = span(record, "host.busy_seconds")
    busy = growth(record, "host.busy_seconds", *known) if known else None
    if known is None or busy is None:
        return False
    used = busy / (known[1] - known[0]) / record.provenance.machine.processors
    return used < SPARE and sum(record.telemetry_gaps.values()) > _longest_gap(record, catalog)


def warm(record: Record, catalog: Catalog) -> Gate:
    """The compilers' share of the app's processor time in the window."""
    limit = catalog.file.gate.warm.compiling
    steady = record.warmup.steady if record.warmup else None
    label = {True: "steady", False: "not steady at the ceiling", None: "a fixed warm-up"}[steady]
    expected = f"at most {limit:.0%}, after a warm-up until steady"
    compiling, used = growth(record, "app.compiler_seconds"), growth(record, "app.cpu_seconds")
    if compiling is None or not used:
        advice = "the compilers' threads could not be read: whether the JVM was warm isn't known"
        return gate("warm", "warn", f"not known, {label}", expected=expected, advice=advice)
    if not any(seconds for _, seconds in readings(record, "app.compiler_seconds")):
        advice = "every JVM compiles at first: its compilers' threads have other names than Telar knows"
        unseen = f"no compiler at work since the JVM's start, {label}"
        return gate("warm", "fail", unseen, expected=expected, advice=advice)
    share = compiling / used
    verdict: Verdict = "fail" if share > limit else "warn" if steady is False else "pass"
    return gate(
        "warm",
        verdict,
        f"{share:.1%} of the app's CPU in its compilers, {label}",
        expected=expected,
        advice="a cold JVM against a warm one gives the wrong sign: warm up longer, or look at its curve",
    )


def _pool_of(flags: tuple[str, ...]) -> int | None:
    """The size that a cell's own flags give the pool, in Hikari's or Agroal's words."""
    found = [match for match in map(POOL.fullmatch, flags) if match]
    return int(found[-1].group(1)) if found else None


def _wrong_java(record: Record) -> list[str]:
    version = record.provenance.java.version if record.provenance.java else ""
    major = re.match(r"\d+", version)
    return [] if major and major.group() == record.cell.jdk else [f"Java {version or 'unknown'}"]


def _wrong_drivers(record: Record, catalog: Catalog) -> list[str]:
    jars = record.provenance.java.class_path if record.provenance.java else ()
    wanted = {f"{catalog.file.driver[n].jar}-{v}.jar" for n, v in record.cell.drivers.items()}
    # Quarkus puts the group before a jar's name.
    return [f"no {jar} open" for jar in sorted(wanted) if not any(name.endswith(jar) for name in jars)]


def _wrong_count(record: Record, catalog: Catalog) -> list[str]:
    """Compared between the first and the last scrape."""
    known = span(record, "app.requests_served")
    served = growth(record, "app.requests_served", *known) if known else None
    if known is None or served is None:
        return ["no count of served requests"]
    if fell(record, "app.requests_served"):
        return ["its count of served requests began again: another process took its place"]
    sent, unsure = counted(record, *known, "load.answered", "load.failed")
    # Whether a request without an answer was served isn't known.
    unsure += sum(f.count for f in record.failures if not f.kind.startswith(("status", "contract")))
    allowed = catalog.file.gate.target.tolerance * sent + unsure
    return [] if abs(served - sent) <= allowed else [f"{served:,.0f} requests served, {sent:,.0f} sent"]


def _wrong_flags(java: Java, asked: dict[str, str]) -> Iterator[str]:
    for name, value in asked.items():
        if java.flags.get(name) != value:
            yield f"{name} is {java.flags.get(name, 'the default')}"


def _wrong_options(java: Java, own: tuple[str, ...]) -> Iterator[str]:
    """What the command line lacks or has beside the plan, and what came in by the environment."""
    given = [part for part in java.command[1:] if part.startswith("-")]
    yield from (f"{option} not given" for option in own if option not in given)
    told = (*own, *OUR_OPTIONS)
    yield from (f"{o} beside the plan" for o in given if o not in told and not o.startswith(OUR_FILES))
    yield from java.picked_up


def _wrong_limits(provenance: Provenance) -> Iterator[str]:
    """What the kernel says of a component's processors and of the app's memory, where that was read."""
    for name, limits in provenance.limits.items():
        if processors(limits.cpus) != processors(provenance.cpus.get(name) or limits.cpus):
            yield f"{name} on processors {limits.cpus}"
    app: Limits | None = provenance.limits.get("app")
    if app and provenance.app_memory and (app.memory_mib or 0) * 2**20 != _size(provenance.app_memory):
        yield f"a limit of {app.memory_mib or 'no'} MiB for the app"


def _flag(option: str) -> tuple[str, str] | None:
    """The flag that an option of the command line sets, and its value as the JVM tells it; None of others."""
    if option[:4] in SHORT:
        return SHORT[option[:4]], str(_size(option[4:]))
    if not option.startswith("-XX:"):
        return None
    name, _, value = option.removeprefix("-XX:").partition("=")
    return name.lstrip("+-"), value or ("false" if name.startswith("-") else "true")


def _size(text: str) -> int:
    """Bytes: `500m`, `1g`."""
    number, unit = re.fullmatch(r"(\d+)([kmg]?)b?", text.lower()).groups()  # type: ignore[union-attr]
    return int(number) * UNITS[unit]

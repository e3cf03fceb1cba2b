"""The service's side: was it the one that was planned, watched without gaps, and warm?"""

from __future__ import annotations

from telar.catalog.types import Catalog
from telar.gates.evidence import gate, growth, readings
from telar.store.record import Gate, Record, Verdict

# What Telar itself adds to every launch, to learn what ran (run/java.py).
OUR_FLAGS = ("-showversion", "-XX:+PrintFlagsFinal", "-jar")
OUR_LOG = "-Xlog:gc:file="


def target(record: Record, catalog: Catalog) -> Gate:
    """The process that was scraped answered the requests that were sent, on the JVM and drivers planned."""
    wrong = [*_wrong_java(record), *_wrong_drivers(record, catalog), *_wrong_count(record, catalog)]
    return gate(
        "target",
        "fail" if wrong else "pass",
        "; ".join(wrong) or "as planned",
        expected="the planned JVM and drivers, and as many requests served as were answered",
        advice="another process was measured: see who listens on the app's ports",
    )


def flags(record: Record, catalog: Catalog) -> Gate:
    """The JVM says that it took the flags that every cell has."""
    java = record.provenance.java
    known = java.flags if java else {}
    asked = [f for f in catalog.file.jvm.flags if f.startswith("-XX:")]
    wrong = [f"{flag} not in force" for flag in asked if not _has(known, flag)]
    wrong += [f"{flag} beside the plan" for flag in _extra(record, catalog)]
    pool, size = catalog.file.gate.flags.pool, readings(record, "app.pool_max")
    wrong += [f"a pool of {size[-1][1]:g}" for _ in range(1) if size and size[-1][1] != pool]
    return gate(
        "flags",
        "fail" if wrong else "pass",
        ", ".join(wrong) or "as planned",
        expected=f"{' '.join(asked)}, nothing beside the plan, a pool of {pool}",
        advice="something else set them: JAVA_TOOL_OPTIONS, an image's entry point, a container's limit",
    )


def telemetry(record: Record, catalog: Catalog) -> Gate:
    """The app's metrics could be read at each second of the window."""
    gap = sum(record.telemetry_gaps.values())
    seconds = record.load.seconds if record.load else 0.0
    limit = catalog.file.gate.telemetry.share * seconds
    verdict: Verdict = "pass" if not gap else "warn" if gap <= limit else "fail"
    return gate(
        "telemetry",
        verdict,
        f"{gap:.1f} s without a reading" if gap else "no gap",
        expected=f"no gap; at most {limit:.1f} s",
        advice="gauges and heap are not known for these seconds: is the metrics port served under load?",
    )


def warm(record: Record, catalog: Catalog) -> Gate:
    """The compiler's share of the app's processor time in the window."""
    limit = catalog.file.gate.warm.compiling
    compiling, used = growth(record, "app.compiler_seconds"), growth(record, "app.cpu_seconds")
    share = compiling / used if compiling is not None and used else 1.0
    steady = record.warmup.steady if record.warmup else None
    label = {True: "steady", False: "not steady at the ceiling", None: "a fixed warm-up"}[steady]
    verdict: Verdict = "fail" if share > limit else "warn" if steady is False else "pass"
    return gate(
        "warm",
        verdict,
        f"{share:.0%} of the app's CPU in its compilers, {label}",
        expected=f"at most {limit:.0%}, after a warm-up until steady",
        advice="a cold JVM against a warm one gives the wrong sign: warm up longer, or look at its curve",
    )


def _wrong_java(record: Record) -> list[str]:
    java = record.provenance.java
    version = java.version if java else "unknown"
    return [] if version.split(".")[0] == record.cell.jdk else [f"Java {version}"]


def _wrong_drivers(record: Record, catalog: Catalog) -> list[str]:
    jars = record.provenance.java.class_path if record.provenance.java else ()
    wanted = {f"{catalog.file.driver[n].jar}-{v}.jar" for n, v in record.cell.drivers.items()}
    # Quarkus puts the group before a jar's name.
    return [f"no {jar} open" for jar in sorted(wanted) if not any(name.endswith(jar) for name in jars)]


def _wrong_count(record: Record, catalog: Catalog) -> list[str]:
    """Compared between the first and the last scrape; each of them may be a second off."""
    served = readings(record, "app.requests_served")
    if len(served) < 2:  # noqa: PLR2004 - a difference needs two
        return ["no count of served requests"]
    (first, before), (last, after) = served[0], served[-1]
    per_second: dict[float, float] = {}
    for name in ("load.answered", "load.failed"):
        for second, count in readings(record, name):
            per_second[second] = per_second.get(second, 0.0) + count
    sent = sum(n for second, n in per_second.items() if first <= second < last)
    allowed = catalog.file.gate.target.tolerance * sent + 2 * max(per_second.values(), default=0)
    counted = after - before
    return [] if abs(counted - sent) <= allowed else [f"{counted:,.0f} requests served, {sent:,.0f} sent"]


def _extra(record: Record, catalog: Catalog) -> list[str]:
    """The JVM's arguments that neither the catalogue nor the launch asked for."""
    java, variant = record.provenance.java, catalog.variants.get(record.cell.variant)
    if java is None or variant is None:
        return []
    own = {*catalog.file.jvm.flags, *variant.launch_file.jvm, *OUR_FLAGS}
    given = [part for part in java.command[1:] if part.startswith("-")]
    return [part for part in given if part not in own and not part.startswith(OUR_LOG)]


def _has(known: dict[str, str], flag: str) -> bool:
    name, _, value = flag.removeprefix("-XX:").partition("=")
    wanted = value or ("false" if name.startswith("-") else "true")
    return known.get(name.lstrip("+-")) == wanted

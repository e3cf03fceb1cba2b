"""The service's side: target, flags, telemetry, warm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from telar.gates import GATES
from telar.plan.cells import Cell
from telar.store.record import Limits, Provenance, Warmup

from .sound import (
    ANSWERED,
    CATALOG,
    JAVA,
    PROVENANCE,
    SECONDS,
    SERIES,
    counter,
    failures,
    java,
    judged,
    load_with,
    series,
    sound,
    steadily,
)

# ---- target


def cell(**changes: Any) -> Cell:
    return msgspec.structs.replace(sound().cell, **changes)


def served(growth: Sequence[float | None]) -> Any:
    return series({"app.requests_served": growth})


@pytest.mark.parametrize(
    ("version", "jdk", "observed"),
    [
        ("25.0.2", "25", "as planned"),
        ("25", "25", "as planned"),
        ("27-ea", "27", "as planned"),
        ("21.0.5", "25", "Java 21.0.5"),
        ("2.5", "25", "Java 2.5"),
        ("", "25", "Java unknown"),
    ],
)
def test_the_jvm_is_of_the_planned_release(version: str, jdk: str, observed: str) -> None:
    seen = judged("target", provenance=java(version=version), cell=cell(jdk=jdk))
    assert (seen.verdict, seen.observed) == ("pass" if observed == "as planned" else "fail", observed)


@pytest.mark.parametrize(
    ("jars", "observed"),
    [
        (("mysql-connector-j-9.7.0.jar",), "as planned"),
        (("com.mysql.mysql-connector-j-9.7.0.jar",), "as planned"),  # as Quarkus names them
        (("mysql-connector-j-8.0.33.jar",), "no mysql-connector-j-9.7.0.jar open"),
        ((), "no mysql-connector-j-9.7.0.jar open"),
    ],
)
def test_the_drivers_are_of_the_planned_versions(jars: tuple[str, ...], observed: str) -> None:
    seen = judged("target", provenance=java(class_path=jars))
    assert (seen.verdict, seen.observed) == ("pass" if observed == "as planned" else "fail", observed)


def test_a_cell_without_drivers_needs_none() -> None:
    assert judged("target", provenance=java(class_path=()), cell=cell(drivers={})).verdict == "pass"


@pytest.mark.parametrize(
    ("factor", "observed"),
    [
        # 2 % of the 2200 after the first second, and the 100 that ended within a second of a reading.
        (1.05, "as planned"),
        (0.95, "as planned"),
        (1.07, "2,354 requests served, 2,200 sent"),
        (0.93, "2,046 requests served, 2,200 sent"),
        (0.0, "0 requests served, 2,200 sent"),  # of another process
    ],
)
def test_as_many_requests_were_served_as_sent(factor: float, observed: str) -> None:
    seen = judged("target", series=served(counter([n * factor for n in ANSWERED])))
    assert (seen.verdict, seen.observed) == ("pass" if observed == "as planned" else "fail", observed)
    assert seen.expected == "the planned JVM and drivers, and as many requests served as were answered"


def test_requests_are_counted_between_the_readings_that_there_are() -> None:
    half = [v if 5 <= n <= 14 else None for n, v in enumerate(SERIES["app.requests_served"])]
    assert judged("target", series=served(half)).verdict == "pass"


def test_requests_without_an_answer_may_or_may_not_have_been_served() -> None:
    lost = series(
        {
            "load.answered": [n * 0.9 for n in ANSWERED],
            "load.failed": [n * 0.1 for n in ANSWERED],
            "app.requests_served": counter([n * 0.9 for n in ANSWERED]),
        }
    )
    assert judged("target", series=lost).verdict == "fail"
    assert judged("target", series=lost, failures=(failures(225, "timeout"),)).verdict == "pass"
    assert judged("target", series=lost, failures=(failures(225, "status 503"),)).verdict == "fail"


def test_a_count_that_began_anew_is_another_process() -> None:
    whole = SERIES["app.requests_served"]
    restarted = [v if n < 15 else v - whole[15] for n, v in enumerate(whole) if v is not None]  # type: ignore[operator]
    seen = judged("target", series=served(restarted))
    assert seen.observed == "its count of served requests began again: another process took its place"


@pytest.mark.parametrize("read", [None, [None] * SECONDS + [5.0]])
def test_without_two_readings_there_is_no_count(read: Any) -> None:
    assert judged("target", series=series({"app.requests_served": read})).observed == (
        "no count of served requests"
    )


def test_all_that_is_wrong_with_a_target_is_told() -> None:
    seen = judged("target", provenance=java(version="21.0.5", class_path=()), series=None)
    assert seen.observed == ("Java 21.0.5; no mysql-connector-j-9.7.0.jar open; no count of served requests")
    assert seen.advice == "another process was measured: see who listens on the app's ports"


# ---- flags


def flags(**changes: str | None) -> dict[str, str]:
    """The JVM's, with some of another value, or as the default."""
    return {name: value for name, value in {**JAVA.flags, **changes}.items() if value is not None}


def limits(**changes: Any) -> Provenance:
    usual = Limits(cpus="0-1", quota=None, memory_mib=1024, priority="-20")
    return msgspec.structs.replace(
        PROVENANCE, limits={"app": msgspec.structs.replace(usual, **changes), "database": usual}
    )


@pytest.mark.parametrize(
    ("provenance", "observed"),
    [
        (PROVENANCE, "as planned"),
        (java(flags=flags(MaxHeapSize="268435456")), "MaxHeapSize is 268435456"),
        (java(flags=flags(UseG1GC=None)), "UseG1GC is the default"),
        (
            java(flags=flags(UseG1GC="false", InitialHeapSize="8388608")),
            "InitialHeapSize is 8388608, UseG1GC is false",
        ),
        (java(command=(*JAVA.command, "-Xint")), "-Xint beside the plan"),
        (
            java(command=tuple(c for c in JAVA.command if not c.startswith("-Dspring"))),
            "-Dspring.threads.virtual.enabled=true not given",
        ),
        (java(picked_up=("JAVA_TOOL_OPTIONS: -Xint",)), "JAVA_TOOL_OPTIONS: -Xint"),
        (limits(cpus="0"), "app on processors 0"),
        (limits(cpus="0,1"), "as planned"),
        (limits(memory_mib=512), "a limit of 512 MiB for the app"),
        (limits(memory_mib=None), "a limit of no MiB for the app"),
        (
            msgspec.structs.replace(limits(memory_mib=None), app_memory=""),
            "as planned",
        ),  # nothing enforces one
        (msgspec.structs.replace(PROVENANCE, limits={}), "as planned"),  # nobody looked
        (msgspec.structs.replace(limits(cpus="3"), cpus={"app": ""}), "as planned"),  # not pinned
        (msgspec.structs.replace(PROVENANCE, java=None), "no JVM known"),
    ],
)
def test_flags(provenance: Provenance, observed: str) -> None:
    seen = judged("flags", provenance=provenance)
    assert (seen.verdict, seen.observed) == ("pass" if observed == "as planned" else "fail", observed)
    assert seen.expected == (
        "InitialHeapSize=524288000 MaxHeapSize=524288000 UseG1GC=true ActiveProcessorCount=2, nothing beside "
        "the plan, a pool of 20, the layout's processors and memory"
    )
    assert seen.advice == (
        ""
        if observed == "as planned"
        else "something else set them: JAVA_TOOL_OPTIONS, an image's entry point, a container's limit"
    )


@pytest.mark.parametrize(
    ("pool", "observed"), [(None, "as planned"), ([20.0] * 31, "as planned"), ([10.0] * 31, "a pool of 10")]
)
def test_a_pool_that_tells_its_size_has_the_planned_one(pool: Any, observed: str) -> None:
    found = judged("flags", series=series({"app.pool_max": pool}))
    assert (found.observed, found.verdict) == (observed, "pass" if observed == "as planned" else "fail")


@pytest.mark.parametrize(("size", "verdict"), [(5.0, "pass"), (20.0, "fail")])
def test_a_cells_own_flags_may_be_about_the_pool(size: float, verdict: str) -> None:
    own = "-Dspring.datasource.hikari.maximum-pool-size=5"
    seen = judged(
        "flags",
        cell=cell(flags=(own,)),
        provenance=java(command=(*JAVA.command, own)),
        series=series({"app.pool_max": [size] * 31}),
    )
    assert (seen.verdict, seen.observed) == (verdict, "as planned" if verdict == "pass" else "a pool of 20")
    assert "a pool of 5" in seen.expected


def test_the_pool_of_a_commit_is_its_own_and_told() -> None:
    found = judged("flags", cell=cell(revision="1" * 40), series=series({"app.pool_max": [2.0] * 31}))
    assert (found.observed, found.verdict) == ("a pool of 2", "warn")


def test_a_launchs_own_flag_wins_over_every_cells() -> None:
    variant = CATALOG.variants["spring-mysql-blocking-virtual"]
    file = variant.app.file
    launch = msgspec.structs.replace(file.launch["virtual"], jvm=("-Xmx1g", "-XX:-UseG1GC"))
    app = msgspec.structs.replace(
        variant.app, file=msgspec.structs.replace(file, launch={**file.launch, "virtual": launch})
    )
    other = msgspec.structs.replace(variant, app=app)
    catalog = msgspec.structs.replace(CATALOG, variants={**CATALOG.variants, variant.name: other})
    command = (*(c for c in JAVA.command if not c.startswith("-Dspring")), "-Xmx1g", "-XX:-UseG1GC")
    told = java(command=command, flags=flags(MaxHeapSize=str(2**30), UseG1GC="false"))
    assert GATES["flags"].judge(sound(provenance=told), catalog).observed == "as planned"
    assert GATES["flags"].judge(sound(provenance=java(command=command)), catalog).observed == (
        "MaxHeapSize is 524288000, UseG1GC is true"
    )


def test_a_cells_own_collector_is_asked_in_place_of_every_cells() -> None:
    own = cell(flags=("-XX:+UseZGC",))
    command = (*(c for c in JAVA.command if c != "-XX:+UseG1GC"), "-XX:+UseZGC")
    taken = java(command=command, flags=flags(UseG1GC="false", UseZGC="true"))
    assert judged("flags", cell=own, provenance=taken).observed == "as planned"
    assert judged("flags", cell=own).observed == (
        "UseZGC is the default, -XX:+UseZGC not given, -XX:+UseG1GC beside the plan"
    )


def test_a_variant_that_the_catalogue_no_longer_has_is_held_to_every_cells_flags() -> None:
    seen = judged("flags", cell=cell(variant="spring-mysql-gone-virtual"))
    assert seen.observed == "-Dspring.threads.virtual.enabled=true beside the plan"


# ---- telemetry


@pytest.mark.parametrize(
    ("gaps", "verdict", "observed"),
    [
        ({"app": 0.0}, "pass", "no gap"),
        ({"app": 0.2}, "warn", "0.2 s without a reading"),
        ({"app": 1.5}, "warn", "1.5 s without a reading"),
        ({"app": 1.6}, "fail", "1.6 s without a reading"),
        ({"app": 30.0}, "fail", "30.0 s without a reading"),
    ],
)
def test_telemetry(gaps: dict[str, float], verdict: str, observed: str) -> None:
    seen = judged("telemetry", telemetry_gaps=gaps)
    assert (seen.verdict, seen.observed, seen.expected) == (verdict, observed, "no gap; at most 1.5 s")
    told = "gauges and heap are not known for these seconds: is the metrics port served under load?"
    assert seen.advice == ("" if verdict == "pass" else told)


def test_a_service_that_falls_behind_says_nothing_of_itself_either_and_that_is_its_limit() -> None:
    """A handler that blocks an event loop keeps its metrics waiting, too."""
    late = {
        "load.offered": ANSWERED,
        "load.answered": [n / 2 for n in ANSWERED],
        "generator.cpu_seconds": steadily(0.2),
    }
    silent = judged("telemetry", telemetry_gaps={"app": 9.0}, series=series(late))
    assert (silent.verdict, silent.limited_by) == ("fail", "app")
    other = counter([2 * n for n in ANSWERED])
    seen = judged("target", series=series({**late, "app.requests_served": other}))
    assert (seen.verdict, seen.limited_by) == ("fail", "app")
    assert judged("target", series=series({"app.requests_served": other})).limited_by is None
    wrong = judged(
        "target", series=series({**late, "app.requests_served": other}), provenance=java(version="21")
    )
    assert wrong.limited_by is None  # it may well be another process


def test_a_metrics_port_that_is_silent_on_an_idle_machine_is_the_apps_own_limit() -> None:
    idle = {"host.busy_seconds": steadily(0.3)}
    other = {"app.requests_served": counter([2 * n for n in ANSWERED])}
    gap = {"telemetry_gaps": {"app": 9.0}}
    assert judged("telemetry", series=series(idle), **gap).limited_by == "app"
    assert judged("target", series=series({**idle, **other}), **gap).limited_by == "app"
    assert judged("telemetry", **gap).limited_by is None  # the machine was busy: it may be its doing
    assert judged("target", series=series({**idle, **other})).limited_by is None  # it was read all the time


def test_of_a_longer_window_more_may_be_missing() -> None:
    assert judged("telemetry", telemetry_gaps={"app": 9.0}, load=load_with(seconds=180.0)).verdict == "warn"


def test_an_app_that_nobody_scraped_is_not_known() -> None:
    seen = judged("telemetry", telemetry_gaps={})
    assert (seen.verdict, seen.observed) == ("warn", "not known")
    assert seen.advice == "the app was never scraped: gauges and heap are not known"


# ---- warm

STEADY = Warmup(requests=1, seconds=1, steady=True)
NOT_STEADY = Warmup(requests=1, seconds=1, steady=False)
FIXED = Warmup(requests=1, seconds=1, steady=None)


@pytest.mark.parametrize(
    ("share", "warmup", "verdict", "observed"),
    [
        (0.02, STEADY, "pass", "2.0% of the app's CPU in its compilers, steady"),
        (0.0999, STEADY, "pass", "10.0% of the app's CPU in its compilers, steady"),
        (0.1004, STEADY, "fail", "10.0% of the app's CPU in its compilers, steady"),
        (0.02, FIXED, "pass", "2.0% of the app's CPU in its compilers, a fixed warm-up"),
        (0.5, FIXED, "fail", "50.0% of the app's CPU in its compilers, a fixed warm-up"),
        (0.02, NOT_STEADY, "warn", "2.0% of the app's CPU in its compilers, not steady at the ceiling"),
        (0.37, NOT_STEADY, "fail", "37.0% of the app's CPU in its compilers, not steady at the ceiling"),
        (0.02, None, "pass", "2.0% of the app's CPU in its compilers, a fixed warm-up"),
    ],
)
def test_warm(share: float, warmup: Warmup | None, verdict: str, observed: str) -> None:
    seen = judged("warm", warmup=warmup, series=series({"app.compiler_seconds": steadily(share * 0.5)}))
    assert (seen.verdict, seen.observed, seen.limited_by) == (verdict, observed, None)
    assert seen.expected == "at most 10%, after a warm-up until steady"
    told = "a cold JVM against a warm one gives the wrong sign: warm up longer, or look at its curve"
    assert seen.advice == ("" if verdict == "pass" else told)


@pytest.mark.parametrize(
    "missing",
    [{"app.compiler_seconds": None}, {"app.cpu_seconds": None}, {"app.cpu_seconds": steadily(0.0)}],
)
def test_compilers_that_could_not_be_read_are_not_known(missing: dict[str, Any]) -> None:
    seen = judged("warm", warmup=STEADY, series=series(missing))
    assert (seen.verdict, seen.observed) == ("warn", "not known, steady")
    assert seen.advice == "the compilers' threads could not be read: whether the JVM was warm isn't known"


def test_a_jvm_whose_compilers_never_worked_was_not_seen_warm() -> None:
    seen = judged("warm", warmup=STEADY, series=series({"app.compiler_seconds": steadily(0.0, start=0.0)}))
    assert (seen.verdict, seen.observed) == ("fail", "no compiler at work since the JVM's start, steady")
    assert (
        seen.advice == "every JVM compiles at first: its compilers' threads have other names than Telar knows"
    )

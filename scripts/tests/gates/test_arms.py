"""Gates on a comparison: each arm sound, and both alike in all but the factor."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from telar.gates.arms import ARM_GATES, comparable, refusals
from telar.store.record import Gate, Limits, Planned, Product, Record, Ruler, Warmup

from .sound import CATALOG, FLAGS, JAVA, PROVENANCE, failures, java, load_with, series, sound

BASE, OTHER = "spring-mysql-blocking-platform", "spring-mysql-blocking-virtual"
OWN = {
    BASE: ("-Dspring.threads.virtual.enabled=false",),
    OTHER: ("-Dspring.threads.virtual.enabled=true",),
}


def run(variant: str, position: int = 1, **changes: Any) -> Record:
    command = (
        "java",
        f"-Xlog:gc:file=/runs/{position}/gc.log:timemillis",
        *FLAGS,
        *OWN[variant],
        "-jar",
        "app.jar",
    )
    fields: dict[str, Any] = {"provenance": java(command=command), "validity": "valid"}
    return sound(variant=variant, position=position, **(fields | changes))


def arms(count: int = 3, **changes: Any) -> tuple[list[Record], list[Record]]:
    """As many runs of each, in turns; `changes` are the other arm's."""
    base = [run(BASE, 2 * n + 1) for n in range(count)]
    return base, [run(OTHER, 2 * n + 2, **changes) for n in range(count)]


def judged(name: str, base: list[Record], other: list[Record]) -> Gate:
    return ARM_GATES[name](base, other, CATALOG)


def test_arms_that_differ_in_their_launch_only_are_comparable() -> None:
    verdicts = comparable(*arms(), CATALOG)
    assert [(g.name, g.verdict, g.advice) for g in verdicts] == [(name, "pass", "") for name in ARM_GATES]
    assert {g.limited_by for g in verdicts} == {None}


# ---- status


def test_status_wants_the_same_shares_of_each_endpoint() -> None:
    more_reads = {"get": 1575 + 45, "list": 450 - 45, "create": 202, "delete": 23}
    seen = judged("status", *arms(load=load_with(requests=more_reads)))
    assert (seen.verdict, seen.observed) == ("fail", "get: 70.0% and 72.0%, list: 20.0% and 18.0%")
    assert seen.expected == (
        "endpoints in the same shares within 1% of all requests, no answer beside the contract"
    )
    assert seen.advice == "the arms did different work: their times say nothing about each other"


def test_status_lets_a_mix_vary_within_the_tolerance() -> None:
    cut_short = {"get": 1575 - 22, "list": 450 + 22, "create": 202, "delete": 23}
    seen = judged("status", *arms(load=load_with(requests=cut_short)))
    assert (seen.verdict, seen.observed) == ("pass", "the same mix, nothing beside the contract")


def test_status_names_what_either_arm_answered_beside_the_contract_once() -> None:
    wrong = (failures(3, "status 404"), failures(9, "contract", endpoint="list"), failures(9, "timeout"))
    seen = judged("status", *arms(failures=wrong))
    assert (seen.verdict, seen.observed) == ("fail", "get: status 404, list: contract")


def test_an_endpoint_that_only_one_arm_was_asked_for_is_found() -> None:
    seen = judged("status", *arms(load=load_with(requests={"get": 2250}, bytes={"get": 900.0})))
    assert seen.observed.startswith("create: 9.0% and 0.0%")


# ---- payload


@pytest.mark.parametrize(
    ("size", "verdict", "observed"),
    [
        (900.0, "pass", "equal"),
        (926.9, "pass", "equal"),
        (927.1, "fail", "get: 900 and 927 bytes"),
        (872.0, "fail", "get: 900 and 872 bytes"),
    ],
)
def test_payload(size: float, verdict: str, observed: str) -> None:
    sizes = {"get": size, "list": 16000.0, "create": 950.0, "delete": 120.0}
    seen = judged("payload", *arms(load=load_with(bytes=sizes)))
    assert (seen.verdict, seen.observed) == (verdict, observed)
    assert seen.expected == "bytes of a response equal within 3%"
    told = "an arm that sends less is faster for that: compare what one request answers"
    assert seen.advice == ("" if verdict == "pass" else told)


@pytest.mark.parametrize(("size", "verdict"), [(964.0, "pass"), (965.0, "fail")])
def test_headers_of_two_apps_may_differ(size: float, verdict: str) -> None:
    """Tomcat writes `Transfer-Encoding: chunked` where Netty writes `Content-Length: 15`."""
    base, other = arms(load=load_with(bytes={"get": size, "list": 16000.0, "create": 950.0, "delete": 120.0}))
    app = msgspec.structs.replace(base[0].cell, variant="spring-mysql-nonblocking-virtual")
    other = [msgspec.structs.replace(r, cell=app) for r in other]
    seen = judged("payload", base, other)
    assert (seen.verdict, seen.expected) == (verdict, "bytes of a response equal within 3% or 64 bytes")


def test_a_response_has_its_size_in_the_mean_over_all_requests_of_the_arm() -> None:
    base, other = arms(2)
    few = load_with(requests={"get": 100}, bytes={"get": 100.0})
    many = load_with(requests={"get": 900}, bytes={"get": 200.0})
    plain = load_with(requests={"get": 500}, bytes={"get": 190.0})
    base = [msgspec.structs.replace(r, load=plain) for r in base]
    other = [msgspec.structs.replace(r, load=load) for r, load in zip(other, (few, many), strict=True)]
    assert judged("payload", base, other).verdict == "pass"  # 190, not 150


def test_responses_whose_bytes_nobody_counted_are_not_known() -> None:
    """Of records in format 1, or without a request."""
    for load in (load_with(bytes={}), None):
        seen = judged("payload", *arms(load=load))
        assert (seen.verdict, seen.observed) == ("warn", "not known")
        assert seen.advice == (
            "no endpoint has its bytes counted in both arms: what a request answers can't be compared"
        )


def test_an_empty_response_may_have_no_bytes_at_all() -> None:
    none = {"get": 0.0, "list": 16000.0, "create": 950.0, "delete": 120.0}
    base, other = arms(load=load_with(bytes=none))
    base = [msgspec.structs.replace(r, load=load_with(bytes=none)) for r in base]
    assert judged("payload", base, other).verdict == "pass"


# ---- flags


def other_with(**changes: Any) -> Gate:
    """The other arm's provenance changed, its own command kept."""
    kept = run(OTHER).provenance
    return judged("flags", *arms(provenance=msgspec.structs.replace(kept, **changes)))


def other_jvm(**changes: Any) -> Gate:
    kept = run(OTHER).provenance.java
    assert kept
    return other_with(java=msgspec.structs.replace(kept, **changes))


MACHINE = PROVENANCE.machine
DATABASE = PROVENANCE.database
assert DATABASE


@pytest.mark.parametrize(
    ("changes", "observed"),
    [
        ({"machine": msgspec.structs.replace(MACHINE, kernel="6.18")}, "machine: 6.1 against 6.18"),
        ({"app_memory": ""}, "memory limit: 1g against nothing"),
        (
            {"limits": {"app": Limits(cpus="0", quota=None, memory_mib=1024, priority="0")}},
            "limits: app on 0-1, 1024 MiB, -20 against app on 0, 1024 MiB, 0",
        ),
        ({"commit": "7777777"}, "commit: 6d652bd against 7777777"),
        ({"dirty": "abcdef"}, "commit: nothing against abcdef"),
        (
            {"generator": msgspec.structs.replace(PROVENANCE.generator, version="2.3.0")},  # type: ignore[type-var]
            "generator: 2.2.0 against 2.3.0",
        ),
        (
            {"database": Product(name="MySQL", version="9.7.0", settings=DATABASE.settings)},
            "mysql server: MariaDB 11.4.3 against MySQL 9.7.0",
        ),
        (
            {"database": msgspec.structs.replace(DATABASE, settings={"max_connections": "50"})},
            "mysql settings: max_connections=200 against max_connections=50",
        ),
    ],
)
def test_flags_names_what_the_arms_have_not_in_common(changes: dict[str, Any], observed: str) -> None:
    seen = other_with(**changes)
    assert (seen.verdict, seen.observed) == ("fail", observed)
    assert seen.advice == "more than the factor under test was changed: make both arms alike"
    assert seen.expected == (
        "one machine, kernel, layout, database, pool, warm-up; the JVM's flags but for the factor"
    )


@pytest.mark.parametrize(
    ("changes", "observed"),
    [
        (
            {"command": ("java", *FLAGS, "-Xint", *OWN[OTHER], "-jar", "app.jar")},
            "JVM arguments: nothing against -Xint",
        ),
        (
            {"picked_up": ("JAVA_TOOL_OPTIONS: -Xint",)},
            "JVM arguments from the environment: nothing against JAVA_TOOL_OPTIONS: -Xint",
        ),
        (
            {"flags": {**JAVA.flags, "UseG1GC": "false", "UseSerialGC": "true"}},
            "flags of JDK 25: UseG1GC=true against UseG1GC=false UseSerialGC=true",
        ),
    ],
)
def test_flags_of_the_jvm_are_told_one_by_one(changes: dict[str, Any], observed: str) -> None:
    assert other_jvm(**changes).observed == observed


def test_jmhs_hints_for_the_compiler_are_no_difference() -> None:
    """A file of another name in each fork; one of a user's own is another thing."""
    hints = other_jvm(flags={**JAVA.flags, "CompileCommandFile": "/tmp/jmh123compilecommand"})
    assert hints.verdict == "pass"
    own = other_jvm(flags={**JAVA.flags, "CompileCommandFile": "mine"})
    assert own.observed == "flags of JDK 25: nothing against CompileCommandFile=mine"


def test_latencies_that_count_from_different_moments_are_not_alike() -> None:
    base, _ = arms()
    other = [msgspec.structs.replace(r, load=load_with(latency_from="due")) for r in base]
    seen = judged("flags", base, other)
    assert seen.verdict == "fail"
    assert seen.observed == "latency: from when it was sent against from when it was due"
    assert judged("flags", other, other).verdict == "pass"


def test_what_a_launch_itself_sets_is_the_factor() -> None:
    """Its option, and the flag that the option is for."""
    variant = CATALOG.variants[OTHER]
    file = variant.app.file
    launch = msgspec.structs.replace(file.launch["virtual"], jvm=("-XX:TieredStopAtLevel=1",))
    app = msgspec.structs.replace(
        variant.app, file=msgspec.structs.replace(file, launch={**file.launch, "virtual": launch})
    )
    changed = msgspec.structs.replace(variant, app=app)
    catalog = msgspec.structs.replace(CATALOG, variants={**CATALOG.variants, OTHER: changed})
    told = java(
        command=("java", *FLAGS, "-XX:TieredStopAtLevel=1", "-jar", "app.jar"),
        flags={**JAVA.flags, "TieredStopAtLevel": "1"},
    )
    base, other = arms(provenance=told)
    assert ARM_GATES["flags"](base, other, catalog).observed == "equal"
    assert "TieredStopAtLevel=1" in judged("flags", base, other).observed


def test_another_jdk_may_have_other_flags() -> None:
    newer = msgspec.structs.replace(run(OTHER).cell, jdk="27")
    flags = {**JAVA.flags, "UseCompactObjectHeaders": "true"}
    kept = run(OTHER).provenance
    provenance = msgspec.structs.replace(kept, java=msgspec.structs.replace(kept.java, flags=flags))  # type: ignore[type-var]
    assert judged("flags", *arms(cell=newer, provenance=provenance)).observed == "equal"


@pytest.mark.parametrize(
    ("base", "other", "observed"),
    [
        (
            Warmup(requests=60_000, seconds=1, steady=True),
            Warmup(requests=9_000, seconds=1, steady=False),
            "equal",
        ),
        (
            Warmup(requests=60_000, seconds=1, steady=True),
            Warmup(requests=60_000, seconds=1, steady=None),
            "warm-up: until steady against 60,000 requests",
        ),
        (
            Warmup(requests=1_000, seconds=1, steady=None),
            Warmup(requests=9_000, seconds=1, steady=None),
            "warm-up: 1,000 requests against 9,000 requests",
        ),
    ],
)
def test_arms_are_warmed_up_by_one_protocol(base: Warmup, other: Warmup, observed: str) -> None:
    left, right = arms()
    left = [msgspec.structs.replace(r, warmup=base) for r in left]
    right = [msgspec.structs.replace(r, warmup=other) for r in right]
    assert judged("flags", left, right).observed == observed


@pytest.mark.parametrize(
    ("answered", "observed"),
    [
        (31_988, "equal"),  # its last cycle is whole
        (29_000, "warm-up: 30,000 requests against 29,000 requests"),
    ],
)
def test_a_warm_up_of_so_many_requests_is_one_protocol_where_it_reached_them(
    answered: int, observed: str
) -> None:
    planned = Planned(seed=1, warmup_requests=30_000)
    left, right = (
        [
            msgspec.structs.replace(
                r, planned=planned, warmup=Warmup(requests=requests, seconds=1, steady=None)
            )
            for r in arm
        ]
        for arm, requests in zip(arms(), (30_000, answered), strict=True)
    )
    assert judged("flags", left, right).observed == observed


def test_pools_are_of_one_size_where_both_tell_it() -> None:
    assert judged("flags", *arms(series=series({"app.pool_max": [10.0] * 31}))).observed == (
        "pool: 20.0 against 10.0"
    )
    assert judged("flags", *arms(series=series({"app.pool_max": None}))).observed == "equal"


def test_another_workload_or_layout_is_another_experiment() -> None:
    cell = msgspec.structs.replace(run(OTHER).cell, workload="movies-ramp")
    assert judged("flags", *arms(cell=cell)).observed == (
        "workload, engine, layout: movies-short against movies-ramp"
    )


def at_commit(record: Record, commit: str) -> Record:
    return msgspec.structs.replace(
        record, provenance=msgspec.structs.replace(record.provenance, commit=commit)
    )


def test_an_arm_whose_runs_differ_among_themselves_is_not_alike() -> None:
    base, other = arms()
    seen = judged("flags", base, [at_commit(other[0], "7777777"), *other[1:]])
    assert seen.observed == "commit: nothing against 7777777"
    seen = judged(
        "flags", [at_commit(base[0], "7777777"), *base[1:]], [at_commit(r, "7777777") for r in other]
    )
    assert seen.observed == "commit: 6d652bd against nothing"


def test_what_only_some_runs_of_an_arm_have_is_told() -> None:
    base, other = arms()
    whole = {"app": Limits(cpus="0-1", quota=None, memory_mib=1024, priority="-20")}
    both = whole | {"generator": whole["app"]}

    def having(record: Record, limits: dict[str, Limits]) -> Record:
        provenance = msgspec.structs.replace(record.provenance, limits=limits)
        return msgspec.structs.replace(record, provenance=provenance)

    seen = judged("flags", [having(base[0], whole), having(base[1], both)], [having(r, both) for r in other])
    assert seen.observed == "limits: not the same in all runs"


# ---- speed


def rulers(base: float, other: float) -> tuple[list[Record], list[Record]]:
    """Arms whose machine had these speeds."""
    by_speed = [Ruler(work="zlib", before=0.02 / s, after=0.02 / s) for s in (base, other)]
    left, right = arms()
    return tuple(  # type: ignore[return-value]
        [msgspec.structs.replace(r, ruler=ruler) for r in arm]
        for arm, ruler in zip((left, right), by_speed, strict=True)
    )


@pytest.mark.parametrize(
    ("base", "other", "verdict"),
    [
        (2.0, 2.0, "pass"),
        (2.0, 2.09, "pass"),
        (2.0, 2.11, "fail"),
        (2.11, 2.0, "fail"),
        (0.5, 0.5, "pass"),
        (0.5, 0.6, "fail"),
        (0.6, 0.5, "fail"),
    ],
)
def test_speed_is_one_arms_against_the_others_however_fast_both_are(
    base: float, other: float, verdict: str
) -> None:
    seen = judged("speed", *rulers(base, other))
    assert (seen.verdict, seen.observed) == (verdict, f"{base:.3f} and {other:.3f}")
    assert seen.expected == "medians within 5% of each other"
    assert seen.limited_by == (None if verdict == "pass" else "machine")


def test_a_speed_that_no_ruler_measured_is_not_known() -> None:
    seen = judged("speed", *arms(ruler=None))
    assert (seen.verdict, seen.observed) == ("warn", "not known")


# ---- repeats


def ordered(base: str, session: str = "s") -> tuple[list[Record], list[Record]]:
    """`A` and `B` at their positions."""
    runs = [
        (letter, run(BASE if letter == "A" else OTHER, n, session=session))
        for n, letter in enumerate(base, 1)
    ]
    return [r for letter, r in runs if letter == "A"], [r for letter, r in runs if letter == "B"]


@pytest.mark.parametrize(
    ("order", "verdict", "observed"),
    [
        ("ABBAAB", "pass", "3 and 3 runs"),
        ("ABABABAB", "pass", "4 and 4 runs"),
        ("AAABBB", "fail", "3 and 3 runs, all of one arm before the other"),
        ("BBBAAA", "fail", "3 and 3 runs, all of one arm before the other"),
        ("ABAB", "fail", "2 and 2 runs"),
        ("AB", "fail", "1 and 1 runs"),
        ("ABAAB", "fail", "3 and 2 runs"),
    ],
)
def test_repeats(order: str, verdict: str, observed: str) -> None:
    seen = judged("repeats", *ordered(order))
    assert (seen.verdict, seen.observed) == (verdict, observed)
    assert seen.expected == "at least 3 of each, interleaved in one session"
    told = "what the machine did meanwhile is in the difference: run both together with --repeat"
    assert seen.advice == ("" if verdict == "pass" else told)


def test_runs_of_several_sessions_are_not_repeats() -> None:
    first, second = ordered("ABBAAB", "one"), ordered("ABBAAB", "two")
    seen = judged("repeats", [*first[0], *second[0]], [*first[1], *second[1]])
    assert (seen.verdict, seen.observed) == ("fail", "6 and 6 runs, 2 sessions")
    base, _ = ordered("AAA", "one")
    _, other = ordered("BBB", "two")
    assert (
        judged("repeats", base, other).observed == "3 and 3 runs, 2 sessions, all of one arm before the other"
    )


# ---- refusals


def gates(*found: tuple[str, str, str | None]) -> tuple[Gate, ...]:
    return tuple(
        Gate(name=name, verdict=verdict, observed="", expected="", limited_by=limited)  # type: ignore[arg-type]
        for name, verdict, limited in found
    )


def test_an_invalid_arm_is_refused_by_the_gates_that_make_it_so() -> None:
    warm = gates(("arrivals", "pass", None), ("warm", "fail", None), ("foreign", "fail", "machine"))
    state = gates(("warm", "fail", None), ("state", "fail", None), ("plan", "warn", None))
    arm = [
        run(BASE, 1),
        run(BASE, 2, validity="invalid", gates=warm),
        run(BASE, 3, validity="invalid", gates=state),
    ]
    assert refusals(arm) == ["warm", "state"]


def test_a_limited_arm_is_not_refused() -> None:
    assert refusals([run(BASE, validity="limited", gates=gates(("foreign", "fail", "machine")))]) == []


def test_an_arm_that_nobody_has_looked_at_is_refused() -> None:
    """As records of format 1."""
    assert refusals([run(BASE, validity="invalid", gates=())]) == ["no gate has looked at it"]

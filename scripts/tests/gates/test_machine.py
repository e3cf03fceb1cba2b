"""The machine's side: saturation, foreign, speed."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from telar.store.record import Gate, Ruler, Stage

from .sound import BUSY, PROVENANCE, SECONDS, counter, judged, load_with, series, steadily

# ---- saturation

SPLIT = msgspec.structs.replace(PROVENANCE, cpus={"app": "0-1", "database": "2", "generator": "3"})


def at_the_top(provenance: Any = PROVENANCE, **cores: float) -> Gate:
    """What components keep busy at the highest rate, from second 20 on."""
    used = {f"{name}.cpu_seconds": counter([0.1] * 20 + [value] * 11) for name, value in cores.items()}
    return judged("saturation", provenance=provenance, series=series(used))


@pytest.mark.parametrize(
    ("cores", "verdict", "limiter", "observed"),
    [
        ((0.5, 0.2, 0.2), "pass", None, "at 100/s: app 0.50, database 0.20, generator 0.20 of 2 processors"),
        (
            (0.05, 0.89, 0.05),
            "pass",
            None,
            "at 100/s: app 0.05, database 0.89, generator 0.05 of 2 processors",
        ),
        (
            (0.05, 1.0, 0.05),
            "fail",
            "database",
            "at 100/s: app 0.05, database 1.00, generator 0.05 of 2 processors",
        ),
        ((1.2, 0.4, 0.29), "pass", None, "at 100/s: app 1.20, database 0.40, generator 0.29 of 2 processors"),
        (
            (1.2, 0.4, 0.31),
            "fail",
            "machine",
            "at 100/s: app 1.20, database 0.40, generator 0.31 of 2 processors",
        ),
        (
            (0.02, 1.95, 0.02),
            "fail",
            "database",
            "at 100/s: app 0.02, database 1.95, generator 0.02 of 2 processors",
        ),
        ((0.0, 0.0, 0.0), "pass", None, "at 100/s: app 0.00, database 0.00, generator 0.00 of 2 processors"),
    ],
)
def test_saturation(
    cores: tuple[float, float, float], verdict: str, limiter: str | None, observed: str
) -> None:
    app, database, generator = cores
    seen = at_the_top(app=app, database=database, generator=generator)
    assert (seen.verdict, seen.limited_by, seen.observed) == (verdict, limiter, observed)
    assert seen.expected == (
        "database under 90% of what is used and under 95% of its 2 processors, all under 95% of 2"
    )
    told = f"these are true numbers about the {limiter}: lower the rate to learn about the app"
    assert seen.advice == (told if limiter else "")


def test_a_database_at_the_end_of_its_own_processor_is_the_limit() -> None:
    seen = at_the_top(SPLIT, app=0.9, database=0.97, generator=0.2)
    assert (seen.verdict, seen.limited_by) == ("fail", "database")
    assert "of its 1 processors, all under 95% of 4" in seen.expected
    assert at_the_top(SPLIT, app=0.9, database=0.94, generator=0.2).verdict == "pass"


def test_an_app_at_the_end_of_its_own_processors_is_what_is_measured() -> None:
    assert at_the_top(SPLIT, app=2.0, database=0.5, generator=0.2).verdict == "pass"


def test_the_last_of_the_highest_stages_counts() -> None:
    stages = (
        Stage(name="hold-100", from_rate=100, to_rate=100, start=0, end=10),
        Stage(name="climb-200", from_rate=100, to_rate=200, start=10, end=15),
        Stage(name="hold-100-again", from_rate=100, to_rate=100, start=15, end=30),
    )
    used = {"app.cpu_seconds": counter([1.9] * 15 + [0.3] * 16)}
    seen = judged("saturation", load=load_with(stages=stages), series=series(used))
    assert seen.verdict == "pass"


@pytest.mark.parametrize("name", ["app", "database", "generator"])
def test_a_component_that_was_not_read_at_the_top_is_not_known(name: str) -> None:
    whole = steadily(BUSY[name])
    for read in (None, [v if n <= 20 else None for n, v in enumerate(whole)]):
        seen = judged("saturation", series=series({f"{name}.cpu_seconds": read}))
        assert (seen.verdict, seen.observed, seen.limited_by) == ("warn", f"not known of {name}", None)
        assert seen.advice == ("who set the limit isn't known: a longer stage at 100/s has more readings")


# ---- foreign


def others(seconds_per_30: float, **changes: Any) -> Gate:
    """Beside our own, so much processor time of others."""
    busy = steadily(sum(BUSY.values()) + seconds_per_30 / 30)
    return judged("foreign", series=series({"host.busy_seconds": busy, **changes}))


@pytest.mark.parametrize(
    ("seconds", "verdict", "observed"),
    [
        (0.0, "pass", "0.00 s in 30 s, 0.00 s stolen"),
        (0.99, "pass", "0.99 s in 30 s, 0.00 s stolen"),
        (1.01, "fail", "1.01 s in 30 s, 0.00 s stolen"),
        (15.0, "fail", "15.00 s in 30 s, 0.00 s stolen"),
        (
            -5.0,
            "pass",
            "0.00 s in 30 s, 0.00 s stolen",
        ),  # clocks of the kernel's that don't agree to the tick
    ],
)
def test_foreign(seconds: float, verdict: str, observed: str) -> None:
    seen = others(seconds)
    assert (seen.verdict, seen.observed) == (verdict, observed)
    assert seen.limited_by == ("machine" if verdict == "fail" else None)
    assert seen.expected == (
        "at most 1 s of processor time in 30 s for others, and 2 s for other guests of the host"
    )
    told = "somebody else used the machine: end it, and repeat the run"
    assert seen.advice == (told if verdict == "fail" else "")


@pytest.mark.parametrize(
    ("seconds", "verdict", "observed"),
    [
        (1.99, "pass", "0.30 s in 30 s, 1.99 s stolen"),
        (2.01, "fail", "0.30 s in 30 s, 2.01 s stolen"),
    ],
)
def test_what_the_host_gives_to_its_other_guests_is_foreign_too(
    seconds: float, verdict: str, observed: str
) -> None:
    seen = others(0.3, **{"host.steal_seconds": steadily(seconds / 30)})
    assert (seen.verdict, seen.observed) == (verdict, observed)
    assert seen.limited_by == ("machine" if verdict == "fail" else None)
    later = "other guests of the host used the processors: repeat the run when the host is quieter"
    assert seen.advice == (later if verdict == "fail" else "")


def test_where_both_took_time_what_can_be_ended_comes_first() -> None:
    seen = others(1.2, **{"host.steal_seconds": steadily(3 / 30)})
    assert seen.observed == "1.20 s in 30 s, 3.00 s stolen"
    assert seen.advice == "somebody else used the machine: end it, and repeat the run"


@pytest.mark.parametrize(("seconds", "verdict"), [(1, "warn"), (4, "warn"), (5, "fail")])
def test_a_few_seconds_do_not_say_who_else_was_there(seconds: int, verdict: str) -> None:
    """A program that ends after three seconds is seen for one, and a late reading of it was 8 s in 30 s."""
    read = [v if n <= seconds + 1 else None for n, v in enumerate(steadily(BUSY["app"]))]
    seen = others(8.0, **{"app.cpu_seconds": read})
    assert seen.verdict == verdict
    if verdict == "warn":
        assert (seen.observed, seen.limited_by) == (f"not known: {seconds} s of readings", None)
        assert seen.advice == "the run was too short: what others use is known from 5 s on"


def test_a_component_that_was_not_read_to_the_end_is_no_stranger() -> None:
    """k6 is gone with its last request: what the others used afterwards isn't compared."""
    generator = [v if n <= 20 else None for n, v in enumerate(steadily(BUSY["generator"]))]
    seen = others(0.3, **{"generator.cpu_seconds": generator})
    assert (seen.verdict, seen.observed) == ("pass", "0.30 s in 30 s, 0.00 s stolen")


def test_a_generator_that_was_started_anew_is_no_stranger() -> None:
    whole = steadily(BUSY["generator"], start=0.0)
    more = [v + 50 if n == 0 else v for n, v in enumerate(whole)]  # the warm-up's k6, in the first reading
    seen = others(0.3, **{"generator.cpu_seconds": more})
    assert seen.verdict == "pass"


def test_metrics_servers_are_ours() -> None:
    telemetry = steadily(0.5)
    assert others(15.0).verdict == "fail"
    assert others(15.0, **{"telemetry.cpu_seconds": telemetry}).observed == "0.00 s in 30 s, 0.00 s stolen"


@pytest.mark.parametrize(
    "missing", ["host.busy_seconds", "app.cpu_seconds", "generator.cpu_seconds", "runner.cpu_seconds"]
)
def test_without_a_counter_strangers_are_not_known(missing: str) -> None:
    for read in (None, [5.0] + [None] * SECONDS):
        seen = judged("foreign", series=series({missing: read}))
        assert (seen.verdict, seen.observed) == ("warn", "not known")
        assert seen.advice == (
            "the counters of the machine or of a component could not be read: look at the series"
        )


# ---- speed


@pytest.mark.parametrize(
    ("before", "after", "verdict", "observed"),
    [
        (0.020, 0.020, "pass", "20.0 ms before, 20.0 ms after the window"),
        (0.020, 0.0209, "pass", "20.0 ms before, 20.9 ms after the window"),
        (0.020, 0.0211, "fail", "20.0 ms before, 21.1 ms after the window"),
        (0.0211, 0.020, "fail", "21.1 ms before, 20.0 ms after the window"),
    ],
)
def test_speed(before: float, after: float, verdict: str, observed: str) -> None:
    seen = judged("speed", ruler=Ruler(work="zlib", before=before, after=after))
    assert (seen.verdict, seen.observed) == (verdict, observed)
    assert seen.limited_by == ("machine" if verdict == "fail" else None)
    assert seen.expected == "within 5% of each other"
    told = "the host's speed moved: repeat the run, or normalise by its speed"
    assert seen.advice == (told if verdict == "fail" else "")


def test_without_a_ruler_the_speed_is_not_known() -> None:
    seen = judged("speed", ruler=None)
    assert (seen.verdict, seen.observed) == ("warn", "not known")
    assert seen.advice == "no fixed work was timed: the host's speed isn't known"

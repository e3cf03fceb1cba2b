"""A run and its replay, side by side."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from telar.catalog.load import load
from telar.publish.replay import Compared, Difference, Replay, compare, facts, print_replay
from telar.store.floors import Floor
from telar.store.record import Gate, Provenance, Record

from ..store.calibrations import floor
from ..store.records import STOP, record

CATALOG = load(Path(__file__).parents[3])
OLD = record(run_id="aaaaaaaaaaaaaaaa", started=1795245500.0)


NOTHING: dict[str, Floor] = {}  # was measured here


def new(run_id: str = "bbbbbbbbbbbbbbbb", **changes: Any) -> Record:
    given: dict[str, Any] = {
        "run_id": run_id,
        "started": 1795331900.0,
        "session": "20261122-071806-replay",
    }
    return record(**given | changes)


def with_provenance(**changes: Any) -> Record:
    return new(provenance=msgspec.structs.replace(OLD.provenance, **changes))


def with_java(**changes: Any) -> Record:
    java: Any = OLD.provenance.java
    return with_provenance(java=msgspec.structs.replace(java, **changes))


def differences(*records: Record) -> list[tuple[str, str, str]]:
    found = compare(CATALOG, OLD, records, NOTHING).differences
    return [(d.what, d.old, d.new) for d in found]


def metrics(*records: Record, old: Record = OLD, floors: dict[str, Floor] = NOTHING) -> dict[str, Compared]:
    return {m.metric: m for m in compare(CATALOG, old, records, floors).metrics}


def printed(replay: Replay) -> str:
    out = io.StringIO()
    print_replay(CATALOG, Console(file=out, width=150, highlight=False), replay)
    return out.getvalue()


# ---- what was not the same


def test_the_same_code_on_the_same_machine_has_no_differences() -> None:
    assert differences(new()) == []
    assert "Code, machine and settings are the same." in printed(compare(CATALOG, OLD, [new()], NOTHING))


MACHINE, DATABASE = OLD.provenance.machine, OLD.provenance.database
ARTIFACT, GENERATOR = OLD.provenance.artifact, OLD.provenance.generator


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        (with_provenance(commit="7777777"), ("commit", "6d652bd", "7777777")),
        (with_provenance(dirty="abcdef"), ("dirty", "–", "abcdef")),
        (
            with_provenance(artifact=msgspec.structs.replace(ARTIFACT, digest="ee55")),
            ("artifact.digest", "ab12", "ee55"),
        ),
        (
            with_provenance(generator=msgspec.structs.replace(GENERATOR, script_digest="99")),  # type: ignore[type-var]
            ("generator.script_digest", "cd34", "99"),
        ),
        (
            with_provenance(machine=msgspec.structs.replace(MACHINE, kernel="6.18")),
            ("machine.kernel", "6.1", "6.18"),
        ),
        (
            with_provenance(database=msgspec.structs.replace(DATABASE, settings={"max_connections": "50"})),  # type: ignore[type-var]
            ("database.settings.max_connections", "200", "50"),
        ),
        (with_java(version="25.0.3"), ("java.version", "25.0.2", "25.0.3")),
        (
            with_java(flags={"UseG1GC": "true", "UseJVMCICompiler": "true"}),
            ("java.flags.UseJVMCICompiler", "–", "true"),
        ),
        (with_java(flags={}), ("java.flags.UseG1GC", "true", "–")),
        (
            with_java(class_path=("mysql-connector-j-8.0.33.jar", "other.jar")),
            ("java.class_path", "mysql-connector-j-9.7.0.jar", "mysql-connector-j-8.0.33.jar other.jar"),
        ),
        (with_provenance(limits={}), ("limits.app.cpus", "0-1", "–")),
        (with_provenance(cpus={"app": "0", "database": "0-1", "generator": "0-1"}), ("cpus.app", "0-1", "0")),
        (with_provenance(app_memory="2g"), ("app_memory", "1g", "2g")),
        (with_provenance(images={}), ("images.app", "sha256:ab12", "–")),
    ],
)
def test_what_differs_is_told_by_name(changed: Record, difference: tuple[str, str, str]) -> None:
    assert difference in differences(changed)


def test_of_a_command_line_only_its_options_count_and_no_file_of_the_runs_own() -> None:
    def started(folder: str, *options: str) -> Provenance:
        log = f"-Xlog:gc:file={folder}/logs/001/gc.log"
        java: Any = OLD.provenance.java
        return msgspec.structs.replace(
            OLD.provenance,
            java=msgspec.structs.replace(
                java, command=(f"{folder}/java", log, *options, "-jar", f"{folder}/a.jar")
            ),
        )

    old = record(provenance=started(f"/data/{OLD.session}", "-Xmx500m"))
    other = new(provenance=started("/elsewhere/20261122-071806-replay", "-Xmx1g"))
    found = compare(CATALOG, old, [other], NOTHING).differences
    assert found == (Difference(what="java.command", old="-Xmx500m", new="-Xmx1g"),)


def test_another_schedule_or_another_order_of_requests_shows() -> None:
    assert facts(OLD)["schedule"] == {"hold-50 50–50/s, 4 s", "climb-100 50–100/s, 4 s"}
    load: Any = OLD.load
    other = new(load=msgspec.structs.replace(load, seed=2001, stages=load.stages[:1]))
    assert differences(other) == [
        ("schedule", "climb-100 50–100/s, 4 s", "–"),
        ("seed of the load", "1001", "2001"),
    ]


def test_a_latency_from_another_moment_shows_and_is_held_against_what_meant_the_same() -> None:
    load: Any = OLD.load
    due = new(
        load=msgspec.structs.replace(load, latency_from="due"), numbers={"p99": 140.2, "service-p99": 70.1}
    )
    assert differences(due) == [("latency from", "sent", "due")]
    found = metrics(due, floors={"p99": floor(replay=0.1), "service-p99": floor(replay=0.1)})
    assert (found["service-p99"].old, found["service-p99"].new, found["service-p99"].within) == (
        70.1,
        70.1,
        True,
    )
    assert (found["p99"].old, found["p99"].new, found["p99"].within) == (None, 140.2, None)


def test_a_run_that_never_had_an_app_differs_in_all_of_its_jvm() -> None:
    failed = new(
        outcome="failed", stopped=STOP, provenance=msgspec.structs.replace(OLD.provenance, java=None)
    )
    assert ("java.version", "25.0.2", "–") in differences(failed)


def test_differences_among_the_new_runs_are_told_too() -> None:
    assert differences(new(), with_provenance(commit="7777777")) == [("commit", "–", "7777777")]


# ---- what came of it


def test_a_metric_has_old_new_and_their_ratio() -> None:
    p99 = metrics(new(numbers={"p99": 140.2}))["p99"]
    assert (p99.old, p99.new, p99.low, p99.high, p99.ratio) == (70.1, 140.2, 140.2, 140.2, 2.0)
    assert (p99.floor, p99.within) == (None, None)


def test_several_replays_are_their_median_with_the_lowest_and_the_highest() -> None:
    p99 = metrics(*(new(numbers={"p99": v}) for v in (90.0, 60.0, 80.0)))["p99"]
    assert (p99.new, p99.low, p99.high) == (80.0, 60.0, 90.0)


@pytest.mark.parametrize(
    ("value", "within"), [(100.0, True), (110.0, True), (90.0, True), (110.1, False), (89.9, False)]
)
def test_a_difference_is_within_the_floor_or_beyond(value: float, within: bool) -> None:
    old = record(numbers={"p99": 100.0})
    found = metrics(new(numbers={"p99": value}), old=old, floors={"p99": floor(replay=0.1)})
    assert (found["p99"].floor, found["p99"].within) == (0.1, within)
    assert found["p50"].within is None


def test_a_metric_whose_floor_has_no_number_has_none() -> None:
    p99 = metrics(new(), floors={"p99": floor(replay=None)})["p99"]
    assert (p99.floor, p99.within) == (None, None)


def test_a_metric_that_never_moved_is_beyond_its_floor_as_soon_as_it_does() -> None:
    for value, within in ((70.1, True), (70.2, False)):
        assert metrics(new(numbers={"p99": value}), floors={"p99": floor(replay=0)})["p99"].within is within


def test_of_zero_there_is_no_ratio_and_only_zero_is_within_its_floor() -> None:
    old = record(numbers={"failures": 0.0})
    for value, within in ((0.0, True), (1.0, False)):
        failed = metrics(new(numbers={"failures": value}), old=old, floors={"failures": floor(replay=0.5)})[
            "failures"
        ]
        assert (failed.ratio, failed.within) == (None, within)


def test_a_metric_that_only_one_side_has_is_shown_alone() -> None:
    found = metrics(
        new(numbers={"capacity": 300.0}),
        old=record(numbers={"rss": 500.0}),
        floors={"capacity": floor(replay=0.1), "rss": floor(replay=0.1)},
    )
    assert (found["capacity"].old, found["capacity"].new, found["capacity"].within) == (None, 300.0, None)
    assert (found["rss"].old, found["rss"].new, found["rss"].within) == (500.0, None, None)


def test_metrics_stand_in_the_catalogues_order_and_unknown_ones_last() -> None:
    names = list(metrics(new(numbers={"another": 1.0, "capacity": 1.0})))
    known = [n for n in CATALOG.file.metric if n in names]
    assert names == [*known, "another"]


def test_a_failed_run_is_replayed_and_only_the_new_one_has_numbers() -> None:
    failed = record(outcome="failed", stopped=STOP, load=None, latencies=(), metrics={}, series=None)
    replay = compare(CATALOG, failed, [new()], NOTHING)
    assert {m.old for m in replay.metrics} == {None}
    assert replay.soundness[0][1] == "failed in the phase start: the app ended with exit code 1"
    text = printed(replay)
    assert "No floor" not in text
    assert "70.10" in text


def test_a_replay_that_failed_leaves_the_old_numbers_alone() -> None:
    failed = new(outcome="failed", stopped=STOP, load=None, latencies=(), metrics={}, series=None)
    replay = compare(CATALOG, OLD, [failed], NOTHING)
    assert {m.new for m in replay.metrics} == {None}
    assert replay.soundness[1][1].startswith("failed in the phase start")


# ---- printed


def test_differences_come_before_numbers_and_soundness_before_both() -> None:
    gates = (Gate(name="warm", verdict="fail", observed="", expected=""),)
    cold = msgspec.structs.replace(with_provenance(commit="7777777"), validity="invalid", gates=gates)
    text = printed(compare(CATALOG, OLD, [cold], NOTHING))
    lines = [line.split("  ")[0].rstrip() for line in text.splitlines() if line.strip()]
    assert lines[0] == "old aaaaaaaaaaaaaaaa, 2026-11-21 07:18:20 UTC: valid"
    assert lines[1] == "new bbbbbbbbbbbbbbbb, 2026-11-22 07:18:20 UTC: invalid: warm"
    assert lines.index("Not the same") < lines.index("commit") < lines.index("Old and new")
    assert lines[-1] == (
        "No floor measured here of any metric: whether a difference is more than noise isn't known."
    )


def test_a_table_says_which_differences_are_beyond_the_floor() -> None:
    replay = compare(
        CATALOG,
        OLD,
        [new(numbers={"p99": 100.0})],
        {"p99": floor(replay=0.1), "p50": floor(replay=0.05)},
    )
    rows = {line.split("  ")[0]: line.split() for line in printed(replay).splitlines()}
    assert rows["p99 (ms)"][2:] == ["70.10", "100.00", "1.43×", "±", "10.0%", "beyond", "the", "floor"]
    assert rows["p50 (ms)"][2:] == ["3.20", "3.20", "1.00×", "±", "5.0%", "within", "the", "floor"]
    text = printed(replay)
    assert "Beyond the floor: p99." in text
    assert "No floor measured here of 2 metrics" in text  # failures and dropped


def test_several_replays_have_a_column_for_their_range() -> None:
    text = printed(compare(CATALOG, OLD, [new(numbers={"p99": v}) for v in (60.0, 90.0)], NOTHING))
    assert "lowest to highest" in text
    assert "60.00 to 90.00" in text


def test_markup_in_a_record_is_printed_as_it_is() -> None:
    assert "[red]x[/nope]" in printed(
        compare(CATALOG, OLD, [with_provenance(commit="[red]x[/nope]")], NOTHING)
    )

"""Looks at the pairs of a session, what each may spend of the error, and what a verdict rests on."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.analyse.verdicts import Compared, compare, decided, looks
from telar.catalog.load import load
from telar.publish.soundness import soundness
from telar.store.floors import Floors
from telar.store.record import DatabaseState, Failure, Gate, Product, Ruler

from ..gates.sound import JAVA
from ..store.calibrations import calibration, floor, window
from ..store.records import CELL

CATALOG = load(Path(__file__).resolve().parents[3])


@pytest.mark.parametrize("planned", [1, 2, 3, 4, 5, 12, 15])
def test_all_looks_together_spend_the_whole_error(planned: int) -> None:
    found = looks(CATALOG, planned, planned, ended=True)
    assert found[-1][0] == planned
    assert sum(part for _, part in found) == pytest.approx(1)


def test_a_look_is_due_when_its_pairs_are_there() -> None:
    assert [n for n, _ in looks(CATALOG, 12, 5, ended=False)] == []
    assert [n for n, _ in looks(CATALOG, 12, 8, ended=False)] == [6]
    assert [n for n, _ in looks(CATALOG, 12, 12, ended=False)] == [6, 9, 12]


def test_a_session_that_ended_early_is_looked_at_as_it_is_with_what_is_left() -> None:
    assert looks(CATALOG, 12, 5, ended=True) == [(5, 1.0)]
    (first, part), (last, left) = looks(CATALOG, 12, 7, ended=True)
    assert (first, last) == (6, 7)
    assert part + left == pytest.approx(1)
    assert looks(CATALOG, 12, 0, ended=True) == []


NOISY = floor(tier="watch", run_to_run=0.12, pair_to_pair=0.11, fork_to_fork=0.04)
QUIET = floor(run_to_run=0.01, pair_to_pair=0.004, fork_to_fork=0.001)


KNOWN = Floors(calibrations=(calibration(floors={"p50": NOISY, "allocated": QUIET}),))


def compared(times: float, known: Floors = KNOWN, forks: int = 2) -> Compared:
    """Three pairs in each fork, with a quiet metric that stays and a noisy one that grows."""
    windows = []
    for fork, number in product(range(1, forks + 1), (1, 2, 3)):
        wobble = 1 + 0.002 * (-1) ** (fork + number)
        for side, factor in (("a", 1.0), ("b", times * wobble)):
            numbers = {"p50": 4.0 * factor, "allocated": 120.0, "failures": 0.0, "dropped": 0.0}
            windows.append(window(fork, number, side, numbers))
    (found,) = compare(CATALOG, windows, known, {(CELL.name, CELL.name): 3 * forks}, ended=True)
    return found


def test_a_noisy_metric_is_told_once_its_change_is_large_enough_to_be_sure() -> None:
    found = compared(2.0)
    assert {v.metric: v.word for v in found.verdicts}["p50"] == "worse"
    assert found.word == "worse"


def test_a_noisy_metric_that_says_nothing_leaves_no_question_open() -> None:
    found = compared(1.05)
    assert "p50" not in {v.metric for v in found.verdicts}
    assert "p50" in {v.metric for v in found.beside}
    assert found.word == "same"
    assert decided([found])


@pytest.mark.parametrize(
    ("times", "word"),
    [(1.0, "same"), (1.01, "same"), (0.98, "same"), (3.7, "worse"), (1.2, "worse"), (0.54, "better")],
)
def test_what_is_counted_has_a_word_after_one_fork_on_a_machine_that_was_never_calibrated(
    times: float, word: str
) -> None:
    """A query for each row, a lost index, a better one: no clock is in it."""
    windows = [
        window(1, number, side, {"rows-read": rows, "failures": 0.0, "dropped": 0.0})
        for number in (1, 2, 3, 4)
        for side, rows in (("a", 24.0), ("b", 24.0 * times * (1 + 0.001 * (-1) ** number)))
    ]
    (found,) = compare(CATALOG, windows, Floors(), {(CELL.name, CELL.name): 4}, ended=True)
    assert {v.metric: v.word for v in found.verdicts}["rows-read"] == word
    # Nothing with a clock in it was measured.
    assert found.word == ("worse" if word == "worse" else "undecided")


def primary(noise: float, times: float = 1.0) -> Compared:
    """Four forks of three pairs of the primary metric, whose pairs differ by so much."""
    known = Floors(
        calibrations=(
            calibration(
                floors={
                    "work-cpu-relative": floor(
                        tier="watch", run_to_run=noise, pair_to_pair=noise, fork_to_fork=noise / 5
                    )
                }
            ),
        )
    )
    windows = []
    for fork, number in product((1, 2, 3, 4), (1, 2, 3)):
        wobble = math.exp(0.5 * noise * (-1) ** (fork + number))
        for side, factor in (("a", 1.0), ("b", times * wobble)):
            numbers = {"work-cpu-relative": 2.0 * factor, "failures": 0.0, "dropped": 0.0}
            windows.append(window(fork, number, side, numbers))
    (found,) = compare(CATALOG, windows, known, {(CELL.name, CELL.name): 12}, ended=True)
    return found


def margin(found: Compared) -> float:
    verdict = found.of("work-cpu-relative")
    assert verdict
    assert verdict.matters
    return verdict.matters


def test_the_primary_metric_is_the_same_within_what_such_a_session_can_show() -> None:
    fine, coarse, hopeless = (primary(noise) for noise in (0.02, 0.06, 0.3))
    matters = CATALOG.file.metric["work-cpu-relative"].matters
    assert matters
    assert (fine.word, margin(fine)) == ("same", matters)
    assert coarse.word == "same"
    assert matters < margin(coarse) <= CATALOG.file.verdict.primary_within
    assert (hopeless.word, margin(hopeless)) == ("undecided", matters)


def test_the_margin_follows_from_noise_and_design_and_not_from_what_was_measured() -> None:
    found = [primary(0.06, times) for times in (0.8, 1.0, 1.09)]
    assert len({margin(each) for each in found}) == 1
    assert found[-1].word != "same"


@pytest.mark.parametrize(("forks", "word"), [(1, "undecided"), (2, "undecided"), (3, "worse")])
def test_what_a_jvm_tells_once_is_judged_from_as_many_as_an_arm_needs_runs(forks: int, word: str) -> None:
    """A single start that met a busy machine isn't a slower build."""
    known = Floors(calibrations=(calibration(floors={"startup-ready": NOISY}),))
    windows = [
        window(fork, number, side, {"startup-ready": seconds})
        for fork, number in product(range(1, forks + 1), (1, 2))
        for side, seconds in (("a", 6.0), ("b", 12.0))
    ]
    (found,) = compare(CATALOG, windows, known, {(CELL.name, CELL.name): 2 * forks}, ended=True)
    told = {v.metric: v.word for v in (*found.verdicts, *found.beside)}
    assert told["startup-ready"] == word


def test_without_a_calibration_one_fork_tells_what_is_very_large() -> None:
    found = compared(1.25, known=Floors(), forks=1)
    assert "p50" in {v.metric for v in found.beside}
    assert compared(5.0, known=Floors(), forks=1).word == "worse"


def test_without_a_calibration_several_forks_tell_what_is_large() -> None:
    assert compared(5.0, known=Floors(), forks=3).word == "worse"
    assert compared(1.0, known=Floors(), forks=3).word == "undecided"  # what no one measured isn't the same


BY_DATABASE = "work-cpu-by-database"


def by_database(head: dict[str, int], version: str = "11.4.3", needs: float = 1.0) -> Compared:
    """Two forks in which the head needs less processor time in units of its database's; that `needs` so many
    times the base's.
    """
    asked = {"Com_select": 1850, "Com_insert": 200, "Com_admin_commands": 20, "Handler_read_key": 40_000}
    server = msgspec.structs.replace(window(1, 1, "a").provenance, database=None)
    windows = []
    for fork, number in product((1, 2), (1, 2, 3)):
        for side, value, statements in (("a", 2.3, asked), ("b", 1.4, {**asked, **head})):
            product_ = Product(name="MariaDB", version=version if side == "b" else "11.4.3")
            windows.append(
                window(
                    fork,
                    number,
                    side,
                    {
                        BY_DATABASE: value,
                        "database-cpu": 0.3 * (needs if side == "b" else 1.0),
                        "generator-cpu": 0.4,
                        "failures": 0.0,
                        "dropped": 0.0,
                    },
                    database=DatabaseState(rows_seeded=999, statements=statements),
                    provenance=msgspec.structs.replace(server, database=product_),
                )
            )
    known = Floors(calibrations=(calibration(floors={BY_DATABASE: QUIET, "work-cpu-relative": QUIET}),))
    (found,) = compare(CATALOG, windows, known, {(CELL.name, CELL.name): 6}, ended=True)
    return found


def test_the_database_is_a_ruler_where_both_sides_asked_it_the_same() -> None:
    found = by_database({"Com_admin_commands": 45})  # a pool that looks after its connections
    assert {v.metric: v.word for v in found.verdicts}[BY_DATABASE] == "better"


@pytest.mark.parametrize(
    ("found", "word"),
    [
        (
            by_database({"Com_select": 3700}),
            "worse",
        ),  # N + 1: the database needs more, and all else seems less
        (by_database({"Com_stmt_execute": 1850, "Com_select": 0}), "undecided"),
        (by_database({}, version="11.8.1"), "undecided"),
        (by_database({"Handler_read_rnd_next": 40_000, "Handler_read_key": 0}), "undecided"),  # a lost index
        (by_database({}, needs=0.85), "undecided"),  # a better index: the same statements for less
        (by_database({}, needs=1.15), "undecided"),
    ],
)
def test_a_database_that_did_something_else_is_no_ruler(found: Compared, word: str) -> None:
    assert BY_DATABASE not in {v.metric for v in (*found.verdicts, *found.beside)}
    assert not found.seen  # nothing else with a clock in it was measured: counts alone make nothing the same
    assert found.word == word  # worse in statements, where they are


def sessions(
    count: int,
    forks: int,
    *,
    app: float = 1.0,
    needs: float = 1.0,
    alone: float = 0.05,
    counted: dict[str, int] | None = None,
    tables: tuple[str, str] = ("", ""),
) -> list[Compared]:
    """Sessions with the machine's noise, what it does to all three, and to each alone; to the generator
    `alone`. The head's app and database need so many times the base's processor time. `counted` and `tables`:
    what the databases say besides.
    """
    dice = random.Random(round(100 * needs))
    known = Floors(
        calibrations=(
            calibration(
                forks=14,
                pairs=51,
                floors={
                    BY_DATABASE: floor(pair_to_pair=0.024, fork_to_fork=0.012),
                    "work-cpu-relative": floor(tier="watch", pair_to_pair=1.5 * alone, fork_to_fork=0.0),
                },
            ),
        )
    )
    found = []
    for _ in range(count):
        windows = []
        for fork, number, side in product(range(1, forks + 1), (1, 2, 3, 4), ("a", "b")):
            machine = dice.gauss(0, 0.1)
            works, database = (math.exp(machine + dice.gauss(0, 0.017)) for _ in range(2))
            generator = math.exp(machine + dice.gauss(0, alone))
            works *= app if side == "b" else 1.0
            database *= needs if side == "b" else 1.0
            numbers = {
                BY_DATABASE: works / database,
                "work-cpu-relative": works / generator,
                "database-cpu": database,
                "generator-cpu": generator,
                "failures": 0.0,
                "dropped": 0.0,
            }
            state = DatabaseState(
                rows_seeded=999,
                statements={"Com_select": 1850, **(counted or {})},
                schema=tables[side == "b"],
            )
            windows.append(window(fork, number, side, numbers, database=state))
        found += compare(CATALOG, windows, known, {(CELL.name, CELL.name): 4 * forks}, ended=True)
    return found


def words(found: list[Compared]) -> Counter[str]:
    """Of app ÷ database, where it is judged."""
    return Counter(
        v.word for each in found for v in (*each.verdicts, *each.beside) if v.metric == BY_DATABASE
    )


@pytest.mark.thorough
@pytest.mark.parametrize("forks", [1, 3])
@pytest.mark.parametrize("needs", [0.85, 1.15])
def test_an_app_that_did_not_change_is_not_judged_by_a_database_that_did(needs: float, forks: int) -> None:
    found = Counter(each.word for each in sessions(150, forks, needs=needs))
    assert found["worse"] + found["better"] == 0


@pytest.mark.thorough
@pytest.mark.parametrize("forks", [1, 3])
def test_a_generator_that_is_noisy_leaves_the_database_its_say(forks: int) -> None:
    """It once silenced the database in every second session in which nothing had changed."""
    found = words(sessions(55, forks, alone=0.12))
    assert found.total() >= 53
    assert found["worse"] + found["better"] == 0
    assert found["same"] >= (50 if forks == 3 else 1)  # one fork seldom shows what forks differ by


@pytest.mark.thorough
def test_what_the_database_could_explain_is_undecided_and_what_it_could_not_is_called() -> None:
    """A tenth more by a ruler that is sure within 2 %: the app's, or the database's tenth less."""
    assert set(words(sessions(20, 1, app=1.1, alone=0.12))) == {"undecided"}
    assert words(sessions(20, 3, app=1.3, alone=0.05))["worse"] == 20
    (found,) = sessions(1, 1, alone=0.12)
    (ratio,) = [v for v in found.verdicts if v.metric == BY_DATABASE]
    assert ratio.smallest is not None
    assert ratio.smallest > 0.2  # what the session could have called, not what the ratio alone shows


SURELY: dict[str, Any] = {"counted": {"Bytes_received": 300_000}, "tables": ("one", "one")}


@pytest.mark.thorough
@pytest.mark.parametrize("forks", [1, 3])
@pytest.mark.parametrize("needs", [0.85, 1.15])
def test_nor_is_it_where_the_database_says_that_it_did_the_very_same(needs: float, forks: int) -> None:
    found = Counter(each.word for each in sessions(150, forks, needs=needs, **SURELY))
    assert found["worse"] + found["better"] == 0


@pytest.mark.thorough
def test_a_database_that_did_the_very_same_explains_nothing() -> None:
    found, asked = (sessions(20, 3, app=1.07, **more) for more in (SURELY, {}))
    assert words(found)["worse"] >= 15
    assert words(asked)["worse"] <= 8
    sizes = [v.smallest for each in found for v in each.verdicts if v.metric == BY_DATABASE]
    assert sorted(size or 1.0 for size in sizes)[len(sizes) // 2] < 0.065
    nothing = Counter(each.word for each in sessions(100, 3, **SURELY))
    assert nothing["worse"] + nothing["better"] == 0


@pytest.mark.thorough
@pytest.mark.parametrize(
    "changes",
    [
        {"tables": ("one", "other")},  # an index more
        {"tables": ("", "")},  # as in older records
        {"counted": {}},  # nor counted bytes or single statements
        {"alone": 0.2},  # the generator would show nothing
    ],
)
def test_where_that_is_not_known_the_database_may_explain_it(changes: dict[str, Any]) -> None:
    found = sessions(20, 3, **{"app": 1.07, **SURELY, **changes})
    assert words(found)["worse"] <= 8


def failing(head: list[int], base: list[int], **changes: Any) -> Compared:
    """Failures of the windows of three forks."""
    windows = []
    for n, counts in enumerate(zip(base, head, strict=True)):
        for side, count in zip(("a", "b"), counts, strict=True):
            numbers = {"failures": float(count), "dropped": 0.0}
            fork, number = 1 + n // 4, 1 + n % 4
            windows.append(window(fork, number, side, numbers, **(changes if side == "b" else {})))
    (found,) = compare(CATALOG, windows, Floors(), {(CELL.name, CELL.name): len(head)}, ended=True)
    return found


@pytest.mark.parametrize(
    ("head", "word"),
    [
        ([11, *[0] * 11], "undecided"),  # one burst: by Fisher's test sure at p = 0.001
        ([0, 0, 300, *[0] * 9], "undecided"),
        ([9, 12, 7, 30, 11, 8, 9, 14, 10, 9, 13, 12], "worse"),
        ([1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0], "same"),
    ],
)
def test_failures_are_judged_by_window(head: list[int], word: str) -> None:
    assert failing(head, [0] * 12).of("failures").word == word  # type: ignore[union-attr]


def test_failures_of_a_refused_window_or_of_the_generator_do_not_count() -> None:
    busy = Gate(name="foreign", verdict="fail", observed="", expected="", advice="")
    refused = failing([20] * 12, [0] * 12, validity="limited", gates=(busy,)).of("failures")
    ports = Failure(endpoint="one", stage="hold-300", side="client", kind="ports", count=20)
    client = failing([20] * 12, [0] * 12, failures=(ports,)).of("failures")
    assert refused
    assert client
    assert (refused.word, refused.head, client.word, client.head) == ("same", 0, "same", 0)


def test_each_pair_that_is_left_out_has_its_reason() -> None:
    broken = Gate(name="status", verdict="fail", observed="", expected="", advice="")
    windows = [window(fork, number, side) for fork in (1, 2) for number in (1, 2) for side in ("a", "b")]
    windows += [
        window(3, 1, "a", ruler=Ruler(work="zlib", before=0.015, after=0.015)),
        window(3, 1, "b", ruler=Ruler(work="zlib", before=0.018, after=0.018)),
        window(3, 2, "a", validity="invalid", gates=(broken,)),
        window(3, 2, "b"),
        window(3, 3, "a"),  # the time was over
    ]
    (found,) = compare(CATALOG, windows, Floors(), {(CELL.name, CELL.name): 7}, ended=True)
    assert soundness(found) == (
        "5 sound pairs in 3 forks, 2 left out: status (1), unpaired (1); "
        "in 1 the machine's speed moved or arrivals were late: not compared in seconds"
    )


def test_where_the_machines_speed_moved_what_is_told_in_seconds_is_left_out() -> None:
    failed = Gate(name="speed", verdict="fail", observed="", expected="", advice="")
    windows = []
    for fork, side in product((1, 2, 3, 4), ("a", "b")):
        moved, head = fork > 2, side == "b"
        numbers = {"p50": 9.0 if moved and head else 4.0, "allocated": 150.0 if head else 120.0}
        changes = {"validity": "limited", "gates": (failed,)} if moved else {}
        windows.append(window(fork, 1, side, {**numbers, "failures": 0.0, "dropped": 0.0}, **changes))
    known = Floors(calibrations=(calibration(floors={"p50": QUIET, "allocated": QUIET}),))
    (found,) = compare(CATALOG, windows, known, {(CELL.name, CELL.name): 4}, ended=True)
    told = {v.metric: (v.word, round(v.effect or 0, 3)) for v in found.verdicts}
    assert (told["p50"], told["allocated"]) == (("same", 0.0), ("worse", 0.25))
    assert (found.pairs, found.moved) == (4, 2)


def test_a_pair_without_a_metric_leaves_the_others_their_question_and_is_named() -> None:
    """Two forks of three pairs: one window doesn't know what was allocated, and none its live set."""
    windows = []
    for fork, number, (side, value) in product((1, 2), (1, 2, 3), (("a", 100.0), ("b", 200.0))):
        known = {} if (fork, number, side) == (2, 1, "b") else {"allocated": value}
        numbers = {**known, "failures": 0.0, "dropped": 0.0}
        windows.append(window(fork, number, side, numbers))
    floors = Floors(calibrations=(calibration(floors={"allocated": QUIET, "live-set": QUIET}),))
    (found,) = compare(CATALOG, windows, floors, {(CELL.name, CELL.name): 6}, ended=True)
    assert {v.metric: v.word for v in found.verdicts}["allocated"] == "worse"
    assert found.unknown == ("allocated (1 of 6 pairs)", "live-set (6 of 6 pairs)")
    assert "; not known: allocated (1 of 6 pairs), live-set (6 of 6 pairs)" in soundness(found)


@pytest.mark.parametrize(("launch", "judged"), [("virtual", True), ("platform", False)])
def test_switches_are_judged_between_sides_of_one_kind_of_threads(launch: str, judged: bool) -> None:
    sides = {
        "a": msgspec.structs.replace(CELL, variant="spring-mysql-blocking-virtual"),
        "b": msgspec.structs.replace(CELL, variant=f"spring-mysql-blocking-{launch}"),
    }
    windows = [
        window(
            fork,
            number,
            side,
            {"context-switches": 4.0 if side == "a" else 7.0, "failures": 0.0, "dropped": 0.0},
            cell=cell,
        )
        for fork, number, (side, cell) in product((1, 2), (1, 2, 3), sides.items())
    ]
    calibrated = calibration(floors={"context-switches": QUIET}, cell=sides["a"])
    planned = {(sides["a"].name, sides["b"].name): 6}
    (found,) = compare(CATALOG, windows, Floors(calibrations=(calibrated,)), planned, ended=True)
    assert ("context-switches" in {v.metric for v in found.verdicts}) == judged
    assert found.of("context-switches")  # it is shown, in any case
    assert (found.word == "worse") == judged


@pytest.mark.parametrize(("collector", "judged"), [("UseG1GC", True), ("UseZGC", False)])
def test_what_a_collector_leaves_is_compared_with_what_the_same_one_leaves(
    collector: str, judged: bool
) -> None:
    windows = []
    for fork, number, (side, used) in product((1, 2), (1, 2, 3), (("a", "UseG1GC"), ("b", collector))):
        made = window(1, 1, "a").provenance
        java = msgspec.structs.replace(JAVA, flags={**JAVA.flags, "UseG1GC": "false", used: "true"})
        numbers = {"live-set": 48.0 if side == "a" else 96.0, "failures": 0.0, "dropped": 0.0}
        provenance = msgspec.structs.replace(made, java=java)
        windows.append(window(fork, number, side, numbers, provenance=provenance))
    floors = Floors(calibrations=(calibration(floors={"live-set": QUIET}),))
    (found,) = compare(CATALOG, windows, floors, {(CELL.name, CELL.name): 6}, ended=True)
    assert ("live-set" in {v.metric for v in found.verdicts}) == judged
    assert found.of("live-set") is None or judged
    assert found.unknown == ()

"""A session's comparison says what its records hold."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from telar.analyse.summary import summarise
from telar.catalog.types import Catalog
from telar.publish import headline
from telar.publish.arms import groups, split
from telar.publish.ratios import ratio_text
from telar.store.record import Failure, Record
from telar.store.report import Report

from .sessions import BASE, OTHER, failed, measured, session

Compare = Callable[[list[Record]], Report]


def findings(catalog: Catalog, records: list[Record]) -> str:
    return " ".join(headline.findings(catalog, groups(catalog, records, summarise(records))))


def test_the_headline_has_ratios_and_says_that_they_are_single_observations(catalog: Catalog) -> None:
    said = findings(catalog, [measured(BASE, 4.0), measured(OTHER, 2.0)])
    assert said.startswith("Virtual ÷ platform, spring-mysql-blocking: p99 0.50×; app CPU 0.50×; RSS 1.00×.")
    assert "single observations" in said


def test_the_headline_names_the_apps_at_both_ends(catalog: Catalog) -> None:
    pairs = {"spring-mysql-blocking": 2.0, "quarkus-mysql-blocking": 0.5}
    runs = [
        measured(f"{app}-{launch}", slowness)
        for app, ratio in pairs.items()
        for launch, slowness in (("platform", 4.0), ("virtual", 4.0 * ratio))
    ]
    said = findings(catalog, runs)
    assert "2 apps launched both ways: p99 from 0.50× (quarkus-mysql-blocking) to 2.00× (spring-" in said


def test_the_headline_counts_the_runs_behind_a_ratio(catalog: Catalog) -> None:
    runs = [measured(v, 2.0, repetition=n) for v in (BASE, OTHER) for n in (1, 2, 3)]
    assert "3 runs stand behind each side of a ratio" in findings(catalog, runs)


def test_the_headline_says_when_there_is_nothing_to_compare(catalog: Catalog) -> None:
    said = findings(catalog, [measured(BASE, 2.0), failed(OTHER)])
    assert "1 of 2 runs failed (spring-mysql-blocking-virtual) and are in no number." in said
    assert "no ratio" in said


def test_the_headline_says_that_failed_requests_count_in_percentiles(catalog: Catalog) -> None:
    timeout = Failure(endpoint="get", stage="hold-50", side="server", kind="timeout", count=7)
    said = findings(catalog, [measured(BASE, 4.0, failures=(timeout,)), measured(OTHER, 2.0)])
    assert "7 requests failed in 1 of 2 cells; their times are in the percentiles." in said


@pytest.mark.parametrize(
    ("number", "text"),
    [(None, "–"), (0.0, "0×"), (0.0042, "0.0042×"), (0.0613, "0.061×"), (1.196, "1.20×"), (12.34, "12.3×"),
     (1234.5, "1,234×")],
)  # fmt: skip
def test_ratios_keep_two_or_three_digits(number: float | None, text: str) -> None:
    assert ratio_text(number) == text


def test_platform_and_virtual_of_an_app_stand_together(catalog: Catalog) -> None:
    records = session()
    found = groups(catalog, records, summarise(records))
    arms = {g.app: [arm.launch for arm in g.arms] for g in found}
    assert arms == {
        "quarkus-mysql-blocking": ["virtual"],
        "quarkus-mysql-nonblocking": ["platform"],
        "spring-mysql-blocking": ["platform", "virtual"],
    }


def test_driver_versions_are_groups_of_their_own(catalog: Catalog) -> None:
    records = [
        msgspec.structs.replace(r, cell=msgspec.structs.replace(r.cell, drivers={"mysql": version}))
        for version in ("8.0.33", "9.7.0")
        for r in (measured(BASE, 2.0), measured(OTHER, 2.0))
    ]
    found = groups(catalog, records, summarise(records))
    assert [g.where for g in found] == ["MariaDB 11.4.3, mysql 8.0.33", "MariaDB 11.4.3, mysql 9.7.0"]
    assert all(g.pair for g in found)


def test_a_variant_that_the_catalogue_no_longer_has_is_shown(catalog: Catalog) -> None:
    assert split(catalog, "gone-app-virtual") == ("gone-app", "virtual")
    assert split(catalog, "gone") == ("gone", "")


def test_a_failed_run_is_shown_with_its_reason_and_is_in_no_number(report: Compare) -> None:
    runs = [measured(BASE, 4.0), measured(OTHER, 2.0), failed(OTHER, repetition=2)]
    (group,) = report(runs).groups
    by_kind = [(row.kind, row.label) for row in group.rows]
    assert by_kind == [
        ("cell", "platform"),
        ("cell", "virtual"),
        ("failed", "virtual"),
        ("ratio", "virtual ÷ platform"),
    ]
    virtual, lost = group.rows[1:3]
    assert virtual.figures["p99"].text == f"{runs[1].metrics['p99'].value:.2f}"
    assert virtual.files == ("1.json", "2.json")
    assert virtual.behind == ("1.json",)
    assert lost.message.startswith("failed in start: the app ended with exit code 1")
    assert (lost.runs, lost.figures, lost.files) == ("1 of 2", {}, ())


def test_a_ratio_is_of_what_both_have_and_never_of_failures(report: Compare) -> None:
    found = report([measured(BASE, 4.0), measured(OTHER, 2.0)])
    ratio = found.groups[0].rows[-1]
    assert (ratio.kind, ratio.runs) == ("ratio", "1 : 1")
    assert ratio.figures["app-cpu"].text == "0.50×"
    assert ratio.figures["app-cpu"].ratio == pytest.approx(0.5)
    assert "failures" not in ratio.figures
    assert found.ratios == ("p50", "p95", "p99", "app-cpu", "rss")


def test_what_may_not_be_compared_says_why_in_the_ratio_s_place(report: Compare) -> None:
    found = report([measured(BASE, 4.0, validity="invalid"), measured(OTHER, 2.0)])
    ratio = found.groups[0].rows[-1]
    assert (ratio.kind, ratio.figures) == ("ratio", {})
    assert ratio.message.startswith("not compared: platform is invalid")


def test_several_runs_show_the_lowest_and_the_highest(report: Compare) -> None:
    found = report([measured(BASE, 2.0, repetition=1), measured(BASE, 4.0, repetition=2)])
    cpu = found.groups[0].rows[0].figures["app-cpu"]
    assert (cpu.text, cpu.spread) == ("0.300", "0.200 – 0.400")


def test_a_session_in_which_nothing_ran_has_a_page(report: Compare) -> None:
    found = report([failed(BASE), failed(OTHER)])
    assert found.ratios == ()
    assert {row.kind for group in found.groups for row in group.rows} == {"failed"}
    assert [row.files for row in found.groups[0].rows] == [("0.json",), ("1.json",)]
    assert found.tables[0].title == "Latency and load"


def test_two_sides_that_are_launched_alike_go_by_their_revision(report: Compare) -> None:
    def of(revision: str, slowness: float) -> Record:
        made = measured(OTHER, slowness)
        return msgspec.structs.replace(made, cell=msgspec.structs.replace(made.cell, revision=revision))

    found = report([of("ab" * 20, 2.0), of("cd" * 20, 4.0)])
    assert [row.label for row in found.groups[0].rows] == ["virtual, ababababa", "virtual, cdcdcdcdc"]


def test_every_metric_that_any_cell_has_is_a_column(report: Compare) -> None:
    found = report(session())
    known = {name for r in session() for name in r.metrics}
    assert known <= set(found.columns)
    assert {m for table in found.tables for m in table.metrics} <= set(found.columns)
    assert found.columns["p99"].unit == "ms"


def test_what_is_true_of_the_whole_session_is_said_once(report: Compare) -> None:
    facts = dict(report(session()).facts)
    assert facts["runs"] == "3 completed, 1 failed"
    assert facts["engine"] == "embedded"


def test_runs_of_a_cell_that_were_not_alike_are_named(report: Compare) -> None:
    one, other = measured(BASE, 2.0), measured(BASE, 2.0, repetition=2)
    said = f"{BASE}: its runs differ in commit, and should not."
    assert said not in report([one, other]).notes
    assert other.provenance.database
    database = msgspec.structs.replace(other.provenance.database, command=("mariadbd", "--datadir=/its/own"))
    elsewhere = msgspec.structs.replace(other.provenance, database=database)
    assert said not in report([one, msgspec.structs.replace(other, provenance=elsewhere)]).notes
    changed = msgspec.structs.replace(other.provenance, commit="another")
    assert said in report([one, msgspec.structs.replace(other, provenance=changed)]).notes

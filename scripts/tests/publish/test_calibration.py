"""A calibration as a table: for a terminal, and as Markdown."""

from __future__ import annotations

import io

from rich.console import Console

from telar.catalog.types import Catalog
from telar.publish.calibration import HEADINGS, markdown, print_calibration, rows
from telar.store.floors import Calibration

from ..store.calibrations import UNKNOWN, calibration, floor
from ..store.records import OTHER

FLOORS = {
    "failures": UNKNOWN,
    "p99": floor(tier="watch", smallest={"5": 0.2, "15": 0.12}),
    "throughput": floor(smallest={"5": 0.01, "15": 0.005}, observed=0.0123),
}


def printed(catalog: Catalog, each: Calibration) -> list[str]:
    out = io.StringIO()
    print_calibration(catalog, Console(file=out, width=200, highlight=False), each)
    return out.getvalue().splitlines()


def test_the_least_noisy_metric_stands_first_and_what_has_no_number_last(catalog: Catalog) -> None:
    titles = [catalog.file.metric[name].title for name in ("throughput", "p99", "failures")]
    assert [row[0] for row in rows(catalog, calibration(floors=FLOORS))] == titles


def test_a_row_has_shares_in_percent_and_dashes_for_what_is_not_known(catalog: Catalog) -> None:
    found = {row[0]: row[1:] for row in rows(catalog, calibration(floors=FLOORS))}
    title = catalog.file.metric["throughput"].title
    assert found[title] == ("gate", "3.0%", "2.0%", "2.5%", "1.0%", "+1.2%", "1.0%", "0.5%")
    assert found[catalog.file.metric["p99"].title][0] == "watch"
    assert found[catalog.file.metric["failures"].title] == ("chart only", *"–––––––")


def test_numbers_of_pairs_stand_in_their_order_whatever_metric_has_them(catalog: Catalog) -> None:
    floors = {"p50": floor(smallest={"5": 0.1}), "p99": floor(smallest={"15": 0.2, "5": 0.3, "60": 0.1})}
    head = markdown(catalog, [calibration(floors=floors)]).splitlines()[2]
    assert head == "| " + " | ".join((*HEADINGS, "5 pairs see", "15 pairs see", "60 pairs see")) + " |"
    found = {row[0]: row[-3:] for row in rows(catalog, calibration(floors=floors))}
    assert found[catalog.file.metric["p50"].title] == ("10.0%", "–", "–")
    assert found[catalog.file.metric["p99"].title] == ("30.0%", "20.0%", "10.0%")


def test_a_metric_that_the_catalogue_no_longer_has_keeps_its_name(catalog: Catalog) -> None:
    assert rows(catalog, calibration(floors={"gone": floor()}))[0][0] == "gone"


def test_a_terminal_shows_of_what_it_is_and_every_row(catalog: Catalog) -> None:
    each = calibration(floors=FLOORS)
    blank, headline, head, *table = printed(catalog, each)
    assert blank == ""
    assert headline == (
        "spring-mysql-blocking-virtual · movies-short · JDK 25 · embedded: "
        "14 sound pairs in 3 forks, 1 left out"
    )
    assert head.split("  ")[0] == "metric"
    assert head.index("5 pairs see") < head.index("run to run")  # what is left out first stands last
    expected = [sorted(" ".join(row).split()) for row in rows(catalog, each)]
    assert [sorted(line.split()) for line in table] == expected


def test_markdown_has_a_table_of_noise_for_each_cell_and_names_what_has_none(catalog: Catalog) -> None:
    floors = FLOORS | {"dropped": floor(run_to_run=0, pair_to_pair=0)}
    found = markdown(catalog, [calibration(floors=floors), calibration(cell=OTHER)]).split("\n\n")
    assert len(found) == 6
    assert found[0] == (
        "`spring-mysql-blocking-virtual`, movies-short, JDK 25, embedded: 14 sound pairs in 3 forks, "
        "1 left out (2026-11-21, A CPU)."
    )
    assert found[2] == f"No pair differed in {catalog.file.metric['dropped'].title}."
    assert found[3] == f"Zero at times, and so only drawn: {catalog.file.metric['failures'].title}."
    assert found[4].startswith("`spring-mysql-blocking-platform`")
    for table, length in ((found[1], 2), (found[5], 1)):
        lines = table.splitlines()
        assert len(lines) == 2 + length
        assert {line.count("|") for line in lines} == {len(HEADINGS) + 2 + 1}
    assert markdown(catalog, []) == ""


def test_a_calibration_in_which_no_metric_was_known_is_shown_too(catalog: Catalog) -> None:
    assert rows(catalog, calibration(floors={})) == []
    assert "14 sound pairs" in printed(catalog, calibration(floors={}))[1]

"""A written page, as Chromium has it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram

from telar.analyse import histogram
from telar.analyse.summary import PERCENTILES
from telar.catalog.types import Catalog
from telar.publish import report
from telar.store.record import Record
from telar.tools import components

from .chromium import Chromium
from .sessions import session

pytestmark = pytest.mark.browser

NUMBERS = """[...document.querySelectorAll("tr.arm td[data-metric], .every td[data-metric]")].map(td => [
  td.dataset.cell ?? td.parentElement.dataset.cell, td.dataset.metric, td.firstChild.textContent])"""
STAGES = """[...document.querySelectorAll("tr[data-stage] td[data-percentile]")].map(td => [
  td.parentElement.dataset.cell, td.parentElement.dataset.stage, td.dataset.percentile, td.textContent])"""
LINES = """[...document.querySelectorAll("svg.spark .line.main")].map(p => p.getAttribute("d"))"""
OPEN = """document.querySelectorAll("details").forEach(d => { d.open = true })"""
WIDTHS = """[document.documentElement.scrollWidth, document.documentElement.clientWidth]"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    found = components.find("chromium")
    if found is None:
        pytest.skip("no Chromium on PATH (Debian: apt install chromium)")
    chromium = Chromium(found.path, tmp_path_factory.mktemp("profile"))
    yield chromium
    chromium.close()


@pytest.fixture
def written(tmp_path: Path, catalog: Catalog) -> tuple[list[Record], Path]:
    records = session()
    return records, report.write(catalog, tmp_path, records)["page"]


def visit(browser: Chromium, path: Path, **how: Any) -> tuple[list[str], list[str]]:
    """What the page asked for beside itself, and what its console says."""
    requests, console = len(browser.requests), len(browser.console)
    browser.open(path, **how)
    browser.evaluate("1")  # a round trip: what it had to say, it has said
    return browser.requests[requests + 1 :], browser.console[console:]


def test_the_page_asks_for_nothing_and_complains_about_nothing(
    browser: Chromium, written: tuple[list[Record], Path]
) -> None:
    assert visit(browser, written[1]) == ([], [])


def test_a_page_that_asks_or_complains_would_be_noticed(browser: Chromium, tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text('<img src="missing.png"><script>console.error("no")</script>')
    requests, console = visit(browser, path)
    assert [Path(url).name for url in requests] == ["missing.png"]
    assert len(console) >= 2


def test_every_metric_shown_is_the_record_s(
    browser: Chromium, written: tuple[list[Record], Path], catalog: Catalog
) -> None:
    records, path = written
    visit(browser, path)
    own = {r.cell.name: r.metrics for r in records}
    shown = browser.evaluate(NUMBERS)
    for cell, metric, text in shown:
        if metric in own[cell]:
            digits = catalog.file.metric[metric].digits
            assert text == f"{own[cell][metric].value:,.{digits}f}", (cell, metric)
        else:
            assert text == "–", (cell, metric)
    expected = {(cell, metric) for cell, metrics in own.items() for metric in metrics}
    assert expected <= {(cell, metric) for cell, metric, _ in shown}


def test_every_stage_s_percentiles_are_the_histograms(
    browser: Chromium, written: tuple[list[Record], Path]
) -> None:
    records, path = written
    visit(browser, path)
    expected = {
        (r.cell.name, stage.name, name, f"{histogram.percentile_ms(_of_stage(r, stage.name), p):,.2f}")
        for r in records
        if r.load
        for stage in r.load.stages
        for name, p in PERCENTILES.items()
    }
    assert len(expected) == 3 * 2 * 5  # completed cells, stages, percentiles
    assert {tuple(row) for row in browser.evaluate(STAGES)} == expected


def _of_stage(record: Record, stage: str) -> HdrHistogram:
    return histogram.merged(h.histogram for h in record.latencies if h.stage == stage)


def test_there_is_a_curve_for_each_percentile_and_a_line_for_each_series(
    browser: Chromium, written: tuple[list[Record], Path]
) -> None:
    visit(browser, written[1])
    panel = 'svg[aria-label*="rate: spring-mysql-blocking, MariaDB"]'
    boxes = browser.evaluate(
        f"[...document.querySelectorAll(`{panel} path.line`)].map(p => p.getBoundingClientRect().width)"
    )
    assert len(boxes) == 6
    assert all(width > 100 for width in boxes)
    lines = browser.evaluate(LINES)
    assert len(lines) == 3 * 4  # runs with readings, times rate, CPU, heap and classes
    assert sum(line.count("M") == 2 for line in lines) == 3  # the heap's gap
    assert sum(line.count("l") == 9 for line in lines) == 3 * 2  # ten readings; growth has nine


@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_never_scrolls_sideways(
    browser: Chromium, written: tuple[list[Record], Path], width: int, scheme: str
) -> None:
    visit(browser, written[1], width=width, scheme=scheme)
    browser.evaluate(OPEN)
    scroll, client = browser.evaluate(WIDTHS)
    assert scroll == client
    background = browser.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")

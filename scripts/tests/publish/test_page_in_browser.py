"""A written page, as Chromium has it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hdrh.histogram import HdrHistogram

from telar.analyse import histogram
from telar.analyse.summary import PERCENTILES
from telar.catalog.types import Catalog
from telar.cli import shown
from telar.store.record import Phase, Record, Stop
from telar.tools import components

from .chromium import Chromium
from .sessions import BASE, OTHER, START, failed, kept, measured, session

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[3]

NUMBERS = """[...document.querySelectorAll("tr.cell td[data-metric], .every td[data-metric]")].map(td => [
  td.dataset.cell ?? td.parentElement.dataset.cell, td.dataset.metric, td.firstChild.textContent])"""
STAGES = """[...document.querySelectorAll("tr[data-stage] td[data-percentile]")].map(td => [
  td.parentElement.dataset.cell, td.parentElement.dataset.stage, td.dataset.percentile, td.textContent])"""
LINES = """[...document.querySelectorAll("svg.mini path.main")].map(p => p.getAttribute("d"))"""
OPEN = """document.querySelectorAll("details").forEach(d => { d.open = true })"""
WIDTHS = """[document.documentElement.scrollWidth, document.documentElement.clientWidth]"""
SHOWN = "document.querySelector('main h1') !== null && document.querySelector('main .wait') === null"
NAMES = {"p50": "p50", "p95": "p95", "p99": "p99", "p999": "p99.9", "max": "max"}  # as the page has them
HOSTILE = "</script></style><script>window.harmed = 1</script><img src=x onerror='window.harmed = 2'>"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    found = components.find("chromium")
    if found is None:
        pytest.skip("no Chromium on PATH (Debian: apt install chromium)")
    chromium = Chromium(found.path, tmp_path_factory.mktemp("profile"))
    yield chromium
    chromium.close()


@pytest.fixture
def write(
    tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> Callable[[list[Record]], tuple[list[Record], Path]]:
    """The page of a session with these records, and the records as they are in it."""
    monkeypatch.setenv("TELAR_ROOT", str(ROOT))

    def of(records: list[Record]) -> tuple[list[Record], Path]:
        made = kept(tmp_path / "20261121-080000-smoke", records)
        own = list(made.records())
        return own, shown.write(catalog, made, own, None)["page"]

    return of


@pytest.fixture
def written(write: Callable[[list[Record]], tuple[list[Record], Path]]) -> tuple[list[Record], Path]:
    return write(session())


def visit(browser: Chromium, path: Path, **how: Any) -> tuple[list[str], list[str]]:
    """What the page asked for beside itself, and what its console says, once it shows something."""
    requests, console = len(browser.requests), len(browser.console)
    browser.open(path, **how)
    for _ in range(100):
        if browser.evaluate(SHOWN):
            break
        time.sleep(0.05)
    outside = [url for url in browser.requests[requests + 1 :] if not url.startswith(("data:", "blob:"))]
    return outside, browser.console[console:]


def test_the_page_asks_for_nothing_and_complains_about_nothing(
    browser: Chromium, written: tuple[list[Record], Path]
) -> None:
    assert visit(browser, written[1]) == ([], [])


def test_a_page_that_asks_or_complains_would_be_noticed(browser: Chromium, tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text('<main><h1>Bad</h1></main><img src="missing.png"><script>console.error("no")</script>')
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
        (r.cell.name, stage.name, NAMES[name]): histogram.percentile_ms(_of_stage(r, stage.name), p)
        for r in records
        if r.load
        for stage in r.load.stages
        for name, p in PERCENTILES.items()
    }
    assert len(expected) == 3 * 2 * 5  # completed cells, stages, percentiles
    shown = {(cell, stage, name): float(text) for cell, stage, name, text in browser.evaluate(STAGES)}
    assert shown == pytest.approx(expected, abs=0.0051)  # two decimals: JavaScript rounds 11.975 up


def _of_stage(record: Record, stage: str) -> HdrHistogram:
    return histogram.merged(h.histogram for h in record.latencies if h.stage == stage)


def test_there_is_a_panel_for_each_app_and_a_line_for_each_series(
    browser: Chromium, written: tuple[list[Record], Path]
) -> None:
    visit(browser, written[1])
    panels = "[...document.querySelectorAll('.panels .plot')].map(p => p.ariaLabel)"
    assert [label for label in browser.evaluate(panels) if "MariaDB" in label] == [
        "Latency against offered rate: quarkus-mysql-nonblocking, MariaDB 11.4.3",
        "Latency against offered rate: spring-mysql-blocking, MariaDB 11.4.3",
    ]
    assert browser.evaluate("document.querySelectorAll('.panels .plot .u-over').length") == 2
    lines = browser.evaluate(LINES)
    assert len(lines) == 3 * 3  # runs with readings, times rate, CPU and heap
    assert sum(line.count("M") == 2 for line in lines) == 3  # the heap's gap
    assert sum(line.count("L") == 9 for line in lines) == 3  # ten readings; growth has nine


def test_the_panels_of_endpoints_are_drawn_when_they_are_folded_out(
    browser: Chromium, written: tuple[list[Record], Path]
) -> None:
    visit(browser, written[1])
    browser.evaluate("document.querySelector('#endpoints').click()")
    count = "document.querySelectorAll('.panels .plot .u-over').length"
    for _ in range(100):
        if browser.evaluate(count) == 2 + 2 * 2:  # two apps got as far; each together and by endpoint
            return
        time.sleep(0.05)
    assert browser.evaluate(count) == 6


def test_text_of_records_never_becomes_markup(
    browser: Chromium, write: Callable[[list[Record]], tuple[list[Record], Path]]
) -> None:
    run = measured(OTHER, 2.0)
    assert run.provenance.java
    java = msgspec.structs.replace(
        run.provenance.java,
        version=HOSTILE,
        flags={HOSTILE: HOSTILE},
        command=(HOSTILE,),
        class_path=(HOSTILE,),
    )
    hostile = msgspec.structs.replace(
        run,
        suite=HOSTILE,
        metrics={**run.metrics, HOSTILE: run.metrics["p50"]},
        timeline=(*run.timeline, Phase(name=HOSTILE, start=START, end=START + 1)),
        provenance=msgspec.structs.replace(
            run.provenance, java=java, commit=HOSTILE, cpus={HOSTILE: HOSTILE}
        ),
    )
    stop = Stop(phase=HOSTILE, error=HOSTILE, hint=HOSTILE, logs={HOSTILE: HOSTILE})
    _, path = write([hostile, failed(BASE, stopped=stop)])
    visit(browser, path)
    assert browser.evaluate("document.querySelector('main').textContent").count("<script>window.harmed") > 3
    assert browser.evaluate("document.querySelectorAll('main img, main script').length") == 0
    assert browser.evaluate("window.harmed") is None


def test_a_session_in_which_nothing_ran_says_so(
    browser: Chromium, write: Callable[[list[Record]], tuple[list[Record], Path]]
) -> None:
    _, path = write([failed(BASE), failed(OTHER)])
    assert visit(browser, path) == ([], [])
    said = browser.evaluate("document.querySelector('main').textContent")
    for words in ("No run got as far as its window.", "No run has readings.", "failed in start"):
        assert words in said


@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_never_scrolls_sideways(
    browser: Chromium, written: tuple[list[Record], Path], width: int, scheme: str
) -> None:
    visit(browser, written[1], width=width, scheme=scheme)
    browser.evaluate(OPEN)
    scroll, client = browser.evaluate(WIDTHS)
    assert scroll == client
    background = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(251, 250, 247)") == (scheme == "light")

"""The page of a session says what its records hold, and trusts none of their text."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable

import msgspec
import pytest

from telar.analyse.summary import summarise
from telar.catalog.types import Catalog
from telar.publish import curves, headline, timelines
from telar.publish.arms import groups, split
from telar.publish.ratios import ratio_text
from telar.store.record import Failure, Phase, Record, Stop

from .sessions import ALONE, BASE, FAILED, OTHER, START, failed, measured, session

Page = Callable[[list[Record]], str]
HOSTILE = "</style><script>alert(1)</script><img src=x onerror=alert(2)>"


def findings(catalog: Catalog, records: list[Record]) -> str:
    return " ".join(headline.findings(catalog, groups(catalog, records, summarise(records))))


def test_the_headline_tells_ratios_and_that_they_are_single_observations(catalog: Catalog) -> None:
    told = findings(catalog, [measured(BASE, 4.0), measured(OTHER, 2.0)])
    assert told.startswith("Virtual ÷ platform, spring-mysql-blocking: p99 0.50×; app CPU 0.50×; RSS 1.00×.")
    assert "single observations" in told


def test_the_headline_names_the_apps_at_both_ends(catalog: Catalog) -> None:
    pairs = {"spring-mysql-blocking": 2.0, "quarkus-mysql-blocking": 0.5}
    runs = [
        measured(f"{app}-{launch}", slowness)
        for app, ratio in pairs.items()
        for launch, slowness in (("platform", 4.0), ("virtual", 4.0 * ratio))
    ]
    told = findings(catalog, runs)
    assert "2 apps launched both ways: p99 from 0.50× (quarkus-mysql-blocking) to 2.00× (spring-" in told


def test_the_headline_counts_the_runs_behind_a_ratio(catalog: Catalog) -> None:
    runs = [measured(v, 2.0, repetition=n) for v in (BASE, OTHER) for n in (1, 2, 3)]
    assert "3 runs stand behind each side of a ratio" in findings(catalog, runs)


def test_the_headline_says_when_there_is_nothing_to_compare(catalog: Catalog) -> None:
    told = findings(catalog, [measured(BASE, 2.0), failed(OTHER)])
    assert "1 of 2 runs failed (spring-mysql-blocking-virtual) and are in no number." in told
    assert "no ratio" in told


def test_the_headline_says_that_failed_requests_count_in_percentiles(catalog: Catalog) -> None:
    timeout = Failure(endpoint="get", stage="hold-50", side="server", kind="timeout", count=7)
    told = findings(catalog, [measured(BASE, 4.0, failures=(timeout,)), measured(OTHER, 2.0)])
    assert "7 requests failed in 1 of 2 cells; their times are in the percentiles." in told


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


def test_a_failed_run_is_shown_with_its_reason_and_is_in_no_number(page: Page) -> None:
    runs = [measured(BASE, 4.0), measured(OTHER, 2.0), failed(OTHER, repetition=2)]
    text = page(runs)
    assert "failed in start: the app ended with exit code 1" in text
    assert "no such flag" in text  # the log's last lines
    cell = re.escape(runs[1].cell.name)
    row = re.search(rf'<tr class="arm" data-cell="{cell}">.*?</tr>', text, re.S)
    assert row
    assert f'data-metric="p99">{runs[1].metrics["p99"].value:.2f}</td>' in row[0]


def test_several_runs_show_the_lowest_and_the_highest(page: Page) -> None:
    text = page([measured(BASE, 2.0, repetition=1), measured(BASE, 4.0, repetition=2)])
    assert '<td class="number" data-metric="app-cpu">0.300<small>0.200 – 0.400</small></td>' in text


def test_a_session_in_which_nothing_ran_has_a_page(page: Page) -> None:
    text = page([failed(BASE), failed(OTHER)])
    assert "No run got as far as its window." in text
    assert "No run has readings." in text


def test_text_of_records_never_becomes_markup(page: Page) -> None:
    run = measured(OTHER, 2.0)
    assert run.provenance.java
    java = msgspec.structs.replace(
        run.provenance.java,
        version=HOSTILE,
        flags={HOSTILE: HOSTILE},
        command=(HOSTILE,),
        class_path=(HOSTILE,),
    )
    assert run.series
    assert run.load
    hostile = msgspec.structs.replace(
        run,
        suite=HOSTILE,
        cell=msgspec.structs.replace(run.cell, variant=HOSTILE, workload=HOSTILE, jdk=HOSTILE),
        metrics={**run.metrics, HOSTILE: run.metrics["p50"]},
        timeline=(*run.timeline, Phase(name=HOSTILE, start=START, end=START + 1)),
        series=msgspec.structs.replace(run.series, values={**run.series.values, HOSTILE: (1.0, 2.0)}),
        latencies=tuple(msgspec.structs.replace(h, endpoint=HOSTILE, stage=HOSTILE) for h in run.latencies),
        load=msgspec.structs.replace(
            run.load, stages=(msgspec.structs.replace(run.load.stages[0], name=HOSTILE),)
        ),
        failures=(Failure(endpoint=HOSTILE, stage=HOSTILE, side="server", kind=HOSTILE, count=1),),
        provenance=msgspec.structs.replace(
            run.provenance, java=java, commit=HOSTILE, cpus={HOSTILE: HOSTILE}
        ),
    )
    stop = Stop(phase=HOSTILE, error=HOSTILE, hint=HOSTILE, logs={HOSTILE: HOSTILE})
    text = page([hostile, failed(BASE, stopped=stop)])
    assert "&lt;script&gt;alert(1)" in text
    assert "<script" not in text
    assert "<img" not in text
    assert text.count("</style>") == 1


def test_the_policy_lets_in_nothing_but_the_style_sheet(page: Page) -> None:
    text = page(session())
    css = re.search(r"<style>(.*?)</style>", text, re.S)
    assert css
    digest = base64.b64encode(hashlib.sha256(css[1].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in text
    assert " style=" not in text  # the policy would drop it
    assert not re.search(r"\b(?:src|href)=\"(?!#)|url\(|@import", text)


def test_a_percentile_is_drawn_only_where_a_request_lies_beyond_it(catalog: Catalog) -> None:
    records = [measured(BASE, 2.0)]
    own = groups(catalog, records, summarise(records))
    told = {panel.where: set(panel.curves[0][1][0].percentiles) for panel in curves.endpoint_panels(own)}
    assert told == {"get": {"p50", "p95", "p99"}, "list": {"p50", "p95"}}


def test_points_stand_at_the_mean_of_the_offered_rate(catalog: Catalog) -> None:
    records = [measured(BASE, 2.0)]
    (panel,) = curves.panels(groups(catalog, records, summarise(records)))
    assert [(p.stage, p.rate, p.held) for p in panel.curves[0][1]] == [
        ("hold-50", 50, True),
        ("climb-100", 75, False),
    ]


def test_all_panels_have_the_same_scales(page: Page) -> None:
    figures = re.findall(r'<svg role="img" aria-label="Latency.*?</svg>', page(session()), re.S)
    axes = {tuple(re.findall(r'<text class="tick.*?</text>', figure)) for figure in figures}
    assert len(figures) == 2 + 2 * 2  # two apps got as far; each together and by endpoint
    assert len(axes) == 1


def test_counters_are_shown_as_growth_and_bytes_as_mib() -> None:
    run = measured(BASE, 2.0)
    assert timelines.shown(run, "app.cpu_seconds") == (None, *([0.5] * 9))
    assert timelines.shown(run, "app.heap_used") == (0, 1, 2, 3, 4, None, 6, 7, 8, 9)
    assert timelines.shown(run, "app.unheard_of") == ()


def test_what_the_overview_leaves_out_is_told_apart() -> None:
    charts, flat = timelines.the_others(measured(BASE, 2.0))
    assert [chart.title for chart in charts] == ["app.classes_loaded"]
    assert flat == ["app.threads_new 7", "app.cgroup_memory never read"]


def test_warm_up_and_window_are_marked_as_far_as_there_are_readings() -> None:
    assert timelines.marked(measured(BASE, 2.0)) == [("warm-up", 0, 2), ("window", 2, 9)]


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (0.01234, "0.012"), (1.5, "1.50"), (42.42, "42.4"), (1999.6, "2,000")]
)
def test_numbers_beside_charts_have_three_digits(value: float, text: str) -> None:
    assert timelines.number(value) == text


def test_every_cell_has_its_provenance(page: Page) -> None:
    text = page(session())
    provenance = text[text.index('<section id="provenance">') :]
    for variant in (BASE, OTHER, ALONE, FAILED):
        assert f"<summary>{variant} <small>" in provenance
    for known in ("mysql-connector-j-9.7.0.jar", "UseG1GC=true", "max_connections=200", "ab12", "cd34"):
        assert known in provenance


def test_runs_of_a_cell_that_were_not_alike_are_told(page: Page) -> None:
    one, other = measured(BASE, 2.0), measured(BASE, 2.0, repetition=2)
    changed = msgspec.structs.replace(other.provenance, commit="another")
    assert "Differs between runs" not in page([one, other])
    assert other.provenance.database
    database = msgspec.structs.replace(other.provenance.database, command=("mariadbd", "--datadir=/its/own"))
    elsewhere = msgspec.structs.replace(other.provenance, database=database)
    assert "Differs between runs" not in page([one, msgspec.structs.replace(other, provenance=elsewhere)])
    assert "Differs between runs" in page([one, msgspec.structs.replace(other, provenance=changed)])

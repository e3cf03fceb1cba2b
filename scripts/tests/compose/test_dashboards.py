"""Grafana's dashboards: well made, and every query of theirs finds data of a real run."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from telar.build.environment import environment_files
from telar.run.containers import user
from telar.tools import shell

ROOT = Path(__file__).parents[3]
DASHBOARDS = ROOT / "compose" / "grafana" / "dashboards"
FILES = sorted(DASHBOARDS.glob("*.json"))
PORT = 23335

# On JDK 25 it has every metric: the scheduler of virtual threads included.
VARIANT = "spring-mysql-blocking-virtual"


def unanswered(url: str, dashboards: Path, start: float, end: float) -> list[str]:
    """The queries that find nothing between two times in the VictoriaMetrics at `url`."""
    missing = []
    for file in sorted(dashboards.glob("*.json")):
        dashboard = json.loads(file.read_text(encoding="utf-8"))
        missing += [
            f"{file.name}: variable {variable['name']}"
            for variable in dashboard["templating"]["list"]
            if not label_values(url, variable["query"]["query"], start, end)
        ]
        missing += [
            f"{file.name}: {title}: {query}"
            for title, query in queries(dashboard)
            if not points(url, query, start, end)
        ]
    return missing


def queries(dashboard: dict[str, Any]) -> list[tuple[str, str]]:
    """Title and expression of each query, any value standing for the dashboard's variables."""
    names = [variable["name"] for variable in dashboard["templating"]["list"]]
    pattern = re.compile(rf"\$({'|'.join(names)})\b")
    return [
        (panel["title"], pattern.sub(".+", target["expr"]))
        for panel in dashboard["panels"]
        for target in panel["targets"]
    ]


def points(url: str, query: str, start: float, end: float) -> list[float]:
    """Every number of the answer to a range query."""
    answer = httpx.get(
        f"{url}/api/v1/query_range",
        params={"query": query, "start": start, "end": end, "step": "1s"},
        timeout=30,
    )
    assert answer.status_code == 200, f"{query}: {answer.text}"
    values = [float(value) for series in answer.json()["data"]["result"] for _, value in series["values"]]
    return [value for value in values if math.isfinite(value)]


def label_values(url: str, query: str, start: float, end: float) -> list[str]:
    """What Grafana offers for a variable whose query is label_values(metric, label)."""
    match = re.fullmatch(r"label_values\((\w+), (\w+)\)", query)
    assert match, query
    metric, label = match.groups()
    answer = httpx.get(
        f"{url}/api/v1/label/{label}/values",
        params={"match[]": metric, "start": start, "end": end},
        timeout=30,
    )
    assert answer.status_code == 200, f"{query}: {answer.text}"
    return list(answer.json()["data"])


def test_there_are_dashboards_for_all_variants_for_a_run_and_for_threads() -> None:
    assert [file.stem for file in FILES] == ["overview", "run", "threads"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_panel_has_its_own_number_a_title_a_unit_and_the_one_data_source(file: Path) -> None:
    dashboard = json.loads(file.read_text(encoding="utf-8"))
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    for panel in panels:
        assert panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"]
        sources = [panel["datasource"], *(target["datasource"] for target in panel["targets"])]
        assert all(source == {"type": "prometheus", "uid": "telar"} for source in sources)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_query_asks_for_the_variant_or_run_chosen(file: Path) -> None:
    dashboard = json.loads(file.read_text(encoding="utf-8"))
    (variable,) = dashboard["templating"]["list"]
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            assert f'{variable["name"]}=~"${variable["name"]}"' in target["expr"], panel["title"]


def test_the_data_source_is_the_one_that_the_dashboards_name() -> None:
    file = ROOT / "compose" / "grafana" / "provisioning" / "datasources" / "victoriametrics.yaml"
    assert "uid: telar" in file.read_text(encoding="utf-8")


@pytest.fixture
def window(tmp_path: Path) -> tuple[float, float]:
    """Start and end of a real run in containers, which left its series in .telar/telemetry.

    A service says nothing of collections before its first one: in so small a heap it has some at its start.
    """
    start = time.time()
    command: list[str | Path] = [ROOT / "telar", "run", "tour", "--engine", "compose", "--only", VARIANT]
    command.append("--flags=-Xms100m -Xmx100m")
    shell.run([*command, "--jdk", "25", "--data", tmp_path], timeout=1500)
    return start, time.time()


@pytest.fixture
def victoriametrics(window: tuple[float, float]) -> Iterator[str]:
    """VictoriaMetrics by itself, on the series of the run."""
    telemetry = ROOT / ".telar" / "telemetry"
    files = [part for file in environment_files(ROOT) for part in ("--env-file", str(file))]
    compose = ["docker", "compose", "--project-name", "telar-dashboards", *files]
    compose += ["--project-directory", str(ROOT / "compose"), "--file", "compose/telemetry.yaml"]
    variables = {
        "RUN_USER": user(),
        "TELEMETRY_DIR": str(telemetry / "victoriametrics"),
        "TARGETS_DIR": str(telemetry / "targets"),
        "VICTORIAMETRICS_PORT": str(PORT),
    }
    try:
        up = ["up", "--detach", "--wait", "victoriametrics"]
        shell.run([*compose, *up], cwd=ROOT, env=variables)
        yield f"http://127.0.0.1:{PORT}"
    finally:
        shell.run([*compose, "down"], cwd=ROOT, env=variables)


@pytest.mark.docker
def test_every_query_of_every_dashboard_finds_data_of_a_run(
    victoriametrics: str, window: tuple[float, float]
) -> None:
    assert unanswered(victoriametrics, DASHBOARDS, *window) == []

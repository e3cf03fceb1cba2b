"""What `telar crossover` prints, writes and draws of made-up sessions."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET  # our own file
from pathlib import Path

import msgspec
import pytest
from rich.cells import cell_len

from telar.analyse.crossover import POOL
from telar.catalog.load import load
from telar.cli import common
from telar.publish import crossover as published
from telar.store.files import Session
from telar.store.record import Gate, Record

from ..store.records import put
from ..store.stairs import plan_of, stairs
from .conftest import ROOT, Telar

FOREIGN = (Gate(name="foreign", verdict="fail", observed="3 s", expected="1 s"),)
SVG = "{http://www.w3.org/2000/svg}"


def runs() -> list[Record]:
    low, high = (500, 1000, 1500, 2000, 2500), (1000, 1600, 1900, 2200, 2800)
    return [
        stairs("platform", 4000, (25, 40, 48, 55, 80), ends=55, validity="limited"),
        stairs("virtual", 4000, (25, 40, 48, 55, 80)),
        stairs("virtual", 1000, (100, 160, 190, 220, 320), validity="invalid", gates=FOREIGN),
        stairs("platform", 1000, (100, 160, 190, 220, 320), ends=220),
        stairs("platform", 100, high, ends=2200, cpu_ms=0.30, threads=240),
        stairs("virtual", 100, high, ends=2800, full=2800, cpu_ms=0.33, threads=41),
        stairs("platform", 10, low),
        stairs("virtual", 10, low),
        stairs("platform", 1, low, ends=2500, full=2500),
        stairs("virtual", 1, low, ends=2500, full=2500),
        stairs("platform", 0, low),
        stairs("virtual", 0, low, ends=2000),
    ]


def keep(folder: Path, records: list[Record], name: str = "20261125-101500-sleep-crossover") -> Session:
    session = Session.create(folder / name, plan_of(records))
    for run, record in zip(session.plan.runs, records, strict=True):
        put(session, run, record)
    return session


@pytest.fixture
def local(checkout: Path) -> Path:
    return checkout / "benchmarks-data" / "local"


def test_the_table_at_80_columns(telar: Telar, local: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(local, runs())
    monkeypatch.setattr(common.console, "_width", 80)
    said = telar("crossover")
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert max(map(cell_len, lines)) <= 80
    assert [line.rstrip() for line in lines] == (
        Path(__file__).parent / "crossover.txt"
    ).read_text().splitlines()


def test_each_verdict_in_a_wide_terminal(telar: Telar, local: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(local, runs())
    monkeypatch.setattr(common.console, "_width", 240)
    text = " ".join(telar("crossover").out.split())
    for sentence in (
        "virtual pays from 48–55/s on, as predicted",
        "undecided: no run of virtual that can be used: 1 left out, virtual: invalid (foreign)",
        "virtual pays from 1,900–2,200/s on, as predicted",
        "no difference up to 2,500/s: no higher rate was offered",
        "no difference up to 2,000/s: the machine's limit",
        "platform holds more: virtual ends at 1,500–2,000/s",
    ):
        assert sentence in text
    assert "×1.10" in text
    assert "240 → 41" in text
    assert "JDK 25.0.2, embedded engine, 2 × A CPU, co-located, 1 round" in text


def test_json_has_every_step(telar: Telar, local: Path) -> None:
    keep(local, runs())
    (found,) = json.loads(telar("crossover", "--json").out)
    assert [c["wait_ms"] for c in found["crossings"]] == [4000, 1000, 100, 10, 1, 0]
    first = found["crossings"][0]
    assert (first["word"], first["low"], first["high"], first["predicted"]) == ("virtual pays", 48, 55, 50)
    assert [s["held"] for s in first["platform"]["steps"]] == [True, True, True, False, False]


DOCUMENT = "# Map\n\n<!-- crossover: begin -->\nold\n<!-- crossover: end -->\n\nThe end.\n"


def test_the_document_and_the_picture_that_it_shows(telar: Telar, local: Path, tmp_path: Path) -> None:
    keep(local, runs())
    document, picture = tmp_path / "docs" / "map.md", tmp_path / "docs" / "pictures" / "map.svg"
    document.parent.mkdir()
    document.write_text(DOCUMENT)
    said = telar("crossover", "--markdown", document, "--picture", picture)
    assert said.code == 0, said.err
    text = document.read_text()
    assert "\nold\n" not in text
    assert text.endswith("<!-- crossover: end -->\n\nThe end.\n")
    assert "](pictures/map.svg)\n" in text
    row = "| 4 s | 50 | 48–55 | ≥ 80 | ×1.00 | virtual pays from 48–55/s on, as predicted | 50 → 50 |"
    assert f"{row}\n" in text
    assert "Session `20261125-101500-sleep-crossover`" in text
    drawn = picture.read_text()
    tree = ET.fromstring(drawn)  # noqa: S314 - our own
    assert "prefers-color-scheme:dark" in drawn
    assert "4 s: virtual pays from 48–55/s on, as predicted" in tree.attrib["aria-label"]
    marks = [(e.tag.removeprefix(SVG), e.attrib.get("class")) for e in tree]
    assert marks.count(("circle", "hollow platform")) == 1 + 3  # the legend's; 4 s, 1 s and 100 ms
    assert marks.count(("rect", "hollow virtual")) == 2  # full processors at 100 ms and 1 ms
    assert marks.count(("path", "virtual")) == 2  # all was held at 4 s and 10 ms; of 1 s no run can be used
    inside = [float(e.attrib[k]) for e in tree for k in ("y", "cy", "y1", "y2") if k in e.attrib]
    assert min(inside) >= 0
    assert max(inside) <= 470


def test_marks_stand_where_the_rates_are(telar: Telar, local: Path, tmp_path: Path) -> None:
    keep(local, runs()[:2])
    assert telar("crossover", "--picture", tmp_path / "map.svg").code == 0
    tree = ET.parse(tmp_path / "map.svg").getroot()  # noqa: S314 - our own
    held, ended = (
        [e for e in tree if e.tag == f"{SVG}circle" and e.attrib["class"] == own][
            -1
        ]  # the first is the legend's
        for own in ("platform", "hollow platform")
    )
    (line,) = [e for e in tree if e.attrib.get("class") == "line"]
    x, low, high = float(held.attrib["cx"]), float(held.attrib["cy"]), float(ended.attrib["cy"])
    assert low > high  # the higher rate is further up
    x1, y1, x2, y2 = (float(line.attrib[k]) for k in ("x1", "y1", "x2", "y2"))
    at_4_s = y1 + (y2 - y1) * (x + 8 - x1) / (x2 - x1)
    assert high < at_4_s < low  # 50/s lies between 48 and 55


def test_the_newest_session_with_such_a_run_is_taken(telar: Telar, local: Path) -> None:
    keep(local, runs()[:2], "20261125-080000-sleep-crossover")
    keep(local, runs()[2:4], "20261125-090000-sleep-crossover-short")
    quick = keep(local, runs()[:1], "20261125-100000-quickstart")
    plan = (quick.folder / "plan.json").read_text().replace("sleep-crossover-4s", "sleep-100")
    (quick.folder / "plan.json").write_text(plan)
    assert "20261125-090000-sleep-crossover-short:" in telar("crossover").out
    assert "20261125-080000-sleep-crossover:" in telar("crossover", "20261125-080000-sleep-crossover").out


def test_without_such_a_run_the_command_that_makes_one(telar: Telar, local: Path) -> None:
    said = telar("crossover")
    assert said.code == 2
    assert "telar run sleep-crossover makes such a session" in said.err
    assert str(local) in said.err


def test_a_session_without_a_record_says_so(telar: Telar, local: Path) -> None:
    Session.create(local / "20261125-101500-sleep-crossover", plan_of(runs()[:2]))
    said = telar("crossover", "20261125-101500-sleep-crossover")
    assert said.code == 2
    assert "20261125-101500-sleep-crossover has no record yet" in said.err
    assert telar("crossover").code == 2  # nor is it the newest with such a run


def test_a_guest_has_no_map(telar: Telar, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(common.GUEST, "variant.toml")
    said = telar("crossover")
    assert said.code == 2
    assert "not of a guest" in said.err


def test_two_jdks_are_two_maps_and_a_picture_has_one(telar: Telar, local: Path, tmp_path: Path) -> None:
    own = runs()[:2]
    other = [msgspec.structs.replace(r, cell=msgspec.structs.replace(r.cell, jdk="21")) for r in runs()[:2]]
    keep(local, [*own, *other])
    assert len(json.loads(telar("crossover", "--json").out)) == 2
    said = telar("crossover", "--picture", tmp_path / "map.svg")
    assert said.code == 2
    assert "has 2 maps" in said.err
    assert not (tmp_path / "map.svg").exists()


def test_a_document_without_marks_stays_as_it_is(telar: Telar, local: Path, tmp_path: Path) -> None:
    keep(local, runs()[:2])
    document = tmp_path / "map.md"
    document.write_text("# Map\n")
    said = telar("crossover", "--markdown", document, "--picture", tmp_path / "map.svg")
    assert said.code == 2
    assert "has no marks" in said.err
    assert document.read_text() == "# Map\n"
    assert not (tmp_path / "map.svg").exists()
    said = telar("crossover", "--markdown", tmp_path / "other.md")
    assert said.code == 2
    assert "other.md: there is no such document" in said.err


def test_each_wait_of_the_catalogue_is_known_and_its_stairs_are_of_constant_rates() -> None:
    catalog = load(ROOT)
    known = published.waits(catalog)
    own = {name for name in catalog.workloads if name.startswith("sleep-crossover")}
    assert known.keys() == own
    assert sorted(set(known.values())) == [0, 1, 10, 100, 1000, 4000]
    for name in own:
        stages = catalog.workloads[name].file.stage
        assert all(s.from_ == s.to for s in stages)
        assert [s.to for s in stages] == sorted({s.to for s in stages})


def test_the_pool_is_the_apps() -> None:
    text = (ROOT / "apps/sleep/spring-tomcat/src/main/resources/application.properties").read_text()
    assert f"server.tomcat.threads.max={POOL}\n" in text

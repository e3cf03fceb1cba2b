"""What is linked to from elsewhere: the feed, the badges and the charts, whose names stay."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec

from telar.plan.cells import Cell
from telar.publish import badges, feed
from telar.publish.standing import Now
from telar.store.points import Point
from telar.store.published import Published

from .test_history import CATALOG, add, days

ATOM = {"a": "http://www.w3.org/2005/Atom"}
VARIANT = "spring-mysql-blocking-virtual"


def read(store: Published) -> Now:
    now = store.now(Now)
    assert now
    return now


def entries(folder: Path) -> list[tuple[str, str, str]]:
    """Kind, title, date; the feed is read as a reader of feeds would."""
    whole = ET.fromstring((folder / "data" / "feed.atom").read_text())  # noqa: S314 - our own
    found = []
    for entry in whole.findall("a:entry", ATOM):
        category, title, updated = (
            entry.find(f"a:{name}", ATOM) for name in ("category", "title", "updated")
        )
        assert category is not None
        assert title is not None
        assert updated is not None
        found.append((category.get("term") or "", title.text or "", (updated.text or "")[:10]))
    return found


def test_the_feed_has_regressions_each_step_and_cures_newest_first(tmp_path: Path) -> None:
    add(tmp_path, days(200, (0, 10.0), (40, 12.0), (80, 15.0), (150, 10.0)))
    found = entries(tmp_path)
    assert [(kind, date) for kind, _, date in found] == [
        ("cured", "2024-05-30"), ("growth", "2024-03-21"), ("regression", "2024-02-10"),
    ]  # fmt: skip
    assert found[1][1].startswith("app, latency: worse again, p50 +2")


def test_suspicions_are_in_no_feed(tmp_path: Path) -> None:
    store = add(tmp_path, days(44, (0, 10.0), (40, 12.0)))
    assert [f.state for s in read(store).standing for f in s.findings] == ["suspected"]
    assert entries(tmp_path) == []


def test_an_entry_keeps_its_id_when_more_is_published(tmp_path: Path) -> None:
    def ids() -> list[str | None]:
        whole = ET.fromstring((tmp_path / "data" / "feed.atom").read_text())  # noqa: S314 - our own
        return [e.findtext("a:id", namespaces=ATOM) for e in whole.findall("a:entry", ATOM)]

    history = days(140, (0, 10.0), (40, 12.0), (100, 16.0))
    add(tmp_path, history[:90])
    (first,) = ids()
    add(tmp_path, history[90:])
    assert ids()[1:] == [first]


def test_markup_and_control_characters_are_text(tmp_path: Path) -> None:
    evil = [msgspec.structs.replace(p, series="<b>&\x01]]>") for p in days(100, (0, 10.0), (50, 12.0))]
    add(tmp_path, evil)
    ((_, title, _),) = entries(tmp_path)
    assert title.startswith("<b>& ]]>, latency: worse")


def measured(folder: Path, points: list[Point]) -> Now:
    """A history of one variant, as `telar publish` would have it."""
    cell = Cell(
        variant=VARIANT, workload="movies-short", jdk="25", drivers={}, engine="compose", runner="two-cpu",
        layout="co-located",
    )  # fmt: skip
    now = read(add(folder, [msgspec.structs.replace(p, metric="p99") for p in points]))
    return msgspec.structs.replace(now, cells={"app": cell})


def text(picture: bytes) -> str:
    """What it says to those who don't see it."""
    return ET.fromstring(picture).get("aria-label") or ""  # noqa: S314 - our own


def test_a_badge_says_what_is_open(tmp_path: Path) -> None:
    found = badges.pictures(measured(tmp_path, days(100, (0, 10.0), (50, 12.0))))
    assert text(found["badges/all.svg"]) == "regressions: 1 series worse"
    assert text(found["badges/movies-spring-mysql-blocking.svg"]) == (
        "movies/spring-mysql-blocking: 1 series worse"
    )


def test_a_badge_of_what_is_well_and_a_chart_of_the_last_points(tmp_path: Path) -> None:
    now = measured(tmp_path, days(100, (0, 10.0)))
    found = badges.pictures(now)
    assert text(found["badges/all.svg"]) == "regressions: none worse"
    label = text(found[f"charts/{VARIANT}-p99.svg"])
    assert label.startswith(f"{VARIANT}: {CATALOG.file.metric['p99'].label} ")
    assert label.endswith(" 30 points")
    lines = ET.fromstring(found[f"charts/{VARIANT}-p99.svg"]).findall("{*}polyline")  # noqa: S314 - our own
    assert [len((line.get("points") or "").split()) for line in lines] == [30]


def test_their_names_stay_and_their_bytes_are_counted(tmp_path: Path) -> None:
    history = days(100, (0, 10.0), (50, 12.0))
    add(tmp_path, history[:60])
    store = add(tmp_path, history[60:])
    data = tmp_path / "data"
    assert (data / "badges" / "all.svg").exists()
    own = sum(p.stat().st_size for p in data.rglob("*") if p.is_file() and p.name != "index.json")
    assert store.index.bytes == own
    assert feed.feed(read(store)) == (data / feed.PATH).read_bytes()

"""Tables in terminals of any width: no figure is cut, and what is left out is named."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from telar.analyse.tracking import track
from telar.catalog.load import load
from telar.publish import folding, report
from telar.publish.calibration import print_calibration
from telar.publish.detection import print_tracked
from telar.publish.verdict import print_verdict
from telar.store.record import Gate

from ..analyse.test_tracking import history
from ..store.calibrations import calibration, floor
from ..store.records import CELL, latency, record
from .test_verdict import PAUSES, STILL, compared, comparison, verdict

CATALOG = load(Path(__file__).parents[3])
WIDTHS = (80, 100, 120, 160)
FIGURE = re.compile(r"(?<![\w.-])[+-]?\d[\d,]*\.\d+%?(?![\w-])")  # with a point: no name has one


def screen(width: int, show: Callable[[Console], None]) -> list[str]:
    out = io.StringIO()
    show(Console(file=out, width=width, highlight=False))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def session(console: Console) -> None:
    """Two launches of an app, one of them invalid for several reasons."""
    platform = msgspec.structs.replace(CELL, variant="spring-mysql-blocking-platform")
    bad = tuple(Gate(name=n, verdict="fail", observed="", expected="") for n in ("arrivals", "warm", "plan"))
    numbers = dict.fromkeys(("app-cpu", "allocated", "heap-peak", "rss", "startup-ready"), 12345.678)
    runs = [
        record(latencies=(latency([1000, 2000, 123_456]),), numbers=numbers, validity="valid"),
        record(cell=platform, latencies=(latency([3000]),), numbers=numbers, validity="invalid", gates=bad),
    ]
    report.print_tables(CATALOG, console, runs)


def answer(console: Console) -> None:
    open_ = verdict(metric="service-cpu-by-database", word="undecided", effect=0.03, low=-0.123, high=0.234)
    found = compared(verdict(), open_, STILL, beside=(PAUSES,))
    print_verdict(CATALOG, console, comparison(found, found))


def calibrated(console: Console) -> None:
    floors = {
        "p50": floor(),
        "service-cpu-by-database": floor(run_to_run=0.01),
        "gc-pause": floor(tier="chart"),
    }
    print_calibration(CATALOG, console, calibration(floors=floors))


def detected(console: Console) -> None:
    name = "spring-mysql-blocking-virtual+movies-short+jdk-25+mysql-9.7.0"
    print_tracked(CATALOG, console, [track(history((40, 10.0), (120, 11.0), series=name))])


TABLES = {"session": session, "verdict": answer, "calibration": calibrated, "detection": detected}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("table", TABLES)
def test_no_figure_of_a_table_is_cut_and_no_line_is_longer_than_the_terminal(table: str, width: int) -> None:
    lines, whole = screen(width, TABLES[table]), screen(1000, TABLES[table])
    assert max(map(cell_len, lines)) <= width
    known = Counter(FIGURE.findall("\n".join(whole)))
    seen = Counter(FIGURE.findall("\n".join(lines)))
    assert sum(seen.values()) >= 3
    assert seen <= known


@pytest.mark.parametrize("width", WIDTHS)
def test_what_matters_first_is_there_at_every_width(width: int) -> None:
    text = "\n".join(screen(width, session))
    for shown in (" 2.00", " 3.00", "12,345.678", "valid", "invalid"):
        assert shown in text
    text = "\n".join(screen(width, answer))
    for shown in ("worse", "undecided", "4.00 → 4.80", "+20.0% (+15.0% … +25.0%)", "4.0%"):
        assert shown in text


def test_names_lose_what_all_of_them_begin_with_only_where_there_is_no_room() -> None:
    assert "Latency and load · MariaDB 11.4.3 · spring-mysql-blocking-…" in screen(80, session)
    wide = screen(160, session)
    assert "Latency and load · MariaDB 11.4.3" in wide
    assert any("spring-mysql-blocking-platform" in line for line in wide)


def table(width: int, *rows: list[str | Text]) -> list[str]:
    columns = (folding.text("name", 6), folding.figure("first"), folding.figure("second one"))
    return screen(width, lambda console: folding.print_table(console, columns, rows, where="a file"))


def test_columns_are_left_out_from_the_right_and_a_line_names_them() -> None:
    row: list[str | Text] = ["a-long-name", "123,456.7", "890,123.4"]
    assert table(80, row) == [
        "name             first  second one",
        "a-long-name  123,456.7  890,123.4".replace("  890", "   890"),
    ]
    assert table(28, row)[0:2] == ["                      second", "name        first        one"]
    assert table(22, row) == [
        "name             first",
        "a-long-name  123,456.7",
        "No room for: second",
        "one. They are in a",
        "file.",
    ]


def test_text_is_broken_behind_hyphens_and_spaces_and_never_inside_of_a_word() -> None:
    assert folding.folded("spring-mysql-blocking-virtual", 14) == ["spring-mysql-", "blocking-", "virtual"]
    assert folding.folded("invalid: warm, plan", 8) == ["invalid:", "warm,", "plan"]
    assert folding.folded("", 3) == [""]


def test_what_comes_from_outside_is_no_markup() -> None:
    assert any("[red]x[/nope]" in line for line in table(80, ["[red]x[/nope]", "1", "2"]))


def test_a_style_survives_folding() -> None:
    out = io.StringIO()
    console = Console(file=out, width=12, force_terminal=True, color_system="standard")
    folding.print_table(console, (folding.text("word", 4),), [[Text("undecided for now", style="yellow")]])
    assert out.getvalue().count("\x1b[33m") == 2


def test_without_colours_nothing_is_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    out = io.StringIO()
    answer(Console(file=out, width=80, force_terminal=True))
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", out.getvalue())
    monkeypatch.delenv("NO_COLOR")
    out = io.StringIO()
    answer(Console(file=out, width=80, force_terminal=True, color_system="standard"))
    assert "\x1b[31mworse" in out.getvalue()

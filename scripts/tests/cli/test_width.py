"""Tables of commands in terminals of several widths: no line is longer, and no figure is cut."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from telar.analyse.attribution import Attributed, Part
from telar.catalog.load import load
from telar.cli import common
from telar.publish import attribution

from .conftest import ROOT, Telar

WIDTHS = (80, 100, 120, 160)
COMMANDS = {
    "list": ("list",),
    "plan": ("plan", "thesis", "--engine", "compose"),
    "pairs": ("plan", "quickstart"),
    "doctor": ("doctor",),
}
NUMBER = re.compile(r"(?<![\w.,-])\d[\d.,]*(?![\w-])")


def lines(telar: Telar, monkeypatch: pytest.MonkeyPatch, command: str, width: int) -> list[str]:
    monkeypatch.setattr(common.console, "_width", width)
    return [line.rstrip() for line in telar(*COMMANDS[command]).out.splitlines()]


@pytest.mark.thorough
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_is_longer_than_the_terminal_and_no_figure_is_cut(
    telar: Telar, monkeypatch: pytest.MonkeyPatch, command: str, width: int
) -> None:
    narrow, wide = (lines(telar, monkeypatch, command, w) for w in (width, 500))
    assert max(map(cell_len, narrow)) <= width
    assert "…" not in "\n".join(narrow)
    known = {number for line in wide for number in NUMBER.findall(line)}
    assert {number for line in narrow for number in NUMBER.findall(line)} <= known


@pytest.mark.parametrize("width", WIDTHS)
def test_every_run_of_a_plan_has_its_row_with_what_matters_first(
    telar: Telar, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    shown = lines(telar, monkeypatch, "plan", width)
    assert [line.split()[0] for line in shown if re.match(r" *\d+ +\d ", line)] == [
        str(n) for n in range(1, 43)
    ]
    assert shown[0].split()[:4] == ["#", "round", "variant", "workload"]


@pytest.mark.parametrize("width", WIDTHS)
def test_what_each_factor_did_is_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    monkeypatch.setattr(common.console, "_width", width)
    monkeypatch.setattr(common.console, "stderr", False)
    part = Part(
        name="a commit and a driver of a long name " * 4, effect=1.234, low=-0.987, high=12.345, share=0.5
    )
    each = Attributed(variant="spring-mysql-blocking-virtual", metric="p50", parts=(part,))
    attribution.print_attributed(load(ROOT), common.console, each)
    text = capsys.readouterr().out
    assert max(map(cell_len, text.splitlines())) <= width
    for shown in ("+123.4%", "-98.7% … +1234.5%", "50%"):
        assert shown in text


@pytest.mark.thorough
def test_a_pipe_gets_the_width_that_columns_says_else_all_the_room_that_tables_need(tmp_path: Path) -> None:
    def widest(**environment: str) -> int:
        kept = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
        said = subprocess.run(
            [sys.executable, "-m", "telar", "list", "variants"],
            env={**kept, "TELAR_ROOT": str(ROOT), "PYTHONPATH": str(ROOT / "scripts" / "src"), **environment},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return max(map(cell_len, said.stdout.splitlines()))

    assert widest(COLUMNS="80") <= 80
    assert 120 < widest() <= 150

"""`telar doctor --runner --wait`: a machine that is just starting gets time, and no more than that."""

from __future__ import annotations

import contextlib

import pytest

from telar.cli import doctor
from telar.run import fit
from telar.run import session as sessions

from .conftest import Telar


def machine(monkeypatch: pytest.MonkeyPatch, busy: int) -> list[int]:
    """One whose neighbours are busy for so many looks; how often it was looked at."""
    looks = [0]

    def look(*_: object, **__: object) -> list[fit.Finding]:
        looks[0] += 1
        state: fit.State = "fail" if looks[0] <= busy else "ok"
        return [fit.Finding(name="neighbours", state=state, found="updates run", remedy="wait")]

    monkeypatch.setattr(fit, "look", look)
    # Whether another telar measures here just now isn't what is asked.
    monkeypatch.setattr(sessions, "alone", lambda _: contextlib.nullcontext())
    monkeypatch.setattr(doctor, "PAUSE", 0.05)
    return looks


def test_a_machine_that_is_starting_is_waited_for(telar: Telar, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = machine(monkeypatch, busy=3)
    said = telar("doctor", "--runner", "--wait", "5s")
    assert said.code == 0
    assert looks == [4]
    assert "not fit yet (neighbours)" in said.out


@pytest.mark.thorough
def test_one_that_stays_busy_is_not_waited_for_for_ever(
    telar: Telar, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = machine(monkeypatch, busy=10_000)
    assert telar("doctor", "--runner", "--wait", "0.3s").code == 6
    assert 2 <= looks[0] <= 10
    before = looks[0]
    assert telar("doctor", "--runner").code == 6
    assert looks[0] == before + 1
    assert telar("doctor", "--wait", "5s").code != 0

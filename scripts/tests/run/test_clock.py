from __future__ import annotations

import time

import pytest

from telar.errors import RunError
from telar.run.clock import Clock


@pytest.mark.parametrize("step", [0.0, 0.4, -0.4])
def test_a_clock_that_goes_on_as_time_does_is_fine(step: float, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, real = Clock(), time.time
    monkeypatch.setattr(time, "time", lambda: real() + step)
    clock.require_unmoved()


@pytest.mark.parametrize(("step", "said"), [(0.6, r"\+0\.6 s"), (-3600.0, r"-3600\.0 s")])
def test_a_clock_that_was_set_is_said_with_its_step(
    step: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, real = Clock(), time.time
    monkeypatch.setattr(time, "time", lambda: real() + step)
    with pytest.raises(RunError, match=f"the clock of this machine was set by {said}"):
        clock.require_unmoved()

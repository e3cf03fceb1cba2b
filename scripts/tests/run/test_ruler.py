"""The fixed work that a machine's speed is told by."""

from __future__ import annotations

import os

import pytest

from telar.run import ruler


def test_the_work_is_done_on_each_processor_and_the_thread_is_free_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[set[int]] = []

    def once(_text: bytes) -> float:
        seen.append(os.sched_getaffinity(0))
        return 0.010 + 0.005 * (len(seen) > ruler.TIMES)  # the second processor is slower

    monkeypatch.setattr(ruler, "_once", once)
    allowed = os.sched_getaffinity(0)
    found = ruler.measure()
    first = sorted(allowed)[: ruler.PROCESSORS]
    assert seen == [{processor} for processor in first for _ in range(ruler.TIMES)]
    assert found == pytest.approx((0.010 + 0.015 * (len(first) - 1)) / len(first))
    assert os.sched_getaffinity(0) == allowed


def test_the_work_is_always_the_same_text() -> None:
    assert len(ruler._text()) == ruler.SIZE
    assert ruler._text() == ruler._text()

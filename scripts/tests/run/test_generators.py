"""Several generators as one: their parts of the arrivals, and when they count as ended."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from telar.run.generators import Together, segments


class Part:
    """A generator that has ended so, or still runs."""

    pid, image = 1, ""

    def __init__(self, code: int | None) -> None:
        self._code = code
        self.stopped = False

    def ended(self) -> int | None:
        return self._code

    def how_ended(self) -> str:
        return f"ended with {self._code}"

    def stop(self) -> None:
        self.stopped = True

    def log(self) -> str:
        return f"log of {self._code}"

    def usage_of(self) -> None:
        """Nobody asks here."""


def test_one_generator_alone_is_told_nothing() -> None:
    assert segments(1) == [()]


@pytest.mark.parametrize("count", [2, 3, 7])
def test_segments_cover_the_whole_and_dont_overlap(count: int) -> None:
    found = [dict(zip(s[::2], s[1::2], strict=True)) for s in segments(count)]
    parts = [tuple(map(Fraction, f["--execution-segment"].split(":"))) for f in found]
    assert parts[0][0] == 0
    assert parts[-1][1] == 1
    assert all(left[1] == right[0] for left, right in pairwise(parts))
    assert {f["--execution-segment-sequence"].count(",") for f in found} == {count}
    assert len({f["--tag"] for f in found}) == count


@pytest.mark.parametrize(
    ("codes", "ended"),
    [
        ((None, None), None),
        ((0, None), None),
        ((0, 0), 0),
        ((107, None), 107),  # the other one is no use alone
        ((0, 107), 107),
    ],
)
def test_they_have_ended_when_all_have_or_one_has_failed(
    codes: tuple[int | None, ...], ended: int | None
) -> None:
    parts = [Part(code) for code in codes]
    together = Together(parts)  # type: ignore[arg-type]
    assert together.ended() == ended
    together.stop()
    assert all(part.stopped for part in parts)
    if ended:
        assert together.how_ended() == f"ended with {ended}"

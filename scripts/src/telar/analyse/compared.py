"""What a comparison says: of one metric, and of a cell's two sides."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from telar.analyse.decide import Word
from telar.analyse.endpoints import Quantiles
from telar.plan.cells import Cell
from telar.store.floors import Tier

Ground = Tier | Literal["counted", "unknown"]


class Verdict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of one metric of one cell, base against head."""

    metric: str
    word: Word
    tier: Ground
    base: float | None  # medians over windows
    head: float | None
    effect: float | None  # head ÷ base, less one
    low: float | None  # its interval at the last look
    high: float | None
    error: float | None  # standard error of the effect's logarithm
    # The smallest change worth a verdict, and of the primary metric what it can be called the same within.
    matters: float | None
    smallest: float | None  # effect that these pairs would have shown, were it the only one
    p: float | None  # of no difference, valid at any look; before the family is taken into account
    q: float | None  # after
    endpoint: str = ""  # as people call it; empty of a metric of all of them
    milliseconds: Quantiles | None = None  # its latency; None of a metric of all

    @property
    def log(self) -> tuple[float, float] | None:
        """The effect's logarithm and its standard error; None where no effect was seen."""
        if self.effect is None or self.error is None or self.effect <= -1:
            return None
        return math.log1p(self.effect), self.error


class Compared(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A cell's two sides."""

    base: Cell
    head: Cell
    forks: int
    pairs: int  # sound on both sides
    moved: (
        int  # of them, in which the machine's speed moved or arrivals were late: they say nothing in seconds
    )
    left_out: int
    refused: tuple[str, ...]  # gates that failed, with how many windows
    verdicts: tuple[Verdict, ...]  # on which the word rests
    beside: tuple[Verdict, ...]  # what else moved, the surest first
    unknown: tuple[str, ...] = ()  # metrics that matter and that some pair doesn't know, with how many

    @property
    def word(self) -> Word:
        """The worst of them; undecided only where nothing is worse, and something open or nothing seen."""
        words = {v.word for v in self.verdicts} | (set() if self.seen else {"undecided"})
        order: tuple[Word, ...] = ("worse", "undecided", "better", "same")
        return next((w for w in order if w in words), "undecided")

    @property
    def seen(self) -> bool:
        """Whether there are sound pairs, and a metric with a clock in it of which so many of them can tell
        something: that counts are alike doesn't make two builds the same.
        """
        return bool(self.pairs) and any(v.tier != "counted" for v in self.verdicts)

    def of(self, metric: str) -> Verdict | None:
        """What is said of a metric, whether the word rests on it or not."""
        return next((v for v in (*self.verdicts, *self.beside) if v.metric == metric), None)

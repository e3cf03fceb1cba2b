"""A verdict's figures in words: what moved, from where to where, and by how much."""

from __future__ import annotations

import math

from telar.analyse.compared import Verdict
from telar.analyse.decide import FAR
from telar.analyse.endpoints import Quantiles
from telar.catalog.types import Catalog
from telar.publish.columns import column, metric_file

NONE = "–"
OPEN = "open"  # of an interval that has no end there
ROUNDED = 1e-9
FARTHER = 2.0  # times as far as p50 a p95 moves to be shown in its place


def title(catalog: Catalog, verdict: Verdict) -> str:
    """Of a metric as the catalogue has it; of an endpoint what people call it, and the quantile shown."""
    if verdict.milliseconds is None:
        titled = metric_file(catalog, verdict.metric).title
        return f"{verdict.endpoint}: {titled}" if verdict.endpoint else titled
    return f"{verdict.endpoint} {_shown(verdict.milliseconds)[0]}"


def unit(catalog: Catalog, verdict: Verdict) -> str:
    return "ms" if verdict.milliseconds else metric_file(catalog, verdict.metric).unit


def headed(catalog: Catalog, verdict: Verdict) -> str:
    """Title and unit, where the title doesn't say it."""
    shown = unit(catalog, verdict) if verdict.endpoint else column(catalog, verdict.metric).unit
    named = title(catalog, verdict)
    return f"{named}, {shown}" if shown and shown not in named else named


def values(catalog: Catalog, verdict: Verdict) -> str:
    """Base → head, without a unit."""
    sides, digits = (verdict.base, verdict.head), metric_file(catalog, verdict.metric).digits
    if verdict.milliseconds:
        sides, digits = _shown(verdict.milliseconds)[1], 2
    return " → ".join(NONE if v is None else f"{v:,.{digits}f}" for v in sides)


def change(verdict: Verdict) -> str:
    """With its interval, as far as it is known."""
    if verdict.effect is None:
        return NONE
    said = f"{verdict.effect:+.1%}"
    if verdict.low is None or verdict.high is None:
        return said
    return f"{said} ({verdict.low:+.1%} … {OPEN if is_open(verdict.high) else f'{verdict.high:+.1%}'})"


def smallest(verdict: Verdict) -> str:
    """The effect that would have been seen."""
    known = verdict.smallest is not None and not is_open(verdict.smallest)
    return f"{verdict.smallest:.1%}" if known else NONE


def is_open(share: float) -> bool:
    """Whether an interval's end is as far as any is looked for: it says that there is none."""
    return share >= math.expm1(FAR) * (1 - ROUNDED)


def change_or_values(catalog: Catalog, verdict: Verdict) -> str:
    """Both values, with the unit, where the base is 0 and so nothing is a share of it."""
    known = verdict.effect is not None
    return change(verdict) if known else f"{values(catalog, verdict)} {unit(catalog, verdict)}"


def may_be_zero(verdict: Verdict) -> bool:
    """Whether the interval that is shown holds no change at all."""
    return verdict.low is not None and verdict.high is not None and verdict.low <= 0 <= verdict.high


def moved(catalog: Catalog, verdict: Verdict, variant: str) -> str:
    """In one line: `POST /movies p50 1.30 → 4.40 ms of VARIANT, typical latency ÷ … +230 % (…)`."""
    if verdict.milliseconds is None:
        if verdict.effect is None:
            return f"{title(catalog, verdict)} {values(catalog, verdict)} of {variant}"
        return f"{title(catalog, verdict)} of {variant} {change(verdict)}"
    judged = metric_file(catalog, verdict.metric).title
    return (f"{title(catalog, verdict)} {values(catalog, verdict)} ms of {variant}, "
            f"{judged} {change(verdict)}")  # fmt: skip


def _shown(found: Quantiles) -> tuple[str, tuple[float, float]]:
    """p50, unless only the slow requests became slower."""
    return ("p95", found.p95) if _far(found.p95) > FARTHER * _far(found.p50) else ("p50", found.p50)


def _far(sides: tuple[float, float]) -> float:
    return abs(math.log(sides[1] / sides[0])) if min(sides) > 0 else 0.0

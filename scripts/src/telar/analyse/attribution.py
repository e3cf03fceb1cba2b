"""Which of several factors moved a metric: each alone against all of them together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist

import msgspec

from telar.analyse.verdicts import Verdict


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What a factor alone does to the metric, or what is left of all together: their interaction."""

    name: str
    effect: float  # as a share
    low: float
    high: float
    share: float | None  # of the whole effect, on the logarithmic scale; None where there is none to speak of


class Attributed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What moved a variant's metric: the factors, their interaction, and all of them together."""

    variant: str
    metric: str
    parts: tuple[Part, ...]


def attribute(alone: Mapping[str, Verdict], together: Verdict, miss: float) -> list[Part]:
    """Factors by the size of what they do, then the interaction: log(together) less the sum of logs alone.

    Intervals hold but for a chance of `miss` each; an interaction's error is that of a sum of independent
    estimates. Verdicts without an effect are left out.
    """
    whole = together.log
    if whole is None:
        return []
    logs = {name: found for name, v in alone.items() if (found := v.log) is not None}
    parts = [_part(name, effect, error, whole[0], miss) for name, (effect, error) in logs.items()]
    parts.sort(key=lambda p: abs(math.log1p(p.effect)), reverse=True)
    rest = whole[0] - sum(effect for effect, _ in logs.values())
    error = math.sqrt(whole[1] ** 2 + sum(error**2 for _, error in logs.values()))
    return [*parts, _part("interaction", rest, error, whole[0], miss)]


def _part(name: str, effect: float, error: float, whole: float, miss: float) -> Part:
    reach = NormalDist().inv_cdf(1 - miss / 2) * error
    return Part(
        name=name,
        effect=math.expm1(effect),
        low=math.expm1(effect - reach),
        high=math.expm1(effect + reach),
        share=effect / whole if abs(whole) > reach else None,
    )

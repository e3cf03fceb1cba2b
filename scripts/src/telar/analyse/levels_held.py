"""What a series held before: a runner pool that switches between two machines isn't slower each time it does.

Change points alone forget. So a level at which the series was already, for some points in a row, isn't
reported when it comes back, until it has stayed for longer than a visit does. A young series may not have
shown its levels yet: there the first visit has to be as long, unless the step is large beside the noise.

The first return is another matter: a series that was at one level, went to another for a while, and is back
at the first, has changed twice (a regression, and its cure). It switches when that happens again.
"""

from __future__ import annotations

import math

import numpy as np

from telar.analyse.noise_shape import Values, narrowest_half

MEMORY = 150  # points
KNOWN = 40  # points, at a level or of a series, in which other levels would have been visited
SETTLED = 50  # points after which a level is no visit
LONGER = 2  # times as long as the longest visit before: no visit, either
STAYED = 20  # points at a level between two changes that are both reported
YOUNG = 12  # points at a level: more than a short visit
BRIEF = 8  # points at another, after which the first return is no visit
PLAIN = 6.0  # times as large as the noise is a step of a young series that is reported at once
LARGE = math.log1p(0.15)  # and as large as that
IN_A_ROW = 5  # points, at least, make a visit
APART = 6.0  # standard errors by which a visit differs from chance
NEAR = 0.15  # of the distance between two levels: as near is the same level


def visited(every: Values, before: int, start: int, at: int, scale: float) -> bool:
    """Whether the level since the point `at` may be one of those that the series visits now and then.

    The present level began at `start`, the one before it at `before`; `scale` is the noise's, in the values'
    unit.
    """
    since = max(0, at - MEMORY)
    now, own = every[at:], every[max(start, since) : at]
    level, current = float(np.median(now)), float(np.median(own))
    away = abs(level - current)
    if not away:
        return False
    near = NEAR * away
    # Of two machines the present one's noise counts: what a series has that switches is far wider.
    noise = min(scale, narrowest_half(np.sort(own)))
    least = max(IN_A_ROW, math.ceil((APART * noise / away) ** 2))
    if _held(now, current, least, near):
        return True  # it switches
    last = every[max(before, since) : max(start, since)]
    old = every[since : max(start, since)]
    if at - start >= BRIEF and _left_once(old, level, away, least) and not _held(old, current, least, near):
        return False
    stayed = at - start >= KNOWN or (at - start >= STAYED and start - before >= KNOWN)
    if stayed and not _held(last, current, least, near):
        known = [own, every[since : max(before, since)]]
    else:
        known = [every[since:at]]
    if len(now) > SETTLED:
        least = max(least, math.ceil(len(now) / LONGER))
    return any(_held(past, level, min(len(now), least), near) for past in known)


def plain(past: Values, now: Values, *, first: bool) -> bool:
    """Whether a young series steps by so much that it is reported at once; `past` is the present level, the
    series' first or a later one.
    """
    if len(past) < (YOUNG if first else BRIEF):
        return False
    low, high = np.quantile(past, (0.25, 0.75))
    noise = float(high - low) / 1.349  # a normal distribution's standard deviation
    return abs(float(np.median(now) - np.median(past))) >= max(LARGE, PLAIN * noise)


def _left_once(past: Values, level: float, away: float, points: int) -> bool:
    """Whether the series was at the level in one stretch only, before the present one: it doesn't switch."""
    if len(past) < YOUNG:
        return False
    medians = _medians(past, min(points, len(past)))
    at_level = np.flatnonzero(np.abs(medians - level) < away / 2)
    if not len(at_level):
        return False
    stay = int(at_level[-1] - at_level[0]) + 1
    return len(at_level) == stay and stay + min(points, len(past)) - 1 >= YOUNG


def _held(past: Values, level: float, points: int, near: float) -> bool:
    """Whether the median of that many points in a row was near the level."""
    if len(past) < points:
        return False
    return bool((np.abs(_medians(past, points) - level) <= near).any())


def _medians(values: Values, points: int) -> Values:
    found: Values = np.median(np.lib.stride_tricks.sliding_window_view(values, points), axis=1)
    return found

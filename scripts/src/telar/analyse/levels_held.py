"""What a series held before: a runner pool that switches between two machines isn't slower each time it does.

Change points alone forget. So a level at which the series was already, for some points in a row, isn't
reported when it comes back, until it has stayed for longer than a visit does. A young series may not have
shown its levels yet: there the first visit has to be as long.

A level that was left for good is another matter: a series that was at one level for long, then for long at
another, and is back at the first, has changed twice.
"""

from __future__ import annotations

import math

import numpy as np

from telar.analyse.noise_shape import Values

MEMORY = 150  # points
KNOWN = 40  # points, at a level or of a series, in which other levels would have been visited
SETTLED = 50  # points after which a level is no visit
LONGER = 2  # times as long as the longest visit before: no visit, either
STAYED = 20  # points at a level between two changes that are both reported
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
    least = max(IN_A_ROW, math.ceil((APART * scale / away) ** 2))
    if _held(now, current, least, near):
        return True  # it switches
    last = every[max(before, since) : max(start, since)]
    stayed = at - start >= KNOWN or (at - start >= STAYED and start - before >= KNOWN)
    if stayed and not _held(last, current, least, near):
        known = [own, every[since : max(before, since)]]
    else:
        known = [every[since:at]]
    if len(now) > SETTLED:
        least = max(least, math.ceil(len(now) / LONGER))
    return any(_held(past, level, min(len(now), least), near) for past in known)


def _held(past: Values, level: float, points: int, near: float) -> bool:
    """Whether the median of that many points in a row was near the level."""
    if len(past) < points:
        return False
    medians = np.median(np.lib.stride_tricks.sliding_window_view(past, points), axis=1)
    return bool((np.abs(medians - level) <= near).any())

"""The density of a series' noise, estimated from the points of one level: many series have two modes or more.

A runner pool has two kinds of machines, a heap of two sizes: then points lie in narrow heaps far apart, and
any test that knows a mean and a spread takes the distance between the heaps for noise. With the density of
the heaps, a step of a third of that distance shows in a few points.

Noise follows itself, too: a point after a high one is high. The shape is that of the points without that, at
the same level: (x(t) - phi x(t-1)) / (1 - phi). Of noise with x(t) = phi x(t-1) + e these are independent,
and as wide as averages of many points say that they must be; a step keeps its size.

The estimate is a kernel density with bandwidths that follow each point's neighbours (Silverman, "Density
Estimation" (1986), ch. 5: nearest neighbours and variable kernels), of Student's t with 4 degrees, and
beside it a wide background with the weight that the rule of succession gives to what was never seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[np.float64]

FAR = 60.0  # in scales: what is farther away is taken to be there
PER_SCALE = 4  # cells of the grid
CELLS = 1024  # the grid's, from -128 to +128 scales: FAR of a value and FAR of a shift fit in
MIDDLE = CELLS // 2
UNSEEN = 2.0  # points' worth of belief in what was never seen
LADDER = tuple(1.5 * 2**n for n in range(9))  # bandwidths, in cells
BACKGROUND = 10.0  # the background's scale
MOST_CORRELATED = 0.97


@dataclass(frozen=True)
class Shape:
    """The noise around a level, in units of its scale."""

    centre: float
    scale: float  # of the narrowest heap that holds half of the points
    points: int
    correlation: float  # between a point and the one before it, from 0 on
    log_density: Values  # shape (CELLS,), of standardised values

    @property
    def most(self) -> float:
        """The evidence, in nats, that one point may give: a value not seen in n points has a chance of
        UNSEEN / (n + UNSEEN) all the same (Laplace's rule of succession)."""
        return math.log((self.points + UNSEEN) / UNSEEN)

    def standardised(self, values: Values) -> Values:
        return np.clip((values - self.centre) / self.scale, -FAR, FAR)


def shape_of(values: Values, least_scale: float) -> Shape:
    """Of at least two values of one level, in their order; `least_scale`, in their unit, is the least."""
    correlation = correlation_of(values)
    ordered = np.sort(independent(values, float(values[0]), correlation))
    count = len(ordered)
    half = count // 2 + 1
    at = int(np.argmin(_halves(ordered)))
    scale = max(narrowest_half(ordered), least_scale)
    centre = float(ordered[at + (half - 1) // 2] + ordered[at + half // 2]) / 2
    z = np.minimum(np.maximum((ordered - centre) / scale, -FAR), FAR)
    narrowest = 0.9 * count**-0.2  # Silverman's rule of thumb, for the heap's own scale
    widths_of = np.maximum(_to_neighbour(z, math.isqrt(count)), narrowest) * PER_SCALE
    rungs = np.searchsorted(LADDER[:-1], widths_of)
    cells = np.rint(z * PER_SCALE).astype(np.intp) + MIDDLE
    heights = np.bincount(rungs * CELLS + cells)
    heaps = np.flatnonzero(heights)
    seen = heights[heaps] @ _kernels()[heaps // CELLS, CELLS - heaps % CELLS]
    density = (seen + UNSEEN * _background()) / (count + UNSEEN)
    return Shape(
        centre=centre, scale=scale, points=count, correlation=correlation, log_density=np.log(density)
    )


def narrowest_half(ordered: Values) -> float:
    """The scale of the narrowest heap that holds half of the values, which are sorted: a normal
    distribution's shortest half is 1.349 standard deviations wide (Rousseeuw and Leroy 1988).
    """
    return float(_halves(ordered).min()) / 1.349


def _halves(ordered: Values) -> Values:
    """How wide every half of the sorted values is."""
    half = len(ordered) // 2 + 1
    widths: Values = ordered[half - 1 :] - ordered[: len(ordered) - half + 1]
    return widths


def independent(values: Values, before: float, correlation: float) -> Values:
    """The values without what each has from the one before it; `before` is the one before the first."""
    if not correlation:
        return values
    previous = np.concatenate(([before], values[:-1]))
    return (values - correlation * previous) / (1 - correlation)


def correlation_of(values: Values) -> float:
    """How much of its distance from the level a point has from the one before it, no less than 0.

    By ranks, so that outliers don't hide it: Bartels' version of von Neumann's ratio ("The rank version of
    von Neumann's ratio test for randomness", 1982). In few points it comes out too small, by about
    (1 + 4 phi) / n (Kendall, "Note on bias in the estimation of autocorrelation", 1954), and it errs by
    sqrt((1 - phi^2) / n): so it is corrected, and shrunk as James and Stein (1961) shrink.

    What it is for is the spread of an average, in proportion to 1 / (1 - phi). Over the error of phi the mean
    of that is larger, by 1 + (1 - phi^2) / (n (1 - phi)^2) (Taylor's series up to the second order), and
    that mean is what is taken.
    """
    count, ordered = len(values), np.sort(values)
    twice = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    ranks = (twice - twice.mean()) / 2
    square = float(ranks @ ranks)
    if not square:
        return 0.0
    steps = np.diff(ranks)
    found = 1 - float(steps @ steps) / (2 * square)
    found = min(found + (1 + 4 * max(found, 0.0)) / count, MOST_CORRELATED)
    phi = max(found - (1 - found * found) / (count * found), 0.0) if found > 0 else 0.0
    wider = 1 + (1 - phi * phi) / (count * (1 - phi) ** 2)
    return min(1 - (1 - phi) / wider, MOST_CORRELATED) if phi else 0.0


def _to_neighbour(ordered: Values, nth: int) -> Values:
    """About how far it is from each value to its n-th nearest neighbour."""
    count = len(ordered)
    place = np.arange(count)
    low, high = np.maximum(place - nth // 2, 0), np.minimum(place + nth // 2 + 1, count - 1)
    distance: Values = (ordered[high] - ordered[low]) / (high - low) * (nth / 2)
    return distance


@cache
def _kernels() -> Values:
    """Student's t with 4 degrees of freedom, a density per scale: shape (rungs, CELLS + 1, CELLS). Of a heap
    in cell c the row CELLS - c.
    """
    away = np.arange(-CELLS, CELLS + 1)
    rows = [0.375 / (1 + (away / width) ** 2 / 4) ** 2.5 * PER_SCALE / width for width in LADDER]
    return np.lib.stride_tricks.sliding_window_view(np.asarray(rows), CELLS, axis=1)


@cache
def _background() -> Values:
    t = (np.arange(CELLS) - MIDDLE) / (PER_SCALE * BACKGROUND)
    return 1 / (math.pi * BACKGROUND * (1 + t * t))

"""Stacks whose outer part a profiler couldn't see, put under the callers that others show.

A virtual thread that goes on after a wait gets only its innermost frames back at first; the others follow as
calls return (JEP 444: "stack chunk objects"). What is sampled meanwhile ends in the middle of a request. How
much of a method's time that hides depends on how far its callers are compiled, so it differs between two
JVMs of one build, and looks like a change of the callers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile

Stack = tuple[str, ...]  # `package.Class.method`, outermost first
Stacks = Mapping[Stack, float]  # -> samples, or what else they stand for


def mended(windows: Sequence[Stacks]) -> list[dict[Stack, float]]:
    """Each window's stacks, whole as far as that can be known. The sum of a window stays what it was.

    A stack is cut where its outermost method is more often inside of others, over all windows. It is put
    under the callers of the whole stacks that go on as it does for the longest way, over all windows, in
    proportion to how often they were seen. One that no other goes on like stays as it is.
    """
    every: Counter[Stack] = Counter()
    for window in windows:
        for stack, samples in window.items():
            every[stack] += samples  # type: ignore[assignment] # a counter of floats
    cut = _cut(every)
    whole = {stack: samples for stack, samples in every.items() if stack and stack[0] not in cut}
    places = _places(whole, cut)
    callers = {
        stack: _callers(stack, places[stack[0]], whole) for stack in every if stack and stack[0] in cut
    }
    found = []
    for window in windows:
        own: dict[Stack, float] = defaultdict(float)
        for stack, samples in window.items():
            for above, share in callers.get(stack, {(): 1.0}).items():
                own[*above, *stack] += samples * share
        found.append(dict(own))
    return found


def entered(stacks: Stacks, classes: Collection[str], *, least: float) -> dict[str, float]:
    """The methods of these classes that others call -> the share of all samples that are in them, of those
    with `least` of all. Who called the outermost of a stack isn't known. A lambda is none of them: the JVM
    times none (docs/why.md).
    """
    found: Counter[str] = Counter()
    for stack, samples in stacks.items():
        inside = [_owner(method) in classes for method in stack]
        own = {m for m, here, above in zip(stack[1:], inside[1:], inside, strict=False) if here and not above}
        for method in own:
            found[method] += samples  # type: ignore[assignment] # a counter of floats
    every = sum(stacks.values())
    return {
        method: samples / every
        for method, samples in found.items()
        if samples >= least * every and "lambda$" not in method
    }


def _owner(method: str) -> str:
    return method.rpartition(".")[0]


def _cut(every: Stacks) -> frozenset[str]:
    """The outermost methods that are none of a thread's."""
    outermost, inside = Counter[str](), Counter[str]()
    for stack, samples in every.items():
        outermost.update({stack[0]: samples} if stack else {})
        inside.update(dict.fromkeys(stack[1:], samples))
    return frozenset(method for method, samples in outermost.items() if inside[method] > samples)


def _places(whole: Iterable[Stack], cut: frozenset[str]) -> Mapping[str, list[tuple[Stack, int]]]:
    """Method -> the whole stacks that it is in, and where."""
    found: dict[str, list[tuple[Stack, int]]] = defaultdict(list)
    for stack in whole:
        for at, method in enumerate(stack):
            if at and method in cut:
                found[method].append((stack, at))
    return found


def _callers(stack: Stack, places: Sequence[tuple[Stack, int]], whole: Stacks) -> dict[Stack, float]:
    """Callers -> their share."""
    longest, found = 0, dict[Stack, float]()
    for other, at in places:
        alike = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(stack, other[at:], strict=False))
        )
        if alike > longest:
            longest, found = alike, {}
        if alike == longest:
            found[other[:at]] = found.get(other[:at], 0.0) + whole[other]
    every = sum(found.values())
    return {above: samples / every for above, samples in found.items()} if every else {(): 1.0}

"""By how much a method's processor time and allocation differ between JVMs of one build: real services.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/jvms.py OUT

OUT is what scripts/measure/named.py measured. Of each round those services are taken that differ from the
base below MovieJson.of alone, and what was sampled in that is left out: what remains is one build on several
JVMs. The variance between them is that of their means less what two windows of one JVM differ by. Prints,
for methods of about one size, the root of the mean square of that standard deviation, as a share of the
method and as one of all; and how often two of these JVMs were said to differ (analyse/methods.py).

Of the calls that the JVM timed where nothing was changed: by how much the mean of a window differs from that
of the other on its JVM, as it was measured and at one speed of the machine, and two JVMs from each other.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, variance

import msgspec
import named

from telar.analyse import methods, timed, why
from telar.analyse.methods import Seen

ALIKE = ("base", "nothing", "cpu-3", "cpu-5", "cpu-10", "a-fifth", "slower-regex")
SAME = "nothing"
DIFFERS = "dev.telar.movies.MovieJson.of"
SIZES = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.4)  # of all


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Of one method, as shares of all."""

    level: float
    between: float  # variance between JVMs; below zero where two windows of one differ by more


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    folders = sorted(path.parent for path in parser.parse_args().out.glob(f"*/{named.MEASURED}"))
    made = [msgspec.json.decode((each / named.MEASURED).read_bytes(), type=named.Round) for each in folders]
    rounds = [_read(*each) for each in zip(folders, made, strict=True)]
    for what, of_windows in (("processor time", _cpu), ("allocation", _allocated)):
        spreads = [each for windows in rounds for each in spreads_of(windows, of_windows)]
        print(f"\n{what}: {sum(len(windows) for windows in rounds)} JVMs, {len(rounds)} rounds\n")
        print("| share of all | methods | differ by, of the method | of all |\n|---|--:|--:|--:|")
        for least, most in itertools.pairwise(SIZES):
            those = [each for each in spreads if least <= each.level < most]
            if those:
                own = _root(fmean(each.between / each.level**2 for each in those))
                whole = _root(fmean(each.between for each in those))
                print(f"| {least:.0%} … {most:.0%} | {len(those)} | {own:.0%} | {whole:.1%} |")
        pairs = [pair for windows in rounds for pair in itertools.combinations(windows.values(), 2)]
        found = [_first(of_windows([*a, *b]), len(a)) for a, b in pairs]
        print(f"\n{sum(map(bool, found))} of {len(pairs)} pairs said to differ: {list(filter(None, found))}")

    _of_calls([(each.timed[SAME], each.touched[SAME].changed) for each in made])


def _read(folder: Path, made: named.Round) -> dict[str, list[why.Window]]:
    """Service -> its windows."""
    found: dict[str, list[why.Window]] = defaultdict(list)
    for each in made.profiled:
        if each.side in ALIKE:
            found[each.side].append(named.window(folder, each))
    return found


def spreads_of(
    windows: Mapping[str, Sequence[why.Window]], of_windows: Callable[[Sequence[why.Window]], list[Seen]]
) -> list[Spread]:
    """Of each method with at least 1 % of all. `windows`: service -> its own."""
    seen = of_windows([w for own in windows.values() for w in own])
    count = len(seen) // len(windows)
    whole = fmean(w.whole for w in seen)
    found = []
    for level in methods.levels(seen, methods.Rules()).values():
        jvms = [level[at : at + count] for at in range(0, len(level), count)]
        between = variance(map(fmean, jvms)) - fmean(map(variance, jvms)) / count
        found.append(Spread(level=fmean(level) / whole, between=between / whole**2))
    return found


def _of_calls(compared: Sequence[tuple[Mapping[str, Sequence[timed.Window]], Collection[str]]]) -> None:
    """`compared`: side -> its windows, and the methods, of each round."""
    print("\n| calls timed | windows of a JVM differ by | JVMs |\n|---|--:|--:|")
    for what, paced in (("as measured", False), ("at one speed of the machine", True)):
        within, between = list[float](), list[float]()
        for sides, methods_of in compared:
            both = timed.paced(sides["a"], sides["b"]) if paced else [sides["a"], sides["b"]]
            for method in methods_of:
                means = [[m for w in side if (m := timed.mean(w, method))] for side in both]
                if any(len(own) < len(side) for own, side in zip(means, both, strict=True)):
                    continue
                logs = [[math.log(m) for m in own] for own in means]
                within += [variance(own) for own in logs]
                between.append(variance(map(fmean, logs)) - fmean(map(variance, logs)) / len(logs[0]))
        print(f"| {what} | {_root(fmean(within)):.1%} | {_root(fmean(between)):.1%} |")


def _root(number: float) -> float:
    return math.sqrt(max(0.0, number))


def _cpu(windows: Sequence[why.Window]) -> list[Seen]:
    return [_without(each) for each in why.processor_time(windows)]


def _allocated(windows: Sequence[why.Window]) -> list[Seen]:
    return [_without(each) for each in why.allocation(windows)]


def _without(seen: Seen) -> Seen:
    kept = {stack: samples for stack, samples in seen.stacks.items() if DIFFERS not in stack}
    return replace(seen, stacks=kept, whole=seen.each * sum(kept.values()))


def _first(seen: Sequence[Seen], split: int) -> str:
    found = methods.differences(seen[:split], seen[split:], is_own=lambda _: False, rules=why.RULES)
    return found[0].method if found else ""


if __name__ == "__main__":
    main()

"""How often `telar ab --why` names the right method, and how often one where nothing was changed: made-up
services, profiled as real ones are.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/methods.py [--services 100]

Each service has 400 methods that call each other, and two JVMs. What a method does itself differs between
them in nothing, as much as the rules take, or twice as much. A changed one has a method that costs more by a
share of all CPU. The table has a line for each way of judging: without the JVM's part of the error, with the
one that Telar takes, and with twice that.
"""

from __future__ import annotations

import argparse
import math
import random
from dataclasses import replace

from telar.analyse.methods import Rules, Seen, differences
from telar.analyse.stacks import Stack

METHODS, WINDOWS, WHOLE = 400, 2, 500.0
SIZES = (0.0, 0.03, 0.05, 0.10)  # of all CPU
CHANGED = (0.002, 0.1)  # what the changed method has of all CPU before
MANY = 50  # from here on Poisson's distribution is taken for a normal one
JVMS = {"nothing": 0.0, "as taken": 1.0, "twice that": 2.0}
BETWEEN_WINDOWS = 0.02  # standard deviation of a stack's rate from window to window
OWN = Rules()
RULES = {
    "counts alone": replace(OWN, most=0.0),
    "as Telar": OWN,
    "twice the JVM's": replace(OWN, jvm=2 * OWN.jvm, most=2 * OWN.most),
}


def service(dice: random.Random) -> dict[Stack, float]:
    """Each method's way from the outermost one, and its own share of CPU: a few have much of it."""
    callers = {n: dice.randrange(max(0, n - 40), n) for n in range(1, METHODS)}
    shares: dict[Stack, float] = {}
    for n in range(METHODS):
        way = [n]
        while way[-1]:
            way.append(callers[way[-1]])
        shares[tuple(f"m{each}" for each in reversed(way))] = dice.paretovariate(1.1)
    whole = sum(shares.values())
    return {stack: share / whole for stack, share in shares.items()}


def profiled(dice: random.Random, shares: dict[Stack, float], samples: int, jvm: float) -> list[Seen]:
    """The windows of one JVM, with `samples` in each where all shares add up to one. `jvm`: how many times as
    much as the rules take a method differs from another JVM's.
    """
    apart = {stack: jvm * min(OWN.jvm * share, OWN.most) for stack, share in shares.items()}
    own = {stack: max(0.0, dice.gauss(share, apart[stack])) for stack, share in shares.items()}
    found = []
    for _ in range(WINDOWS):
        expected = {s: samples * share * math.exp(dice.gauss(0, BETWEEN_WINDOWS)) for s, share in own.items()}
        drawn = {stack: _poisson(dice, n) for stack, n in expected.items()}
        found.append(
            Seen(stacks={s: float(n) for s, n in drawn.items() if n}, whole=WHOLE * sum(own.values()))
        )
    return found


def _poisson(dice: random.Random, mean: float) -> int:
    if mean > MANY:
        return max(0, round(dice.gauss(mean, math.sqrt(mean))))
    count, product, until = 0, dice.random(), math.exp(-mean)
    while product > until:
        count, product = count + 1, product * dice.random()
    return count


def trial(seed: str, size: float, samples: int, jvm: float, rules: Rules) -> bool:
    """Whether the changed method is named first; where none was changed, whether any is named."""
    dice = random.Random(seed)  # noqa: S311 - nothing secret
    base = service(dice)
    head, target = dict(base), ""
    if size:
        least, most = CHANGED
        way = dice.choice([s for s, share in base.items() if least < share < most])
        head[way] += size
        target = way[-1]
    sides = [profiled(dice, shares, samples, jvm) for shares in (base, head)]
    named = [d.method for d in differences(*sides, is_own=lambda _: False, rules=rules)]
    return named[:1] == [target] if size else bool(named)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--services", type=int, default=100)
    services = parser.parse_args().services
    print("| samples a window | JVMs differ | judged | named at + 0 | + 3 % | + 5 % | + 10 % |")
    print("|--:|---|---|--:|--:|--:|--:|")
    for samples in (400, 1500, 4000):
        for differ, jvm in JVMS.items():
            for name, rules in RULES.items():
                found = [
                    sum(trial(f"{n} {size}", size, samples, jvm, rules) for n in range(services)) / services
                    for size in SIZES
                ]
                cells = " | ".join(f"{share:.0%}" for share in found)
                print(f"| {samples} | {differ} | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()

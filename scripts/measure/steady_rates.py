"""How often the test of `telar/analyse/steady.py` ends a warm-up in time, on curves made up or recorded.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/steady_rates.py
    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/steady_rates.py --recorded
    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/steady_rates.py --keep FOLDER

A made-up curve is known without its noise: it is truly steady from the first cycle on from which, to its end,
the compilers' share stays within [steady] of telar.toml, and processor time per request and p50 within its
tolerances of where they end. An end before that is early; surprised, if nothing of what made the difference
had begun yet.

With --recorded, curves are those of real warm-ups that went on to the ceiling
(scripts/measure/long_warmups.py), kept in benchmarks-data/reference/long-warm-ups.json; --keep FOLDER adds
those of the records below a folder to it. Without noise they aren't known: each cycle is the median of three.
The last columns say how much an early end matters: by how much processor time and p50 of a request still fell
from the test's last cycles to the curve's, and what the compilers took of all that came after the end.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import msgspec

from telar.analyse.steady import compiling, is_steady
from telar.catalog.load import load
from telar.catalog.rules import SteadyFile
from telar.errors import StoreError
from telar.store.files import read_record, write_atomically
from telar.store.record import WarmupCycle

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "benchmarks-data" / "reference" / "long-warm-ups.json"
AFTER = 3  # cycles after truly steady within which an end is in time
BEYOND = 8  # cycles of a made-up curve after the ceiling: what comes later shows, too
RATE = 1000  # arrivals a second
RULES = {"window": int, "compiling": float, "cpu": float, "p50": float}
OUTCOMES = ("early", "surprised", "in time", "late", "never")


@dataclass(frozen=True)
class Point:
    """A cycle as it is: without noise."""

    share: float  # the compilers', of the app's processor time
    cpu_ms: float  # per request, the compilers' left out
    p50_ms: float


Curve = list[Point]
Curves = tuple[Curve, Curve]  # a curve, and how it would go on if nothing came between
Draw = random.Random


# ---- curves


def decay(
    draw: Draw, cycles: int, *, slow: float = 1.0, floor: tuple[float, float] = (0.005, 0.05)
) -> Curves:
    """What C1 and then C2 do to a service: all falls exponentially, p50 first, the compilers' share last."""
    share, least, tau = draw.uniform(0.4, 0.75), draw.uniform(*floor), slow * draw.uniform(1.5, 6)
    cpu, p50 = draw.uniform(0.6, 2.0), draw.uniform(0.5, 3.0)  # beyond where they end
    tau_cpu, tau_p50 = tau * draw.uniform(0.5, 1.0), tau * draw.uniform(0.2, 0.6)
    end_cpu, end_p50 = draw.uniform(0.4, 1.5), draw.uniform(1.0, 4.0)
    curve = [
        Point(
            share=least + (share - least) * math.exp(-n / tau),
            cpu_ms=end_cpu * (1 + cpu * math.exp(-n / tau_cpu)),
            p50_ms=end_p50 * (1 + p50 * math.exp(-n / tau_p50)),
        )
        for n in range(cycles)
    ]
    return curve, curve


def slow_decay(draw: Draw, cycles: int) -> Curves:
    return decay(draw, cycles, slow=2.0)


def step(draw: Draw, cycles: int) -> Curves:
    """A hot path is compiled late: a burst of the compiler, and all is faster from then on."""
    at, gain, after = draw.randint(3, 14), draw.uniform(0.65, 0.8), decay(draw, cycles)[0]
    before = [Point(p.share, p.cpu_ms / gain, p.p50_ms) for p in after]
    burst = Point(after[at].share + 0.25, after[at].cpu_ms, after[at].p50_ms)
    return [*before[:at], burst, *after[at + 1 :]], before


def deoptimisation(draw: Draw, cycles: int) -> Curves:
    """Code is thrown away and compiled again: for a cycle or two all is slower."""
    at, length, worse = draw.randint(3, 14), draw.randint(1, 2), draw.uniform(1.3, 1.8)
    without = decay(draw, cycles)[0]
    spike = [Point(p.share + 0.3, p.cpu_ms * worse, p.p50_ms * worse) for p in without[at : at + length]]
    return [*without[:at], *spike, *without[at + length :]], without


def leak(draw: Draw, cycles: int) -> Curves:
    """Each request costs more than the one before: it is never steady."""
    growth = draw.uniform(0.04, 0.10)  # a cycle
    return _dearer(decay(draw, cycles)[0], lambda n: (1 + growth) ** n)


def oscillation(draw: Draw, cycles: int) -> Curves:
    """It goes up and down for ever: it is never steady."""
    period, height = draw.uniform(5, 10), draw.uniform(0.25, 0.5)
    return _dearer(decay(draw, cycles)[0], lambda n: 1 + height * math.sin(2 * math.pi * n / period))


def _dearer(curve: Curve, factor: Callable[[int], float]) -> Curves:
    changed = [Point(p.share, p.cpu_ms * factor(n), p.p50_ms) for n, p in enumerate(curve)]
    return changed, changed


def busy_compilers(draw: Draw, cycles: int) -> Curves:
    """Latencies come to rest and the compilers don't: it is never steady."""
    return decay(draw, cycles, floor=(0.15, 0.3))


KINDS: tuple[Callable[[Draw, int], Curves], ...] = (
    decay, slow_decay, step, deoptimisation, leak, oscillation, busy_compilers,
)  # fmt: skip


@dataclass(frozen=True)
class Noise:
    """Standard deviations, relative, of a cycle on its own and of the host's speed, which drifts."""

    name: str
    cpu: float
    p50: float
    share: float
    host: float
    burst: float  # chance of a cycle in which the compilers use 5 to 30 % more
    stall: float  # chance of one in which a neighbour makes p50 two to four times as long


NOISES = (
    Noise("quiet", cpu=0.01, p50=0.02, share=0.1, host=0.01, burst=0.02, stall=0.0),
    Noise("shared", cpu=0.03, p50=0.05, share=0.3, host=0.03, burst=0.10, stall=0.02),
    Noise("loud", cpu=0.06, p50=0.10, share=0.5, host=0.06, burst=0.20, stall=0.08),
)


def observed(curve: Curve, noise: Noise, rules: SteadyFile, draw: Draw) -> list[WarmupCycle]:
    """The cycles that a warm-up would have recorded of it."""
    cycles, speed = [], 0.0
    for n, point in enumerate(curve):
        speed = 0.7 * speed + draw.gauss(0, noise.host)
        requests = RATE * rules.load
        work = point.cpu_ms * math.exp(speed + draw.gauss(0, noise.cpu)) * requests / 1000
        burst = draw.uniform(0.05, 0.3) if draw.random() < noise.burst else 0.0
        share = min(0.95, point.share * math.exp(draw.gauss(0, noise.share)) + burst)
        stall = draw.uniform(2, 4) if draw.random() < noise.stall else 1.0
        cycles.append(
            WarmupCycle(
                start=float(n * (rules.load + rules.pause)),
                requests=requests,
                p50_ms=point.p50_ms * math.exp(speed + draw.gauss(0, noise.p50)) * stall,
                app_seconds=work / (1 - share),
                compiler_seconds=work * share / (1 - share),
            )
        )
    return cycles


# ---- what should be, and what is


def truly_steady(curve: Curve, rules: SteadyFile) -> int | None:
    """The first cycle, from 1, from which on it stays where it ends; None where the end itself moves."""
    tail = curve[-rules.window :]
    cpu, p50 = median(p.cpu_ms for p in tail), median(p.p50_ms for p in tail)
    moves = [
        p.share > rules.compiling
        or abs(p.cpu_ms / cpu - 1) > rules.cpu
        or abs(p.p50_ms / p50 - 1) > rules.p50
        for p in curve
    ]
    last = max((n for n, moved in enumerate(moves, start=1) if moved), default=0)
    return last + 1 if last + rules.window <= len(curve) else None


def ended(cycles: Sequence[WarmupCycle], rules: SteadyFile) -> int | None:
    """The cycle, from 1, after which the warm-up ends; None at the ceiling."""
    requests = 0
    for n, cycle in enumerate(cycles[: rules.ceiling], start=1):
        requests += cycle.requests
        if requests >= rules.floor and is_steady(cycles[:n], rules):
            return n
    return None


def outcome(curves: Curves, end: int | None, least: int, rules: SteadyFile) -> str:
    """`least` is the first cycle after which the protocol allows an end at all."""
    truth, otherwise = (truly_steady(curve, rules) for curve in curves)
    if end is None:
        return "never" if truth is not None and truth <= rules.ceiling else "in time"
    if truth is None or end < truth:
        unseen = curves[0][:end] == curves[1][:end]
        return "surprised" if unseen and otherwise is not None and end >= otherwise else "early"
    return "in time" if end <= max(truth, least) + AFTER else "late"


def least_of(requests: int, rules: SteadyFile) -> int:
    return max(rules.window, math.ceil(rules.floor / requests)) if requests else rules.window


# ---- output


def simulate(rules: SteadyFile, curves: int, seed: int) -> None:
    print(
        f"{curves} curves of each kind, seed {seed}; ends within {AFTER} cycles after truly steady: in time"
    )
    print(f"| noise | curve | {' | '.join(OUTCOMES)} |\n|---|---|" + "---:|" * len(OUTCOMES))
    for noise in NOISES:
        for kind in KINDS:
            found = Counter(simulated(kind, noise, rules, curves, seed))
            print(f"| {noise.name} | {kind.__name__.replace('_', ' ')} | {_shares(found)} |")


def simulated(
    kind: Callable[[Draw, int], Curves], noise: Noise, rules: SteadyFile, count: int, seed: int
) -> Iterator[str]:
    draw = Draw(f"{seed} {kind.__name__} {noise.name}")
    for _ in range(count):
        curves = kind(draw, rules.ceiling + BEYOND)
        cycles = observed(curves[0], noise, rules, draw)
        yield outcome(curves, ended(cycles, rules), least_of(cycles[0].requests, rules), rules)


class Recorded(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A real warm-up, and where it comes from."""

    run_id: str
    variant: str
    jdk: str
    commit: str
    machine: str
    rate: int
    cycles: tuple[WarmupCycle, ...]


def kept() -> list[Recorded]:
    return msgspec.json.decode(KEPT.read_bytes(), type=list[Recorded]) if KEPT.exists() else []


def keep(folder: Path, rules: SteadyFile) -> None:
    """Adds what isn't there yet. A warm-up that the test itself ended isn't long: what would have come
    afterwards nobody has seen."""
    found = {each.run_id: each for each in kept()}
    before = len(found)
    for path in sorted(folder.rglob("records/*.json")):
        try:
            record = read_record(path)
        except StoreError as error:
            print(f"left out: {error.message}")
            continue
        cycles = record.warmup.cycles if record.warmup else ()
        end = ended(cycles, rules)
        if record.planned is None or len(cycles) < (end or 0) + rules.window:
            print(f"left out: {path.name}: {len(cycles)} cycles, too few to judge by")
            continue
        machine = record.provenance.machine
        found[record.run_id] = Recorded(
            run_id=record.run_id,
            variant=record.cell.variant,
            jdk=record.cell.jdk,
            commit=record.provenance.commit,
            machine=f"{machine.cpu_model}, {machine.processors} processors, {machine.kernel}",
            rate=record.planned.warmup_rate,
            cycles=cycles,
        )
    ordered = sorted(found.values(), key=lambda each: each.run_id)
    write_atomically(KEPT, b"[\n" + b",\n".join(map(msgspec.json.encode, ordered)) + b"\n]\n")
    print(f"{KEPT}: {len(found)} warm-ups, {len(found) - before} of them new")


def recorded(rules: SteadyFile) -> None:
    print("| variant | JDK | truly steady from | ended after | | CPU then | p50 then | compilers after |")
    print("|---|---|---:|---:|---|---:|---:|---:|")
    found: Counter[str] = Counter()
    for each in sorted(kept(), key=lambda each: (each.variant, each.jdk)):
        curve, end = smoothed(each.cycles), ended(each.cycles, rules)
        said = outcome((curve, curve), end, least_of(each.cycles[-1].requests, rules), rules)
        found[said] += 1
        print(
            f"| {each.variant} | {each.jdk} | {truly_steady(curve, rules) or '–'} | {end or '–'} | {said} "
            f"| {' | '.join(still(each.cycles, end, rules)) if end else '– | – | –'} |"
        )
    print(f"\n{found.total()} warm-ups: " + ", ".join(f"{found[name]} {name}" for name in OUTCOMES))


def still(cycles: Sequence[WarmupCycle], end: int, rules: SteadyFile) -> Iterator[str]:
    """By how much the test's last cycles lay above the curve's, and the compilers' share after the end."""
    then, last = cycles[end - rules.window : end], cycles[-rules.window :]
    for of in (lambda c: c.cpu_ms, lambda c: c.p50_ms):
        yield f"{median(map(of, then)) / median(map(of, last)) - 1:+.0%}"
    yield f"{compiling(cycles[end:]):.0%}"


def smoothed(cycles: Sequence[WarmupCycle]) -> Curve:
    """Each cycle the median of itself and its neighbours."""
    points = [
        Point(c.compiler_seconds / c.app_seconds if c.app_seconds else 1.0, c.cpu_ms, c.p50_ms)
        for c in cycles
    ]
    near = [points[max(0, n - 1) : n + 2] for n in range(len(points))]
    return [
        Point(
            median(p.share for p in three), median(p.cpu_ms for p in three), median(p.p50_ms for p in three)
        )
        for three in near
    ]


def _shares(found: Counter[str]) -> str:
    return " | ".join(f"{found[name] / found.total():.1%}" for name in OUTCOMES)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--recorded", action="store_true", help="real warm-ups instead of made-up curves")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="add the long warm-ups below a folder")
    parser.add_argument("--curves", type=int, default=2000, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    for name, kind in RULES.items():
        parser.add_argument(f"--{name}", type=kind, help="instead of telar.toml's")
    wanted = parser.parse_args()
    said = {name: value for name in RULES if (value := getattr(wanted, name)) is not None}
    rules = msgspec.structs.replace(load(ROOT).file.steady, **said)
    print(
        ", ".join(f"{name} {getattr(rules, name)}" for name in (*RULES, "load", "pause", "floor", "ceiling"))
    )
    if wanted.keep:
        keep(wanted.keep, rules)
    elif wanted.recorded:
        recorded(rules)
    else:
        simulate(rules, wanted.curves, wanted.seed)


if __name__ == "__main__":
    main()

"""Whether another tool's results can be believed, as far as its file tells.

What a file doesn't say is a warning that names it: it can't be judged, which isn't the same as sound.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from telar.gates.evidence import gate
from telar.store.outside import Load, Outside, Run
from telar.store.record import Gate

FAILED = 0.01  # of the requests: beyond that the latencies are of something else
BUSY = 0.9  # of the users, in the mean
CONNECTING = 0.5  # of p95
TAIL = 1000  # requests: ten beyond p99
LENGTH = 60.0  # seconds: shorter ones are mostly the compilers' time
FORKS = 3
ITERATIONS = 4  # of which two halves can be compared
MOVED = 0.1  # between the halves


def judge(found: Outside) -> list[Gate]:
    """All gates that apply to such a file."""
    return list(_of_load(found.load) if found.load else _of_benchmarks(found))


def _of_load(load: Load) -> Iterator[Gate]:
    yield _arrivals(load)
    yield _status(load)
    yield _little(load)
    yield _lateness(load)
    if load.connecting_p95_ms is not None and load.p95_ms:
        share = load.connecting_p95_ms / load.p95_ms
        yield gate(
            "client",
            "fail" if share > CONNECTING else "pass",
            f"p95 of getting a connection {load.connecting_p95_ms:.2f} ms, of the requests {load.p95_ms:.2f}",
            expected=f"at most {CONNECTING:.0%} of the requests' p95",
            advice="each user opens its connection in the test: touch them before, or use fewer",
        )
    yield gate(
        "tail",
        "warn" if load.requests < TAIL else "pass",
        f"{load.requests:,} requests",
        expected=f"{TAIL:,} or more: ten beyond p99",
        advice="its p99 is a few requests' luck: go by p50 and p95, or measure longer",
    )
    if load.seconds is not None:
        yield gate(
            "warm",
            "warn" if load.seconds < LENGTH else "pass",
            f"{load.seconds:.0f} s; whether the JVM was warm before isn't in the file",
            expected=f"{LENGTH:.0f} s or more, after a warm-up",
            advice="a cold JVM's first minute is its compilers'",
        )


def _arrivals(load: Load) -> Gate:
    expected, advice = (
        "no arrival dropped",
        "the tool had no user free: the rate that was asked for wasn't sent",
    )
    if load.dropped is None:
        return gate(
            "arrivals", "warn", "not said", expected=expected, advice="how many requests were due isn't known"
        )
    return gate(
        "arrivals",
        "fail" if load.dropped else "pass",
        f"{load.dropped:,} dropped",
        expected=expected,
        advice=advice,
    )


def _status(load: Load) -> Gate:
    expected = f"at most {FAILED:.0%} of the requests failed, and no check"
    if load.failed is None:
        return gate(
            "status", "warn", "not said", expected=expected, advice="ask the tool to count what failed"
        )
    share = load.failed / load.requests if load.requests else 1.0
    said = f"{load.failed:,} of {load.requests:,} failed ({share:.1%})"
    if load.contradicted:
        said += f", {load.contradicted:,} checks failed"
    wrong = share > FAILED or bool(load.contradicted)
    return gate(
        "status",
        "fail" if wrong else "warn" if load.failed else "pass",
        said,
        expected=expected,
        advice="errors are answered faster or slower than what you meant to measure",
    )


def _little(load: Load) -> Gate:
    """Little's law: in flight = rate × time. Where all users are busy, answers set the rate."""
    expected = f"at most {BUSY:.0%} of the users busy in the mean"
    if load.closed:
        return gate(
            "little", "warn", "each connection asks again at once", expected=expected,
            advice="its rate is a capacity, and its latencies are those of a service at its limit",
        )  # fmt: skip
    if not load.users or not load.seconds or load.iterations is None or load.iteration_ms is None:
        return gate(
            "little", "warn", "not said", expected=expected,
            advice="whether the tool waited for answers before it asked again isn't known",
        )  # fmt: skip
    busy = load.iterations / load.seconds * load.iteration_ms / 1000
    return gate(
        "little",
        "fail" if busy > BUSY * load.users else "pass",
        f"{busy:.1f} of {load.users} users busy",
        expected=expected,
        advice="the answers set the rate (a closed model): a slow service is asked less, and its latency "
        "looks better. Use a constant arrival rate, with more users",
    )


def _lateness(load: Load) -> Gate:
    if load.late:
        return gate(
            "late", "pass", "latency from when a request was due", expected="nothing waits unseen", advice=""
        )
    said = "latency from the sending" if load.late is False else "not said"
    return gate(
        "late", "warn", said, expected="latency from when a request was due",
        advice="what waited in the tool is in no latency: see `little` and `arrivals`",
    )  # fmt: skip


def _of_benchmarks(found: Outside) -> Iterator[Gate]:
    few = {name: len(s.runs) for name, s in found.series.items() if len(s.runs) < FORKS}
    yield gate(
        "repeats",
        "warn" if few else "pass",
        f"{len(few)} of {len(found.series)} benchmarks with fewer than {FORKS} forks",
        expected=f"{FORKS} forks or more",
        advice="another JVM may score otherwise, and JMH's error bar doesn't know: -f 5",
    )
    moved = {n: m for n, s in found.series.items() if (m := _moved(s.runs)) is not None and abs(m) > MOVED}
    worst = max(moved, key=lambda n: abs(moved[n]), default="")
    yield gate(
        "steady",
        "fail" if moved else "pass",
        f"{len(moved)} of {len(found.series)} moved"
        + (f", most {worst} by {moved[worst]:+.0%}" if worst else ""),
        expected=f"halves of the iterations within {MOVED:.0%} of each other",
        advice="the JVM still compiled, or the machine changed: warm up longer",
    )


def _moved(runs: tuple[Run, ...]) -> float | None:
    """The later half of the iterations against the earlier half, in the mean of the forks."""
    shares = []
    for run in runs:
        half = len(run.parts) // 2
        if len(run.parts) >= ITERATIONS and (first := fmean(run.parts[:half])) > 0:
            shares.append(fmean(run.parts[-half:]) / first - 1)
    return fmean(shares) if shares else None

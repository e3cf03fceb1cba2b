"""Whether two cells' runs may be compared: each of the runs sound, and alike in all but the factor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from statistics import median

from telar.catalog.types import Catalog
from telar.gates.evidence import gate, readings
from telar.gates.service import OUR_FILES
from telar.store.record import Failure, Gate, Java, Planned, Record, Warmup

Arm = Sequence[Record]
Facts = frozenset[str]


def status(base: Arm, other: Arm, catalog: Catalog) -> Gate:
    """Both arms did the same share of each endpoint, and answered as the contract says."""
    tolerance, mixes = catalog.file.gate.status.mix, [_mix(arm) for arm in (base, other)]
    wrong = sorted({f"{f.endpoint}: {f.kind}" for arm in (base, other) for f in _answers(arm)})
    apart = [e for e in mixes[0] | mixes[1] if abs(mixes[0][e] - mixes[1][e]) > tolerance]
    return gate(
        "status",
        "fail" if wrong or apart else "pass",
        ", ".join([*wrong, *(f"{e}: {mixes[0][e]:.1%} and {mixes[1][e]:.1%}" for e in sorted(apart))])
        or "the same mix, nothing beside the contract",
        expected=f"endpoints in the same shares within {tolerance:.0%} of all requests, no answer beside the "
        "contract",
        advice="the arms did different work: their times say nothing about each other",
    )


def payload(base: Arm, other: Arm, catalog: Catalog) -> Gate:
    """A response of each endpoint has as many bytes in one arm as in the other, headers included.

    Two apps may differ by some bytes more: their frameworks write other headers (`Transfer-Encoding`).
    """
    tolerance = catalog.file.gate.payload.tolerance
    headers = catalog.file.gate.payload.headers if len(_apps((*base, *other), catalog)) > 1 else 0
    sizes = [_sizes(arm) for arm in (base, other)]
    both = sizes[0].keys() & sizes[1].keys()
    expected = f"bytes of a response equal within {tolerance:.0%}" + f" or {headers} bytes" * bool(headers)
    if not both:
        advice = "no endpoint has its bytes counted in both arms: what a request answers can't be compared"
        return gate("payload", "warn", "not known", expected=expected, advice=advice)
    allowed = {e: max(tolerance * sizes[0][e], tolerance, headers) for e in both}
    apart = sorted(e for e in both if abs(sizes[1][e] - sizes[0][e]) > allowed[e])
    return gate(
        "payload",
        "fail" if apart else "pass",
        ", ".join(f"{e}: {sizes[0][e]:,.0f} and {sizes[1][e]:,.0f} bytes" for e in apart) or "equal",
        expected=expected,
        advice="an arm that sends less is faster for that: compare what one request answers",
    )


def flags(base: Arm, other: Arm, catalog: Catalog) -> Gate:
    """All that the arms were told and ran on is equal, but for what their cells differ in."""
    left, right = _surroundings(base, catalog), _surroundings(other, catalog)
    apart = [name for name in left.keys() & right.keys() if left[name] != right[name]]
    return gate(
        "flags",
        "fail" if apart else "pass",
        "; ".join(f"{name}: {_difference(left[name], right[name])}" for name in sorted(apart)) or "equal",
        expected="one machine, kernel, layout, database, pool, warm-up; the JVM's flags but for the factor",
        advice="more than the factor under test was changed: make both arms alike",
    )


def repeats(base: Arm, other: Arm, catalog: Catalog) -> Gate:
    """Enough runs of each arm, made in one session in turns: never all of one and then all of the other."""
    least = catalog.file.gate.repeats.least
    few = min(len(base), len(other)) < least
    sessions = {r.session for r in (*base, *other)}
    sides = {id(r): side for side, arm in enumerate((base, other)) for r in arm}
    ordered = sorted((*base, *other), key=lambda r: (r.session, r.position))
    turns = sum(1 for _ in groupby(sides[id(r)] for r in ordered))
    blocks = turns <= len({*sides.values()}) and len(ordered) > turns
    found = [f"{len(base)} and {len(other)} runs"]
    found += [f"{len(sessions)} sessions"] * (len(sessions) > 1)
    found += ["all of one arm before the other"] * blocks
    return gate(
        "repeats",
        "fail" if few or blocks or len(sessions) > 1 else "pass",
        ", ".join(found),
        expected=f"at least {least} of each, interleaved in one session",
        advice="what the machine did meanwhile is in the difference: run both together with --repeat",
    )


def speed(base: Arm, other: Arm, catalog: Catalog) -> Gate:
    """The machine was as fast for one arm as for the other, by the same fixed work."""
    limit = catalog.file.gate.speed.moved
    known = [[r.ruler.speed for r in arm if r.ruler] for arm in (base, other)]
    expected = f"medians within {limit:.0%} of each other"
    if not all(known):
        advice = "no fixed work was timed: the host's speed isn't known"
        return gate("speed", "warn", "not known", expected=expected, advice=advice)
    left, right = map(median, known)
    return gate(
        "speed",
        "fail" if max(left, right) / min(left, right) - 1 > limit else "pass",
        f"{left:.3f} and {right:.3f}",
        expected=expected,
        advice="one arm had the faster machine: compare what is normalised by its speed, or repeat",
        limited_by="machine",
    )


Compared = Callable[[Arm, Arm, Catalog], Gate]

# To add a gate over two arms: one function above, its name here, and below if it is of services alone.
ARM_GATES: dict[str, Compared] = {
    "status": status,
    "payload": payload,
    "flags": flags,
    "speed": speed,
    "repeats": repeats,
}
OF_SERVICES = frozenset({"status", "payload"})  # what they look at, other kinds don't have


def comparable(base: Arm, other: Arm, catalog: Catalog) -> tuple[Gate, ...]:
    """Every verdict on the comparison. What an invalid run says is none: `refusals` names it first."""
    services = all(record.kind == "http" for record in (*base, *other))
    own = catalog.of(base[0].cell.system) if base else catalog
    return tuple(
        judge(base, other, own) for name, judge in ARM_GATES.items() if services or name not in OF_SERVICES
    )


def refusals(arm: Arm) -> list[str]:
    """Why runs of this arm can't be compared: the gates that make them invalid, each once."""
    found = []
    for record in (r for r in arm if r.validity == "invalid"):
        failed = [g.name for g in record.gates if g.verdict == "fail" and not g.limited_by]
        found += failed or ["no gate has looked at it"]
    return list(dict.fromkeys(found))


def _mix(arm: Arm) -> Counter[str]:
    """Endpoint -> its share of the requests."""
    total: Counter[str] = Counter()
    for record in arm:
        total.update(record.load.requests if record.load else {})
    whole = sum(total.values()) or 1
    return Counter({e: n / whole for e, n in total.items()})


def _answers(arm: Arm) -> Iterable[Failure]:
    """Failures that are answers, and not what the contract says."""
    found = (f for r in arm for f in r.failures if f.side == "server")
    return (f for f in found if f.kind.startswith(("status", "contract")))


def _sizes(arm: Arm) -> dict[str, float]:
    """Endpoint -> bytes of a response, in the mean over the arm's requests."""
    received: dict[str, float] = {}
    requests: Counter[str] = Counter()
    for load in (r.load for r in arm if r.load):
        for endpoint, each in load.bytes.items():
            received[endpoint] = received.get(endpoint, 0.0) + each * load.requests[endpoint]
            requests[endpoint] += load.requests[endpoint]
    return {e: received[e] / n for e, n in requests.items() if n}


def _apps(runs: Iterable[Record], catalog: Catalog) -> set[str]:
    """Of those variants that this checkout has."""
    labels = {record.cell.label for record in runs} & catalog.variants.keys()
    return {str(catalog.variants[label].app.folder) for label in labels}


def _surroundings(arm: Arm, catalog: Catalog) -> dict[str, set[Facts]]:
    """What must not differ between arms: name -> the facts that each of the arm's runs has of it."""
    found: dict[str, set[Facts]] = {}
    for record in arm:
        for name, facts in _of(record, catalog):
            found.setdefault(name, set()).add(frozenset(map(str, facts)))
    return found


def _of(record: Record, catalog: Catalog) -> Iterator[tuple[str, Iterable[object]]]:
    made, cell = record.provenance, record.cell
    variant = catalog.variants.get(cell.label)
    yield "workload, engine, layout", (cell.workload, cell.engine, cell.layout)
    yield "machine", (made.machine.hostname_digest, made.machine.kernel, made.machine.cpu_model)
    yield "memory limit", (made.app_memory,)
    yield "limits", (f"{n} on {s.cpus}, {s.memory_mib} MiB, {s.priority}" for n, s in made.limits.items())
    yield "commit", (made.commit, made.dirty)
    if record.load:
        yield "latency", (f"from when it was {record.load.latency_from}",)
    if made.generator:
        yield "generator", (made.generator.version, made.generator.script_digest)
    if database := made.database:  # where arms have different ones, they are the factor
        kind = variant.app.file.database if variant else ""
        yield f"{kind} server", (f"{database.name} {database.version}",)
        yield f"{kind} settings", (f"{name}={value}" for name, value in database.settings.items())
    if warmup := record.warmup:
        yield "warm-up", (_warmed(warmup, record.planned),)
    if pool := readings(record, "app.pool_max"):
        yield "pool", (pool[-1][1],)
    if java := made.java:
        yield from _jvm(java, cell.jdk, set(variant.launch_file.jvm) if variant else set())


def _warmed(warmup: Warmup, planned: Planned | None) -> str:
    """What was asked for, where it was reached: a warm-up in cycles ends with a whole one, and what a cold
    service drops isn't in its count, so no two answer exactly as much.
    """
    if warmup.steady is not None:
        return "until steady"
    asked = planned.warmup_requests if planned else None
    return f"{asked if asked and warmup.requests >= asked else warmup.requests:,} requests"


def _jvm(java: Java, jdk: str, own: set[str]) -> Iterator[tuple[str, Iterable[object]]]:
    """`own` are the launch's options, which are the factor."""
    given = {part for part in java.command if part.startswith("-") and not part.startswith(OUR_FILES)}
    yield "JVM arguments", given - own
    yield "JVM arguments from the environment", java.picked_up
    # JMH's hints for the compiler: a file of another name in each fork, in records of before it was left out.
    hints = {n for n, v in java.flags.items() if n == "CompileCommandFile" and "/jmh" in v}
    theirs = hints | {option.removeprefix("-XX:").lstrip("+-").partition("=")[0] for option in own}
    # Another JDK has other flags, and other defaults.
    yield f"flags of JDK {jdk}", (f"{n}={v}" for n, v in java.flags.items() if n not in theirs)


def _difference(left: set[Facts], right: set[Facts]) -> str:
    """What one arm has and the other hasn't."""
    ours, theirs = frozenset[str]().union(*left), frozenset[str]().union(*right)
    only = [" ".join(sorted(side))[:120] or "nothing" for side in (ours - theirs, theirs - ours)]
    return " against ".join(only) if ours != theirs else "not the same in all runs"

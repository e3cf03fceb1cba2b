"""Whether two cells' runs may be compared: each of the runs sound, and alike in all but the factor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from telar.catalog.types import Catalog
from telar.gates.evidence import gate
from telar.store.record import Failure, Gate, Record

Arm = Sequence[Record]


def status(base: Arm, other: Arm, catalog: Catalog) -> Gate:  # noqa: ARG001 - one signature
    """Both arms did the same share of each endpoint, and answered as the contract says."""
    mixes = [_mix(arm) for arm in (base, other)]
    wrong = sorted({f"{f.endpoint}: {f.kind}" for arm in (base, other) for f in _answers(arm)})
    apart = [e for e in mixes[0] | mixes[1] if abs(mixes[0][e] - mixes[1][e]) > MIX_TOLERANCE]
    return gate(
        "status",
        "fail" if wrong or apart else "pass",
        ", ".join([*wrong, *(f"{e}: {mixes[0][e]:.1%} and {mixes[1][e]:.1%}" for e in sorted(apart))])
        or "the same mix, nothing beside the contract",
        expected="the same endpoints in the same shares, no status beside the contract",
        advice="the arms did different work: their times say nothing about each other",
    )


def payload(base: Arm, other: Arm, catalog: Catalog) -> Gate:
    """A response of each endpoint has as many bytes in one arm as in the other."""
    tolerance = catalog.file.gate.payload.tolerance
    sizes = [_sizes(arm) for arm in (base, other)]
    both = sizes[0].keys() & sizes[1].keys()
    apart = sorted(e for e in both if abs(sizes[1][e] - sizes[0][e]) > tolerance * max(sizes[0][e], 1))
    return gate(
        "payload",
        "fail" if apart else "pass",
        ", ".join(f"{e}: {sizes[0][e]:,.0f} and {sizes[1][e]:,.0f} bytes" for e in apart) or "equal",
        expected=f"bytes of a response equal within {tolerance:.0%}",
        advice="an arm that sends less is faster for that: compare what one request answers",
    )


def flags(base: Arm, other: Arm, catalog: Catalog) -> Gate:
    """All that the arms were told and ran on is equal, but for what their cells differ in."""
    left, right = _surroundings(base, catalog), _surroundings(other, catalog)
    apart = [name for name in left if left[name] != right[name]]
    return gate(
        "flags",
        "fail" if apart else "pass",
        "; ".join(f"{name}: {_told(left[name])} and {_told(right[name])}" for name in apart) or "equal",
        expected="one machine, kernel, layout, database, warm-up; the JVM's flags but for the factor",
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


# To add a gate over two arms: one function above, and its name here.
ARM_GATES = {"status": status, "payload": payload, "flags": flags, "repeats": repeats}

MIX_TOLERANCE = 0.01  # of all requests: a ramp that is cut short ends within a block of the mix


def comparable(base: Arm, other: Arm, catalog: Catalog) -> tuple[Gate, ...]:
    """Every verdict on the comparison. What an invalid run says is none: `refusals` names it first."""
    return tuple(judge(base, other, catalog) for judge in ARM_GATES.values())


def refusals(arm: Arm) -> list[str]:
    """Why runs of this arm can't be compared: their invalid gates, each once."""
    failed = (g.name for r in arm if r.validity == "invalid" for g in r.gates if g.verdict == "fail")
    return list(dict.fromkeys(failed))


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
    received: Counter[str] = Counter()
    requests: Counter[str] = Counter()
    for load in (r.load for r in arm if r.load):
        for endpoint, each in load.bytes.items():
            received[endpoint] += each * load.requests[endpoint]  # type: ignore[assignment]
            requests[endpoint] += load.requests[endpoint]
    return {e: received[e] / n for e, n in requests.items() if n}


def _surroundings(arm: Arm, catalog: Catalog) -> dict[str, frozenset[object]]:
    """What must not differ between arms: name -> the values that the arm's runs had."""
    found: dict[str, set[object]] = {}
    for record in arm:
        for name, value in _of(record, catalog):
            found.setdefault(name, set()).add(value)
    return {name: frozenset(values) for name, values in found.items()}


def _of(record: Record, catalog: Catalog) -> Iterable[tuple[str, object]]:
    made, cell = record.provenance, record.cell
    yield "workload", cell.workload
    yield "engine", cell.engine
    yield "layout", cell.layout
    yield "machine", (made.machine.hostname_digest, made.machine.kernel, made.machine.cpu_model)
    yield "memory limit", made.app_memory
    yield "generator", made.generator and (made.generator.version, made.generator.script_digest)
    yield "database", made.database and (made.database.name, made.database.version)
    yield "database settings", made.database and tuple(sorted(made.database.settings.items()))
    yield "warm-up", record.warmup and (record.warmup.steady is None)
    yield "commit", (made.commit, made.dirty)
    if made.java:
        variant = catalog.variants.get(cell.variant)
        own = set(variant.launch_file.jvm) if variant else set()
        given = (part for part in made.java.command if part.startswith("-"))
        yield "JVM arguments", tuple(p for p in given if p not in own and not p.startswith("-Xlog:gc:file="))


def _told(values: frozenset[object]) -> str:
    return " / ".join(sorted(map(str, values)))[:120]

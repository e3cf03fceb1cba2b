"""The generator's side: did it offer what was planned, and is what it says consistent?"""

from __future__ import annotations

from collections import Counter

from telar.catalog.types import Catalog
from telar.gates.evidence import (
    ceiling,
    cores,
    counted,
    falls_behind,
    gate,
    growth,
    load_of,
    share,
    span,
)
from telar.store.record import Gate, Limiter, Load, Record, Verdict


def arrivals(record: Record, catalog: Catalog) -> Gate:
    """Every arrival of the schedule is accounted for, and none was dropped."""
    tolerance, load = catalog.file.gate.arrivals.tolerance, load_of(record)
    done = load.iterations + load.dropped
    expected = f"{load.scheduled:,.0f} ± {tolerance:g} arrivals, none dropped"
    observed = f"{done:,} arrivals, {load.dropped:,} dropped"
    if abs(done - load.scheduled) > tolerance:
        advice = "the generator did not keep its schedule: look at its log, and at what else ran"
        return gate("arrivals", "fail", observed, expected=expected, advice=advice)
    if load.dropped:
        behind = falls_behind(record)
        advice = (
            "every virtual user waited for the service, which can't hold this rate: lower it"
            if behind
            else "no virtual user was free: the service stalled, or the workload needs more of them"
        )
        limiter: Limiter = "app" if behind else "generator"
        return gate("arrivals", "fail", observed, expected=expected, advice=advice, limited_by=limiter)
    return gate("arrivals", "pass", observed, expected=expected, advice="")


def client(record: Record, catalog: Catalog) -> Gate:
    """The generator's machine had ports, files and, at the highest rate, processors enough; p99 isn't mostly
    what arrivals waited in it.
    """
    rules, stage, own = catalog.file.gate.client, ceiling(record), len(share(record, "generator"))
    errors = Counter[str]()
    for failure in record.failures:
        if failure.side == "client":
            errors[failure.kind] += failure.count
    used, late = cores(record, "generator", stage.start, stage.end), load_of(record).late
    connecting = _connecting(load_of(record))
    p99 = record.metrics["p99"].value if "p99" in record.metrics else 0.0
    allowed = max(rules.tick_ms, rules.late * p99)
    beyond = errors or (used or 0.0) / own >= rules.busy or (late or 0.0) * 1000 > allowed
    unknown, many = used is None or late is None, (connecting or 0.0) > rules.connections
    verdict: Verdict = "fail" if beyond else "warn" if unknown or many else "pass"
    if errors:
        advice = f"these failures are the generator's, not the service's: {', '.join(sorted(errors))}"
    elif verdict == "fail":
        advice = "latencies hold the generator's own waiting: lower the rate or give it its own processors"
    elif unknown:
        advice = "without these it isn't known how much of the latencies is the generator's own waiting"
    else:
        advice = (
            "p99 tells of connecting: the service closes connections, or users had none before the window"
        )
    return gate(
        "client",
        verdict,
        f"{errors.total():,} errors, "
        + ("not known how busy, " if used is None else f"{used / own:.0%} busy at {stage.to_rate:g}/s, ")
        + ("not known how late" if late is None else f"{late * 1000:.1f} ms late")
        + ("" if connecting is None else f", {connecting:.1%} of the requests connected first"),
        expected=f"no error on the client's side, under {rules.busy:.0%} of its {own} processors busy, "
        f"99 of 100 arrivals at most {allowed:.1f} ms late: {rules.late:.0%} of p99, or {rules.tick_ms:g} ms",
        advice=advice,
        limited_by="generator",
    )


def _connecting(load: Load) -> float | None:
    """The share of the window's requests that opened a connection; None where that was not counted."""
    return None if load.connections is None else load.connections / sum(load.requests.values())


def status(record: Record, catalog: Catalog) -> Gate:  # noqa: ARG001 - one signature
    """No endpoint answered what the contract doesn't have: neither a status nor a content."""
    wrong = Counter[str]()
    for failure in record.failures:
        if failure.side == "server" and failure.kind.startswith(("status", "contract")):
            wrong[f"{failure.endpoint}: {failure.kind}"] += failure.count
    return gate(
        "status",
        "fail" if wrong else "pass",
        ", ".join(f"{n:,} × {answer}" for answer, n in wrong.most_common()) or "none",
        expected="no answer beside the contract",
        advice="fast answers that say nothing: ask for one of them by hand, and look at the app's log",
    )


def little(record: Record, catalog: Catalog) -> Gate:
    """Little's law: what clients waited in all is what the service says it worked in all.

    Requests in flight in the mean are rate × mean latency. The client's come from its latencies, the
    server's from its own counter of seconds, both between the same two readings. The client's exceed the
    server's by network and generator: by no more than a share of what the server worked.
    """
    rules, known = catalog.file.gate.little, span(record, "app.request_seconds")
    expected = (
        f"equal within {rules.tolerance:.0%}; the client's more by at most {rules.overhead:.0%} of the "
        f"server's, or {rules.floor_ms:g} ms a request"
    )
    at_server = growth(record, "app.request_seconds", *known) if known else None
    if at_server is None or known is None:
        advice = "without the service's own seconds, latencies stand on the generator's word alone"
        return gate("little", "warn", "not known", expected=expected, advice=advice)
    seconds = known[1] - known[0]
    waited, unsure = counted(record, *known, "load.waited_seconds")
    requests, _ = counted(record, *known, "load.answered", "load.failed")
    least = at_server * (1 - rules.tolerance) - unsure
    overhead = max(rules.overhead * at_server, requests * rules.floor_ms / 1000)
    most = at_server * (1 + rules.tolerance) + unsure + overhead
    queues = waited > most and falls_behind(record)
    return gate(
        "little",
        "pass" if least <= waited <= most else "fail",
        f"{waited / seconds:.2f} in flight by the client, {at_server / seconds:.2f} by the server",
        expected=expected,
        advice="requests wait before the service: it can't hold this rate"
        if queues
        else "one of the two measures something else: a wrong target, a queue before the service",
        limited_by="app" if queues else None,
    )

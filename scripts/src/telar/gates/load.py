"""The generator's side: did it offer what was planned, and is what it says consistent?"""

from __future__ import annotations

from telar.analyse import histogram
from telar.catalog.types import Catalog
from telar.gates.evidence import cores, gate, growth, processors, span
from telar.store.record import Gate, Load, Record


def arrivals(record: Record, catalog: Catalog) -> Gate:
    """Every arrival of the schedule is accounted for, and none was dropped."""
    tolerance, load = catalog.file.gate.arrivals.tolerance, _load(record)
    done = load.iterations + load.dropped
    expected = f"{load.scheduled:,.0f} ± {tolerance} arrivals, none dropped"
    observed = f"{done:,} arrivals, {load.dropped:,} dropped"
    if abs(done - load.scheduled) > tolerance:
        advice = "the generator did not keep its schedule: look at its log, and at what else ran"
        return gate("arrivals", "fail", observed, expected=expected, advice=advice)
    if load.dropped:
        advice = "no virtual user was free: the service stalled, or the workload needs more of them"
        return gate("arrivals", "fail", observed, expected=expected, advice=advice, limited_by="generator")
    return gate("arrivals", "pass", observed, expected=expected, advice="")


def client(record: Record, catalog: Catalog) -> Gate:
    """The generator's machine had ports, files and processors enough."""
    limit, patience = catalog.file.gate.client.busy, catalog.file.gate.client.late_ms
    late = (_load(record).late or 0.0) * 1000
    failed = sum(f.count for f in record.failures if f.side == "client")
    share = len(processors(record.provenance.cpus["generator"]))
    busy = (cores(record, "generator") or 0.0) / share
    expected = (
        f"no error on the client's side, under {limit:.0%} of its {share} processors busy, "
        f"99 of 100 arrivals at most {patience:g} ms late"
    )
    observed = f"{failed} errors, {busy:.0%} busy, {late:.0f} ms late"
    if failed:
        kinds = ", ".join(sorted({f.kind for f in record.failures if f.side == "client"}))
        advice = f"these failures are the generator's, not the service's: {kinds}"
    else:
        advice = "its latencies include waiting for a processor: lower the rate or give it its own"
    fine = not failed and busy < limit and late <= patience
    return gate(
        "client",
        "pass" if fine else "fail",
        observed,
        expected=expected,
        advice=advice,
        limited_by="generator",
    )


def status(record: Record, catalog: Catalog) -> Gate:  # noqa: ARG001 - one signature
    """No endpoint answered what the contract doesn't have: neither a status nor a content."""
    wrong = [f for f in record.failures if f.side == "server" and f.kind.startswith(("status", "contract"))]
    observed = ", ".join(f"{f.count} × {f.endpoint}: {f.kind}" for f in wrong) or "none"
    return gate(
        "status",
        "fail" if wrong else "pass",
        observed,
        expected="no answer beside the contract",
        advice="fast answers that say nothing: ask for one of them by hand, and look at the app's log",
    )


def little(record: Record, catalog: Catalog) -> Gate:
    """Little's law: what clients waited in all is what the service says it worked in all.

    Requests in flight in the mean are rate × mean latency. The client's come from its latencies, the
    server's from its own counter of seconds; the client's exceed them by network and generator.
    """
    rules = catalog.file.gate.little
    at_server = growth(record, "app.request_seconds")
    known = span(record, "app.request_seconds")
    if at_server is None or known is None:
        return gate(
            "little",
            "warn",
            "the service's own seconds are not known",
            expected="requests in flight agree",
            advice="without them latencies stand on the generator's word alone",
        )
    in_server = at_server / (known[1] - known[0])
    in_client = _waited(record) / _load(record).seconds
    overhead = rules.overhead_ms / 1000 * sum(_load(record).requests.values()) / _load(record).seconds
    fine = in_server * (1 - rules.tolerance) <= in_client <= in_server * (1 + rules.tolerance) + overhead
    return gate(
        "little",
        "pass" if fine else "fail",
        f"{in_client:.2f} in flight by the client, {in_server:.2f} by the server",
        expected=f"equal within {rules.tolerance:.0%} and {rules.overhead_ms:g} ms a request",
        advice="one of the two measures something else: a wrong target, a queue before the service",
    )


def _load(record: Record) -> Load:
    assert record.load, "a completed run has its load"
    return record.load


def _waited(record: Record) -> float:
    """Seconds that all requests of the window took, together."""
    merged = histogram.merged(part.histogram for part in record.latencies)
    return float(merged.get_mean_value()) * int(merged.total_count) / 1e6

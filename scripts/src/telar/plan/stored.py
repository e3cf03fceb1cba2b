"""The plan in a plan.json, of this form and of the one before."""

from __future__ import annotations

from typing import Any

import msgspec

from telar.plan.cells import Plan

WARMUP = ("workload", "rate", "seconds", "requests")


def plan_in(content: bytes) -> Plan:
    """Raises msgspec's DecodeError (or UnicodeDecodeError, RecursionError) when it isn't a plan."""
    raw = msgspec.json.decode(content)
    return msgspec.convert(_with_own_warmups(raw) if isinstance(raw, dict) else raw, Plan)


def _with_own_warmups(raw: dict[str, Any]) -> dict[str, Any]:
    """Until November 2026 a plan had one warm-up for all of its runs."""
    shared = {name: raw[f"warmup_{name}"] for name in WARMUP if f"warmup_{name}" in raw}
    runs = raw.get("runs")
    if not shared or not isinstance(runs, list):
        return raw
    kept = {name: value for name, value in raw.items() if name.removeprefix("warmup_") not in shared}
    return kept | {"runs": [{**run, "warmup": shared} if isinstance(run, dict) else run for run in runs]}

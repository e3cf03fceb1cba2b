"""What a service may use: `[[budget]]` in a system.toml, or in a guest's variant.toml (docs/budgets.md)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from telar.catalog.files import nearest
from telar.catalog.shapes import Bound, File, Name, Rate
from telar.errors import ConfigError

QUANTILES = {"p50": 50.0, "p95": 95.0, "p99": 99.0}  # that one operation, or one rate, has of its own


class BudgetFile(File, frozen=True, kw_only=True):
    metric: Name  # of telar.toml
    most: Bound | None = None  # in the metric's unit
    least: Bound | None = None
    endpoint: Name | None = None  # of p50, p95, p99: one operation of the load
    rate: Rate | None = None  # of p50, p95, p99: arrivals a second, in the stages that hold them
    workload: Name | None = None  # None: whatever it is measured under


def check(path: Path, budgets: Sequence[BudgetFile], metrics: Collection[str]) -> None:
    """Raises ConfigError naming the file at `path` and the key."""
    for number, own in enumerate(budgets):
        where = f"{path}: budget.{number}"
        if own.metric not in metrics:
            raise ConfigError(
                f"{where}.metric = {own.metric!r}: not known", hint=nearest(own.metric, metrics)
            )
        if own.most is None and own.least is None:
            raise ConfigError(f"{where}: needs 'most', 'least' or both")
        if own.most is not None and own.least is not None and own.least >= own.most:
            raise ConfigError(f"{where}.least: {own.least:g} isn't below most")
        if own.metric not in QUANTILES:
            for key in ("endpoint", "rate"):
                if getattr(own, key) is not None:
                    raise ConfigError(f"{where}.{key}: only for {', '.join(QUANTILES)}, not {own.metric}")

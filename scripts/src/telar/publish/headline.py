"""What a session says in a sentence or two, and what its reader must know about its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from telar.catalog.types import Catalog
from telar.publish.arms import BASE, OTHER, Arm, Group, ratio, weaknesses
from telar.publish.columns import metric_file, validity
from telar.publish.ratios import ratio_text

HEADLINE = ("p99", "app-cpu", "rss")  # the ratios that the first sentence tells


def findings(catalog: Catalog, groups: list[Group]) -> list[str]:
    """What the session says, in a sentence or two: ratios and how many runs stand behind them."""
    pairs = [(g, g.pair) for g in groups if g.pair]
    failed = [*_unsound(groups), *_failed_requests(groups), *_failed_runs(groups)]
    if not pairs:
        return [
            *failed,
            f"No app has a sound run with both {BASE} and {OTHER} threads, so there is no ratio.",
        ]
    parts = [
        text for metric in HEADLINE if (text := _range(catalog, metric, pairs, places=metric == HEADLINE[0]))
    ]
    subject = pairs[0][0].app if len(pairs) == 1 else f"{len(pairs)} apps launched both ways"
    counts = [arm.completed for _, pair in pairs for arm in pair]
    return [f"{OTHER.capitalize()} ÷ {BASE}, {subject}: {'; '.join(parts)}.", _weight(counts), *failed]


def notes(groups: Sequence[Group]) -> list[str]:
    lines = []
    arms = [arm for g in groups for arm in g.arms]
    for arm in arms:
        requests = sum(s.count for s in arm.summary.stages)
        for kind, count in sorted(arm.summary.failures.items()):
            lines.append(f"{arm.cell.label}: {count:,} of {requests:,} requests failed ({kind}).")
    total = sum(arm.summary.iterations + arm.summary.dropped for arm in arms)
    scheduled = sum(arm.summary.scheduled for arm in arms)
    for g in groups:
        lines += [
            f"{g.app}, {OTHER} ÷ {BASE}: {gate.name}: {gate.observed}; expected {gate.expected}."
            for gate in weaknesses(g.verdicts)
        ]
    if scheduled:
        lines.append(f"{total:,} arrivals accounted for in completed runs, {scheduled:,.0f} scheduled.")
    return lines


def _range(catalog: Catalog, metric: str, pairs: list[tuple[Group, tuple[Arm, Arm]]], *, places: bool) -> str:
    found = sorted((r, g.app) for g, pair in pairs if (r := ratio(pair, metric)) is not None)
    if not found:
        return ""
    label = metric_file(catalog, metric).label
    (low, at_low), (high, at_high) = found[0], found[-1]
    if len(found) == 1:
        return f"{label} {ratio_text(low)}"
    if places:
        return f"{label} from {ratio_text(low)} ({at_low}) to {ratio_text(high)} ({at_high})"
    return f"{label} {ratio_text(low)} to {ratio_text(high)}"


def _unsound(groups: list[Group]) -> list[str]:
    arms = [arm for g in groups for arm in g.arms if arm.completed]
    told = [f"{arm.cell.label} ({validity(arm.summary)})" for arm in arms if arm.summary.validity != "valid"]
    return [f"{len(told)} of {len(arms)} cells are not valid: {', '.join(told)}."] if told else []


def _failed_requests(groups: list[Group]) -> list[str]:
    counts = [sum(arm.summary.failures.values()) for g in groups for arm in g.arms if arm.completed]
    cells = sum(1 for n in counts if n)
    where = f"in {cells} of {len(counts)} cells"
    return [f"{sum(counts):,} requests failed {where}; their times are in the percentiles."] if cells else []


def _failed_runs(groups: list[Group]) -> list[str]:
    names = [arm.cell.label for g in groups for arm in g.arms for _ in arm.failed]
    runs = sum(arm.summary.runs for g in groups for arm in g.arms)
    where = ", ".join(dict.fromkeys(names))
    return [f"{len(names)} of {runs} runs failed ({where}) and are in no number."] if names else []


def _weight(counts: list[int]) -> str:
    if max(counts) == 1:
        return (
            "One run stands behind each side of a ratio: single observations, which say nothing about "
            "how much runs differ among themselves."
        )
    several = f"{min(counts)} to {max(counts)}" if min(counts) < max(counts) else str(counts[0])
    return (
        f"{several} runs stand behind each side of a ratio: percentiles of all their requests together, "
        "medians of everything else."
    )

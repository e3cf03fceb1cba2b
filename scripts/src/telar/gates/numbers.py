"""The numbers themselves: can each of them have been measured at all?"""

from __future__ import annotations

from telar.catalog.types import Catalog
from telar.gates.evidence import gate
from telar.store.record import Gate, Record


def bounds(record: Record, catalog: Catalog) -> Gate:
    """Every metric lies between `least` and `most` of its table in telar.toml."""
    outside = []
    for name, metric in record.metrics.items():
        file = catalog.file.metric.get(name)  # what the catalogue no longer has, no one reads
        if file and not file.least <= metric.value <= file.most:
            outside.append(f"{name} {metric.value:,.6g} {metric.unit} ({file.least:g} to {file.most:g})")
    return gate(
        "bounds",
        "fail" if outside else "pass",
        "; ".join(outside) or f"all {len(record.metrics)}",
        expected="every metric within its bounds",
        advice="what it was reckoned from doesn't fit together: see the run's series and logs, run it again",
    )

"""The same question asked again: pressing the button until the answer pleases mustn't work."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from telar.catalog.types import Catalog
from telar.store.record import Record

Question = frozenset[tuple[str, str, str]]  # side, cell and digest of the bytes that ran, of each


def question(records: Iterable[Record]) -> Question:
    """What a session of pairs asks. A new commit with other bytes is another question; a new name isn't."""
    return frozenset(
        (r.pair.side, msgspec.structs.replace(r.cell, revision="").name, r.provenance.artifact.digest)
        for r in records
        if r.pair
    )


def stricter(catalog: Catalog, times: int) -> Catalog:
    """With the error that is left for the last of so many times: half of that of the time before, so that all
    of them together err at most twice as often as one.
    """
    rules = catalog.file.verdict
    left = 0.5 ** (times - 1)
    verdict = msgspec.structs.replace(
        rules, false_alarms=rules.false_alarms * left, equivalence=rules.equivalence * left
    )
    return msgspec.structs.replace(catalog, file=msgspec.structs.replace(catalog.file, verdict=verdict))

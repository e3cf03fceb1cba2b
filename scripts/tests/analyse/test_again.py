"""The same question again: what counts as the same, and what is left of the error."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from telar.analyse.again import question, stricter
from telar.catalog.load import load

from ..store.calibrations import window

CATALOG = load(Path(__file__).resolve().parents[3])


def test_a_question_is_the_bytes_of_both_sides_whatever_their_commits_are_called() -> None:
    a, b = window(1, 1, "a"), window(1, 1, "b")
    renamed = msgspec.structs.replace(b, cell=msgspec.structs.replace(b.cell, revision="0" * 40))
    assert question([a, b]) == question([a, renamed])
    artifact = msgspec.structs.replace(b.provenance.artifact, digest="cd34")
    other = msgspec.structs.replace(b, provenance=msgspec.structs.replace(b.provenance, artifact=artifact))
    assert question([a, b]) != question([a, other])
    assert question([a, b]) != question([a])


def test_all_times_together_err_at_most_twice_as_often_as_one() -> None:
    errors = [stricter(CATALOG, times).file.verdict for times in range(1, 30)]
    assert errors[0] == CATALOG.file.verdict
    assert sum(e.false_alarms for e in errors) == pytest.approx(2 * CATALOG.file.verdict.false_alarms)
    assert sum(e.equivalence for e in errors) == pytest.approx(2 * CATALOG.file.verdict.equivalence)

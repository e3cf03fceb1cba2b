"""Properties of the store: what is written is read, no change goes unseen, older formats are lifted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from telar.analyse.summary import summarise
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.plan.cells import Plan, PlannedRun
from telar.publish import comparison, report
from telar.store import seal
from telar.store.decode import RecordError, decode
from telar.store.files import Session, pretty
from telar.store.record import Record
from telar.store.report import Report
from telar.store.upgrade import READABLE

from .records import WARMUP, put, unsealed
from .strategies import records

pytestmark = pytest.mark.thorough

HERE = Path(__file__).parent
SCHEMAS = HERE.parents[2] / "benchmarks-data" / "schema"
FILE = Path("record.json")
REAL = {n: (HERE / f"record-{n}.json").read_bytes() for n in sorted(READABLE)}

many = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@cache
def catalog() -> Catalog:
    return load(HERE.parents[2])


@cache
def validator(number: int) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"record-{number}.json").read_text()))


def written(record: Record) -> bytes:
    return seal.sealed(pretty(record))


# ---- written is read


@many
@given(record=records())
def test_every_record_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, record: Record
) -> None:
    folder = tmp_path_factory.mktemp("data") / "20261121-071806-smoke"
    run = PlannedRun(position=1, repetition=1, cell=record.cell, warmup=WARMUP, pair=record.pair)
    plan = Plan(suite="smoke", seed=1, runs=(run,))
    path = put(Session.create(folder, plan), run, record)
    (read,) = Session(folder).records()
    assert unsealed(read) == msgspec.structs.replace(record, session=folder.name, position=1, repetition=1)
    validator(2).validate(json.loads(path.read_bytes()))


@settings(many, max_examples=20)
@given(found=st.lists(records(), min_size=1, max_size=2))
def test_every_record_that_is_read_can_be_reported(found: list[Record]) -> None:
    kept = [decode(FILE, written(record)) for record in found]
    assert report.markdown(catalog(), kept).startswith("# ")
    files = {record.run_id: "1.json" for record in kept}
    compared = comparison.of_session(catalog(), kept, summarise(kept), files)
    assert msgspec.json.decode(msgspec.json.encode(compared), type=Report) == compared


# ---- no change goes unseen


@pytest.mark.parametrize("number", sorted(READABLE))
def test_a_real_record_of_each_format_is_read(number: int) -> None:
    record = decode(FILE, REAL[number])
    assert record.outcome == "completed"
    validator(number).validate(json.loads(REAL[number]))
    validator(2).validate(json.loads(pretty(record)))


def values(data: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The place of every single value, and of every table and list."""
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for name, value in items:
        yield from values(value, (*path, name))


ANOTHER: dict[type, Callable[[Any], Any]] = {
    bool: lambda value: not value,
    int: lambda value: value + 1,
    float: lambda value: value * (1 + 2**-50) or 5e-324,
    str: lambda value: value + " ",
    dict: lambda value: {**value, "": None},
    list: lambda value: [*value, None],
    NoneType: lambda value: 0,
}  # of the same kind, as little different as can be


def test_a_change_of_any_value_is_found_by_the_digest() -> None:
    places = [path for path in values(json.loads(REAL[2])) if path not in {(), ("digest",), ("format",)}]
    assert len(places) > 1000
    data = json.loads(REAL[2])
    for path in places:
        part = data
        for name in path[:-1]:
            part = part[name]
        before = part[path[-1]]
        part[path[-1]] = ANOTHER[type(before)](before)
        assert seal.digest(data) != data["digest"], path
        part[path[-1]] = before
    assert seal.digest(data) == data["digest"]


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_a_change_of_any_byte_is_found_or_changes_no_value(data: st.DataObject) -> None:
    content = REAL[2]
    at = data.draw(st.integers(0, len(content) - 1))
    torn = content[:at] + data.draw(st.binary(max_size=3)) + content[at + data.draw(st.integers(0, 3)) :]
    try:
        read = decode(FILE, torn)
    except RecordError:
        return  # what `telar store verify` finds
    assert read == decode(FILE, content)


def test_a_seal_does_not_depend_on_how_the_file_is_laid_out() -> None:
    data = json.loads(REAL[2])
    compact = json.dumps(dict(reversed(data.items())), separators=(",", ":"), ensure_ascii=True) + "\n}"
    assert decode(FILE, compact.removesuffix("\n}").encode()) == decode(FILE, REAL[2])


# ---- older formats


def older(value: Any, schema: Any, parts: Any) -> Any:
    """What an older schema knows of a value."""
    schema = next((one for one in schema.get("anyOf", ()) if "$ref" in one), schema)  # the others are null
    schema = parts[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if isinstance(value, list):
        return [older(each, schema.get("items", {}), parts) for each in value]
    if not isinstance(value, dict):
        return value
    known, others = schema.get("properties", {}), schema.get("additionalProperties")
    return {n: older(v, known.get(n, others), parts) for n, v in value.items() if n in known or others}


def in_format_1(record: Record) -> dict[str, Any]:
    schema = json.loads((SCHEMAS / "record-1.json").read_text())
    made = older(json.loads(msgspec.json.encode(record)), schema, schema["$defs"])
    return {**made, "format": 1}


@many
@given(record=records())
def test_a_record_of_format_1_is_lifted_to_a_valid_one_and_nothing_is_made_up(record: Record) -> None:
    old = in_format_1(record)
    validator(1).validate(old)
    lifted = decode(FILE, pretty(old))
    validator(2).validate(json.loads(pretty(lifted)))
    assert (lifted.validity, lifted.gates, lifted.digest) == ("invalid", (), "")
    assert (lifted.warmup, lifted.ruler, lifted.planned) == (None, None, None)
    assert in_format_1(lifted) == old


def test_no_newer_record_passes_for_an_old_one() -> None:
    """It would have no seal to be checked."""
    data = json.loads(REAL[2])
    data["metrics"]["p99"]["value"] /= 2
    with pytest.raises(RecordError, match=r"\$\.benchmark: unknown in format 1"):
        decode(FILE, pretty({**data, "format": 1}))
    del data["digest"], data["benchmark"]
    with pytest.raises(RecordError, match=r"\$\.gates: unknown in format 1"):
        decode(FILE, pretty({**data, "format": 1}))

"""The record's format: what is written can be read again, by Telar and by whoever has its schema."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest

from telar.plan.cells import Pair
from telar.store import schema
from telar.store.files import pretty, read_record
from telar.store.record import FORMAT, Pin, Record, Superseded
from telar.store.seal import sealed

from .records import STOP, record, unsealed

DATA = Path(__file__).parents[3] / "benchmarks-data"
FORMAT_MD = DATA.parent / "docs" / "record-format.md"
SCHEMA = DATA / "schema" / f"record-{FORMAT}.json"

REAL = (Path(__file__).parent / "record-2.json").read_bytes()
WHOLE = record(
    pair=Pair(fork=1, window=2, side="b"),
    superseded=(Superseded(run_id="e" * 16, gates=("speed",)),),
    pins=(Pin(count=3, seconds=0.002, reason="", stack=("app.Movies.find:12",)),),
)
FAILED = record(outcome="failed", stopped=STOP, load=None, latencies=(), failures=(), series=None)


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def parts(value: object) -> Iterator[msgspec.Struct]:
    if isinstance(value, msgspec.Struct):
        yield value
        for name in value.__struct_fields__:
            yield from parts(getattr(value, name))
    elif isinstance(value, tuple | list):
        for item in value:
            yield from parts(item)
    elif isinstance(value, dict):
        yield from parts(list(value.values()))


def test_the_published_schema_is_the_codes() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema.text(), f"make it again: {schema.COMMAND}"


def test_the_schema_is_one_that_readers_understand(validator: jsonschema.Draft202012Validator) -> None:
    validator.check_schema(validator.schema)


def test_the_record_of_these_tests_has_every_part_of_the_format() -> None:
    names = {type(part).__name__ for sample in (WHOLE, FAILED) for part in parts(sample)}
    assert names == set(json.loads(SCHEMA.read_text())["$defs"])


def documented() -> dict[str, set[str]]:
    """Part → fields, from the first table of each part in docs/record-format.md."""
    sections = re.split(r"^## ", FORMAT_MD.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    tables = {s.split("\n", 1)[0]: s.partition("| field |")[2].split("\n\n")[0] for s in sections}
    return {
        part: set(re.findall(r"^\| \*?`(\w+)`", rows, re.MULTILINE)) for part, rows in tables.items() if rows
    }


def test_every_field_of_every_part_is_documented() -> None:
    parts_ = json.loads(SCHEMA.read_text())["$defs"]
    assert documented() == {name: set(part["properties"]) for name, part in parts_.items()}


def test_the_history_of_formats_ends_with_this_one() -> None:
    history = re.findall(r"^\| (\d+) \| Telar", FORMAT_MD.read_text(encoding="utf-8"), re.MULTILINE)
    assert history[-1] == str(FORMAT)
    assert schema.COMMAND in (DATA / "README.md").read_text(encoding="utf-8")


def test_the_documented_way_to_check_a_digest_finds_what_ours_finds(tmp_path: Path) -> None:
    shown = FORMAT_MD.read_text(encoding="utf-8").partition("## The digest")[2]
    code = shown.partition("```python\n")[2].partition("```")[0]
    path = tmp_path / "record.json"
    for content, fits in ((REAL, "True"), (REAL.replace(b'"dropped": 0', b'"dropped": 1'), "False")):
        path.write_bytes(content)
        said = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
        assert said.stdout == f"{fits}\n"


@pytest.mark.parametrize("sample", [WHOLE, FAILED], ids=["completed", "failed"])
def test_a_record_round_trips_and_keeps_to_the_schema(
    sample: Record, tmp_path: Path, validator: jsonschema.Draft202012Validator
) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(sealed(pretty(sample)))
    assert unsealed(read_record(path)) == sample
    validator.validate(json.loads(path.read_bytes()))


@pytest.mark.thorough
def test_every_record_of_this_checkout_keeps_to_the_schema_of_its_format() -> None:
    found = sorted(DATA.glob("**/records/*.json"))
    if not found:
        pytest.skip("nothing was run in this checkout yet")
    validators: dict[int, jsonschema.Draft202012Validator] = {}
    for path in found:
        written = json.loads(path.read_bytes())
        number = written["format"]
        if number not in validators:
            file = SCHEMA.parent / f"record-{number}.json"
            validators[number] = jsonschema.Draft202012Validator(json.loads(file.read_text()))
        validators[number].validate(written)
        assert read_record(path).format == FORMAT


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("format",), FORMAT + 1),
        (("position",), 0),
        (("outcome",), "perhaps"),
        (("load", "dropped"), -1),
        (("load", "surplus"), 1),
        (("metrics", "p99", "value"), None),
        (("series", "step"), -1.0),
        (("provenance", "java", "class_path_source"), "a guess"),
        (("cell", "engine"), "cloud"),
    ],
)
def test_code_and_schema_refuse_the_same(
    place: tuple[str, ...], value: object, validator: jsonschema.Draft202012Validator
) -> None:
    data: Any = json.loads(pretty(WHOLE))
    table = data
    for name in place[:-1]:
        table = table[name]
    table[place[-1]] = value
    assert not validator.is_valid(data)
    with pytest.raises(msgspec.ValidationError, match=place[-1]):
        msgspec.convert(data, Record)

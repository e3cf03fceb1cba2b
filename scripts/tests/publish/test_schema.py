"""The schema of the published files is what the code says, and the files fit it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]

from telar.publish import schema
from telar.store.points import Point
from telar.store.published import Published

from .test_history import add

PATH = Path(__file__).resolve().parents[3] / "benchmarks-data" / "schema" / "published-1.json"


def test_the_schema_that_is_kept_is_the_codes() -> None:
    assert PATH.read_text(encoding="utf-8") == schema.text(), f"make it again: {schema.COMMAND}"


def test_what_is_published_fits_it(tmp_path: Path) -> None:
    point = Point(
        series="<b>", metric="p50", unit="ms", better="smaller", time=1.0, commit="", value=1.0, origin="o"
    )
    store: Published = add(tmp_path, [point])
    kinds = {"index.json": "Index", "now": "Now", "points": "Shard"}
    whole = json.loads(PATH.read_text(encoding="utf-8"))
    seen = set()
    for path in store.folder.rglob("*.json"):
        place = str(path.relative_to(store.folder / "data"))
        kind = next(k for start, k in kinds.items() if place.startswith(start))
        validator = jsonschema.Draft202012Validator({**whole, "$ref": f"#/$defs/{kind}"})
        validator.validate(json.loads(path.read_text()))
        seen.add(kind)
    assert seen == set(kinds.values())

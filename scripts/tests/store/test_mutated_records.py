"""Real records, broken in every part: each is refused with its file and the place, and none crashes a reader.

Where types must find the fault the record is sealed again, so that its digest doesn't find it first.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_origin

import msgspec
import pytest

from telar.store import seal
from telar.store.decode import RecordError
from telar.store.files import read_record
from telar.store.record import Record, json_schema

from .records import record
from .shapes import Place, choices, is_struct, places

pytestmark = pytest.mark.thorough

HERE = Path(__file__).parent
REAL = {n: json.loads((HERE / f"record-{n}.json").read_bytes()) for n in (1, 2)}
WRITTEN = (HERE / "record-2.json").read_bytes()
SEED = 20261121

# Parts that a smooth run on plain processes with a fixed warm-up, from nothing to nothing, doesn't have.
WHOLE = {
    **REAL[2],
    "warmup": json.loads(msgspec.json.encode(record().warmup)),
    "failures": [{"endpoint": "get", "stage": "hold-50", "side": "server", "kind": "timeout", "count": 2}],
    "superseded": [{"run_id": "0123456789abcdef", "gates": ["speed"]}],
    "pins": [{"count": 3, "seconds": 0.002, "reason": "Native frame", "stack": ["app.Movies.find:12"]}],
    "program": {"arguments": ["tasks"], "params": {"tasks": "9"}, "seconds": 1.5, "result": {"rate": 6}},
    "pair": {"fork": 1, "window": 2, "side": "b"},
    "provenance": {**REAL[2]["provenance"], "images": {"app": "sha256:ab12"}},
}
BASES = (WHOLE, json.loads((HERE / "record-2-failed.json").read_bytes()))


class Mutant(NamedTuple):
    what: str
    content: bytes
    place: str = ""  # that the message must name
    fault: str = "unsound"


# ---- by type: every value of a record becomes what it can't be

NOBODY_CAN_HAVE = {
    int: ["7", 7.5, True, [], {}, 10**30, -(10**30)],
    float: ["7", True, [], {}, 1e308, -1e308, 10**30],
    bool: [0, "true", []],
    str: [7, 1.5, True, [], {}],
}


def every_place() -> Iterator[tuple[Any, Place]]:
    return ((base, at) for base in BASES for at in places(base, Record))


def wrong_values(at: Place) -> Iterator[Any]:
    if not at.shape.optional:
        yield None
    plain = at.shape.plain
    if plain in NOBODY_CAN_HAVE:
        yield from NOBODY_CAN_HAVE[plain]
    elif is_struct(at.shape):
        yield from ([], "text", 7, {})
    elif get_origin(plain) is dict:
        yield from ([], "text", 7)
    elif get_origin(plain) is tuple:
        yield from ({}, "text", 7)
    elif choices(at.shape):
        yield from ("perhaps", "", 99, [])
    if plain in {int, float} and (at.shape.bound("ge") == 0 or at.shape.bound("gt") == 0):
        yield -1
    if plain is str and at.shape.bound("pattern"):
        yield from ("", "../../etc", "a\n", "a\0b")
    if plain is str and at.shape.bound("min_length"):
        yield ""


def replaced(data: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """A copy with another value at a place."""
    if not path:
        return value
    first, *rest = path
    made = copy.copy(data)
    made[first] = replaced(data[first], tuple(rest), value) if rest else value
    return made


def sealed(data: Any) -> bytes:
    return json.dumps({**data, "digest": seal.digest(data)}).encode()


def of_another_type() -> Iterator[Mutant]:
    for base, at in every_place():
        if not at.path or at.path in {("digest",), ("format",)}:
            continue
        for value in wrong_values(at):
            yield Mutant(f"{at.said} = {value!r}", sealed(replaced(base, at.path, value)), at.said)


def with_another_field() -> Iterator[Mutant]:
    """Parts with a field too many or, where it must be there, too few."""
    for base, at in every_place():
        if not is_struct(at.shape) or at.value is None:
            continue
        surplus = sealed(replaced(base, at.path, {**at.value, "surplus": 1}))
        yield Mutant(f"{at.said}.surplus", surplus, f"{at.said}: Object contains unknown field `surplus`")
        for field in msgspec.structs.fields(at.shape.plain):
            if field.required and (*at.path, field.name) != ("format",):
                rest = {n: v for n, v in at.value.items() if n != field.name}
                missing = f"{at.said}: Object missing required field `{field.name}`"
                content = sealed(replaced(base, at.path, rest))
                yield Mutant(f"{at.said} without {field.name}", content, missing)


# ---- parts that contradict each other

FIRST = REAL[2]["latencies"][0]
HISTOGRAM = FIRST["histogram"]
SOUND_GATE = {"name": "warm", "verdict": "pass", "observed": "", "expected": ""}
STOP = {"phase": "start", "error": "the app ended"}

CONTRADICTIONS: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("outcome",), "failed", "$.stopped: missing in a run that failed"),
    (("stopped",), STOP, "$.stopped: in a run that was completed"),
    (("load",), None, "$.load: missing in a run that was completed"),
    (("latencies",), [], "$.latencies: missing"),
    (("metrics",), {}, "$.metrics: missing"),
    (("series",), None, "$.series: missing"),
    (("database",), None, "$.database: missing"),
    (("validity",), "valid", "$.validity: valid, but"),
    (("load", "bytes"), {"gte": 900.0}, "$.load.bytes.gte: no such endpoint"),
    (("load", "requests"), {"gte": 1}, "$.load.bytes."),
    (("load", "stages"), [], "$.latencies.0.stage"),
    (("load", "stages", 0, "end"), 0.0, "$.load.stages.0.end: not after its start"),
    (("load", "stages", 0, "name"), "hold-0", ".stage: 'hold-50' is not in $.load.stages"),
    (("latencies", 0, "endpoint"), "gte", "$.latencies.0.endpoint: 'gte' is not in $.load.requests"),
    (("latencies", 0, "stage"), "", "$.latencies.0.stage: '' is not in $.load.stages"),
    (("latencies", 0, "count"), FIRST["count"] + 1, "$.latencies.0.histogram: holds"),
    (("latencies", 0, "histogram"), "", "$.latencies.0.histogram: can't be decoded"),
    (("latencies", 0, "histogram"), "é", "$.latencies.0.histogram: can't be decoded"),
    (("latencies", 0, "histogram"), "AAAA", "$.latencies.0.histogram: can't be decoded"),
    (("latencies", 0, "histogram"), HISTOGRAM[:-20], "$.latencies.0.histogram: can't be decoded"),
    (("latencies", 0, "histogram"), HISTOGRAM[::-1], "$.latencies.0.histogram: can't be decoded"),
    (
        ("failures",),
        [{"endpoint": "get", "stage": "?", "side": "server", "kind": "timeout", "count": 1}],
        "$.failures.0.stage: '?' is not in",
    ),
    (("series", "values", "load.offered"), [1.0], "$.series.values: of different lengths: 1 to"),
    (("provenance", "java", "flags"), {"UseG1GC": True}, "$.provenance.java.flags.UseG1GC: Expected `str`"),
    (("cell", "drivers"), {"../mysql": "9"}, "$.cell.drivers.../mysql: Expected `str` matching"),
    (("gates",), [SOUND_GATE, {**SOUND_GATE, "verdict": "perhaps"}], "$.gates.1.verdict: Invalid enum value"),
    (("series", "values", "app.rss"), [None, "x"], "$.series.values.app.rss.1: Expected `float | null`"),
    (("suite",), "\ud800", "is not whole JSON"),
]  # fmt: skip


def contradicting() -> Iterator[Mutant]:
    for path, value, said in CONTRADICTIONS:
        data = replaced(REAL[2], path, value)
        fault = "garbled" if "\ud800" in str(value) else "unsound"
        content = sealed(data) if fault == "unsound" else json.dumps(data, indent=1).encode()
        yield Mutant(f"{path} = {str(value)[:20]!r}", content, said, fault)


# ---- formats, numbers that are none, torn and foreign files


def of_a_foreign_version() -> Iterator[Mutant]:
    for version in (0, -1, 3, 99, 10**30, 2.0, "2", None, True, [2]):
        newer = isinstance(version, int) and version > 2
        content = sealed({**REAL[2], "format": version})
        yield Mutant(f"format {version!r}", content, "this Telar reads 1, 2", "newer" if newer else "unsound")
    yield Mutant("format 2 as 1", sealed({**REAL[2], "format": 1}), "unknown in format 1")
    yield Mutant("format 1 as 2", json.dumps({**REAL[1], "format": 2}).encode(), "digest", "edited")
    yield Mutant("format 1 sealed as 2", sealed({**REAL[1], "format": 2}), "$.load: Object missing required")
    for name in ("gates", "validity", "ruler", "warmup", "digest"):
        content = json.dumps({**REAL[1], name: REAL[2][name]}).encode()
        yield Mutant(f"format 1 with {name}", content, f"$.{name}: unknown in format 1")


def of_format_1() -> Iterator[Mutant]:
    """An old record has no seal: its types are all that guards it."""
    for path, value in (
        (("load",), 5), (("load",), []), (("load", "scheduled"), "many"), (("load", "iterations"), -1),
        (("cell",), "x"), (("provenance", "java"), 1), (("latencies", 0, "histogram"), "x"),
        (("started",), 1e300), (("timeline",), None), (("outcome",), "failed"), (("position",), 0),
        (("surplus",), 1),
    ):  # fmt: skip
        place = ".".join(["$", *map(str, path)])
        said = {"$.outcome": "$.stopped: missing"}.get(place, place)
        yield Mutant(f"1: {place} = {value!r}", json.dumps(replaced(REAL[1], path, value)).encode(), said)


def without_a_number() -> Iterator[Mutant]:
    for token in (
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"1e999",
        b"-1e999",
        b"1" * 5000,
        b"0x10",
        b"01",
        b"1_0",
    ):
        for key in (b'"scheduled": ', b'"started": ', b'"before": '):
            head, _, tail = WRITTEN.partition(key)
            content = head + key + token + tail[tail.index(b",") :]
            yield Mutant(f"{key!r} {token[:10]!r}", content, "is not whole JSON", "garbled")


def torn() -> Iterator[Mutant]:
    dice = random.Random(SEED)
    for cut in sorted(dice.sample(range(len(WRITTEN) - 2), 30)):
        yield Mutant(f"{cut} bytes of it", WRITTEN[:cut], "is not whole JSON", "truncated")
        zeros = WRITTEN[:cut] + bytes(len(WRITTEN) - cut)
        yield Mutant(f"zeros from {cut}", zeros, "is not whole JSON", "truncated")
    for n in range(10):
        noise = dice.randbytes(dice.randrange(1, 5000))
        yield Mutant(f"noise {n}", noise, "is not whole JSON", "truncated")
    for encoding in ("utf-16", "utf-32", "utf-8-sig"):
        content = WRITTEN.decode().encode(encoding)
        fault = "garbled" if content.rstrip().endswith(b"\n}") else "truncated"
        yield Mutant(encoding, content, "is not whole JSON", fault)
    yield Mutant("twice", WRITTEN + WRITTEN, "is not whole JSON", "garbled")
    yield Mutant(
        "a merge's marks", WRITTEN.replace(b' "load"', b'<<<<<<< HEAD\n "load"'), "whole JSON", "garbled"
    )
    yield Mutant("a list", b"[" + WRITTEN.rstrip() + b"]", "is JSON, but no object", "garbled")


def edited() -> Iterator[Mutant]:
    """Values that could be true, under the old digest."""
    dice = random.Random(SEED)
    fitting = [
        at for at in places(REAL[2], Record) if at.shape.plain in {int, float} and at.value is not None
    ]
    for at in dice.sample(fitting, 30):
        content = json.dumps(replaced(REAL[2], at.path, at.value + 1)).encode()
        yield Mutant(f"{at.said} + 1", content, "was changed after it was written", "edited")
    for name in ("gates", "failures", "digest"):
        content = json.dumps({n: v for n, v in REAL[2].items() if n != name}).encode()
        yield Mutant(f"without {name}", content, "was changed after it was written", "edited")


KINDS = (
    of_another_type, with_another_field, contradicting, of_a_foreign_version, of_format_1, without_a_number,
    torn, edited,
)  # fmt: skip


def refused(path: Path, mutant: Mutant) -> str:
    """How a mutant fails to be refused as it should be; empty when it is."""
    path.write_bytes(mutant.content)
    try:
        read_record(path)
    except RecordError as error:
        whole = error.message.startswith(f"{path}: ") and mutant.place in error.message
        fits = (error.exit_code, error.fault) == (7, mutant.fault)
        return "" if whole and fits else f"{mutant.what}: {error.fault}: {error.message[:200]}"
    return f"{mutant.what}: accepted"


def test_every_mutated_record_is_refused_with_its_file_and_the_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "record.json"
    results = [refused(path, mutant) for kind in KINDS for mutant in kind()]
    assert "\n".join(filter(None, results)) == ""
    assert len(results) >= 200
    with capsys.disabled():
        print(f"\n{len(results)} mutated records, each refused with its file and the place")


def test_the_records_that_are_mutated_are_sound_and_have_every_part(tmp_path: Path) -> None:
    """Else a mutant might be refused for what was wrong before."""
    for number, data in REAL.items():
        path = tmp_path / f"{number}.json"
        path.write_bytes(sealed(data) if number > 1 else json.dumps(data).encode())
        assert (read_record(path).outcome, read_record(path).validity) == ("completed", "invalid")
    reached = {at.shape.plain.__name__ for _, at in every_place() if is_struct(at.shape)}
    assert reached == set(json_schema()["$defs"])  # type: ignore[call-overload]

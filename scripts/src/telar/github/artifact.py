"""The verdict that a pull request's run left: read as if an attacker had written it, for one may have.

Whoever opens a pull request decides what its run uploads. So nothing of it is taken on trust: neither its
size, nor its names, nor its numbers. A reason for a refusal never repeats what was in it.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import msgspec

from telar.analyse import endpoints
from telar.analyse.verdicts import Compared, Verdict
from telar.analyse.why import Why
from telar.catalog.types import Catalog
from telar.errors import Refused
from telar.plan.cells import Cell
from telar.publish.verdict import Comparison

NAME = "verdict.json"
PACKED, UNPACKED = 1_000_000, 4_000_000  # bytes at most
CELLS, VERDICTS, WORDS = 60, 100, 500  # of a comparison, of a cell, characters of a text
LARGEST = 1e15
ENDPOINT = re.compile(
    r"[A-Za-z0-9 /{}._:?=&,+~-]{0,120}"
)  # as a load names its requests, and its system them


JAVA = re.compile(r"[\w.$<>\[\] /-]{0,300}")  # a class and a method, or what a thread does
LIBRARY = re.compile(r"[\w.+-]{1,200} [\w.+-]{1,100} → [\w.+-]{1,100}")
METHODS, TIMED, LIBRARIES = 10, 40, 1000  # of a variant; what a change touches on either side
REFUSED = "its run says why"


def digest_of(packed: bytes) -> str:
    """As GitHub tells it of an artifact."""
    return f"sha256:{hashlib.sha256(packed).hexdigest()}"


def verdict_of(catalog: Catalog, packed: bytes, head: str) -> Comparison:
    """What the artifact says of the commit `head`. Raises Refused."""
    try:
        found = msgspec.json.decode(_unpacked(packed), type=Comparison)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused("it isn't a verdict in the format of this version") from error
    _require(found.occasion.head_commit == head, "it is of another commit than the pull request's head")
    _require(0 < len(found.compared) <= CELLS, "it compares nothing, or more than is ever compared")
    for compared in found.compared:
        _check(catalog, compared)
    for value in _leaves(msgspec.to_builtins(found)):
        if isinstance(value, str):
            _require(len(value) <= WORDS and value.isprintable(), "a text in it is too long, or not text")
        elif isinstance(value, float | int):
            _require(math.isfinite(value) and abs(value) <= LARGEST, "a number in it is none")
    return msgspec.structs.replace(found, why=tuple(_why(each, found.compared) for each in found.why))


def _unpacked(packed: bytes) -> bytes:
    _require(len(packed) <= PACKED, "it is too large")
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            entries = archive.infolist()
            _require([e.filename for e in entries] == [NAME], "it holds other files than it should")
            _require(entries[0].file_size <= UNPACKED, "it is too large when unpacked")
            with archive.open(entries[0]) as file:
                content = file.read(UNPACKED + 1)  # what it says of its size may be a lie
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise Refused("it isn't a whole zip file") from error
    _require(len(content) <= UNPACKED, "it is too large when unpacked")
    return content


def _check(catalog: Catalog, compared: Compared) -> None:
    for cell in (compared.base, compared.head):
        _require(_known(catalog, cell), "it names a variant, workload or driver that isn't known here")
    every = (*compared.verdicts, *compared.beside)
    _require(len(every) <= VERDICTS, "it has more verdicts than there are metrics")
    names = [v.metric for v in every]
    _require(len(set(names)) == len(names), "it has two verdicts on one metric")
    known = all(endpoints.file_of(catalog, name) for name in names)
    _require(known, "it names a metric that isn't known here")
    said = [part for v in every for part in (v.endpoint, endpoints.split(v.metric)[1])]
    _require(all(ENDPOINT.fullmatch(part) for part in said), "it names an endpoint as none is named")
    counts = (compared.pairs, compared.forks, compared.left_out)
    _require(all(0 <= n <= 10**6 for n in counts), "a number in it is out of its range")
    gates = all(re.fullmatch(r"[a-z]{2,20} \(\d{1,6}\)", gate) for gate in compared.refused)
    _require(gates and len(compared.refused) <= VERDICTS, "it names a gate as none is named")
    for verdict in every:
        _require(_in_range(verdict), "a number in it is out of its range")


def _why(why: Why, compared: tuple[Compared, ...]) -> Why:
    """Without words that anyone may have chosen, and without a file that isn't there any more."""
    known = {(c.head.name, c.head.label) for c in compared}
    _require((why.cell, why.variant) in known, "it explains a variant that it doesn't compare")
    found = (*why.cpu, *why.allocated)
    _require(len(found) <= METHODS, "it names more methods than are ever named")
    names = [name for each in found for name in (each.method, each.caller)]
    _require(all(JAVA.fullmatch(name) for name in names), "it names a method as none is named")
    _require(len(why.timed) <= TIMED, "it names more methods than are ever timed")
    _require(all(JAVA.fullmatch(each.method) for each in why.timed), "it names a method as none is named")
    named = len(why.libraries) <= LIBRARIES and all(map(LIBRARY.fullmatch, why.libraries))
    _require(named, "it names a library as none is named")
    said = {name: REFUSED if getattr(why, name) else "" for name in ("refused", "untimed")}
    return msgspec.structs.replace(why, **said, flame="", threads=None)


def _known(catalog: Catalog, cell: Cell) -> bool:
    # The versions may be what the pull request changes.
    versions = [cell.jdk, *cell.drivers.values()]
    return (
        cell.label in catalog.variants
        and cell.workload in catalog.work
        and cell.drivers.keys() <= catalog.file.driver.keys()
        and all(re.fullmatch(r"[0-9][0-9A-Za-z.]{0,30}", v) for v in versions)
        and cell.runner in catalog.file.runner
        and cell.layout in catalog.file.layout
        and not cell.image
        and not cell.flags
    )


def _in_range(verdict: Verdict) -> bool:
    shares = (verdict.p, verdict.q)
    sizes = (verdict.base, verdict.head, verdict.error, verdict.matters, verdict.smallest)
    effects = (verdict.effect, verdict.low, verdict.high)
    return (
        all(v is None or 0 <= v <= 1 for v in shares)
        and all(v is None or 0 <= v <= LARGEST for v in sizes)
        and all(v is None or -1 <= v <= LARGEST for v in effects)
    )


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner)
    else:
        yield value


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise Refused(reason)

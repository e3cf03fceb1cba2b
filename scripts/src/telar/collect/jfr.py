"""A chunk of Java Flight Recorder's files, while the JVM still writes it: its events, and what they name.

A chunk is whole in itself: a header, events, and the descriptions of its types and constants, which the JVM
adds with what it writes each second; the header says up to where. The format is that of HotSpot's
`jfrChunkWriter`, version 2 (JDK 14 and newer), as `jdk.jfr.internal.consumer` reads it. Numbers are LEB128 of
at most nine bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_HEADER = struct.Struct(">4sHHqqqqqqqBxH")
_VERSION = 2
_CHECKPOINT = 1  # the type of events that hold constants
_FORMS = {"boolean": ">B", "byte": ">b", "float": ">f", "double": ">d"}
_PACKED = {name: struct.Struct(form) for name, form in _FORMS.items()}
_NUMBERS = frozenset({"char", "short", "int", "long"})
_LAST = 8  # of a number's bytes: it has no bit that says whether another follows
Value = Any  # what a field holds is the file's matter
# Of bytes that aren't what they should be; RecursionError where a type is described as holding itself.
_BROKEN = (IndexError, KeyError, ValueError, RecursionError, struct.error)


class Torn(Exception):  # noqa: N818 - of bytes that are still being written
    """The bytes aren't those of a chunk, or not yet."""


@dataclass(frozen=True, kw_only=True)
class Event:
    type: str
    time: float  # seconds since the epoch, at its start
    fields: Mapping[str, Value]  # by name; of constants a Reference


@dataclass(frozen=True)
class Reference:
    """To a value among the chunk's constants."""

    type: int
    key: int


@dataclass(frozen=True, kw_only=True)
class _Field:
    name: str
    type: int
    constant: bool
    array: bool


@dataclass(kw_only=True)
class _Class:
    name: str
    fields: list[_Field] = field(default_factory=list)


def reached_by(head: bytes) -> float:
    """Up to which moment a chunk holds all events (seconds since the epoch), by its first bytes."""
    try:
        magic, _, _, _, _, _, nanos, duration, *_ = _HEADER.unpack_from(head)
    except struct.error as error:
        raise Torn from error
    if magic != b"FLR\0":
        raise Torn
    return float(nanos + duration) / 1e9


class Chunk:
    """Raises Torn where the bytes don't fit together, from whatever method finds out."""

    def __init__(self, data: bytes) -> None:
        try:
            head = _HEADER.unpack_from(data)
        except struct.error as error:
            raise Torn from error
        magic, major, _, size, self._constants_at, metadata, nanos, _, self._ticks, self._per_second, *_ = (
            head
        )
        if magic != b"FLR\0" or major != _VERSION or not metadata or not self._per_second:
            raise Torn
        self._data, self._at, self._size = data, 0, min(size, len(data))
        self._start = nanos / 1e9
        self._pools: dict[int, dict[int, Value]] | None = None
        self._classes = self._whole(lambda: self._described(metadata))

    def events(self, since: Mapping[str, float], end: float) -> Iterator[Event]:
        """Those of these types that began from a moment of each on until the end, in the file's order."""
        wanted = {number: kind for number, kind in self._classes.items() if kind.name in since}
        at = _HEADER.size
        while at < self._size:
            self._at = at
            try:
                size, kind = self._number(), wanted.get(self._number())
                if size <= 0:
                    raise Torn
                if kind:
                    time = self._start + (self._number() - self._ticks) / self._per_second
                    if since[kind.name] <= time <= end:
                        rest = {f.name: self._of_field(f) for f in kind.fields[1:]}
                        yield Event(type=kind.name, time=time, fields=rest)
            except _BROKEN as error:
                raise Torn from error
            at += size

    @property
    def size(self) -> int:
        """In bytes: where the next one of a file begins."""
        return int(self._size)

    def seconds(self, ticks: int) -> float:
        """Of a duration."""
        return float(ticks / self._per_second)

    def resolved(self, value: Value) -> Value:
        """What a reference stands for; None where the chunk doesn't say."""
        if not isinstance(value, Reference):
            return value
        if self._pools is None:
            self._pools = self._whole(self._constants)
        return self._pools.get(value.type, {}).get(value.key)

    # ---- types

    def _described(self, at: int) -> dict[int, _Class]:
        """The types, by their number: a tree of elements with attributes, which a list of texts spells."""
        self._at = at
        for _ in range(5):  # size, type, start, duration, number of the description
            self._number()
        texts = [self._text() or "" for _ in range(self._number())]
        found: dict[int, _Class] = {}
        self._element(texts, found, None)
        return found

    def _element(self, texts: list[str], found: dict[int, _Class], owner: _Class | None) -> None:
        name = texts[self._number()]
        said = {texts[self._number()]: texts[self._number()] for _ in range(self._number())}
        if name == "class":
            owner = found[int(said["id"])] = _Class(name=said["name"])
        elif name == "field" and owner is not None:
            owner.fields.append(
                _Field(
                    name=said["name"],
                    type=int(said["class"]),
                    constant=said.get("constantPool") == "true",
                    array=said.get("dimension") == "1",
                )
            )
        for _ in range(self._number()):
            self._element(texts, found, None if name in ("field", "annotation", "setting") else owner)

    # ---- constants

    def _constants(self) -> dict[int, dict[int, Value]]:
        """Type -> number -> value: from the last of the chunk's checkpoints back, each of which says where
        the one before it is.
        """
        pools: dict[int, dict[int, Value]] = {}
        at = self._constants_at
        while at:
            self._at = at
            self._number()  # size
            if self._number() != _CHECKPOINT:
                raise Torn
            self._number(), self._number()  # start, duration
            back = self._number()
            self._at += 1  # what kind of checkpoint
            for _ in range(self._number()):
                kind = self._number()
                pool = pools.setdefault(kind, {})
                for _ in range(self._number()):
                    key = self._number()
                    pool[key] = self._value(kind)
            at = at + back if back else 0
        return pools

    # ---- values

    def _of_field(self, what: _Field) -> Value:
        if what.array:
            return [self._single(what) for _ in range(self._number())]
        return self._single(what)

    def _single(self, what: _Field) -> Value:
        return Reference(what.type, self._number()) if what.constant else self._value(what.type)

    def _value(self, kind: int) -> Value:
        described = self._classes[kind]
        if described.name in _PACKED:
            return self._packed(_PACKED[described.name])
        if described.name in _NUMBERS:
            number = self._number()
            if described.name != "long" and number >> 31 == 1:  # -1 is written as 32 bits
                number -= 1 << 32
            return number
        if described.name == "java.lang.String":
            return self._text()
        return {f.name: self._of_field(f) for f in described.fields}

    def _packed(self, form: struct.Struct) -> float:
        self._at += form.size
        return float(form.unpack_from(self._data, self._at - form.size)[0])

    def _number(self) -> int:
        data, at, value = self._data, self._at, 0
        for n in range(_LAST):
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << 7 * n
            if byte < 0x80:  # noqa: PLR2004 - the bit that says that another follows
                break
        else:
            value |= data[at] << 7 * _LAST
            at += 1
        self._at = at
        return value - (1 << 64) if value >> 63 else value

    def _text(self) -> Value:
        form = self._data[self._at]
        self._at += 1
        if form in (0, 1):
            return None if form == 0 else ""
        if form == 2:  # noqa: PLR2004 - of the format: among the constants
            text = next(n for n, c in self._classes.items() if c.name == "java.lang.String")
            return Reference(text, self._number())
        length = self._number()
        if form == 4:  # noqa: PLR2004 - of the format: characters, a number each
            return "".join(chr(self._number()) for _ in range(length))
        raw = self._data[self._at : self._at + length]
        self._at += length
        return raw.decode("utf-8" if form == 3 else "latin-1")  # noqa: PLR2004 - as above

    def _whole(self, read: Any) -> Any:
        try:
            return read()
        except _BROKEN as error:
            raise Torn from error

"""Reading a TOML file into a frozen type, with errors that name file, line, key and the nearest key."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar, get_args

import msgspec

from telar.catalog.places import place, plain
from telar.errors import ConfigError

T = TypeVar("T")


def read_toml(path: Path, type_: type[T]) -> T:
    """The file as `type_`. Raises ConfigError with file, line, key and the nearest valid key."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text (byte {error.start})") from error
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 4,301 digits, brackets without end
        raise ConfigError(f"{path}: is not valid TOML: {error}") from error
    try:
        return msgspec.convert(data, type_)
    except msgspec.ValidationError as error:
        raise _explained(path, text, data, type_, str(error)) from error


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint naming the nearest known word, or all of them where none is near."""
    known = sorted(known)
    matches = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    if matches:
        return f"did you mean {matches[0]!r}?"
    return "known: " + ", ".join(known) if known else "none is known"


def _explained(path: Path, text: str, data: Any, type_: Any, message: str) -> ConfigError:
    """msgspec's message in the file's own words."""
    reason, _, where = message.partition(" - at ")
    steps, type_ = place(data, type_, where)
    at = ".".join(steps)
    unknown = re.search(r"unknown field `([^`]+)`", reason)
    if unknown:
        key = unknown.group(1)
        return ConfigError(
            f"{path}:{_line_of(text, [*steps, key])}: unknown key {key!r}" + (f" in [{at}]" if at else ""),
            hint=nearest(key, [f.encode_name for f in msgspec.structs.fields(plain(type_))]),
        )
    missing = re.search(r"missing required field `([^`]+)`", reason)
    if missing:
        reason = f"the key {missing.group(1)!r} is missing" + (f" in [{at}]" if at else "")
        return ConfigError(f"{path}:{_line_of(text, steps)}: {reason}")
    wrong = re.search(r"Invalid enum value '(.*)'", reason)
    hint = nearest(wrong.group(1), _choices(plain(type_))) if wrong else ""
    if "matching regex" in reason:
        reason = f"must be {_described(type_)}"
    return ConfigError(f"{path}:{_line_of(text, steps)}: {at}: {reason}", hint=hint)


def _described(type_: Any) -> str:
    """The words for a text's pattern, also of a type like `Name | None`."""
    parts = get_args(type_)
    own = (part.description for part in parts if isinstance(part, msgspec.Meta) and part.description)
    return next(own, "") or next(filter(None, map(_described, parts)), "")


def _choices(type_: Any) -> list[str]:
    """The words that a type like `Literal["a", "b"] | None` allows."""
    if isinstance(type_, str):
        return [type_]
    return [word for part in get_args(type_) for word in _choices(part)]


def _line_of(text: str, steps: list[str]) -> int:
    """The line of the header or key that leads furthest towards a place."""
    best, line = 0, 1
    table: list[str] = []
    seen: Counter[str] = Counter()
    for n, content in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*(\[\[?)\s*([\w.\"-]+)\s*\]", content):
            table = header.group(2).replace('"', "").split(".")
            if header.group(1) == "[[":
                seen[header.group(2)] += 1
                table.append(str(seen[header.group(2)] - 1))
            address = table
        elif key := re.match(r'\s*([\w.-]+|"[^"]+")\s*=', content):
            address = [*table, *key.group(1).strip('"').split(".")]
        else:
            continue
        shared = min(len(address), len(steps))
        if shared > best and address[:shared] == steps[:shared]:
            best, line = shared, n
    return line

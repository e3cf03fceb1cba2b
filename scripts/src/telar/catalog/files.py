"""Reading a TOML file into a frozen type, with errors that name file, line, key and the nearest key."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar, get_args

import msgspec

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
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: is not valid TOML: {error}") from error
    try:
        return msgspec.convert(data, type_)
    except msgspec.ValidationError as error:
        raise _explained(path, text, type_, str(error)) from error


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint naming the nearest known word, or all of them where none is near."""
    known = sorted(known)
    matches = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    if matches:
        return f"did you mean {matches[0]!r}?"
    return "known: " + ", ".join(known) if known else "none is known"


def _explained(path: Path, text: str, type_: Any, message: str) -> ConfigError:
    unknown = re.search(r"unknown field `([^`]+)`", message)
    where = re.search(r"at `\$?\.?([^`]*)`", message)
    table = where.group(1) if where else ""
    reason = message.split(" - at ", maxsplit=1)[0]
    if unknown:
        key = unknown.group(1)
        location = f"{path}:{_line_of(text, table, key)}"
        return ConfigError(
            f"{location}: unknown key {key!r}" + (f" in [{table}]" if table else ""),
            hint=nearest(key, _fields_at(type_, table)),
        )
    missing = re.search(r"missing required field `([^`]+)`", message)
    if missing:
        return ConfigError(
            f"{path}:{_line_of(text, table, '')}: the key {missing.group(1)!r} is missing"
            + (f" in [{table}]" if table else "")
        )
    parent, _, key = table.rpartition(".")
    return ConfigError(f"{path}:{_line_of(text, parent, key)}: {table}: {reason}")


def _line_of(text: str, table: str, key: str) -> int:
    """The line where `key` stands (below its table's header if that is found), else the header's."""
    lines = text.splitlines()
    header_names = {table, table.removesuffix("[...]"), re.sub(r"\[\d*\.*\]", "", table)}
    start = next(
        (n for n, line in enumerate(lines) if line.strip().strip("[]").strip() in header_names - {""}),
        0,
    )
    if key:
        pattern = re.compile(rf'^\s*\[*(.*\.)?"?{re.escape(key)}"?\s*[=\]]')
        for n in range(start, len(lines)):
            if pattern.search(lines[n]):
                return n + 1
    return start + 1


def _fields_at(type_: Any, table: str) -> list[str]:
    """The keys that the type allows at a dotted path as msgspec prints it (`suite[...].warmup`)."""
    for part in filter(None, re.split(r"\.|(\[[^\]]*\])", table)):
        if part.startswith("["):
            type_ = get_args(type_)[-1] if get_args(type_)[-1] is not ... else get_args(type_)[0]
        else:
            field = next((f for f in msgspec.structs.fields(type_) if f.encode_name == part), None)
            if field is None:
                return []
            type_ = field.type
    if not isinstance(type_, type) or not issubclass(type_, msgspec.Struct):
        return []
    return [f.encode_name for f in msgspec.structs.fields(type_)]

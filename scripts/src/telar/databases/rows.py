"""The rows that every run of a system starts with: the lines of its seed, numbered from 1."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from telar.catalog.system import Data
from telar.errors import ConfigError

Row = dict[str, Any]


def read(data: Data) -> list[Row]:
    """Field -> value, row by row, all with the same fields. Raises ConfigError naming the wrong line."""
    path = data.seed
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    if len(lines) != data.file.rows:
        raise ConfigError(
            f"{path}: has {len(lines)} lines, not {data.file.rows}",
            hint=f"data.rows in {data.folder / 'system.toml'} says how many rows there are",
        )
    rows: list[Row] = []
    for number, line in enumerate(lines, start=1):
        row = _row(f"{path}:{number}", line)
        if rows and list(row) != list(rows[0]):
            differing = sorted(row.keys() ^ rows[0].keys()) or ["their order"]
            raise ConfigError(f"{path}:{number}: its fields differ from line 1's in {', '.join(differing)}")
        rows.append(row)
    return rows


def column(field: str) -> str:
    """A field's name in snake case: `releasedYear` is `released_year`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: f"_{m.group(1).lower()}", field)


def _row(where: str, line: bytes) -> Row:
    try:
        return msgspec.json.decode(line, type=Row)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{where}: {error}") from error

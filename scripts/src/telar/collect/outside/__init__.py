"""Results of other tools, to be checked. To add a format: a reader, and its line in FORMATS."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import msgspec

from telar.collect.outside import jmh, k6, texts
from telar.errors import ConfigError
from telar.store.outside import Outside

Is: TypeAlias = Callable[[bytes], bool]
Read: TypeAlias = Callable[[bytes, str], Outside]
FORMATS: dict[str, tuple[Is, Read]] = {
    "k6's summary (--summary-export, handleSummary)": (k6.is_summary, k6.summary),
    "k6's raw results (--out csv)": (k6.is_csv, k6.raw),
    "what wrk or wrk2 printed": (texts.is_wrk, texts.wrk),
    "what oha printed": (texts.is_oha, texts.oha),
    "JMH's JSON (-rf json)": (jmh.is_json, jmh.read),
}


def read(path: Path) -> Outside:
    """The file in whichever of the formats it is. Raises ConfigError, naming the file."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    for what, (is_it, reader) in FORMATS.items():
        if is_it(content):
            try:
                return reader(content, str(path))
            except (ValueError, RecursionError, msgspec.MsgspecError) as error:
                raise ConfigError(f"{path}: isn't whole, as {what}: {error}") from error
    raise ConfigError(f"{path}: is in none of the formats that can be checked", hint="; ".join(FORMATS))

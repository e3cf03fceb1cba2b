"""Tables that a command writes into a document, between two marks of a name."""

from __future__ import annotations

from pathlib import Path

from telar.errors import ConfigError


def replace(path: Path, name: str, text: str) -> None:
    """Puts the text where the last of this name was. Raises ConfigError when the document has no marks."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, found, rest = path.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ConfigError(f"{path}: has no marks {begin} and {end} to write between")
    path.write_text(f"{before}{begin}\n{text.rstrip()}\n{end}{after}", encoding="utf-8")

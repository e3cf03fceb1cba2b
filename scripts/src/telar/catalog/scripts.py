"""Which files a k6 script is made of."""

from __future__ import annotations

import re
from pathlib import Path

CODE = {".ts", ".js", ".mjs", ".cjs"}
# Between any two quotes: in code that isn't parsed, more is found than is a string, and none of it is a file.
_QUOTED = re.compile(r"""(?=(['"`])([^'"`\n]{1,300})\1)""")
# A name that is put together, or comes from a variable: which file it is, no one can read.
_COMPUTED = re.compile(r"""\b(?:open|load|require|import)\s*\(\s*(?:`[^`]*\$\{|[^\s'"`)])""")


def files(entry: Path, below: Path) -> list[Path]:
    """The script, what it imports, what that imports, and so on; and every other file in the folder `below`
    that one of them names, such as data that it opens. Names are relative to the file or to the script."""
    found: dict[Path, None] = {}
    waiting = [entry.resolve()]
    while waiting:
        file = waiting.pop()
        if file in found or not file.is_file() or not file.is_relative_to(below.resolve()):
            continue
        found[file] = None
        if file.suffix in CODE:
            waiting += _named(file, entry)
    return sorted(found)


def is_readable(code: list[Path]) -> bool:
    """Whether these files name every file that they take in."""
    return not any(_COMPUTED.search(_text(file)) for file in code if file.suffix in CODE)


def _named(file: Path, entry: Path) -> list[Path]:
    names = {name for _, name in _QUOTED.findall(_text(file)) if not name.startswith("/")}
    return [(place.parent / name).resolve() for name in sorted(names) for place in (file, entry)]


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")

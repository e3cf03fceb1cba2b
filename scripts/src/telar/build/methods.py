"""Which methods of an application's classes a change touches, and what those call: by the lines of their
source.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from telar.tools import shell

SOURCES = ("*.java", "*.kt", "*.scala", "*.groovy")
INSIDE = "BOOT-INF/classes/"  # where Spring Boot's jar has the application's own
CONSTRUCTOR = "<init>"
_SOURCE = re.compile(r'Compiled from "(.+)"$')
_CLASS = re.compile(r"(?! )(?:.* )?(?:class|interface|enum) ([\w.$]+)")
_METHOD = re.compile(r"  (?! ).*?([\w.$]+)\(.*;$")
_LINE = re.compile(r" +line (\d+): \d+$")
_LAMBDA = re.compile(r"lambda\$(.+)\$\d+$")
# What an instruction calls, by the comment that javap puts there: `Method a/b/Class.name:(I)V`, and without
# a class where it is the method's own. Constructors have their name in quotes, and aren't wanted.
_CALL = re.compile(r" +\d+: invoke\w+ .*// (?:Interface)?Method (?:([\w/$]+)\.)?([\w$]+):")


class Touched(NamedTuple):
    """Methods as `a.b.Class::method`."""

    changed: frozenset[str]
    called: frozenset[str]  # by those, of any class, which aren't among them; method references aside


def touched(javap: Path, jars: Iterable[Path], lines: Mapping[str, frozenset[int]]) -> Touched:
    """The methods that were compiled from one of these lines, and what they call. `lines`: path of a source
    file -> numbers of lines.

    Overloads share a name. A lambda's lines count as those of the method that it is in: the JVM times none of
    what the compiler made up. A jar that can't be read has none. Raises CommandError where javap refuses a
    class.
    """
    with tempfile.TemporaryDirectory() as scratch:
        classes = list(_unpacked(jars, lines, Path(scratch)))
        if not classes:
            return Touched(frozenset(), frozenset())
        said = shell.run([javap, "-private", "-c", "-l", *classes], timeout=60, quiet=True).stdout
    return _touched(said, lines)


def _unpacked(jars: Iterable[Path], lines: Mapping[str, frozenset[int]], to: Path) -> Iterable[Path]:
    """Classes of the packages in which a source was changed."""
    folders = {f"/{PurePosixPath(path).parent}/" for path in lines}
    for number, jar in enumerate(jars):
        try:
            with zipfile.ZipFile(jar) as content:
                for name in content.namelist():
                    own = PurePosixPath(name.removeprefix(INSIDE))
                    package = f"/{own.parent}/"
                    if own.suffix == ".class" and any(f.endswith(package) for f in folders):
                        target = to / str(number) / own.name  # two packages may have one of this name
                        while target.exists():
                            target = target.with_name(f"_{target.name}")
                        target.parent.mkdir(exist_ok=True)
                        target.write_bytes(content.read(name))
                        yield target
        except (OSError, zipfile.BadZipFile):
            continue


def _touched(said: str, lines: Mapping[str, frozenset[int]]) -> Touched:
    """From what `javap -private -c -l` printed."""
    by_file: dict[str, dict[str, frozenset[int]]] = defaultdict(dict)  # file's name -> its folder -> lines
    for path, numbers in lines.items():
        by_file[PurePosixPath(path).name][f"/{PurePosixPath(path).parent}/"] = numbers
    source = owner = method = ""
    wanted: frozenset[int] = frozenset()
    changed: set[str] = set()
    calls: dict[str, set[str]] = defaultdict(set)  # of each method
    for line in said.split("\n"):
        if found := _SOURCE.match(line):
            source, owner, method, wanted = found.group(1), "", "", frozenset()
        elif found := _LINE.match(line):
            if method and int(found.group(1)) in wanted:
                changed.add(f"{owner}::{method}")
        elif found := _CALL.match(line):
            called, name = found.groups()
            calls[f"{owner}::{method}"].add(f"{called.replace('/', '.') if called else owner}::{name}")
        elif found := _METHOD.match(line):
            method = CONSTRUCTOR if found.group(1) == owner else _LAMBDA.sub(r"\1", found.group(1))
        elif line.startswith("  static {}"):
            method = ""  # it runs once
        elif found := _CLASS.match(line):
            owner = found.group(1)
            package = "/" + owner.rpartition(".")[0].replace(".", "/") + "/"
            folders = by_file.get(source, {})
            wanted = next((n for folder, n in folders.items() if folder.endswith(package)), frozenset())
    called = {each for method in changed for each in calls[method] if "lambda$" not in each}
    return Touched(frozenset(changed), frozenset(called - changed))

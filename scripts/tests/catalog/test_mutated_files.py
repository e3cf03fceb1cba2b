"""The repository's own configuration, broken in every way: each is refused with its file and the place."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from telar.catalog.load import load
from telar.databases import types
from telar.errors import ConfigError

from .conftest import ROOT, Copy

pytestmark = pytest.mark.thorough

TELAR = "telar.toml"
SPRING = "apps/movies/spring-mysql-blocking/variant.toml"
SHORT = "k6/workloads/movies-short/workload.toml"
MYSQL = "compose/databases/mysql/database.toml"
MOVIES = "apps/movies/system.toml"
FILES = (TELAR, SPRING, SHORT, MYSQL, MOVIES)
TEXTS = {file: (ROOT / file).read_text(encoding="utf-8") for file in FILES}
SEED = 20261121
SAMPLE = 120  # of each file's wrong values

ASSIGNMENT = re.compile(r"^([\w.-]+)\s*=\s*(.*)$", re.MULTILINE)
NO_NUMBER = ("true", "[]", "{}", "1979-05-27")
WRONG: dict[type, tuple[str, ...]] = {
    bool: ("0", "1", "nan", '"true"', "[true]", "{}", "1979-05-27"),
    int: (*NO_NUMBER, '"7"', "nan", "-nan", "inf", "-inf", "-1", "1e308", str(10**30), f"-{10**30}"),
    str: (*NO_NUMBER, "7", "nan", '"a\\u0000b"', '"two\\nlines"', '["a"]'),
    list: ("true", "{}", "1979-05-27", "7", '"text"', "[7]", "[[]]", '["a\\u0000b"]'),
    dict: ("true", "[]", "1979-05-27", "7", '"text"', "{ surplus = 1 }"),
}
WRONG[float] = WRONG[int]
MAY_BE_NEGATIVE = ("least", "most")  # of a metric


class Mutant(NamedTuple):
    file: str
    what: str
    content: bytes
    place: str = ""  # that the message must name: a key, or "" where there is no table to speak of


def read(copy: Copy) -> None:
    """All that a file of these may be read by."""
    catalog = load(copy.root)
    for folder in catalog.databases.values():
        types.load(folder)


# ---- values


def values(file: str) -> Iterator[tuple[str, int, int, Any]]:
    """Key, where its value begins and ends, and the value; of those that stand on one line."""
    for found in ASSIGNMENT.finditer(TEXTS[file]):
        try:
            value = tomllib.loads(f"x = {found[2]}")["x"]
        except tomllib.TOMLDecodeError:
            continue  # goes on on the next line
        yield found[1], *found.span(2), value


def of_wrong_values() -> Iterator[Mutant]:
    """Each key in turn with values that it can't have."""
    dice = random.Random(SEED)
    for file, text in TEXTS.items():
        mutants = [
            Mutant(file, f"{key} = {wrong}", (text[:start] + wrong + text[end:]).encode(), key)
            for key, start, end, value in values(file)
            for wrong in WRONG[type(value)]
            if not (wrong == "-1" and key in MAY_BE_NEGATIVE)
        ]
        yield from dice.sample(mutants, min(SAMPLE, len(mutants)))


NONSENSE = [
    (TELAR, "app = 18080", "app = 0", "ports.app"),
    (TELAR, "app = 18080", "app = 65536", "ports.app"),
    (TELAR, "app = 18080", "app = 18081", "ports.metrics"),
    (TELAR, "p99_ms = 100", "p99_ms = 0", "slo.p99_ms"),
    (TELAR, '"-XX:+UseG1GC"', '"XX:+UseG1GC"', "jvm.flags.2: must be a flag"),
    (TELAR, "window = 5", "window = 41", "steady.window"),
    (TELAR, "window = 5", "window = 1", "steady.window"),
    (TELAR, "ceiling = 40", "ceiling = 100000", "steady.ceiling"),
    (TELAR, "forks = 3", "forks = 0", "tiers.forks"),
    (TELAR, "windows = 5", "windows = 1001", "tiers.windows"),
    (TELAR, "gate = 0.2 ", "gate = 0 ", "tiers.gate"),
    (TELAR, "watch = 0.7", "watch = 1.5", "tiers.watch"),
    (TELAR, "busy = 0.70", "busy = 1.01", "gate.client.busy"),
    (TELAR, "busy = 0.70", "busy = 0", "gate.client.busy"),
    (TELAR, "pool = 20 ", "pool = 0 ", "gate.flags.pool"),
    (TELAR, "least = 3 ", "least = 0 ", "gate.repeats.least"),
    (TELAR, 'app_cpus = "0-1"', 'app_cpus = "banana"', "layout.co-located.app_cpus: must be processors"),
    (TELAR, 'app_cpus = "0-1"', 'app_cpus = "0-"', "layout.co-located.app_cpus"),
    (TELAR, 'app_cpus = "0-1"', 'app_cpus = "0-2"', "processor 2, but the runner two-cpu has 2"),
    (TELAR, 'app_memory = "1g"', 'app_memory = "1 gigabyte"', "layout.co-located.app_memory: must be a size"),
    (TELAR, 'app_memory = "1g"', 'app_memory = "0g"', "layout.co-located.app_memory"),
    (TELAR, "processors = 2", "processors = 1", "the runner two-cpu has 1"),
    (TELAR, "[suite.smoke]", '[suite."../smoke"]', "suite.../smoke: must be a name"),
    (TELAR, "[jdk.21]", '[jdk."2 1"]', "jdk.2 1: must be a JDK's number"),
    (TELAR, '"8.0.33", ', '"8.0.33/..", ', "driver.mysql.versions.0: must be a name"),
    (TELAR, "repeat = 3", "repeat = 1001", "suite.thesis.repeat"),
    (TELAR, "rate = 20,", "rate = 1000000,", "suite.tour.warmup.rate"),
    (TELAR, "seconds = 10", "seconds = 86401", "suite.tour.warmup.seconds"),
    (TELAR, "digits = 0", "digits = 7", "metric.failures.digits"),
    (TELAR, 'better = "bigger"', 'better = "better"', "metric.throughput.better"),
    (
        TELAR,
        "least = 0\nmost = 1_000_000\n",
        "least = 2\nmost = 1\n",
        "metric.throughput: least = 2 isn't below most",
    ),
    (TELAR, "least = 0\nmost = 1_000_000\n", "least = 0\n", "most"),
    (SPRING, '"/health/ready"', '"health/ready"', "http.ready: must be a path that begins with /"),
    (SPRING, '"target/run"', '"../../run"', "build.output: must be a relative path"),
    (SPRING, '"target/run"', '"/run"', "build.output: must be a relative path"),
    (SPRING, '"-Dspring.threads.virtual.enabled=true"', '""', "launch.virtual.jvm.0: must be a flag"),
    (SPRING, "[launch.virtual]", '[launch."a b"]', "launch.a b: must be a name"),
    (SPRING, 'database = "mysql"', 'database = "../mysql"', "database: must be a name"),
    (SPRING, 'model = "blocking"', 'model = "Blocking"', "model: Invalid enum value"),
    (SHORT, '"2s"', '"soon"', "timeout: must be a time"),
    (SHORT, '"2s"', '"-2s"', "timeout: must be a time"),
    (SHORT, '"script.ts"', '"../movies-ramp/script.ts"', "script: must be a name"),
    (SHORT, "pre_allocated = 360", "pre_allocated = 0", "vus.pre_allocated"),
    (SHORT, "pre_allocated = 360", "pre_allocated = 100001", "vus.pre_allocated"),
    (SHORT, "duration = 4", "duration = 0", "stage.0.duration"),
    (SHORT, "get = 70", "get = -70", "mix.get"),
    (SHORT, "get = 70", '"g t" = 70', "mix.g t: must be a name"),
    (SHORT, '"hold-50"', '"hold 50&stage=x"', "stage.0.name: must be a name"),
    (MYSQL, "port = 13306", "port = 65536", "port"),
    (MYSQL, '["mariadb"]', "[]", "embedded"),
    (MYSQL, '"MYSQL_IMAGE"', '"$(id)"', "compose.image: must be a variable's name"),
    (MYSQL, 'ssl = "OFF"', "ssl = false", "settings.mariadb.ssl"),
    (MYSQL, '"256M"', '"256M\\nuser=root"', "settings.all.innodb-buffer-pool-size: must be a line"),
]


def of_nonsense() -> Iterator[Mutant]:
    """Values of the right type that no machine can do."""
    for file, old, new, place in NONSENSE:
        assert old in TEXTS[file], f"{file} has no {old!r} any more: the test must change with it"
        yield Mutant(file, new, TEXTS[file].replace(old, new, 1).encode(), place)


# ---- keys and tables


def of_keys() -> Iterator[Mutant]:
    """A key too many in each kind of table, keys and tables that stand twice."""
    for file, text in TEXTS.items():
        for header in dict.fromkeys(re.findall(r"^\[\[?[^\]\n]+\]\]?$", text, re.MULTILINE)):
            changed = text.replace(header, f"{header}\nsurplus = 1", 1)
            yield Mutant(
                file, f"{header} surplus", changed.encode(), "surplus" if "mix" not in header else "mix"
            )
            if not header.startswith("[["):
                yield Mutant(file, f"{header} twice", f"{text}\n{header}\n".encode())
        for key, start, end, _ in list(values(file))[:8]:
            twice = text[:end] + f"\n{key} = {text[start:end]}" + text[end:]
            yield Mutant(file, f"{key} twice", twice.encode())
        first = next(values(file))[0]
        capitals = text.replace(f"{first} =", f"{first.upper()} =", 1)
        yield Mutant(file, "a key before all", f"surplus = 1\n{text}".encode(), "surplus")
        yield Mutant(file, "a key in capitals", capitals.encode(), first.upper())


# ---- the file as a whole


def required(text: str) -> int:
    """So much of a file must be there: its last tables are ones that it may have fewer of."""
    last = [
        text.index(start)
        for start in ("[suite.", "[launch.", "[[stage]]", "[settings.", "[[http.check]]")
        if start in text
    ]
    return min(last)


def of_torn_files() -> Iterator[Mutant]:
    dice = random.Random(SEED)
    for file, text in TEXTS.items():
        content = text.encode()
        for cut in sorted(dice.sample(range(required(text)), 12)):
            yield Mutant(file, f"{cut} bytes of it", content[:cut])
        for _ in range(6):
            at = dice.randrange(len(content))
            yield Mutant(file, f"noise at {at}", content[:at] + bytes([0, 255, 254, 1]) + content[at:])
        yield Mutant(file, "empty", b"")
        yield Mutant(file, "noise", dice.randbytes(2000))
        yield Mutant(file, "utf-16", text.encode("utf-16"))
        yield Mutant(file, "a byte order mark", text.encode("utf-8-sig"))
        yield Mutant(file, "latin-1", text.encode() + 'é = "é"\n'.encode("latin-1"))
        yield Mutant(file, "brackets", content + b"\nx = " + b"[" * 100_000)
        yield Mutant(file, "5,000 digits", b"x = " + b"9" * 5000 + b"\n" + content)
        yield Mutant(file, "a merge's marks", b"<<<<<<< HEAD\n" + content)
        yield Mutant(file, "JSON", b'{"defaults": {}}')


KINDS = (of_wrong_values, of_nonsense, of_keys, of_torn_files)


def refused(copy: Copy, mutant: Mutant) -> str:
    """How a mutant fails to be refused as it should be; empty when it is."""
    path = copy.root / mutant.file
    path.write_bytes(mutant.content)
    try:
        read(copy)
    except ConfigError as error:
        named = re.match(rf"{re.escape(str(path))}(:\d+)?: ", error.message) and mutant.place in error.message
        return (
            "" if named and error.exit_code == 2 else f"{mutant.file}: {mutant.what}: {error.message[-200:]}"
        )
    finally:
        path.write_text(TEXTS[mutant.file], encoding="utf-8")
    return f"{mutant.file}: {mutant.what}: accepted"


def test_every_mutated_file_is_refused_with_its_name_and_the_place(
    copy: Copy, capsys: pytest.CaptureFixture[str]
) -> None:
    read(copy)  # sound before
    results = [refused(copy, mutant) for kind in KINDS for mutant in kind()]
    assert "\n".join(filter(None, results)) == ""
    assert len(results) >= 200
    with capsys.disabled():
        print(f"\n{len(results)} mutated configuration files, each refused with its name and the place")

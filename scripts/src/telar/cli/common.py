"""Options and small things that several commands share."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import click
import msgspec
from rich.console import Console

from telar.catalog.guest import with_guest
from telar.catalog.load import load
from telar.catalog.suite import EngineName
from telar.catalog.types import Catalog
from telar.errors import ConfigError
from telar.plan.cells import MAX_SEED, Wishes, flags_of
from telar.tools import components

GUEST = "TELAR_GUEST"  # path of a guest's variant.toml
F = TypeVar("F", bound=Callable[..., Any])

# A log or a pipe has no width of its own, unless COLUMNS says one: tables get the room that they need.
console = Console(highlight=False, width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 150)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")


def root() -> Path:
    """The checkout; the launcher says where it is."""
    return Path(os.environ.get("TELAR_ROOT") or Path.cwd())


def catalog() -> Catalog:
    """The checkout's, or that of a guest (`telar --guest FILE`)."""
    guest = os.environ.get(GUEST)
    return with_guest(load(root()), Path(guest)) if guest else load(root())


def data_folder(option: Path | None) -> Path:
    """Where sessions are kept, as a whole path: containers have it as a volume's."""
    if option:
        return option.resolve()
    guest = os.environ.get(GUEST)  # whose own repository stays as it is
    kept = ["guests", "-".join(Path(guest).resolve().parts[-3:-1])] if guest else ["local"]
    return root().joinpath("benchmarks-data", *kept)


def print_json(value: object) -> None:
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def cell_options(command: F) -> F:
    """The wishes that `plan` and `run` both take."""
    options = [
        click.argument("suite", required=False),
        click.option("--short", is_flag=True, help="The suite's short form, which is called SUITE-short."),
        click.option(
            "--only",
            multiple=True,
            metavar="VARIANT",
            help="These variants in place of the suite's: names and patterns (*) of all that telar list "
            "variants shows, with commas. What matches none is refused.",
        ),
        click.option("--jdk", "jdks", multiple=True, metavar="N", help="JDKs to run on, e.g. 21,25."),
        click.option(
            "--driver", "drivers", multiple=True, metavar="NAME=VERSION", help="E.g. mysql=8.0.33,9.7.0."
        ),
        click.option(
            "--flags",
            multiple=True,
            metavar="FLAGS",
            help="JVM flags; said several times, several arms: --flags=-Xmx300m --flags=-Xmx600m.",
        ),
        click.option("--workload", metavar="NAME", help="Another workload than the suite's."),
        click.option("--repeat", type=click.IntRange(1, 1000), help="Rounds of all cells, interleaved."),
        click.option(
            "--engine",
            type=click.Choice(["embedded", "compose"]),
            help="Default: the suite's, else compose where Docker runs, else embedded.",
        ),
        click.option("--runner", metavar="NAME", help="A [runner.*] of telar.toml."),
        click.option(
            "--seed",
            type=click.IntRange(0, MAX_SEED),
            default=1,
            help="Of the order of runs and of the load.  [default: 1]",
        ),
    ]

    @functools.wraps(command)
    def with_form(*arguments: Any, short: bool, **said: Any) -> Any:
        return command(*arguments, **{**said, "suite": _short(said["suite"])} if short else said)

    found = cast("F", with_form)
    for option in reversed(options):
        found = option(found)
    return found


def _short(suite: str | None) -> str:
    if suite is None:
        raise ConfigError("--short: say of which suite")
    return f"{suite}-short"


def wishes(catalog: Catalog, **said: Any) -> Wishes:
    """What the user said, with the engine decided."""
    suite = said["suite"] or catalog.file.defaults.suite
    own = catalog.file.suite[suite].engine if suite in catalog.file.suite else None
    return Wishes(
        suite=suite,
        engine=said["engine"] or own or default_engine(),
        only=_split("--only", said["only"]),
        jdks=_split("--jdk", said["jdks"]),
        drivers=_drivers(said["drivers"]),
        workload=said["workload"],
        repeat=said["repeat"],
        runner=said["runner"],
        seed=said["seed"],
        flags=tuple(flags_of(f"--flags {value}", value) for value in said["flags"]),
    )


def default_engine() -> EngineName:
    return "compose" if components.find("docker") else "embedded"


def _split(option: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """Raises ConfigError where a value says nothing: all of the suite would be taken in its place."""
    found: list[str] = []
    for value in values:
        parts = [part for each in value.split(",") if (part := each.strip())]
        if not parts:
            raise ConfigError(
                f"{option} {value!r}: names nothing", hint=f"leave {option} out for the default"
            )
        found += parts
    return tuple(found)


def _drivers(values: tuple[str, ...]) -> tuple[str, ...]:
    """`mysql=8.0.33,9.7.0` means both versions of mysql."""
    wishes: list[str] = []
    for value in values:
        name = ""
        for part in value.split(","):
            left, equals, right = part.partition("=")
            name, version = (left, right) if equals else (name, left)
            if not name or not version:
                raise ConfigError(f"--driver {value!r}: say NAME=VERSION", hint="e.g. mysql=8.0.33,9.7.0")
            wishes.append(f"{name}={version}")
    return tuple(wishes)


def seconds_of(budget: str) -> float:
    """`90s`, `15m`, `1h`. Raises ConfigError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh])", budget.strip())
    if not match:
        raise ConfigError(f"--budget {budget!r}: say a time like 90s, 15m or 1h")
    return float(match.group(1)) * {"s": 1, "m": 60, "h": 3600}[match.group(2)]

"""Parameters with several values each: every choice of them is a workload of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from telar.catalog.shapes import Name
from telar.errors import ConfigError

Params: TypeAlias = dict[Name, tuple[Name | int, ...]]


def choices(
    name: str, path: Path, params: Mapping[str, Sequence[str | int]]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Each choice with its name, by the parameters that have several values: `loom-tasks-delay0-repeat100`.

    Raises ConfigError, naming the file at `path`.
    """
    for key, values in params.items():
        if not values:
            raise ConfigError(f"{path}: params.{key}: has no value")
        if len(set(values)) != len(values):
            raise ConfigError(f"{path}: params.{key}: has a value twice")
    keys = sorted(params)
    for choice in itertools.product(*(params[key] for key in keys)):
        chosen = {key: str(value) for key, value in zip(keys, choice, strict=True)}
        parts = [f"{key}{value}" for key, value in chosen.items() if len(params[key]) > 1]
        yield "-".join([name, *parts]), chosen

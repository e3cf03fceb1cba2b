"""The movies that every run starts with: the lines of `seed.jsonl`, numbered from 1."""

from __future__ import annotations

from pathlib import Path

import msgspec

from telar.errors import ConfigError

SIZE = 999  # what the workloads draw ids from


class Movie(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Fields as in the contract; their Python names are the columns' names."""

    title: str
    released_year: int | None
    certificate: str | None
    runtime_minutes: int | None
    genre: str | None
    rating: float | None
    overview: str | None
    meta_score: int | None
    director: str | None
    star1: str | None
    star2: str | None
    star3: str | None
    star4: str | None
    votes: int | None
    gross: int | None
    poster_url: str | None


def read(contract: Path) -> list[Movie]:
    """The seed of a contract folder. Raises ConfigError naming the line that isn't a movie."""
    path = contract / "seed.jsonl"
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    if len(lines) != SIZE:
        raise ConfigError(f"{path}: has {len(lines)} lines; the workloads expect {SIZE} movies")
    return [_movie(path, number, line) for number, line in enumerate(lines, start=1)]


def mongodb_id(number: int) -> str:
    """The ObjectId of the seed's n-th movie: of September 2023, so older than any made in a run."""
    return f"65000000{number:016x}"


def _movie(path: Path, number: int, line: bytes) -> Movie:
    try:
        return msgspec.json.decode(line, type=Movie)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}:{number}: {error}") from error

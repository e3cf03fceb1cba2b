#!/usr/bin/env python3
"""Makes `seed.jsonl`: the 999 movies that every database starts with.

Invented movies whose fields are as long, as often missing and as far spread as those of the
IMDb's thousand best rated (title about 15 characters, overview about 146, poster address about
150; a certificate missing in one of ten, meta score and gross in one of six). Deterministic: the
same bytes from every Python. Ids aren't in the file: MySQL numbers its lines from 1, MongoDB has
`mongodb_id` of that number.

    python3 seed.py            writes seed.jsonl beside this file
    python3 seed.py --check    fails when seed.jsonl isn't what this makes
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

SEED, SIZE = 2026, 999
FILE = Path(__file__).with_name("seed.jsonl")


def _words(text: str) -> list[str]:
    return text.split()


ONSETS = _words("b br c ch d dr f fl g gr h j k l m n p pr r s sh st t tr v w")
VOWELS = _words("a e i o u ai ea ia io ou")
CODAS = _words("l m n nd r rk rt s ss st t th x z") + [""] * 8
SHORT = _words("a the of in and to his her with for on by from who when must after into")
CERTIFICATES = _words("U A UA R PG-13 PG G Passed Approved 16")
GENRES = _words(
    "Drama Comedy Crime Adventure Action Thriller Romance Biography Mystery Animation Sci-Fi"
    " Fantasy History War Family Music Horror Western"
)
POSTER_NAME = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz0123456789"

# As few as among real titles, yet enough to show a wrong character set.
ACCENTS, ACCENTED = str.maketrans("enu", "éñü"), 0.04
SHORT_WORDS = 0.4  # of an overview's words


def mongodb_id(number: int) -> str:
    """The ObjectId of the n-th movie, n from 1. Its time is 2023: before any made in a run."""
    return f"65000000{number:016x}"


def movies() -> list[dict[str, object]]:
    """The movies in file order, fields in the contract's order."""
    rng = random.Random(SEED)  # noqa: S311  not for secrets
    return [_movie(rng) for _ in range(SIZE)]


def _movie(rng: random.Random) -> dict[str, object]:
    return {
        "title": _title(rng),
        "releasedYear": int(rng.triangular(1920, 2020, 2005)),
        "certificate": _maybe(rng, 0.10, lambda: rng.choice(CERTIFICATES)),
        "runtimeMinutes": min(321, max(45, round(rng.gauss(123, 28)))),
        "genre": ", ".join(rng.sample(GENRES, rng.choices([1, 2, 3], [10, 32, 58])[0])),
        "rating": round(min(9.3, 7.6 + rng.expovariate(3)), 1),
        "overview": _overview(rng),
        "metaScore": _maybe(rng, 0.16, lambda: min(100, max(28, round(rng.gauss(78, 12))))),
        "director": _person(rng),
        "star1": _person(rng),
        "star2": _person(rng),
        "star3": _person(rng),
        "star4": _person(rng),
        "votes": min(2_343_110, 25_000 + int(rng.lognormvariate(11.6, 1.2))),
        "gross": _maybe(rng, 0.17, lambda: int(min(936_662_225, rng.expovariate(1 / 68_000_000)))),
        "posterUrl": _poster(rng),
    }


def _maybe(rng: random.Random, missing: float, value: Callable[[], object]) -> object:
    """`value()`, or None in that share of cases. It's drawn always: None doesn't shift the rest."""
    drawn = value()
    return None if rng.random() < missing else drawn


def _word(rng: random.Random) -> str:
    syllables = rng.choices([1, 2, 3], [30, 50, 20])[0]
    return "".join(
        rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS) for _ in range(syllables)
    )


def _title(rng: random.Random) -> str:
    words = rng.choices([1, 2, 3, 4, 7, 9], [36, 34, 20, 8, 1, 1])[0]
    title = " ".join(_word(rng).capitalize() for _ in range(words))[:68]
    return title.translate(ACCENTS) if rng.random() < ACCENTED else title


def _person(rng: random.Random) -> str:
    return f"{_word(rng).capitalize()} {_word(rng).capitalize()}"


def _overview(rng: random.Random) -> str:
    length = min(313, max(42, round(rng.gauss(146, 50))))
    words: list[str] = []
    while sum(map(len, words)) + len(words) < length:
        words.append(rng.choice(SHORT) if rng.random() < SHORT_WORDS else _word(rng))
    return (" ".join(words)[: length - 1].strip() + ".").capitalize()


def _poster(rng: random.Random) -> str:
    name = "".join(rng.choices(POSTER_NAME, k=rng.randint(84, 100)))
    return f"https://posters.example/images/{name}@._V1_UX67_CR0,0,67,98_.jpg"


def _content() -> bytes:
    lines = (json.dumps(m, ensure_ascii=False, separators=(",", ":")) + "\n" for m in movies())
    return "".join(lines).encode()


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    if not arguments:
        FILE.write_bytes(_content())
    elif not FILE.exists() or FILE.read_bytes() != _content():
        print(f"{FILE}: isn't what seed.py makes: run seed.py, or undo the change", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What the contract demands, as bytes and as tables of limits."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Create = Callable[[dict[str, Any]], str]  # stores a movie and gives its id

JSON, PROBLEM = "application/json", "application/problem+json"
TITLES = {400: "Bad Request", 404: "Not Found"}

NO_MOVIE = "No movie with this id."
NO_PAGE = "page must be a whole number from 0 to 1000000."
UNREADABLE_MOVIE = "The request body is not a valid movie."
UNREADABLE_RATING = "The request body is not a valid rating."

# Most characters of each text.
TEXTS = {
    "title": 255,
    "certificate": 16,
    "genre": 255,
    "overview": 2000,
    "director": 255,
    "star1": 255,
    "star2": 255,
    "star3": 255,
    "star4": 255,
    "posterUrl": 512,
}
# Lowest and highest of each number that has both.
RANGES = {
    "releasedYear": (1888, 2100),
    "runtimeMinutes": (1, 1000),
    "rating": (0, 10),
    "metaScore": (0, 100),
}
# Highest that the type can hold, of each number that only mustn't be negative.
COUNTS = {"votes": 2**31 - 1, "gross": 2**63 - 1}

# In the order in which they stand in every movie.
WHOLE: dict[str, Any] = {
    "title": "Sétriaz",
    "releasedYear": 1994,
    "certificate": "PG-13",
    "runtimeMinutes": 142,
    "genre": "Drama, Crime",
    "rating": 8.7,
    "overview": "When a troulgiar flaim must riaz the gresh.",
    "metaScore": 80,
    "director": "Viosgriark Mir",
    "star1": "Gi Drifail",
    "star2": "Jith Hozwar",
    "star3": "Prurk Fain",
    "star4": "Keal Teart",
    "votes": 2_343_110,
    "gross": 28_341_469_000,  # more than 32 bits
    "posterUrl": "https://posters.example/images/setriaz.jpg?a=1&b=<2>",
}
FIELDS = tuple(WHOLE)


def compact(value: object) -> bytes:
    """JSON without a needless byte."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def movie(movie_id: str, details: dict[str, Any]) -> bytes:
    """A movie with these details; all that they leave out is null."""
    return compact({"id": movie_id} | {field: details.get(field) for field in FIELDS})


def problem(status: int, detail: str) -> bytes:
    return compact(
        {"type": "about:blank", "title": TITLES[status], "status": status, "detail": detail}
    )


def complaint(field: str) -> str:
    """What's said of a field outside of its limits."""
    if field == "title":
        return "title must have 1 to 255 characters"
    if field in TEXTS:
        return f"{field} must have at most {TEXTS[field]} characters"
    if field in COUNTS:
        return f"{field} must be at least 0"
    lowest, highest = RANGES[field]
    return f"{field} must be from {lowest} to {highest}"

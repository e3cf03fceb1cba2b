"""The HTTP contract, against any running service whose database is freshly seeded.

TELAR_BASE_URL=http://127.0.0.1:8080 pytest apps/movies/contract/test_contract.py
"""
# ruff: noqa: PLR2004  statuses and sizes are what this is about

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import expected
import httpx
import pytest
import seed
from expected import COUNTS, JSON, PROBLEM, RANGES, TEXTS, WHOLE, Create, complaint

pytestmark = pytest.mark.skipif(
    "TELAR_BASE_URL" not in os.environ,
    reason="needs a running service with a freshly seeded database: set TELAR_BASE_URL",
)

SEED = seed.FILE.read_bytes().splitlines()

# What HTTP needs to frame an answer. Servers choose among these; nothing else may be there.
FRAMING = {"date", "connection", "keep-alive", "content-length", "transfer-encoding"}

UNKNOWN_IDS = [
    "999999999",
    "9223372036854775807",
    "0123456789abcdef01234567",
    "ffffffffffffffffffffffff",
]
MALFORMED_IDS = [
    "0",
    "-1",
    "0x1",
    "1e0",
    "abc",
    "null",
    "%20",
    "%E2%82%AC",
    "9223372036854775808",
    "99999999999999999999999999",
    "0123456789abcdef0123456",
    "0123456789abcdef0123456z",
    "0123456789abcdef012345678",
]
BAD_PAGES = [
    "-1",
    "1000001",
    "99999999999999999999",
    "1.5",
    "1.0",
    "1e3",
    "0x1",
    "abc",
    "null",
    "",
    "%20",
    "%201",
    "%2B1",
    "%D9%A1",  # a digit, but not one of ours
]
UNREADABLE = [
    b"",
    b" ",
    b"{",
    b'{"title":"x"',
    b"{title:1}",
    b"{'title':'x'}",
    b'{"title":"x",}',
    b'{"title":"x"} x',
    b'{"title":"x"}{}',
    b'{"title":"\xff"}',
    b'{"title":"x","rating":NaN}',
    b"null",
    b"[]",
    b'[{"title":"x"}]',
    b'"x"',
    b"7.5",
    b"true",
]
# A broken rating of the PATCH, or a body that isn't an object.
UNREADABLE_RATINGS = [
    b"",
    b" ",
    b"{",
    b'{"rating":7.5',
    b'{"rating":7.5}{}',
    b'{"rating":"7.5"}',
    b'{"rating":""}',
    b'{"rating":true}',
    b'{"rating":[7.5]}',
    b'{"rating":{}}',
    b'{"rating":NaN}',
    b"null",
    b"[]",
    b"7.5",
]
# Out of a double's reach is out of the rating's, too.
BAD_RATINGS = [
    "{}",
    '{"rating":null}',
    '{"rating":-0.001}',
    '{"rating":10.001}',
    '{"rating":1e400}',
]


def answers(
    response: httpx.Response,
    status: int,
    body: bytes,
    media_type: str | None = JSON,
    location: str | None = None,
) -> None:
    """Asserts all of an answer: status, body to the byte, and that it has no other headers."""
    assert (response.status_code, response.content) == (status, body)
    said = {name: value for name, value in response.headers.items() if name not in FRAMING}
    wanted = {"content-type": media_type, "location": location}
    assert said == {name: value for name, value in wanted.items() if value is not None}


def complains(response: httpx.Response, status: int, detail: str) -> None:
    answers(response, status, expected.problem(status, detail), PROBLEM)


def send(
    http: httpx.Client, method: str, path: str, body: bytes | str | dict[str, Any]
) -> httpx.Response:
    """A request whose body is this JSON, well formed or not."""
    content = expected.compact(body) if isinstance(body, dict) else body
    return http.request(method, path, content=content, headers={"Content-Type": JSON})


def request_of(http: httpx.Client, method: str, movie_id: str) -> httpx.Response:
    """A request for a movie with nothing wrong in it but, maybe, the id."""
    path, body = {
        "GET": ("", None),
        "PUT": ("", {"title": "x"}),
        "PATCH": ("/rating", {"rating": 1}),
        "DELETE": ("", None),
    }[method]
    return http.request(method, f"/movies/{movie_id}{path}", json=body)


# --- reading ------------------------------------------------------------------------------------


def test_the_pages_hold_the_whole_seed_in_order_to_the_byte(
    pages: list[bytes], seed_ids: list[str]
) -> None:
    movies = [
        f'{{"id":"{movie_id}",'.encode() + line[1:]
        for movie_id, line in zip(seed_ids, SEED, strict=True)
    ]
    for number, page in enumerate(pages):
        assert page == b"[" + b",".join(movies[20 * number : 20 * number + 20]) + b"]", number


def test_999_movies_are_50_pages_whose_last_has_19(pages: list[bytes]) -> None:
    assert [len(json.loads(page)) for page in pages] == [20] * 49 + [19, 0]


def test_a_page_is_plain_json(http: httpx.Client, pages: list[bytes]) -> None:
    answers(http.get("/movies?page=25"), 200, pages[25])


def test_without_a_page_it_is_the_first(http: httpx.Client, pages: list[bytes]) -> None:
    answers(http.get("/movies"), 200, pages[0])


@pytest.mark.parametrize("page", ["50", "51", "999999", "1000000"])
def test_a_page_beyond_the_end_is_empty(http: httpx.Client, page: str) -> None:
    answers(http.get(f"/movies?page={page}"), 200, b"[]")


@pytest.mark.parametrize("page", BAD_PAGES)
def test_a_page_must_be_a_whole_number_within_its_limits(http: httpx.Client, page: str) -> None:
    complains(http.get(f"/movies?page={page}"), 400, expected.NO_PAGE)


@pytest.mark.parametrize("number", [1, 10, 500, 999])
def test_a_movie_is_the_same_alone_as_in_its_page(
    http: httpx.Client, seed_ids: list[str], number: int
) -> None:
    details = json.loads(SEED[number - 1])
    movie_id = seed_ids[number - 1]
    answers(http.get(f"/movies/{movie_id}"), 200, expected.movie(movie_id, details))


def test_reading_twice_gives_the_same(http: httpx.Client, pages: list[bytes]) -> None:
    assert [http.get("/movies?page=49").content for _ in range(3)] == [pages[49]] * 3


# --- ids ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("movie_id", UNKNOWN_IDS + MALFORMED_IDS)
def test_there_is_no_movie_with_an_unknown_or_malformed_id(
    http: httpx.Client, method: str, movie_id: str
) -> None:
    complains(request_of(http, method, movie_id), 404, expected.NO_MOVIE)


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_an_id_with_a_dot_is_malformed_too(http: httpx.Client, method: str) -> None:
    response = request_of(http, method, "1.5")
    # No look at the headers: Spring MVC sees a file name and adds a Content-Disposition.
    assert (response.status_code, response.content) == (
        404,
        expected.problem(404, expected.NO_MOVIE),
    )


def other_spellings(movie_id: str) -> Iterator[str]:
    """Ways to write an id that a lenient reader would take for it."""
    yield from (f"0{movie_id}", f"+{movie_id}", f"%2B{movie_id}")
    yield from (f"%20{movie_id}", f"{movie_id}%20")
    yield re.sub("[0-9]", lambda digit: chr(ord("٠") + int(digit[0])), movie_id)
    if movie_id.upper() != movie_id:
        yield movie_id.upper()


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_a_movie_answers_to_the_exact_text_of_its_id_only(
    http: httpx.Client, movie_id: str, method: str
) -> None:
    spellings = list(other_spellings(movie_id))
    got = {s: request_of(http, method, s) for s in spellings}
    assert {s: r.status_code for s, r in got.items()} == dict.fromkeys(spellings, 404)
    for response in got.values():
        complains(response, 404, expected.NO_MOVIE)
    answers(http.get(f"/movies/{movie_id}"), 200, expected.movie(movie_id, WHOLE))


# --- creating -----------------------------------------------------------------------------------


def post(http: httpx.Client, created: list[str], body: bytes | str | dict[str, Any]) -> str:
    """Creates a movie; asserts what's true of every creation, and gives the id."""
    response = send(http, "POST", "/movies", body)
    assert response.status_code == 201, response.text
    movie_id: str = response.json()["id"]
    created.append(movie_id)
    answers(response, 201, response.content, location=f"/movies/{movie_id}")
    assert http.get(f"/movies/{movie_id}").content == response.content
    return movie_id


def test_a_new_movie_is_answered_whole_with_its_path(
    http: httpx.Client, created: list[str]
) -> None:
    response = send(http, "POST", "/movies", WHOLE)
    movie_id = response.json()["id"]
    created.append(movie_id)
    answers(response, 201, expected.movie(movie_id, WHOLE), location=f"/movies/{movie_id}")
    answers(http.get(f"/movies/{movie_id}"), 200, expected.movie(movie_id, WHOLE))


def test_what_a_new_movie_leaves_out_is_null(http: httpx.Client, created: list[str]) -> None:
    movie_id = post(http, created, {"title": "Lark"})
    answers(http.get(f"/movies/{movie_id}"), 200, expected.movie(movie_id, {"title": "Lark"}))


def test_a_null_is_as_good_as_nothing(http: httpx.Client, created: list[str]) -> None:
    nulls = dict.fromkeys(expected.FIELDS) | {"title": "Lark"}
    movie_id = post(http, created, nulls)
    answers(http.get(f"/movies/{movie_id}"), 200, expected.movie(movie_id, nulls))


def test_a_new_movie_gets_an_id_of_its_own_whatever_the_body_says(
    http: httpx.Client, created: list[str], seed_ids: list[str]
) -> None:
    for claimed in (seed_ids[0], "abc", 7, None, {"x": [1]}):
        movie_id = post(http, created, {"id": claimed, "title": "Lark"})
        assert movie_id not in seed_ids


def test_unknown_properties_are_ignored(http: httpx.Client, created: list[str]) -> None:
    unknown = {"_id": "x", "Title": 1, "released_year": "x", "budget": {"x": [None]}}
    movie_id = post(http, created, WHOLE | unknown)
    answers(http.get(f"/movies/{movie_id}"), 200, expected.movie(movie_id, WHOLE))


def test_a_whole_number_is_a_rating_and_comes_back_as_a_double(
    http: httpx.Client, created: list[str]
) -> None:
    movie_id = post(http, created, '{"title":"Lark","rating":8}')
    lark = {"title": "Lark", "rating": 8.0}
    answers(http.get(f"/movies/{movie_id}"), 200, expected.movie(movie_id, lark))


@pytest.mark.parametrize(
    "text",
    [
        "Ünï çødé ñ ß €",
        "日本語のタイトル",
        "🎬 four bytes 𝄞",
        "e\u0301 isn't é",
        "quote \" backslash \\ slash / <b>&amp;'",
        "tab\tnewline\nreturn\r",
        "line\u2028separator",
        " spaces around ",
        "%s ${x} #{x} {{x}} ' OR 1=1 -- $set",
    ],
)
def test_any_text_comes_back_as_it_was(http: httpx.Client, created: list[str], text: str) -> None:
    movie = {"title": text, "overview": text}
    movie_id = post(http, created, movie)
    answers(http.get(f"/movies/{movie_id}"), 200, expected.movie(movie_id, movie))


def test_escaped_text_comes_back_unescaped(http: httpx.Client, created: list[str]) -> None:
    movie_id = post(http, created, rb'{"title":"\u00e9 \ud83c\udfac \/"}')
    movie = {"title": "é 🎬 /"}
    answers(http.get(f"/movies/{movie_id}"), 200, expected.movie(movie_id, movie))


def test_new_movies_come_after_the_seed(
    http: httpx.Client, create: Create, pages: list[bytes]
) -> None:
    first, second = create({"title": "Lark"}), create({"title": "Grot"})
    lark, grot = (
        expected.movie(movie_id, {"title": title})
        for movie_id, title in ((first, "Lark"), (second, "Grot"))
    )
    answers(http.get("/movies?page=49"), 200, pages[49][:-1] + b"," + lark + b"]")
    answers(http.get("/movies?page=50"), 200, b"[" + grot + b"]")


def test_movies_created_at_once_each_get_an_id_of_their_own(
    http: httpx.Client, created: list[str]
) -> None:
    titles = [f"At once {n}" for n in range(60)]
    with ThreadPoolExecutor(max_workers=20) as pool:
        responses = list(pool.map(lambda t: http.post("/movies", json={"title": t}), titles))
    ids = [response.json()["id"] for response in responses]
    created.extend(ids)
    assert len(set(ids)) == len(titles)
    for response, movie_id, title in zip(responses, ids, titles, strict=True):
        body = expected.movie(movie_id, {"title": title})
        answers(response, 201, body, location=f"/movies/{movie_id}")


# --- replacing, rating, deleting ----------------------------------------------------------------


def test_a_replaced_movie_keeps_nothing_but_its_id(http: httpx.Client, movie_id: str) -> None:
    after = expected.movie(movie_id, {"title": "Grot"})
    answers(send(http, "PUT", f"/movies/{movie_id}", {"title": "Grot"}), 200, after)
    answers(http.get(f"/movies/{movie_id}"), 200, after)


def test_a_movie_can_get_every_field_by_replacing(http: httpx.Client, create: Create) -> None:
    movie_id = create({"title": "Lark"})
    after = expected.movie(movie_id, WHOLE)
    answers(send(http, "PUT", f"/movies/{movie_id}", WHOLE), 200, after)
    answers(http.get(f"/movies/{movie_id}"), 200, after)


def test_replacing_a_movie_by_itself_changes_nothing(http: httpx.Client, movie_id: str) -> None:
    for _ in range(2):
        response = send(http, "PUT", f"/movies/{movie_id}", WHOLE)
        answers(response, 200, expected.movie(movie_id, WHOLE))


def test_replacing_ignores_an_id_and_unknown_properties(
    http: httpx.Client, movie_id: str, seed_ids: list[str]
) -> None:
    body = {"id": seed_ids[0], "_id": seed_ids[0], "budget": [1], "title": "Grot"}
    after = expected.movie(movie_id, {"title": "Grot"})
    answers(send(http, "PUT", f"/movies/{movie_id}", body), 200, after)


def test_replacing_one_movie_leaves_the_others(
    http: httpx.Client, movie_id: str, create: Create
) -> None:
    other = create({"title": "Lark"})
    send(http, "PUT", f"/movies/{movie_id}", {"title": "Grot"})
    answers(http.get(f"/movies/{other}"), 200, expected.movie(other, {"title": "Lark"}))


@pytest.mark.parametrize("rating", ["0", "0.0", "7.5", "7.25", "10", "10.0", "8.7"])
def test_rating_changes_the_rating_alone(http: httpx.Client, movie_id: str, rating: str) -> None:
    after = expected.movie(movie_id, WHOLE | {"rating": float(rating)})
    body = f'{{"rating": {rating}}}'
    answers(send(http, "PATCH", f"/movies/{movie_id}/rating", body), 200, after)
    answers(http.get(f"/movies/{movie_id}"), 200, after)


def test_rating_ignores_an_id_and_other_properties(http: httpx.Client, movie_id: str) -> None:
    body = {"id": "1", "title": "Grot", "votes": None, "rating": 1.5}
    after = expected.movie(movie_id, WHOLE | {"rating": 1.5})
    answers(send(http, "PATCH", f"/movies/{movie_id}/rating", body), 200, after)


def test_a_movie_without_a_rating_can_get_one(http: httpx.Client, create: Create) -> None:
    movie_id = create({"title": "Lark"})
    after = expected.movie(movie_id, {"title": "Lark", "rating": 7.5})
    answers(send(http, "PATCH", f"/movies/{movie_id}/rating", {"rating": 7.5}), 200, after)


def test_a_deleted_movie_is_gone_for_every_request(http: httpx.Client, movie_id: str) -> None:
    answers(http.delete(f"/movies/{movie_id}"), 204, b"", media_type=None)
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        complains(request_of(http, method, movie_id), 404, expected.NO_MOVIE)


def test_deleting_leaves_the_pages_as_they_were(
    http: httpx.Client, create: Create, pages: list[bytes]
) -> None:
    http.delete(f"/movies/{create(WHOLE)}").raise_for_status()
    assert http.get("/movies?page=49").content == pages[49]
    assert http.get("/movies?page=50").content == b"[]"


# --- bodies that can't be read -------------------------------------------------------------------


@pytest.mark.parametrize("body", UNREADABLE)
def test_a_body_that_is_no_movie_is_refused(http: httpx.Client, movie_id: str, body: bytes) -> None:
    complains(send(http, "POST", "/movies", body), 400, expected.UNREADABLE_MOVIE)
    complains(send(http, "PUT", f"/movies/{movie_id}", body), 400, expected.UNREADABLE_MOVIE)


@pytest.mark.parametrize("body", UNREADABLE_RATINGS)
def test_a_body_that_is_no_rating_is_refused(
    http: httpx.Client, movie_id: str, body: bytes
) -> None:
    path = f"/movies/{movie_id}/rating"
    complains(send(http, "PATCH", path, body), 400, expected.UNREADABLE_RATING)


def test_a_request_without_a_body_is_refused(http: httpx.Client, movie_id: str) -> None:
    complains(http.post("/movies"), 400, expected.UNREADABLE_MOVIE)
    complains(http.put(f"/movies/{movie_id}"), 400, expected.UNREADABLE_MOVIE)
    complains(http.patch(f"/movies/{movie_id}/rating"), 400, expected.UNREADABLE_RATING)


def wrong_types(field: str) -> list[str]:
    """JSON values that aren't of a field's type, or don't fit it."""
    if field in TEXTS:
        return ["5", "7.5", "true", "[]", '["x"]', "{}"]
    values = ['"5"', '""', '"x"', "true", "false", "[]", "[5]", "{}"]
    if field == "rating":
        return values
    return [*values, "5.5", "5.0", "5e0", str(2**63 if field == "gross" else 2**31)]


@pytest.mark.parametrize(("field", "value"), [(f, v) for f in WHOLE for v in wrong_types(f)])
def test_a_value_of_the_wrong_type_is_refused(http: httpx.Client, field: str, value: str) -> None:
    body = f'{{"title":"x","{field}":{value}}}' if field != "title" else f'{{"title":{value}}}'
    complains(send(http, "POST", "/movies", body), 400, expected.UNREADABLE_MOVIE)


# --- limits --------------------------------------------------------------------------------------


def just_in() -> Iterator[tuple[str, Any]]:
    for field, most in TEXTS.items():
        yield field, "ö" * most
        yield field, "x" if field == "title" else ""
    for field, limits in RANGES.items():
        yield from ((field, float(n) if field == "rating" else n) for n in limits)
    for field, most in COUNTS.items():
        yield from ((field, 0), (field, most))


def just_out() -> Iterator[tuple[str, Any]]:
    for field, most in TEXTS.items():
        yield field, "ö" * (most + 1)
    for field, (lowest, highest) in RANGES.items():
        step = 0.001 if field == "rating" else 1
        yield from ((field, lowest - step), (field, highest + step))
    yield from ((field, -1) for field in COUNTS)
    yield from (("title", blank) for blank in (None, "", " ", "\t\n\r ", " " * 300))


@pytest.mark.parametrize(("field", "value"), list(just_in()), ids=lambda v: str(v)[:20])
def test_a_value_at_its_limit_is_stored(
    http: httpx.Client, created: list[str], field: str, value: object
) -> None:
    movie = {"title": "x", field: value}
    movie_id = post(http, created, movie)
    answers(http.get(f"/movies/{movie_id}"), 200, expected.movie(movie_id, movie))
    after = send(http, "PUT", f"/movies/{movie_id}", movie)
    answers(after, 200, expected.movie(movie_id, movie))


@pytest.mark.parametrize(("field", "value"), list(just_out()), ids=lambda v: repr(v)[:20])
def test_a_value_beyond_its_limit_is_refused(
    http: httpx.Client, movie_id: str, field: str, value: object
) -> None:
    movie = {"title": "x", field: value}
    complains(send(http, "POST", "/movies", movie), 400, complaint(field))
    complains(send(http, "PUT", f"/movies/{movie_id}", movie), 400, complaint(field))
    answers(http.get(f"/movies/{movie_id}"), 200, expected.movie(movie_id, WHOLE))


@pytest.mark.parametrize("body", BAD_RATINGS)
def test_a_rating_must_be_there_and_within_its_limits(
    http: httpx.Client, movie_id: str, body: str
) -> None:
    complains(send(http, "PATCH", f"/movies/{movie_id}/rating", body), 400, complaint("rating"))
    answers(http.get(f"/movies/{movie_id}"), 200, expected.movie(movie_id, WHOLE))


def test_an_empty_movie_lacks_its_title_alone(http: httpx.Client) -> None:
    complains(send(http, "POST", "/movies", "{}"), 400, complaint("title"))


def test_every_failing_field_is_told_once_in_the_alphabets_order(
    http: httpx.Client, movie_id: str
) -> None:
    movie = dict(just_out()) | {"title": " " * 300}
    everything = "; ".join(sorted(map(complaint, WHOLE)))
    complains(send(http, "POST", "/movies", movie), 400, everything)
    complains(send(http, "PUT", f"/movies/{movie_id}", movie), 400, everything)


def test_two_failing_fields_are_told_in_the_alphabets_order(http: httpx.Client) -> None:
    movie = {"title": "x", "votes": -1, "gross": -1}
    both = "gross must be at least 0; votes must be at least 0"
    complains(send(http, "POST", "/movies", movie), 400, both)


def test_messages_speak_one_language(http: httpx.Client) -> None:
    german = {"Accept-Language": "de"}
    response = http.post("/movies", json={"title": "x", "metaScore": 101}, headers=german)
    complains(response, 400, complaint("metaScore"))


@pytest.mark.parametrize("movie_id", [UNKNOWN_IDS[0], UNKNOWN_IDS[2], "abc"])
def test_a_body_is_judged_before_the_id(http: httpx.Client, movie_id: str) -> None:
    path = f"/movies/{movie_id}"
    complains(send(http, "PUT", path, "{"), 400, expected.UNREADABLE_MOVIE)
    complains(send(http, "PUT", path, "{}"), 400, complaint("title"))
    complains(send(http, "PATCH", f"{path}/rating", "{"), 400, expected.UNREADABLE_RATING)
    complains(send(http, "PATCH", f"{path}/rating", "{}"), 400, complaint("rating"))


def test_what_was_refused_has_not_been_stored(http: httpx.Client, pages: list[bytes]) -> None:
    send(http, "POST", "/movies", {"title": "x", "votes": -1})
    send(http, "POST", "/movies", '{"title":"x","votes":"1"}')
    assert http.get("/movies?page=49").content == pages[49]
    assert http.get("/movies?page=50").content == b"[]"

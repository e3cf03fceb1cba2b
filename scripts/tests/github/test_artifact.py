"""What a pull request's run leaves is read as if an attacker had written it."""

from __future__ import annotations

import copy
import io
import json
import random
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from telar.errors import Refused
from telar.github import acceptance
from telar.github.artifact import NAME, PACKED, UNPACKED, verdict_of
from telar.plan.cells import Cell

from ..publish.test_verdict import CATALOG, STILL, compared, comparison, verdict

HEAD = "b" * 40
EVIL = (
    "<script>alert(1)</script>", "](https://evil.example) ![x](//evil.example/x.png)", "@everyone",
    "\x1b[2J", "a" * 5_000, "\u202egnp.exe", "../../etc/passwd", "${{ secrets.GITHUB_TOKEN }}",
    "`; rm -rf /`", "\n# big\n", "",
)  # fmt: skip


def sound() -> dict[str, Any]:
    found = comparison(compared(verdict(), STILL))
    built: dict[str, Any] = json.loads(msgspec.json.encode(found))
    return built


def packed(content: bytes | str, name: str = NAME, **how: Any) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, **how) as archive:
        archive.writestr(name, content)
    return out.getvalue()


def said(value: object) -> bytes:
    return packed(json.dumps(value))


def refuse(artifact: bytes) -> str:
    with pytest.raises(Refused) as refused:
        verdict_of(CATALOG, artifact, HEAD)
    return refused.value.message


def test_what_telar_writes_is_taken() -> None:
    found = verdict_of(CATALOG, said(sound()), HEAD)
    assert found == comparison(compared(verdict(), STILL))


def explained(**changes: Any) -> dict[str, Any]:
    found = sound()
    head = msgspec.convert(found["compared"][0]["head"], Cell)
    figures = {
        "base": 1.0,
        "head": 2.0,
        "low": 0.5,
        "high": 1.5,
        "p": 0.0,
        "q": 0.0,
        "own_base": 1.0,
        "own_head": 2.0,
    }
    named = {"method": "shop.Prices$Of.<init>", "caller": "shop.Controller.get", **figures}
    found["why"] = [{"variant": head.label, "cell": head.name, "cpu": [named], **changes}]
    return found


def test_the_methods_that_differ_are_taken_without_what_only_their_machine_had() -> None:
    artifact = said(explained(refused="click here", flame="why/x/flame.html", libraries=["re2j 1.1 → 1.5"]))
    (why,) = verdict_of(CATALOG, artifact, HEAD).why
    assert why.libraries == ("re2j 1.1 → 1.5",)
    assert why.cpu[0].method == "shop.Prices$Of.<init>"
    assert (why.refused, why.flame) == ("its run says why", "")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"variant": "another"}, "explains a variant"),
        ({"cell": "another"}, "explains a variant"),
        ({"cpu": explained()["why"][0]["cpu"] * 11}, "more methods"),
        ({"libraries": ["a 1 → 2"] * 1001}, "a library"),
        *(
            ({"libraries": [evil]}, "a library")
            for evil in ("click here", "<a> 1 → 2", "a 1 → [2](//evil)", "")
        ),
        *(
            ({"cpu": [explained()["why"][0]["cpu"][0] | {key: evil}]}, "as none is named")
            for key in ("method", "caller")
            for evil in ("<a href=x>", "[x](//evil.example)", "@everyone", "a" * 301)
        ),
    ],
)
def test_methods_as_none_is_named_are_refused(changes: dict[str, Any], reason: str) -> None:
    assert reason in refuse(said(explained(**changes)))


def of_an_endpoint(**changes: Any) -> dict[str, Any]:
    found = sound()
    times = {"p50": [1.3, 4.4], "p95": [2.9, 6.1]}
    known = {"metric": "latency-relative@create", "endpoint": "POST /movies", "milliseconds": times}
    found["compared"][0]["verdicts"][0] |= {**known, **changes}
    return found


def test_a_verdict_on_an_endpoint_is_taken() -> None:
    (found,) = verdict_of(CATALOG, said(of_an_endpoint()), HEAD).compared
    assert found.verdicts[0].endpoint == "POST /movies"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"metric": "p50@create"}, "a metric that isn't known"),
        ({"metric": "latency-relative"}, "a metric that isn't known"),
        ({"metric": "latency-relative@--><b>"}, "an endpoint as none is named"),
        ({"endpoint": "<script>"}, "an endpoint as none is named"),
        ({"milliseconds": {"p50": [1.3, 1e300], "p95": [1, 2]}}, "a number in it is none"),
    ],
)
def test_a_verdict_on_what_is_no_endpoint_is_refused(changes: dict[str, Any], reason: str) -> None:
    assert reason in refuse(said(of_an_endpoint(**changes)))


def test_what_was_accepted_of_an_endpoint_is_read_again() -> None:
    found = verdict_of(CATALOG, said(of_an_endpoint()), HEAD)
    note = acceptance.read(acceptance.written(acceptance.of(found)).strip())
    assert note == acceptance.of(found)
    assert note.effects
    assert acceptance.covers(note, found)


def places(value: Any, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(found for key, each in inner for found in places(each, (*place, key)))]


def at(value: Any, place: tuple[str | int, ...], new: Any) -> Any:
    """A copy with another value at a place."""
    if not place:
        return new
    whole = copy.deepcopy(value)
    inside = whole
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = new
    return whole


def mutations() -> list[tuple[str, Any]]:
    """300 verdicts with one thing wrong in each, at places drawn by chance."""
    whole, dice = sound(), random.Random(1)
    every = places(whole)
    wrong: list[Callable[[Any], Any]] = [
        lambda _: [], lambda _: {"a": 1}, lambda _: 1e308, lambda _: -5.5, lambda _: "x" * 3_000,
        lambda v: {**v, "more": 1} if isinstance(v, dict) else [v],
    ]  # fmt: skip
    found: list[tuple[str, Any]] = []
    while len(found) < 300:
        place, change = dice.choice(every), dice.choice(wrong)
        value: Any = whole
        for key in place:
            value = value[key]
        spoilt = at(whole, place, change(value))
        if spoilt != whole:
            found.append((".".join(map(str, place)), spoilt))
    return found


# A number where any number may stand, or a text where any short text may, is no attack.
# Nor is a list that is empty.
HARMLESS = {
    "refused", "beside", "verdicts", "effect", "base", "head", "low", "high", "smallest", "error", "matters",
    "pairs", "minutes",
}  # fmt: skip


def test_three_hundred_spoilt_verdicts_are_refused_or_harmless() -> None:
    refused, reasons = 0, set[str]()
    for place, spoilt in mutations():
        try:
            taken = verdict_of(CATALOG, said(spoilt), HEAD)
        except Refused as why:
            refused += 1
            reasons.add(why.message)
            continue
        last = place.rpartition(".")[2]
        assert last in HARMLESS or not last, (place, taken)
    assert refused > 250
    assert not any("x" * 20 in reason for reason in reasons), "what was refused is repeated"
    print(f"\n{refused} of 300 spoilt verdicts refused, the others hold another number where any may stand")


# Named: a zip holds the time it was written at, so an id made of its bytes differs from worker to worker.
NO_ARTIFACT = {
    "empty": (b"", "zip"),
    "the end alone": (b"PK\x05\x06", "zip"),
    "cut short": (said(None)[:40], "zip"),
    "no zip": (b"{}", "zip"),
    "above its folder": (packed("{}", name="../verdict.json"), "other files"),
    "an absolute path": (packed("{}", name="/etc/passwd"), "other files"),
    "a folder": (packed("{}", name="verdict.json/"), "other files"),
    "half a value": (packed("{"), "format"),
    "nested deeply": (packed("[" * 100_000), "format"),
    "NaN": (packed('{"occasion": NaN, "compared": []}'), "format"),
    "not UTF-8": (packed(b"\xff\xfe"), "format"),
    "large when unpacked": (packed(b"\0" * (UNPACKED + 1)), "large"),
    "large": (b"x" * (PACKED + 1), "large"),
}


@pytest.mark.parametrize("wrong", NO_ARTIFACT)
def test_what_is_no_such_artifact_is_refused_with_the_reason(wrong: str) -> None:
    artifact, reason = NO_ARTIFACT[wrong]
    assert reason in refuse(artifact)


@pytest.mark.thorough
def test_a_bomb_is_not_unpacked() -> None:
    bomb = packed(b"0" * 500_000_000, compresslevel=9)
    assert len(bomb) < PACKED
    assert "large when unpacked" in refuse(bomb)


def test_a_bomb_that_lies_about_its_size_is_not_either() -> None:
    bomb = bytearray(packed(b"0" * 50_000_000, compresslevel=9))
    directory = bomb.rfind(b"PK\x01\x02")
    for offset in (22, directory + 24):  # of the unpacked size, in both headers
        struct.pack_into("<I", bomb, offset, 1000)
    refuse(bytes(bomb))


def test_two_files_of_one_name_are_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(NAME, json.dumps(sound()))
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(NAME, "{}")
    assert "other files" in refuse(out.getvalue())


def test_the_verdict_of_another_commit_is_refused() -> None:
    with pytest.raises(Refused, match="another commit"):
        verdict_of(CATALOG, said(sound()), "c" * 40)


@pytest.mark.parametrize("evil", EVIL)
@pytest.mark.parametrize(
    "place",
    [
        ("compared", 0, "base", "variant"), ("compared", 0, "head", "workload"),
        ("compared", 0, "head", "jdk"), ("compared", 0, "head", "image"), ("compared", 0, "refused", 0),
        ("compared", 0, "verdicts", 0, "metric"), ("compared", 0, "verdicts", 0, "word"),
        ("occasion", "head_commit"),
    ],
)  # fmt: skip
def test_names_are_those_that_are_expected(place: tuple[str | int, ...], evil: str) -> None:
    if place[-1] == "image" and not evil:
        return  # none is what is expected
    refuse(said(at(sound(), place, evil)))


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1e400", "NaN", "Infinity", "-Infinity"])
def test_numbers_are_numbers(number: str) -> None:
    text = json.dumps(at(sound(), ("compared", 0, "verdicts", 0, "base"), 123456.5)).replace(
        "123456.5", number
    )
    refuse(packed(text))

"""The verdict on a comparison as Markdown: the whole text, as GitHub gets it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from telar.analyse import decide
from telar.analyse.attribution import Attributed, Part
from telar.analyse.endpoints import Quantiles
from telar.analyse.verdicts import Compared, Verdict
from telar.catalog.load import load
from telar.publish.soundness import flags_apart
from telar.publish.verdict import (
    LIMIT,
    Comparison,
    Occasion,
    beside,
    headline,
    markdown,
    plain,
    print_verdict,
)

from ..gates.sound import JAVA
from ..store.records import CELL, record

CATALOG = load(Path(__file__).parents[3])
GOLDEN = Path(__file__).with_name("verdict.md")


def verdict(**changes: Any) -> Verdict:
    given: dict[str, Any] = {
        "metric": "p50",
        "word": "worse",
        "tier": "gate",
        "base": 4.0,
        "head": 4.8,
        "effect": 0.2,
        "low": 0.15,
        "high": 0.25,
        "error": 0.015,
        "matters": 0.05,
        "smallest": 0.04,
        "p": 1e-6,
        "q": 1e-5,
    }
    return Verdict(**{**given, **changes})


STILL = verdict(metric="allocated", word="same", base=120.0, head=120.5, effect=0.004, low=-0.002, high=0.01)
PAUSES = verdict(
    metric="gc-pause",
    word="undecided",
    tier="chart",
    base=30.0,
    head=61.0,
    effect=1.03,
    low=0.2,
    high=2.4,
    matters=None,
    p=0.001,
)


def compared(*verdicts: Verdict, **changes: Any) -> Compared:
    given: dict[str, Any] = {
        "base": CELL,
        "head": CELL,
        "forks": 3,
        "pairs": 11,
        "moved": 0,
        "left_out": 1,
        "refused": ("foreign (1)",),
        "verdicts": verdicts,
        "beside": (PAUSES,),
    }
    return Compared(**{**given, **changes})


def comparison(*found: Compared, **changes: Any) -> Comparison:
    given: dict[str, Any] = {
        "session": "20261121-071806-ab",
        "base": "main",
        "head": "this checkout",
        "command": "./telar ab --base main",
        "base_commit": "a" * 40,
        "head_commit": "b" * 40,
        "machine": record().provenance.machine,
        "minutes": 14.2,
        "calibrated_on": record().provenance.machine,
    }
    return Comparison(occasion=Occasion(**{**given, **changes}), compared=found)


LEVEL = {"metric": "live-set", "base": 48.0, "head": 110.0, "effect": 1.3, "low": 0.9, "high": 1.8}
SLOPE = {"metric": "live-set-slope", "tier": "chart", "matters": None}


def leaking(base: float, head: float, word: str = "worse", level: str = "worse") -> Comparison:
    slope = verdict(**SLOPE, word=word, base=base, head=head, effect=None, low=None, high=None)
    return comparison(compared(verdict(**LEVEL, word=level), slope, STILL, beside=()))


def test_a_live_set_that_grows_with_each_request_is_called_a_leak() -> None:
    found = leaking(0.01, 1.21)
    said = (
        "leak in spring-mysql-blocking-virtual: the heap in use after collections grows by 1.21 KiB "
        "with each request of the head, 0.01 of the base"
    )
    assert headline(CATALOG, found).startswith("worse: heap in use after the last collection of spring-mysql")
    assert headline(CATALOG, found).endswith("; " + said)
    alone = leaking(0.01, 1.21, level="same")
    assert headline(CATALOG, alone) == "worse: " + said
    assert plain(said) in markdown(CATALOG, found)
    console = Console(width=200, record=True)
    print_verdict(CATALOG, console, found)
    assert said in console.export_text()


@pytest.mark.parametrize(
    "found",
    [
        leaking(0.01, 0.02, word="same"),  # it holds more, and that's all
        leaking(0.01, 1.21, word="undecided"),
        leaking(1.21, 0.01, word="better"),
    ],
)
def test_what_holds_more_and_does_not_grow_is_no_leak(found: Comparison) -> None:
    assert "leak" not in markdown(CATALOG, found)
    assert "leak" not in headline(CATALOG, found)


def test_a_count_that_is_the_same_everywhere_did_not_move() -> None:
    """Its windows don't differ at all, so it is as sure as can be: of nothing."""
    counted = msgspec.structs.replace(PAUSES, effect=-2e-16, low=-2e-16, high=-2e-16, p=0.0)
    pool = msgspec.structs.replace(PAUSES, effect=-0.9, low=-0.9, high=-0.9, p=0.0)
    assert beside(compared(STILL, beside=(counted,))) == []
    assert beside(compared(STILL, beside=(counted, pool))) == [pool]


def test_what_has_an_interval_with_zero_in_it_is_not_said_to_have_moved() -> None:
    """Few pairs: the p-value is under 5 %, and the interval, of a stricter level, holds zero."""
    threads = msgspec.structs.replace(PAUSES, effect=-0.52, low=-0.79, high=0.11, p=0.017)
    surer = msgspec.structs.replace(threads, high=-0.1)
    assert beside(compared(STILL, beside=(threads, surer))) == [surer]


def test_what_moved_from_nothing_is_shown_by_its_values() -> None:
    slope = msgspec.structs.replace(
        PAUSES, metric="live-set-slope", base=0.0, head=0.536, effect=None, low=None, high=None, p=0.0
    )
    said = markdown(CATALOG, comparison(compared(STILL, beside=(slope,))))
    (line,) = (each for each in said.splitlines() if each.startswith("**What else moved**"))
    assert line.endswith("growth per request of the heap in use after collections 0.000 → 0.536 KiB")


def test_an_interval_without_an_end_says_so() -> None:
    wild = decide.estimate([[math.log(9.0)], [math.log(0.3)]], None)  # two forks, one degree of freedom
    assert wild
    low, high = wild.interval(0.001)
    wide = verdict(word="undecided", effect=2.1, low=low, high=high, smallest=wild.smallest(0.001))
    said = markdown(CATALOG, comparison(compared(wide)))
    assert "(-100.0% … open) | – |" in said


def test_the_endpoint_is_named_before_what_moved_farther() -> None:
    post = verdict(
        metric="latency-relative@create",
        effect=1.9,
        endpoint="POST /movies",
        milliseconds=Quantiles(p50=(1.69, 5.02), p95=(2.4, 6.0)),
    )
    found = comparison(compared(verdict(metric="p95-by-database", effect=2.44), post))
    assert headline(CATALOG, found).startswith("worse: POST /movies p50 1.69 → 5.02 ms of spring-mysql-")


def test_flags_in_which_the_sides_differ_are_named_whoever_set_them() -> None:
    base = msgspec.structs.replace(JAVA, flags={"UseG1GC": "true", "MaxHeapSize": "1", "Other": "1"})
    head = msgspec.structs.replace(JAVA, flags={"UseG1GC": "true", "MaxHeapSize": "2", "UseNUMA": "false"})
    apart = flags_apart(base, head)
    assert apart == ("MaxHeapSize 1 → 2", "UseNUMA not there → false")
    assert flags_apart(base, None) == flags_apart(base, base) == ()
    renewed = msgspec.structs.replace(base, version="25.0.3")  # the base image, between two builds
    assert flags_apart(base, renewed) == ("version 25.0.2 → 25.0.3",)
    found = comparison(compared(STILL), flags=apart)
    said = "The JVMs differ in: MaxHeapSize 1 → 2; UseNUMA not there → false"
    assert said in markdown(CATALOG, found)
    console = Console(width=200, record=True)
    print_verdict(CATALOG, console, found)
    assert said in console.export_text()


def test_where_collectors_differ_it_says_where_their_cost_is() -> None:
    z = msgspec.structs.replace(CELL, flags=("-XX:+UseZGC",))
    said = "the garbage collectors differ: what theirs costs is in app CPU per request, without compilers"
    assert said in markdown(CATALOG, comparison(compared(STILL, head=z)))
    same = msgspec.structs.replace(CELL, flags=("-XX:+UseG1GC", "-Xss2m"))  # every cell's
    assert said not in markdown(CATALOG, comparison(compared(STILL, head=same)))


def test_the_comment_is_what_it_was() -> None:
    assert markdown(CATALOG, comparison(compared(verdict(), STILL))) == GOLDEN.read_text()


def test_noise_that_was_measured_elsewhere_or_never_is_told() -> None:
    here = record().provenance.machine
    twin = msgspec.structs.replace(here, hostname_digest="0" * 12)
    assert "measured on another machine of this kind (2 × A CPU)" in markdown(
        CATALOG, comparison(compared(STILL), calibrated_on=twin)
    )
    elsewhere = msgspec.structs.replace(twin, cpu_model="<Another> Processor", processors=8)
    said = markdown(CATALOG, comparison(compared(STILL), calibrated_on=elsewhere))
    told = f"its noise was measured on 8 × &#60;Another&#62; Processor, and this ran on {here.processors} × "
    assert told in said
    assert "never measured" in markdown(CATALOG, comparison(compared(STILL), calibrated_on=None))
    assert "its noise" not in markdown(CATALOG, comparison(compared(STILL)))


def test_versions_that_were_bumped_are_named_and_what_tells_them_apart() -> None:
    bumps = ("spring-boot 4.0.0 → 4.0.1", "mysql-connector-j 9.6.0 → 9.7.0")
    worse = compared(verdict(word="worse"))
    said = markdown(CATALOG, comparison(worse, bumps=bumps))
    asked = comparison(worse).occasion.command.replace("telar ab", "telar attribute")
    assert f"{plain(f'bumped between them: {bumps[0]}, {bumps[1]}; which of them it is')}: `{asked}`" in said
    for found in (
        comparison(worse, bumps=bumps[:1]),
        comparison(compared(verdict(word="same")), bumps=bumps),
    ):
        text = markdown(CATALOG, found)
        assert "bumped between them" in text
        assert "telar attribute" not in text
    assert "bumped" not in markdown(CATALOG, comparison(worse))


def test_what_each_version_does_alone_is_a_table_in_place_of_the_command() -> None:
    names = ("spring-boot 4.0.0 → 4.0.1", "<b>|x", "interaction", "all together")
    parts = tuple(Part(name=n, effect=0.1, low=0.05, high=0.15, share=None) for n in names)
    found = comparison(compared(verdict(word="worse")), bumps=names[:2])
    each = Attributed(variant="spring-mysql-blocking-virtual", metric="p50", parts=parts)
    said = markdown(CATALOG, msgspec.structs.replace(found, attributed=(each,)))
    assert f"| {plain(names[0])} | +10.0% | +5.0% … +15.0% | – |" in said
    assert "<b>" not in said
    assert "telar attribute" not in said


def test_the_headline_names_the_worst() -> None:
    worse = verdict(metric="p99", effect=0.5, low=0.3, high=0.7)
    said = headline(CATALOG, comparison(compared(verdict(), worse, STILL)))
    assert said == "worse: p99 of spring-mysql-blocking-virtual +50.0% (+30.0% … +70.0%), and 1 more"


def test_what_is_open_is_counted_and_what_is_alike_is_told() -> None:
    open_ = verdict(word="undecided", effect=0.03)
    assert (
        headline(CATALOG, comparison(compared(open_, STILL))) == "undecided: 1 of 2 questions is still open"
    )
    assert headline(CATALOG, comparison(compared(STILL))).startswith("same: nothing moved by what matters")


def test_what_is_better_is_told_without_hiding_what_is_open() -> None:
    better = verdict(word="better", effect=-0.2, low=-0.3, high=-0.1)
    said = headline(CATALOG, comparison(compared(better, verdict(word="undecided", effect=0.03), STILL)))
    assert said.startswith("undecided: 1 of 3 questions is still open; better: ")
    assert headline(CATALOG, comparison(compared(better, STILL))).startswith("better: ")


def test_where_nothing_could_be_compared_nothing_is_the_same() -> None:
    blind = compared(STILL, pairs=0, forks=0, left_out=2, refused=("warm (2)",))
    said = headline(CATALOG, comparison(compared(STILL), blind))
    assert said.startswith("undecided: no pair of windows is sound on both sides of spring-mysql")
    assert headline(CATALOG, comparison(blind)).startswith("undecided:")


def test_names_from_outside_are_text_in_it() -> None:
    hostile = "x`</summary><img src=a onerror=b>|[click](http://a)@everyone"
    cell = msgspec.structs.replace(CELL, variant=hostile)
    text = markdown(
        CATALOG, comparison(compared(verdict(), base=cell, head=cell), base=hostile, head=hostile)
    )
    for part in ("<img", "](http", "@everyone"):
        assert part not in text


def test_it_is_never_longer_than_github_takes() -> None:
    many = [compared(*(verdict() for _ in range(4)), *(STILL for _ in range(20))) for _ in range(60)]
    text = markdown(CATALOG, comparison(*many))
    assert len(text) <= LIMIT + 200
    assert "too long for a comment" in text

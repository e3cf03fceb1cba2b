"""`telar ab --why` and `telar why`: when windows are profiled, and what is said of them. The windows are of
another test's stand-in, their profiles are real ones of async-profiler's.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from telar.analyse.methods import Profile
from telar.analyse.threads import Sample, of_side
from telar.analyse.timed import Timed
from telar.analyse.why import Why
from telar.cli import explaining
from telar.collect import profile
from telar.errors import RunError
from telar.plan.cells import PlannedRun
from telar.publish import why as published
from telar.publish.verdict import plain
from telar.run import session as sessions
from telar.run.http import profiled
from telar.run.http.profiled import Sampled
from telar.store.files import Session
from telar.store.record import Metric, Record

from ..store.records import put, record
from .conftest import Telar
from .test_ab import ONE, Runs, runs

__all__ = ["runs"]
SAMPLES = Path(__file__).parents[1] / "collect" / "samples"
SECONDS = 6.0  # of each sample


class Profiled:
    """In place of windows under a profiler."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[tuple[str, ...]] = []  # names of the windows that are loaded again
        self.fails = ""
        self.folder = folder

    def __call__(
        self, sides: Mapping[str, object], loads: Mapping[str, PlannedRun], kept: Path, *, clock: str
    ) -> profiled.Session:
        self.asked.append(tuple(w.name for w in loads.values()))
        if self.fails:
            raise RunError(self.fails)
        made = []
        for side in profiled.ORDER:
            found = sample(side)
            used = sum(found.cpu.values()) / SECONDS / 300  # ms per request, at 300 a second
            made.append(
                Sampled(
                    side=side,
                    record=window(used),
                    profile=found,
                    file=self.folder / f"{side}.jfr",
                )
            )
        return profiled.Session(windows=tuple(made), clock=clock, packages=frozenset({""}), seconds=48.0)


@cache
def sample(side: str) -> Profile:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{side}.jfr"
        path.write_bytes(gzip.decompress((SAMPLES / f"shop-{side}.jfr.gz").read_bytes()))
        return profile.read(path, 0.0, 1e12)


def window(cpu: float) -> Record:
    values = {"app-cpu": cpu, "allocated": 160.0, "p50": 4.1}
    metrics = {n: Metric(value=v, unit="", better="smaller") for n, v in values.items()}
    return record(metrics=metrics)


class Pairs(Runs):
    """As a session makes them: what comes after a fork comes after its last window."""

    def __call__(
        self,
        catalog: object,
        engine: object,
        session: Session,
        progress: object,
        *,
        enough: Callable[[], bool],
        after: Any = None,
        again: bool = False,
    ) -> list[Record]:
        self.sessions.append(session)
        for _, windows in groupby(session.plan.runs, key=lambda run: run.pair and run.pair.fork):
            own = list(windows)
            for run in own:
                assert run.pair
                put(session, run, self.record(run, run.pair))
                if enough():
                    break
            if after:
                after({}, own)
            if enough():
                break
        return session.records()


@pytest.fixture
def pairs(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> Pairs:
    fake = Pairs()
    monkeypatch.setattr(sessions, "run", fake)
    return fake


@pytest.fixture
def profiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Profiled:
    fake = Profiled(tmp_path)
    monkeypatch.setattr(profiled, "sample", fake)
    monkeypatch.setattr(published, "flame", _page)
    return fake


def _page(base: object, head: object, title: str, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(title)
    return target


@pytest.mark.thorough
def test_a_comparison_that_is_worse_names_the_method(telar: Telar, pairs: Pairs, profiler: Profiled) -> None:
    pairs.effects = {"p50": 1.2}
    said = telar(*ONE, "--why")
    assert said.code == 8
    assert "why, spring-mysql-blocking-virtual: Shop.price, +" in said.out
    assert "what differs in 4 profiled windows" in said.out
    assert "Shop.price" in said.out
    (session,) = pairs.sessions
    verdict = json.loads((session.folder / "verdict.json").read_bytes())
    (why,) = verdict["why"]
    assert why["cpu"][0]["method"] == "Shop.price"
    assert why["cpu"][0]["low"] > 0
    assert (session.folder / why["flame"]).is_file()
    assert "| Shop.price |" in (session.folder / "verdict.md").read_text()


@pytest.mark.thorough
def test_only_who_asks_is_kept_waiting(
    telar: Telar, pairs: Pairs, profiler: Profiled, tmp_path: Path
) -> None:
    pairs.effects = {"p50": 1.2}
    said = telar(*ONE)
    assert said.code == 8
    assert (profiler.asked, "why" in said.out) == ([], False)
    pairs.effects = {}
    said = telar(*ONE, "--budget", "40m", "--json", "--why", "--data", tmp_path / "other")
    assert json.loads(said.out)["word"] == "same"
    assert len(profiler.asked) == 1
    assert json.loads(said.out)["why"][0]["cpu"][0]["method"] == "Shop.price"


@pytest.mark.thorough
def test_the_windows_come_after_the_last_fork_alone(telar: Telar, pairs: Pairs, profiler: Profiled) -> None:
    telar(*ONE, "--budget", "40m", "--why", "--repeat", "3")
    (session,) = pairs.sessions
    last = max(r.pair.fork for r in session.plan.runs if r.pair and session.has(r.name))
    (asked,) = profiler.asked
    assert all(f"+f{last}" in name for name in asked)


@pytest.mark.thorough
def test_what_could_not_be_profiled_says_why_and_the_verdict_stands(
    telar: Telar, pairs: Pairs, profiler: Profiled
) -> None:
    pairs.effects = {"p50": 1.2}
    profiler.fails = "the JVM 12 refused libasyncProfiler.so"
    said = telar(*ONE, "--why")
    assert said.code == 8
    assert "no profile: the JVM 12 refused libasyncProfiler.so" in said.out


@pytest.mark.thorough
def test_no_number_of_the_verdict_is_of_a_profiled_window(
    telar: Telar, pairs: Pairs, profiler: Profiled, tmp_path: Path
) -> None:
    pairs.effects = {"p50": 1.2}
    said = [telar(*ONE, *f, "--json", "--data", tmp_path / "".join(("data", *f))) for f in ((), ("--why",))]
    without, profiled_too = (json.loads(each.out)["compared"] for each in said)
    assert len(profiler.asked) == 1
    assert without == profiled_too


@pytest.mark.thorough
def test_it_is_shown_again_for_people_and_for_machines(
    telar: Telar, pairs: Pairs, profiler: Profiled
) -> None:
    telar(*ONE, "--why")
    (session,) = pairs.sessions
    assert "Shop.price" in telar("why", session.folder).out
    (found,) = json.loads(telar("why", session.folder, "--json").out)
    first = found["cpu"][0]
    assert first["own_head"] > first["own_base"] > 0
    assert found["base"]["windows"] == found["head"]["windows"] == 2
    assert found["base"]["cpu_cost"] is None  # the plain windows of this test don't know it
    assert found["base"]["p50_cost"] == pytest.approx(4.1 / 4.0 - 1, abs=0.01)


@pytest.mark.thorough
def test_a_session_without_a_profile_says_how_to_get_one(telar: Telar, pairs: Pairs) -> None:
    telar(*ONE, "--budget", "40m")
    (session,) = pairs.sessions
    said = telar("why", session.folder)
    assert said.code == 2
    assert "no window of this session was profiled" in said.err
    assert "telar ab --why" in said.err


@pytest.mark.thorough
def test_a_file_that_was_changed_is_refused(telar: Telar, pairs: Pairs, profiler: Profiled) -> None:
    telar(*ONE, "--why")
    (session,) = pairs.sessions
    (session.folder / "why.json").write_text('[{"variant": 3}]')
    said = telar("why", session.folder)
    assert said.code == 2
    assert "why.json" in said.err


def test_benchmarks_of_jmh_are_refused_with_the_reason(
    telar: Telar, pairs: Pairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explaining, "kind_of", lambda catalog, label: "jmh")
    said = telar(*ONE, "--why")
    assert said.code == 2
    assert "is of the kind jmh, whose forks end with their measurement" in said.err
    assert pairs.sessions == []


def test_methods_of_the_change_have_a_table_of_their_own() -> None:
    known: dict[str, Any] = {
        "base_calls": 1.0,
        "base": 10.0,
        "head": 12.5,
        "base_least": 8.0,
        "head_least": 9.9,
    }
    slower = Timed(
        method="shop.Cart.find",
        head_calls=1.0,
        **known,
        change=0.25,
        low=0.12,
        high=0.4,
        q=0.001,
        word="slower",
    )
    more = Timed(method="shop.Cart.price", head_calls=20.0, **known, word="called more")
    why = Why(variant="shop", cell="shop", seconds=50.0, timed=(slower, more))
    text = "\n".join(published.markdown(why, plain))
    assert "| slower | Cart.find | 1 → 1 | 10 → 12.5 | +25% (+12% … +40%) |" in text
    assert "| called more | Cart.price | 1 → 20 | 10 → 12.5 | – |" in text
    console = Console(width=80, record=True)
    published.print_why(console, why)
    said = console.export_text()
    assert max(map(len, said.splitlines())) <= 80
    assert "called more" in said
    alike = msgspec.structs.replace(why, timed=(msgspec.structs.replace(slower, word=""),))
    assert "timed by the JVM: none surely differs" in "\n".join(published.markdown(alike, plain))
    without = msgspec.structs.replace(why, timed=(), untimed="the JVM times methods from JDK 25 on")
    assert "aren't timed: the JVM times methods from JDK 25 on." in "\n".join(
        published.markdown(without, plain)
    )


def test_times_of_milliseconds_are_no_powers_of_ten() -> None:
    slower = Timed(
        method="shop.Cart.page", base_calls=0.2, head_calls=0.2, base=1604.2, head=12_345.0, base_least=446.0,
        head_least=2500.0, change=6.7, low=5.1, high=8.7, q=0.0, word="slower",
    )  # fmt: skip
    why = Why(variant="shop", cell="shop", timed=(slower,))
    assert published.first(why) == "Cart.page is slower: 1,600 → 12,300 µs a call"
    assert published.timed_rows(why)[0][3] == "1,600 → 12,300"


def test_libraries_of_two_versions_are_named() -> None:
    why = Why(variant="shop", cell="shop", libraries=("a 1 → 2", "b 1 → 2"))
    assert "libraries that differ: a 1 → 2, b 1 → 2." in published.markdown(why, plain)
    many = msgspec.structs.replace(why, libraries=tuple(f"boot-{n} 1 → 2" for n in range(62)))
    console = Console(width=80, record=True)
    published.print_why(console, many)
    said = console.export_text()
    assert " ".join(said.split()).count("boot-") == 4
    assert "and 58 more, in why.json" in said


def test_the_comparisons_page_has_the_same_tables() -> None:
    slower = Timed(
        method="shop.Cart.find", base_calls=1.0, head_calls=1.0, base=10.0, head=12.5, base_least=8.0,
        head_least=9.9, change=0.25, low=0.12, high=0.4, q=0.001, word="slower",
    )  # fmt: skip
    side = of_side([record()], [Sample(carriers=2, busy=1, queued=0)])
    found = published.tables(Why(variant="shop", cell="shop", timed=(slower,), threads=(side, side)))
    assert [t.title for t in found] == [
        "shop: Methods of the change, timed by the JVM",
        "shop: What threads do",
    ]
    timed, threads = found
    assert timed.rows == (("slower", "Cart.find", "1 → 1", "10 → 12.5", "+25% (+12% … +40%)"),)
    assert all(len(row) == len(threads.heads) for row in threads.rows)
    assert published.tables(Why(variant="shop", cell="shop", refused="no JDK")) == []

"""async-profiler in a JVM that runs, and the flame graph of two of its profiles."""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from telar.collect import profile, recording
from telar.errors import TelarError
from telar.publish import why
from telar.run.http import profiled, scheduler, timed
from telar.tools import agent, components, shell

pytestmark = pytest.mark.embedded
SAMPLES = Path(__file__).parents[1] / "collect" / "samples"
UP = 30.0  # seconds in which it compiles and starts


@contextlib.contextmanager
def shop(folder: Path, *flags: str) -> Iterator[shell.Process]:
    """Java's own launcher compiles it; it ends by itself after a minute."""
    jdk = components.ensure("jdk", lambda _: None).path
    log = folder / "shop.log"
    with shell.spawn([jdk / "bin" / "java", *flags, SAMPLES / "Shop.java", "10", "60"], log=log) as process:
        until = time.monotonic() + UP
        while "up" not in log.read_text():
            assert process.poll() is None, process.tail()
            assert time.monotonic() < until
            time.sleep(0.1)
        yield process


@pytest.fixture(scope="module")
def library() -> Path:
    return components.ensure("async-profiler", lambda _: None).path


def test_a_jvm_is_profiled_while_it_runs_and_goes_on(tmp_path: Path, library: Path) -> None:
    """Twice, as a comparison does: the second time it has the library open already."""
    own, used = profiled._place(library, tmp_path), list[str]()
    with shop(tmp_path) as process:
        for n, clock in ((1, profiled.FINE), (2, profiled.TICKS)):
            target, start = tmp_path / f"a-{n}.jfr", time.time()
            with profiled._sampling(process.pid, own, target, clock, used):
                time.sleep(3)
            found = profile.read(target, start, time.time())
            assert process.poll() is None
            assert any("Shop.handle" in stack for stack in found.cpu)
            assert any("Shop.parse" in stack for stack in found.bytes)
    assert used[0] in (profiled.FINE, profiled.TICKS)  # as the kernel lets it
    assert used[1] == profiled.TICKS


def test_a_jvm_that_lets_no_one_in_is_named(tmp_path: Path, library: Path) -> None:
    with (
        shop(tmp_path, "-XX:+DisableAttachMechanism") as process,
        pytest.raises(TelarError, match=str(process.pid)),
    ):
        agent.order(process.pid, library, "start,event=ctimer")


def test_an_order_that_the_profiler_does_not_know_is_refused(tmp_path: Path, library: Path) -> None:
    with shop(tmp_path) as process, pytest.raises(TelarError, match=r"refused libasyncProfiler\.so"):
        agent.order(process.pid, library, "start,event=no-such-event")


def test_a_jvm_times_methods_while_it_runs_and_again(tmp_path: Path) -> None:
    recording.prepare(tmp_path)
    with shop(tmp_path, *recording.options(tmp_path)) as process:
        for _ in (1, 2):
            timed.start(process.pid, ["Shop::parse", "Shop::price"])
            time.sleep(2)
            begun = time.time()
            time.sleep(3)
            ended = time.time()
            time.sleep(2)
            timed.stop(process.pid)
            found = recording.timings(tmp_path, begun, ended)
            assert set(found) == {"Shop::parse", "Shop::price"}
            for calls in found.values():
                assert calls.count > 10
                assert 0 < calls.least <= calls.seconds / calls.count
                assert calls.seconds < 2 * (ended - begun)  # of processor time there is no more
            # Two overloads: one that is called twenty times for each of the other.
            assert found["Shop::parse"].count == pytest.approx(21 * found["Shop::price"].count, rel=0.05)
    with (
        shop(tmp_path, "-XX:+DisableAttachMechanism") as process,
        pytest.raises(TelarError, match=str(process.pid)),
    ):
        timed.start(process.pid, ["Shop::parse"])


def test_the_scheduler_of_virtual_threads_is_watched_while_it_works(tmp_path: Path) -> None:
    with shop(tmp_path) as process:
        with scheduler.watched(process.pid) as without:
            time.sleep(0.5)
        assert without == []  # no jcmd has opened the door yet
        agent.ask(process.pid, "VM.version")
        with scheduler.watched(process.pid) as seen:
            time.sleep(2)
        assert len(seen) > 5
        assert {s.carriers for s in seen} == {os.cpu_count()}
        assert any(s.busy for s in seen)


def names(page: str) -> set[str]:
    """Of the frames: each is written as how much it has in common with the one before, and the rest."""
    pool = page.partition("const cpool = [")[2].partition("];")[0]
    found = ["all"]
    for entry in re.findall(r"'(.*)'", pool)[1:]:
        found.append(found[-1][: ord(entry[0]) - ord(" ")] + entry[1:])
    return set(found)


def test_the_flame_graph_of_both_sides_is_one_small_file_that_needs_no_other(tmp_path: Path) -> None:
    sides = []
    for side in ("a", "b"):
        path = tmp_path / f"{side}.jfr"
        path.write_bytes(gzip.decompress((SAMPLES / f"shop-{side}.jfr.gz").read_bytes()))
        sides.append({stack: float(n) for stack, n in profile.read(path, 0.0, 1e12).cpu.items()})
    page = why.flame(sides[0], sides[1], "CPU-ns per request", tmp_path / "why" / "flame.html")
    text = page.read_text()
    assert len(text) <= 500_000
    assert "Shop.price" in names(text)
    assert not re.search(
        r"""(?:src|href)\s*=\s*["']?(?:https?:)?//(?!github\.com)|@import|url\(http|fetch\(""", text
    )
    assert not re.search(r"""<(?:script|link|img|iframe)[^>]+(?:src|href)""", text)

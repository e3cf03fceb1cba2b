"""What JVMs recorded by themselves. The samples are of a JDK 21 and of a JDK 25 that still ran: 20 virtual
threads parked 2 ms with a lock held, one 3 ms while its class was initialised; then 1,000 arrays of 10,000
bytes a second.
"""

from __future__ import annotations

import gzip
import struct
from itertools import pairwise
from pathlib import Path

import pytest

from telar.collect import recording
from telar.collect.jfr import Chunk, Torn
from telar.collect.recording import Recorded

SAMPLES = Path(__file__).parent / "samples"
FOREVER = 1e12
JDKS = ("21", "25")


def sample(jdk: str) -> bytes:
    return gzip.decompress((SAMPLES / f"jdk-{jdk}.jfr.gz").read_bytes())


def written(folder: Path, *chunks: bytes) -> Path:
    """A run's folder with a recording."""
    repository = folder / recording.FOLDER / "2026_11_24_23_17_08_4711"
    repository.mkdir(parents=True)
    for n, chunk in enumerate(chunks):
        (repository / f"2026_11_24_23_17_{n:02d}.jfr").write_bytes(chunk)
    return folder


def read(folder: Path, start: float = 0.0, end: float = FOREVER) -> Recorded:
    found = recording.read(folder, start, end)
    assert found
    return found


def test_every_pin_is_there_with_its_length_however_short(tmp_path: Path) -> None:
    pins = read(written(tmp_path, sample("21"))).pins
    assert len(pins) == 21
    short, *others = sorted(p.seconds for p in pins)
    assert short == pytest.approx(0.00015, abs=1e-5)  # one that woke at once
    assert all(0.0019 < seconds < 0.003 for seconds in others)
    assert {p.reason for p in pins} == {""}  # JDK 21 says none


def test_from_jdk_24_on_a_lock_pins_no_more_and_the_reason_is_said(tmp_path: Path) -> None:
    (pin,) = read(written(tmp_path, sample("25"))).pins
    assert pin.reason == "VM call to Few$Slow.<clinit> on stack"
    assert 0.003 <= pin.seconds < 0.05


@pytest.mark.parametrize(
    ("jdk", "first"),
    [("21", ["Few.hold:4", "Few$Slow.<clinit>:3"]), ("25", ["Few$Slow.<clinit>:3"])],
)
def test_a_record_keeps_each_place_once_beginning_with_who_waited(
    tmp_path: Path, jdk: str, first: list[str]
) -> None:
    pins = read(written(tmp_path, sample(jdk))).pins
    kept = recording.places(pins)
    assert [place.stack[0] for place in kept] == first
    assert sum(place.count for place in kept) == len(pins)
    assert sum(place.seconds for place in kept) == pytest.approx(sum(p.seconds for p in pins))


def test_only_the_longest_places_are_kept() -> None:
    pins = [
        recording.Pin(time=0.0, seconds=0.001 * n, reason="", stack=(f"app.Place{n}.wait:1",) * 40)
        for n in range(1, 10)
    ]
    kept = recording.places(pins)
    assert [place.stack[0] for place in kept] == [f"app.Place{n}.wait:1" for n in (9, 8, 7, 6, 5)]
    assert {len(place.stack) for place in kept} == {24}


@pytest.mark.parametrize("jdk", JDKS)
def test_what_threads_allocate_is_exact(tmp_path: Path, jdk: str) -> None:
    allocated = read(written(tmp_path, sample(jdk))).allocated
    assert len(allocated) >= 3
    growth = [b - a for (_, a), (_, b) in pairwise(allocated)]
    # 1,000 arrays with their 16 bytes of header, and next to nothing else.
    assert growth == [pytest.approx(10_016_000, rel=1e-4)] * len(growth)
    steps = [b - a for (a, _), (b, _) in pairwise(allocated)]
    assert steps == [pytest.approx(1.0, abs=0.05)] * len(steps)


def test_only_a_stretch_of_time_is_read(tmp_path: Path) -> None:
    folder = written(tmp_path, sample("21"))
    whole = read(folder)
    first, second = whole.allocated[0][0], whole.allocated[1][0]
    assert read(folder, start=second).allocated == whole.allocated[1:]  # with what threads had before it
    assert read(folder, end=first).allocated == whole.allocated[:1]
    assert read(folder, start=second).pins == ()
    assert recording.reached(folder) == pytest.approx(whole.allocated[-1][0], abs=0.1)


def test_several_chunks_are_one_recording(tmp_path: Path) -> None:
    one = read(written(tmp_path / "one", sample("21")))
    two = read(written(tmp_path / "two", sample("21"), sample("25")))
    assert len(two.pins) == len(one.pins) + 1
    assert two.allocated[: len(one.allocated)] == one.allocated


def test_without_a_recording_nothing_is_known(tmp_path: Path) -> None:
    assert recording.read(tmp_path, 0.0, FOREVER) is None
    assert recording.reached(tmp_path) == 0.0


@pytest.mark.thorough
@pytest.mark.parametrize("jdk", JDKS)
def test_a_chunk_that_is_cut_anywhere_is_torn_or_holds_less_and_nothing_else(jdk: str) -> None:
    data = sample(jdk)
    for cut in [*range(200), *range(200, len(data), 997)]:
        try:
            chunk = Chunk(data[:cut])
            events = list(chunk.events({recording.PINNED: 0.0, recording.ALLOCATED: 0.0}, FOREVER))
            assert len(events) < 1000
        except Torn:
            continue


def test_bytes_that_are_no_chunk_are_torn(tmp_path: Path) -> None:
    good = sample("25")
    for bad in (b"", b"FLR\0", b"PK\3\4" + good[4:], good[:4] + struct.pack(">H", 9) + good[6:]):
        with pytest.raises(Torn):
            Chunk(bad)
    assert recording.read(written(tmp_path, b""), 0.0, FOREVER) is None


def test_the_options_name_the_runs_own_folder(tmp_path: Path) -> None:
    recording.prepare(tmp_path)
    start, more = recording.options(tmp_path)
    assert f"settings={tmp_path / recording.SETTINGS}," in start
    assert (tmp_path / recording.SETTINGS).read_text().count('<setting name="threshold">0 ns</setting>') == 1
    assert f"repository={tmp_path / recording.FOLDER}," in more

"""What async-profiler 4.6 wrote of a JDK 25: six seconds of `Shop.java` beside the samples, which prices
10 items a request (`a`) or 20 (`b`), and parses a line twenty times, with -XX:+DebugNonSafepoints.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from telar.analyse.methods import Profile, Rules, Seen, differences
from telar.collect import profile
from telar.collect.jfr import Chunk
from telar.errors import RunError

SAMPLES = Path(__file__).parent / "samples"
FOREVER = 1e12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for side in ("a", "b"):
        content = gzip.decompress((SAMPLES / f"shop-{side}.jfr.gz").read_bytes())
        (tmp_path / f"{side}.jfr").write_bytes(content)
    return tmp_path


def read(folder: Path, side: str = "a") -> Profile:
    return profile.read(folder / f"{side}.jfr", 0.0, FOREVER)


def test_a_stack_has_javas_frames_from_the_outermost_to_the_innermost(folder: Path) -> None:
    pricing = [stack for stack in read(folder).cpu if stack[-1] == "Shop.price"]
    assert pricing
    assert {stack[-2] for stack in pricing} == {"Shop.handle"}
    assert {stack[-3] for stack in pricing} == {"Shop.lambda$main$"}  # whose number each compiler draws
    assert all("$$Lambda.run" in stack[-4] and "0x" not in stack[-4] for stack in pricing)


def test_what_parses_allocates_and_what_prices_does_not(folder: Path) -> None:
    allocated = read(folder).bytes
    whole = sum(allocated.values())
    assert sum(n for stack, n in allocated.items() if "Shop.parse" in stack) > 0.8 * whole
    assert sum(n for stack, n in allocated.items() if "Shop.price" in stack) == 0


def test_threads_of_the_jvms_own_say_what_they_do(folder: Path) -> None:
    own = {stack for stack in read(folder).cpu if stack[0].startswith("[")}
    assert ("[compilers]",) in own
    assert all(len(stack) == 1 for stack in own)


def test_samples_outside_the_window_are_left_out(folder: Path) -> None:
    with pytest.raises(RunError, match="saw no thread at work"):
        profile.read(folder / "a.jfr", 0.0, 1.0)


@pytest.mark.parametrize("made", ["empty", "no recording", "cut", "a type within itself"])
def test_what_is_no_profile_is_refused_with_its_file(folder: Path, made: str) -> None:
    file = folder / "a.jfr"
    good = file.read_bytes()
    file.write_bytes(
        {
            "empty": b"",
            "no recording": b"not a recording",
            "cut": good[:4000],
            # What was a constant is said to be a value.
            "a type within itself": good.replace(b"\x04true", b"\x04nope"),
        }[made]
    )
    with pytest.raises(RunError, match=r"a\.jfr"):
        read(folder)


def test_a_constant_of_another_kind_is_no_profile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chunk, "resolved", lambda *_: "a text")
    with pytest.raises(RunError, match=r"a\.jfr: isn't a whole profile"):
        read(folder)


def test_a_file_that_is_not_there_is_named(folder: Path) -> None:
    with pytest.raises(RunError, match=r"c\.jfr: async-profiler left no profile"):
        read(folder, "c")


@pytest.mark.thorough
def test_of_two_real_profiles_the_method_that_does_more_is_named(folder: Path) -> None:
    base, head = read(folder), read(folder, "b")
    found = differences(
        [Seen(stacks=base.cpu, whole=1000.0 * sum(base.cpu.values()) / 6)],
        [Seen(stacks=head.cpu, whole=1000.0 * sum(head.cpu.values()) / 6)],
        is_own=lambda method: method.startswith("Shop."),
        rules=Rules(),
    )
    assert [each.method for each in found][:1] == ["Shop.price"]
    assert found[0].low < found[0].change < found[0].high
    assert found[0].low > 0


@pytest.mark.parametrize(
    ("drawn", "plain"),
    [
        ("Shop$$Lambda.0x00007f1c0c011a00", "Shop$$Lambda"),
        ("Shop$$Lambda$14/0x000000080004c840", "Shop$$Lambda"),
        ("lambda$find$12", "lambda$find$"),
        ("java.lang.invoke.LambdaForm$MH.0x0000000800c04000", "java.lang.invoke.LambdaForm$MH"),
        ("jdk.proxy2.$Proxy97", "jdk.proxy2.$Proxy"),
        ("dev.telar.movies.MovieService$$SpringCGLIB$$0", "dev.telar.movies.MovieService$$SpringCGLIB$$"),
        ("jdk.internal.reflect.GeneratedMethodAccessor41", "jdk.internal.reflect.GeneratedMethodAccessor"),
        ("com.shop.Cart$Line", "com.shop.Cart$Line"),
    ],
)
def test_what_a_jvm_draws_is_not_in_a_name(drawn: str, plain: str) -> None:
    assert profile.plain(drawn) == plain


def test_stacks_are_lines_of_whole_numbers_for_a_flame_graph() -> None:
    stacks = {("b.B.run", "c.C.go"): 2.6, ("a.A.main",): 12.0, ("d.D.no",): 0.2}
    assert profile.collapsed(stacks) == "a.A.main 12\nb.B.run;c.C.go 3\n"

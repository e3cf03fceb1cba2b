"""What a comment remembers of earlier answers."""

from __future__ import annotations

from telar.github.answers import MOST, Answers, read, written

HEAD = "a" * 40


def test_what_is_written_is_read_and_is_of_one_commit() -> None:
    known = Answers(commit=HEAD).with_("77.1", "worse").with_("77.2", "same")
    assert read(f"a comment\n{written(known)}\nand its end", HEAD) == known
    assert read(written(known), "b" * 40) == Answers(commit="b" * 40)


def test_what_was_called_worse_stays_however_often_is_asked() -> None:
    known = Answers(commit=HEAD)
    for n in range(MOST):
        known = known.with_(f"{n}.1", "undecided")
    known = known.with_("100.1", "worse")
    for n in range(200, 200 + 2 * MOST):
        known = known.with_(f"{n}.1", "same")
    assert len(known.words) == MOST
    assert known.worse_before("999.1") == "100.1"
    assert read(written(known), HEAD) == known

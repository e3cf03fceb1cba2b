"""What the record says of the machine and the checkout."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import psutil
import pytest

from telar.run.machine import _chosen, _swap_mib, commit, machine


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    (tmp_path / ".gitignore").write_text("ignored\n")
    (tmp_path / "file").write_text("one")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    return tmp_path


def test_a_clean_checkout_is_its_commit(checkout: Path) -> None:
    head, dirty = commit(checkout)
    assert len(head) == 40
    assert dirty == ""
    (checkout / "ignored").touch()
    assert commit(checkout) == (head, "")


def test_changes_and_new_files_have_a_digest_of_their_own(checkout: Path) -> None:
    head, _ = commit(checkout)
    digests = set()
    for name, text in (("file", "two"), ("file", "three"), ("new", "x"), ("new", "y")):
        (checkout / name).write_text(text)
        again, dirty = commit(checkout)
        assert again == head
        digests.add(dirty)
    assert len(digests) == 4
    assert "" not in digests
    assert commit(checkout) == commit(checkout)


def test_any_new_file_counts_even_if_it_cannot_be_read(checkout: Path) -> None:
    seen = {commit(checkout)}
    (checkout / "naïve \n name").write_text("x")
    seen.add(commit(checkout))
    (checkout / "nowhere").symlink_to(checkout / "missing")
    seen.add(commit(checkout))
    subprocess.run(["git", "init", "-q", "nested"], cwd=checkout, check=True)
    seen.add(commit(checkout))
    assert len(seen) == 4


def test_an_export_without_git_has_no_commit(tmp_path: Path) -> None:
    assert commit(tmp_path) == ("", "")


def test_a_machine_is_told_from_others_without_its_name() -> None:
    seen = machine("28.5.2")
    assert seen.processors == os.cpu_count()
    assert seen.memory_mib > 100
    assert seen.kernel == os.uname().release
    assert seen.container_engine == "28.5.2"
    assert len(seen.hostname_digest) == 12
    assert socket.gethostname() not in seen.hostname_digest


def test_what_a_machine_does_with_memory_and_cores_is_told() -> None:
    seen = machine("")
    assert seen.smt in {"on", "off", "not exposed"}
    assert seen.transparent_huge_pages in {"always", "madvise", "never", "not exposed"}
    assert seen.swap_mib == psutil.swap_memory().total // 1024**2


def test_of_the_kernels_words_the_chosen_one_is_taken() -> None:
    assert _chosen("always [madvise] never") == "madvise"
    assert _chosen("") == "not exposed"
    assert _swap_mib("MemTotal:  100 kB\nSwapTotal:       2097148 kB") == 2047
    assert _swap_mib("") is None

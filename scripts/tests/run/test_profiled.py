"""What a service may have put into its run's folder, where a profile is expected or a library goes."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from telar.errors import RunError
from telar.run.http import profiled
from telar.run.http.profiled import own_packages
from telar.store.record import Record

from ..gates.sound import LOAD
from ..store.records import record


def test_the_library_is_put_where_a_link_was_and_not_where_it_led(tmp_path: Path) -> None:
    library, precious, folder = (tmp_path / name for name in ("library.so", "precious", "run"))
    folder.mkdir()
    own = folder / library.name
    library.write_bytes(b"code")
    precious.write_bytes(b"precious")
    own.symlink_to(precious)
    assert profiled._place(library, folder) == own
    assert precious.read_bytes() == b"precious"
    assert (own.read_bytes(), own.is_symlink(), own.stat().st_mode & 0o777) == (b"code", False, 0o755)


def test_a_profile_is_moved_out_of_the_services_folder(tmp_path: Path) -> None:
    written, kept = tmp_path / "a-1.jfr", tmp_path / "why" / "a-1.jfr"
    written.write_bytes(b"FLR")
    profiled._take(written, kept)
    assert kept.read_bytes() == b"FLR"
    assert not written.exists()


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "nothing"])
def test_what_is_no_file_is_not_taken(tmp_path: Path, kind: str) -> None:
    secret, written = tmp_path / "secret", tmp_path / "a-1.jfr"
    secret.write_text("secret")
    if kind == "link":
        written.symlink_to(secret)
    elif kind == "pipe":
        os.mkfifo(written)
    elif kind == "folder":
        written.mkdir()
    with pytest.raises(RunError, match=r"a-1\.jfr"):
        profiled._take(written, tmp_path / "kept.jfr")
    assert not (tmp_path / "kept.jfr").exists()


def test_the_applications_own_packages_are_those_of_the_jar_that_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "app").mkdir()
    for path, names in {
        "run.jar": ("BOOT-INF/classes/shop/Main.class", "org/springframework/boot/loader/Launcher.class"),
        "app/shop.jar": ("shop/prices/Prices.class", "META-INF/MANIFEST.MF", "readme.txt"),
    }.items():
        with zipfile.ZipFile(tmp_path / path, "w") as jar:
            for name in names:
                jar.writestr(name, "")
    command = ("java", "-Xmx1g", "-jar", str(tmp_path / "run.jar"), "--spring")
    monkeypatch.setattr(profiled, "command_line", lambda pid: command)
    assert own_packages(os.getpid()) == {"shop", "shop.prices"}


def test_a_jar_with_all_its_libraries_in_it_does_not_tell_which_are_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "run.jar", "w") as jar:
        for n in range(profiled.SHADED + 1):
            jar.writestr(f"p{n}/A.class", "")
    monkeypatch.setattr(profiled, "command_line", lambda pid: ("java", "-jar", str(tmp_path / "run.jar")))
    assert own_packages(os.getpid()) == frozenset()


def test_a_process_that_was_started_without_a_jar_has_none() -> None:
    assert own_packages(os.getpid()) == frozenset()


def test_the_cheaper_clock_is_taken_where_it_has_samples_enough() -> None:
    def window(cpu: float) -> Record:
        """Of 2,250 requests, each of so many milliseconds of processor time."""
        return record(load=LOAD, numbers={"app-cpu": cpu})

    assert profiled.clock_for([window(1.0), window(0.9)]) == profiled.TICKS
    assert profiled.clock_for([window(1.0), window(0.2)]) == profiled.FINE
    assert profiled.clock_for([]) == profiled.FINE

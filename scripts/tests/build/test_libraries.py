"""Which libraries differ between two applications, as Spring Boot and Quarkus pack them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from telar.build.libraries import Libraries, differing

Put = Callable[[Path, Mapping[str, bytes]], Path]
REGEX = {"regex/Matcher.class": b"1", "regex/Matcher$State.class": b"1", "META-INF/MANIFEST.MF": b""}


def zipped(files: Mapping[str, bytes]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)  # without the time
    return sink.getvalue()


def packed(folder: Path, libraries: Mapping[str, bytes]) -> Path:
    """All in one jar."""
    folder.mkdir()
    jar = folder / "app.jar"
    jar.write_bytes(zipped({f"BOOT-INF/lib/{name}": content for name, content in libraries.items()}))
    return jar


def unpacked(folder: Path, libraries: Mapping[str, bytes]) -> Path:
    """Beside a jar that has the application's own classes."""
    (folder / "lib" / "main").mkdir(parents=True)
    for name, content in libraries.items():
        (folder / "lib" / "main" / name).write_bytes(content)
    jar = folder / "app.jar"
    jar.write_bytes(zipped({"shop/Cart.class": b""}))
    return jar


@pytest.mark.parametrize("put", [packed, unpacked])
def test_a_library_of_another_version_differs_with_the_classes_of_both(tmp_path: Path, put: Put) -> None:
    newer = zipped(REGEX | {"regex/Matcher.class": b"2", "META-INF/versions/21/regex/Fast.class": b"2"})
    same = {"json-3.0.jar": zipped({"json/Json.class": b""})}
    base = put(tmp_path / "base", {"re2j-1.1.jar": zipped(REGEX), **same})
    head = put(tmp_path / "head", {"re2j-1.5.jar": newer, **same})
    found = Libraries(("re2j 1.1 → 1.5",), frozenset({"regex.Matcher", "regex.Matcher$State", "regex.Fast"}))
    assert differing([base], [head]) == found
    assert differing([base], [base]) == ((), frozenset())


def test_one_that_came_or_went_and_one_that_was_built_again(tmp_path: Path) -> None:
    base = packed(
        tmp_path / "base", {"old-1.jar": zipped({}), "own-1-SNAPSHOT.jar": zipped({"a/A.class": b"1"})}
    )
    head = packed(
        tmp_path / "head", {"new-2.jar": zipped({}), "own-1-SNAPSHOT.jar": zipped({"a/A.class": b"2"})}
    )
    found = differing([base], [head])
    assert found.names == ("new none → 2", "old 1 → none", "own 1-SNAPSHOT → 1-SNAPSHOT")
    assert found.classes == {"a.A"}


def test_what_is_no_jar_has_no_libraries(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jar"
    broken.write_text("no jar")
    base = packed(tmp_path / "base", {"a-1.jar": b"no jar either"})
    assert differing([broken, tmp_path / "none.jar"], [broken]) == ((), frozenset())
    assert differing([base], [broken]) == (("a 1 → none",), frozenset())

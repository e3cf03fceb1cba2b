from __future__ import annotations

import tarfile
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from telar.errors import EnvironmentProblem, MissingToolError
from telar.tools import components
from telar.tools.components import archive, base, golang, java, maven, others, postgresql


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine with nothing on it; gives the folder that is its PATH."""
    path = tmp_path / "path"
    path.mkdir()
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.setenv("TELAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(base, "SERVER_FOLDER", str(tmp_path))
    monkeypatch.setattr(java, "SYSTEM_HOMES", tmp_path / "jvm")
    monkeypatch.setattr(postgresql, "DEBIAN", tmp_path / "postgresql")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return path


def command(path: Path, name: str, says: str) -> Path:
    """A command of that name that prints `says`, with what running it takes."""
    for tool in ("setpriv", "cat"):
        if not (path / tool).exists():
            (path / tool).symlink_to(Path("/usr/bin") / tool)
    (path / name).write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\n")
    (path / name).chmod(0o755)
    return path / name


def java_home(folder: Path, version: str, *, compiles: bool = True) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "release").write_text(f'IMPLEMENTOR="Someone"\nJAVA_VERSION="{version}"\n')
    for tool in ["java", *(["javac"] if compiles else [])]:
        (folder / "bin" / tool).touch(0o755)
    return folder


def test_every_component_says_what_it_is_for_and_what_to_do_without_it() -> None:
    assert {"jdk", "maven", "k6", "mariadb"} < set(components.names())
    for name in components.names():
        recipe = components.describe(name)
        assert recipe.name == name
        assert recipe.purpose
        assert recipe.remedy


def test_a_bare_machine_has_no_component(bare_machine: Path) -> None:
    assert [name for name in components.names() if components.find(name)] == []


def test_what_cannot_be_set_up_says_what_to_do(bare_machine: Path) -> None:
    with pytest.raises(MissingToolError, match="no jre-27, which runs the apps on Java 27") as caught:
        components.set_up(java.runtime(27, None), lambda _: None)
    assert "--engine compose" in caught.value.hint


def test_without_any_maven_there_is_no_maven_to_fetch_one_with(bare_machine: Path) -> None:
    with pytest.raises(MissingToolError, match="no mvn on PATH") as caught:
        components.ensure("maven", lambda _: None)
    assert "install Maven 3.9" in caught.value.hint
    assert not list((base.home() / "components").glob("maven*"))


def test_an_installed_k6_is_taken_when_it_is_new_enough(bare_machine: Path) -> None:
    k6 = command(bare_machine, "k6", "k6 v2.2.1 (commit/abc, go1.26.8, linux/amd64)")
    found = components.find("k6")
    assert found == components.Component(name="k6", version="2.2.1", path=k6, origin="system")


def test_an_old_k6_is_not_taken(bare_machine: Path) -> None:
    command(bare_machine, "k6", "k6 v1.3.0 (go1.24.5, linux/amd64)")
    assert components.find("k6") is None


def test_a_component_of_the_cache_is_found_by_its_pinned_version(bare_machine: Path) -> None:
    built = base.install_cached("k6", golang.pinned("k6", "2.2.0"), lambda folder: (folder / "k6").touch())
    found = components.find("k6")
    assert found is not None
    assert (found.version, found.path, found.origin) == ("2.2.0", built / "k6", "cache")
    assert components.ensure("k6", lambda _: pytest.fail("nothing to say")) == found


@pytest.mark.parametrize(
    ("says", "version"),
    [
        ("mariadbd  Ver 11.4.5-MariaDB for Linux on x86_64", "11.4.5"),
        ("/usr/sbin/mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu", None),
    ],
)
def test_mariadb_is_taken_from_eleven_on(bare_machine: Path, says: str, version: str | None) -> None:
    command(bare_machine, "mariadbd", says)
    found = components.find("mariadb")
    assert (found and found.version) == version


@pytest.mark.parametrize(
    ("versions", "taken"),
    [(["9.6", "15.14", "18.1"], "18.1"), (["15.14"], "15.14"), (["14.19"], None), ([], None)],
)
def test_the_newest_of_debians_postgresqls_is_taken_from_fifteen_on(
    bare_machine: Path, tmp_path: Path, versions: list[str], taken: str | None
) -> None:
    for version in versions:
        folder = tmp_path / "postgresql" / version.partition(".")[0] / "bin"
        folder.mkdir(parents=True)
        command(bare_machine, "any", "")
        command(folder, "postgres", f"postgres (PostgreSQL) {version} (Debian {version}-1.pgdg13+1)")
    found = components.find("postgresql")
    assert (found and found.version) == taken


def test_a_docker_client_without_an_engine_is_no_engine(bare_machine: Path) -> None:
    command(bare_machine, "docker", "").write_text("#!/bin/sh\nexit 1\n")
    assert [r.name for r in others.RECIPES if r.find()] == []


@pytest.mark.parametrize(
    ("version", "expected"),
    [("3.9.12", (3, 9, 12)), ("25", (25,)), ("2.2.0-rc1", (2, 2, 0)), ("unknown", ())],
)
def test_versions_are_compared_by_their_numbers(version: str, expected: tuple[int, ...]) -> None:
    assert base.numbers(version) == expected


@pytest.mark.parametrize(("version", "taken"), [("3.8.7", False), ("3.9.0", True)])
def test_mavens_version_is_read_from_its_files(
    bare_machine: Path, tmp_path: Path, version: str, taken: bool
) -> None:
    home = tmp_path / "maven"
    (home / "lib").mkdir(parents=True)
    (home / "bin").mkdir()
    (home / "bin" / "mvn").touch(0o755)
    (bare_machine / "mvn").symlink_to(home / "bin" / "mvn")
    with zipfile.ZipFile(home / "lib" / "maven-core-3.x.jar", "w") as jar:
        name = "META-INF/maven/org.apache.maven/maven-core/pom.properties"
        jar.writestr(name, f"artifactId=maven-core\nversion={version}\n")
    assert maven.installed() == (bare_machine / "mvn", version)
    assert bool(maven.find()) == taken


def test_maven_keeps_the_callers_own_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAVEN_OPTS", raising=False)
    jdk = Path("/opt/jdk")
    assert maven.environment(jdk) == {"JAVA_HOME": "/opt/jdk", "MAVEN_OPTS": "-XX:TieredStopAtLevel=1"}
    monkeypatch.setenv("MAVEN_OPTS", "-Xmx2g")
    assert maven.environment(jdk) == {"JAVA_HOME": "/opt/jdk", "MAVEN_OPTS": "-Xmx2g"}


def test_javas_are_found_in_java_home_on_path_and_below_usr_lib_jvm_each_once(
    tmp_path: Path,
) -> None:
    jvm = tmp_path / "jvm"
    seventeen = java_home(jvm / "java-17", "17.0.15")
    (jvm / "default").symlink_to(seventeen)
    mine = java_home(tmp_path / "mine", "25.0.3")
    runner = java_home(tmp_path / "runner", "21.0.9")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(seventeen / "bin" / "java")
    (jvm / "not-java").mkdir()
    environ = {
        "JAVA_HOME": str(mine),
        "JAVA_HOME_21_X64": str(runner),
        "PATH": str(tmp_path / "bin"),
    }
    assert [h.path for h in java.homes(environ, jvm)] == [mine, runner, seventeen]


def home(version: str, *, compiles: bool = True) -> java.Home:
    return java.Home(path=Path(version), version=version, compiles=compiles)


@pytest.mark.parametrize(
    ("versions", "chosen"),
    [
        (["17.0.15"], None),
        (["17.0.15", "21.0.8"], "21.0.8"),
        (["21.0.8", "25.0.3", "26.0.1"], "25.0.3"),
        (["26.0.1", "27"], "27"),
        (["21.0.8", "21.0.10"], "21.0.10"),
        ([], None),
    ],
)
def test_apps_are_compiled_by_the_newest_lts_from_21_on(versions: list[str], chosen: str | None) -> None:
    found = java.choose_jdk(map(home, versions))
    assert (found and found.version) == chosen


def test_a_java_without_a_compiler_does_not_compile() -> None:
    assert java.choose_jdk([home("25.0.3", compiles=False)]) is None


def test_a_runtime_has_exactly_the_major_version_asked_for() -> None:
    candidates = [home("21.0.8", compiles=False), home("25.0.3"), home("21.0.10"), home("27")]
    assert java.choose_runtime(candidates, 21) == candidates[2]
    assert java.choose_runtime(candidates, 27) == candidates[3]
    assert java.choose_runtime(candidates, 24) is None


def test_an_archive_is_unpacked_with_its_modes_from_the_folder_asked_for(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.zip"
    with zipfile.ZipFile(bundle, "w") as content:
        program = zipfile.ZipInfo("tool-1.0/bin/tool")
        program.external_attr = 0o755 << 16
        content.writestr(program, "#!/bin/sh")
        content.writestr("META-INF/MANIFEST.MF", "not wanted")
    archive.unpack(bundle, tmp_path / "out", below="tool-1.0")
    files = [p.relative_to(tmp_path / "out") for p in (tmp_path / "out").rglob("*") if p.is_file()]
    assert files == [Path("bin/tool")]
    assert (tmp_path / "out" / "bin" / "tool").stat().st_mode & 0o777 == 0o755


def test_a_tar_archive_is_unpacked_whole_with_its_modes_and_links(tmp_path: Path) -> None:
    program = tmp_path / "server"
    program.write_text("#!/bin/sh")
    program.chmod(0o755)
    (tmp_path / "link").symlink_to("server")
    bundle = tmp_path / "bundle.txz"
    with tarfile.open(bundle, "w:xz") as content:
        content.add(program, "bin/server")
        content.add(tmp_path / "link", "bin/link")
    archive.unpack_tar(bundle, tmp_path / "out")
    assert (tmp_path / "out" / "bin" / "server").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "out" / "bin" / "link").read_text() == "#!/bin/sh"


def test_a_file_that_is_not_the_pinned_one_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "artifact.jar"
    file.write_bytes(b"right")
    archive.check(file, sha256(b"right").hexdigest())
    file.write_bytes(b"wrong")
    with pytest.raises(EnvironmentProblem, match=r"artifact\.jar is not the file that Telar pins"):
        archive.check(file, sha256(b"right").hexdigest())


def test_a_changed_module_is_another_pinned_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(golang, "_module", lambda _: tmp_path)
    (tmp_path / "main.go").write_text("package main")
    before = golang.pinned("tool", "1.0")
    (tmp_path / "main.go").write_text("package main // changed")
    assert before.startswith("1.0+")
    assert golang.pinned("tool", "1.0") != before


def test_a_build_leaves_no_cache_of_gos_where_there_was_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """They would take a gigabyte for one command; those of a user who works with Go are used."""
    monkeypatch.setenv("GOCACHE", str(tmp_path / "none"))
    monkeypatch.setenv("GOMODCACHE", str(tmp_path / "mine"))
    if base.on_path("go", "go", "version") is None:
        pytest.skip("no Go here")
    (tmp_path / "mine").mkdir()
    assert golang._caches(tmp_path / "scratch") == {"GOCACHE": str(tmp_path / "scratch" / "gocache")}
    (tmp_path / "none").mkdir()
    assert golang._caches(tmp_path / "scratch") == {}

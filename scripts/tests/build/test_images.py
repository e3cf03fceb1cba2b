"""The images: one list of them, one place for their names, and the databases' promises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from telar.build.bake import command, image_of, variables
from telar.build.environment import environment_files
from telar.build.images import IMAGES, bake_command, build_debian_images
from telar.catalog.load import load
from telar.catalog.system import read_systems
from telar.databases import clients, types
from telar.databases.client import DatabaseClient
from telar.errors import BuildError
from telar.plan.cells import Wishes, make_plan
from telar.tools import shell

ROOT = Path(__file__).parents[3]
COMPOSE = ROOT / "compose"


def read_env(name: str) -> dict[str, str]:
    lines = (COMPOSE / name).read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if re.match(r"[A-Z]", line))


def strings_of(hcl: str, list_: str) -> list[str]:
    """The strings of the first [...] after a name in a bake file."""
    _, _, rest = hcl.partition(list_)
    return re.findall(r'"([^"]+)"', rest[rest.index("[") : rest.index("]")])


def test_an_unknown_image_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BuildError, match="no such image: mysq") as caught:
        build_debian_images(print, ["mysq"], jdks=["25"])
    assert "mysql" in caught.value.hint


def test_all_images_of_the_bake_file_are_built_by_default() -> None:
    bake = (COMPOSE / "images" / "docker-bake.hcl").read_text(encoding="utf-8")
    assert tuple(strings_of(bake, 'group "default"')) == IMAGES


def test_each_image_has_a_dockerfile() -> None:
    assert all((COMPOSE / "images" / name / "Dockerfile").is_file() for name in IMAGES)


def test_the_build_is_allowed_what_it_needs_and_no_more() -> None:
    command = bake_command(["k6"])
    assert [a for a in command if a.startswith("--allow")] == [
        "--allow=network.host",
        "--allow=fs.read=/etc/ssl/certs/ca-certificates.crt",
        f"--allow=fs.read={ROOT}/scripts/src/telar/tools/components/k6",
    ]
    assert command[-1] == "k6"


def test_every_image_but_grafana_has_an_equal_of_debian_packages() -> None:
    official = {name for name in read_env(".env") if "IMAGE" in name}
    debian = {name for name in read_env("debian.env") if "IMAGE" in name}
    assert official - debian == {"GRAFANA_IMAGE"}
    assert debian <= official


def test_every_official_image_is_pinned_to_a_version() -> None:
    images = [value.format(jdk=25) for name, value in read_env(".env").items() if "IMAGE" in name]
    assert all(re.search(r":v?\d", image) for image in images), images


def test_every_build_of_the_catalogue_is_given_to_the_bake_file_with_its_stage() -> None:
    catalog = load(ROOT)
    stages = set(re.findall(r"^FROM .* AS (\w+)", (ROOT / "apps" / "Dockerfile").read_text(), re.MULTILINE))
    cells = [run.cell for run in make_plan(catalog, Wishes(suite="smoke", engine="compose")).runs]
    images = [image_of(catalog, cell, Path(f"/artifacts/{cell.variant}-abc")) for cell in cells]
    given = variables(catalog, images)["BUILDS"].split(",")
    assert given == sorted({image.build for image in images})
    said = command(catalog, images)
    assert {word.partition(".target=")[2] for word in said if ".target=" in word} <= stages


@pytest.mark.docker
def test_a_second_build_changes_no_image() -> None:
    def ids() -> str:
        listed = ["docker", "image", "ls", "--quiet", "--no-trunc", "telar/*", "--filter"]
        return shell.run([*listed, "label=dev.telar=image"]).stdout

    jdks = load(ROOT).file.jdk
    build_debian_images(print, jdks=jdks)
    before = ids()
    build_debian_images(print, jdks=jdks)
    assert ids() == before


MOVIES = read_systems(ROOT / "apps")["movies"]


class Database:
    """A database of compose/databases/ on a port of its own, run by an arbitrary user."""

    def __init__(self, name: str, port: int, user: int) -> None:
        self.file = types.load(COMPOSE / "databases" / name)
        self.port, self.user = port, user

    def up(self, data: Path) -> DatabaseClient:
        self._compose(data, "up", "--detach", "--wait")
        client = clients.client(self.file.file.protocol, "127.0.0.1", self.port, MOVIES.data)
        client.wait_ready()
        return client

    def down(self, data: Path) -> None:
        self._compose(data, "down")

    def _compose(self, data: Path, *arguments: str) -> None:
        product = {"mongodb": "mongod"}.get(self.file.name, self.file.name)
        files = [part for file in environment_files(ROOT) for part in ("--env-file", str(file))]
        command = ["docker", "compose", "--project-name", f"telar-test-{self.file.name}", *files]
        command += ["--project-directory", str(COMPOSE)]
        command += ["--file", str(self.file.folder / "compose.yaml")]
        variables = {
            "PORT": str(self.port),
            "DATA_DIR": str(data),
            "RUN_USER": f"{self.user}:{self.user}",
            "DB_OPTIONS": " ".join(self.file.options(product)),
        }
        shell.run([*command, *arguments], env=variables, timeout=300)


@pytest.fixture(params=[("mysql", 23330), ("mongodb", 23331), ("postgresql", 23332)], ids=lambda p: p[0])
def database(request: pytest.FixtureRequest) -> Database:
    name, port = request.param
    return Database(name, port, user=12345)


@pytest.fixture
def folders(tmp_path: Path, database: Database) -> Iterator[tuple[Path, Path]]:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    shell.run(["chown", f"{database.user}:{database.user}", first])
    yield first, second
    for folder in (first, second):
        database.down(folder)


@pytest.mark.docker
def test_a_copied_data_directory_is_a_database_ready_to_start(
    database: Database, folders: tuple[Path, Path]
) -> None:
    first, second = folders
    client = database.up(first)
    client.create_schema()
    client.seed()
    client.close()
    database.down(first)

    shell.run(["cp", "--archive", first, second])
    client = database.up(second)
    try:
        assert client.count() == 999
    finally:
        client.close()
    owners = {path.stat().st_uid for path in second.rglob("*")}
    assert owners == {database.user}

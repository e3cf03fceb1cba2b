from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from telar.catalog.system import Data, Tables, TablesFile
from telar.databases import rows, template
from telar.databases.client import DatabaseClient, Product
from telar.errors import RunError
from telar.tools import shell


@dataclass
class FileDatabase:
    """A "server" that keeps its rows in a file: what a template is made with, without a server."""

    movies: Data
    data: Path = Path()
    events: list[str] = field(default_factory=list)
    loses: int = 0

    def start(self, data: Path) -> FileDatabase:
        self.data = data
        self.events.append("start")
        return self

    def stop(self) -> None:
        self.events.append("stop")

    def wait_ready(self, timeout: float = 60) -> None:
        self.events.append("ready")

    def create_schema(self) -> None:
        (self.data / "schema").write_bytes((self.movies.folder / "contract" / "mysql.sql").read_bytes())

    def seed(self) -> None:
        kept = rows.read(self.movies)[self.loses :]
        (self.data / "rows").write_text("\n".join(row["title"] for row in kept))

    def carry_out(self, script: str) -> None:
        if "broken" in script:
            raise RunError("that is no statement")
        with (self.data / "rows").open("a") as file:
            file.write(script)

    def rows(self) -> int:
        return self.count()

    def count(self) -> int:
        return len((self.data / "rows").read_text().splitlines())

    def delete_created(self) -> int:
        return 0

    def product(self) -> Product:
        return Product(name="Files", version="1")

    def settings(self) -> dict[str, str]:
        return {}

    def statements(self) -> dict[str, int]:
        return {}

    def schema_digest(self) -> str:
        return ""

    def plans(self) -> dict[str, str]:
        return {}

    def close(self) -> None:
        self.events.append("close")


def recipe(database: FileDatabase) -> template.Template:
    client: Callable[[], DatabaseClient] = lambda: database  # noqa: E731
    return template.Template(
        database="files",
        system="movies",
        content=database.movies,
        identity={"product": "Files 1", "options": "--fast"},
        initialise=lambda data: (data / "initialised").touch(),
        start=database.start,
        client=client,
    )


def test_a_template_is_seeded_once_and_shut_down_cleanly(movies: Data, tmp_path: Path) -> None:
    database = FileDatabase(movies)
    made = template.make(recipe(database), tmp_path)
    assert made.parent == tmp_path / "templates"
    assert made.name.startswith("files-movies-")
    assert {p.name for p in made.iterdir()} == {"initialised", "schema", "rows"}
    assert database.events == ["start", "ready", "close", "stop"]
    assert template.make(recipe(database), tmp_path) == made
    assert database.events.count("start") == 1


def test_a_copy_is_a_data_directory_of_its_own(movies: Data, tmp_path: Path) -> None:
    made = template.make(recipe(FileDatabase(movies)), tmp_path)
    with shell.echo.to(lambda _: None):
        template.copy(made, tmp_path / "run" / "data")
    (tmp_path / "run" / "data" / "rows").write_text("changed")
    assert len((made / "rows").read_text().splitlines()) == movies.file.rows


def test_a_template_that_lost_rows_is_refused_and_leaves_nothing(movies: Data, tmp_path: Path) -> None:
    database = FileDatabase(movies, loses=2)
    with pytest.raises(RunError, match="files: 997 rows after seeding, not 999"):
        template.make(recipe(database), tmp_path)
    assert database.events[-1] == "stop"
    assert not [p for p in (tmp_path / "templates").iterdir() if p.is_dir()]


def test_the_digest_changes_with_server_schema_and_seed_only(movies: Data) -> None:
    base = recipe(FileDatabase(movies))
    before = base.digest()
    assert recipe(FileDatabase(movies)).digest() == before
    assert replace(base, identity={**base.identity, "product": "Files 2"}).digest() != before
    (movies.folder / "contract" / "openapi.yaml").write_text("not part of the data")
    assert base.digest() == before
    (movies.folder / "contract" / "mysql.sql").write_text("CREATE TABLE other (id INT)")
    with_other_schema = base.digest()
    assert with_other_schema != before
    movies.seed.write_text("{}\n")
    assert base.digest() != with_other_schema


def test_a_guests_scripts_are_carried_out_in_order(movies: Data, tmp_path: Path) -> None:
    for name, text in (("schema.sql", "tables\n"), ("seed.sql", "rows\n"), ("clean.sql", "fewer rows\n")):
        (tmp_path / name).write_text(text)
    file = TablesFile(sql=("schema.sql", "seed.sql"), clean="clean.sql")
    tables = Tables(folder=tmp_path, file=file)
    made = template.make(replace(recipe(FileDatabase(movies)), content=tables), tmp_path)
    assert (made / "rows").read_text() == "tables\nrows\n"
    (tmp_path / "clean.sql").write_text("other\n")  # comes before a window, not before the run
    assert template.make(replace(recipe(FileDatabase(movies)), content=tables), tmp_path) == made
    (tmp_path / "seed.sql").write_text("broken\n")
    with pytest.raises(RunError, match=r"seed\.sql: that is no statement"):
        template.make(replace(recipe(FileDatabase(movies)), content=tables), tmp_path)

from __future__ import annotations

from pathlib import Path

import pytest

from telar.databases import mysql, postgresql, types
from telar.errors import ConfigError
from telar.tools import components


@pytest.mark.parametrize(("name", "port"), [("mysql", 13306), ("mongodb", 17017), ("postgresql", 15432)])
def test_each_database_has_its_protocol_and_port(databases: Path, name: str, port: int) -> None:
    database = types.load(databases / name)
    assert (database.name, database.file.protocol, database.file.port) == (name, name, port)
    assert set(database.file.embedded) <= set(components.names())
    assert database.file.settings.keys() <= {"all", "mysql", "mongod", *components.names()}


def test_the_last_component_of_a_database_is_one_that_can_be_set_up(databases: Path) -> None:
    for folder in databases.iterdir():
        last = types.load(folder).file.embedded[-1]
        assert components.describe(last).install is not None


def test_a_products_options_are_alls_and_its_own(databases: Path) -> None:
    database = types.load(databases / "mysql")
    mariadb, real = database.options("mariadb"), database.options("mysql")
    assert "--innodb-flush-log-at-trx-commit=2" in mariadb
    assert "--innodb-flush-log-at-trx-commit=2" in real
    assert "--ssl=OFF" in mariadb
    assert "--ssl=OFF" not in real
    assert "--mysqlx=OFF" in real


def test_every_setting_of_mysql_is_among_those_that_are_read_back(databases: Path) -> None:
    database = types.load(databases / "mysql")
    # The server reports these under another name, or not at all once it runs.
    elsewhere = {"skip_log_bin": "log_bin", "ssl": "have_ssl", "auto_generate_certs": None}
    for product in ("mariadb", "mysql"):
        for name in database.settings(product):
            variable = name.replace("-", "_")
            reported = elsewhere.get(variable, variable)
            assert reported is None or reported in mysql.REPORTED


def test_every_setting_of_postgresql_is_among_those_that_are_read_back(databases: Path) -> None:
    assert set(types.load(databases / "postgresql").settings("postgresql")) <= set(postgresql.REPORTED)


def test_an_unknown_key_is_named(tmp_path: Path, databases: Path) -> None:
    text = (databases / "mysql" / "database.toml").read_text(encoding="utf-8")
    (tmp_path / "database.toml").write_text(text.replace("port =", "prot ="), encoding="utf-8")
    with pytest.raises(ConfigError, match="unknown key 'prot'") as caught:
        types.load(tmp_path)
    assert "port" in caught.value.hint

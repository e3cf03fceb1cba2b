from __future__ import annotations

import socket
from typing import Any

import pytest

from telar.databases import mongodb, mysql, postgresql
from telar.databases.client import Product
from telar.databases.clients import client
from telar.databases.types import Protocol
from telar.errors import RunError


@pytest.mark.parametrize(
    ("version", "comment", "expected"),
    [
        ("11.4.5-MariaDB", "MariaDB Server", Product(name="MariaDB", version="11.4.5")),
        ("10.11.6", "mariadb.org binary", Product(name="MariaDB", version="10.11.6")),
        ("9.7.4-2", "(Debian)", Product(name="MySQL", version="9.7.4")),
        ("9.5.0", "MySQL Community Server - GPL", Product(name="MySQL", version="9.5.0")),
    ],
)
def test_mysqls_protocol_is_served_by_what_the_server_says(
    version: str, comment: str, expected: Product
) -> None:
    assert mysql.product_of(version, comment) == expected


@pytest.mark.parametrize(
    ("build_info", "expected"),
    [
        (
            {"version": "7.0.42", "ferretdbVersion": "v1.24.0"},
            Product(name="FerretDB", version="1.24.0"),
        ),
        (
            {"version": "7.0.77", "ferretdb": {"version": "v2.7.0", "package": "embedded"}},
            Product(name="FerretDB", version="2.7.0"),
        ),
        ({"version": "8.2.2"}, Product(name="MongoDB", version="8.2.2")),
    ],
)
def test_mongodbs_protocol_is_served_by_what_the_server_says(
    build_info: dict[str, Any], expected: Product
) -> None:
    assert mongodb.product_of(build_info) == expected


def test_mongodbs_statements_are_its_commands_carried_out() -> None:
    status = {
        "metrics": {
            "commands": {
                "<UNKNOWN>": 3,
                "find": {"total": 70, "failed": 1},
                "insert": {"total": 9, "failed": 0},
                "drop": {"total": 0, "failed": 0},
            }
        }
    }
    assert mongodb.statements_of(status) == {"find": 70, "insert": 9}
    assert mongodb.statements_of({"ok": 1.0}) == {}


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (
            "PostgreSQL 18.1 (Debian 18.1-1) on x86_64-pc-linux-gnu, compiled by gcc 15.2.0, 64-bit",
            Product(name="PostgreSQL", version="18.1"),
        ),
        ("PostgreSQL 19beta1 on x86_64-pc-linux-gnu", Product(name="PostgreSQL", version="19")),
        ("CockroachDB CCL v25.4.0 (x86_64-pc-linux-gnu)", Product(name="CockroachDB", version="25.4.0")),
    ],
)
def test_postgresqls_protocol_is_served_by_what_the_server_says(version: str, expected: Product) -> None:
    assert postgresql.product_of(version) == expected


def test_postgresqls_statements_are_counted_by_their_first_word() -> None:
    asked = [
        ("SELECT * FROM movie WHERE id = $1", 70),
        ("  select 1", 1),
        ("/* from the app */ -- a note\n(SELECT 2)", 4),
        ("INSERT INTO movie (title) VALUES ($1) RETURNING *", "9"),
        ("BEGIN", 9),
        ("", 2),
    ]
    counted = {"begin": 9, "insert": 9, "other": 2, "select": 75}
    assert postgresql.statements_of(asked) == counted


def test_nested_settings_get_dotted_names() -> None:
    document = {"net": {"port": 27120, "tls": {"mode": "disabled"}}, "quiet": True}
    flat = {"net.port": "27120", "net.tls.mode": "disabled", "quiet": "True"}
    assert mongodb.flatten(document) == flat


@pytest.mark.parametrize("protocol", ["mysql", "mongodb", "postgresql"])
def test_a_database_that_does_not_answer_is_named_by_host_and_port(protocol: Protocol) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
    database = client(protocol, "127.0.0.1", port)
    with pytest.raises(RunError, match=f"127.0.0.1:{port} doesn't answer after 0.1 s") as caught:
        database.wait_ready(timeout=0.1)
    assert "log" in caught.value.hint
    database.close()

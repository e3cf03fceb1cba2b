"""A server that takes connections and says nothing, as one that was stopped does."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from telar.databases import clients, mongodb, mysql, postgresql
from telar.databases.types import Protocol
from telar.errors import RunError


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.thorough
@pytest.mark.parametrize("protocol", ["mysql", "mongodb", "postgresql"])
def test_a_question_without_an_answer_ends_in_bounded_time(
    protocol: Protocol, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mysql, "ANSWER_TIMEOUT", 1)
    monkeypatch.setattr(mongodb, "ANSWER_TIMEOUT", 1)
    monkeypatch.setattr(postgresql, "ANSWER_TIMEOUT", 1)
    client = clients.client(protocol, "127.0.0.1", port)
    started = time.monotonic()
    with pytest.raises(RunError, match=f"the database at 127.0.0.1:{port}"):
        client.product()
    client.close()
    assert time.monotonic() - started < 20

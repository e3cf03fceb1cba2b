from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from telar.errors import EnvironmentProblem
from telar.tools import ports


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_port_that_someone_listens_on_is_not_free(taken: int) -> None:
    assert not ports.is_free(taken)


def test_a_port_is_free_again_once_its_listener_is_closed() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    assert ports.is_free(port)
    assert ports.owner(port) is None


def test_the_owner_of_a_port_is_named_by_pid_and_command(taken: int) -> None:
    who = ports.owner(taken)
    assert who is not None
    assert who.pid == os.getpid()
    assert Path(sys.executable).name in who.command


def test_a_needed_port_that_is_taken_is_a_problem_that_names_the_culprit(taken: int) -> None:
    with pytest.raises(EnvironmentProblem, match=f"port {taken}, which MySQL needs.*{os.getpid()}"):
        ports.require_free(taken, "MySQL")

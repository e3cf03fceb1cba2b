"""Services that a system's apps call: whose they are, where they listen, of which commit they are."""

from __future__ import annotations

import msgspec
import pytest

from telar.catalog.load import load
from telar.errors import ConfigError
from telar.plan.cells import Cell, Wishes, make_plan
from telar.run.beside import of_cell, with_beside

from .conftest import ROOT, Copy

CATALOG = load(ROOT)
BANK = make_plan(CATALOG, Wishes(suite="bank-short", engine="embedded")).runs[0].cell
MOVIES = make_plan(CATALOG, Wishes(suite="smoke", engine="embedded")).runs[0].cell


def test_the_bank_has_a_remote_system_whose_port_it_is_given() -> None:
    (remote,) = of_cell(CATALOG, BANK, CATALOG.file.ports)
    assert (remote.name, remote.variant.label) == ("remote", "stub/jdk-sockets-virtual")
    assert remote.environment == {"REMOTE_PORT": str(remote.app)}
    assert len({remote.app, remote.metrics, CATALOG.file.ports.app, CATALOG.file.ports.metrics}) == 4


def test_a_second_stack_has_one_of_its_own() -> None:
    (one,), (other,) = (of_cell(CATALOG, BANK, CATALOG.file.ports, shift) for shift in (0, 100))
    assert (other.app, other.metrics) == (one.app + 100, one.metrics + 100)


def test_it_is_of_the_checkout_whatever_a_side_of_a_comparison_is() -> None:
    """It drives what is compared: another one on each side would be another benchmark."""
    side = msgspec.structs.replace(BANK, revision="a" * 40, flags=("-XX:+UseZGC",), image="bank:1")
    (own,), (plain,) = (of_cell(CATALOG, cell, CATALOG.file.ports) for cell in (side, BANK))
    assert own.cell == plain.cell
    assert (own.cell.revision, own.cell.flags, own.cell.image) == ("", (), "")


def test_what_runs_beside_is_prepared_too_and_only_where_there_is_any() -> None:
    cells: list[Cell] = with_beside(CATALOG, [MOVIES, BANK])
    assert [c.label for c in cells] == [MOVIES.label, BANK.label, "stub/jdk-sockets-virtual"]


@pytest.mark.parametrize(
    ("variant", "problem"),
    [
        ("stub/jdk-sockets-virtua", r"beside.remote.variant = .*not known"),
        ("spring-mysql-blocking-virtual", "must be a service without a database that calls no other"),
        ("burner/java-fixed", "must be a service without a database that calls no other"),
        ("bank/liberty-pool", "must be a service without a database that calls no other"),
    ],
)
def test_it_must_be_a_service_that_needs_nothing_itself(copy: Copy, variant: str, problem: str) -> None:
    copy.edit("apps/bank/system.toml", '"stub/jdk-sockets-virtual"', f'"{variant}"')
    with pytest.raises(ConfigError, match=problem):
        load(copy.root)


def test_its_name_is_no_other_components(copy: Copy) -> None:
    copy.edit("apps/bank/system.toml", "[beside.remote]", "[beside.database]")
    with pytest.raises(ConfigError, match=r"beside.database: that is another component's name"):
        load(copy.root)

"""What a page says of what ran: everything that a record holds about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.analyse.summary import summarise
from telar.catalog.load import load
from telar.publish.arms import groups
from telar.publish.provenance import parts
from telar.store.record import Limits, Planned, Provenance, Record, Series

from ..store.records import record

CATALOG = load(Path(__file__).parents[3])


def rows(made: Record) -> dict[str, dict[str, str]]:
    """Title of each part -> its rows."""
    (group,) = groups(CATALOG, [made], summarise([made]))
    return {part.title: dict(part.rows) for part in parts(CATALOG, group.arms[0])}


def with_provenance(**changes: Any) -> Record:
    return record(provenance=msgspec.structs.replace(record().provenance, **changes))


def with_machine(**changes: Any) -> Record:
    return with_provenance(machine=msgspec.structs.replace(record().provenance.machine, **changes))


def test_the_plan_that_makes_the_run_again_is_told() -> None:
    planned = Planned(seed=7, warmup_workload="movies-constant", warmup_rate=400, warmup_seconds=None)
    cell = rows(record(planned=planned))["Cell"]
    assert (cell["seed of the session"], cell["warm-up"]) == ("7", "movies-constant, 400/s until steady")
    fixed = msgspec.structs.replace(planned, warmup_seconds=60)
    assert rows(record(planned=fixed))["Cell"]["warm-up"] == "movies-constant, 400/s for 60 s"
    assert "warm-up" not in rows(record(planned=None))["Cell"]


def test_what_came_from_the_environment_is_beside_the_command() -> None:
    assert rows(record())["JVM"]["from its environment"] == "JAVA_TOOL_OPTIONS: -Da=b"
    java: Any = record().provenance.java
    clean = with_provenance(java=msgspec.structs.replace(java, picked_up=()))
    assert rows(clean)["JVM"]["from its environment"] == "nothing"


def test_how_finely_the_kernel_counts_is_shown() -> None:
    java: Any = record().provenance.java
    for clock, shown in (("ticks", "ticks"), ("nanoseconds", "nanoseconds"), ("", "not known")):
        found = rows(with_provenance(java=msgspec.structs.replace(java, thread_clock=clock)))
        assert found["JVM"]["its threads' CPU counted in"] == shown


def test_a_database_is_shown_with_the_command_that_started_it() -> None:
    assert rows(record())["Database"] == {
        "product": "MariaDB",
        "version": "11.4.3",
        "command": "mariadbd",
    }


def test_what_a_machine_does_with_cores_and_memory_is_told_where_it_is_known() -> None:
    machine = rows(record())["Machine and generator"]
    assert machine["hardware threads share cores"] == "off"
    assert machine["transparent huge pages"] == "madvise"
    assert machine["swap"] == "0 MiB"
    older = rows(with_machine(smt="", transparent_huge_pages="", swap_mib=None))["Machine and generator"]
    assert not {"hardware threads share cores", "transparent huge pages", "swap"} & older.keys()


def test_what_the_host_took_is_told_for_the_window() -> None:
    series = Series(start=0.0, step=1.0, values={"host.steal_seconds": (5.0, 5.25, 6.5)})
    machine = rows(record(series=series))["Machine and generator"]
    assert machine["stolen by the host in the window"] == "1.50 s of processor time"
    assert "stolen by the host in the window" not in rows(record(series=None))["Machine and generator"]


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (
            Limits(cpus="0-1", quota=None, memory_mib=1024, priority="-20"),
            "processors 0-1, no quota, 1,024 MiB, priority of its group -20",
        ),
        (
            Limits(cpus="0", quota=1.5, memory_mib=None, priority=""),
            "processors 0, 1.5 processors' worth, no limit of memory, no scheduling groups",
        ),
    ],
)
def test_limits_in_force_are_told_by_component(limits: Limits, text: str) -> None:
    assert rows(with_provenance(limits={"app": limits}))["Limits in force"] == {"app": text}


def test_of_plain_processes_there_are_no_images_and_of_old_records_no_limits() -> None:
    assert rows(record())["Artefact and code"]["image of the app"] == "sha256:ab12"
    bare = rows(with_provenance(images={}, limits={}))
    assert not [name for name in bare["Artefact and code"] if name.startswith("image")]
    assert "Limits in force" not in bare


def test_every_field_of_a_records_provenance_is_shown_somewhere() -> None:
    """What is recorded and never shown is as good as not recorded."""
    shown = " ".join(f"{k} {v}" for part in rows(record()).values() for k, v in part.items())
    (group,) = groups(CATALOG, [record()], summarise([record()]))
    shown += " ".join(line for part in parts(CATALOG, group.arms[0]) for line in part.listing)
    held = [str(value) for value in _leaves(record().provenance)]
    assert [value for value in held if value and value not in shown.replace(",", "")] == []


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, msgspec.Struct):
        return [leaf for name in value.__struct_fields__ for leaf in _leaves(getattr(value, name))]
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in _leaves(inner)]
    if isinstance(value, tuple):
        return [leaf for inner in value for leaf in _leaves(inner)]
    return [] if value is None else [value]


def test_a_failed_run_tells_what_it_knew() -> None:
    bare: Provenance = msgspec.structs.replace(
        record().provenance, java=None, database=None, generator=None, limits={}, images={}
    )
    assert set(rows(record(provenance=bare))) == {"Cell", "Artefact and code", "Machine and generator"}

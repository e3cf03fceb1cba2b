"""Whatever is done to a run: records stay whole, nothing stays behind, and it is said what happened."""

from __future__ import annotations

import re
import time

import pytest

from telar.store.record import Record

from .matrix import ROWS, Row
from .place import Place, Telar
from .results import Seen, keep

MARKS = {"embedded": pytest.mark.embedded, "compose": pytest.mark.docker}


@pytest.mark.timeout(1200)  # another telar on this machine may have to be waited for
@pytest.mark.parametrize("row", [pytest.param(r, id=r.name, marks=MARKS[r.engine]) for r in ROWS])
def test_a_run_survives(row: Row, place: Place) -> None:
    containers = row.engine == "compose"
    (first,) = place.data.glob("*/records/001*.json")
    before = first.read_bytes()
    with row.around(place):
        telar = place.start("run", "--resume")
        started = time.monotonic()
        row.do(place, telar)
        telar.wait()
        seconds = time.monotonic() - started
        left = place.left_behind(containers=containers)
    problems = [*_of_the_program(row, telar), *_of_the_record(row, place, telar), *_of_the_store(place)]
    problems += [f"left behind: {what}" for what in left]
    problems += _of_resuming(row, place)
    left += place.left_behind(containers=containers)
    problems += [*_of_the_store(place)]
    lost = 0 if first.read_bytes() == before else 1
    keep(
        row.name,
        Seen(
            fault=row.fault,
            stage=row.stage,
            engine=row.engine,
            survived=not problems and not lost and not left,
            says=_said(row, place, telar),
            lost_records=lost,
            left_behind=len(left),
            seconds=seconds,
        ),
    )
    assert problems == [], telar.output
    assert (lost, left) == (0, [])


def _of_the_program(row: Row, telar: Telar) -> list[str]:
    return [] if telar.code == row.code else [f"exit code {telar.code}, not {row.code}"]


def _of_the_record(row: Row, place: Place, telar: Telar) -> list[str]:
    """What is wrong with the record of the run that met the fault."""
    record = place.records().get(2)
    outcome = record.outcome if record else "cut short"
    if outcome != row.outcome:
        return [f"the run {outcome}, not {row.outcome}"]
    said = record.stopped.error if record and record.stopped else _in_one_line(telar.output)
    problems = [] if re.search(row.says, said) else [f"it says {said!r}, not {row.says!r}"]
    if row.leaves and not list(place.data.glob(row.leaves)):
        problems.append(f"there is no {row.leaves}")
    return problems + (_of_a_stop(row, record) if record and record.stopped else [])


def _of_a_stop(row: Row, record: Record) -> list[str]:
    assert record.stopped
    phase, logs = record.stopped.phase, record.stopped.logs
    problems = [] if phase in row.phases else [f"it names the phase {phase}, not {row.phases}"]
    # Killed in its first moment, a database may not have printed anything yet.
    needed = set() if row.stage == "database" else {"database", "app"} - {row.silent}
    return problems + [f"no last lines of the {name}" for name in needed if not logs.get(name)]


def _of_the_store(place: Place) -> list[str]:
    done = place.verify()
    return [f"telar store verify: {done.stdout}{done.stderr}"] if done.returncode else []


def _of_resuming(row: Row, place: Place) -> list[str]:
    """`--resume` makes what was cut short, and nothing twice."""
    kept = {p.name: p.read_bytes() for p in place.data.glob("*/records/*.json")}
    telar = place.run("run", "--resume")
    now = {p.name: p.read_bytes() for p in place.data.glob("*/records/*.json")}
    problems = [] if len(now) == 2 else [f"{len(now)} of 2 records after --resume: {telar.output}"]
    if telar.code != (5 if row.outcome == "failed" else 0):
        problems.append(f"--resume ends with exit code {telar.code}: {telar.output}")
    return problems + [f"--resume changed {name}" for name in kept if now.get(name) != kept[name]]


def _said(row: Row, place: Place, telar: Telar) -> str:
    """For the table: what is there to be read after the fault."""
    record = place.records().get(2)
    if row.outcome == "cut short":
        printed = re.search(row.says, _in_one_line(telar.output)) if row.says else None
        return (
            f"no record; telar says: {printed.group()}" if printed else "no record"
        ) + "; `--resume` makes it"
    if record and record.stopped:
        return f"{record.stopped.phase}: {record.stopped.error}"
    failed = f"completed, {sum(f.count for f in record.failures)} requests failed" if record else ""
    printed = re.search(row.says, _in_one_line(telar.output)) if row.says else None
    return f"{failed}; {printed.group()}" if printed else failed


def _in_one_line(text: str) -> str:
    return " ".join(text.split())

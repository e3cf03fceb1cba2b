"""`telar plan`: what a run would do, without doing it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import click

from telar.catalog.types import Catalog
from telar.cli import answer
from telar.cli.common import catalog, cell_options, console, json_option, print_json, seconds_of
from telar.errors import ConfigError
from telar.plan.cells import Plan, cell_of, warmup_guess
from telar.plan.packing import Job, pack
from telar.publish import folding
from telar.store.files import pretty, write_atomically
from telar.store.published import Published
from telar.words import many

RECENT = 2  # months whose sessions say how long runs take


@click.command()
@cell_options
@click.option("--to", "folder", type=click.Path(path_type=Path, file_okay=False),
              help="Split it into jobs, a plan each in this folder: job-1.json, …")  # fmt: skip
@click.option("--runners", type=click.IntRange(1, 256), default=1, help="To split it over.  [default: 1]")
@click.option("--budget", default="60m", help="Time of a job, e.g. 45m.  [default: 60m]")
@click.option("--published", type=click.Path(path_type=Path, file_okay=False),
              help="A published history: how long runs took is taken from there.")  # fmt: skip
@json_option
def plan(
    folder: Path | None, runners: int, budget: str, published: Path | None, as_json: bool, **said: Any
) -> None:
    """Shows which cells a suite would run, in which order; or splits them into jobs for several runners.

    What is compared with one another stays in one job. telar run --plan runs one.

    \b
    Examples:
      telar plan thesis
      telar plan smoke --runners 3 --budget 45m --to plans/ --published public/
      telar plan smoke --only 'spring-*-virtual' --jdk 21,25
      telar plan smoke --driver mysql=8.0.33,9.7.0 --json
    """
    c = catalog()
    made = answer.planned(c, said)
    if folder:
        measured = durations(published) if published else {}
        split(c, made, folder, runners, seconds_of(budget), measured, as_json=as_json)
        return
    if as_json:
        print_json(made)
        return
    _print(c, made)


def _print(c: Catalog, made: Plan) -> None:
    paired, flagged = any(r.pair for r in made.runs), any(r.cell.flags for r in made.runs)
    columns = [
        folding.figure("#"),
        folding.figure("round"),
        *[folding.text("fork", 4)] * paired,
        folding.text("variant", 13),
        folding.text("workload", 9),
        folding.figure("JDK"),
        folding.text("drivers", 8),
        *[folding.text("flags", 8)] * flagged,
        folding.text("engine", 8),
    ]
    rows = [
        [
            str(r.position),
            str(r.repetition),
            *[f"{r.pair.fork} {r.pair.side}" for _ in (1,) if r.pair],
            r.cell.label,
            r.cell.workload,
            r.cell.jdk,
            " ".join(f"{n} {v}" for n, v in r.cell.drivers.items()),
            *[" ".join(r.cell.flags)] * flagged,
            r.cell.engine,
        ]
        for r in made.runs
    ]
    folding.print_table(console, columns, rows, where=f"--json, and {folding.WIDER}")
    # Each side of a fork is warmed up once, and each run by itself.
    warmed = {(r.pair.fork, r.pair.side) if r.pair else (r.position, ""): r.warmup for r in made.runs}
    seconds = sum(c.work[r.cell.workload].seconds for r in made.runs)
    seconds += sum(warmup_guess(c, warmup) for warmup in warmed.values())
    console.print(
        f"\n{many(len(made.runs), 'window' if paired else 'run')}, {seconds / 60:.0f} min of load, "
        f"order drawn with seed {made.seed}",
        soft_wrap=True,
    )


def split(
    c: Catalog,
    made: Plan,
    folder: Path,
    runners: int,
    budget: float,
    measured: Mapping[str, float],
    *,
    as_json: bool,
) -> tuple[Job, ...]:
    """Writes a plan for each job. `budget`: seconds; `measured`: those that runs took, by their cells."""
    suite = c.file.suite.get(made.suite)
    if suite and suite.compare:
        raise ConfigError(
            f"the suite {made.suite} compares two sides, which one runner measures in one go",
            hint="telar run, or telar ab, does that; telar list suites has others",
        )
    jobs = pack(c, made, runners=runners, budget=budget, measured=measured)
    for job in jobs:
        write_atomically(folder / f"job-{job.number}.json", pretty(job.plan))
    if as_json:
        print_json({"jobs": [{"job": job.number, "minutes": round(job.seconds / 60, 1)} for job in jobs]})
        return jobs
    columns = [*map(folding.figure, ("job", "minutes", "runs")), folding.text("cells", 20)]
    rows = []
    for job in jobs:
        cells = sorted({run.cell.name for run in job.plan.runs})
        known = sum(name in measured for name in cells)
        what = f"{', '.join(cells)}; {known} of {len(cells)} with measured durations"
        rows.append([str(job.number), f"{job.seconds / 60:.0f}", str(len(job.plan.runs)), what])
    folding.print_table(console, columns, rows)
    console.print(
        f"{many(len(jobs), 'job')} for {many(runners, 'runner')}, "
        f"{budget / 60:.0f} min at most each: {folder}"
    )
    return jobs


def durations(published: Path) -> dict[str, float]:
    """Those of a history in a folder. Raises ConfigError when there is none in it."""
    store = Published(published)
    if not store.months:
        raise ConfigError(f"--published {published}: there is no published history in it")
    return durations_in(store)


def durations_in(store: Published) -> dict[str, float]:
    """Names of cells -> seconds of a run, the median of the last months."""
    store.want(store.months[-RECENT:], metrics=())
    found: dict[str, list[float]] = {}
    for month in store.months[-RECENT:]:
        for row in store.sessions(month):
            for name, run in row.runs.items():
                found.setdefault(cell_of(name), []).append(run.seconds)
    return {name: median(own) for name, own in found.items()}

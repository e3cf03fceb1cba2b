"""`telar evaluate`: how good the change detector is, beside the rules that others use.

On series that are made up, which every checkout has, and on those of a kit, where there is one.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.table import Table

import telar
from telar.analyse import made_up
from telar.analyse.changes import Watcher, changes
from telar.cli.common import console, json_option, print_json, root
from telar.errors import ConfigError
from telar.publish import document
from telar.store import detector
from telar.tools import shell
from telar.tools.answering import answering
from telar.tools.folders import make_once

OURS = "telar"
STEPS = ("step-3%", "step-5%", "step-10%", "step-20%")
KIT = ("score.py", "detectors.py", "requirements.txt", "data")
HEADINGS = (
    "rule",
    "F1 at 3 / 5 / 10 / 20 %",
    "found online",
    "false alarms",
    "on rulers",
    "delay at 10 %",
    "ms a decision",
)
HOUR = 3600
MADE_UP = (
    "rule",
    "series",
    "false / 1,000 (95 % interval)",
    "worse",
    "found at 1 / 2 / 4 noises",
    "delay",
)


@click.command()
@click.option(
    "--kit",
    type=click.Path(path_type=Path, file_okay=False),
    help="A folder with score.py, detectors.py, requirements.txt and data/.",
)
@click.option(
    "--rule", "rules", multiple=True, metavar="NAME", help="Only these of the kit's rules.  [default: all]"
)
@click.option(
    "--series", type=click.IntRange(min=2), default=20, show_default=True, help="Of each made-up family."
)
@click.option(
    "--write",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Put the tables into this document, and our own figures where the trend pages take them from.",
)
@click.option("--cost/--no-cost", default=True, help="Also what a decision costs, on made-up series.")
@json_option
def evaluate(
    kit: Path | None, rules: tuple[str, ...], series: int, write: Path | None, cost: bool, as_json: bool
) -> None:
    """Scores Telar's detector and a kit's rules on the same series, all in the same run.

    Made-up series follow themselves, switch between two levels, or wander: what is reported of them is false,
    and steps that are put into them should be. A kit has public series, a scorer that feeds a detector whole
    series and growing ones, and rules of other tools. What was scored before, with the same code on the same
    data, isn't scored again.

    \b
    Examples:
      telar evaluate --series 100
      telar evaluate --kit ../detector-kit
      telar evaluate --kit ../detector-kit --rule rank-scan-4 --no-cost
    """
    if not kit and (rules or write):
        raise ConfigError(
            f"{'--rule' if rules else '--write'} needs a kit",
            hint="the rules and public series are in it: --kit",
        )
    console.stderr = as_json
    python, names = _rules(kit, rules) if kit else (Path(sys.executable), [OURS])
    with (
        console.status("scoring") as status,
        ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool,
    ):
        scored = {name: pool.submit(_scored, kit, python, name) for name in names if kit}
        families = {name: pool.submit(_on_made_up, kit, python, name, series) for name in names}
        left: list[tuple[str, Future[Any]]] = [*scored.items(), *families.items()]
        for n, (name, job) in enumerate(left, start=1):
            status.update(f"scoring {name}, {n} of {len(left)}")
            wait([job])
    results = [job.result() for job in scored.values()]
    found = {name: job.result() for name, job in families.items()}
    rows = [row(r) for r in sorted(results, key=lambda r: str(r["name"]) != OURS)]
    costs = _costs() if cost else {}
    if as_json:
        print_json({"results": results, "made-up": found, "cost": costs})
    else:
        _print(rows, found, costs)
    if write:
        _write(write, rows, costs)
        document.replace(write, "made-up", "\n".join(_markdown(made_up_rows(found))))
        detector.write(root() / "benchmarks-data" / detector.FIGURES, figures(results[0]))


def _rules(kit: Path, rules: tuple[str, ...]) -> tuple[Path, list[str]]:
    """The Python that the kit's rules run in, and whom to score, ours first."""
    missing = [name for name in KIT if not (kit / name).exists()]
    if missing:
        raise ConfigError(
            f"{kit}: has no {', '.join(missing)}", hint="it isn't a kit: see telar evaluate --help"
        )
    python = _environment(kit)
    known = shell.run([python, kit / "detectors.py", "--list"], quiet=True).stdout.split()
    unknown = sorted(set(rules) - set(known))
    if unknown:
        raise ConfigError(
            f"{kit}/detectors.py has no rule {unknown[0]!r}", hint="it has: " + ", ".join(known)
        )
    return python, [OURS, *(rules or known)]


def _environment(kit: Path) -> Path:
    """The Python that has what the kit's rules need; made once for each content of its requirements."""
    needed = kit / "requirements.txt"
    folder = root() / ".telar" / "evaluate" / f"venv-{_digest([needed])}"

    def fill(fresh: Path) -> None:
        console.print("setting up the kit's environment")
        shell.run([sys.executable, "-m", "venv", "--without-pip", fresh])
        target = shell.run(
            [fresh / "bin" / "python", "-c", "import site; print(site.getsitepackages()[0])"], quiet=True
        )
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
        shell.run([*pip, "--target", target.stdout.strip(), "-r", needed], timeout=HOUR)

    return make_once(folder, fill) / "bin" / "python"


def _command(kit: Path | None, python: Path, name: str) -> tuple[list[str | Path], list[Path]]:
    """What answers for a rule, series a line, and the files that its answers depend on."""
    if name == OURS or kit is None:
        own = sorted((Path(telar.__file__).parent / "analyse").glob("*.py"))
        return [sys.executable, "-m", "telar", "detect", "--lines"], own
    return [python, kit / "detectors.py", name], [kit / "detectors.py"]


def _variables() -> dict[str, str]:
    return {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(Path(telar.__file__).parents[1])}


def _scored(kit: Path, python: Path, name: str) -> dict[str, Any]:
    """The scorer's result for a rule, from an earlier time where nothing has changed since."""
    rule, own = _command(kit, python, name)
    data = sorted(p for p in (kit / "data").rglob("*") if p.is_file())
    key = _digest([*own, kit / "score.py", *kit.glob("inject.py"), *data])
    folder = root() / ".telar" / "evaluate" / f"{name}-{key}"

    def fill(fresh: Path) -> None:
        scorer: list[str | Path] = [python, kit / "score.py", "--name", name, "--out", fresh]
        shell.run([*scorer, "--", *rule], env=_variables(), quiet=True, timeout=HOUR)

    make_once(folder, fill)
    result: dict[str, Any] = json.loads(next(folder.glob("*.json")).read_bytes())
    return result


def _on_made_up(kit: Path | None, python: Path, name: str, series: int) -> tuple[made_up.Result, ...]:
    """How a rule does on each family, from an earlier time where nothing has changed since."""
    rule, own = _command(kit, python, name)
    key = _digest([*own, Path(made_up.__file__)])
    folder = root() / ".telar" / "evaluate" / f"made-up-{name}-{series}-{key}"

    def fill(fresh: Path) -> None:
        with answering(rule, {**os.environ, **_variables()}) as line:

            def ask(values: Sequence[float]) -> list[tuple[int, bool]]:
                said = {"better": "lower", "values": values, "since": len(values) - 1}
                answer = msgspec.json.decode(line(msgspec.json.encode(said)))
                return [(p["index"], p["direction"] == "worse") for p in answer["changepoints"]]

            found = [made_up.evaluate(family, ask, series) for family in made_up.FAMILIES]
        (fresh / "made-up.json").write_bytes(msgspec.json.encode(found))

    make_once(folder, fill)
    return msgspec.json.decode((folder / "made-up.json").read_bytes(), type=tuple[made_up.Result, ...])


def row(result: dict[str, Any]) -> tuple[str, ...]:
    """A line of the table, of the scorer's result."""
    injected, online = result["offline"]["injected"], result["online"]
    found, alarms = online["detection"], online["false_alarms_per_1000"]
    return (
        result["name"],
        " ".join(f"{injected[f'{step} | clean']['f1']:.2f}" for step in STEPS),
        " ".join(f"{found[f'{step} | clean']['recall']:.2f}" for step in STEPS),
        f"{alarms['all-null']['worse']:.1f}",
        f"{alarms['null-ruler']['worse']:.1f}",
        "–" if (delay := found["step-10% | clean"]["median_delay"]) is None else f"{delay:g}",
        f"{online['cpu_ms_per_decision']:.2f}",
    )


def figures(result: dict[str, Any]) -> detector.Detector:
    """What the trend pages tell, of the scorer's result."""
    online = result["online"]
    found, alarms = online["detection"], online["false_alarms_per_1000"]
    steps = {step: found[f"{step} | clean"] for step in STEPS}
    return detector.Detector(
        measured=time.strftime("%Y-%m-%d", time.gmtime()),
        false_alarms=alarms["all-null"]["worse"],
        on_rulers=alarms["null-ruler"]["worse"],
        steps=tuple(
            detector.Step(
                share=float(step.strip("step-%")) / 100, found=own["recall"], delay=own["median_delay"]
            )
            for step, own in steps.items()
        ),
    )


def _costs() -> dict[str, float]:
    """Processor time on series of 1,000 points: of a decision when all are there, and of a series at once."""
    dice = random.Random(1)  # noqa: S311 - nothing secret
    series = [
        [100 * (1 + dice.gauss(0, 0.03)) * (1.1 if n > 600 + k else 1) for n in range(1000)]
        for k in range(200)
    ]
    start = time.process_time()
    for values in series:
        changes(values)
    whole = (time.process_time() - start) / len(series)
    watcher = Watcher()
    watcher.extend(series[0][:900])
    start = time.process_time()
    for value in series[0][900:]:
        watcher.extend([value])
    return {"decision_ms": (time.process_time() - start) * 10, "series_ms": whole * 1000}


def made_up_rows(
    found: dict[str, tuple[made_up.Result, ...]],
) -> dict[str, list[tuple[str, ...]]]:
    """A table for each family, a line for each rule."""
    rows: dict[str, list[tuple[str, ...]]] = {}
    for name, results in found.items():
        for r in results:
            rows.setdefault(r.family, []).append(
                (
                    name,
                    f"{r.series:,}",
                    f"{r.false:.2f} ({r.low:.2f} to {r.high:.2f})",
                    f"{r.worse:.2f}",
                    " / ".join(f"{s.found:.2f}" for s in r.steps),
                    " / ".join("–" if s.delay is None else f"{s.delay:g}" for s in r.steps),
                )
            )
    return rows


def _markdown(tables: dict[str, list[tuple[str, ...]]]) -> list[str]:
    lines = ["| family | " + " | ".join(MADE_UP) + " |", "|---|---|" + "--:|" * (len(MADE_UP) - 1)]
    for family, rows in tables.items():
        lines += [f"| {family} | " + " | ".join(each) + " |" for each in rows]
    return lines


def _print(
    rows: Sequence[tuple[str, ...]],
    found: dict[str, tuple[made_up.Result, ...]],
    costs: dict[str, float],
) -> None:
    if rows:
        _table("public series", HEADINGS, rows)
    for family, own in made_up_rows(found).items():
        _table(family, MADE_UP, own)
    for line in _cost_lines(costs):
        console.print(line, highlight=False)


def _table(title: str, headings: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for n, heading in enumerate(headings):
        table.add_column(heading, justify="right" if n else "left")
    for each in rows:
        table.add_row(*each)
    console.print(table)


def _cost_lines(costs: dict[str, float]) -> list[str]:
    if not costs:
        return []
    return [
        f"A decision at 1,000 points: {costs['decision_ms']:.2f} ms of processor time.",
        f"10,000 series of 1,000 points: {costs['series_ms'] * 10:.0f} s in one process, by 200 of them.",
    ]


def _write(path: Path, rows: Sequence[tuple[str, ...]], costs: dict[str, float]) -> None:
    lines = ["| " + " | ".join(HEADINGS) + " |", "|---|" + "--:|" * (len(HEADINGS) - 1)]
    lines += ["| " + " | ".join(each) + " |" for each in rows]
    document.replace(path, "evaluate", "\n".join([*lines, "", *_cost_lines(costs)]))


def _digest(files: Sequence[Path]) -> str:
    whole = hashlib.sha256()
    for file in files:
        whole.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return whole.hexdigest()[:12]

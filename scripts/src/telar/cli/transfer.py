"""`telar export` and `telar import`: results in and out of other tools' formats."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from telar.analyse.points import points_of
from telar.catalog.types import Catalog
from telar.cli.common import catalog, console, data_folder, json_option, print_json
from telar.collect.imports import DATED, READERS
from telar.collect.imports.foreign import Occasion
from telar.errors import ConfigError, StoreError
from telar.gates import judged_again
from telar.publish.exports import FORMATS
from telar.store import points as store
from telar.store.files import sessions, write_atomically
from telar.store.points import Point


class NothingThere(ConfigError):  # noqa: N818 - no fault, and told as one only where it is
    """There is no session, or none of them got as far as a number."""


IMPORTED = Path("history") / "imported.jsonl"  # below benchmarks-data/


@click.command("export")
@click.argument("format_", metavar="FORMAT", type=click.Choice(sorted(FORMATS)))
@click.argument("session", required=False)
@click.option(
    "--to", "folder", type=click.Path(path_type=Path, file_okay=False), help="[default: export/FORMAT]"
)
@click.option("--all", "every", is_flag=True, help="All sessions, and what was imported.")
@click.option("--judged", is_flag=True, help="Only metrics that get verdicts (`matters` in telar.toml).")
@click.option("--empty-ok", is_flag=True, help="It is fine when there is nothing that may be exported.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
def export(
    format_: str,
    session: str | None,
    folder: Path | None,
    every: bool,
    judged: bool,
    empty_ok: bool,
    data: Path | None,
) -> None:
    """Writes a session's results (the last one's by default) in another tool's format.

    \b
    github-action-benchmark  two files, one for each direction
    bencher                  Bencher Metric Format
    otava                    CSV for Apache Otava, with its configuration
    jmh                      JSON as JMH writes it
    csv, parquet             every point as a row

    \b
    Examples:
      telar export github-action-benchmark --judged
      telar export otava --all --to otava/
      telar export csv 20261121-071500-smoke
    """
    console.stderr = False
    c = catalog()
    try:
        chosen = gathered(c, data, session, every=every)
    except NothingThere:
        if not empty_ok:
            raise
        chosen = []
    if judged:
        metrics = {name for name, metric in c.file.metric.items() if metric.matters is not None}
        chosen = [p for p in chosen if p.metric in metrics]
    if empty_ok and not any(p.validity != "invalid" for p in chosen):
        console.print("there is nothing that may be exported")
        return
    if not any(p.validity != "invalid" for p in chosen):
        raise ConfigError(
            "there is no point that may be exported", hint="telar report says why runs are invalid"
        )
    target = folder or Path("export") / format_
    for name, content in FORMATS[format_](chosen).items():
        write_atomically(target / name, content)
        console.print(f"{target / name}  ({len(content):,} bytes)", soft_wrap=True)


@click.command("import")
@click.argument("format_", metavar="FORMAT", type=click.Choice(sorted(READERS)))
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--commit", default="", help="That was measured, where the file doesn't say it.")
@click.option("--time", "moment", metavar="TIME", help="ISO 8601, when.  [default: the file's own time]")
@click.option("--prefix", default="", help="Before the names of its series.")
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path, dir_okay=False),
    help="[default: benchmarks-data/history/imported.jsonl]",
)
@json_option
def import_(
    format_: str,
    files: tuple[Path, ...],
    commit: str,
    moment: str | None,
    prefix: str,
    target: Path | None,
    as_json: bool,
) -> None:
    """Adds another tool's results to the history: telar detect and the pages show them with Telar's own.

    \b
    jmh                      JSON of -rf json
    k6                       of --summary-export, or of handleSummary
    github-action-benchmark  dev/bench/data.js, with all its commits

    \b
    Examples:
      telar import github-action-benchmark gh-pages/dev/bench/data.js
      telar import jmh target/jmh-result.json --commit "$(git rev-parse HEAD)"
      telar import k6 summary.json --prefix 'checkout ' --time 2026-11-01T12:00:00Z
    """
    console.stderr = as_json
    if moment and format_ in DATED:
        raise ConfigError(f"--time: {format_} says itself when each point was measured")
    path = target or catalog().data / IMPORTED
    found: list[Point] = []
    for file in files:
        content, written = _read(file)
        when = _moment(moment) if moment else written
        found += READERS[format_](content, Occasion(path=file, time=when, commit=commit, prefix=prefix))
    added = store.append(path, found)
    if as_json:
        print_json({"points": len(found), "added": added, "file": str(path)})
        return
    count = len(store.by_series(found))
    console.print(f"{len(found):,} points of {count:,} series, {added:,} of them new: {path}", soft_wrap=True)


def gathered(c: Catalog, data: Path | None, session: str | None, *, every: bool) -> list[Point]:
    """The points of a session (the last one that has any), or of all of them and of what was imported."""
    found = sessions(data_folder(data))
    if session is not None:
        found = [s for s in found if s.id == session]
        if not found:
            raise ConfigError(f"there is no session {session!r} below {data_folder(data)}")
    if not every:
        for each in reversed(found):
            own = points_of(c, judged_again(each.records(), c))
            if own:
                return own
        raise NothingThere("no session has a completed run", hint="telar run smoke makes one")
    imported = c.data / IMPORTED
    own = [p for s in found for p in points_of(c, judged_again(s.records(), c))]
    return own + (store.read(imported) if imported.exists() else [])


def _read(file: Path) -> tuple[bytes, float]:
    """A file's content, and when it was written."""
    try:
        return file.read_bytes(), file.stat().st_mtime
    except OSError as error:
        raise StoreError(f"{file}: can't be read: {error.strerror}") from error


def _moment(said: str) -> float:
    try:
        when = datetime.fromisoformat(said)
    except ValueError as error:
        raise ConfigError(f"--time {said!r}: {error}", hint="for example 2026-11-01T12:00:00Z") from error
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()

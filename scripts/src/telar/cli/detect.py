"""`telar detect` and `telar accept`: what moved in the history of series, and what of it was accepted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import click
import msgspec

from telar.analyse.changes import Watcher
from telar.analyse.tracking import Tracked, rules_of, track
from telar.catalog.types import Catalog
from telar.cli.common import catalog, console, data_folder, json_option, print_json
from telar.cli.publish import url_of
from telar.cli.transfer import gathered
from telar.errors import ConfigError, RegressionFound
from telar.publish import branch as branches
from telar.publish.detection import print_tracked
from telar.store import accepted
from telar.store import points as store
from telar.store.points import Point
from telar.store.published import Published


@click.command()
@click.argument("patterns", nargs=-1, metavar="[SERIES]...")
@click.option("--from", "files", multiple=True, type=click.Path(path_type=Path, dir_okay=False),
              help="Files of points, instead of this machine's sessions and what was imported.")  # fmt: skip
@click.option("--remote", default="", help="The history published there (its gh-pages) instead.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@click.option("--lines", is_flag=True, help="Read series as JSON lines, answer change points: for scoring.")
@json_option
def detect(
    patterns: tuple[str, ...],
    files: tuple[Path, ...],
    remote: str,
    data: Path | None,
    lines: bool,
    as_json: bool,
) -> None:
    """Looks for levels that shifted in the history of each series, and says what is open.

    A regression stays open until the level is back or `telar accept` says why it may stay. Improvements are
    told too, and become the level to be compared with. SERIES are names or patterns with *, of a series or
    its metric.

    Ends with 8 when a regression is open.

    \b
    Examples:
      telar detect
      telar detect 'spring-*' p99
      telar detect --from benchmarks-data/history/imported.jsonl
      telar detect --json
    """
    if lines:
        answer_lines()
        return
    c = catalog()
    console.stderr = as_json
    found = tracked(c, data, files, patterns, remote)
    if as_json:
        print_json(found)
    else:
        print_tracked(c, console, found)
    open_ = [f for t in found for f in t.open if f.state == "open"]
    if open_:
        raise RegressionFound(
            f"{len(open_)} regressions are open",
            hint="cure them, or: telar accept SERIES METRIC --reason WHY",
        )


@click.command()
@click.argument("series")
@click.argument("metric", default="*")
@click.option("--reason", required=True, help="Why this level is as it should be.")
@click.option("--by", default="", help="Who says so.")
@click.option("--from", "files", multiple=True, type=click.Path(path_type=Path, dir_okay=False),
              help="Files of points, instead of this machine's sessions and what was imported.")  # fmt: skip
@click.option("--remote", default="", help="The history published there (its gh-pages) instead.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
def accept(
    series: str,
    metric: str,
    reason: str,
    by: str,
    files: tuple[Path, ...],
    remote: str,
    data: Path | None,
) -> None:
    """Accepts the present level of what is open: from now on it is what to compare with.

    The reason goes into benchmarks-data/accepted.toml, to be committed. SERIES and METRIC may have *.

    \b
    Examples:
      telar accept 'spring-mysql-blocking-virtual*' p99 --reason 'validation was added, issue 17'
      telar accept 'spring-*' p99 --remote origin --reason 'validation was added, issue 17'
    """
    console.stderr = False
    c = catalog()
    found = [f for t in tracked(c, data, files, (), remote) for f in t.open
             if fnmatchcase(f.series, series) and fnmatchcase(f.metric, metric)]  # fmt: skip
    if not found:
        raise ConfigError(f"nothing is open of {series!r}, {metric!r}", hint="telar detect says what is")
    path = c.data / accepted.ACCEPTED
    accepted.add(
        path,
        [
            accepted.Acceptance(
                series=f.series,
                metric=f.metric,
                time=f.since.time,
                commit=f.since.commit,
                reason=reason,
                by=by,
            )
            for f in found
        ],
    )
    for f in found:
        console.print(f"accepted: {f.metric} of {f.series} at {f.level:g}", highlight=False, soft_wrap=True)
    console.print(f"kept in {path}: commit it", soft_wrap=True)


def tracked(
    c: Catalog, data: Path | None, files: tuple[Path, ...], patterns: tuple[str, ...], remote: str = ""
) -> list[Tracked]:
    points: list[Point] = []
    if files:
        for file in files:
            points += store.read(file)
    elif remote:
        points = _published(c, remote)
    else:
        points = gathered(c, data_folder(data), None, every=True)
    known = accepted.read(c.data / accepted.ACCEPTED)
    every = store.by_series(points)
    chosen = {key: own for key, own in every.items() if _wanted(key, patterns)}
    if not chosen:
        raise ConfigError("there is no such series" if every else "there is no point of any series yet",
                          hint="telar run smoke, or telar import, makes some")  # fmt: skip
    matters = {name: metric.matters for name, metric in c.file.metric.items()}
    return [track(own, known, rules_of(matters.get(metric))) for (_, metric), own in chosen.items()]


def _published(c: Catalog, remote: str) -> list[Point]:
    """All points of the history that is published there."""
    with branches.reading(url_of(c, remote), "gh-pages") as checkout:
        if checkout is None:
            return []
        published = Published(checkout.folder, checkout.want)
        published.want(published.months)
        return list(published.points_of(published.months))


def _wanted(key: tuple[str, str], patterns: tuple[str, ...]) -> bool:
    """Each pattern fits the series or the metric."""
    return all(any(fnmatchcase(part, p) for part in key) for p in patterns)


class _Line(msgspec.Struct):
    values: list[float]
    better: str = "lower"


def answer_lines() -> None:
    """A series a line on standard input, its change points a line on standard output.

    {"values": […], "better": "lower" | "higher"} → {"changepoints": [{"index": …, "direction": "worse" |
    "better"}]}. A series that goes on where the last line's ended is gone on with.
    """
    decoder, encoder = msgspec.json.Decoder(_Line), msgspec.json.Encoder()
    watcher, seen = Watcher(), list[float]()
    for line in sys.stdin.buffer:
        said = decoder.decode(line)
        if len(said.values) < len(seen) or said.values[: len(seen)] != seen:
            watcher, seen = Watcher(), []
        watcher.extend(said.values[len(seen) :])
        seen = said.values
        sys.stdout.buffer.write(
            encoder.encode({"changepoints": list(_answers(watcher, said.better))}) + b"\n"
        )
        sys.stdout.buffer.flush()


def _answers(watcher: Watcher, better: str) -> Iterator[dict[str, object]]:
    for change in watcher.changes:
        worse = change.up == (better in ("lower", "smaller"))
        yield {"index": change.index, "direction": "worse" if worse else "better"}

"""`telar publish`: sessions into the history that the pages show."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click
from rich.markup import escape

from telar.build import site
from telar.catalog.types import Catalog
from telar.cli import answer
from telar.cli.common import catalog, console, data_folder, json_option, print_json, root
from telar.errors import ConfigError, RunError, StoreError
from telar.gates import judged_again
from telar.github import sessions as late
from telar.github.api import GitHub
from telar.publish import branch as branches
from telar.publish import evidence, history
from telar.publish.history import Added
from telar.store import accepted, floors, points
from telar.store.evidence import Evidence
from telar.store.files import Session, sessions
from telar.store.points import Point
from telar.store.published import Published
from telar.tools import git
from telar.words import many

BUDGET_MB = 800  # GitHub Pages serves up to a gigabyte


@click.command()
@click.argument("session_ids", nargs=-1, metavar="[SESSION]...")
@click.option("--points", "files", multiple=True, type=click.Path(path_type=Path, dir_okay=False),
              help="Files of points (telar import) to publish, too.")  # fmt: skip
@click.option("--verdict", "verdict_files", multiple=True, type=click.Path(path_type=Path, dir_okay=False),
              help="Verdicts of telar ab (verdict.json) to publish, too: each gets its page.")  # fmt: skip
@click.option("--to", "folder", type=click.Path(path_type=Path, file_okay=False),
              help="A folder instead of a branch.")  # fmt: skip
@click.option("--remote", default="origin", help="A git remote or its URL.  [default: origin]")
@click.option("--branch", default="gh-pages", help="[default: gh-pages]")
@click.option("--all", "every", is_flag=True, help="All sessions of this machine that can be published.")
@click.option("--pages", is_flag=True, help="The trend pages, too.")
@click.option(
    "--catch-up",
    "catching_up",
    is_flag=True,
    help="In a workflow: also what its earlier runs measured and didn't get to publish.",
)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@json_option
def publish(
    session_ids: tuple[str, ...],
    files: tuple[Path, ...],
    verdict_files: tuple[Path, ...],
    folder: Path | None,
    remote: str,
    branch: str,
    every: bool,
    pages: bool,
    catching_up: bool,
    data: Path | None,
    as_json: bool,
) -> None:
    """Adds sessions (the last one by default) to the published history: records, points, and what moved.
    Of a comparison, a search (telar bisect) or an attribution it adds what was found, as a page of its own.

    The history is a branch that GitHub Pages serves, or a folder. It is only ever added to: what is there
    already stays, and is not added twice. Where several publish at once, each waits for its turn.

    \b
    Examples:
      telar publish --to public/
      telar publish 20261121-071500-smoke
      telar publish --all --pages --remote origin --branch gh-pages
      telar publish --points benchmarks-data/history/imported.jsonl --to public/
    """
    console.stderr = as_json
    c = catalog()
    chosen = _chosen(c, data_folder(data), session_ids, every, bool(files or verdict_files))
    found = [*(evidence.in_file(c, file) for file in verdict_files), *evidence_of(c, chosen)]
    chosen = [session for session in chosen if not of_pairs(session)]
    more: list[Point] = [p for file in files for p in points.read(file)]
    built = site.build(root(), console.print) if pages else None
    place = _Place(c, folder, url_of(c, remote) if folder is None else "", branch, built)
    with tempfile.TemporaryDirectory(prefix="telar-left-") as scratch:
        missed = _left(c, Path(scratch)) if catching_up else []
        done = place.add(chosen, more, found)
        there = place.sessions() if missed else set()
        caught = [added for session in missed if session.id not in there and (added := _each(place, session))]
    where = str(folder) if folder else f"{remote} {branch}"
    if as_json:
        print_json({"where": where, "added": done, "caught_up": caught})
        return
    for added in (done, *caught):
        _say(where, added)
    megabytes = (caught or [done])[-1].whole / 1e6
    if megabytes > BUDGET_MB:
        console.print(f"[yellow]the history has {megabytes:,.0f} MB of the 1,000 that GitHub Pages serves")


class _Place:
    """Where to publish to, and how."""

    def __init__(self, c: Catalog, folder: Path | None, url: str, branch: str, built: Path | None) -> None:
        self.catalog, self.folder, self.url, self.branch, self.built = c, folder, url, branch, built
        self.known = accepted.read(c.data / accepted.ACCEPTED)
        self.noise = floors.read(c.data / floors.FLOORS)

    def add(
        self, chosen: Sequence[Session], more: Sequence[Point] = (), found: Sequence[Evidence] = ()
    ) -> Added:
        if self.folder:
            done = self._into(Published(self.folder), chosen, more, found)
            if self.built:
                site.into(self.built, self.folder)
            return done
        added: list[Added] = []

        def add(checkout: branches.Checkout) -> bool:
            added[:] = [self._into(Published(checkout.folder, checkout.want), chosen, more, found)]
            return bool(added[0].sessions or added[0].points or added[0].evidence) | _with_pages(
                self.built, checkout
            )

        names = [*(session.id for session in chosen), *(each.id for each in found)]
        what = names[0] if len(names) == 1 else many(len(names), "session")
        branches.publish(self.url, self.branch, f"Results: {what}", add, console.print)
        return added[0]

    def sessions(self) -> set[str]:
        """Those that are published."""
        if self.folder:
            return _names(Published(self.folder))
        with branches.reading(self.url, self.branch) as checkout:
            return _names(Published(checkout.folder, checkout.want)) if checkout else set()

    def _into(
        self,
        published: Published,
        chosen: Sequence[Session],
        more: Sequence[Point],
        found: Sequence[Evidence],
    ) -> Added:
        return history.publish(self.catalog, published, chosen, more, self.known, self.noise, found)


def _names(published: Published) -> set[str]:
    published.want(published.months, metrics=())
    return {row.id for month in published.months for row in published.sessions(month)}


def _left(c: Catalog, scratch: Path) -> list[Session]:
    """Sessions of earlier runs of the workflow that runs. What can't be had is said, and holds up none."""
    github, found = GitHub.here(), list[Session]()
    for artifact in late.left(github, int(os.environ.get("GITHUB_RUN_ID", "0")), time.time()):
        try:
            found += publishable(c, late.fetch(github, artifact, scratch))
        except (RunError, StoreError) as error:
            _warn(f"{artifact.name} of run {artifact.run} isn't published: {error.message}")
    return found


def _each(place: _Place, session: Session) -> Added | None:
    """One that was left, by itself: a spoilt one holds up no other."""
    try:
        return place.add([session])
    except StoreError as error:
        _warn(f"the session {session.id} of an earlier run isn't published: {error.message}")
        return None


def _warn(words: str) -> None:
    console.print(f"[yellow]{escape(words)}", soft_wrap=True)


def _say(where: str, added: Added) -> None:
    if not (added.sessions or added.points or added.evidence):
        console.print(f"nothing new for {where}")
        return
    console.print(
        f"{where}: {many(added.sessions, 'session')} with {many(added.runs, 'run')}, "
        f"{many(added.points, 'point')}, "
        f"{many(added.evidence, 'page')} of evidence; "
        f"{added.bytes / 1e3:,.0f} kB written",
        soft_wrap=True,
    )


def _with_pages(built: Path | None, checkout: branches.Checkout) -> bool:
    """The pages into a branch; whether that changes them."""
    if built is None:
        return False
    checkout.want([site.KEPT, *site.FOLDERS])
    before = site.listing(checkout.folder)
    site.into(built, checkout.folder)
    return site.listing(checkout.folder) != before


def _chosen(c: Catalog, data: Path, ids: Sequence[str], every: bool, only_points: bool) -> list[Session]:
    """The sessions to publish: those that are named, all, or the last."""
    if ids:
        known = {s.id: s for s in sessions(data)}
        for name in ids:
            if name not in known:
                raise ConfigError(f"there is no session {name!r} below {data}")
        return [known[name] for name in ids]
    own = publishable(c, data)
    if every:
        return [*own, *(s for s in sessions(data) if of_pairs(s))]
    if only_points:
        return []
    if not own:
        raise ConfigError(f"there is no session below {data}", hint="telar run smoke makes one")
    return own[-1:]


def publishable(c: Catalog, data: Path) -> list[Session]:
    """Those whose runs belong to a history: of a suite, and no pairs, which are of a comparison."""
    return [
        s
        for s in sessions(data)
        if (plan := s.plan).suite in c.file.suite and all(run.pair is None for run in plan.runs)
    ]


def of_pairs(session: Session) -> bool:
    """Whether it compares: its windows are of no series."""
    return any(run.pair is not None for run in session.plan.runs)


def evidence_of(c: Catalog, chosen: Sequence[Session]) -> list[Evidence]:
    """What sessions of pairs found."""

    def found(session: Session) -> Evidence | None:
        return answer.found_in(
            c, session, lambda: answer.of_session(c, session, judged_again(session.records(), c))
        )

    return [own for session in filter(of_pairs, chosen) if (own := found(session))]


def url_of(c: Catalog, remote: str) -> str:
    """The URL of a remote of the repository that is measured; a URL as it is."""
    return git.url_of(c.home, remote) if "/" not in remote and ":" not in remote else remote

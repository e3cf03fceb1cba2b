"""`telar regressions`: what is open in a published history, as issues of GitHub."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import click
import httpx
from rich.markup import escape

from telar.catalog.types import Catalog
from telar.cli.common import catalog, console, json_option, print_json
from telar.cli.publish import url_of
from telar.errors import ConfigError, RunError
from telar.github import regressions as issues
from telar.github.api import GitHub
from telar.publish import branch as branches
from telar.publish import issue
from telar.publish.regressions import Group, groups
from telar.publish.standing import Now
from telar.store.published import Published


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option("--remote", default="origin", help="A git remote or its URL.  [default: origin]")
@click.option("--branch", default="gh-pages", help="[default: gh-pages]")
@click.option("--issues", "to_github", is_flag=True, help="Open, update and close GitHub issues.")
@click.option(
    "--webhook",
    envvar="TELAR_WEBHOOK",
    default="",
    help="Where to post what was opened and closed, as JSON.  [default: $TELAR_WEBHOOK]",
)
@click.option(
    "--pages",
    envvar="TELAR_PAGES",
    default="",
    help="Where the trend pages are.  [default: $TELAR_PAGES or GitHub's place for them]",
)
@json_option
def regressions(
    folder: Path | None, remote: str, branch: str, to_github: bool, webhook: str, pages: str, as_json: bool
) -> None:
    """Says what got worse in a published history (a branch, or a FOLDER) and is neither cured nor accepted:
    what one commit moved is one group.

    With --issues each group is one issue, which grows while it lasts and is closed when it is over; never
    more than five at once. The webhook gets {"event": "opened" or "closed", "repository", "issue", "text"}.

    \b
    Examples:
      telar regressions public/
      telar regressions --remote origin
      telar regressions --issues              # in a workflow: .github/workflows/bench.yml
    """
    console.stderr = as_json
    c = catalog()
    if webhook and not webhook.startswith(("https://", "http://127.0.0.1:")):
        raise ConfigError("--webhook: say an https URL")
    with _published(c, folder, remote, branch) as published:
        found = groups(c, published) if published else []
        states = _states(published) if published else {}
    done = None
    if to_github and published:
        github = GitHub.here()
        done = issues.sync(github, found, states, pages or _pages(github.repository))
    if as_json:
        print_json({"groups": found, "issues": done})
    else:
        _say(found, done)
    if done and webhook:
        _post(webhook, done)


@contextlib.contextmanager
def _published(c: Catalog, folder: Path | None, remote: str, branch: str) -> Iterator[Published | None]:
    """None where nothing was published yet."""
    if folder:
        yield Published(folder)
        return
    with branches.reading(url_of(c, remote), branch) as checkout:
        if checkout is None:
            yield None
            return
        published = Published(checkout.folder, checkout.want)
        published.want(())
        yield published


def _states(published: Published) -> dict[str, str]:
    """How the newest finding of each series for the worse stands."""
    now = published.now(Now)
    return {
        issues.digest_of(s.series, s.metric): worse[-1].state
        for s in (now.standing if now else ())
        if (worse := [f for f in s.findings if f.kind != "improvement"])
    }


def _pages(repository: str) -> str:
    owner, _, name = repository.lower().partition("/")
    return f"https://{owner}.github.io" + ("" if name == f"{owner}.github.io" else f"/{name}")


def _say(found: list[Group], done: issues.Done | None) -> None:
    for group in found:
        console.print(f"[bold]{escape(issue.title(group.first))}[/bold]", soft_wrap=True)
        for moved in group.moved:
            console.print(
                f"  {moved.metric} of {moved.series}: {moved.share:+.1%}", markup=False, soft_wrap=True
            )
    if not found:
        console.print("nothing is open")
    if done:
        console.print(
            f"issues: {len(done.opened)} opened, {len(done.written)} updated, {len(done.closed)} closed"
            + (f", {done.waiting} wait, since {issues.AT_ONCE} are open" if done.waiting else "")
        )


def _post(webhook: str, done: issues.Done) -> None:
    """Raises RunError: who asked for it must see that it didn't arrive."""
    for event, urls in (("opened", done.opened), ("closed", done.closed)):
        for url in urls:
            text = f"Telar: a regression on main was {event}: {url}"
            said = {
                "event": event,
                "repository": os.environ.get("GITHUB_REPOSITORY", ""),
                "issue": url,
                "text": text,
            }
            try:
                httpx.post(webhook, json=said, timeout=30).raise_for_status()
            except httpx.HTTPError as error:
                raise RunError(
                    f"the webhook didn't take it: {type(error).__name__}",
                    hint="the issues are written; look at TELAR_WEBHOOK",
                ) from error

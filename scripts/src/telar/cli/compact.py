"""`telar compact`: readings by the second of old runs out of a published history."""

from __future__ import annotations

import time
from pathlib import Path

import click

from telar.cli.common import catalog, console, json_option, print_json
from telar.cli.publish import url_of
from telar.publish import branch as branches
from telar.publish.compaction import Compacted, first_kept
from telar.publish.compaction import compact as compacted
from telar.store.published import Published


@click.command()
@click.option("--keep", type=click.IntRange(1, 1200), default=24, metavar="MONTHS",
              help="Months before this one that stay whole.  [default: 24]")  # fmt: skip
@click.option("--in", "folder", type=click.Path(path_type=Path, file_okay=False), help="A published folder.")
@click.option("--remote", default="origin", help="A git remote or its URL.  [default: origin]")
@click.option("--branch", default="gh-pages", help="[default: gh-pages]")
@json_option
def compact(keep: int, folder: Path | None, remote: str, branch: str, as_json: bool) -> None:
    """Drops readings by the second of old runs from a published history; every number and histogram stays.

    Nothing else ever does so. Git keeps what a branch had before: what becomes smaller is what is served.

    \b
    Examples:
      telar compact --in public/
      telar compact --keep 36 --remote origin
    """
    console.stderr = as_json
    now = time.time()
    first = first_kept(now, keep)
    found: list[Compacted] = []

    def drop(checkout: branches.Checkout) -> bool:
        found[:] = [compacted(Published(checkout.folder, checkout.want), first, now)]
        return found[0].runs > 0

    if folder:
        found = [compacted(Published(folder), first, now)]
    else:
        branches.publish(
            url_of(catalog(), remote), branch, f"Compacted: readings before {first}", drop, console.print
        )
    (done,) = found
    if as_json:
        print_json({"first": first, "compacted": done})
        return
    if not done.runs:
        console.print(f"nothing to drop before {first}, in {done.months} months")
        return
    console.print(f"readings of {done.runs:,} runs before {first} dropped: {done.freed / 1e6:,.1f} MB less")

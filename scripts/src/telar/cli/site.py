"""`telar site` and `telar serve`: the trend pages, built, and looked at on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from telar.build import site as pages
from telar.cli.common import catalog, console, data_folder, root
from telar.cli.publish import publishable
from telar.errors import ConfigError, EnvironmentProblem
from telar.publish import history
from telar.publish.server import server
from telar.store import accepted, floors
from telar.store.published import Published


@click.command()
@click.option("--to", "folder", type=click.Path(path_type=Path, file_okay=False),
              help="Where the pages go, beside the data/ that telar publish writes.")  # fmt: skip
@click.option("--ship", is_flag=True, help="Build site/ into site/built/, which is committed. Needs Node.js.")
def site(folder: Path | None, ship: bool) -> None:
    """Puts the trend pages into a folder. They are shipped as built: Node.js is needed only after a change
    of site/.

    \b
    Examples:
      telar publish --to public/ && telar site --to public/
      telar site --ship
    """
    console.stderr = False
    if ship:
        console.print(f"{pages.ship(root(), console.print)}", soft_wrap=True)
    if folder is None:
        if not ship:
            raise ConfigError("where the pages go isn't given", hint="telar site --to FOLDER")
        return
    pages.into(pages.build(root(), console.print), folder)
    console.print(f"{folder / 'index.html'}", soft_wrap=True)


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option("--port", type=click.IntRange(0, 65_535), default=8080, help="[default: 8080]")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
def serve(folder: Path | None, port: int, data: Path | None) -> None:
    """Shows the trend pages on this machine: of a published FOLDER, or of this machine's own sessions.

    \b
    Examples:
      telar serve
      telar serve public/ --port 9000
    """
    console.stderr = False
    if folder is None:
        folder = root() / ".telar" / "pages"
        c = catalog()
        own = publishable(c, data_folder(data))
        known, noise = accepted.read(c.data / accepted.ACCEPTED), floors.read(c.data / floors.FLOORS)
        added = history.publish(c, Published(folder), own, [], known, noise)
        console.print(f"{added.sessions} new sessions, {added.points:,} new points")
        pages.into(pages.build(root(), console.print), folder)
    if not (folder / "index.html").exists():
        raise ConfigError(f"{folder} has no index.html", hint=f"telar site --to {folder}")
    try:
        listening = server(folder, port)
    except OSError as error:
        raise EnvironmentProblem(
            f"port {port}: {error.strerror}", hint="say another: --port 0 takes any"
        ) from error
    with listening:
        console.print(f"http://127.0.0.1:{listening.server_address[1]}/  (Ctrl-C ends it)")
        listening.serve_forever()

"""Components that Telar uses where they are installed, and never sets up."""

from __future__ import annotations

from telar.tools import shell
from telar.tools.components.base import Component, Recipe, first_version, on_path

ENGINE_REMEDY = "install Docker Engine and start it, or use --engine embedded"


def _docker(name: str, *arguments: str) -> Component | None:
    path = shell.which("docker")
    if path is None:
        return None
    try:
        version = first_version(shell.run([path, *arguments], timeout=10, quiet=True).stdout)
    except shell.CommandError:
        return None
    if version is None:
        return None
    return Component(name=name, version=version, path=path, origin="system")


def _chromium() -> Component | None:
    commands = ("chromium", "chromium-browser", "google-chrome")
    found = (on_path("chromium", command, "--version") for command in commands)
    return next(filter(None, found), None)


RECIPES = (
    Recipe(
        name="docker",
        purpose="runs the compose engine",
        remedy=ENGINE_REMEDY,
        find=lambda: _docker("docker", "version", "--format", "{{.Server.Version}}"),
    ),
    Recipe(
        name="docker-buildx",
        purpose="builds the images of the compose engine",
        remedy="install Docker's buildx plugin",
        find=lambda: _docker("docker-buildx", "buildx", "version"),
    ),
    Recipe(
        name="docker-compose",
        purpose="starts the services of the compose engine",
        remedy="install Docker's compose plugin (2.x)",
        find=lambda: _docker("docker-compose", "compose", "version", "--short"),
    ),
    Recipe(
        name="mongod",
        purpose="serves MongoDB's protocol to the embedded engine",
        remedy="install MongoDB 8; without it Telar takes FerretDB",
        find=lambda: on_path("mongod", "mongod", "--version", minimum="5"),
    ),
    Recipe(
        name="chromium",
        purpose="opens the site's pages in its tests",
        remedy="install Chromium",
        find=_chromium,
    ),
    Recipe(
        name="node",
        purpose="checks and tests the TypeScript of k6 and of the site",
        remedy="install Node.js 20 or newer",
        find=lambda: on_path("node", "node", "--version"),
    ),
)

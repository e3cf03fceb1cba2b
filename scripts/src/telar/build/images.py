"""The images of compose/debian.env, built from Debian packages: no container registry is needed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from telar.errors import BuildError, EnvironmentProblem
from telar.tools import shell
from telar.tools.components.base import Say

# The targets of the bake file.
IMAGES = ("jre", "mysql", "mongodb", "postgresql", "k6", "victoriametrics", "prometheus")

_FOLDER = Path(__file__).parents[4] / "compose" / "images"
_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"  # the bake file's secret for Go's downloads
_MODULE = _FOLDER.parents[1] / "scripts" / "src" / "telar" / "tools" / "components" / "k6"
_BASE_TIMEOUT = 600
_BUILD_TIMEOUT = 3600


def build_debian_images(
    say: Say, only: Sequence[str] | None = None, *, jdks: Iterable[str]
) -> tuple[str, ...]:
    """Builds the images named (default all), of JREs one for each JDK, and returns their bake targets.

    BuildKit's cache makes a call that finds nothing changed take seconds.
    """
    targets = tuple(only or IMAGES)
    unknown = sorted(set(targets) - set(IMAGES))
    if unknown:
        raise BuildError(f"no such image: {', '.join(unknown)}", hint=f"known: {', '.join(IMAGES)}")
    _require_engine()
    _build_base(say)
    say(f"building images from Debian packages: {', '.join(targets)}")
    try:
        shell.run(bake_command(targets), cwd=_FOLDER, env=variables(jdks), timeout=_BUILD_TIMEOUT)
    except shell.CommandError as error:
        raise BuildError(error.message) from error
    return targets


def bake_command(targets: Sequence[str]) -> list[str]:
    """With the permissions that the bake file asks for: the host's network, certificates, k6's module.

    Without the last one, buildx refuses now and then.
    """
    return [
        "docker", "buildx", "bake", "--progress=plain",
        "--allow=network.host", f"--allow=fs.read={_CERTIFICATES}", f"--allow=fs.read={_MODULE}",
        *targets,
    ]  # fmt: skip


def variables(jdks: Iterable[str]) -> dict[str, str]:
    """Those of the bake file."""
    return {"JDKS": ",".join(jdks)}


def _require_engine() -> None:
    try:
        shell.run(["docker", "version", "--format", "{{.Server.Version}}"], quiet=True)
    except shell.CommandError as error:
        raise EnvironmentProblem(
            "no Docker Engine answers",
            hint="start it; on a bare Debian machine: sudo scripts/runner/provision-debian.sh",
        ) from error


def _build_base(say: Say) -> None:
    if _exists("telar/debian:sid"):
        return
    if os.geteuid() != 0:
        raise EnvironmentProblem(
            "telar/debian:sid isn't there, and making it needs root",
            hint=f"run once: sudo {_FOLDER / 'debian-base.sh'}",
        )
    say("making telar/debian:sid with debootstrap (half a minute)")
    try:
        shell.run([_FOLDER / "debian-base.sh"], timeout=_BASE_TIMEOUT)
    except shell.CommandError as error:
        raise BuildError(error.message) from error


def _exists(image: str) -> bool:
    return bool(shell.run(["docker", "image", "ls", "--quiet", image], quiet=True).stdout.strip())

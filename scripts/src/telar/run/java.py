"""How a JVM of ours is launched, and what it says about itself when it starts."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from telar.catalog.jvm import TELLING, options
from telar.catalog.types import Catalog
from telar.catalog.variant import Variant
from telar.collect import recording
from telar.databases.types import DATABASE
from telar.errors import ConfigError
from telar.run import archive
from telar.run.beside import Beside

GC_LOG, CRASH = "gc.log", "hs_err.log"  # the JVM's own files in a run's folder


def arguments(
    catalog: Catalog, variant: Variant, own: Sequence[str], run_folder: Path, start_jar: str
) -> list[str]:
    """The java command's arguments, the same in both engines."""
    return [
        "-showversion",
        "-XX:+PrintFlagsFinal",  # the record keeps what the JVM says, not what it was given
        f"-Xlog:gc:file={run_folder / GC_LOG}:timemillis",
        _crash(run_folder),
        *_recording(catalog, run_folder),
        *archive.used(options(catalog, variant, own), run_folder),
        "-jar",
        start_jar,
    ]


def archiving(
    catalog: Catalog, variant: Variant, own: Sequence[str], run_folder: Path, start_jar: str
) -> list[str]:
    """The same of a start that writes the archive of another. That refuses an archive of a JVM without the
    recording's module.
    """
    own_options = archive.written(options(catalog, variant, own), run_folder)
    return [_crash(run_folder), *_recording(catalog, run_folder), *own_options, "-jar", start_jar]


def _recording(catalog: Catalog, run_folder: Path) -> list[str]:
    return recording.options(run_folder) if catalog.file.jvm.recording else []


def _crash(run_folder: Path) -> str:
    """Where a JVM that crashes says why: else in its working directory, which ends with its container."""
    return f"-XX:ErrorFile={run_folder / CRASH}"


def environment(
    variant: Variant,
    *,
    http_port: int,
    metrics_port: int,
    database_port: int | None,
    beside: Sequence[Beside] = (),
) -> dict[str, str]:
    """The launch protocol that every app follows (apps/README.md); a guest is told in its own words, too."""
    protocol = {
        "HTTP_PORT": str(http_port),
        "METRICS_PORT": str(metrics_port),
        "DB_HOST": "127.0.0.1",
        "DB_PORT": str(database_port or ""),
        "DB_NAME": DATABASE,
        "DB_USER": DATABASE,
        "DB_PASSWORD": "",
        # Nothing of the machine's may change the JVM behind our back.
        "JAVA_TOOL_OPTIONS": "",
        "JDK_JAVA_OPTIONS": "",
    }
    for own in beside:
        protocol |= own.environment
    guest = variant.app.guest
    if guest is None:
        return protocol
    ports = {"port": http_port, "metrics_port": metrics_port, "database_port": database_port}
    # For the image's own question, which can't speak TLS: then it asks whether anything listens.
    ready = {"READY_PATH": "" if guest.tls and not guest.has_metrics_port else variant.app.http.ready}
    chosen = {name: filled(value, ports) for name, value in guest.environment.items()}
    return protocol | ready | chosen | dict(zip(guest.secrets, secrets(variant), strict=True))


def secrets(variant: Variant) -> list[str]:
    """The values of what a guest takes from this machine's environment. Raises ConfigError for what isn't
    there.
    """
    guest = variant.app.guest
    names = guest.secrets if guest else ()
    missing = [name for name in names if name not in os.environ]
    if guest and missing:
        raise ConfigError(
            f"{guest.file}: secrets: {missing[0]} isn't set in the environment of telar",
            hint=f"export {missing[0]}=…; on GitHub Actions, as a secret that the step's env names",
        )
    return [os.environ[name] for name in names]


def filled(text: str, ports: Mapping[str, int | None]) -> str:
    """A guest's words with the ports of this run."""
    for name, port in ports.items():
        text = text.replace(f"{{{name}}}", str(port))
    return text


_FLAG = re.compile(r"^\s+\w+\s+(\w+)\s+:?=\s+(.*?)\s+\{([^}]*)\}(?:\s+\{([^}]*)\})?\s*$")
_VERSION = re.compile(r'^(?:openjdk|java) version "([^"]+)"')


def version(log: str) -> str:
    """What `-showversion` printed; empty when it isn't there."""
    return next((m.group(1) for m in map(_VERSION.match, log.splitlines()) if m), "")


def vendor(log: str) -> str:
    """The line that names the build, e.g. `OpenJDK Runtime Environment Temurin-25.0.2+10 (build …)`."""
    return next((line.strip() for line in log.splitlines() if "Runtime Environment" in line), "")


_OURS = frozenset({"ErrorFile", "StartFlightRecording", "FlightRecorderOptions"})  # name the run's own folder


def flags(log: str) -> dict[str, str]:
    """As `-XX:+PrintFlagsFinal` printed them: those whose value isn't the JVM's default, and `TELLING`."""
    found = [m.groups() for m in map(_FLAG.match, log.splitlines()) if m]
    return {
        name: value
        for name, value, _, origin in found
        if name in TELLING or (origin and origin != "default" and name not in _OURS)
    }


def picked_up(log: str) -> tuple[str, ...]:
    """Options that the JVM says it took from its environment, `NAME: options`; empty ones are left out."""
    found = (line.partition("Picked up ")[2].strip() for line in log.splitlines() if "Picked up " in line)
    return tuple(said for said in found if said.partition(":")[2])


def without_preamble(log: str) -> str:
    """The log less the table of flags: what a person wants to see when the app died."""
    lines = [line for line in log.splitlines() if not _FLAG.match(line)]
    return "\n".join(line for line in lines if line != "[Global flags]")


def command_of(parts: Sequence[str | Path]) -> tuple[str, ...]:
    return tuple(str(p) for p in parts)

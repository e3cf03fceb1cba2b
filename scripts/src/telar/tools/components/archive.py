"""Archives from package registries: checked against a pinned hash, unpacked with their modes."""

from __future__ import annotations

import hashlib
import shutil
import tarfile
import zipfile
from pathlib import Path

from telar.errors import EnvironmentProblem


def check(archive: Path, sha256: str) -> None:
    """Raises unless `archive` is the very file that was pinned."""
    with archive.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise EnvironmentProblem(
            f"{archive.name} is not the file that Telar pins: sha256 {found}, expected {sha256}",
            hint="whatever served it has changed it; remove it there and from its local caches",
        )


def unpack(archive: Path, destination: Path, *, below: str) -> None:
    """What lies in the archive's folder `below`, into `destination`."""
    prefix = below.rstrip("/") + "/"
    with zipfile.ZipFile(archive) as content:
        for entry in content.infolist():
            if entry.filename.startswith(prefix) and not entry.is_dir():
                target = destination / entry.filename.removeprefix(prefix)
                target.parent.mkdir(parents=True, exist_ok=True)
                with content.open(entry) as source, target.open("wb") as sink:
                    shutil.copyfileobj(source, sink)
                target.chmod(entry.external_attr >> 16 & 0o777 or 0o644)


def unpack_tar(archive: Path, destination: Path) -> None:
    """All that lies in the archive, into `destination`."""
    with tarfile.open(archive) as content:
        # Pythons before 3.11.4 have no filter; what is unpacked was checked against its pin.
        content.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
        content.extractall(destination)  # noqa: S202

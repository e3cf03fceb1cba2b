"""The plan file that a k6 script follows, made from workload.toml."""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
from pathlib import Path

import msgspec

from telar.build import maven
from telar.catalog.types import Catalog, StageFile, Workload
from telar.store.record import Stage


def plan_for(
    workload: Workload,
    seed: int,
    stages: tuple[StageFile, ...] = (),
    vus: int = 0,
    begin: float | None = None,
) -> bytes:
    """TELAR_PLAN's content (k6/README.md): the workload's own stages and users, or others with its mix.

    `begin`: when the arrivals begin, in seconds since the epoch; None: as soon as the setup is done.
    """
    file = workload.file
    return msgspec.json.encode(
        {
            "seed": seed,
            **({} if workload.rows is None else {"rows": workload.rows}),
            "timeout": file.timeout,
            "vus": {"pre_allocated": vus} if vus else file.vus,
            "mix": file.mix,
            "stages": stages or file.stage,
            **({} if begin is None else {"begin": begin * 1000}),
        }
    )


def script_digest(catalog: Catalog) -> str:
    """Of all scripts that may have made the load: Telar's, and what lies with a guest's."""
    own = maven.digest_of_sources(catalog.root / "k6")
    folders = sorted({w.folder for w in catalog.workloads.values()}) if catalog.guest else []
    theirs = [maven.digest_of_sources(folder) for folder in folders]
    return hashlib.sha256("".join([own, *theirs]).encode()).hexdigest() if theirs else own


def guest_script(catalog: Catalog, workload: Workload, folder: Path) -> Path:
    """A script in the run's folder that drives a guest's by Telar's schedule.

    The guest's lies beside it with all that is in its folder: what it imports may not lie elsewhere. A link
    stays a link, which leads to nothing in k6's container: it may be a stranger's, to what is the machine's.
    """
    theirs = folder / "script"
    if not theirs.exists():
        ignored = shutil.ignore_patterns("node_modules", "*.toml")
        shutil.copytree(workload.folder, theirs, symlinks=True, ignore=ignored)
    script = folder / "guest.ts"
    drive = (catalog.root / "k6" / "scenarios" / "guest.ts").as_posix()
    script.write_text(
        f"import * as theirs from {json.dumps(f'./script/{workload.file.script}')};\n"
        f"import {{ drive }} from {json.dumps(drive)};\n"
        f"export {{ handleSummary, options }} from {json.dumps(drive)};\n"
        "export const setup = () => drive.setup(theirs);\n"
        "export default (found) => drive.arrive(theirs, found);\n"
        "export const teardown = (found) => drive.teardown(theirs, found);\n",
        encoding="utf-8",
    )
    return script


def scheduled(workload: Workload) -> float:
    return workload.arrivals


def stages_of(workload: Workload) -> tuple[Stage, ...]:
    """The stages with their times from the window's start."""
    ends = list(itertools.accumulate(s.duration for s in workload.file.stage))
    return tuple(
        Stage(name=s.name, from_rate=s.from_, to_rate=s.to, start=end - s.duration, end=end)
        for s, end in zip(workload.file.stage, ends, strict=True)
    )

"""The plan file that a k6 script follows, made from workload.toml."""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
from pathlib import Path

import msgspec

from telar.build import maven
from telar.catalog.types import REST, Catalog, StageFile, Workload
from telar.databases import seed as seeds
from telar.store.record import Stage


def plan_for(
    workload: Workload,
    seed: int,
    stages: tuple[StageFile, ...] = (),
    vus: int = 0,
    begin: float | None = None,
    touch: bool = False,
) -> bytes:
    """TELAR_PLAN's content (k6/README.md): the workload's own stages and users, or others with its mix.

    `begin`: when the load begins, in seconds since the epoch; None: as soon as the setup is done. `touch`:
    each user's first request comes before the first stage.
    """
    file = workload.file
    touched = {"rate": workload.peak_rate, "duration": workload.touching, "rest": REST}
    return msgspec.json.encode(
        {
            "seed": seed,
            "rows": seeds.SIZE,
            "timeout": file.timeout,
            "vus": {"pre_allocated": vus} if vus else file.vus,
            "mix": file.mix,
            "stages": stages or file.stage,
            **({"touch": touched} if touch else {}),
            **({} if begin is None else {"begin": begin * 1000}),
        }
    )


def script_digest(catalog: Catalog) -> str:
    """Of all scripts that may have made the load: Telar's, and what lies with a guest's."""
    own = maven.digest_of_sources(catalog.root / "k6")
    folders = sorted({w.folder for w in catalog.workloads.values()}) if catalog.guest else []
    theirs = [maven.digest_of_sources(folder) for folder in folders]
    return hashlib.sha256("".join([own, *theirs]).encode()).hexdigest() if theirs else own


def guest_script(catalog: Catalog, workload: Workload, folder: Path, first: str) -> Path:
    """A script in the run's folder that drives a guest's by Telar's schedule; `first`: the path that each VU
    asks for first.

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
        f"export const touch = () => drive.touch({json.dumps(first)});\n"
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

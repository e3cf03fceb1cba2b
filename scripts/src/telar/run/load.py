"""The plan file that a k6 script follows, made from workload.toml."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import msgspec

from telar.catalog import scripts
from telar.catalog.types import Catalog
from telar.catalog.workload import REST, StageFile, Workload
from telar.store.record import Stage

# k6's garbage collector, left to itself, holds it up for up to 20 ms every eight seconds with the users of a
# comparison's window. Arrivals wait, and p99 tells of it. So it has a gigabyte, which a window doesn't fill.
COLLECTING = {"GOGC": "off", "GOMEMLIMIT": "1GiB"}
OF_A_USER, BESIDE = 1, 300  # MiB: each user is a JavaScript runtime of its own
DRIVER = "scenarios/guest.ts"  # in k6/, of a guest's script


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
    users = vus or file.vus.pre_allocated
    touched = {"rate": workload.peak_rate, "duration": workload.touching_of(users), "rest": REST}
    return msgspec.json.encode(
        {
            "seed": seed,
            **({} if workload.rows is None else {"rows": workload.rows}),
            "timeout": file.timeout,
            "vus": {"pre_allocated": users},
            "mix": file.mix,
            "stages": stages or file.stage,
            **({"touch": touched} if touch else {}),
            **({} if begin is None else {"begin": begin * 1000}),
        }
    )


def collecting(workload: Workload) -> dict[str, str]:
    """k6's variables: a gigabyte, or what so many users need (docs/method.md, "The generator's garbage")."""
    needed = BESIDE + OF_A_USER * workload.file.vus.pre_allocated
    return COLLECTING if needed <= 1024 else {**COLLECTING, "GOMEMLIMIT": f"{needed}MiB"}  # noqa: PLR2004 - a GiB


def script_digest(catalog: Catalog, workload: Workload, warmup: Workload) -> str:
    """Of what makes a run's load: the files of its script, what its plan says, and the same of the warm-up's,
    whose rate and length the record has. What no script of theirs takes in, such as a README, isn't in it.
    """
    steady = msgspec.structs.replace(workload.file.stage[0], name="warm-up", from_=1, to=1, duration=1)
    whole = hashlib.sha256(repr(collecting(workload)).encode())
    for own, stages in ((workload, ()), (warmup, (steady,))):
        whole.update(plan_for(own, 0, stages))
        for name, content in sorted(_files(catalog, own).items()):
            whole.update(f"\0{name}\0".encode() + hashlib.sha256(content).digest())
    if workload.file.search:  # none of a plan's keys: each rate has a plan of its own
        whole.update(msgspec.json.encode(workload.file.search))
    return whole.hexdigest()


def _files(catalog: Catalog, workload: Workload) -> dict[str, bytes]:
    """A workload's script and all that it takes in, by names that are the same on every machine."""
    k6, entry = catalog.root / "k6", workload.folder / workload.file.script
    if catalog.guest is None:
        return _contents(k6, scripts.files(entry, k6 if entry.is_relative_to(k6) else catalog.root))
    theirs = scripts.files(entry, workload.folder)
    if not scripts.is_readable(theirs):  # it may take in whatever lies beside it
        theirs += [
            p for p in sorted(workload.folder.rglob("*")) if p.is_file() and _may_be_taken(p, workload)
        ]
    ours = _contents(k6, scripts.files(k6 / DRIVER, k6))
    return ours | {f"guest/{name}": content for name, content in _contents(workload.folder, theirs).items()}


def _may_be_taken(path: Path, workload: Workload) -> bool:
    inside = path.relative_to(workload.folder)
    return (
        "node_modules" not in inside.parts and inside.suffix not in (".md", ".toml") and not path.is_symlink()
    )


def _contents(base: Path, files: Iterable[Path]) -> dict[str, bytes]:
    """By the path from `base`: a system's own script lies elsewhere in the checkout."""
    there = base.resolve()
    return {Path(os.path.relpath(file.resolve(), there)).as_posix(): file.read_bytes() for file in files}


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
    drive = (catalog.root / "k6" / DRIVER).as_posix()
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


def scheduled(stages: Iterable[Stage]) -> float:
    """Arrivals, by the schedule's integral."""
    return sum((s.from_rate + s.to_rate) / 2 * (s.end - s.start) for s in stages)


def stages_of(workload: Workload) -> tuple[Stage, ...]:
    """The stages with their times from the window's start."""
    ends = list(itertools.accumulate(s.duration for s in workload.file.stage))
    return tuple(
        Stage(name=s.name, from_rate=s.from_, to_rate=s.to, start=end - s.duration, end=end)
        for s, end in zip(workload.file.stage, ends, strict=True)
    )

"""A record by its run id, and a session by its name or folder, wherever they are kept."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from telar.errors import ConfigError
from telar.store.files import Session, sessions

# Among a record's first fields; a record that can't be read to its end is found all the same.
_RUN_ID = re.compile(rb'"run_id": ?"([0-9a-f]+)"')
_HEAD = 4096
MAKE = "telar run quickstart makes one"


def find(run: str, *folders: Path) -> Path:
    """The record of the run with this id, or the only one whose id begins so; or a record's file itself.

    Raises ConfigError with what is nearest.
    """
    if Path(run).is_file():
        return Path(run)
    known: dict[str, Path] = {}
    for folder in folders:
        known = _run_ids(folder) | known
    fitting = [run_id for run_id in known if run_id.startswith(run)]
    if len(fitting) == 1:
        return known[fitting[0]]
    if fitting:
        shown = ", ".join(fitting[:5]) + (", …" if len(fitting) > 5 else "")  # noqa: PLR2004 - a line's length
        raise ConfigError(f"{len(fitting)} runs begin with {run!r}", hint=f"say more of it: {shown}")
    below = " or ".join(map(str, folders))
    raise ConfigError(f"there is no run {run!r} below {below}", hint=_hint(run, list(known)))


def session(said: str | None, data: Path) -> Session:
    """The session of this name below `data`, or in this folder; of a folder of several, or without a word,
    the newest that has a record.

    Raises ConfigError with the last ones that there are.
    """
    if said is None:
        return _newest(data)
    folder = Path(said).expanduser()
    for place in (folder, data / said):
        if (place / "plan.json").is_file():
            return Session(place.resolve())
    if folder.is_dir() and sessions(folder):
        return _newest(folder.resolve())
    found = sessions(data)
    if not found:
        raise ConfigError(f"there is no session {said!r}, nor any below {data}", hint=MAKE)
    raise ConfigError(
        f"there is no session {said!r}, neither as a folder nor below {data}",
        hint="the last ones: " + ", ".join(s.id for s in found[-5:]),
    )


def _newest(data: Path) -> Session:
    found = sessions(data)
    if not found:
        raise ConfigError(f"there is no session below {data}", hint=MAKE)
    whole = [s for s in found if any((s.folder / "records").glob("[!.]*.json"))]
    if not whole:
        raise ConfigError(f"no session below {data} has a record yet", hint="telar run --resume")
    return whole[-1]


def _run_ids(folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in sorted(folder.glob("**/records/*.json")):
        with path.open("rb") as file:
            run_id = _RUN_ID.search(file.read(_HEAD))
        if run_id:
            found.setdefault(run_id.group(1).decode(), path)
    return found


def _hint(run: str, known: list[str]) -> str:
    if not known:
        return "telar run quickstart makes some; --data says where they are kept"
    near = difflib.get_close_matches(run, known, n=1)
    return f"did you mean {near[0]!r}?" if near else "a record and the page of its session name the run's id"

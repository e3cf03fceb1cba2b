"""What verdicts say where the database needed more or less, and the app or nothing else did.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/database_moved.py \\
        SESSION [--sessions 200] [--identical] [--known 15]

SESSION is one of pairs of one build (telar calibrate). How its pairs' processor times of app, database and
generator differ, and what they have in common, is the noise of made-up sessions; their floors are known. They
are decided as real ones are. Counters and bytes are equal on both sides, so that only processor time tells.
With --known the calibration counts as one of so many forks, of four pairs each.
With --identical the records also say so of tables, indexes and bytes: the database surely did the very same.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from telar.analyse.calibration import calibrate, pairs_of, value_of
from telar.analyse.verdicts import compare
from telar.catalog.load import load
from telar.plan.cells import Pair
from telar.store.files import Session
from telar.store.floors import Calibration, Floors
from telar.store.record import Record

ROOT = Path(__file__).resolve().parents[2]
RATIO, RELATIVE = "work-cpu-by-database", "work-cpu-relative"
SURE = ("worse", "better")
SIDES: tuple[Literal["a", "b"], ...] = ("a", "b")
PARTS = ("work-cpu", "database-cpu", "generator-cpu")
DESIGNS = ((1, 4), (3, 4))
CASES = ((1.0, 1.0), (1.0, 0.85), (1.0, 1.15), (1.1, 1.0), (1.2, 1.0))  # app, database


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("session", type=Path)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--identical", action="store_true")
    parser.add_argument("--known", type=int, default=0)
    said = parser.parse_args()
    catalog, dice = load(ROOT), np.random.default_rng(said.seed)
    records = [r for r in Session(said.session).contents() if isinstance(r, Record)]
    print("| variant | forks × pairs | app | database | ruler kept | worse or better by it | same by it "
          "| worse or better by either ruler |\n|---|--:|--:|--:|--:|--:|--:|--:|")  # fmt: skip
    for calibration in (of_forks(c, said.known) if said.known else c for c in calibrate(catalog, records)):
        own = [r for r in records if r.cell == calibration.cell]
        noise, name = covariance(own), calibration.cell.name
        like = surely(own[0]) if said.identical else own[0]
        for (forks, windows), (app, database) in ((d, c) for d in DESIGNS for c in CASES):
            words: Counter[str] = Counter()
            for _ in range(said.sessions):
                made = session(like, calibration, noise, dice, (forks, windows), (app, database))
                known = Floors(calibrations=(calibration,))
                (found,) = compare(catalog, made, known, {(name, name): forks * windows}, ended=True)
                spoken = {v.metric: v.word for v in (*found.verdicts, *found.beside)}
                words["kept"] += RATIO in spoken
                words["same"] += spoken.get(RATIO) == "same"
                words["ratio"] += spoken.get(RATIO) in SURE
                words["app"] += any(spoken.get(m) in SURE for m in (RATIO, RELATIVE))
            shares = (words["kept"], words["ratio"], words["same"], words["app"])
            case = (
                calibration.cell.variant,
                f"{forks} × {windows}",
                f"{app - 1:+.0%}",
                f"{database - 1:+.0%}",
            )
            told = [f"{count / said.sessions:.1%}" for count in shares]
            print(f"| {' | '.join((*case, *told))} |", flush=True)


def of_forks(calibration: Calibration, forks: int) -> Calibration:
    """The same noise, known from so many forks."""
    replace = msgspec.structs.replace
    floors = {m: replace(f, forks=forks, pairs=4 * forks) for m, f in calibration.floors.items()}
    return replace(calibration, forks=forks, pairs=4 * forks, floors=floors)


def surely(record: Record) -> Record:
    """With all that tells whether the database did the very same."""
    assert record.database
    counters = {**record.database.statements, "Bytes_received": 500_000, "Bytes_sent": 9_000_000}
    state = msgspec.structs.replace(record.database, statements=counters, schema="0123456789abcdef")
    return msgspec.structs.replace(record, database=state)


def covariance(records: Sequence[Record]) -> NDArray[np.float64]:
    """Of the logarithms of head ÷ base of PARTS, around no change."""
    rows = [
        [math.log((value_of(b, part) or math.nan) / (value_of(a, part) or math.nan)) for part in PARTS]
        for own in pairs_of(records).values()
        for a, b in own
    ]
    changes = np.array(rows)
    found: NDArray[np.float64] = changes.T @ changes / len(changes)
    return found


def session(
    like: Record, calibration: Calibration, noise: NDArray[np.float64], dice: np.random.Generator,
    design: tuple[int, int], moved: tuple[float, float],
) -> list[Record]:  # fmt: skip
    """Forks have as much in common as the calibration found in app ÷ database."""
    forks, windows = design
    floor = calibration.floors[RATIO]
    common = ((floor.fork_to_fork or 0.0) / floor.pair_to_pair) ** 2 if floor.pair_to_pair else 0.0
    zero = np.zeros(len(PARTS))
    of_forks = dice.multivariate_normal(zero, common * noise, forks)
    of_pairs = dice.multivariate_normal(zero, (1 - common) * noise, (forks, windows))
    made = []
    for fork, window in np.ndindex(forks, windows):
        change = np.exp(of_forks[fork] + of_pairs[fork, window]) * (*moved, 1.0)
        for side in SIDES:
            app, database, generator = change if side == "b" else (1.0, 1.0, 1.0)
            values = {RATIO: app / database, RELATIVE: app / generator,
                      "database-cpu": database, "generator-cpu": generator}  # fmt: skip
            metrics = {
                name: msgspec.structs.replace(like.metrics[name], value=float(value))
                for name, value in values.items()
            }
            pair = Pair(fork=fork + 1, window=window + 1, side=side)
            made.append(msgspec.structs.replace(like, pair=pair, metrics=metrics, latencies=()))
    return made


if __name__ == "__main__":
    main()

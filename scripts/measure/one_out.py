"""What each session of a build against itself says, judged by the noise of all the other ones.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/one_out.py \\
        CALIBRATION SESSION...

CALIBRATION is a session of telar calibrate, the SESSIONs are those of `verdicts.py aa`. Each is decided as
real ones are, with all its pairs: none ends early here. With --into its answer is kept as `verdicts.py` keeps
them: as if each had been asked for the first time, which it is by that noise.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import judged_now
import msgspec
import verdicts

from telar.analyse.calibration import calibrate
from telar.analyse.verdicts import compare
from telar.catalog.load import load
from telar.cli import answer
from telar.gates import judged_again
from telar.publish.verdict import Comparison
from telar.store.files import Session
from telar.store.floors import Floors

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("calibration", type=Path)
    parser.add_argument("sessions", type=Path, nargs="+")
    parser.add_argument("--into", type=Path, help="where answers are kept")
    said = parser.parse_args()
    catalog = load(ROOT)
    own = judged_again(Session(said.calibration).records(), catalog)
    sessions = [Session(folder) for folder in said.sessions]
    records = [judged_again(session.records(), catalog) for session in sessions]
    print("| session | forks known | pairs | worse or better | word | decided |\n|---|--:|--:|---|---|--:|")
    alarms = 0
    for n, (session, measured) in enumerate(zip(sessions, records, strict=True), start=1):
        (noise,) = calibrate(catalog, own, [others for others in records if others is not measured])
        (found,) = compare(
            catalog, measured, Floors(calibrations=(noise,)), answer.planned_pairs(session.plan), ended=True
        )
        built = msgspec.to_builtins(found)
        called = verdicts.moved({"compared": [built]}, "worse", "better")
        alarms += bool(called)
        print(f"| {n} | {noise.forks} | {found.pairs} | {', '.join(called) or '–'} | {found.word} "
              f"| {verdicts.decided(built)} |", flush=True)  # fmt: skip
        made = answer.of_session(catalog, session, measured)
        if said.into and made:
            own_noise = msgspec.structs.replace(made.occasion, calibrated_on=noise.machine)
            comparison = Comparison(occasion=own_noise, compared=(found,))
            name = f"aa-{found.head.variant}-{n:02d}-5m.json"
            judged_now.write(said.into / name, judged_now.encoded(comparison))
    print(f"\n{alarms} of {len(sessions)} sessions with a false alarm")


if __name__ == "__main__":
    main()

"""Records long warm-ups of every variant: each goes on to the ceiling, whatever the test of it says.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/long_warmups.py \\
        [--only VARIANTS] [--jdk 21,25] [--repeat 1] [--engine compose] [--rate 1000] [--load 4] [--pause 2]

What the test would have said is then for scripts/measure/steady_rates.py, which reads the session's folder.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import msgspec
from rich.console import Console

from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.cli.engines import engine_for
from telar.plan.cells import Wishes, make_plan, rewarmed
from telar.run import session as sessions
from telar.run.progress import Progress
from telar.store.files import Session

ROOT = Path(__file__).resolve().parents[2]
NEVER = 10**9  # requests, before which the test isn't asked


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="variants, separated by commas; * works")
    parser.add_argument("--jdk", default="", help="JDKs, separated by commas")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--engine", choices=["embedded", "compose"], default="compose")
    parser.add_argument("--rate", type=int, help="arrivals a second  [default: the suite's]")
    for name in ("load", "pause", "ceiling"):
        parser.add_argument(f"--{name}", type=int, help="of [steady]  [default: telar.toml's]")
    said = parser.parse_args()
    asked = {name: value for name in ("load", "pause", "ceiling") if (value := getattr(said, name))}
    catalog = going_on(load(ROOT), asked)
    wishes = Wishes(
        suite="smoke",
        engine=said.engine,
        only=tuple(filter(None, said.only.split(","))),
        jdks=tuple(filter(None, said.jdk.split(","))),
        repeat=said.repeat,
    )
    plan = make_plan(catalog, wishes)
    if said.rate:
        plan = rewarmed(plan, rate=said.rate)
    name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-long-warm-ups"
    session = Session.create(ROOT / "benchmarks-data" / "local" / name, plan)
    engine = engine_for(catalog, said.engine)
    sessions.run(catalog, engine, session, Progress(Console(), catalog, plan, verbose=False))
    print(f"records: {session.folder}")


def going_on(catalog: Catalog, asked: dict[str, int]) -> Catalog:
    steady = msgspec.structs.replace(catalog.file.steady, floor=NEVER, **asked)
    return msgspec.structs.replace(catalog, file=msgspec.structs.replace(catalog.file, steady=steady))


if __name__ == "__main__":
    main()

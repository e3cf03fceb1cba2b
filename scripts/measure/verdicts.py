"""How often `telar ab` is right on this machine: a build against itself, and against builds that were changed
on purpose.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/verdicts.py aa \\
        [--variant spring-mysql-blocking-virtual] [--times 12] [--budget 5m]
    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/verdicts.py changed \\
        [--only comment-only,delete-times-5] [--times 2]

Each session is a call of ./telar ab --json, whose answer is kept in benchmarks-data/reference/verdicts/ or in
--into: a call that is there already isn't made again, so that a table may be made over several days. Each has
a folder of its own below benchmarks-data/local/verdicts/, and so asks for the first time: Telar is stricter
from the second time on.
`changed` takes the commits of scripts/measure/slower.py, and a JVM with its first compiler only.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import slower

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "benchmarks-data" / "reference" / "verdicts"
SESSIONS = ROOT / "benchmarks-data" / "local" / "verdicts"
C1 = "c1-only"
CONSTANT = {"failures", "dropped", "capacity"}  # at one rate: none, none, the rate
REGRESSION = 8  # what ./telar ab ends with when something is worse


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["aa", "changed"])
    parser.add_argument("--variant", default="spring-mysql-blocking-virtual")
    parser.add_argument("--times", type=int)
    parser.add_argument("--budget", default="5m")
    parser.add_argument("--only", help="some of the changes, with commas")
    parser.add_argument("--into", type=Path, default=KEPT, help="where answers are kept")
    said = parser.parse_args()
    asking = Asking(said.variant, said.budget, said.into)
    if said.what == "aa":
        aa(asking, said.times or 12)
    else:
        names = said.only.split(",") if said.only else [*slower.CHANGES, C1]
        changed(asking, said.times or 2, names)


@dataclass(frozen=True)
class Asking:
    """What is asked of ./telar ab, and where its answers are kept."""

    variant: str
    budget: str
    into: Path

    def answer(self, name: str, *words: str) -> dict[str, Any] | None:
        """The answer of a session, from an earlier call if there was one; None when it failed."""
        path = self.into / f"{name}-{self.budget}.json"
        if not path.exists():
            own = SESSIONS / f"{name}-{self.budget}"
            choice = ["--only", self.variant, "--budget", self.budget, "--data", str(own)]
            command = [str(ROOT / "telar"), "ab", *words, *choice, "--json"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode not in (0, REGRESSION):
                print(f"{name}: {done.stderr.strip().splitlines()[-1]}", flush=True)
                return None
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(done.stdout)
        found: dict[str, Any] = json.loads(path.read_bytes())
        return found


def aa(asking: Asking, times: int) -> None:
    print("| session | pairs | left out | worse or better | word | decided | minutes |")
    print("|---|--:|--:|---|---|--:|--:|")
    alarms = 0
    for n in range(1, times + 1):
        sides = ["--base", "HEAD", "--head", "HEAD", "--seed", str(n)]
        answer = asking.answer(f"aa-{asking.variant}-{n:02d}", *sides)
        if answer is None:
            continue
        called = moved(answer, "worse", "better")
        alarms += bool(called)
        (compared,) = answer["compared"]
        word = answer["word"] + unknown(compared)
        print(f"| {n} | {compared['pairs']} | {compared['left_out']} | {', '.join(called) or '–'} | {word} "
              f"| {decided(compared)} | {answer['occasion']['minutes']:.1f} |", flush=True)  # fmt: skip
    print(f"\n{alarms} of {times} sessions with a false alarm")


def changed(asking: Asking, times: int, names: list[str]) -> None:
    print("| change | session | verdict | worse in | better in | decided | minutes |")
    print("|---|--:|---|---|---|--:|--:|")
    for name in names:
        for n in range(1, times + 1):
            answer = asking.answer(f"{name}-{asking.variant}-{n}", *sides(name), "--seed", str(n))
            if answer is None:
                continue
            (compared,) = answer["compared"]
            word = answer["word"] + unknown(compared)
            print(f"| {name} | {n} | {word} | {', '.join(moved(answer, 'worse')) or '–'} "
                  f"| {', '.join(moved(answer, 'better')) or '–'} | {decided(compared)} "
                  f"| {answer['occasion']['minutes']:.1f} |", flush=True)  # fmt: skip


def sides(name: str) -> list[str]:
    if name == C1:  # with one harmless flag on the other side
        return ["--base", "flags=-XX:-UsePerfData", "--head", "flags=-XX:TieredStopAtLevel=1"]
    there = slower.commit(name)
    base, head = (there, "HEAD") if name in slower.BEFORE else ("HEAD", there)
    return ["--base", base, "--head", head]


def decided(compared: dict[str, Any]) -> str:
    """How many of the questions that could move have an answer: failures of 0 on both sides couldn't."""
    asked = [v for v in compared["verdicts"] if v["metric"] not in CONSTANT]
    return f"{sum(v['word'] != 'undecided' for v in asked)} of {len(asked)}"


def moved(answer: dict[str, Any], *words: str) -> list[str]:
    """The metrics that were called one of the words, with their change."""
    found = []
    for verdict in (v for c in answer["compared"] for v in c["verdicts"]):
        if verdict["word"] in words:
            change = "" if verdict["effect"] is None else f" {verdict['effect']:+.1%}"
            found.append(verdict["metric"] + change)
    return found


def unknown(compared: dict[str, Any]) -> str:
    """What some pair had no answer to: a question that isn't there isn't one that was answered."""
    found = compared.get("unknown", [])  # not in answers from before it was kept
    return f" (not known: {', '.join(found)})" if found else ""


if __name__ == "__main__":
    main()

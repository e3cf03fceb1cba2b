"""How often `telar ab` is right on this machine: a build against itself, and against builds made worse on
purpose.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/verdicts.py aa \\
        [--variant spring-mysql-blocking-virtual] [--times 12] [--budget 5m]
    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/verdicts.py worse [--times 2]

Each session is a call of ./telar ab --json, whose answer is kept below benchmarks-data/reference/verdicts/: a
call that is there already isn't made again, so that a table may be made over several days. `worse` takes the
commits of scripts/measure/slower.py, and a JVM with its first compiler only.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any

import slower

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "benchmarks-data" / "reference" / "verdicts"
C1 = "c1-only"
REGRESSION = 8  # what ./telar ab ends with when something is worse


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["aa", "worse"])
    parser.add_argument("--variant", default="spring-mysql-blocking-virtual")
    parser.add_argument("--times", type=int)
    parser.add_argument("--budget", default="5m")
    parser.add_argument("--only", help="one of the changes")
    said = parser.parse_args()
    if said.what == "aa":
        aa(said.variant, said.times or 12, said.budget)
    else:
        worse(said.variant, said.times or 2, said.budget, said.only)


def aa(variant: str, times: int, budget: str) -> None:
    print("| session | pairs | left out | worse or better | undecided | minutes |\n|---|--:|--:|---|--:|--:|")
    alarms = 0
    for n in range(1, times + 1):
        answer = asked(
            f"aa-{variant}-{n:02d}", ["--base", "HEAD", "--head", "HEAD", "--seed", str(n)], variant, budget
        )
        if answer is None:
            continue
        told = moved(answer)
        alarms += bool(told)
        (compared,) = answer["compared"]
        open_ = str(sum(v["word"] == "undecided" for v in compared["verdicts"])) + unknown(compared)
        print(f"| {n} | {compared['pairs']} | {compared['left_out']} | {', '.join(told) or 'none'} | {open_} "
              f"| {answer['occasion']['minutes']:.1f} |")  # fmt: skip
    print(f"\n{alarms} of {times} sessions with a false alarm")


def worse(variant: str, times: int, budget: str, only: str | None) -> None:
    print("| change | session | verdict | worse in | better in | largest smallest effect |")
    print("|---|--:|---|---|---|--:|")
    for name in (*slower.CHANGES, C1):
        if only and name != only:
            continue
        head = "flags=-XX:TieredStopAtLevel=1" if name == C1 else slower.commit(name)
        base = "HEAD" if name != C1 else "flags=-XX:-UsePerfData"  # one harmless flag on the other side
        for n in range(1, times + 1):
            words = ["--base", base, "--head", head, "--seed", str(n)]
            answer = asked(f"{name}-{variant}-{n}", words, variant, budget)
            if answer is None:
                continue
            (compared,) = answer["compared"]
            judged = [v for v in compared["verdicts"] if v["tier"] == "gate"]
            seen = max((v["smallest"] or 0.0 for v in judged), default=0.0)
            word = answer["word"] + unknown(compared)
            print(f"| {name} | {n} | {word} | {', '.join(moved(answer, 'worse')) or '–'} "
                  f"| {', '.join(moved(answer, 'better')) or '–'} | {seen:.1%} |")  # fmt: skip


def moved(answer: dict[str, Any], *words: str) -> list[str]:
    """The metrics that were called so, with their change."""
    found = []
    for verdict in (v for c in answer["compared"] for v in c["verdicts"]):
        if verdict["word"] in (words or ("worse", "better")):
            change = "" if verdict["effect"] is None else f" {verdict['effect']:+.1%}"
            found.append(verdict["metric"] + change)
    return found


def unknown(compared: dict[str, Any]) -> str:
    """What some pair had no answer to: a question that isn't there isn't one that was answered."""
    found = compared.get("unknown", [])  # not in answers from before it was kept
    return f" (not known: {', '.join(found)})" if found else ""


def asked(name: str, words: list[str], variant: str, budget: str) -> dict[str, Any] | None:
    """The answer of a session, from an earlier call if there was one; None when it failed."""
    path = KEPT / f"{name}-{budget}.json"
    if not path.exists():
        command = [
            str(ROOT / "telar"),
            "ab",
            *words,
            "--only",
            variant,
            "--budget",
            budget,
            "--json",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, REGRESSION):
            print(f"{name}: {done.stderr.strip().splitlines()[-1]}")
            return None
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(done.stdout)
    answer: dict[str, Any] = json.loads(path.read_bytes())
    return answer


if __name__ == "__main__":
    main()

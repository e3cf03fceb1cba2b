"""An issue for each kind of alarm: opened once, written again while it lasts, closed when it is over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from telar.github.api import GitHub
from telar.publish.verdict import plain
from telar.publish.watch import TITLES, Alarm, Kind

LABEL = "telar-watchdog"
SHOWN = 50  # lines of an issue


class Done(msgspec.Struct, frozen=True, kw_only=True):
    opened: tuple[Kind, ...] = ()
    written: tuple[Kind, ...] = ()
    closed: tuple[Kind, ...] = ()


def sync(github: GitHub, alarms: Sequence[Alarm]) -> Done:
    """Makes the open issues say what the alarms say."""
    there: dict[Kind, dict[str, Any]] = {}
    for issue in github.every("issues", state="open", labels=LABEL):
        kind = next((k for k in TITLES if issue["title"] == _title(k)), None)
        if kind and "pull_request" not in issue:
            there.setdefault(kind, issue)
    opened, written, closed = list[Kind](), list[Kind](), list[Kind]()
    for alarm in alarms:
        body = _body(alarm)
        if alarm.kind not in there:
            github.post("issues", {"title": _title(alarm.kind), "body": body, "labels": [LABEL]})
            opened.append(alarm.kind)
        elif there[alarm.kind]["body"] != body:
            github.patch(f"issues/{there[alarm.kind]['number']}", {"body": body})
            written.append(alarm.kind)
    for kind, issue in there.items():
        if kind not in {a.kind for a in alarms}:
            number = issue["number"]
            github.post(
                f"issues/{number}/comments", {"body": "It is over: the watchdog finds nothing any more."}
            )
            github.patch(f"issues/{number}", {"state": "closed", "state_reason": "completed"})
            closed.append(kind)
    return Done(opened=tuple(opened), written=tuple(written), closed=tuple(closed))


def _title(kind: Kind) -> str:
    return f"Telar: {TITLES[kind]}"


def _body(alarm: Alarm) -> str:
    lines = [f"* {plain(line)}" for line in alarm.lines[:SHOWN]]
    if len(alarm.lines) > SHOWN:
        lines.append(f"* and {len(alarm.lines) - SHOWN} more")
    return "\n".join(lines) + "\n"

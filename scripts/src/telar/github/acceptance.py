"""A maintainer's label accepts what got worse: what it accepted is kept in the comment, so that it covers
no more.

The label stays on a pull request while commits are added to it. Without a memory it would accept whatever
these bring. So at the moment when it is set, the comment notes which effects it was set for; a later
verdict is covered as long as none of its effects is surely greater.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from telar.analyse.verdicts import Compared, Verdict
from telar.github.api import GitHub
from telar.publish.verdict import Comparison

LABEL: Final = "telar-accept"  # only who may triage can set it
_REASON = re.compile(r"^Telar-accept:[ \t]*(\S[^\r\n]{0,300})", re.MULTILINE | re.IGNORECASE)
_NOTE = re.compile(r"^<!-- telar:accepted ([0-9A-Za-z_.,:{}\"\[\] +-]{2,8000}) -->$", re.MULTILINE)


class Acceptance(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    commit: str  # the head that it was said of
    effects: dict[
        str, float
    ]  # "variant jdk metric" -> the effect, as a share; of a count from zero, the count


def wished(pull_request: Any) -> bool:
    return LABEL in {str(label["name"]) for label in pull_request.get("labels") or ()}


def set_at(github: GitHub, number: int) -> str:
    """When the label was set last, in ISO 8601, as GitHub's own list of events tells it; empty: never."""
    every = github.every(f"issues/{number}/events")
    return max(
        (str(e["created_at"]) for e in every if e["event"] == "labeled" and e["label"]["name"] == LABEL),
        default="",
    )


def reason(pull_request: Any) -> str:
    """A line of the pull request's text: `Telar-accept: …`."""
    said = _REASON.search(str(pull_request.get("body") or ""))
    return said[1].strip() if said else "no reason is given"


def of(comparison: Comparison) -> Acceptance:
    return Acceptance(
        commit=comparison.occasion.head_commit,
        effects={_key(c, v): size for c, v in _worse(comparison) if (size := _size(v)) is not None},
    )


def covers(known: Acceptance, comparison: Comparison) -> bool:
    """Whether what is worse was accepted: of another commit, or measured again, with no effect that is surely
    greater."""
    return all(_no_greater(known.effects.get(_key(c, v)), v) for c, v in _worse(comparison))


def written(known: Acceptance) -> str:
    """The note, for the comment, where it isn't shown."""
    return f"\n<!-- telar:accepted {msgspec.json.encode(known).decode()} -->\n"


def read(comment: str) -> Acceptance | None:
    """The note of a comment; None where it has none that can be read."""
    found = _NOTE.search(comment)
    try:
        return msgspec.json.decode(found[1], type=Acceptance) if found else None
    except msgspec.DecodeError:
        return None


def _no_greater(accepted: float | None, verdict: Verdict) -> bool:
    """Whether the end of the interval that is nearer to no change is within what was accepted."""
    size = _size(verdict)
    if accepted is None or size is None:
        return False
    nearer = verdict.low if size > 0 else verdict.high
    return abs(size if nearer is None or verdict.effect is None else nearer) <= abs(accepted)


def _size(verdict: Verdict) -> float | None:
    return verdict.head if verdict.effect is None else verdict.effect


def _worse(comparison: Comparison) -> Iterator[tuple[Compared, Verdict]]:
    for compared in comparison.compared:
        for verdict in compared.verdicts:
            if verdict.word == "worse":
                yield compared, verdict


def _key(compared: Compared, verdict: Verdict) -> str:
    return f"{compared.head.label} {compared.head.jdk} {verdict.metric}"

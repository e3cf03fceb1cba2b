"""What earlier runs said of the same commit: asking again until the answer pleases mustn't work.

The answers are kept in the comment, where they aren't shown. Only the workflow's token can have written it.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

MOST: Final = 20  # that are kept: a comment has little room
_NOTE = re.compile(r"^<!-- telar:answers ([0-9A-Za-z_.,:{}\"]{2,4000}) -->$", re.MULTILINE)


class Answers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    commit: str  # the head that they are of
    words: dict[str, str] = {}  # run and attempt -> worse, better, same or undecided, in the order of asking

    def with_(self, run: str, word: str) -> Answers:
        """With this answer, too; of too many the oldest go, but for those that stay in force."""
        words = {**self.words, run: word}
        while len(words) > MOST:
            del words[next((key for key, said in words.items() if said != "worse"), next(iter(words)))]
        return msgspec.structs.replace(self, words=words)

    def worse_before(self, run: str) -> str:
        """The run, other than this one, that said worse first; empty where none did."""
        return next((key for key, word in self.words.items() if word == "worse" and key != run), "")


def written(known: Answers) -> str:
    return f"\n<!-- telar:answers {msgspec.json.encode(known).decode()} -->\n"


def read(comment: str, head: str) -> Answers:
    """Those of this commit; none where the comment is of another, or has no note that can be read."""
    found = _NOTE.search(comment)
    try:
        known = msgspec.json.decode(found[1], type=Answers) if found else None
    except msgspec.DecodeError:
        known = None
    return known if known and known.commit == head else Answers(commit=head)

"""What reading other tools' files has in common."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from telar.errors import StoreError

T = TypeVar("T")


class Occasion(msgspec.Struct, frozen=True, kw_only=True):
    """What a file doesn't say itself: where it is, and when and at which commit it was measured."""

    path: Path
    time: float
    commit: str = ""
    prefix: str = ""  # of the names of its series

    @property
    def origin(self) -> str:
        return f"import {self.path.name}"

    def fault(self, problem: str, hint: str = "") -> StoreError:
        return StoreError(f"{self.path}: {problem}", hint=hint)


def decoded(content: bytes, type_: type[T], occasion: Occasion, what: str) -> T:
    """Raises StoreError naming the place in the file that isn't `what`."""
    try:
        return msgspec.json.decode(content, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise occasion.fault(f"isn't {what}: {error}") from error

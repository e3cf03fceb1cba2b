"""Where in a piece of data a fault lies: msgspec's path, with the names that it leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec

_STEP = re.compile(r"\.([^.\[`]+)|\[(\d+|\.\.\.)\]")


def place(data: Any, type_: Any, where: str) -> tuple[list[str], Any]:
    """The names down to a place, and the type that it must have.

    msgspec prints it as `$.suite[...].warmup` or `$.stage[2]`: which suite it was has to be found. Of a fault
    in the name itself it says so: at `key` in `$.suite`.
    """
    steps: list[str] = []
    for field, index in _STEP.findall(where.rpartition(" in ")[2]):
        type_ = plain(type_)
        if field:
            type_ = next(f.type for f in msgspec.structs.fields(type_) if f.encode_name == field)
            step: str | int = field
        elif index == "...":
            type_ = get_args(type_)[-1]
            step = _first(data.items(), type_)
        else:
            type_, step = get_args(type_)[0], int(index)
        steps.append(str(step))
        data = data[step]
    if where.startswith("`key`"):
        type_ = get_args(plain(type_))[0]
        steps.append(_first(((name, name) for name in data), type_))
    return steps, type_


def _first(items: Iterable[tuple[str, Any]], type_: Any) -> str:
    return next(name for name, value in items if not _fits(value, type_))


def _fits(value: Any, type_: Any) -> bool:
    try:
        msgspec.convert(value, type_)
    except msgspec.ValidationError:
        return False
    return True


def plain(type_: Any) -> Any:
    """Without its bounds, and without "or none"."""
    if get_origin(type_) is Annotated:
        return plain(get_args(type_)[0])
    if get_origin(type_) in {Union, UnionType}:
        return plain(next(part for part in get_args(type_) if part is not type(None)))
    return type_

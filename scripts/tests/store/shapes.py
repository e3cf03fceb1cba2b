"""A record's types, walked: to make records of them, and to break each part of one."""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec


class Shape(NamedTuple):
    """A type, taken apart."""

    plain: Any  # without bounds and "or none"
    bounds: tuple[msgspec.Meta, ...]
    optional: bool

    def bound(self, name: str) -> Any:
        return next((v for meta in self.bounds if (v := getattr(meta, name)) is not None), None)


def shape(type_: Any) -> Shape:
    if get_origin(type_) is Annotated:
        inner, *bounds = get_args(type_)
        found = shape(inner)
        return found._replace(bounds=(*bounds, *found.bounds))
    if get_origin(type_) in {Union, UnionType}:
        (one,) = (part for part in get_args(type_) if part is not NoneType)
        return shape(one)._replace(optional=True)
    return Shape(type_, (), optional=False)


class Place(NamedTuple):
    """A value somewhere in a record's JSON."""

    path: tuple[str | int, ...]
    value: Any
    shape: Shape

    @property
    def said(self) -> str:
        return ".".join(["$", *map(str, self.path)])


def places(value: Any, type_: Any, path: tuple[str | int, ...] = ()) -> Iterator[Place]:
    """Every value in it, itself first; of lists and tables whose items are alike the first one's only."""
    own = shape(type_)
    yield Place(path, value, own)
    if value is None:
        return
    if isinstance(own.plain, type) and issubclass(own.plain, msgspec.Struct):
        for field in msgspec.structs.fields(own.plain):
            if field.encode_name in value:
                yield from places(value[field.encode_name], field.type, (*path, field.encode_name))
    elif get_origin(own.plain) is dict and value:
        name = next(iter(value))
        yield from places(value[name], get_args(own.plain)[1], (*path, name))
    elif get_origin(own.plain) is tuple and value:
        yield from places(value[0], get_args(own.plain)[0], (*path, 0))


def is_struct(found: Shape) -> bool:
    return isinstance(found.plain, type) and issubclass(found.plain, msgspec.Struct)


def choices(found: Shape) -> tuple[Any, ...]:
    """What a literal allows."""
    return get_args(found.plain) if get_origin(found.plain) is Literal else ()

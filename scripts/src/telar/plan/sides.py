"""The two sides of a comparison: what each differs in from the cells of a suite.

A side is said in words: a commit (branch, tag, hash), or `jdk=25`, `driver=mysql=9.7.0`, `variant=NAME`,
`flags=-XX:+UseZGC`, `image=REFERENCE`. No word at all is the checkout as it is.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

import msgspec

from telar.catalog.files import nearest
from telar.catalog.load import known
from telar.catalog.types import Catalog
from telar.catalog.variant import label
from telar.errors import ConfigError
from telar.plan.cells import Cell, flags_of

KEYS = ("jdk", "driver", "variant", "flags", "image")


class Side(msgspec.Struct, frozen=True, kw_only=True):
    revision: str = ""
    jdk: str = ""
    drivers: dict[str, str] = {}
    variant: str = ""
    system: str = ""  # of that variant, as in a cell
    full: str = ""  # `system/variant`
    takes: dict[str, str] = {}  # the drivers of that variant, with their default versions
    flags: tuple[str, ...] = ()
    image: str = ""
    said: tuple[str, ...] = ()  # the words

    @property
    def label(self) -> str:
        """Of its variant."""
        return label(self.system, self.variant)

    @property
    def words(self) -> str:
        return " ".join(self.said) or "this checkout"

    def is_like(self, other: Side) -> bool:
        """Whether the two differ in nothing, however they were said."""
        return msgspec.structs.replace(self, said=()) == msgspec.structs.replace(other, said=())

    def of(self, cell: Cell) -> Cell:
        """The cell of this side."""
        has = {n: cell.drivers.get(n, v) for n, v in self.takes.items()} if self.variant else cell.drivers
        return msgspec.structs.replace(
            cell,
            revision=self.revision or cell.revision,
            jdk=self.jdk or cell.jdk,
            drivers={name: self.drivers.get(name, version) for name, version in has.items()},
            variant=self.variant or cell.variant,
            system=self.system if self.variant else cell.system,
            flags=(*cell.flags, *self.flags),
            image=self.image or cell.image,
        )


def parse(catalog: Catalog, option: str, words: Sequence[str], commit_of: Callable[[str], str]) -> Side:
    """Raises ConfigError naming the option and the word that makes no sense."""
    side = Side()
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            side = msgspec.structs.replace(
                side, revision=_once(option, "commit", side.revision, commit_of(word))
            )
        elif key == "jdk":
            known("JDK", value, catalog.file.jdk)
            side = msgspec.structs.replace(side, jdk=_once(option, key, side.jdk, value))
        elif key == "driver":
            for each in value.split(","):
                side = msgspec.structs.replace(side, drivers=side.drivers | _driver(catalog, option, each))
        elif key == "variant":
            named = catalog.named(value)
            side = msgspec.structs.replace(
                side,
                variant=_once(option, key, side.variant, named.name),
                system=named.app.system,
                full=named.full,
                takes={name: catalog.file.driver[name].default for name in named.app.file.drivers},
            )
        elif key == "flags":
            own = flags_of(f"{option} {word}", value)
            side = msgspec.structs.replace(side, flags=(*side.flags, *own))
        elif key == "image":
            side = msgspec.structs.replace(side, image=_once(option, key, side.image, value))
        else:
            raise ConfigError(f"{option} {word!r}: there is no {key!r}", hint=nearest(key, KEYS))
    return msgspec.structs.replace(side, said=tuple(words))


def factors(base: Side, head: Side) -> dict[str, Side]:
    """Each thing in which the sides differ, as the base with that alone changed."""
    found = {
        name: msgspec.structs.replace(base, **{name: getattr(head, name)})
        for name in ("revision", "jdk", "variant", "flags", "image")
        if getattr(base, name) != getattr(head, name)
    }
    if "variant" in found:
        found["variant"] = msgspec.structs.replace(
            found["variant"], takes=head.takes, system=head.system, full=head.full
        )
    for driver in sorted(base.drivers.keys() | head.drivers.keys()):
        if base.drivers.get(driver) != head.drivers.get(driver):
            drivers = {k: v for k, v in {**base.drivers, driver: head.drivers.get(driver, "")}.items() if v}
            found[f"driver {driver}"] = msgspec.structs.replace(base, drivers=drivers)
    return found


def cells_of(base: Side, head: Side, found: Sequence[Cell]) -> list[tuple[Cell, Cell]]:
    """Each cell as the two sides have it; a driver's version goes to those that take the driver.

    Raises ConfigError for a driver that none of them takes, and where the sides differ but a cell of theirs
    doesn't, naming it: it would be compared with itself.
    """
    for option, side in (("--base", base), ("--head", head)):
        _require_system(option, side, found)
        taken = {name for cell in found for name in side.of(cell).drivers}
        for driver in sorted(side.drivers.keys() - taken):
            variants = dict.fromkeys(side.of(cell).label for cell in found)
            take = "takes" if len(variants) == 1 else "take"
            raise ConfigError(
                f"{option}: {', '.join(variants)} {take} no driver {driver!r}",
                hint="what there is: " + (", ".join(sorted(taken)) or "none"),
            )
    pairs = [(base.of(cell), head.of(cell)) for cell in found]
    alike = [cell.label for cell, (one, other) in zip(found, pairs, strict=True) if one == other]
    if alike and not base.is_like(head):
        raise ConfigError(
            f"{base.words} and {head.words} are one and the same for {', '.join(alike)}",
            hint="name the others with --only",
        )
    return pairs


def _require_system(option: str, side: Side, found: Sequence[Cell]) -> None:
    for cell in found:
        if side.variant and side.system != cell.system:
            raise ConfigError(
                f"{option} variant={side.full}: is of another system than {cell.label}, and answers other "
                "requests",
                hint="say variant= on both sides, of one system",
            )


def _once(option: str, what: str, before: str, now: str) -> str:
    if before:
        raise ConfigError(f"{option}: a side has one {what}, not {before!r} and {now!r}")
    return now


def _driver(catalog: Catalog, option: str, value: str) -> dict[str, str]:
    name, equals, version = value.partition("=")
    if not equals:
        raise ConfigError(f"{option} driver={value}: say driver=NAME=VERSION", hint="e.g. driver=mysql=9.7.0")
    known("driver", name, catalog.file.driver)
    known(f"version of {name}", version, dict.fromkeys(catalog.file.driver[name].versions))
    return {name: version}


def words_of(base: Cell, head: Cell) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of the two sides that these cells are, as far as they differ."""
    found: list[tuple[str, str]] = []
    if base.revision != head.revision:
        found.append((base.revision, head.revision))
    found += [_if_apart("jdk", base.jdk, head.jdk), _if_apart("variant", base.label, head.label)]
    found.append(_if_apart("image", base.image, head.image))
    drivers = sorted(base.drivers.keys() | head.drivers.keys())
    found += [_if_apart(f"driver={n}", base.drivers.get(n, ""), head.drivers.get(n, "")) for n in drivers]
    found.append(_if_apart("flags", shlex.join(base.flags), shlex.join(head.flags)))
    left, right = ([pair[side] for pair in found if pair[side]] for side in (0, 1))
    return tuple(left), tuple(right)


def _if_apart(key: str, one: str, other: str) -> tuple[str, str]:
    if one == other:
        return "", ""
    return (f"{key}={one}" if one else ""), (f"{key}={other}" if other else "")

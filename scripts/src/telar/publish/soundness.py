"""What a comparison's two sides are worth together, and how they differ beside their numbers."""

from __future__ import annotations

from telar.analyse import growth
from telar.analyse.verdicts import Compared
from telar.catalog.jvm import TELLING, collector
from telar.catalog.types import Catalog
from telar.publish.columns import metric_file
from telar.store.record import Java
from telar.words import many


def soundness(compared: Compared) -> str:
    said = f"{many(compared.pairs, 'sound pair')} in {many(compared.forks, 'fork')}"
    if compared.left_out:
        said += f", {compared.left_out} left out: {', '.join(compared.refused)}"
    if compared.moved:
        said += (
            f"; in {compared.moved} the machine's speed moved or arrivals were late: not compared in seconds"
        )
    if compared.unknown:
        said += f"; not known: {', '.join(compared.unknown)}"
    return said


def flags_apart(base: Java | None, head: Java | None) -> tuple[str, ...]:
    """The JVMs' versions where they differ, since a base image may have been renewed between two builds; and
    the flags that move numbers most and differ, whether anyone set them or the JVM chose: another JDK has
    other defaults, and another machine other sizes.
    """
    if base is None or head is None:
        return ()
    version = (f"version {base.version} → {head.version}",) if base.version != head.version else ()
    return version + tuple(
        f"{name} {base.flags.get(name, 'not there')} → {head.flags.get(name, 'not there')}"
        for name in sorted(TELLING & (base.flags.keys() | head.flags.keys()))
        if base.flags.get(name) != head.flags.get(name)
    )


def leaks(compared: Compared) -> str:
    """That the heap in use after collections surely grows more with each request of the head; else empty."""
    slope = compared.of(growth.METRIC)
    if slope is None or slope.word != "worse" or slope.base is None or slope.head is None:
        return ""
    return (
        f"leak in {compared.head.label}: the heap in use after collections grows by {slope.head:.2f} KiB "
        f"with each request of the head, {slope.base:.2f} of the base"
    )


def collectors(catalog: Catalog, compared: Compared) -> str:
    """What to mind where garbage collectors differ; empty where they don't."""
    variants = catalog.variants
    base, head = (collector(catalog, variants.get(c.label), c.flags) for c in (compared.base, compared.head))
    if base == head:
        return ""
    work, own = (metric_file(catalog, name).title for name in ("work-cpu", "gc-cpu"))
    return f"the garbage collectors differ: what theirs costs is in {work}, and beside it in {own}"

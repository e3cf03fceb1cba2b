"""What async-profiler saw in a stretch of time: which stacks had the processor, and which allocated.

It writes JFR files (collect/jfr.py). Of each stack only Java's frames are kept, outermost first: what is
native below them belongs to the method that called it. Threads of the JVM's own have one frame, which says
what they do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from telar.analyse.methods import COMPILERS, Profile
from telar.analyse.stacks import Stack
from telar.collect.jfr import Chunk, Event, Torn, Value
from telar.errors import RunError

SAMPLE = "jdk.ExecutionSample"
ALLOCATIONS = ("jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB")
COLLECTOR, MACHINE, UNKNOWN = "[garbage collector]", "[JVM]", "[native]"  # threads without Java's frames
_OWN = (
    (re.compile(r"C[12] Comp|JVMCI|Sweeper"), COMPILERS),
    (re.compile(r"G1 |GC Thread|Gang worker|Z[A-Z]|XDriver|Shenandoah|Concurrent Mark"), COLLECTOR),
    (re.compile(r"VM |Signal Disp|Service Thread|Monitor Defl|JFR |Common-Cleaner|Attach List"), MACHINE),
)
# Names that each JVM draws for itself: the same class has another in the next one.
_DRAWN = (
    (re.compile(r"(\$\$Lambda).*"), r"\1"),
    (re.compile(r"[./+]0x[0-9a-f]+"), ""),
    (re.compile(r"(\$\$\w*CGLIB\$\$|\$HibernateAccessOptimizer\$|\$Proxy|GeneratedConstructorAccessor|"
                r"GeneratedMethodAccessor|GeneratedSerializationConstructorAccessor)\w*"), r"\1"),
    (re.compile(r"(LambdaForm\$[A-Z]+)\w*"), r"\1"),
    (re.compile(r"(lambda\$\w+\$)\d+"), r"\1"),
)  # fmt: skip
_JAVA = frozenset({"Interpreted", "JIT compiled", "Inlined", "C1 compiled"})  # kinds of frames


def read(path: Path, start: float, end: float) -> Profile:
    """The samples between two moments (seconds since the epoch). Raises RunError where the file isn't what
    async-profiler writes, or has no sample in that time."""
    cpu: Counter[Stack] = Counter()
    allocated: Counter[Stack] = Counter()
    since = dict.fromkeys((SAMPLE, *ALLOCATIONS), start)
    try:
        for chunk in _chunks(path.read_bytes()):
            stacks = _Stacks(chunk)
            for event in chunk.events(since, end):
                stack = stacks.of(event)
                if event.type == SAMPLE:
                    cpu[stack] += 1
                else:  # of one in a TLAB, all that it stands for
                    allocated[stack] += event.fields.get("tlabSize") or event.fields["allocationSize"]
    except OSError as error:
        raise RunError(f"{path}: async-profiler left no profile: {error.strerror}") from error
    except (Torn, KeyError, TypeError, AttributeError) as error:  # a service may have written anything
        raise RunError(f"{path}: isn't a whole profile of async-profiler's") from error
    if not cpu:
        raise RunError(f"{path}: async-profiler saw no thread at work in the window")
    return Profile(cpu=dict(cpu), bytes=dict(allocated))


def collapsed(stacks: dict[Stack, float]) -> str:
    """As flame graphs take them: `a;b;c 12`, whole numbers."""
    lines = (f"{';'.join(stack)} {round(n)}" for stack, n in sorted(stacks.items()) if round(n))
    return "\n".join(lines) + "\n"


def _chunks(data: bytes) -> Iterator[Chunk]:
    while data:
        chunk = Chunk(data)
        if chunk.size <= 0:
            raise Torn
        yield chunk
        data = data[chunk.size :]


class _Stacks:
    """Of a chunk. Each stack and each method is spelled once: thousands of samples have the same few."""

    def __init__(self, chunk: Chunk) -> None:
        self._chunk = chunk
        self._known: dict[tuple[Value, Value], Stack] = {}
        self._names: dict[Value, str] = {}

    def of(self, event: Event) -> Stack:
        thread = event.fields.get("sampledThread") or event.fields.get("eventThread")
        trace = event.fields.get("stackTrace")
        if (thread, trace) not in self._known:
            self._known[thread, trace] = self._spelled(thread, trace)
        return self._known[thread, trace]

    def _spelled(self, thread: Value, trace: Value) -> Stack:
        frames = (self._chunk.resolved(trace) or {}).get("frames", ())
        java = tuple(self._name(frame["method"]) for frame in reversed(frames) if self._kind(frame) in _JAVA)
        return java or (self._own(thread),)

    def _own(self, thread: Value) -> str:
        """What a thread without a frame of Java's does."""
        said = self._chunk.resolved(thread) or {}
        name = said.get("osName") or said.get("javaName") or ""
        return next((what for pattern, what in _OWN if pattern.match(name)), UNKNOWN)

    def _kind(self, frame: Value) -> str:
        return str((self._chunk.resolved(frame.get("type")) or {}).get("description", ""))

    def _name(self, method: Value) -> str:
        if method not in self._names:
            said = self._chunk.resolved(method) or {}
            owner = self._chunk.resolved(said.get("type")) or {}
            parts = [(self._chunk.resolved(held.get("name")) or {}).get("string") for held in (owner, said)]
            texts = [str(self._chunk.resolved(part) or "?") for part in parts]
            self._names[method] = ".".join((plain(texts[0].replace("/", ".")), plain(texts[1])))
        return self._names[method]


def plain(name: str) -> str:
    """The name of a class or a method without what a JVM drew for it."""
    for pattern, by in _DRAWN:
        name = pattern.sub(by, name)
    return name

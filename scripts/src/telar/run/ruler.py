"""A ruler: fixed work, timed. Hosts change their speed by several percent while nothing shows it.

The work is zlib's, over text that a fixed recurrence makes: branches, tables and a window of memory, as a
service has them, in a library whose version is in the ruler's name. Processor time, not the wall's: a
neighbour that takes the processor is the gate *foreign*'s matter. It is done on each processor, since they
needn't be equally fast at a time, and a service runs on all of them.
"""

from __future__ import annotations

import os
import time
import zlib
from statistics import fmean

SIZE, LEVEL, TIMES = 512 * 1024, 6, 20
PROCESSORS = 8  # at most: a large machine shall not wait for all of its own


def work() -> str:
    return f"zlib {zlib.ZLIB_RUNTIME_VERSION} level {LEVEL}, {SIZE} bytes, the mean of the processors"


def measure() -> float:
    """Processor seconds of one piece of the work: of each processor the least of several, which others
    disturbed least; of these the mean."""
    text, allowed = _text(), os.sched_getaffinity(0)
    try:
        return fmean(_least(text, processor) for processor in sorted(allowed)[:PROCESSORS])
    finally:
        os.sched_setaffinity(0, allowed)


def _least(text: bytes, processor: int) -> float:
    os.sched_setaffinity(0, {processor})  # of this thread alone
    return min(_once(text) for _ in range(TIMES))


def _once(text: bytes) -> float:
    start = time.thread_time()
    zlib.compress(text, LEVEL)
    return time.thread_time() - start


def _text() -> bytes:
    """The same words in the same order, always."""
    words = [f"movie-{n:x}".encode() for n in range(2048)]
    state, parts, size = 1, [], 0
    while size < SIZE:
        state = (state * 1103515245 + 12345) % 2**31
        parts.append(words[state >> 20])
        size += len(parts[-1])
    return b" ".join(parts)[:SIZE]

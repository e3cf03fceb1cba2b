"""What is shown while a session runs: which cell of how many, what it does now, how long it may take.

On a terminal a line that changes; elsewhere (CI logs) plain lines, grouped by cell where the log
viewer can fold them.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from telar.catalog.types import Catalog
from telar.plan.cells import Plan, PlannedRun, warmup_guess
from telar.store.record import Record
from telar.tools import shell
from telar.words import many

# Around warm-up and window: database, start, contract, collecting, stopping. Only a first guess.
AROUND = 14.0


# Of a run that is done; each kind of runs has some of them.
SHOWN = ("p50", "p99", "failures", "dropped", "score", "score-error", "allocated-op", "rounds-lost",
         "task-rate", "task-cpu")  # fmt: skip
SOON = 5.0  # seconds that no guess is good for


def _words(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"  # noqa: PLR2004


class Progress:
    def __init__(self, console: Console, catalog: Catalog, plan: Plan, *, verbose: bool) -> None:
        self._console = console
        self._plan = plan
        self._total = len(plan.runs)
        self._forks = len({r.pair.fork for r in plan.runs if r.pair})
        self._live = console.is_terminal
        self._groups = os.environ.get("GITHUB_ACTIONS") == "true"
        self._verbose = verbose
        self._metrics = catalog.file.metric
        self._status: Status | None = None
        self._lock = threading.Lock()
        self._guess = {r.cell.workload: catalog.work[r.cell.workload].seconds + AROUND for r in plan.runs}
        self._warmup = {name: warmup_guess(catalog, warmup) for name, warmup in plan.warmups.items()}
        self._headline = ""
        self._done: list[float] = []

    def say(self, line: str) -> None:
        """A line that stays; from any thread."""
        with self._lock:
            self._console.print(f"  {line}", highlight=False, markup=False)

    @contextlib.contextmanager
    def preparing(self, todo: int) -> Iterator[None]:
        already = self._total - todo
        resumed = f" ({already} of {self._total} have their record already)" if already else ""
        self._console.print(f"[bold]preparing[/bold] {many(todo, 'run')}{resumed}")
        with self._shown("preparing"):
            yield

    def expected(self) -> str:
        """How long all of it may take, beside what is fetched and built the first time."""
        first = self._plan.runs[0]
        fork = first.pair and first.pair.fork
        return _words(self._left([r for r in self._plan.runs if r.pair and r.pair.fork == fork] or [first]))

    @contextlib.contextmanager
    def runs(self, together: Sequence[PlannedRun]) -> Iterator[Callable[[PlannedRun, str], None]]:
        """For a run, or the windows of a fork. Yields what to call with the name of each one's phases."""
        first = together[0]
        seconds, self._headline = self._left(together), self._place(first)
        left = f"about {_words(seconds)} left"
        if self._groups:
            self._console.print(f"::group::{self._title(first)}", markup=False, highlight=False)
        elif not self._live:
            self._console.print(f"{self._title(first)} · {left}", markup=False, highlight=False)
        started = time.monotonic()

        def tell(planned: PlannedRun, phase: str) -> None:
            self._headline = self._place(planned)
            still = seconds - (time.monotonic() - started)
            self._phase(phase, f"about {_words(still)} left" if still > SOON else "nearly done")

        try:
            with self._shown(f"{self._headline} · {left}"):
                yield tell
        finally:
            each = (time.monotonic() - started) / len(together)
            self._done += [each] * len(together)
            if self._groups:
                self._console.print("::endgroup::", markup=False, highlight=False)

    def done(self, record: Record) -> None:
        begun = next((p.start for p in record.timeline if p.name == "reset"), record.started)
        seconds = record.finished - (begun if record.pair else record.started)
        if record.stopped:
            self._console.print(
                f"  [red]✗[/red] {self._headline_text()} failed in the phase {record.stopped.phase}: "
                f"{escape(record.stopped.error)}",
                highlight=False,
            )
            return
        mark = "[green]✓[/green]" if record.validity == "valid" else "[yellow]![/yellow]"
        found = [g.name for g in record.gates if g.verdict == "fail"]
        verdict = f"{record.validity}: {', '.join(found)}" if found else record.validity
        if record.superseded:
            why = dict.fromkeys(g for window in record.superseded for g in window.gates)
            verdict += f", measured {len(record.superseded) + 1} times ({', '.join(why)})"
        self._console.print(
            f"  {mark} {self._headline_text()}  {self._figures(record)}  {verdict}  ({seconds:.0f} s)",
            highlight=False,
        )

    def _figures(self, record: Record) -> str:
        """What tells most of a run, as far as it has it."""
        said = []
        for name in SHOWN:
            if metric := record.metrics.get(name):
                file = self._metrics[name]
                said.append(
                    f"{file.label} {metric.value:,.{file.digits}f}" + f" {file.unit}" * (file.unit == "ms")
                )
        return "  ".join(said)

    def _headline_text(self) -> str:
        return escape(self._headline)

    def _phase(self, phase: str, left: str) -> None:
        if self._status:
            self._status.update(f"{self._headline_text()} · {phase} · {left}")
        elif not self._live:
            self._console.print(f"  {phase}", markup=False, highlight=False)

    def _place(self, planned: PlannedRun) -> str:
        pair = planned.pair
        fork = f" fork {pair.fork}" if pair and self._forks > 1 else ""
        window = f"{fork} window {pair.window} {pair.side}" if pair else ""
        return f"[{planned.position}/{self._total}] {planned.cell.label}{window}"

    def _title(self, planned: PlannedRun) -> str:
        cell = planned.cell
        drivers = " ".join(f"{n} {v}" for n, v in cell.drivers.items())
        return f"{self._place(planned)} · {cell.workload} · JDK {cell.jdk} {drivers}"

    def _left(self, together: Sequence[PlannedRun]) -> float:
        """Seconds, those of these runs included."""
        workload = together[0].cell.workload
        guess, warmup = self._guess[workload], self._warmup[workload]
        if together[0].pair:
            guess += 2 * warmup / len(together)  # two are warmed up, once each
        else:
            guess += warmup
        each = sum(self._done) / len(self._done) if self._done else guess
        return each * (self._total - together[0].position + 1)

    @contextlib.contextmanager
    def _shown(self, text: str) -> Iterator[None]:
        if not self._live:
            yield
            return
        with self._console.status(escape(text)) as status:
            self._status = status
            try:
                yield
            finally:
                self._status = None

    @contextlib.contextmanager
    def commands(self) -> Iterator[None]:
        """Each command is printed before it runs, where somebody asked for it."""
        write: Callable[[str], None] = self.say if self._verbose else lambda _: None
        with shell.echo.to(write):
            yield

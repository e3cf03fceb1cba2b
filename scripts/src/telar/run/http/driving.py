"""The load on a stack: the first look at the contract, the warm-up, the window."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from telar.catalog.suite import WarmupFile
from telar.catalog.workload import SearchFile, StageFile, Workload
from telar.collect import k6
from telar.errors import RunError
from telar.run import generators, probe, warmup
from telar.run.engine import LoadLaunch, Service
from telar.run.http.search import REST, Search, holds
from telar.run.http.stack import POLL, Stack
from telar.run.load import collecting, guest_script, plan_for, stages_of
from telar.store.record import Stage, Warmup

# Beyond its schedule: k6's own setup may take 300 s, and the last requests half a minute.
LOAD_PATIENCE = 360.0
# There are users enough for a service that lets each request time out. While it answers, so many times the
# requests that were under way at once will do, and k6 opens their connections in less time.
SPARE = 8
TOGETHER = 15.0  # seconds that several generators have for their setups, to begin at one moment


class Driving:
    """Puts load on the services of a stack. `seed` is the plan's: what is asked follows from it."""

    def __init__(self, stack: Stack, seed: int) -> None:
        self._stack, self._seed = stack, seed
        self._steady = stack.catalog.file.steady
        self._workload = stack.catalog.workloads[stack.cell.workload]
        self.stages = stages_of(self._workload)  # of the last window, from its start
        self._at_once: int | None = None  # requests, in the last load that was looked at

    def check_contract(self) -> None:
        """The first look, where the system says what must be answered."""
        if self._stack.system:
            probe.check_contract(self._stack.base, self._stack.system)

    def warm_up(self, planned: WarmupFile) -> Warmup:
        """As the plan says: for a fixed time, or in cycles until the service is steady."""
        workload = self._stack.catalog.workloads[planned.workload]
        if planned.seconds is None:
            return self._warm_until_steady(workload, planned)
        stage = msgspec.structs.replace(
            workload.file.stage[0],
            name="warm-up",
            from_=planned.rate,
            to=planned.rate,
            duration=planned.seconds,
        )
        # Another seed than the window's: the window's own sequence is new to the service.
        self._load(workload, "warm-up", self._seed + 1, (stage,))
        return Warmup(requests=planned.rate * planned.seconds, seconds=planned.seconds, steady=None)

    def window_seed(self, repetition: int) -> int:
        return self._seed + repetition * 1000

    def window(self, repetition: int, *, few: bool = False) -> k6.Results:
        """The cell's workload, from its first arrival to its last; `few`: with the users that it takes."""
        stack, workload = self._stack, self._workload
        with stack.hooks.measuring(stack):
            seed, stages = self.window_seed(repetition), workload.file.stage
            results = self._search(seed, workload.file.search) if workload.file.search else None
            if results is None:
                users = self._users if few else 0
                self._load(
                    workload, "window", seed, stages, *stack.telemetry, raw=True, touch=True, users=users
                )
            stack.sampler.sample()  # the last one, after the window's end
            stack.require_sound()
            results = results or self._results("window", self.stages)
            self._at_once = results.at_once
            return results

    @property
    def _users(self) -> int:
        """That the workload takes, by the last load; 0: as many as it says. A guest's may be busy with more
        than requests.
        """
        if self._at_once is None or self._stack.guest:
            return 0
        return min(SPARE * self._at_once, self._workload.file.vus.pre_allocated)

    def _search(self, seed: int, rules: SearchFile) -> k6.Results:
        """A load of its own for each rate, until the search is over."""
        stack, search = self._stack, Search(rules)
        found: list[tuple[int, k6.Results]] = []
        while (rate := search.next) is not None:
            stage = StageFile(name=f"hold-{rate}", from_=rate, to=rate, duration=rules.seconds)
            own = (stage,)
            self._load(
                self._workload, "window", seed + len(found), own, *stack.telemetry, raw=True, touch=True
            )
            results = self._results("window", (_placed(stage, 0.0),))
            held = holds(results, rules)
            found.append((rate, results))
            search.tried(rate, held=held)
            if not held:
                time.sleep(REST)
        begun = found[0][1].start
        self.stages = tuple(
            _placed(
                StageFile(name=f"hold-{rate}", from_=rate, to=rate, duration=rules.seconds),
                results.start - begun,
            )
            for rate, results in found
        )
        return k6.together([results for _, results in found])

    # ---- warming up

    def _warm_until_steady(self, workload: Workload, planned: WarmupFile) -> Warmup:
        rules = self._steady
        plan = warmup.cycles_plan(workload, rules, planned.rate, self._seed + 1)
        service = self._start(workload, "warm-up", [plan], raw=True)
        results = self._stack.folder / "warm-up.csv"
        seen = warmup.until_steady(
            rules,
            results,
            self._stack.timeline,
            lambda seconds: self._pass(service, seconds),
            enough=planned.requests,
        )
        if service.ended() is not None:  # at the ceiling, or too early
            self._require_ended_well(service, "warm-up")
        self._stack.stop("generator")
        results.unlink(missing_ok=True)
        return self._rehearse(seen) if seen.steady else seen

    def _rehearse(self, seen: Warmup) -> Warmup:
        """The window's own load until the compilers have nothing new to do in it, or often enough."""
        rules, workload = self._steady, self._workload
        stages = warmup.beginning(workload, rules.rehearsal)
        for n in range(1, rules.rehearsals + 1):
            self._load(workload, "rehearsal", self._seed + 1 + n, stages, raw=True, touch=True)
            results = self._results("rehearsal")
            self._at_once = results.at_once
            seen = warmup.rehearsed(seen, results, self._stack.timeline(), rules)
            if seen.steady:
                break
        return seen

    # ---- one load

    def _load(
        self,
        workload: Workload,
        name: str,
        seed: int,
        stages: tuple[StageFile, ...],
        *output: str,
        raw: bool = False,
        touch: bool = False,
        users: int = 0,
    ) -> None:
        """Runs k6 to its end, watching that nothing dies under it; `touch`: each VU's connection is opened
        first; `users`: VUs, 0 for as many as the workload says.
        """
        count = self._stack.layout.generators
        begin = time.time() + TOGETHER if count > 1 else None
        plan = plan_for(workload, seed, stages, vus=users, begin=begin, touch=touch)
        service = self._start(workload, name, [plan] * count, *output, raw=raw)
        self._pass(service, POLL)
        self._stack.read_limits()
        if self._pass(service, sum(stage.duration for stage in stages) + LOAD_PATIENCE):
            raise RunError(f"k6 still ran {LOAD_PATIENCE:g} s after its schedule's end in the {name}")
        self._require_ended_well(service, name)
        self._stack.stop("generator")

    def _start(
        self, workload: Workload, name: str, plans: Sequence[bytes], *output: str, raw: bool = False
    ) -> Service:
        """A generator for each plan, which share the arrivals; `raw`: with results in a file of each."""
        stack, script = self._stack, workload.folder / workload.file.script
        if stack.guest:
            script = guest_script(stack.catalog, workload, stack.folder, stack.guest.first)
        stack.hooks.load_starting(stack, name)
        started: list[Service] = []
        try:
            for part, plan, segment in zip(
                self._parts(name), plans, generators.segments(len(plans)), strict=False
            ):
                results = ("--out", f"csv={stack.folder / f'{part}.csv'}") if raw else ()
                started.append(self._start_part(workload, script, part, plan, (*results, *output, *segment)))
        except BaseException:
            for service in started:
                service.stop()
            raise
        service = started[0] if len(started) == 1 else generators.Together(started)
        stack.add("generator", service)
        stack.hooks.load_started(stack, name, service)
        return service

    def _start_part(
        self, workload: Workload, script: Path, part: str, plan: bytes, arguments: tuple[str, ...]
    ) -> Service:
        stack = self._stack
        plan_file = stack.folder / f"{part}.plan.json"
        plan_file.write_bytes(plan)
        return stack.engine.start_load(
            LoadLaunch(
                folder=stack.folder,
                name=part,
                script=script,
                environment={
                    "TELAR_BASE_URL": stack.hooks.target(stack, stack.base),
                    "TELAR_PLAN": str(plan_file),
                    "TELAR_SUMMARY": str(stack.folder / f"{part}.summary.json"),
                    "K6_CSV_TIME_FORMAT": "unix_micro",
                    **collecting(workload),
                },
                arguments=("run", "--quiet", "--no-usage-report", "--address", "", *arguments),
                cpus=stack.layout.generator_cpus,
            )
        )

    def _results(self, name: str, stages: Sequence[Stage] = ()) -> k6.Results:
        """`stages`: for latencies from the due time."""
        raw = [self._stack.folder / f"{part}.csv" for part in self._parts(name)]
        results = k6.read(*raw, stages=stages, thinking=self._stack.guest is not None)
        for path in raw:
            path.unlink()
        return results

    def _parts(self, name: str) -> list[str]:
        """The names of a load's generators."""
        return [name, *(f"{name}-{n}" for n in range(2, self._stack.layout.generators + 1))]

    def _pass(self, service: Service, seconds: float) -> bool:
        """Lets time pass while k6 runs, watching that nothing dies under it; false once k6 has ended."""
        until = time.monotonic() + seconds
        while service.ended() is None:
            self._stack.check_alive("database", "app")
            if time.monotonic() >= until:
                return True
            time.sleep(min(POLL, max(0.0, until - time.monotonic())))
        return False

    def _require_ended_well(self, service: Service, name: str) -> None:
        self._stack.check_alive("database", "app")  # k6 may only have been the first to notice
        code = service.ended()
        if code != 0:
            if self._stack.client:
                self._stack.client.product()  # one that hangs says so itself, and explains k6's end
            raise RunError(
                f"k6 {service.how_ended()} in the {name}",
                hint="its last lines are in the record",
            )


def _placed(stage: StageFile, start: float) -> Stage:
    return Stage(
        name=stage.name, from_rate=stage.from_, to_rate=stage.to, start=start, end=start + stage.duration
    )

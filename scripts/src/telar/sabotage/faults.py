"""The faults. Each is a run in which one thing is really broken, and the gate that must say so."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from bson import ObjectId
from pymongo import MongoClient

from telar.catalog.system import SabotageFile
from telar.catalog.types import Catalog
from telar.catalog.workload import StageFile, VusFile
from telar.databases.client import DatabaseClient
from telar.databases.types import DATABASE
from telar.errors import ConfigError
from telar.run import java, probe
from telar.run.engine import AppLaunch, Service
from telar.run.http.hooks import Hooks
from telar.run.http.stack import Stack
from telar.store.record import Warmup
from telar.tools import shell

RATE, SECONDS = 100, 12
USERS = 240  # rate × timeout, and a fifth
ASIDE = 100  # a second process listens so many ports further
SPIN = "while True: pass"


def sabotage_of(catalog: Catalog) -> SabotageFile:
    """What the default system says of its own faults. Raises ConfigError where it says nothing."""
    system = catalog.systems[catalog.file.defaults.system]
    if system.file.sabotage is None:
        raise ConfigError(f"{system.path}: there is no [sabotage]", hint="it says what telar sabotage breaks")
    return system.file.sabotage


class Broken(Hooks):
    """A run with helpers that are ended with it."""

    def __init__(self) -> None:
        self._helpers: list[shell.Process] = []

    def help(self, stack: Stack, *argv: str) -> shell.Process:
        log = stack.folder / f"helper-{len(self._helpers)}.log"
        self._helpers.append(shell.spawn([sys.executable, *argv], log=log))
        return self._helpers[-1]

    def spin(self, stack: Stack, count: int) -> None:
        for _ in range(count):
            self.help(stack, "-c", SPIN)

    def proxy(self, stack: Stack, port: int, target: int, delay: float) -> shell.Process:
        proxy = self.help(stack, "-m", "telar.sabotage.proxy", str(port), str(target), str(delay))
        _wait_for(port)
        return proxy

    def closing(self) -> None:
        for helper in self._helpers:
            helper.stop(1.0)
        self._helpers = []


class UsedDatabase(Broken):
    def reset(self, stack: Stack, client: DatabaseClient) -> int | None:  # noqa: ARG002 - a hook's signature
        """What the warm-up made stays."""
        return client.count()


class DroppedIndex(Broken):
    def database_up(self, stack: Stack) -> None:
        _carry_out(stack, sabotage_of(stack.catalog).lose_index)


class SmallerPayload(Broken):
    def database_up(self, stack: Stack) -> None:
        _carry_out(stack, sabotage_of(stack.catalog).shorten)


class LargeCollection(Broken):
    """Three times the documents for each page to be sorted, and no more for the app to answer."""

    def reset(self, stack: Stack, client: DatabaseClient) -> int | None:
        rows = super().reset(stack, client)
        assert stack.data
        assert stack.data.file.mongodb
        with MongoClient[dict[str, object]]("127.0.0.1", stack.database_port) as mongo:
            own = mongo[DATABASE][stack.data.file.mongodb.collection]
            own.insert_many([{**one, "_id": ObjectId()} for one in own.find() for _ in range(2)])
        return rows


class ColdJvm(Broken):
    def warm_up(self, stack: Stack, warming: Callable[[], Warmup]) -> Warmup:  # noqa: ARG002
        return Warmup(requests=0, seconds=0.0, steady=None)


class OtherPool(Broken):
    def launch(self, stack: Stack, launch: AppLaunch) -> AppLaunch:  # noqa: ARG002
        pool = "-Dspring.datasource.hikari.maximum-pool-size=5"
        return msgspec.structs.replace(launch, arguments=lambda jar: [pool, *launch.arguments(jar)])


class WrongProcess(Broken):
    """A second process of the same app stands beside the one under load, and is scraped in its stead."""

    _other: Service | None = None

    def app_up(self, stack: Stack) -> None:
        folder, http, ports = stack.folder / "other", stack.variant.app.http, stack.ports
        folder.mkdir()
        environment = java.environment(
            stack.variant,
            http_port=ports.app + ASIDE,
            metrics_port=ports.metrics + ASIDE,
            database_port=stack.database_port,
        )
        launch = msgspec.structs.replace(stack.app_launch(), environment=environment, folder=folder)
        self._other = stack.engine.start_app(launch)
        base = f"http://127.0.0.1:{ports.metrics + ASIDE}"
        probe.wait_ready(base + http.ready, stack.check_alive)
        stack.sampler.scrape(f"{base}{http.metrics}")

    def closing(self) -> None:
        if self._other:
            self._other.stop()
            self._other = None
        super().closing()


class HangingMetrics(Broken):
    def app_up(self, stack: Stack) -> None:
        port = stack.ports.metrics
        self._metrics_proxy = self.proxy(stack, port + ASIDE, port, 0.0)
        stack.sampler.scrape(f"http://127.0.0.1:{port + ASIDE}{stack.variant.app.http.metrics}")

    @contextlib.contextmanager
    def measuring(self, stack: Stack) -> Iterator[None]:  # noqa: ARG002
        hang = threading.Timer(SECONDS / 2, os.kill, (self._metrics_proxy.pid, signal.SIGUSR1))
        hang.start()
        try:
            yield
        finally:
            hang.cancel()


class QueueBefore(Broken):
    """A slow proxy stands before the service: clients wait there, and the service knows nothing of it."""

    def app_up(self, stack: Stack) -> None:
        self.proxy(stack, stack.ports.app + ASIDE, stack.ports.app, 0.003)

    def target(self, stack: Stack, base: str) -> str:  # noqa: ARG002
        return f"http://127.0.0.1:{stack.ports.app + ASIDE}"


class StarvedGenerator(Broken):
    """k6 runs only when no one else wants a processor, and somebody always does."""

    def load_starting(self, stack: Stack, name: str) -> None:
        if name == "window":
            self.spin(stack, len(os.sched_getaffinity(0)))

    def load_started(self, stack: Stack, name: str, generator: Service) -> None:  # noqa: ARG002
        if name == "window":
            with contextlib.suppress(OSError):  # no such groups in this kernel, or not ours to change
                # It stood before its neighbours' (run/machine.py): now behind them.
                Path(f"/proc/{generator.pid}/autogroup").write_text("19")
            os.sched_setscheduler(generator.pid, os.SCHED_IDLE, os.sched_param(0))


class Neighbour(Broken):
    def load_starting(self, stack: Stack, name: str) -> None:
        if name == "window":
            self.spin(stack, 1)


Change = Callable[[Catalog], Catalog]


def _same(catalog: Catalog) -> Catalog:
    return catalog


def _workload(**changes: object) -> Change:
    """The catalogue with the faults' workload changed."""

    def change(catalog: Catalog) -> Catalog:
        name = sabotage_of(catalog).workload
        old = catalog.workloads[name]
        new = msgspec.structs.replace(old, file=msgspec.structs.replace(old.file, **changes))
        return msgspec.structs.replace(catalog, workloads={**catalog.workloads, name: new})

    return change


def _unknown(catalog: Catalog) -> Catalog:
    return _workload(script=sabotage_of(catalog).unknown)(catalog)


def _pages(catalog: Catalog) -> Catalog:
    stage = StageFile(name="hold-5", from_=5, to=5, duration=20)
    return _workload(mix=sabotage_of(catalog).pages, stage=(stage,))(catalog)


def short(catalog: Catalog) -> Catalog:
    """A short window at one rate, with no more users than that needs: each is touched before it.

    None is measured again: a fault is meant to spoil its window, and would spoil the next.
    """
    stage = StageFile(name=f"hold-{RATE}", from_=RATE, to=RATE, duration=SECONDS)
    once = msgspec.structs.replace(catalog.file.again, times=0)
    own = msgspec.structs.replace(catalog, file=msgspec.structs.replace(catalog.file, again=once))
    return _workload(stage=(stage,), vus=VusFile(pre_allocated=USERS))(own)


@dataclass(frozen=True, kw_only=True)
class Fault:
    name: str
    gate: str  # that must fail
    story: str
    hooks: type[Hooks] = Hooks
    change: Change = field(default=_same)
    documents: bool = False  # of the variant whose database sorts
    rate: int = RATE
    ports: str = ""  # of a network of the run's own: ip_local_port_range
    compared: bool = False  # the gate is on the comparison with the clean run


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="too-few-users",
        gate="arrivals",
        story="k6 has one virtual user for 300 arrivals a second",
        change=_workload(
            vus=VusFile(pre_allocated=1),
            stage=(StageFile(name="hold-300", from_=300, to=300, duration=SECONDS),),
        ),
    ),
    Fault(
        name="ports-exhausted",
        gate="client",
        story="a network of its own with 60 local ports, and 200 virtual users",
        hooks=ColdJvm,  # a warm-up's closed connections would keep the ports from k6's own setup
        change=_workload(vus=VusFile(pre_allocated=200)),
        ports="20000 20059",
    ),
    Fault(
        name="generator-starved",
        gate="client",
        story="k6 runs in the idle class beside two busy neighbours",
        hooks=StarvedGenerator,
    ),
    Fault(
        name="unknown-ids",
        gate="status",
        story="what is asked for doesn't exist",
        change=_unknown,
    ),
    Fault(
        name="queue-before",
        gate="little",
        story="a proxy before the service holds each request for 3 ms",
        hooks=QueueBefore,
    ),
    Fault(
        name="used-database",
        gate="state",
        story="the window begins with what the warm-up left",
        hooks=UsedDatabase,
    ),
    Fault(
        name="dropped-index",
        gate="plan",
        story="the table's key no longer begins with the id",
        hooks=DroppedIndex,
    ),
    Fault(
        name="wrong-process",
        gate="target",
        story="another process of the same app is scraped",
        hooks=WrongProcess,
    ),
    Fault(
        name="other-pool",
        gate="flags",
        story="the pool has 5 connections in place of 20",
        hooks=OtherPool,
    ),
    Fault(
        name="hanging-metrics",
        gate="telemetry",
        story="the metrics endpoint hangs from the middle of the window on",
        hooks=HangingMetrics,
    ),
    Fault(
        name="cold-jvm",
        gate="warm",
        story="no warm-up",
        hooks=ColdJvm,
    ),
    Fault(
        name="database-bound",
        gate="saturation",
        story="pages only, from a database that sorts the whole collection for each",
        hooks=LargeCollection,
        documents=True,
        change=_pages,
        rate=5,
    ),
    Fault(
        name="neighbour",
        gate="foreign",
        story="another program keeps one processor busy",
        hooks=Neighbour,
    ),
    Fault(
        name="smaller-payload",
        gate="payload",
        story="one arm's answers have shorter texts",
        hooks=SmallerPayload,
        compared=True,
    ),
    Fault(
        name="one-after-the-other",
        gate="repeats",
        story="one run of each arm, the second after the first",
        compared=True,
    ),
)


def _carry_out(stack: Stack, statements: Sequence[str]) -> None:
    assert stack.client
    for statement in statements:
        stack.client.carry_out(statement)


def _wait_for(port: int) -> None:
    end = time.monotonic() + 5
    while True:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        if time.monotonic() > end:
            raise TimeoutError(f"the helper on port {port} did not start")
        time.sleep(0.05)


def matching(only: tuple[str, ...]) -> Iterator[Fault]:
    """The faults of these names or gates; all when nothing is named."""
    return (f for f in FAULTS if not only or f.name in only or f.gate in only)

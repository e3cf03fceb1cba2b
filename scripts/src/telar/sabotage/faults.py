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
import pymysql
from bson import ObjectId
from pymongo import MongoClient

from telar.catalog.types import Catalog, StageFile, VusFile, Workload
from telar.collect import k6
from telar.databases.client import DatabaseClient
from telar.databases.types import DATABASE, Database
from telar.run import java, probe
from telar.run.cell import CellRun
from telar.run.engine import AppLaunch, Service
from telar.store.record import Warmup
from telar.tools import shell

MYSQL, MONGODB = "spring-mysql-blocking-platform", "spring-mongodb-blocking-platform"
WORKLOAD, RATE, SECONDS = "movies-constant", 100, 12
USERS = 240  # rate × timeout, and a fifth
ASIDE = 100  # a second process listens so many ports further
SPIN = "while True: pass"


class Broken(CellRun):
    """A run with helpers that are ended with it."""

    _helpers: list[shell.Process]

    def _help(self, *argv: str) -> shell.Process:
        self._helpers = getattr(self, "_helpers", [])
        log = self._folder / f"helper-{len(self._helpers)}.log"
        self._helpers.append(shell.spawn([sys.executable, *argv], log=log))
        return self._helpers[-1]

    def _spin(self, count: int) -> None:
        for _ in range(count):
            self._help("-c", SPIN)

    def _proxy(self, port: int, target: int, delay: float) -> shell.Process:
        proxy = self._help("-m", "telar.sabotage.proxy", str(port), str(target), str(delay))
        _wait_for(port)
        return proxy

    def close(self) -> None:
        for helper in getattr(self, "_helpers", []):
            helper.stop(1.0)
        self._helpers = []
        super().close()

    def _sql(self, *statements: str) -> None:
        with (
            pymysql.connect(
                host="127.0.0.1",
                port=self._database_port or 0,
                user="telar",
                database=DATABASE,
                autocommit=True,
                ssl_disabled=True,
            ) as connection,
            connection.cursor() as cursor,
        ):
            for statement in statements:
                cursor.execute(statement)


class UsedDatabase(Broken):
    def _reset(self, client: DatabaseClient) -> int:
        """What the warm-up made stays."""
        return client.count()


class DroppedIndex(Broken):
    def _start_database(self, database: Database) -> None:
        super()._start_database(database)
        # The number generator needs a key; Aria, unlike InnoDB, is content with one that begins otherwise.
        self._sql(
            "ALTER TABLE movie ADD COLUMN shard TINYINT NOT NULL DEFAULT 0, ENGINE = Aria, "
            "DROP PRIMARY KEY, ADD PRIMARY KEY (shard, id)"
        )


class SmallerPayload(Broken):
    def _start_database(self, database: Database) -> None:
        super()._start_database(database)
        self._sql("UPDATE movie SET overview = LEFT(overview, 20)")


class LargeCollection(Broken):
    """Three times the documents for each page to be sorted, and no more for the app to answer."""

    def _reset(self, client: DatabaseClient) -> int:
        rows = super()._reset(client)
        with MongoClient[dict[str, object]]("127.0.0.1", self._database_port) as mongo:
            movies = mongo[DATABASE].movies
            movies.insert_many([{**m, "_id": ObjectId()} for m in movies.find() for _ in range(2)])
        return rows


class ColdJvm(Broken):
    def _warm_up(self) -> None:
        self._fields["warmup"] = Warmup(requests=0, seconds=0.0, steady=None)


class OtherPool(Broken):
    def _app_launch(self) -> AppLaunch:
        launch = super()._app_launch()
        pool = "-Dspring.datasource.hikari.maximum-pool-size=5"
        return msgspec.structs.replace(launch, arguments=lambda jar: [pool, *launch.arguments(jar)])


class WrongProcess(Broken):
    """A second process of the same app stands beside the one under load, and is scraped in its stead."""

    _other: Service | None = None

    def _start_app(self) -> tuple[float, float, float]:
        times = super()._start_app()
        folder = self._folder / "other"
        folder.mkdir()
        ports = self._catalog.file.ports
        environment = java.environment(
            self._variant,
            http_port=ports.app + ASIDE,
            metrics_port=ports.metrics + ASIDE,
            database_port=self._database_port,
        )
        launch = msgspec.structs.replace(self._app_launch(), environment=environment, folder=folder)
        self._other = self._engine.start_app(launch)
        base = f"http://127.0.0.1:{ports.metrics + ASIDE}"
        probe.wait_ready(base + self._variant.app.file.http.ready, self._check_alive)
        self._sampler.scrape(f"{base}{self._variant.app.file.http.metrics}")
        return times

    def close(self) -> None:
        if self._other:
            self._other.stop()
            self._other = None
        super().close()


class HangingMetrics(Broken):
    def _start_app(self) -> tuple[float, float, float]:
        times = super()._start_app()
        port = self._catalog.file.ports.metrics
        self._metrics_proxy = self._proxy(port + ASIDE, port, 0.0)
        self._sampler.scrape(f"http://127.0.0.1:{port + ASIDE}{self._variant.app.file.http.metrics}")
        return times

    def _measure(self, workload: Workload) -> k6.Results:
        hang = threading.Timer(SECONDS / 2, os.kill, (self._metrics_proxy.pid, signal.SIGUSR1))
        hang.start()
        try:
            return super()._measure(workload)
        finally:
            hang.cancel()


class QueueBefore(Broken):
    """A slow proxy stands before the service: clients wait there, and the service knows nothing of it."""

    def _start_app(self) -> tuple[float, float, float]:
        times = super()._start_app()
        port = self._catalog.file.ports.app
        self._proxy(port + ASIDE, port, 0.003)
        return times

    @property
    def _target(self) -> str:
        return f"http://127.0.0.1:{self._catalog.file.ports.app + ASIDE}"


class StarvedGenerator(Broken):
    """k6 runs only when nobody else wants a processor, and somebody always does."""

    def _start_load(
        self, workload: Workload, name: str, plans: Sequence[bytes], *output: str, raw: bool = False
    ) -> Service:
        if name == "window":
            self._spin(len(os.sched_getaffinity(0)))
        service = super()._start_load(workload, name, plans, *output, raw=raw)
        if name == "window":
            with contextlib.suppress(OSError):  # no such groups in this kernel, or not ours to change
                # It stood before its neighbours' (run/machine.py): now behind them.
                Path(f"/proc/{service.pid}/autogroup").write_text("19")
            os.sched_setscheduler(service.pid, os.SCHED_IDLE, os.sched_param(0))
        return service


class Neighbour(Broken):
    def _start_load(
        self, workload: Workload, name: str, plans: Sequence[bytes], *output: str, raw: bool = False
    ) -> Service:
        if name == "window":
            self._spin(1)
        return super()._start_load(workload, name, plans, *output, raw=raw)


Change = Callable[[Catalog], Catalog]


def _same(catalog: Catalog) -> Catalog:
    return catalog


def _workload(**changes: object) -> Change:
    """The catalogue with the faults' workload changed."""

    def change(catalog: Catalog) -> Catalog:
        old = catalog.workloads[WORKLOAD]
        new = msgspec.structs.replace(old, file=msgspec.structs.replace(old.file, **changes))
        return msgspec.structs.replace(catalog, workloads={**catalog.workloads, WORKLOAD: new})

    return change


def short(catalog: Catalog) -> Catalog:
    """A short window at one rate, with no more users than that needs: each is touched before it."""
    stage = StageFile(name=f"hold-{RATE}", from_=RATE, to=RATE, duration=SECONDS)
    return _workload(stage=(stage,), vus=VusFile(pre_allocated=USERS))(catalog)


@dataclass(frozen=True, kw_only=True)
class Fault:
    name: str
    gate: str  # that must fail
    story: str
    run: type[CellRun] = Broken
    change: Change = field(default=_same)
    variant: str = MYSQL
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
        run=ColdJvm,  # a warm-up's closed connections would keep the ports from k6's own setup
        change=_workload(vus=VusFile(pre_allocated=200)),
        ports="20000 20059",
    ),
    Fault(
        name="generator-starved",
        gate="client",
        story="k6 runs in the idle class beside two busy neighbours",
        run=StarvedGenerator,
    ),
    Fault(
        name="unknown-ids",
        gate="status",
        story="the movies that are asked for don't exist",
        change=_workload(script="../../faults/unknown-ids.ts"),
    ),
    Fault(
        name="queue-before",
        gate="little",
        story="a proxy before the service holds each request for 3 ms",
        run=QueueBefore,
    ),
    Fault(
        name="used-database",
        gate="state",
        story="the window begins with what the warm-up left",
        run=UsedDatabase,
    ),
    Fault(
        name="dropped-index",
        gate="plan",
        story="the table's key no longer begins with the id",
        run=DroppedIndex,
    ),
    Fault(
        name="wrong-process",
        gate="target",
        story="another process of the same app is scraped",
        run=WrongProcess,
    ),
    Fault(
        name="other-pool",
        gate="flags",
        story="the pool has 5 connections in place of 20",
        run=OtherPool,
    ),
    Fault(
        name="hanging-metrics",
        gate="telemetry",
        story="the metrics endpoint hangs from the middle of the window on",
        run=HangingMetrics,
    ),
    Fault(
        name="cold-jvm",
        gate="warm",
        story="no warm-up",
        run=ColdJvm,
    ),
    Fault(
        name="database-bound",
        gate="saturation",
        story="pages only, from a database that sorts the whole collection for each",
        run=LargeCollection,
        variant=MONGODB,
        change=_workload(
            mix={"get": 1, "list": 97, "create": 1, "delete": 1},
            stage=(StageFile(name="hold-5", from_=5, to=5, duration=20),),
        ),
        rate=5,
    ),
    Fault(
        name="neighbour",
        gate="foreign",
        story="another program keeps one processor busy",
        run=Neighbour,
    ),
    Fault(
        name="smaller-payload",
        gate="payload",
        story="one arm's movies have shorter texts",
        run=SmallerPayload,
        compared=True,
    ),
    Fault(
        name="one-after-the-other",
        gate="repeats",
        story="one run of each arm, the second after the first",
        compared=True,
    ),
)


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

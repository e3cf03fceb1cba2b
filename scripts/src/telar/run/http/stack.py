"""The services of a run: fresh database and app, up and down, and whether they are still alive."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec

from telar.catalog import jvm
from telar.catalog.types import Catalog
from telar.collect import recording
from telar.collect.host import Several, process_start
from telar.collect.sampler import Sampler, Timeline
from telar.databases import clients, types
from telar.databases.client import DatabaseClient
from telar.databases.types import Database
from telar.errors import RunError, TelarError
from telar.plan.cells import Cell
from telar.run import archive, beside, java, limits, machine, probe
from telar.run.clock import Clock
from telar.run.commands import command_line, kept
from telar.run.engine import AppLaunch, Engine, Service
from telar.run.http.hooks import Hooks
from telar.run.room import require_room
from telar.store.record import Limits, Product

LOG_LINES = 40
POLL = 0.2
DATABASE_READY = 60.0  # seconds from the server's start


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """When the app's process started, was ready, and gave its first answer (seconds since the epoch)."""

    process: float = 0.0
    ready: float = 0.0
    first_response: float = 0.0


class Stack:
    """A cell's services, and what is known of them.

    `shift` is added to every port, for a second stack beside the first.
    """

    def __init__(
        self, catalog: Catalog, engine: Engine, cell: Cell, *, folder: Path, hooks: Hooks, shift: int = 0
    ) -> None:
        self.catalog, self.engine, self.cell, self.folder, self.hooks = catalog, engine, cell, folder, hooks
        self.variant = catalog.variants[cell.label]
        self.guest = self.variant.app.guest
        self.system = catalog.systems.get(self.variant.app.file.system)
        self.data = self.system.data if self.system else None
        self.tables = self.system.tables if self.system else None
        served = self.variant.app.database
        self.database = _shifted(types.load(catalog.databases[served]), shift) if served else None
        own = catalog.file.ports
        apart = self.guest is None or self.guest.has_metrics_port
        self.ports = msgspec.structs.replace(
            own, app=own.app + shift, metrics=(own.metrics if apart else own.app) + shift
        )
        self.beside = beside.of_cell(catalog, cell, own, shift)
        archived = jvm.archive(f"the flags of {cell.name}", cell.flags)
        self.archive = folder / archived if archived else None
        self.layout = catalog.file.layout[cell.layout]
        self.clock = Clock()
        self.sampler = Sampler()
        self.services: dict[str, Service] = {}
        self.client: DatabaseClient | None = None
        self.product: Product | None = None
        self.images: dict[str, str] = {}  # component -> its image's id
        self.limits: dict[str, Limits] = {}  # component -> what it really had, under the last load
        self.started = Started()
        self.telemetry: tuple[str, ...] = ()  # k6's arguments for the metrics servers

    # ---- up

    def start_database(self, database: Database) -> None:
        """Serves a fresh copy of the seeded rows; returns once it answers."""
        self.engine.fresh_database(database, self.variant.app.file.system, self.folder)
        service = self.engine.start_database(database, self.folder, self.layout.database_cpus)
        self.add("database", service)
        client = clients.client(database.file.protocol, "127.0.0.1", database.file.port, self.data)
        self.client = client
        self._wait_for_database(client)
        product = client.product()
        self.product = Product(
            name=product.name,
            version=product.version,
            settings=client.settings(),
            command=kept(command_line(service.pid), self.catalog.root),
        )
        self.hooks.database_up(self)

    def start_beside(self, own: beside.Beside) -> None:
        """Starts a service that the app calls; returns once it is ready."""
        folder = self._folder_of(own)
        shutil.rmtree(folder, ignore_errors=True)  # of an attempt that was interrupted
        folder.mkdir(parents=True)
        recording.prepare(folder)
        launch = AppLaunch(
            cell=own.cell,
            folder=folder,
            environment=java.environment(
                own.variant, http_port=own.app, metrics_port=own.metrics, database_port=None
            ),
            arguments=lambda jar: java.arguments(self.catalog, own.variant, (), folder, jar),
            start_jar=own.variant.app.file.build.start,
            cpus=self.layout.database_cpus,
            memory=self.layout.app_memory,
        )
        self.add(own.name, self.engine.start_app(launch))
        probe.wait_ready(
            f"http://127.0.0.1:{own.metrics}{own.variant.app.http.ready}", lambda: self.check_alive(own.name)
        )

    def write_archive(self, archived: Path) -> None:
        """Starts the app once; returns once that has written its start-up archive and ended."""
        own = self.app_launch()
        launch = msgspec.structs.replace(
            own,
            memory=archive.MEMORY,
            arguments=lambda jar: java.archiving(
                self.catalog, self.variant, self.cell.flags, self.folder, jar
            ),
        )
        recording.prepare(self.folder)
        self.services["app"] = self.engine.start_app(launch)
        probe.wait_ready(self.metrics_base + self.variant.app.http.ready, self.check_alive)
        probe.first_response(self.base, *self._first_path)
        archive.end(self.services["app"], archived)
        self.stop("app")
        (self.folder / "app.log").unlink(missing_ok=True)  # the next start's says what the measured JVM is

    def start_app(self, run_id: str) -> None:
        """Starts the app; returns once it has given its first answer."""
        http = self.variant.app.http
        self.watch(run_id)
        recording.prepare(self.folder)
        self.hooks.app_starting(self)
        service = self.engine.start_app(self.app_launch())
        self.add("app", service)
        started = process_start(service.pid)
        ready = probe.wait_ready(self.metrics_base + http.ready, self.check_alive)
        first = probe.first_response(self.base, *self._first_path)
        if http.metrics:
            if self.guest:
                probe.require_metrics(self.metrics_base, http.metrics)
            self.sampler.scrape(self.metrics_base + http.metrics)
        self.started = Started(process=started, ready=ready, first_response=first)
        self.hooks.app_up(self)

    def start_sampling(self) -> None:
        observers = self.engine.observers()
        if observers:
            self.sampler.add("telemetry", Several(observers))
        self.sampler.start()

    def app_launch(self) -> AppLaunch:
        launch = AppLaunch(
            cell=self.cell,
            folder=self.folder,
            environment=java.environment(
                self.variant,
                http_port=self.ports.app,
                metrics_port=self.ports.metrics,
                database_port=self.database_port,
                beside=self.beside,
            ),
            arguments=lambda jar: java.arguments(
                self.catalog, self.variant, self.cell.flags, self.folder, jar
            ),
            start_jar=self.variant.app.file.build.start,
            program=self.variant.launch_file.arguments,
            cpus=self.layout.app_cpus,
            memory=self.memory,
        )
        return self.hooks.launch(self, launch)

    def add(self, name: str, service: Service) -> None:
        """A service that has just been started belongs to the run from now on."""
        self.services[name] = service
        self.images |= {name: service.image} if service.image else {}
        machine.protect(service.pid)
        self.sampler.add(name, service.usage_of())

    def watch(self, run_id: str) -> None:
        """Says to the metrics servers, where there are any, which run it is now."""
        self.telemetry = self.engine.telemetry(self.cell, run_id, self.metrics_base)

    # ---- while it is up

    def timeline(self) -> Timeline:
        """What the sampler has seen, this moment included."""
        self.sampler.sample()
        return self.sampler.timeline()

    def read_limits(self) -> None:
        self.limits = {n: known for n, s in self.services.items() if (known := limits.limits(s.pid))}

    def check_alive(self, *names: str) -> None:
        """Raises RunError when one of these services has ended; of all, where none is named."""
        for name, service in self.services.items():
            if name in (names or self.services) and service.ended() is not None:
                raise RunError(
                    f"the {name} of {self.variant.name} {service.how_ended()}",
                    hint="its last lines are in the record",
                )

    def require_sound(self, error: Exception | None = None) -> None:
        """Raises what makes a run's numbers worthless, whether or not anything else has noticed."""
        require_room(self.folder, error)
        self.clock.require_unmoved()
        self.check_alive("database", "app", *(own.name for own in self.beside))

    def last_lines(self) -> dict[str, str]:
        """Service -> the end of its log, without the secrets that were given to it."""
        hidden = java.secrets(self.variant)
        return {
            name: "\n".join(without(hidden, java.without_preamble(service.log())).splitlines()[-LOG_LINES:])
            for name, service in self.services.items()
        }

    def count_rows(self) -> int | None:
        """How many there are now; of a guest those of all tables. None where Telar serves no database."""
        if self.client is None:
            return None
        return self.client.count() if self.data else self.client.rows()

    @property
    def memory(self) -> str:
        """Of the app's container."""
        return (self.guest.memory if self.guest else "") or self.layout.app_memory

    @property
    def database_port(self) -> int | None:
        return self.database.file.port if self.database else None

    @property
    def base(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.ports.app}"

    @property
    def metrics_base(self) -> str:
        """The app's own, or that of a port beside it, which speaks plain HTTP: so do the management ports of
        Spring and Quarkus, whatever the first one does.
        """
        return self.base if self.ports.metrics == self.ports.app else f"http://127.0.0.1:{self.ports.metrics}"

    @property
    def _tls(self) -> bool:
        return self.guest is not None and self.guest.tls

    # ---- down

    def stop(self, name: str) -> None:
        """Ends one service before the others."""
        self.services[name].stop()
        del self.services[name]

    def close(self) -> None:
        """Everything down, in the order in which they depend on each other. May be repeated."""
        with contextlib.ExitStack() as last_first:  # whatever fails, the rest is done
            for left in self.folder.glob("*.csv"):
                last_first.callback(left.unlink)
            if self.archive:  # as large as the app
                last_first.callback(self.archive.unlink, missing_ok=True)
            # A JVM removes its recording when it ends, unless it is killed.
            folders = (self.folder, *map(self._folder_of, self.beside))
            for left_folder in (self.folder / "database", *(each / recording.FOLDER for each in folders)):
                last_first.callback(shutil.rmtree, left_folder, ignore_errors=True)
            for name in ("database", *(own.name for own in self.beside), "app", "generator"):
                service = self.services.pop(name, None)
                if service:
                    last_first.callback(service.stop)
            last_first.callback(self._close_client)
            last_first.callback(self.sampler.stop)
            last_first.callback(self.hooks.closing)

    # ---- inside

    def _folder_of(self, own: beside.Beside) -> Path:
        """Beside the run's own: in containers each has a project of its own, called like its folder."""
        return self.folder.with_name(f"{self.folder.name}-{own.name}")

    def _close_client(self) -> None:
        if self.client:
            with contextlib.suppress(TelarError):  # its server may be what died
                self.client.close()
        self.client = None

    def _wait_for_database(self, client: DatabaseClient) -> None:
        """Returns once it answers; does not wait for one that has ended."""
        until = time.monotonic() + DATABASE_READY
        while True:
            try:
                client.wait_ready(timeout=1)
            except RunError:
                self.check_alive("database")
                if time.monotonic() > until:
                    raise
            else:
                return

    @property
    def _first_path(self) -> tuple[str, str]:
        """Whose first 200 ends the start, and the file that says so."""
        if self.system and self.system.file.http:
            return self.system.file.http.first, str(self.system.path)
        return self.variant.app.http.ready, str(self.variant.app.folder / "variant.toml")


def without(hidden: Iterable[str], text: str) -> str:
    """The text with *** in the place of each of these."""
    for secret in filter(None, hidden):
        text = text.replace(secret, "***")
    return text


def _shifted(database: Database, by: int) -> Database:
    file = msgspec.structs.replace(database.file, port=database.file.port + by)
    return msgspec.structs.replace(database, file=file)

"""The engine without containers: plain processes on this machine."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from telar.build import artifacts, maven
from telar.catalog import jvm
from telar.catalog.types import Catalog
from telar.collect.host import Component, ProcessTree
from telar.databases import clients, embedded, template, types
from telar.databases.types import Database
from telar.errors import ConfigError
from telar.plan.cells import Cell
from telar.run.beside import with_beside
from telar.run.engine import AppLaunch, LoadLaunch, Say, Served, served_for
from telar.store.record import Artifact
from telar.tools import components, shell
from telar.tools.ports import require_free

DATABASE_GRACE, APP_GRACE, LOAD_GRACE = 20.0, 15.0, 5.0


class PlainService:
    """A process of ours."""

    image = ""

    def __init__(self, process: shell.Process, grace: float) -> None:
        self._process = process
        self._grace = grace
        self.pid = process.pid

    def ended(self) -> int | None:
        return self._process.poll()

    def how_ended(self) -> str:
        return f"ended with {shell.exit_words(self._process.wait())}"

    def stop(self) -> int:
        return self._process.stop(self._grace)

    def log(self) -> str:
        return self._process.log.read_text(encoding="utf-8", errors="replace")

    def usage_of(self) -> Component:
        return ProcessTree(self.pid)


class EmbeddedEngine:
    name = "embedded"
    limits_memory = False
    label = ""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._work = catalog.root / ".telar"
        self._artifacts: dict[str, Path] = {}
        self._templates: dict[Served, Path] = {}
        self._servers: dict[str, embedded.Server] = {}

    def require(self) -> None:
        """What is missing is set up, or named, when it is needed."""

    def prepare(self, cells: list[Cell], say: Say) -> None:
        given = next((c.image for c in cells if c.image), "")
        if given:
            raise ConfigError(f"the image {given} runs in a container", hint="say --engine compose")
        served = served_for(self._catalog, cells)
        cells = with_beside(self._catalog, cells)
        with ThreadPoolExecutor(max_workers=3) as pool:
            # k6 and FerretDB compile while Maven downloads.
            built = pool.submit(artifacts.prepare, self._catalog, cells, say)
            runtimes = [jvm.runtime(self._catalog, jdk) for jdk in sorted({c.jdk for c in cells})]
            tools = [pool.submit(components.set_up, recipe, say) for recipe in runtimes]
            tools.append(pool.submit(components.ensure, "k6", say))
            names = dict.fromkeys(name for name, _ in served)
            servers = [pool.submit(self._prepare_server, name, say) for name in names]
            for tool in tools:
                tool.result()
            for server in servers:
                server.result()
            self._artifacts = built.result()
        for name, system in served:
            self._templates[name, system] = self._template(name, system, say)

    def fresh_database(self, database: Database, system: str, folder: Path) -> None:
        template.copy(self._templates[database.name, system], folder / "database")

    def start_database(self, database: Database, folder: Path, cpus: str) -> PlainService:
        require_free(database.file.port, f"the database {database.name}")
        server = self._servers[database.name]
        process = embedded.start(
            server,
            folder / "database",
            database.file.port,
            log=folder / "database.log",
            cpuset=cpus,
        )
        return PlainService(process, DATABASE_GRACE)

    def start_app(self, launch: AppLaunch) -> PlainService:
        home = components.set_up(jvm.runtime(self._catalog, launch.cell.jdk), lambda _: None).path
        jar = self._artifacts[launch.cell.name] / launch.start_jar
        process = shell.spawn(
            [home / "bin" / "java", *launch.arguments(str(jar)), *launch.program],
            log=launch.folder / "app.log",
            env=dict(launch.environment),
            cpuset=launch.cpus,
        )
        return PlainService(process, APP_GRACE)

    def start_load(self, launch: LoadLaunch) -> PlainService:
        k6 = components.ensure("k6", lambda _: None)
        process = shell.spawn(
            [k6.path, *launch.arguments, launch.script],
            log=launch.folder / f"k6-{launch.name}.log",
            env=dict(launch.environment),
            cpuset=launch.cpus,
        )
        return PlainService(process, LOAD_GRACE)

    def artifact(self, cell: Cell) -> Artifact:
        build = maven.build_of(self._catalog, cell)
        folder = self._artifacts[cell.name]
        return Artifact(build=build.name, digest=maven.digest(folder), maven=build.maven)

    def class_path(self, cell: Cell) -> tuple[str, ...]:
        return maven.jars(self._artifacts[cell.name])

    def generator_version(self) -> str:
        return components.ensure("k6", lambda _: None).version

    def engine_version(self) -> str:
        return ""

    def telemetry(self, cell: Cell, run_id: str, base: str) -> tuple[str, ...]:  # noqa: ARG002
        return ()  # no metrics server here: the record has all

    def observers(self) -> tuple[Component, ...]:
        return ()

    def mend(self, say: Say) -> None:
        """Nothing outlives a run."""

    def close(self) -> None:
        """Nothing outlives a run."""

    def _prepare_server(self, name: str, say: Say) -> None:
        database = types.load(self._catalog.databases[name])
        self._servers[name] = embedded.server(database, say)

    def _template(self, name: str, system: str, say: Say) -> Path:
        database, data = types.load(self._catalog.databases[name]), self._catalog.data_of(system)
        server = self._servers[name]
        port = database.file.port
        identity = {
            "product": server.component.name,
            "version": server.component.version,
            **{k: str(v) for k, v in database.settings(server.component.name).items()},
        }

        def start(data: Path) -> shell.Process:
            require_free(port, f"the database {name}")
            say(f"making the template of {name} for {system} ({server.component.name})")
            return embedded.start(server, data, port, log=self._work / "logs" / f"template-{name}.log")

        return template.make(
            template.Template(
                database=name,
                system=system,
                content=data or self._catalog.tables_of(system),
                identity=identity,
                initialise=server.initialise,
                start=start,
                client=lambda: clients.client(database.file.protocol, "127.0.0.1", port, data),
            ),
            self._work,
        )

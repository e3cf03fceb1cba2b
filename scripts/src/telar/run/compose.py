"""The engine with containers: images and docker compose, on the host's network."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path

from telar.build import artifacts, bake, maven
from telar.build.environment import environment_files, images_environment, source
from telar.catalog.types import Catalog
from telar.collect.host import Component
from telar.databases import clients, template, types
from telar.databases.types import Database
from telar.errors import EnvironmentProblem, MissingToolError
from telar.plan.cells import Cell
from telar.run import containers
from telar.run.beside import with_beside
from telar.run.containers import Container
from telar.run.engine import AppLaunch, LoadLaunch, Say, Served, served_for
from telar.run.reaper import remove_containers
from telar.store.record import Artifact
from telar.tools import components, shell
from telar.tools.ports import require_free


class ComposeEngine:
    name = "compose"
    limits_memory = True
    label = "dev.telar=run"

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._compose = catalog.root / "compose"
        self._work = catalog.root / ".telar"
        self._artifacts: dict[str, Path] = {}  # cell -> run directory
        self._image_of: dict[str, bake.Image] = {}
        self._images: dict[str, str] = {}  # tag -> id
        self._templates: dict[Served, Path] = {}
        self._generator = ""  # k6's version
        self._version = ""
        self._targets = self._work / "telemetry" / "targets"
        self._storage = self._work / "telemetry" / "victoriametrics"
        self._telemetry: dict[str, Container] = {}  # by compose service

    # ---- before the first run

    def require(self) -> None:
        engine = components.find("docker")
        if engine is None:
            raise MissingToolError(
                "no Docker Engine answers",
                hint="start it (bare Debian: scripts/runner/provision-debian.sh), or say --engine embedded",
            )
        self._version = f"Docker {engine.version}"

    def prepare(self, cells: list[Cell], say: Say) -> None:
        self.require()
        left = remove_containers(self.label)
        if left:
            say(f"removed {len(left)} containers that an earlier run left behind")
        served = served_for(self._catalog, cells)
        cells = with_beside(self._catalog, cells)
        self._require_images([name for name, _ in served], say)
        self._artifacts = artifacts.prepare(self._catalog, cells, say)
        # Named once, here: sources that change during a session don't change what it runs.
        built = [c for c in cells if not c.image]
        self._image_of = {c.name: bake.image_of(self._catalog, c, self._artifacts[c.name]) for c in built}
        self._images = bake.build(self._catalog, self._image_of.values(), say)
        self._images |= {c.image: _given_image(c.image, say) for c in cells if c.image}
        self._generator = self._read_generator()
        for name, system in served:
            self._templates[name, system] = self._template(name, system, say)
        self._start_telemetry(say)

    def close(self) -> None:
        while self._telemetry:
            self._telemetry.popitem()[1].stop()
        # An interruption may have come just between a container's start and our knowing of it.
        remove_containers(self.label)

    def mend(self, say: Say) -> None:
        for service, container in list(self._telemetry.items()):
            if container.ended() is None:
                continue
            say(f"telemetry was lost: {service} {container.how_ended()}; records don't depend on it")
            container.stop()
            try:
                self._telemetry[service] = self._start_observer(service)
            except shell.CommandError as error:
                del self._telemetry[service]
                say(f"{service} doesn't start again, the dashboards stay empty: {error.message}")

    # ---- a run

    def fresh_database(self, database: Database, system: str, folder: Path) -> None:
        containers.enter(folder)
        template.copy(self._templates[database.name, system], folder / "database")

    def start_database(self, database: Database, folder: Path, cpus: str) -> Container:
        require_free(database.file.port, f"the database {database.name}")
        return self._serve(database, folder / "database", cpus, containers.project_of(folder))

    def start_app(self, launch: AppLaunch) -> Container:
        containers.enter(launch.folder)
        for name in ("HTTP_PORT", "METRICS_PORT"):
            require_free(int(launch.environment[name]), "the app")
        # Raw: nothing in a value is a variable, a quote or an escape.
        own = launch.folder / "app.env"
        own.touch(mode=0o600)
        own.write_text("".join(f"{name}={value}\n" for name, value in launch.environment.items()))
        try:
            return self._start_app(launch, own)
        finally:
            own.unlink()  # secrets may be in it, and what a session leaves is handed on

    def _start_app(self, launch: AppLaunch, environment: Path) -> Container:
        # The compose file gives the jar itself: what is before it are java's own arguments.
        *flags, _, start = launch.arguments(launch.start_jar)
        return self._up(
            containers.project_of(launch.folder),
            self._compose / "app.yaml",
            "app",
            "app",
            {
                **launch.environment,
                "APP_IMAGE": self._images[launch.cell.image or self._image_of[launch.cell.name].tag],
                "APP_JAVA_FLAGS": shlex.join(flags),
                "APP_START": start,
                "APP_ARGUMENTS": shlex.join(launch.program),
                "APP_ENVIRONMENT": str(environment),
                "APP_CPUS": launch.cpus,
                "APP_MEMORY": launch.memory,
                "RUN_DIR": str(launch.folder),
            },
        )

    def start_load(self, launch: LoadLaunch) -> Container:
        return self._up(
            f"{containers.project_of(launch.folder)}-{launch.name}",  # one of several, perhaps
            self._compose / "k6.yaml",
            "k6",
            "k6",
            {
                **launch.environment,
                "K6_COMMAND": shlex.join([*launch.arguments, str(launch.script)]),
                "K6_DIR": str(self._catalog.root / "k6"),
                "APPS_DIR": str(self._catalog.root / "apps"),
                "K6_CPUS": launch.cpus,
                "K6_MEMORY": _twice(launch.environment["GOMEMLIMIT"]),
                "RUN_DIR": str(launch.folder),
            },
        )

    def telemetry(self, cell: Cell, run_id: str, base: str) -> tuple[str, ...]:
        path = self._catalog.variants[cell.label].app.http.metrics
        labels = {"variant": cell.label, "run": run_id}
        scheme, _, target = base.partition("://")
        where = {"__scheme__": scheme, "__metrics_path__": path or ""}
        asked = {
            "targets": [target],
            "labels": {**labels, "workload": cell.workload, "jdk": cell.jdk, **where},
        }
        fresh = self._targets / "targets.json.new"
        fresh.write_text(json.dumps([asked] if path else []))
        fresh.chmod(0o644)
        fresh.replace(self._targets / "targets.json")
        tags = [part for name, value in labels.items() for part in ("--tag", f"{name}={value}")]
        return ("--out", "experimental-prometheus-rw", *tags)

    def observers(self) -> tuple[Component, ...]:
        return tuple(container.usage_of() for container in self._telemetry.values())

    # ---- what it is that runs

    def artifact(self, cell: Cell) -> Artifact:
        if cell.image:
            return Artifact(build=cell.image, digest=self._images[cell.image], image=self._images[cell.image])
        image = self._image_of[cell.name]
        return Artifact(
            build=image.build,
            digest=maven.digest(image.artifact),
            image=self._images[image.tag],
            maven=maven.build_of(self._catalog, cell).maven,
        )

    def class_path(self, cell: Cell) -> tuple[str, ...]:
        return () if cell.image else maven.jars(self._artifacts[cell.name])

    def generator_version(self) -> str:
        assert self._generator, "prepare() comes first"
        return self._generator

    def engine_version(self) -> str:
        return self._version

    # ---- inside

    def _serve(self, database: Database, data: Path, cpus: str, project: str) -> Container:
        return self._up(
            project,
            database.folder / "compose.yaml",
            database.file.compose.service,
            "database",
            {
                "PORT": str(database.file.port),
                "DATA_DIR": str(data),
                "DB_CPUS": cpus,
                "DB_OPTIONS": shlex.join(database.options(_product(database))),
            },
        )

    def _up(
        self,
        project: str,
        file: Path,
        service: str,
        duty: str,
        environment: Mapping[str, str],
        *,
        wait: bool = False,
    ) -> Container:
        files = [part for f in environment_files(self._catalog.root) for part in ("--env-file", str(f))]
        command = [
            "docker", "compose", "--project-name", project, "--project-directory", str(self._compose),
            *files, "--file", str(file),
        ]  # fmt: skip
        variables = {**environment, "RUN_USER": containers.user(), "COMPOSE_IGNORE_ORPHANS": "true"}
        up = ["up", "--detach", "--no-build", "--pull", "missing", "--quiet-pull"]
        shell.run([*command, *up, *(["--wait"] if wait else []), service], env=variables, timeout=600)
        listed = shell.run([*command, "ps", "--all", "--quiet", service], env=variables, quiet=True)
        return Container(listed.stdout.split()[0], containers.GRACE[duty])

    def _require_images(self, databases: list[str], say: Say) -> None:
        """Every image is here before the first run: none is pulled in the middle of one."""
        variables = images_environment(self._catalog.root)
        of_databases = [types.load(self._catalog.databases[n]).file.compose.image for n in databases]
        names = (*of_databases, "K6_IMAGE", "VICTORIAMETRICS_IMAGE", "PROMETHEUS_IMAGE")
        for image in (variables[n] for n in names):
            if bake.image_id(image):
                continue
            if source(self._catalog.root) == "debian":
                raise EnvironmentProblem(f"the image {image} isn't there", hint="telar images --from debian")
            _pull(image, say)

    def _template(self, name: str, system: str, say: Say) -> Path:
        database, data = types.load(self._catalog.databases[name]), self._catalog.data_of(system)
        image = images_environment(self._catalog.root)[database.file.compose.image]
        port = database.file.port

        def start(data: Path) -> Container:
            require_free(port, f"the database {name}")
            say(f"making the template of {name} for {system} ({image})")
            return self._serve(database, data, "", containers.PROJECT)

        return template.make(
            template.Template(
                database=name,
                system=system,
                content=data or self._catalog.tables_of(system),
                identity={
                    "image": bake.image_id(image),
                    "user": containers.user(),
                    "options": " ".join(database.options(_product(database))),
                },
                initialise=containers.own,  # the image itself fills an empty directory
                start=start,
                client=lambda: clients.client(database.file.protocol, "127.0.0.1", port, data),
            ),
            self._work,
        )

    def _read_generator(self) -> str:
        image = images_environment(self._catalog.root)["K6_IMAGE"]
        said = shell.run(["docker", "run", "--rm", "--network", "none", image, "version"], quiet=True).stdout
        return next((w.lstrip("v") for w in said.split() if w.lstrip("v")[:1].isdigit()), said.strip())

    def _start_telemetry(self, say: Say) -> None:
        say("starting VictoriaMetrics and Prometheus")
        for folder in (self._targets, self._storage):
            folder.mkdir(parents=True, exist_ok=True)
        containers.own(self._storage)
        (self._targets / "targets.json").write_text("[]")
        for service in ("victoriametrics", "prometheus"):
            self._telemetry[service] = self._start_observer(service)

    def _start_observer(self, service: str) -> Container:
        folders = {"TELEMETRY_DIR": str(self._storage), "TARGETS_DIR": str(self._targets)}
        return self._up(
            containers.PROJECT, self._compose / "telemetry.yaml", service, "telemetry", folders, wait=True
        )


def _given_image(image: str, say: Say) -> str:
    """The id of an image that was not built here; pulled where it isn't there."""
    if not bake.image_id(image):
        _pull(image, say)
    return bake.image_id(image)


def _pull(image: str, say: Say) -> None:
    say(f"pulling {image}")
    try:
        shell.run(["docker", "pull", "--quiet", image], timeout=900)
    except shell.CommandError as error:
        raise EnvironmentProblem(
            f"{image} can't be pulled: {error.output.strip()}",
            hint="where no container registry is reachable: telar images --from debian",
        ) from error


def _twice(memory: str) -> str:
    """A container's limit for what Go is to keep to: it is a soft one."""
    number, unit = memory[:-3], memory[-3:]
    return f"{2 * int(number)}{unit[0].lower()}"


def _product(database: Database) -> str:
    """Whose option names its image takes; FerretDB's has its own settings baked in."""
    return {"mongodb": "mongod"}.get(database.file.protocol, database.file.protocol)

"""`telar test`: every test of the project that this machine can run, and loudly what it can't."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click
import msgspec

from telar.build import site
from telar.catalog.load import known
from telar.cli.common import console, root
from telar.errors import TelarError
from telar.sabotage.faults import FAULTS
from telar.tools import components, shell
from telar.tools.components.maven import QUICK_START, environment

FAULT_MATRIX = "tests/faults"  # the whole of it: pytest tests/faults, half an hour


class TestsFailed(TelarError):  # noqa: N818 - said to a person
    """At least one check failed."""

    family = "tests"


class Skip(Exception):  # noqa: N818 - not a fault
    """This machine can't run the check; says why."""


class Check(msgspec.Struct, frozen=True):
    name: str
    what: str
    run: Callable[[Path], None]
    slow: bool = False  # only with --all


@click.command()
@click.option("--all", "everything", is_flag=True, help="Also containers, browser and long runs.")
@click.option(
    "--only", multiple=True, metavar="NAME", help="Only this check, or these (telar test --list names them)."
)
@click.option("--list", "listing", is_flag=True, help="Name the checks.")
def test(everything: bool, only: tuple[str, ...], listing: bool) -> None:
    """Runs every test of the project that this machine can run, and says what it left out and why.

    \b
    Examples:
      telar test                 lint, unit tests, k6's, the apps', a short embedded run
      telar test --all           also containers, browser and long runs
      telar test --only python --only unit
    """
    if listing:
        for c in CHECKS:
            console.print(f"{c.name:12} {'(--all) ' if c.slow else ''}{c.what}", markup=False)
        return
    for name in only:
        known("check", name, {c.name: c for c in CHECKS})
    chosen = [c for c in CHECKS if not only or c.name in only]
    results = [_run(c, everything or bool(only)) for c in chosen]
    _summary(chosen, results)


def _run(check: Check, everything: bool) -> str:
    console.rule(f"{check.name}: {check.what}", align="left")
    started = time.monotonic()
    if check.slow and not everything:
        return "left out: runs with --all"
    try:
        check.run(root())
    except Skip as reason:
        return f"left out: {reason}"
    except TelarError as error:
        console.print(error.message, markup=False, style="red")
        return "failed"
    return f"passed in {time.monotonic() - started:.0f} s"


def _summary(chosen: list[Check], results: list[str]) -> None:
    console.rule("summary", align="left")
    styles = {"passed": "green", "failed": "bold red", "left": "bold yellow"}
    for check, result in zip(chosen, results, strict=True):
        console.print(f"{check.name:12} {result.upper() if result.startswith('left') else result}",
                      style=styles[result.split()[0]], markup=False)  # fmt: skip
    count = {state: sum(r.startswith(state) for r in results) for state in ("passed", "failed", "left")}
    # Its own line: read by people and by whoever counts tests.
    console.print(
        f"{count['passed']} passed, {count['failed']} failed, {count['left']} skipped", markup=False
    )
    if count["failed"]:
        raise TestsFailed(f"{count['failed']} of {len(results)} checks failed")


# ---- the checks


def _stream(argv: list[str | Path], *, cwd: Path, env: dict[str, str] | None = None) -> None:
    """Runs a command; the end of its output goes to the screen, all of it to a log."""
    log = cwd_log(cwd, Path(argv[0]).name)
    try:
        done = shell.run(argv, cwd=cwd, env=env, log=log, timeout=3000)
        sys.stdout.write(shell.last_lines(done.stdout, 15) + "\n")
    except shell.CommandError as error:
        sys.stdout.write(shell.last_lines(error.output, 120) + "\n")
        raise TestsFailed(f"failed; all of its output: {log}") from error


def cwd_log(cwd: Path, name: str) -> Path:
    log = root() / ".telar" / "logs" / f"test-{cwd.name}-{name}.log"
    log.unlink(missing_ok=True)
    return log


def _python(*arguments: str | Path) -> list[str | Path]:
    return [sys.executable, "-m", *arguments]


def _lint_python(r: Path) -> None:
    for command in (
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy", "src/telar", "measure", "tests"],
    ):
        _stream(_python(*command), cwd=r / "scripts")
    for seed in sorted(r.glob("apps/*/contract/seed.py")):
        _stream(
            _python("ruff", "check", "--config", r / "scripts" / "pyproject.toml", seed.parent),
            cwd=r / "scripts",
        )
        _stream([sys.executable, seed, "--check"], cwd=seed.parent)


def _lint_shell(r: Path) -> None:
    if not shutil.which("shellcheck"):
        raise Skip("no shellcheck on PATH (Debian: apt install shellcheck)")
    listed = shell.run(["git", "-C", r, "ls-files", "-z", "*.sh", "telar", ".ci/run"], quiet=True).stdout
    _stream(["shellcheck", *filter(None, listed.split("\0"))], cwd=r)


def _lint_images(r: Path) -> None:
    listed = shell.run(["git", "-C", r, "ls-files", "-z", "*Dockerfile"], quiet=True).stdout
    hadolint = Path(sys.executable).with_name("hadolint")
    _stream([hadolint, "--config", r / ".hadolint.yaml", *filter(None, listed.split("\0"))], cwd=r)


def _workflows(r: Path) -> None:
    """The workflows: their form, and what an attacker would look for."""
    if components.find("actionlint") is None and components.find("go") is None:
        raise Skip("no actionlint, and no Go to build it with")
    actionlint = components.ensure("actionlint", console.print)
    _stream([actionlint.path, "-color"], cwd=r)
    zizmor = Path(sys.executable).with_name("zizmor")
    _stream([zizmor, "--offline", "--no-progress", "--persona=pedantic", ".github", "action.yml"], cwd=r)


# None of these tests is judged by time, or needs a port that another has.
PARALLEL = ("-n", "auto", "--dist", "worksteal")
SLOWEST = "--durations=12"  # where the minutes went, for whoever wants CI faster


def _unit(r: Path) -> None:
    _stream(
        _python(
            "pytest", "-q", *PARALLEL, "-m", "not embedded and not docker and not browser and not thorough"
        ),
        cwd=r / "scripts",
    )


def _thorough(r: Path) -> None:
    """What takes longer than a moment: it is no part of the loop in which one writes code."""
    _stream(_python("pytest", "-q", *PARALLEL, "-m", "thorough"), cwd=r / "scripts")


def _k6(r: Path) -> None:
    if components.find("node") is None or shutil.which("npm") is None:
        raise Skip("no Node.js with npm, which type-checks and formats k6's scripts")
    site.own_modules(r / "k6")
    _stream(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts=false"], cwd=r / "k6")
    _stream(["npm", "run", "--silent", "check"], cwd=r / "k6")
    k6 = components.ensure("k6", console.print)
    _stream(
        [k6.path, "run", "--quiet", "--no-usage-report", "--address", "", "unit/main.ts"],
        cwd=r / "k6",
    )


def _site(r: Path) -> None:
    if components.find("node") is None or shutil.which("npm") is None:
        raise Skip("no Node.js with npm, which type-checks and builds the pages")
    site.own_modules(r / "site")
    _stream(["npm", "ci", "--no-audit", "--no-fund"], cwd=r / "site")
    _stream(["npm", "run", "--silent", "check"], cwd=r / "site")
    _stream(["npm", "run", "--silent", "test"], cwd=r / "site")
    _require_shipped(r)


def _require_shipped(r: Path) -> None:
    """The built pages that are committed are those that site/ makes, byte for byte."""
    with tempfile.TemporaryDirectory(prefix="telar-site-") as scratch:
        site.make(r, Path(scratch) / "built", console.print)
        made, there = (site.listing(folder) for folder in (Path(scratch) / "built", r / site.SHIPPED))
    if made != there or site.shipped(r) != site.digest_of_inputs(r):
        raise TestsFailed("site/built/ isn't what site/ makes: ./telar site --ship")


def _apps(r: Path) -> None:
    maven, jdk = components.ensure("maven", console.print), components.ensure("jdk", console.print)
    for pom in _poms(r / "apps"):
        _stream(
            [maven.path, "--batch-mode", "--no-transfer-progress", "-q", "-f", pom, "spotless:check"],
            cwd=r / "apps",
            env=environment(jdk.path),
        )


def _poms(apps: Path) -> list[Path]:
    """The tree's, and those of apps that it doesn't name: a system is added by its folder alone."""
    modules = _modules(apps)
    return [
        apps / "pom.xml",
        *(p for p in sorted(apps.glob("*/*/pom.xml")) if f"{p.parts[-3]}/{p.parts[-2]}" not in modules),
    ]


def _modules(apps: Path) -> set[str]:
    return set(re.findall(r"<module>([^<]+)</module>", (apps / "pom.xml").read_text(encoding="utf-8")))


def _coroutines(r: Path) -> None:
    maven, jdk = components.ensure("maven", console.print), components.ensure("jdk", console.print)
    _stream(
        [maven.path, "--batch-mode", "--no-transfer-progress", "-q", "-f", r / "apps/safety/kotlin/pom.xml",
         "-Dspotless.check.skip=true", "verify"],
        cwd=r / "apps",
        env=environment(jdk.path),
    )  # fmt: skip


def _embedded(r: Path) -> None:
    _stream(_python("pytest", "-q", SLOWEST, "-m", "embedded", "--ignore", FAULT_MATRIX), cwd=r / "scripts")


def _need_docker() -> None:
    if components.find("docker") is None:
        raise Skip("no Docker Engine runs here (bare Debian: scripts/runner/provision-debian.sh)")


def _integration(r: Path) -> None:
    """The apps' Testcontainers tests against the images that compose uses."""
    _need_docker()
    maven, jdk = components.ensure("maven", console.print), components.ensure("jdk", console.print)
    apps = r / "apps"
    tested, modules = _apps_with_containers(apps), _modules(apps)
    inside = ",".join(app for app in tested if app in modules)
    chosen: list[list[str | Path]] = [["-f", apps / app / "pom.xml"] for app in tested if app not in modules]
    if inside:
        chosen.append(["-f", apps / "pom.xml", "-pl", inside, "-am"])
    for those in chosen:
        _stream(
            [maven.path, "--batch-mode", "--no-transfer-progress", "-q", "-T", "2", *those,
             "-Dspotless.check.skip=true", f"-DargLine={QUICK_START}", "verify"],
            cwd=apps,
            env={**environment(jdk.path), "TESTCONTAINERS_RYUK_DISABLED": "true"},
        )  # fmt: skip
    _require_all_ran(apps, tested)


def _apps_with_containers(apps: Path) -> list[str]:
    """The folders below apps/ that have such a test: the others are built and started by other checks."""
    tests = apps.glob("*/*/src/test/**/*IT.*")
    found = sorted({Path(*test.relative_to(apps).parts[:2]).as_posix() for test in tests})
    if not found:
        raise TestsFailed(f"{apps}: no app has a Testcontainers test")
    return found


def _require_all_ran(apps: Path, tested: list[str]) -> None:
    """Where Docker runs no test may be skipped: Testcontainers that can't reach it skips all of them."""
    for app in tested:
        summary = apps / app / "target" / "failsafe-reports" / "failsafe-summary.xml"
        text = summary.read_text() if summary.exists() else ""
        completed, skipped = (
            int(found.group(1)) if (found := re.search(rf"<{tag}>(\d+)</{tag}>", text)) else 0
            for tag in ("completed", "skipped")
        )
        console.print(f"{app}: {completed - skipped} ran, {skipped} skipped", markup=False)
        if skipped or not completed:
            raise TestsFailed(f"{app}: {skipped} of {completed} tests were skipped; {summary}")


def _docker(r: Path) -> None:
    _need_docker()
    _stream(_python("pytest", "-q", SLOWEST, "-m", "docker", "--ignore", FAULT_MATRIX), cwd=r / "scripts")


def _faults(r: Path) -> None:
    """The rows whose fault falls into the window, without containers: the others take half an hour."""
    _stream(_python("pytest", "-q", "-m", "embedded", "-k", "window", FAULT_MATRIX), cwd=r / "scripts")


def _sabotage(r: Path) -> None:
    own = r / ".telar"  # gates.md there is the document with the table that this run makes
    own.mkdir(exist_ok=True)
    table = shutil.copy(r / "docs" / "gates.md", own / "gates.md")
    command: list[str | Path] = ["sabotage", "--shared-machine", "--data", own / "sabotage", "--write", table]
    if os.geteuid() != 0:
        console.print("not root: the fault that needs a network of its own is left out", style="yellow")
        command += [part for f in FAULTS if not f.ports for part in ("--only", f.name)]
    _stream(_python("telar", *command), cwd=r)


def _browser(r: Path) -> None:
    chromium = components.find("chromium")
    if chromium is None:
        raise Skip("no Chromium on PATH (Debian: apt install chromium)")
    _stream(_python("pytest", "-q", "-m", "browser"), cwd=r / "scripts")
    if components.find("node") is None or shutil.which("npm") is None:
        console.print("no Node.js with npm: the trend pages aren't looked at", style="yellow")
        return
    with tempfile.TemporaryDirectory(prefix="telar-pages-") as scratch:
        made_up, real = Path(scratch) / "made-up", Path(scratch) / "real"
        few = ("--years", "1", "--series", "42", "--metrics", "6")  # fourteen variants on three JDKs
        _stream([sys.executable, r / "scripts" / "measure" / "history.py", made_up, *few], cwd=r / "scripts",
                env={"PYTHONPATH": str(r / "scripts" / "src")})  # fmt: skip
        site.into(site.build(r, console.print), made_up)
        sessions = Path(scratch) / "sessions"
        for kind in ("sessions", "smoke"):  # single runs on an AMD machine; three of each on an Intel one
            shutil.copytree(r / "benchmarks-data" / "reference" / kind, sessions, dirs_exist_ok=True)
        verdicts = sorted((r / "benchmarks-data" / "reference" / "verdicts").rglob("*.json"))
        found = [part for path in verdicts for part in ("--verdict", path)]
        _stream(
            _python("telar", "publish", "--all", "--pages", *found, "--data", sessions, "--to", real), cwd=r
        )
        _stream(_python("telar", "report", "--data", sessions), cwd=r)
        (report,) = sessions.glob("*/report.html")
        env = {"SITE": str(made_up), "REAL": str(real), "REPORT": str(report), "CHROMIUM": str(chromium.path)}
        _stream(["npm", "run", "--silent", "test:browser"], cwd=r / "site", env=env)


CHECKS = (
    Check(
        "python",
        "Python: linter, formatter, types; the seed is what its generator makes",
        _lint_python,
    ),
    Check("shell", "shell scripts: shellcheck", _lint_shell),
    Check("dockerfiles", "Dockerfiles: hadolint", _lint_images),
    Check("workflows", "GitHub Actions: actionlint, zizmor", _workflows),
    Check("unit", "Python: unit tests", _unit),
    Check(
        "thorough",
        "Python: simulations, races, every record, workflows against a double of GitHub",
        _thorough,
    ),
    Check("k6", "k6 scripts: types, format, tests inside k6", _k6),
    Check("site", "the trend pages: types, format, unit tests", _site),
    Check("apps", "Java: formatter", _apps),
    Check(
        "coroutines",
        "Kotlin: which ways of counting are safe in coroutines on virtual threads",
        _coroutines,
    ),
    Check("embedded", "real databases, apps and k6 as plain processes", _embedded),
    Check("sabotage", "each gate's own fault, really run", _sabotage, slow=True),
    Check(
        "faults",
        "runs that are killed, stopped, starved of disk: the matrix' rows in the window",
        _faults,
        slow=True,
    ),
    Check("integration", "Java: Testcontainers tests of each app", _integration, slow=True),
    Check("docker", "images, compose, dashboards, runs in containers", _docker, slow=True),
    Check("browser", "pages in Chromium", _browser, slow=True),
)

"""An application that isn't Telar's, run for real in the embedded engine: its build, its ports, its load."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from telar.analyse import histogram

from .conftest import Checkout, printed

pytestmark = pytest.mark.embedded
HELLO = Path(__file__).parent / "guest"
SHOP = Path(__file__).parent / "shop"
BUILD = """\
mkdir -p out/classes
"$JAVA_HOME/bin/javac" -d out/classes $(find src/main/java -name '*.java')
"$JAVA_HOME/bin/jar" --create --file out/hello-1.jar --main-class hello.Hello -C out/classes .
"""
QUICK = {"load": 2, "pause": 1, "window": 2, "ceiling": 2, "times": 0}


@pytest.fixture
def hello(tmp_path: Path) -> Path:
    """A repository with two commits: the second one's answer is another."""
    home = tmp_path / "hello"
    shutil.copytree(HELLO, home, ignore=shutil.ignore_patterns("target"))
    _git(home, "init", "--quiet", "--initial-branch=main")
    _commit(home, "hello")
    return home


def test_a_guest_is_built_started_driven_and_judged(checkout: Checkout, hello: Path) -> None:
    checkout.set("telar.toml", **QUICK)
    code, output = _telar(checkout, hello, "run", "--engine", "embedded")
    assert code == 0, output
    (record,) = checkout.records()
    assert record.cell.variant == "hello-default"
    assert record.load
    assert (record.load.iterations, record.load.dropped) == (300, 0)
    assert record.load.requests == {"hello": 300}  # setup's have the same name, and aren't of the window
    assert record.failures == ()
    assert (record.load.latency_from, record.load.connections) == ("due", 0)
    gates = {gate.name: gate.verdict for gate in record.gates}
    for name in ("arrivals", "status", "target", "telemetry", "little", "flags"):
        assert gates[name] == "pass", [g for g in record.gates if g.name == name]
    for name in ("state", "plan"):  # nobody but the application knows
        assert gates[name] == "warn"
    assert record.provenance.commit == _git(hello, "rev-parse", "HEAD")
    assert record.provenance.dirty == ""
    assert record.metrics["app-cpu"].value > 0
    assert "database-cpu" not in record.metrics
    assert checkout.left_behind() == []
    assert _git(hello, "status", "--porcelain") == ""  # nothing was left in the guest's repository


def test_a_service_that_only_speaks_https_is_asked_in_it(checkout: Checkout, hello: Path) -> None:
    """With a certificate that nobody signed but itself: readiness, metrics and load."""
    keys = hello / "src/main/resources/hello/keys.p12"
    keys.parent.mkdir(parents=True)
    subprocess.run(
        ["keytool", "-genkeypair", "-keystore", keys, "-storepass", "changeit", "-keyalg", "EC",
         "-dname", "CN=hello.invalid"],
        check=True, capture_output=True,
    )  # fmt: skip
    file = hello / "bench" / "variant.toml"
    file.write_text(
        file.read_text().replace('first = "/hello"', 'first = "/hello"\ntls = true')
        + 'HELLO_KEYS = "keys.p12"\n'
    )
    _commit(hello, "over HTTPS")
    checkout.set("telar.toml", **QUICK)
    code, output = _telar(checkout, hello, "run", "--engine", "embedded")
    assert code == 0, output
    (record,) = checkout.records()
    assert record.load
    assert record.load.requests == {"hello": 300}
    assert record.failures == ()
    gates = {gate.name: gate.verdict for gate in record.gates}
    for name in ("arrivals", "status", "target", "telemetry", "little"):
        assert gates[name] == "pass", [g for g in record.gates if g.name == name]
    assert checkout.left_behind() == []


@pytest.mark.parametrize("database", ["mysql", "mongodb"])
def test_a_guest_that_wants_a_database_has_an_empty_one_beside_it(
    checkout: Checkout, hello: Path, database: str
) -> None:
    file = hello / "bench" / "variant.toml"
    wished = file.read_text().replace("description =", f'database = "{database}"\ndescription =')
    file.write_text(wished + 'HELLO_DATABASE = "127.0.0.1:{database_port}"\n')
    checkout.set("telar.toml", **QUICK)
    code, output = _telar(checkout, hello, "run", "--engine", "embedded")
    assert code == 0, output
    (record,) = checkout.records()
    assert record.provenance.database
    assert record.database
    assert (record.database.rows_seeded, record.database.rows_at_window_start) == (0, 0)
    assert record.metrics["database-cpu"].value >= 0
    assert {g.name: g.verdict for g in record.gates}["state"] == "warn"  # its rows are the guest's own
    assert checkout.left_behind() == []


def test_a_service_with_pages_of_mysql_is_seeded_driven_and_cleaned(
    checkout: Checkout, tmp_path: Path
) -> None:
    """Somebody logs in, is sent on to a page, waits, and looks at an item: one arrival."""
    home = tmp_path / "shop"
    shutil.copytree(SHOP, home, ignore=shutil.ignore_patterns("target"))
    _git(home, "init", "--quiet", "--initial-branch=main")
    _commit(home, "shop")
    checkout.set("telar.toml", **QUICK)
    code, output = _telar(checkout, home, "run", "--engine", "embedded")
    assert code == 0, output
    (record,) = checkout.records()
    assert record.load
    assert (record.load.iterations, record.load.dropped, record.failures) == (1000, 0, ())
    assert record.load.requests == {"login": 2000, "item": 1000}  # the redirect is a request, too
    gates = {gate.name: gate for gate in record.gates}
    for name in ("arrivals", "client", "status", "state", "target", "telemetry", "little"):
        assert gates[name].verdict == "pass", gates[name]
    assert gates["state"].observed.startswith("501 rows at the start")  # clean.sql took the warm-up's away
    assert gates["plan"].verdict == "warn"  # pages and their count, as anybody has them
    assert "[gate.plan] scanned_rows" in gates["plan"].advice
    items = histogram.merged(row.histogram for row in record.latencies if row.endpoint == "item")
    assert (
        histogram.percentile_ms(items, 50) < 50
    )  # the tenth of a second that somebody reads isn't the service's
    assert checkout.left_behind() == []


def test_any_command_may_build_a_guest_and_a_jar_may_be_there_already(
    checkout: Checkout, hello: Path
) -> None:
    checkout.set("telar.toml", **QUICK)
    (hello / "build.sh").write_text(BUILD)
    file = hello / "bench" / "variant.toml"
    text = file.read_text()
    built = 'build = { project = "..", command = ["sh", "build.sh"], output = "out/hello-*.jar" }'
    with_command = re.sub(r"(?s)\[build\].*?\n\n", "", text, count=1)
    file.write_text(f"{built}\n{with_command}")
    code, output = _telar(checkout, hello, "run", "--engine", "embedded")
    assert code == 0, output
    jars = checkout.root.glob(".telar/artifacts/hello-*/app.jar")  # other tests' are there, too
    jar = max(jars, key=lambda path: path.stat().st_mtime)
    (hello / "dist").mkdir()
    shutil.copy2(jar, hello / "dist" / "hello-2.jar")
    launch = '[launch.prebuilt]\njar = "../dist/hello-2.jar"\narguments = ["--greeting", "hello"]\n'
    file.write_text(f"{with_command}\n{launch}")
    code, output = _telar(checkout, hello, "run", "--engine", "embedded")
    assert code == 0, output
    names = {record.cell.variant: record for record in checkout.records()}
    assert set(names) == {"hello-default", "hello-prebuilt"}
    java = names["hello-prebuilt"].provenance.java
    assert java
    assert java.command[-2:] == ("--greeting", "hello")
    assert not (hello / "out").exists()  # it was built in a copy
    assert checkout.left_behind() == []


def test_two_commits_of_a_guest_are_compared_side_by_side(checkout: Checkout, hello: Path) -> None:
    checkout.set("telar.toml", **QUICK)
    source = hello / "src/main/java/hello/Hello.java"
    slow = source.read_text().replace(
        "byte[] body = text",
        "var all = new StringBuilder(); for (int n = 0; n < 20_000; n++) all.append(n);\n"
        '    byte[] body = (all.length() > 0 ? text : "")',
    )
    assert slow != source.read_text()
    source.write_text(slow)
    _commit(hello, "slower")
    code, output = _telar(
        checkout, hello, "ab", "--base", "HEAD~1", "--head", "HEAD", "--engine", "embedded",
        "--budget", "1m", "--why",
    )  # fmt: skip
    assert code in {0, 8}, output  # so short a budget may leave it undecided
    records = checkout.records()
    assert {r.pair.side for r in records if r.pair} == {"a", "b"}
    assert {r.cell.revision for r in records} == {
        _git(hello, "rev-parse", "HEAD~1"),
        _git(hello, "rev-parse", "HEAD"),
    }
    allocated = {side: [r.metrics["allocated"].value for r in records if r.pair and r.pair.side == side]
                 for side in ("a", "b")}  # fmt: skip
    assert min(allocated["b"]) > 2 * max(allocated["a"])
    code, output = _telar(checkout, hello, "why", "--json")
    assert code == 0, output
    (why,) = printed(output)
    for kind in ("cpu", "allocated"):  # what the change added, under the handler that it is in
        first = why[kind][0]
        assert first["low"] > 0, kind
        assert "hello.Hello" in first["method"] + first["caller"], why
    (changed,) = why["timed"]  # by the JVM's own count, metrics and all
    assert changed["method"] == "hello.Hello.answer"
    assert changed["word"] in {"slower", ""}  # on a busy machine two pairs say too little
    assert changed["base_calls"] == pytest.approx(1, abs=0.1) == changed["head_calls"]
    assert changed["head_least"] > 2 * changed["base_least"]
    assert all(side["carriers"] for side in why["threads"])
    assert checkout.left_behind() == []


def test_metrics_that_are_not_there_are_told_before_any_load(checkout: Checkout, hello: Path) -> None:
    file = hello / "bench" / "variant.toml"
    file.write_text(file.read_text().replace('"/metrics"', '"/ready"'))
    code, output = _telar(checkout, hello, "run", "--engine", "embedded")
    assert code == 5, output
    (record,) = checkout.records()
    assert record.stopped
    assert record.stopped.phase == "start"
    assert "nothing of Micrometer's Prometheus text" in record.stopped.error
    assert checkout.left_behind() == []


def _telar(checkout: Checkout, hello: Path, *arguments: str) -> tuple[int, str]:
    file = hello / "bench" / "variant.toml"
    return checkout.telar("--guest", str(file), *arguments, "--data", str(checkout.data))


def _commit(home: Path, message: str) -> None:
    _git(home, "add", ".")
    _git(home, "-c", "user.name=x", "-c", "user.email=x@example.invalid", "commit", "--quiet", "-m", message)


def _git(home: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", home, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()

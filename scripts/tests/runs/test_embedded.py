"""Real runs without containers: what they leave, and what they do when something is wrong."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from telar.gates import GATES, validity
from telar.store.record import Warmup

from .conftest import ONE_COMPILER, Checkout

pytestmark = [pytest.mark.embedded, pytest.mark.timeout(900)]

ONE = ("--only", "quarkus-mysql-blocking-virtual")  # sooner up than Spring
SPRING = ("--only", "spring-mysql-blocking-virtual")
Interrupt = Callable[[subprocess.Popen[str]], tuple[int, str]]


def test_a_run_leaves_a_whole_record_of_what_really_ran(checkout: Checkout) -> None:
    code, output = checkout.run("--only", "spring-mysql-blocking-*")
    assert code == 0, output
    records = checkout.records()
    assert {r.cell.variant for r in records} == {
        "spring-mysql-blocking-platform",
        "spring-mysql-blocking-virtual",
    }
    for record in records:
        assert record.outcome == "completed"
        assert record.load
        assert abs(record.load.iterations + record.load.dropped - record.load.scheduled) <= 5
        assert sum(f.count for f in record.failures) == 0
        assert (record.load.latency_from, record.load.connections) == ("due", 0)
        assert record.metrics["p99"].value >= record.metrics["service-p99"].value
        created = record.load.requests["create"] + record.load.setup_created
        assert record.database
        assert record.database.rows_seeded == record.database.rows_at_window_start == 999
        assert record.database.rows_at_window_end == 999 + created - record.load.requests["delete"]
        assert record.provenance.database
        assert record.provenance.database.name == "MariaDB"
        assert record.provenance.java
        assert "mysql-connector-j-9.7.0.jar" in record.provenance.java.class_path
        assert record.provenance.java.flags["UseG1GC"] == "true"
        assert record.provenance.java.flags["MaxHeapSize"] == str(500 * 1024**2)
        assert record.provenance.java.flags["UseCompactObjectHeaders"] == "false"  # a default, and kept
        assert record.provenance.java.thread_clock == "nanoseconds"
        of_services = [name for name, rule in GATES.items() if "http" in rule.kinds]
        assert [gate.name for gate in record.gates] == of_services
        assert record.validity == validity(record.gates)
        assert record.warmup == Warmup(requests=150, seconds=3.0, steady=None)
        assert record.ruler
        assert record.metrics["speed"].value == pytest.approx(record.ruler.speed)
        assert sum(record.load.bytes.values()) > 4 * 100
        assert record.database.plans
        for metric in (
            "p99",
            "app-cpu",
            "compiler-cpu",
            "work-cpu",
            "app-cpu-relative",
            "allocated",
            "live-set",
            "heap-peak",
            "rss",
            "os-threads",
            "startup-ready",
        ):
            assert record.metrics[metric].value > 0
        assert "gc-cpu" in record.metrics  # seen, though a window of seconds may have no collection
        # Recorded by the JVM, though there may be none; where there are, the longest with their places.
        pins = record.metrics["pins"].value
        assert bool(pins) == bool(record.pins)
        assert sum(pin.count for pin in record.pins) <= pins
        assert all(pin.stack for pin in record.pins)
    threads = {r.cell.variant: r.metrics["os-threads"].value for r in records}
    assert threads["spring-mysql-blocking-virtual"] < threads["spring-mysql-blocking-platform"]
    assert checkout.left_behind() == []
    session = next(checkout.data.iterdir())
    assert "spring-mysql-blocking-virtual" in (session / "report.md").read_text()
    code, output = checkout.telar("store", "verify", str(checkout.data))
    assert (code, "2 records whole and unchanged, in 1 session" in output) == (0, True), output


def test_a_suite_that_compares_measures_both_sides_in_turns_and_ends_in_a_verdict(checkout: Checkout) -> None:
    """Hardly warmed up: its pairs are refused, and it says why. `./telar run quickstart` warms up."""
    checkout.edit("telar.toml", ONE_COMPILER, "")  # a service is warm sooner with one
    code, output = checkout.telar("run", "tiny-turns", "--data", str(checkout.data), COLUMNS="80")
    assert code == 0, output
    records = checkout.records()
    assert {(r.pair.side, r.cell.variant) for r in records if r.pair} == {
        ("a", "spring-mysql-blocking-platform"),
        ("b", "spring-mysql-blocking-virtual"),
    }
    assert len(records) == 4
    starts = {(r.cell.variant, r.metrics["startup-ready"].value) for r in records}
    assert len(starts) == 2  # one JVM of each side, however many windows
    assert "A preview and no measurement: 2 of 2 cells." in " ".join(output.split())
    assert "What would decide it:" in output
    assert output.rstrip().endswith("./telar run tour")
    session = next(checkout.data.iterdir())
    assert (session / "verdict.json").exists()
    code, again = checkout.telar("report", str(session))
    assert (code, "undecided: " in again) == (0, True), again
    assert checkout.left_behind() == []


def test_an_app_starts_from_an_archive_that_the_run_made(checkout: Checkout) -> None:
    uses, insists = flags = ("-XX:AOTCache=app.aot", "-XX:AOTMode=on")
    code, output = checkout.run(*SPRING, f"--flags={' '.join(flags)}")
    assert code == 0, output
    (record,) = checkout.records()
    assert [p.name for p in record.timeline][1:4] == ["archive", "start", "contract"]
    assert record.provenance.java
    assert record.provenance.java.flags["AOTCache"] == "app.aot"
    assert {uses, insists} <= set(record.provenance.java.command)
    assert next(gate.verdict for gate in record.gates if gate.name == "flags") == "pass"
    assert not [*checkout.data.rglob("app.aot")]  # as large as the app: it goes with its run
    assert checkout.left_behind() == []


def test_two_generators_share_the_arrivals_and_none_comes_twice(checkout: Checkout) -> None:
    checkout.edit(
        "telar.toml", 'app_memory = "1g"\n[layout.split]', 'app_memory = "1g"\ngenerators = 2\n[layout.split]'
    )
    code, output = checkout.run(*ONE)
    assert code == 0, output
    (record,) = checkout.records()
    assert record.load
    assert (record.load.iterations, record.load.dropped) == (300, 0)
    assert record.load.requests == {"list": 60, "get": 210, "create": 27, "delete": 3}
    assert record.load.setup_created == 2 * 4  # each makes all that may be deleted
    assert sum(latency.count for latency in record.latencies) == 300
    gates = {gate.name: gate.verdict for gate in record.gates}
    assert (gates["arrivals"], gates["status"], gates["state"]) == ("pass", "pass", "pass")
    assert gates["client"] == "pass"  # both began when the schedule did
    assert checkout.left_behind() == []


def test_a_warm_up_in_cycles_leaves_its_curve_and_says_when_it_was_not_steady(checkout: Checkout) -> None:
    out_of_reach = 1_000_000
    checkout.set("telar.toml", load=2, pause=1, window=2, floor=out_of_reach, ceiling=3)
    checkout.edit("telar.toml", "rate = 50, seconds = 3 }", "rate = 50 }")
    code, output = checkout.run(*ONE)
    assert code == 0, output
    (record,) = checkout.records()
    assert record.warmup
    assert record.warmup.steady is False
    assert [cycle.start for cycle in record.warmup.cycles] == [0, 3, 6]
    assert record.warmup.requests == sum(cycle.requests for cycle in record.warmup.cycles)
    for cycle in record.warmup.cycles:
        assert 50 <= cycle.requests <= 110  # of 100 that are due
        assert 0 < cycle.compiler_seconds <= cycle.app_seconds
        assert cycle.p50_ms > 0
    assert {"warm-seconds", "warm-requests"}.isdisjoint(record.metrics)  # nobody knows
    assert checkout.left_behind() == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--only", "spring-mysql-blokking-virtual"),
            "did you mean 'spring-mysql-blocking-virtual'?",
        ),
        (("--only", "quarkus-mysql-nonblocking-virtual"), "event loop"),
        (("--jdk", "12"), "there is no JDK '12'"),
        (("--driver", "mysql=1.2.3"), "mysql=1.2.3: not a version in telar.toml"),
    ],
)
def test_a_wish_that_cannot_be_is_refused(checkout: Checkout, arguments: tuple[str, ...], said: str) -> None:
    code, output = checkout.run(*arguments)
    assert (code, said in output) == (2, True), output
    assert not checkout.data.exists()


def test_an_unknown_suite_is_refused_with_the_nearest(checkout: Checkout) -> None:
    code, output = checkout.telar("run", "quikstart")
    assert (code, "did you mean 'quickstart'?" in output) == (2, True), output


def test_broken_toml_is_named_with_its_line(checkout: Checkout) -> None:
    checkout.edit("telar.toml", "[jdk.21]", "[jdk.21")
    code, output = checkout.run()
    assert (code, "telar.toml" in output, "line" in output) == (2, True, True), output


def test_a_port_in_use_is_named_with_its_owner(checkout: Checkout) -> None:
    with socket.create_server(("127.0.0.1", 18080)):
        code, output = checkout.run(*ONE)
    assert (code, "port 18080" in output) == (6, True), output
    assert checkout.left_behind() == []
    assert checkout.records() == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], check=False)
    if mounted.returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def test_a_disk_without_room_is_refused_before_anything_runs(checkout: Checkout, small_disk: Path) -> None:
    code, output = checkout.telar("run", "tiny", "--data", str(small_disk))
    assert (code, "MiB free" in output) == (6, True), output
    assert list(small_disk.iterdir()) == []


def test_a_database_that_will_not_start_ends_the_session_with_its_log(checkout: Checkout) -> None:
    checkout.edit("compose/databases/mysql/database.toml", '"256M"', '"banana"')
    code, output = checkout.run(*ONE)
    assert (code, "banana" in output) == (5, True), output
    assert checkout.left_behind() == []


def test_an_app_that_dies_at_its_start_leaves_a_record_that_says_why(checkout: Checkout) -> None:
    checkout.edit(
        "apps/movies/spring-mysql-blocking/variant.toml",
        '"-Dspring.threads.virtual.enabled=true"',
        '"-XX:+NoSuchFlag"',
    )
    code, output = checkout.run(*SPRING)
    assert code == 5, output
    (record,) = checkout.records()
    assert record.stopped
    assert record.stopped.phase == "start"
    assert "Unrecognized VM option 'NoSuchFlag'" in record.stopped.logs["app"]
    assert checkout.left_behind() == []


@pytest.mark.parametrize("victim", ["java", "mariadbd"])
def test_a_service_that_dies_under_load_leaves_a_record_that_says_so(checkout: Checkout, victim: str) -> None:
    process = checkout.start("run", "tiny", "--data", str(checkout.data), *ONE)
    checkout.wait_for_file("*/logs/*/window.csv")
    checkout.server(victim).kill()
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 5, output
    (record,) = checkout.records()
    assert record.stopped
    assert record.stopped.phase == "window"
    assert "ended with exit code -9 (SIGKILL)" in record.stopped.error
    assert checkout.left_behind() == []


def test_without_k6_or_go_the_missing_tool_is_named(checkout: Checkout, tmp_path: Path) -> None:
    # An empty cache, and of the machine's commands only those that Telar's launcher itself needs.
    commands = tmp_path / "bin"
    commands.mkdir()
    for name in ("git", "setpriv", "taskset", "cp", "env"):
        path = subprocess.run(["which", name], capture_output=True, text=True, check=True)
        (commands / name).symlink_to(path.stdout.strip())
    code, output = checkout.run(*ONE, PATH=str(commands), TELAR_CACHE=str(tmp_path / "cache"))
    assert (code, "k6" in output) == (3, True), output


def test_ctrl_c_stops_cleanly_and_resume_goes_on(checkout: Checkout, interrupt: Interrupt) -> None:
    both = ("--only", "quarkus-mysql-blocking-*")
    process = checkout.start("run", "tiny", "--data", str(checkout.data), *both)
    checkout.wait_for_file("*/records/*.json")
    checkout.wait_for_file("*/logs/002*/warm-up.plan.json")
    code, output = interrupt(process)
    assert (code, "--resume" in output) == (130, True), output
    assert checkout.left_behind() == []
    first = {r.run_id for r in checkout.records()}
    assert len(first) == 1

    code, output = checkout.telar("run", "--resume", "--data", str(checkout.data))
    assert code == 0, output
    assert "1 of 2 have their record already" in output
    assert first < {r.run_id for r in checkout.records()}
    assert len(checkout.records()) == 2


def test_a_second_run_on_the_machine_is_refused(checkout: Checkout, interrupt: Interrupt) -> None:
    process = checkout.start("run", "tiny", "--data", str(checkout.data), *ONE)
    checkout.wait_for_file("*/plan.json")
    checkout.server("mariadbd")
    code, output = checkout.telar("run", "tiny", "--data", str(checkout.root / "other"), *ONE)
    assert (code, "another telar is measuring" in output) == (6, True), output
    interrupt(process)
    assert checkout.left_behind() == []

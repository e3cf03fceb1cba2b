"""A real k6 against a small server: connections before the window, and when its arrivals were due."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.analyse.schedule import quantile
from telar.catalog.load import load
from telar.catalog.workload import StageFile, VusFile, Workload
from telar.collect import k6
from telar.run import generators
from telar.run.load import guest_script, plan_for, stages_of
from telar.tools import components, shell

pytestmark = pytest.mark.embedded

CATALOG = load(Path(__file__).parents[3])
USERS, RATE, SECONDS = 40, 50, 4
THEIRS = """
import http from 'k6/http';
export default function () {
  http.get(`${__ENV.TELAR_BASE_URL}/first`, { tags: { name: 'first' } });
  http.get(`${__ENV.TELAR_BASE_URL}/second`, { tags: { name: 'second' } });
}
"""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    connections = 0

    def get_request(self) -> tuple[Any, Any]:
        self.connections += 1
        return super().get_request()


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Answer) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture
def workload(tmp_path: Path) -> Workload:
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "script.ts").write_text(THEIRS, encoding="utf-8")
    file = msgspec.structs.replace(
        CATALOG.workloads["movies-quick"].file,
        vus=VusFile(pre_allocated=USERS),
        stage=(StageFile(name="hold", from_=RATE, to=RATE, duration=SECONDS),),
    )
    return Workload(name="theirs", folder=folder, file=file)


def run(workload: Workload, server: Server, folder: Path, *, touch: bool, count: int = 1) -> k6.Results:
    """The results of a window of a guest's, by so many generators."""
    found = components.find("k6")
    assert found
    script = guest_script(CATALOG, workload, folder, "/")
    begin = time.time() + 3 if count > 1 else None
    (folder / "plan.json").write_bytes(plan_for(workload, 1, begin=begin, touch=touch))
    environment = {
        "TELAR_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}",
        "TELAR_PLAN": str(folder / "plan.json"),
        "K6_CSV_TIME_FORMAT": "unix_micro",
        "PATH": os.environ["PATH"],
    }
    started, paths = [], []
    for n, segment in enumerate(generators.segments(count)):
        paths.append(folder / f"{n}.csv")
        argv = [
            found.path,
            "run",
            "--quiet",
            "--no-usage-report",
            "--address",
            "",
            "--out",
            f"csv={paths[-1]}",
        ]
        log = folder / f"{n}.log"
        started.append(shell.spawn([*map(str, (*argv, *segment)), script], env=environment, log=log))
    for process in started:
        assert process.wait(30) == 0, process.log.read_text(encoding="utf-8")
    return k6.read(*paths, stages=stages_of(workload), thinking=True)


def test_users_that_were_touched_open_no_connection_in_the_window(
    workload: Workload, server: Server, tmp_path: Path
) -> None:
    results = run(workload, server, tmp_path, touch=True)
    assert server.connections == USERS
    assert results.connections == 0
    assert results.requests == {"first": RATE * SECONDS, "second": RATE * SECONDS}
    assert (results.iterations, results.dropped, results.setup_created) == (RATE * SECONDS, 0, 0)


def test_others_open_theirs_in_it(workload: Workload, server: Server, tmp_path: Path) -> None:
    assert run(workload, server, tmp_path, touch=False).connections == USERS


@pytest.mark.parametrize("count", [1, 2])
def test_when_each_arrival_was_due_is_known_whichever_generator_made_it(
    workload: Workload, server: Server, tmp_path: Path, count: int
) -> None:
    results = run(workload, server, tmp_path, touch=True, count=count)
    assert results.latency_from == "due"
    assert len(results.late or ()) == RATE * SECONDS
    # Were a number not the place in the schedule, most would be off by a fiftieth of a second, or ever more.
    assert quantile(results.late or (), 0.5) < 0.015
    # An arrival's second request hasn't waited.
    assert sum(wait > 0 for wait in results.waits_us) <= RATE * SECONDS
    assert sum(results.waits_us) / 1e6 == pytest.approx(sum(results.late or ()))

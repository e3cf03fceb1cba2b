"""A session's series in a cluster of VictoriaMetrics: does every query of the dashboards find its data there?

    apps=github.com/VictoriaMetrics/VictoriaMetrics/app
    for app in vminsert vmselect vmstorage; do
      GOBIN=$PWD/bin CGO_ENABLED=0 go install "$apps/$app@VERSION-cluster"
    done
    PYTHONPATH=scripts/src:scripts .telar/venv-requirements-dev/bin/python scripts/measure/cluster.py bin

Two nodes store, and each series is on both (a replication factor of 2). After the session one of them is
ended, and everything is asked again.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
from tests.compose.test_dashboards import DASHBOARDS, VARIANT, points, unanswered

ROOT = Path(__file__).resolve().parents[2]
INSERT, SELECT = 18480, 18481
STORES = (18490, 18500)  # of each node: HTTP, then what vminsert and vmselect talk to


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("bin", type=Path)
    said = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as stack:
        folder = Path(scratch)
        nodes = [stack.enter_context(_store(said.bin, folder, port)) for port in STORES]
        _started(stack, said.bin, folder, "vminsert", INSERT, "-replicationFactor=2", *_nodes(1))
        _started(stack, said.bin, folder, "vmselect", SELECT, f"-cacheDataPath={folder}/cache",
                 "-replicationFactor=2", *_nodes(2))  # fmt: skip
        start = time.time()
        _session(folder)
        end = time.time()
        time.sleep(30)  # what is written is found by a query after at most this time (-search.latencyOffset)
        url = f"http://127.0.0.1:{SELECT}/select/0/prometheus"
        _report(url, start, end, "both nodes that store")
        nodes[0].terminate()
        nodes[0].wait()
        _report(url, start, end, "one of them ended")


def _session(folder: Path) -> None:
    write = f"http://127.0.0.1:{INSERT}/insert/0/prometheus/api/v1/write"
    command = [ROOT / "telar", "run", "smoke", "--engine", "compose", "--only", VARIANT, "--jdk", "25"]
    subprocess.run(
        [*map(str, command), "--data", str(folder / "sessions")],
        env=os.environ | {"TELEMETRY_WRITE_URL": write}, check=True, cwd=ROOT,
    )  # fmt: skip


def _report(url: str, start: float, end: float, what: str) -> None:
    missing = unanswered(url, DASHBOARDS, start, end)
    samples = points(url, 'count({__name__!=""})', start, end)
    most = max(samples, default=0)
    print(f"{what}: up to {most:.0f} series; queries that find nothing: {len(missing)}")
    for line in missing:
        print(f"  {line}")
    if missing:
        sys.exit(1)


@contextlib.contextmanager
def _store(programs: Path, folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    data = f"-storageDataPath={folder}/data-{port}"
    ports = [f"-vminsertAddr=127.0.0.1:{port + 1}", f"-vmselectAddr=127.0.0.1:{port + 2}"]
    with contextlib.ExitStack() as stack:
        yield _started(stack, programs, folder, "vmstorage", port, data, *ports)


def _nodes(offset: int) -> list[str]:
    return [f"-storageNode=127.0.0.1:{port + offset}" for port in STORES]


def _started(
    stack: contextlib.ExitStack, programs: Path, folder: Path, name: str, port: int, *flags: str
) -> subprocess.Popen[bytes]:
    log = stack.enter_context((folder / f"{name}-{port}.log").open("wb"))
    command = [str(programs / name), f"-httpListenAddr=127.0.0.1:{port}", *flags]
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    for _ in range(100):
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"http://127.0.0.1:{port}/health").text == "OK":
                return process
        time.sleep(0.1)
    sys.exit(f"{name} doesn't answer:\n{Path(log.name).read_text()[-2000:]}")


if __name__ == "__main__":
    main()

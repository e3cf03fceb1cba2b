"""Whether this machine is fit to measure now, and to run a stranger's code: looked at before each job.

A check either holds, warns (numbers are noisier than they need be), or fails (what comes out would not be
believed, or the machine isn't safe).
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from telar.build.environment import images_environment, jre_image
from telar.catalog.types import Catalog
from telar.collect.host import machine_seconds
from telar.run import quiet
from telar.run.compose import ComposeEngine
from telar.run.containers import GROUP, USER_FOR_ROOT
from telar.tools import components, ports, shell

State = Literal["ok", "warn", "fail"]
LEAST_GIB = 10  # of disk: images, templates, a session
SECONDS = 5.0  # of looking at what else runs
BUSY = 0.10  # of the processors, by others
PORTS = 10_000  # outgoing, on loopback: a thousand connections a second, each held for ten
PROBE = 8428  # on which the listener listens, inside its container


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    state: State
    found: str
    remedy: str = ""


def look(catalog: Catalog, data: Path, *, strangers: bool) -> list[Finding]:
    """All checks; with `strangers` also what a machine must have on which a fork's code runs."""
    found = [
        _containers(),
        _data(data),
        _neighbours(),
        _stolen(catalog.file.gate.foreign.stolen_per_30),
        _disk(data),
        _swap(),
        _governor(),
        _port_range(),
        _temperature(),
    ]
    return [*found, _loopback_only(catalog)] if strangers else found


def _containers() -> Finding:
    if components.find("docker") is None:
        return Finding(
            name="containers",
            state="fail",
            found="no Docker Engine answers",
            remedy="start it; on a bare Debian machine: scripts/runner/provision-debian.sh",
        )
    every = ["docker", "ps", "--format", "{{.Names}}"]
    running = shell.run(every, quiet=True, timeout=60).stdout.split()
    own = shell.run([*every, "--all", "--filter", f"label={ComposeEngine.label}"], quiet=True).stdout.split()
    others = sorted(set(running) - set(own))
    if own:
        return Finding(
            name="containers",
            state="fail",
            found=f"left behind: {', '.join(own)}",
            remedy="another telar runs, or one was killed: telar run removes them, or docker rm",
        )
    if others:
        return Finding(
            name="containers",
            state="warn",
            found=f"others run: {', '.join(others)}",
            remedy="a runner that measures does nothing else",
        )
    return Finding(name="containers", state="ok", found="none left behind")


def _data(data: Path) -> Finding:
    left = sorted(data.glob("*/logs/*/database"))
    if left:
        return Finding(
            name="left-overs",
            state="warn",
            found=f"{len(left)} databases of unfinished runs",
            remedy=f"telar run --resume, or remove the sessions below {data}",
        )
    return Finding(name="left-overs", state="ok", found="none")


def _neighbours() -> Finding:
    """Processor time of the whole machine while nothing of Telar's does anything."""
    before, _ = machine_seconds()
    time.sleep(SECONDS)
    after, _ = machine_seconds()
    share = (after - before) / SECONDS / (os.cpu_count() or 1)
    state: State = "ok" if share <= BUSY else "fail"
    return Finding(
        name="neighbours",
        state=state,
        found=f"{share:.0%} of the processors are used by others",
        remedy="" if state == "ok" else "end what else runs here, or wait: top says what it is",
    )


def _stolen(limit: float) -> Finding:
    """`limit`: seconds in 30."""
    taken = quiet.stolen_per_30()
    state: State = "ok" if taken <= limit else "warn"
    return Finding(
        name="host",
        state=state,
        found=f"takes {taken:.1f} s of 30 from this virtual machine",
        remedy="" if state == "ok" else "runs wait until it is over, and say so",
    )


def _disk(data: Path) -> Finding:
    place = next(p for p in (data, *data.parents) if p.exists())
    free = shutil.disk_usage(place).free / 1024**3
    state: State = "ok" if free >= LEAST_GIB else "fail"
    return Finding(
        name="disk",
        state=state,
        found=f"{free:.0f} GiB free at {place}",
        remedy="" if state == "ok" else f"{LEAST_GIB} GiB are needed; docker system prune helps",
    )


def _swap() -> Finding:
    lines = Path("/proc/swaps").read_text().splitlines()[1:]
    state: State = "warn" if lines else "ok"
    return Finding(
        name="swap",
        state=state,
        found=f"{len(lines)} areas" if lines else "none",
        remedy="swapoff -a: a page that comes from disk is a latency" if lines else "",
    )


def _governor() -> Finding:
    files = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")
    found = sorted({path.read_text().strip() for path in files})
    if not found:
        return Finding(name="governor", state="ok", found="not exposed: the host decides")
    state: State = "ok" if found == ["performance"] else "warn"
    return Finding(
        name="governor",
        state=state,
        found=", ".join(found),
        remedy="" if state == "ok" else "scripts/runner/tune.sh sets it",
    )


def _port_range() -> Finding:
    low, high = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    state: State = "ok" if high - low >= PORTS else "fail"
    return Finding(
        name="ports",
        state=state,
        found=f"{high - low + 1:,} for outgoing connections",
        remedy="" if state == "ok" else "scripts/runner/tune.sh sets it: k6 would run out of them",
    )


def _temperature() -> Finding:
    counts = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/thermal_throttle/core_throttle_count")
    throttled = [int(path.read_text()) for path in counts]
    if not throttled:
        return Finding(name="throttling", state="ok", found="not exposed")
    state: State = "ok" if not sum(throttled) else "warn"
    return Finding(
        name="throttling",
        state=state,
        found=f"{sum(throttled)} times since the machine's start",
        remedy="" if state == "ok" else "the processors were too hot: better cooling, or a lower clock",
    )


# ---- a stranger's code


def _loopback_only(catalog: Catalog) -> Finding:
    """Tries it: a service's user asks a container on another interface, and must not get there, while anybody
    else does. What can't be tried isn't safe."""
    listener = images_environment(catalog.root)["VICTORIAMETRICS_IMAGE"]
    caller = jre_image(catalog.root, catalog.file.defaults.jdk)
    try:
        with _listening(listener) as address:
            open_ = _reaches(caller, address, f"{USER_FOR_ROOT}:{GROUP + 1}")
            shut = not _reaches(caller, address, f"{USER_FOR_ROOT}:{GROUP}")
    except shell.CommandError as error:
        return Finding(
            name="loopback only",
            state="fail",
            found=f"can't be tried: {error.message}",
            remedy="it needs the images: telar images says which there are",
        )
    if not open_:
        return Finding(
            name="loopback only",
            state="fail",
            found="not known: no container can be reached here",
            remedy="does Docker's own network work? docker run it by hand",
        )
    if not shut:
        return Finding(
            name="loopback only",
            state="fail",
            found="services can reach the network",
            remedy="scripts/runner/tune.sh --loopback-only sets the packet filter for their group",
        )
    return Finding(name="loopback only", state="ok", found="services reach 127.0.0.1 and nothing else")


@contextlib.contextmanager
def _listening(image: str) -> Iterator[str]:
    """A container on Docker's own network: its address."""
    name = f"telar-fit-{os.getpid()}"
    started = [
        "docker",
        "run",
        "--detach",
        "--rm",
        "--name",
        name,
        "--label",
        ComposeEngine.label,
        image,
        "-storageDataPath=/tmp/telar-fit",
    ]
    try:
        shell.run(started, quiet=True, timeout=60)
        address = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}"
        found = shell.run(["docker", "inspect", "--format", address, name], quiet=True).stdout.strip()
        if not re.fullmatch(r"[0-9.]+", found):
            raise shell.CommandError(["docker", "inspect", name], 1, f"it has no address: {found!r}")
        _until(lambda: ports.answers(found, PROBE))
        yield found
    finally:
        with contextlib.suppress(shell.CommandError):
            shell.run(["docker", "rm", "--force", "--volumes", name], quiet=True, timeout=60)


def _reaches(image: str, address: str, user: str) -> bool:
    """Whether a container of this user, on the host's network as services are, can connect."""
    connect = f"timeout 3 bash -c '</dev/tcp/{address}/{PROBE}' 2>/dev/null && echo reached || echo refused"
    command = [
        "docker",
        "run",
        "--rm",
        "--network=host",
        f"--user={user}",
        "--cap-drop=ALL",
        "--security-opt=no-new-privileges",
        "--entrypoint=sh",
        image,
        "-c",
        connect,
    ]
    return shell.run(command, quiet=True, timeout=60).stdout.strip() == "reached"


def _until(holds: Callable[[], bool], seconds: float = 15.0) -> None:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.2)

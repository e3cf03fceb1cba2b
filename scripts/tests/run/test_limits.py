"""What the kernel lets a process use: of a real process, and of control groups of both versions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from telar.run import limits as module
from telar.run.limits import limits
from telar.tools import shell

V1 = "11:memory:/outer/inner\n4:cpu,cpuacct:/outer/inner\n1:name=systemd:/outer\n"
V2 = "0::/outer/inner\n"
NONE = "9223372036854771712"


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return root


@pytest.fixture
def v2(tmp_path: Path) -> Path:
    return write(
        tmp_path,
        {
            "cgroup.controllers": "cpu memory",
            "outer/inner/memory.max": "max",
            "outer/inner/cpu.max": "150000 100000",
            "outer/memory.max": "1073741824",
            "outer/cpu.max": "max 100000",
        },
    )


@pytest.fixture
def v1(tmp_path: Path) -> Path:
    return write(
        tmp_path,
        {
            "memory/outer/inner/memory.limit_in_bytes": "2147483648",
            "memory/outer/memory.limit_in_bytes": "1073741824",
            "memory/memory.limit_in_bytes": NONE,
            "cpu,cpuacct/outer/inner/cpu.cfs_quota_us": "-1",
            "cpu,cpuacct/outer/inner/cpu.cfs_period_us": "100000",
            "cpu,cpuacct/outer/cpu.cfs_quota_us": "50000",
            "cpu,cpuacct/outer/cpu.cfs_period_us": "100000",
        },
    )


def test_a_running_process_has_the_processors_that_it_was_pinned_to() -> None:
    code = "import sys; print(flush=True); sys.stdin.read()"
    argv = ["taskset", "-c", "0", sys.executable, "-S", "-c", code]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()  # taskset has done its work
        pinned, own = limits(process.pid), limits(os.getpid())
    assert pinned
    assert own
    assert pinned.cpus == "0"
    assert (pinned.memory_mib, pinned.quota) == (own.memory_mib, own.quota)  # it is in our groups
    assert (
        own.priority
        == shell.run(["cat", "/proc/self/autogroup"], quiet=True).stdout.rpartition(" ")[2].strip()
    )


def test_a_process_that_has_ended_has_none() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    assert limits(process.pid) is None


@pytest.mark.parametrize(("fixture", "membership"), [("v1", V1), ("v2", V2)])
def test_of_nested_groups_the_least_limit_of_memory_is_in_force(
    fixture: str, membership: str, request: pytest.FixtureRequest
) -> None:
    root = request.getfixturevalue(fixture)
    assert min(module._memories(membership, root)) == 1024


def test_a_quota_is_in_processors_and_the_one_that_is_set_counts(v1: Path) -> None:
    assert list(module._quotas(V1, v1)) == [0.5]


def test_a_quota_of_version_2_has_its_period_beside_it(v2: Path) -> None:
    assert list(module._quotas(V2, v2)) == [1.5]


def test_version_1_mounts_of_another_name_are_found(tmp_path: Path) -> None:
    root = write(
        tmp_path, {"cpu/a/cpu.cfs_quota_us": "200000", "cpu/a/cpu.cfs_period_us": "100000", "cpuacct/x": ""}
    )
    assert list(module._quotas("4:cpu,cpuacct:/a\n", root)) == [2.0]


def test_groups_that_are_out_of_sight_have_no_limit(tmp_path: Path) -> None:
    assert list(module._memories(V1, tmp_path)) == []
    assert list(module._quotas(V2, tmp_path)) == []


def test_where_both_versions_are_mounted_the_first_has_the_limits(v1: Path) -> None:
    assert min(module._memories("0::/outer\n" + V1, v1)) == 1024

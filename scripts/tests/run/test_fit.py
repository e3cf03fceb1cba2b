"""Whether the machine is fit to measure, and to run a stranger's code: tried, not believed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from telar.build.environment import images_environment
from telar.catalog.load import load
from telar.run import fit
from telar.run.compose import ComposeEngine
from telar.run.containers import GROUP

from ..cli.conftest import ROOT

CATALOG = load(ROOT)
TELAR = ROOT / "telar"


def state(found: list[fit.Finding], name: str) -> fit.Finding:
    return next(each for each in found if each.name == name)


@pytest.mark.docker
def test_what_was_left_behind_is_named_and_fails(tmp_path: Path) -> None:
    image = images_environment(ROOT)["VICTORIAMETRICS_IMAGE"]
    name = f"telar-test-left-{os.getpid()}"
    started = ["docker", "create", "--name", name, "--label", ComposeEngine.label, image]
    subprocess.run(started, check=True, capture_output=True)
    try:
        found = fit.look(CATALOG, tmp_path, strangers=False)
    finally:
        subprocess.run(["docker", "rm", "--force", name], check=True, capture_output=True)
    assert state(found, "containers").state == "fail"
    assert name in state(found, "containers").found
    assert state(fit.look(CATALOG, tmp_path, strangers=False), "containers").state != "fail"


@pytest.mark.docker
def test_doctor_says_what_it_looked_at(tmp_path: Path) -> None:
    done = subprocess.run(
        [TELAR, "doctor", "--runner", "--json", "--data", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    found = {each["name"]: each for each in json.loads(done.stdout)}
    assert {"containers", "left-overs", "neighbours", "host", "disk", "swap", "governor", "ports"} <= set(
        found
    )
    # The machine may be busy: then it says so, and ends with the family's code.
    failed = [name for name, each in found.items() if each["state"] == "fail"]
    assert done.returncode == (6 if failed else 0)
    assert all(each["remedy"] for each in found.values() if each["state"] != "ok")


RULE = ("OUTPUT", "-m", "owner", "--gid-owner", str(GROUP), "!", "-o", "lo", "-j", "REJECT")


@pytest.fixture
def unfiltered() -> Iterator[None]:
    """Without the packet filter, which is put back where it was there before."""
    if os.geteuid() != 0 or not shutil.which("iptables"):
        pytest.skip("setting a packet filter needs root and iptables")
    there = subprocess.run(["iptables", "-C", *RULE], capture_output=True, check=False).returncode == 0
    if there:
        subprocess.run(["iptables", "-D", *RULE], check=True)
    yield
    subprocess.run(["iptables", "-D", *RULE], capture_output=True, check=False)
    if there:
        subprocess.run(["iptables", "-I", *RULE], check=True)


@pytest.mark.docker
@pytest.mark.usefixtures("unfiltered")
def test_services_reach_nothing_but_loopback_once_the_filter_is_set() -> None:
    without = fit._loopback_only(CATALOG)
    assert (without.state, without.found) == ("fail", "services can reach the network")
    assert "tune.sh --loopback-only" in without.remedy
    subprocess.run(["iptables", "-I", *RULE], check=True)
    with_it = fit._loopback_only(CATALOG)
    assert (with_it.state, with_it.remedy) == ("ok", "")


def test_the_script_filters_the_group_that_services_have() -> None:
    text = (ROOT / "scripts" / "runner" / "tune.sh").read_text()
    assert f"readonly GROUP={GROUP} " in text
    assert 'rule=(OUTPUT -m owner --gid-owner "$GROUP" ! -o lo -j REJECT)' in text

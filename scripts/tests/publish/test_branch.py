"""Many publishers, one branch: nothing lost, nothing twice, whoever is killed when."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from telar.catalog.load import load
from telar.errors import StoreError
from telar.publish import branch, history
from telar.store.points import Point
from telar.store.published import Published
from telar.tools import shell

from ..github import githttp

pytestmark = pytest.mark.thorough

SOURCES = Path(__file__).resolve().parents[2] / "src"
CATALOG = load(Path(__file__).resolve().parents[3])
PUBLISHER = """
import sys
from telar.publish import branch
from telar.store.points import Point
from telar.store.published import Published

remote, name = sys.argv[1:]

def add(checkout):
    store = Published(checkout.folder, checkout.want)
    store.want(["2026-11"])
    added = store.add_points([Point(series=name, metric="p99", unit="ms", better="smaller",
                                    time=1_795_000_000.0, commit="", value=1.0, origin=name)])
    store.write()
    return bool(added)

print(branch.publish(remote, "gh-pages", f"Results: {name}", add))
"""


@pytest.fixture
def remote(tmp_path: Path) -> str:
    folder = tmp_path / "remote.git"
    shell.run(["git", "init", "--quiet", "--bare", folder], quiet=True)
    shell.run(["git", "-C", folder, "config", "uploadpack.allowFilter", "true"], quiet=True)
    return f"file://{folder}"


def point(name: str, moment: float = 1_795_000_000.0) -> Point:
    return Point(
        series=name, metric="p99", unit="ms", better="smaller", time=moment, commit="", value=1.0, origin=name
    )


def publish(remote: str, *points: Point) -> bool:
    def add(checkout: branch.Checkout) -> bool:
        store = Published(checkout.folder, checkout.want)
        store.want(store.months)
        added = store.add_points(points)
        store.write()
        return bool(added)

    return branch.publish(remote, "gh-pages", "Results", add)


def published(remote: str, folder: Path) -> Published:
    shell.run(["git", "clone", "--quiet", "--branch=gh-pages", remote, folder], quiet=True)
    return Published(folder)


def test_a_branch_that_is_not_there_is_begun(remote: str, tmp_path: Path) -> None:
    assert publish(remote, point("a"))
    assert [p.series for p in published(remote, tmp_path / "seen").points("2026-11")] == ["a"]


def test_what_is_there_stays_whatever_it_is(remote: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    shell.run(["git", "init", "--quiet", "--initial-branch=gh-pages", work], quiet=True)
    (work / "dev" / "bench").mkdir(parents=True)
    (work / "dev" / "bench" / "data.js").write_text("window.BENCHMARK_DATA = {}")
    who = {f"GIT_{r}_{w}": "t@localhost" for r in ("AUTHOR", "COMMITTER") for w in ("NAME", "EMAIL")}
    shell.run(["git", "-C", work, "add", "-A"], quiet=True)
    shell.run(["git", "-C", work, "commit", "--quiet", "-m", "one"], env=who, quiet=True)
    shell.run(["git", "-C", work, "push", "--quiet", remote, "gh-pages"], quiet=True)
    publish(remote, point("a"))
    publish(remote, point("b", 1_797_000_000.0))
    seen = published(remote, tmp_path / "seen")
    assert (tmp_path / "seen" / "dev" / "bench" / "data.js").exists()
    assert [p.series for m in seen.months for p in seen.points(m)] == ["a", "b"]


def test_nothing_new_makes_no_commit(remote: str) -> None:
    publish(remote, point("a"))
    before = shell.run(["git", "ls-remote", remote], quiet=True).stdout
    assert not publish(remote, point("a"))
    assert shell.run(["git", "ls-remote", remote], quiet=True).stdout == before


def test_years_of_history_are_added_to_without_taking_all_of_them(remote: str, tmp_path: Path) -> None:
    day = 86_400.0
    long = [point("a", 1_740_000_000.0 + n * day) for n in range(600)]

    def add(points: list[Point]) -> set[str]:
        here: set[str] = set()

        def with_history(checkout: branch.Checkout) -> bool:
            store = Published(checkout.folder, checkout.want)
            history.publish(CATALOG, store, [], points, [])
            here.update(p.parent.name for p in checkout.folder.rglob("p99.*.json"))
            return True

        branch.publish(remote, "gh-pages", "Results", with_history)
        return here

    assert len(add(long)) == 21
    taken = add([point("a", 1_740_000_000.0 + 600 * day)])
    assert 12 <= len(taken) <= 15
    seen = published(remote, tmp_path / "seen")
    assert sum(len(seen.points(month)) for month in seen.months) == 601


def test_a_remote_that_can_not_be_read_is_never_taken_for_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="can't be read"):
        publish(f"file://{tmp_path}/nowhere.git", point("a"))


def test_a_publisher_that_would_lose_the_index_is_stopped(remote: str) -> None:
    publish(remote, point("a"))

    def lose(checkout: branch.Checkout) -> bool:
        (checkout.folder / "data" / "index.json").unlink()
        return True

    with pytest.raises(StoreError, match="would be lost"):
        branch.publish(remote, "gh-pages", "Results", lose)


def test_a_branch_that_refuses_is_no_race(remote: str) -> None:
    publish(remote, point("a"))
    hook = Path(remote.removeprefix("file://")) / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho 'a rule protects this branch'; exit 1\n")
    hook.chmod(0o755)
    began = time.monotonic()
    with pytest.raises(StoreError, match="a rule protects this branch") as refused:
        publish(remote, point("b"))
    assert time.monotonic() - began < 5  # not tried thirty times
    assert "may this token write there" in refused.value.hint


def test_a_server_that_fails_for_a_moment_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "acme").mkdir()
    shell.run(["git", "init", "--quiet", "--bare", tmp_path / "acme" / "shop.git"], quiet=True)
    for key in ("http.receivepack", "uploadpack.allowFilter"):
        shell.run(["git", "-C", tmp_path / "acme" / "shop.git", "config", key, "true"], quiet=True)
    with githttp.serving(tmp_path) as server:
        monkeypatch.setenv("GITHUB_TOKEN", "secret")
        monkeypatch.setenv("GITHUB_SERVER_URL", server.url)
        private = f"{server.url}/acme/shop.git"
        for broken in (1, 3):
            server.broken = broken
            assert publish(private, point(f"a{broken}"))
        server.broken = 1
        with pytest.raises(StoreError, match="the server failed"), branch.reading(private, "gh-pages"):
            pass
        monkeypatch.setenv("GIT_TERMINAL_PROMPT", "0")
        monkeypatch.delenv("GITHUB_TOKEN")
        with pytest.raises(StoreError, match="can't be read"):
            publish(private, point("b"))
    seen = published(f"file://{tmp_path}/acme/shop.git", tmp_path / "seen")
    assert [p.series for p in seen.points("2026-11")] == ["a1", "a3"]


def test_twenty_publishers_race_and_some_are_killed(remote: str, tmp_path: Path) -> None:
    dice = random.Random(1)
    names = [f"s{n:02d}" for n in range(20)]

    def begin(name: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", PUBLISHER, remote, name],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(SOURCES)},
        )  # fmt: skip

    running = {name: begin(name) for name in names}
    killed = set()
    for name in names[:8]:  # at any moment of what they do
        time.sleep(dice.uniform(0.1, 0.8))
        if running[name].poll() is None:
            running[name].send_signal(signal.SIGKILL)
            killed.add(name)
    for name, process in running.items():
        out, err = process.communicate(timeout=300)
        assert name in killed or out.strip() == "True", err
    for name in killed:  # whoever was killed is begun again: it may or may not have been done
        process = begin(name)
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
    seen = published(remote, tmp_path / "seen")
    assert sorted(p.series for p in seen.points("2026-11")) == names
    assert len(list((tmp_path / "seen" / "data").rglob("*.json"))) == 2
    commits = shell.run(["git", "-C", tmp_path / "seen", "rev-list", "--count", "HEAD"], quiet=True).stdout
    assert int(commits) == len(names)

"""The pages are shipped as built: who has no Node.js has them all the same."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
from pathlib import Path

import pytest

from telar.build import site
from telar.errors import MissingToolError
from telar.tools import components, shell

ROOT = Path(__file__).parents[3]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone on a machine without Node.js."""
    skip = shutil.ignore_patterns("node_modules", "dist")
    shutil.copytree(ROOT / "site", tmp_path / "site", ignore=skip)
    shutil.copytree(ROOT / "benchmarks-data" / "schema", tmp_path / "benchmarks-data" / "schema")
    monkeypatch.setattr(components, "find", lambda name: None)
    return tmp_path


def test_the_shipped_pages_are_of_this_site() -> None:
    assert site.shipped(ROOT) == site.digest_of_inputs(ROOT), "./telar site --ship builds them"


def test_without_node_the_shipped_pages_are_taken(copy: Path) -> None:
    built = site.build(copy, print)
    site.into(built, copy / "public")
    page = (copy / "public" / "index.html").read_text()
    (script,) = (copy / "public" / "assets").glob("*.js")
    assert f"./assets/{script.name}" in page
    assert not (copy / "public" / site.MADE_OF).exists()


def test_pages_in_one_file_let_in_their_own_script_and_style_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text('{"evil": "</script><script>alert(1)</script>"}')
    page = site.in_one(ROOT / site.SHIPPED, tmp_path).decode()
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.S)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.S)
    (policy,) = re.findall(r'content="(default-src[^"]*)"', page)
    digests = {
        name: "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
        for name, text in (("script", script), ("style", style))
    }
    assert policy.startswith(
        f"default-src 'none'; script-src {digests['script']}; style-src {digests['style']};"
    )
    assert page.count("<script") == 2  # the pages' own, and the data, which is no program
    assert "alert(1)" in page
    assert not re.search(r'<(?:script|link|img)[^>]+(?:src|href)="(?!data:)(?![^"]*feed)', page)


def test_changed_pages_without_node_are_an_error_that_says_so(copy: Path) -> None:
    (copy / "site" / "src" / "main.ts").write_text("changed")
    with pytest.raises(MissingToolError, match=r"site/ was changed"):
        site.build(copy, print)


def test_installing_leaves_alone_what_a_link_to_modules_leads_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, own = tmp_path / "shared", tmp_path / "site"
    shared.mkdir()
    own.mkdir()
    (shared / "kept").write_text("by another checkout")
    (own / "node_modules").symlink_to(shared)
    (own / "package-lock.json").write_text("{}")
    ran: list[bool] = []

    def npm(argv: list[str], *, cwd: Path, log: Path) -> None:
        ran.append((cwd / "node_modules").exists())  # npm ci empties what it finds there

    monkeypatch.setattr(shell, "run", npm)
    site.install(own, tmp_path / "log")
    assert ran == [False]
    assert (shared / "kept").exists()

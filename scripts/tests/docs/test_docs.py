"""The documents: links lead somewhere, commands are ones that Telar has, lists are complete."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from telar.catalog.load import load
from telar.cli.common import wishes
from telar.cli.main import telar
from telar.cli.test import CHECKS
from telar.databases import types
from telar.plan.cells import make_plan

ROOT = Path(__file__).parents[3]
CATALOG = load(ROOT)

FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
UNFINISHED = re.compile(r"\b(TODO|TBD|FIXME|XXX|lorem ipsum|coming soon)\b", re.IGNORECASE)
TOP = click.Context(telar, **telar.context_settings)
SHELL_ENDS = {"|", "||", "&&", ";", ">", ">>", "2>&1"}


def documents() -> list[Path]:
    """Every Markdown file of the project, new ones too, and none that git ignores."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [ROOT / line for line in listed.splitlines() if (ROOT / line).exists()]


def name_of(document: Path) -> str:
    return str(document.relative_to(ROOT))


@cache
def anchors(document: Path) -> set[str]:
    """What GitHub makes of its headings: lower case, no punctuation, equal ones numbered."""
    seen: Counter[str] = Counter()
    found = set()
    for heading in HEADING.findall(FENCE.sub("", document.read_text(encoding="utf-8"))):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def is_broken(document: Path, link: str) -> bool:
    if re.match(r"[a-z]+:", link):
        return False  # not relative
    path, _, anchor = link.partition("#")
    target = (document.parent / path).resolve() if path else document
    if not target.exists() or not target.is_relative_to(ROOT):
        return True
    return bool(anchor) and (target.suffix != ".md" or anchor not in anchors(target))


def commands(document: Path) -> Iterator[list[str]]:
    """The arguments of each `telar` command shown, in a block or in a line."""
    text = document.read_text(encoding="utf-8")
    shown = [line for block in FENCE.findall(text) for line in block.splitlines()[1:-1]]
    for line in (*shown, *CODE.findall(FENCE.sub("", text))):
        if re.match(r"\s*(\$ )?(\./)?telar( |$)", line):
            words = shlex.split(line.strip().removeprefix("$ "), comments=True)
            end = next((n for n, word in enumerate(words) if word in SHELL_ENDS), len(words))
            yield words[1:end]


def parse(arguments: list[str]) -> tuple[str, click.Context]:
    """The command and its options, by the real parser, without running it."""
    name, command, rest = telar.resolve_command(TOP, arguments)
    assert name
    assert command
    while isinstance(command, click.Group):
        _, command, rest = command.resolve_command(click.Context(command), rest)
        assert command
    return name, command.make_context(name, rest)


ALL = documents()
SHOWN = [(name_of(document), arguments) for document in ALL for arguments in commands(document) if arguments]


@pytest.mark.parametrize("document", ALL, ids=name_of)
def test_every_relative_link_leads_to_a_file_and_a_heading(document: Path) -> None:
    links = LINK.findall(FENCE.sub("", document.read_text(encoding="utf-8")))
    assert [link for link in links if is_broken(document, link)] == []


@pytest.mark.parametrize("document", ALL, ids=name_of)
def test_no_document_holds_a_place_to_be_filled_later(document: Path) -> None:
    assert UNFINISHED.findall(document.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(("document", "arguments"), SHOWN, ids=str)
def test_every_command_shown_is_one_that_telar_takes(document: str, arguments: list[str]) -> None:
    if arguments[0] == "--guest":
        arguments = arguments[2:] or ["--guest"]
    if arguments[0].startswith("--"):
        assert arguments[0] in {option for p in telar.get_params(TOP) for option in p.opts}
        return
    name, context = parse(arguments)
    said = context.params
    if name in {"run", "plan", "build"} and not said.get("resume"):
        all_of_it = {"suite": said["suite"] or "smoke", "engine": said["engine"] or "embedded"}
        assert make_plan(CATALOG, wishes(CATALOG, **(said | all_of_it))).runs
    if name == "test" and said["only"]:
        assert set(said["only"]) <= {check.name for check in CHECKS}


def test_the_readme_begins_with_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first = next(iter(FENCE.findall(text)))
    assert [line.split("#")[0].strip() for line in first.splitlines()[1:-1]] == [
        "./telar run quickstart",
        "./telar test",
    ]


def test_the_document_of_metrics_names_every_metric() -> None:
    named = set(CODE.findall((ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")))
    assert set(CATALOG.file.metric) - named == set()


def test_fairness_names_every_flag_of_the_jvm_and_every_setting_of_the_databases() -> None:
    text = (ROOT / "docs" / "fairness.md").read_text(encoding="utf-8")
    equal = list(CATALOG.file.jvm.flags)
    for folder in CATALOG.databases.values():
        for settings in types.load(folder).file.settings.values():
            equal += settings
    assert [name for name in equal if name not in text] == []


def test_every_document_of_docs_is_in_its_table() -> None:
    for folder in (ROOT / "docs", ROOT / "docs" / "decisions"):
        table = (folder / "README.md").read_text(encoding="utf-8")
        others = {p.name for p in folder.glob("*.md")} - {"README.md"}
        assert {name for name in others if f"]({name})" not in table} == set()

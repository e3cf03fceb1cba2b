"""What a comparison found has its page: published from the verdict's file, from a session, and once each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from telar.catalog.load import load
from telar.errors import StoreError
from telar.publish import evidence
from telar.store.evidence import Evidence
from telar.store.published import DATA, Published

from .conftest import Telar

Publish = Callable[..., str]
ROOT = Path(__file__).parents[3]
VERDICTS = ROOT / "benchmarks-data" / "reference" / "verdicts" / "earlier"
WORSE = VERDICTS / "n-plus-1-spring-mysql-blocking-virtual-1-5m.json"
OPEN = VERDICTS / "leak-spring-mysql-blocking-virtual-1-5m.json"


@pytest.fixture
def publish(telar: Telar) -> Publish:
    def published(folder: Path, *files: Path) -> str:
        done = telar("publish", *(p for f in files for p in ("--verdict", str(f))), "--to", str(folder))
        assert done.code == 0, done.err
        return done.out

    return published


def page_of(folder: Path, number: int = 0) -> Evidence:
    line = Published(folder).evidence()[number]
    return msgspec.json.decode((folder / DATA / line.file).read_bytes(), type=Evidence)


def test_each_verdict_has_a_page_with_every_figure_of_it(publish: Publish, tmp_path: Path) -> None:
    assert "2 pages of evidence" in publish(tmp_path, WORSE, OPEN)
    lines = Published(tmp_path).evidence()
    assert [line.word for line in sorted(lines, key=lambda each: each.word)] == ["undecided", "worse"]
    assert lines[0].time > lines[1].time
    said = json.loads(WORSE.read_bytes())
    number = [line.word for line in lines].index("worse")
    own = page_of(tmp_path, number)
    (compared,) = said["compared"]
    for metric in (*compared["verdicts"], *compared["beside"]):
        (figure,) = [f for f in own.figures if f.metric == metric["metric"]]
        assert (figure.effect, figure.low, figure.high) == (metric["effect"], metric["low"], metric["high"])
    assert {f.word for f in own.figures if f.word} == {v["word"] for v in compared["verdicts"]}
    assert own.command == said["occasion"]["command"]


def test_a_verdict_is_published_once(publish: Publish, tmp_path: Path) -> None:
    publish(tmp_path, WORSE)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.json")}
    assert "nothing new" in publish(tmp_path, WORSE)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.json")} == before


def test_what_is_said_later_takes_the_place_of_what_was(publish: Publish, tmp_path: Path) -> None:
    publish(tmp_path, OPEN)
    later = json.loads(OPEN.read_bytes())
    later["occasion"]["asked"] = 2
    file = tmp_path / "later.json"
    file.write_text(json.dumps(later))
    folder = tmp_path
    publish(folder, file)
    (only,) = Published(folder).evidence()
    assert any("asked 2 times" in note for note in page_of(folder).notes)
    assert [p.name for p in (folder / DATA / "evidence").iterdir()] == [Path(only.file).name]


@pytest.mark.parametrize("content", ["{", "[]", '{"occasion": {}}', '{"word": "worse"}'])
def test_a_file_that_is_no_verdict_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "verdict.json"
    path.write_text(content)
    with pytest.raises(StoreError, match=r"verdict\.json"):
        evidence.in_file(load(ROOT), path)


def test_an_index_from_before_there_was_evidence_is_read(publish: Publish, tmp_path: Path) -> None:
    publish(tmp_path, WORSE)
    path = tmp_path / DATA / "index.json"
    index = json.loads(path.read_bytes())
    del index["evidence"]
    path.write_text(json.dumps(index))
    assert Published(tmp_path).evidence() == ()

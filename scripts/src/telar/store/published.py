"""The published store: the history that the pages read, in a folder of the branch that is served.

data/index.json                              what there is: written last, and the only name that stays
data/now.<digest>.json                       each series as it stands, and what is open
data/levels.<digest>.json                    what older points left behind: the levels to compare with
data/sessions/<month>.<digest>.json          a month's sessions
data/points/<month>/<metric>.<digest>.json   a month's points of a metric, in columns
data/runs/<month>/<session>/<run>.json.gz    the records, as they were measured; older ones without .gz
data/evidence.<digest>.json                   what was found by comparing: a line each
data/evidence/<session>.<digest>.json        a comparison, a search, an attribution
data/report.<digest>.json                    of the one session that a report is of; no history has it
data/feed.atom, data/badges/, data/charts/   what is linked to from elsewhere: names that stay

A file that has a digest in its name never changes, so that whoever has it may keep it. To publish touches
the months that points are added to, and no other: what it costs doesn't grow with the history.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

import msgspec

from telar.errors import StoreError
from telar.store.evidence import Evidence, Line, Listing
from telar.store.files import write_atomically
from telar.store.points import Location, Point, Text
from telar.store.record import Part, Validity
from telar.store.report import Report
from telar.store.shards import Shard, points_in, shard_of

DATA: Final = "data"
Month = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[01][0-9]$(?!\n)")]
T = TypeVar("T")


class Kept(Part, frozen=True):
    """A published run."""

    run_id: str
    seconds: float  # that it took, from nothing to nothing
    validity: Validity
    compacted: float | None = None  # when its readings by the second were dropped
    packed: bool = False  # whether its file is packed with gzip


class CommitWords(Part, frozen=True):
    """What git says of a commit."""

    subject: str  # the first line of its message
    author: str
    parent: str  # the first one; empty where it has none
    branch: str  # that holds it, the default branch before others; empty where none is known


class Row(Part, frozen=True):
    """A published session."""

    id: Text
    time: float
    commit: str
    suite: str
    environments: dict[str, dict[str, str]]  # digest -> what it is of, in words
    runs: dict[Text, Kept]  # by the file's name


class Sessions(Part, frozen=True):
    format: Literal[1]
    sessions: tuple[Row, ...]
    commits: dict[Text, CommitWords] = msgspec.field(default_factory=dict)  # of this month's points


class Files(Part, frozen=True):
    """A month's."""

    sessions: Location | None = None
    points: dict[Text, Location] = msgspec.field(default_factory=dict)  # metric -> file


class Index(Part, frozen=True):
    format: Literal[1] = 1
    written: float = 0.0
    points: int = 0
    runs: int = 0
    bytes: int = 0  # of all files but this one
    now: Location | None = None
    levels: Location | None = None
    months: dict[Month, Files] = msgspec.field(default_factory=dict)
    evidence: Location | None = None  # what was found by comparing
    report: Location | None = None  # of the one session that a report is of


def month_of(moment: float) -> str:
    return time.strftime("%Y-%m", time.gmtime(moment))


class Published:
    """The store in a folder. `want` is told of what is about to be read, below the folder: a checkout may
    not have all of it yet.

    Changes are kept in memory until `write`, which leaves the store whole at any time.
    """

    def __init__(self, folder: Path, want: Callable[[Sequence[str]], None] = lambda _: None) -> None:
        self.folder, self._want = folder, want
        path = folder / DATA / "index.json"
        self.index = self._decode(path, Index) if path.exists() else Index()
        self._months = dict(self.index.months)
        self._fresh: dict[str, bytes] = {}
        self._gone: set[str] = set()
        self._points, self._runs = self.index.points, self.index.runs
        self._now, self._levels, self._evidence = self.index.now, self.index.levels, self.index.evidence
        self._report = self.index.report

    @property
    def months(self) -> list[str]:
        return sorted(self._months)

    def want(self, months: Iterable[str], metrics: Iterable[str] | None = None) -> None:
        """That these months' sessions and points will be read, of all metrics or of some."""
        paths = []
        for month in set(months) & self._months.keys():
            files = self._months[month]
            paths += [p for m, p in files.points.items() if metrics is None or m in metrics]
            paths += [files.sessions] if files.sessions else []
        paths += [p for p in (self._now, self._levels) if p]
        self._want([f"{DATA}/{p}" for p in paths])

    def sessions(self, month: str) -> tuple[Row, ...]:
        return self._sessions(month).sessions

    def commits(self, month: str) -> dict[str, CommitWords]:
        return self._sessions(month).commits

    def add_commits(self, month: str, words: Mapping[str, CommitWords]) -> None:
        """What is said of commits that this month has points of."""
        before = self._sessions(month)
        if any(before.commits.get(commit) != said for commit, said in words.items()):
            self._set_sessions(month, msgspec.structs.replace(before, commits={**before.commits, **words}))

    def _sessions(self, month: str) -> Sessions:
        path = self._months.get(month, Files()).sessions
        return self._get(path, Sessions) if path else Sessions(format=1, sessions=())

    def _set_sessions(self, month: str, value: Sessions) -> None:
        files = self._months.get(month, Files())
        path = self._put(f"sessions/{month}", value, files.sessions)
        self._months[month] = msgspec.structs.replace(files, sessions=path)

    def points(self, month: str, metric: str | None = None) -> list[Point]:
        files = self._months.get(month, Files()).points
        chosen = files.values() if metric is None else [files[metric]] if metric in files else []
        return [p for path in chosen for p in points_in(self._get(path, Shard))]

    def add_points(self, points: Iterable[Point]) -> int:
        """Adds those that aren't there; how many they were."""
        added = 0
        keyed = sorted(points, key=lambda p: (month_of(p.time), p.metric))
        for (month, metric), own in groupby(keyed, key=lambda p: (month_of(p.time), p.metric)):
            before = self.points(month, metric)
            there = {(p.series, p.origin, int(p.time), p.commit) for p in before}
            fresh = {(p.series, p.origin, int(p.time), p.commit): p for p in own}
            kept = [p for key, p in fresh.items() if key not in there]
            if not kept:
                continue
            files = self._months.get(month, Files())
            name = re.sub(r"[^A-Za-z0-9_-]+", "-", metric)[:60] or "metric"
            path = self._put(f"points/{month}/{name}", shard_of([*before, *kept]), files.points.get(metric))
            self._months[month] = msgspec.structs.replace(files, points={**files.points, metric: path})
            added += len(kept)
        self._points += added
        return added

    def add_session(self, row: Row, records: Mapping[str, bytes]) -> bool:
        """Adds a session's records, by the names of their files; False when it is there already.

        Raises StoreError when another session of this name is there.
        """
        month = month_of(row.time)
        month_file = self._sessions(month)
        before = month_file.sessions
        for known in before:
            if known.id == row.id:
                if _plain(known) != _plain(row):
                    raise StoreError(f"{row.id}: another session of this name was published already")
                return False
        row = msgspec.structs.replace(row, runs={n: _packed(kept) for n, kept in row.runs.items()})
        rows = tuple(sorted((*before, row), key=lambda r: (r.time, r.id)))
        self._set_sessions(month, msgspec.structs.replace(month_file, sessions=rows))
        for name, content in records.items():
            self._fresh[run_path(month, row.id, name, row.runs[name])] = pack(content)
        self._runs += len(records)
        return True

    def evidence(self) -> tuple[Line, ...]:
        return self._get(self._evidence, Listing).lines if self._evidence else ()

    def add_evidence(self, own: Evidence) -> bool:
        """Adds it, in place of what was said of the same session before; False when it is there already."""
        self._want([f"{DATA}/{self._evidence}"] if self._evidence else [])
        before = self.evidence()
        old = next((known.file for known in before if known.id == own.id), None)
        self._want([f"{DATA}/{old}"] if old else [])
        file = self._put(f"evidence/{re.sub(r'[^A-Za-z0-9_-]+', '-', own.id)[:100]}", own, old)
        if file == old:
            return False
        fresh = Line(id=own.id, kind=own.kind, time=own.time, word=own.word, headline=own.headline, file=file)
        lines = sorted(
            (fresh, *(known for known in before if known.id != own.id)), key=lambda each: -each.time
        )
        self._evidence = self._put("evidence", Listing(format=1, lines=tuple(lines)), self._evidence)
        return True

    def want_runs(self, month: str) -> None:
        """That this month's records will be read."""
        own = self.sessions(month)
        self._want(
            [f"{DATA}/{run_path(month, r.id, name, kept)}" for r in own for name, kept in r.runs.items()]
        )

    def run(self, month: str, session: str, name: str, kept: Kept) -> bytes:
        """A record, as it was measured or compacted. Raises StoreError."""
        path = self.folder / DATA / run_path(month, session, name, kept)
        try:
            content = path.read_bytes()
            return gzip.decompress(content) if kept.packed else content
        except gzip.BadGzipFile as error:
            raise StoreError(f"{path}: {error}") from error
        except OSError as error:
            raise StoreError(f"{path}: can't be read: {error.strerror}") from error
        except (EOFError, zlib.error) as error:
            raise StoreError(f"{path}: is not whole: {error}") from error

    def compact(self, month: str, rows: Sequence[Row], records: Mapping[tuple[str, str], bytes]) -> None:
        """Puts other contents in the place of records of a month, by session and name, and packs them; `rows`
        are all of its sessions, with what became of them.
        """
        before = {row.id: row.runs for row in self.sessions(month)}
        replaced = [
            msgspec.structs.replace(
                row, runs={n: _packed(k) if (row.id, n) in records else k for n, k in row.runs.items()}
            )
            for row in rows
        ]
        self._set_sessions(month, msgspec.structs.replace(self._sessions(month), sessions=tuple(replaced)))
        for row in replaced:
            for name, kept in row.runs.items():
                if (row.id, name) not in records:
                    continue
                old = before[row.id][name]
                if not old.packed:
                    self._gone.add(run_path(month, row.id, name, old))
                self._fresh[run_path(month, row.id, name, kept)] = pack(records[row.id, name])

    def now(self, kind: type[T]) -> T | None:
        return self._get(self._now, kind) if self._now else None

    def set_now(self, value: object) -> None:
        self._now = self._put("now", value, self._now)

    def levels(self, kind: type[T]) -> T | None:
        return self._get(self._levels, kind) if self._levels else None

    def set_levels(self, value: object) -> None:
        self._levels = self._put("levels", value, self._levels)

    def set_report(self, value: Report) -> None:
        """Makes these pages the report of a session."""
        self._report = self._put("report", value, self._report)

    def put_stable(self, files: Mapping[str, bytes]) -> None:
        """Files whose names stay when their contents change, for those who link to them from elsewhere."""
        self._want([f"{DATA}/{path}" for path in files])
        for path, content in files.items():
            there = self.folder / DATA / path
            if not there.exists() or there.read_bytes() != content:
                self._fresh[path] = content

    def write(self) -> int:
        """Writes what is new, then the index, then removes what nothing names any more; how many bytes were
        written.
        """
        size = self.index.bytes + sum(map(len, self._fresh.values()))
        instead = {path for path in self._fresh if (self.folder / DATA / path).exists()}
        for path in self._gone | instead:
            size -= (self.folder / DATA / path).stat().st_size
        for path, content in self._fresh.items():
            write_atomically(self.folder / DATA / path, content)
        self.index = Index(
            written=round(time.time()),
            points=self._points,
            runs=self._runs,
            bytes=size,
            now=self._now,
            levels=self._levels,
            months=dict(sorted(self._months.items())),
            evidence=self._evidence,
            report=self._report,
        )
        index = msgspec.json.encode(self.index) + b"\n"
        write_atomically(self.folder / DATA / "index.json", index)
        for path in self._gone:
            (self.folder / DATA / path).unlink()
        written = sum(map(len, self._fresh.values())) + len(index)
        self._fresh, self._gone = {}, set()
        return written

    def _put(self, stem: str, value: object, instead_of: str | None) -> str:
        """The path of a file with this content, which takes the place of another."""
        content = msgspec.json.encode(value)
        path = f"{stem}.{hashlib.sha256(content).hexdigest()[:12]}.json"
        if path == instead_of:
            return path
        if instead_of is not None and self._fresh.pop(instead_of, None) is None:
            self._gone.add(instead_of)
        self._gone.discard(path)
        self._fresh[path] = content
        return path

    def _get(self, path: str, kind: type[T]) -> T:
        if path in self._fresh:
            return msgspec.json.decode(self._fresh[path], type=kind)
        return self._decode(self.folder / DATA / path, kind)

    def _decode(self, path: Path, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except OSError as error:
            raise StoreError(f"{path}: can't be read: {error.strerror}") from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise StoreError(
                f"{path}: {error}", hint="this isn't a published store of this version"
            ) from error


def run_path(month: str, session: str, name: str, kept: Kept) -> str:
    return f"runs/{month}/{session}/{name}{'.gz' if kept.packed else ''}"


def pack(content: bytes) -> bytes:
    """The same bytes whenever it is packed."""
    return gzip.compress(content, compresslevel=9, mtime=0)


def _packed(kept: Kept) -> Kept:
    return msgspec.structs.replace(kept, packed=True)


def _plain(row: Row) -> dict[str, Kept]:
    """A session's runs as they were measured, whatever became of their files."""
    plain = msgspec.structs.replace
    return {name: plain(kept, compacted=None, packed=False) for name, kept in row.runs.items()}

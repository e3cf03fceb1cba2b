"""The published store: the history that the pages read, in a folder of the branch that is served.

data/index.json                              what there is: written last, and the only name that stays
data/now.<digest>.json                       each series as it stands, and what is open
data/levels.<digest>.json                    what older points left behind: the levels to compare with
data/sessions/<month>.<digest>.json          a month's sessions
data/points/<month>/<metric>.<digest>.json   a month's points of a metric, in columns
data/points/<year>/<metric>.<digest>.json    a year's, in place of its months', once nothing looks at them
data/runs/<month>/<session>/<run>.json.gz    the records, as they were measured; older ones without .gz
data/evidence.<digest>.json                   what was found by comparing: a line each
data/evidence/<session>.<digest>.json        a comparison, a search, an attribution
data/report.<digest>.json                    of the one session that a report is of; no history has it
data/feed.atom, data/badges/, data/charts/   what is linked to from elsewhere: names that stay

A file that has a digest in its name never changes, so that whoever has it may keep it. To publish touches
the months that points are added to, and no other: what it costs doesn't grow with the history. What is old
lies in files of a year each, which all of that year's months name: ten years are few files to ask for.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from telar.errors import StoreError
from telar.store.evidence import Evidence, Line, Listing
from telar.store.files import write_atomically
from telar.store.points import Point
from telar.store.published_files import CommitWords, Files, Index, Kept, Row, Sessions
from telar.store.report import Report
from telar.store.shards import Shard, points_in, shard_of

DATA: Final = "data"
T = TypeVar("T")


def month_of(moment: float) -> str:
    return time.strftime("%Y-%m", time.gmtime(moment))


class Published:
    """The store in a folder. `want` gets what is about to be read, below the folder: a checkout may
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
        paths = {p for p in (self._now, self._levels) if p}
        for month in set(months) & self._months.keys():
            files = self._months[month]
            paths |= {p for m, p in files.points.items() if metrics is None or m in metrics}
            paths |= {files.sessions} if files.sessions else set()
        self._want([f"{DATA}/{p}" for p in sorted(paths)])

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
        return [p for path in chosen for p in self._points_in(path) if month_of(p.time) == month]

    def points_of(self, months: Iterable[str], metrics: Iterable[str] | None = None) -> Iterator[Point]:
        """Of several months, and of all metrics or of some: each file is read once."""
        asked = set(months)
        chosen = None if metrics is None else set(metrics)
        paths = (
            path
            for month in sorted(asked)
            for metric, path in self._months.get(month, Files()).points.items()
            if chosen is None or metric in chosen
        )
        for path in dict.fromkeys(paths):
            yield from (p for p in self._points_in(path) if month_of(p.time) in asked)

    def _points_in(self, path: str) -> list[Point]:
        return points_in(self._get(path, Shard))

    def join_year(self, year: str) -> None:
        """Puts a year's points of a metric in one file, in place of one a month."""
        months = [m for m in self._months if m.startswith(f"{year}-")]
        paths: dict[str, set[str]] = {}
        for month in months:
            for metric, path in self._months[month].points.items():
                paths.setdefault(metric, set()).add(path)
        apart = {m: own for m, own in paths.items() if any(not p.startswith(f"points/{year}/") for p in own)}
        if not apart:
            return
        self.want(months, apart)
        for metric, own in sorted(apart.items()):
            points = [p for path in sorted(own) for p in self._points_in(path)]
            having = [m for m in months if metric in self._months[m].points]
            self._set_points(having, metric, self._put(_stem(year, metric), shard_of(points), None))

    def _set_points(self, months: Iterable[str], metric: str, path: str) -> None:
        """Makes these months' points of a metric those of this file, and drops what no month names now."""
        before = set()
        for month in months:
            files = self._months.get(month, Files())
            before |= {files.points.get(metric, path)}
            self._months[month] = msgspec.structs.replace(files, points={**files.points, metric: path})
        named = {files.points.get(metric) for files in self._months.values()}
        for old in before - named:
            self._drop(old)

    def add_points(self, points: Iterable[Point]) -> int:
        """Adds those that aren't there; how many they were."""
        added = 0
        keyed = sorted(points, key=lambda p: (month_of(p.time), p.metric))
        for (month, metric), own in groupby(keyed, key=lambda p: (month_of(p.time), p.metric)):
            files = self._months.get(month, Files())
            old = files.points.get(metric)
            before = self._points_in(old) if old else []
            there = {(p.series, p.origin, int(p.time), p.commit) for p in before}
            fresh = {(p.series, p.origin, int(p.time), p.commit): p for p in own}
            kept = [p for key, p in fresh.items() if key not in there]
            if not kept:
                continue
            where = old.split("/")[1] if old else month  # of a file of a year: the year
            path = self._put(_stem(where, metric), shard_of([*before, *kept]), None)
            sharing = [m for m, f in self._months.items() if old and f.points.get(metric) == old]
            self._set_points({*sharing, month}, metric, path)
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
        if instead_of is not None:
            self._drop(instead_of)
        self._gone.discard(path)
        self._fresh[path] = content
        return path

    def _drop(self, path: str) -> None:
        if self._fresh.pop(path, None) is None:
            self._gone.add(path)

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


def _stem(period: str, metric: str) -> str:
    """Where points of a month, or of a year, are."""
    return f"points/{period}/{re.sub(r'[^A-Za-z0-9_-]+', '-', metric)[:60] or 'metric'}"


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

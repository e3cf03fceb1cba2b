"""The profiled windows of a comparison: whether there are any, and what is kept of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from telar.analyse import why as whys
from telar.analyse.why import Why
from telar.catalog.kinds import kind_of
from telar.catalog.types import Catalog
from telar.cli.common import console
from telar.errors import ConfigError, Interrupted, TelarError
from telar.plan.cells import Plan, PlannedRun
from telar.publish import why as published
from telar.run.http import profiled
from telar.store.files import Session, write_atomically

KNOWN = "why.json"  # in a session's folder
PROFILED = "http"  # the kind of systems whose windows are profiled


def require_possible(c: Catalog, plan: Plan) -> None:
    """Raises ConfigError where nothing of the plan can be profiled."""
    for cell in (run.cell for run in plan.runs):
        kind = kind_of(c, cell.label)
        if kind != PROFILED:
            raise ConfigError(
                f"--why: {cell.label} is of the kind {kind}, whose forks end with their measurement; "
                "profiled are windows on a service that stays up",
                hint="leave --why out; JMH has profilers of its own (-prof)",
            )


class Explaining:
    """What happens after a fork's last window, while its sides are still up (run/pair.py).

    `ended()`: whether the comparison is decided.
    """

    def __init__(
        self,
        session: Session,
        *,
        ended: Callable[[], bool],
    ) -> None:
        self._session, self._ended = session, ended
        self._found: dict[str, Why] = {}

    def __call__(self, sides: Mapping[str, object], windows: Sequence[PlannedRun]) -> None:
        head = next(w for w in windows if w.pair and w.pair.side == "b")
        if not (self._is_last(head) or self._ended()):
            return
        try:
            self._found[head.cell.name] = self._explained(head, sides, windows)
        except Interrupted:
            raise
        except (TelarError, ValueError) as error:  # the comparison's own numbers are whole
            said = error.message if isinstance(error, TelarError) else str(error)
            self._found[head.cell.name] = Why(variant=head.cell.label, cell=head.cell.name, refused=said)

    def found(self) -> tuple[Why, ...]:
        """All, in the order of the plan; kept in the session's folder, too."""
        heads = {r.cell.name: r.cell.label for r in self._session.plan.runs if r.pair and r.pair.side == "b"}
        decided = "the comparison was decided while another variant was measured"
        found = tuple(
            self._found.get(cell, Why(variant=variant, cell=cell, refused=decided))
            for cell, variant in heads.items()
        )
        write_atomically(self._session.folder / KNOWN, msgspec.json.encode(found) + b"\n")
        return found

    def _explained(self, head: PlannedRun, sides: Mapping[str, object], windows: Sequence[PlannedRun]) -> Why:
        variant, pair = head.cell.label, head.pair
        assert pair
        console.print(f"{variant}: two more windows a side, under a profiler", style="dim", highlight=False)
        kept = self._session.folder / published.FOLDER / head.cell.name
        made = profiled.sample(sides, windows, kept)
        own = {side: [(w.record, w.profile) for w in made.windows if w.side == side] for side in ("a", "b")}
        same = [r for r in self._session.records() if r.pair and r.pair.fork == pair.fork]
        found = whys.explain(
            head.cell,
            own["a"],
            own["b"],
            {side: [r for r in same if r.pair and r.pair.side == side] for side in ("a", "b")},
            packages=made.packages,
            clock=made.windows[0].clock,
            seconds=made.seconds,
        )
        page = published.flame(
            whys.per_request(own["a"]),
            whys.per_request(own["b"]),
            f"{variant}: CPU-ns per request, head against base",
            kept / "flame.html",
        )
        return msgspec.structs.replace(found, flame=str(page.relative_to(self._session.folder)))

    def _is_last(self, head: PlannedRun) -> bool:
        """Whether no other fork of its cell is still to come."""
        runs = self._session.plan.runs
        forks = [r.pair.fork for r in runs if r.pair and r.pair.side == "b" and r.cell.name == head.cell.name]
        return head.pair is not None and head.pair.fork == max(forks)


def read(folder: Path) -> tuple[Why, ...]:
    """What was found in this session. Raises ConfigError where it was never asked."""
    path = folder / KNOWN
    try:
        return msgspec.json.decode(path.read_bytes(), type=tuple[Why, ...])
    except OSError as error:
        raise ConfigError(
            f"{folder}: no window of this session was profiled",
            hint="telar ab --why profiles",
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}", hint="telar ab wrote it; was it changed since?") from error

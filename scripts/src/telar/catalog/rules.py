"""What a run must show and hold: thresholds of gates, of warming up and of capacity.

They stand in telar.toml; a system whose apps can't be measured by them says its own in its system.toml.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeAlias, TypeVar

import msgspec

from telar.catalog.files import nearest
from telar.catalog.shapes import Duration, File, Limit, Name, PositiveInt, Share, Times, Users
from telar.errors import ConfigError

T = TypeVar("T")


class SteadyFile(File, frozen=True):
    """The protocol of a warm-up until steady, and the test that ends it (analyse/steady.py)."""

    load: Duration  # seconds of load in a cycle
    pause: Duration  # and of none: the compilers catch up
    vus: Users  # at most so many requests at once: a cold service isn't drowned
    window: Annotated[int, msgspec.Meta(ge=2, le=1000)]  # cycles that the test looks at
    floor: PositiveInt  # requests, before which it isn't asked
    ceiling: Times  # cycles, after which the label is "not steady"
    rehearsal: Duration  # seconds of the window's own schedule, after the cycles
    rehearsals: Times  # at most so many, until the compilers are nearly done in two of them
    compiling: Share
    cpu: Share
    p50: Share


class SloFile(File, frozen=True):
    p99_ms: Annotated[
        float, msgspec.Meta(gt=0, le=1e6)
    ]  # capacity is the highest rate at which p99 stays under this


class ArrivalsGate(File, frozen=True):
    tolerance: Limit


class ClientGate(File, frozen=True):
    busy: Share
    late: Share
    tick_ms: Limit
    connections: Share


class LittleGate(File, frozen=True):
    tolerance: Share
    overhead: Share
    floor_ms: Limit


class StatusGate(File, frozen=True):
    mix: Share


class PlanGate(File, frozen=True):
    scanned_rows: Limit
    own_rows: Limit


class TargetGate(File, frozen=True):
    tolerance: Share


class TelemetryGate(File, frozen=True):
    share: Share


class WarmGate(File, frozen=True):
    compiling: Share


class SaturationGate(File, frozen=True):
    database: Share
    machine: Share


class FlagsGate(File, frozen=True):
    pool: Annotated[int, msgspec.Meta(ge=1, le=10_000)] | None  # None: any; a guest's own matter


class PayloadGate(File, frozen=True):
    tolerance: Share
    headers: Annotated[int, msgspec.Meta(ge=0)]  # bytes by which headers of two apps may differ


class RepeatsGate(File, frozen=True):
    least: Times


class SpeedGate(File, frozen=True):
    moved: Share


class ScoreGate(File, frozen=True):
    moved: Share
    error: Share


class ForeignGate(File, frozen=True):
    seconds_per_30: Limit
    stolen_per_30: Limit


class GatesFile(File, frozen=True):
    """Thresholds; those of a gate that isn't here are in its rule."""

    arrivals: ArrivalsGate
    client: ClientGate
    status: StatusGate
    little: LittleGate
    plan: PlanGate
    target: TargetGate
    telemetry: TelemetryGate
    warm: WarmGate
    saturation: SaturationGate
    foreign: ForeignGate
    flags: FlagsGate
    payload: PayloadGate
    repeats: RepeatsGate
    speed: SpeedGate
    score: ScoreGate


Number: TypeAlias = int | float


class OwnRulesFile(File, frozen=True):
    """What a system says in the place of telar.toml's, key by key."""

    slo: SloFile | None = None
    steady: dict[Name, Number] = msgspec.field(default_factory=dict)
    gate: dict[Name, dict[Name, Number]] = msgspec.field(default_factory=dict)

    @property
    def has_rules(self) -> bool:
        return bool(self.slo or self.steady or self.gate)


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    slo: SloFile
    steady: SteadyFile
    gate: GatesFile

    def with_own(self, own: OwnRulesFile, path: Path) -> Rules:
        """These, changed where a system's file (at `path`) says otherwise. Raises ConfigError."""
        gates = {f.name: getattr(self.gate, f.name) for f in msgspec.structs.fields(GatesFile)}
        for name, changes in own.gate.items():
            if name not in gates:
                raise ConfigError(f"{path}: there is no gate {name!r} with limits", hint=nearest(name, gates))
            gates[name] = _changed(gates[name], changes, f"{path}: gate.{name}")
        return Rules(
            slo=own.slo or self.slo,
            steady=_changed(self.steady, own.steady, f"{path}: steady"),
            gate=GatesFile(**gates),
        )


def _changed(general: T, changes: Mapping[str, Number], where: str) -> T:
    """A table with some keys changed. Raises ConfigError that begins with `where`."""
    known = msgspec.to_builtins(general)
    for key in changes:
        if key not in known:
            raise ConfigError(f"{where}: unknown key {key!r}", hint=nearest(key, known))
    try:
        return msgspec.convert({**known, **changes}, type(general))
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {error}") from error

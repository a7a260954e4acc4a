"""StarCraft: Tabletop Miniatures Game. Traces seen from above, Sizes, cover, elevation and engagement (chapter 7)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import shapely

from deadground.geometry.plates import Array
from deadground.geometry.units import at_or_below
from deadground.scenes.model import Unit
from deadground.scenes.options import StarcraftOptions, options_of
from deadground.scenes.plane import Barrier, barrier, between, clear_trace, first_crossed, straight_trace
from deadground.scenes.rulings.pairing import deciding_reasons, ordered_pairs, unit_pairs, unit_reasons
from deadground.scenes.rulings.starcraft_engagement import engaged_units, engagement_facts, tokens_under
from deadground.scenes.rulings.starcraft_table import Level, Piece, Stand, Table, gap, is_near, table_of
from deadground.scenes.rulings.verdict import (
    Blocker,
    Placement,
    Point,
    Progress,
    Reason,
    Report,
    UnitVerdict,
    Verdict,
)
from deadground.scenes.scene import Scene
from deadground.scenes.straight import place_faults

__all__ = ["STARCRAFT", "Starcraft"]

CLOSE = 3.0
"""Inches. Close quarters: both within 1" of one piece and within this of each other (7.1.1)."""


@dataclass(frozen=True, slots=True)
class Starcraft:
    """The judge for StarCraft TMG. Exact in the plane: every verdict is a witness or a proof."""

    name: str = "sctmg"
    edition: str = "StarCraft: Tabletop Miniatures Game"
    aliases: tuple[str, ...] = ("starcraft",)

    def judge(
        self,
        scene: Scene,
        *,
        observers: Collection[str] | None = None,
        targets: Collection[str] | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """Every ordered pair of models on different sides. See `RuleSystem.judge`.

        SceneError for a feature or unit without a `size`.
        """
        options, table = options_of(scene, "sctmg"), table_of(scene)
        pairs = ordered_pairs(scene, observers, targets)
        sights: dict[frozenset[str], _Sight] = {}
        verdicts = []
        for done, (one, other) in enumerate(pairs, start=1):
            ends = table.stands[one.name], table.stands[other.name]
            pair = frozenset((one.name, other.name))
            if pair not in sights:
                sights[pair] = _Sight(table, ends, options)
            verdicts.append(sights[pair].verdict(one.name))
            if progress is not None:
                progress(done, len(pairs))
        return Report(
            self.name, self.edition, options.model_dump(), tuple(verdicts), _units(scene, table, verdicts),
            placement=_placement(scene, table), warnings=scene.warnings, facts=_facts(scene, table),
        )  # fmt: skip


STARCRAFT = Starcraft()


class _Sight:
    """What two models see of each other. It is mutual (7.1): worked out once and told from either end."""

    def __init__(self, table: Table, ends: tuple[Stand, Stand], options: StarcraftOptions) -> None:
        self.table, self.ends, self.options = table, ends, options
        self.close = is_close(table, *ends)
        there = between(ends[0].outline, ends[1].outline, {name: piece.blocks for name, piece in table.pieces.items()})
        near = [piece for piece in table.pieces.values() if piece.name in there]
        self.covers = {piece.name: kinds for piece in near if (kinds := self._covers(piece))}
        self.dead = dead_zone(table, *ends) if not self.close else None

    def _covers(self, piece: Piece) -> frozenset[Reason]:
        return covers(piece, *self.ends, close=self.close, options=self.options)

    def stops(self, without: Collection[Reason] = ()) -> Barrier:
        """What no trace may cross: the pieces that give a kind of cover which is not left out."""
        return barrier([self.table.pieces[name].blocks for name, kinds in self.covers.items() if kinds - set(without)])

    @cached_property
    def trace(self) -> Array | None:
        """A trace that no piece stops, from the first end to the second."""
        return clear_trace(self.ends[0].outline, self.ends[1].outline, self.stops())

    def _visible_without(self, kinds: frozenset[Reason]) -> bool:
        if self.dead is not None and Reason.DEAD_ZONE not in kinds:
            return False
        return clear_trace(self.ends[0].outline, self.ends[1].outline, self.stops(kinds)) is not None

    @cached_property
    def reasons(self) -> tuple[Reason, ...]:
        """Why neither sees the other; () if they do."""
        if self.trace is not None and self.dead is None:
            return ()
        present = {kind for kinds in self.covers.values() for kind in kinds}
        return deciding_reasons(present | ({Reason.DEAD_ZONE} if self.dead else set()), self._visible_without)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Whether close quarters without Full Cover, a decision of ours, decides it."""
        lifted = not self.options.close_quarters_lifts_full_cover
        decides = self.close and lifted and Reason.FULL_COVER in self.reasons
        return ("assumed:close_quarters_lifts_full_cover",) if decides else ()

    def verdict(self, observer: str) -> Verdict:
        """The verdict as seen from one of the two ends."""
        turned = observer != self.ends[0].model.name
        one, other = self.ends[::-1] if turned else self.ends
        line, blocker = self._evidence(one, other, turned)
        visible = not self.reasons
        return Verdict(
            one.model.name, other.model.name, visible, gap(one, other), "witness" if visible else "proof",
            self.reasons, line, blocker, notes=self.notes, rule=self._rule(), facts=self._told(one, other),
        )  # fmt: skip

    def _rule(self) -> str:
        if self.reasons or self.covers:
            return "7.1.1"
        return "7.1.4" if any(end.flying for end in self.ends) else "7.1"

    def _told(self, one: Stand, other: Stand) -> dict[str, Any]:
        """What only this system reports. pieces : those that could close the pair, and how."""
        pieces = [
            {"feature": name, "effective_size": self.table.pieces[name].effective, "cover": sorted(kinds)}
            for name, kinds in self.covers.items()
        ]
        return {
            "effective_sizes": {"observer": one.effective, "target": other.effective},
            "close_quarters": self.close,
            "pieces": pieces,
        }

    def _evidence(self, one: Stand, other: Stand, turned: bool) -> tuple[tuple[Point, ...], Blocker | None]:
        if self.trace is not None:
            trace = self.trace[::-1] if turned else self.trace
            return _raised(trace, one, other), self._dead_zone_blocker(trace)
        trace = straight_trace(one.outline, other.outline)
        met = {name: first_crossed(trace, self.table.pieces[name].blocks) for name in self.covers}
        crossed = {name: point for name, point in met.items() if point is not None}
        if not crossed:  # bases that overlap inside a piece
            return (), None
        name = min(crossed, key=lambda piece: float(np.hypot(*(crossed[piece] - trace[0]))))
        line = _raised(np.vstack([trace[0], crossed[name]]), one, other, full=trace)
        return line, Blocker(line[1], feature=name)

    def _dead_zone_blocker(self, trace: Array) -> Blocker | None:
        if self.dead is None:
            return None
        piece = self.table.pieces[self.dead]
        line = shapely.shortest_line(piece.base, shapely.LineString(trace))
        x, y = shapely.get_coordinates(line)[0]
        return Blocker((float(x), float(y), 0.0), feature=self.dead)


def covers(piece: Piece, one: Stand, other: Stand, *, close: bool, options: StarcraftOptions) -> frozenset[Reason]:
    """The kinds of cover that a piece gives to a pair of models on the traces that cross it (7.1.1, 7.1.4).

    Each piece by itself. The pieces that a model stands on do not obstruct it.
    """
    if not piece.rises or piece.name in one.on or piece.name in other.on:
        return frozenset()
    kinds = set()
    lifted = close and options.close_quarters_lifts_full_cover
    if not (one.flying or other.flying or lifted) and piece.effective >= max(one.effective, other.effective):
        kinds.add(Reason.FULL_COVER)
    if not close and any(hugs(end, piece) for end in (one, other)):
        kinds.add(Reason.DIRECT_COVER)
    return frozenset(kinds)


def hugs(stand: Stand, piece: Piece) -> bool:
    """Whether a model is within 1" of a piece that is Direct Cover for it (7.1.1)."""
    return can_hug(stand, piece) and is_near(stand, piece)


def can_hug(stand: Stand, piece: Piece) -> bool:
    """Whether a piece that rises is at least as high as a model. Never as a flyer: it is higher than any (7.1.4)."""
    return piece.rises and not stand.flying and piece.effective >= stand.effective


def is_close(table: Table, one: Stand, other: Stand) -> bool:
    """Close quarters: both within 1" of one piece that rises, and within 3" of each other (7.1.1)."""
    if not at_or_below(gap(one, other), CLOSE):
        return False
    return any(piece.rises and is_near(one, piece) and is_near(other, piece) for piece in table.pieces.values())


def dead_zone(table: Table, one: Stand, other: Stand) -> str | None:
    """Name of the HIGH GROUND piece in whose dead zone one of two models stands while the other is on it (7.1.1).

    A flyer is never in the dead zone itself (ours).
    """
    for high, low in ((one, other), (other, one)):
        if high.level == Level.HIGH and low.level == Level.GROUND and not low.flying:
            near = (name for name in reversed(high.on) if is_near(low, table.pieces[name]))
            if (name := next(near, None)) is not None:
                return name
    return None


def _raised(trace: Array, one: Stand, other: Stand, full: Array | None = None) -> tuple[Point, ...]:
    """A trace as a line in space, between the middles of two bodies. full : the whole of a trace that is cut short."""
    whole = trace if full is None else full
    long = max(float(np.hypot(*(whole[1] - whole[0]))), np.finfo(float).tiny)
    shares = [0.0, min(1.0, float(np.hypot(*(trace[1] - trace[0]))) / long)]
    start, end = (stand.model.foot + stand.model.height / 2 for stand in (one, other))
    return tuple(
        (float(x), float(y), start + share * (end - start)) for (x, y), share in zip(trace, shares, strict=True)
    )


def _units(scene: Scene, table: Table, verdicts: Iterable[Verdict]) -> tuple[UnitVerdict, ...]:
    engaged = engaged_units(scene, table)
    found = []
    for (attacker, target), group in unit_pairs(scene, verdicts).items():
        fights = {unit for pair in engaged if attacker in pair for unit in pair} - {attacker}
        facts = {
            "engaged": frozenset((attacker, target)) in engaged,
            "evade_from_above": evades_from_above(table, scene.unit(attacker), scene.unit(target)),
            "may_shoot": not fights or target in fights,
        }
        visible = any(verdict.visible for verdict in group)
        found.append(UnitVerdict(attacker, target, visible, unit_reasons(group), facts=facts))
    return tuple(found)


def evades_from_above(table: Table, attacker: Unit, target: Unit) -> bool:
    """Whether a unit may evade an attack from below: all of it on HIGH GROUND, not all of the attacker (7.1.3)."""
    on_high = [
        all(table.stands[model.name].level == Level.HIGH for model in unit.models) for unit in (attacker, target)
    ]
    return on_high[1] and not on_high[0]


def _facts(scene: Scene, table: Table) -> Mapping[str, Any]:
    levels = [{"model": name, "level": stand.level} for name, stand in table.stands.items()]
    return {"levels": levels, "engagements": engagement_facts(scene, table)}


def _placement(scene: Scene, table: Table) -> tuple[Placement, ...]:
    found = (
        (name, (*place_faults(scene, stand.model), *(["on-token"] if tokens_under(scene, stand) else [])))
        for name, stand in table.stands.items()
    )
    return tuple(Placement(name, reasons) for name, reasons in found if reasons)

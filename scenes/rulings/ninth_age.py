"""The 9th Age: lines seen from above, opaque and covering terrain with Heights, the chapter on terrain."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.convex import Convex, Hull, gap_between
from deadground.geometry.plates import Array
from deadground.geometry.units import PLANE_SLACK
from deadground.scenes.model import Model
from deadground.scenes.options import NinthAgeOptions, options_of
from deadground.scenes.plane import (
    Barrier,
    barrier,
    between,
    clear_trace,
    fan,
    first_crossed,
    shadow,
    split_behind,
    straight_trace,
)
from deadground.scenes.rulings.ninth_age_dangerous import dangerous_now, disrupted
from deadground.scenes.rulings.ninth_age_table import Front, Ground, Table, front_of, in_contact, is_inside, table_of
from deadground.scenes.rulings.pairing import deciding_reasons, ordered_pairs, unit_pairs, unit_reasons
from deadground.scenes.rulings.verdict import Blocker, Placement, Point, Progress, Reason, Report, UnitVerdict, Verdict
from deadground.scenes.scene import Scene
from deadground.scenes.straight import place_faults

__all__ = ["NINTH_AGE", "CoverLines", "NinthAge", "cover_lines"]

WHOLE_TURN = 360.0


@dataclass(frozen=True, slots=True)
class NinthAge:
    """The judge for The 9th Age. Exact in the plane: every verdict is a witness or a proof."""

    name: str = "t9a"
    edition: str = "The 9th Age"
    aliases: tuple[str, ...] = ("ninth-age", "9th-age")

    def judge(
        self,
        scene: Scene,
        *,
        observers: Collection[str] | None = None,
        targets: Collection[str] | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """Every ordered pair of models on different sides. See `RuleSystem.judge`.

        SceneError for a unit without `height`, and for a feature of which the scene does not say what terrain it is.
        """
        options, table = options_of(scene, "t9a"), table_of(scene)
        pairs = ordered_pairs(scene, observers, targets)
        verdicts = []
        for done, (one, other) in enumerate(pairs, start=1):
            verdicts.append(_Look(scene, table, one, other, options).verdict())
            if progress is not None:
                progress(done, len(pairs))
        units = tuple(
            UnitVerdict(attacker, target, any(verdict.visible for verdict in group), unit_reasons(group))
            for (attacker, target), group in unit_pairs(scene, verdicts).items()
        )
        facts = {"dangerous": dangerous_now(scene, table), "disruptive": disrupted(table)}
        wrong = ((model.name, place_faults(scene, model)) for model in scene.models)
        return Report(
            self.name, self.edition, options.model_dump(), tuple(verdicts), units,
            placement=tuple(Placement(name, reasons) for name, reasons in wrong if reasons),
            warnings=scene.warnings, facts=facts,
        )  # fmt: skip


NINTH_AGE = NinthAge()


@dataclass(frozen=True, slots=True, eq=False)
class CoverLines:
    """The lines by whose share a kind of cover was decided, seen from above.

    point : (2,) from where; lines : the ground that they run over; covered : of that, what lies behind the cover
    """

    kind: Literal["soft", "hard"]
    point: Array
    lines: BaseGeometry
    covered: BaseGeometry


def cover_lines(scene: Scene, verdict: Verdict) -> CoverLines | None:
    """The lines that a verdict of this judge counted, of the cover that the most of them run through.

    None where the target is not seen, and where nothing was counted.
    """
    one, other = (next(m for m in scene.models if m.name == name) for name in (verdict.observer, verdict.target))
    look = _Look(scene, table_of(scene), one, other, options_of(scene, "t9a"))
    hard = verdict.facts.get("hard_fraction", 0.0) >= verdict.facts.get("soft_fraction", 0.0)
    return look.lines("hard" if hard else "soft")


class _Look:
    """What one model sees of another: which features and models stand in the way, and which give cover."""

    def __init__(self, scene: Scene, table: Table, one: Model, other: Model, options: NinthAgeOptions) -> None:
        self.table, self.one, self.other, self.options = table, one, other, options
        self.base, self.target = table.bases[one.name], table.bases[other.name]
        self.front = self._front(scene)
        there = between(self.base, self.target, {name: ground.plan for name, ground in table.grounds.items()})
        self.grounds = [table.grounds[name] for name in table.grounds if name in there]
        self.opaque = {ground.name: ground for ground in self.grounds if self._is_opaque(ground)}
        others = {model.name: table.polygons[model.name] for model in scene.models if self._is_in_the_way(model)}
        there = between(self.base, self.target, others)
        self.models = {name: polygon for name, polygon in others.items() if name in there}

    def _front(self, scene: Scene) -> Front | None:
        given = scene.unit(self.one.unit).facing is not None and self.options.front_arc < WHOLE_TURN
        return front_of(self.one, self.base, self.options.front_arc) if given else None

    def _is_opaque(self, ground: Ground) -> bool:
        """Lines run into and out of opaque terrain, and through it for those inside."""
        return ground.rules.opaque and not (is_inside(self.base, ground) or is_inside(self.target, ground))

    def _is_in_the_way(self, model: Model) -> bool:
        """Models of other units block if their Height is at least that of both ends."""
        ends = [self.table.musters[end.unit] for end in (self.one, self.other)]
        if not self.options.models_block or any(model.unit in end.group for end in ends):
            return False
        return self.table.musters[model.unit].height >= max(end.height for end in ends)

    def plans(self, without: Collection[Reason] = ()) -> list[BaseGeometry]:
        """The ground that no line may cross, less what the reasons in `without` stand for."""
        opaque = [] if Reason.OPAQUE in without else [ground.plan for ground in self.opaque.values()]
        models = [] if Reason.MODEL in without else list(self.models.values())
        return opaque + models

    @cached_property
    def stops(self) -> Barrier:
        """What no line may cross."""
        return barrier(self.plans())

    def _trace(self, without: Collection[Reason] = ()) -> Array | None:
        stops = barrier(self.plans(without)) if without else self.stops
        front = None if Reason.FRONT_ARC in without else self.front
        start = self.base if front is None else front.start
        found = (clear_trace(start, part, stops) for part in parts_in_front(self.target, front))
        return next((trace for trace in found if trace is not None), None)

    @cached_property
    def trace(self) -> Array | None:
        """A line that nothing stops, from the observer to its target."""
        return self._trace()

    @cached_property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the target is not seen; () if it is."""
        if self.trace is not None:
            return ()
        present = {Reason.OPAQUE: self.opaque, Reason.MODEL: self.models, Reason.FRONT_ARC: self.front}
        return deciding_reasons(
            (kind for kind, there in present.items() if there), lambda kinds: self._trace(kinds) is not None
        )

    def verdict(self) -> Verdict:
        """The verdict, with the cover of a target that is seen."""
        line, blocker = self._evidence()
        visible = self.trace is not None
        facts = self._cover_facts() if visible else {}
        shares = [facts.get(key, 0.0) for key in ("soft_fraction", "hard_fraction")]
        decided = any(PLANE_SLACK < share < 1 - PLANE_SLACK for share in shares)
        return Verdict(
            self.one.name, self.other.name, visible, gap_between(self.base, self.target),
            "witness" if visible else "proof", self.reasons, line, blocker,
            notes=("assumed:cover_fraction",) if decided else (), rule=self._rule(facts), facts=facts,
        )  # fmt: skip

    def _rule(self, facts: dict[str, Any]) -> str:
        if Reason.OPAQUE in self.reasons:
            return "opaque terrain"
        return "covering terrain" if facts.get("cover", "none") != "none" else "line of sight"

    def _cover_facts(self) -> dict[str, Any]:
        soft, hard = self.share(self.covering("soft")), self.share(self.covering("hard"))
        enough = self.options.cover_fraction - PLANE_SLACK
        cover = "hard" if hard >= enough else "soft" if soft >= enough else "none"
        return {"cover": cover, "soft_fraction": soft, "hard_fraction": hard}

    def covering(self, kind: str) -> list[Ground]:
        """The features that contribute to a kind of cover for this target, if a line runs through them."""
        return [ground for ground in self.grounds if self._gives(ground, kind)]

    def _gives(self, ground: Ground, kind: str) -> bool:
        """Never the feature the shooter is in. Opaque terrain around the target gives hard cover at any Height."""
        rules = ground.rules
        if is_inside(self.base, ground):
            return False
        if rules.opaque and kind == "hard" and is_inside(self.target, ground):
            return True
        muster = self.table.musters[self.other.unit]
        low_enough = rules.cover == kind and rules.height is not None and muster.height <= rules.height
        return low_enough and (not rules.contact_only or in_contact(self.table, muster.unit, ground))

    def share(self, grounds: list[Ground]) -> float:
        """Share of the lines to the target that run through any of some features.

        From the middle of the base (or of its front); if that sees nothing, from where the clear line starts (ours).
        """
        if self.trace is None or not grounds:
            return 0.0
        covers = shapely.union_all([ground.plan for ground in grounds])
        found = self._spread(covers, self.trace)
        if found is None:
            return float(first_crossed(self.trace, covers) is not None)
        _, seen, covered = found
        return float(shapely.area(covered) / shapely.area(seen))

    def _spread(self, covers: BaseGeometry, trace: Array) -> tuple[Array, BaseGeometry, BaseGeometry] | None:
        """From where lines are counted, the part of the target that they reach, and what of it lies behind covers."""
        target = shapely.union_all([part.polygon for part in parts_in_front(self.target, self.front)])
        middle = (self.base if self.front is None else self.front.start).centre
        for point in (middle, trace[0]):
            parts = split_behind(point, target, covers, self.stops.solid)
            if parts is not None:
                return point, *parts
        return None

    def lines(self, kind: Literal["soft", "hard"]) -> CoverLines | None:
        """The lines that were counted for a kind of cover; None where none were."""
        if self.trace is None:
            return None
        covers = shapely.union_all([ground.plan for ground in self.covering(kind)])
        found = self._spread(covers, self.trace)
        if found is None:
            return None
        point, seen, covered = found
        behind = shadow(point, covers, float(shapely.hausdorff_distance(seen, shapely.Point(point))))
        return CoverLines(kind, point, fan(point, seen), shapely.intersection(fan(point, covered), behind))

    def _evidence(self) -> tuple[tuple[Point, ...], Blocker | None]:
        if self.trace is not None:
            return self._raised(self.trace), None
        trace = straight_trace(self.base, self.target)
        plans = {("feature", name): ground.plan for name, ground in self.opaque.items()}
        plans |= {("model", name): polygon for name, polygon in self.models.items()}
        met = {key: first_crossed(trace, plan) for key, plan in plans.items()}
        crossed = {key: point for key, point in met.items() if point is not None}
        if not crossed:  # only the front arc is in the way, or the straight line is not the one that was stopped
            return (), None
        kind, name = min(crossed, key=lambda key: float(np.hypot(*(crossed[key] - trace[0]))))
        line = self._raised(np.vstack([trace[0], crossed[kind, name]]))
        return line, Blocker(line[1], feature=name) if kind == "feature" else Blocker(line[1], model=name)

    def _raised(self, trace: Array) -> tuple[Point, ...]:
        """A line seen from above at half the observer's height: the rules know no other."""
        height = self.one.foot + self.one.height / 2
        return tuple((float(x), float(y), height) for x, y in trace)


def parts_in_front(target: Convex, front: Front | None) -> list[Convex]:
    """The parts of a target that lie in front, each convex; the target itself where there is no front."""
    if front is None or any(shapely.covers(part, target.polygon) for part in front.parts):
        return [target]
    cut = [shapely.intersection(target.polygon, part) for part in front.parts]
    return [Hull(shapely.get_coordinates(part)[:-1]) for part in cut if part.geom_type == "Polygon" and part.area > 0]

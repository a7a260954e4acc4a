"""How models of Warhammer 40,000 move over terrain, and where they may stand. Rules 13.06 and 21.03."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Final

import shapely

from deadground.geometry.units import TOUCH, at_or_below
from deadground.meshes.piece import Opening
from deadground.scenes.ends import ends, nearest
from deadground.scenes.model import Model
from deadground.scenes.movement import Manner, Point, Way, shortest_way
from deadground.scenes.options import Warhammer40kOptions, options_of
from deadground.scenes.placing import base_outline
from deadground.scenes.reach import Reach, reach
from deadground.scenes.rulings.wh40k_terrain import closings
from deadground.scenes.scene import Scene
from deadground.scenes.standing import FAULTS, base_at, faults
from deadground.scenes.terrain import Feature

__all__ = [
    "FLYING_COSTS",
    "STEP",
    "Move",
    "can_fly",
    "manner_of",
    "move",
    "nearest_end",
    "placement_faults",
    "reach_of",
]

LIGHT_OF_FOOT: Final = frozenset({"INFANTRY", "BEASTS", "SWARM"})
"""Who passes dense features in every direction (13.06)."""

STEP: Final = 2.0
"""Inches. Sections of dense features up to this height are passed by everybody (13.06)."""

CLIMB: Final = 0.5
"""Inches from its base within which a model climbs a feature (13.06)."""

FLYING_COSTS: Final = 2.0
"""Inches off the move of a model that flies (21.03)."""

_FAR = 30.0  # inches round the place asked for within which another is looked for
_STRIDE = 0.1  # inches between the places of a way at which it is asked whether one may end there
_TRIES = 6  # places to which a way is looked for
_TURNS = 24  # facings tried for an oval base at the end of its way


@dataclass(frozen=True, slots=True)
class Move:
    """What a model's move to a place comes to.

    end : the place, with the height of the surface; facing : degrees, as the model stands there
    legal : whether there is a way and it may stand there; the limit is not asked
    way : None if there is none; limit : what is left of the given one after reductions; None if none was given
    flies : whether it flies on its way
    reasons : all that apply; `too-far` makes no move illegal
    """

    model: str
    end: Point
    legal: bool
    way: Way | None
    reasons: tuple[str, ...] = ()
    limit: float | None = None
    facing: float = 0.0
    rule: str = "13.06"
    notes: tuple[str, ...] = ()
    flies: bool = False

    @property
    def within_limit(self) -> bool | None:
        """Whether the way is no longer than the limit; None without a limit or a way."""
        if self.limit is None or self.way is None:
            return None
        return at_or_below(self.way.distance, self.limit)


def can_fly(scene: Scene, model: Model) -> bool:
    """Whether a model has the keyword that lets it fly."""
    return "FLY" in scene.unit(model.unit).wh40k.keywords


def manner_of(scene: Scene, model: Model, *, fly: bool = False) -> Manner:
    """How a model moves, by its keywords and the terrain's categories. A feature without one counts as dense."""
    keywords = scene.unit(model.unit).wh40k.keywords
    easy = {feature.name for feature in scene.features if feature.wh40k.category in ("exposed", "light")}
    every = {feature.name for feature in scene.features}
    free = bool(keywords & LIGHT_OF_FOOT)
    return Manner(
        through=frozenset(every if free else easy),
        across=frozenset(every - easy if "MOBILE" in keywords and not free else ()),
        step=STEP,
        climb=CLIMB,
        blockers=frozenset(other.name for other in scene.models if other.side != model.side),
        flies=fly,
        may_stand_above=bool(keywords & set(options_of(scene, "wh40k").may_end_above)),
        reduction=FLYING_COSTS if fly else 0.0,
    )


def placement_faults(scene: Scene, model: Model) -> tuple[str, ...]:
    """Every reason why a model may not be set up, or end a move, where it stands; () if it may. Rule 13.06."""
    found = set(faults(scene, model, may_stand_above=manner_of(scene, model).may_stand_above))
    options = options_of(scene, "wh40k")
    if options.no_end_in_closed_gap and _in_closed_gap(scene, model, options):
        found.add("inside-terrain")
    return tuple(name for name in FAULTS if name in found)


def _in_closed_gap(scene: Scene, model: Model, options: Warhammer40kOptions) -> bool:
    """Whether part of a model is in a gap that Solid closes. Rule 13.06.01."""
    return any(
        _is_in(model, scene.feature(name), opening, heights[opening.id])
        for name, heights in closings(scene, options, options.straddle).items()
        for opening in scene.feature(name).piece.openings
        if opening.id in heights
    )


def _is_in(model: Model, feature: Feature, opening: Opening, height: float) -> bool:
    part = opening.closed_part(height)
    if part.is_empty:
        return False
    u0, v0, u1, v1 = part.bounds
    low, high = (opening.near, opening.far) if opening.kind == "floor" else (v0, v1)
    if min(model.foot + model.height, feature.foot + high) - max(model.foot, feature.foot + low) <= TOUCH:
        return False
    corners = [
        feature.rotation @ (opening.origin + u * opening.along + v * opening.up + w * opening.normal) + feature.shift
        for u in (u0, u1)
        for v in (v0, v1)
        for w in (opening.near, opening.far)
    ]
    plan = shapely.MultiPoint([corner[:2] for corner in corners]).convex_hull
    return bool(shapely.intersects(plan, base_outline(model).buffer(-TOUCH)))


def move(scene: Scene, model: Model, end: Point, *, limit: float | None = None, fly: bool = False) -> Move:
    """The shortest way of a model to a place, and whether it may go there and stand there. Rules 13.06, 21.03.

    end : x, y and the height of the surface, inches; limit : inches it may move. See `nearest_end` for what else.
    """
    manner = manner_of(scene, model, fly=fly)
    left = None if limit is None else max(0.0, limit - manner.reduction)
    placed = _turned(scene, base_at(model, *end))
    reasons = list(placement_faults(scene, placed))
    way = shortest_way(scene, model, end, manner)
    if way is None:
        reasons.insert(0, "blocked")
    result = Move(
        model.name, end, not reasons, way, tuple(reasons), left, placed.facing, notes=_notes(scene, model), flies=fly
    )
    if result.within_limit is False:
        return replace(result, reasons=(*reasons, "too-far"))
    return result


def nearest_end(scene: Scene, model: Model, asked: Move) -> Point | None:
    """Where a model could end instead: the last place on its way within its limit, or the nearest it can get to.

    None if it may end where it was asked to, or nothing is found. Only what lies near is looked at, and of several
    places that are equally near one is given.
    """
    if not asked.reasons:
        return None
    if asked.legal and asked.way is not None and asked.limit is not None:
        return _last_within(scene, model, asked.way, asked.limit)
    x, y, height = asked.end
    placed = base_at(replace(model, facing=asked.facing), x, y, height)
    manner = manner_of(scene, model, fly=asked.flies)
    features = [feature for feature in scene.features if math.hypot(feature.x - x, feature.y - y) <= _FAR]
    regions = ends(scene, placed, features, may_stand_above=manner.may_stand_above)
    places = (at for at in nearest(regions, x, y, height) if not placement_faults(scene, base_at(placed, *at)))
    for place in itertools.islice(places, _TRIES):
        way = shortest_way(scene, model, place, manner)
        if way is not None and (asked.limit is None or at_or_below(way.distance, asked.limit)):
            return place
        if way is not None and asked.limit is not None:
            return _last_within(scene, placed, way, asked.limit)
    return None


def _last_within(scene: Scene, model: Model, way: Way, limit: float) -> Point | None:
    """The last place on a way at which the model may end within its limit."""
    found, gone = None, 0.0
    for before, after in itertools.pairwise(way.path):
        length = math.dist(before, after)
        for step in range(math.ceil(length / _STRIDE)):
            share = step * _STRIDE / length
            if gone + step * _STRIDE > limit:
                return found
            x, y, height = (a + share * (b - a) for a, b in zip(before, after, strict=True))
            if not placement_faults(scene, base_at(model, x, y, height)):
                found = (x, y, height)
        gone += length
    return found


def reach_of(scene: Scene, model: Model, limit: float, *, fly: bool = False) -> tuple[Reach, ...]:
    """Everywhere that a model can end a move of at most `limit` inches, reductions taken off here."""
    manner = manner_of(scene, model, fly=fly)
    return reach(scene, model, max(0.0, limit - manner.reduction), manner)


def _turned(scene: Scene, model: Model) -> Model:
    """The model, turned so that it may stand where it is, if a turn helps. A round one needs none."""
    if model.base.shape == "round" or not placement_faults(scene, model):
        return model
    turns = sorted((180.0 * step / _TURNS for step in range(1, _TURNS)), key=lambda turn: min(turn, 180.0 - turn))
    tried = (replace(model, facing=math.fmod(model.facing + turn, 360.0)) for turn in turns)
    return next((other for other in tried if not placement_faults(scene, other)), model)


def _notes(scene: Scene, model: Model) -> tuple[str, ...]:
    notes = ["start-illegal"] if placement_faults(scene, model) else []
    if any(feature.wh40k.category is None for feature in scene.features):
        notes.append("assumed:category")
    return tuple(notes)

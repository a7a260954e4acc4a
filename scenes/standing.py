"""Facts about where a model stands: what bears it, what it is inside of, what it bumps into. No word of any game."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.units import SIDE, TOUCH, at_or_below
from deadground.meshes.surfaces import Surface
from deadground.scenes.material import between, just_above, placed_surfaces
from deadground.scenes.model import Model
from deadground.scenes.placing import base_outline
from deadground.scenes.scene import Scene
from deadground.scenes.terrain import Feature

__all__ = [
    "FAULTS",
    "Support",
    "base_at",
    "faults",
    "is_inside",
    "is_off_board",
    "is_stable",
    "lacks_head_room",
    "near_features",
    "overhangs",
    "overlapped_models",
    "support_of",
]

FAULTS = (
    "no-surface",
    "keyword",
    "overhang",
    "unstable",
    "inside-terrain",
    "no-headroom",
    "overlaps-model",
    "off-board",
)
"""Why a model may not stand somewhere, in the order in which they are given."""


@dataclass(frozen=True, slots=True, eq=False)
class Support:
    """What bears a model.

    height : of the surface, inches above the table's ground
    surfaces : the surfaces at that height that its base touches; none for the ground
    clear : height above which the body must be free of material; more than `height` on a slope, whose uphill part it
        stands in
    """

    height: float
    surfaces: tuple[Surface, ...] = ()
    clear: float = 0.0

    @property
    def is_ground(self) -> bool:
        """Whether it is the table itself."""
        return not self.surfaces

    @property
    def outline(self) -> BaseGeometry:
        """All the surfaces together, seen from above."""
        return shapely.union_all([surface.outline for surface in self.surfaces])

    @property
    def filled(self) -> BaseGeometry:
        """The outline without its holes, surfaces that touch joined. Its edge is the outer edge."""
        grown = shapely.union_all([part.filled.buffer(TOUCH / 2, join_style="mitre") for part in self.surfaces])
        parts = [shapely.Polygon(part.exterior) for part in shapely.get_parts(grown)]
        return shapely.union_all(parts).buffer(-TOUCH / 2, join_style="mitre")


def base_at(model: Model, x: float, y: float, foot: float) -> Model:
    """The model moved to a place, inches; a body that is a mesh stays where it was (`margin.moved` takes it along)."""
    return replace(model, x=x, y=y, foot=foot)


def support_of(model: Model, features: Sequence[Feature]) -> Support | None:
    """What bears a model whose foot is where it is. None if there is nothing at that height under its base."""
    if abs(model.foot) <= TOUCH:
        return Support(0.0)
    levels = [surface for feature in features for surface in _near(model, feature) if surface.level]
    borne = tuple(surface for surface in levels if _bears(surface, model.foot))
    if borne:
        return Support(model.foot, borne, max(model.foot, *(surface.height for surface in borne)))
    return next((found for feature in features if (found := _slope_under(model, feature)) is not None), None)


def _bears(surface: Surface, foot: float) -> bool:
    """Whether a foot at that height stands on a level surface: on a scanned one, which wavers, anywhere within it."""
    return float(surface.triangles[:, :, 2].min()) - TOUCH <= foot <= surface.height + TOUCH


def _near(model: Model, feature: Feature) -> list[Surface]:
    """The feature's surfaces that a model's base touches, seen from above."""
    return [surface for surface in placed_surfaces(feature) if _touches(model, surface.outline)]


def _slope_under(model: Model, feature: Feature) -> Support | None:
    under = [surface for surface in _near(model, feature) if surface.low <= model.foot + TOUCH]
    if not any(not surface.level and surface.height >= model.foot - TOUCH for surface in under):
        return None
    clear = max(model.foot, *(_highest_under(model, surface) for surface in under))
    return Support(model.foot, tuple(under), clear)


def _highest_under(model: Model, surface: Surface) -> float:
    """The highest point of a surface under a base, and at most as high as the base is wide above its foot."""
    outline = base_outline(model)
    best = -math.inf
    for corners in surface.triangles:
        over = shapely.get_coordinates(shapely.intersection(outline, shapely.Polygon(corners[:, :2])))
        if len(over):
            normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
            best = max(best, float((corners[0, 2] - (over - corners[0, :2]) @ normal[:2] / normal[2]).max()))
    return min(best, model.foot + max(model.base.length, model.base.width))


def _radius(model: Model) -> float | None:
    """The radius of a round base, None for others."""
    return model.base.length / 2 if model.base.shape == "round" else None


def _touches(model: Model, shape: BaseGeometry) -> bool:
    """Whether a base touches or overlaps a shape, seen from above."""
    radius = _radius(model)
    if radius is not None:
        return bool(shapely.distance(shape, shapely.Point(model.x, model.y)) <= radius + TOUCH)
    return bool(shapely.distance(shape, base_outline(model)) <= TOUCH)


def _enters(model: Model, shape: BaseGeometry) -> bool:
    """Whether a base overlaps a shape by more than a touch, seen from above."""
    if shape.is_empty:
        return False
    radius = _radius(model)
    if radius is not None:
        return bool(shapely.distance(shape, shapely.Point(model.x, model.y)) < radius - TOUCH)
    return bool(shapely.intersects(shape, base_outline(model).buffer(-TOUCH)))


def overhangs(model: Model, support: Support) -> bool:
    """Whether part of the base lies beyond the outer edge of what bears it. Touching the edge is not beyond it."""
    if support.is_ground:
        return False
    outline, radius = support.filled, _radius(model)
    if radius is None:
        return not outline.buffer(TOUCH, join_style="mitre").covers(base_outline(model))
    centre = shapely.Point(model.x, model.y)
    return not (outline.covers(centre) and outline.boundary.distance(centre) >= radius - TOUCH - SIDE)


def is_stable(model: Model, support: Support) -> bool:
    """Whether the middle of the base is borne: not over a stairwell, not beyond an edge."""
    return support.is_ground or bool(support.outline.distance(shapely.Point(model.x, model.y)) <= TOUCH)


def is_inside(model: Model, features: Sequence[Feature], clear: float) -> bool:
    """Whether a model's base stands in material at a height (that of its foot, more on a slope)."""
    return any(_enters(model, just_above(feature, clear)) for feature in features)


def lacks_head_room(model: Model, features: Sequence[Feature], clear: float) -> bool:
    """Whether something hangs over the base lower than the model's height. Exactly fitting is fitting.

    The sister of `is_inside`: material that begins at the base's own height is not asked for here.
    """
    top = model.foot + model.height
    for feature in features:
        hanging = between(feature, clear, top)
        if _enters(model, hanging):
            rest = _less(hanging, just_above(feature, clear).buffer(TOUCH, join_style="mitre"))
            if _enters(model, rest):
                return True
    return False


def _less(shape: BaseGeometry, taken: BaseGeometry) -> BaseGeometry:
    """A shape, which may be of areas and lines, without what is taken."""
    return shapely.union_all([part.difference(taken) for part in shapely.get_parts(shape)])


def overlapped_models(model: Model, others: Sequence[Model]) -> tuple[str, ...]:
    """Names of the models whose bodies a model's body overlaps by more than a touch."""
    return tuple(other.name for other in others if other.name != model.name and _overlap(model, other))


def _overlap(one: Model, other: Model) -> bool:
    apart = max(one.foot, other.foot) >= min(one.foot + one.height, other.foot + other.height) - TOUCH
    if apart:
        return False
    if math.hypot(one.x - other.x, one.y - other.y) > _reach(one) + _reach(other):
        return False
    first, second = _radius(one), _radius(other)
    if first is not None and second is not None:
        return math.hypot(one.x - other.x, one.y - other.y) < first + second - TOUCH
    return _enters(one, base_outline(other))


def _reach(model: Model) -> float:
    """No part of its base is further from its middle."""
    return math.hypot(model.base.length, model.base.width) / 2


def is_off_board(model: Model, board: tuple[float, float]) -> bool:
    """Whether part of the base lies beyond the table's edge."""
    x0, y0, x1, y1 = _extent(model)
    beyond = max(-x0, -y0, x1 - board[0], y1 - board[1])
    return not at_or_below(beyond, 0.0)


def _extent(model: Model) -> tuple[float, float, float, float]:
    if model.base.shape == "square":
        x0, y0, x1, y1 = base_outline(model).bounds
        return x0, y0, x1, y1
    body = model.body
    c, s = math.cos(body.facing), math.sin(body.facing)
    wide, deep = math.hypot(body.a * c, body.b * s), math.hypot(body.a * s, body.b * c)
    return model.x - wide, model.y - deep, model.x + wide, model.y + deep


def faults(scene: Scene, model: Model, *, may_stand_above: bool = True) -> tuple[str, ...]:
    """Every reason why a model may not stand where it stands (see `FAULTS`), () if it may.

    may_stand_above : whether this model may stand on surfaces above the ground; that is for a rule system to say
    The model need not be the one of that name in the scene: `base_at` asks about another place.
    """
    features = near_features(model, scene.features)
    support = support_of(model, features)
    clear = support.clear if support else model.foot
    found = {
        "no-surface": support is None,
        "keyword": model.foot > TOUCH and not may_stand_above,
        "overhang": support is not None and overhangs(model, support),
        "unstable": support is not None and not is_stable(model, support),
        "inside-terrain": is_inside(model, features, clear),
        "no-headroom": lacks_head_room(model, features, clear),
        "overlaps-model": bool(overlapped_models(model, scene.models)),
        "off-board": is_off_board(model, scene.board),
    }
    return tuple(name for name in FAULTS if found[name])


def near_features(model: Model, features: Sequence[Feature]) -> list[Feature]:
    """The features whose bounding circle comes near a model's base."""
    reach = max(model.base.length, model.base.width)
    return [feature for feature in features if _distance(model, feature) <= reach]


def _distance(model: Model, feature: Feature) -> float:
    wide, deep, _ = np.abs(np.asarray(feature.piece.mesh.bounds)).max(axis=0)
    radius = math.hypot(wide, deep)
    return math.hypot(model.x - feature.x, model.y - feature.y) - radius

"""Where a base can be at each height: on what bears it, clear of what stops it. No word of any game."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.shapes import base_polygon, quad_segments
from deadground.geometry.units import SIDE, TERRACE, TOUCH, WAY_SLACK
from deadground.meshes.columns import clipped_triangles, union_of_triangles
from deadground.meshes.surfaces import Surface
from deadground.scenes.material import above, between, ceilings, placed_surfaces, top_of
from deadground.scenes.model import Model
from deadground.scenes.placing import footprint
from deadground.scenes.terrain import Feature

_Pair = tuple[int, int, tuple[int, ...]]
"""Two layers, and the features near enough to matter."""

__all__ = ["Layer", "Layers", "Manner", "Mover", "heights_of", "layers_for", "rim", "rings", "turns_of"]

_SLIGHT = 0.002  # radians; a dent flatter than this is an arc's rounding
_SLIVER = 0.01  # square inches
_SMALL = 0.05  # square inches; smaller level faces are taken for crumbs of a slope


@dataclass(frozen=True, slots=True)
class Manner:
    """How a model moves: what a rule system lets it do. Features and models are named.

    through : features it passes in every direction, up and down as well
    across : features it passes across, and climbs outside of their material only
    Every other feature it passes where its sections are at most `step` high above the feature's foot, and climbs else.
    climb : inches from the base within which a feature is climbed
    blockers : models it does not pass
    flies : whether it ignores height and everything on its way
    may_stand_above : whether it may end on a surface above the ground
    reduction : inches taken off its limit
    """

    through: frozenset[str] = frozenset()
    across: frozenset[str] = frozenset()
    step: float = 0.0
    climb: float = 0.0
    blockers: frozenset[str] = frozenset()
    flies: bool = False
    may_stand_above: bool = True
    reduction: float = 0.0


@dataclass(frozen=True, slots=True)
class Mover:
    """The body that moves: a round base that turns freely, raised to the model's height. Inches."""

    radius: float
    height: float


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """The places of a base's centre at one height.

    height : of the surfaces; low : less on a terrace of a slope, whose true height lies between the two
    on : where part of the base rests on them, and all of it is clear of what stops it
    climb : where it is within climbing distance of them, and clear
    borne : the surfaces themselves, seen from above; None for the ground
    bends : (n, 3) circles (x, y, radius) round which a shortest way may turn; radius 0 where it turns on the spot
    least : the lowest point of the surfaces; a scanned floor that counts as level may waver down to it
    """

    height: float
    low: float
    on: BaseGeometry
    climb: BaseGeometry
    borne: BaseGeometry | None
    bends: Array
    least: float

    @property
    def middle(self) -> float:
        """The height by which the search counts."""
        return (self.low + self.height) / 2


@dataclass(eq=False)
class Layers:
    """All the layers of a mover among some features and models, the ground first, then by height."""

    mover: Mover
    manner: Manner
    layers: tuple[Layer, ...]
    features: tuple[Feature, ...]
    models: tuple[Model, ...]
    _barred: dict[_Pair, BaseGeometry] = field(default_factory=dict)
    _grown: dict[tuple[Feature, float, float], BaseGeometry] = field(default_factory=dict)
    _tree: shapely.STRtree = field(init=False)

    def __post_init__(self) -> None:
        """Make it quick to tell which features are near."""
        self._tree = shapely.STRtree([shapely.box(*footprint(feature).bounds) for feature in self.features])

    def barred(self, lower: int, upper: int, where: BaseGeometry) -> BaseGeometry:
        """The places of the base's centre where material or a model stops it between two layers, near a shape at least.

        Kept once computed.
        """
        near = tuple(np.sort(self._tree.query(where, predicate="dwithin", distance=self.mover.radius)).tolist())
        key = (lower, upper, near)
        if key not in self._barred:
            low, high = self.layers[lower].height, self.layers[upper].height
            people = _models_in_the_way(self.mover, self.models, low, high + self.mover.height)[0]
            self._barred[key] = shapely.union_all([people, self._walled(low, high, near)])
            shapely.prepare(self._barred[key])
        return self._barred[key]

    def walled(self, low: float, high: float, where: BaseGeometry) -> BaseGeometry:
        """The part of `barred` that material makes, between two heights."""
        return self._walled(
            low, high, self._tree.query(where, predicate="dwithin", distance=self.mover.radius).tolist()
        )

    def _walled(self, low: float, high: float, near: Iterable[int]) -> BaseGeometry:
        head = high + self.mover.height
        shapes = [self._stop(self.features[index], low, head) for index in near]
        return shapely.union_all([shape for shape in shapes if not shape.is_empty])

    def _stop(self, feature: Feature, low: float, head: float) -> BaseGeometry:
        """Where a feature stops a climb. Of one that is climbed only a ceiling can, and one no higher than a step."""
        if feature.name in self.manner.across:
            return self._material(feature, low, head)
        step = feature.foot + self.manner.step  # what is higher keeps the base out of the lower layer already
        if feature.name in self.manner.through or step <= low + TOUCH:
            return shapely.Polygon()
        return _grown(ceilings(feature, low, min(head, step)), self.mover.radius - WAY_SLACK)

    def _material(self, feature: Feature, low: float, high: float) -> BaseGeometry:
        """Where a base meets a feature's material between two heights. Kept once computed."""
        top = top_of(feature)
        if top <= low + TOUCH:
            return shapely.Polygon()
        key = (feature, low, min(high, top + 2 * TOUCH))
        if key not in self._grown:
            self._grown[key] = _grown(between(*key), self.mover.radius - WAY_SLACK)
        return self._grown[key]

    def near(self, x: float, y: float, height: float) -> tuple[float, float, int] | None:
        """The layer in which a base is at a point and height, the nearest in height, and where: within a touch of it.

        None if there is no such place.
        """
        spot = shapely.Point(x, y)
        fitting = [
            (off > SIDE, max(0.0, layer.least - height, height - layer.height), abs(layer.height - height), index)
            for index, layer in enumerate(self.layers)
            if layer.least - TOUCH <= height <= layer.height + TOUCH and (off := layer.on.distance(spot)) <= TOUCH
        ]
        if not fitting:
            return None
        off, *_, index = min(fitting)
        x, y = _inner(self.layers[index].on, spot) if off else (x, y)
        return x, y, index


def _inner(shape: BaseGeometry, spot: shapely.Point) -> tuple[float, float]:
    """The nearest point of a shape, a hair inside of it where it has an inside there."""
    inner = shape.buffer(-TOUCH / 8)
    nearest = shape if inner.distance(spot) > 2 * TOUCH else inner
    x, y = shapely.get_coordinates(shapely.shortest_line(nearest, spot))[0]
    return float(x), float(y)


def _grown(shape: BaseGeometry, by: float) -> BaseGeometry:
    """A shape grown by a radius, within ARC_ERROR of true arcs and never beyond them."""
    return shape if shape.is_empty else shape.buffer(by, quad_segs=quad_segments(by))


def layers_for(
    mover: Mover,
    manner: Manner,
    board: tuple[float, float],
    features: Sequence[Feature],
    models: Sequence[Model],
    wanted: Callable[[float, float], bool] = lambda low, high: True,  # noqa: ARG005  # all of them
) -> Layers:
    """The layers of a mover among these features and models.

    models : those that block are taken from them; wanted : whether a layer between two heights is of use
    """
    blockers = tuple(model for model in models if model.name in manner.blockers)
    inset = mover.radius - WAY_SLACK
    room = shapely.box(inset, inset, board[0] - inset, board[1] - inset)
    found = []
    for storey in _storeys(features):
        if not wanted(*storey[:2]):
            continue
        layer = _layer(mover, manner, room, features, blockers, storey)
        if not layer.on.is_empty:
            found.append(layer)
    return Layers(mover, manner, tuple(found), tuple(features), blockers)


def heights_of(features: Sequence[Feature]) -> list[tuple[float, float]]:
    """Low and high of every layer that there is among features."""
    return [(low, high) for low, high, *_ in _storeys(features)]


_Storey = tuple[float, float, BaseGeometry | None, float]


def _storeys(features: Sequence[Feature]) -> tuple[_Storey, ...]:
    """Low and high of each storey, the plan of its surfaces and their lowest point; the ground first, its plan None."""
    return _all_storeys(tuple(features))


@lru_cache(maxsize=64)
def _all_storeys(features: tuple[Feature, ...]) -> tuple[_Storey, ...]:
    every = [surface for feature in features for surface in placed_surfaces(feature) if surface.height > TOUCH]
    levels = [surface for surface in every if surface.level and surface.area >= _SMALL]
    crumbs = [surface for surface in every if not (surface.level and surface.area >= _SMALL)]
    storeys = [*_level_storeys(levels), *_terraces(crumbs)]
    return ((0.0, 0.0, None, 0.0), *sorted(storeys, key=lambda storey: storey[:2]))


def _level_storeys(levels: Sequence[Surface]) -> Iterator[_Storey]:
    ordered = sorted(levels, key=lambda surface: surface.height)
    heights = np.array([surface.height for surface in ordered])
    cuts = np.flatnonzero(np.diff(heights) > TOUCH) + 1
    for group in np.split(np.arange(len(ordered)), cuts):
        if len(group):
            top, plan = float(heights[group[-1]]), shapely.union_all([ordered[i].outline for i in group])
            yield top, top, plan, min(float(ordered[i].triangles[:, :, 2].min()) for i in group)


def _terraces(slopes: Sequence[Surface]) -> Iterator[_Storey]:
    if not slopes:
        return
    corners = np.concatenate([surface.triangles for surface in slopes])
    first, last = math.floor(corners[:, :, 2].min() / TERRACE), math.ceil(corners[:, :, 2].max() / TERRACE)
    for step in range(max(0, first), last):
        low, high = step * TERRACE, (step + 1) * TERRACE
        plan = union_of_triangles(clipped_triangles(corners, low, high + SIDE))
        if not plan.is_empty:
            yield low, high, plan, low


def _layer(
    mover: Mover,
    manner: Manner,
    room: BaseGeometry,
    features: Sequence[Feature],
    blockers: Sequence[Model],
    storey: _Storey,
) -> Layer:
    low, high, borne, least = storey
    walls = _walls(manner, features, high)
    people, round_people = _models_in_the_way(mover, blockers, high, high + mover.height)
    stopped = shapely.union_all([_grown(walls, mover.radius - WAY_SLACK), people])
    bends = [_corners(walls, mover.radius), round_people]
    if borne is None:
        on = climb = room.difference(stopped)
    else:
        resting = _grown(borne, mover.radius + TOUCH)
        on = _without_slivers(resting.intersection(room).difference(stopped))
        climb = _grown(borne, mover.radius + manner.climb + TOUCH).intersection(room).difference(stopped)
        bends.append(_dents(_grown(borne, mover.radius)))  # a hair within, off the rounding of the edge
    shapely.prepare(on)
    shapely.prepare(climb)
    return Layer(high, low, on, climb, borne, _useful(np.vstack(bends), on), least)


def _without_slivers(shape: BaseGeometry) -> BaseGeometry:
    """A shape without parts too small to lead anywhere, such as those before a window's sill."""
    parts = shapely.get_parts(shape)
    return shapely.union_all(parts[shapely.area(parts) > _SLIVER])


def _walls(manner: Manner, features: Sequence[Feature], height: float) -> BaseGeometry:
    """The plan of what stops a mover at a height: sections too high to pass."""
    shapes: list[BaseGeometry] = []
    for feature in features:
        if feature.name not in manner.through and feature.name not in manner.across:
            shapes.extend(shapely.get_parts(above(feature, max(height, feature.foot + manner.step))))
    return shapely.union_all(shapes).simplify(WAY_SLACK / 2)


def _models_in_the_way(mover: Mover, models: Sequence[Model], low: float, high: float) -> tuple[BaseGeometry, Array]:
    """Where models stop a body between two heights, and the circles that a way turns round."""
    shapes: list[BaseGeometry] = []
    bends = [np.zeros((0, 3))]
    for model in models:
        if max(low, model.foot) < min(high, model.foot + model.height) - TOUCH:
            if model.base.length == model.base.width and model.base.shape == "round":
                reach = mover.radius + model.base.length / 2
                shapes.append(_grown(shapely.Point(model.x, model.y), reach - WAY_SLACK))
                bends.append(np.array([[model.x, model.y, reach]]))
            else:
                edge = base_polygon(model.body).simplify(TOUCH)
                shapes.append(_grown(edge, mover.radius - WAY_SLACK))
                bends.append(_corners(edge, mover.radius))
    return shapely.union_all(shapes), np.vstack(bends)


def rings(shape: BaseGeometry) -> Iterator[tuple[Array, bool]]:
    """The rings of all areas: corners without the repeated one, with the inside on the left."""
    for part in shapely.get_parts(shape):
        if isinstance(part, shapely.Polygon) and not part.is_empty:
            oriented = shapely.orient_polygons(part)
            for ring in (oriented.exterior, *oriented.interiors):
                yield np.asarray(ring.coords)[:-1, :2], True
        elif isinstance(part, shapely.LineString):
            yield np.asarray(part.coords)[:, :2], False


def turns_of(ring: Array) -> Array:
    """(n,) radians by which the ring turns to the left at each corner."""
    after = np.roll(ring, -1, axis=0) - ring
    before = np.roll(after, 1, axis=0)
    cross = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    turns: Array = np.arctan2(cross, (before * after).sum(axis=1))
    return turns


def _corners(shape: BaseGeometry, radius: float) -> Array:
    """(n, 3) circles round the corners of a shape that stick out of it; all corners of bare lines."""
    found = [np.zeros((0, 3))]
    for ring, closed in rings(shape):
        out = ring[turns_of(ring) > SIDE] if closed else ring
        found.append(np.column_stack([out, np.full(len(out), radius)]))
    return np.vstack(found)


def _dents(resting: BaseGeometry) -> Array:
    """(n, 3) points at which the edge of where one may rest turns inwards: there a way turns on the spot."""
    found = [np.zeros((0, 3))]
    for ring, closed in rings(resting):
        turns = turns_of(ring)
        inner = ring[turns < -_SLIGHT] if closed else ring[:0]
        found.append(np.column_stack([inner, np.zeros(len(inner))]))
    return np.vstack(found)


def _useful(bends: Array, on: BaseGeometry) -> Array:
    """The circles that a base can go round somewhere: those whose rim is not wholly stopped. Doubles are dropped."""
    bends = np.unique(np.round(bends, 9), axis=0)
    if not len(bends):
        return bends
    rims = [rim(x, y, radius) for x, y, radius in bends]
    return bends[shapely.distance(on, rims) <= WAY_SLACK]


def rim(x: float, y: float, radius: float) -> BaseGeometry:
    """A circle's line; a point if it has no radius."""
    centre = shapely.Point(x, y)
    return centre.buffer(radius, quad_segs=32).boundary if radius else centre

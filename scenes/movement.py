"""The shortest way of a model from where it stands to another place, and what it costs. No word of any game.

Distance is across (seen from above) plus up plus down, never the diagonal. `ways` searches; this file says what is near
enough to matter, what the found way is made of, and how sure it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.units import SIDE, TERRACE, TOUCH
from deadground.scenes.connections import least_climbs
from deadground.scenes.layers import Layers, Manner, Mover, heights_of, layers_for
from deadground.scenes.material import between
from deadground.scenes.model import Model
from deadground.scenes.portals import turning_places
from deadground.scenes.scene import Scene
from deadground.scenes.terrain import Feature
from deadground.scenes.ways import Place, Search, Step

__all__ = ["Leg", "Manner", "Point", "Way", "mover_of", "shortest_way", "straight_way"]

Point = tuple[float, float, float]

_SHARE = 0.01  # of a way: what it may be off where the places at which it can climb were taken an inch apart
_SLACK = 2 * TERRACE  # inches; the search counts slopes by their terraces
_MARGIN = 4.0  # inches beyond the straight line that are looked at first


@dataclass(frozen=True, slots=True)
class Leg:
    """One part of a way: across at one height (or over a slope), or straight up or down.

    inches : its length; path : points on the table; through : names of the features whose material it passes
    """

    kind: Literal["across", "up", "down"]
    inches: float
    path: tuple[Point, ...]
    through: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Way:
    """A shortest way. Inches.

    legs : in order; their lengths add up to `distance`
    exact : False where a base, a slope or the edge at which one climbs was simplified; bound : then the way is at most
        this much longer than the shortest one, or shorter than what the model can do
    """

    legs: tuple[Leg, ...]
    exact: bool = True
    bound: float = 0.0

    def _sum(self, kind: str) -> float:
        return math.fsum(leg.inches for leg in self.legs if leg.kind == kind)

    @property
    def across(self) -> float:
        """Inches across, as seen from above."""
        return self._sum("across")

    @property
    def up(self) -> float:
        """Inches climbed."""
        return self._sum("up")

    @property
    def down(self) -> float:
        """Inches descended."""
        return self._sum("down")

    @property
    def distance(self) -> float:
        """Across plus up plus down."""
        return math.fsum(leg.inches for leg in self.legs)

    @property
    def path(self) -> tuple[Point, ...]:
        """All points in order, none twice in a row."""
        points = [point for leg in self.legs for point in leg.path]
        return tuple(point for before, point in zip([None, *points], points, strict=False) if point != before)


def mover_of(model: Model) -> Mover:
    """The body that is moved: the widest round base inside the model's own, for it turns freely on its way."""
    return Mover(min(model.base.length, model.base.width) / 2, model.height)


def _reach(model: Model) -> float:
    """Inches from the middle of a base to the part of it that is furthest off."""
    if model.base.shape == "square":
        return math.hypot(model.base.length, model.base.width) / 2
    return max(model.base.length, model.base.width) / 2


def straight_way(model: Model, end: Point) -> Way:
    """The way of a model that ignores height and everything between: straight across."""
    start = (model.x, model.y, model.foot)
    return Way((Leg("across", math.hypot(end[0] - start[0], end[1] - start[1]), (start, end)),))


def shortest_way(scene: Scene, model: Model, end: Point, manner: Manner) -> Way | None:
    """The shortest way of a model to a place (x, y, height of the surface), None if there is none.

    Whether it may end there is not asked (`standing.faults` is). Exact for round bases on level surfaces: tangents and
    arcs. Another base goes as the widest round one inside it; `bound` says how much longer the narrowest round one
    around it would go (inf if it finds no way). On slopes `bound` is what the terraces of the search may be off.
    """
    if manner.flies:
        return straight_way(model, end)
    way = _round_way(scene, model, end, manner, mover_of(model))
    if way is None or model.base.shape == "round":
        return way
    wide = _round_way(scene, model, end, manner, Mover(_reach(model), model.height))
    bound = wide.distance - way.distance if wide else math.inf
    return Way(way.legs, exact=way.exact and bound <= TOUCH, bound=max(way.bound, bound))


def _round_way(scene: Scene, model: Model, end: Point, manner: Manner, mover: Mover) -> Way | None:
    """Search among what is near and at the heights between; then among all that could shorten the way found."""
    straight = math.hypot(end[0] - model.x, end[1] - model.y)
    least = straight + abs(end[2] - model.foot)
    most, looked, way = straight + _MARGIN, None, None
    highest = least + SIDE  # what a way by a layer may cost at least for the layer to be looked at
    while True:
        features = [feature for feature in scene.features if _is_near(feature, model, end, most, mover, manner)]

        def wanted(low: float, high: float, highest: float = highest) -> bool:
            return straight + _detour(model.foot, end[2], low, high) <= highest

        names = {feature.name for feature in features}
        now = (names, {heights for heights in heights_of(features) if wanted(*heights)})
        if looked is not None and now[0] <= looked[0] and now[1] <= looked[1]:
            return way
        layers = layers_for(mover, manner, scene.board, features, scene.models, wanted)
        known = way is not None and looked is not None and names <= looked[0]  # more layers only shorten it
        way, looked = _among(layers, model, end, highest if known else math.inf), now
        most = highest = way.distance if way else math.inf


def _detour(start: float, end: float, low: float, high: float) -> float:
    """The least up and down from one height to another by way of heights between low and high."""
    by = min(max(start, low), high)
    other = min(max(end, low), high)
    return abs(start - by) + abs(by - other) + abs(other - end)


def _is_near(feature: Feature, model: Model, end: Point, most: float, mover: Mover, manner: Manner) -> bool:
    """Whether a way of a length could touch a feature, or climb it."""
    wide, deep, _ = np.abs(np.asarray(feature.piece.mesh.bounds)).max(axis=0)
    radius = math.hypot(wide, deep) + mover.radius + manner.climb
    there = math.hypot(feature.x - model.x, feature.y - model.y) + math.hypot(feature.x - end[0], feature.y - end[1])
    return there - 2 * radius <= most + SIDE


def _among(layers: Layers, model: Model, end: Point, most: float) -> Way | None:
    """The shortest way over these layers; None if there is none of `most` inches."""
    first, last = layers.near(model.x, model.y, model.foot), layers.near(*end)
    if first is None or last is None:
        return None
    start, goal = Place(*first), Place(*last)
    climbs = least_climbs(layers, goal)
    if not np.isfinite(climbs.at(np.array([[start.x, start.y, 0.0]]), np.array([start.layer])))[0]:
        return None
    places = turning_places(layers, start, goal)
    steps = Search(layers, start, goal, most + _SLACK, places.rows, climbs.at).run()
    return None if steps is None else way_of(layers, model, end, steps, places.exact)


@dataclass(slots=True)
class _Walk:
    """A way as it is put together: legs so far, the height at which one is, and that to which one goes."""

    layers: Layers
    height: float
    legs: list[Leg]
    aim: float

    def go(self, points: Sequence[tuple[float, float]], inches: float) -> None:
        """Across, at the height that one is at. What follows at the same height is the same leg."""
        if inches <= 0:
            return
        path = tuple((float(x), float(y), self.height) for x, y in points)
        if self.legs and self.legs[-1].kind == "across":
            before = self.legs.pop()
            path, inches = before.path + path[before.path[-1] == path[0] :], before.inches + inches
        self.legs.append(Leg("across", inches, path))

    def climb(self, x: float, y: float, low: float, high: float) -> None:
        """Up or down, no further than into a range of heights."""
        there = min(max(self.height, low), high)
        rise, here = there - self.height, self.height
        if abs(rise) <= SIDE:
            return
        kind: Literal["up", "down"] = "up" if rise > 0 else "down"
        path = ((x, y, here), (x, y, there))
        if self.legs and self.legs[-1].kind == kind:
            before = self.legs.pop()
            path, rise = (before.path[0], path[1]), abs(rise) + before.inches
        self.legs.append(Leg(kind, abs(rise), path))
        self.height = there


def way_of(layers: Layers, model: Model, end: Point, steps: Sequence[Step], exact: bool = True) -> Way:
    """The way that the steps of a search make, its heights counted on the slopes themselves.

    exact : whether all places at which a way may turn were looked at
    """
    walk = _Walk(layers, model.foot, [], end[2])
    used = {step.layer for step in steps} | {change.after for step in steps for change in step.crossing.changes}
    if steps:
        _enter(walk, model.x, model.y, steps[0].layer)
        _go_aside(walk, (model.x, model.y), tuple(steps[0].arc[0]))
    for step in steps:
        walk.go([tuple(point) for point in step.arc], step.arc_length)
        _go_straight(walk, step)
    _go_aside(walk, tuple(steps[-1].end) if steps else (model.x, model.y), end[:2])
    walk.climb(end[0], end[1], end[2], end[2])
    legs = tuple(_with_features(layers, leg) for leg in walk.legs)
    sloped = any(layers.layers[index].low < layers.layers[index].height for index in used)
    wavers = max((layers.layers[index].height - layers.layers[index].least for index in used), default=0.0)
    least = math.hypot(end[0] - model.x, end[1] - model.y) + abs(end[2] - model.foot)
    inches = math.fsum(leg.inches for leg in legs)
    unsure = not exact and inches > least + TOUCH
    bound = 2 * TERRACE * sloped + _SHARE * inches * unsure + wavers * (not sloped and wavers > TOUCH)
    return Way(legs, exact=bound == 0, bound=bound)


def _enter(walk: _Walk, x: float, y: float, index: int) -> None:
    """Up or down into a layer: on a terrace to the nearest height, on a floor that wavers to that of the aim."""
    layer = walk.layers.layers[index]
    if layer.low == layer.height and not layer.least <= walk.height <= layer.height:
        there = min(max(walk.aim, layer.least), layer.height)
        walk.climb(x, y, there, there)
    else:
        walk.climb(x, y, layer.least, layer.height)


def _go_aside(walk: _Walk, start: tuple[float, ...], end: tuple[float, ...]) -> None:
    """The hair between a place that is taken for another, because it touches what stops a base, and that other."""
    length = math.hypot(end[0] - start[0], end[1] - start[1])
    if length > SIDE:
        walk.go([(start[0], start[1]), (end[0], end[1])], length)


def _go_straight(walk: _Walk, step: Step) -> None:
    length = float(np.hypot(*(step.end - step.start)))
    along = (step.end - step.start) / length if length > 0 else np.zeros(2)
    at, here = 0.0, step.start
    for change in step.crossing.changes:
        there = step.start + change.at * along
        walk.go([tuple(here), tuple(there)], change.at - at)
        _enter(walk, float(there[0]), float(there[1]), change.after)
        at, here = change.at, there
    walk.go([tuple(here), tuple(step.end)], length - at)


def _with_features(layers: Layers, leg: Leg) -> Leg:
    """The leg with the names of the features whose material it passes through."""
    low, high = min(point[2] for point in leg.path), max(point[2] for point in leg.path)
    if leg.kind == "across":
        high = low + layers.mover.height
    swept = _swept(leg, layers.mover.radius - 2 * TOUCH)
    names = [feature.name for feature in layers.features if shapely.intersects(swept, between(feature, low, high))]
    return Leg(leg.kind, leg.inches, leg.path, tuple(names))


def _swept(leg: Leg, radius: float) -> BaseGeometry:
    """What the base passes over, seen from above."""
    return shapely.LineString([point[:2] for point in leg.path]).buffer(radius)

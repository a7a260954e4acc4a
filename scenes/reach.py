"""Everywhere that a model can end a move, and for how many inches. No word of any game."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import Delaunay, QhullError
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.tangents import tangents, turned
from deadground.geometry.units import SIDE, TOUCH
from deadground.meshes.columns import clipped_triangles, union_of_triangles
from deadground.scenes.crossings import cross
from deadground.scenes.ends import End, ends
from deadground.scenes.layers import Layers, Manner, layers_for
from deadground.scenes.model import Model
from deadground.scenes.movement import mover_of
from deadground.scenes.portals import turning_places
from deadground.scenes.scene import Scene
from deadground.scenes.terrain import Feature
from deadground.scenes.ways import Place, Reached, Search, free_arc

__all__ = ["GRID", "Reach", "reach"]

GRID = 0.4
"""Inches between the places whose cost is worked out; between them it is interpolated."""

_HAIR = 2 * TOUCH  # inches
_EDGE = 0.2  # inches between places along the edge of a region
_CRUMB = 0.05  # square inches; less is left over from interpolation
_BATCH = 400  # places looked at together, so that memory stays small


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """Where a model can end on one level.

    height : of the surface, inches; region : places of its base's centre
    bands : (inches, region) for every whole inch of the limit: what is reached with at most that many
    """

    height: float
    region: BaseGeometry
    bands: tuple[tuple[float, BaseGeometry], ...]


def reach(scene: Scene, model: Model, limit: float, manner: Manner) -> tuple[Reach, ...]:
    """Everywhere that a model can end within a limit (inches, reductions already taken off), level by level.

    Costs are exact at places `GRID` apart and at the edges of where it may stand, and interpolated between. Slopes are
    crossed but not ended on. An oval base ends turned as it is.
    """
    far = limit + 2 * max(model.base.length, model.base.width)
    features = [feature for feature in scene.features if _near(feature, model, far)]
    places = [
        End(end.height, end.region.intersection(shapely.Point(model.x, model.y).buffer(limit + GRID)))
        for end in ends(scene, model, features, may_stand_above=manner.may_stand_above)
    ]
    if manner.flies:
        costs = [(end, points := _points(end.region), _flown(model, points)) for end in places]
    else:
        costs = _walked(scene, model, limit, manner, features, places)
    found = (_reached(end, points, cost, limit) for end, points, cost in costs)
    return tuple(one for one in found if not one.region.is_empty)


def _near(feature: Feature, model: Model, far: float) -> bool:
    bounds = np.abs(np.asarray(feature.piece.mesh.bounds)).max(axis=0)
    apart = math.hypot(feature.x - model.x, feature.y - model.y)
    return apart <= far + math.hypot(bounds[0], bounds[1])


def _flown(model: Model, points: Array) -> Array:
    across: Array = np.hypot(points[:, 0] - model.x, points[:, 1] - model.y)
    return across


def _points(region: BaseGeometry) -> Array:
    """(n, 2) places on a grid within a region, and along its edge."""
    if region.is_empty:
        return np.zeros((0, 2))
    x0, y0, x1, y1 = region.bounds
    grid = np.stack(np.meshgrid(np.arange(x0, x1, GRID), np.arange(y0, y1, GRID)), axis=-1).reshape(-1, 2)
    shapely.prepare(region)
    inside = grid[shapely.contains_xy(region, grid[:, 0], grid[:, 1])]
    edge = shapely.get_coordinates(shapely.segmentize(shapely.simplify(region.boundary, 0.01), _EDGE))
    return np.unique(np.round(np.vstack([inside, edge]), 6), axis=0)


def _walked(
    scene: Scene, model: Model, limit: float, manner: Manner, features: Sequence[Feature], places: Sequence[End]
) -> list[tuple[End, Array, Array]]:
    def wanted(low: float, high: float) -> bool:
        return max(low - model.foot, model.foot - high) <= limit

    layers = layers_for(mover_of(model), manner, scene.board, features, scene.models, wanted)
    first = layers.near(model.x, model.y, model.foot)
    if first is None:
        return []
    start = Place(*first)
    search = Search(layers, start, most=limit + GRID, places=turning_places(layers, start, None).rows)
    search.run()
    found = []
    for end in places:
        layer = _level(layers, end.height)
        if layer is not None:
            room = End(end.height, end.region.intersection(layers.layers[layer].on.buffer(TOUCH)))
            points = _points(room.region)
            found.append((room, points, _Costs(layers, search, layer, limit + GRID).of(_inside(room.region, points))))
    return found


def _inside(region: BaseGeometry, points: Array) -> Array:
    """The same places, those on the edge a hair inside: an end may touch what a way has to keep clear of."""
    inner = region.buffer(-_HAIR)
    if inner.is_empty:
        return points
    moved: Array = shapely.get_coordinates(shapely.shortest_line(inner, shapely.points(points)))[::2]
    return moved


def _level(layers: Layers, height: float) -> int | None:
    levels = (n for n, one in enumerate(layers.layers) if one.low == one.height and abs(one.height - height) <= TOUCH)
    return next(levels, None)


@dataclass(frozen=True, slots=True, eq=False)
class _Costs:
    """What places in one layer cost, from everything that a search has reached."""

    layers: Layers
    search: Search
    layer: int
    most: float

    def of(self, points: Array) -> Array:
        """(n,) inches to each point; inf beyond `most`."""
        parts = [self._of(points[begin : begin + _BATCH]) for begin in range(0, len(points), _BATCH)]
        return np.concatenate([np.zeros(0), *parts])

    def _of(self, points: Array) -> Array:
        """The same of few points: of all that was reached, the cheapest from which a point is reached legally."""
        lasts = [self._last(reached, points) for reached in self.search.reached]
        least, turn, first = (np.array(rows) for rows in zip(*lasts, strict=True))
        best = np.full(len(points), math.inf)
        for rows in np.argsort(least, axis=0):
            cost = least[rows, np.arange(len(points))]
            number = np.flatnonzero(cost < np.minimum(best, self.most))
            if not len(number):
                break
            lines = np.stack([first[rows[number], number], points[number]], axis=1)
            tries = [self.search.reached[row] for row in rows[number]]
            rise = self._rises(tries, lines, np.minimum(best, self.most)[number] - cost[number])
            for n, reached, more in zip(number, tries, rise, strict=True):
                if cost[n] + more < best[n] and self._turns(reached, float(turn[rows[n], n])):
                    best[n] = cost[n] + more
        return best

    def _last(self, reached: Reached, points: Array) -> tuple[Array, Array, Array]:
        """From something reached to points, climbs counted at their least: costs, turns before it leaves, and where."""
        circle = self.search.circle(reached.node)
        circles = np.column_stack([points, np.zeros(len(points))])
        direction, length, first, _ = tangents(circle, reached.sense, circles, np.ones(len(points), dtype=np.int64))
        turn = turned(reached.direction, direction, reached.sense) if circle[2] else np.zeros(len(points))
        rise = abs(self.layers.layers[self.layer].middle - self.search.height(reached.node))
        cost: Array = reached.cost + circle[2] * turn + length + rise
        return np.where((turn <= math.pi) & np.isfinite(cost), cost, math.inf), turn, first

    def _rises(self, tries: Sequence[Reached], lines: Array, spare: Array) -> Array:
        """(n,) what straight lines (n, 2, 2) from something reached climb above the least; inf where one is barred."""
        shapes = shapely.linestrings(lines)
        level = np.array([self.search.layer(reached.node) for reached in tries]) == self.layer
        level &= shapely.covers(self.layers.layers[self.layer].on, shapes)
        found = np.zeros(len(tries))
        for n in np.flatnonzero(~level).tolist():
            layer = self.search.layer(tries[n].node)
            least = abs(self.layers.layers[self.layer].middle - self.layers.layers[layer].middle)
            start, end = lines[n]
            crossing = cross(self.layers, start, end, layer, self.layer, spare=float(spare[n]) + least)
            found[n] = math.inf if crossing is None else crossing.height - least
        return found

    def _turns(self, reached: Reached, turn: float) -> bool:
        circle, layer = self.search.circle(reached.node), self.search.layer(reached.node)
        return free_arc(self.layers, layer, circle, reached.sense, reached.direction, turn) is not None


def _reached(end: End, points: Array, cost: Array, limit: float) -> Reach:
    corners = _triangles(points, np.where(np.isfinite(cost), cost, limit + 2 * GRID))
    steps = [*range(1, math.ceil(limit - SIDE)), limit]
    bands = [(float(step), _within(end, corners, step)) for step in steps]
    bands = [(step, region) for step, region in bands if not region.is_empty]
    return Reach(end.height, bands[-1][1] if bands else shapely.Polygon(), tuple(bands))


def _triangles(points: Array, cost: Array) -> Array:
    """(n, 3, 3) x, y and cost of triangles between the points; none where there are too few."""
    if len(points) < 4:
        return np.zeros((0, 3, 3))
    try:
        mesh = Delaunay(points)
    except QhullError:  # all points on a line
        return np.zeros((0, 3, 3))
    return np.asarray(np.column_stack([points, cost])[mesh.simplices])


def _within(end: End, corners: Array, most: float) -> BaseGeometry:
    plan = union_of_triangles(clipped_triangles(corners, -math.inf, most))
    parts = shapely.get_parts(shapely.get_parts(plan))  # twice: areas may lie beside lines in a collection
    areas = [part for part in parts if isinstance(part, shapely.Polygon)]
    region = shapely.intersection(shapely.union_all(areas), end.region)
    kept = [part for part in shapely.get_parts(region) if isinstance(part, shapely.Polygon) and part.area > _CRUMB]
    return shapely.MultiPolygon([kept[i] for i in np.argsort([-part.area for part in kept])])

"""Where a way may turn because only there it can climb: corners and edges of what two layers share."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.units import SIDE, WAY_SLACK
from deadground.scenes.layers import Layers, rings, turns_of
from deadground.scenes.ways import Place

__all__ = ["Places", "turning_places"]

_SHARP = 0.15  # radians; the corners of the polygons that stand for arcs turn less
_SLIVER = 0.01  # square inches
_SPACING = 1.0  # inches between places along an edge
_HALVINGS = 40


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Places at which a way may turn on the spot: (n, 4) x, y, 0 and layer. exact : whether there are no others."""

    rows: Array
    exact: bool


def turning_places(layers: Layers, start: Place, goal: Place | None) -> Places:
    """The places at which a way may turn on the spot to climb, besides the layers' bends.

    Corners of what two layers share, exactly. Along the edges at which climbing begins, which are a way's aim when a
    straight line does not come near enough: every inch, and the best for the straight lines from start and to goal.
    """
    found, exact = [np.zeros((0, 4))], True
    levels = [index for index, layer in enumerate(layers.layers) if layer.low == layer.height]
    for lower, upper in itertools.combinations(levels, 2):
        corners, edges = _of_pair(layers, lower, upper)
        along = [point for edge in edges for point in _along(edge, start, goal)]
        places = np.array([*corners, *along]).reshape(-1, 2)
        found.append(np.column_stack([places, np.zeros(len(places)), np.full(len(places), lower)]))
        exact = exact and not along
    return Places(np.unique(np.round(np.vstack(found), 6), axis=0), exact)


def _of_pair(layers: Layers, lower: int, upper: int) -> tuple[list[Array], list[shapely.LineString]]:
    """Corners and edges at which a way may turn to climb between two layers."""
    low, high = layers.layers[lower], layers.layers[upper]
    if not shapely.intersects(low.on, high.climb):  # quick, the next line is not
        return [], []
    shared = low.on.intersection(high.climb)
    walled = layers.walled(low.height, high.height, shared)
    portal = shared.difference(layers.barred(lower, upper, shared))
    if portal.is_empty:
        return [], []
    rim = high.climb.boundary
    if shapely.area(shapely.intersection(shared, walled)) > _SLIVER:
        rim = shapely.union(rim, walled.boundary)
    edge = portal.buffer(-WAY_SLACK / 2).boundary
    edges = _lines(shapely.intersection(rim.buffer(WAY_SLACK), edge))
    inner = portal.buffer(-WAY_SLACK / 2, join_style="mitre")
    corners = [point for ring, closed in rings(inner) if closed for point in ring[np.abs(turns_of(ring)) > _SHARP]]
    return corners, edges


def _lines(shape: BaseGeometry) -> list[shapely.LineString]:
    """The lines of a shape, joined where they meet."""
    parts = [part for part in shapely.get_parts(shape) if isinstance(part, shapely.LineString) and not part.is_empty]
    joined = shapely.get_parts(shapely.line_merge(shapely.MultiLineString(parts)))
    return [line for line in joined if isinstance(line, shapely.LineString) and not line.is_empty]


def _along(line: shapely.LineString, start: Place, goal: Place | None) -> Iterator[Array]:
    at = np.linspace(0.0, line.length, max(2, int(line.length / _SPACING) + 1))
    points = shapely.get_coordinates(shapely.line_interpolate_point(line, at))
    yield from points
    if goal is None or line.length <= SIDE:
        return
    detour = np.hypot(*(points - (start.x, start.y)).T) + np.hypot(*(points - (goal.x, goal.y)).T)
    best = int(np.argmin(detour))
    yield _least_detour(line, at[max(0, best - 1)], at[min(len(at) - 1, best + 1)], start, goal)


def _least_detour(line: shapely.LineString, low: float, high: float, start: Place, goal: Place) -> Array:
    """The point between two places of an edge that is least out of the way, by trisection."""

    def detour(at: float) -> float:
        point = shapely.line_interpolate_point(line, at)
        return math.hypot(point.x - start.x, point.y - start.y) + math.hypot(point.x - goal.x, point.y - goal.y)

    for _ in range(_HALVINGS):
        first, second = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, second) if detour(first) <= detour(second) else (first, high)
    found: Array = shapely.get_coordinates(shapely.line_interpolate_point(line, (low + high) / 2))[0]
    return found

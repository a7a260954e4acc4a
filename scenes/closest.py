"""Facts seen from above: the closest lines between two bases, and whether one of them is free. No word of any game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from shapely import affinity
from shapely.geometry.base import BaseGeometry

from deadground.geometry.convex import Convex
from deadground.geometry.units import PLANE_SLACK, TOUCH
from deadground.scenes.plane import first_crossed

__all__ = ["is_closest_free"]


def is_closest_free(one: Convex, other: Convex, obstacles: Sequence[BaseGeometry]) -> bool:
    """Whether a straight line between the closest parts of two bases crosses none of some obstacles.

    Where two sides lie along each other there are many such lines, and one that is free is enough: so the answer is the
    same for a table and its mirror image. Grazing an edge is not crossing. Mutual.
    """
    line = shapely.get_coordinates(shapely.shortest_line(one.polygon, other.polygon))
    way = line[1] - line[0]
    if float(np.hypot(*way)) > TOUCH:
        turn = -float(np.degrees(np.arctan2(way[1], way[0])))
        strip = _strip(*(affinity.rotate(base.polygon, turn, origin=(0, 0)) for base in (one, other)))
        if strip is not None:
            return _is_open(strip, [affinity.rotate(obstacle, turn, origin=(0, 0)) for obstacle in obstacles])
    return all(first_crossed(line, obstacle) is None for obstacle in obstacles)


def _strip(near: BaseGeometry, far: BaseGeometry) -> BaseGeometry | None:
    """The ground of the closest lines from one base along +x to another. None if there is but one line."""
    left, right = near.bounds[2], far.bounds[0]
    sides = [
        points[np.abs(points[:, 0] - edge) <= PLANE_SLACK, 1]
        for points, edge in ((shapely.get_coordinates(near), left), (shapely.get_coordinates(far), right))
    ]
    low, high = max(side.min() for side in sides), min(side.max() for side in sides)
    return shapely.box(left, low, right, high) if high - low > TOUCH else None


def _is_open(strip: BaseGeometry, obstacles: Sequence[BaseGeometry]) -> bool:
    """Whether a line along x through the whole strip crosses no obstacle."""
    met = shapely.intersection(shapely.buffer(list(obstacles), -TOUCH, join_style="bevel"), strip)
    spans = [part.bounds for part in shapely.get_parts(met) if not part.is_empty]
    left, _, right, _ = strip.bounds
    stopped = shapely.union_all([shapely.box(left, low, right, high) for _, low, _, high in spans])
    return bool(shapely.area(shapely.difference(strip, stopped)) > 0)

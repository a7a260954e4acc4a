"""Round and oval bases, and the upright bodies that stand on them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import shapely

from deadground.geometry.plates import Array
from deadground.geometry.units import ARC_ERROR

__all__ = ["Upright", "base_distance", "base_polygon", "quad_segments", "rim_count"]


@dataclass(frozen=True, slots=True)
class Upright:
    """A model's body: a round or oval base raised from its foot to its top.

    x, y : centre of the base; a, b : its half axes (a along `facing`); facing : radians counter-clockwise from +x;
    foot, top : heights. All in inches.
    """

    x: float
    y: float
    a: float
    b: float
    facing: float
    foot: float
    top: float

    def rim(self, angles: Array) -> Array:
        """(n, 2) points of the base's rim at parameter angles (n,) (the true angle only for round bases)."""
        u, v = self.a * np.cos(angles), self.b * np.sin(angles)
        c, s = math.cos(self.facing), math.sin(self.facing)
        return np.column_stack([self.x + c * u - s * v, self.y + s * u + c * v])


def rim_count(radius: float) -> int:
    """Corners of a polygon that stays within ARC_ERROR of a circle of this radius (inches)."""
    half = math.acos(max(0.0, 1 - 2 * ARC_ERROR / max(radius, 2 * ARC_ERROR)))
    return 4 * max(4, math.ceil(math.pi / half / 4))


def quad_segments(radius: float) -> int:
    """Segments of a quarter circle for buffers that stay within ARC_ERROR of true arcs of this radius (inches)."""
    return rim_count(radius) // 4


def base_polygon(body: Upright) -> shapely.Polygon:
    """The base seen from above, as a polygon within ARC_ERROR of the true rim (half inside, half outside)."""
    count = rim_count(max(body.a, body.b))
    grow = 2 / (1 + math.cos(math.pi / count))
    grown = Upright(body.x, body.y, body.a * grow, body.b * grow, body.facing, body.foot, body.top)
    return shapely.Polygon(grown.rim(np.arange(count) * 2 * math.pi / count))


def base_distance(one: Upright, other: Upright) -> float:
    """Distance between the closest parts of two bases, in inches, straight in 3D. 0.0 when they touch or overlap.

    A base is flat, at its model's foot. Symmetric. Exact for round bases, within 2 * ARC_ERROR for ovals.
    Source: core rules 01.04 (between bases, not bodies).
    """
    if one.a == one.b and other.a == other.b:
        across = max(0.0, math.hypot(one.x - other.x, one.y - other.y) - one.a - other.a)
    else:
        across = float(shapely.distance(base_polygon(one), base_polygon(other)))
    return math.hypot(across, one.foot - other.foot)

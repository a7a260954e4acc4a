"""A terrain piece as the rules need it: its solid, its openings, and flat sections that prove what it blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import shapely
import trimesh

from deadground.geometry.plates import Array, Plate

__all__ = ["Opening", "Piece"]


@dataclass(frozen=True, slots=True, eq=False)
class Opening:
    """An enclosed gap: bounded all round by the piece's surface, with the ground as lower bound of a door.

    id : counted from 1 within the piece, stable for the same file
    kind : "wall" for a gap passed horizontally, "floor" for a hole in a floor passed vertically
    origin, along, up : frame of the outline; a point is origin + u * along + v * up + w * normal.
        Walls: along is horizontal, up is (0, 0, 1) and origin's z is 0, so v is the height above the piece's foot.
        Floors: along is +x, up is +y, origin is (0, 0, 0): u, v are x, y and w is the height.
    outline : simple polygon in (u, v), inches
    near, far : range of w in which the gap lies in material (the thickness), near < far
    sure : False for a possible gap, which is shown and never closed by itself
    """

    id: int
    kind: Literal["wall", "floor"]
    origin: Array
    along: Array
    up: Array
    outline: shapely.Polygon
    near: float
    far: float
    sure: bool = True

    @property
    def normal(self) -> Array:
        """(3,) along x up: the direction in which one passes it."""
        return np.cross(self.along, self.up)

    @property
    def sill(self) -> float:
        """Lowest height of the gap above the piece's foot, inches."""
        return self.near if self.kind == "floor" else float(self.outline.bounds[1])

    @property
    def head(self) -> float:
        """Highest height of the gap above the piece's foot, inches."""
        return self.far if self.kind == "floor" else float(self.outline.bounds[3])

    @property
    def width(self) -> float:
        """Extent along `along`, inches."""
        return float(self.outline.bounds[2] - self.outline.bounds[0])

    @property
    def area(self) -> float:
        """Square inches."""
        return float(self.outline.area)

    @property
    def centre(self) -> Array:
        """(3,) centroid of the outline, half way through the thickness."""
        u, v = self.outline.centroid.coords[0]
        return self.origin + u * self.along + v * self.up + (self.near + self.far) / 2 * self.normal

    def closed_part(self, height: float) -> shapely.Polygon | shapely.MultiPolygon:
        """The part of the outline that a plug up to `height` (inches above the piece's foot) fills; may be empty.

        A floor's hole is filled whole or not at all: whole when its underside is not above `height`.
        """
        if self.kind == "floor":
            return self.outline if self.near <= height else shapely.Polygon()
        low_u, low_v, high_u, _ = self.outline.bounds
        return self.outline.intersection(shapely.box(low_u - 1, low_v - 1, high_u + 1, height))


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One piece of terrain in its own frame: inches, z up, foot at z = 0.

    mesh : its surface, float64; a closed volume for built pieces (see `watertight`)
    openings : its enclosed gaps
    cores : flat sections that lie wholly in material with every opening open
    """

    mesh: trimesh.Trimesh
    openings: tuple[Opening, ...] = ()
    cores: tuple[Plate, ...] = ()

    def closed(self, heights: Mapping[int, float]) -> Piece:
        """The piece united with a plug in each opening named in `heights` (id -> height up to which it is filled).

        Plugs fill exactly the gap through the wall's thickness. Cores grow by what is filled. Openings stay listed.
        """
        raise NotImplementedError

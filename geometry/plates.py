"""Flat things that stop a line: a polygon in a plane of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

__all__ = ["Array", "Plate"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Plate:
    """A flat polygon, every point of which lies in or on material.

    A line that crosses it is blocked. Facets of a closed mesh are plates; so is any flat section through its inside
    (a wall's mid-plane less its open windows), which proves without seams what many facets prove in pieces.

    origin : (3,) inches
    along, up : (3,) unit vectors, square to each other, that span the plane
    polygon : Polygon or MultiPolygon in (along, up) coordinates
    """

    origin: Array
    along: Array
    up: Array
    polygon: shapely.Polygon | shapely.MultiPolygon

    @property
    def normal(self) -> Array:
        """(3,) unit vector along x up."""
        return np.cross(self.along, self.up)

    def moved(self, turn: Array, shift: Array) -> Plate:
        """The plate under the rigid motion p -> turn @ p + shift (turn (3, 3), shift (3,))."""
        return Plate(turn @ self.origin + shift, turn @ self.along, turn @ self.up, self.polygon)

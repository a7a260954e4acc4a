"""Upright frames: how a mesh looks along one horizontal direction, and rasters of rays along it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deadground.geometry.caster import Caster
from deadground.geometry.plates import Array
from deadground.geometry.segments import Segments

__all__ = ["UP", "Frame", "Mask", "Raster", "Window", "first_depth", "seen_through"]

Mask = npt.NDArray[np.bool_]

UP: Array = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True)
class Frame:
    """An upright plane through the origin, seen along its normal.

    angle : radians of the normal, counter-clockwise from +x. A point is u * along + v * UP + w * normal.
    """

    angle: float

    @property
    def normal(self) -> Array:
        """(3,) horizontal unit vector, along x UP."""
        return np.array([math.cos(self.angle), math.sin(self.angle), 0.0])

    @property
    def along(self) -> Array:
        """(3,) horizontal unit vector."""
        return np.array([-math.sin(self.angle), math.cos(self.angle), 0.0])

    def points(self, u: Array, v: Array, w: Array) -> Array:
        """(n, 3) points of coordinates u, v, w (n,) each."""
        return u[:, None] * self.along + v[:, None] * UP + w[:, None] * self.normal

    def coordinates(self, points: Array) -> Array:
        """(n, 3) u, v, w of points (n, 3). Inverse of `points`."""
        return np.asarray(points @ np.column_stack([self.along, UP, self.normal]))


@dataclass(frozen=True, slots=True)
class Window:
    """A block of a frame, in its coordinates: u and v from low to high, w from near to far. Inches.

    grounded : its lower edge is the ground, which bounds a gap as material does
    """

    frame: Frame
    low: tuple[float, float]
    high: tuple[float, float]
    near: float
    far: float
    grounded: bool = False

    @property
    def size(self) -> tuple[float, float]:
        """Extent in u and v."""
        return self.high[0] - self.low[0], self.high[1] - self.low[1]


@dataclass(frozen=True, slots=True)
class Raster:
    """Points of a window at the middles of square pixels. Rows go up with v, columns with u."""

    window: Window
    step: float

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns; they cover the window."""
        across, high = self.window.size
        return max(1, math.ceil(high / self.step)), max(1, math.ceil(across / self.step))

    def u(self, columns: Array | npt.NDArray[np.int64]) -> Array:
        """(n,) u at the middle of columns."""
        return np.asarray(self.window.low[0] + (columns + 0.5) * self.step)

    def v(self, rows: Array | npt.NDArray[np.int64]) -> Array:
        """(n,) v at the middle of rows."""
        return np.asarray(self.window.low[1] + (rows + 0.5) * self.step)


def seen_through(caster: Caster, raster: Raster, which: Mask) -> Mask:
    """Those of some pixels through which one sees straight from near to far."""
    rows, columns = np.nonzero(which)
    window = raster.window
    start = window.frame.points(raster.u(columns), raster.v(rows), np.full(len(rows), window.near))
    free = np.zeros(raster.shape, bool)
    free[rows, columns] = ~caster.blocked_along(start, (window.far - window.near) * window.frame.normal)
    return free


def first_depth(caster: Caster, segments: Segments) -> tuple[Array, npt.NDArray[np.int64]]:
    """(n,) inches from each start to what is met first (inf if nothing), and (n,) which triangle that is (-1)."""
    hits = caster.first(segments)
    length = np.linalg.norm(segments.along, axis=1)
    return np.where(hits.blocked, hits.share * length, np.inf), hits.triangle

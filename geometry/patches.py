"""Patches: pieces of a body's surface where a line of sight may end.

A patch of an upright body is a stretch of its mantle or a sector of a cap; a patch of a mesh body is a triangle. Each
lies within the convex hull of six `corners`, so whatever holds for every line between two hulls holds for the patches.
Only the surface matters: a line from inside a body leaves it through its surface.

Rows of a `Patches` are independent. The form column tells how to read the nine numbers of `shape`:
    MANTLE     angle, half angle, height, half height           (angles are rim parameters, see `Upright.rim`)
    CAP        angle, half angle, radius, half radius, height, 1 for a top or -1 for an underside
                                                                (radius as a share of the rim's, 0 to 1)
    TRIANGLE   three corners
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deadground.geometry.plates import Array
from deadground.geometry.reference import cross
from deadground.geometry.segments import Ints
from deadground.geometry.shapes import Upright

__all__ = [
    "CAP",
    "MANTLE",
    "TRIANGLE",
    "Patches",
    "facing",
    "facing_patches",
    "join",
    "point_patch",
    "triangle_patches",
    "underside",
    "wholly_facing",
]

MANTLE, CAP, TRIANGLE = 0, 1, 2
_WIDEST = math.pi / 4
_NINE = [(turn, side) for turn in (-1.0, 0.0, 1.0) for side in (-1.0, 0.0, 1.0)]
_ON_TRIANGLE = (
    np.array([[6, 0, 0], [3, 3, 0], [0, 6, 0], [3, 0, 3], [2, 2, 2], [0, 3, 3], [0, 0, 6], [2, 2, 2], [2, 2, 2]]) / 6
)
_ROW = npt.NDArray[np.int64] | npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Patches:
    """Many patches, one a row.

    form : (n,); shape : (n, 9) see the module; base : (n, 5) x, y, a, b, facing of the upright body, zero for triangles
    """

    form: Ints
    shape: Array
    base: Array

    def __len__(self) -> int:
        return len(self.form)

    def take(self, rows: _ROW) -> Patches:
        """Some of them, by index or mask."""
        return Patches(self.form[rows], self.shape[rows], self.base[rows])

    def centres(self) -> Array:
        """(n, 3) one point on each patch."""
        angle, radius, height = self._upright(0.0, 0.0)
        points = self._on_base(angle, radius, height)
        flat = self.form == TRIANGLE
        points[flat] = self.shape[flat].reshape(-1, 3, 3).mean(1)
        return points

    def corners(self) -> Array:
        """(n, 6, 3) points whose convex hull contains the patch."""
        first, width = self.shape[:, 0], self.shape[:, 1]
        second, reach = self.shape[:, 2], self.shape[:, 3]
        cap = self.form == CAP
        points = np.empty((len(self), 6, 3))
        bulge = 1 / np.cos(np.minimum(width, _WIDEST))
        for column, turn in enumerate((-1, 0, 1)):
            out = bulge if turn == 0 else np.ones_like(bulge)
            for row, side in enumerate((-1, 1)):
                other = second + side * reach
                # the inner arc of a cap's sector lies inside the hull of its ends and the outer arc
                radius = np.where(cap, other * np.where(side == 1, out, 1.0), out)
                height = np.where(cap, self.shape[:, 4], other)
                points[:, 2 * column + row] = self._on_base(first + turn * width, radius, height)
        flat = self.form == TRIANGLE
        triangles = self.shape[flat].reshape(-1, 3, 3)
        points[flat] = triangles[:, [0, 1, 2, 0, 1, 2]]
        return points

    def samples(self) -> tuple[Array, Array]:
        """(n, 9, 3) points on each patch and (n, 9, 3) outward directions there (not unit).

        Number 3 * i + j is at the lower end, the middle or the upper end in its two directions (of a triangle: its
        corners, the middles of its edges and its own); 4 is the middle.
        """
        points = np.stack([self._on_base(*self._upright(*turn)) for turn in _NINE], 1)
        angle = np.stack([self.shape[:, 0] + turn * self.shape[:, 1] for turn, _ in _NINE], 1)
        normal = self._outward(angle)
        flat = self.form == TRIANGLE
        points[flat] = np.einsum("kc,ncx->nkx", _ON_TRIANGLE, self.shape[flat].reshape(-1, 3, 3))
        return points, normal

    def at(self, turn: Array, side: Array) -> tuple[Array, Array]:
        """(n, 3) a point of each patch, and (n, 3) the outward direction there (not unit).

        turn, side : (n,) from -1 to 1, where it lies between the patch's ends in its two directions
        """
        points = self._on_base(*self._upright(turn, side))
        normal = self._outward((self.shape[:, 0] + turn * self.shape[:, 1])[:, None])[:, 0]
        flat = self.form == TRIANGLE
        one, two = (1 + turn[flat, None]) / 2, (1 + side[flat, None]) / 2
        over = one + two > 1
        one, two = np.where(over, 1 - one, one), np.where(over, 1 - two, two)
        corner = self.shape[flat].reshape(-1, 3, 3)
        points[flat] = corner[:, 0] + one * (corner[:, 1] - corner[:, 0]) + two * (corner[:, 2] - corner[:, 0])
        return points, normal

    def nearest(self, points: Array) -> tuple[Array, Array]:
        """(n, 3) a point of each patch near points (n, 3), and (n, 3) the outward direction there.

        Upright bodies: near in angle and height; triangles: the middle.
        """
        x, y, a, b, facing = self.base.T
        c, s = np.cos(facing), np.sin(facing)
        dx, dy = points[:, 0] - x, points[:, 1] - y
        flat, cap = self.form == TRIANGLE, self.form == CAP
        u, v = (c * dx + s * dy) / np.where(flat, 1.0, a), (c * dy - s * dx) / np.where(flat, 1.0, b)
        turn = np.mod(np.arctan2(v, u) - self.shape[:, 0] + math.pi, 2 * math.pi) - math.pi
        angle = self.shape[:, 0] + np.clip(turn, -self.shape[:, 1], self.shape[:, 1])
        low, high = self.shape[:, 2] - self.shape[:, 3], self.shape[:, 2] + self.shape[:, 3]
        other = np.clip(np.where(cap, np.hypot(u, v), points[:, 2]), low, high)
        near = self._on_base(angle, np.where(cap, other, 1.0), np.where(cap, self.shape[:, 4], other))
        near[flat] = self.shape[flat].reshape(-1, 3, 3).mean(1)
        return near, self._outward(angle[:, None])[:, 0]

    def halves(self) -> Array:
        """(n, 2, 3) half of each patch's extent in its two directions; splitting in direction k halves vector k."""
        ends = [self._on_base(*self._upright(*side)) for side in ((-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0))]
        halves = np.stack([(ends[1] - ends[0]) / 2, (ends[3] - ends[2]) / 2], 1)
        flat = self.form == TRIANGLE
        if flat.any():
            corner = self.shape[flat].reshape(-1, 3, 3)
            edges = np.roll(corner, -1, 1) - corner
            longest = np.linalg.norm(edges, axis=2).argmax(1)
            halves[flat, 0] = edges[np.arange(len(edges)), longest] / 2
            halves[flat, 1] = 0.0
        return halves

    def normals(self) -> Array:
        """(n, 2, 3) two outward directions (not unit) between which the patch's own lie."""
        return self._outward(self.shape[:, :1] + self.shape[:, 1:2] * np.array([-1, 1]))

    def areas(self) -> Array:
        """(n,) square inches of each patch (mantles of ovals within a few per cent)."""
        sides = np.linalg.norm(self.halves(), axis=2)
        _, _, a, b, _ = self.base.T
        sector = 2 * self.shape[:, 1] * self.shape[:, 2] * 2 * self.shape[:, 3] * a * b
        corner = self.shape.reshape(-1, 3, 3)
        triangle = np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1) / 2
        mantle = 4 * sides[:, 0] * sides[:, 1]
        return np.asarray(np.select([self.form == CAP, self.form == TRIANGLE], [sector, triangle], mantle))

    def split(self, direction: Ints) -> Patches:
        """(2n) both halves of every patch in `direction` (n,): first all lower ones, then all upper ones."""
        low, high = self.shape.copy(), self.shape.copy()
        rows = np.arange(len(self))
        upright = self.form != TRIANGLE
        centre, half = 2 * direction, 2 * direction + 1
        for shape, sign in ((low, -1), (high, 1)):
            shape[rows[upright], centre[upright]] += sign * self.shape[rows, half][upright] / 2
            shape[rows[upright], half[upright]] /= 2
        low[~upright], high[~upright] = _split_triangles(self.shape[~upright])
        twice = np.concatenate([rows, rows])
        return Patches(self.form[twice], np.concatenate([low, high]), self.base[twice])

    def _upright(self, turn: float | Array, side: float | Array) -> tuple[Array, Array, Array]:
        angle = self.shape[:, 0] + turn * self.shape[:, 1]
        other = self.shape[:, 2] + side * self.shape[:, 3]
        cap = self.form == CAP
        return angle, np.where(cap, other, 1.0), np.where(cap, self.shape[:, 4], other)

    def _outward(self, angle: Array) -> Array:
        """(n, k, 3) outward directions (not unit) of each patch at angles (n, k)."""
        normal = np.zeros((*angle.shape, 3))
        _, _, a, b, facing = self.base.T[:, :, None]
        u, v = b * np.cos(angle), a * np.sin(angle)
        normal[:, :, 0] = np.cos(facing) * u - np.sin(facing) * v
        normal[:, :, 1] = np.sin(facing) * u + np.cos(facing) * v
        cap, flat = self.form == CAP, self.form == TRIANGLE
        normal[cap] = 0.0
        normal[cap, :, 2] = self.shape[cap, 5, None]
        corner = self.shape[flat].reshape(-1, 3, 3)
        normal[flat] = cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])[:, None]
        return normal

    def _on_base(self, angle: Array, radius: Array, height: Array) -> Array:
        x, y, a, b, facing = self.base.T
        u, v = a * radius * np.cos(angle), b * radius * np.sin(angle)
        c, s = np.cos(facing), np.sin(facing)
        return np.stack([x + c * u - s * v, y + s * u + c * v, height], -1)


def _split_triangles(shape: Array) -> tuple[Array, Array]:
    corner = shape.reshape(-1, 3, 3)
    rows = np.arange(len(corner))
    start = np.linalg.norm(np.roll(corner, -1, 1) - corner, axis=2).argmax(1)
    end, apex = (start + 1) % 3, (start + 2) % 3
    middle = (corner[rows, start] + corner[rows, end]) / 2
    low = np.stack([corner[rows, start], middle, corner[rows, apex]], 1)
    high = np.stack([middle, corner[rows, end], corner[rows, apex]], 1)
    return low.reshape(-1, 9), high.reshape(-1, 9)


def join(parts: Sequence[Patches]) -> Patches:
    """All rows of several, in order."""
    return Patches(
        np.concatenate([p.form for p in parts]),
        np.concatenate([p.shape for p in parts]),
        np.concatenate([p.base for p in parts]),
    )


def facing(patches: Patches, points: Array) -> npt.NDArray[np.bool_]:
    """(n,) whether any of points (n, k, 3) is in front of any part of its patch."""
    corner, normal = patches.corners(), patches.normals()
    reach = np.einsum("nkc,nmc->nkm", points, normal).max(1) - np.einsum("nkc,nmc->nkm", corner, normal).min(1)
    return np.asarray((reach > 0).any(1))


def wholly_facing(patches: Patches, points: Array) -> npt.NDArray[np.bool_]:
    """(n,) whether all of points (n, k, 3) are in front of every part of their patch."""
    corner, normal = patches.corners(), patches.normals()
    reach = np.einsum("nkc,nmc->nkm", points, normal).min(1) - np.einsum("nkc,nmc->nkm", corner, normal).max(1)
    return np.asarray((reach > 0).all(1))


def underside(patches: Patches) -> npt.NDArray[np.bool_]:
    """(n,) whether each is part of an upright body's underside."""
    return np.asarray((patches.form == CAP) & (patches.shape[:, 5] < 0))


def point_patch(point: Array) -> Patches:
    """A single point (3,) as a patch."""
    return triangle_patches(np.broadcast_to(point, (1, 3, 3)))


def triangle_patches(triangles: Array) -> Patches:
    """One patch for each triangle (m, 3, 3) of a mesh body."""
    count = len(triangles)
    return Patches(np.full(count, TRIANGLE), np.asarray(triangles, float).reshape(count, 9), np.zeros((count, 5)))


def facing_range(body: Upright, other: Upright) -> tuple[float, float]:
    """Middle and half width, in rim parameters, of the part of the rim where lines to the other base can leave.

    All of it where the bases come close. A line to a disc of radius r at distance d leaves the unit circle at angle t
    only where d * cos(t) + r >= 1. Ovals are judged on the circle that they are a squeeze of (a little too wide).
    """
    c, s = math.cos(body.facing), math.sin(body.facing)
    dx, dy = other.x - body.x, other.y - body.y
    u, v = (c * dx + s * dy) / body.a, (-s * dx + c * dy) / body.b
    apart, reach = math.hypot(u, v), max(other.a, other.b) / min(body.a, body.b)
    if apart <= 1 + reach:
        return 0.0, math.pi
    return math.atan2(v, u), math.acos((1 - reach) / apart)


def facing_patches(body: Upright, other: Upright, foot: float) -> Patches:
    """Patches that cover every point of `body` where a line to `other` can leave it, from height `foot` up (inches).

    The mantle's facing part, the top where the other reaches higher, the underside where it reaches lower.
    """
    middle, half = facing_range(body, other)
    count = math.ceil(half / _WIDEST)
    step = half / count
    angles = middle - half + step * (2 * np.arange(count) + 1)
    centre, reach = (foot + body.top) / 2, (body.top - foot) / 2
    rows = [(MANTLE, angle, step, centre, reach, 0.0, 0.0) for angle in angles]
    caps = [(z, way) for z, way, seen in ((body.top, 1, other.top > body.top), (foot, -1, other.foot < foot)) if seen]
    rows += [(CAP, k * math.pi / 2, math.pi / 4, 0.5, 0.5, z, way) for z, way in caps for k in range(4)]
    shape = np.zeros((len(rows), 9))
    shape[:, :6] = [row[1:] for row in rows]
    base = np.tile([body.x, body.y, body.a, body.b, body.facing], (len(rows), 1))
    return Patches(np.array([row[0] for row in rows], np.int64), shape, base)

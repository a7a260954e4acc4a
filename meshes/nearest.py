"""The points of a mesh that lie nearest to others, and how far two surfaces are apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh
from scipy.spatial import cKDTree

from deadground.geometry.plates import Array
from deadground.geometry.reference import cross
from deadground.geometry.units import GRID
from deadground.meshes.solid import Indices

__all__ = ["SPREAD", "Near", "Nearest", "spread"]

SPREAD = 20_000
"""Points that are laid over a surface, at least, to find its nearest triangles: what is found does not hang on it."""

_MOST_CUTS = 30  # times that a triangle is halved
_MOST_LAID = 20 * SPREAD  # points laid beside one for each triangle: needles are not followed to their ends
_ASKED = 3  # laid points whose triangles give a first distance
_FAN = 8  # boxes in a box
_BLOCK = 4_000  # points asked at once: what memory bears
_CELLS = 1023  # steps of the curve along which triangles are ordered, on each axis


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """Where points come nearest to a mesh. distance : (n,); point : (n, 3) on the mesh; triangle : (n,) whose."""

    distance: Array
    point: Array
    triangle: Indices


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """A mesh ready to be asked for its nearest points: its triangles in boxes in boxes.

    corners : (m, 3, 3) in the boxes' order; order : (m,) their numbers in the mesh
    levels : lowest and highest corners of boxes, the largest first; box k holds boxes 8k to 8k + 7 of the next level,
        the last level's boxes one triangle each
    tree, owner : points laid over the surface, and the triangle of each
    """

    corners: Array
    order: Indices
    levels: tuple[tuple[Array, Array], ...]
    tree: cKDTree
    owner: Indices

    @classmethod
    def of(cls, mesh: trimesh.Trimesh) -> Nearest:
        """Prepare a mesh."""
        corners = np.asarray(mesh.triangles, np.float64)
        order = _along_curve(corners.mean(axis=1))
        corners = corners[order]
        points, owner = _laid(corners)
        return cls(corners, order, _boxes(corners), cKDTree(points), owner)

    def to(self, points: Array) -> Near:
        """The nearest points of the mesh, in float64: no triangle of it is nearer."""
        parts = [self._block(points[k : k + _BLOCK]) for k in range(0, len(points), _BLOCK)]
        if not parts:
            return Near(np.empty(0), np.empty((0, 3)), np.empty(0, np.int64))
        keys = ("distance", "point", "triangle")
        return Near(*(np.concatenate([getattr(part, key) for part in parts]) for key in keys))

    def _block(self, points: Array) -> Near:
        count = len(points)
        found = Near(np.full(count, np.inf), np.zeros((count, 3)), np.full(count, -1))
        which = self.tree.query(points, min(_ASKED, len(self.owner)))[1].reshape(count, -1)
        for column in which.T:
            self._improve(found, points, np.arange(count), self.owner[column])
        rows, boxes = (
            np.repeat(np.arange(count), len(self.levels[0][0])),
            np.tile(np.arange(len(self.levels[0][0])), count),
        )
        for (low, high), below in zip(self.levels, [*(len(each[0]) for each in self.levels[1:]), 0], strict=True):
            outside = np.maximum(np.maximum(low[boxes] - points[rows], points[rows] - high[boxes]), 0.0)
            near = np.einsum("ij,ij->i", outside, outside) < found.distance[rows] ** 2
            rows, boxes = rows[near], boxes[near]
            if below:
                rows, boxes = np.repeat(rows, _FAN), (boxes[:, None] * _FAN + np.arange(_FAN)).ravel()
                rows, boxes = rows[boxes < below], boxes[boxes < below]
        self._improve(found, points, rows, boxes)
        return Near(found.distance, found.point, self.order[found.triangle])

    def _improve(self, found: Near, points: Array, rows: Indices, triangles: Indices) -> None:
        """Look at one triangle for each row; rows may come several times."""
        if not len(rows):
            return
        closest = _closest(points[rows], self.corners[triangles])
        near = np.linalg.norm(closest - points[rows], axis=1)
        best = np.lexsort((triangles, near, rows))
        best = best[np.append(True, np.diff(rows[best]) > 0)]
        best = best[near[best] < found.distance[rows[best]]]
        found.distance[rows[best]], found.point[rows[best]] = near[best], closest[best]
        found.triangle[rows[best]] = triangles[best]


def _along_curve(points: Array) -> Indices:
    """The order in which a curve that fills space (Morton's) passes points (n, 3)."""
    low, size = points.min(axis=0), np.maximum(np.ptp(points, axis=0), GRID)
    cells = ((points - low) / size * _CELLS).astype(np.int64)
    code = np.zeros(len(points), np.int64)
    for bit in range(_CELLS.bit_length()):
        for axis in range(3):
            code |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(code, kind="stable")


def _boxes(corners: Array) -> tuple[tuple[Array, Array], ...]:
    """Boxes around one triangle, around eight of those, and so on; the largest first."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    levels = [(low, high)]
    while len(low) > _FAN:
        starts = np.arange(0, len(low), _FAN)
        low, high = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
        levels.append((low, high))
    return tuple(levels[::-1])


def _closest(points: Array, corners: Array) -> Array:
    """(n, 3) the point of each triangle (n, 3, 3) that is nearest to each point; flat triangles count as lines."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    one, two = b - a, c - a
    normal = cross(one, two)
    size = (normal * normal).sum(-1)
    offset = points - a
    scale = 1.0 / np.where(size > 0, size, 1.0)
    u = (cross(offset, two) * normal).sum(-1) * scale
    v = (cross(one, offset) * normal).sum(-1) * scale
    inside = (size > 0) & (u >= 0) & (v >= 0) & (u + v <= 1)
    edges = [_on_segment(points, start, end) for start, end in ((a, b), (b, c), (c, a))]
    away = np.array([((edge - points) ** 2).sum(-1) for edge in edges])
    rim = np.choose(away.argmin(axis=0)[:, None], edges)
    return np.asarray(np.where(inside[:, None], a + u[:, None] * one + v[:, None] * two, rim))


def _on_segment(points: Array, start: Array, end: Array) -> Array:
    along = end - start
    size = (along * along).sum(-1)
    share = np.clip(((points - start) * along).sum(-1) / np.where(size > 0, size, 1.0), 0.0, 1.0)
    return np.asarray(start + share[:, None] * along)


def _laid(corners: Array) -> tuple[Array, Indices]:
    """Middles of the triangles and of the parts that large ones are cut into, and whose they are."""
    normals = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = float(np.linalg.norm(normals, axis=1).sum() / 2)
    usual = float(np.median(np.linalg.norm(corners - corners.mean(axis=1)[:, None], axis=2).max(axis=1)))
    wanted = max(min(np.sqrt(2 * area / SPREAD), 2 * usual), np.sqrt(area / _MOST_LAID), GRID)
    points: list[Array] = []
    owners: list[Indices] = []
    given = len(corners)
    owner = np.arange(len(corners))
    for cut in range(_MOST_CUTS + 1):
        middles = corners.mean(axis=1)
        away = np.linalg.norm(corners - middles[:, None], axis=2).max(axis=1)
        held = sum(len(part) for part in points) + len(corners) > _MOST_LAID + given
        done = (away <= wanted) | (cut == _MOST_CUTS) | held
        points.append(middles[done])
        owners.append(owner[done])
        corners, owner = _halved(corners[~done]), np.repeat(owner[~done], 2)
    return np.vstack(points), np.concatenate(owners)


def _halved(corners: Array) -> Array:
    """(2n, 3, 3) triangles cut across their longest side."""
    sides = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
    first = sides.argmax(axis=1)
    rows = np.arange(len(corners))
    a, b, c = (corners[rows, (first + k) % 3] for k in range(3))
    middle = (a + b) / 2
    return np.stack([np.stack([a, middle, c], 1), np.stack([middle, b, c], 1)], 1).reshape(-1, 3, 3)


def spread(mesh: trimesh.Trimesh, count: int, seed: int) -> tuple[Array, Indices]:
    """Points (n, 3) evenly over a mesh's surface, the same ones every time, and the triangle that each lies on."""
    areas = np.asarray(mesh.area_faces)
    ends = np.cumsum(areas)
    rng = np.random.default_rng(seed)
    draws = (rng.random(count) + np.arange(count)) / count * ends[-1]
    rows = np.minimum(np.searchsorted(ends, draws), len(areas) - 1)
    one, two = rng.random((2, count, 1))
    flip = one + two > 1
    one, two = np.where(flip, 1 - one, one), np.where(flip, 1 - two, two)
    a, b, c = np.moveaxis(np.asarray(mesh.triangles)[rows], 1, 0)
    return a + one * (b - a) + two * (c - a), np.asarray(rows, np.int64)

"""Where one can stand on a piece: floors, roofs, wall tops, steps and slopes, each with its outline and height."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import shapely
import trimesh
from scipy import sparse
from scipy.sparse import csgraph
from shapely import affinity
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.shapes import quad_segments
from deadground.geometry.units import SIDE, SNAP, STEEPEST, TOUCH
from deadground.meshes.columns import union_of_triangles
from deadground.meshes.solid import Indices

__all__ = ["Surface", "fits", "surfaces"]

_TURNS = 12  # headings tried for ovals
_OFFSETS = 4  # places tried for the lattice of bases, along each axis


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """One connected surface that one can stand on, in the mesh's frame, inches.

    height : where one stands; the highest point of a slope
    low : its lowest point; equal to `height` on a level surface
    outline : seen from above, holes kept
    triangles : (n, 3, 3) what it is made of
    """

    height: float
    low: float
    outline: shapely.Polygon
    triangles: Array

    @property
    def level(self) -> bool:
        """Whether it is at one height. The opposite of a slope."""
        return self.height == self.low

    @property
    def area(self) -> float:
        """Square inches, seen from above."""
        return float(self.outline.area)

    @property
    def filled(self) -> shapely.Polygon:
        """The outline without its holes: a stairwell's edge is not the outer edge."""
        return shapely.Polygon(self.outline.exterior)

    def holds(self, radius: float) -> bool:
        """Whether a round base of this radius lies wholly on it somewhere. `fits` says how many."""
        return not self.outline.buffer(TOUCH - radius, quad_segs=quad_segments(radius)).is_empty


@lru_cache(maxsize=256)
def surfaces(mesh: trimesh.Trimesh) -> tuple[Surface, ...]:
    """Every surface of a mesh (inches, z up) that faces up and is not steeper than `STEEPEST`, lowest first.

    Faces closer than `TOUCH` in height are one level surface where they meet; a scanned floor that wavers by less than
    `SNAP` is one too, at its highest point. What else is slanted forms slopes. Nothing is said of what stands on a
    surface or hangs over it, so wall tops too narrow for any base are here as well (`Surface.holds`).
    Cached by the mesh, which must not change.
    """
    corners = np.asarray(mesh.triangles, dtype=np.float64)
    walkable = np.flatnonzero((np.asarray(mesh.face_normals)[:, 2] >= STEEPEST) & (mesh.area_faces > 0))
    span = np.ptp(corners[walkable, :, 2], axis=1)
    level, slanted = walkable[span <= TOUCH], walkable[span > TOUCH]
    found = [*_levels(corners[level]), *_slopes(mesh, slanted)]
    return tuple(sorted(found, key=lambda surface: (surface.height, -surface.area)))


def _levels(corners: Array) -> list[Surface]:
    """Level faces (n, 3, 3), gathered by height and split where they do not meet."""
    if not len(corners):
        return []
    heights = corners[:, :, 2].max(axis=1)
    order = np.argsort(heights, kind="stable")
    cuts = np.flatnonzero(np.diff(heights[order]) > TOUCH) + 1
    return [surface for group in np.split(order, cuts) for surface in _parts(corners[group])]


def _parts(corners: Array) -> list[Surface]:
    height = float(corners[:, :, 2].max())
    middles = shapely.points(corners[:, :, :2].mean(axis=1))
    plan = union_of_triangles(list(corners))
    outlines = [part for part in shapely.get_parts(plan) if isinstance(part, shapely.Polygon) and part.area > SIDE]
    return [Surface(height, height, part, corners[shapely.intersects(part, middles)]) for part in outlines]


def _slopes(mesh: trimesh.Trimesh, faces: Indices) -> list[Surface]:
    """Slanted faces, gathered where they share edges."""
    count = len(mesh.faces)
    slanted = np.zeros(count, dtype=bool)
    slanted[faces] = True
    pairs = np.asarray(mesh.face_adjacency, dtype=np.int64).reshape(-1, 2)
    pairs = pairs[slanted[pairs].all(axis=1)]
    links = sparse.coo_matrix((np.ones(len(pairs), dtype=np.int8), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    group = csgraph.connected_components(links, directed=False)[1][faces]
    corners = np.asarray(mesh.triangles)
    return [surface for number in np.unique(group) for surface in _slope(corners[faces[group == number]])]


def _slope(corners: Array) -> list[Surface]:
    low, high = float(corners[:, :, 2].min()), float(corners[:, :, 2].max())
    if high - low <= SNAP:
        return _parts(corners)
    plan = union_of_triangles(list(corners))
    parts = [part for part in shapely.get_parts(plan) if isinstance(part, shapely.Polygon) and part.area > SIDE]
    return [Surface(high, low, part, corners) for part in parts]


def fits(surface: Surface, length: float, width: float) -> int:
    """At least how many bases of this length and width (inches; equal for round ones) stand on a surface side by side.

    Every base lies wholly within the outline. A lattice is laid at several places and headings, and the best taken: a
    lower bound, but never 0 where a round base fits.
    """
    headings = [0.0] if length == width else [180.0 * turn / _TURNS for turn in range(_TURNS)]
    return max(_fits_heading(surface.outline, length, width, heading) for heading in headings)


def _fits_heading(outline: shapely.Polygon, length: float, width: float, heading: float) -> int:
    turned = affinity.rotate(outline, -heading, origin=(0, 0))
    squeezed = affinity.scale(turned, width / length, 1.0, origin=(0, 0))
    centres = squeezed.buffer(TOUCH - width / 2, quad_segs=quad_segments(width / 2))
    if centres.is_empty:
        return 0
    shapely.prepare(centres)
    return max(1, *(_lattice(centres, width, row) for row in (width, width * math.sqrt(3) / 2)))


def _lattice(centres: BaseGeometry, step: float, row: float) -> int:
    """Most points of a lattice within a plan: square (row = step) or hexagonal (row = step * sqrt(3) / 2)."""
    x0, y0, x1, y1 = centres.bounds
    columns, rows = np.arange(x0 - step, x1 + step, step), np.arange(y0, y1 + row + TOUCH, row)
    shift = np.where(np.arange(len(rows)) % 2, 0.0 if row == step else step / 2, 0.0)
    x, y = columns[None, :] + shift[:, None], np.repeat(rows[:, None], len(columns), axis=1)
    tried = [
        shapely.contains_xy(centres.buffer(TOUCH), x + step * i / _OFFSETS, y - row * j / _OFFSETS).sum()
        for i in range(_OFFSETS)
        for j in range(_OFFSETS)
    ]
    return int(max(tried))

"""Terrain and models as flat shapes: seen from above, from the front, from the right, and cut through. Inches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
import shapely
import trimesh
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.units import TOUCH
from deadground.meshes.piece import Opening
from deadground.scenes.model import Model
from deadground.scenes.placing import base_outline
from deadground.scenes.terrain import Feature

__all__ = [
    "FRONT", "PLAN", "RIGHT", "View", "cut", "form_shape", "ground_cut", "model_shape", "opening_shape", "section",
    "silhouette", "table_points",
]  # fmt: skip

MOST_TRIANGLES: Final = 20_000
"""A silhouette of more triangles is drawn from rounded ones: what is left out could not be seen on a page."""

FINEST: Final = 0.02
"""Inches: the finest rounding for such a silhouette."""


@dataclass(frozen=True, slots=True)
class View:
    """A direction to look in: where a table's axes go on the page.

    name : for ids; title : for readers; across, up : unit vectors of the page's axes on the table
    level : height of the floor that a plan is drawn of, inches
    """

    name: str
    title: str
    across: tuple[float, float, float]
    up: tuple[float, float, float]
    level: float = 0.0

    @property
    def above(self) -> bool:
        """Whether it looks down."""
        return self.up[2] == 0

    def flat(self, points: Array) -> Array:
        """(n, 3) points of the table as (n, 2) on the page, inches."""
        return points @ np.array([self.across, self.up], dtype=np.float64).T


PLAN: Final = View("plan", "Seen from above", (1, 0, 0), (0, 1, 0))
FRONT: Final = View("front", "Seen from the front", (1, 0, 0), (0, 0, 1))
RIGHT: Final = View("side", "Seen from the right", (0, 1, 0), (0, 0, 1))


def table_points(feature: Feature, own: Array) -> Array:
    """(n, 3) points in the feature's own frame, on the table."""
    return own @ feature.rotation.T + feature.shift


@lru_cache(maxsize=128)
def silhouette(feature: Feature, view: View) -> BaseGeometry:
    """All of the feature's material seen in that direction. Polygon or MultiPolygon."""
    mesh = feature.piece.mesh
    return _union(view.flat(table_points(feature, np.asarray(mesh.vertices, dtype=np.float64))), np.asarray(mesh.faces))


def _union(flat: Array, faces: npt.NDArray[np.int64]) -> BaseGeometry:
    """The area of triangles with corners flat (n, 2); many are rounded to a grid until few enough differ."""
    grid, points, kept = 0.0, flat, faces
    while len(kept) > MOST_TRIANGLES:
        grid = 2 * grid or FINEST
        points, kept = _rounded(flat, faces, grid)
    triangles = points[kept]
    (ax, ay), (bx, by) = (np.moveaxis(triangles[:, k] - triangles[:, 0], 1, 0) for k in (1, 2))
    shapes = shapely.polygons(triangles[np.abs(ax * by - ay * bx) > TOUCH**2])
    return shapely.simplify(shapely.union_all(shapes), max(grid / 2, TOUCH))


def form_shape(vertices: Array, faces: npt.NDArray[np.int64], view: View) -> BaseGeometry:
    """The area that triangles of the table cover, seen in that direction."""
    if len(faces) == 0:
        return shapely.Polygon()
    return _union(view.flat(np.asarray(vertices, dtype=np.float64)), np.asarray(faces))


def _rounded(flat: Array, faces: npt.NDArray[np.int64], grid: float) -> tuple[Array, npt.NDArray[np.int64]]:
    """Corners on a grid, and the triangles between them, each once, without those that shrank to a line."""
    points, index = np.unique(np.round(flat / grid), axis=0, return_inverse=True)
    kept = np.unique(np.sort(index.reshape(-1)[faces], axis=1), axis=0)
    return points * grid, kept[(kept[:, 0] != kept[:, 1]) & (kept[:, 1] != kept[:, 2])]


def cut(mesh: trimesh.Trimesh, origin: Array, normal: Array, across: Array, up: Array) -> BaseGeometry:
    """The material of a mesh (own frame) in the plane through origin, in coordinates along across and up from origin.

    What does not close (an open mesh) is left out. Empty where the plane misses.
    """
    segments = trimesh.intersections.mesh_plane(mesh, plane_normal=normal, plane_origin=origin)
    if len(segments) == 0:
        return shapely.Polygon()
    flat = (np.asarray(segments, dtype=np.float64) - origin) @ np.array([across, up]).T
    flat = np.round(flat, 6)
    area: BaseGeometry = shapely.build_area(shapely.multilinestrings(shapely.linestrings(flat)))
    return area


@lru_cache(maxsize=128)
def ground_cut(feature: Feature, height: float) -> BaseGeometry:
    """The feature's material at a height above its foot, seen from above, on the table."""
    x, y, z = np.eye(3)
    own = cut(feature.piece.mesh, height * z, z, x, y)
    return shapely.transform(own, lambda flat: _placed(feature, flat, height)[:, :2])


def _placed(feature: Feature, flat: Array, height: float) -> Array:
    return table_points(feature, np.column_stack([flat, np.full(len(flat), height)]))


def section(feature: Feature, start: Array, end: Array, view: View) -> BaseGeometry:
    """What an upright cut along the line from start to end ((3,) on the table) meets of the feature, seen in `view`.

    Only between the two ends. The line crosses the shape where it crosses material. Empty for an upright line.
    """
    run = (end - start) * [1.0, 1.0, 0.0]
    reach = float(np.linalg.norm(run))
    if reach < TOUCH:
        return shapely.Polygon()
    along, up = run / reach, np.array([0.0, 0.0, 1.0])
    own = feature.rotation.T
    foot = np.array([*start[:2], 0.0])
    material = cut(feature.piece.mesh, own @ (foot - feature.shift), own @ np.cross(along, up), own @ along, up)
    kept = shapely.intersection(material, shapely.box(0.0, -1e3, reach, 1e3))
    return shapely.transform(kept, lambda flat: view.flat(foot + flat[:, :1] * along + flat[:, 1:] * up))


def opening_shape(feature: Feature, opening: Opening, outline: BaseGeometry, view: View) -> BaseGeometry:
    """A gap (or the part of its outline that is given) through its thickness, seen in that direction."""
    parts = []
    for part in shapely.get_parts(shapely.simplify(outline, TOUCH)):
        u, v = np.asarray(part.exterior.coords)[:, :2].T if isinstance(part, shapely.Polygon) else np.zeros((2, 0))
        plane = opening.origin + u[:, None] * opening.along + v[:, None] * opening.up
        near, far = (view.flat(table_points(feature, plane + w * opening.normal)) for w in (opening.near, opening.far))
        parts.extend(_swept(near, far))
    return shapely.union_all(parts)


def _swept(near: Array, far: Array) -> list[BaseGeometry]:
    """What a loop sweeps between two places: both loops, and the quadrilateral over each edge."""
    if len(near) < 4:
        return []
    sides = np.stack([near[:-1], near[1:], far[1:], far[:-1]], axis=1)
    return [shapely.make_valid(shapely.Polygon(ring)) for ring in (near, far, *sides)]


def model_shape(model: Model, view: View) -> BaseGeometry:
    """The model's base seen from above, or its body from the front or the side."""
    body, rim = model.body, base_outline(model)
    if view.above:
        return rim
    if model.mesh is not None:
        return _union(view.flat(np.asarray(model.mesh.vertices, dtype=np.float64)), np.asarray(model.mesh.faces))
    spread = np.asarray(rim.exterior.coords) @ np.array(view.across[:2])
    return shapely.box(float(spread.min()), body.foot, float(spread.max()), body.top)

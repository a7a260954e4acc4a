"""Where things stand on the table: placed terrain, its plan, and the surfaces under a base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import shapely
import trimesh
from shapely import affinity

from deadground.geometry.plates import Array
from deadground.geometry.shapes import base_polygon
from deadground.geometry.units import SNAP, STEEPEST, TOUCH, UPRIGHT, at_or_below
from deadground.meshes.piece import Piece
from deadground.scenes.model import Model
from deadground.scenes.terrain import Feature

__all__ = ["Ground", "Plan", "Surfaces", "base_outline", "footprint", "placed_mesh", "standing", "surfaces_under"]

Plan = shapely.Polygon | shapely.MultiPolygon
"""A shape on the table seen from above, inches."""

_CACHED = 1024
"""Features of which each answer is kept: half of what a scene may hold."""


@dataclass(frozen=True, slots=True, eq=False)
class Surfaces:
    """Pieces of surface under a plan, one entry each. Inches above the table's ground.

    low, high : (n,) heights between which the piece lies where it is under the plan (equal if it is level)
    features : whose surface it is, None for the ground
    """

    low: Array
    high: Array
    features: tuple[str | None, ...]

    @property
    def levels(self) -> tuple[float, ...]:
        """The distinct heights, lowest first. Those closer than TOUCH count once, a slope by its highest point."""
        ordered = np.unique(self.high)
        return tuple(float(z) for z in ordered[np.diff(ordered, prepend=-np.inf) > TOUCH])


def base_outline(model: Model) -> shapely.Polygon:
    """A model's base seen from above, on the table. Round and oval bases are within ARC_ERROR of the true rim."""
    if model.base.shape != "square":
        return base_polygon(model.body)
    a, b = model.base.length / 2, model.base.width / 2
    turned = affinity.rotate(shapely.box(-a, -b, a, b), model.facing, origin=(0, 0))
    return affinity.translate(turned, model.x, model.y)


@lru_cache(maxsize=_CACHED)
def placed_mesh(feature: Feature) -> trimesh.Trimesh:
    """The feature's mesh on the table, inches. Not to be changed: it is shared."""
    own = feature.piece.mesh
    vertices = np.asarray(own.vertices) @ feature.rotation.T + feature.shift
    return trimesh.Trimesh(vertices, own.faces, process=False)


@lru_cache(maxsize=_CACHED)
def footprint(feature: Feature) -> Plan:
    """The plan of all the feature's material on the table, its holes filled. Not its physical base."""
    return feature.on_table(_own_plan(feature.piece))


@lru_cache(maxsize=_CACHED)
def _own_plan(piece: Piece) -> Plan:
    mesh = piece.mesh
    upward = np.asarray(mesh.face_normals)[:, 2]
    seen = (
        upward > UPRIGHT if mesh.is_watertight else np.abs(upward) > UPRIGHT
    )  # a closed mesh is covered by its upper side
    united = shapely.union_all(shapely.polygons(np.asarray(mesh.triangles)[seen][:, :, :2]))
    outlines = [
        shapely.Polygon(part.exterior) for part in shapely.get_parts(united) if isinstance(part, shapely.Polygon)
    ]
    filled = shapely.union_all(outlines)
    return filled if isinstance(filled, shapely.Polygon | shapely.MultiPolygon) else shapely.Polygon()


@lru_cache(maxsize=_CACHED)
def _tops(feature: Feature) -> tuple[Array, Array]:
    """The feature's triangles one can stand on: corners (n, 3, 3) on the table, and their bounds from above (n, 4)."""
    mesh = placed_mesh(feature)
    corners = np.asarray(mesh.triangles)[np.asarray(mesh.face_normals)[:, 2] >= STEEPEST]
    flat = corners[:, :, :2]
    return corners, np.hstack([flat.min(axis=1), flat.max(axis=1)])


def surfaces_under(plan: Plan, features: Sequence[Feature]) -> Surfaces:
    """All surfaces one can stand on under a plan: the ground, and every upward-facing triangle of the features.

    A surface that the plan only touches is not under it. What lies above it does not matter: an upper floor and the
    ground below it are both given.
    """
    shrunk = plan.buffer(-TOUCH)
    inner = plan if shrunk.is_empty else shrunk
    low, high = [np.zeros(1)], [np.zeros(1)]
    names: list[str | None] = [None]
    for feature in features:
        feature_low, feature_high = _heights(inner, feature)
        low.append(feature_low)
        high.append(feature_high)
        names.extend([feature.name] * len(feature_low))
    return Surfaces(np.concatenate(low), np.concatenate(high), tuple(names))


class Ground:
    """The features of a scene, for many questions of what lies under a plan. Same answers as `surfaces_under`."""

    def __init__(self, features: Sequence[Feature]) -> None:
        self._features = tuple(features)
        self._tree = shapely.STRtree([footprint(feature) for feature in features])

    def under(self, plan: Plan) -> Surfaces:
        """All surfaces one can stand on under a plan."""
        return surfaces_under(plan, [self._features[n] for n in sorted(self._tree.query(plan))])


def _heights(plan: Plan, feature: Feature) -> tuple[Array, Array]:
    corners, bounds = _tops(feature)
    x0, y0, x1, y1 = plan.bounds
    near = (bounds[:, 0] <= x1) & (bounds[:, 2] >= x0) & (bounds[:, 1] <= y1) & (bounds[:, 3] >= y0)
    corners = corners[near]
    shapes = np.asarray(shapely.polygons(corners[:, :, :2]))
    shapely.prepare(plan)
    under = shapely.intersects(plan, shapes)
    corners, shapes = corners[under], shapes[under]
    low, high = corners[:, :, 2].min(axis=1), corners[:, :, 2].max(axis=1)
    slanted = high - low > TOUCH
    low[slanted], high[slanted] = _clipped_heights(plan, shapes[slanted], corners[slanted])
    return low, high


def _clipped_heights(plan: Plan, shapes: npt.NDArray[np.object_], corners: Array) -> tuple[Array, Array]:
    """Lowest and highest point of slanted triangles (n, 3, 3) where they are under the plan, (n,) each."""
    points, which = shapely.get_coordinates(shapely.intersection(plan, shapes), return_index=True)
    low, high = corners[:, :, 2].min(axis=1), corners[:, :, 2].max(axis=1)
    edges = corners[:, 1:] - corners[:, :1]
    rise = np.linalg.solve(edges[:, :, :2], edges[:, :, 2:])[:, :, 0]  # height gained for each inch in x and in y
    heights = corners[which, 0, 2] + ((points - corners[which, 0, :2]) * rise[which]).sum(axis=1)
    lowest, highest = np.full(len(low), np.inf), np.full(len(low), -np.inf)
    np.minimum.at(lowest, which, heights)
    np.maximum.at(highest, which, heights)
    return np.clip(lowest, low, high), np.clip(highest, low, high)


def standing(height: float, under: Surfaces) -> tuple[float, str | None] | None:
    """The surface that a stated height means: its height there and whose it is. None if no surface is within SNAP.

    The nearest one is meant; of two equally near the ground, then the first feature in the file.
    """
    foot = np.clip(height, under.low, under.high)
    best = int(np.argmin(np.abs(foot - height)))
    if not at_or_below(abs(float(foot[best]) - height), SNAP):
        return None
    return float(foot[best]), under.features[best]

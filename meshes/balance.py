"""Whether a piece stands on the table by itself, and how far it can tip before it falls."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import shapely
import trimesh

from deadground.geometry.plates import Array
from deadground.geometry.units import FOOT, GAP_GROUND, ROUGH
from deadground.meshes.solid import is_closed

__all__ = ["SIDES", "Balance", "balance", "flat_area", "standing_on"]

SIDES = {
    "y": np.array([0.0, 1.0, 0.0]), "-y": np.array([0.0, -1.0, 0.0]), "x": np.array([1.0, 0.0, 0.0]),
    "-x": np.array([-1.0, 0.0, 0.0]), "-z": np.array([0.0, 0.0, -1.0]),
}  # fmt: skip
"""The other directions that could be up, by the names that `load` gives them."""


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """How a piece stands.

    margin : from below its centre of mass to the nearest edge of what it stands on, inches; negative if it falls over
    height : of its centre of mass above the ground, inches
    contact : area of the hull of what touches the ground, square inches
    """

    margin: float
    height: float
    contact: float

    @property
    def stands(self) -> bool:
        """Whether it stays as it is put."""
        return self.margin > 0

    @property
    def tips_at(self) -> float:
        """Degrees it can be tilted in its weakest direction before it falls over; 0 if it does not stand."""
        return max(0.0, math.degrees(math.atan2(self.margin, max(self.height, GAP_GROUND))))


def balance(mesh: trimesh.Trimesh, noise: float = 0.0) -> Balance:
    """How a mesh (inches, z up, foot at 0) stands: the hull of what touches the ground, and where its weight is.

    The centre of mass of a closed mesh taken as solid; of the surface if it is open. noise : the mesh's `grain`; the
    foot of a rough mesh may be as ragged as `FOOT`.
    """
    centre = np.asarray(mesh.center_mass if is_closed(mesh) else mesh.centroid, dtype=np.float64)
    reach = FOOT + 3 * noise if noise > ROUGH else GAP_GROUND
    return _balance(np.asarray(mesh.vertices), centre, reach)


def standing_on(mesh: trimesh.Trimesh, up: Array) -> Balance:
    """The same if a direction (3,) were up."""
    one = np.cross(up, np.eye(3)[np.abs(up).argmin()])
    turn = np.array([one, np.cross(up, one), up])
    corners = np.asarray(mesh.vertices) @ turn.T
    centre = turn @ (mesh.center_mass if is_closed(mesh) else mesh.centroid)
    shift = np.array([0.0, 0.0, corners[:, 2].min()])
    return _balance(corners - shift, centre - shift, GAP_GROUND)


def _balance(corners: Array, centre: Array, reach: float) -> Balance:
    foot = shapely.MultiPoint(corners[corners[:, 2] <= corners[:, 2].min() + reach, :2]).convex_hull
    below = shapely.Point(centre[:2])
    if not isinstance(foot, shapely.Polygon):
        return Balance(-float(shapely.distance(foot, below)), float(centre[2]), 0.0)
    away = float(shapely.distance(foot.exterior, below))
    return Balance(away if shapely.contains(foot, below) else -away, float(centre[2]), float(foot.area))


def flat_area(mesh: trimesh.Trimesh, up: Array) -> float:
    """Square inches of the surface on which a mesh would lie flat if a direction (3,) were up."""
    height = np.asarray(mesh.triangles) @ up
    flat = height.max(axis=1) <= height.min() + GAP_GROUND
    return float(np.asarray(mesh.area_faces)[flat].sum())

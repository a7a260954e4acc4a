"""How rough a mesh is, and how it stands: the plane it stands on, and what turns that plane level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import trimesh

from deadground.geometry.plates import Array
from deadground.geometry.units import BROAD, FOOT, LEVEL, ROUGH, ROUGHEST
from deadground.meshes.repair_faces import edges_of
from deadground.meshes.solid import outwards

__all__ = ["Levelling", "grain", "levelling"]

_SMOOTH = 0.77  # cosine: a vertex with a face further off its own normal lies on an edge of the shape
_SMOOTH_SHARE = 0.1  # of the vertices must be smooth, else the mesh is all edges and says nothing of noise
_UMBRELLA = 0.73  # median of |distance to the neighbours' mean| of normal noise of deviation 1: 0.6745 * sqrt(1 + 1/6)
_SQUARE = 0.35  # sine of the most that a wall or a floor may be off square to count for the levelling
_ROBUST = 0.1  # sine at which a face counts half
_UNDER = 6  # feet (`FOOT`) above the lowest point in which the foot is looked for
_RAGGED = 0.3  # of a mesh's edges open: its corners are not joined, and its rim says nothing of its foot
_BETTER = 1.1  # times as much must lie on the ground for a turn to be believed
_NEARLY = 0.9986  # cosine of 3 degrees
_ROUNDS = 25


@dataclass(frozen=True, slots=True, eq=False)
class Levelling:
    """The motion p -> turn @ p + shift that makes a mesh stand level, its foot's plane at z = 0.

    degrees : how far the mesh was tilted; residual : mean distance of its foot from the plane, inches.
    Identity (0 degrees) for a mesh that stands as well as it can.
    """

    turn: Array
    shift: Array
    degrees: float
    residual: float

    @property
    def needed(self) -> bool:
        """Whether it moves anything."""
        return bool(self.degrees > 0 or self.shift.any())

    def levelled(self, mesh: trimesh.Trimesh) -> trimesh.Trimesh:
        """The mesh moved (a copy), or itself if nothing is to move."""
        if not self.needed:
            return mesh
        return trimesh.Trimesh(mesh.vertices @ self.turn.T + self.shift, mesh.faces, process=False)


def grain(mesh: trimesh.Trimesh) -> float:
    """Standard deviation of the noise on a mesh's smooth parts, inches: 0.0 on clean ones.

    Median distance of a vertex from the mean of its neighbours, along its normal, over vertices away from edges.
    """
    count = len(mesh.vertices)
    faces, normals = np.asarray(mesh.faces), np.asarray(mesh.face_normals)
    own = np.column_stack([_summed(faces.ravel(), np.repeat(normals[:, k], 3), count) for k in range(3)])
    own /= np.maximum(np.linalg.norm(own, axis=1, keepdims=True), np.finfo(float).tiny)
    worst = np.ones(count)
    for corner in range(3):
        np.minimum.at(worst, faces[:, corner], np.einsum("ij,ij->i", normals, own[faces[:, corner]]))
    smooth = (worst > _SMOOTH) & (np.bincount(faces.ravel(), minlength=count) > 2)
    if smooth.mean() < _SMOOTH_SHARE:
        return 0.0
    off = np.einsum("ij,ij->i", _umbrella(mesh), own)[smooth]
    noise = float(np.median(np.abs(off))) / _UMBRELLA
    return noise if noise < ROUGHEST else 0.0


def _summed(index: npt.NDArray[np.int64], values: Array, count: int) -> Array:
    return np.asarray(np.bincount(index, values, count), np.float64)


def _umbrella(mesh: trimesh.Trimesh) -> Array:
    """(n, 3) from each vertex to the mean of its neighbours."""
    count, faces = len(mesh.vertices), np.asarray(mesh.faces)
    # inner edges come twice, once from each face: the mean is the same
    ends = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    ends = np.concatenate([ends, ends[:, ::-1]])
    total = np.bincount(ends[:, 0], minlength=count)
    mean = [_summed(ends[:, 0], mesh.vertices[ends[:, 1], k], count) / np.maximum(total, 1) for k in range(3)]
    return np.column_stack(mean) - mesh.vertices


def levelling(mesh: trimesh.Trimesh, noise: float | None = None) -> Levelling:
    """What makes a mesh (inches, z up) stand level. noise : its `grain`, if that is known already.

    Its walls tell where up is, and its floors; its foot tells how high the ground is. Clean meshes whose foot is level
    are left alone, and so is what would not stand better for it.
    """
    noise = grain(mesh) if noise is None else noise
    under = _Underside(mesh, noise, *_rim(mesh))
    still = np.eye(3)
    turn = _turn(under.square_to(_upwards(mesh)))
    degrees = float(np.degrees(np.arccos(min(1.0, turn[2, 2]))))
    if degrees < LEVEL or under.standing(turn[2]) <= _BETTER * under.standing(still[2]):
        turn, degrees = still, 0.0
    height, residual = under.foot(turn[2])
    if degrees == 0 and noise < ROUGH:
        height = 0.0
    return Levelling(turn, np.array([0.0, 0.0, -height]), degrees, residual)


@dataclass(frozen=True, slots=True, eq=False)
class _Underside:
    """What a mesh may stand on: its faces that look down, and its open edges, for what was scanned has no underside.

    rim : (n, 3) middles of the open edges; rim_areas : (n,) their lengths times `FOOT`
    """

    mesh: trimesh.Trimesh
    noise: float
    rim: Array
    rim_areas: Array

    def seen_from(self, up: Array) -> tuple[Array, Array]:
        """(n, 3) places and (n,) areas of all that may be underside."""
        down = np.asarray(self.mesh.face_normals) @ up * -outwards(self.mesh) > _SMOOTH
        places = np.vstack([np.asarray(self.mesh.triangles_center)[down], self.rim])
        return places, np.concatenate([np.asarray(self.mesh.area_faces)[down], self.rim_areas])

    def foot(self, up: Array) -> tuple[float, float]:
        """Height of the plane square to `up` that a mesh stands on, and the mean distance of its foot from it."""
        places, areas = self.seen_from(up)
        least, height = float((self.mesh.vertices @ up).min()), np.asarray(places @ up)
        low = height < least + _UNDER * FOOT
        if not low.any():
            return least, 0.0
        height, areas = height[low], areas[low]
        spread = FOOT + 2 * self.noise
        area = np.histogram(height, np.arange(least, least + (_UNDER + 1) * FOOT, spread / 2), weights=areas)[0]
        area = area[:-1] + area[1:]
        # crumbs may hang below: the foot is the lowest level with much area
        start = least + spread / 2 * int((area > 0.25 * area.max()).argmax())
        foot = (height >= start - spread / 2) & (height <= start + 1.5 * spread)
        middle = float(np.average(height[foot], weights=areas[foot]))
        return middle, float(np.average(np.abs(height[foot] - middle), weights=areas[foot]))

    def standing(self, up: Array) -> float:
        """The area that lies on the ground."""
        places, areas = self.seen_from(up)
        return float(areas[np.abs(places @ up - self.foot(up)[0]) < FOOT / 2 + self.noise].sum())

    def square_to(self, up: Array) -> Array:
        """(3,) the direction square to the foot, if that is broad and nearly square to `up`; else `up`."""
        for spread in (3 * FOOT, 2 * FOOT, 2 * FOOT):
            places, areas = self.seen_from(up)
            low = np.abs(places @ up - self.foot(up)[0]) < spread + self.noise
            if not low.any():
                return up
            off = places[low] - np.average(places[low], axis=0, weights=areas[low])
            values, vectors = np.linalg.eigh(off.T @ (off * areas[low][:, None]) / areas[low].sum())
            fitted = np.asarray(vectors[:, 0]) * np.sign(vectors[2, 0])
            if values[1] < BROAD**2 or fitted @ up < _NEARLY:
                return up
            up = fitted
        return up


def _rim(mesh: trimesh.Trimesh) -> tuple[Array, Array]:
    """(n, 3) middles of a mesh's open edges and (n,) their lengths times `FOOT`; none if it is open all over."""
    edges = edges_of(np.asarray(mesh.faces, np.int64))
    ends = np.asarray(mesh.vertices)[edges.ends[edges.uses == 1]]
    if len(ends) > _RAGGED * len(edges.ends):
        return np.empty((0, 3)), np.empty(0)
    return ends.mean(axis=1), FOOT * np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)


def _upwards(mesh: trimesh.Trimesh) -> Array:
    """(3,) the direction that walls stand in and floors face, near +z."""
    normals, areas = np.asarray(mesh.face_normals), np.asarray(mesh.area_faces)
    up = np.array([0.0, 0.0, 1.0])
    for _ in range(_ROUNDS):
        along = normals @ up
        walls, floors = np.abs(along) < _SQUARE, np.abs(along) > (1 - _SQUARE**2) ** 0.5
        off = np.where(walls, np.abs(along), np.sqrt(np.clip(1 - along**2, 0, 1)))
        weights = areas / (1 + (off / _ROBUST) ** 2)
        up = _least_squares(normals, np.where(walls, weights, 0), np.where(floors, weights, 0))
    return up


def _least_squares(normals: Array, walls: Array, floors: Array) -> Array:
    """(3,) unit vector nearest to square to the walls' normals and parallel to the floors'."""
    wall = normals.T @ (normals * walls[:, None])
    floor = floors.sum() * np.eye(3) - normals.T @ (normals * floors[:, None])
    values, vectors = np.linalg.eigh(wall + floor)
    up = np.asarray(vectors[:, int(np.argmin(values))], np.float64)
    return up if up[2] > 0 else -up


def _turn(up: Array) -> Array:
    """(3, 3) the shortest turn that takes up to +z."""
    axis = np.cross(up, [0.0, 0.0, 1.0])
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + cross + cross @ cross / (1 + up[2]))

"""How rough a mesh is, and how it stands: the plane it stands on, and what turns that plane level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import trimesh

from deadground.geometry.plates import Array
from deadground.geometry.units import BROAD, FOOT, LEVEL, ROUGH, ROUGHEST

__all__ = ["Levelling", "grain", "levelling"]

_SMOOTH = 0.77  # cosine: a vertex with a face further off its own normal lies on an edge of the shape
_SMOOTH_SHARE = 0.1  # of the vertices must be smooth, else the mesh is all edges and says nothing of noise
_UMBRELLA = 0.73  # median of |distance to the neighbours' mean| of normal noise of deviation 1: 0.6745 * sqrt(1 + 1/6)
_SQUARE = 0.35  # sine of the most that a wall or a floor may be off square to count for the levelling
_ROBUST = 0.1  # sine at which a face counts half
_UNDER = 6  # feet (`FOOT`) above the lowest point in which the foot is looked for
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
    still = np.eye(3)
    turn = _turn(_footed(mesh, _upwards(mesh), noise))
    degrees = float(np.degrees(np.arccos(min(1.0, turn[2, 2]))))
    if degrees < LEVEL or _standing(mesh, turn, noise) <= _BETTER * _standing(mesh, still, noise):
        turn, degrees = still, 0.0
    height, residual = _foot(mesh, turn, noise)
    if degrees == 0 and noise < ROUGH:
        height = 0.0
    return Levelling(turn, np.array([0.0, 0.0, -height]), degrees, residual)


def _footed(mesh: trimesh.Trimesh, up: Array, noise: float) -> Array:
    """(3,) the direction square to a mesh's foot, if that is broad and nearly square to `up`; else `up`."""
    for spread in (3 * FOOT, 2 * FOOT, 2 * FOOT):
        height, _ = _foot(mesh, _turn(up), noise)
        places = np.asarray(mesh.triangles_center)
        low = _downwards(mesh, up) & (np.abs(places @ up - height) < spread + noise)
        if not low.any():
            return up
        weights = np.asarray(mesh.area_faces)[low]
        off = places[low] - np.average(places[low], axis=0, weights=weights)
        values, vectors = np.linalg.eigh(off.T @ (off * weights[:, None]) / weights.sum())
        fitted = np.asarray(vectors[:, 0]) * np.sign(vectors[2, 0])
        if values[1] < BROAD**2 or fitted @ up < _NEARLY:
            return up
        up = fitted
    return up


def _downwards(mesh: trimesh.Trimesh, up: Array) -> npt.NDArray[np.bool_]:
    """(n,) which faces look down, whether the mesh is inside out or not."""
    return np.asarray(np.asarray(mesh.face_normals) @ up * (-1 if mesh.volume >= 0 else 1) > _SMOOTH)


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


def _standing(mesh: trimesh.Trimesh, turn: Array, noise: float) -> float:
    """The area of a mesh's underside that lies on the ground."""
    height, _ = _foot(mesh, turn, noise)
    near = np.abs(np.asarray(mesh.triangles_center @ turn[2]) - height) < FOOT / 2 + noise
    return float(np.asarray(mesh.area_faces)[near & _downwards(mesh, turn[2])].sum())


def _foot(mesh: trimesh.Trimesh, turn: Array, noise: float) -> tuple[float, float]:
    """Height of the plane that a mesh stands on once turned, and the mean distance of its foot from it."""
    height = np.asarray(mesh.triangles_center @ turn[2])
    least = float((mesh.vertices @ turn[2]).min())
    low = _downwards(mesh, turn[2]) & (height < least + _UNDER * FOOT)
    if not low.any():
        return least, 0.0
    height, areas = height[low], np.asarray(mesh.area_faces)[low]
    spread = FOOT + 2 * noise
    area = np.histogram(height, np.arange(least, least + (_UNDER + 1) * FOOT, spread / 2), weights=areas)[0]
    area = area[:-1] + area[1:]
    # crumbs may hang below: the foot is the lowest level with much area
    start = least + spread / 2 * int((area > 0.25 * area.max()).argmax())
    foot = (height >= start - spread / 2) & (height <= start + 1.5 * spread)
    middle = float(np.average(height[foot], weights=areas[foot]))
    return middle, float(np.average(np.abs(height[foot] - middle), weights=areas[foot]))

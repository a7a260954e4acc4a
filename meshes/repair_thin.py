"""Fewer triangles for the same shape, to an error that is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import manifold3d
import numpy as np
import trimesh

from deadground.geometry.plates import Array
from deadground.geometry.units import GRID, ROUGH
from deadground.meshes.ground import grain
from deadground.meshes.nearest import Nearest, spread
from deadground.meshes.repair_faces import edges_of, rebuilt
from deadground.meshes.solid import Indices, is_closed

__all__ = ["MEASURED", "Fewer", "Thinned", "apart", "thinned"]

MEASURED = 20_000
"""Places on each of two surfaces at which their distance is measured, beside the corners of small meshes."""

Fewer = Callable[[trimesh.Trimesh, float], trimesh.Trimesh]

_FEWEST, _HOPED = 0.01, 0.25  # shares of the triangles
_TRIES = 5  # each with two thirds of the error before
_SEED = 11
_CAP = 1  # the run of the triangles that close open rims for a while


@dataclass(frozen=True, slots=True, eq=False)
class Thinned:
    """A mesh with fewer triangles. deviation : the greatest that was measured, inches; problem : why it was left."""

    mesh: trimesh.Trimesh
    deviation: float = 0.0
    problem: str = ""


def thinned(mesh: trimesh.Trimesh, error: float, fewer: Fewer | None = None) -> Thinned:
    """Fewer triangles, no surface moved by more than `error` inches as far as is measured.

    Corners stay where they are, and rims of holes are closed while that is done. Rough surfaces, and what
    does not hang together as a solid does, are thinned by `fewer` (the share of triangles that is to stay -> the mesh)
    where that comes to fewer triangles.
    """
    found = [_simplified(mesh, error)]
    if fewer is not None and (found[0].problem or grain(mesh) > ROUGH):
        found.append(_decimated(mesh, error, fewer))
    return min(found, key=lambda one: len(one.mesh.faces))


def _simplified(mesh: trimesh.Trimesh, error: float) -> Thinned:
    solid = _closed_over(mesh)
    if solid is None:
        return Thinned(mesh, problem="faces that meet at an edge do not pair up")
    tolerance = error
    for _ in range(_TRIES):
        result = _opened(solid.simplify(tolerance))
        if len(result.faces) >= len(mesh.faces):
            return Thinned(mesh)
        deviation = apart(mesh, result)
        if deviation <= error:
            return Thinned(result, deviation)
        tolerance *= 2 / 3
    return Thinned(mesh, problem="its surface cannot be kept to that error")


def _decimated(mesh: trimesh.Trimesh, error: float, fewer: Fewer) -> Thinned:
    """The fewest triangles that keep to the error, as near as a few tries find them."""
    best, least, most, closed = Thinned(mesh), _FEWEST, 1.0, is_closed(mesh)
    keep = _HOPED
    for _ in range(_TRIES):
        result = fewer(mesh, keep)
        deviation = apart(mesh, result) if is_closed(result) or not closed else np.inf
        if deviation <= error:
            best, most = Thinned(result, deviation), keep
        else:
            least = keep
        keep = (least * most) ** 0.5
    return best


def apart(one: trimesh.Trimesh, other: trimesh.Trimesh) -> float:
    """The greatest distance found from places on either surface to the other, inches: at most the distance there is.

    At the corners and at places spread over both; at most `MEASURED` of each.
    """
    return max(_furthest(one, other), _furthest(other, one))


def _furthest(of: trimesh.Trimesh, to: trimesh.Trimesh) -> float:
    corners = np.asarray(of.vertices)[np.unique(of.faces)]
    some = corners[:: len(corners) // MEASURED + 1]
    places = np.vstack([some, spread(of, MEASURED // 2, _SEED)[0]])
    return float(Nearest.of(to).to(places).distance.max())


def _closed_over(mesh: trimesh.Trimesh) -> manifold3d.Manifold | None:
    """The mesh as a solid, with a fan of triangles of a run of their own over every open rim."""
    corners, faces = np.asarray(mesh.vertices, np.float64), np.asarray(mesh.faces, np.int64)
    caps, middles = _fans(corners, faces)
    ids = manifold3d.Manifold.reserve_ids(2)
    runs = np.array([0, 3 * len(faces), 3 * (len(faces) + len(caps))], np.uint64)
    count = 2 if len(caps) else 1
    data = manifold3d.Mesh64(
        np.ascontiguousarray(np.vstack([corners, middles])),
        np.ascontiguousarray(np.vstack([faces, caps]).astype(np.uint64)),
        run_index=runs[: count + 1], run_original_id=np.array([ids, ids + _CAP], np.uint32)[:count],
    )  # fmt: skip
    solid = manifold3d.Manifold(data)
    return solid if solid.status() == manifold3d.Error.NoError and solid.num_tri() else None


def _fans(corners: Array, faces: Indices) -> tuple[Indices, Array]:
    """Triangles from each open edge to a point over the middle of its rim, and those points."""
    edges = edges_of(faces)
    sides = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)[edges.uses[edges.which] == 1]
    if not len(sides):
        return np.empty((0, 3), np.int64), np.empty((0, 3))
    used, ends = np.unique(sides, return_inverse=True)
    group = trimesh.graph.connected_component_labels(ends.reshape(-1, 2), node_count=len(used))
    count = int(group.max()) + 1
    size = np.bincount(group, minlength=count)
    middles = np.column_stack([np.bincount(group, corners[used, k], count) / size for k in range(3)])
    of = group[ends.reshape(-1, 2)[:, 0]]
    start, end = corners[sides[:, 0]] - middles[of], corners[sides[:, 1]] - middles[of]
    facing = np.cross(start, end)
    normal = np.column_stack([np.bincount(of, facing[:, k], count) for k in range(3)])
    normal = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), GRID)
    # a cone: a flat fan would be taken for one face with what is flat around it
    middles = middles + normal * np.sqrt(np.bincount(of, (start**2).sum(axis=1), count) / size)[:, None]
    return np.column_stack([sides[:, 1], sides[:, 0], of + len(corners)]), middles


def _opened(solid: manifold3d.Manifold) -> trimesh.Trimesh:
    """The mesh of a solid without the triangles that closed its rims."""
    data = solid.to_mesh64()
    faces = np.asarray(data.tri_verts, np.int64)
    merge = np.arange(len(data.vert_properties), dtype=np.int64)
    merge[np.asarray(data.merge_from_vert, np.int64)] = np.asarray(data.merge_to_vert, np.int64)
    starts, ids = np.asarray(data.run_index, np.int64) // 3, np.asarray(data.run_original_id, np.int64)
    own = np.repeat(ids == ids.min(), np.diff(starts))
    return rebuilt(np.asarray(data.vert_properties, np.float64)[:, :3], merge[faces[own]])

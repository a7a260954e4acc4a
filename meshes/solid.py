"""Solids: closed meshes and their unions, by manifold3d, in float64."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import manifold3d
import numpy as np
import numpy.typing as npt
import shapely
import trimesh
from shapely.geometry.polygon import orient

from deadground.geometry.plates import Array
from deadground.geometry.units import WELD

__all__ = ["Indices", "from_manifold", "is_closed", "outwards", "prism", "tidy", "to_manifold", "united", "volume"]

Indices = npt.NDArray[np.int64]


def is_closed(mesh: trimesh.Trimesh) -> bool:
    """Whether the mesh bounds a volume: every edge has two faces wound alike, and the volume is positive."""
    return bool(len(mesh.faces) and mesh.is_watertight and mesh.is_winding_consistent and mesh.volume > 0)


def volume(mesh: trimesh.Trimesh) -> float:
    """Cubic inches inside a closed mesh. Without meaning for an open one."""
    return float(mesh.volume)


def outwards(mesh: trimesh.Trimesh) -> int:
    """1 if the faces of a mesh look outwards on the whole, -1 if it is inside out; 1 if it is flat, open ones too."""
    first, second, third = np.asarray(mesh.triangles, dtype=np.float64).swapaxes(0, 1)
    return 1 if np.einsum("ij,ij->", first, np.cross(second, third)) >= 0 else -1


def to_manifold(mesh: trimesh.Trimesh) -> manifold3d.Manifold:
    """The mesh as a manifold3d solid in float64. ValueError if it is no oriented 2-manifold. See `from_manifold`."""
    vertices = np.array(mesh.vertices, dtype=np.float64, order="C")  # copies: manifold3d takes no read-only arrays
    solid = manifold3d.Manifold(manifold3d.Mesh64(vertices, np.array(mesh.faces, dtype=np.uint64, order="C")))
    if solid.status() != manifold3d.Error.NoError:
        raise ValueError(f"not a closed mesh ({solid.status().name})")
    return solid


def from_manifold(solid: manifold3d.Manifold) -> trimesh.Trimesh:
    """The mesh of a manifold3d solid in float64. Vertices that merely coincide stay apart. Inverse of `to_manifold`."""
    data = solid.to_mesh64()
    faces = np.asarray(data.tri_verts, dtype=np.int64)
    merge = np.arange(len(data.vert_properties), dtype=np.int64)
    merge[np.asarray(data.merge_from_vert, dtype=np.int64)] = np.asarray(data.merge_to_vert, dtype=np.int64)
    mesh = trimesh.Trimesh(np.asarray(data.vert_properties, dtype=np.float64)[:, :3], merge[faces], process=False)
    mesh.remove_unreferenced_vertices()
    return mesh


def united(meshes: Iterable[trimesh.Trimesh]) -> trimesh.Trimesh:
    """The union of closed meshes, closed again. ValueError if one of them is not closed, or there are none."""
    solids = [to_manifold(mesh) for mesh in meshes]
    if not solids:
        raise ValueError("nothing to unite")
    return from_manifold(tidy(manifold3d.Manifold.batch_boolean(solids, manifold3d.OpType.Add)))


def tidy(solid: manifold3d.Manifold) -> manifold3d.Manifold:
    """The same solid with the seams of its making gone: coplanar triangles joined afresh, moved by at most WELD."""
    return solid.as_original().simplify(WELD)


def prism(polygon: shapely.Polygon, origin: Array, along: Array, up: Array, near: float, far: float) -> trimesh.Trimesh:
    """A polygon (holes allowed) of the frame (origin, along, up) pulled from `near` to `far` along along x up.

    Closed, float64, volume = area * (far - near). Corners are kept as they are. ValueError for an empty polygon.
    """
    if polygon.is_empty:
        raise ValueError("an empty polygon has no prism")  # and would crash manifold3d
    shape = orient(polygon)
    rings = [np.asarray(ring.coords)[:-1, :2] for ring in (shape.exterior, *shape.interiors)]
    flat = np.vstack(rings)
    cap = np.asarray(manifold3d.triangulate([np.ascontiguousarray(ring) for ring in rings]), dtype=np.int64)
    count = len(flat)
    faces = [cap[:, ::-1], cap + count, *_sides(rings, count)]
    level = origin + np.outer(flat[:, 0], along) + np.outer(flat[:, 1], up)
    normal = np.cross(along, up)
    return trimesh.Trimesh(np.vstack([level + near * normal, level + far * normal]), np.vstack(faces), process=False)


def _sides(rings: Sequence[Array], count: int) -> Iterable[Indices]:
    start = 0
    for ring in rings:
        here = start + np.arange(len(ring))
        after = start + (np.arange(len(ring)) + 1) % len(ring)
        yield np.column_stack([here, after, after + count])
        yield np.column_stack([here, after + count, here + count])
        start += len(ring)

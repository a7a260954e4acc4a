"""Solids: closed meshes by manifold3d, and the flat facets of any mesh."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import manifold3d
import numpy as np
import numpy.typing as npt
import shapely
import trimesh
from scipy import sparse
from scipy.sparse import csgraph
from shapely.geometry.polygon import orient

from deadground.geometry.plates import Array, Plate
from deadground.geometry.units import FLATNESS, WELD

__all__ = [
    "Indices",
    "facet_plate",
    "facets",
    "from_manifold",
    "is_closed",
    "prism",
    "tidy",
    "to_manifold",
    "united",
    "volume",
]

Indices = npt.NDArray[np.int64]

_SPLITS = 64  # rounds of splitting groups that are not flat; what is left then are single triangles
_AROUND = 8  # a cluster of slivers with more neighbours than this joins none of them


def is_closed(mesh: trimesh.Trimesh) -> bool:
    """Whether the mesh bounds a volume: every edge has two faces wound alike, and the volume is positive."""
    return bool(len(mesh.faces) and mesh.is_watertight and mesh.is_winding_consistent and mesh.volume > 0)


def volume(mesh: trimesh.Trimesh) -> float:
    """Cubic inches inside a closed mesh. Without meaning for an open one."""
    return float(mesh.volume)


def to_manifold(mesh: trimesh.Trimesh) -> manifold3d.Manifold:
    """The mesh as a manifold3d solid in float64, see `from_manifold`. ValueError if it is not an oriented 2-manifold."""
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

    Closed, float64, volume = area * (far - near). The polygon's corners are kept as they are.
    """
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


def facets(mesh: trimesh.Trimesh) -> Indices:
    """(n_faces,) index of the facet each triangle belongs to, counted from 0.

    A facet is a connected set of triangles that face the same way and lie within `FLATNESS` of one plane. Triangles
    thinner than that have no direction of their own: they never part two coplanar neighbours, nor join two that are not.
    """
    count = len(mesh.faces)
    if not count:
        return np.empty(0, dtype=np.int64)
    thin = _altitudes(mesh) < FLATNESS
    pairs = np.asarray(mesh.face_adjacency, dtype=np.int64).reshape(-1, 2)
    solid = pairs[~thin[pairs].any(axis=1)]
    around = _across_slivers(pairs, thin)
    links = np.vstack([solid, around])
    links = links[_coplanar(mesh, links)]
    group = _split_bent(mesh, _components(count, links), links)
    return _adopt_slivers(mesh, pairs, thin, group)


def _altitudes(mesh: trimesh.Trimesh) -> Array:
    sides = np.linalg.norm(mesh.triangles - np.roll(mesh.triangles, 1, axis=1), axis=2).max(axis=1)
    return np.asarray(np.divide(2 * mesh.area_faces, sides, out=np.zeros(len(sides)), where=sides > 0))


def _components(count: int, links: Indices) -> Indices:
    graph = sparse.coo_matrix((np.ones(len(links), dtype=np.int8), (links[:, 0], links[:, 1])), shape=(count, count))
    return np.asarray(csgraph.connected_components(graph, directed=False)[1], dtype=np.int64)


def _across_slivers(pairs: Indices, thin: npt.NDArray[np.bool_]) -> Indices:
    """Pairs of triangles that are neighbours of the same cluster of slivers."""
    cluster = _components(len(thin), pairs[thin[pairs].all(axis=1)])
    mixed = pairs[thin[pairs].sum(axis=1) == 1]
    sliver = np.where(thin[mixed[:, 0]], mixed[:, 0], mixed[:, 1])
    other = mixed.sum(axis=1) - sliver
    order = np.argsort(cluster[sliver], kind="stable")
    ends = np.flatnonzero(np.diff(cluster[sliver][order])) + 1
    found = [np.stack(np.triu_indices(len(near), 1), axis=1) for near in np.split(other[order], ends)]
    rings = zip(np.split(other[order], ends), found, strict=True)
    return np.vstack([np.empty((0, 2), np.int64), *(near[two] for near, two in rings if len(near) <= _AROUND)])


def _coplanar(mesh: trimesh.Trimesh, links: Indices) -> npt.NDArray[np.bool_]:
    """Whether the smaller triangle of each pair lies in the plane of the larger and faces the same way."""
    first = mesh.area_faces[links[:, 0]] >= mesh.area_faces[links[:, 1]]
    large, small = np.where(first, links.T, links.T[::-1])
    return _lies_on(mesh, small, large)


def _lies_on(mesh: trimesh.Trimesh, faces: Indices, seeds: Indices) -> npt.NDArray[np.bool_]:
    """(n,) whether each face lies within FLATNESS of the plane of its seed, facing the same way."""
    normal = np.asarray(mesh.face_normals)[seeds]
    corners = mesh.triangles[faces] - mesh.triangles_center[seeds][:, None]
    off = np.abs(np.einsum("nij,nj->ni", corners, normal)).max(axis=1, initial=0.0)
    alike = np.einsum("nj,nj->n", np.asarray(mesh.face_normals)[faces], normal)
    return np.asarray((off <= FLATNESS) & (alike > 0.5), dtype=np.bool_)


def _split_bent(mesh: trimesh.Trimesh, group: Indices, links: Indices) -> Indices:
    """Split groups that chain of small steps has bent: each keeps what lies on its largest triangle's plane."""
    order = np.argsort(mesh.area_faces, kind="stable")
    for _ in range(_SPLITS):
        seed = np.empty(group.max() + 1, dtype=np.int64)
        seed[group[order]] = order  # the last written, the largest, stays
        flat = _lies_on(mesh, np.arange(len(group)), seed[group])
        flat[seed] = True
        if flat.all():
            return group
        stays = links[(flat[links[:, 0]] == flat[links[:, 1]]) & (group[links[:, 0]] == group[links[:, 1]])]
        group = _components(len(group), stays)
    single = ~flat
    group = np.where(single, group.max() + 1 + np.arange(len(group)), group)
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def _adopt_slivers(mesh: trimesh.Trimesh, pairs: Indices, thin: npt.NDArray[np.bool_], group: Indices) -> Indices:
    """Give every sliver to the facet of a neighbour whose plane holds it; one without stays alone."""
    for ends in (pairs, pairs[:, ::-1]):
        take = ends[thin[ends[:, 0]] & ~thin[ends[:, 1]]]
        normal = np.asarray(mesh.face_normals)[take[:, 1]]
        corners = mesh.triangles[take[:, 0]] - mesh.triangles_center[take[:, 1]][:, None]
        near = np.abs(np.einsum("nij,nj->ni", corners, normal)).max(axis=1, initial=0.0) <= FLATNESS
        group[take[near, 0]] = group[take[near, 1]]
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def facet_plate(mesh: trimesh.Trimesh, faces: npt.ArrayLike) -> Plate:
    """The plate of one facet (indices of its faces): their joined outline, holes kept, in the facet's plane.

    The plate's normal is the facet's, outwards. `along` is horizontal; on an upright facet `up` is (0, 0, 1), on a
    horizontal one `along` is +x.
    """
    chosen = np.atleast_1d(np.asarray(faces, dtype=np.int64))
    corners = np.asarray(mesh.triangles[chosen], dtype=np.float64)
    largest = chosen[int(np.argmax(mesh.area_faces[chosen]))]
    normal = np.asarray(mesh.face_normals[largest], dtype=np.float64)
    along, up = _frame(normal)
    origin = corners[int(np.argmax(chosen == largest))][0]
    flat = np.stack([(corners - origin) @ along, (corners - origin) @ up], axis=2)
    return Plate(origin, along, up, _outline(flat))


def _frame(normal: Array) -> tuple[Array, Array]:
    """Unit vectors (along, up) with along horizontal and along x up = normal."""
    across = np.array([-normal[1], normal[0], 0.0])
    length = float(np.linalg.norm(across))
    along = across / length if length > FLATNESS else np.array([1.0, 0.0, 0.0])
    up = np.cross(normal, along)
    return along, up / np.linalg.norm(up)


def _outline(triangles: Array) -> shapely.Polygon | shapely.MultiPolygon:
    """The union of (n, 3, 2) triangles that share whole edges, or overlap a little where the mesh is bad."""
    shapes = np.atleast_1d(np.asarray(shapely.polygons(triangles)))
    if len(shapes) == 1:
        return shapely.Polygon(triangles[0])
    shapes = shapes[shapely.area(shapes) > 0]
    area = float(shapely.area(shapes).sum())
    try:
        joined = shapely.coverage_union_all(shapes)
        exact = bool(shapely.is_valid(joined)) and abs(joined.area - area) <= FLATNESS * area
    except shapely.errors.GEOSException:  # triangles that overlap
        exact = False
    if not exact:
        joined = shapely.union_all(shapes)
    if isinstance(joined, shapely.Polygon | shapely.MultiPolygon):
        return joined
    return shapely.MultiPolygon([part for part in shapely.get_parts(joined) if isinstance(part, shapely.Polygon)])

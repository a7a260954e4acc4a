"""Facets: connected triangles of one plane, joined, holes kept."""

from __future__ import annotations

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from deadground.geometry.plates import Array, Plate
from deadground.geometry.segments import Ints
from deadground.geometry.units import PLANE

__all__ = ["facet_plate", "facets", "plane_frame"]


def unit_normals(triangles: Array) -> Array:
    """(m, 3) unit normals of triangles (m, 3, 3); zero for degenerate ones."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    size = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(np.divide(normals, size, out=np.zeros_like(normals), where=size > 0))


def neighbours(faces: Ints) -> Ints:
    """(k, 2) pairs of triangles that share an edge. faces : (m, 3) vertex indices, equal corners already merged."""
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    owner = np.tile(np.arange(len(faces)), 3)
    key = edges[:, 0] * (int(edges.max(initial=0)) + 1) + edges[:, 1]
    order = np.argsort(key, kind="stable")
    same = np.flatnonzero(key[order][1:] == key[order][:-1])
    return np.column_stack([owner[order[same]], owner[order[same + 1]]])


def facets(triangles: Array, faces: Ints) -> Ints:
    """(m,) facet number of each triangle: neighbours in one plane (within `PLANE`) belong together.

    triangles : (m, 3, 3); faces : (m, 3) vertex indices telling which triangles share an edge.
    """
    if not len(faces):
        return np.empty(0, np.int64)
    pairs = neighbours(faces)
    normals = unit_normals(triangles)
    one, two = pairs.T
    across = np.abs(((triangles[two] - triangles[one][:, :1]) * normals[one][:, None]).sum(-1)).max(-1, initial=0)
    back = np.abs(((triangles[one] - triangles[two][:, :1]) * normals[two][:, None]).sum(-1)).max(-1, initial=0)
    flat = (across < PLANE) & (back < PLANE) & ((normals[one] * normals[two]).sum(-1) > 0)
    graph = coo_array((np.ones(int(flat.sum())), (one[flat], two[flat])), shape=(len(faces), len(faces)))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def plane_frame(normal: Array) -> tuple[Array, Array]:
    """Unit vectors (along, up) that span the plane with this normal; along is horizontal, up points upwards."""
    level = np.hypot(normal[0], normal[1])
    along = np.array([-normal[1], normal[0], 0.0]) / level if level > PLANE else np.array([1.0, 0.0, 0.0])
    up = np.cross(normal, along)
    return along, up / np.linalg.norm(up)


def facet_plate(triangles: Array) -> Plate:
    """The plate of one facet's triangles (m, 3, 3): their union, holes kept. Degenerate triangles add nothing."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    total = normals.sum(0)
    size = np.linalg.norm(total)
    along, up = plane_frame(total / size if size > 0 else np.array([0.0, 0.0, 1.0]))
    origin = triangles[:, 0].mean(0)
    flat = np.stack([(triangles - origin) @ along, (triangles - origin) @ up], -1)
    polygons = np.atleast_1d(np.asarray(shapely.polygons(flat)))
    joined = shapely.unary_union(polygons[shapely.area(polygons) > 0])
    if not isinstance(joined, shapely.Polygon | shapely.MultiPolygon):
        joined = shapely.Polygon()
    return Plate(origin, along, up, joined)

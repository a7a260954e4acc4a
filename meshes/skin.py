"""How a mesh's triangles hang together: its bodies, open edges, and faces that are wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import trimesh
from scipy import sparse
from scipy.sparse import csgraph

from deadground.geometry.plates import Array
from deadground.geometry.units import FOOT, GRID, THIN
from deadground.meshes.solid import Indices

__all__ = ["Rim", "Skin", "skin"]

_CLOSED_SHARE = 0.2  # of a body's edges may be open before its volume says nothing of which side is out


@dataclass(frozen=True, slots=True, eq=False)
class Rim:
    """Open edges that hang together: the rim of a hole in the skin.

    at : (3,) its middle; width : of the rectangle with its area and its length all round; length : from end to end,
    inches; ground : whether all of it lies on the ground, as the rim of an open underside does
    """

    at: Array
    width: float
    length: float
    ground: bool

    @property
    def pinhole(self) -> bool:
        """Whether it is too small for a line of sight in every direction."""
        return self.length < THIN

    @property
    def crack(self) -> bool:
        """Whether it is too narrow for a line of sight, but long."""
        return not self.pinhole and self.width < THIN


@dataclass(frozen=True, slots=True, eq=False)
class Skin:
    """How the n triangles of a mesh hang together.

    body : (n,) number of the body each belongs to, 0 the one with most surface; faces that share an
        edge with one other face belong to one body
    rims : where the skin is open, widest first
    open_edges, all_edges : how many
    crowded : (k, 3) middles of edges at which more than two faces meet
    against : (k, 3) middles of edges whose two faces run against each other: one of them is inside out
    flat : faces without area, dropped ones included
    double : faces that lie exactly on another one
    volumes : (bodies,) cubic inches inside each, negative for one that is inside out, nan for one that is too open
    areas : (bodies,) square inches
    """

    body: Indices
    rims: tuple[Rim, ...]
    open_edges: int
    all_edges: int
    crowded: Array
    against: Array
    flat: int
    double: int
    volumes: Array
    areas: Array

    @property
    def bodies(self) -> int:
        """How many bodies there are."""
        return len(self.areas)


def skin(mesh: trimesh.Trimesh) -> Skin:
    """How a mesh hangs together. Its equal corners must be merged."""
    corners, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces, dtype=np.int64)
    edges = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    low, high = edges.min(axis=1), edges.max(axis=1)
    _, first, which, count = np.unique(
        low * len(corners) + high, return_index=True, return_inverse=True, return_counts=True
    )
    balance = np.bincount(which, np.where(edges[:, 0] < edges[:, 1], 1, -1))
    middles = corners[edges[first]].mean(axis=1)
    body, areas = _bodies(mesh, which, count)
    loose = count[which] == 1
    open_share = np.bincount(np.repeat(body, 3)[loose], minlength=len(areas)) / np.bincount(np.repeat(body, 3))
    same = np.unique(np.sort(faces, axis=1), axis=0)
    return Skin(
        body, _rims(corners, edges[loose]), int(loose.sum()), len(first),
        middles[count > 2], middles[(count == 2) & (balance != 0)],
        int((np.asarray(mesh.area_faces) <= GRID).sum()) + int(mesh.metadata.get("collapsed", 0)),
        len(faces) - len(same),
        np.where(open_share < _CLOSED_SHARE, _volumes(corners[faces], body, len(areas)), np.nan), areas,
    )  # fmt: skip


def _bodies(mesh: trimesh.Trimesh, which: Indices, uses: Indices) -> tuple[Indices, Array]:
    """Each face's body, and each body's area, largest first. which : (3n,) edges of the faces, uses : of each edge."""
    count, joined = len(mesh.faces), np.flatnonzero(uses[which] == 2)
    pairs = (joined[np.argsort(which[joined], kind="stable")] // 3).reshape(-1, 2)
    links = sparse.coo_matrix((np.ones(len(pairs), dtype=np.int8), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    _, label = np.unique(csgraph.connected_components(links, directed=False)[1], return_inverse=True)
    areas = np.bincount(label, np.asarray(mesh.area_faces))
    order = np.argsort(-areas, kind="stable")
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    return number[label], np.asarray(areas[order], np.float64)


def _volumes(triangles: Array, body: Indices, bodies: int) -> Array:
    """(bodies,) signed volumes, each about its own middle, so that a small hole changes little."""
    size = np.bincount(body, minlength=bodies)
    centres = triangles.mean(axis=1)
    middle = np.column_stack([np.bincount(body, centres[:, k], bodies) / size for k in range(3)])
    a, b, c = np.moveaxis(triangles - middle[body][:, None], 1, 0)
    return np.asarray(np.bincount(body, np.einsum("ij,ij->i", a, np.cross(b, c)) / 6, bodies), np.float64)


def _rims(corners: Array, edges: Indices) -> tuple[Rim, ...]:
    """The open edges (m, 2), gathered where they share corners."""
    if not len(edges):
        return ()
    used, ends = np.unique(edges, return_inverse=True)
    ends = ends.reshape(-1, 2)
    links = sparse.coo_matrix((np.ones(len(ends), dtype=np.int8), (ends[:, 0], ends[:, 1])), shape=(len(used),) * 2)
    count, label = csgraph.connected_components(links, directed=False)
    low, high = _bounds(corners[used], label, count)
    group = label[ends[:, 0]]
    start, end = corners[edges[:, 0]] - low[group], corners[edges[:, 1]] - low[group]
    turned = np.cross(start, end) / 2
    area = np.linalg.norm(np.column_stack([np.bincount(group, turned[:, k], count) for k in range(3)]), axis=1)
    around = np.bincount(group, np.linalg.norm(end - start, axis=1), count)
    half = around / 2
    width = (half - np.sqrt(np.maximum(half**2 - 4 * area, 0.0))) / 2
    length = np.linalg.norm(high - low, axis=1)
    rims = [
        Rim((low[k] + high[k]) / 2, float(width[k]), float(length[k]), bool(high[k, 2] < FOOT)) for k in range(count)
    ]
    return tuple(sorted(rims, key=lambda rim: (-rim.width, -rim.length)))


def _bounds(points: Array, label: npt.NDArray[np.int32], count: int) -> tuple[Array, Array]:
    """Lowest and highest coordinates of each group of points."""
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, label, points)
    np.maximum.at(high, label, points)
    return low, high

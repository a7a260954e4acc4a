"""Mending how a mesh's triangles hang together: corners that are one, faces that are double, which side is out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh
from scipy import sparse
from scipy.sparse import csgraph
from scipy.spatial import cKDTree

from deadground.geometry.plates import Array
from deadground.geometry.segments import Segments
from deadground.geometry.units import NARROW, SEAM
from deadground.meshes.frames import Mask
from deadground.meshes.probes import SAMPLES, Probe
from deadground.meshes.skin import skin
from deadground.meshes.solid import Indices, outwards

__all__ = ["Edges", "Oriented", "Welded", "agreeing", "edges_of", "oriented", "rebuilt", "welded"]

_KNOWN = 6  # corners asked for near each
_ROUNDS = 8
_SEED = 5
_PAIRED = 0.8  # of a body's sides meet no more than one other face, or its volume says nothing
_MOST_CAVITIES = 40  # bodies wound against the one around them that are looked at; more stay as they are
_CAVITY = 3  # of the rays out of a body's corner must meet the body around it from within


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """The edges of m faces. which : (3m,) edge of each side of each face; uses : (e,) faces at it; ends : (e, 2).

    forward : (3m,) whether the side runs from the lower corner to the higher one
    """

    which: Indices
    uses: Indices
    ends: Indices
    forward: Mask


@dataclass(frozen=True, slots=True, eq=False)
class Welded:
    """A mesh whose corners were joined. joined : corners that are gone; doubled, dropped : faces that are gone."""

    mesh: trimesh.Trimesh
    joined: int
    doubled: int
    dropped: int


@dataclass(frozen=True, slots=True, eq=False)
class Oriented:
    """A mesh whose faces agree. turned : faces that were turned round; bodies : how many they belong to.

    onesided : bodies that have no two sides, and were left
    """

    mesh: trimesh.Trimesh
    turned: int
    bodies: int
    onesided: int


def edges_of(faces: Indices) -> Edges:
    """The edges of faces (m, 3)."""
    sides = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    low, high = sides.min(axis=1), sides.max(axis=1)
    count = int(faces.max(initial=0)) + 1
    keys, which, uses = np.unique(low * count + high, return_inverse=True, return_counts=True)
    return Edges(which.ravel(), uses, np.column_stack([keys // count, keys % count]), sides[:, 0] < sides[:, 1])


def rebuilt(corners: Array, faces: Indices) -> trimesh.Trimesh:
    """A mesh of these, without the corners that no face uses; their order is kept."""
    used = np.unique(faces)
    return trimesh.Trimesh(corners[used], np.searchsorted(used, faces), process=False)


# --- welding ---------------------------------------------------------------------------------------------------------


def welded(mesh: trimesh.Trimesh) -> Welded:
    """Join corners within `SEAM`, and corners of open edges within `NARROW`; drop faces that collapse or are double.

    A corner keeps its place, and those joined to it move there.
    """
    corners, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces, np.int64)
    start = len(np.unique(faces))
    for _ in range(_ROUNDS):
        label = _alike(corners, np.unique(faces), SEAM)
        label = label[_alike(corners, _rim(label[faces]), NARROW)[label]]
        joined = label[faces]
        kept = (joined != np.roll(joined, 1, axis=1)).all(axis=1)
        if kept.all() and np.array_equal(joined, faces):
            break
        faces = joined[kept]
    dropped = len(mesh.faces) - len(faces)
    single = _singled(faces)
    if not len(single):
        return Welded(mesh, 0, 0, 0)
    result = rebuilt(corners, single) if len(single) < len(mesh.faces) or len(np.unique(faces)) < start else mesh
    return Welded(result, start - len(np.unique(faces)), len(faces) - len(single), dropped)


def _rim(faces: Indices) -> Indices:
    """Corners at edges with one face."""
    edges = edges_of(faces)
    return np.unique(edges.ends[edges.uses == 1])


def _alike(corners: Array, rows: Indices, reach: float) -> Indices:
    """(n,) for each corner the first of those that it is one with; only those named by rows are joined."""
    label = np.arange(len(corners))
    if len(rows) < 2:
        return label
    known = min(_KNOWN, len(rows))
    away, near = (
        np.ravel(each) for each in cKDTree(corners[rows]).query(corners[rows], known, distance_upper_bound=reach)
    )
    one, other = np.repeat(np.arange(len(rows)), known), near.astype(np.int64)
    close = np.isfinite(away) & (one != other)
    links = sparse.coo_matrix((np.ones(close.sum(), np.int8), (one[close], other[close])), shape=(len(rows),) * 2)
    group = csgraph.connected_components(links, directed=False)[1]
    _, first, which = np.unique(group, return_index=True, return_inverse=True)
    label[rows] = rows[first[which.ravel()]]
    return label


def _singled(faces: Indices) -> Indices:
    """Faces without those that lie exactly on another: one of several stays where the skin would open without it.

    Two that look away from each other where it would not are the skins of two bodies that touch, and both stay.
    """
    _, which, copies = np.unique(np.sort(faces, axis=1), axis=0, return_inverse=True, return_counts=True)
    which = which.ravel()
    if copies.max(initial=1) == 1:
        return faces
    double = np.flatnonzero(copies[which] > 1)
    needed = np.zeros(len(faces), bool)
    needed[double] = _needed(faces, double)
    _, first = np.unique(which, return_index=True)
    leading = np.zeros(len(faces), bool)
    leading[first] = True
    ways = np.bincount(which, np.where(_even(faces), 1, -1))[which]
    touching = ~needed & (ways == 0)
    return np.asarray(faces[(copies[which] == 1) | touching | (leading & needed)])


def _needed(faces: Indices, double: Indices) -> Mask:
    """(d,) which double faces are part of the skin: around the patch that they belong to single faces end at it."""
    edges = edges_of(faces)
    sides = edges.which.reshape(-1, 3)
    single = np.ones(len(faces), bool)
    single[double] = False
    others = np.bincount(sides[single].ravel(), minlength=len(edges.uses))
    rows, spots = np.repeat(np.arange(len(double)), 3), sides[double].ravel()
    count = len(double) + len(edges.uses)  # faces and edges alike are knots: no edge is too crowded for that
    links = sparse.coo_matrix((np.ones(len(rows), np.int8), (rows, spots + len(double))), shape=(count, count))
    patch = csgraph.connected_components(links, directed=False)[1][: len(double)]
    votes = np.where(others[spots] == 0, 0, np.where(others[spots] % 2 == 1, 1, -1))
    return np.asarray(np.bincount(patch[rows], votes)[patch] >= 0)


def _even(faces: Indices) -> Mask:
    """(m,) whether the corners of faces run the way that their numbers grow, beginning with the lowest."""
    a, b, c = faces.T
    return np.asarray(((a < b) & (b < c)) | ((b < c) & (c < a)) | ((c < a) & (a < b)))


# --- orienting -------------------------------------------------------------------------------------------------------


def agreeing(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """The mesh, or one whose faces tell inside from outside: neighbours agree, and what is closed is not inside out."""
    inverted = mesh.is_watertight and outwards(mesh) < 0
    return oriented(mesh).mesh if inverted or not mesh.is_winding_consistent else mesh


def oriented(mesh: trimesh.Trimesh) -> Oriented:
    """Turn faces round so that neighbours agree and each body's outside is out.

    A closed body that lies within another and is wound against it is a cavity, and stays so.
    """
    faces = np.asarray(mesh.faces, np.int64)
    turned, onesided = _agreed(faces)
    agreed = trimesh.Trimesh(mesh.vertices, _flipped(faces, turned), process=False)
    turned ^= _outward(agreed, turned)
    body = skin(mesh).body
    if not turned.any():
        return Oriented(mesh, 0, 0, onesided)
    result = trimesh.Trimesh(mesh.vertices, _flipped(faces, turned), process=False)
    return Oriented(result, int(turned.sum()), len(np.unique(body[turned])), onesided)


def _flipped(faces: Indices, turned: Mask) -> Indices:
    return np.where(turned[:, None], faces[:, ::-1], faces)


def _agreed(faces: Indices) -> tuple[Mask, int]:
    """(m,) which faces to turn so that all that share an edge agree, as few as that takes; bodies that cannot.

    Every face stands twice in a graph, as it is and turned; what agrees is linked, so a body is found as two groups.
    """
    count, edges = len(faces), edges_of(faces)
    paired = np.flatnonzero(edges.uses[edges.which] == 2)
    pairs = paired[np.argsort(edges.which[paired], kind="stable")].reshape(-1, 2)
    agree = edges.forward[pairs[:, 0]] != edges.forward[pairs[:, 1]]
    one, other = pairs[:, 0] // 3, pairs[:, 1] // 3 + np.where(agree, 0, count)
    rows, columns = np.concatenate([one, one + count]), np.concatenate([other, (other + count) % (2 * count)])
    links = sparse.coo_matrix((np.ones(len(rows), np.int8), (rows, columns)), shape=(2 * count,) * 2)
    group = csgraph.connected_components(links, directed=False)[1]
    kept, swapped = group[:count], group[count:]
    split = kept != swapped
    votes = np.bincount(kept, minlength=2 * count)  # of the faces as they are
    turned = split & ((votes[kept] < votes[swapped]) | ((votes[kept] == votes[swapped]) & (kept > swapped)))
    return turned, len(np.unique(kept[~split]))


def _outward(mesh: trimesh.Trimesh, already: Mask) -> Mask:
    """(m,) which faces belong to bodies that are inside out."""
    found = skin(mesh)
    open_ones = np.isnan(found.volumes)
    sides = edges_of(np.asarray(mesh.faces, np.int64))
    paired = np.bincount(np.repeat(found.body, 3), sides.uses[sides.which] <= 2) / np.bincount(np.repeat(found.body, 3))
    wrong = np.where(open_ones, False, found.volumes < 0) & (paired > _PAIRED)
    if open_ones.any():
        wrong |= open_ones & (paired > _PAIRED) & _seen_from_behind(mesh, found.body, len(found.areas))
    own = np.bincount(found.body[already], minlength=len(wrong)) > 0  # bodies that disagreed with themselves
    asked = np.flatnonzero(wrong & ~open_ones & ~own & _in_a_larger(mesh, found.body, found.areas))
    for number in asked[:_MOST_CAVITIES]:
        wrong[number] = not _within(mesh, found.body, int(number))
    wrong[asked[_MOST_CAVITIES:]] = False
    return np.asarray(wrong[found.body])


def _in_a_larger(mesh: trimesh.Trimesh, body: Indices, areas: Array) -> Mask:
    """(bodies,) which bodies lie in the bounds of the one with most surface, and so may be cavities."""
    corners = np.asarray(mesh.triangles)
    low, high = np.full((len(areas), 3), np.inf), np.full((len(areas), 3), -np.inf)
    np.minimum.at(low, body, corners.min(axis=1))
    np.maximum.at(high, body, corners.max(axis=1))
    largest = int(np.argmax(areas))
    inside = (low >= low[largest]).all(axis=1) & (high <= high[largest]).all(axis=1)
    inside[largest] = False
    return np.asarray(inside)


def _within(mesh: trimesh.Trimesh, body: Indices, number: int) -> bool:
    """Whether a body lies within another one: rays along the axes out of one of its corners meet others all round."""
    faces = np.asarray(mesh.faces)
    others = trimesh.Trimesh(mesh.vertices, faces[body != number], process=False)
    if not len(others.faces):
        return False
    start = np.repeat(np.asarray(mesh.vertices)[faces[body == number][0, :1]], 6, axis=0)
    ways = np.vstack([np.eye(3), -np.eye(3)]) * (float(np.linalg.norm(mesh.extents)) + 1)
    hits = Probe.of(others).caster.first(Segments(start, start + ways))
    behind = (np.asarray(others.face_normals)[hits.triangle] * ways).sum(axis=1) > 0
    return int((hits.blocked & behind).sum()) >= _CAVITY


def _seen_from_behind(mesh: trimesh.Trimesh, body: Indices, bodies: int) -> Mask:
    """(bodies,) whether the backs of more of a body's faces lie open to the world than their fronts."""
    rng = np.random.default_rng(_SEED)
    rows = np.arange(len(body)) if len(body) <= SAMPLES else rng.choice(len(body), SAMPLES, replace=False)
    start, normals = np.asarray(mesh.triangles_center)[rows], np.asarray(mesh.face_normals)[rows]
    reach, caster = float(np.linalg.norm(mesh.extents)) + 1, Probe.of(mesh).caster
    ahead, behind = (
        ~caster.blocked(Segments(start + side * NARROW * normals, start + side * reach * normals)) for side in (1, -1)
    )
    areas = np.asarray(mesh.area_faces)[rows]
    seen = [np.bincount(body[rows], areas * free, bodies) for free in (ahead, behind)]
    return np.asarray(seen[1] > seen[0])

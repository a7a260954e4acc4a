"""Filling holes in a mesh's skin: small ones by the least surface, an open underside flat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import manifold3d
import numpy as np
import shapely
import trimesh

from deadground.geometry.plates import Array
from deadground.geometry.units import FOOT, THIN
from deadground.meshes.piece import Opening
from deadground.meshes.repair_faces import edges_of, rebuilt
from deadground.meshes.solid import Indices

__all__ = ["MOST_HOLES", "Filled", "filled"]

MOST_HOLES = 10_000
"""Holes that are filled in one piece; more are left, and counted among those without a patch."""

_SOUP = 0.2  # share of open edges above which these are loose sheets, with no holes to speak of
_LEAST_SURFACE = 32  # corners of a rim up to which the patch of least surface is sought

_SAME_WAY = 0.7  # cosine: a hole faces the way that one passes a gap

Ring = list[int]
Back = Callable[[Array], Array]


@dataclass(frozen=True, slots=True, eq=False)
class Filled:
    """A mesh whose holes were filled. Inches.

    holes : how many were filled; widest : from end to end of the largest; area : what was added, square inches
    underside : whether the open underside was closed
    large, gaps, crooked : holes that were left: larger than asked for, enclosed gaps of a single sheet, without a patch
    sheets : whether nothing was tried, as these are loose sheets
    """

    mesh: trimesh.Trimesh
    holes: int = 0
    widest: float = 0.0
    area: float = 0.0
    underside: bool = False
    large: int = 0
    gaps: int = 0
    crooked: int = 0
    sheets: bool = False


def filled(mesh: trimesh.Trimesh, largest: float, openings: Sequence[Opening] = (), back: Back = np.asarray) -> Filled:
    """Fill the holes of up to `largest` inches from end to end, and close an open underside.

    A hole that lies in one of the `openings` is that gap in a wall without thickness, and stays. No corner moves, and
    none is added. The mesh's faces should agree on which side is out. back : from the mesh's points (n, 3) to where
    they were when the openings were found.
    """
    corners, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces, np.int64)
    edges = edges_of(faces)
    loose = edges.uses == 1
    if not loose.any():
        return Filled(mesh)
    if loose.sum() > _SOUP * len(loose):
        return Filled(mesh, sheets=True)
    rings = list(_rings(faces, np.asarray(loose[edges.which])))
    sole, closed = _underside(corners, rings, largest)
    holes = [ring for number, ring in enumerate(rings) if number not in closed]
    gaps = {k for k, ring in enumerate(holes[:MOST_HOLES]) if _is_gap(back(corners[ring]), openings)}
    found = _with_patches(mesh, holes[:MOST_HOLES], sole, largest, gaps)
    return replace(found, crooked=found.crooked + max(0, len(holes) - MOST_HOLES))


def _with_patches(mesh: trimesh.Trimesh, holes: list[Ring], sole: Indices, largest: float, gaps: set[int]) -> Filled:
    corners, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces, np.int64)
    known, patches, sizes, counts = (
        _known_edges(faces, holes),
        [sole],
        [0.0],
        Counter[str](),
    )
    for number, ring in enumerate(holes):
        size = _size(corners[ring])
        reason = "large" if size > largest else "gaps" if number in gaps else ""
        patch = np.empty((0, 3), np.int64) if reason else _patch(corners, ring, known)
        if len(patch):
            patches.append(patch)
            sizes.append(size)
            known |= _keys(patch)
        else:
            counts[reason or "crooked"] += 1
    added = np.vstack(patches)
    if not len(added):
        return Filled(mesh, large=counts["large"], gaps=counts["gaps"], crooked=counts["crooked"])
    area = float(trimesh.Trimesh(corners, added, process=False).area)
    result = rebuilt(corners, np.vstack([faces, added]))
    return Filled(
        result, len(patches) - 1, max(sizes), area, bool(len(sole)), counts["large"], counts["gaps"], counts["crooked"]
    )


# --- rims ------------------------------------------------------------------------------------------------------------


def _rings(faces: Indices, loose: Array) -> Iterator[Ring]:
    """The rims of holes, each corner once, running against the faces beside them; crowded corners part them."""
    sides = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)[loose]
    following: dict[int, list[int]] = {}
    for start, end in sides[:, ::-1].tolist():
        following.setdefault(start, []).append(end)
    for first in sides[:, 1].tolist():
        path: Ring = []
        place: dict[int, int] = {}
        here = first
        while following.get(here) or here in place:
            if here in place:  # a loop has closed; what leads to it goes on
                ring = path[place[here] :]
                yield ring
                del path[place[here] :]
                for corner in ring:
                    del place[corner]
                if not following.get(here):
                    break
            place[here] = len(path)
            path.append(here)
            here = following[here].pop()


def _is_gap(rim: Array, openings: Sequence[Opening]) -> bool:
    """Whether a hole is an enclosed gap of a sheet: its middle lies in one that it faces, and it is no pinhole."""
    if _size(rim) <= 2 * THIN:
        return False
    middle, (normal, size) = rim.mean(axis=0), _facing(rim)
    for gap in openings:
        u, v, w = (float((middle - gap.origin) @ way) for way in (gap.along, gap.up, gap.normal))
        inside = gap.near - THIN <= w <= gap.far + THIN and shapely.contains_xy(gap.outline, u, v)
        if inside and size > 0 and abs(normal @ gap.normal) > _SAME_WAY:
            return True
    return False


def _facing(rim: Array) -> tuple[Array, float]:
    """(3,) the unit vector square to a rim, and twice the area that it goes round; zeros for one without area."""
    centred = rim - rim.mean(axis=0)
    normal = np.cross(centred, np.roll(centred, -1, axis=0)).sum(axis=0)
    size = float(np.linalg.norm(normal))
    return (normal / size if size > 0 else normal), size


# --- patches ---------------------------------------------------------------------------------------------------------


def _keys(faces: Indices) -> set[tuple[int, int]]:
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    return set(map(tuple, sides.tolist()))


def _known_edges(faces: Indices, rings: Sequence[Ring]) -> set[tuple[int, int]]:
    """The edges between corners of rims: a patch must not have them once more."""
    rim = np.zeros(int(faces.max()) + 1, bool)
    rim[[corner for ring in rings for corner in ring]] = True
    return _keys(faces[rim[faces].sum(axis=1) >= 2])


def _patch(corners: Array, ring: Ring, known: set[tuple[int, int]]) -> Indices:
    """Triangles (k, 3) over a rim; none if there is no good patch."""
    if len(ring) < 3:
        return np.empty((0, 3), np.int64)
    patch = _least_surface(corners, ring, known) if len(ring) <= _LEAST_SURFACE else _flat(corners, ring)
    inner = _keys(patch) - _keys(np.array([[a, b, b] for a, b in zip(ring, ring[1:] + ring[:1], strict=True)]))
    return np.empty((0, 3), np.int64) if inner & known else patch


def _least_surface(corners: Array, ring: Ring, known: set[tuple[int, int]]) -> Indices:
    """The triangles over a rim with least area in all, without edges that are there already.

    Source: Barequet and Sharir 1995, triangulating a polygon in space.
    """
    count, points = len(ring), corners[ring]
    least, via = np.zeros((count, count)), np.full((count, count), -1)
    for span in range(2, count):
        for i in range(count - span):
            j = i + span
            if span < count - 1 and (min(ring[i], ring[j]), max(ring[i], ring[j])) in known:
                least[i, j] = np.inf
                continue
            between = np.arange(i + 1, j)
            area = np.linalg.norm(np.cross(points[between] - points[i], points[j] - points[i]), axis=1) / 2
            cost = area + least[i, between] + least[between, j]
            via[i, j] = between[int(cost.argmin())]
            least[i, j] = cost.min()
    if not np.isfinite(least[0, count - 1]):
        return np.empty((0, 3), np.int64)
    found, waiting = [], [(0, count - 1)]
    while waiting:
        i, j = waiting.pop()
        if j - i > 1:
            k = int(via[i, j])
            found.append([ring[i], ring[k], ring[j]])
            waiting += [(i, k), (k, j)]
    return np.array(found, np.int64)


def _flat(corners: Array, ring: Ring) -> Indices:
    """The triangles over a long rim that is nearly flat; none if it crosses itself seen along its normal."""
    centred = corners[ring] - corners[ring].mean(axis=0)
    normal, size = _facing(centred)
    if size == 0:
        return np.empty((0, 3), np.int64)
    along = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
    along /= np.linalg.norm(along)
    plan = np.column_stack([centred @ along, centred @ np.cross(normal, along)])
    return _triangles([plan], ring) if shapely.Polygon(plan).is_valid else np.empty((0, 3), np.int64)


def _triangles(rings: list[Array], corners: Sequence[int]) -> Indices:
    """Triangles of rings (counter-clockwise, holes clockwise), by the corners that their points stand for."""
    found = np.asarray(manifold3d.triangulate([np.ascontiguousarray(ring) for ring in rings]), np.int64)
    return np.asarray(corners, np.int64)[found.reshape(-1, 3)]


def _underside(corners: Array, rings: Sequence[Ring], largest: float) -> tuple[Indices, set[int]]:
    """The faces that close an open underside, looking down, and the numbers of the rims that they close.

    Seen from above the rim of an open underside runs clockwise, as its patch looks down, and that of a court in it the
    other way. None where such rims cross themselves or each other.
    """
    shapes = {k: _on_ground(corners[ring]) for k, ring in enumerate(rings)}
    outer = {
        k: shape for k, shape in shapes.items()
        if shape is not None and not shape.exterior.is_ccw and _size(corners[rings[k]]) > largest
    }  # fmt: skip
    found, closed = [np.empty((0, 3), np.int64)], set[int]()
    for k, shape in outer.items():
        inner = [
            j for j, other in shapes.items() if other is not None and other.exterior.is_ccw and shape.contains(other)
        ]
        deeper = [o for o, other in outer.items() if o != k and shape.contains(other)]
        inner = [j for j in inner if not any(outer[o].contains(shapes[j]) for o in deeper)]
        rims = [rings[number][::-1] for number in (k, *inner)]
        found.append(_triangles([corners[rim][:, :2] for rim in rims], [c for rim in rims for c in rim])[:, ::-1])
        closed |= {k, *inner}
    return np.vstack(found), closed


def _size(rim: Array) -> float:
    return float(np.linalg.norm(np.ptp(rim, axis=0)))


def _on_ground(rim: Array) -> shapely.Polygon | None:
    """The plan of a rim that lies on the ground; None for another, and for one that crosses itself."""
    if len(rim) < 3 or rim[:, 2].max() >= FOOT:
        return None
    shape = shapely.Polygon(rim[:, :2])
    return shape if shape.is_valid and shape.area > 0 else None

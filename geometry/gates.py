"""The test that proves a bundle of lines blocked by two plates together, where neither blocks all of it.

A bundle is every line pq with p in the hull P of six points and q in the hull Q of six others. Take two plates whose
planes part P from Q strictly, and in each a convex piece K of the plate. A line of the bundle misses K only if it
passes outside one of K's straight edges. With d the distance from the plate's plane and e the distance inwards from the
edge's line, measured along the plane,

    s(p, q) = e(p) * |d(q)| + e(q) * |d(p)|

has the sign of e where pq crosses the plane. It is affine in p and affine in q, so is every weighted sum of such s, and
a function of that kind is least on P x Q at a pair of corners. If for an edge of K1 and an edge of K2 there are weights
w1, w2 >= 0, not both 0, with w1 * s1 + w2 * s2 >= 0 at all 36 pairs of corners, then no line of the bundle passes
outside both edges. If that holds for every edge of K1 with every edge of K2, no line misses both pieces: the bundle is
blocked. Where a wall's end and an area's corner overlap by little as seen from everywhere, each plate alone proves only
bundles as thin as the overlap; the weighted sum does not mind where in the slit a line runs.

Edges are moved inwards by `SIDE`, so that rounding cannot let a line slip through; a plate is only looked at within the
box of the bundle's crossings, past which no line of it goes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from deadground.geometry.obstacles import World
from deadground.geometry.plates import Array
from deadground.geometry.proofs import PlateTable, crossing_boxes, strips
from deadground.geometry.reference import cross
from deadground.geometry.segments import Bools, Ints, Segments, rank
from deadground.geometry.units import SIDE

__all__ = ["Gates", "find_gates", "gate_proofs"]


@dataclass(frozen=True, slots=True, eq=False)
class Gates:
    """Plates, each of which is tried on one bundle.

    bundle : (m,) the bundle's row; origin, along, up : (m, 3) frames; polygon : (m,) in the frames, objects
    """

    bundle: Ints
    origin: Array
    along: Array
    up: Array
    polygon: npt.NDArray[np.object_]

    def take(self, rows: Ints | Bools) -> Gates:
        """Some rows, by index or mask."""
        return Gates(self.bundle[rows], self.origin[rows], self.along[rows], self.up[rows], self.polygon[rows])


def gate_proofs(gates: Gates, a: Array, b: Array) -> Bools:
    """(n,) whether one or two of its gates block every line between the hulls of a and b (n, 6, 3)."""
    gates = gates.take(np.argsort(gates.bundle, kind="stable"))
    box, apart = crossing_boxes(gates.origin, gates.along, gates.up, a[gates.bundle], b[gates.bundle])
    gates, box = gates.take(apart), box[apart] + np.array([-2, -2, 2, 2]) * SIDE
    whose, piece = convex_pieces(shapely.intersection(gates.polygon, shapely.box(*box.T)))
    gates = gates.take(whose)
    gate, start, end = edges_of(piece)
    sides = edge_sides(gates.take(gate), start, end, a, b)
    failing = np.flatnonzero((sides < 0).any(1))
    gate, sides = gate[failing], sides[failing]
    count = np.bincount(gate, minlength=len(whose))
    proven = np.zeros(len(a), bool)
    proven[gates.bundle[count == 0]] = True
    one, two = pairs_within(gates.bundle[gate])
    keep = (gate[one] != gate[two]) & ~proven[gates.bundle[gate[one]]]
    one, two = one[keep], two[keep]
    good = shared_weights(sides[one], sides[two])
    size = max(len(whose), 1)
    pair, times = np.unique(gate[one[good]] * size + gate[two[good]], return_counts=True)
    first, second = np.divmod(pair, size)
    whole = times == count[first] * count[second]
    proven[gates.bundle[first[whole]]] = True
    return proven


_PIECES = 2
"""Convex pieces of one plate that are tried."""
_CUTS = 6
"""Cuts after which a piece that is still not convex is given up."""


def convex_pieces(polygon: npt.NDArray[np.object_]) -> tuple[Ints, npt.NDArray[np.object_]]:
    """Numbers (k,), rising, and convex pieces (k,): the largest that polygons (m,) are easily cut down to."""
    whose, piece = _largest(*shapely.get_parts(polygon, return_index=True)[::-1], _PIECES)
    found: list[tuple[Ints, npt.NDArray[np.object_]]] = []
    for turn in range(_CUTS):
        bent = shapely.area(shapely.convex_hull(piece)) - shapely.area(piece) > SIDE**2
        found.append((whose[~bent], piece[~bent]))
        if not bent.any() or turn == _CUTS - 1:
            break
        whose, piece = whose[bent], piece[bent]
        row, cut = _cut_down(piece)
        whose, piece = _largest(whose[row], cut, _PIECES)
    whose, piece = (np.concatenate([f[k] for f in found]) for k in (0, 1))
    return _largest(whose, piece, _PIECES)


def _largest(whose: Ints, piece: npt.NDArray[np.object_], most: int) -> tuple[Ints, npt.NDArray[np.object_]]:
    """The polygons among pieces, as many of each number as `most`, the largest ones; numbers rising."""
    rows = np.flatnonzero(shapely.area(piece) > 0)
    order = rows[np.lexsort((-shapely.area(piece[rows]), whose[rows]))]
    order = order[rank(whose[order]) < most]
    return whose[order], piece[order]


def _cut_down(polygon: npt.NDArray[np.object_]) -> tuple[Ints, npt.NDArray[np.object_]]:
    """Rows (k,) and what is left of polygons (m,) inside each edge past which some of their corners lie."""
    number, start, end = edges_of(polygon)
    point, owner = shapely.get_coordinates(polygon, return_index=True)
    begin, stop = np.searchsorted(owner, [number, number + 1])
    count = stop - begin
    edge = np.repeat(np.arange(len(number)), count)
    corner = np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(begin, count)
    way, offset = (end - start)[edge], point[corner] - start[edge]
    past = way[:, 0] * offset[:, 1] - way[:, 1] * offset[:, 0] < -SIDE * np.hypot(*way.T)
    cutting = np.unique(edge[past])
    number, start, end = number[cutting], start[cutting], end[cutting]
    low_u, low_v, high_u, high_v = shapely.bounds(polygon[number]).T
    reach = 2 * np.hypot(high_u - low_u, high_v - low_v)[:, None]
    way = (end - start) / np.linalg.norm(end - start, axis=1)[:, None]
    left = np.stack([-way[:, 1], way[:, 0]], 1)
    back, ahead = start - way * reach, start + way * reach
    inside = shapely.polygons(np.stack([back, ahead, ahead + left * reach, back + left * reach], 1))
    part, row = shapely.get_parts(shapely.intersection(polygon[number], inside), return_index=True)
    return number[row], part


def edges_of(polygon: npt.NDArray[np.object_]) -> tuple[Ints, Array, Array]:
    """Polygons' numbers (k,), starts and ends (k, 2) of their edges; the inside is on the left."""
    ring, whose = shapely.get_rings(polygon, return_index=True)
    outer = np.concatenate([[True], whose[1:] != whose[:-1]]) if len(whose) else np.empty(0, bool)
    ring = np.where(shapely.is_ccw(ring) == outer, ring, shapely.reverse(ring))
    point, number = shapely.get_coordinates(ring, return_index=True)
    same = np.flatnonzero(number[1:] == number[:-1])
    return whose[number[same]], point[same], point[same + 1]


def edge_sides(gates: Gates, start: Array, end: Array, a: Array, b: Array) -> Array:
    """(k, 36) s of the module's docstring at every pair of corners, for an edge of each gate; scaled to at most 1."""
    way = end - start
    length = np.linalg.norm(way, axis=1)
    inward = np.stack([-way[:, 1], way[:, 0]], 1) / np.where(length > SIDE, length, np.nan)[:, None]
    normal = cross(gates.along, gates.up)
    side = inward[:, :1] * gates.along + inward[:, 1:] * gates.up
    limit = (inward * start).sum(1) + SIDE
    depth, inside = [], []
    for corner in (a, b):
        offset = corner[gates.bundle] - gates.origin[:, None]
        depth.append(np.abs(np.einsum("nkc,nc->nk", offset, normal)))
        inside.append(np.einsum("nkc,nc->nk", offset, side) - limit[:, None])
    sides = inside[0][:, :, None] * depth[1][:, None] + inside[1][:, None] * depth[0][:, :, None]
    sides = np.where(np.isfinite(sides), sides, -1.0).reshape(len(way), a.shape[1] * b.shape[1])
    return np.asarray(sides / np.maximum(np.abs(sides).max(1, initial=SIDE), SIDE)[:, None])


def shared_weights(one: Array, two: Array) -> Bools:
    """(k,) whether some w in 0..1 has w * one + (1 - w) * two >= 0 in all columns of one and two (k, 36)."""
    difference = one - two
    cut = -two / np.where(difference == 0, 1.0, difference)
    low = np.where((one > two) & (two < 0), cut, 0.0).max(1, initial=0.0)
    high = np.where((one < two) & (one < 0), cut, 1.0).min(1, initial=1.0)
    never = ((one < 0) & (two < 0)).any(1)
    return np.asarray(~never & (low <= high))


def pairs_within(group: Ints) -> tuple[Ints, Ints]:
    """All pairs (k,), (k,) of rows i < j of one group; groups come together."""
    begin = np.searchsorted(group, group, side="left")
    place = np.arange(len(group)) - begin
    two = np.repeat(np.arange(len(group)), place)
    one = np.arange(len(two)) - np.repeat(np.cumsum(place) - place, place) + np.repeat(begin, place)
    return one, two


_OUTER = (0, 1, 4, 5)
"""Corners of a patch between which lines are cast: the ends of its two extents."""
_GATES = 10
"""Plates that are tried on one bundle."""
_STRIPS = 2
"""Lines of a bundle, those that fewest plates stop, beside which an edge is looked for."""

_OVER = 1 / 16
"""Radians. A band ends past its edge by this one's sine, and is as wide as its cosine: its corners are within reach."""


def find_gates(world: World, plates: PlateTable, ignored: Bools, a: Array, b: Array) -> Gates:
    """Plates that stop some line of each bundle: facets met first and last, cores, and bands beside passed edges.

    ignored : (n, owners); a, b : (n, 6, 3) corners
    """
    count = len(_OUTER) ** 2
    i, j = np.divmod(np.arange(count), len(_OUTER))
    lines = Segments(a[:, _OUTER][:, i].reshape(-1, 3), b[:, _OUTER][:, j].reshape(-1, 3))
    bundle = np.repeat(np.arange(len(a)), count)
    passing = ignored[bundle]
    met: list[tuple[Ints, Ints]] = []
    for hits in [world.first(way, passing) for way in (lines, lines.reversed())]:
        rows = np.flatnonzero(hits.blocked)
        owner = world.owner_of(hits.triangle[rows])
        passing[rows, owner] = True
        met.append((rows, plates.facet_of(hits.triangle[rows])))
        one = _ends_of_groups(bundle[rows] * world.owners + owner)
        at, core = plates.cores_of(owner[one], lines.take(rows[one]))
        met.append((rows[one][at], core))
    line, plate = (np.concatenate([m[k] for m in met]) for k in (0, 1))
    row, plate = _chosen(bundle, line, plate, len(plates.origin))
    plates.make(plate)
    known = Gates(row, plates.origin[plate], plates.along[plate], plates.up[plate], plates.polygon[plate])
    order = np.lexsort((np.bincount(line, minlength=len(lines)), bundle))
    loose = order[np.arange(len(order)) % count < _STRIPS]
    return _joined(known, _beside(world, passing[loose], bundle[loose], lines.take(loose)))


def _ends_of_groups(group: Ints) -> Ints:
    """Rows, rising: the first and the last of each group."""
    first, last = (np.unique(way, return_index=True)[1] for way in (group, group[::-1]))
    return np.union1d(first, len(group) - 1 - last)


def _chosen(bundle: Ints, line: Ints, plate: Ints, plates: int) -> tuple[Ints, Ints]:
    """Rows and plates: those of each bundle that stop most of its lines, lines that few plates stop counting more."""
    line, plate = np.divmod(np.unique(line * plates + plate), plates)
    weight = 1.0 / np.bincount(line, minlength=len(bundle))[line] ** 2
    pair, where = np.unique(bundle[line] * plates + plate, return_inverse=True)
    row, plate = np.divmod(pair, plates)
    order = np.lexsort((-np.bincount(where, weights=weight, minlength=len(pair)), row))
    order = order[rank(row[order]) < _GATES]
    return row[order], plate[order]


def _beside(world: World, passing: Bools, bundle: Ints, lines: Segments) -> Gates:
    """Bands beside edges that lines pass too closely, of owners that do not stop them outright.

    passing : (n, owners) True for those that do not count, and those that stop the line
    """
    for k, layer in enumerate(world.layers):
        if not layer.wide:
            passing[:, world.owner_offset[k] : world.owner_offset[k + 1]] = True
    near = world.clearance(lines, passing)
    half = max(world.growth(layer) for layer in world.layers)
    strip = strips(near.edge, near.offset, lines.along)
    rows = np.flatnonzero(strip.usable)
    # a band as wide as may be would end with the edge, and a wall's edges end on the table, where lines run as well
    over, wide = (np.full(len(rows), half * part) for part in (math.sin(_OVER), math.cos(_OVER)))
    band = shapely.box(-over, -wide, strip.length[rows] + over, wide)
    return Gates(bundle[rows], strip.origin[rows], strip.along[rows], strip.up[rows], band)


def _joined(one: Gates, two: Gates) -> Gates:
    return Gates(
        np.concatenate([one.bundle, two.bundle]),
        np.concatenate([one.origin, two.origin]),
        np.concatenate([one.along, two.along]),
        np.concatenate([one.up, two.up]),
        np.concatenate([one.polygon, two.polygon]),
    )

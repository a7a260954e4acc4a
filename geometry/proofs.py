"""Plates as a table, and the test that proves a whole bundle of lines blocked.

A bundle is every line between two patches. Where both patches lie wholly on opposite sides of a plate's plane, the
points where the bundle crosses it lie in the convex hull of the crossings of lines between the patches' corners
(central projection keeps convexity). If the plate covers that hull's bounding box, every line of the bundle is blocked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from deadground.geometry.convex import edges_of
from deadground.geometry.obstacles import World, grown, plates_of
from deadground.geometry.plates import Array, Plate
from deadground.geometry.reference import clearance, cross
from deadground.geometry.segments import Bools, Ints, Segments, rank
from deadground.geometry.units import SIDE

__all__ = ["Judgement", "PlateTable", "Strips", "crossing_boxes", "end_proofs", "strip_proofs", "strips"]

_CORES = 3
"""Cores of one owner that are tried on a bundle."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What one plate says of one bundle, row by row.

    proven : (n,) every line of the bundle is blocked
    depth : (n,) how far inside the plate the bundle's middle crosses, inches; 0 beside it or where the sides fail
    spread : (n,) half the larger extent of the crossings, inches; inf where the patches are not on opposite sides
    pull : (n, 3) direction in which the bundle must shrink for the plate to prove it (not a unit vector)
    share : (n,) where on the middle line the plate is crossed
    """

    proven: Bools
    depth: Array
    spread: Array
    pull: Array
    share: Array


class PlateTable:
    """Every plate of a world: facets by their number (made when first needed), then cores.

    Numbers run through the layers: `facet_offset[k] + facet` for facets of layer k, then the cores, owner by owner.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        counts = [layer.facet_count for layer in world.layers]
        self.facet_offset = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        cores = [(k, owner, plate) for k, layer in enumerate(world.layers) for owner, plate in layer.cores]
        self._first_core = int(self.facet_offset[-1])
        size = self._first_core + len(cores)
        self.origin, self.along, self.up, self.normal = (np.zeros((size, 3)) for _ in range(4))
        self.polygon, self.edges = np.empty(size, object), np.empty(size, object)
        self.bounds = np.zeros((size, 4))
        self._made = np.zeros(size, bool)
        self._flat, self._flattened = np.empty(size, object), np.arange(size) >= self._first_core
        self._off, self._growth = np.zeros(size), np.zeros(size)
        for k, layer in enumerate(world.layers):
            self._growth[self.facet_offset[k] : self.facet_offset[k + 1]] = world.growth(layer)
        for number, (k, _, plate) in enumerate(cores, self._first_core):
            layer = world.layers[k]
            grown_plate = grown(plate.polygon, world.growth(layer))
            self._flat[number], self._growth[number] = plate.polygon, world.growth(layer)
            shapely.prepare(plate.polygon)
            self._put(number, Plate(plate.origin, plate.along, plate.up, grown_plate))
        owners = np.array([world.owner_offset[k] + owner for k, owner, _ in cores], np.int64)
        self._cores_of = np.searchsorted(owners, np.arange(world.owners + 1))

    def _put(self, number: int, plate: Plate) -> None:
        self.origin[number], self.along[number], self.up[number] = plate.origin, plate.along, plate.up
        self.normal[number] = plate.normal
        shapely.prepare(plate.polygon)
        self.polygon[number], self.edges[number] = plate.polygon, np.stack(edges_of(plate.polygon), 1)
        self.bounds[number] = plate.polygon.bounds if not plate.polygon.is_empty else (0, 0, -1, -1)
        self._made[number] = True

    def make(self, numbers: Ints) -> None:
        """See that the plates of these numbers can be used."""
        for number in np.unique(numbers[~self._made[numbers]]):
            k = int(np.searchsorted(self.facet_offset, number, side="right")) - 1
            layer = self._world.layers[k]
            self._put(int(number), plates_of(layer, int(number - self.facet_offset[k]), self._world.growth(layer)))

    def facet_of(self, triangle: Ints) -> Ints:
        """(n,) plate number of the facet of each triangle number (all must be real triangles)."""
        plate = np.empty(len(triangle), np.int64)
        for k, layer in enumerate(self._world.layers):
            begin, end = self._world.triangle_offset[k : k + 2]
            rows = (triangle >= begin) & (triangle < end)
            plate[rows] = layer.facet[triangle[rows] - begin] + self.facet_offset[k]
        return plate

    def lean(self, plate: Ints, a: Array, b: Array) -> Bools:
        """(n,) whether plate[i] stops all lines between hulls a[i], b[i] (n, 6, 3), of which one just reaches past it.

        Say all of one hull is further from the plate's plane than d, on one side, and none of the other is on that
        side: it may lie behind or reach up to d before it. Then every line meets the plane at height d between the two;
        if the box of the crossings, seen square to the plate, lies in the plate as it is, not grown, then every line
        comes within d of it. With d less than half a line's width none is clear. A facet's triangles may be a little
        off its plane, which is taken off that width.
        """
        proven = np.zeros(len(plate), bool)
        side, height = _reach(self.origin[plate], self.normal[plate], a, b)
        rows = np.flatnonzero(height < self._growth[plate])
        self._flatten(plate[rows])
        rows = rows[height[rows] + self._off[plate[rows]] < self._growth[plate[rows]]]
        if not len(rows):  # as mostly
            return proven
        at = plate[rows]
        moved = self.origin[at] + (side * height)[rows, None] * self.normal[at]
        box, apart = crossing_boxes(moved, self.along[at], self.up[at], a[rows], b[rows])
        rows, box = rows[apart], box[apart]
        proven[rows] = shapely.covers(self._flat[plate[rows]], shapely.box(*box.T))
        return proven

    def lean_on(self, triangle: Ints, corners: Array, a: Array, b: Array) -> Bools:
        """(n,) the same of the facets of triangles, by number; corners : (n, 3, 3) theirs. Numbers may be NOTHING."""
        normal = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        size = np.linalg.norm(normal, axis=1)
        normal = normal / np.where(size > 0, size, np.nan)[:, None]
        proven = np.zeros(len(triangle), bool)
        # plates are dear to make
        rows = np.flatnonzero(_reach(corners[:, 0], normal, a, b)[1] < self._world.growth_at(triangle))
        if len(rows):
            plate = self.facet_of(triangle[rows])
            self.make(plate)
            proven[rows] = self.lean(plate, a[rows], b[rows])
        return proven

    def _flatten(self, numbers: Ints) -> None:
        """See that plates can be used that have not grown."""
        for number in np.unique(numbers[~self._flattened[numbers]]):
            self._flattened[number] = True
            k = int(np.searchsorted(self.facet_offset, number, side="right")) - 1
            facet = int(number - self.facet_offset[k])
            self._flat[number] = plates_of(self._world.layers[k], facet, 0.0).polygon
            offset = self._world.layers[k].facet_triangles(facet).reshape(-1, 3) - self.origin[number]
            self._off[number] = np.abs(offset @ self.normal[number]).max()
            shapely.prepare(self._flat[number])

    def cores_of(self, owner: Ints, lines: Segments) -> tuple[Ints, Ints]:
        """(k,) rows and (k,) plate numbers: the most promising cores of each row's owner.

        lines : (n) middle lines; a core that its line does not cross is of no use.
        """
        begin, end = self._cores_of[owner], self._cores_of[owner + 1]
        count = end - begin
        row = np.repeat(np.arange(len(owner)), count)
        within = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        plate = begin[row] + within + self._first_core
        margin = self._margin(plate, lines.take(row))
        row, plate, margin = row[margin > 0], plate[margin > 0], margin[margin > 0]
        order = np.lexsort((-margin, row))
        best = order[rank(row[order]) < _CORES]
        return row[best], plate[best]

    def _margin(self, plate: Ints, lines: Segments) -> Array:
        """How far (n,) inside its plate's bounding box each line crosses, seen along it; negative where it does not."""
        share, point = self._crossing(plate, lines)
        bounds = self.bounds[plate]
        inside = np.minimum(point - bounds[:, :2], bounds[:, 2:] - point).min(1)
        facing = np.abs((lines.along * self.normal[plate]).sum(1)) / np.linalg.norm(lines.along, axis=1)
        return np.where((share > 0) & (share < 1), inside * facing, -1.0)

    def judge(self, plate: Ints, middle: Segments, a: Array, b: Array) -> Judgement:
        """Does plate[i] block every line between the hulls of a[i] and b[i]? a, b : (n, 6, 3) corners.

        middle : (n) one line of each bundle, which tells how a bundle that is not proven should shrink
        """
        self.make(plate)
        box, apart = crossing_boxes(self.origin[plate], self.along[plate], self.up[plate], a, b)
        bounds = self.bounds[plate]
        fits = apart & (box[:, :2] >= bounds[:, :2]).all(1) & (box[:, 2:] <= bounds[:, 2:]).all(1)
        proven = np.zeros(len(plate), bool)
        rows = np.flatnonzero(fits)
        proven[rows] = shapely.covers(self.polygon[plate[rows]], shapely.box(*box[rows].T))
        if len(rows := np.flatnonzero(~apart)):
            proven[rows] = self.lean(plate[rows], a[rows], b[rows])
        share, point = self._crossing(plate, middle)
        room = self._room(plate, point, apart & ~proven)
        half = (box[:, 2:] - box[:, :2]) / 2
        vertical = half[:, 1] * room[:, 0] > half[:, 0] * room[:, 1]
        spread = np.where(apart, half.max(1), np.inf)
        return Judgement(proven, room.min(1), spread, self._pull(plate, vertical, apart, middle.along), share)

    def _crossing(self, plate: Ints, lines: Segments) -> tuple[Array, Array]:
        """Where lines cross their plates' planes: (n,) share of the line, (n, 2) point in the plate's frame."""
        before = ((lines.start - self.origin[plate]) * self.normal[plate]).sum(1)
        through = (lines.along * self.normal[plate]).sum(1)
        share = -before / np.where(np.abs(through) > SIDE, through, np.inf)
        offset = lines.at(share) - self.origin[plate]
        return share, np.stack([(offset * self.along[plate]).sum(1), (offset * self.up[plate]).sum(1)], 1)

    def _room(self, plate: Ints, point: Array, rows: Bools) -> Array:
        """(n, 2) how far from a point inside its plate the outline is along `along` and along `up`; 0 outside."""
        room = np.zeros((len(plate), 2))
        where = np.flatnonzero(rows)
        where = where[shapely.contains_xy(self.polygon[plate[where]], *point[where].T)]
        edges = self.edges[plate[where]]
        count = np.array([len(edge) for edge in edges], np.int64)
        start, end = np.concatenate([np.empty((0, 2, 2)), *edges]).swapaxes(0, 1)
        spot, begin = np.repeat(point[where], count, axis=0), np.cumsum(count) - count
        for axis in (0, 1):
            low, high = start[:, 1 - axis] - spot[:, 1 - axis], end[:, 1 - axis] - spot[:, 1 - axis]
            crossed = (low < 0) != (high < 0)
            share = low / np.where(crossed, low - high, 1.0)
            away = np.abs(start[:, axis] + share * (end - start)[:, axis] - spot[:, axis])
            room[where, axis] = np.minimum.reduceat(np.where(crossed, away, np.inf), begin) if len(where) else 0.0
        return np.where(np.isfinite(room), room, 0.0)

    def _pull(self, plate: Ints, vertical: Bools, apart: Bools, line: Array) -> Array:
        """In the plate, the axis along which the crossings must shrink, seen square to the line; else the normal."""
        normal = self.normal[plate]
        axis = np.where(vertical[:, None], self.up[plate], self.along[plate])
        through = (line * normal).sum(1)
        slope = np.divide((line * axis).sum(1), through, out=np.zeros(len(line)), where=apart & (through != 0))
        return np.asarray(np.where(apart[:, None], axis - slope[:, None] * normal, normal))


def _reach(origin: Array, normal: Array, a: Array, b: Array) -> tuple[Array, Array]:
    """On which side of planes the further of two hulls lies (n,), 1 or -1, and (n,) how far the other reaches there.

    Inches, a hair more than it is; NaN where there is no plane.
    """
    da, db = (np.einsum("nkc,nc->nk", corners - origin[:, None], normal) for corners in (a, b))
    further = (np.abs(da).min(1) > np.abs(db).min(1))[:, None]
    far, near = np.where(further, da, db), np.where(further, db, da)
    side = np.where(far[:, 0] > 0, 1.0, -1.0)
    return side, np.maximum((side[:, None] * near).max(1), 0.0) + 2 * SIDE


def crossing_boxes(origin: Array, along: Array, up: Array, a: Array, b: Array) -> tuple[Array, Bools]:
    """Where the lines between corners a and b (n, 6, 3) cross planes, as boxes in (along, up).

    origin, along, up : (n, 3) each, of the planes' frames, inches
    Returns (n, 4) low u, low v, high u, high v; and (n,) whether the corners lie strictly on opposite sides (boxes are
    zero elsewhere).
    """
    normal = cross(along, up)
    da = np.einsum("nkc,nc->nk", a - origin[:, None], normal)
    db = np.einsum("nkc,nc->nk", b - origin[:, None], normal)
    apart = ((da > SIDE).all(1) & (db < -SIDE).all(1)) | ((da < -SIDE).all(1) & (db > SIDE).all(1))
    box = np.zeros((len(a), 4))
    rows = np.flatnonzero(apart)
    da, db = da[rows], db[rows]
    t = da[:, :, None] / (da[:, :, None] - db[:, None, :])
    for column, axis in enumerate((along, up)):
        start = np.einsum("nkc,nc->nk", a[rows] - origin[rows, None], axis[rows])
        end = np.einsum("nkc,nc->nk", b[rows] - origin[rows, None], axis[rows])
        across = start[:, :, None] + t * (end[:, None, :] - start[:, :, None])
        box[rows, column], box[rows, column + 2] = across.min((1, 2)), across.max((1, 2))
    return box, apart


@dataclass(frozen=True, slots=True, eq=False)
class Strips:
    """Bands beside edges, square to a line: along is the edge's way, up points away from the line.

    usable : (n,) False where there is no edge; length : (n,) inches of the edge
    """

    usable: Bools
    origin: Array
    along: Array
    up: Array
    length: Array


def strips(edge: Array, side: Array, line: Array) -> Strips:
    """The band beside each edge (n, 2, 3; NaN where there is none), `side` (n, 3) the way from a line to it.

    line : (n, 3) the line's direction, used where it meets the edge and there is no side
    """
    length = np.linalg.norm(edge[:, 1] - edge[:, 0], axis=1)
    along = (edge[:, 1] - edge[:, 0]) / np.where(length > 0, length, 1.0)[:, None]
    square = cross(along, cross(side, along))
    size = np.linalg.norm(square, axis=1)
    other = cross(line, along)
    other_size = np.linalg.norm(other, axis=1)
    real = (size > SIDE) & (length > 0)
    up = np.where(
        real[:, None], square / np.where(real, size, 1.0)[:, None], other / np.maximum(other_size, SIDE)[:, None]
    )
    usable = np.isfinite(up).all(1) & np.isfinite(along).all(1) & (length > 0)
    origin = np.where(usable[:, None], edge[:, 0], 0.0)
    along, up = np.where(usable[:, None], along, [1.0, 0, 0]), np.where(usable[:, None], up, [0, 1.0, 0])
    return Strips(usable, origin, along, up, length)


def strip_proofs(edge: Array, side: Array, half: Array | float, a: Array, b: Array) -> Bools:
    """(n,) whether every line between hulls a and b (n, 6, 3) passes within `half` inches of an edge (one, or (n,)).

    edge : (n, 2, 3) its ends, NaN where there is none; side : (n, 3) direction from the line to the edge.
    The strip of that width beside the edge, square to the line, is a plate: points of it are closer than `half`.
    """
    strip = strips(edge, side, b.mean(1) - a.mean(1))
    box, apart = crossing_boxes(strip.origin, strip.along, strip.up, a, b)
    beyond = np.maximum(np.maximum(-box[:, 0], box[:, 2] - strip.length), 0.0)
    beside = np.maximum(-box[:, 1], box[:, 3])
    return np.asarray(strip.usable & apart & (np.hypot(beyond, beside) <= half))


def end_proofs(triangle: Array, half: Array | float, corners: Array) -> Bools:
    """(n,) whether all of a hull (n, 6, 3) lies within `half` inches of a triangle (n, 3, 3): no clear line ends there.

    half : one, or (n,) one for each. The distance from a convex thing is a convex function, so it is largest at a
    corner. NaN triangles prove nothing.
    """
    found = np.zeros(len(corners), bool)
    rows = np.flatnonzero(np.isfinite(triangle).all((1, 2)))
    points = corners[rows].reshape(-1, 3)
    distance = clearance(points, points, np.repeat(triangle[rows], corners.shape[1], axis=0)).distance
    found[rows] = distance.reshape(-1, corners.shape[1]).max(1) < np.broadcast_to(half, len(corners))[rows]
    return found

"""What can stop a line: layers of blockers, each with an Embree scene, a float64 check and plates that prove.

An *owner* is one blocker (a feature, another model, a terrain area). Owners are numbered through all layers of a
`World`, triangles and plates likewise. Which owners count can differ from line to line: `ignored` says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely

from deadground.geometry.caster import Caster
from deadground.geometry.facets import facet_plate, facets
from deadground.geometry.nearby import Nearby
from deadground.geometry.plates import Array, Plate
from deadground.geometry.reference import clearance
from deadground.geometry.segments import NOTHING, Bools, Hits, Ints, Segments
from deadground.geometry.units import ADVANCE, END, WIDTH_SLACK

__all__ = ["Blocker", "Clearance", "Layer", "World", "grown", "plates_of"]

_CASTERS = 64
"""Sets of owners that do not count for which a layer keeps a caster."""


@dataclass(frozen=True, slots=True, eq=False)
class Blocker:
    """One owner's surface.

    triangles : (m, 3, 3) inches; faces : (m, 3) vertex numbers, which tell the triangles that share an edge
    cores : flat sections inside it
    """

    triangles: Array
    faces: Ints
    cores: tuple[Plate, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Clearance:
    """How far segments stay from everything that counts, in float64.

    distance : (n,) inches, inf where nothing is near
    number : (n,) the nearest triangle, NOTHING where nothing is near; triangle : (n, 3, 3) its corners, NaN there
    edge : (n, 2, 3) ends of its nearest edge, NaN where the nearest point is not on one
    offset : (n, 3) from the segment to that edge, at their closest
    share : (n,) where on the segment that is
    """

    distance: Array
    number: Ints
    triangle: Array
    edge: Array
    offset: Array
    share: Array

    def take(self, rows: Ints | Bools) -> Clearance:
        """Some rows, by index or mask."""
        return Clearance(
            self.distance[rows],
            self.number[rows],
            self.triangle[rows],
            self.edge[rows],
            self.offset[rows],
            self.share[rows],
        )

    @staticmethod
    def unknown(count: int) -> Clearance:
        """Nothing known to be near any of `count` segments."""
        nan = np.full((count, 3, 3), np.nan)
        nobody = np.full(count, NOTHING, np.int64)
        return Clearance(
            np.full(count, np.inf), nobody, nan, nan[:, :2].copy(), np.zeros((count, 3)), np.full(count, 0.5)
        )

    def put(self, rows: Ints, found: Clearance) -> None:
        """Take over what was found for some rows."""
        self.distance[rows], self.number[rows] = found.distance, found.number
        self.triangle[rows], self.edge[rows] = found.triangle, found.edge
        self.offset[rows], self.share[rows] = found.offset, found.share


class Layer:
    """Blockers of one kind that are cast against together.

    blockers : numbered in this order; wide : whether a line's width counts against them (terrain areas have no width)
    """

    def __init__(self, blockers: Sequence[Blocker], *, wide: bool = True) -> None:
        self.wide = wide
        self.count = len(blockers)
        sizes = [len(b.triangles) for b in blockers]
        self.triangles = np.concatenate([b.triangles for b in blockers]) if blockers else np.empty((0, 3, 3))
        self.owner = np.repeat(np.arange(len(blockers)), sizes)
        self._blockers = tuple(blockers)
        self.caster = Caster([b.triangles for b in blockers])
        self._casters: dict[bytes, Caster] = {}

    @cached_property
    def facet(self) -> Ints:
        """(m,) facet number of each triangle, numbered through the layer."""
        parts, total = [np.empty(0, np.int64)], 0
        for blocker in self._blockers:
            part = facets(blocker.triangles, blocker.faces)
            parts.append(part + total)
            total += int(part.max(initial=-1)) + 1
        return np.concatenate(parts)

    @cached_property
    def _by_facet(self) -> tuple[Ints, Ints]:
        order = np.argsort(self.facet, kind="stable")
        return order, np.searchsorted(self.facet[order], np.arange(int(self.facet.max(initial=-1)) + 2))

    @property
    def facet_count(self) -> int:
        """How many facets the layer has."""
        return len(self._by_facet[1]) - 1

    def facet_triangles(self, facet: int) -> Array:
        """(k, 3, 3) triangles of one facet."""
        order, begin = self._by_facet
        return self.triangles[order[begin[facet] : begin[facet + 1]]]

    @property
    def cores(self) -> list[tuple[int, Plate]]:
        """(owner, plate) of every core."""
        return [(owner, plate) for owner, b in enumerate(self._blockers) for plate in b.cores]

    @cached_property
    def _nearby(self) -> Nearby:
        return Nearby(self.triangles, self.owner)

    def caster_without(self, ignored: Bools) -> Caster:
        """Casts against the owners that count alone; the last few are kept. ignored : (owners,) of this layer."""
        if not ignored.any():
            return self.caster
        key = ignored.tobytes()
        if key not in self._casters:
            if len(self._casters) == _CASTERS:
                self._casters.pop(next(iter(self._casters)))
            self._casters[key] = Caster([self.triangles[~ignored[self.owner]]])
        return self._casters[key]

    def near(self, segments: Segments, reach: float | Array, ignored: Bools) -> tuple[Ints, Ints]:
        """(k,) segment rows, rising, and (k,) triangles that may be within `reach` inches of each other.

        reach : one, or (n,) one for each segment; ignored : (n, owners) or (1, owners) of this layer
        """
        return self._nearby.query(segments, reach, ignored)


class World:
    """Layers taken together, asked about segments.

    half_width : inches, half of a line's width
    ignored rows passed to its methods are (n, owners) or (1, owners) booleans: True where an owner does not count.
    """

    def __init__(self, layers: Sequence[Layer], half_width: float) -> None:
        self.layers = tuple(layers)
        self.half_width = half_width
        self.owner_offset = np.concatenate([[0], np.cumsum([layer.count for layer in layers])]).astype(np.int64)
        self.triangle_offset = np.concatenate([[0], np.cumsum([len(x.triangles) for x in layers])]).astype(np.int64)
        self.owners = int(self.owner_offset[-1])

    def growth(self, layer: Layer) -> float:
        """Inches by which a layer's plates grow when they prove: just under the clearance that a witness keeps."""
        return max(self.half_width - WIDTH_SLACK, WIDTH_SLACK) if layer.wide else 0.0

    def growth_at(self, triangle: Ints) -> Array:
        """(n,) the growth of the layer of each triangle number, inches; 0.0 for `NOTHING`."""
        each = np.array([self.growth(layer) for layer in self.layers] or [0.0])
        layer = np.searchsorted(self.triangle_offset[1:], triangle, side="right").clip(0, len(each) - 1)
        return np.where(triangle == NOTHING, 0.0, each[layer])

    def nobody(self) -> Bools:
        """(1, owners) ignored rows in which every owner counts."""
        return np.zeros((1, self.owners), bool)

    def owner_of(self, triangle: Ints) -> Ints:
        """(n,) owner of each triangle number; `NOTHING` where nothing was met."""
        owner = np.full(len(triangle), NOTHING, np.int64)
        for k, layer in enumerate(self.layers):
            rows = (triangle >= self.triangle_offset[k]) & (triangle < self.triangle_offset[k + 1])
            owner[rows] = layer.owner[triangle[rows] - self.triangle_offset[k]] + self.owner_offset[k]
        return owner

    def first(self, segments: Segments, ignored: Bools) -> Hits:
        """The first triangle met by each segment among owners that count."""
        triangle, share = np.full(len(segments), NOTHING, np.int64), np.ones(len(segments))
        for k, layer in enumerate(self.layers):
            mine = ignored[:, self.owner_offset[k] : self.owner_offset[k + 1]]
            if mine.all():
                continue
            hits = _first_counting(layer, segments, mine)
            closer = hits.blocked & ((hits.share < share) | (triangle == NOTHING))
            triangle[closer] = hits.triangle[closer] + self.triangle_offset[k]
            share[closer] = hits.share[closer]
        return Hits(triangle, share)

    def blocked(self, segments: Segments, ignored: Bools, group: Ints) -> Bools:
        """(n,) whether anything that counts is met: as `first` says it, and much quicker for many segments.

        ignored : (g, owners); group : (n,) which row of it holds for each segment
        """
        met = np.zeros(len(segments), bool)
        for k, layer in enumerate(self.layers):
            mine = ignored[:, self.owner_offset[k] : self.owner_offset[k + 1]]
            alike, which = np.unique(mine, axis=0, return_inverse=True)
            for i in np.flatnonzero(~alike.all(1)):
                rows = np.flatnonzero(~met & (which.reshape(-1)[group] == i))
                met[rows] = layer.caster_without(alike[i]).blocked(segments.take(rows))
        return met

    def clearance(self, segments: Segments, ignored: Bools) -> Clearance:
        """Distance of each segment from all that counts, in float64, as far as half a line's width.

        Areas have no width: crossing one is distance 0, passing it is not near it.
        """
        nearest = Clearance.unknown(len(segments))
        for k, layer in enumerate(self.layers):
            mine = ignored[:, self.owner_offset[k] : self.owner_offset[k + 1]]
            reach = max(self.half_width, WIDTH_SLACK) if layer.wide else WIDTH_SLACK
            row, triangle = layer.near(segments, reach, mine)
            if not len(row):
                continue
            corner = layer.triangles[triangle]
            gap = clearance(segments.start[row], segments.end[row], corner)
            far = gap.distance if layer.wide else np.where(gap.distance == 0, 0.0, np.inf)
            order = np.lexsort((far, row))
            first = order[np.unique(row[order], return_index=True)[1]]
            best = first[far[first] < nearest.distance[row[first]]]
            edge = _edge_ends(corner[best], gap.edge[best])
            number = triangle[best] + self.triangle_offset[k]
            found = Clearance(far[best], number, corner[best], edge, gap.offset[best], gap.share[best])
            nearest.put(row[best], found)
        return nearest

    def keeps_width(self, found: Clearance) -> Bools:
        """(n,) whether those segments are clear lines: they keep half a line's width from everything."""
        return found.distance >= max(self.half_width - WIDTH_SLACK, WIDTH_SLACK)


def _edge_ends(corner: Array, side: Ints) -> Array:
    rows = np.arange(len(corner))
    ends = np.stack([corner[rows, side % 3], corner[rows, (side + 1) % 3]], 1)
    ends[side < 0] = np.nan
    return np.asarray(ends)


def _first_counting(layer: Layer, segments: Segments, ignored: Bools) -> Hits:
    """First hit in one layer, stepping through the surfaces of owners that do not count."""
    hits = layer.caster.first(segments)
    if not ignored.any():
        return hits
    wide = np.broadcast_to(ignored, (len(segments), layer.count))
    triangle, share = hits.triangle.copy(), hits.share.copy()
    length = np.maximum(np.linalg.norm(segments.along, axis=1), ADVANCE)
    advance = np.full(len(segments), ADVANCE)
    rows = np.arange(len(segments))
    while True:
        rows = rows[triangle[rows] != NOTHING]
        rows = rows[wide[rows, layer.owner[triangle[rows]]]]
        if not len(rows):
            return Hits(triangle, share)
        before, step = share[rows], share[rows] + advance[rows] / length[rows]
        rest = Segments(segments.take(rows).at(np.minimum(step, 1.0)), segments.end[rows])
        again = layer.caster.first(rest)
        over = step >= 1
        triangle[rows] = np.where(over, NOTHING, again.triangle)
        share[rows] = np.where(over | ~again.blocked, 1.0, step + again.share * (1 - step))
        # a line that runs along a surface meets it again at every step: the steps grow until it is past
        stuck = (share[rows] - before) * length[rows] < 2 * advance[rows] + END
        advance[rows] = np.where(stuck, 2 * advance[rows], ADVANCE)


def plates_of(layer: Layer, facet: int, growth: float) -> Plate:
    """A facet as a plate, grown by `growth` inches; empty if its triangles do not lie in one plane after all."""
    triangles = layer.facet_triangles(facet)
    plate = facet_plate(triangles)
    off = np.abs((triangles.reshape(-1, 3) - plate.origin) @ plate.normal).max()
    return Plate(
        plate.origin, plate.along, plate.up, grown(plate.polygon if off < WIDTH_SLACK else shapely.Polygon(), growth)
    )


def grown(polygon: shapely.Polygon | shapely.MultiPolygon, growth: float) -> shapely.Polygon | shapely.MultiPolygon:
    """The polygon and all within `growth` of it, inside a true offset by construction (its arcs are inscribed)."""
    return shapely.buffer(polygon, growth, quad_segs=4) if growth > 0 else polygon

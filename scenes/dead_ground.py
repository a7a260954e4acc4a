"""Facts seen from above: the ground that an observer sees, and the ground on which a base cannot be seen.

Exact up to the polygons that stand for round bases. No word of any game.

A point p is seen if a clear trace leads to it. Turn that trace about p, either way, until something stops the turn. If
no corner does, p sees the observer's whole base, its middle too. Else p lies on a line that comes from the base and
goes on behind a corner. So the ground seen is what is seen from the middle, and for each corner what lies straight
behind it as seen from the part of the base that the corner sees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.convex import Convex, Hull, Lines, Round, cross_flat, edges_of
from deadground.geometry.plates import Array
from deadground.geometry.shapes import quad_segments
from deadground.geometry.units import GRID, LOOK, PLANE_SLACK, SNAP
from deadground.scenes.plane import Barrier

__all__ = ["hidden_ground", "polygons_of", "seen_ground"]

Edges = tuple[Array, Array]


def hidden_ground(observer: Convex, base: Convex, stops: Barrier, ground: BaseGeometry) -> BaseGeometry:
    """Where on the ground the middle of a base may stand so that no trace from the observer reaches it.

    base : around the origin, turned as it would stand; ground : a polygon or several
    Of a round base's outline a polygon within 2 * ARC_ERROR inside it is taken: hidden ground may be too large by that
    much along its edges, and is never too small. The opposite of a `clear_trace`.
    """
    reach = float(np.hypot(*np.ptp(shapely.get_coordinates(base.polygon), axis=0)))
    seen = _grown(seen_triangles(observer, stops, _room(observer, ground, reach)), base)
    seen = shapely.union(seen, _grown_by(_own_ground(observer, stops), base), grid_size=GRID)
    return polygons_of(shapely.difference(polygons_of(ground), polygons_of(seen), grid_size=GRID))


def seen_ground(observer: Convex, stops: Barrier, ground: BaseGeometry) -> BaseGeometry:
    """The points of the ground that a clear trace from the observer's base reaches, exact within PLANE_SLACK."""
    triangles = seen_triangles(observer, stops, _room(observer, ground, 0.0))
    pieces = shapely.buffer(_united(shapely.polygons(triangles)), PLANE_SLACK, join_style="mitre")
    seen = shapely.union(pieces, _own_ground(observer, stops), grid_size=GRID)
    return polygons_of(shapely.intersection(polygons_of(ground), polygons_of(seen), grid_size=GRID))


def _room(observer: Convex, ground: BaseGeometry, reach: float) -> BaseGeometry:
    """A rectangle that holds the ground, the observer, and every trace between them."""
    both = shapely.envelope(shapely.union(ground, observer.polygon))
    return shapely.buffer(both, reach + SNAP, join_style="mitre")


def polygons_of(geometry: BaseGeometry) -> BaseGeometry:
    """The polygons in a geometry, united: what overlays leave of lines and points is dropped."""
    parts = shapely.get_parts(shapely.get_parts(geometry))
    return _united([part for part in parts if part.geom_type == "Polygon"])


def _own_ground(observer: Convex, stops: Barrier) -> BaseGeometry:
    return polygons_of(shapely.difference(observer.polygon, stops.solid))


def _united(parts: Any) -> BaseGeometry:
    """Many polygons, slivers among them, as one."""
    return shapely.union_all(parts, grid_size=GRID)


def _grown(triangles: Array, base: Convex) -> BaseGeometry:
    if isinstance(base, Hull):
        sums = triangles[:, :, None, :] - base.corners[None, None, :, :]
        return _united(shapely.convex_hull(shapely.multipoints(sums.reshape(len(sums), -1, 2))))
    return _grown_by(_united(shapely.polygons(triangles)), base)


def _grown_by(geometry: BaseGeometry, base: Convex) -> BaseGeometry:
    if isinstance(base, Round):
        return shapely.buffer(geometry, base.radius, quad_segs=quad_segments(base.radius))
    triangles = shapely.get_parts(shapely.delaunay_triangles(geometry))
    inside = triangles[shapely.covers(geometry, shapely.centroid(triangles))]
    return _grown(shapely.get_coordinates(inside).reshape(-1, 4, 2)[:, :3], base)


def seen_triangles(observer: Convex, stops: Barrier, board: BaseGeometry) -> Array:
    """(n, 3, 2) triangles that together cover what is seen outside the observer's own base."""
    edges = _walls(stops, board)
    corners = np.unique(edges_of(shapely.intersection(stops.cornered, board))[0], axis=0)
    met = observer.meets(stops.cornered) if observer.distance(stops.cornered) == 0 else np.empty((0, 2))
    fans = [_fan(observer.centre, (0.0, 2 * np.pi), edges)] if _is_free(observer.centre, stops) else []
    stations = np.vstack([edges[0], met])
    for corner in np.vstack([corners, met]):
        fans += [_fan(corner, sector, edges) for sector in _sectors_behind(corner, observer, edges, stations)]
    return np.vstack([np.empty((0, 3, 2)), *fans])


def _is_free(point: Array, stops: Barrier) -> bool:
    return not bool(shapely.intersects_xy(stops.solid, *point))


def _walls(stops: Barrier, board: BaseGeometry) -> Edges:
    """All edges that end a look: the obstacles' and the board's."""
    parts = [edges_of(shapely.intersection(stops.solid, board)), edges_of(board)]
    return np.vstack([part[0] for part in parts]), np.vstack([part[1] for part in parts])


def _sectors_behind(corner: Array, observer: Convex, edges: Edges, stations: Array) -> list[tuple[float, float]]:
    """The angles under which one looks past a corner from the parts of the base that the corner sees.

    stations : (n, 2) points between whose directions nothing changes: all corners, and where edges meet the base's rim
    """
    if observer.distance(shapely.Point(corner)) <= PLANE_SLACK:
        return [(0.0, 2 * np.pi)]
    sides = observer.tangents(corner[None])
    low, high = _ordered(np.arctan2(sides.along[:, 1], sides.along[:, 0]))
    rays = _rays(corner, (low, high), stations)
    middles = (rays[:-1] + rays[1:]) / 2
    looks = Lines(np.tile(corner, (len(middles), 1)), _units(middles))
    clear = _first_hits(looks, edges)[1] >= observer.chords(looks)[0]
    return [(rays[i] + np.pi, rays[i + 1] + np.pi) for i in np.flatnonzero(clear)]


def _ordered(angles: Array) -> tuple[float, float]:
    """Two angles less than half a turn apart, the right-hand one first."""
    first, second = (float(angle) for angle in angles)
    apart = (second - first + np.pi) % (2 * np.pi) - np.pi
    return (first, first + apart) if apart >= 0 else (first + apart, first)


def _units(angles: Array) -> Array:
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _rays(point: Array, sector: tuple[float, float], stations: Array) -> Array:
    """Ascending angles: the sector's sides, and the directions of all stations between them, `LOOK` apart."""
    low, high = sector
    ways = stations - point
    angles = low + (np.arctan2(ways[:, 1], ways[:, 0]) - low) % (2 * np.pi)
    rays = np.unique(np.concatenate([[low, high], angles[angles < high]]))
    return np.asarray(rays[np.concatenate([[True], np.diff(rays) > LOOK])])


def _fan(point: Array, sector: tuple[float, float], edges: Edges) -> Array:
    """(n, 3, 2) the triangles that a point sees in a sector."""
    rays = _rays(point, sector, edges[0])
    middles = Lines(np.tile(point, (len(rays) - 1, 1)), _units((rays[:-1] + rays[1:]) / 2))
    hit, way = _first_hits(middles, edges)
    sides = [_on_edge(point, _units(angles), edges, hit) for angles in (rays[:-1], rays[1:])]
    return np.stack([middles.origin, *sides], axis=1)[
        np.isfinite(way)
    ]  # one looks off the board from a corner on its edge


def _first_hits(lines: Lines, edges: Edges) -> tuple[Array, Array]:
    """(n,), (n,) number of the first edge ahead on each line, and the way to it: +inf if there is none."""
    starts, ends = edges
    edge = (ends - starts)[None]
    apart = starts[None] - lines.origin[:, None]
    along = lines.along[:, None]
    slant = cross_flat(along, edge)
    crossing = np.abs(slant) > 0
    share = np.divide(cross_flat(apart, along), slant, out=np.full_like(slant, -1.0), where=crossing)
    way = np.divide(cross_flat(apart, edge), slant, out=np.full_like(slant, -1.0), where=crossing)
    way = np.where((share >= 0) & (share <= 1) & (way > 0), way, np.inf)
    return way.argmin(axis=1), way.min(axis=1)


def _on_edge(point: Array, along: Array, edges: Edges, which: Array) -> Array:
    """(n, 2) where rays from a point meet given edges; the nearer end of an edge that rounding lets one just miss."""
    starts, ends = edges[0][which], edges[1][which]
    slant = cross_flat(along, ends - starts)
    share = cross_flat(starts - point, along) / np.where(slant == 0, np.inf, slant)
    return np.asarray(starts + np.clip(share, 0.0, 1.0)[:, None] * (ends - starts))

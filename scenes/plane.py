"""Facts seen from above: traces between two bases, and what closes them. No word of any game, and no sampling.

A trace is a straight piece of line from any part of one base to any part of another. It is clear if it runs through the
inside of no obstacle; running along an edge, or through a corner by less than `TOUCH`, is not crossing. `clear_trace`
gives a clear trace if there is one. Its None is a proof.

Why trying few lines is enough. Take the clear lines (those whose piece between the bases is clear). They are a closed
set: one of them has the least angle. Were it held by fewer than two of these contacts, it could be turned further:

- it touches a base (a tangent),
- it goes through an obstacle's corner, or through a point where an obstacle's edge meets a base's rim.

So if any trace is clear, then one is clear that touches both bases, or a base and a point, or goes through two points,
and those lines can be counted. They are joined to obstacles shrunk by `TOUCH` and held against obstacles shrunk by
`PLANE_SLACK` more, so that rounding undoes none of them.
Source: the bitangents of the visibility complex (Pocchiola and Vegter, "The visibility complex", 1996).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely
from shapely import affinity
from shapely.geometry.base import BaseGeometry

from deadground.geometry.convex import (
    Convex,
    Hull,
    Lines,
    Round,
    bitangents,
    edges_of,
    gap_between,
    joined,
    lines_through,
)
from deadground.geometry.plates import Array
from deadground.geometry.shapes import base_polygon
from deadground.geometry.units import GRID, PLANE_SLACK, SNAP, TOUCH
from deadground.scenes.model import Model
from deadground.scenes.placing import footprint
from deadground.scenes.terrain import Feature

__all__ = [
    "Barrier",
    "across",
    "barrier",
    "between",
    "clear_trace",
    "convex_base",
    "corridor",
    "fan",
    "first_crossed",
    "ground_of",
    "shadow",
    "share_behind",
    "split_behind",
    "straight_trace",
    "swept_ground",
]

BATCH = 20_000
"""Lines tried at a time, so that memory stays small."""

SPREAD = np.linspace(-0.96, 0.96, 9)
"""Where plain traces start and end across a base. These are tried first, for they look better than grazing ones."""

SHARP = 100.0
"""Longest mitre, in steps of offsetting: corners stay corners when obstacles grow."""


def convex_base(model: Model) -> Convex:
    """A model's base seen from above. Ovals are polygons within ARC_ERROR."""
    if model.base.shape == "round":
        return Round(model.x, model.y, model.base.length / 2)
    if model.base.shape == "oval":
        return Hull(shapely.get_coordinates(base_polygon(model.body))[:-1])
    half = np.array([model.base.length, model.base.width]) / 2
    corners = half * np.array([[1, -1], [1, 1], [-1, 1], [-1, -1]])
    middle = np.array([model.x, model.y])
    return Hull(corners @ _turn(model.facing).T + middle)


def ground_of(feature: Feature) -> BaseGeometry:
    """The ground a feature takes up on the table: its physical base, or the plan of its material with holes filled."""
    if feature.physical_base is None:
        return footprint(feature)
    return feature.on_table(feature.physical_base)


def swept_ground(model: Model, path: Sequence[Sequence[float]]) -> BaseGeometry:
    """The ground that a model's base passes over along a path of points (x, y, or more numbers that are not looked at).

    The base keeps its facing. A path of one point gives the base there.
    """
    base = convex_base(model).polygon
    spots = [affinity.translate(base, point[0] - model.x, point[1] - model.y) for point in path]
    hulls = [shapely.convex_hull(shapely.union(one, other)) for one, other in pairwise(spots)]
    return shapely.union_all([*spots, *hulls])


def _turn(degrees: float) -> Array:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s], [s, c]])


def across(one: Model, other: Model) -> float:
    """Distance between the closest parts of two bases, seen from above, in inches. 0.0 when they touch or overlap."""
    return gap_between(convex_base(one), convex_base(other))


@dataclass(frozen=True, slots=True, eq=False)
class Barrier:
    """What traces may not cross, made by `barrier`.

    cornered : obstacles shrunk by TOUCH, to which critical lines are joined
    solid : the same shrunk by PLANE_SLACK more; a line that meets it is stopped
    """

    cornered: BaseGeometry
    solid: BaseGeometry


def barrier(obstacles: Sequence[BaseGeometry]) -> Barrier:
    """Obstacles (polygons seen from above) made ready for traces.

    Obstacles closer together than TOUCH touch, and no trace runs between them. What is thinner than two TOUCH vanishes.
    """
    grown = shapely.union_all(shapely.buffer(list(obstacles), TOUCH / 2, join_style="mitre", mitre_limit=SHARP))
    cornered = _shrunk(grown, 3 * TOUCH / 2)
    solid = _shrunk(cornered, PLANE_SLACK)
    shapely.prepare(solid)
    return Barrier(cornered, solid)


def _shrunk(geometry: BaseGeometry, by: float) -> BaseGeometry:
    """Corners that stand out stay sharp. Notches are bevelled: mitres as long as those there cut off whole walls."""
    return shapely.buffer(geometry, -by, join_style="bevel")


def corridor(one: Convex, other: Convex) -> BaseGeometry:
    """The hull of two bases: every trace between them lies in it. Up to `SNAP` too wide."""
    both = np.vstack([shapely.get_coordinates(base.polygon) for base in (one, other)])
    return shapely.buffer(shapely.convex_hull(shapely.MultiPoint(both)), SNAP, quad_segs=2)


def between(one: Convex, other: Convex, shapes: Mapping[str, BaseGeometry]) -> frozenset[str]:
    """Names of the shapes that reach into the corridor of two bases: no other can stop a trace between them."""
    names, room = list(shapes), corridor(one, other)
    shapely.prepare(room)
    met = shapely.intersects(room, np.array(list(shapes.values()), dtype=object))
    return frozenset(name for name, is_met in zip(names, met, strict=True) if is_met)


def clear_trace(one: Convex, other: Convex, stops: Barrier) -> Array | None:
    """A clear trace from one base to another: (2, 2) its ends, within PLANE_SLACK of the bases. None: there is none.

    Symmetric in whether there is one. Bases that overlap see each other through any clear point they share.
    """
    if shapely.is_empty(stops.solid):
        return straight_trace(one, other)
    shared = _shared_point(one, other, stops)
    if shared is not None:
        return shared
    for lines in _candidates(one, other, stops):
        ends = _traces(one, other, lines)
        clear = np.flatnonzero(~shapely.intersects(stops.solid, shapely.linestrings(ends)))
        if len(clear):
            return np.asarray(ends[clear[0]])
    return None


def straight_trace(one: Convex, other: Convex) -> Array:
    """The trace along the line between the middles of two bases: (2, 2) its ends. A point if they overlap."""
    lines = lines_through(one.centre[None], other.centre[None])
    ends = _traces(one, other, lines)
    return np.asarray(ends[0]) if len(ends) else np.vstack([one.centre, one.centre])


def first_crossed(trace: Array, obstacle: BaseGeometry) -> Array | None:
    """(2,) where a trace (2, 2) first meets an obstacle shrunk by TOUCH. None if it does not cross it."""
    met = shapely.intersection(shapely.LineString(trace), _shrunk(obstacle, TOUCH))
    points = shapely.get_coordinates(met)
    if not len(points):
        return None
    return np.asarray(points[np.hypot(*(points - trace[0]).T).argmin()])


def _shared_point(one: Convex, other: Convex, stops: Barrier) -> Array | None:
    if gap_between(one, other) > 0:
        return None
    shared = shapely.difference(shapely.intersection(one.polygon, other.polygon), stops.solid)
    if shapely.is_empty(shared):
        return None
    point = shapely.get_coordinates(shapely.point_on_surface(shared))
    return np.vstack([point, point])


def _traces(one: Convex, other: Convex, lines: Lines) -> Array:
    """(m, 2, 2) the shortest trace along each line that meets both bases, from `one` to `other`, in order of the lines.

    Where the two chords overlap the trace is a point of both.
    """
    enter, leave = one.chords(lines)
    other_enter, other_leave = other.chords(lines)
    met = (enter <= leave) & (other_enter <= other_leave)
    lines = lines.chosen(met)
    enter, leave, other_enter, other_leave = enter[met], leave[met], other_enter[met], other_leave[met]
    ahead, behind = other_enter >= leave, other_leave <= enter
    touching = np.maximum(enter, other_enter)
    start = np.where(ahead, leave, np.where(behind, enter, touching))
    end = np.where(ahead, other_enter, np.where(behind, other_leave, touching))
    return np.stack([lines.at(start), lines.at(end)], axis=1)


def _candidates(one: Convex, other: Convex, stops: Barrier) -> Iterator[Lines]:
    yield _plain_lines(one, other)
    corners = critical_points(one, other, stops)
    yield joined([bitangents(one, other), one.tangents(corners), other.tangents(corners)])
    first, second = np.triu_indices(len(corners), 1)
    for begin in range(0, len(first), BATCH):
        batch = slice(begin, begin + BATCH)
        yield lines_through(corners[first[batch]], corners[second[batch]])


def _plain_lines(one: Convex, other: Convex) -> Lines:
    """A grid of lines between the bases, the middle one first."""
    way = other.centre - one.centre
    along = way / max(float(np.hypot(*way)), PLANE_SLACK)
    start, end = (grid.ravel() for grid in np.meshgrid(SPREAD, SPREAD))
    order = np.argsort(np.abs(start) + np.abs(end), kind="stable")
    return lines_through(one.spread(along, start[order]), other.spread(along, end[order]))


def critical_points(one: Convex, other: Convex, stops: Barrier) -> Array:
    """(n, 2) corners of what stands in the corridor, and where it meets the bases' rims."""
    near = shapely.intersection(stops.cornered, corridor(one, other))
    near = shapely.union_all([part for part in shapely.get_parts(near) if part.geom_type == "Polygon"])
    if shapely.is_empty(near):
        return np.empty((0, 2))
    met = [base.meets(near) for base in (one, other) if base.distance(near) == 0]
    return np.unique(np.vstack([edges_of(near)[0], *met]), axis=0)


def shadow(point: Array, obstacle: BaseGeometry, reach: float) -> BaseGeometry:
    """The obstacle and the ground behind it as seen from a point outside it, at least up to `reach` inches away."""
    starts, ends = edges_of(obstacle)
    far = [edge + (edge - point) * _stretch(edge - point, reach) for edge in (ends, starts)]
    quads = np.atleast_1d(np.asarray(shapely.polygons(np.stack([starts, ends, *far], axis=1))))
    return shapely.union_all([obstacle, *quads[shapely.is_valid(quads) & (shapely.area(quads) > 0)]], grid_size=GRID)


def _stretch(ways: Array, reach: float) -> Array:
    """(n, 1) by how much to lengthen ways (n, 2) so that even the line between two far ends is beyond `reach`."""
    length = np.hypot(ways[:, 0], ways[:, 1])[:, None]
    return np.asarray(100 * reach / np.maximum(length, TOUCH))


def share_behind(point: Array, target: BaseGeometry, covers: BaseGeometry, stops: BaseGeometry) -> float | None:
    """Share of the lines from a point to all parts of a base that run through covers, out of those that nothing stops.

    Lines are counted by the ground of the base they lead to. None if all of them are stopped. Exact but for the base,
    which is a polygon.
    """
    parts = split_behind(point, target, covers, stops)
    return None if parts is None else float(shapely.area(parts[1]) / shapely.area(parts[0]))


def split_behind(
    point: Array, target: BaseGeometry, covers: BaseGeometry, stops: BaseGeometry
) -> tuple[BaseGeometry, BaseGeometry] | None:
    """The part of a base to which lines from a point are not stopped, and the part of that behind covers.

    None if all lines are stopped. `share_behind` is the second's area over the first's.
    """
    if shapely.intersects(stops, shapely.Point(point)):
        return None
    reach = float(shapely.hausdorff_distance(target, shapely.Point(point)))
    seen = shapely.difference(target, shadow(point, stops, reach), grid_size=GRID)
    if shapely.area(seen) <= 0:
        return None
    return seen, shapely.intersection(seen, shadow(point, covers, reach), grid_size=GRID)


def fan(point: Array, target: BaseGeometry) -> BaseGeometry:
    """The ground that the lines from a point to all parts of a shape run over, and the shape."""
    starts, ends = edges_of(target)
    near = np.broadcast_to(point, starts.shape)
    triangles = np.atleast_1d(np.asarray(shapely.polygons(np.stack([near, starts, ends], axis=1))))
    return shapely.union_all([target, *triangles[shapely.area(triangles) > 0]], grid_size=GRID)

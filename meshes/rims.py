"""What lies around a gap: the wall's faces and its thickness there, its jambs, and the direction one looks through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from deadground.geometry.plates import Array
from deadground.geometry.segments import Segments
from deadground.geometry.units import FRAME_REACH, GAP_PIXEL
from deadground.meshes.frames import UP, Frame
from deadground.meshes.shell import Met, Shell

__all__ = ["Candidate", "Wall", "in_material", "lined", "wall_around"]

_RINGS = (1, 2, 3)  # pixels around a gap at which one looks how thick the wall is there
_REACH = 4  # pixels beyond a gap's side within which its jamb lies
_LEVELS = 12  # heights at which jambs are looked for
_DEPTHS = (0.4, 0.5, 0.6)  # shares of a wall's thickness at which one looks for a lining
_QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)  # of the depths of a wall's faces at which one looks for jambs
_JAMB = 0.7  # cosine of faces that bound a gap on its side
_ENDS = 0.25  # share of a gap's rim whose material must end on both sides: else it is a room, not a wall
_SKEW = 0.96  # cosine of the most that jambs may be off square to the wall and still tell how one looks through
_TURN = 0.85  # cosine of the most that a wall's own normal may be off the direction it was found in


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """What looks like a gap through a slab that reaches from near to far. outline : in (u, v) of the frame."""

    frame: Frame
    outline: shapely.Polygon
    near: float
    far: float


@dataclass(frozen=True, slots=True, eq=False)
class Wall:
    """The wall around a gap: the frame that looks straight through, and where its faces lie in it.

    ends : share of the material around the gap that ends at both faces
    """

    frame: Frame
    near: float
    far: float
    ends: float


def wall_around(shell: Shell, candidate: Candidate) -> Wall | None:
    """The wall that a candidate lies in. None if there is none: a ring of material that goes on is a room's."""
    front, back, ends = _faces(shell, candidate)
    if ends < _ENDS:
        return None
    frame = _own_frame(shell, candidate, front, back)
    near = float(np.median(frame.coordinates(front.points)[:, 2]))
    far = float(np.median(frame.coordinates(back.points)[:, 2]))
    if frame.normal @ candidate.frame.normal < _TURN or near >= far:
        return None
    return Wall(frame, near, far, ends)


def _faces(shell: Shell, candidate: Candidate) -> tuple[Met, Met, float]:
    """Where the material around a candidate begins and ends within the slab, and the share of it that does both."""
    ring = _ring(candidate.outline)
    if not len(ring):
        return Met(np.empty((0, 3)), np.empty((0, 3))), Met(np.empty((0, 3)), np.empty((0, 3))), 0.0
    normal = candidate.frame.normal
    start = candidate.frame.points(ring[:, 0], ring[:, 1], np.full(len(ring), candidate.near))
    through = Segments(start, start + (candidate.far - candidate.near) * normal)
    front, back = _face(shell, through, -normal), _face(shell, through.reversed(), normal)
    both = front.facing(-normal) & back.facing(normal)
    return front.take(both), back.take(both), float(both.mean())


def _face(shell: Shell, rays: Segments, out: Array) -> Met:
    """The faces, looking `out`, at which rays enter material; from inside it, those closely behind their starts.

    A frame or a sill may stand out of the slab in which its wall was found.
    """
    met = shell.first(rays)
    inside = met.facing(-out)
    behind = shell.first(Segments(rays.start, rays.start + FRAME_REACH * out))
    points = np.where(inside[:, None], behind.points, met.points)
    return Met(points, np.where(inside[:, None], behind.normals, met.normals))


def _ring(outline: shapely.Polygon) -> Array:
    """(n, 2) points closely around an outline, above the ground."""
    rings = shapely.segmentize(shapely.buffer(outline, np.array(_RINGS) * GAP_PIXEL), 2 * GAP_PIXEL)
    points = shapely.get_coordinates(shapely.get_exterior_ring(rings))
    return points[points[:, 1] > GAP_PIXEL / 2]


def _own_frame(shell: Shell, candidate: Candidate, front: Met, back: Met) -> Frame:
    """The frame that looks straight through a gap: along its jambs, or square to the wall if they do not tell."""
    frame = candidate.frame
    faces = np.vstack([-front.normals, back.normals]) @ np.column_stack([frame.normal, frame.along])
    square = Frame(frame.angle + float(np.median(np.arctan2(faces[:, 1], faces[:, 0]))))
    if shell.rough:
        return square
    # a curved wall's jambs lie deeper than its middle
    depths = np.quantile(frame.coordinates(np.vstack([front.points, back.points]))[:, 2], _QUANTILES)
    left, right = (np.vstack([_jamb(shell, candidate, depth, side) for depth in depths]) for side in (-1, 1))
    if min(len(left), len(right)) < 2:
        return square
    mean = np.median(left, axis=0) - np.median(right, axis=0)
    jambs = Frame(frame.angle + float(np.arctan2(-mean[1], mean[0])))
    return jambs if jambs.normal @ square.normal > _SKEW else square


def _jamb(shell: Shell, candidate: Candidate, depth: float, side: int) -> Array:
    """(n, 2) normals, in (u, w), of the faces that bound a candidate on one side at a depth."""
    frame = candidate.frame
    met = shell.first(_sideways(candidate, depth, side))
    flat = met.normals @ np.column_stack([frame.along, frame.normal])
    return np.asarray(flat[flat[:, 0] * side < -_JAMB])


def _sideways(candidate: Candidate, depth: float, side: int) -> Segments:
    """Level rays at a depth from the middle of a candidate a little beyond one side of it."""
    frame, rows = candidate.frame, _rows(candidate.outline)
    start = frame.points(rows[:, 0], rows[:, 1], np.full(len(rows), depth))
    reach = side * (rows[:, 2] / 2 + _REACH * GAP_PIXEL)
    return Segments(start, start + reach[:, None] * frame.along)


def _upwards(candidate: Candidate, depth: float) -> Segments:
    """Upright rays at a depth from the middle of a candidate a little beyond its upper edge."""
    columns = _rows(shapely.transform(candidate.outline, lambda points: points[:, ::-1]))
    start = candidate.frame.points(columns[:, 1], columns[:, 0], np.full(len(columns), depth))
    return Segments(start, start + (columns[:, 2] / 2 + _REACH * GAP_PIXEL)[:, None] * UP)


def _rows(outline: shapely.Polygon) -> Array:
    """(n, 3) level cuts through an outline: middle in u, height v, width."""
    low_u, low_v, high_u, high_v = outline.bounds
    heights = low_v + (high_v - low_v) * (np.arange(_LEVELS) + 0.5) / _LEVELS
    lines = shapely.linestrings([[(low_u - 1, v), (high_u + 1, v)] for v in heights])
    cuts = shapely.bounds(shapely.get_parts(shapely.intersection(outline, lines)))
    return np.column_stack([(cuts[:, 0] + cuts[:, 2]) / 2, cuts[:, 1], cuts[:, 2] - cuts[:, 0]])


def lined(shell: Shell, gap: Candidate) -> float:
    """The share of a gap's sides and upper edge that material lines inside the wall.

    A gap has its jambs; where triangles are missing from both faces of a wall, there is nothing between.
    """
    depths = gap.near + np.array(_DEPTHS) * (gap.far - gap.near)
    rays = [[_sideways(gap, d, -1), _sideways(gap, d, 1), _upwards(gap, d)] for d in depths]
    met = np.array([np.concatenate([shell.caster.blocked(segments) for segments in level]) for level in rays])
    return float(met.any(axis=0).mean())


def in_material(shell: Shell, candidate: Candidate, wall: Wall) -> bool:
    """Whether a candidate is the inside of a wall seen from its end: what one meets first is left, not entered."""
    length = float(np.linalg.norm(shell.mesh.extents)) + 1
    rows = _rows(candidate.outline)
    frame = candidate.frame
    start = frame.points(rows[:, 0], rows[:, 1], np.full(len(rows), (candidate.near + candidate.far) / 2))
    leaves = [
        shell.first(Segments(start, start + side * length * frame.normal)).facing(side * frame.normal)
        for side in (-1, 1)
    ]
    return bool(np.mean(leaves) > 0.5) and wall.ends < 1

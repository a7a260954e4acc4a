"""Enclosed gaps of one mesh: looked for on rasters of every wall slab, then measured each by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import manifold3d
import numpy as np
import shapely
import trimesh
from scipy import ndimage

from deadground.geometry.caster import Caster
from deadground.geometry.plates import Array
from deadground.geometry.segments import Ints, Segments
from deadground.geometry.units import FOOT, GAP_CRACK, GAP_GROUND, GAP_LEAST, GAP_PIXEL, GAP_SIDE, GAP_STEP, ROUGH
from deadground.meshes.frames import Frame, Mask, Raster, Window, first_depth, seen_through
from deadground.meshes.outlines import exact_gaps, opened, pixels, raster_gaps
from deadground.meshes.slabs import directions, slabs
from deadground.meshes.solid import is_closed, to_manifold

__all__ = ["Gap", "Surface", "wall_gaps"]

_RINGS = (1, 2, 3)  # pixels around a gap at which one looks how thick the wall is there
_REACH = 4  # pixels beyond a gap's side within which its jamb lies
_LEVELS = 12  # heights at which jambs are looked for
_MARGIN = 8  # pixels around a gap in which it is measured
_ENDS = 0.25  # share of a gap's ring whose material must end on both sides: else it is a room, not a wall
_EXACT = 300_000  # triangles of a closed mesh above which rays outline its gaps: sections would take too long
_SKEW = 0.96  # cosine of the most that jambs may be off square to the wall and still tell how one looks through
_LINED = 0.5  # share of a gap's sides that must be lined by material through the wall
_TURN = 0.85  # cosine of the most that a wall's own normal may be off the direction it was found in


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A mesh ready to be looked through.

    mesh : levelled
    solid : the same as a solid; None unless it is closed, clean and not too large
    ground : what ends below this height stands on the ground, inches
    crack : what is narrower lies between two triangles of a rough mesh, inches
    """

    mesh: trimesh.Trimesh
    caster: Caster
    solid: manifold3d.Manifold | None
    ground: float
    crack: float

    @classmethod
    def of(cls, mesh: trimesh.Trimesh, noise: float) -> Surface:
        """Prepare a mesh in inches, z up, foot at 0, standing level. noise : its `grain`."""
        caster = Caster([np.asarray(mesh.triangles)])
        if noise > ROUGH:
            return cls(mesh, caster, None, FOOT + 4 * noise, GAP_CRACK)
        exact = len(mesh.faces) <= _EXACT and is_closed(mesh)
        return cls(mesh, caster, to_manifold(mesh) if exact else None, GAP_GROUND, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """What looks like a gap through a slab that reaches from near to far. outline : in (u, v) of the frame."""

    frame: Frame
    outline: shapely.Polygon
    near: float
    far: float


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """A measured gap. ends : share of the material around it that ends on both sides at the wall's faces."""

    frame: Frame
    outline: shapely.Polygon
    near: float
    far: float
    ends: float


def wall_gaps(surface: Surface) -> Iterator[Gap]:
    """Every enclosed gap in the mesh's walls, some of them more than once (found in several slabs)."""
    for frame in directions(surface.mesh):
        for slab in slabs(surface.mesh, frame):
            for candidate in _candidates(surface, slab):
                yield from _measured(surface, candidate)


def _candidates(surface: Surface, slab: Window) -> Iterator[Candidate]:
    raster = Raster(slab, GAP_PIXEL)
    free = opened(seen_through(surface.caster, raster), surface.crack / GAP_PIXEL)
    free[: max(1, round(surface.ground / GAP_PIXEL))] &= surface.crack == 0
    for hole in shapely.get_parts(pixels(_enclosed(free), raster)):
        yield Candidate(slab.frame, shapely.Polygon(hole.exterior), slab.near, slab.far)


def _enclosed(free: Mask) -> Mask:
    """The free pixels that material and the ground row enclose."""
    wall = np.vstack([np.ones((1, free.shape[1]), bool), ~free])
    return np.asarray(ndimage.binary_fill_holes(wall) & ~wall)[1:]


def _measured(surface: Surface, candidate: Candidate) -> Iterator[Gap]:
    """The gap in the frame and the thickness of the wall around it; it may turn out to be several, or none."""
    for rough in _measured_once(surface, candidate):
        # what lies around a gap is known better once its own frame is
        yield from _measured_once(
            surface, Candidate(rough.frame, rough.outline, rough.near - GAP_SIDE, rough.far + GAP_SIDE)
        )


def _measured_once(surface: Surface, candidate: Candidate) -> Iterator[Gap]:
    front, back, ends = _faces(surface, candidate)
    if ends < _ENDS:
        return
    frame = _own_frame(surface, candidate, front, back)
    near = float(np.median(frame.coordinates(front[0])[:, 2]))
    far = float(np.median(frame.coordinates(back[0])[:, 2]))
    if frame.normal @ candidate.frame.normal < _TURN or near >= far:
        return
    window = _room_to_measure(surface, candidate, frame, near - GAP_SIDE, far + GAP_SIDE)
    for outline in _outlines(surface, window):
        lined = _lined(surface, Candidate(frame, outline, near, far))
        if lined > _LINED:
            yield Gap(frame, _on_ground(outline, window), near, far, ends)


def _on_ground(outline: shapely.Polygon, window: Window) -> shapely.Polygon:
    """The outline with what stands on the window's lower edge brought down to the ground, if that is the ground."""
    if not window.grounded:
        return outline
    points = shapely.get_coordinates(outline)
    points[points[:, 1] <= window.low[1] + GAP_STEP, 1] = 0.0
    return shapely.Polygon(points)


def _lined(surface: Surface, gap: Candidate) -> float:
    """The share of a gap's sides where material lines it half way through the wall.

    A gap has its jambs; where triangles are missing from both faces of a wall, there is nothing between.
    """
    rows = _rows(gap.outline)
    across = rows[:, 2] / 2 + _REACH * GAP_PIXEL
    middle = np.full(len(rows), (gap.near + gap.far) / 2)
    start = gap.frame.points(rows[:, 0], rows[:, 1], middle)
    ends = [Segments(start, start + side * across[:, None] * gap.frame.along) for side in (-1, 1)]
    return float(np.mean([surface.caster.blocked(segments) for segments in ends]))


Hit = tuple[Array, Ints]  # points (n, 3), and the triangles that they lie on (n,)


def _faces(surface: Surface, candidate: Candidate) -> tuple[Hit, Hit, float]:
    """Where the material around a candidate begins and ends within the slab, and the share of it that does both."""
    ring = _ring(candidate.outline)
    start = candidate.frame.points(ring[:, 0], ring[:, 1], np.full(len(ring), candidate.near))
    through = Segments(start, start + (candidate.far - candidate.near) * candidate.frame.normal)
    front, entered = _first_facing(surface, through, -candidate.frame.normal)
    back, left = _first_facing(surface, through.reversed(), candidate.frame.normal)
    both = entered & left
    return (front[0][both], front[1][both]), (back[0][both], back[1][both]), float(both.mean())


def _ring(outline: shapely.Polygon) -> Array:
    """(n, 2) points closely around an outline, above the ground."""
    rings = [outline.buffer(distance * GAP_PIXEL).exterior for distance in _RINGS]
    points = np.vstack([shapely.get_coordinates(shapely.segmentize(ring, 2 * GAP_PIXEL)) for ring in rings])
    return points[points[:, 1] > GAP_PIXEL / 2]


def _first_facing(surface: Surface, segments: Segments, direction: Array) -> tuple[Hit, Mask]:
    """What is met first, and whether that faces where the segment comes from (from inside material it does not)."""
    depth, triangle = first_depth(surface.caster, segments)
    length = np.linalg.norm(segments.along, axis=1)
    points = segments.at(np.where(triangle >= 0, depth / length, 1.0))
    facing = (triangle >= 0) & (np.asarray(surface.mesh.face_normals)[triangle] @ direction > 0.3)
    return (points, triangle), facing


def _own_frame(surface: Surface, candidate: Candidate, front: Hit, back: Hit) -> Frame:
    """The frame that looks straight through a gap: along its jambs, or square to the wall if they do not tell."""
    normals = np.asarray(surface.mesh.face_normals)
    frame = candidate.frame
    faces = np.vstack([-normals[front[1]], normals[back[1]]]) @ np.column_stack([frame.normal, frame.along])
    square = Frame(frame.angle + float(np.median(np.arctan2(faces[:, 1], faces[:, 0]))))
    middle = float(np.median(frame.coordinates(np.vstack([front[0], back[0]]))[:, 2]))
    left, right = (_jamb(surface, candidate, middle, side) for side in (-1, 1))
    if min(len(left), len(right)) < 2:
        return square
    mean = left.mean(axis=0) - right.mean(axis=0)
    jambs = Frame(frame.angle + float(np.arctan2(-mean[1], mean[0])))
    return jambs if jambs.normal @ square.normal > _SKEW else square


def _jamb(surface: Surface, candidate: Candidate, depth: float, side: int) -> Array:
    """(n, 2) normals, in (u, w), of the faces that bound a candidate on one side half way through the wall."""
    frame, rows = candidate.frame, _rows(candidate.outline)
    start = frame.points(rows[:, 0], rows[:, 1], np.full(len(rows), depth))
    reach = side * (rows[:, 2] / 2 + _REACH * GAP_PIXEL)
    _, triangle = first_depth(surface.caster, Segments(start, start + reach[:, None] * frame.along))
    normals = np.asarray(surface.mesh.face_normals)[triangle[triangle >= 0]]
    flat = normals @ np.column_stack([frame.along, frame.normal])
    return np.asarray(flat[flat[:, 0] * side < -0.7])


def _rows(outline: shapely.Polygon) -> Array:
    """(n, 3) level cuts through an outline: middle in u, height v, width."""
    low_u, low_v, high_u, high_v = outline.bounds
    heights = low_v + (high_v - low_v) * (np.arange(_LEVELS) + 0.5) / _LEVELS
    lines = [shapely.LineString([(low_u - 1, v), (high_u + 1, v)]) for v in heights]
    cuts = shapely.bounds(shapely.get_parts(shapely.intersection(outline, lines)))
    return np.column_stack([(cuts[:, 0] + cuts[:, 2]) / 2, cuts[:, 1], cuts[:, 2] - cuts[:, 0]])


def _room_to_measure(surface: Surface, candidate: Candidate, frame: Frame, near: float, far: float) -> Window:
    """The block around a candidate in its own frame. It stands on the ground if the candidate does."""
    margin = _MARGIN * GAP_PIXEL
    low_u, low_v, high_u, high_v = candidate.outline.bounds
    middle = (candidate.near + candidate.far) / 2
    ends = candidate.frame.points(np.array([low_u, high_u]), np.zeros(2), np.full(2, middle))
    u = frame.coordinates(ends)[:, 0]
    on_ground = low_v <= surface.ground + 2 * GAP_PIXEL
    low = float(u.min()) - margin, surface.ground if on_ground else max(surface.ground, low_v - margin)
    return Window(frame, low, (float(u.max()) + margin, high_v + margin), near, far, on_ground)


def _outlines(surface: Surface, window: Window) -> list[shapely.Polygon]:
    if surface.solid is not None:
        found = exact_gaps(surface.solid, window)
    else:
        found = raster_gaps(surface.caster, window, surface.crack)
    return [gap for gap in found if not gap.buffer(-GAP_LEAST / 2).is_empty]

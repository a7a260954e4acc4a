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
from deadground.geometry.units import GAP_GROUND, GAP_LEAST, GAP_PIXEL, GAP_SIDE
from deadground.meshes.frames import Frame, Mask, Raster, Window, first_depth, seen_through
from deadground.meshes.outlines import exact_gaps, raster_gaps
from deadground.meshes.slabs import directions, slabs
from deadground.meshes.solid import is_closed, to_manifold

__all__ = ["Gap", "Surface", "wall_gaps"]

_AROUND = np.ones((3, 3), bool)
_RING = 4  # pixels around a gap that are looked at to learn how thick the wall is there
_MARGIN = 8  # pixels around a gap in which it is measured
_ENDS = 0.25  # share of a gap's ring whose material must end on both sides: else it is a room, not a wall
_EXACT = 300_000  # triangles of a closed mesh above which rays outline its gaps: sections would take too long
_TURN = 0.85  # cosine of the most that a wall's own normal may be off the direction it was found in


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A mesh ready to be looked through.

    solid : the same as a solid, None unless it is closed
    ground : what ends below this height stands on the ground, inches
    """

    mesh: trimesh.Trimesh
    caster: Caster
    solid: manifold3d.Manifold | None
    ground: float = GAP_GROUND

    @classmethod
    def of(cls, mesh: trimesh.Trimesh) -> Surface:
        """Prepare a mesh in inches, z up, foot at 0."""
        solid = to_manifold(mesh) if is_closed(mesh) else None
        return cls(mesh, Caster([np.asarray(mesh.triangles)]), solid)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A hole in the raster of a slab.

    window : its bounding box in the slab
    u, v : (n,) the pixels of material around it
    """

    window: Window
    u: Array
    v: Array


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
    free = seen_through(surface.caster, raster)
    holes = _enclosed(free)
    labels, _ = ndimage.label(holes, _AROUND)
    for label, box in enumerate(ndimage.find_objects(labels), 1):
        yield _candidate(raster, free, labels == label, box)


def _enclosed(free: Mask) -> Mask:
    """The free pixels that material and the ground row enclose."""
    wall = np.vstack([np.ones((1, free.shape[1]), bool), ~free])
    return np.asarray(ndimage.binary_fill_holes(wall) & ~wall)[1:]


def _candidate(raster: Raster, free: Mask, hole: Mask, box: tuple[slice, ...]) -> Candidate:
    rows, columns = box
    low = raster.window.low[0] + columns.start * raster.step, raster.window.low[1] + rows.start * raster.step
    high = raster.window.low[0] + columns.stop * raster.step, raster.window.low[1] + rows.stop * raster.step
    near = ndimage.binary_dilation(hole, _AROUND, iterations=_RING) & ~free
    ring = np.nonzero(near & ~ndimage.binary_dilation(hole, _AROUND))
    window = Window(raster.window.frame, low, high, raster.window.near, raster.window.far)
    return Candidate(window, raster.u(ring[1]), raster.v(ring[0]))


def _measured(surface: Surface, candidate: Candidate) -> Iterator[Gap]:
    """The gap in the frame and the thickness of the wall around it; it may turn out to be several, or none."""
    front, back, ends = _faces(surface, candidate)
    if ends < _ENDS:
        return
    frame = _own_frame(surface, candidate.window.frame, front[1], back[1])
    near = float(np.median(frame.coordinates(front[0])[:, 2]))
    far = float(np.median(frame.coordinates(back[0])[:, 2]))
    if frame.normal @ candidate.window.frame.normal < _TURN or near >= far:
        return
    window = _room_to_measure(surface, candidate.window, frame, near - GAP_SIDE, far + GAP_SIDE)
    for outline in _outlines(surface, window):
        yield Gap(frame, outline, near, far, ends)


Hit = tuple[Array, Ints]  # points (n, 3), and the triangles that they lie on (n,)


def _faces(surface: Surface, candidate: Candidate) -> tuple[Hit, Hit, float]:
    """Where the material around a candidate begins and ends within the slab, and the share of it that does both."""
    window, count = candidate.window, len(candidate.u)
    if not count:
        return (np.empty((0, 3)), np.empty(0, np.int64)), (np.empty((0, 3)), np.empty(0, np.int64)), 0.0
    start = window.frame.points(candidate.u, candidate.v, np.full(count, window.near))
    through = Segments(start, start + (window.far - window.near) * window.frame.normal)
    front, entered = _first_facing(surface, through, -window.frame.normal)
    back, left = _first_facing(surface, through.reversed(), window.frame.normal)
    both = entered & left
    return (front[0][both], front[1][both]), (back[0][both], back[1][both]), float(both.mean())


def _first_facing(surface: Surface, segments: Segments, direction: Array) -> tuple[Hit, Mask]:
    """What is met first, and whether that faces where the segment comes from (from inside material it does not)."""
    depth, triangle = first_depth(surface.caster, segments)
    length = np.linalg.norm(segments.along, axis=1)
    points = segments.at(np.where(triangle >= 0, depth / length, 1.0))
    facing = (triangle >= 0) & (np.asarray(surface.mesh.face_normals)[triangle] @ direction > 0.3)
    return (points, triangle), facing


def _own_frame(surface: Surface, frame: Frame, front: Ints, back: Ints) -> Frame:
    """The frame that looks along the mean normal of the faces around a gap."""
    normals = np.asarray(surface.mesh.face_normals)
    mean = normals[back].mean(axis=0) - normals[front].mean(axis=0)
    angle = float(np.arctan2(mean[1], mean[0]))
    return Frame(angle) if np.hypot(mean[0], mean[1]) > 0.3 else frame


def _room_to_measure(surface: Surface, window: Window, frame: Frame, near: float, far: float) -> Window:
    """The block around a candidate in its own frame. It stands on the ground if the candidate does."""
    margin = _MARGIN * GAP_PIXEL
    corners_u = np.array([window.low[0], window.high[0], window.low[0], window.high[0]])
    middle = (window.near + window.far) / 2
    at = window.frame.points(corners_u, np.zeros(4), np.full(4, middle))
    u = frame.coordinates(at)[:, 0]
    bottom = window.low[1] - margin
    if window.low[1] <= max(surface.ground, 2 * GAP_PIXEL):
        bottom = 0.0
    low = float(u.min()) - margin, max(0.0, bottom)
    return Window(frame, low, (float(u.max()) + margin, window.high[1] + margin), near, far)


def _outlines(surface: Surface, window: Window) -> list[shapely.Polygon]:
    if surface.solid is not None and len(surface.mesh.faces) <= _EXACT:
        found = exact_gaps(surface.solid, window)
    else:
        found = raster_gaps(surface.caster, window, 0.0)
    return [gap for gap in found if not gap.buffer(-GAP_LEAST / 2).is_empty]

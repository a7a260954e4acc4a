"""Enclosed gaps in the walls of one mesh: looked for on rasters of every wall slab, then measured each by itself."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import shapely
import shapely.affinity
import trimesh
from scipy import ndimage

from deadground.geometry.plates import Array
from deadground.geometry.segments import Segments
from deadground.geometry.units import FOOT, GAP_LEAST, GAP_PIXEL, GAP_SIDE, GAP_STEP
from deadground.meshes.frames import UP, Frame, Mask, Raster, Window
from deadground.meshes.outlines import exact_gaps, opened, pixels, raster_gaps
from deadground.meshes.rims import Candidate, Wall, in_material, lined, wall_around
from deadground.meshes.shell import Shell
from deadground.meshes.slabs import directions, pairs, slabs

__all__ = ["Gap", "floor_gaps", "wall_gaps"]

_MOST_RAYS = 1_000_000  # through one slab: on a larger one they lie further apart
_MARGIN = 8  # pixels around a gap in which it is measured
_TURNED = 0.9999  # cosine: a gap whose own frame is further off than most of a degree is measured again in that
_TURNED_ROUGH = 0.996  # the same on a rough mesh, where a frame is not known better than to 5 degrees
_DROPS = 15  # plumb lines across a door's width
_ROUNDS = 3  # of measuring again
_LINED = 0.5  # share of a gap's sides that must be lined by material through the wall
_SURELY_LINED = 0.75  # of a narrow gap of a rough mesh, to be sure of it
_NARROW, _WIDE = 3, 6  # `GAP_LEAST` across gaps of a rough mesh: narrower ones are never sure, wider ones always
_SMALLEST = 1.25  # cracks wide must a gap of a rough mesh be to be looked at
_CLEAR_OF_GROUND = 2.0  # inches: a lying mesh has no ground near
_LEVEL = 0.996  # cosine of the most that a hole's own direction may be off upright
_FLOOR_ENDS = 0.7  # share of a floor hole's rim whose material must end on both sides
_LARGER = 1.1  # a candidate this much larger than a gap that it covers is looked at all the same


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """A measured gap. sure : False for one that missing triangles may have made; ends : as of its wall."""

    frame: Frame
    outline: shapely.Polygon
    near: float
    far: float
    ends: float
    sure: bool


def wall_gaps(shell: Shell) -> list[Gap]:
    """Every enclosed gap in the mesh's walls, each once, the largest first."""
    frames = directions(shell.mesh, fine=not shell.rough)
    return _gaps(shell, (slab for frame in frames for slab in _slabs(shell, frame)))


def floor_gaps(mesh: trimesh.Trimesh, noise: float) -> list[Gap]:
    """Every hole in the floors of a mesh that stands level, in the frame x, y, z: near and far are heights.

    The mesh is laid on its side, so that floors are walls. Most of the rim must end at the floor's faces: what is left
    open between a floor and the walls around it is none.
    """
    low = _CLEAR_OF_GROUND - mesh.bounds[0, 1]
    lying = trimesh.Trimesh(np.roll(mesh.vertices, 1, axis=1) + [0, 0, low], mesh.faces, process=False)
    shell = Shell.of(lying, noise)
    found = _gaps(shell, _slabs(shell, Frame(0.0)))
    return [
        replace(gap, frame=Frame(0.0), outline=shapely.affinity.translate(gap.outline, 0.0, -low))
        for gap in found
        if gap.frame.normal[0] > _LEVEL and gap.ends > _FLOOR_ENDS and gap.near > FOOT
    ]


def _slabs(shell: Shell, frame: Frame) -> Iterator[Window]:
    """Where walls are looked for; on clean meshes also one by one."""
    yield from slabs(shell.mesh, frame)
    if not shell.rough:
        yield from pairs(shell.mesh, frame)


def _gaps(shell: Shell, slabs_: Iterable[Window]) -> list[Gap]:
    found: list[Gap] = []
    candidates = [candidate for slab in slabs_ for candidate in _candidates(shell, slab)]
    for candidate in sorted(candidates, key=lambda c: -round(c.outline.area, 4)):
        if not any(_covered(candidate, gap) for gap in found):
            found.extend(_measured(shell, candidate))
    return _distinct(found, rough=shell.rough)


def _candidates(shell: Shell, slab: Window) -> Iterator[Candidate]:
    across, high = slab.size
    raster = Raster(slab, max(shell.pixel, math.sqrt(across * high / _MOST_RAYS)))
    free = opened(shell.free(raster), shell.crack / raster.step)
    if shell.rough:
        free[: round(shell.ground / raster.step)] = False
    least = shell.crack * _SMALLEST / 2
    holes = shapely.get_parts(pixels(_enclosed(free), raster))
    for hole in holes[~shapely.is_empty(shapely.buffer(holes, -least))]:
        yield Candidate(slab.frame, shapely.Polygon(hole.exterior), slab.near, slab.far)


def _enclosed(free: Mask) -> Mask:
    """The free pixels that material and the ground row enclose."""
    wall = np.vstack([np.ones((1, free.shape[1]), bool), ~free])
    return np.asarray(ndimage.binary_fill_holes(wall) & ~wall)[1:]


def _covered(candidate: Candidate, gap: Gap) -> bool:
    """Whether a candidate is what a gap looks like through another slab."""
    if candidate.outline.area > _LARGER * gap.outline.area + GAP_PIXEL**2:
        return False
    point = candidate.outline.representative_point()
    return _passes(candidate.frame, point, (candidate.near, candidate.far), gap)


def _passes(frame: Frame, point: shapely.Point, depths: tuple[float, float], gap: Gap) -> bool:
    """Whether the line square to a frame through one of its points passes through a gap, between two depths."""
    ends = frame.points(np.full(2, point.x), np.full(2, point.y), np.array(depths))
    one, two = gap.frame.coordinates(ends)
    middle = (gap.near + gap.far) / 2
    if abs(two[2] - one[2]) < GAP_STEP or not 0 <= (share := (middle - one[2]) / (two[2] - one[2])) <= 1:
        return False
    u, v, _ = one + share * (two - one)
    return bool(gap.outline.contains(shapely.Point(u, v)))


def _measured(shell: Shell, candidate: Candidate, rounds: int = _ROUNDS) -> Iterator[Gap]:
    """The gap in the frame and the thickness of the wall around it; it may turn out to be several, or none."""
    wall = wall_around(shell, candidate)
    if wall is None or in_material(shell, candidate, wall):
        return
    window = _room_to_measure(shell, candidate, wall)
    for outline in _outlines(shell, window):
        found = Candidate(wall.frame, outline, wall.near - 2 * GAP_SIDE, wall.far + 2 * GAP_SIDE)
        if rounds and wall.frame.normal @ candidate.frame.normal < (_TURNED_ROUGH if shell.rough else _TURNED):
            yield from _measured(shell, found, rounds - 1)
        elif (share := lined(shell, found)) > _LINED:
            sure = _surely(shell, outline, wall, share)
            yield Gap(wall.frame, _on_ground(shell, outline, window), wall.near, wall.far, wall.ends, sure)


def _room_to_measure(shell: Shell, candidate: Candidate, wall: Wall) -> Window:
    """The block around a candidate in its wall's frame. It stands on the ground if the candidate does."""
    margin = _MARGIN * GAP_PIXEL
    low_u, low_v, high_u, high_v = candidate.outline.bounds
    middle = (candidate.near + candidate.far) / 2
    ends = candidate.frame.points(np.array([low_u, high_u]), np.zeros(2), np.full(2, middle))
    u = wall.frame.coordinates(ends)[:, 0]
    on_ground = low_v <= shell.ground + 2 * GAP_PIXEL
    low = float(u.min()) - margin, shell.ground if on_ground else max(shell.ground, low_v - margin)
    high = float(u.max()) + margin, high_v + margin
    return Window(wall.frame, low, high, wall.near - GAP_SIDE, wall.far + GAP_SIDE, on_ground)


def _outlines(shell: Shell, window: Window) -> list[shapely.Polygon]:
    found = exact_gaps(shell.solid, window) if shell.solid is not None else raster_gaps(shell, window)
    return [gap for gap in found if not gap.buffer(-GAP_LEAST / 2).is_empty]


def _on_ground(shell: Shell, outline: shapely.Polygon, window: Window) -> shapely.Polygon:
    """The outline, brought down as far as one sees through, or to the ground, where it ends at the window's edge."""
    points = shapely.get_coordinates(outline)
    standing = points[:, 1] <= window.low[1] + shell.step
    if not window.grounded or not standing.any():
        return outline
    points[standing, 1] = _sill(shell, window, points[standing, 0])
    return shapely.Polygon(points)


def _sill(shell: Shell, window: Window, across: Array) -> float:
    """How far down it is free below a window's lower edge: a plate may lie there, or only the ragged foot's ground."""
    if not shell.rough:
        return 0.0
    u = np.linspace(float(across.min()), float(across.max()), _DROPS + 2)[1:-1]
    middle = np.full(_DROPS, (window.near + window.far) / 2)
    # from inside the gap: a plate's top may lie a little above the window's edge
    start = window.frame.points(u, np.full(_DROPS, window.low[1] + FOOT), middle)
    met = shell.first(Segments(start, start - (window.low[1] + 2 * FOOT) * UP))
    under = met.points[met.facing(UP), 2]
    sill = float(np.median(under)) if len(under) > _DROPS / 2 else 0.0
    return sill if sill > FOOT / 3 else 0.0


def _surely(shell: Shell, outline: shapely.Polygon, wall: Wall, share: float) -> bool:
    """Whether a gap cannot be the work of a few missing triangles: too wide for that, or lined nearly all round."""
    if not shell.rough:
        return True
    if wall.far - wall.near < shell.crack:
        return False
    wide = not outline.buffer(-_WIDE * GAP_LEAST / 2).is_empty
    return wide or (share >= _SURELY_LINED and not outline.buffer(-_NARROW * GAP_LEAST / 2).is_empty)


def _distinct(gaps: list[Gap], *, rough: bool) -> list[Gap]:
    """Each gap once: of several findings of one, the largest."""
    kept: list[Gap] = []
    for gap in sorted(gaps, key=lambda gap: (not gap.sure, -round(gap.outline.area, 4), -round(gap.ends, 2))):
        if not any(_same(gap, other, rough=rough) for other in kept):
            kept.append(gap)
    return kept


def _same(one: Gap, other: Gap, *, rough: bool) -> bool:
    """Whether the middle of one lies in the other's hole, or the other way round.

    Treads of a flight of stairs meet at the gap between them; a rough wall may be found as far off as it is thick.
    """
    depths = one.far - one.near, other.far - other.near
    beyond = max(depths) if rough else min(depths) / 2 + GAP_SIDE
    return _holds(one, other, beyond) or _holds(other, one, beyond)


def _holds(one: Gap, other: Gap, beyond: float) -> bool:
    return _passes(other.frame, other.outline.representative_point(), (other.near - beyond, other.far + beyond), one)

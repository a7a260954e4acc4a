"""Where models can stand on a piece: each floor, roof and wide wall top with the bases it takes and its head room."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

import numpy as np
import shapely
import trimesh
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.units import HEAD_SPACE, MM_PER_INCH, PATCHED, ROUGH, SNAP, STEEPEST, THIN, TOUCH, UPRIGHT
from deadground.meshes.columns import cut_lines
from deadground.meshes.probes import Probe
from deadground.meshes.solid import Indices
from deadground.meshes.surfaces import Surface, fits, surfaces

__all__ = ["BASES", "MOST_FLOORS", "Floor", "floors"]


def _bases() -> Iterator[tuple[str, tuple[float, float]]]:
    for size in (25, 28.5, 32, 40, 50, 60, 80, 90, 100, 130):
        yield f"{size:g}mm", (size / MM_PER_INCH, size / MM_PER_INCH)
    for long, short in ((60, 35), (75, 42), (90, 52), (105, 70), (120, 92), (170, 109)):
        yield f"{long}x{short}mm", (long / MM_PER_INCH, short / MM_PER_INCH)


BASES: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(dict(_bases()))
"""Standard bases, round ones first: name -> length and width in inches."""

SMALLEST: Final = 25 / MM_PER_INCH
"""Inches. Diameter of the smallest standard base: a surface that does not take it is no floor."""

MOST_FLOORS: Final = 24
"""Floors that are told, those with most area."""

_EXACT = 60_000  # triangles above which floors are the densest heights, as on scans
_PROBES = 400  # rays cast upwards from one floor


@dataclass(frozen=True, slots=True, eq=False)
class Floor:
    """One connected surface on which at least the smallest standard base finds room. Inches.

    height : where one stands, above the piece's foot; low : its lowest point, on a slope
    outline : what is free of walls and other things, seen from above; several parts where walls divide it
    head_room : the least height above places for the smallest base; inf under open sky
    fits : base name -> at least how many at once; only those of which one fits
    """

    height: float
    low: float
    outline: shapely.Polygon | shapely.MultiPolygon
    head_room: float
    fits: Mapping[str, int]

    @property
    def area(self) -> float:
        """Square inches that are free, seen from above."""
        return float(self.outline.area)

    @property
    def level(self) -> bool:
        """Whether it is at one height, as near as a table can tell."""
        return self.height - self.low <= SNAP

    @property
    def at(self) -> tuple[float, float, float]:
        """A point on it."""
        point = self.outline.representative_point()
        return point.x, point.y, self.height


def floors(probe: Probe, noise: float) -> tuple[Floor, ...]:
    """The floors of a mesh (inches, z up, foot at 0, standing level), lowest first; at most `MOST_FLOORS` of them.

    Room is what is left of a surface once the material up to `HEAD_SPACE` above it is taken away. On rough and on very
    large meshes floors are where much surface lies at one height; holes under `PATCHED` in them are missing triangles.
    noise : the mesh's `grain`.
    """
    mesh = probe.mesh
    rough = noise > ROUGH or len(mesh.faces) > _EXACT
    found = _dense_levels(mesh, noise) if rough else list(surfaces(mesh))
    wide = [surface for surface in found if surface.holds(SMALLEST / 2)]
    wide = sorted(wide, key=lambda surface: -surface.area)[:MOST_FLOORS]
    made = (_floor(probe, surface, noise) for surface in wide)
    return tuple(sorted((floor for floor in made if floor is not None), key=lambda floor: (floor.height, -floor.area)))


def _floor(probe: Probe, surface: Surface, noise: float) -> Floor | None:
    parts = _free_parts(probe, surface, 4 * noise)
    if not parts:
        return None
    counts = {name: _count(parts, *size) for name, size in BASES.items()}
    room = min(_head_room(probe, part, 4 * noise) for part in parts)
    outline = parts[0].outline if len(parts) == 1 else shapely.MultiPolygon([part.outline for part in parts])
    return Floor(surface.height, surface.low, outline, room, {name: count for name, count in counts.items() if count})


def _count(parts: list[Surface], length: float, width: float) -> int:
    return sum(fits(part, length, width) for part in parts if part.holds(width / 2))


def _free_parts(probe: Probe, surface: Surface, above: float) -> list[Surface]:
    """The parts of a surface with room for the smallest base between the walls on it, outside all material."""
    free: BaseGeometry = surface.outline
    things = _in_the_way(probe.mesh, surface, above)
    if things is not None:
        free = shapely.difference(free, things.buffer(TOUCH, quad_segs=2))
    parts = [
        replace(surface, outline=_eased(part)) for part in shapely.get_parts(free) if isinstance(part, shapely.Polygon)
    ]
    return [part for part in parts if part.holds(SMALLEST / 2) and not _buried(probe, part, above)]


def _eased(part: shapely.Polygon) -> shapely.Polygon:
    """A slightly smaller outline with fewer corners, where it has very many."""
    if len(part.exterior.coords) < 400:
        return part
    inner = part.buffer(-4 * TOUCH).simplify(4 * TOUCH)
    return max(shapely.get_parts(inner), key=shapely.area, default=part)


def _in_the_way(mesh: trimesh.Trimesh, surface: Surface, above: float) -> BaseGeometry | None:
    """What stands on a surface or hangs low over it, seen from above, None if nothing does."""
    corners, down = np.asarray(mesh.triangles), np.asarray(mesh.face_normals)[:, 2] < -UPRIGHT
    low, high = corners.min(axis=1), corners.max(axis=1)
    x0, y0, x1, y1 = surface.outline.bounds
    near = (low[:, 0] <= x1) & (high[:, 0] >= x0) & (low[:, 1] <= y1) & (high[:, 1] >= y0)
    floor, ceiling = surface.height + above + SNAP, surface.height + HEAD_SPACE - TOUCH
    lines = cut_lines(corners[near & (high[:, 2] > floor) & (low[:, 2] <= floor)], floor)
    over = np.asarray(
        shapely.polygons(corners[near & down & (low[:, 2] >= floor) & (low[:, 2] < ceiling), :, :2]), dtype=object
    )
    found = [*np.asarray(shapely.linestrings(lines), dtype=object), *over[shapely.is_valid(over)]]
    return shapely.union_all(found, grid_size=TOUCH / 8) if found else None


def _buried(probe: Probe, part: Surface, above: float) -> bool:
    """Whether the room over a part of a floor lies inside material."""
    point = part.outline.buffer(TOUCH - SMALLEST / 2).representative_point()
    return bool(probe.upwards(np.array([[point.x, point.y, part.height + above + SNAP]]))[1][0])


def _head_room(probe: Probe, part: Surface, above: float) -> float:
    """The least height over places where the middle of the smallest base may stand, inches."""
    centres = part.outline.buffer(TOUCH - SMALLEST / 2)
    x0, y0, x1, y1 = centres.bounds
    step = max(math.sqrt((x1 - x0) * (y1 - y0) / _PROBES), (x1 - x0 + y1 - y0) / _PROBES, TOUCH)
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(x0, x1 + step, step), np.arange(y0, y1 + step, step)))
    inside = shapely.contains_xy(centres, x, y)
    spot = centres.representative_point()
    x, y = np.append(x[inside], spot.x), np.append(y[inside], spot.y)
    start = part.height + above + SNAP
    far, _ = probe.upwards(np.column_stack([x, y, np.full(len(x), start)]))
    return float(far.min()) + start - part.height


def _dense_levels(mesh: trimesh.Trimesh, noise: float) -> list[Surface]:
    """Level surfaces of a mesh without exact planes: where much of what faces up lies at one height."""
    corners = np.asarray(mesh.triangles, dtype=np.float64)
    up = np.flatnonzero(np.asarray(mesh.face_normals)[:, 2] >= STEEPEST)
    areas, heights = np.asarray(mesh.area_faces)[up], corners[up, :, 2].mean(axis=1)
    found: list[Surface] = []
    for _ in range(MOST_FLOORS):
        chosen = _densest(heights, areas, max(SNAP, 6 * noise))
        if areas[chosen].sum() < SMALLEST**2:
            break
        found += _level(corners[up[chosen]], areas[chosen], THIN if noise > ROUGH else 0.0)
        areas = areas.copy()
        areas[chosen] = 0.0
    return found


def _densest(heights: Array, areas: Array, spread: float) -> Indices:
    """The rows within `spread` in height that have most area together."""
    order = np.argsort(heights, kind="stable")
    ends = np.searchsorted(heights[order], heights[order] + spread, side="right")
    total = np.concatenate([[0.0], np.cumsum(areas[order])])
    sums = total[ends] - total[:-1]
    if not len(sums):
        return order
    best = int(np.argmax(sums))
    return order[best : ends[best]]


def _level(corners: Array, areas: Array, crack: float) -> list[Surface]:
    """The surfaces that faces of about one height make up, at the middle of their heights.

    crack : how far apart they may lie, inches; what is narrower, and small holes, are closed.
    """
    heights = corners[:, :, 2].mean(axis=1)
    order = np.argsort(heights)
    ends = np.cumsum(areas[order])
    height = float(heights[order[np.searchsorted(ends, ends[-1] / 2)]])
    flats = np.asarray(shapely.polygons(corners[:, :, :2]), dtype=object)
    plan = shapely.union_all(flats[shapely.is_valid(flats)], grid_size=TOUCH / 8)
    plan = plan.buffer(crack, quad_segs=2).buffer(-crack, quad_segs=2) if crack else plan
    parts = [
        part for part in shapely.get_parts(plan) if isinstance(part, shapely.Polygon) and part.area > SMALLEST**2 / 2
    ]
    return [Surface(height, height, _patched(part), corners) for part in parts]


def _patched(part: shapely.Polygon) -> shapely.Polygon:
    return shapely.Polygon(part.exterior, [ring for ring in part.interiors if shapely.Polygon(ring).area > PATCHED])

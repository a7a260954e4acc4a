"""What a mesh has above each spot, seen from above: the plan of its material between two heights."""

from __future__ import annotations

import math

import numpy as np
import shapely
import trimesh
from shapely.geometry.base import BaseGeometry

from deadground.geometry.convex import cross_flat
from deadground.geometry.plates import Array
from deadground.geometry.units import SIDE, TOUCH, UPRIGHT

__all__ = [
    "clipped_triangles",
    "cut_lines",
    "head_room",
    "material_above",
    "material_between",
    "section",
    "undersides",
    "union_of_triangles",
]


_OFF = (41 * SIDE, 73 * SIDE)  # inches beside a spot, so that it lies on no edge between two triangles


def clipped_triangles(triangles: Array, low: float, high: float = math.inf) -> list[Array]:
    """The parts of triangles (n, 3, 3) between two heights, as (m, 3) convex polygons.

    A level triangle is kept if it lies strictly between the two.
    """
    near = (triangles[:, :, 2].max(axis=1) > low) & (triangles[:, :, 2].min(axis=1) < high)
    whole = near & (triangles[:, :, 2].min(axis=1) >= low) & (triangles[:, :, 2].max(axis=1) <= high)
    parts = list(triangles[whole])
    for triangle in triangles[near & ~whole]:
        part = _cut(_cut(triangle, low, 1.0), high, -1.0)
        if len(part) >= 3:
            parts.append(part)
    return parts


def _cut(polygon: Array, height: float, side: float) -> Array:
    """The part of a polygon (m, 3) above (side 1) or below (side -1) a height."""
    if not math.isfinite(height) or not len(polygon):
        return polygon
    offset = side * (polygon[:, 2] - height)
    kept: list[Array] = []
    for here, after in zip(range(len(polygon)), [*range(1, len(polygon)), 0], strict=True):
        if offset[here] >= 0:
            kept.append(polygon[here])
        if offset[here] * offset[after] < 0:
            share = offset[here] / (offset[here] - offset[after])
            kept.append(polygon[here] + share * (polygon[after] - polygon[here]))
    return np.array(kept).reshape(-1, 3)


def union_of_triangles(parts: list[Array], beside: BaseGeometry | None = None) -> BaseGeometry:
    """The plan of polygons (m, 3) in space, and of what is beside them: areas, and lines for what stands upright."""
    whole = shapely.get_parts(shapely.get_parts(beside)).tolist() if beside else []  # twice: they may be collections
    flats: list[BaseGeometry] = [part for part in whole if isinstance(part, shapely.Polygon)]
    lines: list[BaseGeometry] = [part for part in whole if isinstance(part, shapely.LineString)]
    for part in parts:
        plan = shapely.Polygon(part[:, :2])
        if plan.area > SIDE:
            flats.append(plan if plan.is_valid else plan.buffer(0))
        else:
            lines.append(shapely.LineString(part[:, :2]))
    areas = shapely.union_all(flats) if flats else shapely.Polygon()
    if not lines:
        return areas
    grown = areas.buffer(SIDE)
    shapely.prepare(grown)
    loose = [line for line, covered in zip(lines, shapely.covers(grown, lines), strict=True) if not covered]
    rest = shapely.difference(
        shapely.union_all(loose), grown
    )  # few are left of a closed mesh, and uniting lines is slow
    return areas if rest.is_empty else shapely.GeometryCollection([areas, rest])


def section(mesh: trimesh.Trimesh, height: float) -> BaseGeometry:
    """The mesh's material at a height: its cross-section, plus bare lines where the mesh is open.

    A spot is inside where more surfaces face up than down above it, so bodies may overlap. A height at which the mesh
    has level faces is ambiguous: ask a little above or below.
    """
    lines = cut_lines(np.asarray(mesh.triangles), height)
    if not len(lines):
        return shapely.Polygon()
    edges = shapely.union_all(shapely.linestrings(lines), grid_size=SIDE)
    cells = shapely.get_parts(shapely.polygonize(shapely.get_parts(edges)))
    inside = [cell for cell in cells if _winding(mesh, cell.representative_point(), height) > 0]
    areas = shapely.union_all(inside) if inside else shapely.Polygon()
    rest = shapely.difference(edges, areas.buffer(SIDE))
    return areas if rest.is_empty else shapely.GeometryCollection([areas, rest])


def cut_lines(triangles: Array, height: float) -> Array:
    """(n, 2, 2) where triangles cross a height, seen from above."""
    above = triangles[:, :, 2] > height
    mixed = above.any(axis=1) & ~above.all(axis=1)
    corners, above = triangles[mixed], above[mixed]
    alone = np.argmax(above == (above.sum(axis=1) == 1)[:, None], axis=1)  # the corner on a side of its own
    rows = np.arange(len(corners))
    apex, ends = corners[rows, alone], []
    for step in (1, 2):
        other = corners[rows, (alone + step) % 3]
        rises = (other[:, 2] > apex[:, 2])[:, None]
        low, high = np.where(rises, apex, other), np.where(rises, other, apex)  # neighbours get the very same point
        share = (height - low[:, 2]) / (high[:, 2] - low[:, 2])
        ends.append(low[:, :2] + share[:, None] * (high[:, :2] - low[:, :2]))
    return np.stack(ends, axis=1)


def _winding(mesh: trimesh.Trimesh, spot: shapely.Point, height: float) -> int:
    """How many more surfaces above a spot face up than down. Positive inside a closed mesh."""
    x, y = spot.x + _OFF[0], spot.y + _OFF[1]
    corners = np.asarray(mesh.triangles)
    low, high = corners[:, :, :2].min(axis=1), corners[:, :, :2].max(axis=1)
    near = ((low <= (x, y)) & (high >= (x, y))).all(axis=1)
    a, b, c = np.moveaxis(corners[near], 1, 0)
    whole = cross_flat(b - a, c - a)
    first, second = cross_flat(b - (x, y, 0), c - (x, y, 0)), cross_flat(c - (x, y, 0), a - (x, y, 0))
    flat = whole != 0  # an upright triangle counts nothing
    a, b, c, whole = a[flat], b[flat], c[flat], whole[flat]
    u, v = first[flat] / whole, second[flat] / whole
    over = (u >= 0) & (v >= 0) & (u + v <= 1) & (u * a[:, 2] + v * b[:, 2] + (1 - u - v) * c[:, 2] > height)
    return int(np.sign(whole[over]).sum())


def material_above(mesh: trimesh.Trimesh, height: float) -> BaseGeometry:
    """The plan of all material that reaches above a height (more than `TOUCH`): areas, and lines of bare sheets."""
    parts = clipped_triangles(np.asarray(mesh.triangles), height + TOUCH)
    return union_of_triangles(parts)


def material_between(mesh: trimesh.Trimesh, low: float, high: float) -> BaseGeometry:
    """The plan of the material strictly between two heights, without what only touches them (`TOUCH`)."""
    if high - low <= 2 * TOUCH:
        return shapely.Polygon()
    parts = clipped_triangles(np.asarray(mesh.triangles), low + TOUCH, high - TOUCH)
    return _areas_and_lines(union_of_triangles(parts, section(mesh, low + TOUCH)))


def undersides(mesh: trimesh.Trimesh, low: float, high: float) -> BaseGeometry:
    """The plan of what faces down strictly between two heights, without what only touches them (`TOUCH`)."""
    down = np.asarray(mesh.face_normals)[:, 2] < -UPRIGHT
    parts = clipped_triangles(np.asarray(mesh.triangles)[down], low + TOUCH, high - TOUCH)
    return union_of_triangles([part for part in parts if shapely.Polygon(part[:, :2]).area > SIDE])


def _areas_and_lines(shape: BaseGeometry) -> BaseGeometry:
    """A collection as one geometry that unions with others."""
    return shapely.union_all(shapely.get_parts(shape)) if isinstance(shape, shapely.GeometryCollection) else shape


def head_room(mesh: trimesh.Trimesh, plan: BaseGeometry, height: float) -> float:
    """Inches from a height to the lowest material over a plan; `inf` if there is none.

    What only touches the plan's edge or the height (`TOUCH`) is not over it. Material that rises from the height itself
    gives 0: a wall that stands on the floor leaves no room.
    """
    inner: BaseGeometry = plan.buffer(-TOUCH)
    inner = plan if inner.is_empty else inner
    shapely.prepare(inner)
    if shapely.intersects(inner, section(mesh, height + TOUCH)):
        return 0.0
    return min(
        (low - height for part in clipped_triangles(np.asarray(mesh.triangles), height + TOUCH)
         if (low := _lowest_over(inner, part)) is not None),
        default=math.inf,
    )  # fmt: skip


def _lowest_over(plan: BaseGeometry, part: Array) -> float | None:
    """Lowest point of a polygon in space over a plan, None if no part is. An upright one counts by its lowest point."""
    flat = shapely.Polygon(part[:, :2])
    if flat.area <= SIDE:
        return float(part[:, 2].min()) if shapely.intersects(plan, shapely.LineString(part[:, :2])) else None
    over = shapely.get_coordinates(shapely.intersection(plan, flat))
    if not len(over):
        return None
    normal = np.cross(part[1] - part[0], part[2] - part[0])
    return float((part[0, 2] - (over - part[0, :2]) @ normal[:2] / normal[2]).min())

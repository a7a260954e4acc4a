"""Shapes to draw: discs, drums, range domes, tubes, raised outlines and the edges worth drawing. Numbers only."""

from __future__ import annotations

import math

import numpy as np
import shapely
import trimesh
from shapely.geometry.base import BaseGeometry
from trimesh.creation import triangulate_polygon

from deadground.geometry.plates import Array
from deadground.viewer.things import Faces, Surface

__all__ = [
    "FLAT",
    "LIFT",
    "dashes",
    "dome",
    "drum",
    "hatching",
    "outline_edges",
    "polygons",
    "raised",
    "rounded",
    "sharp_edges",
    "shifted",
    "silhouette",
    "slab",
    "sliced",
    "surface",
    "tube",
    "united",
]

SHARP_DEGREES = 30.0
"""Faces that meet at more than this show an edge."""

LEVEL = 0.999
"""A normal that points up at least so much belongs to a level face."""

Frame = tuple[Array, Array, Array]
"""Origin and two unit vectors of a plane: a point is origin + u * along + v * up."""

LIFT = 0.012
"""Inches by which flat markings lie over the ground, so that they are seen."""
FLAT: Frame = (np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
"""The ground."""


def shifted(frame: Frame, distance: float) -> Frame:
    """The plane moved along its normal."""
    return frame[0] + distance * np.cross(frame[1], frame[2]), frame[1], frame[2]


def polygons(shape: BaseGeometry) -> list[shapely.Polygon]:
    """The polygons a shape is made of, slivers and lines left out."""
    parts = shapely.get_parts(shape)
    return [part for part in parts if isinstance(part, shapely.Polygon) and part.area > 0]


def no_edges() -> Array:
    """(0, 2, 3)."""
    return np.zeros((0, 2, 3))


def sharp_edges(mesh: trimesh.Trimesh, degrees: float = SHARP_DEGREES) -> Array:
    """(k, 2, 3) edges where faces meet at more than `degrees`, and open edges. Seams of a flat face are none."""
    welded = mesh.copy()
    welded.merge_vertices(merge_tex=True, merge_norm=True)
    sharp = welded.face_adjacency_edges[welded.face_adjacency_angles > math.radians(degrees)]
    single = trimesh.grouping.group_rows(welded.edges_sorted, require_count=1)
    pairs = np.vstack([sharp, welded.edges_sorted[single]])
    return np.asarray(welded.vertices[pairs], dtype=np.float64).reshape(-1, 2, 3)


def silhouette(form: Surface, eye: Array, *, parallel: bool = False) -> Array:
    """(k, 2, 3) edges between a face turned to the eye and one turned away.

    eye : (3,) a place, or with `parallel` the direction to it
    """
    mesh = trimesh.Trimesh(form.vertices, form.faces, process=False)
    mesh.merge_vertices()
    to_eye = np.broadcast_to(eye, (len(mesh.faces), 3)) if parallel else eye - mesh.triangles_center
    turned = np.einsum("ij,ij->i", mesh.face_normals, to_eye) > 0
    pairs = mesh.face_adjacency
    differ = turned[pairs[:, 0]] != turned[pairs[:, 1]]
    return np.asarray(mesh.vertices[mesh.face_adjacency_edges[differ]], dtype=np.float64).reshape(-1, 2, 3)


def surface(mesh: trimesh.Trimesh, *, smooth: bool = False) -> Surface:
    """A mesh with its sharp edges."""
    return Surface(
        np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.faces, dtype=np.int64), sharp_edges(mesh), smooth
    )


def loop_edges(points: Array) -> Array:
    """(n, 2, 3) edges of the closed loop through (n, 3) points."""
    return np.stack([points, np.roll(points, -1, axis=0)], axis=1)


def lifted(flat: Array, frame: Frame) -> Array:
    """(n, 2) coordinates in a plane as (n, 3) points."""
    origin, along, up = frame
    return origin + flat[:, :1] * along + flat[:, 1:2] * up


def outline_edges(shape: BaseGeometry, frame: Frame) -> Array:
    """(k, 2, 3) edges of a flat shape's outlines, holes included."""
    rings = [ring for part in polygons(shape) for ring in (part.exterior, *part.interiors)]
    loops = [loop_edges(lifted(np.asarray(ring.coords)[:-1], frame)) for ring in rings]
    return np.concatenate([no_edges(), *loops])


def hatching(shape: BaseGeometry, frame: Frame, step: float) -> Array:
    """(k, 2, 3) slanting lines over a flat shape, `step` inches apart."""
    if shape.is_empty:
        return no_edges()
    low_u, low_v, high_u, high_v = shape.bounds
    run = high_v - low_v
    starts = np.arange(low_u - run + step / 2, high_u, step * math.sqrt(2))
    lines = shapely.linestrings([[(u, low_v), (u + run, high_v)] for u in starts]) if len(starts) else []
    kept = [part for part in shapely.get_parts(shapely.intersection(lines, shape)) if part.length > 0]
    pieces = [part for kept_part in kept for part in shapely.get_parts(kept_part) if part.geom_type == "LineString"]
    ends = [lifted(np.asarray(part.coords)[[0, -1]], frame)[None] for part in pieces]
    return np.concatenate([no_edges(), *ends])


def slab(shape: BaseGeometry, frame: Frame) -> Surface:
    """A flat shape in a plane, seen from its front (along x up); its outlines are its edges."""
    flat = [triangulate_polygon(part) for part in polygons(shape)]
    own, faces = stacked([(lifted(np.asarray(corners), frame), np.asarray(triangles)) for corners, triangles in flat])
    return Surface(own, faces, outline_edges(shape, frame))


def raised(shape: BaseGeometry, frame: Frame, near: float, far: float) -> Surface:
    """A flat shape raised along its plane's normal from `near` to `far`; its outlines at both ends are its edges."""
    origin, along, up = frame
    normal = np.cross(along, up)
    parts = [trimesh.creation.extrude_polygon(part, far - near) for part in polygons(shape)]
    own, faces = stacked([(np.asarray(part.vertices, np.float64), np.asarray(part.faces)) for part in parts])
    vertices = origin + own[:, :1] * along + own[:, 1:2] * up + (own[:, 2:] + near) * normal
    edges = [outline_edges(shape, (origin + w * normal, along, up)) for w in (near, far)]
    return Surface(vertices, faces, np.concatenate(edges))


def stacked(parts: list[tuple[Array, Faces]]) -> tuple[Array, Faces]:
    """Several meshes (vertices (n, 3), faces) as one."""
    counts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
    faces = [part + count for (_, part), count in zip(parts, counts, strict=False)]
    none = np.zeros((0, 3))
    return np.concatenate([none, *(v for v, _ in parts)]), np.concatenate([none, *faces]).astype(np.int64)


def drum(rim: Array, foot: float, top: float) -> Surface:
    """An upright solid over a convex outline, rim (n, 2) counter-clockwise; its two rims are its edges."""
    count = len(rim)
    low, high = (np.column_stack([rim, np.full(count, z)]) for z in (foot, top))
    middle = rim.mean(axis=0)
    vertices = np.vstack([low, high, [[*middle, foot], [*middle, top]]])
    i, j = np.arange(count), np.roll(np.arange(count), -1)
    bottom, lid = np.full(count, 2 * count), np.full(count, 2 * count + 1)
    sides = [np.column_stack([i, j, j + count]), np.column_stack([i, j + count, i + count])]
    caps = [np.column_stack([j, i, bottom]), np.column_stack([i + count, j + count, lid])]
    return Surface(
        vertices, np.vstack([*sides, *caps]), np.concatenate([loop_edges(low), loop_edges(high)]), smooth=True
    )


def rounded(rim: Array) -> tuple[Array, Array]:
    """Corners of a convex outline, each repeated for the arc around it, and the unit vectors away from it.

    rim : (n, 2) counter-clockwise -> two (m, 2) arrays: corners + reach * away is the outline `reach` further out
    """
    step = np.roll(rim, -1, axis=0) - rim
    turned = np.unwrap(np.arctan2(-step[:, 0], step[:, 1]))
    before = np.concatenate([[turned[-1] - 2 * math.pi], turned[:-1]])
    fine = math.radians(5.0)
    corners, angles = [], []
    for corner, low, high in zip(rim, before, turned, strict=True):
        arc = np.linspace(low, high, max(1, math.ceil((high - low) / fine)), endpoint=False)
        corners.append(np.repeat(corner[None], len(arc), axis=0))
        angles.append(arc)
    around = np.concatenate(angles)
    return np.concatenate(corners), np.column_stack([np.cos(around), np.sin(around)])


def dome(rim: Array, foot: float, reach: float, ground: float = 0.0) -> Surface:
    """All points within `reach` inches of a flat base: a sphere-swept disc, cut off at the ground.

    rim : (n, 2) the base's outline, convex, counter-clockwise; foot : its height. Its edges: where it meets the ground.
    """
    corners, away = rounded(rim)
    low = -math.asin(min(1.0, (foot - ground) / reach)) if foot > ground else 0.0
    tilts = np.linspace(low, math.pi / 2, max(6, math.ceil((math.pi / 2 - low) / math.radians(5.0))) + 1)
    rings = [
        np.column_stack([corners + reach * math.cos(t) * away, np.full(len(corners), foot + reach * math.sin(t))])
        for t in tilts
    ]
    count, levels = len(corners), len(rings)
    vertices = np.vstack([*rings, [[*rim.mean(axis=0), foot + reach]]])
    faces = [ring_faces(k * count, (k + 1) * count, count) for k in range(levels - 1)]
    i, top = np.arange(count) + (levels - 1) * count, np.full(count, levels * count)
    lid = np.column_stack([i, np.roll(i, -1), top])
    return Surface(vertices, np.vstack([*faces, lid]), loop_edges(rings[0]), smooth=True)


def ring_faces(low: int, high: int, count: int) -> Faces:
    """(2 count, 3) faces between two loops of `count` vertices that start at `low` and `high`."""
    i, j = np.arange(count), np.roll(np.arange(count), -1)
    return np.vstack(
        [np.column_stack([i + low, j + low, j + high]), np.column_stack([i + low, j + high, i + high])]
    ).astype(np.int64)


def united(forms: list[Surface]) -> Surface:
    """Several domes as one, without the parts inside each other; edges are left out."""
    closed = [trimesh.Trimesh(*with_floor(form), process=False) for form in forms]
    mesh = closed[0] if len(closed) == 1 else trimesh.boolean.union(closed, engine="manifold")
    top = np.asarray(mesh.faces)[np.ptp(mesh.vertices[mesh.faces][:, :, 2], axis=1) > 0]
    lids = np.asarray(mesh.faces)[mesh.face_normals[:, 2] > LEVEL]
    faces = np.unique(np.vstack([top, lids]), axis=0)
    return Surface(np.asarray(mesh.vertices, np.float64), faces.astype(np.int64), no_edges(), smooth=True)


def with_floor(form: Surface) -> tuple[Array, Faces]:
    """A dome closed by a floor over the loop of its first vertices."""
    count = len(form.edges)
    middle = form.vertices[:count].mean(axis=0)
    i = np.arange(count)
    floor = np.column_stack([np.roll(i, -1), i, np.full(count, len(form.vertices))])
    return np.vstack([form.vertices, middle]), np.vstack([form.faces, floor]).astype(np.int64)


def sliced(form: Surface, origin: Array, normal: Array) -> Surface:
    """What of a surface lies behind a plane, normal (3,) pointing to the part that is taken away. Not capped."""
    kept = clipped_edges(form.edges, origin, normal)
    if not len(form.faces):
        return Surface(form.vertices, form.faces, kept, form.smooth)
    mesh = trimesh.Trimesh(form.vertices, form.faces, process=False)
    part = trimesh.intersections.slice_mesh_plane(mesh, plane_normal=-normal, plane_origin=origin)
    return Surface(np.asarray(part.vertices, np.float64), np.asarray(part.faces, np.int64), kept, form.smooth)


def clipped_edges(edges: Array, origin: Array, normal: Array) -> Array:
    """(k, 2, 3) the parts of edges (n, 2, 3) behind a plane."""
    height = (edges - origin) @ normal
    kept = edges[(height < 0).any(axis=1)].copy()
    height = height[(height < 0).any(axis=1)]
    for end in (0, 1):
        over = height[:, end] > 0
        share = height[over, end] / (height[over, end] - height[over, 1 - end])
        kept[over, end] += share[:, None] * (kept[over, 1 - end] - kept[over, end])
    return kept


def tube(start: Array, end: Array, radius: float, sides: int = 12) -> Surface:
    """A round bar between two points (3,), closed at both ends."""
    mesh = trimesh.creation.cylinder(radius=radius, segment=np.array([start, end]), sections=sides)
    return Surface(np.asarray(mesh.vertices), np.asarray(mesh.faces, dtype=np.int64), no_edges(), smooth=True)


def dashes(points: Array, dash: tuple[float, float] | None, along: Array | None = None) -> list[Array]:
    """The drawn parts of a path (n, d) as (k, d) arrays; dash (on, off) in the same unit, None for all of it.

    along : (n,) distances at which the points lie, measured along the path if not given. It begins with a full dash,
    so that the end it starts from is always drawn.
    """
    if dash is None or len(points) < 2:
        return [points]
    if along is None:
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    starts = np.arange(0.0, along[-1], sum(dash))
    return [stretch(points, along, start, min(start + dash[0], along[-1])) for start in starts]


def stretch(points: Array, along: Array, start: float, end: float) -> Array:
    """The part of a path between two distances along it."""
    inner = points[(along > start) & (along < end)]
    ends = [np.array([np.interp(s, along, column) for column in points.T]) for s in (start, end)]
    return np.vstack([ends[0], inner, ends[1]])

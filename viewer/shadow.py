"""Soft contact shadows: how much of the sky over each point of a picture is hidden by what stands close by.

Rays are cast by Embree, not by the graphics card: the same shadows on every machine, and translucent things throw none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image

from deadground.geometry.caster import Caster
from deadground.geometry.plates import Array
from deadground.geometry.segments import Segments
from deadground.viewer.camera import Camera
from deadground.viewer.standpoint import SOLID
from deadground.viewer.things import Surface, Thing

__all__ = ["shade", "shadows"]

FAR = 500.0
"""Inches that the eye looks."""
REACH = 2.5
"""Inches. What is farther throws no soft shadow."""
DEPTH = 0.55
"""How dark it gets where all of the sky is hidden."""
TILE = 4
"""Neighbouring points look in different directions, in tiles of so many by so many, and are then averaged."""
EACH = 6
"""Directions in which one point looks."""
OFF = 0.01
"""Inches off the surface from where a point looks."""
ROWS = 64
"""Rows of the picture at a time, to bound memory."""


def shade(picture: Image.Image, things: Sequence[Thing], camera: Camera, finer: int) -> Image.Image:
    """The picture with soft shadows, reckoned for one in finer x finer of its points."""
    size = (picture.width // finer, picture.height // finer)
    light = Image.fromarray(np.round(255 * shadows(things, camera, size)).astype(np.uint8))
    wide = np.asarray(light.resize(picture.size, Image.Resampling.BILINEAR), dtype=np.float64)[:, :, None] / 255
    return Image.fromarray(np.round(np.asarray(picture) * wide).astype(np.uint8))


def shadows(things: Sequence[Thing], camera: Camera, size: tuple[int, int]) -> Array:
    """(rows, columns) of light, 1 in the open, for a picture of size (columns, rows)."""
    shapes = [t.shape for t in things if t.kind in (*SOLID, "ground") and isinstance(t.shape, Surface)]
    triangles = np.concatenate([shape.vertices[shape.faces] for shape in shapes])
    caster, normals = Caster([triangles]), normals_of(triangles)
    across, down = size
    points, facing = np.zeros((down, across, 3)), np.zeros((down, across, 3))
    light = np.ones((down, across))
    for top in range(0, down, ROWS):
        rows = slice(top, min(top + ROWS, down))
        points[rows], facing[rows] = seen_points(caster, normals, camera, size, rows)
        light[rows] = open_sky(caster, points[rows], facing[rows], top)
    return 1.0 - DEPTH * (1.0 - smoothed(light, points, facing))


def normals_of(triangles: Array) -> Array:
    """(n, 3) unit normals."""
    found = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    return unit(found)


def unit(vectors: Array) -> Array:
    """Unit vectors (..., 3); those without length stay as they are."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0, length, 1.0))


def view_lines(camera: Camera, size: tuple[int, int], rows: slice) -> Segments:
    """What each point of some rows of the picture looks along."""
    x = (np.arange(size[0]) + 0.5) / size[0] * 2 - 1
    y = 1 - (np.arange(rows.start, rows.stop) + 0.5) / size[1] * 2
    flat = np.stack(np.meshgrid(x * size[0] / size[1], y), axis=-1).reshape(-1, 2)
    plane = np.vstack([camera.right, camera.up])
    if camera.parallel:
        start = camera.eye + camera.span / 2 * flat @ plane
        return Segments(start, start + FAR * camera.forward)
    along = camera.forward + math.tan(math.radians(camera.lens) / 2) * flat @ plane
    start = np.broadcast_to(camera.eye, along.shape)
    return Segments(start, start + FAR * along)


def seen_points(
    caster: Caster, normals: Array, camera: Camera, size: tuple[int, int], rows: slice
) -> tuple[Array, Array]:
    """Where each point of some rows meets something, and the normal there towards the eye; both 0 in the open."""
    lines = view_lines(camera, size, rows)
    hits = caster.first(lines)
    normal = np.where(hits.blocked[:, None], normals[np.maximum(hits.triangle, 0)], 0.0)
    away = np.einsum("ij,ij->i", normal, lines.along) > 0
    normal[away] *= -1
    place = np.where(hits.blocked[:, None], lines.at(hits.share) + OFF * normal, 0.0)
    shape = (rows.stop - rows.start, size[0], 3)
    return place.reshape(shape), normal.reshape(shape)


def directions() -> Array:
    """(TILE, TILE, EACH, 3) directions about +z, denser near it, as matt light is. A fixed spiral, no dice."""
    count = TILE * TILE * EACH
    k = np.arange(count) + 0.5
    radius, turn = np.sqrt(k / count), k * math.pi * (3 - math.sqrt(5))
    found = np.column_stack([radius * np.cos(turn), radius * np.sin(turn), np.sqrt(1 - radius**2)])
    return found.reshape(EACH, TILE * TILE, 3).swapaxes(0, 1).reshape(TILE, TILE, EACH, 3)


def open_sky(caster: Caster, points: Array, facing: Array, top: int) -> Array:
    """(rows, columns) share of the directions in which a point sees no obstacle within REACH. top : the first row."""
    down, across, _ = points.shape
    rays = directions()[np.ix_((np.arange(down) + top) % TILE, np.arange(across) % TILE)]
    side = np.where(np.abs(facing[..., 2:]) < 0.9, [0.0, 0.0, 1.0], [1.0, 0.0, 0.0])
    along = unit(np.cross(side, facing))
    up = np.cross(facing, along)
    free = np.zeros((down, across))
    for k in range(EACH):
        u, v, w = rays[:, :, k, :1], rays[:, :, k, 1:2], rays[:, :, k, 2:]
        end = points + REACH * (u * along + v * up + w * facing)
        free += ~caster.blocked(Segments(points.reshape(-1, 3), end.reshape(-1, 3))).reshape(down, across)
    return np.where(np.any(facing != 0, axis=-1), free / EACH, 1.0)


def smoothed(light: Array, points: Array, facing: Array) -> Array:
    """The mean over a tile's worth of neighbours that lie on the same flat."""
    total, weight = np.zeros_like(light), np.zeros_like(light)
    for dy in range(-TILE // 2, TILE // 2):
        for dx in range(-TILE // 2, TILE // 2):
            place, normal, value = (np.roll(a, (dy, dx), axis=(0, 1)) for a in (points, facing, light))
            level = np.abs(np.einsum("ijk,ijk->ij", place - points, facing)) < 5 * OFF
            same = level & (np.einsum("ijk,ijk->ij", normal, facing) > 0.9)
            total += np.where(same, value, 0.0)
            weight += same
    return np.where(weight > 0, total / np.maximum(weight, 1), light)

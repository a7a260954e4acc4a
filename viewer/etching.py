"""A mesh drawn by casting one ray for each point of a picture: shaded faces and dark edges, without any OpenGL.

Panels in its gaps and tints on its floors are drawn in the same way, so that what is hidden stays hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import shapely
from PIL import Image
from scipy import ndimage
from shapely.geometry.base import BaseGeometry

from deadground.geometry.caster import Caster
from deadground.geometry.plates import Array
from deadground.geometry.segments import Segments
from deadground.geometry.units import FOOT, ROUGH, SNAP, UPRIGHT
from deadground.viewer.camera import Camera
from deadground.viewer.palette import DEFAULT, Palette

__all__ = [
    "FINER",
    "NOBODY",
    "Exposure",
    "Ground",
    "Panel",
    "Sitter",
    "Stain",
    "boxes",
    "etched",
    "exposed",
    "in_sight",
]

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int32]
Real = npt.NDArray[np.floating[Any]]

FINER: Final = 2
"""Rays along each side of a point of the picture."""
LIGHT: Final = (-0.42, 0.68, 0.6)
"""Where the light comes from: to the right, up and to the reader, in the picture's own directions."""
AMBIENT, BRIGHTEST = 0.66, 1.12
CREASE: Final = 0.82
"""Cosine between normals of neighbouring points where an edge is drawn: 35 degrees."""
STEP: Final = 0.02
"""Inches of depth, beyond what the slope of the surface explains, at which an edge is drawn."""
COARSE: Final = 9
"""Times that much on rough surfaces."""
HOLLOW: Final = 0.35
"""Inches behind the mean of their surroundings at which places are in full shadow."""
DARKEST: Final = 0.3
SOFT: Final = 2.5
"""Points over which the normals of a rough surface are smoothed."""
NOBODY: Final = -1
"""In an exposure's numbers: no panel, no floor."""


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """What fills a gap in a picture: triangles (n, 3, 3), and how it looks (its place among some `Stain`s)."""

    triangles: Array
    stain: int


@dataclass(frozen=True, slots=True)
class Stain:
    """How a panel looks. fill, line : "#rrggbb"; opacity : of the fill.

    hatch : 0 for none, 1 for lines to the right, 2 for crossed lines; dotted : its outline is broken
    """

    fill: str
    line: str
    opacity: float
    hatch: int = 0
    dotted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A floor that is tinted where it is in sight. outline : seen from above; low, high : inches."""

    outline: BaseGeometry
    low: float
    high: float
    colour: str


@dataclass(frozen=True, slots=True, eq=False)
class Sitter:
    """A mesh ready to be drawn. normals : (n, 3) of its faces, outwards; noise : its roughness, inches."""

    caster: Caster
    normals: Array
    bounds: Array
    noise: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Exposure:
    """What the rays of a picture met, (rows, columns) each, FINER times as fine as the picture.

    depth : inches before the camera, inf where there is nothing; normals : (rows, columns, 3), towards the eye
    cut : where the camera stands inside material
    panel, floor : which panel and which floor is in sight, `NOBODY` for none
    """

    camera: Camera
    depth: Array
    normals: Real
    cut: Mask
    panel: Numbers
    floor: Numbers

    @property
    def hit(self) -> Mask:
        """Where there is anything."""
        return np.isfinite(self.depth)


def exposed(
    sitter: Sitter, camera: Camera, size: tuple[int, int], panels: Sequence[Panel] = (), grounds: Sequence[Ground] = (),
    *, cut: bool = False,
) -> Exposure:  # fmt: skip
    """Cast the rays of a parallel camera. size : points across and down; cut : the camera may stand in the mesh."""
    shape = (size[1] * FINER, size[0] * FINER)
    start, way = _starts(camera, shape), 2 * camera.reach * camera.forward
    triangle, depth = sitter.caster.first_along(start, way)
    normals = sitter.normals[triangle].astype(np.float32)
    behind = normals @ camera.forward.astype(np.float32) > 0
    within = (np.isfinite(depth) & behind) | _below(sitter, start, way) if cut else np.zeros(len(start), dtype=bool)
    normals = np.where(behind[:, None], -normals, normals)
    none = np.full(shape, NOBODY, dtype=np.int32)
    bare = Exposure(camera, depth.reshape(shape), normals.reshape(*shape, 3), within.reshape(shape), none, none)
    return replace(bare, panel=_panels(bare, start, way, panels), floor=_floors(bare, start, grounds, sitter.noise))


def _starts(camera: Camera, shape: tuple[int, int]) -> Array:
    """(n, 3) where the rays start, row by row."""
    down, across = shape
    step = camera.span / down
    x = (np.arange(across) + 0.5 - across / 2) * step
    y = (down / 2 - np.arange(down) - 0.5) * step
    rows = camera.eye + y[:, None] * camera.up
    return np.asarray((rows[:, None, :] + (x[:, None] * camera.right)[None, :, :]).reshape(-1, 3))


def _below(sitter: Sitter, start: Array, way: Array) -> Mask:
    """Which points have the inside of a surface behind them: bodies that overlap hide it on the other side."""
    triangle, far = sitter.caster.first_along(start, -way)
    return np.asarray(np.isfinite(far) & (sitter.normals[triangle] @ way < 0))


def _panels(view: Exposure, start: Array, way: Array, panels: Sequence[Panel]) -> Numbers:
    """Which panel lies before all else."""
    found = np.full(view.depth.size, NOBODY, dtype=np.int32)
    if panels:
        caster = Caster([panel.triangles for panel in panels])
        owner = np.repeat(np.arange(len(panels), dtype=np.int32), caster.counts)
        triangle, far = caster.first_along(start, way)
        near = np.isfinite(far) & (far <= view.depth.ravel() + SNAP)
        found[near] = owner[triangle[near]]
    return found.reshape(view.depth.shape)


def _floors(view: Exposure, start: Array, grounds: Sequence[Ground], noise: float) -> Numbers:
    """Which floor is in sight."""
    found = np.full(view.depth.size, NOBODY, dtype=np.int32)
    facing = (view.hit & ~view.cut & (view.normals[..., 2] > UPRIGHT)).ravel()
    where = np.flatnonzero(facing)
    points = start[where] + view.depth.ravel()[where, None] * view.camera.forward
    slack = FOOT / 2 + 4 * noise if noise > ROUGH else SNAP
    for number, ground in enumerate(grounds):
        level = (points[:, 2] > ground.low - slack) & (points[:, 2] < ground.high + slack)
        shapely.prepare(ground.outline)
        inside = shapely.contains_xy(ground.outline, points[level, 0], points[level, 1])
        found[where[level][inside]] = number
    return found.reshape(view.depth.shape)


def in_sight(sitter: Sitter, points: Array, camera: Camera, near: float) -> Mask:
    """(n,) which points a parallel camera sees. near : inches before each point that are not looked at."""
    start = points - near * camera.forward
    return np.asarray(~sitter.caster.blocked(Segments(start, start - 2 * camera.reach * camera.forward)))


def etched(
    view: Exposure, noise: float, stains: Mapping[int, Stain], grounds: Sequence[Ground], palette: Palette = DEFAULT
) -> Image.Image:
    """The picture: RGB, on paper. noise : of the mesh; stains : panel's number -> how it looks."""
    rough = noise > ROUGH
    normals = _smoothed(view) if rough else view.normals
    tone = np.clip(_shade(view, normals) * _hollows(view), 0, 1)[..., None]
    tints = np.array([_rgb(palette.terrain), *(_rgb(ground.colour) for ground in grounds)])
    colour = tone * tints[view.floor + 1]
    colour[view.cut] = _rgb(palette.cut)
    colour[~view.hit & ~view.cut] = _rgb(palette.paper)
    colour[_edges(view, normals, rough=rough)] = _rgb(palette.edge)
    _stain(colour, view.panel, stains)
    whole = Image.fromarray(np.rint(colour).astype(np.uint8))
    return whole.resize((whole.width // FINER, whole.height // FINER), Image.Resampling.BOX)


def _rgb(colour: str) -> Array:
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], dtype=np.float64)


def _shade(view: Exposure, normals: Real) -> Array:
    """Brightness of each point, from the light over the reader's left shoulder."""
    right, up, near = LIGHT
    light = right * view.camera.right + up * view.camera.up - near * view.camera.forward
    lit = np.clip(normals @ (light / np.linalg.norm(light)), 0, 1)
    return np.asarray(AMBIENT + (BRIGHTEST - AMBIENT) * lit)


def _smoothed(view: Exposure) -> Array:
    """Normals of a rough surface, each the mean of those around it."""
    normals = np.where(view.hit[..., None], view.normals, 0.0)
    mean = np.stack([ndimage.gaussian_filter(normals[..., k], SOFT, truncate=2) for k in range(3)], axis=-1)
    return np.asarray(mean / np.maximum(np.linalg.norm(mean, axis=-1, keepdims=True), np.finfo(float).eps))


def _hollows(view: Exposure) -> Array:
    """How much light reaches each point: places that lie behind their surroundings are darker."""
    hit = view.hit
    if not hit.any():
        return np.ones(hit.shape)
    far = float(view.depth[hit].max())
    depth = np.where(hit, view.depth, far).astype(np.float32)
    mean = ndimage.uniform_filter(ndimage.uniform_filter(depth, max(hit.shape) // 25), max(hit.shape) // 25)
    return np.asarray(1 - DARKEST * np.clip((depth - mean) / HOLLOW, 0, 1))


def _edges(view: Exposure, normals: Real, *, rough: bool) -> Mask:
    """Where the surface ends, jumps or has a crease."""
    far = np.where(view.hit, view.depth, 1e3)
    kinds = view.cut + 2 * view.hit
    found = np.zeros(view.hit.shape, dtype=bool)
    for axis in (0, 1):
        found |= _jumps(far, axis, COARSE * STEP if rough else STEP)
        found |= kinds != np.roll(kinds, 1, axis)
        if not rough:
            found |= _creases(normals, view.hit & ~view.cut, axis)
    return np.asarray(found & ~(ndimage.binary_erosion(view.cut) & view.cut))


def _jumps(depth: Array, axis: int, step: float) -> Mask:
    """Points where depth changes faster than on either side, the nearer point of each pair."""
    return np.asarray(np.roll(depth, 1, axis) + np.roll(depth, -1, axis) - 2 * depth > step)


def _creases(normals: Real, hit: Mask, axis: int) -> Mask:
    along = np.einsum("ijk,ijk->ij", normals, np.roll(normals, 1, axis))
    return np.asarray((along < CREASE) & hit & np.roll(hit, 1, axis))


def boxes(numbers: Numbers) -> list[tuple[slice, slice] | None]:
    """Number -> the rows and columns that hold it, None where it is nowhere."""
    return cast("list[tuple[slice, slice] | None]", ndimage.find_objects(numbers + 1))


def _stain(colour: Array, panel: Numbers, stains: Mapping[int, Stain]) -> None:
    """Fill, hatch and frame each panel, in place."""
    rows, columns = np.arange(panel.shape[0])[:, None], np.arange(panel.shape[1])[None, :]
    rim = _rims(panel)
    for number, box in enumerate(boxes(panel)):
        if box is None:
            continue
        look, own, part = stains[number], panel[box] == number, colour[box]
        fill, line, row, column = _rgb(look.fill), _rgb(look.line), rows[box[0]], columns[:, box[1]]
        part[own] = look.opacity * fill + (1 - look.opacity) * part[own]
        lines = (row + column) % _PERIOD < _STROKE if look.hatch else np.zeros(own.shape, dtype=bool)
        if look.hatch == 2:
            lines = lines | ((row - column) % _PERIOD < _STROKE)
        dots = (row // _DOT + column // _DOT) % 2 == 0 if look.dotted else True
        part[own & (lines | (rim[box] & dots))] = line


_PERIOD, _STROKE, _DOT = 7 * FINER, FINER, 3 * FINER


def _rims(panel: Numbers) -> Mask:
    """The outer points of each panel, FINER of them wide and more."""
    found = np.zeros(panel.shape, dtype=bool)
    for axis in (0, 1):
        for step in range(-FINER, FINER + 1):
            found |= panel != np.roll(panel, step, axis)
    return found

"""A draw list for ways to show it that know only solids: lines become bars, signs become crosses and balls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
import trimesh

from deadground.geometry.plates import Array
from deadground.viewer import theme
from deadground.viewer.forms import dashes, no_edges, raised, stacked, tube
from deadground.viewer.signs import SLIM, sign_shape
from deadground.viewer.things import Label, Mark, Path, Surface, Thing

__all__ = ["Solid", "solids", "unit_of_length"]

PLAQUES = ("tick", "hidden", "cover", "soft-cover", "rung")
"""Signs that are cut out of a sheet."""
LARGE = 1.6
"""How much larger than on a page such a sign is, for it is seen from further away."""
THICK = 0.8
"""Half the thickness of that sheet, in drawing units."""
SIDES = 10
"""Of the bar that stands for a line."""


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """One thing as triangles with one colour; what it stands for stays with it."""

    thing: Thing
    form: Surface


def unit_of_length(things: Sequence[Thing]) -> float:
    """Inches that stand for one drawing unit: so many that the ground is as wide as a page."""
    (ground,) = [t.shape for t in things if t.kind == "ground" and isinstance(t.shape, Surface)]
    return float(np.ptp(ground.vertices[:, :2], axis=0).max()) / theme.PAGE_WIDTH


def solids(things: Sequence[Thing]) -> Iterator[Solid]:
    """Everything but names, in the order of the list."""
    unit = unit_of_length(things)
    for thing in things:
        shape = thing.shape
        if isinstance(shape, Surface):
            yield Solid(thing, shape)
        elif isinstance(shape, Path):
            yield Solid(thing, bars(shape, thing, unit))
        elif not isinstance(shape, Label):
            yield Solid(thing, sign(shape, unit))


def bars(path: Path, thing: Thing, unit: float) -> Surface:
    """A line as round bars, broken where it is dashed."""
    points = np.vstack([path.points, path.points[:1]]) if path.closed else path.points
    dash = None if thing.look.dash is None else (thing.look.dash[0] * unit, thing.look.dash[1] * unit)
    pairs = [(part[k], part[k + 1]) for part in dashes(points, dash) for k in range(len(part) - 1)]
    radius = thing.look.width * unit / 2
    shafts = [tube(a, b, radius, SIDES) for a, b in pairs if np.linalg.norm(b - a) > radius / 10]
    ends = [(points[0], points[1]), (points[-1], points[-2])] if path.heads else []
    return joined([*shafts, *(point(tip, back, theme.POINT * unit) for tip, back in ends)])


def point(tip: Array, back: Array, size: float) -> Surface:
    """The head of an arrow whose shaft comes from `back`; smaller on a short shaft."""
    away = tip - back
    reach = float(np.linalg.norm(away))
    high = min(size, reach / 3)
    cone = trimesh.creation.cone(radius=SLIM * high, height=high, sections=2 * SIDES)
    cone.apply_translation((0.0, 0.0, -high))
    cone.apply_transform(trimesh.geometry.align_vectors([0.0, 0.0, 1.0], away / reach))
    return Surface(np.asarray(cone.vertices) + tip, np.asarray(cone.faces, np.int64), no_edges(), smooth=True)


def sign(mark: Mark, unit: float) -> Surface:
    """A cross that is one from all sides (the diagonals of a cube), or a ball."""
    if mark.sign == "dot":
        ball = trimesh.creation.icosphere(subdivisions=2, radius=1.3 * theme.DOT * unit)
        return Surface(np.asarray(ball.vertices) + mark.at, np.asarray(ball.faces, np.int64), no_edges(), smooth=True)
    if mark.sign in ("up", "down"):
        return head(mark, unit)
    if mark.sign in PLAQUES:
        return plaque(mark, unit)
    size, radius = 1.3 * theme.CROSS * unit, theme.CROSS / 3.2 * unit
    ends = [size * np.array([x, y, 1.0]) for x in (-1.0, 1.0) for y in (-1.0, 1.0)]
    return joined([tube(mark.at - end, mark.at + end, radius, SIDES) for end in ends])


def head(mark: Mark, unit: float) -> Surface:
    """A cone around its place, pointing up or down."""
    size = theme.DISC * unit
    cone = trimesh.creation.cone(radius=size, height=2 * size, sections=2 * SIDES)
    points = (np.asarray(cone.vertices) - [0.0, 0.0, size]) * (1.0 if mark.sign == "up" else -1.0)
    faces = np.asarray(cone.faces, np.int64)
    return Surface(points + mark.at, faces, no_edges(), smooth=True)


def plaque(mark: Mark, unit: float) -> Surface:
    """The sign cut out of a sheet that stands upright, its front to the reader's side of the table."""
    flat = shapely.transform(sign_shape(mark.sign, 0.0, 0.0), lambda points: points * [1.0, -1.0] * LARGE * unit)
    front = (mark.at, np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]))
    form = raised(flat, front, -THICK * unit, THICK * unit)
    return Surface(form.vertices, form.faces, no_edges())


def joined(forms: Sequence[Surface]) -> Surface:
    """Several surfaces as one."""
    vertices, faces = stacked([(form.vertices, form.faces) for form in forms])
    return Surface(vertices, faces, no_edges(), smooth=True)

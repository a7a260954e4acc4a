"""Vertical sections through an upright solid: from corner to corner of its outline, wherever they stay inside."""

from __future__ import annotations

import numpy as np
import shapely

from deadground.geometry.plates import Array, Plate
from deadground.geometry.segments import Ints

__all__ = ["chord_plates", "upright_plate"]

_ALL_PAIRS = 10


def upright_plate(start: Array, end: Array, foot: float, top: float) -> Plate:
    """The vertical rectangle over the segment from start to end ((2,) seen from above), foot to top, inches."""
    run = end - start
    length = float(np.hypot(*run))
    along = np.array([run[0] / length, run[1] / length, 0.0])
    return Plate(np.array([*start, 0.0]), along, np.array([0.0, 0.0, 1.0]), shapely.box(0, foot, length, top))


def chord_plates(outline: shapely.Polygon, foot: float, top: float) -> tuple[Plate, ...]:
    """Vertical plates over the chords of an outline, from foot to top (inches): each lies wholly inside the solid.

    All diagonals of an outline with few corners; of one with many, the chords between corners a quarter to a half of
    the way round. Proves what the faces prove only in pieces: a line in past one corner and out past another.
    """
    corners = np.asarray(outline.exterior.coords)[:-1, :2]
    one, two = _pairs(len(corners))
    lines = shapely.linestrings(np.stack([corners[one], corners[two]], 1))
    shapely.prepare(outline)
    inside = shapely.covers(outline, lines) & (shapely.length(lines) > 0)
    return tuple(
        upright_plate(corners[i], corners[j], foot, top) for i, j in zip(one[inside], two[inside], strict=True)
    )


def _pairs(count: int) -> tuple[Ints, Ints]:
    if count <= _ALL_PAIRS:
        one, two = np.triu_indices(count, 2)
        return one.astype(np.int64), two.astype(np.int64)
    corner = np.unique(np.linspace(0, count, 32, endpoint=False).astype(np.int64))
    steps = [count // 2, count // 3, count // 4]
    one = np.tile(corner, len(steps))
    return one, np.asarray((one + np.repeat(steps, len(corner))) % count, np.int64)

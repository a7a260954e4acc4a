"""Straight lines that touch two circles, and how far one turns between them. A point is a circle of radius 0."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from deadground.geometry.plates import Array
from deadground.geometry.units import ARC_ERROR, SIDE, WAY_SLACK

__all__ = ["Angles", "arc_points", "tangents", "turned"]

Angles = npt.NDArray[np.float64] | float


def tangents(
    start: tuple[float, float, float], sense: int, circles: Array, senses: npt.NDArray[np.int64]
) -> tuple[Array, Array, Array, Array]:
    """Directed lines that leave one circle and arrive at others, going round each in a given sense.

    start : (x, y, radius) of the circle that is left; sense : 1 counter-clockwise, -1 clockwise
    circles : (n, 3) x, y, radius of those arrived at; senses : (n,)
    Returns the directions (n,) in radians, the lengths (n,), and both ends (n, 2). Where a circle lies in the other and
    no such line exists, all are nan; hardly inside (`WAY_SLACK` + `ARC_ERROR`) is on the rim, with length 0 and ends
    apart. The centre is on the left of a line that goes round it counter-clockwise.
    """
    x, y, radius = start
    apart = circles[:, :2] - (x, y)
    offset = senses * circles[:, 2] - sense * radius
    squared = (apart**2).sum(axis=1)
    inside = np.abs(offset) - np.sqrt(squared)  # how far a point lies within the other's rim
    with np.errstate(invalid="ignore"):
        length = np.where((inside > 0) & (inside <= WAY_SLACK + ARC_ERROR), 0.0, np.sqrt(squared - offset**2))
    direction = np.arctan2(apart[:, 1], apart[:, 0]) - np.arctan2(offset, length)
    left = np.column_stack([-np.sin(direction), np.cos(direction)])
    first = np.array([x, y]) - sense * radius * left
    second = circles[:, :2] - (senses * circles[:, 2])[:, None] * left
    return direction, length, first, second


def turned(before: Angles, after: Angles, sense: int) -> Array:
    """Radians from one direction to another, turning in one sense: 0 up to a full turn.

    A turn short of a full one by rounding only is none.
    """
    turn = np.mod(sense * (np.asarray(after, dtype=np.float64) - before), 2 * math.pi)
    return np.where(turn > 2 * math.pi - SIDE, 0.0, turn)


def arc_points(circle: tuple[float, float, float], sense: int, before: float, turn: float, most: float) -> Array:
    """(n, 2) points of the arc on which a direction turns by `turn`, both ends included; chords are `most` radians."""
    x, y, radius = circle
    count = max(1, math.ceil(turn / most))
    direction = before + sense * np.linspace(0.0, turn, count + 1)
    left = np.column_stack([-np.sin(direction), np.cos(direction)])
    return np.array([x, y]) - sense * radius * left

"""What a built piece is made of: walls, floors, blocks and prisms, each checked when it is made.

All lengths in inches, in the piece's own frame (z up, foot at z = 0). A value that cannot be built raises ValueError
whose message starts with the key: "openings[0].width: ...".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import shapely

from deadground.geometry.plates import Array
from deadground.geometry.units import ARC_ERROR, SNAP, TOUCH

__all__ = ["LARGEST", "MOST_CORNERS", "MOST_OPENINGS", "Block", "Floor", "Hole", "Part", "Point", "Prism", "Wall"]

Point = tuple[float, float]

LARGEST = 1000.0
"""Inches. No coordinate or size of a part may be larger: many tables, and still good to 1e-12 in double precision."""

MOST_OPENINGS = 200
"""Openings of one wall, holes of one floor."""

MOST_CORNERS = 1000
"""Corners of one outline or one broken top."""


@dataclass(frozen=True, slots=True)
class Hole:
    """An opening cut through a wall.

    at : distance along the wall to its middle; sill, head : heights above the piece's foot
    "arch": the top is a half circle of radius width / 2 that touches `head`.
    """

    at: float
    width: float
    sill: float
    head: float
    shape: Literal["rectangle", "arch"] = "rectangle"

    def __post_init__(self) -> None:
        _number("at", self.at)
        _size("width", self.width)
        _number("sill", self.sill)
        _number("head", self.head)
        if self.head - self.sill < TOUCH:
            raise ValueError(f"head: must be above the sill ({self.sill:g}), is {self.head:g}")
        if self.shape not in ("rectangle", "arch"):
            raise ValueError(f"shape: must be rectangle or arch, is {self.shape!r}")
        if self.shape == "arch" and self.head - self.sill < self.width / 2:
            raise ValueError(f"head: an arch is at least half as high as wide, is {self.head - self.sill:g} high")

    @property
    def outline(self) -> shapely.Polygon:
        """In (distance along the wall, height). An arch stays within ARC_ERROR of its circle, inside it."""
        left, right = self.at - self.width / 2, self.at + self.width / 2
        if self.shape == "rectangle":
            return shapely.box(left, self.sill, right, self.head)
        radius = self.width / 2
        half = math.acos(1 - min(ARC_ERROR / radius, 1.0))
        angles = np.linspace(0, math.pi, 2 * max(2, math.ceil(math.pi / half / 4)) + 1)
        arc = np.column_stack([self.at + radius * np.cos(angles), self.head - radius + radius * np.sin(angles)])
        arc[0, 0], arc[-1, 0] = right, left
        low = [] if self.head - radius - self.sill < TOUCH else [(left, self.sill), (right, self.sill)]
        return shapely.Polygon([*low, *arc])


@dataclass(frozen=True, slots=True)
class Wall:
    """An upright wall on a centre line, its ends flush with `start` and `end`.

    height : of its top above the piece's foot; base : of its underside
    top : optional broken top in place of height: (distance along, height) points, distances never falling. It goes on
        level before its first and after its last point. Two points at one distance make a step.
    """

    start: Point
    end: Point
    height: float | None
    thickness: float
    base: float = 0.0
    openings: tuple[Hole, ...] = ()
    top: tuple[Point, ...] | None = None

    def __post_init__(self) -> None:
        _point("from", self.start)
        _point("to", self.end)
        if self.length < TOUCH:
            raise ValueError("to: must lie apart from the wall's start")
        _size("thickness", self.thickness)
        _above_ground("base", self.base)
        self._check_top()
        _few("openings", self.openings, MOST_OPENINGS)
        for number, opening in enumerate(self.openings):
            self._check_opening(f"openings[{number}]", opening)

    def _check_top(self) -> None:
        if self.top is None:
            if self.height is None:
                raise ValueError("height: a wall needs a height or a broken top")
            _number("height", self.height)
            if self.height - self.base < TOUCH:
                raise ValueError(f"height: must be above the wall's base ({self.base:g}), is {self.height:g}")
            return
        _few("top", self.top, MOST_CORNERS)
        before = -SNAP
        for number, point in enumerate(self.top):
            _point(f"top[{number}]", point)
            if not before <= point[0] <= self.length + SNAP:
                raise ValueError(f"top[{number}]: distances rise from 0 to {self.length:g}, found {point[0]:g}")
            if point[1] < self.base:
                raise ValueError(f"top[{number}]: must not be below the wall's base ({self.base:g}), is {point[1]:g}")
            before = point[0]
        if not self.top or max(height for _, height in self.top) - self.base < TOUCH:
            raise ValueError("top: must rise above the wall's base")

    def _check_opening(self, key: str, opening: Hole) -> None:
        left, right = opening.at - opening.width / 2, opening.at + opening.width / 2
        if left < -TOUCH or right > self.length + TOUCH:
            raise ValueError(
                f"{key}.at: the opening must lie within the wall (0 to {self.length:g}), spans {left:g} to {right:g}"
            )
        if opening.head <= self.base:
            raise ValueError(f"{key}.head: must be above the wall's base ({self.base:g}), is {opening.head:g}")
        if self.top is None and self.height is not None and opening.sill >= self.height:
            raise ValueError(f"{key}.sill: must be below the wall's top ({self.height:g}), is {opening.sill:g}")

    @property
    def length(self) -> float:
        """Inches from start to end."""
        return math.dist(self.start, self.end)

    @property
    def along(self) -> Array:
        """(3,) unit vector from start to end."""
        run = (np.asarray(self.end, dtype=np.float64) - self.start) / self.length
        return np.array([run[0], run[1], 0.0])

    @property
    def top_line(self) -> tuple[Point, ...]:
        """(distance, height) from 0 to the wall's length."""
        points = self.top or ((0.0, float(self.height or 0.0)),)
        inner = [(min(max(float(u), 0.0), self.length), float(v)) for u, v in points]
        return ((0.0, inner[0][1]), *inner, (self.length, inner[-1][1]))


@dataclass(frozen=True, slots=True)
class Floor:
    """A level slab. top : height of the surface one stands on; holes : outlines of stairwells."""

    outline: tuple[Point, ...]
    top: float
    thickness: float
    holes: tuple[tuple[Point, ...], ...] = ()

    def __post_init__(self) -> None:
        shape = _polygon("outline", self.outline)
        _number("top", self.top)
        _size("thickness", self.thickness)
        if self.top - self.thickness < -TOUCH:
            raise ValueError(f"thickness: reaches below the ground (top {self.top:g}, thickness {self.thickness:g})")
        _few("holes", self.holes, MOST_OPENINGS)
        for number, hole in enumerate(self.holes):
            if not shape.intersects(_polygon(f"holes[{number}]", hole)):
                raise ValueError(f"holes[{number}]: must lie within the floor's outline")


@dataclass(frozen=True, slots=True)
class Block:
    """A solid box, square to the piece's axes. at : the middle of its underside."""

    size: tuple[float, float, float]
    at: tuple[float, float, float]

    def __post_init__(self) -> None:
        _triple("size", self.size)
        for number, value in enumerate(self.size):
            _size(f"size[{number}]", value)
        _triple("at", self.at)
        for number, value in enumerate(self.at):
            _number(f"at[{number}]", value)
        _above_ground("at[2]", self.at[2])


@dataclass(frozen=True, slots=True)
class Prism:
    """An outline raised. height : of its top above the piece's foot; base : of its underside."""

    outline: tuple[Point, ...]
    height: float
    base: float = 0.0

    def __post_init__(self) -> None:
        _polygon("outline", self.outline)
        _above_ground("base", self.base)
        _number("height", self.height)
        if self.height - self.base < TOUCH:
            raise ValueError(f"height: must be above the base ({self.base:g}), is {self.height:g}")


Part = Wall | Floor | Block | Prism


def _number(key: str, value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise ValueError(f"{key}: must be a number, is {value!r}")
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise ValueError(f"{key}: must be a number within {LARGEST:g} inches, is {value:g}")


def _size(key: str, value: float) -> None:
    _number(key, value)
    if value <= 0:
        raise ValueError(f"{key}: must be more than 0, is {value:g}")
    if value < TOUCH:
        raise ValueError(f"{key}: must be at least {TOUCH:g} inches, is {value:g}")


def _above_ground(key: str, value: float) -> None:
    _number(key, value)
    if value < 0:
        raise ValueError(f"{key}: must not be below the ground, is {value:g}")


def _point(key: str, value: Sequence[float]) -> None:
    if len(value) != 2:
        raise ValueError(f"{key}: must be two numbers, has {len(value)}")
    for number in value:
        _number(key, number)


def _triple(key: str, value: Sequence[float]) -> None:
    if len(value) != 3:
        raise ValueError(f"{key}: must be three numbers, has {len(value)}")


def _few(key: str, values: Sequence[object], most: int) -> None:
    if len(values) > most:
        raise ValueError(f"{key}: at most {most} are allowed, found {len(values)}")


def _polygon(key: str, outline: Sequence[Point]) -> shapely.Polygon:
    _few(key, outline, MOST_CORNERS)
    for number, point in enumerate(outline):
        _point(f"{key}[{number}]", point)
    if len(outline) < 3:
        raise ValueError(f"{key}: needs at least 3 corners, has {len(outline)}")
    shape = shapely.Polygon(outline)
    if not shape.is_valid:
        raise ValueError(f"{key}: must not cross or touch itself")
    if shape.area < TOUCH * TOUCH:
        raise ValueError(f"{key}: encloses no area")
    return shape

"""Where names go, so that they do not overlap."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import shapely
from shapely import STRtree
from shapely.geometry.base import BaseGeometry

from deadground.viewer.lettering import text_width
from deadground.viewer.theme import LETTER_DISC, TEXT_SIZE

__all__ = ["Box", "Placed", "Wanted", "place"]

_ANGLES: Final = (0.0, 180.0, 90.0, -90.0, 35.0, 145.0, -35.0, -145.0, 65.0, 115.0, -65.0, -115.0)
_INSIDE: Final = ((0, 0), (0, -0.3), (0, 0.3), (-0.3, 0), (0.3, 0), (-0.4, -0.4), (0.4, -0.4), (0.4, 0.4), (-0.4, 0.4))
"""Places inside a thing, as shares of its free room from the middle."""
_STEPS: Final = (3.0, 9.0, 17.0, 27.0, 40.0, 56.0, 76.0, 100.0, 130.0, 170.0, 220.0)
_OVER: Final = 30.0
"""How much further away a name goes rather than lie over one more thing."""
_ON: Final = 0.8
"""A name lies on a thing, not over its edge, with this share of its own area."""
_ASIDE: Final = 6.0
"""How much further away a name goes rather than to the next of its spots."""
_SAME: Final = 1.5
"""An obstacle whose box differs by less from a thing's box is that thing."""
_FLAT: Final = 0.01
"""Sine or cosine of an angle at which a name goes straight up, down or sideways."""
_LEADER: Final = 14.0
"""A name further than this from its thing is tied to it by a thin line."""

Leader = tuple[tuple[float, float], tuple[float, float]]
"""A thin line from a name's edge to its thing."""


@dataclass(frozen=True, slots=True)
class Box:
    """An upright rectangle in drawing units, y down."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        """Whether the insides of both meet."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    @property
    def middle(self) -> tuple[float, float]:
        """Its centre."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    @property
    def shape(self) -> shapely.Polygon:
        """The rectangle as a polygon."""
        return shapely.box(self.left, self.top, self.right, self.bottom)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A name to be placed beside a thing (its box).

    inside: try the thing's own middle first; row: right or left of it or nowhere, whatever lies there
    disc: a letter in a disc, always tied to its thing; spots: other places on the thing, tried after it
    """

    words: str
    thing: Box
    size: float = TEXT_SIZE
    inside: bool = False
    bold: bool = False
    colour: str = "#222222"
    row: bool = False
    disc: bool = False
    spots: tuple[Box, ...] = ()

    @property
    def room(self) -> tuple[float, float]:
        """Width and height that it takes."""
        if self.disc:
            return 2 * LETTER_DISC, 2 * LETTER_DISC
        return text_width(self.words, self.size, bold=self.bold) + 2, self.size * (1.05 if self.row else 1.2)


@dataclass(frozen=True, slots=True)
class Placed:
    """A name in its place. leader: the thin line to its thing, where it is far."""

    wanted: Wanted
    box: Box
    leader: Leader | None = None


def place(
    names: Sequence[Wanted], page: Box, obstacles: Sequence[BaseGeometry], taken: Sequence[Box] = ()
) -> list[Placed]:
    """A place on the page for each name: never over another name or a `taken` box, and over as few obstacles as can be.

    Greedy, in the order given; the same each time. A name for which there is no room is left out.
    """
    tree, placed = STRtree(list(obstacles)), list[Placed]()
    used = list(taken)
    for wanted in names:
        best = _best(wanted, page, used, tree)
        if best is not None:
            placed.append(best)
            used.append(best.box)
    return placed


def _best(wanted: Wanted, page: Box, used: Sequence[Box], tree: STRtree) -> Placed | None:
    """The place with the least cost; the first that costs nothing wins."""
    best, least = None, math.inf
    for number, thing in enumerate((wanted.thing, *wanted.spots)):
        for box, away in _places(wanted, thing, page):
            if not _within(box, page) or any(box.overlaps(other) for other in used):
                continue
            leader = _leader(box, thing, math.inf if wanted.disc else away)
            cost = _ASIDE * number + away + (0.0 if wanted.row else _OVER * _met(box, leader, wanted, tree, used))
            if cost < least:
                best, least = Placed(wanted, box, leader), cost
            if least <= away:
                break
    return best


def _met(box: Box, leader: Leader | None, wanted: Wanted, tree: STRtree, used: Sequence[Box]) -> int:
    """How many obstacles a name would lie over, and how many names its leader would cross."""
    line = None if leader is None else shapely.LineString(leader)
    crossed = 0 if line is None else sum(line.intersects(other.shape) for other in used)
    return _covered(box, wanted, tree) + crossed


def _covered(box: Box, wanted: Wanted, tree: STRtree) -> int:
    """How many obstacles a name would lie over. Its own thing is none, where it lies on that with all its weight."""
    met = tree.geometries.take(tree.query(box.shape, predicate="intersects"))
    thing = wanted.thing
    own = (
        np.abs(shapely.bounds(met) - [thing.left, thing.top, thing.right, thing.bottom]).max(axis=1, initial=0) < _SAME
    )
    full = shapely.area(shapely.intersection(met, box.shape)) > _ON * box.shape.area
    return int(np.sum(~(own & full)))


def _within(box: Box, page: Box) -> bool:
    return page.left <= box.left and box.right <= page.right and page.top <= box.top and box.bottom <= page.bottom


def _places(wanted: Wanted, thing: Box, page: Box) -> Iterator[tuple[Box, float]]:
    """Places to try, near ones first, and how far each is from the thing (0: inside it)."""
    width, height = wanted.room
    if wanted.row:
        yield _row(thing, page, width, height), 0.0
        return
    x, y = thing.middle
    if wanted.inside and width <= 0.94 * (thing.right - thing.left) and height <= 0.9 * (thing.bottom - thing.top):
        for place, (u, v) in enumerate(_INSIDE):
            across, along = u * (thing.right - thing.left - width), v * (thing.bottom - thing.top - height)
            yield _around(x + across, y + along, width, height), 0.1 * place
    for step in _STEPS:
        for angle in _ANGLES:
            c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            across = (thing.right - thing.left) / 2 + width / 2 + step
            along = (thing.bottom - thing.top) / 2 + height / 2 + step
            reach = min(across / abs(c) if abs(c) > _FLAT else math.inf, along / abs(s) if abs(s) > _FLAT else math.inf)
            yield _around(x + reach * c, y - reach * s, width, height), step


def _row(thing: Box, page: Box, width: float, height: float) -> Box:
    """Right of the thing; left of it where the page ends."""
    x = thing.right + width / 2 + 1
    return _around(x if x + width / 2 <= page.right else thing.left - width / 2 - 1, thing.middle[1], width, height)


def _around(x: float, y: float, width: float, height: float) -> Box:
    return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _leader(box: Box, thing: Box, away: float) -> Leader | None:
    """From the name's edge to the middle of the thing's nearest side."""
    if away <= _LEADER:
        return None
    start, end = shapely.shortest_line(box.shape, thing.shape).coords
    return (start[0], start[1]), (end[0], end[1])

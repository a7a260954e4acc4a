"""Signs that keep their size on the page: crosses, dots and the heads of climbs, as flat shapes. y down."""

from __future__ import annotations

from collections.abc import Iterator

import shapely
from shapely.geometry.base import BaseGeometry

from deadground.viewer import theme
from deadground.viewer.marks import Blot
from deadground.viewer.things import Look

__all__ = ["cross", "head", "sign_blots", "sign_shape"]


def sign_shape(sign: str, x: float, y: float) -> BaseGeometry:
    """A mark's sign around a place on the page."""
    if sign == "cross":
        return cross(x, y)
    return shapely.Point(x, y).buffer(1.25 * theme.DOT) if sign == "dot" else head(x, y, up=sign == "up")


def sign_blots(sign: str, x: float, y: float, look: Look) -> Iterator[Blot]:
    """The sign with its rim; the head of a climb on a disc, so that it is seen on a line."""
    shape = sign_shape(sign, x, y)
    if sign in ("up", "down"):
        disc = shapely.Point(x, y)
        yield Blot(disc.buffer(theme.DISC + 1.1), look.casing or look.colour)
        yield Blot(disc.buffer(theme.DISC), theme.PAPER)
    else:
        yield Blot(shape.buffer(theme.CASING), look.casing or look.colour)
    yield Blot(shape, look.colour)


def cross(x: float, y: float, size: float = 1.3 * theme.CROSS) -> BaseGeometry:
    """A diagonal cross."""
    bars = [[(x - size, y - size), (x + size, y + size)], [(x - size, y + size), (x + size, y - size)]]
    return shapely.MultiLineString(bars).buffer(theme.CROSS / 3.2, cap_style="square")


def head(x: float, y: float, *, up: bool, size: float = theme.HEAD) -> BaseGeometry:
    """The head of an arrow around a place, pointing up or down the page."""
    tip = -size if up else size
    return shapely.Polygon([(x - size, y - 0.8 * tip), (x + size, y - 0.8 * tip), (x, y + tip)])

"""Signs that keep their size on the page: crosses, dots and the heads of climbs, as flat shapes. y down."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.viewer import theme
from deadground.viewer.colour_vision import luminance
from deadground.viewer.marks import Blot
from deadground.viewer.things import Look

__all__ = ["ON_DISC", "SLIM", "TOLD", "arrow_heads", "cross", "head", "sign_blots", "sign_shape"]

ON_DISC: Final = ("up", "down", "tick", "no", "hidden", "cover", "soft-cover")
"""Signs that stand on a white disc, so that they are seen on a line or a model."""
TOLD: Final = (*ON_DISC, "rung")
"""Signs that are drawn in full even where something hides their place."""
LIGHT: Final = 0.35
"""Signs whose colour is lighter than this, those of dark drawings, stand on a dark disc."""
SLIM: Final = 0.32
"""Half the width of an arrow's head, times its length."""


def sign_shape(sign: str, x: float, y: float) -> BaseGeometry:
    """A mark's sign around a place on the page."""
    if sign in ("cross", "no"):
        return cross(x, y) if sign == "cross" else cross(x, y, 0.42 * theme.DISC)
    if sign == "tick":
        return tick(x, y)
    if sign == "hidden":
        return struck_eye(x, y)
    if sign in ("cover", "soft-cover"):
        return shield(x, y) if sign == "cover" else shield(x, y).difference(shield(x, y).buffer(-1.4))
    if sign == "rung":
        return shapely.box(x - theme.RUNG, y - 0.8, x + theme.RUNG, y + 0.8)
    return shapely.Point(x, y).buffer(1.25 * theme.DOT) if sign == "dot" else head(x, y, up=sign == "up")


def sign_blots(sign: str, x: float, y: float, look: Look) -> Iterator[Blot]:
    """The sign with its rim, or on its disc."""
    shape = sign_shape(sign, x, y)
    if sign in ON_DISC:
        disc = shapely.Point(x, y)
        yield Blot(disc.buffer(theme.DISC + 1.1), look.casing or look.colour)
        yield Blot(disc.buffer(theme.DISC), theme.PAPER if luminance(look.colour) < LIGHT else theme.MODEL_EDGE.colour)
    elif sign != "rung":
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


def tick(x: float, y: float, size: float = 0.55 * theme.DISC) -> BaseGeometry:
    """A tick mark."""
    stroke = [(x - size, y), (x - 0.25 * size, y + 0.75 * size), (x + size, y - 0.75 * size)]
    return shapely.LineString(stroke).buffer(theme.CROSS / 4.5, cap_style="square", join_style="mitre")


def struck_eye(x: float, y: float) -> BaseGeometry:
    """An eye with a stroke through it."""
    lens = shapely.Point(x, y + 4.4).buffer(7.6) & shapely.Point(x, y - 4.4).buffer(7.6)
    eye = lens.difference(lens.buffer(-1.1)).union(shapely.Point(x, y).buffer(1.7))
    line = shapely.LineString([(x - 5.0, y + 5.0), (x + 5.0, y - 5.0)])
    return eye.difference(line.buffer(1.8)).union(line.buffer(0.8))


def shield(x: float, y: float) -> BaseGeometry:
    """A shield."""
    return shapely.Polygon(
        [(x - 4.4, y - 4.8), (x + 4.4, y - 4.8), (x + 4.4, y + 0.4), (x, y + 5.6), (x - 4.4, y + 0.4)]
    )


def arrow_heads(line: Array) -> list[BaseGeometry]:
    """The heads at both ends of a line (n, 2) on the page, their tips at its ends; smaller on a short line."""
    reach = float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
    size = min(theme.POINT, reach / 3)
    return [point(line[0], line[1], size), point(line[-1], line[-2], size)] if size > 0 else []


def point(tip: Array, back: Array, size: float) -> BaseGeometry:
    """The head of an arrow whose shaft comes from `back`."""
    run = back - tip
    along = run / max(float(np.linalg.norm(run)), math.ulp(1.0)) * size
    side = SLIM * np.array([-along[1], along[0]])
    return shapely.Polygon([tip, tip + along + side, tip + along - side])

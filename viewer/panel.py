"""One drawing on a page: a direction to look in, a window of the table, and where it goes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.scenes.rulings.verdict import Verdict
from deadground.viewer import theme
from deadground.viewer.labels import Box
from deadground.viewer.outlines import View
from deadground.viewer.phrases import sentence
from deadground.viewer.svg import Element, Value, element, group, ring_data, slug, stroke

__all__ = ["Panel", "drawn_line", "line_group", "rectangle"]


@dataclass(frozen=True, slots=True)
class Panel:
    """window : low u, low v, high u, high v in inches; scale : drawing units to the inch; left, top : on the page."""

    view: View
    window: tuple[float, float, float, float]
    scale: float
    left: float
    top: float

    @property
    def box(self) -> Box:
        """Where it is on the page."""
        low_u, low_v, high_u, high_v = self.window
        width, height = (high_u - low_u) * self.scale, (high_v - low_v) * self.scale
        return Box(self.left, self.top, self.left + width, self.top + height)

    def on_page(self, flat: Array) -> Array:
        """(n, 2) inches in the view as (n, 2) places on the page; up becomes up."""
        low_u, _, _, high_v = self.window
        return np.column_stack(
            [self.left + (flat[:, 0] - low_u) * self.scale, self.top + (high_v - flat[:, 1]) * self.scale]
        )

    def seen(self, points: Sequence[Sequence[float]] | Array) -> Array:
        """(n, 3) points of the table as (n, 2) places on the page."""
        return self.on_page(self.view.flat(np.asarray(points, dtype=np.float64).reshape(-1, 3)))

    def shape(self, flat: BaseGeometry) -> BaseGeometry:
        """A flat shape in inches, on the page, without what the window cuts off."""
        kept = shapely.intersection(shapely.make_valid(flat), shapely.box(*self.window).buffer(1.0))
        return shapely.transform(kept, self.on_page)

    @property
    def clip(self) -> str:
        """The id of its clipping path."""
        return f"clip-{self.view.name}"

    def clipping(self) -> Element:
        """The definition of its clipping path."""
        return element("clipPath", {"id": self.clip}, [rectangle(self.box, {})])


def rectangle(box: Box, look: dict[str, Value]) -> Element:
    """A box as an element."""
    size: dict[str, Value] = {"width": box.right - box.left, "height": box.bottom - box.top}
    return element("rect", {"x": box.left, "y": box.top, **size, **look})


def drawn_line(verdict: Verdict) -> Array:
    """(n, 3) points of the line that the verdict gives as its evidence, up to what stops it; n < 2: nothing to draw."""
    points = [*verdict.line]
    if verdict.blocker is not None and points and not verdict.visible and not _passes(points, verdict.blocker.at):
        points.append(verdict.blocker.at)
    return np.array(points, dtype=np.float64).reshape(-1, 3)


def _passes(points: Sequence[Sequence[float]], at: Sequence[float]) -> bool:
    """Whether the line runs through the point already (closer than a hundredth of an inch)."""
    return (
        len(points) > 1
        and float(shapely.distance(shapely.LineString(points), shapely.Point(at))) < 0.01
        and _level(points, at)
    )


def _level(points: Sequence[Sequence[float]], at: Sequence[float]) -> bool:
    """Whether the point is as high as the line there: shapely's distance does not look at heights."""
    start, end = np.array(points[0]), np.array(points[-1])
    reach = float(np.dot(end - start, end - start)) or 1.0
    share = float(np.dot(np.array(at) - start, end - start)) / reach
    return bool(np.linalg.norm(start + share * (end - start) - np.array(at)) < 0.05)


def line_group(panel: Panel, verdict: Verdict) -> Element | None:
    """A line of sight in its verdict's colour and dash, with a dot where it starts and a sign where it ends."""
    points = panel.seen(drawn_line(verdict))
    if len(points) < 2:
        return None
    look = theme.CLEAR if verdict.visible else theme.BLOCKED
    path = {"d": ring_data(points, closed=False)}
    strokes = [
        element(
            "path", {**path, **stroke(theme.Stroke(theme.PAPER, look.width), wider=theme.HALO), "stroke-opacity": 0.75}
        ),
        element("path", {**path, **stroke(theme.Stroke(theme.INK, look.width, look.dash), wider=theme.CASING)}),
        element("path", {**path, **stroke(look)}),
    ]
    start = {"cx": float(points[0][0]), "cy": float(points[0][1]), "r": theme.DOT}
    dot = element("circle", {**start, **stroke(theme.Stroke(theme.INK, 0.8), look.colour)})
    name = slug("line", panel.view.name, verdict.observer, verdict.target)
    ends = list(_end(panel, verdict, points))
    return group(name, [*strokes, dot, *ends], f"{verdict.observer} → {verdict.target}", sentence(verdict))


def _end(panel: Panel, verdict: Verdict, points: Array) -> Iterator[Element]:
    """An arrow's head on a clear line, a cross where a blocked one stops."""
    if verdict.visible:
        yield _head(points[-2], points[-1])
    else:
        at = panel.seen([verdict.blocker.at])[0] if verdict.blocker is not None else points[-1]
        for look in (theme.Stroke(theme.INK, 4.6), theme.Stroke(theme.BLOCKED.colour, 2.8)):
            yield _cross((float(at[0]), float(at[1])), look)


def _head(before: Array, tip: Array) -> Element:
    run = tip - before
    reach = float(np.linalg.norm(run)) or 1.0
    along = run / reach * theme.ARROW
    side = np.array([-along[1], along[0]]) * 0.36
    return element(
        "path",
        {
            "d": ring_data([tip, tip - along + side, tip - along - side]),
            **stroke(theme.Stroke(theme.INK, 0.8), theme.CLEAR.colour),
        },
    )


def _cross(at: tuple[float, float], look: theme.Stroke) -> Element:
    (x, y), r = at, theme.CROSS * math.sqrt(0.5) + (0.6 if look.colour == theme.INK else 0.0)
    falling, rising = [(x - r, y - r), (x + r, y + r)], [(x - r, y + r), (x + r, y - r)]
    strokes = " ".join(ring_data(each, closed=False) for each in (falling, rising))
    return element("path", {"d": strokes, **stroke(look), "stroke-linecap": "round"})

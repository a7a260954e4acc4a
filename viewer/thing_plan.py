"""Things of a draw list in vector drawings: projected to a panel, so that both ways to draw show the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.units import TOUCH
from deadground.viewer import theme
from deadground.viewer.labels import Box, Wanted
from deadground.viewer.panel import Panel
from deadground.viewer.section import shows_line
from deadground.viewer.signs import ON_DISC, arrow_heads, sign_shape
from deadground.viewer.svg import Element, Value, element, group, outline, path_data, ring_data, slug, stroke
from deadground.viewer.things import Label, Look, Mark, Path, Surface, Thing

__all__ = ["UNDER", "is_flat_on", "line_strokes", "sign_element", "thing_groups", "thing_names", "thing_obstacles"]

UNDER: Final = ("area", "zone", "shade", "reach", "token")
"""Kinds that lie on the ground, under the models."""
ELSEWHERE: Final = ("scale",)
"""Kinds that every vector drawing has by itself."""
LEAST: Final = 0.1
"""Drawing units. A line that a panel shows shorter runs straight to or from the onlooker."""
SHORT: Final = 14.0
"""Drawing units. A measured line that a drawing shows shorter goes without its length there."""


def thing_groups(panel: Panel, things: Sequence[Thing], *, under: bool | None = None) -> Iterator[Element]:
    """Surfaces, lines and signs as the panel sees them; under : only what lies under the models, or only the rest."""
    here = [t for t in things if t.kind not in ELSEWHERE and shows_line(t, above=panel.view.above)]
    kept = [thing for thing in here if under is None or under == (thing.kind in UNDER)]
    for number, thing in enumerate(kept, 1):
        parts = [part for part in _parts(panel, thing) if part is not None]
        if parts:
            yield group(slug(thing.kind, panel.view.name, str(number), thing.name), parts, thing.name, thing.words)


def _parts(panel: Panel, thing: Thing) -> Iterator[Element | None]:
    if isinstance(thing.shape, Surface):
        yield from _surface(panel, thing.look, thing.shape)
    elif isinstance(thing.shape, Path):
        yield from line_strokes(panel, thing, thing.shape)
    elif isinstance(thing.shape, Mark) and not _is_upright_sign(panel, thing.shape):
        ((x, y),) = panel.seen(thing.shape.at[None])
        yield sign_element(thing.shape.sign, float(x), float(y), thing.look)


def _is_upright_sign(panel: Panel, mark: Mark) -> bool:
    """Whether it is a sign of height that is drawn from above."""
    return mark.sign == "rung" and panel.view.above


def _surface(panel: Panel, look: Look, form: Surface) -> Iterator[Element | None]:
    """Its outline, filled, and its lines."""
    flat = panel.view.flat(form.vertices)[form.faces]
    ring = np.concatenate([flat, flat[:, :1]], axis=1)
    triangles = np.asarray(shapely.polygons(ring))
    shape = shapely.union_all(triangles[shapely.area(triangles) > TOUCH**2])
    fill = outline(panel.shape(shape), theme.Stroke("none", 0.0), look.colour)
    yield element("g", {"fill-opacity": None if look.opacity == 1 else look.opacity}, [fill]) if fill else None
    ends = panel.seen(form.edges.reshape(-1, 3)).reshape(-1, 2, 2)
    if look.edge is not None and len(ends):
        data = " ".join(ring_data(pair, closed=False) for pair in ends)
        yield element("path", {"d": data, **stroke(theme.Stroke(look.edge, look.width))})


def line_strokes(panel: Panel, thing: Thing, path: Path) -> Iterator[Element]:
    """A line with its halo and casing, and the heads of an arrow."""
    points = panel.seen(np.vstack([path.points, path.points[:1]]) if path.closed else path.points)
    if np.linalg.norm(np.ptp(points, axis=0)) < LEAST:
        return
    data: dict[str, Value] = {"d": ring_data(points, closed=False), "stroke-linejoin": "round"}
    line = theme.Stroke(thing.look.colour, thing.look.width, thing.look.dash or ())
    if thing.look.casing is not None:
        halo = theme.Stroke(theme.PAPER, line.width)
        yield element("path", {**data, **stroke(halo, wider=theme.HALO), "stroke-opacity": 0.75})
        yield element("path", {**data, **stroke(replace(line, colour=thing.look.casing), wider=theme.CASING)})
    yield element("path", {**data, **stroke(line)})
    if thing.look.core is not None:
        yield element("path", {**data, **stroke(replace(line, colour=thing.look.core, width=theme.CORE * line.width))})
    for head in arrow_heads(points) if path.heads else ():
        yield element("path", {"d": path_data(head), "fill": thing.look.colour})


def sign_element(sign: str, x: float, y: float, look: Look) -> Element:
    """A mark's sign around a place on the page, with a dark rim."""
    shapes = [element("path", {"d": path_data(sign_shape(sign, x, y)), **_rim(sign, look)})]
    if sign in ON_DISC:
        edge = stroke(theme.Stroke(theme.INK, 1.1), theme.PAPER)
        shapes.insert(0, element("circle", {"cx": x, "cy": y, "r": theme.DISC, **edge}))
    return element("g", {}, shapes)


def _rim(sign: str, look: Look) -> dict[str, Value]:
    """A cross and a dot have a dark rim; what stands on a disc has the disc."""
    bare = sign in ON_DISC or sign == "rung"
    rim = theme.Stroke("none", 0.0) if bare else theme.Stroke(theme.INK, theme.CASING)
    return {**stroke(rim, look.colour), "stroke-linejoin": "round"}


def thing_names(panel: Panel, things: Sequence[Thing]) -> Iterator[Wanted]:
    """What the things' labels say, those of lines and heights that are seen end on left out."""
    for thing in [each for each in things if shows_line(each, above=panel.view.above)]:
        label = thing.shape
        if isinstance(label, Label) and thing.kind not in ELSEWHERE and is_flat_on(panel, things, thing):
            rim = 2.0 if label.disc else theme.RUNG if label.row else theme.DISC
            spots = [_around(spot[None], rim) for spot in panel.seen(np.vstack([label.at[None], label.spots]))]
            if len(label.around):
                spots[0] = _around(panel.seen(label.around), rim)
            there = [spot for spot in spots if spot.overlaps(panel.box)]
            if there:
                yield Wanted(label.text, there[0], theme.SMALL_SIZE, bold=not label.row, row=label.row, disc=label.disc,
                             colour=thing.look.colour, inside=label.on, spots=tuple(there[1:]))  # fmt: skip


def _around(points: Array, rim: float) -> Box:
    """The box of places on the page, so much larger."""
    low, high = points.min(axis=0) - rim, points.max(axis=0) + rim
    return Box(float(low[0]), float(low[1]), float(high[0]), float(high[1]))


def is_flat_on(panel: Panel, things: Sequence[Thing], label: Thing) -> bool:
    """Whether the lines that a label speaks of, if any, are seen with some length, or have a sign that says it."""
    paths = [t.shape.points for t in things if t.name == label.name and isinstance(t.shape, Path)]
    told = any(t.name == label.name and isinstance(t.shape, Mark) and t.shape.sign in ("up", "down") for t in things)
    lengths = [np.linalg.norm(np.diff(panel.seen(path), axis=0), axis=1).sum() for path in paths]
    return told or not paths or sum(lengths) >= SHORT


def thing_obstacles(panel: Panel, things: Sequence[Thing]) -> list[BaseGeometry]:
    """What a name should not lie over: lines and signs."""
    paths: list[Array] = [panel.seen(t.shape.points) for t in things if isinstance(t.shape, Path)]
    lines = [shapely.LineString(path).buffer(4) for path in paths if len(path) > 1]
    marks = [(panel.seen(t.shape.at[None])[0], t.shape.sign) for t in things if isinstance(t.shape, Mark)]
    signs = [sign_shape(sign, float(x), float(y)).buffer(1) for (x, y), sign in marks]
    return [*lines, *signs]

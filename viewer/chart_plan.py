"""Moves in vector drawings: ways and where they end, and everywhere that a model can end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.units import TOUCH
from deadground.scenes.scene import Scene
from deadground.scenes.terrain import Feature
from deadground.viewer import theme
from deadground.viewer.chart import Chart, Ghost, Region
from deadground.viewer.labels import Box, Wanted
from deadground.viewer.outlines import PLAN, View, model_shape, section
from deadground.viewer.panel import Panel
from deadground.viewer.signs import sign_shape
from deadground.viewer.svg import Element, element, group, outline, path_data, ring_data, slug, stroke
from deadground.viewer.things import Label, Look, Mark, Path, Thing

__all__ = ["chart_names", "chart_obstacles", "course_groups", "region_groups", "sign_element", "way_cuts"]

BEND: Final = 0.05
"""Inches. Turns of a way that stray less do not bend the cut along it."""
SHORT: Final = 14.0
"""Drawing units. A leg across that a drawing shows shorter goes without its length there."""
REACH_EDGE: Final = theme.Stroke(theme.INK, 0.6)
GHOST: Final = 0.35
"""Opacity of a model where it does not stand yet."""


def region_groups(panel: Panel, chart: Chart) -> Iterator[Element]:
    """The shades of the floor that a plan is of."""
    regions = chart.on(panel.view.level) if panel.view.above else ()
    for number, region in enumerate(regions, 1):
        tint = element("g", {"fill-opacity": theme.REACH_OPACITY}, [_shade(panel, region)])
        yield group(slug("reach", panel.view.name, str(number)), [tint], region.called, f"{region.called}.")


def _shade(panel: Panel, region: Region) -> Element | None:
    return outline(panel.shape(region.shape), REACH_EDGE, region.colour)


def course_groups(panel: Panel, chart: Chart, scene: Scene) -> Iterator[Element]:
    """Where a model would end, over that its way, over that the signs."""
    for number, ghost in enumerate(chart.ghosts, 1):
        yield _ghost(panel, ghost, scene, number)
    for number, thing in enumerate(chart.things, 1):
        name = slug("way", panel.view.name, str(number), thing.name)
        if isinstance(thing.shape, Path):
            yield group(name, _strokes(panel, thing, thing.shape), thing.name, thing.words)
        elif isinstance(thing.shape, Mark):
            yield group(name, [_sign(panel, thing, thing.shape)], thing.name)


def _ghost(panel: Panel, ghost: Ghost, scene: Scene, number: int) -> Element:
    sides = list(dict.fromkeys(unit.side for unit in scene.units))
    fill = theme.side_look(ghost.model.side, sides.index(ghost.model.side)).fill
    edge = theme.Stroke(theme.INK if ghost.legal else theme.WRONG, 1.3, (4.0, 2.5))
    drawn = element("g", {"fill-opacity": GHOST}, [outline(panel.shape(_body(ghost, panel)), edge, fill)])
    return group(slug("end", panel.view.name, str(number)), [drawn], ghost.model.name, f"{ghost.words}.")


def _body(ghost: Ghost, panel: Panel) -> BaseGeometry:
    """The base from above, the body from the side; inches."""
    return model_shape(replace(ghost.model, mesh=None), panel.view)


def _strokes(panel: Panel, thing: Thing, path: Path) -> Iterator[Element]:
    """A line with its halo and casing."""
    points = panel.seen(path.points)
    if np.linalg.norm(np.ptp(points, axis=0)) < 0.1:  # straight to or from the onlooker
        return
    data = {"d": ring_data(points, closed=False), "stroke-linejoin": "round"}
    line = theme.Stroke(thing.look.colour, thing.look.width, thing.look.dash or ())
    if thing.look.casing is not None:
        halo = theme.Stroke(theme.PAPER, line.width)
        yield element("path", {**data, **stroke(halo, wider=theme.HALO), "stroke-opacity": 0.75})
        yield element("path", {**data, **stroke(replace(line, colour=theme.INK), wider=theme.CASING)})
    yield element("path", {**data, **stroke(line)})


def _sign(panel: Panel, thing: Thing, mark: Mark) -> Element:
    ((x, y),) = panel.seen(mark.at[None])
    return sign_element(mark.sign, float(x), float(y), thing.look)


def sign_element(sign: str, x: float, y: float, look: Look) -> Element:
    """A mark's sign around a place on the page, with a dark rim."""
    shapes = [element("path", {"d": path_data(sign_shape(sign, x, y)), **_rim(sign, look)})]
    if sign in ("up", "down"):
        edge = stroke(theme.Stroke(theme.INK, 1.1), theme.PAPER)
        shapes.insert(0, element("circle", {"cx": x, "cy": y, "r": theme.DISC, **edge}))
    return element("g", {}, shapes)


def _rim(sign: str, look: Look) -> dict[str, str | float | None]:
    """A cross and a dot have a dark rim; the head of a climb has its disc."""
    rim = theme.Stroke("none", 0.0) if sign in ("up", "down") else theme.Stroke(theme.INK, theme.CASING)
    return {**stroke(rim, look.colour), "stroke-linejoin": "round"}


def chart_names(panel: Panel, chart: Chart) -> Iterator[Wanted]:
    """The words at a way's ends, the lengths of its legs, and the inches on the shades."""
    for ghost in chart.ghosts:
        box = Box(*shapely.transform(_body(ghost, panel), panel.on_page).bounds)
        colour = theme.INK if ghost.legal else theme.WRONG
        yield Wanted(ghost.words, box, theme.SMALL_SIZE, bold=True, colour=colour)
    for thing in chart.things:
        if isinstance(thing.shape, Label) and not _is_end_on(panel, chart, thing):
            ((x, y),) = panel.seen(thing.shape.at[None])
            box = _around(float(x), float(y), theme.DISC, theme.DISC)
            yield Wanted(thing.shape.text, box, theme.SMALL_SIZE, bold=True, colour=thing.look.colour)
    for region in chart.on(panel.view.level) if panel.view.above else ():
        at = max(region.shape.geoms, key=lambda part: part.area).representative_point()
        ((x, y),) = panel.seen([(at.x, at.y, region.height)])
        yield Wanted(region.text, _around(float(x), float(y), 18.0, 10.0), theme.SMALL_SIZE, inside=True, bold=True)


def _around(x: float, y: float, across: float, along: float) -> Box:
    return Box(x - across, y - along, x + across, y + along)


def _is_end_on(panel: Panel, chart: Chart, label: Thing) -> bool:
    """Whether a label speaks of a leg across that this drawing hardly shows."""
    paths = [t.shape.points for t in chart.things if t.name == label.name and isinstance(t.shape, Path)]
    climbs = any(t.name == label.name and isinstance(t.shape, Mark) for t in chart.things)
    lengths = [np.linalg.norm(np.diff(panel.seen(path), axis=0), axis=1).sum() for path in paths]
    return not climbs and sum(lengths) < SHORT


def chart_obstacles(panel: Panel, chart: Chart) -> list[BaseGeometry]:
    """What a name should not lie over: ways, signs, and who ends there."""
    lines = [shapely.LineString(panel.seen(way)).buffer(4) for way in chart.ways if len(way) > 1]
    marks = [(panel.seen(t.shape.at[None])[0], t.shape.sign) for t in chart.things if isinstance(t.shape, Mark)]
    signs = [sign_shape(sign, float(x), float(y)).buffer(1) for (x, y), sign in marks]
    return [*lines, *signs, *(panel.shape(_body(ghost, panel)) for ghost in chart.ghosts)]


def way_cuts(feature: Feature, chart: Chart, view: View) -> list[BaseGeometry]:
    """What upright cuts along a chart's ways, their turns straightened, meet of a feature."""
    legs = [shapely.LineString(way[:, :2]).simplify(BEND) for way in chart.ways if _length(way) > TOUCH]
    ends: list[Array] = [np.asarray(leg.coords) for leg in legs]
    pairs = [(line[k], line[k + 1]) for line in ends for k in range(len(line) - 1)]
    return [section(feature, np.array([*a, 0.0]), np.array([*b, 0.0]), view) for a, b in pairs]


def _length(way: Array) -> float:
    """How far a way strays across."""
    return float(np.linalg.norm(np.ptp(PLAN.flat(way), axis=0)))

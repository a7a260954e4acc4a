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
from deadground.viewer.svg import Element, element, group, outline, slug
from deadground.viewer.thing_plan import thing_groups, thing_names, thing_obstacles

__all__ = ["chart_names", "chart_obstacles", "course_groups", "region_groups", "way_cuts"]

BEND: Final = 0.05
"""Inches. Turns of a way that stray less do not bend the cut along it."""
REACH_EDGE: Final = theme.Stroke(theme.INK, 0.6)
SAME_FLOOR: Final = 1.0
"""Inches. A model ends on a floor if its foot is closer to it than this."""
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
    for number, ghost in enumerate(_ghosts(panel, chart), 1):
        yield _ghost(panel, ghost, scene, number)
    yield from thing_groups(panel, chart.things)


def _ghosts(panel: Panel, chart: Chart) -> list[Ghost]:
    """Where models end; on the plan of one floor of several only those that end there."""
    if not (panel.view.above and len(chart.floors) > 1):
        return list(chart.ghosts)
    return [ghost for ghost in chart.ghosts if abs(ghost.model.foot - panel.view.level) < SAME_FLOOR]


def _ghost(panel: Panel, ghost: Ghost, scene: Scene, number: int) -> Element:
    sides = list(dict.fromkeys(unit.side for unit in scene.units))
    fill = theme.side_look(ghost.model.side, sides.index(ghost.model.side)).fill
    edge = theme.Stroke(theme.INK if ghost.legal else theme.WRONG, 1.3, (4.0, 2.5))
    drawn = element("g", {"fill-opacity": GHOST}, [outline(panel.shape(_body(ghost, panel)), edge, fill)])
    return group(slug("end", panel.view.name, str(number)), [drawn], ghost.model.name, f"{ghost.words}.")


def _body(ghost: Ghost, panel: Panel) -> BaseGeometry:
    """The base from above, the body from the side; inches."""
    return model_shape(replace(ghost.model, mesh=None), panel.view)


def chart_names(panel: Panel, chart: Chart) -> Iterator[Wanted]:
    """The words at a way's ends, the lengths of its legs, and the inches on the shades."""
    for ghost in _ghosts(panel, chart):
        box = Box(*shapely.transform(_body(ghost, panel), panel.on_page).bounds)
        colour = theme.INK if ghost.legal else theme.WRONG
        yield Wanted(ghost.words, box, theme.SMALL_SIZE, bold=True, colour=colour)
    yield from thing_names(panel, chart.things)
    for region in chart.on(panel.view.level) if panel.view.above else ():
        at = max(region.shape.geoms, key=lambda part: part.area).representative_point()
        ((x, y),) = panel.seen([(at.x, at.y, region.height)])
        yield Wanted(region.text, _around(float(x), float(y), 18.0, 10.0), theme.SMALL_SIZE, inside=True, bold=True)


def _around(x: float, y: float, across: float, along: float) -> Box:
    return Box(x - across, y - along, x + across, y + along)


def chart_obstacles(panel: Panel, chart: Chart) -> list[BaseGeometry]:
    """What a name should not lie over: ways, signs, and who ends there."""
    ghosts = [panel.shape(_body(ghost, panel)) for ghost in _ghosts(panel, chart)]
    return [*thing_obstacles(panel, chart.things), *ghosts]


def way_cuts(feature: Feature, chart: Chart, view: View) -> list[BaseGeometry]:
    """What upright cuts along a chart's ways, their turns straightened, meet of a feature."""
    legs = [shapely.LineString(way[:, :2]).simplify(BEND) for way in chart.ways if _length(way) > TOUCH]
    ends: list[Array] = [np.asarray(leg.coords) for leg in legs]
    pairs = [(line[k], line[k + 1]) for line in ends for k in range(len(line) - 1)]
    return [section(feature, np.array([*a, 0.0]), np.array([*b, 0.0]), view) for a, b in pairs]


def _length(way: Array) -> float:
    """How far a way strays across."""
    return float(np.linalg.norm(np.ptp(PLAN.flat(way), axis=0)))

"""A figure of a move, or of everywhere a model can end one: what is drawn over the table. Plain values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from deadground.geometry.plates import Array
from deadground.geometry.units import TOUCH
from deadground.scenes.model import Model
from deadground.scenes.scene import Figure
from deadground.viewer.things import Label, Path, Surface, Thing

__all__ = ["BOTH", "SHOWN", "Chart", "Floor", "Ghost", "Region", "chart_points", "said_of"]

BOTH = "both"
"""The view of a vector drawing from above and from the side."""

SHOWN = ("areas", "labels", "legend", "tokens")
"""What a chart shows. No gaps: they are drawn for what is seen through them."""


@dataclass(frozen=True, slots=True)
class Ghost:
    """A model where it does not stand (yet). words : what is said of that place; legal : whether it may end there."""

    model: Model
    words: str
    legal: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Places on one floor that cost about the same.

    height : of the floor, inches; shape : seen from above; called : for the legend ("ground, up to 2 inches")
    text : what is written on it; colour : "#rrggbb"
    """

    height: float
    shape: shapely.MultiPolygon
    called: str
    text: str
    colour: str


@dataclass(frozen=True, slots=True)
class Floor:
    """A level that a plan of its own is drawn of. height : inches above the ground; called : as a heading."""

    height: float
    called: str


@dataclass(frozen=True, slots=True)
class Chart(Figure):
    """A figure that shows no lines of sight but where models go.

    about : names of the models that move; things : ways, with their lengths and signs
    ghosts : where they end; regions, floors : where they can end; said : what it comes to, line by line
    """

    about: tuple[str, ...] = ()
    things: tuple[Thing, ...] = ()
    ghosts: tuple[Ghost, ...] = ()
    regions: tuple[Region, ...] = ()
    floors: tuple[Floor, ...] = ()
    said: tuple[str, ...] = ()

    @property
    def ways(self) -> tuple[Array, ...]:
        """(n, 3) points of each leg."""
        return tuple(thing.shape.points for thing in self.things if isinstance(thing.shape, Path))

    def on(self, height: float) -> tuple[Region, ...]:
        """The regions on a floor."""
        return tuple(region for region in self.regions if abs(region.height - height) <= TOUCH)


def chart_points(chart: Chart) -> list[Array]:
    """(n, 3) arrays of all that the camera must take in, models left out."""
    corners = [(shapely.bounds(region.shape), region.height) for region in chart.regions]
    boxes = [np.array([[x, y, z] for x in (x0, x1) for y in (y0, y1)]) for (x0, y0, x1, y1), z in corners]
    places = [thing.shape.at[None] for thing in chart.things if not isinstance(thing.shape, (Path, Surface, Label))]
    return [*chart.ways, *places, *boxes]


def said_of(chart: Chart | None) -> tuple[str, ...]:
    """What a chart comes to in words; nothing where there is none."""
    return () if chart is None else chart.said

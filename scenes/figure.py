"""An illustration as a scene asks for it: plain values, lengths in inches. What it shows is worked out elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

from deadground.geometry.units import inches

__all__ = [
    "USUAL_BASE", "Anchor", "Callout", "Figure", "Journey", "Ladder", "Lookout", "Measure", "Roaming", "Section",
    "Theme",
]  # fmt: skip

USUAL_BASE: Final = inches(32.0, "mm")
"""Diameter of the base that is looked for on dead ground where none is given."""

Anchor = tuple[float, float, float] | str
"""A point of the table (on the ground where no height was given), or the name of a unit or a model."""


@dataclass(frozen=True, slots=True)
class Section:
    """A cut. height : of a level one, everything above is taken away; start, end : of an upright one, seen from above.

    Either height is None, or start and end are.
    """

    height: float | None = None
    start: tuple[float, float] | None = None
    end: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    """A dimension between two places.

    text : printed before the length, which is measured
    along : "up" or "across" for that part of it alone, "" for the straight line
    aside : inches by which the arrow is drawn to the left of that, seen from above; None: beside a line of sight
    """

    start: Anchor
    end: Anchor
    text: str = ""
    along: Literal["", "up", "across"] = ""
    aside: float | None = None


@dataclass(frozen=True, slots=True)
class Ladder:
    """Heights beside a thing, from low to high at a point. rungs : heights that get one; None: each inch."""

    at: tuple[float, float]
    low: float
    high: float
    rungs: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Callout:
    """A lettered note on a place."""

    at: Anchor
    text: str


@dataclass(frozen=True, slots=True)
class Journey:
    """A move that is drawn: the model, where to (None for the height: the ground), and as the `move` command takes."""

    model: str
    to: tuple[float, ...]
    limit: float | None = None
    fly: bool = False
    charge: bool = False


@dataclass(frozen=True, slots=True)
class Roaming:
    """Everywhere that a model can end a move of so many inches."""

    model: str
    limit: float


@dataclass(frozen=True, slots=True)
class Lookout:
    """What a model, or no model of a unit, sees of the ground.

    size, base, flying : of what stands there, its round base by its diameter in inches
    """

    model: str
    size: int
    base: float = USUAL_BASE
    flying: bool = False


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of a scene's own. base : the theme whose colours hold for the others; colours : name -> "#rrggbb"."""

    name: str
    base: str
    colours: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Figure:
    """An illustration asked for by the scene. Lengths in inches.

    view : a preset, or "camera" when camera_from and camera_to are given
    lines : pairs of unit or model names; unlined : no lines at all, else without pairs every pair of models is drawn
    ranges : (unit or model name, inches)
    overrides : options of each system that replace the scene's for this figure
    caption : printed under it; section : a cut, None for none; panels : names of figures that it puts side by side
    theme : name of its colours, "" for the usual ones
    """

    name: str
    title: str = ""
    view: str = "perspective"
    camera_from: tuple[float, float, float] | None = None
    camera_to: tuple[float, float, float] | None = None
    lines: tuple[tuple[str, str], ...] = ()
    ranges: tuple[tuple[str, float], ...] = ()
    show: tuple[str, ...] = ()
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: MappingProxyType({}))
    caption: str = ""
    section: Section | None = None
    measures: tuple[Measure, ...] = ()
    heights: tuple[Ladder, ...] = ()
    callouts: tuple[Callout, ...] = ()
    moves: tuple[Journey, ...] = ()
    reach: tuple[Roaming, ...] = ()
    dead_ground: tuple[Lookout, ...] = ()
    panels: tuple[str, ...] = ()
    theme: str = ""
    unlined: bool = False

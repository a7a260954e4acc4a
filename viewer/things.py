"""What a picture is made of: plain values, the same for every way to show them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from deadground.geometry.plates import Array

__all__ = ["Faces", "Kind", "Label", "Look", "Mark", "Path", "Sign", "Surface", "Thing"]

Faces = npt.NDArray[np.int64]

Sign = Literal["cross", "dot", "up", "down", "rung", "tick", "no", "hidden", "cover", "soft-cover"]
"""A sign that keeps its size on the page."""

Kind = Literal[
    "ground", "area", "terrain", "closed-gap", "open-gap", "base", "body", "facing",
    "ray", "range", "ring", "sheet", "name", "measure", "cut", "way", "ghost", "reach",
    "dimension", "ladder", "callout", "verdict", "placement", "overhang", "scale", "section", "state", "token", "zone",
    "shade",
]  # fmt: skip
"""What a thing stands for."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a thing is drawn. Widths and dashes in drawing units (`theme.PAGE_WIDTH`).

    colour : "#rrggbb" of a surface, a path or a text; opacity : 1 solid
    edge : colour of a surface's own edges, None for none; width : of a path or of the edges
    dash : (on, off), None for unbroken; casing : colour of a rim around a path or a text, None for none
    ghost : opacity of the part of a path that stands behind something solid
    core : colour of a thin line along a path's middle, None for none: so it is told from others in grey
    """

    colour: str
    opacity: float = 1.0
    edge: str | None = None
    width: float = 1.0
    dash: tuple[float, float] | None = None
    casing: str | None = None
    ghost: float = 0.0
    core: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Triangles, and the lines drawn on them.

    vertices : (n, 3) inches; faces : (m, 3), may be empty
    edges : (k, 2, 3) the lines that are drawn: sharp edges, outlines, hatching
    smooth : shaded as a curved surface
    """

    vertices: Array
    faces: Faces
    edges: Array
    smooth: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """A line through (n, 3) points, inches. closed : its ends are joined; heads : an arrow's at both ends."""

    points: Array
    closed: bool = False
    heads: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """A sign at a point (3,) that keeps its size on the page.

    A cross where a line stops, a dot where it ends, a head pointing up or down where a way climbs, the rung of a
    ladder; on a disc a tick or "no" (a cross): yes or no of a model, an eye struck through: hidden, a shield: cover
    (hollow: soft cover).
    """

    at: Array
    sign: Sign


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """A text that belongs to a point (3,); where it comes to stand on the page is decided later.

    rank : the lower, the sooner it gets the place it wants; on : it may lie over what it names (a name on the ground)
    around : (n, 3) points of what it names, beside which it is put; the point alone if empty
    row : right or left of its point or nowhere, whatever lies there: one of a row of numbers
    disc : a letter in a disc, always tied to its point; spots : (n, 3) other points beside which it may stand
    best : "all" to keep clear of all of them, else the one of those in sight that is "lowest" or "highest" on the page
    """

    at: Array
    text: str
    rank: int = 1
    on: bool = False
    around: Array = field(default_factory=lambda: np.zeros((0, 3)))
    best: Literal["all", "lowest", "highest"] = "all"
    row: bool = False
    disc: bool = False
    spots: Array = field(default_factory=lambda: np.zeros((0, 3)))


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """One thing to draw.

    kind, name : what it stands for ("ray", "A/1 - B/1")
    words : what it says, as a sentence, for those who cannot see it
    legend : what the legend calls its kind, "" for not listed
    ends : names of the models that a line joins; their own bodies do not hide it
    """

    kind: Kind
    name: str
    shape: Surface | Path | Mark | Label
    look: Look
    words: str = ""
    legend: str = ""
    ends: tuple[str, ...] = ()

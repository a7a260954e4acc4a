"""A page, and the flat shapes and texts on it: the last values before ink. Drawing units, y down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shapely.geometry.base import BaseGeometry

from deadground.viewer.labels import Box
from deadground.viewer.things import Look

__all__ = ["Blot", "Caption", "Entry", "Group", "Page", "Text"]


@dataclass(frozen=True, slots=True, eq=False)
class Blot:
    """A filled shape in drawing units. colour : "#rrggbb"; opacity : 1 solid."""

    shape: BaseGeometry
    colour: str
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text whose baseline starts at `at`, or has its middle there.

    halo : colour of a rim that keeps it readable, None for none; anchor : "start" or "middle"
    """

    at: tuple[float, float]
    words: str
    size: float
    colour: str
    bold: bool = False
    halo: str | None = None
    anchor: Literal["start", "middle"] = "start"


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """What belongs together under one name. words : what it says, "" for nothing."""

    name: str
    words: str
    parts: tuple[Blot | Text, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a legend: a kind of thing, what it is called and how it looks. sign : of a mark, "" for none."""

    kind: str
    words: str
    look: Look
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Caption:
    """What stands directly under a picture, and the drawing units that it takes.

    lines : of the caption; notes : (letter, lines of its text) of each callout, in their order
    """

    lines: tuple[str, ...] = ()
    notes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    height: float = 0.0


@dataclass(frozen=True, slots=True)
class Page:
    """The whole figure, and the window in it where the 3D picture goes. heading, foot : their lines.

    caption : what stands directly under the window, over the legend
    """

    width: float
    height: float
    window: Box
    title: str
    entries: tuple[Entry, ...]
    foot: tuple[str, ...] = ()
    heading: tuple[str, ...] = ()
    caption: Caption = Caption()

    @property
    def legend_top(self) -> float:
        """Where the legend begins."""
        return self.window.bottom + self.caption.height

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the window."""
        return self.window.right - self.window.left, self.window.bottom - self.window.top

"""Every colour, width, size and font of what deadground draws.

Colours are told apart by dash and mark as well, and stay apart in grey print and for common colour vision. The two
verdict colours are used for verdicts alone. Widths and sizes are in drawing units: a figure is PAGE_WIDTH wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["BLOCKED", "CLEAR", "SIDES", "SideLook", "Stroke", "hue_of", "side_look"]


@dataclass(frozen=True, slots=True)
class Stroke:
    """How a line is drawn: colour, width, and dash (drawn, left out), () for a whole line."""

    colour: str
    width: float
    dash: tuple[float, ...] = ()


INK: Final = "#222222"
"""Text and outlines."""

QUIET: Final = "#666666"
"""Text that stands back."""

PAPER: Final = "#ffffff"

CLEAR: Final = Stroke("#0072B2", 2.4)
"""A clear line of sight."""

BLOCKED: Final = Stroke("#D55E00", 2.4, (7.0, 4.0))
"""A blocked one, up to where it stops."""

CASING: Final = 1.5
"""How much wider than its line the dark casing is, in all."""

HALO: Final = 4.0
"""How much wider than its line the light halo under the casing is, in all."""

CROSS: Final = 6.0
"""Half the size of the cross where a line stops."""

DOT: Final = 3.0
"""Radius of the dot where a line starts."""

ARROW: Final = 10.0
"""Length of the head at the end of a clear line."""

BOARD: Final = "#f7f5ef"
BOARD_EDGE: Final = Stroke("#a39d8c", 1.0)
GROUND: Final = Stroke("#6b6557", 1.6)

TERRAIN: Final = "#dcd7ca"
"""Terrain seen from above or from the side."""

TERRAIN_OPACITY: Final = 0.75
"""From the side, so that what stands behind shows through."""

TERRAIN_EDGE: Final = Stroke("#6b6557", 1.0)

CUT: Final = "#8d8574"
"""Terrain cut through."""

CUT_EDGE: Final = Stroke("#3d392f", 1.2)

GAP_OPEN: Final = "#ffffff"
GAP_EDGE: Final = Stroke("#3d392f", 0.9)
GAP_UNSURE: Final = Stroke("#3d392f", 0.9, (1.5, 2.0))
GAP_CLOSED: Final = "#f0c9ab"
"""Ground of the hatching in a gap that the rules close."""

GAP_HATCH: Final = Stroke("#8a3d00", 1.1)

GAP_FREE: Final = "#bfe0f5"
"""Ground of a gap that stays open, in the pictures of a piece."""

GAP_SPLIT: Final = "#f0cfe2"
GAP_SPLIT_HATCH: Final = Stroke("#8c1d5b", 1.1)
"""A gap that begins under the limit of Solid and ends over it: crossed hatching."""

STOREYS: Final = ("#d3ead9", "#3f9c8d")
"""Floors of a piece: pale for the lowest, dark for the highest."""

LEVELS: Final = {"error": "#b00030", "warning": "#b05a00", "note": "#4d5a66", "ok": "#2f7d4f"}
"""Findings by their level; the level stands beside them in words."""

AREA: Final = "#8fa05a"
AREA_OPACITY: Final = 0.20
AREA_EDGE: Final = Stroke("#66753a", 1.3, (9.0, 3.0, 2.0, 3.0))

RANGE: Final = Stroke("#7a4f8f", 1.3, (3.0, 3.0))
SOLID: Final = Stroke("#8b3e01", 1.2, (10.0, 3.0))
"""The height up to which gaps are closed. No other thing has just this colour, for another theme may set them apart."""

WAY: Final = Stroke("#00796b", 2.8)
"""The way of a move."""

CORE: Final = 0.3
"""Of a way's width, the pale line along its middle, which tells it from a line of sight in grey too."""

WAY_BARRED: Final = Stroke(WAY.colour, WAY.width, (8.0, 5.0))
"""The part of it that may not be gone."""

NO_WAY: Final = Stroke(QUIET, 1.4, (2.0, 4.0))
"""From where a model stands to where it has no way."""

WRONG: Final = "#b00030"
"""The sign of a place where a model may not end, and the reason."""

HEAD: Final = 4.6
"""Half the width of the sign of a climb."""

DISC: Final = 8.0
"""Radius of the disc that it stands on."""

LETTER_DISC: Final = 8.5
"""Radius of the disc that a callout's letter stands in."""

DIMENSION: Final = Stroke(INK, 1.2)
"""A measured length, between the heads of its arrow."""

POINT: Final = 8.0
"""Length of the head of such an arrow."""

RUNG: Final = 4.5
"""Half the length of a ladder's rung."""

HUES: Final = (("#00796c", "#c9e9e3"), ("#6a3d9a", "#e4d8f3"), ("#a35a00", "#f7e0bd"), ("#8c1d5b", "#f4d3e4"))
"""Where a model can end a move: dark where it costs least, pale where most. The ground first, then floor by floor."""

REACH_OPACITY: Final = 0.85


def hue_of(index: int) -> tuple[str, str]:
    """The dark and the pale end of a floor's shades; index: from the lowest, from 0."""
    return HUES[index % len(HUES)]


BAR: Final = Stroke(INK, 0.8)
"""The edges of a scale bar."""

LEADER: Final = Stroke(QUIET, 0.7)
"""From a name to what it names."""

BODY_OPACITY: Final = 0.8
"""Of models from the side, so that one behind another shows."""

MODEL_EDGE: Final = Stroke("#222120", 1.3)
"""Outlines and rims of models. Dark in dark drawings too, for models are pale in all."""

MODEL_RIM: Final = Stroke(MODEL_EDGE.colour, 0.7)


@dataclass(frozen=True, slots=True)
class SideLook:
    """A side's models: a tint, and the number of rims that tells it without colour."""

    fill: str
    rims: int


NAMED: Final = {
    "red": "#e3b0ae", "blue": "#b3c8e2", "green": "#b9d3b0", "yellow": "#efe0a0", "orange": "#f0cfa6",
    "purple": "#d0bce0", "black": "#9a9a9a", "white": "#ffffff", "grey": "#c9c9c9", "gray": "#c9c9c9",
    "attacker": "#e3b0ae", "defender": "#b3c8e2",
}  # fmt: skip
"""Tints of sides that are called by a colour, pale enough for dark text and for the verdict colours on top."""

SIDES: Final = ("#e3b0ae", "#b3c8e2", "#b9d3b0", "#efe0a0", "#d0bce0", "#f0cfa6")
"""Tints of other sides, in the order of the scene."""


def side_look(side: str, index: int) -> SideLook:
    """How the models of a side are drawn; index: its place among the scene's sides, from 0."""
    return SideLook(NAMED.get(side.lower(), SIDES[index % len(SIDES)]), 1 + index)


FONT: Final = "'Source Sans 3', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
TITLE_SIZE: Final = 19.0
HEAD_SIZE: Final = 12.5
TEXT_SIZE: Final = 12.0
SMALL_SIZE: Final = 10.5

PAGE_WIDTH: Final = 680.0
PAGE_MARGIN: Final = 24.0
GAP: Final = 18.0
"""Between the parts of a page."""

MOST_HEIGHT: Final = 760.0
"""A plan is drawn smaller rather than higher than this."""

CLEARANCE: Final = 1.0
"""Inches left free round what a panel shows."""

MOST_SCALE: Final = 48.0
"""Drawing units to the inch, at most, so that a small scene does not fill the page with one base."""

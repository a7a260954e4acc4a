"""Inch and millimetre, and every tolerance with its reason. No other file holds a bare epsilon.

All lengths inside deadground are inches.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "ARC_ERROR",
    "EDGE",
    "END",
    "FLATNESS",
    "LINE_WIDTH_MM",
    "MM_PER_INCH",
    "PARALLEL",
    "PLANE",
    "SNAP",
    "TOUCH",
    "WIDTH_SLACK",
    "at_or_below",
    "inches",
    "millimetres",
]

MM_PER_INCH: Final = 25.4

LINE_WIDTH_MM: Final = 1.0
"""Width of a line of sight (core rules 06.01)."""

TOUCH: Final = 0.001
"""Inches. Things closer than this touch: such a line does not cross an edge, such a base does not overhang."""

SNAP: Final = 0.05
"""Inches. A model's third coordinate this close to a surface means that surface."""

END: Final = 1e-4
"""Inches cut from both ends of a segment before casting, so that a surface it starts on does not count as crossed."""

EDGE: Final = 1e-5
"""Inches. float32 casting is not to be believed this close to an edge (coordinates under 100 inches are good to 4e-6)."""

WIDTH_SLACK: Final = 1e-5
"""Inches. A witness keeps half a line's width less this; a proof grows blockers by exactly as much, so the two never contradict."""

FLATNESS: Final = 5e-6
"""Inches. Triangles this close to one plane are one facet: twice what float32 files leave of a 20 inch piece, half of `WIDTH_SLACK`."""

ARC_ERROR: Final = 5e-4
"""Inches. The most a polygon standing for a round base may differ from it: half of what counts as touching."""

PARALLEL: Final = 1e-12
"""Relative. Below this share of the product of lengths, double precision cannot tell a crossing from a parallel."""

PLANE: Final = 1e-6
"""Inches. Triangles whose corners lie this close to one plane are one facet: a tenth of `WIDTH_SLACK`."""

_FLOAT: Final = 1e-9
"""Inches. What adding and turning double-precision coordinates of a table may leave."""


def inches(value: float, unit: str) -> float:
    """`value` given in "in" or "mm", in inches."""
    return value if unit == "in" else value / MM_PER_INCH


def millimetres(value: float) -> float:
    """Inches to millimetres."""
    return value * MM_PER_INCH


def at_or_below(height: float, limit: float) -> bool:
    """Whether a height counts as at or below a limit: closer than `TOUCH` above it is at it (3.0009 is, 3.001 is not)."""
    return height < limit + TOUCH - _FLOAT

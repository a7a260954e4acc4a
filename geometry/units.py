"""Inch and millimetre, and every tolerance with its reason. No other file holds a bare epsilon.

All lengths inside deadground are inches.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "ADVANCE",
    "ARC_ERROR",
    "ATTACHED",
    "BROAD",
    "CORE_APART",
    "CORE_LEAST",
    "CROSSING",
    "EDGE",
    "END",
    "FLATNESS",
    "FLATTENED",
    "FOOT",
    "FRAME_REACH",
    "GAP_CRACK",
    "GAP_GROUND",
    "GAP_LEAST",
    "GAP_PIXEL",
    "GAP_SIDE",
    "GAP_STEP",
    "GRID",
    "HEAD_SPACE",
    "LAP",
    "LEAST_PART_MM",
    "LEVEL",
    "LINE_WIDTH_MM",
    "LOOK",
    "MM_PER_INCH",
    "NARROW",
    "PARALLEL",
    "PATCHED",
    "PLANE",
    "PLANE_SLACK",
    "RESTING",
    "ROUGH",
    "ROUGHEST",
    "SEAM",
    "SETTLED",
    "SIDE",
    "SLAB_BIN",
    "SLAB_DEPTHS",
    "SNAP",
    "STEEPEST",
    "STOREY",
    "TERRACE",
    "THIN",
    "TIE",
    "TOUCH",
    "UNCHANGED",
    "UNCHANGED_ROUGH",
    "UPRIGHT",
    "WAY_SLACK",
    "WELD",
    "WIDTH_SLACK",
    "at_or_below",
    "inches",
    "millimetres",
]

MM_PER_INCH: Final = 25.4

LINE_WIDTH_MM: Final = 1.0
"""Width of a line of sight (core rules 06.01)."""

LEAST_PART_MM: Final = 0.05
"""The smallest part that may be asked for: two touches across. The work grows without end with smaller ones."""

TOUCH: Final = 0.001
"""Inches. Things closer than this touch: such a line does not cross an edge, such a base does not overhang."""

SNAP: Final = 0.05
"""Inches. A model's third coordinate this close to a surface means that surface."""

UPRIGHT: Final = 1e-6
"""Upward part of a unit normal. A triangle with less is upright: seen from above it covers nothing but noise."""

WAY_SLACK: Final = TOUCH / 2
"""Inches by which obstacles on a way shrink, so that a base slides along them: with ARC_ERROR, a touch at most."""

TERRACE: Final = 0.125
"""Inches. Ways over slopes are searched on terraces this high; what they cost is then counted on the slope itself."""

STEEPEST: Final = 0.5
"""Upward part of a unit normal (cosine of 60 degrees). Nothing stands on a surface steeper than that; it is a wall."""

END: Final = 1e-4
"""Inches cut from both ends of a segment before casting, so that a surface it starts on does not count as crossed."""

ADVANCE: Final = 2e-5
"""Inches. A step past a surface that does not count, before casting on: more than float32 may be off."""

EDGE: Final = 1e-5
"""Inches. float32 casting is not to be believed this close to an edge (coordinates under 100 inches are good to
4e-6)."""

WIDTH_SLACK: Final = 1e-5
"""Inches. A witness keeps half a line's width less this; a proof grows blockers by exactly as much, so the two
never contradict."""

FLATNESS: Final = 5e-6
"""Inches. What float32 files leave of a plane in a piece 20 inches long, twice over; half of `WIDTH_SLACK`."""

LAP: Final = 1e-6
"""Inches by which parts that only touch are made to overlap before they are united: well over rounding, far below
`TOUCH`."""

WELD: Final = 1e-9
"""Inches. Corners of built parts are kept on a grid this fine, and united solids are tidied by as much, so that
rounding parts nothing."""

ARC_ERROR: Final = 5e-4
"""Inches. The most a polygon standing for a round base may differ from it: half of what counts as touching."""

PARALLEL: Final = 1e-12
"""Relative. Below this share of the product of lengths, double precision cannot tell a crossing from a parallel."""

TIE: Final = 1e-6
"""Relative. Figures of a histogram this close to its highest tie with it: a choice must not hang on the last digit."""

PLANE: Final = 5e-6
"""Inches. Triangles whose corners lie this close to one plane are one facet: half of `WIDTH_SLACK`, float32 needs
it."""

PLANE_SLACK: Final = 1e-7
"""Inches. A line joined to corners in the plane is held against terrain smaller by this: rounding cannot undo it."""

GRID: Final = 1e-9
"""Inches. The grid to which overlays of many slivers are snapped. Without one they may silently lose a polygon."""

LOOK: Final = 1e-9
"""Radians. Looks closer in direction are one: they part by less than `PLANE_SLACK` on a table, and could slip through a
corner."""

SLAB_DEPTHS: Final = (5 / MM_PER_INCH, 13 / MM_PER_INCH, 26 / MM_PER_INCH)
"""Inches. Depths of the slabs searched for walls: thin enough to leave out what stands behind a window, and the
thickest wall."""

SLAB_BIN: Final = 1 / MM_PER_INCH
"""Inches. The step in which slabs are placed: below the thinnest wall that prints well."""

GAP_PIXEL: Final = 0.5 / MM_PER_INCH
"""Inches. The raster on which gaps are looked for: a gap that lets a line of sight through covers a pixel."""

GAP_LEAST: Final = 0.8 / MM_PER_INCH
"""Inches. A gap into which no circle this wide fits is a crack or a pinhole: a line of sight is 1 mm wide."""

GAP_SIDE: Final = 0.5 / MM_PER_INCH
"""Inches to both sides of a wall that must be free too, so that a relief or a sheet lying on it closes its gap."""

FRAME_REACH: Final = 4 / MM_PER_INCH
"""Inches by which a window's frame or sill may stand out of the slab in which its wall was found."""

GAP_GROUND: Final = 0.1 / MM_PER_INCH
"""Inches. What ends this close to the ground stands on it."""

SIDE: Final = 1e-9
"""Inches. Points must be this far from a plane to lie on a side of it: rounding of double-precision table
coordinates."""

CORE_APART: Final = 0.2 / MM_PER_INCH
"""Inches. Sheets of a wall closer than this are one: no printed wall is thinner, and a second core so near proves
nothing."""

CORE_LEAST: Final = 0.1
"""Square inches. A smaller section proves too little for what it costs."""

GAP_STEP: Final = 0.1 / MM_PER_INCH
"""Inches. Rays this far apart outline a gap of a mesh that is not closed: a fifth of what its heights may be off."""

GAP_CRACK: Final = 1.6 / MM_PER_INCH
"""Inches. What is narrower on a rough mesh is taken for a crack between its triangles."""

FOOT: Final = 1.5 / MM_PER_INCH
"""Inches. How ragged the foot of a rough mesh may be: what ends this close above its ground stands on it."""

LEVEL: Final = 0.3
"""Degrees. Tilts below this are not levelled: 0.5 mm on 100 mm."""

ROUGH: Final = 0.02 / MM_PER_INCH
"""Inches. Noise above this makes a mesh a rough one, where cracks are closed and the ground is where most of its foot
is."""

ROUGHEST: Final = 1 / MM_PER_INCH
"""Inches. More than this is shape, not noise."""

BROAD: Final = 8 / MM_PER_INCH
"""Inches. A foot whose material spreads less than this (standard deviation) in some direction does not tell the
level."""

THIN: Final = 1 / MM_PER_INCH
"""Inches. Walls thinner than this break, or come out of no printer; narrower gaps let no line of sight through."""

NARROW: Final = 0.05 / MM_PER_INCH
"""Inches. Faces this close that look at each other are one seam, not a gap."""

CROSSING: Final = 0.02 / MM_PER_INCH
"""Inches. A surface that runs this deep into another one crosses it; less is how parts that touch are modelled."""

ATTACHED: Final = 0.2 / MM_PER_INCH
"""Inches. Bodies closer than this hold together: a printer melts them into one."""

PATCHED: Final = 25 / MM_PER_INCH**2
"""Square inches. A smaller hole in a scanned floor is missing triangles, not a hole."""

HEAD_SPACE: Final = 1.0
"""Inches. A floor with less than this above it is a shelf: no model of 28 mm stands there."""

STOREY: Final = 1.0
"""Inches. A lower floor is the ground floor, a plinth or a crate, not a storey."""

SEAM: Final = 0.01 / MM_PER_INCH
"""Inches. Corners this close are one when a piece is mended: files round, and no printer shows as little."""

FLATTENED: Final = 0.02 / MM_PER_INCH
"""Inches. A foot this near to the ground lies on it: turning and storing a piece moves it by less."""

UNCHANGED: Final = 0.2 / MM_PER_INCH
"""Inches. How far a sill, a head, a width or a floor of a clean piece may move by mending and still be the same."""

UNCHANGED_ROUGH: Final = 1.0 / MM_PER_INCH
"""Inches. The same on a rough piece, whose gaps are told to no more than that."""

SETTLED: Final = 1e-7
"""Inches, radians and shares. A fit that moves by less from one round to the next has come to rest."""

RESTING: Final = 1e-5
"""Inches. A first fit that moves by less is near enough for the last steps."""

_FLOAT: Final = 1e-9
"""Inches. What adding and turning double-precision coordinates of a table may leave."""


def inches(value: float, unit: str) -> float:
    """`value` given in "in" or "mm", in inches."""
    return value if unit == "in" else value / MM_PER_INCH


def millimetres(value: float) -> float:
    """Inches to millimetres."""
    return value * MM_PER_INCH


def at_or_below(height: float, limit: float) -> bool:
    """Whether a height counts as at or below a limit: closer than `TOUCH` above is at it (3.0009 is, 3.001 is not)."""
    return height < limit + TOUCH - _FLOAT

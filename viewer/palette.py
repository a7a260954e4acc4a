"""Colours of the 3D pictures, on top of the theme that all drawings share."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from types import MappingProxyType

from deadground.viewer import theme
from deadground.viewer.things import Look

__all__ = ["CLASSIC", "DARK", "DEFAULT", "PALETTES", "Palette", "in_palette"]


@dataclass(frozen=True, slots=True)
class Palette:
    """Every colour of a picture, "#rrggbb"."""

    paper: str = theme.PAPER
    ink: str = theme.INK
    quiet: str = theme.QUIET
    ground: str = "#f6f3ec"
    grid: str = "#dfdacd"
    terrain: str = "#e6e0d4"
    light_terrain: str = "#e8d9ba"
    exposed_terrain: str = "#dbe0cb"
    cut: str = theme.CUT
    edge: str = "#37332c"
    base: str = "#3b3a38"
    area: str = theme.AREA
    area_edge: str = theme.AREA_EDGE.colour
    clear: str = theme.CLEAR.colour
    blocked: str = theme.BLOCKED.colour
    closed: str = theme.GAP_CLOSED
    closed_edge: str = theme.GAP_HATCH.colour
    range: str = theme.RANGE.colour
    sheet: str = theme.SOLID.colour
    way: str = theme.WAY.colour
    wrong: str = theme.WRONG

    def line(self, *, clear: bool) -> Look:
        """A line of sight: blue and unbroken, or vermillion and dashed; never told by its colour alone."""
        if clear:
            return Look(self.clear, width=3.0, casing=self.ink, ghost=0.45)
        return Look(self.blocked, width=3.0, dash=(9.0, 5.5), casing=self.ink, ghost=0.45)


DEFAULT = Palette()
CLASSIC = Palette(ground="#eaeddf", grid="#d5dac6", clear="#1a8a3a", blocked="#c8102e")
"""Green and red, as many rulebooks print it; the dash and the cross still tell the two apart."""
DARK = Palette(
    paper="#17191c", ink="#f2f0ea", quiet="#b9b5aa", ground="#2b2e33", grid="#3b3f45", terrain="#8d8b86",
    light_terrain="#98896a", exposed_terrain="#7f8a70", cut="#d8d3c8", edge="#0b0c0d", base="#0f0f10",
    area_edge="#b6cc7a", clear="#4fb3f0", blocked="#ff8a3c", closed_edge="#5a2800", range="#c79be0", sheet="#ffb083",
    way="#5fd3bf", wrong="#ff7a8a",
)  # fmt: skip
PALETTES = MappingProxyType({"default": DEFAULT, "classic": CLASSIC, "dark": DARK})


def in_palette(look: Look, palette: Palette) -> Look:
    """A look in the usual colours, in those of a palette."""
    usual = {getattr(DEFAULT, field.name): getattr(palette, field.name) for field in fields(Palette)}
    rim, edge, core = (None if c is None else usual.get(c, c) for c in (look.casing, look.edge, look.core))
    return replace(look, colour=usual.get(look.colour, look.colour), casing=rim, edge=edge, core=core)

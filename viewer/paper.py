"""How large a figure is, how finely it is drawn, and in which colours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from deadground.geometry.errors import InputError
from deadground.viewer.palette import DEFAULT, PALETTES, Palette

__all__ = ["PLAIN", "Paper", "paper_of"]

LEAST: Final = 100
MOST: Final = 8000
"""Pixels of a side; more would take gigabytes."""
SLIMMEST: Final = 3
"""A page with title and legend that is slimmer has no room for a picture."""
DPI: Final = (30, 2400)


@dataclass(frozen=True, slots=True)
class Paper:
    """A sheet to draw on.

    width, height : pixels; dpi : how many of them make an inch on paper; fine : soft shadows too
    """

    width: int = 1600
    height: int = 1000
    dpi: int = 200
    palette: Palette = DEFAULT
    fine: bool = False

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.width / self.height


PLAIN: Final = Paper()


def paper_of(size: str = "1600x1000", dpi: int = 200, theme: str = "default", quality: str = "normal") -> Paper:
    """A paper as it is asked for on the command line. InputError for what cannot be."""
    found = re.fullmatch(r"(\d{1,6})\s*[x×,]\s*(\d{1,6})", size.strip().lower())
    sides = [int(part) for part in found.groups()] if found else []
    if not sides or not all(LEAST <= side <= MOST for side in sides):
        raise InputError("--size", "", f"expected WIDTHxHEIGHT from {LEAST} to {MOST} pixels, found {size!r}")
    if max(sides) > SLIMMEST * min(sides):
        raise InputError("--size", "", f"expected one side at most {SLIMMEST} times the other, found {size!r}")
    if not DPI[0] <= dpi <= DPI[1]:
        raise InputError("--dpi", "", f"expected {DPI[0]} to {DPI[1]}, found {dpi}")
    if theme not in PALETTES:
        raise InputError("--theme", "", f"expected one of {', '.join(PALETTES)}, found {theme!r}")
    if quality not in ("normal", "high"):
        raise InputError("--quality", "", f"expected normal or high, found {quality!r}")
    return Paper(sides[0], sides[1], dpi, PALETTES[theme], quality == "high")

"""What `deadground inspect` is asked: how files are to be read, and what is to be written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from deadground.geometry.errors import InputError
from deadground.geometry.units import MM_PER_INCH
from deadground.viewer.looked import Asked
from deadground.viewer.piece_sheet import SHEETS

__all__ = ["AS_IT_IS", "NOTHING", "Reading", "Writing"]

PAGES: Final = (".html", ".htm")
"""Endings of pages."""

_HEIGHT = re.compile(r'\s*(\d+(?:\.\d+)?)\s*(in|mm|cm|"|″)\s*')


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Reading:
    """How files are to be read."""

    units: Annotated[
        str | None, Parameter(help="The files' unit: mm, cm, m or in. STL, OBJ and PLY files do not say theirs.")
    ] = None
    up: Annotated[
        str | None,
        Parameter(
            allow_leading_hyphen=True, help="The files' upward axis: x, y, z or -x, -y, -z. Normally z; y in a GLB."
        ),
    ] = None
    scale: Annotated[float, Parameter(help="Multiply all sizes by this as well.")] = 1.0
    fit_height: Annotated[
        str | None, Parameter(help='Scale each piece to this height instead: "3in", "76mm". No units are needed then.')
    ] = None
    limit: Annotated[float, Parameter(help="Height in inches up to which Solid closes gaps.")] = 3.0

    @property
    def asked(self) -> Asked:
        """The same as values. InputError for what cannot be."""
        if not 0 < self.limit <= MM_PER_INCH:
            raise InputError("", "--limit", f"expected inches above 0, found {self.limit:g}")
        if self.fit_height is not None and (self.units is not None or self.scale != 1.0):
            raise InputError("", "--fit-height", "expected alone: it stands in place of --units and --scale")
        height = None if self.fit_height is None else _height(self.fit_height)
        return Asked(self.units, self.up and self.up.lower(), self.scale, height, self.limit)


AS_IT_IS: Final = Reading()


def _height(text: str) -> float:
    found = _HEIGHT.fullmatch(text)
    value = float(found[1]) if found else 0.0
    if not found or not value:
        raise InputError("", "--fit-height", f'expected a height such as "3in" or "76mm", found {text[:40]!r}')
    return value / {"mm": MM_PER_INCH, "cm": MM_PER_INCH / 10}.get(found[2], 1.0)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Writing:
    """What is written beside what is printed."""

    html: Annotated[
        Path | None,
        Parameter(help="Write a page too, with pictures, tables and the piece to turn: one file, no network."),
    ] = None
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="Write the pictures alone: one piece, as .png or .svg.")
    ] = None

    def check(self, *, alone: bool) -> None:
        """InputError, before anything is looked at, for what cannot be written. alone : one file is looked at."""
        if self.output is not None and not alone:
            raise InputError("", "--output", "expected one mesh file: of several, --html has all pictures")
        if self.output is not None and self.output.suffix.lower() not in SHEETS:
            found = self.output.name[:60]
            raise InputError("", "--output", f"expected a file that ends in {' or '.join(SHEETS)}, found {found!r}")
        if self.html is not None and self.html.suffix.lower() not in PAGES:
            raise InputError("", "--html", f"expected a file that ends in .html, found {self.html.name[:60]!r}")


NOTHING: Final = Writing()

"""Contact sheets: many figures on one page, in colour, in grey, as colour-blind readers see them, and small."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw

from deadground.viewer import theme
from deadground.viewer.colour_vision import EYES, seen_by
from deadground.viewer.files import write_bytes, write_text
from deadground.viewer.paper import PLAIN
from deadground.viewer.picture import font, png
from deadground.viewer.svg import Element, document, element, text

__all__ = ["Tile", "size_of", "write_sheets"]

NAME: Final = "contact-sheet"
WIDE: Final = 640
"""Pixels that a figure is wide on a sheet."""
SMALL: Final = 400
"""Pixels that it is wide on the sheet which shows whether it can still be read on a phone."""
ACROSS: Final = 1920
"""Pixels of a sheet, without its margins."""
MARGIN: Final = 24
HEADING: Final = 64
CAPTION: Final = 26
LETTERS: Final = 15
LARGE: Final = 30


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure on a sheet. size : its own width and height, in any unit."""

    chapter: str
    name: str
    file: Path
    size: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where something stands on a sheet, in pixels. tile : None for a chapter's heading."""

    left: float
    top: float
    wide: float
    high: float
    words: str
    tile: Tile | None = None


def write_sheets(tiles: Sequence[Tile], folder: Path) -> Iterator[Path]:
    """Write the contact sheets of figures that are all PNG, or all SVG, and give each file's path when it is there.

    Of PNG figures the sheets are PNG, of SVG ones SVG. InputError where one cannot be written.
    """
    if not tiles:
        return
    write = _write_pixels if tiles[0].file.suffix == ".png" else _write_vectors
    wide, small = laid_out(tiles, WIDE), laid_out(tiles, SMALL)
    yield write(wide, folder / f"{NAME}{tiles[0].file.suffix}", None)
    for eye in EYES:
        yield write(wide, folder / f"{NAME}-{eye}{tiles[0].file.suffix}", eye)
    yield write(small, folder / f"{NAME}-{SMALL}{tiles[0].file.suffix}", None)


def laid_out(tiles: Sequence[Tile], wide: float) -> tuple[Spot, ...]:
    """Chapter by chapter, row by row, each figure `wide` and as high as it must be, its name beneath."""
    spots: list[Spot] = []
    top = float(MARGIN)
    for chapter in dict.fromkeys(tile.chapter for tile in tiles):
        spots.append(Spot(MARGIN, top, ACROSS, HEADING, chapter))
        top += HEADING
        inside = [tile for tile in tiles if tile.chapter == chapter]
        columns = max(1, round(ACROSS / wide))
        for first in range(0, len(inside), columns):
            row = [_spot(tile, column, top, wide) for column, tile in enumerate(inside[first : first + columns])]
            spots.extend(row)
            top = max(spot.top + spot.high for spot in row) + CAPTION + MARGIN
    return tuple(spots)


def _spot(tile: Tile, column: int, top: float, wide: float) -> Spot:
    high = wide * tile.size[1] / tile.size[0]
    return Spot(MARGIN + column * (wide + MARGIN), top, wide, high, tile.name, tile)


def _extent(spots: Sequence[Spot]) -> tuple[int, int]:
    """Width and height of a sheet."""
    across = max(spot.left + spot.wide for spot in spots if spot.tile) + MARGIN
    return round(across), round(max(spot.top + spot.high for spot in spots) + CAPTION + MARGIN)


def _write_pixels(spots: Sequence[Spot], path: Path, eye: str | None) -> Path:
    sheet = Image.new("RGB", _extent(spots), theme.PAPER)
    pen = ImageDraw.Draw(sheet)
    for spot in spots:
        if spot.tile is None:
            pen.text((spot.left, spot.top + 10), spot.words, fill=theme.INK, font=font(LARGE, bold=True))
            continue
        with Image.open(spot.tile.file) as picture:
            small = picture.convert("RGB").resize((round(spot.wide), round(spot.high)), Image.Resampling.LANCZOS)
        sheet.paste(small, (round(spot.left), round(spot.top)))
        pen.text((spot.left, spot.top + spot.high + 5), spot.words, fill=theme.QUIET, font=font(LETTERS))
    write_bytes(path, png(seen_by(eye, sheet) if eye else sheet, PLAIN))
    return path


def _write_vectors(spots: Sequence[Spot], path: Path, eye: str | None) -> Path:
    shown = element("g", {"filter": f"url(#{eye})" if eye else None}, [_spot_element(spot) for spot in spots])
    extent = _extent(spots)
    ground = element("rect", {"width": "100%", "height": "100%", "fill": theme.PAPER})
    parts = [element("defs", {}, [_filter(eye)]), ground, shown] if eye else [ground, shown]
    names = ", ".join(spot.words for spot in spots if spot.tile)
    write_text(path, document(extent, parts, "Contact sheet", names))
    return path


def _spot_element(spot: Spot) -> Element:
    """A heading; or a figure, whole within the sheet's file, with its name."""
    if spot.tile is None:
        return text((spot.left, spot.top + LARGE), spot.words, size=LARGE, bold=True)
    data = base64.b64encode(spot.tile.file.read_bytes()).decode()
    place = {"x": spot.left, "y": spot.top, "width": spot.wide, "height": spot.high}
    picture = element("image", {**place, "href": f"data:image/svg+xml;base64,{data}"})
    name = text((spot.left, spot.top + spot.high + LETTERS + 3), spot.words, size=LETTERS, colour=theme.QUIET)
    return element("g", {}, [picture, name])


def _filter(eye: str) -> Element:
    """The same simulation, done by whoever shows the file."""
    rows = " ".join(f"{' '.join(str(part) for part in row)} 0 0" for row in EYES[eye])
    matrix = element("feColorMatrix", {"type": "matrix", "values": f"{rows} 0 0 0 1 0"})
    return element("filter", {"id": eye, "color-interpolation-filters": "linearRGB"}, [matrix])


def size_of(file: Path) -> tuple[float, float]:
    """Width and height of a figure's file: pixels of a PNG, units of one of our SVG files."""
    if file.suffix == ".png":
        with Image.open(file) as picture:
            return picture.size
    head = file.read_text(encoding="utf-8")[:2000]
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', head)
    return (float(found[1]), float(found[2])) if found else (1.0, 1.0)

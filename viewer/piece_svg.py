"""The pictures of a piece as files: one drawing as SVG, and a sheet of all of them as SVG or PNG."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import shapely
from PIL import Image

from deadground.viewer import theme
from deadground.viewer.lettering import text_width, wrapped
from deadground.viewer.marks import Blot, Group, Text
from deadground.viewer.parts import group_elements, part_element
from deadground.viewer.picture import blot, write
from deadground.viewer.piece_marks import Drawing, swatch
from deadground.viewer.piece_views import STAINS, Picture, stain_of
from deadground.viewer.svg import Element, document, element, group

__all__ = [
    "LEGEND",
    "Leaf",
    "drawing_element",
    "leaf",
    "leaf_png",
    "leaf_svg",
    "legend_element",
    "picture_data",
    "picture_element",
]

COLOURS: Final = 64
"""Of a picture in a file: it has few, and a file with few is small."""
WIDTH: Final = 1180.0
"""Drawing units across of a sheet."""
MARGIN: Final = 26.0
SPACE: Final = 22.0
HEADING: Final = 20.0
ROW: Final = 20.0

LEGEND: Final = (
    ("closed", "closed by Solid", stain_of("closed", sure=True)),
    ("open", "stays open", STAINS["open"]),
    ("straddles", "straddles the limit", STAINS["straddles"]),
    ("possible", "possible gap (dotted)", stain_of("open", sure=False)),
)
"""Of the states of gaps: key, words, look."""


def picture_data(image: Image.Image) -> str:
    """A picture as an address that holds it."""
    out = io.BytesIO()
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(out, format="PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(out.getvalue()).decode()}"


def drawing_element(shown: Drawing) -> Element:
    """A drawing by itself, for a page. It carries no ids: there may be many on one."""
    width, height = shown.size
    attributes: dict[str, str | float | None] = {
        "class": "view", "viewBox": f"0 0 {width:g} {height:g}", "width": width, "height": height, "role": "img",
        "aria-label": shown.words,
    }  # fmt: skip
    parts = [part_element(part) for marks in shown.groups for part in marks.parts]
    return element("svg", attributes, [_image(shown, (0.0, 0.0)), *parts])


def picture_element(picture: Picture) -> Element:
    """A picture without any marks, for a row of many: the words beside it say what it shows."""
    width, height = picture.aspect.size
    attributes: dict[str, str | float | None] = {
        "class": "view", "viewBox": f"0 0 {width:g} {height:g}", "width": width, "height": height,
        "aria-hidden": "true",
    }  # fmt: skip
    return element("svg", attributes, [_placed(picture, (0.0, 0.0))])


def _image(shown: Drawing, at: tuple[float, float]) -> Element:
    return _placed(shown.picture, (at[0] + shown.at[0], at[1] + shown.at[1]))


def _placed(picture: Picture, at: tuple[float, float]) -> Element:
    width, height = picture.aspect.size
    values: dict[str, str | float | None] = {
        "x": at[0], "y": at[1], "width": width, "height": height, "href": picture_data(picture.image),
    }  # fmt: skip
    return element("image", values)


def legend_element(parts: Sequence[Blot], width: float = 26.0, height: float = 15.0) -> Element:
    """A sample for a legend."""
    values: dict[str, str | float | None] = {
        "class": "swatch", "viewBox": f"0 0 {width:g} {height:g}", "width": width, "height": height,
        "aria-hidden": "true",
    }  # fmt: skip
    return element("svg", values, [part_element(part) for part in parts])


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A sheet of drawings. shown : each with its place; groups : what is written beside them."""

    size: tuple[float, float]
    title: str
    words: str
    shown: tuple[tuple[Drawing, tuple[float, float]], ...]
    groups: tuple[Group, ...]


def leaf(title: str, words: str, drawings: Sequence[Drawing]) -> Leaf:
    """All drawings on one sheet, in rows, under a title and a sentence, with a legend."""
    lines = wrapped(words, WIDTH - 2 * MARGIN)
    top = MARGIN + 30 + ROW * len(lines)
    places, foot = _rows(drawings, top)
    heading = [Text((MARGIN, MARGIN + 18), title, theme.TITLE_SIZE, theme.INK, bold=True)]
    heading += [Text((MARGIN, MARGIN + 40 + ROW * k), line, theme.TEXT_SIZE, theme.INK) for k, line in enumerate(lines)]
    titles = [
        Text((x + 2, y - 6), each.aspect.title, theme.HEAD_SIZE, theme.INK, bold=True)
        for each, (x, y) in zip(drawings, places, strict=True)
    ]
    groups = (Group("heading", words, tuple(heading)), Group("titles", "", tuple(titles)), *_legend(foot))
    return Leaf((WIDTH, foot + ROW + MARGIN), title, words, tuple(zip(drawings, places, strict=True)), groups)


def _rows(drawings: Sequence[Drawing], top: float) -> tuple[list[tuple[float, float]], float]:
    """Where each drawing goes, row by row; and where the last row ends."""
    places, x, y, deep = [], MARGIN, top, 0.0
    for each in drawings:
        width, height = each.size
        if x > MARGIN and x + width > WIDTH - MARGIN:
            x, y, deep = MARGIN, y + deep + SPACE, 0.0
        places.append((x, y + HEADING))
        x, deep = x + width + SPACE, max(deep, height + HEADING)
    return places, y + deep + SPACE


def _legend(top: float) -> Iterator[Group]:
    x = MARGIN
    for key, words, stain in LEGEND:
        yield Group(f"legend-{key}", "", tuple(_moved(swatch(stain), x, top)))
        yield Group(f"legend-{key} words", "", (Text((x + 34, top + 12), words, theme.TEXT_SIZE, theme.INK),))
        x += 34 + text_width(words) + 26


def _moved(parts: Sequence[Blot | Text], x: float, y: float) -> Iterator[Blot | Text]:
    for part in parts:
        if isinstance(part, Text):
            at = part.at[0] + x, part.at[1] + y
            yield Text(at, part.words, part.size, part.colour, part.bold, part.halo)
        else:
            yield Blot(shapely.transform(part.shape, lambda flat: flat + [x, y]), part.colour, part.opacity)


def _groups(sheet: Leaf) -> Iterator[Group]:
    """Everything but the pictures."""
    yield from sheet.groups
    for each, (x, y) in sheet.shown:
        for marks in each.groups:
            yield Group(f"{each.aspect.name}-{marks.name}", marks.words, tuple(_moved(marks.parts, x, y)))


def leaf_svg(sheet: Leaf) -> str:
    """The sheet as an SVG file."""
    pictures = [group(f"picture-{each.aspect.name}", [_image(each, at)]) for each, at in sheet.shown]
    paper = element("rect", {"id": "paper", "width": "100%", "height": "100%", "fill": theme.PAPER})
    return document(sheet.size, [paper, *pictures, *group_elements(list(_groups(sheet)))], sheet.title, sheet.words)


def leaf_png(sheet: Leaf, fine: float) -> Image.Image:
    """The sheet as a picture, `fine` points to the drawing unit."""
    paper = Image.new("RGB", (round(sheet.size[0] * fine), round(sheet.size[1] * fine)), theme.PAPER)
    for each, (x, y) in sheet.shown:
        size = tuple(round(side * fine) for side in each.aspect.size)
        image = each.picture.image.resize((size[0], size[1]), Image.Resampling.LANCZOS)
        paper.paste(image, (round((x + each.at[0]) * fine), round((y + each.at[1]) * fine)))
    for marks in _groups(sheet):
        for part in marks.parts:
            if isinstance(part, Blot):
                blot(paper, part, fine)
            else:
                write(paper, part, fine)
    return paper

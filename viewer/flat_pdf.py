"""A vector drawing as a page of PDF: what its elements say, drawn again as shapes, strokes and true text.

It knows as much of SVG as `svg` writes: groups with a clip or an opacity, boxes, paths of straight strokes, discs,
ovals, one hatching and lines of text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure as Canvas
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Ellipse, Patch, PathPatch
from matplotlib.path import Path as Outline
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Bbox, TransformedBbox

from deadground.geometry.plates import Array
from deadground.viewer.picture import font_file
from deadground.viewer.svg import Element

__all__ = ["canvas_of", "strokes_of"]

POINTS: Final = 72.0
"""Of an inch of paper."""
ANCHORS: Final = {"start": "left", "middle": "center", "end": "right"}
HATCH: Final = "url(#"
"""How a fill begins that is a pattern."""
_WORD: Final = re.compile(r"[A-Za-z]|-?[\d.]+")
_NUMBER: Final = re.compile(r"-?[\d.]+")


@dataclass(frozen=True, slots=True)
class Pen:
    """What holds for the elements inside a group.

    scale : points to a drawing unit; clip : the box of the page that may be drawn on; opacity : of fills
    known : id -> clipping path or pattern
    """

    axes: Axes
    scale: float
    known: Mapping[str, Element]
    clip: Bbox | None = None
    opacity: float = 1.0


def canvas_of(drawing: Element, inches: float) -> Canvas:
    """A page that wide, as high as the drawing needs it, with all of the drawing on it."""
    width, height = (float(_of(drawing)[key]) for key in ("width", "height"))
    canvas = Canvas(figsize=(inches, inches * height / width))
    FigureCanvasPdf(canvas)
    axes = canvas.add_axes((0, 0, 1, 1))
    axes.axis("off")
    axes.set(xlim=(0, width), ylim=(height, 0))
    known = {_of(each)["id"]: each for part in drawing.children if part.name == "defs" for each in part.children}
    _draw(Pen(axes, inches * POINTS / width, known), drawing)
    return canvas


def _of(node: Element) -> dict[str, str]:
    return dict(node.attributes)


def _draw(pen: Pen, node: Element) -> None:
    """An element and those in it, in their order."""
    if node.name in ("svg", "g"):
        inside = _inside(pen, _of(node))
        for child in node.children:
            _draw(inside, child)
    elif node.name == "text":
        _letter(pen, _of(node), node.text)
    elif node.name not in ("defs", "title", "desc"):
        _fill_and_stroke(pen, _of(node), _outline(pen, node))


def _inside(pen: Pen, look: Mapping[str, str]) -> Pen:
    clip = look.get("clip-path")
    if clip is not None:
        (box,) = pen.known[clip.removeprefix("url(#").removesuffix(")")].children
        left, top, width, height = (float(_of(box)[key]) for key in ("x", "y", "width", "height"))
        pen = replace(pen, clip=Bbox.from_bounds(left, top, width, height))
    return replace(pen, opacity=pen.opacity * float(look.get("fill-opacity", 1)))


def _outline(pen: Pen, node: Element) -> Patch:
    """The shape of an element, not yet coloured."""
    look = _of(node)
    if node.name in ("circle", "ellipse"):
        across, along = (2 * float(look.get(key, look.get("r", 0))) for key in ("rx", "ry"))
        turn = _NUMBER.search(look.get("transform", ""))
        at = float(look["cx"]), float(look["cy"])
        return Ellipse(at, across, along, angle=float(turn[0]) if turn else 0.0)
    if node.name == "rect":
        return PathPatch(_box(pen, look))
    if node.name == "polyline":
        return PathPatch(Outline(_numbers(look["points"])))
    if node.name == "path":
        return PathPatch(_whole(strokes_of(look["d"]), even_odd=look.get("fill-rule") == "evenodd"))
    raise ValueError(f"a drawing holds an element that a page cannot: {node.name}")


def _box(pen: Pen, look: Mapping[str, str]) -> Outline:
    """A rectangle; one of 100% is the page."""
    size = pen.axes.get_xlim()[1], pen.axes.get_ylim()[0]
    across, along = (
        full if look[key] == "100%" else float(look[key]) for key, full in zip(("width", "height"), size, strict=True)
    )
    left, top = float(look.get("x", 0)), float(look.get("y", 0))
    corners = [(left, top), (left + across, top), (left + across, top + along), (left, top + along), (left, top)]
    return Outline(np.array(corners), closed=True)


def _numbers(words: str) -> Array:
    """(n, 2) points."""
    return np.array([float(word) for word in _NUMBER.findall(words)]).reshape(-1, 2)


def strokes_of(data: str) -> list[tuple[Array, bool]]:
    """The strokes of path data made of M, L, H, V, Z and their small letters: (n, 2) points, closed or not."""
    words = iter(_WORD.findall(data))
    strokes: list[tuple[list[Array], bool]] = []
    command, at, start = "M", np.zeros(2), np.zeros(2)
    for word in words:
        if word in "Zz":
            strokes[-1] = (strokes[-1][0], True)
            at = start
            continue
        command = word if word.isalpha() else command
        at = _moved(command, at, next(words) if word.isalpha() else word, words)
        if command in "Mm":
            start = at
            strokes.append(([at], False))
            command = "L" if command == "M" else "l"
        else:
            strokes[-1][0].append(at)
    return [(np.array(points), closed) for points, closed in strokes]


def _moved(command: str, at: Array, word: str, words: Iterator[str]) -> Array:
    """Where a step of path data leads."""
    back = at if command.islower() else np.zeros(2)
    if command in "Hh":
        return np.array([back[0] + float(word), at[1]])
    if command in "Vv":
        return np.array([at[0], back[1] + float(word)])
    there: Array = back + [float(word), float(next(words))]
    return there


def _whole(strokes: list[tuple[Array, bool]], *, even_odd: bool) -> Outline:
    """All strokes as one outline. A page fills by direction: with even_odd every other ring is turned round."""
    rings = [shapely.Polygon(points) for points, closed in strokes if closed and len(points) > 2] if even_odd else []
    parts = []
    for points, closed in strokes:
        line = np.vstack([points, points[:1]]) if closed else points
        if even_odd and closed and len(points) > 2:
            line = _turned(line, rings)
        parts.append(Outline(line, closed=closed) if len(line) > 1 else Outline(np.vstack([line, line])))
    return Outline.make_compound_path(*parts)


def _turned(line: Array, rings: list[shapely.Polygon]) -> Array:
    """A ring counter-clockwise if an even number of others lies round it, else clockwise."""
    around = shapely.STRtree(rings).query(shapely.Polygon(line), predicate="within")  # the ring itself among them
    return line if shapely.LinearRing(line).is_ccw == (len(around) % 2 == 1) else line[::-1]


def _fill_and_stroke(pen: Pen, look: Mapping[str, str], shape: Patch) -> None:
    """Colour a shape and put it on the page; a hatched one is filled first, then hatched."""
    fill, edge = look.get("fill", "#000000"), look.get("stroke", "none")
    hatch = pen.known[fill.removeprefix(HATCH).removesuffix(")")] if fill.startswith(HATCH) else None
    back = fill if hatch is None else _of(hatch.children[0])["fill"]
    shape.set_facecolor(_colour(back, pen.opacity * float(look.get("fill-opacity", 1))))
    shape.set_edgecolor(_colour(edge, float(look.get("stroke-opacity", 1))))
    shape.set(**_line(pen, look))
    _put(pen, shape)
    if hatch is not None:
        _hatch(pen, shape, hatch)


def _colour(name: str, opacity: float) -> Any:
    return "none" if name == "none" else to_rgba(name, opacity)


def _line(pen: Pen, look: Mapping[str, str]) -> dict[str, Any]:
    """Width, dash, ends and corners of a stroke."""
    width = float(look.get("stroke-width", 1)) if look.get("stroke", "none") != "none" else 0.0
    dash = [float(word) for word in _NUMBER.findall(look.get("stroke-dasharray", ""))]
    style = (0, [part / width for part in dash]) if dash and width else "solid"  # dashes count in widths
    return {
        "linewidth": width * pen.scale, "linestyle": style, "capstyle": look.get("stroke-linecap", "butt"),
        "joinstyle": look.get("stroke-linejoin", "miter"),
    }  # fmt: skip


def _put(pen: Pen, shape: Patch) -> None:
    pen.axes.add_patch(shape)
    shape.set_zorder(1)
    if pen.clip is not None:
        shape.set_clip_box(TransformedBbox(pen.clip, pen.axes.transData))


def _hatch(pen: Pen, shape: Patch, pattern: Element) -> None:
    """Slanting lines within a shape, as far apart as the pattern is wide."""
    step, line = float(_of(pattern)["width"]), _of(pattern.children[1])
    low_x, low_y, high_x, high_y = shape.get_path().get_extents(shape.get_patch_transform()).extents
    run = high_y - low_y
    starts = np.arange(low_x - run, high_x, step * np.sqrt(2))
    lines = LineCollection(
        [[(x, high_y), (x + run, low_y)] for x in starts], colors=line["stroke"],
        linewidths=float(line["stroke-width"]) / 2 * pen.scale, zorder=1,  # the other half lies outside the tile
    )  # fmt: skip
    pen.axes.add_collection(lines, autolim=False)
    lines.set_clip_path(shape)
    if pen.clip is not None:
        lines.set_clip_box(TransformedBbox(pen.clip, pen.axes.transData))


def _letter(pen: Pen, look: Mapping[str, str], words: str) -> None:
    """A line of text; the rim that keeps it readable is its outline, as a shape, under the true text."""
    size = float(look["font-size"]) * pen.scale
    face = FontProperties(fname=str(font_file(bold=look.get("font-weight") == "bold")), size=size)
    at, side = (float(look["x"]), float(look["y"])), ANCHORS[look.get("text-anchor", "start")]
    if "stroke" in look:
        rim = pen.axes.text(*at, words, fontproperties=face, color=look["stroke"], ha=side, parse_math=False, zorder=1)
        width = float(look["stroke-width"]) * pen.scale
        rim.set_path_effects([withStroke(linewidth=width, foreground=look["stroke"])])
    pen.axes.text(*at, words, fontproperties=face, color=look["fill"], ha=side, parse_math=False, zorder=1)

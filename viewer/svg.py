"""SVG as a tree of plain values, written the same way each time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.viewer.theme import FONT, INK, TEXT_SIZE, Stroke

__all__ = [
    "Element",
    "clean",
    "document",
    "element",
    "group",
    "number",
    "outline",
    "path_data",
    "ring_data",
    "root",
    "slug",
    "stroke",
    "text",
    "written",
]

Value = str | float | None

_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot carry, not even escaped."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element: its name, attributes in order, children, and text before them."""

    name: str
    attributes: tuple[tuple[str, str], ...] = ()
    children: tuple[Element, ...] = ()
    text: str = ""

    def __str__(self) -> str:
        return "\n".join(_lines(self, 0))


def _lines(node: Element, depth: int) -> list[str]:
    """The element's lines, two spaces deeper for each level. An element that holds text stays on one line."""
    pad = "  " * depth
    head = "".join(f" {key}={quoteattr(clean(value))}" for key, value in node.attributes)
    if not node.children:
        body = f">{escape(clean(node.text))}</{node.name}>" if node.text else "/>"
        return [f"{pad}<{node.name}{head}{body}"]
    inner = [line for child in node.children for line in _lines(child, depth + 1)]
    return [f"{pad}<{node.name}{head}>", *inner, f"{pad}</{node.name}>"]


def clean(value: str) -> str:
    """A text without what XML cannot carry, which becomes the sign for that."""
    return _FORBIDDEN.sub("\ufffd", value)


def number(value: float) -> str:
    """A coordinate with at most two decimals, never "-0"."""
    rounded = round(float(value), 2) + 0.0
    return f"{rounded:.2f}".rstrip("0").rstrip(".")


def element(
    name: str, attributes: Mapping[str, Value] | None = None, children: Iterable[Element | None] = (), text: str = ""
) -> Element:
    """An element; attributes and children that are None are left out."""
    given = ((key, value) for key, value in (attributes or {}).items() if value is not None)
    pairs = tuple((key, value if isinstance(value, str) else number(value)) for key, value in given)
    return Element(name, pairs, tuple(child for child in children if child is not None), text)


def group(name: str, children: Iterable[Element | None], title: str = "", words: str = "") -> Element:
    """A named group; title and words become its <title> and <desc>."""
    said = [element("title", text=title) if title else None, element("desc", text=words) if words else None]
    return element("g", {"id": name}, [*said, *children])


def slug(*parts: str) -> str:
    """An id that any names make: letters, digits, "-" and "."; anything else as its code, so no two names meet."""
    return "-".join(re.sub("[^A-Za-z0-9.]", lambda found: f"_{ord(found[0]):x}", part) for part in parts)


def stroke(look: Stroke, fill: str = "none", *, wider: float = 0.0) -> dict[str, Value]:
    """Attributes of a line of that look."""
    dash = " ".join(number(part) for part in look.dash) or None
    return {"fill": fill, "stroke": look.colour, "stroke-width": look.width + wider, "stroke-dasharray": dash}


def ring_data(points: Iterable[Iterable[float]], *, closed: bool = True) -> str:
    """Path data through points that are in drawing units."""
    steps = [" ".join(number(value) for value in point) for point in points]
    return f"M{' L'.join(steps)}{' Z' if closed else ''}"


def path_data(shape: BaseGeometry) -> str:
    """Path data of a polygon, or many, in drawing units; draw it with the even-odd rule."""
    parts = [part for part in shapely.get_parts(shape) if isinstance(part, shapely.Polygon) and not part.is_empty]
    rings = [ring for part in parts for ring in (part.exterior, *part.interiors)]
    return " ".join(ring_data(np.asarray(ring.coords)[:-1, :2]) for ring in rings)


def outline(shape: BaseGeometry, look: Stroke, fill: str = "none") -> Element | None:
    """A polygon, or many, in drawing units; None where there is none."""
    data = path_data(shape)
    if not data:
        return None
    return element("path", {"d": data, "fill-rule": "evenodd", **stroke(look, fill), "stroke-linejoin": "round"})


def text(
    at: tuple[float, float], words: str, *, size: float = TEXT_SIZE, colour: str = INK, anchor: str | None = None,
    bold: bool = False, halo: float = 0.0,
) -> Element:  # fmt: skip
    """A line of text, its baseline starting at `at`; halo: width of a white rim that keeps it readable."""
    rim: dict[str, Value] = {}
    if halo:
        rim = {"stroke": "#ffffff", "stroke-width": halo, "stroke-linejoin": "round", "paint-order": "stroke"}
    look: dict[str, Value] = {"font-size": size, "fill": colour, "text-anchor": anchor}
    weight: dict[str, Value] = {"font-weight": "bold" if bold else None}
    return element("text", {"x": at[0], "y": at[1], **look, **weight, **rim}, text=words)


def root(size: tuple[float, float], children: Iterable[Element | None], title: str, words: str) -> Element:
    """The outermost element of a drawing of that size in drawing units."""
    width, height = size
    attributes: dict[str, Value] = {
        "xmlns": "http://www.w3.org/2000/svg", "width": width, "height": height,
        "viewBox": f"0 0 {number(width)} {number(height)}", "font-family": FONT, "role": "img",
        "aria-labelledby": "title desc",
    }  # fmt: skip
    said = [element("title", {"id": "title"}, text=title), element("desc", {"id": "desc"}, text=words)]
    return element("svg", attributes, [*said, *children])


def written(drawing: Element) -> str:
    """A whole SVG file."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{drawing}\n'


def document(size: tuple[float, float], children: Iterable[Element | None], title: str, words: str) -> str:
    """A whole SVG file of that size in drawing units."""
    return written(root(size, children, title, words))

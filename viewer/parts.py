"""Flat shapes and texts of a page as elements of an SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from deadground.viewer.marks import Blot, Group, Text
from deadground.viewer.svg import Element, Value, element, group, path_data, slug, text

__all__ = ["group_elements", "part_element"]

HALO: Final = 0.16
"""Of the rim around a text, times the text's size."""


def group_elements(groups: Sequence[Group]) -> Iterator[Element]:
    """What belongs together, with its words as <desc>, under ids of which no two are alike."""
    used: Counter[str] = Counter()
    for marks in groups:
        name = slug(*marks.name.split("-", 1))
        used[name] += 1
        own = name if used[name] == 1 else f"{name}.{used[name]}"
        yield group(own, [part_element(part) for part in marks.parts], words=marks.words)


def part_element(part: Blot | Text) -> Element | None:
    """A filled shape, or a line of text."""
    if isinstance(part, Text):
        rim = HALO * part.size * 2 if part.halo else 0.0
        anchor = None if part.anchor == "start" else part.anchor
        return text(
            part.at, part.words, size=part.size, colour=part.colour, anchor=anchor, bold=part.bold, halo=rim
        )  # fmt: skip
    data = path_data(part.shape)
    opacity = None if part.opacity == 1 else part.opacity
    look: dict[str, Value] = {"d": data, "fill": part.colour, "fill-rule": "evenodd", "fill-opacity": opacity}
    return element("path", look) if data else None

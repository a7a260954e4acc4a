"""The legend of a picture: one entry for each kind of thing that is really in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import shapely

from deadground.viewer import theme
from deadground.viewer.forms import dashes, hatching
from deadground.viewer.lettering import text_width
from deadground.viewer.marks import Blot, Entry, Group, Page, Text
from deadground.viewer.palette import Palette
from deadground.viewer.signs import sign_blots
from deadground.viewer.things import Look, Mark, Path, Thing

__all__ = ["legend_entries", "legend_height", "legend_marks"]

SWATCH = 34.0
"""Drawing units: width of the sample before a legend's words."""
KEPT = ("way", "reach")
"""Kinds whose entries stay in the order in which they are drawn."""
LINE = "line"
"""What stands in an entry for the sign of a line."""
HATCHED = {"closed-gap": 4.5, "zone": 4.5, "shade": 7.0}
"""Kinds of surfaces that are drawn with slanting lines over them, and the drawing units between those lines."""
ROW = 21.0
SPACE = 26.0
"""Between two entries."""


def legend_entries(things: Sequence[Thing]) -> tuple[Entry, ...]:
    """One entry for each different name among the things that have one, lines first."""
    named = [thing for thing in things if thing.legend]
    entries = {each.legend: Entry(each.kind, each.legend, each.look, sign_of(each)) for each in named}
    order = ("ray", "way", "reach", "ghost", "closed-gap", "open-gap", "range", "sheet", "area")
    ranks = {kind: rank for rank, kind in enumerate(order)}
    by = {e.words: (ranks.get(e.kind, len(order)), "" if e.kind in KEPT else e.words) for e in entries.values()}
    return tuple(sorted(entries.values(), key=lambda entry: by[entry.words]))


def sign_of(thing: Thing) -> str:
    """The sign that stands for it, LINE for a path, "" for a surface."""
    return LINE if isinstance(thing.shape, Path) else thing.shape.sign if isinstance(thing.shape, Mark) else ""


def rows(entries: Sequence[Entry], width: float) -> list[list[tuple[Entry, float]]]:
    """Entries with their left ends, in as many rows as they need."""
    found: list[list[tuple[Entry, float]]] = []
    left = theme.PAGE_MARGIN
    for entry in entries:
        need = SWATCH + 8 + text_width(entry.words, theme.TEXT_SIZE)
        if not found or left + need > width - theme.PAGE_MARGIN:
            found.append([])
            left = theme.PAGE_MARGIN
        found[-1].append((entry, left))
        left += need + SPACE
    return found


def legend_height(entries: Sequence[Entry], width: float) -> float:
    """Drawing units that the legend takes at the foot of the page."""
    return len(rows(entries, width)) * ROW + 16.0 if entries else 0.0


def legend_marks(page: Page, palette: Palette) -> Iterator[Group]:
    """The legend's samples and words."""
    for row, entries in enumerate(rows(page.entries, page.width)):
        y = page.legend_top + 8.0 + (row + 0.5) * ROW
        for entry, left in entries:
            at = (left + SWATCH + 8, y + 0.36 * theme.TEXT_SIZE)
            words = Text(at, entry.words, theme.TEXT_SIZE, palette.ink)
            yield Group(f"legend-{entry.words}", "", (*sample(entry, left, y, palette), words))


def sample(entry: Entry, left: float, y: float, palette: Palette) -> Iterator[Blot]:
    """A small picture of the thing: a stroke for a line, a patch for a surface."""
    if entry.sign == LINE:
        yield from stroke_sample(entry.look, left, y, stopped=entry.kind == "ray")
        return
    if entry.sign:
        yield from sign_blots(entry.sign, left + SWATCH / 2, y, entry.look)
        return
    box = shapely.box(left + 3, y - 6.5, left + SWATCH - 3, y + 6.5)
    if entry.kind != "open-gap":
        yield Blot(box, entry.look.colour, max(entry.look.opacity, 0.3))
    if entry.kind in HATCHED:
        origin, along, up = np.zeros(3), np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
        lines = hatching(box, (origin, along, up), HATCHED[entry.kind])[:, :, :2]
        if entry.kind == "zone":  # as it lies on the ground, where y runs up
            lines = lines * [1.0, -1.0] + [0.0, 2 * y]
        yield Blot(shapely.MultiLineString(list(lines)).buffer(0.5), entry.look.edge or palette.ink)
    yield Blot(box.boundary.buffer(0.7), entry.look.edge or entry.look.colour)


def stroke_sample(look: Look, left: float, y: float, *, stopped: bool = True) -> Iterator[Blot]:
    """A short line of that look; stopped : with the cross where a broken one stops."""
    line = np.array([[left, y], [left + SWATCH, y]])
    parts = [shapely.LineString(part).buffer(look.width / 2, cap_style="flat") for part in dashes(line, look.dash)]
    drawn = shapely.union_all(parts)
    if look.casing:
        yield Blot(drawn.buffer(theme.CASING / 2), look.casing)
    yield Blot(drawn, look.colour)
    if look.core:
        middle = [shapely.LineString(part) for part in dashes(line, look.dash)]
        yield Blot(shapely.union_all(middle).buffer(theme.CORE * look.width / 2, cap_style="flat"), look.core)
    if look.dash is not None and stopped:
        x, size = left + SWATCH - 4, 4.5
        bars = [[(x - size, y - size), (x + size, y + size)], [(x - size, y + size), (x + size, y - size)]]
        sign = shapely.MultiLineString(bars).buffer(1.2, cap_style="square")
        yield Blot(sign.buffer(theme.CASING * 0.7), look.casing or look.colour)
        yield Blot(sign, look.colour)

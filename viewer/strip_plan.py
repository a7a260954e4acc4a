"""Figures side by side as one vector drawing, under one key; and which drawing a figure is made into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from deadground.scenes.figure import Figure
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Scene
from deadground.viewer import plan, theme
from deadground.viewer.caption import caption_groups
from deadground.viewer.chart import BOTH, said_of
from deadground.viewer.key import key_of_several
from deadground.viewer.palette import DEFAULT
from deadground.viewer.panel import Panel
from deadground.viewer.parts import group_elements
from deadground.viewer.phrases import sentence
from deadground.viewer.plan import GUTTER, HEAD, Sheet, heading, panel_group, panels
from deadground.viewer.side_by_side import GAP, LINE, Line, Part, columns, in_rows, parts_of, under_all, under_part
from deadground.viewer.subject import subject_of
from deadground.viewer.svg import Element, element, group, root, text
from deadground.viewer.terrain_plan import hatching

__all__ = ["FLAT_VIEWS", "is_flat", "vector_tree"]

FLAT_VIEWS: Final = ("plan", "front", "side", BOTH)
WIDER: Final = 4 / 3
"""A page of three figures in a row is so many times as wide as one of two."""
BELOW: Final = 22.0
"""Under each drawing, for its scale bar."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One figure: its drawings, one below the other, and what stands under them."""

    part: Part
    sheet: Sheet
    drawn: tuple[Panel, ...]
    lines: tuple[Line, ...] = ()

    @property
    def size(self) -> tuple[float, float]:
        """Inches across and along of its largest drawing."""
        windows = [panel.window for panel in self.drawn]
        wide = max(high_u - low_u for low_u, _, high_u, _ in windows)
        return wide, max(high_v - low_v for _, low_v, _, high_v in windows)


def is_flat(scene: Scene, figure: Figure) -> bool:
    """Whether a figure is seen from above or straight from a side, so that vectors show all of it."""
    if figure.panels and figure.view not in FLAT_VIEWS:
        views = {each.name: each.view for each in scene.figures}
        return all(views[name] in FLAT_VIEWS for name in figure.panels)
    return figure.view in FLAT_VIEWS


def vector_tree(scene: Scene, report: Report, figure: Figure) -> Element:
    """A figure, or several side by side, as a vector drawing in the usual colours."""
    return _strip(scene, report, figure) if figure.panels else plan.tree(scene, report, figure)


def _strip(scene: Scene, report: Report, figure: Figure) -> Element:
    parts = parts_of(scene, report, figure)
    width = theme.PAGE_WIDTH * (WIDER if columns(len(parts)) > 2 else 1.0)
    room = width - 2 * theme.PAGE_MARGIN
    title = figure.title or scene.title or figure.name
    head, high = heading(title, room)
    placed = list(_placed([_column(part) for part in parts], parts, room, theme.PAGE_MARGIN + high))
    bottom = max(column.drawn[-1].box.bottom + BELOW + LINE * len(column.lines) for column in placed) + LINE
    under = under_all(scene, figure, parts, room)
    sheets = [(column.part.letter, column.sheet.scene, column.part.report, column.sheet.subject) for column in placed]
    key = key_of_several(sheets, room)
    below = bottom + under.height
    children = [
        element("defs", {}, [hatching(), *(_own(p.clipping(), c.part.letter) for c in placed for p in c.drawn)]),
        element("rect", {"width": "100%", "height": "100%", "fill": theme.PAPER}),
        group("heading", head),
        *(_group(column) for column in placed),
        *group_elements([*caption_groups(under, theme.PAGE_MARGIN, bottom - LINE, DEFAULT)]),
        key.group(theme.PAGE_MARGIN, below),
    ]
    words = " ".join(_said(placed)) or "No line of sight is drawn."
    return root((width, below + key.height + theme.PAGE_MARGIN), children, title, words)


def _column(part: Part) -> Column:
    subject = subject_of(part.scene, part.report, part.figure)
    drawn = panels(part.scene, subject, part.figure.view)
    if part.figure.view not in FLAT_VIEWS:
        drawn = [panel for panel in drawn if panel.view.above] or drawn  # there is room for one of its drawings
    return Column(part, Sheet(part.scene, part.report, part.figure, subject), tuple(drawn))


def _placed(columns_: Sequence[Column], parts: Sequence[Part], room: float, top: float) -> Iterator[Column]:
    """The figures row by row, those of a row as high as each other."""
    there = iter(columns_)
    for row in in_rows(parts):
        here = [next(there) for _ in row]
        free = room - GUTTER * len(here) - GAP * (len(here) - 1)
        shares = [across / along for across, along in (column.size for column in here)]
        most = min(theme.MOST_SCALE * along for _, along in (column.size for column in here))
        high = min(free / sum(shares), theme.MOST_HEIGHT, most)
        left, bottom = theme.PAGE_MARGIN, top
        for column, share in zip(here, shares, strict=True):
            lines = under_part(column.part, parts, max(high * share, GAP))
            done = _at(column, left + GUTTER, top, high / column.size[1], lines)
            bottom = max(bottom, done.drawn[-1].box.bottom + BELOW + LINE * len(lines))
            left += GUTTER + high * share + GAP
            yield done
        top = bottom + LINE


def _at(column: Column, left: float, top: float, scale: float, lines: tuple[Line, ...]) -> Column:
    drawn: list[Panel] = []
    for panel in column.drawn:
        start = top + HEAD if not drawn else drawn[-1].box.bottom + theme.GAP + HEAD
        drawn.append(replace(panel, left=left, top=start, scale=scale))
    return replace(column, drawn=tuple(drawn), lines=lines)


def _group(column: Column) -> Element:
    """A figure's drawings, and its title beneath."""
    letter, last = column.part.letter, column.drawn[-1].box
    drawings = [_own(panel_group(column.sheet, panel), letter) for panel in column.drawn]
    first = last.bottom + BELOW + 0.6 * LINE
    said = [text((last.left, first + k * LINE), line, bold=bold) for k, (line, bold) in enumerate(column.lines)]
    return group(f"figure-{letter}", [*drawings, *said], column.part.title)


def _own(node: Element, letter: str) -> Element:
    """The element with ids of its own, for figures side by side may show the same things."""
    attributes = tuple((key, _lettered(key, value, letter)) for key, value in node.attributes)
    return replace(node, attributes=attributes, children=tuple(_own(child, letter) for child in node.children))


def _lettered(key: str, value: str, letter: str) -> str:
    if key == "id":
        return f"{value}.{letter}"
    return f"{value.removesuffix(')')}.{letter})" if key == "clip-path" else value


def _said(columns_: Sequence[Column]) -> Iterator[str]:
    """Every verdict and every move, each under its figure's letter."""
    for column in columns_:
        subject = column.sheet.subject
        said = " ".join([*map(sentence, subject.verdicts), *said_of(subject.chart)])
        if said:
            yield f"({column.part.letter}) {said}"

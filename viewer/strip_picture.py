"""Figures side by side as one picture: each seen by its own camera, all as high as each other, under one legend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import shapely
from PIL import Image

from deadground.geometry.errors import InputError
from deadground.scenes.figure import Figure
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Scene
from deadground.viewer import theme
from deadground.viewer.caption import caption_groups
from deadground.viewer.chart import said_of
from deadground.viewer.draw import draw_list
from deadground.viewer.labels import Box
from deadground.viewer.legend import legend_marks
from deadground.viewer.marks import Blot, Group, Page, Text
from deadground.viewer.overlay import overlay, page_of, title_group
from deadground.viewer.paper import Paper
from deadground.viewer.phrases import changed_options
from deadground.viewer.picture import FINER, Drawn, camera_for, pasted
from deadground.viewer.side_by_side import GAP, LINE, Line, Part, columns, in_rows, parts_of, under_all, under_part
from deadground.viewer.subject import Subject, subject_of
from deadground.viewer.things import Thing

__all__ = ["develop_strip"]

LEAST = 60.0
"""Drawing units of height that a figure needs."""
FINE, FINEST, MANY = 1.25, 1.6, 3
"""How much smaller lines and names are than in a single figure; in rows of so many or more, the second."""
UNDER = 8.0
"""Between a picture and its title."""


@dataclass(frozen=True, slots=True, eq=False)
class Pane:
    """One figure and where its picture goes on the page."""

    part: Part
    subject: Subject
    things: tuple[Thing, ...]
    box: Box
    lines: tuple[Line, ...]


def develop_strip(scene: Scene, report: Report, figure: Figure, paper: Paper) -> Drawn:
    """Draw figures side by side. Needs OpenGL. InputError for a page that has no room for them."""
    parts = parts_of(scene, report, figure)
    subjects = [subject_of(part.scene, part.report, part.figure, paper.palette) for part in parts]
    lists = [
        draw_list(part.scene, part.report, part.figure, paper.palette, subject)
        for part, subject in zip(parts, subjects, strict=True)
    ]
    page = _page(scene, figure, parts, subjects, lists, paper)
    panes = list(_panes(parts, subjects, lists, page))
    whole = Image.new("RGB", (FINER * paper.width, FINER * paper.height), paper.palette.paper)
    groups = list[Group]()
    for pane in panes:
        size = pane.box.right - pane.box.left, pane.box.bottom - pane.box.top
        camera = camera_for(pane.part.scene, pane.part.figure, pane.subject, pane.things, size[0] / size[1])
        finer = FINE if columns(len(parts)) < MANY else FINEST
        own = Page(page.width * finer, page.height * finer, _larger(pane.box, finer), "", ())
        pasted(whole, pane.things, own, camera, paper)
        drawn = overlay(pane.things, own, camera, paper.palette)
        groups += [_smaller(group, pane.part.letter, finer) for group in drawn]
        groups.append(_title(pane, paper))
    around = caption_groups(page.caption, theme.PAGE_MARGIN, page.window.bottom, paper.palette)
    groups += [*title_group(page, paper.palette), *around, *legend_marks(page, paper.palette)]
    return Drawn(tuple(thing for things in lists for thing in things), page, whole, tuple(groups))


def _page(
    scene: Scene, figure: Figure, parts: Sequence[Part], subjects: Sequence[Subject],
    lists: Sequence[tuple[Thing, ...]], paper: Paper,
) -> Page:  # fmt: skip
    """The page with one legend for all; its window holds all pictures."""
    changed = [changed_options(part.report) for part in parts]
    shared = [each for each in changed[0] if all(each in others for others in changed)]
    said = dict.fromkeys(words for subject in subjects for words in said_of(subject.chart))
    foot = " ".join([*said, ". ".join([parts[0].report.edition, *shared]) + "."])
    legend = any("legend" in subject.show for subject in subjects)
    under = under_all(scene, figure, parts, theme.PAGE_WIDTH - 2 * theme.PAGE_MARGIN)
    things = [thing for each in lists for thing in each]
    return page_of(things, figure.title or scene.title, paper.aspect, legend=legend, foot=foot, caption=under)


def _panes(
    parts: Sequence[Part], subjects: Sequence[Subject], lists: Sequence[tuple[Thing, ...]], page: Page
) -> Iterator[Pane]:
    """Where each picture goes: all as wide and as high as each other."""
    across, rows = columns(len(parts)), in_rows(parts)
    wide = (page.width - 2 * theme.PAGE_MARGIN - (across - 1) * GAP) / across
    lines = {part.letter: under_part(part, parts, wide) for part in parts}
    below = [UNDER + LINE * max(len(lines[part.letter]) for part in row) + LINE / 2 for row in rows]
    high = (page.window.bottom - page.window.top - sum(below)) / len(rows)
    if high < LEAST:
        raise InputError("--size", "", f"expected a page high enough for {len(parts)} figures, found too low a one")
    drawn = iter(zip(subjects, lists, strict=True))
    top = page.window.top
    for row, under in zip(rows, below, strict=True):
        for k, part in enumerate(row):
            left = theme.PAGE_MARGIN + k * (wide + GAP)
            subject, things = next(drawn)
            yield Pane(part, subject, things, Box(left, top, left + wide, top + high), lines[part.letter])
        top += high + under


def _larger(box: Box, by: float) -> Box:
    return Box(box.left * by, box.top * by, box.right * by, box.bottom * by)


def _smaller(group: Group, letter: str, by: float) -> Group:
    """A group as small as its figure is, under a name that says which figure it belongs to."""
    kind, _, name = group.name.partition("-")
    return Group(f"{kind}-{letter} {name}", group.words, tuple(_shrunk(part, by) for part in group.parts))


def _shrunk(part: Blot | Text, by: float) -> Blot | Text:
    if isinstance(part, Text):
        return replace(part, at=(part.at[0] / by, part.at[1] / by), size=part.size / by)
    return replace(part, shape=shapely.transform(part.shape, lambda points: points / by))


def _title(pane: Pane, paper: Paper) -> Group:
    first = pane.box.bottom + UNDER + 0.6 * LINE
    texts = [
        Text((pane.box.left, first + k * LINE), line, theme.TEXT_SIZE, paper.palette.ink, bold=bold)
        for k, (line, bold) in enumerate(pane.lines)
    ]
    return Group(f"panel-{pane.part.letter}", "", tuple(texts))

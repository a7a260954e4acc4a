"""What stands directly under a picture: its numbered caption, and the texts of its lettered callouts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import shapely

from deadground.scenes.scene import Figure, Scene
from deadground.viewer import theme
from deadground.viewer.lettering import wrapped
from deadground.viewer.marks import Blot, Caption, Group, Text
from deadground.viewer.palette import Palette

__all__ = ["caption_groups", "caption_of", "caption_words", "letter", "letter_disc"]

LINE: Final = 16.0
"""Drawing units from line to line."""
INDENT: Final = 2 * theme.LETTER_DISC + 8.0
"""From the left of a letter to its text."""
BEFORE: Final = 10.0
"""Between the picture and what stands under it."""
NOTE_GAP: Final = 4.0
"""Between two notes."""


def letter(number: int) -> str:
    """The letter of a callout; number : its place, from 0."""
    return chr(ord("A") + number)


def caption_words(scene: Scene, figure: Figure) -> str:
    """The caption with the figure's number among the scene's; "" where it has none."""
    if not figure.caption:
        return ""
    names = [each.name for each in scene.figures]
    number = f"Figure {names.index(figure.name) + 1}. " if figure.name in names else ""
    return f"{number}{figure.caption}"


def caption_of(scene: Scene, figure: Figure, room: float) -> Caption:
    """What stands under a figure, `room` wide."""
    notes = tuple((letter(k), tuple(wrapped(each.text, room - INDENT))) for k, each in enumerate(figure.callouts))
    lines = tuple(wrapped(caption_words(scene, figure), room))
    height = len(lines) * LINE + sum(len(note) * LINE + NOTE_GAP for _, note in notes)
    height += NOTE_GAP if lines and notes else 0.0
    return Caption(lines, notes, BEFORE + height if lines or notes else 0.0)


def caption_groups(caption: Caption, left: float, top: float, palette: Palette) -> Iterator[Group]:
    """It as texts on the page, with its upper left corner there."""
    baseline = top + BEFORE + 0.6 * theme.TEXT_SIZE
    lines = [Text((left, baseline + k * LINE), line, theme.TEXT_SIZE, palette.ink)
             for k, line in enumerate(caption.lines)]  # fmt: skip
    if lines:
        yield Group("caption", "", tuple(lines))
    baseline += len(lines) * LINE + (NOTE_GAP if lines else 0.0)
    for name, note in caption.notes:
        yield Group(f"note-{name}", "", tuple(_note(name, note, left, baseline, palette)))
        baseline += len(note) * LINE + NOTE_GAP


def _note(name: str, lines: tuple[str, ...], left: float, baseline: float, palette: Palette) -> Iterator[Blot | Text]:
    """A letter on its disc, and its text."""
    yield from letter_disc(name, left + theme.LETTER_DISC, baseline - 0.36 * theme.TEXT_SIZE, palette)
    for k, line in enumerate(lines):
        yield Text((left + INDENT, baseline + k * LINE), line, theme.TEXT_SIZE, palette.ink)


def letter_disc(name: str, x: float, y: float, palette: Palette) -> Iterator[Blot | Text]:
    """A letter on a disc around a place."""
    middle = shapely.Point(x, y)
    yield Blot(middle.buffer(theme.LETTER_DISC), palette.ink)
    yield Blot(middle.buffer(theme.LETTER_DISC - 1.1), palette.paper)
    size = theme.SMALL_SIZE
    yield Text((x, y + 0.36 * size), name, size, palette.ink, bold=True, anchor="middle")

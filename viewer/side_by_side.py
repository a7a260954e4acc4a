"""Figures side by side: which they are, their letters, and how many of them stand in a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from deadground.geometry.errors import SceneError
from deadground.scenes.figure import Figure
from deadground.scenes.rulings import find
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Scene
from deadground.viewer.caption import caption_of
from deadground.viewer.figure import judged
from deadground.viewer.judging import source
from deadground.viewer.lettering import wrapped
from deadground.viewer.marks import Caption
from deadground.viewer.phrases import changed_options

__all__ = ["GAP", "LINE", "Line", "Part", "check_single", "columns", "in_rows", "parts_of", "under_all", "under_part"]

ROW: Final = 3
"""Most figures in a row; four make two rows of two."""
GAP: Final = 18.0
"""Drawing units between two figures."""
LINE: Final = 15.0
"""Drawing units from line to line of what stands under one."""
BOLD: Final = 1.12
"""How much wider bold letters are."""
USUAL: Final = "perspective"

Line = tuple[str, bool]
"""A line of text, and whether it is bold."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of several figures side by side, with the scene as its options have it, and what is judged of it."""

    letter: str
    scene: Scene
    report: Report
    figure: Figure

    @property
    def title(self) -> str:
        """Its letter and its own title."""
        return f"({self.letter}) {self.figure.title or self.figure.name}"


def check_single(scene: Scene, figure: Figure, form: str) -> None:
    """SceneError if a form that shows one scene is asked to show several figures."""
    if figure.panels:
        problem = f"expected a picture (.png, .svg or .pdf) for figures side by side, found {form}"
        raise SceneError(source(scene), f"figure {figure.name}: panels", problem)


def parts_of(scene: Scene, report: Report, figure: Figure) -> tuple[Part, ...]:
    """The figures that a figure puts side by side, each judged by its own options.

    A view that is not the usual one holds for them all.
    """
    return tuple(
        _part(scene, report.ruleset, name, chr(ord("a") + number), figure.view)
        for number, name in enumerate(figure.panels)
    )


@lru_cache(maxsize=32)
def _part(scene: Scene, ruleset: str, name: str, letter: str, view: str) -> Part:
    """One of them; it is asked for several times while a page is made, and judged once."""
    (asked,) = (each for each in scene.figures if each.name == name)
    asked = asked if view == USUAL else replace(asked, view=view, camera_from=None, camera_to=None)
    changed, report = judged(scene, find(ruleset), asked)
    return Part(letter, changed, report, asked)


def columns(count: int) -> int:
    """How many figures stand in a row."""
    return min(count, ROW) if count != ROW + 1 else 2


def in_rows(parts: Sequence[Part]) -> list[Sequence[Part]]:
    """The figures row by row."""
    across = columns(len(parts))
    return [parts[k * across : (k + 1) * across] for k in range(math.ceil(len(parts) / across))]


def under_part(part: Part, parts: Sequence[Part], room: float) -> tuple[Line, ...]:
    """What stands under one figure: its title, and the options in which it differs from others."""
    own, others = changed_options(part.report), [changed_options(each.report) for each in parts]
    differing = ", ".join(each for each in own if any(each not in other for other in others))
    title = [(line, True) for line in wrapped(part.title, room / BOLD)]
    return (*title, *((line, False) for line in wrapped(differing, room)))


def under_all(scene: Scene, figure: Figure, parts: Sequence[Part], room: float) -> Caption:
    """The caption of all, and the notes of each under its letter."""
    notes = tuple(replace(each, text=f"({part.letter}) {each.text}") for part in parts for each in part.figure.callouts)
    return caption_of(scene, replace(figure, callouts=notes), room)

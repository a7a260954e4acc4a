"""Height ladders: an upright line beside a thing, with a numbered rung for each inch."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from deadground.geometry.units import TOUCH
from deadground.scenes.figure import Ladder
from deadground.viewer.setting import Setting
from deadground.viewer.things import Label, Look, Mark, Path, Thing
from deadground.viewer.words import inch_words

__all__ = ["ladders", "rungs"]


def ladders(setting: Setting) -> Iterator[Thing]:
    """The ladders of the figure."""
    for number, ladder in enumerate(setting.figure.heights, 1):
        yield from _ladder(setting, f"height {number}", ladder)


def _ladder(setting: Setting, name: str, ladder: Ladder) -> Iterator[Thing]:
    ink, paper = setting.palette.ink, setting.palette.paper
    ends = np.array([[*ladder.at, ladder.low], [*ladder.at, ladder.high]])
    words = (
        f"Heights from {inch_words(ladder.low)} to {inch_words(ladder.high)} at ({ladder.at[0]:g}, {ladder.at[1]:g})."
    )
    look = Look(ink, width=1.6, casing=paper, ghost=0.8)
    yield Thing("ladder", name, Path(ends), look, words)
    for height in rungs(ladder):
        at = np.array([*ladder.at, height])
        yield Thing("ladder", name, Mark(at, "rung"), look, words)
        yield Thing("ladder", name, Label(at, inch_words(height), rank=-2, row=True), Look(ink, casing=paper), words)


def rungs(ladder: Ladder) -> tuple[float, ...]:
    """Heights of the rungs: both ends first, which are numbered before the others where there is little room."""
    if ladder.rungs is not None:
        return ladder.rungs
    whole = [float(height) for height in range(math.ceil(ladder.low), math.floor(ladder.high) + 1)]
    between = [height for height in whole if ladder.low + TOUCH < height < ladder.high - TOUCH]
    return ladder.high, ladder.low, *between

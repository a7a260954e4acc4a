"""What a figure shows beyond the table, its lines and its ranges: one list of things, for both ways to draw.

A maker is added here and nowhere else: the draw list takes its things as they are, the vector drawings project them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from deadground.geometry.plates import Array
from deadground.viewer.callouts import callouts
from deadground.viewer.cover_fans import cover_fans
from deadground.viewer.ladders import ladders
from deadground.viewer.measuring import measures
from deadground.viewer.scale_bar import scale_bar
from deadground.viewer.section import section_line
from deadground.viewer.setting import Maker, Setting
from deadground.viewer.states import cover_signs, hidden_signs
from deadground.viewer.things import Mark, Path, Surface, Thing
from deadground.viewer.ticks import overhang_marks, ticks
from deadground.viewer.tokens import tokens
from deadground.viewer.zones import dead_zones, lookouts

__all__ = ["FOLLOWING", "FRAMING", "extra_things", "thing_points", "told"]

FRAMING: Final[tuple[Maker, ...]] = (measures, ladders, callouts, section_line)
"""Makers of what the picture must take in."""

FOLLOWING: Final[tuple[Maker, ...]] = (
    dead_zones, lookouts, tokens, cover_fans, overhang_marks, ticks, hidden_signs, cover_signs, scale_bar,
    section_line,
)  # fmt: skip
"""Makers of what is drawn about the models that stand on the ground that is drawn, which is known by then."""

TOLD: Final = ("dimension", "callout", "placement", "section")
"""Kinds of things whose words belong to a figure's own description."""


def extra_things(setting: Setting, makers: tuple[Maker, ...]) -> tuple[Thing, ...]:
    """The things of those makers. SceneError for what cannot be drawn."""
    return tuple(thing for make in makers for thing in make(setting))


def thing_points(thing: Thing) -> Array:
    """(n, 3) the points of a thing that the camera must take in; of a name none, of a callout what it is about."""
    shape = thing.shape
    if isinstance(shape, Surface):
        return np.vstack([shape.vertices, shape.edges.reshape(-1, 3)])
    if isinstance(shape, Path):
        return shape.points
    return shape.at[None] if isinstance(shape, Mark) or thing.kind == "callout" else np.zeros((0, 3))


def told(things: Sequence[Thing]) -> tuple[str, ...]:
    """What measures, callouts and wrong places say, each once, for who cannot see the figure."""
    said = (thing.words for thing in things if thing.kind in TOLD and thing.words)
    return tuple(words if words.endswith(".") else f"{words}." for words in dict.fromkeys(said))

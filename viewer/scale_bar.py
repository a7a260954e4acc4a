"""A scale bar that lies on the table, for pictures; vector drawings have one beside each panel."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Final

import numpy as np
import shapely

from deadground.viewer.forms import FLAT, LIFT, raised
from deadground.viewer.setting import Setting
from deadground.viewer.things import Label, Look, Thing
from deadground.viewer.words import inch_words

__all__ = ["scale_bar"]

LENGTHS: Final = (1, 2, 3, 6, 12, 24)
SHARE: Final = 0.3
"""Of the ground that is drawn, at most."""
MOST_PARTS: Final = 6
INWARD: Final = 0.5
"""Inches from the edge of the ground to the bar."""
WIDE: Final = 0.22
HIGH: Final = 0.16
"""Inches that it stands up, so that it is seen in an elevation."""


def scale_bar(setting: Setting) -> Iterator[Thing]:
    """A bar of whole inches, dark and light by turns, along the edge nearest to the reader."""
    if not setting.shows("scale") or setting.patch is None:
        return
    low_x, low_y, high_x, high_y = setting.patch
    side = setting.figure.view == "side"
    room = (high_y - low_y if side else high_x - low_x) - 2 * INWARD
    length = max((each for each in LENGTHS if each <= SHARE * room), default=LENGTHS[0])
    start = np.array([high_x - INWARD - WIDE, low_y + INWARD] if side else [low_x + INWARD, low_y + INWARD])
    along, across = (
        (np.array([0.0, 1.0]), np.array([1.0, 0.0])) if side else (np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    )
    parts, words = min(length, MOST_PARTS), f"Scale: {inch_words(length)}."
    ink, paper = setting.palette.ink, setting.palette.paper
    for k, fill in zip(range(parts), cycle((ink, paper)), strict=False):
        one, other = start + along * k * length / parts, start + along * (k + 1) * length / parts + across * WIDE
        form = raised(shapely.box(*one, *other), FLAT, LIFT, HIGH)
        yield Thing("scale", f"part {k + 1}", form, Look(fill, edge=ink, width=0.8), words)
    end = np.array([*(start + along * length), HIGH])
    yield Thing("scale", "length", Label(end, inch_words(length), rank=0), Look(ink, casing=paper), words)

"""Callouts: lettered notes on places of the table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deadground.geometry.plates import Array
from deadground.scenes.figure import Anchor
from deadground.viewer.caption import letter
from deadground.viewer.measuring import models_at
from deadground.viewer.setting import Setting
from deadground.viewer.things import Label, Look, Thing

__all__ = ["callouts"]


def callouts(setting: Setting) -> Iterator[Thing]:
    """A letter for each callout of the figure, in their order."""
    for number, callout in enumerate(setting.figure.callouts):
        at = _place(setting, callout.at, f"callouts[{number}]")
        look = Look(setting.palette.ink, casing=setting.palette.paper)
        words = f"{letter(number)}: {callout.text}"
        yield Thing("callout", letter(number), Label(at, letter(number), rank=-1, disc=True), look, words)


def _place(setting: Setting, place: Anchor, key: str) -> Array:
    """A point; of a unit or a model the middle of the (first) model."""
    if not isinstance(place, str):
        return np.array(place, dtype=np.float64)
    model = models_at(setting, place, key)[0]
    return np.array([model.x, model.y, model.foot + model.height / 2])

"""Signs at models that are hidden, or have cover: what the report says of them, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from deadground.geometry.plates import Array
from deadground.scenes.model import Model
from deadground.viewer.bodies import base_rim, model_points
from deadground.viewer.setting import Setting
from deadground.viewer.tags import covered
from deadground.viewer.things import Label, Look, Mark, Sign, Thing

__all__ = ["cover_signs", "hidden_signs"]

WARHAMMER: Final = "wh40k-11e"
NINTH_AGE: Final = "t9a"
LEFT: Final = np.array([-1.0, 1.0]) / math.sqrt(2.0)
RIGHT: Final = np.array([1.0, 1.0]) / math.sqrt(2.0)
"""Where on a base's rim its signs stand, so that they do not meet each other or the tick in its middle."""
COVERS: Final = ("none", "soft", "hard")
"""From the weakest."""


def hidden_signs(setting: Setting) -> Iterator[Thing]:
    """An eye struck through at each model that is hidden."""
    if not setting.shows("hidden"):
        return
    if setting.report.ruleset != WARHAMMER:
        raise _unsuited(setting, "hidden", WARHAMMER)
    hidden = {state.model for state in setting.report.states or () if state.hidden}
    for model in setting.models:
        if model.name in hidden:
            yield from _signed(setting, model, "hidden", "hidden", LEFT)


def cover_signs(setting: Setting) -> Iterator[Thing]:
    """A shield at each target that has cover against all whose clear lines to it are drawn."""
    if not setting.shows("cover"):
        return
    if setting.report.ruleset not in (WARHAMMER, NINTH_AGE):
        raise _unsuited(setting, "cover", f"{WARHAMMER} or {NINTH_AGE}")
    said = _covers(setting) if setting.report.ruleset == NINTH_AGE else _benefits(setting)
    for model in setting.models:
        if model.name in said:
            word = said[model.name]
            yield from _signed(setting, model, "soft-cover" if word.startswith("soft") else "cover", word, RIGHT)


def _unsuited(setting: Setting, what: str, wanted: str) -> Exception:
    return setting.wrong("show", f'expected {wanted}, by whose rules there is "{what}", found {setting.report.ruleset}')


def _benefits(setting: Setting) -> Mapping[str, str]:
    return dict.fromkeys(covered(setting.report, list(setting.verdicts)), "benefit of cover")


def _covers(setting: Setting) -> Mapping[str, str]:
    """Target -> its cover in The 9th Age: the weakest that any of the clear lines drawn to it finds."""
    found: dict[str, list[str]] = {}
    for verdict in setting.verdicts:
        if verdict.visible and "cover" in verdict.facts:
            found.setdefault(verdict.target, []).append(str(verdict.facts["cover"]))
    weakest = {name: min(each, key=COVERS.index) for name, each in found.items()}
    return {name: f"{cover} cover" for name, cover in weakest.items() if cover != COVERS[0]}


def _signed(setting: Setting, model: Model, sign: Sign, word: str, side: Array) -> Iterator[Thing]:
    """The sign at the rim of a model's top, and the word where the model's name does not carry it."""
    words, ink = f"{model.name} has {word}." if "cover" in word else f"{model.name} is {word}.", setting.palette.ink
    rim = base_rim(model)
    at = np.array([*rim[np.argmax(rim @ side)], model.foot + model.height])
    yield Thing("state", f"{model.name} {word}", Mark(at, sign), Look(ink, casing=ink), words, word, (model.name,))
    if not setting.shows("labels"):
        label = Label(at, word, rank=0, around=model_points(model))
        yield Thing("state", f"{model.name} word", label, Look(ink, casing=setting.palette.paper), words)

"""Yes and no of models: ticks and crosses by their verdicts, and what is wrong with where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.units import TOUCH
from deadground.scenes.model import Model
from deadground.scenes.placing import base_outline
from deadground.scenes.standing import near_features, overhangs, support_of
from deadground.viewer.bodies import base_rim, model_points
from deadground.viewer.forms import FLAT, LIFT, hatching, polygons, raised, shifted, slab
from deadground.viewer.phrases import placed_wrong
from deadground.viewer.setting import Setting
from deadground.viewer.things import Label, Look, Mark, Surface, Thing

__all__ = ["HANGING", "overhang_marks", "ticks"]

HANGING: Final = "part of a base that nothing bears"
COLLAR: Final = 0.03
"""Inches by which the mark of a base that hangs over stands out from it."""
THICK: Final = (-0.04, 0.16)
"""Inches from a base's foot to the lower and the upper edge of that mark."""
STEP: Final = 0.09
"""Inches between its hatching lines."""


def ticks(setting: Setting) -> Iterator[Thing]:
    """A tick at each target that is seen, a cross at each that is not; a cross and why where one stands wrong."""
    if not setting.shows("ticks"):
        return
    there = {model.name: model for model in setting.models}
    for name in dict.fromkeys(verdict.target for verdict in setting.verdicts):
        if name in there:
            yield _verdict(setting, there[name])
    for placement in setting.report.placement or ():
        if placement.model in there:
            yield from _placement(setting, there[placement.model], placement.reasons)


def _verdict(setting: Setting, model: Model) -> Thing:
    """Seen if any line that is drawn to it is clear: what the line's colour says, the sign says."""
    seen = any(verdict.visible for verdict in setting.verdicts if verdict.target == model.name)
    look = setting.palette.line(clear=seen)
    words = f"{model.name} is {'' if seen else 'not '}seen."
    called = "seen" if seen else "not seen"
    top = np.array([model.x, model.y, model.foot + model.height])
    return Thing("verdict", model.name, Mark(top, "tick" if seen else "no"), look, words, called, (model.name,))


def _placement(setting: Setting, model: Model, reasons: tuple[str, ...]) -> Iterator[Thing]:
    told = "; ".join(placed_wrong(reason) for reason in reasons)
    words, wrong = f"{model.name} may not stand there: {told}.", setting.palette.wrong
    look = Look(wrong, casing=setting.palette.ink)
    rim = base_rim(model)
    at = np.array([*rim[np.argmin(rim[:, 0])], model.foot])
    yield Thing("placement", model.name, Mark(at, "no"), look, words, "may not stand there", (model.name,))
    label = Label(at, told, rank=0, around=model_points(model))
    yield Thing("placement", model.name, label, Look(wrong, casing=setting.palette.paper), words)


def overhang_marks(setting: Setting) -> Iterator[Thing]:
    """The part of a base beyond the edge of what bears it, where that is judged to be so."""
    for model in setting.models if setting.shows("overhang") else ():
        support = support_of(model, near_features(model, setting.scene.features))
        if support is not None and overhangs(model, support):
            beyond = base_outline(model).difference(support.filled.buffer(TOUCH, join_style="mitre"))
            shape = shapely.union_all(polygons(beyond))
            yield from _hanging(setting, model, shape)


def _hanging(setting: Setting, model: Model, shape: BaseGeometry) -> Iterator[Thing]:
    """A collar round that part of the base, and hatching over it at the model's top, for who looks from above."""
    wrong, words = setting.palette.wrong, f"Part of the base of {model.name} hangs over the edge."
    collar = raised(shape.buffer(COLLAR), FLAT, *(model.foot + each for each in THICK))
    yield Thing("overhang", model.name, collar, Look(wrong, edge=wrong, width=1.0), words, HANGING)
    lid = shifted(FLAT, model.foot + model.height + 2 * LIFT)
    flat = slab(shape, lid)
    edges = np.concatenate([flat.edges, hatching(shape, shifted(lid, LIFT), STEP)])
    look = Look(wrong, opacity=0.25, edge=wrong, width=1.0)
    yield Thing("overhang", f"{model.name} top", Surface(flat.vertices, flat.faces, edges), look, words)

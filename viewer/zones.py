"""Ground as StarCraft TMG sees it: dead zones round HIGH GROUND, and what a model does not see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.scenes.figure import Lookout
from deadground.scenes.rulings import starcraft_ground
from deadground.scenes.scene import Scene
from deadground.viewer.forms import FLAT, LIFT, hatching, polygons, shifted, slab
from deadground.viewer.setting import Setting
from deadground.viewer.things import Look, Surface, Thing

__all__ = ["dead_zones", "hidden_from", "lookouts"]

SYSTEM: Final = "sctmg"
STEP: Final = 0.32
"""Inches between the hatching lines of a dead zone."""
WIDE: Final = 0.55
"""The same on dead ground."""
RISING: Final = np.array([1.0, 1.0, 1.0])
FALLING: Final = np.array([-1.0, 1.0, 1.0])
"""Which way those lines slant, so that the two are told apart in grey, and where they lie over each other."""
LEAST: Final = 0.02
"""Square inches; less is not drawn."""


def dead_zones(setting: Setting) -> Iterator[Thing]:
    """The band round the foot of each HIGH GROUND piece."""
    if not setting.shows("dead-zones"):
        return
    _check(setting, "show")
    for name, zone in _zones(setting.scene).items():
        look = Look(setting.palette.sheet, opacity=0.16, edge=setting.palette.sheet)
        if form := _hatched(setting, zone, STEP, LIFT, RISING):
            words = f"Dead zone round {name}."
            yield Thing("zone", f"dead zone of {name}", form, look, words, "dead zone round HIGH GROUND")


def lookouts(setting: Setting) -> Iterator[Thing]:
    """The ground on which a model of a Size is not seen by another."""
    for number, asked in enumerate(setting.figure.dead_ground):
        _check(setting, "dead_ground")
        what = f"Size {asked.size}{', flying' if asked.flying else ''}"
        called = f"dead ground of {asked.model} for {what}"
        words = f"Where a model of {what} at GROUND LEVEL is not seen by {asked.model}."
        look = Look(setting.palette.ink, opacity=0.17, edge=setting.palette.quiet, width=0.8)
        if form := _hatched(setting, hidden_from(setting.scene, asked), WIDE, (2 + number) * LIFT, FALLING):
            yield Thing("shade", called, form, look, words, called)


def _check(setting: Setting, key: str) -> None:
    found = setting.report.ruleset
    if found != SYSTEM:
        raise setting.wrong(key, f"expected {SYSTEM}, which knows dead zones and dead ground, found {found}")


@lru_cache(maxsize=4)
def _zones(scene: Scene) -> Mapping[str, BaseGeometry]:
    return starcraft_ground.dead_zones(scene)


@lru_cache(maxsize=16)
def hidden_from(scene: Scene, asked: Lookout) -> BaseGeometry:
    """The ground that the model, or any model of the unit, does not see. SceneError for a missing `size`."""
    names = [model.name for model in scene.models if asked.model in (model.name, model.unit)]
    each = [starcraft_ground.dead_ground(scene, name, asked.size, asked.base, asked.flying) for name in names]
    return shapely.intersection_all(each)


def _hatched(setting: Setting, shape: BaseGeometry, step: float, height: float, turned: Array) -> Surface | None:
    """A shape on the ground, hatched, as far as ground is drawn; None where nothing of it is."""
    if setting.patch is None:
        return None
    shown = shapely.intersection(shape, shapely.box(*setting.patch))
    parts = [part for part in polygons(shown) if part.area > LEAST]
    if not parts:
        return None
    whole, frame = shapely.multipolygons(parts), shifted(FLAT, height)
    form = slab(whole, frame)
    lines = hatching(shapely.transform(whole, lambda points: points * turned[:2]), frame, step) * turned
    return Surface(form.vertices, form.faces, np.concatenate([form.edges, lines]))

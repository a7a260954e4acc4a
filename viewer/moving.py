"""What the commands `move` and `reach` share: which model, which place, in which unit, by which rules."""

from __future__ import annotations

import math
from typing import Final

from deadground.geometry.errors import InputError
from deadground.geometry.units import inches
from deadground.scenes.model import Model
from deadground.scenes.movement import Point
from deadground.scenes.placing import base_outline, standing, surfaces_under
from deadground.scenes.rulings.wh40k_moving import can_fly
from deadground.scenes.scene import Scene
from deadground.scenes.standing import base_at
from deadground.viewer.judging import expected, source

__all__ = ["PLACES", "SYSTEM", "check_rules", "in_inches", "model_named", "place_of", "standing_at"]

SYSTEM: Final = "wh40k-11e"

PLACES: Final = 4
"""Decimals of lengths in JSON."""


def model_named(scene: Scene, name: str) -> Model:
    """The model of that name; a unit of one model may be named instead. InputError if there is none."""
    for model in scene.models:
        if name == model.name or (name == model.unit and len(scene.unit(name).models) == 1):
            return model
    raise InputError(source(scene), "MODEL", expected([m.name for m in scene.models], name, "a model of the scene"))


def check_rules(scene: Scene, ruleset: str | None, model: Model, fly: bool) -> None:
    """InputError if the rules asked for do not know moves, or the model cannot fly."""
    asked = ruleset or scene.ruleset
    if asked.strip().lower() not in (SYSTEM, "40k", "wh40k"):
        raise InputError(source(scene), "--ruleset", f"expected {SYSTEM}, whose moves are judged, found {asked[:40]}")
    if fly and not can_fly(scene, model):
        raise InputError(
            source(scene), "--fly", f"expected a model with the keyword FLY, found {model.name} without it"
        )


def in_inches(scene: Scene, value: float, key: str) -> float:
    """A length of the command line, given in the file's unit. InputError unless it is finite and not negative."""
    if not (math.isfinite(value) and value >= 0):
        raise InputError(source(scene), key, f"expected a length of 0 or more, found {value}")
    return inches(value, scene.units_of_file)


def place_of(scene: Scene, model: Model, text: str) -> Point:
    """X,Y or X,Y,Z in the file's unit, as inches. A height close to a surface under the base means that surface."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 3) or not all(math.isfinite(number) for number in numbers):
        raise InputError(source(scene), "X,Y", f'expected X,Y or X,Y,Z such as "12.5,8", found "{text[:40]}"')
    x, y, height = (inches(number, scene.units_of_file) for number in [*numbers, 0.0][:3])
    return standing_at(scene, model, (x, y, height))


def standing_at(scene: Scene, model: Model, place: Point) -> Point:
    """The place, inches; a height close to a surface under the model's base there means that surface."""
    found = standing(place[2], surfaces_under(base_outline(base_at(model, *place)), scene.features))
    return place[0], place[1], found[0] if found else place[2]

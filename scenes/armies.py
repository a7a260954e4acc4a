"""Armies made up at random, legally placed, the same for the same seed: for benchmarks, demonstrations and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import shapely

from deadground.geometry.errors import InputError
from deadground.scenes.model import Base, Model, Unit
from deadground.scenes.placing import Ground, base_outline
from deadground.scenes.scene import Scene
from deadground.scenes.standing import faults

__all__ = ["COHERENCY", "Order", "muster"]

COHERENCY: Final = 2.0
"""Inches across between a model's base and that of the next one of its unit, at the most."""

_LEVEL: Final = 5.0
"""Inches between the heights on which neighbours of a unit stand, at the most."""

_STARTS: Final = 400
"""Places tried for a unit before it is given up."""

_TRIES: Final = 60
"""Places tried for a model beside its unit."""

_PLACES: Final = 4
"""Decimals of places: a tenth of what counts as touching."""


@dataclass(frozen=True, slots=True)
class Order:
    """What army is wanted. Inches.

    models : in each unit; zone : x0, y0, x1, y1 of the ground on which bases stand wholly, None for the board
    above : whether they may stand on surfaces above the ground
    """

    side: str
    units: int
    models: int
    base: Base
    height: float
    zone: tuple[float, float, float, float] | None = None
    above: bool = True


def muster(scene: Scene, order: Order, seed: int, source: str = "scene") -> tuple[Unit, ...]:
    """New units for a scene: nothing faulty, nothing overlapping, each model near the next of its unit.

    Names are SIDE-1, SIDE-2 and so on, without those that are taken. InputError if they do not fit. Reproducible:
    the same scene, order and seed give the same army.
    """
    rng = np.random.default_rng(seed)
    ground, army = _Field(scene, order), list[Unit]()
    for name in _free_names(scene, order):
        models = ground.unit(name, rng)
        if models is None:
            problem = f"expected room for {order.units} units of {order.models}, found it for {len(army)}"
            raise InputError(source, "populate", problem)
        army.append(Unit(name, order.side, models))
    return tuple(army)


def _free_names(scene: Scene, order: Order) -> Sequence[str]:
    taken = {unit.name for unit in scene.units}
    stem = order.side.replace("/", "-")
    numbers = range(1, order.units + len(taken) + 1)
    return [name for name in (f"{stem}-{n}" for n in numbers) if name not in taken][: order.units]


class _Field:
    """The table as it fills."""

    def __init__(self, scene: Scene, order: Order) -> None:
        self._scene, self._order = scene, order
        self._ground = Ground(scene.features)
        self._models = list(scene.models)
        self._zone = order.zone or (0.0, 0.0, *scene.board)

    def unit(self, name: str, rng: np.random.Generator) -> tuple[Model, ...] | None:
        """A new unit that now stands on the table, None where there is no room."""
        for _ in range(_STARTS):
            x0, y0, x1, y1 = self._zone
            first = self._stood(name, 1, rng.uniform((x0, y0), (x1, y1)), rng, ())
            models = None if first is None else self._grown(first, rng)
            if models is not None:
                self._models += models
                return tuple(models)
        return None

    def _grown(self, first: Model, rng: np.random.Generator) -> list[Model] | None:
        models = [first]
        while len(models) < self._order.models:
            found = self._next(models, rng)
            if found is None:
                return None
            models.append(found)
        return models

    def _next(self, models: Sequence[Model], rng: np.random.Generator) -> Model | None:
        """One more model within reach of one that stands."""
        size = max(self._order.base.length, self._order.base.width)
        for _ in range(_TRIES):
            beside = models[int(rng.integers(len(models)))]
            angle, away = rng.uniform(0, 2 * math.pi), rng.uniform(size, size + COHERENCY / 2)
            spot = np.array([beside.x + away * math.cos(angle), beside.y + away * math.sin(angle)])
            found = self._stood(beside.unit, len(models) + 1, spot, rng, models)
            if found is not None and abs(found.foot - beside.foot) <= _LEVEL and _is_near(found, beside):
                return found
        return None

    def _stood(
        self, unit: str, number: int, spot: np.ndarray, rng: np.random.Generator, own: Sequence[Model]
    ) -> Model | None:
        """A model at a spot, on one of the surfaces there; None if it may not stand on the one that was drawn."""
        x, y = (round(float(value), _PLACES) for value in spot)
        order = self._order
        model = Model(unit, number, order.side, order.base, x, y, 0.0, order.height)
        outline = base_outline(model)
        if not shapely.box(*self._zone).covers(outline):
            return None
        levels = self._ground.under(outline).levels if order.above else (0.0,)
        foot = levels[int(rng.integers(len(levels)))]
        model = replace(model, foot=foot, support=None if foot == 0 else self._owner(outline, foot))
        others = Unit("", order.side, (*self._models, *own))
        table = replace(self._scene, units=(others,))
        return None if faults(table, model, may_stand_above=order.above) else model

    def _owner(self, outline: shapely.Polygon, foot: float) -> str | None:
        under = self._ground.under(outline)
        return next((name for name, high in zip(under.features, under.high, strict=True) if high == foot), None)


def _is_near(one: Model, other: Model) -> bool:
    return bool(shapely.distance(base_outline(one), base_outline(other)) <= COHERENCY)

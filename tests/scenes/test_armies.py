"""Random armies: legal, near each other, and the same each time."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import shapely

from deadground.geometry.errors import InputError
from deadground.scenes.armies import COHERENCY, Order, muster
from deadground.scenes.document import scene_from
from deadground.scenes.model import Base
from deadground.scenes.placing import base_outline
from deadground.scenes.scene import Scene
from deadground.scenes.standing import faults

ROUND = Base("round", 32 / 25.4, 32 / 25.4)
OVAL = Base("oval", 60 / 25.4, 35 / 25.4)
HALL = {"outline": [[0, 0], [9, 0], [9, 7], [0, 7]], "top": 3.0, "thickness": 0.2}


@pytest.fixture(scope="module")
def table() -> Scene:
    return scene_from(
        {
            "schema": 1,
            "ruleset": "wh40k-11e",
            "units": "in",
            "board": {"size": [24, 20]},
            "feature": [
                {"name": "crate", "at": [5, 5], "block": [{"size": [3, 3, 2]}], "wh40k": {"category": "dense"}},
                {"name": "hall", "at": [10, 9], "floor": [HALL], "wh40k": {"category": "dense"}},
            ],
        }
    )


def order(base: Base = ROUND, units: int = 4, models: int = 4) -> Order:
    return Order("red", units, models, base, 1.5)


@pytest.mark.parametrize("base", [ROUND, OVAL], ids=["round", "oval"])
def test_nobody_stands_where_they_may_not(table, base):
    full = replace(table, units=muster(table, order(base), 3))
    assert len(full.models) == 16
    assert {model.name: faults(full, model) for model in full.models if faults(full, model)} == {}


def test_every_model_is_near_another_of_its_unit(table):
    for unit in muster(table, order(), 5):
        for model in unit.models:
            near = [
                shapely.distance(base_outline(model), base_outline(other)) for other in unit.models if other != model
            ]
            assert min(near) <= COHERENCY


def test_the_same_seed_gives_the_same_army(table):
    def places(seed: int) -> list[tuple[float, float, float]]:
        return [(m.x, m.y, m.foot) for unit in muster(table, order(), seed) for m in unit.models]

    assert places(1) == places(1)
    assert places(1) != places(2)


def test_some_stand_on_terrain_and_none_where_that_is_not_wanted(table):
    feet = {m.foot for seed in range(3) for unit in muster(table, order(), seed) for m in unit.models}
    assert 3.0 in feet
    grounded = replace(order(), above=False)
    assert {m.foot for unit in muster(table, grounded, 1) for m in unit.models} == {0.0}


def test_an_army_stays_in_its_zone(table):
    army = muster(table, replace(order(units=2), zone=(0, 12, 10, 20)), 1)
    assert all(shapely.box(0, 12, 10, 20).covers(base_outline(m)) for unit in army for m in unit.models)


def test_a_second_army_gets_other_names_and_places(table):
    first = replace(table, units=muster(table, order(units=2), 1))
    more = muster(first, order(units=2), 1)
    assert [unit.name for unit in more] == ["red-3", "red-4"]
    apart = [math.hypot(a.x - b.x, a.y - b.y) for a in first.models for u in more for b in u.models if a.foot == b.foot]
    assert min(apart) >= ROUND.length - 1e-3


def test_an_army_that_does_not_fit_is_refused(table):
    with pytest.raises(InputError, match="expected room for 1 units of 90"):
        muster(table, replace(order(units=1, models=90), zone=(0, 0, 4, 4)), 1)

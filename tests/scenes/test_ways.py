"""Ways over random tables: replayed step by step, and compared with another planner."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from deadground.scenes.movement import Way, shortest_way
from deadground.scenes.rulings.wh40k_moving import manner_of
from tests.effort import some
from tests.scenes.way_reference import Planner, Table, random_table, rich_table, wrongs


def found_way(made: Table) -> Way | None:
    scene = made.scene()
    return shortest_way(scene, scene.models[0], made.end, manner_of(scene, scene.models[0]))


def judge(seed: int, kind: Callable[[int], Table] = random_table) -> None:
    """Every step legal, the sum right, and nothing more than 1 % shorter."""
    made = kind(seed)
    way = found_way(made)
    other = Planner(made).length()
    if way is None:
        assert other == math.inf, f"seed {seed}: a way of {other} was missed"
        return
    assert wrongs(made, way) == [], f"seed {seed}"
    assert way.distance <= 1.01 * other, f"seed {seed}: {way.distance}, the other planner has {other}"
    least = np.hypot(made.end[0] - made.start[0], made.end[1] - made.start[1]) + abs(made.end[2] - made.start[2])
    assert way.distance >= least - 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_a_random_way_is_legal_and_none_is_shorter(seed):
    judge(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(1000, 1300), 3))
def test_many_random_ways_are_legal_and_none_is_shorter(seed):
    judge(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(2000, 2060), 6))
def test_ways_over_bridges_holes_stairs_shelves_and_past_crowds_are_legal_and_none_is_shorter(seed):
    judge(seed, rich_table)

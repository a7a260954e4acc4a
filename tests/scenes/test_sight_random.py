"""The search against brute force on random tables: a great many lines a pair, and none may know better.

Everyday a few seeds, with `pytest -m slow` two thousand.
"""

from __future__ import annotations

import site
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from deadground.geometry.plates import Array
from deadground.geometry.units import MM_PER_INCH
from deadground.scenes.options import Warhammer40kOptions
from deadground.scenes.rulings.wh40k_terrain import barriers_of
from deadground.scenes.sight import Pair, Sight
from tests.scenes.random_tables import Kinds, brute_force, keeps_width, narrowest, points_on, table

PLAIN, MODELS, AREAS = Kinds(), Kinds(models=True), Kinds(models=True, areas=True)
FEW_LINES, MANY_LINES = 20_000, 150_000
SLOW = ((PLAIN, range(10_000, 11_000)), (MODELS, range(20_000, 20_500)), (AREAS, range(30_000, 30_500)))


@dataclass(frozen=True)
class Outcome:
    """What became of one seed. fault : "" if search and brute force agree; width_mm : of the best line, if sampled."""

    seed: int
    certainty: str
    fault: str = ""
    width_mm: float = 0.0


def outcome(seed: int, kinds: Kinds, lines: int) -> Outcome:
    scene, pair = table(seed, kinds)
    sight = Sight(scene, barriers_of(scene, Warhammer40kOptions()))
    (answer,) = sight.clear([pair])
    if answer.line is not None:
        good = keeps_width(sight, pair, answer.line) and ends_in_both(sight, pair, answer.line)
        return Outcome(seed, answer.certainty, "" if good else "its line is not clear")
    found = brute_force(sight, pair, lines, seed)
    if answer.certainty == "proof":
        return Outcome(seed, answer.certainty, "" if found is None else "brute force found a line")
    return Outcome(seed, answer.certainty, width_mm=narrowest(sight, pair, lines, seed))


def ends_in_both(sight: Sight, pair: Pair, line: Array) -> bool:
    """Whether a line runs from the first body to the second, ends included."""
    for model, point in zip(pair, line, strict=True):
        body = model.body
        c, s = np.cos(body.facing), np.sin(body.facing)
        dx, dy = point[0] - body.x, point[1] - body.y
        u, v = (c * dx + s * dy) / body.a, (-s * dx + c * dy) / body.b
        if u * u + v * v > 1 + 1e-9 or not sight.lowest(model) - 1e-9 <= point[2] <= body.top + 1e-9:
            return False
    return True


@pytest.mark.parametrize(("kinds", "first"), [(PLAIN, 100), (MODELS, 200), (AREAS, 300)])
def test_a_few_random_tables_agree_with_brute_force(kinds, first):
    outcomes = [outcome(seed, kinds, FEW_LINES) for seed in range(first, first + 9)]
    assert [one for one in outcomes if one.fault] == []
    assert Counter(one.certainty for one in outcomes)["sampled"] <= 1


@pytest.mark.slow
def test_two_thousand_random_tables_agree_with_brute_force():
    jobs = [(seed, kinds, MANY_LINES) for kinds, seeds in SLOW for seed in seeds]
    # fresh processes, which must be told where `tests` is: Embree's own threads do not survive a fork
    root = str(Path(__file__).parents[2])
    with ProcessPoolExecutor(2, get_context("spawn"), site.addsitedir, (root,)) as pool:
        outcomes = list(pool.map(outcome, *zip(*jobs, strict=True), chunksize=20))
    assert [one for one in outcomes if one.fault] == []
    sampled = [one for one in outcomes if one.certainty == "sampled"]
    assert len(sampled) <= 0.005 * len(outcomes), sampled
    line_mm = Warhammer40kOptions().line_width_mm
    assert [one for one in sampled if abs(one.width_mm - line_mm) > 0.1] == []


def test_brute_force_finds_what_is_there():
    """The reference itself: on tables where the search sees, many lines mostly see too."""
    seen = found = 0
    for seed in range(400, 412):
        scene, pair = table(seed)
        sight = Sight(scene, barriers_of(scene, Warhammer40kOptions()))
        if sight.clear([pair])[0].line is not None:
            seen += 1
            found += brute_force(sight, pair, 5_000, seed) is not None
    assert seen >= 3
    assert found >= 0.6 * seen


def test_points_of_the_reference_lie_in_the_body():
    _, (one, _) = table(1)
    points = points_on(np.random.default_rng(1), one, one.foot, 500)
    level = np.hypot(points[:, 0] - one.x, points[:, 1] - one.y)
    assert level.max() <= max(one.base.length, one.base.width) / 2 + 1e-9
    assert points[:, 2].min() >= 0
    assert points[:, 2].max() <= one.height + 1e-9
    assert MM_PER_INCH * one.height > 20

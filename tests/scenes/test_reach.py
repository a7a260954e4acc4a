"""Everywhere that a model can end: compared with single moves."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import shapely

from deadground.scenes.document import read_scene
from deadground.scenes.rulings.wh40k_moving import move, nearest_end, reach_of
from deadground.scenes.scene import Scene
from tests.scenes.moving_tables import BASE, block, feature, floor, table, unit, wall

RUIN = feature(floor=[floor()], wall=[wall((0, 0), (6, 0), 5)])


def test_on_open_ground_it_is_a_disc():
    (ground,) = reach_of(table([unit(at=[(20, 15)])]), table([unit(at=[(20, 15)])]).models[0], 6)
    assert ground.height == 0
    assert ground.region.area == pytest.approx(math.pi * 36, rel=0.01)
    assert [inches for inches, _ in ground.bands] == [1, 2, 3, 4, 5, 6]


def test_climbing_is_paid_for_on_upper_levels():
    scene = table([unit(at=[(13, 13)])], [RUIN])
    levels = {level.height: level.region for level in reach_of(scene, scene.models[0], 4)}
    assert set(levels) == {0.0, 3.0}
    upper = levels[3.0]
    assert upper.area == pytest.approx(math.pi, rel=0.05)  # one inch is left for going across
    assert upper.distance(shapely.Point(13, 13)) == 0


def test_who_may_not_stand_above_reaches_the_ground_only():
    scene = table([unit(at=[(5, 13)], keywords=["VEHICLE"])], [feature(at=(13, 13), block=[block((6, 6, 2.5))])])
    assert [level.height for level in reach_of(scene, scene.models[0], 12)] == [0.0]


def test_who_flies_reaches_over_walls_for_two_inches():
    scene = table(
        [unit(at=[(15, 15)], keywords=["FLY", "VEHICLE"])], [feature(at=(18, 0), wall=[wall((0, 0), (0, 30), 9)])]
    )
    walked, flown = (reach_of(scene, scene.models[0], 8, fly=fly)[0].region for fly in (False, True))
    beyond = shapely.Point(20.5, 15)
    assert not walked.contains(beyond)
    assert flown.contains(beyond)


def tables() -> list[Scene]:
    walls = feature("walls", (16, 10), wall=[wall((0, 0), (0, 8), 6), wall((0, 8), (5, 8), 6)])
    guard = unit("B", [(13, 16), (20, 14)], side="blue")
    mixed = [RUIN, walls, feature("crate", (9, 6), block=[block((2.5, 3, 2.2))])]
    return [table([unit(at=[(13.5, 12)], keywords=[keyword]), guard], mixed) for keyword in ("INFANTRY", "MONSTER")]


@pytest.mark.parametrize("scene", tables())
def test_it_agrees_with_single_moves(scene):
    limit, rng = 7.0, np.random.default_rng(5)
    levels = {level.height: level.region for level in reach_of(scene, scene.models[0], limit)}
    for x, y in rng.uniform((7, 5), (21, 19), (60, 2)):
        for height, region in levels.items():
            found = move(scene, scene.models[0], (x, y, height), limit=limit)
            reached = found.legal and bool(found.within_limit)
            if found.way is not None and abs(found.way.distance - limit) < 0.25:
                continue  # interpolated
            near = region.boundary.distance(shapely.Point(x, y)) < 0.1
            assert near or region.contains(shapely.Point(x, y)) == reached, (x, y, height, found)


def test_the_nearest_end_is_named_where_one_may_not_end():
    scene = table([unit(at=[(5, 13)])], [RUIN])
    asked = move(scene, scene.models[0], (10.2, 13, 3))
    assert asked.reasons == ("overhang",)
    assert nearest_end(scene, scene.models[0], asked) == pytest.approx((10 + BASE / 2, 13, 3), abs=2e-3)


@pytest.mark.parametrize("limit", [None, 6])
def test_the_nearest_end_is_one_that_it_can_get_to(limit):
    walls = [wall(*ends, 6) for ends in [((0, 0), (6, 0)), ((6, 0), (6, 6)), ((6, 6), (0, 6)), ((0, 6), (0, 0))]]
    scene = table([unit(at=[(5, 13)], keywords=["VEHICLE"])], [feature(wall=walls, floor=[floor(top=6.0)])])
    asked = move(scene, scene.models[0], (13, 13, 0), limit=limit)
    assert asked.reasons == ("blocked",)
    found = nearest_end(scene, scene.models[0], asked)
    assert found is not None
    there = move(scene, scene.models[0], found, limit=limit)
    assert there.reasons == ()
    assert limit is None or there.way.distance > limit - 0.11


def test_the_last_place_within_the_limit_is_named_where_it_is_too_far():
    scene = table([unit(at=[(5, 13)])])
    asked = move(scene, scene.models[0], (25, 13, 0), limit=6)
    assert nearest_end(scene, scene.models[0], asked) == pytest.approx((11, 13, 0), abs=0.11)


def test_it_goes_up_to_the_edge_of_the_board():
    scene = table([unit(at=[(20, 3)])])
    (ground,) = reach_of(scene, scene.models[0], 6)
    assert ground.region.bounds[1] == pytest.approx(BASE / 2, abs=0.002)
    nearest = dict(ground.bands)[3.0]
    assert nearest.distance(shapely.Point(20, BASE / 2)) < 0.002
    assert nearest.distance(shapely.Point(21, BASE / 2)) < 0.002


def test_what_more_inches_reach_is_never_less():
    for scene in tables():
        for level in reach_of(scene, scene.models[0], 7.0):
            areas = [region.area for _, region in level.bands]
            assert areas == sorted(areas)
            assert [inches for inches, _ in level.bands] == list(range(math.ceil(level.bands[0][0]), 8))


def test_a_band_of_several_parts_is_not_lost():
    scene = read_scene(Path(__file__).parents[2] / "scenes" / "examples" / "upstairs.toml")
    mover = next(model for model in scene.models if model.name == "stairs/1")
    for level in reach_of(scene, mover, 7.0):
        assert level.bands[-1][0] == 7.0
        assert level.region.area > level.bands[-2][1].area


def test_it_does_not_spill_to_where_nothing_gets():
    gate = wall((0, 0), (0, 12), 6, openings=[{"at": 6, "width": 8, "sill": 0, "head": 4}], thickness=3)
    scene = table([unit(at=[(7, 16)], keywords=["MONSTER"])], [feature("gate", (10, 10), wall=[gate])])
    (ground, *_) = reach_of(scene, scene.models[0], 6)
    for y in np.linspace(13, 19, 13):
        assert move(scene, scene.models[0], (8.5, y, 0)).reasons == ("blocked",)  # half under the lintel
        assert ground.region.distance(shapely.Point(8.5 - BASE / 2 + 0.05, y)) > 0.03


def test_among_many_obstacles_no_place_is_forgotten():
    rng = np.random.default_rng(1)
    pillars = [
        feature(f"pillar {i} {j}", (8 + 1.4 * i + rng.uniform(-0.1, 0.1), 8 + 1.4 * j + rng.uniform(-0.1, 0.1)),
                turn=rng.uniform(0, 90), block=[block((0.3, 0.3, 5))])
        for i in range(5)
        for j in range(5)
    ]  # fmt: skip
    scene = table([unit(at=[(11.5, 11.5)], keywords=["VEHICLE"], base="25mm")], pillars)
    (ground,) = reach_of(scene, scene.models[0], 5.0)
    x, y = 14.59, 11.48  # a dozen places from which one does not get there seem nearer
    found = move(scene, scene.models[0], (x, y, 0.0), limit=5)
    assert found.legal
    assert found.within_limit
    assert ground.region.contains(shapely.Point(x, y))

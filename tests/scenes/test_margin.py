"""How far models may be off: proven, or the smallest move that was found."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from deadground.geometry.shapes import base_polygon
from deadground.geometry.units import LINE_WIDTH_MM, TOUCH, inches
from deadground.scenes.document import scene_from
from deadground.scenes.margin import Margin, Places, Regions, Sway, _grown, moved
from deadground.scenes.model import Base, Model
from deadground.scenes.options import options_of
from deadground.scenes.rulings import find
from deadground.scenes.rulings.margins import tried_margins
from deadground.scenes.rulings.wh40k_margin import margins
from deadground.scenes.rulings.wh40k_terrain import barriers_of
from deadground.scenes.scene import Scene
from deadground.scenes.sight import Sight

HALF = inches(LINE_WIDTH_MM, "mm") / 2
WALL = {"name": "w", "at": [10, 10], "wh40k": {"category": "exposed"}, "block": [{"size": [6, 1, 5]}]}


def table(a: tuple[float, ...], b: tuple[float, ...], *features: dict[str, Any], **more: Any) -> Scene:
    units = [
        {
            "name": name,
            "side": side,
            "base": "1in",
            "height": 1.5,
            "at": [list(at)],
            "wh40k": {"keywords": ["INFANTRY"]},
        }
        for name, side, at in (("A", "red", a), ("B", "blue", b))
    ]
    frame = {"schema": 1, "ruleset": "wh40k-11e", "units": "in", "board": {"size": [40, 30]}}
    return scene_from({**frame, "feature": list(features), "unit": units, **more})


def judged(scene: Scene, reach: float) -> tuple[bool, list[Margin]]:
    report = find("40k").judge(scene)
    return report.models[0].visible, margins(scene, report.models, reach)


def test_in_the_open_a_verdict_is_certain():
    seen, found = judged(table((5, 20), (15, 20)), 0.5)
    assert seen
    assert [(one.certified, one.stable) for one in found] == [(True, True)] * 2


def test_behind_the_middle_of_a_wall_a_verdict_is_certain():
    seen, found = judged(table((10, 8), (10, 12), WALL), 0.5)
    assert not seen
    assert all(one.certified for one in found)


def edge_distance(x: float) -> float:
    """How far A, 8 from the board's edge, goes left until a line past the wall's corner (13, 9.5) is tangent.

    B stays at (x, 12). The line leans by t: (13 - x) cos t + 2.5 sin t = radius less half a line's width.
    """
    lean = math.asin((0.5 - HALF) / math.hypot(13 - x, 2.5)) - math.atan2(13 - x, 2.5)
    return 4 * math.tan(lean)


@pytest.mark.parametrize("x", [12.6, 12.54])
def test_a_pair_at_a_wall_s_end_flips_where_geometry_says(x):
    seen, found = judged(table((x, 8), (x, 12), WALL), 0.25)
    assert seen
    assert found[0] == found[1]
    flip = found[0].flip
    assert flip is not None
    assert flip.distance == pytest.approx(edge_distance(x), abs=2e-3)
    assert math.hypot(flip.x - x, flip.y - (8 if flip.model == "A/1" else 12)) == pytest.approx(flip.distance)


def test_a_margin_below_the_distance_to_the_edge_flips_nothing():
    _, found = judged(table((12.6, 8), (12.6, 12), WALL), 0.9 * edge_distance(12.6))
    assert all(one.stable for one in found)


def test_the_flip_that_is_named_flips():
    scene = table((12.45, 8), (12.45, 12), WALL)
    seen, found = judged(scene, 0.25)
    flip = found[0].flip
    assert flip is not None
    places = {"A/1": (12.45, 8.0), "B/1": (12.45, 12.0)} | {flip.model: (flip.x, flip.y)}
    after = find("40k").judge(table(places["A/1"], places["B/1"], WALL))
    assert after.models[0].visible != seen


def test_a_hidden_model_flips_at_its_detection_range():
    area = [{"name": "wood", "outline": [[18, 16], [26, 16], [26, 24], [18, 24]]}]
    light = {"name": "tree", "at": [24, 23], "wh40k": {"category": "light"}, "block": [{"size": [0.5, 0.5, 4]}]}
    seen, found = judged(table((4, 20), (20.1, 20), light, area=area), 0.25)  # 15.1 between the bases
    assert not seen
    flip = found[0].flip
    assert flip is not None
    assert flip.distance == pytest.approx(0.1, abs=2 * TOUCH)
    assert found[1].certified  # the one in the open is seen all the same


def test_leaving_an_area_can_end_a_view():
    area = [{"name": "ruin", "outline": [[10, 10], [14, 10], [14, 20], [10, 20]]}]
    light = {"name": "tree", "at": [12, 18], "wh40k": {"category": "light"}, "block": [{"size": [0.5, 0.5, 4]}]}
    seen, found = judged(table((9.6, 12), (20, 12), light, area=area), 0.25)
    assert seen
    flip = found[0].flip
    assert flip is not None
    assert (flip.model, flip.distance) == ("A/1", pytest.approx(0.1, abs=2 * TOUCH))
    assert judged(table((9.8, 12), (20, 12), light, area=area), 0.1)[1][0].certified


def test_places_are_those_where_a_model_could_stand():
    scene = table((10, 9), (10, 12), WALL)  # it touches the wall
    around = Places(scene, 0.25).around(scene.models[0])
    assert around
    assert max(model.y for model in around) <= 9 + TOUCH


def test_a_model_on_a_floor_stays_on_it():
    floor = {"outline": [[0, 0], [3, 0], [3, 3], [0, 3]], "top": 3.0, "thickness": 0.2}
    hall = {"name": "hall", "at": [5, 5], "wh40k": {"category": "dense"}, "floor": [floor]}
    scene = table((5.6, 6.5, 3), (20, 20), hall)
    around = Places(scene, 0.25).around(scene.models[0])
    assert {model.foot for model in around} == {3.0}
    assert min(model.x for model in around) >= 5.5 - TOUCH


@pytest.mark.parametrize("base", [Base("round", 1, 1), Base("oval", 3, 1.2)], ids=["round", "oval"])
def test_a_grown_body_holds_the_model_wherever_it_stands(base):
    model = Model("A", 1, "red", base, 5, 5, 0, 1, facing=33)
    grown = base_polygon(_grown(model, 0.3 + TOUCH).body)
    for angle in np.linspace(0, 2 * math.pi, 40):
        there = moved(model, 5 + 0.3 * math.cos(angle), 5 + 0.3 * math.sin(angle))
        assert grown.covers(base_polygon(there.body))


def test_what_is_said_of_areas_holds_wherever_a_model_stands():
    scene = table((9.7, 12), (20, 12), area=[{"name": "a", "outline": [[10, 10], [14, 10], [14, 20], [10, 20]]}])
    regions = Regions(scene.areas, 0.25)
    rng = np.random.default_rng(1)
    for x in rng.uniform(8.5, 12, 40):
        model = moved(scene.models[0], float(x), 12.0)
        off = [moved(model, float(x) + dx, 12.0) for dx in (-0.25, -0.1, 0.0, 0.1, 0.25)]
        within = [bool(regions.now(there)[0]) for there in off]
        assert all(within) or not regions.always(model)[0]
        assert not any(within) or regions.ever(model)[0]


def test_certain_verdicts_hold_in_places_drawn_at_random():
    window = {"at": 4, "width": 1.2, "sill": 0.5, "head": 2.5}
    wall = {"from": [0, 0], "to": [8, 0], "height": 5, "thickness": 0.25, "openings": [window]}
    ruin = {"name": "ruin", "at": [10, 12], "wh40k": {"category": "light"}, "wall": [wall]}
    rng = np.random.default_rng(7)
    sure = 0
    for _ in range(8):
        a, b = rng.uniform((9, 6), (19, 11)), rng.uniform((9, 13), (19, 18))
        scene = table(tuple(a), tuple(b), ruin)
        sight = Sight(scene, barriers_of(scene, options_of(scene, "wh40k")))
        sway = Sway(sight, 0.2)
        pair = scene.models[0], scene.models[1]
        clear, blocked = sway.surely_clear([pair])[0], sway.surely_blocked([pair])[0]
        assert not (clear and blocked)
        sure += clear or blocked
        off = [(angle, 0.2) for angle in rng.uniform(0, 2 * math.pi, 6)]
        one, two = (Places(scene, 0.2).at(model, off) for model in pair)
        answers = sway.ask([*((there, pair[1]) for there in one), *((pair[0], there) for there in two)])
        assert not clear or all(answer.line is not None for answer in answers)
        assert not blocked or all(answer.line is None for answer in answers)
    assert sure >= 4


@pytest.mark.parametrize("name", ["sctmg", "t9a"])
def test_other_systems_find_the_same_edge(name):
    facts = {"sctmg": {"size": 5}, "t9a": {"opaque": True}}
    scene = scene_from(
        {
            "schema": 1, "ruleset": name, "units": "in", "board": {"size": [40, 30]}, "feature": [{**WALL, **facts}],
            "unit": [
                {
                    "name": n, "side": s, "base": "1in", "height": 1.5, "at": [at],
                    "sctmg": {"size": 2}, "t9a": {"height": 1},
                }
                for n, s, at in (("A", "red", [12.6, 8]), ("B", "blue", [12.6, 12]))
            ],
        }
    )  # fmt: skip
    system = find(name)
    report = system.judge(scene, observers=["A"])
    (found,) = tried_margins(scene, system, report.models, 0.25)
    lean = math.asin(0.5 / math.hypot(0.4, 2.5)) - math.atan2(0.4, 2.5)
    assert found.flip is not None
    assert not found.certified
    assert found.flip.distance == pytest.approx(4 * math.tan(lean), abs=4e-3)

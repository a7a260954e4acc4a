from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely

from deadground.geometry.units import TOUCH
from deadground.scenes.document import scene_from
from deadground.scenes.model import Base, Model, StarcraftUnit, Unit
from deadground.scenes.plane import ground_of
from deadground.scenes.rulings import find
from deadground.scenes.rulings.starcraft_ground import dead_ground, dead_zones
from deadground.scenes.rulings.verdict import Reason
from deadground.scenes.scene import Scene

JUDGE = find("sctmg")


def scene_with(features: list[dict[str, Any]], *units: dict[str, Any]) -> Scene:
    alike = {"base": "1in", "height": 1.5}
    return scene_from(
        {
            "schema": 1,
            "units": "in",
            "ruleset": "sctmg",
            "board": {"size": [24, 20]},
            "feature": features,
            "unit": [alike | unit for unit in units],
        }
    )


def block(name: str, at: list[float], size: list[float], rank: int, turn: float = 0) -> dict[str, Any]:
    return {"name": name, "at": at, "turn": turn, "block": [{"size": size}], "sctmg": {"size": rank}}


def random_scene(seed: int) -> Scene:
    """A hill with the first model on it (on even seeds), and pieces of all Sizes about."""
    rng = np.random.default_rng(seed)
    features = [block("hill", [6, 10], [7, 7, 3], 3)]
    for number in range(7):
        at, size = rng.uniform([9.5, 2], [22, 18]), rng.uniform([0.5, 2], [2.5, 5])
        features.append(
            block(f"piece-{number}", at.tolist(), [*size.tolist(), 3], int(rng.integers(0, 6)), rng.uniform(0, 90))
        )
    spot = [*rng.uniform([4, 8], [9, 12]).tolist(), 3] if seed % 2 == 0 else [1.5, float(rng.uniform(1, 4))]
    watcher = {
        "name": "A",
        "side": "red",
        "at": [spot],
        "sctmg": {"size": int(rng.integers(1, 4)), "flying": seed % 5 == 4},
    }
    return scene_with(features, watcher, {"name": "B", "side": "blue", "at": [[23, 19.4]], "sctmg": {"size": 2}})


def with_target(scene: Scene, x: float, y: float) -> Scene:
    size = StarcraftUnit(2)
    model = Model("B", 1, "blue", Base("round", 1.0, 1.0), x, y, 0.0, 1.5)
    return replace(scene, units=(scene.units[0], Unit("B", "blue", (model,), sctmg=size)))


def check_dead_ground(seed: int, count: int) -> None:
    scene = random_scene(seed)
    dead = dead_ground(scene, "A/1", 2, 1.0)
    solid = shapely.union_all(solid_ground(scene))
    for x, y in np.random.default_rng(seed).uniform([0, 0], scene.board, (count, 2)):
        point = shapely.Point(x, y)
        if shapely.distance(shapely.boundary(dead), point) > 2 * TOUCH and not shapely.intersects(solid, point):
            verdict = JUDGE.judge(with_target(scene, x, y), observers=["A"]).models[0]
            assert dead.contains(point) is not verdict.visible, (seed, x, y, verdict)


def solid_ground(scene: Scene) -> list[Any]:
    return [ground_of(feature) for feature in scene.features if (feature.sctmg.size or 0) > 0]


@pytest.mark.parametrize("seed", range(6))
def test_dead_ground_is_where_the_verdict_is_not_visible(seed):
    check_dead_ground(seed, 25)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 150))
def test_dead_ground_agrees_with_verdicts_on_many_tables(seed):
    check_dead_ground(seed, 80)


def test_a_dead_zone_is_a_band_of_one_inch_round_high_ground():
    scene = scene_with([block("tower", [10, 10], [4, 4, 3], 3), block("hut", [18, 10], [2, 2, 2], 2)])
    (name, band), *rest = dead_zones(scene).items()
    assert (name, rest) == ("tower", [])
    assert band.area == pytest.approx(4 * 4 + np.pi, abs=0.01)


def stacked(seed: int) -> list[dict[str, Any]]:
    """A lower piece and one on top of it, of random Sizes and turns."""
    rng = np.random.default_rng(seed)
    low, top = int(rng.integers(0, 4)), int(rng.integers(0, 4))
    turns = rng.uniform(0, 90, 2)
    return [
        block("deck", [12, 10], [8, 6, 2], low, float(turns[0])),
        block("crate", [12, 10, 2], [3, 2, 1], top, float(turns[1])),
    ]


@pytest.mark.parametrize("seed", range(12))
def test_the_bands_are_where_one_on_top_has_a_dead_zone(seed):
    """Judged with a base so small that where it stands is a point."""
    scene = scene_with(stacked(seed), *WATCHERS)
    bands = shapely.union_all(list(dead_zones(scene).values()))
    for x, y in np.random.default_rng(seed).uniform([4, 2], [20, 18], (30, 2)):
        point = shapely.Point(x, y)
        solid = shapely.union_all([ground_of(feature) for feature in scene.features])
        if min(shapely.distance(shapely.boundary(bands), point), shapely.distance(solid, point)) > 0.02:
            verdict = JUDGE.judge(with_small_target(scene, x, y), observers=["A"]).models[0]
            expected = bands.contains(point) and not verdict.facts["close_quarters"]
            assert (Reason.DEAD_ZONE in verdict.reasons) is expected, (x, y)


WATCHERS: list[dict[str, Any]] = [
    {"name": "A", "side": "red", "base": "0.2in", "at": [[12, 10, 3]], "sctmg": {"size": 2}},
    {"name": "B", "side": "blue", "at": [[1, 1]], "sctmg": {"size": 2}},
]


def with_small_target(scene: Scene, x: float, y: float) -> Scene:
    model = Model("B", 1, "blue", Base("round", 0.002, 0.002), x, y, 0.0, 1.5)
    return replace(scene, units=(scene.units[0], Unit("B", "blue", (model,), sctmg=StarcraftUnit(2))))


def test_what_stands_on_high_ground_has_no_band_of_its_own():
    features = [block("hill", [10, 10], [8, 8, 3], 3), block("wall", [10, 10, 3], [1, 4, 2], 2)]
    assert list(dead_zones(scene_with(features))) == ["hill"]
    features = [block("deck", [10, 10], [8, 8, 2], 2), block("crate", [10, 10, 2], [2, 2, 1], 1)]
    (name, band), *rest = dead_zones(scene_with(features)).items()
    assert (name, rest) == ("crate", [])
    assert band.area == pytest.approx(4 * 8 + np.pi, abs=0.01)


def test_seeing_is_mutual_on_random_tables():
    for seed in range(20):
        report = JUDGE.judge(random_scene(seed))
        there, back = report.models
        assert (there.visible, there.reasons) == (back.visible, back.reasons)


def test_a_blocked_line_ends_at_the_piece_that_stops_it():
    red = {"name": "A", "side": "red", "at": [[5, 10]], "sctmg": {"size": 2}}
    blue = {"name": "B", "side": "blue", "at": [[15, 10]], "sctmg": {"size": 2}}
    verdict = JUDGE.judge(scene_with([block("wall", [10, 10], [1, 12, 3], 4)], red, blue)).models[0]
    assert verdict.blocker is not None
    assert verdict.blocker.feature == "wall"
    assert verdict.line[1][:2] == pytest.approx((9.5, 10), abs=2 * TOUCH)
    assert verdict.blocker.at == verdict.line[1]
    assert verdict.facts["pieces"] == [{"feature": "wall", "effective_size": 4, "cover": ["full-cover"]}]


def test_only_the_pairs_asked_for_are_judged():
    red = {"name": "A", "side": "red", "at": [[5, 10], [5, 14]], "sctmg": {"size": 2}}
    blue = {"name": "B", "side": "blue", "at": [[15, 10]], "sctmg": {"size": 2}}
    told: list[tuple[int, int]] = []
    report = JUDGE.judge(
        scene_with([], red, blue),
        observers=["A/2"],
        targets=["B"],
        progress=lambda done, total: told.append((done, total)),
    )
    assert [(verdict.observer, verdict.target) for verdict in report.models] == [("A/2", "B/1")]
    assert told == [(1, 1)]

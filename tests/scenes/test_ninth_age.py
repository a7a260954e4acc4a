from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely

from deadground.geometry.convex import Hull
from deadground.geometry.units import TOUCH
from deadground.scenes.document import scene_from
from deadground.scenes.plane import convex_base, swept_ground
from deadground.scenes.rulings import find
from deadground.scenes.rulings.ninth_age import cover_lines
from deadground.scenes.rulings.ninth_age_dangerous import dangerous_after
from deadground.scenes.rulings.ninth_age_table import front_of
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Scene

JUDGE = find("t9a")


def scene_with(features: list[dict[str, Any]], *units: dict[str, Any], **options: Any) -> Scene:
    alike = {"base": "25x50mm square", "height": 1.5, "t9a": {"height": 2}}
    return scene_from(
        {
            "schema": 1,
            "units": "in",
            "ruleset": "t9a",
            "board": {"size": [30, 30]},
            "t9a": options,
            "feature": features,
            "unit": [alike | unit for unit in units],
        }
    )


def block(name: str, at: list[float], size: list[float], rules: dict[str, Any], turn: float = 0) -> dict[str, Any]:
    return {"name": name, "at": at, "turn": turn, "block": [{"size": size}], "t9a": rules}


def random_scene(seed: int, **options: Any) -> Scene:
    rng = np.random.default_rng(seed)
    kinds: list[dict[str, Any]] = [{"opaque": True}, {"cover": "soft", "height": 3}, {"cover": "hard", "height": 2}]
    features = [
        block(
            f"piece-{number}",
            rng.uniform(2, 28, 2).tolist(),
            [*rng.uniform(1, 9, 2).tolist(), 3],
            kinds[number % 3],
            30,
        )
        for number in range(9)
    ]
    units = [
        {
            "name": name,
            "side": side,
            "at": rng.uniform(1, 29, (2, 2)).tolist(),
            "t9a": {"height": int(rng.integers(1, 4))},
        }
        for name, side in (("A", "red"), ("B", "blue"), ("C", "red"), ("D", "blue"))
    ]
    return scene_with(features, *units, **options)


def seen(report: Report) -> dict[tuple[str, str], bool]:
    return {(verdict.observer, verdict.target): verdict.visible for verdict in report.models}


@pytest.mark.parametrize("seed", range(5))
def test_without_facings_seeing_is_mutual(seed):
    visible = seen(JUDGE.judge(random_scene(seed)))
    assert all(visible[pair] == visible[pair[::-1]] for pair in visible)


@pytest.mark.parametrize("seed", range(5))
def test_models_in_the_way_never_reveal(seed):
    with_models, without = (seen(JUDGE.judge(random_scene(seed, models_block=block))) for block in (True, False))
    assert all(without[pair] or not with_models[pair] for pair in with_models)


@pytest.mark.parametrize("seed", range(5))
def test_shares_of_lines_are_shares_and_decide_the_cover(seed):
    for verdict in JUDGE.judge(random_scene(seed)).models:
        if verdict.visible:
            soft, hard = verdict.facts["soft_fraction"], verdict.facts["hard_fraction"]
            assert 0 <= soft <= 1
            assert 0 <= hard <= 1
            assert verdict.facts["cover"] == ("hard" if hard >= 0.5 else "soft" if soft >= 0.5 else "none")
        else:
            assert "cover" not in verdict.facts


def test_the_front_of_a_square_base_is_the_side_it_faces():
    scene = scene_with([], {"name": "A", "side": "red", "at": [[10, 10]], "facing": 90})
    (model,) = scene.models
    front = front_of(model, convex_base(model), 90)
    assert isinstance(front.start, Hull)
    np.testing.assert_allclose(front.start.corners[:, 1], 10 + 25 / 25.4 / 2, atol=TOUCH)
    (ahead,) = front.parts
    assert ahead.contains(shapely.Point(10, 20))
    assert ahead.contains(shapely.Point(19.5, 20))
    assert not ahead.contains(shapely.Point(21.5, 20))
    assert not ahead.contains(shapely.Point(10, 9))


def test_dangerous_terrain_counts_where_a_move_passed_and_not_only_where_it_ends():
    bog = block("bog", [10, 10], [4, 4, 0.1], {"dangerous": "4+"})
    scene = scene_with([bog], {"name": "A", "side": "red", "at": [[2, 10], [2, 13], [2, 16]]})
    assert JUDGE.judge(scene).facts["dangerous"] == []
    way = swept_ground(scene.models[0], [(2, 10), (20, 10)])
    (entry,) = dangerous_after(scene, "A", [way])
    assert (entry["tests"], entry["feature"], entry["on"]) == (4, "bog", "4+")
    assert dangerous_after(scene, "A", [shapely.box(1.5, 19.5, 20, 20.5)]) == []


def test_a_model_that_stops_the_line_is_named():
    units = [
        {"name": "A", "side": "red", "at": [[5, 10]], "base": "25mm"},
        {"name": "B", "side": "blue", "at": [[20, 10]], "base": "25mm"},
        {"name": "C", "side": "red", "at": [[12, 10]], "base": "100x100mm square"},
    ]
    verdict = JUDGE.judge(scene_with([], *units), observers=["A"]).models[0]
    assert verdict.blocker is not None
    assert verdict.blocker.model == "C/1"
    assert verdict.line[-1] == verdict.blocker.at


def test_the_lines_that_are_counted_for_cover_are_as_many_as_the_share_says():
    scene = scene_with(
        [block("wall", [10, 7], [0.5, 6, 1], {"cover": "hard", "height": 3})],
        {"name": "A", "side": "red", "base": "20x20mm square", "at": [[5, 10]]},
        {"name": "B", "side": "blue", "base": "40x40mm square", "at": [[15, 10]]},
        {"name": "C", "side": "blue", "base": "40x40mm square", "at": [[5, 20]]},
    )
    report = JUDGE.judge(scene, observers=["A"])
    behind, free = (next(v for v in report.models if v.target == name) for name in ("B/1", "C/1"))
    lines, nothing = cover_lines(scene, behind), cover_lines(scene, free)
    assert lines is not None
    assert nothing is not None
    assert (lines.kind, lines.point.tolist()) == ("hard", [5.0, 10.0])
    base = scene.models[1]
    ground = shapely.box(base.x - 0.787, base.y - 0.787, base.x + 0.787, base.y + 0.787)
    share = lines.covered.intersection(ground).area / ground.area
    assert share == pytest.approx(behind.facts["hard_fraction"], abs=1e-3)
    assert lines.covered.bounds[0] == pytest.approx(9.75)
    assert nothing.covered.is_empty
    assert lines.lines.covers(lines.covered.buffer(-1e-6))


def test_where_nobody_is_seen_no_lines_are_counted():
    scene = scene_with(
        [block("forest", [10, 10], [2, 20, 3], {"opaque": True})],
        {"name": "A", "side": "red", "at": [[5, 10]]},
        {"name": "B", "side": "blue", "at": [[15, 10]]},
    )
    assert cover_lines(scene, JUDGE.judge(scene, observers=["A"]).models[0]) is None


@pytest.mark.parametrize(("arc", "ahead", "aside"), [(90.0, 3.0, 3.0), (180.0, 0.0, 2.0), (60.0, 3.0 * 3**0.5, 3.0)])
@pytest.mark.parametrize("length", [20, 50])
def test_at_the_limit_of_the_arc_a_target_is_in_front_however_the_table_lies(arc, ahead, aside, length):
    """The near corner of the target lies ahead and aside of the front's left end, on the limit or a hair beyond."""
    half, wide, side = length / 50.8, 25 / 50.8, 20 / 50.8
    for beyond, seen_there in ((0.0, True), (0.01, False)):
        spot = np.array([half + ahead - beyond - side, wide + aside + side])
        for degrees in np.linspace(0, 350, 15):
            turn = np.array([[np.cos(a := np.radians(degrees)), -np.sin(a)], [np.sin(a), np.cos(a)]])
            red = {"name": "A", "side": "red", "base": f"{length}x25mm square", "at": [[15, 15]], "facing": degrees}
            at = (turn @ spot + 15).tolist()
            blue = {"name": "B", "side": "blue", "base": "20x20mm square", "at": [at], "facing": degrees}
            report = JUDGE.judge(scene_with([], red, blue, front_arc=arc), observers=["A"])
            assert report.models[0].visible is seen_there, (degrees, beyond)

"""A model pressed against a wall: what touches the wall is not held against it."""

from __future__ import annotations

from typing import Any

import pytest

from deadground.scenes.document import scene_from
from deadground.scenes.rulings import find

RADIUS = 30 / 25.4
FACE = 20.125


def document(gap: float) -> dict[str, Any]:
    wall = {"from": [0, 0], "to": [12, 0], "height": 4, "thickness": 0.25}
    body = {"base": "60mm", "height": 2}
    return {
        "schema": 1,
        "ruleset": "40k",
        "units": "in",
        "board": {"size": [60, 44]},
        "area": [{"name": "all", "outline": [[0, 0], [60, 0], [60, 44], [0, 44]]}],
        "feature": [{"name": "wall", "at": [20, 20], "wall": [wall], "wh40k": {"category": "dense"}}],
        "unit": [
            {"name": "A", "side": "red", "at": [[38, 23]], **body},
            {"name": "B", "side": "blue", "at": [[26, FACE + RADIUS + gap]], **body},
        ],
    }


@pytest.mark.parametrize("gap", [0.0, 0.005, 0.015, 0.03])
def test_a_model_beside_a_wall_is_fully_visible_along_it(gap: float):
    report = find("40k").judge(scene_from(document(gap)), observers=["A"])
    (verdict,) = report.models
    assert verdict.fully_visible
    assert verdict.seen_fraction == 1.0
    assert not report.units[0].cover


def test_a_model_behind_the_same_wall_is_not():
    table = document(0.0)
    table["unit"][0]["at"] = [[38, 17]]
    (verdict,) = find("40k").judge(scene_from(table), observers=["A"]).models
    assert not verdict.fully_visible

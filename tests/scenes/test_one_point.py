"""Whether one single point of a model sees all of another: found, or proved that there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from deadground.geometry.parts import seen_parts
from deadground.geometry.patches import point_patch
from deadground.scenes.document import scene_from
from deadground.scenes.rulings import find
from deadground.scenes.rulings.verdict import Verdict
from deadground.scenes.sight import Barriers, Sight
from deadground.viewer.phrases import in_view
from deadground.viewer.table import report_text

SMALLEST = 2 / 25.4

TWO = [
    {"name": "A", "side": "red", "base": "60mm", "height": 1.5, "at": [[30, 16]]},
    {"name": "B", "side": "blue", "base": "32mm", "height": 1.5, "at": [[30, 28]]},
]


def table(width: float, **more: Any) -> dict[str, Any]:
    """A pillar half-way between two models."""
    block = {"size": [width, 0.2, 6]}
    pillar = {"name": "pillar", "at": [30, 22], "wh40k": {"category": "exposed"}, "block": [block]}
    filled = {"schema": 1, "units": "in", "ruleset": "wh40k-11e", "board": {"size": [60, 44]}, "unit": TWO}
    return {**filled, "feature": [pillar], "wh40k": {"fully_visible_from": "one-point"}, **more}


def verdict(document: dict[str, Any]) -> Verdict:
    return find("40k").judge(scene_from(document), observers=["A"]).models[0]


@pytest.mark.parametrize(("width", "fully"), [(0.3, True), (0.6, False), (0.8, False)])
def test_a_pillar_hides_something_from_every_point_or_nothing_from_some(width: float, fully: bool):
    found = verdict(table(width))
    assert (found.fully_visible, found.fully_certainty) == (fully, "witness" if fully else "proof")
    assert verdict(table(width, wh40k={})).fully_visible


def test_no_point_of_a_model_sees_all_where_that_is_proved():
    scene = scene_from(table(0.6))
    sight, pair = Sight(scene, Barriers(line_width=1 / 25.4)), (scene.models[0], scene.models[1])
    assert sight.parts_from_one_point(pair, SMALLEST).certainty == "proof"
    random = np.random.default_rng(5)
    angle, share = random.uniform(0, 2 * np.pi, 12), np.sqrt(random.uniform(0, 1, 12))
    rim = pair[0].body.rim(angle) - [30, 16]
    points = np.column_stack([[30, 16] + share[:, None] * rim, random.uniform(0, 1.5, 12)])
    world = sight._searcher("open")
    asked = sight._parts_question(pair, SMALLEST, (), ())
    single = [replace(asked, observer=point_patch(point), viewpoints=point[None]) for point in points]
    assert not any(parts.fully for parts in seen_parts(world, single))


def test_a_model_in_the_way_of_each_point_gives_no_cover():
    between = {"name": "C", "side": "blue", "base": "25mm", "height": 1.5, "at": [[30, 22]]}
    report = find("40k").judge(scene_from(table(0.3, feature=[], unit=[*TWO, between])), observers=["A"], targets=["B"])
    assert not report.models[0].fully_visible
    assert report.models[0].fully_certainty == "proof"
    assert report.units[0].cover is False


def test_cover_that_rests_on_a_search_cut_short_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("deadground.geometry.one_point._MOST", 0)
    report = find("40k").judge(scene_from(table(0.6)), observers=["A"])
    assert report.models[0].fully_certainty == "sampled"
    assert (report.units[0].cover, report.units[0].notes) == (True, ("cover-sampled",))
    assert in_view(report.models[0]).endswith("of it in view, or more (sampled)")
    assert "Whether it has cover is not certain" in report_text(report)

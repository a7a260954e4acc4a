"""The lines that The 9th Age counts for cover, as they are drawn."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deadground.scenes.document import read_scene
from deadground.scenes.gallery import example
from deadground.scenes.rulings import find
from deadground.scenes.scene import Scene
from deadground.viewer.cover_fans import cover_fans
from deadground.viewer.setting import Setting
from deadground.viewer.things import Label, Surface, Thing


@pytest.fixture(scope="module")
def scene() -> Scene:
    return read_scene(example("t9a-cover"))


def fans(scene: Scene, observer: str, target: str, ruleset: str = "t9a") -> list[Thing]:
    report = find("t9a").judge(scene, observers=[observer], targets=[target])
    setting = Setting(scene, replace(report, ruleset=ruleset), scene.figures[0], report.models, frozenset({"cover"}))
    return list(cover_fans(setting))


def test_the_lines_to_a_target_are_hatched_behind_its_cover_with_their_share(scene):
    whole, covered, share = fans(scene, "Crossbows/1", "Halberds/1")
    assert isinstance(whole.shape, Surface)
    assert isinstance(covered.shape, Surface)
    assert isinstance(share.shape, Label)
    assert share.shape.text == "50%"
    assert covered.words == "Lines from Crossbows/1 to Halberds/1: 50% run through hard cover."
    low, high = whole.shape.vertices.min(axis=0), whole.shape.vertices.max(axis=0)
    assert (low[1], high[1]) == pytest.approx((2.0, 8.4 + 20 / 25.4))
    assert covered.shape.vertices[:, 1].min() == pytest.approx(6.2)


def test_hard_cover_is_hatched_closer_than_soft(scene):
    soft, hard = (fans(scene, *pair)[1].shape for pair in (("Archers/1", "Guard/1"), ("Archers/2", "Spears/1")))
    assert isinstance(soft, Surface)
    assert isinstance(hard, Surface)
    assert len(hard.edges) > 1.5 * len(soft.edges)


def test_lines_through_no_cover_are_not_hatched(scene):
    assert len(fans(scene, "Archers/3", "Scouts/1")) == 1


def test_other_systems_count_no_lines(scene):
    assert fans(scene, "Archers/1", "Guard/1", "wh40k-11e") == []

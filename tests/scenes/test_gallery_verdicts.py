"""The built-in scenes show what they are for."""

from __future__ import annotations

import dataclasses

import pytest

from deadground.scenes.document import read_scene
from deadground.scenes.gallery import example
from deadground.scenes.rulings import find
from deadground.scenes.rulings.verdict import Verdict

SEES = ""

# scene, options, observer, target, why not ("" if it sees)
SHOWN: list[tuple[str, dict[str, object], str, str, str]] = [
    ("windows", {}, "A/1", "B/1", "solid-gap"),
    ("windows", {}, "A/1", "C/1", SEES),
    ("windows", {"solid_height": 0.5}, "A/1", "B/1", SEES),
    ("straddle", {}, "low/1", "low target/1", "solid-gap"),
    ("straddle", {}, "tall/1", "tall target/1", SEES),
    ("straddle", {"straddle": "sill"}, "tall/1", "tall target/1", "solid-gap"),
    ("straddle", {"straddle": "whole"}, "low/1", "low target/1", SEES),
    ("notch-and-door", {}, "A/1", "B/1", SEES),
    ("notch-and-door", {}, "C/1", "D/1", "solid-gap"),
    ("notch-and-door", {}, "C/2", "D/2", "solid-gap"),
    ("upstairs", {}, "lookout/1", "street/1", SEES),
    ("upstairs", {}, "lookout/1", "cellar/1", "terrain"),
    ("upstairs", {}, "lookout/2", "stairs/1", "solid-gap"),
    ("upstairs", {"floor_gaps": False}, "lookout/2", "stairs/1", SEES),
    ("containers", {}, "A/1", "B/1", "terrain"),
    ("containers", {}, "A/2", "B/1", SEES),
    ("containers", {}, "A/1", "C/1", "obscuring"),
    ("obscuring", {}, "A/1", "within/1", SEES),
    ("obscuring", {}, "A/1", "behind/1", "obscuring"),
    ("obscuring", {}, "A/1", "round the corner/1", SEES),
    ("obscuring", {}, "A/1", "past the crater/1", SEES),
    ("adjacent-gap", {}, "A/1", "B/1", "adjacent-gap"),
    ("adjacent-gap", {"adjacent_gap": 0.0}, "A/1", "B/1", SEES),
    ("cover", {}, "E/1", "D/1", SEES),
    ("hidden", {}, "A/1", "D/1", "obscuring"),
    ("hidden", {}, "B/1", "D/1", SEES),
    ("demo", {}, "Rangers/1", "Guard/1", "solid-gap"),
    ("demo", {}, "Rangers/1", "Guard/2", SEES),
    ("demo", {}, "Rangers/2", "Scout/1", "adjacent-gap"),
    ("demo", {}, "Rangers/3", "Scout/2", "obscuring"),
    ("demo", {}, "Rangers/3", "Scout/3", "model"),
    ("demo", {}, "Walker/1", "Guard/1", "terrain"),
]


def verdict(name: str, options: dict[str, object], observer: str, target: str) -> Verdict:
    scene = read_scene(example(name))
    changed = dataclasses.replace(scene, options={"wh40k": {**scene.options.get("wh40k", {}), **options}})
    (found,) = find("wh40k-11e").judge(changed, observers=[observer], targets=[target]).models
    return found


@pytest.mark.parametrize(("name", "options", "observer", "target", "why_not"), SHOWN)
def test_a_built_in_scene_shows_what_it_is_for(name, options, observer, target, why_not):
    found = verdict(name, options, observer, target)
    assert found.visible is (why_not == SEES)
    assert [str(reason) for reason in found.reasons] == ([why_not] if why_not else [])
    assert found.certainty == ("witness" if found.visible else "proof")


def test_the_demo_has_a_pair_on_which_the_three_readings_differ():
    assert "readings-differ" in verdict("demo", {}, "Walker/1", "Gunner/1").notes

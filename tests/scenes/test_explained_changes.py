"""What `--explain` says would change an answer does change it: read from its words, made on the table, judged again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from deadground.geometry.parts import Parts
from deadground.geometry.patches import triangle_patches
from deadground.scenes.document import read_scene, scene_from
from deadground.scenes.gallery import example
from deadground.scenes.rulings.verdict import Finding, Reason, Verdict
from deadground.scenes.rulings.wh40k_11e import Warhammer40k
from deadground.scenes.rulings.wh40k_cover import Coverage
from deadground.scenes.scene import Scene

Change = Callable[[Scene, set[str]], Scene]
RULES = Warhammer40k()


def opened(scene: Scene, _: set[str]) -> Scene:
    ids = {f.name: tuple((o.id, False) for o in f.piece.openings) for f in scene.features}
    return replace(scene, features=tuple(replace(f, overruled=ids[f.name]) for f in scene.features))


def emptied(scene: Scene, _: set[str]) -> Scene:
    return replace(scene, areas=tuple(replace(area, features=()) for area in scene.areas))


def alone(scene: Scene, pair: set[str]) -> Scene:
    return replace(scene, units=tuple(u for u in scene.units if pair & {model.name for model in u.models}))


def with_options(scene: Scene, **given: Any) -> Scene:
    return replace(scene, options={"wh40k": {**scene.options.get("wh40k", {}), **given}})


CHANGES: dict[str, Change] = {
    "the enclosed gaps that Solid closes were open": opened,
    "the obscuring areas between were not there": emptied,
    "the other models between were not there": alone,
    "the small gaps between adjacent dense features were open": lambda scene, _: with_options(scene, adjacent_gap=0.0),
}


def verdict(scene: Scene, one: str, two: str) -> Verdict:
    (found,) = RULES.judge(scene, observers=[one], targets=[two]).models
    return found


def seen(found: Verdict) -> bool:
    """Whether a line was found, detected or not."""
    return found.visible or found.reasons == (Reason.HIDDEN,)


def changes_in(finding: Finding) -> Iterator[tuple[str, Change]]:
    """Each change that a finding names, and what it promises: "seen", "line", "all of it" or "detected"."""
    said = finding.change
    promise = {"It would be seen": "seen", "There would be a line": "line", "All of it": "all of it"}
    for begin, what in promise.items():
        if said.startswith(begin):
            for each in re.split(r", or if ", re.sub(r"^.*? if |(;.*)?\.$", "", said)):
                changes = [CHANGES[words] for words in each.split(" and ")]
                yield what, lambda scene, pair, changes=changes: applied(scene, pair, changes)
    limit = re.search(r"with a solid_height of ([\d.]+)\" there would be a line", said)
    if limit:
        yield "line", lambda scene, _: with_options(scene, solid_height=float(limit[1]))
    if said.startswith("It would be detected"):
        more = re.search(r"detection range were ([\d.]+)\"", said)
        assert more
        yield "detected", lambda scene, _: replace(scene, units=tuple(keener(u, more[1]) for u in scene.units))


def keener(unit: Any, more: str) -> Any:
    own = 15.0 if unit.wh40k.detection_range is None else unit.wh40k.detection_range
    return replace(unit, wh40k=replace(unit.wh40k, detection_range=own + float(more)))


def applied(scene: Scene, pair: set[str], changes: list[Change]) -> Scene:
    for change in changes:
        scene = change(scene, pair)
    return scene


def kept_promises(scene: Scene, one: str, two: str) -> int:
    """Makes every change that is named for a pair, and sees that it does what it is said to do."""
    before, kept = verdict(scene, one, two), 0
    for finding in RULES.explain(scene, one, two):
        for promise, change in changes_in(finding):
            after = verdict(change(scene, {one, two}), one, two)
            was = {"seen": before.visible, "line": seen(before), "all of it": before.fully_visible}
            now = {"seen": after.visible, "line": seen(after), "all of it": after.fully_visible}
            was["detected"], now["detected"] = (Reason.HIDDEN not in v.reasons for v in (before, after))
            assert not was[promise], (one, two, finding.change)
            assert now[promise], (one, two, finding.change)
            kept += 1
    return kept


def every_pair(scene: Scene) -> int:
    pairs = [(a.name, b.name) for a, b in product(scene.models, repeat=2) if a.side != b.side]
    return sum(kept_promises(scene, one, two) for one, two in pairs)


EVERYDAY = ("hidden-needs",)
SLOW = ("obscuring", "adjacent-gap", "cover-by-model", "hidden-range", "own-area")


@pytest.mark.parametrize("name", [*EVERYDAY, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_what_is_said_to_change_an_answer_changes_it(name: str):
    assert every_pair(read_scene(example(name)))


A = {"name": "A", "side": "red", "base": "32mm", "height": 1.5, "at": [[30, 16]]}
B = {"name": "B", "side": "blue", "base": "32mm", "height": 1.5, "at": [[30, 28]], "wh40k": {"keywords": ["INFANTRY"]}}
BIG = {"name": "C", "side": "red", "base": "60mm", "height": 3, "at": [[30, 26]]}
FAR = {**A, "at": [[30, 11]]}
ALL = {"name": "all", "outline": [[12, 2], [48, 2], [48, 38], [12, 38]]}
WOOD = {"name": "wood", "outline": [[22, 20], [38, 20], [38, 24], [22, 24]]}
COPSE = {"name": "copse", "outline": [[22, 27], [38, 27], [38, 30], [22, 30]]}


def bush(*at: float) -> dict[str, Any]:
    return {"name": f"bush {at}", "at": at, "wh40k": {"category": "light"}, "block": [{"size": [0.3, 0.3, 0.3]}]}


def ruin(*openings: dict[str, Any], **more: Any) -> dict[str, Any]:
    wall = {"from": [0, 0], "to": [16, 0], "height": 6, "thickness": 0.25, "openings": openings}
    return {"name": "ruin", "at": [22, 22], "wh40k": {"category": "dense"}, "wall": [wall], **more}


def table(**given: Any) -> Scene:
    filled = {"schema": 1, "units": "in", "ruleset": "wh40k-11e", "board": {"size": [60, 44]}, "unit": [A, B]}
    return scene_from({**filled, **given})


DOOR = {"at": 8, "width": 1.2, "sill": 0, "head": 2.4}
WINDOW = {"at": 8, "width": 1, "sill": 1.004, "head": 2.2}
SHUT = {"openings": [{"id": 1, "closed": True}]}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"area": [WOOD], "feature": [bush(23, 21)], "unit": [A, B, BIG]}, "were not there and the other models"),
        (
            {"area": [WOOD, COPSE], "feature": [bush(23, 21), bush(23, 29)], "unit": [FAR, B]},
            "would have to be detected",
        ),
        ({"area": [ALL], "feature": [ruin(DOOR)]}, 'with a solid_height of 0" there would be a line'),
        ({"area": [ALL], "feature": [ruin(WINDOW)]}, 'with a solid_height of 1" there would be a line'),
        ({"area": [ALL], "feature": [ruin(DOOR)], "wh40k": {"straddle": "sill"}}, "no solid_height leaves it open"),
        (
            {"area": [ALL], "feature": [ruin(WINDOW, **SHUT)]},
            "the scene says that it is closed: were it open there would",
        ),
        ({"area": [ALL], "feature": [ruin(WINDOW)], "unit": [A, B, BIG]}, "still no line clear"),
    ],
)
def test_what_is_named_is_all_that_it_takes(given: dict[str, Any], said: str):
    scene = table(**given)
    assert kept_promises(scene, "A/1", "B/1")
    assert any(said in finding.change for finding in RULES.explain(scene, "A/1", "B/1"))


GONE = {
    "area": [COPSE], "unit": [{**A, "at": [[30, 13.74]]}, B], "wh40k": {"gone_to_ground": True},
    "feature": [{**ruin(), "at": [30, 27.15], "wall": [{"from": [0, 0], "to": [5, 0], "height": 4, "thickness": 0.2}]}],
}  # fmt: skip


def test_a_model_gone_to_ground_is_explained_by_its_shorter_range():
    scene = table(**GONE)
    assert verdict(scene, "A/1", "B/1").reasons == (Reason.HIDDEN,)
    (hidden,) = [one for one in RULES.explain(scene, "A/1", "B/1") if one.rule == "13.09"]
    assert 'detected within 12", 3 less than usual' in hidden.found
    assert 'if the bases were 1.00" closer' in hidden.change
    assert kept_promises(scene, "A/1", "B/1") == 1


def test_behind_material_a_hidden_model_may_be_beyond_its_range_as_well():
    scene = table(area=[{**ALL, "outline": [[20, 27], [40, 27], [40, 32], [20, 32]]}], feature=[ruin(), bush(23, 28)])
    far = replace(scene, units=table(unit=[{**A, "at": [[30, 9]]}, B]).units)
    line, hidden = [one for one in RULES.explain(far, "A/1", "B/1") if one.rule in ("06.01", "13.09")][:2]
    assert "material alone blocks" in line.change
    assert ("beyond it" in hidden.found, hidden.change) == (True, "")


def test_cover_is_never_said_to_come_from_a_model_between():
    scene = table(unit=[A, {**B, "at": [[30, 24]]}, {**BIG, "name": "C", "base": "25mm", "at": [[30.3, 22.8]]}])
    (cover,) = [one for one in RULES.explain(scene, "A/1", "B/1") if one.rule == "13.08"]
    assert cover.found.startswith("No: B/1 is not")
    assert "only because of other models" in cover.found


def test_an_attacker_that_ignores_cover_is_told_no_loss():
    scene = table(area=[COPSE], unit=[{**A, "wh40k": {"ignores_cover": True}}, B])
    (cover,) = [one for one in RULES.explain(scene, "A/1", "B/1") if one.rule == "13.08"]
    assert cover.found == "Yes, but the attacker ignores cover: B/1 is within copse."


def test_hiding_that_rests_on_a_search_cut_short_is_only_sampled(monkeypatch: pytest.MonkeyPatch):
    cut_short = Parts(False, "sampled", 0.9, triangle_patches(np.empty((0, 3, 3))))
    monkeypatch.setattr(Coverage, "behind_solid", lambda *_: cut_short)
    scene = table(**GONE)
    found = verdict(scene, "A/1", "B/1")
    assert (found.visible, found.certainty) == (False, "sampled")
    assert found.resolution == pytest.approx(2 / 25.4)
    (hidden,) = [one for one in RULES.explain(scene, "A/1", "B/1") if one.rule == "13.09"]
    assert "Not certain" in hidden.found

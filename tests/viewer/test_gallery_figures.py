"""Every figure of the gallery shows what `gallery/<scene>.toml` says, by the referee's own report."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from deadground.scenes.document import read_scene
from deadground.scenes.gallery import CHAPTERS, SCANS, example, example_names
from deadground.scenes.rulings.verdict import Verdict
from deadground.scenes.rulings.wh40k_moving import move, nearest_end
from deadground.scenes.scene import Figure, Scene
from deadground.viewer.figure import judged
from deadground.viewer.judging import systems
from deadground.viewer.move import move_values
from deadground.viewer.moving import SYSTEM, model_named, standing_at
from deadground.viewer.plain_move import plain_move
from deadground.viewer.report_json import report_values
from deadground.viewer.subject import subject_of

EXPECTED = Path(__file__).parent / "gallery"
PARTS = {"lines", "units", "models", "states", "placement", "moves", "dangerous"}
KEYS = {"models": ("observer", "target"), "units": ("attacker", "target")}
CLOSE = 5e-3
EVERYDAY = 8
"""Every so many figures are compared every day; all of them under `slow`, and those of scans, which take long."""


@cache
def scene_of(name: str) -> Scene:
    return read_scene(example(name))


def expected(name: str) -> dict[str, Any]:
    return tomllib.loads((EXPECTED / f"{name}.toml").read_text(encoding="utf-8"))


def figures() -> list[Any]:
    found = [(name, figure.name) for name in example_names() for figure in scene_of(name).figures]
    return [
        pytest.param(
            *pair, id=f"{pair[0]}: {pair[1]}", marks=pytest.mark.slow if number % EVERYDAY or pair[0] in SCANS else ()
        )
        for number, pair in enumerate(found)
    ]


def said(verdict: Verdict) -> str:
    return "seen" if verdict.visible else " ".join(map(str, verdict.reasons))


def agree(found: Any, wanted: Any) -> bool:
    """Equal, numbers within a hair."""
    return abs(found - wanted) < CLOSE if isinstance(wanted, float) and found is not None else bool(found == wanted)


def entries(values: dict[str, Any], part: str) -> dict[str, dict[str, Any]]:
    """The entries of a part of the report, by what the expectations call them."""
    if part in KEYS:
        one, other = KEYS[part]
        return {f"{entry[one]} > {entry[other]}": entry for entry in values[part]}
    return {entry["model"]: entry for entry in values.get(part, [])}


def moved(scene: Scene, ruleset: str, figure: Figure) -> dict[str, dict[str, Any]]:
    """The moves of a figure as `move` says them in JSON, by the model."""
    found = {}
    for asked in figure.moves:
        model = model_named(scene, asked.model)
        x, y, height = (*asked.to, 0.0)[:3]
        end = standing_at(scene, model, (x, y, height))
        if ruleset == SYSTEM:
            way = move(scene, model, end, limit=asked.limit, fly=asked.fly)
            found[asked.model] = move_values(way, nearest_end(scene, model, way))
        else:
            found[asked.model] = plain_move(scene, ruleset, model, end, asked.limit, asked.charge)
    return found


def test_every_built_in_scene_stands_in_one_chapter():
    shown = [scene for chapter in CHAPTERS for scene in chapter.scenes]
    assert sorted(shown) == list(example_names())


def test_every_figure_is_expected_and_no_other():
    assert sorted(path.stem for path in EXPECTED.glob("*.toml")) == list(example_names())
    for name in example_names():
        assert set(expected(name)) == {figure.name for figure in scene_of(name).figures}, name


@pytest.mark.parametrize(("name", "figure"), figures())
def test_a_figure_of_the_gallery_shows_what_it_is_for(name: str, figure: str):
    wanted = expected(name)[figure]
    assert set(wanted) <= PARTS
    assert wanted or any(each.panels for each in scene_of(name).figures if each.name == figure)
    scene = scene_of(name)
    (asked,) = [each for each in scene.figures if each.name == figure]
    changed, report = judged(scene, systems(scene, None)[0], asked)
    if "lines" in wanted:
        drawn = subject_of(changed, report, asked).verdicts
        assert {f"{v.observer} > {v.target}": said(v) for v in drawn} == wanted["lines"]
        assert {str(v.certainty) for v in drawn} <= {"witness", "proof"}
    values = report_values(report)
    for part in ("units", "models", "states"):
        found = entries(values, part)
        for who, facts in wanted.get(part, {}).items():
            shown = {key: found[who].get(key) for key in facts}
            assert all(agree(shown[key], facts[key]) for key in facts), f"{who}: {shown}"
    placed = entries(values, "placement")
    for who, reasons in wanted.get("placement", {}).items():
        assert sorted(placed.get(who, {"reasons": []})["reasons"]) == sorted(reasons)
    found = moved(changed, report.ruleset, asked)
    assert set(wanted.get("moves", {})) == set(found)
    for who, facts in wanted.get("moves", {}).items():
        assert all(agree(found[who][key], facts[key]) for key in facts), f"{who}: {found[who]}"
    if "dangerous" in wanted:
        assert values["dangerous"] == wanted["dangerous"]

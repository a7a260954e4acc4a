"""A model whose body is a mesh sees and is seen by what the mesh is, not by the upright solid over its base."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from deadground.geometry.errors import SceneError
from deadground.scenes.document import scene_from
from deadground.scenes.options import options_of
from deadground.scenes.rulings.verdict import Reason
from deadground.scenes.rulings.wh40k_seeing import Seen, judge_pairs
from deadground.scenes.rulings.wh40k_terrain import barriers_of
from deadground.scenes.sight import Sight

EXPOSED = {"category": "exposed"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A thin pole on a base of 32 mm, and a board of 6 inches across on a pole."""
    disc = trimesh.creation.cylinder(radius=0.63, height=0.12, sections=6)
    pole = trimesh.creation.cylinder(radius=0.08, height=1.5, sections=4)
    wings = trimesh.creation.box([6, 0.3, 0.2])
    for body, height in ((disc, 0.06), (pole, 0.75), (wings, 1.4)):
        body.apply_translation([0, 0, height])
    trimesh.boolean.union([disc, pole]).export(tmp_path / "pole.stl")
    trimesh.boolean.union([disc, pole, wings]).export(tmp_path / "wings.stl")
    return tmp_path


def judged(folder: Path, meshes: tuple[str, str], walls: list[dict[str, Any]], **more: Any) -> Seen:
    """What sight says of A and B, whose bodies are meshes, with walls between them."""
    units = [
        {"name": name, "side": side, "base": "32mm", "mesh": {"file": file, "units": "in"}, "at": [[30, y]]}
        for name, side, file, y in zip("AB", ("red", "blue"), meshes, (16, 28), strict=True)
    ]
    feature = {"name": "walls", "at": [30, 22], "wh40k": EXPOSED, "wall": walls}
    document = {"schema": 1, "units": "in", "ruleset": "wh40k-11e", "board": {"size": [60, 44]}, "feature": [feature]}
    scene = scene_from({**document, "unit": [*units, *more.get("unit", [])]}, folder)
    sight = Sight(scene, barriers_of(scene, options_of(scene, "wh40k")))
    return judge_pairs(sight, [(scene.models[0], scene.models[1])])[0]


def test_the_air_over_a_base_sees_nothing_and_shows_nothing(folder: Path):
    """A tall wall ends between pole and rim; a low one stands before the bases."""
    tall = {"from": [-8, 0], "to": [0.5, 0], "height": 6, "thickness": 0.1}
    low = {"from": [-8, 0.5], "to": [8, 0.5], "height": 0.3, "thickness": 0.1}
    found = judged(folder, ("pole.stl", "pole.stl"), [tall, low])
    assert (found.visible, found.answer.certainty, found.reasons) == (False, "proof", (Reason.TERRAIN,))


@pytest.mark.parametrize("end", [0.0, 0.3])
def test_clear_lines_end_on_the_mesh(folder: Path, end: float):
    tall = {"from": [-8, 0], "to": [end, 0], "height": 6, "thickness": 0.1}
    found = judged(folder, ("pole.stl", "pole.stl"), [tall])
    assert found.line is not None
    for point, y in zip(found.line, (16, 28), strict=True):
        reach = float(np.hypot(point[0] - 30, point[1] - y))
        assert reach <= 0.0801 if point[2] > 0.1201 else reach <= 0.6301


def test_what_stands_before_a_wing_alone_is_a_reason(folder: Path):
    """A wall between the bases; past its end only a wing looks, at a third unit's back."""
    wall = {"from": [-8, 0], "to": [2, 0], "height": 6, "thickness": 0.1}
    beside = {"from": [3.3, 0], "to": [9, 0], "height": 6, "thickness": 0.1}
    other = {"name": "C", "side": "red", "base": "60mm", "height": 3, "at": [[32.65, 22]]}
    found = judged(folder, ("wings.stl", "wings.stl"), [wall, beside], unit=[other])
    assert (found.visible, found.reasons) == (False, (Reason.MODEL,))


def test_two_bodies_too_fine_together_are_refused(tmp_path: Path):
    ball = trimesh.creation.icosphere(subdivisions=4, radius=0.6)
    for name in ("pole.stl", "wings.stl"):
        ball.export(tmp_path / name)
    with pytest.raises(SceneError, match=r"unit A\.mesh: .* A/1 has 5120 triangles, B/1 has 5120; reduce one"):
        judged(tmp_path, ("pole.stl", "wings.stl"), [{"from": [0, 0], "to": [1, 0], "height": 1, "thickness": 0.1}])


def test_how_many_questions_are_answered_side_by_side_changes_no_answer(folder: Path, monkeypatch: pytest.MonkeyPatch):
    wall = {"from": [0, 0], "to": [4, 0], "height": 6, "thickness": 1}
    pole = {"name": "A", "side": "red", "base": "32mm", "mesh": {"file": "pole.stl", "units": "in"}, "at": [[30, 16]]}
    others = {"name": "B", "side": "blue", "base": "32mm", "height": 1.5, "at": [[30, 28], [36, 28], [30, 30]]}
    document = {
        "schema": 1, "units": "in", "ruleset": "wh40k-11e", "board": {"size": [60, 44]},
        "feature": [{"name": "wall", "at": [28, 22], "wall": [wall]}], "unit": [pole, others],
    }  # fmt: skip
    scene = scene_from(document, folder)
    sight = Sight(scene, barriers_of(scene, options_of(scene, "wh40k")))
    pairs = [(scene.models[0], other) for other in scene.models[1:]]
    together = [(answer.certainty, answer.cells) for answer in sight.clear(pairs)]
    monkeypatch.setattr("deadground.geometry.search._AT_ONCE", 1)
    told: list[int] = []
    assert [(answer.certainty, answer.cells) for answer in sight.clear(pairs, progress=told.append)] == together
    assert told == [1, 2, 3]
    assert [certainty for certainty, _ in together] == ["proof", "witness", "proof"]

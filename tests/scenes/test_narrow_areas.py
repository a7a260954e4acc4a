"""Areas narrower than two touches, or with so narrow a neck: the rest of the table is judged as ever."""

from __future__ import annotations

from typing import Any

import pytest
import trimesh

from deadground.geometry.errors import SceneError
from deadground.scenes.document import read_scene, scene_from, scene_text
from deadground.scenes.rulings import find
from deadground.scenes.rulings.verdict import Reason
from deadground.scenes.scene import Scene

Document = dict[str, Any]

BELL = [[10, 10], [14, 10], [14, 11.9995], [20, 11.9995], [20, 8], [26, 8], [26, 16], [20, 16],
        [20, 12.0005], [14, 12.0005], [14, 14], [10, 14]]  # fmt: skip
"""Two squares and a bar of a thousandth of an inch between them."""


def document(area: Document, *places: tuple[float, float]) -> Document:
    """A low hedge of an area, and for each place one model below it and one above, across y = 12."""
    spots = [[[x, y - 8] for x, y in places], [[x, y + 8] for x, y in places]]
    body = {"base": "25mm", "height": 1.5}
    return {
        "schema": 1,
        "ruleset": "40k",
        "units": "in",
        "board": {"size": [40, 40]},
        "area": [area],
        "feature": [{
            "name": "hedge", "at": [11, 11], "wh40k": {"category": "light"}, "block": [{"size": [0.2, 0.2, 0.2]}]
        }],
        "unit": [
            {"name": "A", "side": "red", "at": spots[0], **body},
            {"name": "B", "side": "blue", "at": spots[1], **body},
        ],
    }  # fmt: skip


def reasons(scene: Scene) -> list[tuple[Reason, ...]]:
    report = find("40k").judge(scene, observers=["A"])
    return [v.reasons for v in report.models if v.observer[1:] == v.target[1:]]


@pytest.mark.parametrize("width", [0.0005, 0.0015])
def test_an_area_that_is_only_its_edge_hides_nothing(width: float):
    strip = [[5, 12], [35, 12], [35, 12 + width], [5, 12 + width]]
    assert reasons(scene_from(document({"name": "strip", "outline": strip, "features": ["hedge"]}, (20, 12)))) == [()]


def test_an_area_a_little_wider_hides():
    strip = [[5, 12], [35, 12], [35, 12.003], [5, 12.003]]
    table = document({"name": "strip", "outline": strip, "features": ["hedge"]}, (20, 12))
    assert reasons(scene_from(table)) == [(Reason.OBSCURING,)]


def test_both_ends_of_an_area_with_a_narrow_neck_hide_and_its_neck_does_not():
    table = document({"name": "bell", "outline": BELL, "features": ["hedge"]}, (12, 12), (17, 12), (23, 12))
    assert reasons(scene_from(table)) == [(Reason.OBSCURING,), (), (Reason.OBSCURING,)]


def test_an_area_of_no_extent_is_refused():
    table = document({"name": "speck", "outline": [[0, 0], [1e-200, 0], [0, 1e-100]], "features": ["hedge"]}, (20, 12))
    with pytest.raises(SceneError, match="an outline with an area"):
        scene_from(table)


def test_a_wall_thinner_than_two_touches_blocks_by_its_material_alone():
    table = document({"name": "round", "outline": [[0, 0], [1, 0], [1, 1]], "features": ["hedge"]}, (20, 12))
    wall = {"from": [0, 0], "to": [30, 0], "height": 4, "thickness": 0.0015}
    table["feature"].append({"name": "foil", "at": [5, 12], "wall": [wall], "wh40k": {"category": "dense"}})
    assert reasons(scene_from(table)) == [(Reason.TERRAIN,)]


def test_a_sheet_without_a_thickness_blocks_by_its_material_alone(tmp_path):
    sheet = trimesh.Trimesh([[0, 0, 0], [30, 0, 0], [30, 0, 4], [0, 0, 4]], [[0, 1, 2], [0, 2, 3]], process=False)
    sheet.export(tmp_path / "sheet.stl")
    table = document({"name": "round", "outline": [[0, 0], [1, 0], [1, 1]], "features": ["hedge"]}, (20, 12))
    mesh = {"file": "sheet.stl", "units": "in"}
    table["feature"].append({"name": "sheet", "at": [20, 12], "mesh": mesh, "wh40k": {"category": "dense"}})
    (tmp_path / "table.toml").write_text(scene_text(table), encoding="utf-8")
    assert reasons(read_scene(tmp_path / "table.toml")) == [(Reason.TERRAIN,)]

"""A printed room with windows on all sides: who sees into it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from deadground.scenes.document import read_scene
from deadground.scenes.rulings import find
from deadground.scenes.rulings.verdict import Reason, Verdict

SCENE = """
schema = 1
ruleset = "wh40k-11e"
units = "in"
[board]
size = [60, 44]
[wh40k]
solid_height = {solid_height}
[[area]]
name = "all"
outline = [[10, 6], [50, 6], [50, 38], [10, 38]]
[[feature]]
name = "room"
at = [30, 22]
turn = {turn}
wh40k = {{ category = "dense" }}
mesh = {{ file = "building_room.stl", units = "mm" }}
[[unit]]
name = "outside"
side = "red"
base = "32mm"
height = {height}
at = [[{x}, {y}]]
[[unit]]
name = "inside"
side = "blue"
base = "25mm"
height = {inside}
at = [[30, 22]]
"""


@pytest.fixture
def room(data: Path, tmp_path: Path) -> Path:
    shutil.copy(data / "meshes" / "building_room.stl", tmp_path)
    return tmp_path


def verdict(
    room: Path,
    *,
    solid_height: float = 3.0,
    height: float = 1.5,
    inside: float = 1.5,
    x: float = 22.0,
    y: float = 22.0,
    turn: float = 0.0,
) -> Verdict:
    text = SCENE.format(solid_height=solid_height, height=height, inside=inside, x=x, y=y, turn=turn)
    (room / "scene.toml").write_text(text, encoding="utf-8")
    report = find("wh40k").judge(read_scene(room / "scene.toml"), observers=["outside"], targets=["inside"])
    return report.models[0]


@pytest.mark.parametrize(("turn", "x", "y"), [(0, 22, 22), (0, 38, 22), (0, 30, 30), (90, 30, 14), (180, 38, 22)])
def test_a_window_below_three_inches_is_closed_to_both(room, turn, x, y):
    found = verdict(room, turn=turn, x=x, y=y)
    assert not found.visible
    assert found.reasons == (Reason.SOLID_GAP,)
    assert found.certainty == "proof"
    assert found.blocker is not None
    assert found.blocker.feature == "room"
    assert found.blocker.opening is not None


@pytest.mark.parametrize(("turn", "x", "y"), [(0, 22, 22), (0, 30, 30), (90, 30, 14)])
def test_with_a_lower_limit_the_windows_are_open(room, turn, x, y):
    found = verdict(room, turn=turn, x=x, y=y, solid_height=0.4)
    assert found.visible
    assert found.certainty == "witness"


def test_the_double_door_is_a_relief_and_stays_closed(room):
    found = verdict(room, x=30, y=14, solid_height=0.0)
    assert not found.visible
    assert found.reasons == (Reason.TERRAIN,)


@pytest.mark.parametrize(("x", "y"), [(22, 22), (30, 14), (24, 17)])
def test_a_tall_model_sees_in_over_the_open_top(room, x, y):
    found = verdict(room, x=x, y=y, height=6.0)
    assert found.visible
    assert max(point[2] for point in found.line) > 50 / 25.4  # the walls' top


def test_a_tall_model_inside_is_seen_over_the_walls(room):
    assert verdict(room, inside=3.0).visible

from __future__ import annotations

import json
from pathlib import Path

import pytest
import shapely

from deadground.viewer.cli import run

SCENE = """
schema = 1
units = "in"
ruleset = "sctmg"
board = { size = [30, 20] }
feature = [
    { name = "tower", at = [6, 10], block = [{ size = [5, 5, 3] }], sctmg = { size = 3 } },
    { name = "wall", at = [16, 12], turn = 20, block = [{ size = [0.5, 6, 3] }], sctmg = { size = 5 } },
]
unit = [
    { name = "A", side = "red", base = "32mm", height = 1.5, at = [[7, 10, 3], [12, 19]], sctmg = { size = 2 } },
    { name = "B", side = "blue", base = "32mm", height = 1.5, at = [[24, 15]], sctmg = { size = 2 } },
]
"""


@pytest.fixture
def scene(tmp_path: Path) -> str:
    place = tmp_path / "scene.toml"
    place.write_text(SCENE, encoding="utf-8")
    return str(place)


def ground(values: dict) -> shapely.Geometry:
    rings = values["dead_ground"][0]["polygons"]
    return shapely.union_all([shapely.Polygon(ring["outline"], ring["holes"]) for ring in rings])


def test_the_map_gives_polygons(scene, capsys):
    assert run(["map", scene, "A/1", "--size", "2", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert [zone["feature"] for zone in values["dead_zones"]] == ["tower", "wall"]
    hidden = ground(values)
    assert hidden.area == pytest.approx(values["dead_ground"][0]["area"], abs=0.01)
    assert hidden.contains(shapely.Point(24, 15))
    assert not hidden.intersects(shapely.Point(12, 2))


def test_a_unit_sees_what_any_of_its_models_sees(scene, capsys):
    areas = []
    for observer in ("A/1", "A/2", "A"):
        assert run(["map", scene, observer, "--size", "2", "--json"]) == 0
        areas.append(json.loads(capsys.readouterr().out)["dead_ground"][0]["area"])
    assert areas[2] < min(areas[:2])


def test_without_an_observer_there_are_dead_zones_only(scene, capsys):
    assert run(["map", scene]) == 0
    assert capsys.readouterr().out == (
        "dead zone round tower: 23.1 square inches\ndead zone round wall: 16.1 square inches\n"
    )


def test_the_map_is_drawn_in_plan(scene, capsys, tmp_path):
    assert run(["map", scene, "A/1", "--size", "2", "-o", str(tmp_path / "map.svg")]) == 0
    drawn = (tmp_path / "map.svg").read_text(encoding="utf-8")
    assert "dead ground" in drawn
    assert "dead zone of tower" in drawn
    assert "map.svg" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["A/1"], "--size: expected the Size of the target, 0 or more"),
        (["A/1", "--size", "-1"], "found -1"),
        (["A/9", "--size", "2"], "expected a unit or a model"),
        (["A/1", "--size", "2", "--base", "60x35mm"], "expected a round base"),
        (["A/1", "--size", "2", "--base", "big"], "--base: expected a base"),
        (["--ruleset", "40k"], "--ruleset: expected sctmg, which knows dead ground, found 40k"),
    ],
)
def test_what_is_asked_wrongly_is_said_in_one_line(scene, capsys, words, said):
    assert run(["map", scene, *words]) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""

"""The commands `move` and `reach`."""

from __future__ import annotations

import json
import math

import pytest

from deadground.viewer.cli import run

SCENE = """
schema = 1
ruleset = "wh40k-11e"
units = "{unit}"

[board]
size = [{board}]

[[feature]]
name = "store"
at = [{store}]
wh40k = {{ category = "dense" }}

[[feature.floor]]
outline = [[0, 0], [{side}, 0], [{side}, {side}], [0, {side}]]
top = {top}
thickness = {thick}

[[unit]]
name = "A"
side = "red"
base = "32mm"
height = {height}
at = [[{at}]]
wh40k = {{ keywords = ["INFANTRY"] }}
"""
INCH = {
    "unit": "in",
    "board": "40, 30",
    "store": "10, 10",
    "side": 6,
    "top": 3,
    "thick": 0.2,
    "height": 1.5,
    "at": "5, 13",
}
MM = {"unit": "mm", "board": "1016, 762", "store": "254, 254", "side": 152.4, "top": 76.2, "thick": 5.08,
      "height": 38.1, "at": "127, 330.2"}  # fmt: skip


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(SCENE.format(**INCH), encoding="utf-8")
    return str(path)


def answer(capsys, *arguments):
    assert run(arguments) == 0
    return json.loads(capsys.readouterr().out)


def test_a_move_in_json_has_all_that_was_agreed(scene, capsys):
    values = answer(capsys, "move", scene, "A/1", "13,13,3", "--limit", "6", "--json")
    assert values["model"] == "A/1"
    assert values["legal"] is True
    assert (values["distance"], values["across"], values["up"], values["down"]) == (11, 8, 3, 0)
    assert values["limit"] == 6
    assert values["within_limit"] is False
    assert values["reasons"] == ["too-far"]
    assert values["path"][0] == [5, 13, 0]
    assert values["path"][-1] == [13, 13, 3]
    assert [leg["kind"] for leg in values["legs"]][:2] == ["across", "up"]
    assert math.dist(values["nearest"], [10 - 0.5 - 32 / 50.8, 13, 0]) < 0.2  # where it begins to climb


def test_without_a_limit_nothing_is_said_of_it(scene, capsys):
    values = answer(capsys, "move", scene, "A", "13,13,3.04", "--json")
    assert not {"limit", "within_limit"} & set(values)
    assert values["reasons"] == []
    assert values["path"][-1] == [13, 13, 3]


def test_a_move_in_words_tells_leg_by_leg_and_why_not(scene, capsys):
    assert run(["move", scene, "A/1", "10.2,13,3"]) == 0
    said = capsys.readouterr().out
    assert "not legal" in said
    assert "up 3.00″" in said
    assert "(overhang)" in said
    assert "nearest place where it may end: 10.63, 13.00, height 3.00" in said


def test_millimetres_on_the_command_line_mean_the_same(tmp_path, capsys, scene):
    other = tmp_path / "mm.toml"
    other.write_text(SCENE.format(**MM), encoding="utf-8")
    inch = answer(capsys, "move", scene, "A/1", "13,13,3", "--limit", "12", "--json")
    assert answer(capsys, "move", str(other), "A/1", "330.2,330.2,76.2", "--limit", "304.8", "--json") == inch


def test_strict_exits_with_one_for_what_is_not_legal(scene, capsys):
    assert run(["move", scene, "A/1", "10.2,13,3", "--strict"]) == 1
    assert run(["move", scene, "A/1", "20,13", "--strict"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("move", "A/2", "1,1"), "MODEL"),
        (("move", "A/1", "1"), "X,Y"),
        (("move", "A/1", "1,nan"), "X,Y"),
        (("move", "A/1", "1,1", "--fly"), "FLY"),
        (("move", "A/1", "1,1", "--limit", "-3"), "--limit"),
        (("reach", "A/1", "--limit", "6", "--ruleset", "t9a"), "--ruleset"),
        (("move", "A/1", "1,1", "--ruleset", "t9a", "-o", "move.svg"), "-o"),
        (("reach", "A/1", "--limit", "inf"), "--limit"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(scene, capsys, arguments, said):
    command, *rest = arguments
    assert run([command, scene, *rest]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


def test_a_reach_in_json_is_polygons_for_each_level(scene, capsys):
    values = answer(capsys, "reach", scene, "A/1", "--limit", "9", "--json")
    assert [level["height"] for level in values["levels"]] == [0, 3]
    ground = values["levels"][0]
    assert ground["bands"][0]["inches"] == 1
    assert ground["bands"][0]["area"] == pytest.approx(math.pi, rel=0.05)
    assert len(ground["polygons"][0]["outline"]) > 8


def test_a_reach_is_drawn(scene, tmp_path, capsys):
    path = tmp_path / "reach.svg"
    assert run(["reach", scene, "A/1", "--limit", "5", "-o", str(path)]) == 0
    assert "Where A/1 can end" in path.read_text(encoding="utf-8")
    assert "on the ground" in capsys.readouterr().out

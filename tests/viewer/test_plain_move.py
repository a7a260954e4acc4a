"""`move` in the systems that measure from above: a straight move, its end, and what it brings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deadground.scenes.document import read_scene
from deadground.viewer.cli import run
from deadground.viewer.plain_move import plain_move

SCENE = """
schema = 1
ruleset = "{system}"
units = "in"
[board]
size = [40, 30]
[[feature]]
name = "bog"
at = [10, 10]
sctmg = {{ size = 0 }}
t9a = {{ dangerous = "4+" }}
[[feature.block]]
size = [4, 4, 0.1]
at = [0, 0, 0]
[[unit]]
name = "A"
side = "red"
base = "25mm"
height = 1
at = [[4, 10], [4, 12]]
sctmg = {{ size = 2 }}
t9a = {{ height = 1 }}
[[unit]]
name = "B"
side = "blue"
base = "25mm"
height = 1
at = [[20, 10]]
sctmg = {{ size = 2 }}
t9a = {{ height = 1 }}
[[token]]
name = "beacon"
at = [4, 20]
radius = 1
"""


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def asked(system: str, place: str, *more: str) -> dict:
        file = tmp_path / "scene.toml"
        file.write_text(SCENE.format(system=system), encoding="utf-8")
        assert run(["move", str(file), "A/1", place, "--json", *more]) == 0
        return json.loads(capsys.readouterr().out)

    return asked


def test_distance_is_across_only(ask):
    assert ask("sctmg", "4,4")["distance"] == 6.0


def test_no_starcraft_move_ends_within_an_inch_of_an_enemy_but_a_charge_may(ask):
    base = 25 / 25.4
    near, far = f"{20 - base - 1:.4f},10", f"{20 - base - 1.01:.4f},10"
    assert ask("sctmg", near)["reasons"] == ["engagement-range"]
    assert ask("sctmg", far)["legal"]
    assert ask("sctmg", near, "--charge")["legal"]


def test_tokens_are_crossed_but_not_ended_on(ask):
    assert ask("sctmg", "4,20")["reasons"] == ["on-token"]
    assert ask("sctmg", "4,25")["legal"]


def test_too_far_is_a_reason_of_its_own_and_makes_no_move_illegal(ask):
    answer = ask("sctmg", "4,4", "--limit", "5")
    assert (answer["legal"], answer["within_limit"], answer["reasons"]) == (True, False, ["too-far"])


def test_the_way_over_dangerous_ground_brings_tests_even_if_it_ends_beyond(ask):
    assert [(entry["feature"], entry["tests"]) for entry in ask("t9a", "16,10")["dangerous"]] == [("bog", 1)]
    assert ask("t9a", "4,4")["dangerous"] == []


def test_flight_is_declared_in_one_system_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "scene.toml"
    file.write_text(SCENE.format(system="t9a"), encoding="utf-8")
    assert run(["move", str(file), "A/1", "4,4", "--fly"]) == 2
    assert "--fly" in capsys.readouterr().err


def test_what_is_on_the_way_is_named_and_stops_nothing(ask):
    answer = ask("sctmg", "24,10")
    assert answer["legal"]
    assert answer["passes"] == {"terrain": ["bog"], "models": ["B/1"]}
    assert ask("sctmg", "4,4")["passes"] == {"terrain": [], "models": []}


@pytest.mark.parametrize("system", ["sctmg", "t9a"])
@pytest.mark.parametrize("height", ["7", "-1"])
def test_a_move_ends_on_something(ask, system, height):
    assert ask(system, f"4,4,{height}")["reasons"] == ["no-surface"]
    assert ask(system, "10,10,0.1")["legal"]


def test_an_engaged_unit_is_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "scene.toml"
    file.write_text(SCENE.format(system="sctmg").replace("[[20, 10]]", "[[5.5, 12]]"), encoding="utf-8")
    assert run(["move", str(file), "A/1", "4,4"]) == 0  # A/2 holds the unit, not the model that moves
    assert "its unit is engaged with B: it may only disengage or hold" in capsys.readouterr().out


def test_when_dangerous_terrain_is_tested_for_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "scene.toml"
    file.write_text(SCENE.format(system="t9a"), encoding="utf-8")
    assert run(["move", str(file), "A/1", "16,10"]) == 0
    said = capsys.readouterr().out
    assert "on its way: bog; whether it may pass is yours to judge, and no way round is sought" in said
    assert "after a march, charge, failed charge, flee or pursue move" in said


def test_a_system_that_says_nothing_of_moves_has_its_ends_judged_all_the_same(tmp_path: Path):
    file = tmp_path / "scene.toml"
    file.write_text(SCENE.format(system="t9a"), encoding="utf-8")
    scene = read_scene(file)
    answer = plain_move(scene, "another", scene.models[0], (20.0, 10.0, 0.0), 5.0, False)
    assert answer["reasons"] == ["overlaps-model", "too-far"]

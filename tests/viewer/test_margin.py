"""`check --margin`: nothing at 0, said in words and in JSON otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from deadground.viewer.cli import run
from deadground.viewer.report_schema import report_schema

SCENE = """
schema = 1
ruleset = "40k"
units = "{unit}"
[board]
size = [{0}, {0}]
[[feature]]
name = "wall"
at = [{1}, {1}]
wh40k = {{ category = "exposed" }}
[[feature.block]]
size = [{2}, {3}, {4}]
[[unit]]
name = "A"
side = "red"
base = "1in"
height = {5}
at = [[{6}, {7}]]
[[unit]]
name = "B"
side = "blue"
base = "1in"
height = {5}
at = [[{6}, {8}], [{9}, {7}]]
"""
NUMBERS = (30, 10, 6, 1, 5, 1.5, 12.6, 8, 12, 20)


def scene(folder: Path, unit: str = "in") -> Path:
    path = folder / f"{unit}.toml"
    numbers = [number * (1 if unit == "in" else 25.4) for number in NUMBERS]
    path.write_text(SCENE.format(*numbers, unit=unit), encoding="utf-8")
    return path


def test_a_margin_of_nothing_is_check(tmp_path, capsys):
    said = []
    for more in ([], ["--margin", "0"], ["--json"], ["--json", "--margin", "0"]):
        assert run(["check", str(scene(tmp_path)), *more]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert said[2] == said[3]
    assert "margin" not in said[2]


def test_a_flip_is_said_with_its_move(tmp_path, capsys):
    assert run(["check", str(scene(tmp_path)), "--margin", "0.25"]) == 0
    out = capsys.readouterr().out
    assert "of 4 verdicts 2 are certain to stay, 0 stayed in every place tried, and 2 flip:" in out
    assert "A/1 → B/1: not seen with A/1 moved 0.1" in out
    assert "* A/1 → B/1, B/1 → A/1: A close call" in out


def test_the_json_says_the_same_and_fits_its_schema_in_inches_and_in_millimetres(tmp_path, capsys):
    moves = []
    for unit, margin in (("in", "0.25"), ("mm", "6.35")):
        assert run(["check", str(scene(tmp_path, unit)), "--margin", margin, "--json"]) == 0
        values = json.loads(capsys.readouterr().out)
        jsonschema.validate(values, report_schema())
        entry = values["models"][0]
        assert entry["notes"] == ["margin"]
        assert (entry["margin"]["outcome"], entry["margin"]["within"]) == ("flips", 0.25)
        moves.append(entry["margin"]["move"]["distance"])
        assert values["models"][1]["margin"] == {"within": 0.25, "outcome": "stable", "certified": True}
    assert moves[0] == pytest.approx(moves[1], abs=1e-2)


@pytest.mark.parametrize("margin", ["-1", "7", "nan"])
def test_a_margin_must_be_one(tmp_path, margin, capsys):
    assert run(["check", str(scene(tmp_path)), f"--margin={margin}"]) == 2
    assert "--margin: expected 0 to 6 inches" in capsys.readouterr().err

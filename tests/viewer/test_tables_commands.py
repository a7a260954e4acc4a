"""The commands for real tables: import, populate, bases."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from deadground.scenes.document import read_scene
from deadground.scenes.standing import faults
from deadground.viewer.bases import base_text
from deadground.viewer.cli import run

TEMPLATES = [
    {
        "id": "mat",
        "kind": "area",
        "footprint": {"type": "rectangle", "width": 10, "height": 6},
    },
    {
        "id": "crate",
        "kind": "feature",
        "footprint": {"type": "rectangle", "width": 4, "height": 2},
        "default_height_inches": 3,
        "terrain_category": "dense",
    },
]
LAYOUTS = [
    {
        "id": name,
        "name": f"Table {name}",
        "pieces": [
            {"id": "m", "template": "mat", "position": {"x": 20, "y": 10}},
            {"id": "c", "template": "crate", "position": {"x": 1, "y": 0}, "parent_area_id": "m"},
        ],
    }
    for name in ("one", "two")
]
BASES = [
    {"unit": "Riders", "raw": "75x42mm Oval Base"},
    {"unit": "Riders", "model": "Captain", "raw": "28.5mm"},
    {"unit": "Tank", "raw": "Hull"},
]


@pytest.fixture
def layouts(tmp_path: Path) -> Path:
    (tmp_path / "terrain-templates.json").write_text(json.dumps(TEMPLATES), encoding="utf-8")
    path = tmp_path / "layouts.json"
    path.write_text(json.dumps(LAYOUTS), encoding="utf-8")
    return path


@pytest.fixture
def table(layouts: Path) -> Path:
    path = layouts.parent / "table.toml"
    assert run(["import", str(layouts), "one", "-o", str(path)]) == 0
    return path


def test_an_imported_layout_is_a_scene_with_its_choices_as_comments(table):
    scene = read_scene(table)
    assert (scene.title, scene.board) == ("Table one", (60.0, 44.0))
    assert (scene.features[0].x, scene.features[0].y) == (21.0, 34.0)
    assert [area.features for area in scene.areas] == [("c",)]
    text = table.read_text(encoding="utf-8")
    assert "# - walls have no openings (--windows)" in text
    assert "the board is 60 by 44 inches (--board)" in text


def test_every_layout_of_a_file_can_be_imported(layouts, tmp_path, capsys):
    assert run(["import", str(layouts), "--all", "-o", str(tmp_path / "all")]) == 0
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == ["one.toml", "two.toml"]
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / "all" / f"{name}.toml") for name in ("one", "two")]


def test_a_height_is_changed_by_an_option(layouts, tmp_path):
    path = tmp_path / "t.toml"
    assert run(["import", str(layouts), "one", "-o", str(path), "--height", "crate=4.5"]) == 0
    assert tomllib.loads(path.read_text(encoding="utf-8"))["feature"][0]["prism"][0]["height"] == 4.5


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["three"], "expected the id of a layout, found 'three'"),
        ([], "expected the id of a layout, or --all"),
        (["one", "--all"], "and not both"),
        (["one", "--height", "crat=3"], "did you mean crate?"),
        (["one", "--height", "crate=tall"], '--height: expected inches, more than 0 and at most 1000, found "tall"'),
        (["one", "--storey", "0"], "--storey"),
        (["one", "--floor-thickness", "4"], "expected less than a level"),
        (["one", "--windows", "1", "3", "2"], "a sill below a head"),
        (["one", "--board", "10", "10"], "inches off it"),
        (["one", "--templates", "none.json"], "none.json: cannot be read"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_imported_is_one_line(layouts, tmp_path, more, words, capsys):
    path = tmp_path / "never.toml"
    assert run(["import", str(layouts), *more, "-o", str(path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n"), path.exists()) == ("", 1, False)
    assert words in err


@pytest.mark.parametrize("unit", ["in", "mm"])
def test_an_army_is_added_and_all_else_stays(table, tmp_path, unit):
    if unit == "mm":
        table.write_text('# mine\nschema = 1\nruleset = "40k"\nunits = "mm"\n[board]\nsize = [900, 600]\n', "utf-8")
    path = tmp_path / "army.toml"
    assert run(["populate", str(table), "--side", "red", "--units", "2", "--models", "3", "-o", str(path)]) == 0
    assert run(["populate", str(path), "--side", "blue", "--units", "1", "--models", "2", "-o", str(path)]) == 0
    before, after = table.read_text(encoding="utf-8"), path.read_text(encoding="utf-8")
    assert after.startswith(before.rstrip())
    scene = read_scene(path)
    assert [unit.name for unit in scene.units] == ["red-1", "red-2", "blue-1"]
    assert [faults(scene, model) for model in scene.models] == [()] * 8
    assert [model.height for model in scene.models] == pytest.approx([1.5] * 8)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--base", "big"], "--base"),
        (["--zone", "0", "0", "100", "1"], "--zone"),
        (["--seed", "-1"], "--seed"),
        (["--height", "0"], "--height"),
        (["--zone", "0", "0", "2", "2"], "expected room for 10 units of 5"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_army_that_cannot_be_is_one_line(table, tmp_path, more, words, capsys):
    capsys.readouterr()
    assert run(["populate", str(table), "--side", "red", *more, "-o", str(tmp_path / "never.toml")]) == 2
    assert words in capsys.readouterr().err


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    path = tmp_path / "bases.json"
    path.write_text(json.dumps(BASES), encoding="utf-8")
    return path


def test_a_base_is_looked_up_as_a_scene_takes_it(guide, capsys):
    assert run(["bases", "riders", "--list", str(guide)]) == 0
    assert capsys.readouterr().out == 'Riders: base = "75x42mm"\nRiders, Captain: base = "28.5mm"\n'


def test_a_base_without_a_size_is_said_to_be_unmeasured(guide, capsys):
    assert run(["bases", "Tank", "--list", str(guide)]) == 0
    assert capsys.readouterr().out == 'Tank: unmeasured ("Hull")\n'
    assert run(["bases", "Tank", "--list", str(guide), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bases"] == [{"unit": "Tank", "listed": "Hull", "measured": False}]


def test_an_unknown_miniature_is_answered_with_the_nearest(guide, capsys):
    assert run(["bases", "Rider captain", "--list", str(guide)]) == 2
    assert "did you mean" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("listed", "base"),
    [("32mm", "32mm"), ("120x92mm Oval Base", "120x92mm"), ("Hull", None), ("Large Flying Base", None), ("", None)],
)
def test_only_sizes_are_bases(listed, base):
    assert base_text(listed) == base


def test_every_size_of_a_real_list_is_understood(data: Path):
    entries = json.loads((data / "layouts" / "base-size-guide.json").read_text(encoding="utf-8"))
    unmeasured = {entry["raw"] for entry in entries if base_text(entry["raw"]) is None}
    assert not [raw for raw in unmeasured if any(sign.isdigit() for sign in raw)]

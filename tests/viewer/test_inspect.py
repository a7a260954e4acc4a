"""`deadground inspect`: reports, tables, JSON, exit codes; and that it leaves nothing behind."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import trimesh
from shapely import box

from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.files import FORMATS, export
from deadground.meshes.solid import prism, united
from deadground.viewer.cli import run
from deadground.viewer.inspection_json import inspection_schema
from deadground.viewer.looked import mesh_files

X, _, Z = np.eye(3)


def wall() -> trimesh.Trimesh:
    """6 long, 4.5 high: a door for 32 mm, a window under 3 inches, one over it."""
    shape = box(0, 0, 6, 4.5)
    for hole in (box(0.5, -1, 1.8, 2), box(2.5, 1, 3.5, 2), box(4, 3.2, 5, 4)):
        shape = shape.difference(hole)
    front = prism(shape, np.zeros(3), X, Z, -0.25, 0.0)
    return united([front, trimesh.creation.box(bounds=[[0, 0, 2.8], [6, 2, 3]]),
                   trimesh.creation.box(bounds=[[0, 1.75, 0], [6, 2, 3]])])  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    export(wall(), tmp_path / "wall.stl")
    export(trimesh.creation.box(extents=[3, 2, 2]), tmp_path / "crate.stl")
    export(trimesh.creation.box(extents=[35, 1, 1]), tmp_path / "huge.stl")
    return tmp_path


def values(capsys, *arguments: str) -> dict:
    assert run(["inspect", *arguments, "--json"]) == 0
    found: dict = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, inspection_schema())
    return found


def test_a_report_tells_openings_floors_and_what_the_rules_make_of_them(folder, capsys):
    assert run(["inspect", str(folder / "wall.stl"), "--units", "mm"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for words in (
        "wall.stl",
        "Openings, 4",
        "doorway",
        "round to 32mm",
        "closed",
        "open",
        "exactly at 3 inches",
        "Most like dense",
    ):
        assert words in out
    assert max(map(len, out.splitlines())) <= 100
    assert "Traceback" not in out


def test_json_has_every_fact(folder, capsys):
    piece = values(capsys, str(folder / "wall.stl"), "--units", "mm")
    assert piece["file"] == str(folder / "wall.stl")
    assert piece["units"] == "mm"
    assert piece["closed_mesh"] is True
    assert piece["size"] == pytest.approx([6, 2, 4.5], abs=1e-3)
    assert piece["wall_top"] == pytest.approx(4.5, abs=1e-3)
    assert [gap["state"] for gap in piece["openings"]] == ["closed"] * 3 + ["open"]
    assert [gap["confidence"] for gap in piece["openings"]] == ["sure"] * 4
    assert piece["openings"][0]["passes"][-1] in ("32mm", "28.5mm")
    assert piece["first_floor"] == {"height": pytest.approx(3, abs=1e-3), "limit": "exactly"}
    assert piece["stability"]["stands"] is True
    assert piece["category"]["advice"] == "dense"
    assert {finding["level"] for finding in piece["findings"]} <= {"ok", "note", "warning"}


def test_the_limit_is_an_option(folder, capsys):
    piece = values(capsys, str(folder / "wall.stl"), "--units", "mm", "--limit", "1.5")
    assert [gap["state"] for gap in piece["openings"]] == ["straddles"] * 3 + ["open"]


def test_a_folder_gives_one_table_worst_first_and_nothing_is_left_in_it(folder, capsys):
    before = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    assert run(["inspect", str(folder), "--units", "mm"]) == 0
    assert {file.name: file.stat().st_mtime_ns for file in folder.iterdir()} == before
    out, _ = capsys.readouterr()
    rows = [line.split()[0] for line in out.splitlines() if ".stl " in line and not line.startswith("-")]
    assert rows[0] == "huge.stl"
    assert sorted(rows) == ["crate.stl", "huge.stl", "wall.stl"]
    assert "3 files: 1 with errors" in out


def test_progress_is_shown_on_a_terminal_and_only_on_stderr(folder, capsys, monkeypatch):
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    assert run(["inspect", str(folder / "crate.stl"), str(folder / "crate.stl"), "--units", "mm"]) == 0
    assert "crate.stl" in shown.getvalue()
    assert "\x1b" not in capsys.readouterr().out


def test_one_broken_file_does_not_stop_the_others(folder, capsys):
    (folder / "broken.stl").write_bytes((folder / "wall.stl").read_bytes()[:700])
    (folder / "wall.stl").unlink()
    (folder / "huge.stl").unlink()
    assert run(["inspect", str(folder), "--units", "mm", "--json"]) == 2
    out, err = capsys.readouterr()
    found = json.loads(out)
    jsonschema.validate(found, inspection_schema())
    assert [Path(entry["file"]).name for entry in found["pieces"] if "error" in entry] == ["broken.stl"]
    assert len(found["pieces"]) == 2
    assert [line for line in err.splitlines() if "broken.stl" in line and "cut short" in line]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [("c*.stl", ["crate"]), ("?all.stl", ["wall"]), ("*.stl", ["crate", "huge", "wall"]), ("*.obj", ["*"])],
)
def test_a_pattern_stands_for_the_files_it_fits_where_the_shell_leaves_it_as_it_is(pattern, names, folder):
    assert [file.stem for file in mesh_files([folder / pattern])] == names


def test_capitals_of_units_and_axes_do_not_matter(folder, capsys):
    plain = values(capsys, str(folder / "crate.stl"), "--units", "mm", "--up", "-y")
    capital = values(capsys, str(folder / "crate.stl"), "--units", "MM", "--up", "-Y")
    assert {**capital, "units": "mm"} == plain


def test_a_pattern_gives_what_its_files_would(folder, capsys):
    assert run(["inspect", str(folder / "c*.stl"), "--units", "mm"]) == 0
    assert "crate.stl" in capsys.readouterr().out
    assert run(["inspect", str(folder / "*.obj"), "--units", "mm"]) == 2
    assert "*.obj: cannot be read" in capsys.readouterr().err


def test_several_files_may_be_named(folder, capsys):
    found = values(capsys, str(folder / "huge.stl"), str(folder / "crate.stl"), "--units", "mm")
    assert [Path(piece["file"]).name for piece in found["pieces"]] == ["huge.stl", "crate.stl"]


def test_strict_exits_with_1_on_errors_only(folder, capsys):
    assert run(["inspect", str(folder / "huge.stl"), "--units", "mm", "--strict"]) == 1
    assert "huge.stl" in capsys.readouterr().err
    assert run(["inspect", str(folder / "huge.stl"), "--units", "mm"]) == 0
    assert run(["inspect", str(folder / "crate.stl"), "--units", "mm", "--strict"]) == 0


def test_a_piece_is_scaled_to_a_height(folder, capsys):
    for given, height in (("3in", 3.0), ("50.8mm", 2.0), ('4"', 4.0), ("2.54cm", 1.0)):
        piece = values(capsys, str(folder / "crate.stl"), "--fit-height", given)
        assert piece["size"] == pytest.approx([1.5 * height, height, height], rel=1e-4)


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_is_read(tmp_path, capsys, ending):
    export(trimesh.creation.box(extents=[3, 2, 2]), tmp_path / f"crate{ending}")
    units = [] if ending in (".glb", ".3mf") else ["--units", "mm"]
    piece = values(capsys, str(tmp_path / f"crate{ending}"), *units)
    assert piece["size"] == pytest.approx([3, 2, 2], abs=1e-4)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["wall.stl"], ["wall.stl: --units: ", "mm (6 x 2 x 4.5 inches)", " in (", " m ("]),
        (["wall.stl", "--units", "furlong"], ["units: expected mm"]),
        (["wall.stl", "--units", "mm", "--up", "w"], ["up: expected x, y or z"]),
        (["wall.stl", "--units", "mm", "--fit-height", "3in"], ["--fit-height: expected alone"]),
        (["wall.stl", "--fit-height", "tall"], ["--fit-height", "'tall'"]),
        (["wall.stl", "--units", "mm", "--limit", "0"], ["--limit: expected inches above 0, found 0"]),
        (["none.stl", "--units", "mm"], ["none.stl: cannot be read"]),
        (["empty"], ["empty: expected a folder with .stl"]),
        ([], ["MESHES: expected at least one"]),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_exit_2(folder, capsys, monkeypatch, arguments, words):
    (folder / "empty").mkdir()
    monkeypatch.chdir(folder)
    assert run(["inspect", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert all(word in err for word in words)


def test_the_schema_is_printed_and_refuses_what_is_wrong(folder, capsys):
    assert run(["schema", "--inspect"]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    piece = values(capsys, str(folder / "crate.stl"), "--units", "mm")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**piece, "closed_mesh": "yes"}, schema)


def test_every_real_piece_gives_a_report(data, capsys):
    for name in ("barrier", "window_frame", "ruin_three_wall_section", "stairs_industrial_stairs"):
        assert run(["inspect", str(data / "meshes" / f"{name}.stl"), "--units", "mm", "--strict"]) == 0
        assert name in capsys.readouterr().out
    piece = values(capsys, str(data / "meshes" / "window_frame.stl"), "--units", "mm")
    assert [gap["sill"] * MM_PER_INCH for gap in piece["openings"]] == pytest.approx([3.0], abs=0.5)

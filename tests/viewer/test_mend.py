"""`deadground inspect --repair` and `--compare`: what is written, what is said, and what is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import trimesh
from PIL import Image

from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.files import export, load
from deadground.viewer import mend
from deadground.viewer.cli import run
from deadground.viewer.inspection_json import inspection_schema
from tests.meshes.damage import windowed, with_crumbs, with_turned_faces
from tests.meshes.scanned_ruin import FILE as SCAN
from tests.meshes.scans import refined


@pytest.fixture(scope="module")
def pieces(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pieces")
    torn = with_turned_faces(refined(windowed(), 8), 0.3, np.random.default_rng(1))
    export(with_crumbs(torn, 3), folder / "torn.stl")
    export(windowed(), folder / "wall.stl")
    export(windowed(0.2), folder / "raised.stl")
    return folder


@pytest.fixture
def folder(pieces: Path, tmp_path: Path) -> Path:
    for file in pieces.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def values(capsys, *arguments: str) -> dict:
    assert run(["inspect", *arguments, "--units", "mm", "--json"]) == 0
    found: dict = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, inspection_schema())
    return found


def test_a_torn_piece_is_mended_into_another_file_and_each_change_is_said(folder, capsys):
    torn, out = folder / "torn.stl", folder / "mended.stl"
    before, names = torn.read_bytes(), {file.name for file in folder.iterdir()}
    assert run(["inspect", str(torn), "--units", "mm", "--repair", str(out), "--thin", "0.05mm"]) == 0
    said, err = capsys.readouterr()
    assert err == ""
    for words in ("Dropped 3 loose fragments", "Turned ", "a closed solid", "openings and floors are the same"):
        assert words in said
    assert torn.read_bytes() == before
    assert {file.name for file in folder.iterdir()} == names | {"mended.stl"}
    mesh = load(out, "mm")
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(windowed().volume, rel=1e-4)


def test_the_account_is_data_too_and_inches_become_millimetres(folder, capsys):
    small = load(folder / "wall.stl", "mm")
    small.apply_scale(1 / MM_PER_INCH)
    export(small, folder / "inches.stl")
    assert (
        run(["inspect", str(folder / "inches.stl"), "--units", "in", "--repair", str(folder / "m.ply"), "--json"]) == 0
    )
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, inspection_schema())
    account = found["repair"]
    assert found["size"] == pytest.approx([6, 2, 4.5], abs=1e-3)
    assert [step["step"] for step in account["steps"]][:2] == ["units", "weld"]
    assert account["steps"][0]["figures"]["factor"] == pytest.approx(MM_PER_INCH)
    assert [step["done"] for step in account["steps"][1:]] == [""] * 5
    assert found["file"] == account["to"] == str(folder / "m.ply")


def test_a_piece_lying_on_its_back_is_turned_upright(folder, capsys):
    lying = trimesh.creation.box(extents=[1.0, 4.0, 1.0])
    foot = trimesh.creation.box(extents=[3.0, 0.2, 3.0]).apply_translation([0, -2, 0])
    export(trimesh.util.concatenate([lying, foot]), folder / "lying.stl")
    found = values(capsys, str(folder / "lying.stl"), "--repair", str(folder / "upright.stl"))
    step = found["repair"]["steps"][0]
    assert step["step"] == "up"
    assert "stands with y up" in step["done"]
    assert found["size"][2] == pytest.approx(4.1, abs=0.01)


def test_what_would_change_the_piece_is_refused_and_nothing_is_written(folder, capsys, monkeypatch):
    monkeypatch.setattr(mend, "changed_facts", lambda *_: ("opening 3 (sill 1.00, head 2.00 inches) is gone",))
    names = {file.name for file in folder.iterdir()}
    assert run(["inspect", str(folder / "torn.stl"), "--units", "mm", "--repair", str(folder / "out.stl")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "is not written" in err
    assert "opening 3" in err
    assert {file.name for file in folder.iterdir()} == names


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--repair", "wall.stl"], "is the file that is mended"),
        (["--repair", "WALL.STL"], "is the file that is mended"),
        (["--repair", "link.stl", "--force"], "is the file that is mended"),
        (["--repair", "hard.stl", "--force"], "is the file that is mended"),
        (["--repair", "raised.stl"], "is there already"),
        (["--repair", "out.xyz"], "expected a file that ends in .stl"),
        (["--repair", "none/out.stl"], "expected a folder that is there"),
        (["--repair", "out.stl", "--steps", "weld,polish"], "'polish'"),
        (["--repair", "out.stl", "--steps", "thin"], "--thin"),
        (["--repair", "out.stl", "--thin", "0"], "--thin: expected a length"),
        (["--repair", "out.stl", "--fill", "2m"], "--fill: expected a length"),
        (["--thin", "0.1mm"], "--repair: expected a file"),
        (["--repair", "out.stl", "--compare", "raised.stl"], "--repair: expected without"),
        (["raised.stl", "--repair", "out.stl"], "expected one mesh file to mend"),
        (["raised.stl", "--compare", "wall.stl"], "expected one mesh file to compare"),
        (["--compare", "none.stl"], "none.stl: cannot be read"),
        (["--compare", "raised.stl", "--html", "page.html"], "--compare: expected without --html"),
        (["--any-way"], "--compare: expected another mesh file"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("links")
def test_bad_input_is_one_line_and_exit_2(folder, capsys, monkeypatch, arguments, words):
    monkeypatch.chdir(folder)
    Path("link.stl").symlink_to("wall.stl")
    os.link("wall.stl", "hard.stl")
    before = Path("wall.stl").read_bytes()
    assert run(["inspect", "wall.stl", *arguments, "--units", "mm"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert words in err
    assert Path("wall.stl").read_bytes() == before


def test_a_file_that_is_there_is_replaced_only_by_force(folder, capsys):
    arguments = [
        "inspect",
        str(folder / "torn.stl"),
        "--units",
        "mm",
        "--repair",
        str(folder / "raised.stl"),
        "--force",
    ]
    assert run([*arguments, "--steps", "drop"]) == 0
    assert "Dropped 3 loose fragments" in capsys.readouterr().out
    assert not load(folder / "raised.stl", "mm").is_winding_consistent


def test_a_raised_window_is_told_as_exactly_that(folder, capsys):
    wall, raised, drawn = (str(folder / name) for name in ("wall.stl", "raised.stl", "map.svg"))
    found = values(capsys, wall, "--compare", raised, "-o", drawn, "--limit", "2.1")["compare"]
    assert found["size"] == pytest.approx(1, abs=1e-5)
    assert found["same_piece"] is True
    assert abs(found["deviation"]["worst"]) == pytest.approx(0.2, abs=1e-3)
    assert found["deviation"]["p90"] == pytest.approx(0, abs=1e-4)
    moved = [gap for gap in found["openings"] if abs(gap["sill"]) > 1e-3]
    assert len(moved) == 1
    assert moved[0]["sill"] == pytest.approx(0.2, abs=1e-3)
    assert moved[0]["head"] == pytest.approx(0.2, abs=1e-3)
    assert moved[0]["width"] == pytest.approx(0, abs=1e-3)
    assert moved[0]["states"] == ["closed", "straddles"]
    assert len(found["changes"]) == 1
    assert "head crosses 2.1 inches" in found["changes"][0]
    text = Path(drawn).read_text(encoding="utf-8")
    assert "raised.stl, laid over wall.stl" in text
    assert "Worst: 5.08 mm" in text


@pytest.mark.slow
@pytest.mark.parametrize(("told", "factor"), [("mm for inches", 1 / MM_PER_INCH), ("inches for mm", MM_PER_INCH)])
def test_a_scan_in_the_wrong_unit_is_recognised_and_drawn(told, factor, folder, capsys):
    other = windowed()
    scan = trimesh.Trimesh(other.vertices * MM_PER_INCH * factor * 0.99, other.faces)
    (folder / "other.stl").write_bytes(scan.export(file_type="stl"))
    drawn = folder / "map.png"
    found = values(capsys, str(folder / "wall.stl"), "--compare", str(folder / "other.stl"), "-o", str(drawn))
    account = found["compare"]
    assert account["mistaken"] == told
    assert account["size"] == pytest.approx(0.99, abs=1e-3)
    with Image.open(drawn) as picture:
        assert picture.width == 1600


def test_a_repair_that_moves_a_gap_over_the_limit_is_refused_however_little_it_moves(tmp_path, capsys):
    scan = tmp_path / "scan.ply"
    scan.write_bytes(SCAN.read_bytes())
    upper = max(values(capsys, str(scan))["openings"], key=lambda opening: opening["sill"])
    limit = ["--limit", str(upper["sill"] - 0.1 / MM_PER_INCH)]  # levelling lowers the piece by 0.2 mm
    assert run(["inspect", str(scan), "--units", "mm", "--repair", str(tmp_path / "out.stl"), *limit]) == 2
    assert f"opening {upper['id']} " in (said := capsys.readouterr().err)
    assert "was open by the rules and is straddles" in said
    assert not (tmp_path / "out.stl").exists()

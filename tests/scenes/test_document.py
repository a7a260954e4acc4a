"""Scene files: what they mean, and one clear line for whatever is wrong in them."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path
from types import MappingProxyType

import jsonschema
import numpy as np
import pytest
import tomlkit
import trimesh

from deadground.geometry.errors import SceneError
from deadground.geometry.units import MM_PER_INCH
from deadground.scenes import assembly
from deadground.scenes.document import read_document, read_scene, scene_from, scene_text, schema
from deadground.scenes.gallery import example, example_names
from deadground.scenes.scene import Scene

VALID = """
schema = 1
ruleset = "40k"
units = "in"
title = "A test"

[board]
size = [40, 30]

[wh40k]
solid_height = 2.5
adjacent_gap = 0

[[area]]
name = "mat"
outline = [[0, 0], [12, 0], [12, 12], [0, 12]]

[[feature]]
name = "ruin"
at = [2, 2]
turn = 90
wh40k = { category = "dense" }
sctmg = { size = 3, access_points = [[0, 1]] }
t9a = { opaque = true, cover = "hard", height = 3, contact_only = false, dangerous = "4+", disruptive = false }

[[feature.wall]]
from = [0, 0]
to = [8, 0]
height = 6
thickness = 0.25
openings = [{ at = 2, width = 1, sill = 1, head = 2.5 }, { at = 5, width = 1.2, sill = 0, head = 2.4, shape = "arch" }]

[[feature.floor]]
outline = [[0, 0], [8, 0], [0, -6]]
top = 3
thickness = 0.2

[[feature]]
name = "crate"
at = [20, 20]

[[feature.block]]
size = [4, 2, 2]
at = [0, 0, 0]

[[unit]]
name = "A"
side = "red"
base = "32mm"
height = 1.5
at = [[30, 5], [3, 4, 3.04]]
facing = 90
wh40k = { keywords = ["infantry"], shot = "this-turn", detection_range = 12, ignores_cover = true }
sctmg = { size = 2, flying = true }
t9a = { height = 1, pool = "characters" }

[[unit]]
name = "B"
side = "blue"
base = "60x35mm"
height = 1.5
at = [[20, 20, 2]]

[[token]]
name = "relic"
at = [5, 25]
radius = 0.8

[[figure]]
name = "one"
lines = [["A", "B"], ["A/2", "B/1"]]
ranges = [["B", 15]]
camera = { from = [0, 0, 10], to = [10, 10, 0] }
show = ["openings", "legend"]
with = { wh40k = { solid_height = 4 } }
"""


def written(folder: Path, text: str | bytes, name: str = "table.toml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def beside_meshes(folder: Path, text: str) -> Path:
    """A scene file beside a copy of the meshes that built-in scenes name."""
    for mesh in example("scanned-piece").parent.glob("*.ply"):
        shutil.copy(mesh, folder)
    return written(folder, text)


def scene_of(folder: Path, text: str | bytes = VALID) -> Scene:
    return read_scene(written(folder, text))


def complaint(path: Path) -> str:
    """The one line a scene file is refused with, without the file's name."""
    with pytest.raises(SceneError) as refused:
        read_scene(path)
    line = str(refused.value)
    assert "\n" not in line
    assert line.startswith(f"{path}: ")
    assert len(line) < 400
    return line.removeprefix(f"{path}: ")


CRATE = 'name = "crate"\nat = [20, 20]\n\n[[feature.block]]\nsize = [4, 2, 2]\nat = [0, 0, 0]\n'


# --- what a file means


def test_names_options_and_facts_arrive(tmp_path):
    scene = scene_of(tmp_path)
    assert (scene.title, scene.ruleset, scene.board, scene.units_of_file) == ("A test", "wh40k-11e", (40, 30), "in")
    assert scene.options == {"wh40k": {"solid_height": 2.5, "adjacent_gap": 0}}
    ruin = scene.feature("ruin")
    assert (ruin.x, ruin.y, ruin.turn, ruin.foot) == (2, 2, 90, 0)
    assert ruin.wh40k.category == "dense"
    assert (ruin.sctmg.size, ruin.sctmg.access_points) == (3, ((0, 1),))
    assert (ruin.t9a.given, ruin.t9a.cover, ruin.t9a.dangerous) == (True, "hard", 4)
    assert [opening.kind for opening in ruin.piece.openings] == ["wall", "wall"]


def test_facts_that_are_not_given_are_not_guessed(tmp_path):
    crate = scene_of(tmp_path).feature("crate")
    assert (crate.wh40k.category, crate.sctmg.size, crate.t9a.given) == (None, None, False)


def test_units_have_models_with_names_bases_and_facts(tmp_path):
    scene = scene_of(tmp_path)
    a, b = scene.unit("A"), scene.unit("B")
    assert [model.name for model in scene.models] == ["A/1", "A/2", "B/1"]
    assert (a.wh40k.keywords, a.wh40k.shot, a.wh40k.detection_range) == (frozenset({"INFANTRY"}), "this-turn", 12.0)
    assert (a.facing, b.facing, b.models[0].facing) == (90, None, 0)
    assert (a.sctmg.flying, a.t9a.pool) == (True, "characters")
    assert a.models[0].base.shape == "round"
    assert b.models[0].base.shape == "oval"
    assert b.models[0].base.length == pytest.approx(60 / 25.4)


def test_figures_carry_lines_ranges_camera_and_overrides(tmp_path):
    (figure,) = scene_of(tmp_path).figures
    assert (figure.view, figure.camera_from) == ("camera", (0, 0, 10))
    assert figure.lines == (("A", "B"), ("A/2", "B/1"))
    assert figure.ranges == (("B", 15.0),)
    assert figure.overrides == {"wh40k": {"solid_height": 4}}


def test_a_feature_within_an_area_belongs_to_it_and_any_other_is_an_area_of_its_own(tmp_path):
    mat, own = scene_of(tmp_path).areas
    assert (mat.name, mat.features) == ("mat", ("ruin",))
    assert (own.name, own.features) == ("crate", ("crate",))
    assert own.outline.bounds == pytest.approx((18, 19, 22, 21))


def test_an_area_of_named_features_is_the_hull_of_their_footprints(tmp_path):
    text = VALID.replace("outline = [[0, 0], [12, 0], [12, 12], [0, 12]]", 'features = ["ruin", "crate"]')
    (area,) = scene_of(tmp_path, text).areas
    assert area.features == ("ruin", "crate")
    assert area.outline.bounds == pytest.approx((1.875, 2, 22, 21))


def test_an_area_may_name_a_feature_that_reaches_out_of_it(tmp_path):
    text = VALID.replace('name = "mat"', 'name = "mat"\nfeatures = ["crate"]')
    assert [area.features for area in scene_of(tmp_path, text).areas] == [("ruin", "crate")]


def test_the_hole_in_a_ring_of_walls_belongs_to_its_footprint(tmp_path):
    corners = [(0, 0), (6, 0), (6, 6), (0, 6), (0, 0)]
    walls = "".join(
        f"[[feature.wall]]\nfrom = {list(a)}\nto = {list(b)}\nheight = 3\nthickness = 0.2\n"
        for a, b in itertools.pairwise(corners)
    )
    text = VALID.replace("[[unit]]", f'[[feature]]\nname = "pen"\nat = [25, 5]\n{walls}\n[[unit]]', 1)
    pen = next(area for area in scene_of(tmp_path, text).areas if area.name == "pen")
    assert pen.outline.area == pytest.approx(6.2**2)


def test_a_feature_in_two_parts_outside_every_area_covers_the_hull_of_both(tmp_path):
    text = VALID.replace("at = [0, 0, 0]", "at = [0, 0, 0]\n[[feature.block]]\nsize = [4, 2, 2]\nat = [0, 5]")
    own = scene_of(tmp_path, text).areas[1]
    assert own.outline.bounds == pytest.approx((18, 19, 22, 26))


def test_millimetres_give_the_same_scene(tmp_path):
    inch = scene_of(tmp_path)
    millimetre = read_scene(written(tmp_path, scene_text(in_millimetres(read_document(written(tmp_path, VALID))))))
    assert_same(inch, millimetre)
    assert millimetre.units_of_file == "mm"


def test_a_byte_order_mark_is_no_part_of_the_scene(tmp_path):
    assert scene_of(tmp_path, b"\xef\xbb\xbf" + VALID.encode()).title == "A test"


@pytest.mark.parametrize("name", example_names())
def test_the_built_in_scenes_are_the_same_in_millimetres(name, tmp_path):
    path = beside_meshes(tmp_path, scene_text(in_millimetres(read_document(example(name)))))
    assert_same(read_scene(example(name)), read_scene(path))


NO_LENGTHS = {"schema", "turn", "facing", "size_of_system", "keywords", "scale", "id"}


def in_millimetres(document, key=""):
    """The document with every length in mm. Facts that are counts, not lengths, stay."""
    if isinstance(document, dict):
        counts = {"sctmg": {"size"}, "dead_ground": {"size"}, "t9a": {"height"}}.get(key, set())
        converted = {k: v if k in counts | NO_LENGTHS else in_millimetres(v, k) for k, v in document.items()}
        return converted | ({"units": "mm"} if "schema" in document else {})
    if isinstance(document, list):
        return [in_millimetres(item, key) for item in document]
    return document * MM_PER_INCH if type(document) in (int, float) else document


def assert_same(one: Scene, other: Scene) -> None:
    assert (one.title, one.ruleset, one.options.keys()) == (other.title, other.ruleset, other.options.keys())
    assert one.board == pytest.approx(other.board)
    for system, options in one.options.items():
        assert options == pytest.approx(other.options[system])
    for a, b in zip(one.features, other.features, strict=True):
        assert (a.name, a.turn, a.support, a.wh40k, a.t9a) == (b.name, b.turn, b.support, b.wh40k, b.t9a)
        assert (a.x, a.y, a.foot) == pytest.approx((b.x, b.y, b.foot))
        assert a.piece.mesh.volume == pytest.approx(b.piece.mesh.volume)
        assert [o.id for o in a.piece.openings] == [o.id for o in b.piece.openings]
        for sill, head in zip(a.piece.openings, b.piece.openings, strict=True):
            assert (sill.sill, sill.head, sill.width) == pytest.approx((head.sill, head.head, head.width))
    for one_area, other_area in zip(one.areas, other.areas, strict=True):
        assert (one_area.name, one_area.features) == (other_area.name, other_area.features)
        assert one_area.outline.symmetric_difference(other_area.outline).area == pytest.approx(0, abs=1e-6)
    for x, y in zip(one.models, other.models, strict=True):
        assert (x.name, x.support, x.base) == (y.name, y.support, y.base)
        assert (x.x, x.y, x.foot, x.height) == pytest.approx((y.x, y.y, y.foot, y.height))
    for f, g in zip(one.figures, other.figures, strict=True):
        assert (f.name, f.view, f.lines, f.show) == (g.name, g.view, g.lines, g.show)


# --- standing


def test_a_height_close_to_a_surface_means_that_surface(tmp_path):
    scene = scene_of(tmp_path)
    on_floor, on_crate = scene.models[1], scene.models[2]
    assert (on_floor.foot, on_floor.support) == (3, "ruin")
    assert (on_crate.foot, on_crate.support) == (2, "crate")


def test_a_height_without_a_surface_is_refused_with_the_heights_there_are(tmp_path):
    text = VALID.replace("[3, 4, 3.04]", "[3, 4, 4]")
    assert complaint(written(tmp_path, text)) == (
        "unit[0].at[1]: nothing to stand on at height 4, the surfaces there are at 0, 3"
    )


def test_the_heights_there_are_stand_in_the_unit_of_the_file(tmp_path):
    document = in_millimetres(read_document(written(tmp_path, VALID)))
    document["unit"][0]["at"][1][2] = 100
    assert complaint(written(tmp_path, scene_text(document))).endswith(
        "at height 100, the surfaces there are at 0, 76.2"
    )


def test_a_part_of_the_base_over_the_surface_is_enough(tmp_path):
    """A base of 32 mm whose edge reaches over the crate's by a hundredth of an inch, or keeps away by as much."""
    radius = 16 / MM_PER_INCH
    over = VALID.replace("[[20, 20, 2]]", f"[[20, {21 + 35 / 2 / MM_PER_INCH - 0.01}, 2]]")
    assert scene_of(tmp_path, over).models[2].support == "crate"
    away = VALID.replace("[3, 4, 3.04]", f"[20, {21 + radius + 0.01}, 2]")
    assert "nothing to stand on" in complaint(written(tmp_path, away))


def test_a_feature_may_stand_on_another_whatever_their_order(tmp_path):
    block = "[[feature.block]]\nsize = [1, 1, 1]\nat = [0, 0]\n"
    upper = f'[[feature]]\nname = "second"\nat = [20, 20, 3]\n{block}'
    lower = f'[[feature]]\nname = "first"\nat = [20, 20, 2.02]\n{block}'
    text = VALID.replace("[[unit]]", upper + lower + "[[unit]]", 1)
    scene = scene_of(tmp_path, text.replace("[[20, 20, 2]]", "[[20, 20, 4]]"))
    first, second = scene.feature("first"), scene.feature("second")
    assert (first.foot, first.support) == (2, "crate")
    assert (second.foot, second.support) == (3, "first")
    assert (scene.models[2].foot, scene.models[2].support) == (4, "second")


def test_a_feature_in_the_air_is_refused(tmp_path):
    text = VALID.replace('name = "crate"\nat = [20, 20]', 'name = "crate"\nat = [20, 20, 1]')
    assert complaint(written(tmp_path, text)).startswith("feature[1].at: nothing to stand on at height 1")


# --- meshes


def test_features_may_not_have_too_many_triangles_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembly, "_MOST_TRIANGLES", 20)
    with pytest.raises(
        SceneError, match=r"feature\[1\].*with it the features have .* triangles, at most 20 are judged"
    ):
        scene_from(read_document(example("containers")))


def mesh_scene(folder: Path, **keys: object) -> str:
    """The valid scene with a box of 40 x 20 x 30 mm in a mesh file in place of the crate."""
    box = trimesh.creation.box((40, 20, 30))
    box.apply_translation((100, 50, 15))
    box.export(folder / "box.stl")
    table = {"file": "box.stl", "units": "mm"} | keys
    text = tomlkit.dumps({"mesh": {key: value for key, value in table.items() if value is not None}})
    crate = f'name = "crate"\nat = [20, 20]\n{text.replace("[mesh]", "[feature.mesh]")}'
    return VALID.replace(CRATE, crate).replace("20, 20, 2]", "20, 20]")


def test_a_mesh_stands_with_the_middle_of_its_box_over_its_origin(tmp_path):
    mesh = scene_of(tmp_path, mesh_scene(tmp_path)).feature("crate").piece.mesh
    half = np.array([20, 10, 30]) / MM_PER_INCH
    np.testing.assert_allclose(mesh.bounds, np.array([half * [-1, -1, 0], half]), atol=1e-6)


def test_a_unit_may_have_a_mesh_for_a_body(tmp_path):
    body = 'base = "60x35mm"\nmesh = { file = "box.stl", units = "mm" }'
    text = mesh_scene(tmp_path).replace('base = "60x35mm"\nheight = 1.5', body)
    model = scene_of(tmp_path, text).models[2]
    assert model.height == pytest.approx(30 / MM_PER_INCH)
    assert model.mesh is not None
    np.testing.assert_allclose(model.mesh.bounds.mean(axis=0), [20, 20, 15 / MM_PER_INCH], atol=1e-6)


def test_a_mesh_without_units_is_refused(tmp_path):
    text = mesh_scene(tmp_path, units=None)
    assert complaint(written(tmp_path, text)).startswith(
        "feature[1].mesh.units: box.stl: this file has no unit, expected mm (1.575 x"
    )


def test_a_missing_mesh_is_refused(tmp_path):
    text = mesh_scene(tmp_path, file="other.stl")
    assert complaint(written(tmp_path, text)) == "feature[1].mesh.file: no such file: 'other.stl'"


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize(
    "name", ["../box.stl", "..\\box.stl", "sub/../../box.stl", "{absolute}", "link.stl", "linked/box.stl"]
)
def test_a_mesh_outside_the_folder_of_the_scene_is_refused_unless_allowed(name, tmp_path):
    folder = tmp_path / "scenes"
    (folder / "sub").mkdir(parents=True)
    text = mesh_scene(tmp_path, file=name.format(absolute=tmp_path / "box.stl"))
    (folder / "link.stl").symlink_to(tmp_path / "box.stl")
    (folder / "linked").symlink_to(tmp_path)
    path = written(folder, text)
    assert "expected a file in the scene's folder" in complaint(path)
    assert read_scene(path, allow_outside=True).feature("crate").piece.mesh.is_watertight


@pytest.mark.parametrize("content", [b"", b"solid nothing", b"\x00\x01\x02" * 50, b"solid x\nfacet normal nan 0 0\n"])
def test_a_mesh_that_is_none_is_refused_in_one_line(content, tmp_path):
    text = mesh_scene(tmp_path)
    (tmp_path / "box.stl").write_bytes(content)
    assert complaint(written(tmp_path, text)).startswith("feature[1].mesh")


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("name", ["loop.stl", "x" * 300 + ".stl"])
def test_links_in_a_circle_and_names_that_are_too_long_are_no_mesh(name, tmp_path):
    (tmp_path / "loop.stl").symlink_to(tmp_path / "loop.stl")
    assert complaint(written(tmp_path, mesh_scene(tmp_path, file=name))).startswith("feature[1].mesh.file: ")


def test_a_scene_of_windows_holds_everywhere(tmp_path):
    (tmp_path / "meshes").mkdir()
    text = mesh_scene(tmp_path, file="meshes\\box.stl")
    (tmp_path / "box.stl").rename(tmp_path / "meshes" / "box.stl")
    notepad = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode("utf-8")
    for content in (text, notepad):
        assert read_scene(written(tmp_path, content)).feature("crate").piece.mesh.is_watertight


@pytest.mark.parametrize("name", ["C:/a.stl", "C:a.stl", "//server/share/a.stl", "\\\\server\\share\\a.stl", "/a.stl"])
def test_places_outside_the_folder_are_not_even_asked_for(name, tmp_path, monkeypatch):
    path, asked = written(tmp_path, mesh_scene(tmp_path, file=name)), []
    monkeypatch.setattr(Path, "is_file", lambda self: bool(asked.append(str(self))))
    assert complaint(path).startswith("feature[1].mesh.file: expected a file in the scene's folder, found")
    assert [place for place in asked if place.endswith("a.stl")] == []


@pytest.mark.parametrize(
    ("file", "line"),
    [
        (r"meshes\ruin.stl", 'feature[1].mesh.file: expected a path with "/" between folders, as "\\" begins a sign'),
        (r"C:\Users\box.stl", "expected TOML, found: "),
    ],
)
def test_a_backslash_that_toml_takes_for_a_sign_is_explained(file, line, tmp_path):
    said = complaint(written(tmp_path, mesh_scene(tmp_path).replace("box.stl", file)))
    assert said.startswith(line)
    assert '"/"' in said


def test_a_folder_is_no_mesh(tmp_path):
    text = mesh_scene(tmp_path, file="box.stl")
    (tmp_path / "box.stl").unlink()
    (tmp_path / "box.stl").mkdir()
    assert complaint(written(tmp_path, text)).startswith("feature[1].mesh.file: no such file")


def test_a_scene_that_is_no_file_names_no_files(tmp_path):
    document = read_document(written(tmp_path, mesh_scene(tmp_path)))
    with pytest.raises(SceneError, match="a scene that is no file cannot name files"):
        scene_from(document)
    assert scene_from(document, folder=tmp_path).feature("crate").piece.openings == ()


# --- what is refused

EMPTY = [
    (b"", "expected a scene, found an empty file"),
    (b"\n  \n", "expected a scene, found an empty file"),
    (b"\x89PNG\r\n\x1a\n\x00", "expected text in UTF-8, found a byte 0x89 at 0"),
    ("schema = 1".encode("utf-16"), "expected text in UTF-8, found UTF-16: save it as UTF-8 in your editor"),
    ("# Übersicht".encode("cp1252"), "expected text in UTF-8, found a byte 0xdc at 2: save it as UTF-8"),
    (b"a = [1, 2", "expected TOML, found: "),
    (b"schema = 1\nschema = 1", "expected TOML, found: "),
    (b"a = " + b"[" * 5000 + b"]" * 5000, "expected TOML, found tables or lists nested too deeply"),
    (b"a = " + b"9" * 5000, "expected TOML, found: "),
    (b"x = 1", "x: unknown key, "),
    (b".".join([b"a"] * 3000) + b" = 1", "expected TOML, found a key of a hundred parts"),
    (b'schema = 1\nruleset = "40k"\nunits = "in"', "board: missing, every scene needs it"),
]


@pytest.mark.parametrize(("content", "line"), EMPTY)
def test_what_is_no_scene_is_refused_in_one_line(content, line, tmp_path):
    assert complaint(written(tmp_path, content)).startswith(line)


def test_bad_toml_says_on_which_line(tmp_path):
    assert "line 4" in complaint(written(tmp_path, 'a = 1\n\n\nb = "open\n'))


def test_a_file_of_more_than_5_megabytes_is_not_even_parsed(tmp_path):
    assert complaint(written(tmp_path, b"#" * 5_000_001)) == "expected at most 5 MB, found more"


def test_a_missing_file_and_a_folder_are_refused_in_one_line(tmp_path):
    assert "No such file" in complaint(tmp_path / "none.toml")
    assert "cannot be read" in complaint(tmp_path)


# (part of the valid scene, what stands there instead, the line)
WRONG = [
    ("schema = 1\n", "", "schema: missing, expected schema = 1"),
    ("schema = 1", "schema = 2", "schema: expected 1, the only version there is, found 2"),
    ("schema = 1", "schema = true", "schema: expected 1, the only version there is, found true"),
    ('units = "in"\n', "", 'units: missing, every scene says whether its lengths are "in" or "mm"'),
    ('units = "in"', 'units = "cm"', "units: expected one of 'in', 'mm', found 'cm'"),
    ('units = "in"', 'unit_s = "in"', "unit_s: unknown key, did you mean 'units'?"),
    ('ruleset = "40k"', 'ruleset = "chess"', "ruleset: expected one of 'wh40k-11e', 'sctmg', 't9a', found 'chess'"),
    ("[board]", "[bord]", "bord: unknown key, did you mean 'board'?"),
    ('name = "B"', 'nam = "B"', "unit[1].nam: unknown key, did you mean 'name'?"),
    ("size = [40, 30]", "size = [40]", "board.size: expected at least 2 items, found a list of 1"),
    ("size = [40, 30]", "size = [40, -1]", "board.size[1]: expected more than 0, found -1"),
    ("size = [40, 30]", "size = [40, 2000]", "board.size[1]: expected a length of at most 1000 in, found 2000"),
    ("size = [40, 30]", 'size = [40, "30"]', "board.size[1]: expected a number, found '30'"),
    ("solid_height = 2.5", "solid_heigth = 2.5", "wh40k.solid_heigth: unknown key, did you mean 'solid_height'?"),
    ("solid_height = 2.5", "solid_height = -1", "wh40k.solid_height: expected at least 0, found -1"),
    ("solid_height = 2.5", "solid_height = nan", "wh40k.solid_height: expected a finite number, found nan"),
    ("solid_height = 2.5", "solid_height = true", "wh40k.solid_height: expected a number, found true"),
    (
        "solid_height = 2.5",
        'straddle = "both"',
        "wh40k.straddle: expected one of 'split', 'sill', 'whole', found 'both'",
    ),
    ("[wh40k]", "[wh4Ok]", "wh4Ok: unknown key, did you mean 'wh40k'?"),
    ("outline = [[0, 0], [12, 0], [12, 12], [0, 12]]", "", "area[0].outline: missing, an area needs an outline or"),
    ("[12, 12], [0, 12]]", "[0, 12], [12, 12]]", "area[0].outline: expected an outline that does not cross"),
    ("[12, 12], [0, 12]]", "[5, 0]]", "area[0].outline: expected an outline that does not cross"),
    (
        'name = "mat"',
        'name = "mat"\nfeatures = ["riun"]',
        "area[0].features[0]: no feature is called 'riun', did you mean 'ruin'?",
    ),
    ('name = "mat"', 'name = "crate"', "area[0].name: 'crate' is also a feature outside every area"),
    ('name = "mat"\n', "", "area[0].name: missing, every area needs it"),
    ('name = "crate"', 'name = "ruin"', "feature[1].name: 'ruin' is the name of feature[0] already"),
    ('name = "B"', 'name = "A"', "unit[1].name: 'A' is the name of unit[0] already"),
    ('name = "B"', 'name = "B/1"', 'unit[1].name: expected a name without "/"'),
    ('name = "B"', 'name = ""', "unit[1].name: expected some text, found ''"),
    ('name = "B"', 'name = "a\\nb"', "unit[1].name: expected one line of readable text, found 'a\\nb'"),
    ('name = "B"', "name = 3", "unit[1].name: expected text in quotes, found 3"),
    ('name = "one"', 'name = "../one"', "figure[0].name: expected a name that can be a file's name"),
    ("turn = 90", "turm = 90", "feature[0].turm: unknown key, did you mean 'turn'?"),
    ("turn = 90", "turn = inf", "feature[0].turn: expected a finite number, found inf"),
    ("at = [20, 20]\n", "", "feature[1].at: missing, every feature needs it"),
    ("at = [20, 20]\n", "at = [20]\n", "feature[1].at: expected at least 2 items, found a list of 1"),
    ("at = [20, 20]\n", "at = 20\n", "feature[1].at: expected a list, found 20"),
    ("at = [20, 20]\n", "at = [20, 1979-05-27]\n", "feature[1].at[1]: expected a number, found 1979-05-27"),
    (
        'category = "dense"',
        'category = "solid"',
        "feature[0].wh40k.category: expected one of 'exposed', 'light', 'dense', found",
    ),
    ("size = 3", "size = 3.5", "feature[0].sctmg.size: expected a whole number, found 3.5"),
    ('dangerous = "4+"', 'dangerous = "7+"', 'feature[0].t9a.dangerous: expected "2+" to "6+", found \'7+\''),
    ("opaque = true", "opaque = 1", "feature[0].t9a.opaque: expected true or false, found 1"),
    ("height = 6\n", "", "feature[0].wall[0].height: missing, a wall needs a height or a broken top"),
    (
        "height = 6\n",
        "height = 6\ntop = [[0, 6], [8, 5]]\n",
        "feature[0].wall[0].top: a wall has a height or a broken top",
    ),
    ("height = 6\n", "height = -6\n", "feature[0].wall[0].height: must be above"),
    ("thickness = 0.25", "thickness = 0", "feature[0].wall[0].thickness: expected more than 0, found 0"),
    ("to = [8, 0]", "to = [0, 0]", "feature[0].wall[0].to: expected another point"),
    ("to = [8, 0]", "till = [8, 0]", "feature[0].wall[0].till: unknown key, "),
    ("width = 1.2", "widht = 1.2", "feature[0].wall[0].openings[1].widht: unknown key, did you mean 'width'?"),
    ("width = 1, ", "width = 9, ", "feature[0].wall[0].openings[0].at: the opening must lie within the wall"),
    (
        "width = 1.2, sill = 0",
        "width = 1.2, sill = 3",
        "feature[0].wall[0].openings[1].head: expected a head above the sill",
    ),
    ("width = 1.2, ", "width = 5, ", "feature[0].wall[0].openings[1].head: an arch is at least half as high as wide"),
    ('shape = "arch"', 'shape = "round"', "feature[0].wall[0].openings[1].shape: expected one of 'rectangle', 'arch'"),
    ("[[feature.floor]]", "[[feature.flor]]", "feature[0].flor: unknown key, did you mean 'floor'?"),
    (
        "[[feature.floor]]",
        "[feature.floor]",
        "feature[0].floor: expected a list of tables, written [[feature.floor]], found a table",
    ),
    (
        "[[feature.block]]\nsize = [4, 2, 2]\nat = [0, 0, 0]\n",
        "",
        "feature[1]: expected at least one wall, floor, block or prism",
    ),
    (
        "[[feature.block]]",
        'mesh = { file = "x.stl" }\n[[feature.block]]',
        "feature[1].mesh: a feature is a mesh or is built",
    ),
    ("size = [4, 2, 2]", "size = [4, 2]", "feature[1].block[0].size: expected at least 3 items, found a list of 2"),
    ("at = [0, 0, 0]", "at = [0, 0, -1]", "feature[1].block[0].at[2]: must not be below the ground"),
    (
        "turn = 90",
        "turn = 90\nopenings = [{ id = 7, closed = false }]",
        "feature[0].openings[0].id: expected the number of an opening (1, 2), found 7",
    ),
    (
        "turn = 90",
        "turn = 90\nopenings = [{ id = 1, closed = false }, { id = 1, closed = true }]",
        "feature[0].openings[1].id: opening 1 is spoken of in openings[0] already",
    ),
    ('base = "32mm"', "base = 32", 'unit[0].base: expected a base with its unit, such as "32mm", found 32'),
    ('base = "32mm"', 'base = "32"', 'unit[0].base: expected a base such as "32mm"'),
    ('base = "32mm"', 'base = "0mm"', "unit[0].base: expected a base of more than nothing"),
    ('base = "32mm"', 'base = "large"', 'unit[0].base: expected a base such as "32mm"'),
    ('base = "32mm"\n', "", "unit[0].base: missing, every unit needs it"),
    ('side = "red"\n', "", "unit[0].side: missing, every unit needs it"),
    (
        'base = "32mm"\nheight = 1.5',
        'base = "32mm"',
        "unit[0].height: missing, a unit needs the height of its models or a mesh",
    ),
    ("at = [[20, 20, 2]]", "at = []", "unit[1].at: expected at least 1 item, found a list of 0"),
    ("at = [[20, 20, 2]]", "at = [20, 20]", "unit[1].at: expected a list of places, one for each model: [[20, 20]]"),
    (
        'shot = "this-turn"',
        "shot = true",
        "unit[0].wh40k.shot: expected one of 'no', 'this-turn', 'previous-turn', found true",
    ),
    ('lines = [["A", "B"],', 'lines = [["A", "C"],', "figure[0].lines[0][1]: no unit or model is called 'C'"),
    (
        '["A/2", "B/1"]',
        '["A/3", "B/1"]',
        "figure[0].lines[1][0]: no unit or model is called 'A/3', did you mean 'A/2'?",
    ),
    ('ranges = [["B", 15]]', 'ranges = [["X", 15]]', "figure[0].ranges[0][0]: no unit or model is called 'X'"),
    ('ranges = [["B", 15]]', 'ranges = [["B"]]', "figure[0].ranges[0][1]: missing"),
    (
        'ranges = [["B", 15]]',
        'view = "top"',
        "figure[0].view: expected one of 'perspective', 'plan', 'front', 'side', found 'top'",
    ),
    ('"legend"]', '"lagend"]', "figure[0].show[1]: expected one of"),
    (
        "with = { wh40k = { solid_height = 4 } }",
        "with = { wh40k = { solid_hight = 4 } }",
        "figure[0].with.wh40k.solid_hight: unknown key, did you mean",
    ),
    ("radius = 0.8", "radius = 0", "token[0].radius: expected more than 0, found 0"),
]


@pytest.mark.parametrize(
    ("there", "instead", "line"),
    WRONG,
    ids=[f"{number}-{line.split(':')[0]}" for number, (_, _, line) in enumerate(WRONG)],
)
def test_a_wrong_value_gives_one_line_that_names_it(there, instead, line, tmp_path):
    assert VALID.count(there) >= 1
    assert complaint(written(tmp_path, VALID.replace(there, instead, 1))).startswith(line)


def test_of_several_errors_the_first_in_the_file_is_given(tmp_path):
    text = (
        VALID.replace("radius = 0.8", "radius = 0")
        .replace("turn = 90", "turn = nan")
        .replace("width = 1,", 'width = "1",')
    )
    assert complaint(written(tmp_path, text)).startswith("feature[0].turn")
    assert complaint(written(tmp_path, text.replace("nan", "0"))).startswith("feature[0].wall[0].openings[0].width")


def test_a_long_wrong_value_is_cut_short(tmp_path):
    assert len(complaint(written(tmp_path, VALID.replace('units = "in"', f'units = "{"x" * 10_000}"')))) < 200


def test_a_scene_of_ridiculous_size_is_refused(tmp_path):
    document = read_document(written(tmp_path, VALID))
    document["unit"][0]["at"] = document["unit"][1]["at"] = [[1, 1]] * 3000
    with pytest.raises(SceneError, match=r"unit\[1\].at: expected at most 5000 models in a scene, found more"):
        scene_from(document)
    document["feature"] = [document["feature"][1]] * 2001
    with pytest.raises(SceneError, match="feature: expected at most 2000 items, found a list of 2001"):
        scene_from(document)


def test_an_unknown_keyword_is_a_warning_with_the_nearest_known_one(tmp_path):
    assert scene_of(tmp_path).warnings == ()
    scene = scene_of(tmp_path, VALID.replace('"infantry"', '"INFANTY"'))
    assert scene.warnings == (
        "unit[0].wh40k.keywords[0]: unknown keyword 'INFANTY' changes nothing, did you mean 'INFANTRY'?",
    )


# --- writing


@pytest.mark.parametrize("name", example_names())
def test_a_scene_file_survives_a_round_trip(name, tmp_path):
    document = read_document(example(name))
    again = beside_meshes(tmp_path, scene_text(document))
    assert read_document(again) == document
    assert_same(read_scene(again), read_scene(example(name)))


def test_a_document_of_tomlkit_keeps_its_comments(tmp_path):
    text = "# who sees whom\n" + VALID
    assert scene_text(tomlkit.parse(text)) == text
    assert read_scene(written(tmp_path, scene_text(tomlkit.parse(text)))).title == "A test"


def test_the_facts_of_a_rule_system_stand_on_one_line(tmp_path):
    text = scene_text(read_document(written(tmp_path, VALID)))
    assert 'wh40k = {category = "dense"}' in text
    assert "[wh40k]\nsolid_height = 2.5" in text


# --- the schema


def test_the_schema_is_a_schema_and_accepts_every_built_in_scene():
    jsonschema.Draft202012Validator.check_schema(schema())
    validator = jsonschema.Draft202012Validator(schema())
    for name in example_names():
        validator.validate(read_document(example(name)))
    json.dumps(schema())


def test_the_schema_refuses_what_reading_refuses(tmp_path):
    validator = jsonschema.Draft202012Validator(schema())
    document = read_document(written(tmp_path, VALID))
    assert validator.is_valid(document)
    for key, value in {"units": "cm", "schema": 2, "extra": 1, "board": {"size": [1]}}.items():
        assert not validator.is_valid(document | {key: value})


def test_a_scene_cannot_be_changed_from_outside(tmp_path):
    scene = scene_of(tmp_path)
    assert isinstance(scene.options, MappingProxyType)
    assert isinstance(scene.options["wh40k"], MappingProxyType)

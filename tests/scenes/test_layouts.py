"""Tournament layouts: where corners come to lie, what is refused, and what the scene says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from deadground.geometry.errors import InputError
from deadground.scenes.document import scene_from
from deadground.scenes.layout_file import checked_layout, checked_templates, layout_ids, read_layout, read_templates
from deadground.scenes.layout_scene import Choices, scene_document
from deadground.scenes.layouts import Placed, resolve
from deadground.scenes.placing import footprint, placed_mesh

TOLERANCE = 5e-4  # of the cases

L_SHAPE = [(0, 0), (4, 0), (4, 0.5), (0.5, 0.5), (0.5, 3), (0, 3)]
TEMPLATES: list[dict[str, Any]] = [
    {"id": "mat", "kind": "area", "footprint": {"type": "rectangle", "width": 10, "height": 6}},
    {
        "id": "corner",
        "kind": "feature",
        "footprint": {"type": "polygon", "points": [{"x": x, "y": y} for x, y in L_SHAPE]},
        "default_height_inches": 5,
        "terrain_category": "dense",
        "upper_floor": {"footprint": {"type": "rectangle", "width": 3, "height": 2}, "floor": 1},
    },
    {
        "id": "deck",
        "kind": "feature",
        "footprint": {"type": "rectangle", "width": 2, "height": 2},
        "default_height_inches": 3,
        "terrain_category": "dense",
        "upper_floor": {"footprint": {"type": "rectangle", "width": 2, "height": 2}},
    },
]


def piece(name: str, template: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    return {"id": name, "template": template, "position": {"x": x, "y": y}, **more}


def placed(*pieces: dict[str, Any], templates: list[dict[str, Any]] = TEMPLATES) -> tuple[Placed, ...]:
    layout = checked_layout({"id": "a", "name": "A", "pieces": list(pieces)}, "file: a")
    return resolve(layout, checked_templates(templates), "file: a")


def document(*pieces: dict[str, Any], choices: Choices | None = None) -> dict[str, Any]:
    return scene_document("A", placed(*pieces), choices or Choices())


def test_a_footprint_is_put_on_its_centroid():
    (one,) = placed(piece("a", "mat", 30, 20))
    assert one.corners.tolist() == [[25, 17], [35, 17], [35, 23], [25, 23]]


def test_turning_is_clockwise_as_seen():
    (one,) = placed(piece("a", "mat", 30, 20, rotation_degrees=90))
    assert np.allclose(one.corners[0], [33, 15])
    assert one.turn == pytest.approx(270)


def test_a_mirror_comes_before_the_turn():
    (one,) = placed(piece("a", "mat", 30, 20, rotation_degrees=90, mirror="horizontal"))
    assert np.allclose(one.corners[0], [33, 25])


def test_a_parent_carries_its_child_along():
    mat = piece("m", "mat", 30, 20, rotation_degrees=90)
    _, child = placed(mat, piece("c", "deck", 2, 0, parent_area_id="m"))
    assert np.allclose(child.centre, [30, 22])


def test_a_parent_may_stand_after_its_child():
    child, _ = placed(piece("c", "deck", 2, 0, parent_area_id="m"), piece("m", "mat", 30, 20))
    assert np.allclose(child.centre, [32, 20])


@pytest.mark.parametrize("mirror", [None, "horizontal", "vertical"])
@pytest.mark.parametrize("degrees", [0, 37, 90, 235])
def test_what_is_written_is_what_was_resolved(mirror, degrees):
    (one,) = placed(piece("c", "corner", 20, 20, rotation_degrees=degrees, mirror=mirror))
    scene = scene_from(scene_document("A", [one], Choices()))
    walls = placed_mesh(scene.features[0]).section(plane_origin=[0, 0, 1], plane_normal=[0, 0, 1])
    expected = shapely.Polygon(one.corners * [1, -1] + [0, 44])
    found = shapely.Polygon(shapely.convex_hull(shapely.MultiPoint(walls.vertices[:, :2])).exterior)
    assert found.symmetric_difference(expected.convex_hull).area < TOLERANCE


def test_the_upper_floor_lies_in_the_corner_of_its_walls():
    scene = scene_from(document(piece("c", "corner", 20, 20)))
    (floor,) = document(piece("c", "corner", 20, 20))["feature"][0]["floor"]
    assert floor["top"] == 3.0
    assert footprint(scene.features[0]).bounds == pytest.approx((*_bounds(L_SHAPE),), abs=1e-5)


def _bounds(corners: list[tuple[float, float]]) -> tuple[float, float, float, float]:
    middle = shapely.Polygon(corners).centroid
    x0, y0, x1, y1 = shapely.Polygon(corners).bounds
    return 20 + x0 - middle.x, 24 - (y1 - middle.y), 20 + x1 - middle.x, 24 - (y0 - middle.y)


def test_a_floor_that_a_solid_body_offers_is_not_built_twice():
    assert "floor" not in document(piece("d", "deck", 20, 20))["feature"][0]


def test_a_piece_on_an_upper_level_is_a_floor_and_one_ruin_with_the_walls_it_touches():
    floor = piece("f", "deck", 20, 20, floor=1)
    walls = [piece("w", "corner", 20, 21.5), piece("v", "corner", 20, 17)]
    (feature,) = document(*walls, floor)["feature"]
    assert (len(feature["prism"]), feature["floor"][-1]["top"]) == (2, 3.0)
    (alone,) = document(floor)["feature"]
    assert "prism" not in alone


def test_an_area_names_a_feature_that_overhangs_it():
    areas = document(piece("m", "mat", 30, 20), piece("d", "deck", 34.5, 20), piece("e", "deck", 30, 20))["area"]
    assert areas[0]["features"] == ["d"]


def test_windows_are_put_into_dense_walls():
    choices = Choices(windows=(1.0, 1.0, 2.5))
    scene = scene_from(document(piece("c", "corner", 20, 20), choices=choices))
    openings = scene.features[0].piece.openings
    assert len(openings) == 3
    assert {(o.sill, o.head) for o in openings} == {(1.0, 2.5)}
    solid = scene_from(document(piece("c", "corner", 20, 20)))
    cut = solid.features[0].piece.mesh.volume - scene.features[0].piece.mesh.volume
    assert cut == pytest.approx(3 * 1.0 * 1.5 * 0.5, abs=1e-3)


def test_heights_are_a_choice():
    (feature,) = document(piece("c", "corner", 20, 20), choices=Choices(heights={"corner": 7.0}))["feature"]
    assert feature["prism"][0]["height"] == 7.0


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([piece("a", "matt", 1, 1)], "pieces[0].template: expected the id of a template, found 'matt', did you mean"),
        ([piece("a", "mat", 9, 9, mirror="diagonal")], "pieces[0].mirror"),
        ([piece("a", "mat", 9, 9, parent_area_id="b")], "pieces[0].parent_area_id: expected the id of a piece"),
        (
            [piece("a", "mat", 9, 9, parent_area_id="b"), piece("b", "mat", 9, 9, parent_area_id="a")],
            "expected parents that do not go in a circle, found a in b in a",
        ),
        ([piece("a", "mat", 9, 9, parent_area_id="a")], "found a in a"),
        ([piece("a", "mat", 9, 9), piece("a", "mat", 20, 9)], "pieces[1].id: expected each id once, found 'a' twice"),
        ([{"id": "a", "position": {"x": 1, "y": 1}}], "pieces[0].template: missing"),
        ([{"id": "a", "template": "mat"}], "pieces[0].position"),
        ([piece("a", "mat", float("nan"), 9)], "pieces[0].position.x"),
        ([{"id": "", "template": "mat", "position": {"x": 1, "y": 1}}], "pieces[0].id"),
    ],
    ids=["template", "mirror", "parent", "circle", "itself", "twice", "no shape", "no place", "nan", "no id"],
)
def test_a_broken_layout_is_refused_in_one_line_that_names_the_place(pieces, words):
    with pytest.raises(InputError) as caught:
        placed(*pieces)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("file: a: ")


def test_a_template_that_contains_itself_is_refused():
    nested = {**TEMPLATES[0], "features": [piece("x", "mat", 0, 0)]}
    with pytest.raises(InputError, match="do not contain themselves"):
        placed(piece("a", "mat", 9, 9), templates=[nested])


def test_a_piece_off_the_board_is_refused():
    with pytest.raises(InputError, match="2 inches off it"):
        document(piece("a", "mat", 3, 20))


@pytest.mark.parametrize("text", ["", "{", "3", '[{"name": "x"}]', '[{"id": "a"}, {"id": "a"}]', "[" * 5000])
def test_a_file_that_holds_no_layouts_is_refused(tmp_path, text):
    path = tmp_path / "layouts.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        layout_ids(path)


def test_an_unknown_id_is_answered_with_the_nearest(tmp_path):
    path = tmp_path / "layouts.json"
    path.write_text(json.dumps([{"id": "north-1", "pieces": []}]), encoding="utf-8")
    with pytest.raises(InputError, match="did you mean 'north-1'"):
        read_layout(path, "nort-1")


def test_all_placement_cases_come_out_as_given(data: Path):
    cases = json.loads((data / "layouts" / "resolver-cases.json").read_text(encoding="utf-8"))
    assert cases
    for case in cases:
        found = resolve(checked_layout(case["layout"]), checked_templates(case["templates"]))
        for one, expected in zip(found, case["expected"]["pieces"], strict=True):
            corners = [[point["x"], point["y"]] for point in expected["vertices"]]
            assert np.abs(one.corners - corners).max() <= TOLERANCE, case["name"]
            said = [one.id, one.name, one.kind, one.level]
            assert said == [expected[key] for key in ("id", "name", "piece_type", "floor")]


def test_all_real_layouts_are_scenes(data: Path):
    file = data / "layouts" / "terrain-layouts.json"
    templates = read_templates(file.with_name("terrain-templates.json"))
    names = layout_ids(file)
    assert len(names) == 33
    for name in names:
        layout = read_layout(file, name)
        scene = scene_from(scene_document(layout.name, resolve(layout, templates), Choices()))
        assert all(feature.wh40k.category for feature in scene.features)
        assert len(scene.features) >= 20

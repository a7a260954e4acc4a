"""Cuts through a figure's terrain: what is taken away, what stays, and what is refused."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from deadground.geometry.errors import SceneError
from deadground.scenes.figure import Section
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer import opengl
from deadground.viewer.draw import draw_list
from deadground.viewer.outlines import FRONT, PLAN
from deadground.viewer.palette import DEFAULT
from deadground.viewer.paper import Paper
from deadground.viewer.picture import compose, render
from deadground.viewer.plan import drawing
from deadground.viewer.section import face_shape, kept_shape, panel_section, section_of
from deadground.viewer.things import Surface, Thing

SVG = "{http://www.w3.org/2000/svg}"
EVERYTHING = ("openings", "solid-height", "areas", "labels", "legend")
LOW = Figure("low", "Cut at 2", lines=(("A/1", "C"),), section=Section(height=2.0), show=EVERYTHING)
ALONG = Figure(
    "along", "Cut", lines=(("A/1", "C"),), section=Section(start=(8.0, 13.0), end=(20.0, 13.0)), show=EVERYTHING
)
"""Through the ledge, behind the wall."""
ACROSS = replace(ALONG, section=Section(start=(14.0, 4.0), end=(14.0, 18.0)), view="side")


def surfaces(things: tuple[Thing, ...], kind: str) -> dict[str, Surface]:
    return {
        t.name: t.shape for t in things if t.kind == kind and isinstance(t.shape, Surface) and len(t.shape.vertices)
    }


def parsed(scene: Scene, report: Report, figure: Figure) -> dict[str, ET.Element]:
    root = ET.fromstring(drawing(scene, report, figure))  # noqa: S314  (our own text)
    return {node.attrib["id"]: node for node in root.iter(f"{SVG}g") if "id" in node.attrib}


def test_nothing_of_the_terrain_stands_above_a_level_cut(wall_scene, wall_report):
    things = draw_list(wall_scene, wall_report, LOW)
    for shape in surfaces(things, "terrain").values():
        assert shape.vertices[np.unique(shape.faces), 2].max() <= 2.0 + 1e-9
        assert shape.edges[:, :, 2].max() <= 2.0 + 1e-9


def test_the_faces_of_a_level_cut_are_the_material_at_its_height(wall_scene, wall_report):
    things = draw_list(wall_scene, wall_report, LOW)
    cut = surfaces(things, "cut")["ledge"]
    corners = cut.vertices[cut.faces][:, :, :2]
    (ax, ay), (bx, by) = (np.moveaxis(corners[:, k] - corners[:, 0], 1, 0) for k in (1, 2))
    assert abs(ax * by - ay * bx).sum() / 2 == pytest.approx(6.0)
    assert {t.look.colour for t in things if t.kind == "cut"} == {DEFAULT.cut}


def test_models_lines_and_gaps_stay_whole(wall_scene, wall_report):
    whole = draw_list(wall_scene, wall_report, replace(LOW, section=None))
    cut = draw_list(wall_scene, wall_report, LOW)
    for kind in ("body", "base", "ray"):
        assert [t.name for t in cut if t.kind == kind] == [t.name for t in whole if t.kind == kind]
    body, other = surfaces(whole, "body")["C/1"], surfaces(cut, "body")["C/1"]
    assert np.array_equal(body.vertices, other.vertices)
    names = [t.name for t in cut if t.kind in ("closed-gap", "open-gap")]
    assert "wall:1" in names  # from 1.5 to 2.7: the cut runs through it
    assert "wall:2" not in names  # from 4 up: gone with the wall around it


def test_a_gap_that_stops_a_line_is_kept(wall_scene, wall_report):
    figure = replace(LOW, section=Section(height=1.0), lines=(("A/1", "B"),))
    names = {t.name for t in draw_list(wall_scene, wall_report, figure) if t.kind == "closed-gap"}
    assert names == {"wall:1"}


def test_a_section_changes_no_verdict(wall_scene, wall_report):
    looks = [
        {t.name: t.look for t in draw_list(wall_scene, wall_report, figure) if t.kind == "ray"}
        for figure in (LOW, replace(LOW, section=None))
    ]
    assert looks[0] == looks[1]


def test_an_upright_cut_takes_the_readers_side_away(wall_scene, wall_report):
    terrain = surfaces(draw_list(wall_scene, wall_report, ALONG), "terrain")
    assert set(terrain) == {"ledge"}  # the wall stands before the cut
    assert terrain["ledge"].vertices[np.unique(terrain["ledge"].faces), 1].min() >= 13.0 - 1e-9


def test_a_camera_by_hand_decides_which_side_is_the_readers():
    behind = replace(ALONG, view="camera", camera_from=(14.0, 30.0, 8.0), camera_to=(14.0, 13.0, 0.0))
    assert section_of(ALONG).normal == pytest.approx([0.0, -1.0, 0.0])
    assert section_of(behind).normal == pytest.approx([0.0, 1.0, 0.0])


def test_the_chosen_camera_stands_before_an_upright_cut(wall_scene, wall_report):
    things = draw_list(wall_scene, wall_report, ALONG)
    _, camera = compose(wall_scene, wall_report, ALONG, things, 1.6)
    assert camera.forward @ section_of(ALONG).normal < -0.4


def test_a_name_does_not_stay_where_its_terrain_was(wall_scene, wall_report):
    names = {t.name for t in draw_list(wall_scene, wall_report, ALONG) if t.kind == "name"}
    assert "ledge" in names
    assert "wall" not in names
    (wall,) = [t.shape for t in draw_list(wall_scene, wall_report, LOW) if t.kind == "name" and t.name == "wall"]
    assert wall.around[:, 2] == pytest.approx(2.0)


def test_in_a_plan_what_is_cut_is_cut_and_what_lies_below_is_seen_from_above(wall_scene):
    cut = panel_section(replace(LOW, view="plan"), PLAN)
    wall, ledge = wall_scene.features
    assert face_shape(wall, PLAN, cut).area == pytest.approx(8 * 0.25 - 1.2 * 0.25)  # the window at 2 is open
    assert kept_shape(wall, PLAN, cut).area == pytest.approx(8 * 0.25)
    higher = replace(cut, origin=np.array([0.0, 0.0, 4.5]))
    assert face_shape(ledge, PLAN, higher).is_empty
    assert kept_shape(ledge, PLAN, higher).area == pytest.approx(6.0)


def test_an_elevation_shows_an_upright_cut_across_it_and_only_what_is_behind(wall_scene):
    cut = panel_section(replace(ALONG, view="front"), FRONT)
    wall, ledge = wall_scene.features
    assert kept_shape(wall, FRONT, cut).is_empty
    assert face_shape(ledge, FRONT, cut).area == pytest.approx(9.0)


def test_vector_drawings_leave_out_what_is_taken_away(wall_scene, wall_report):
    front = parsed(wall_scene, wall_report, replace(ALONG, view="front"))
    assert "feature-front-ledge" in front
    assert "feature-front-wall" not in front
    assert "opening-plan-wall-1" in parsed(wall_scene, wall_report, replace(LOW, view="plan"))
    assert "opening-plan-wall-2" not in parsed(wall_scene, wall_report, replace(LOW, view="plan"))


@pytest.mark.parametrize(
    ("figure", "view", "shown"),
    [(LOW, "front", True), (LOW, "plan", False), (ALONG, "plan", True), (ALONG, "front", False)],
)
def test_a_cut_along_the_direction_of_sight_is_drawn_as_its_line(wall_scene, wall_report, figure, view, shown):
    found = [t for t in draw_list(wall_scene, wall_report, replace(figure, view=view)) if t.kind == "section"]
    assert bool(found) == shown
    ids = parsed(wall_scene, wall_report, replace(figure, view=view))
    assert any(name.startswith("section-") for name in ids) == shown


def test_an_elevation_across_is_cut_where_it_is_asked_for(wall_scene, wall_report):
    faces = surfaces(draw_list(wall_scene, wall_report, ACROSS), "cut")
    assert set(faces) == {"wall", "ledge"}
    assert all(shape.vertices[:, 0] == pytest.approx(14.0, abs=0.01) for shape in faces.values())


@pytest.mark.parametrize(
    ("section", "view", "problem"),
    [
        (Section(height=50.0), "perspective", "takes nothing away"),
        (Section(start=(0.0, 1.0), end=(20.0, 1.0)), "perspective", "takes nothing away"),
        (Section(start=(0.0, 19.0), end=(20.0, 19.0)), "perspective", "takes all of it away"),
        (Section(start=(14.0, 0.0), end=(14.0, 9.0)), "front", "found one along it"),
    ],
)
def test_a_section_that_would_show_nothing_is_refused(wall_scene, wall_report, section, view, problem):
    figure = replace(LOW, section=section, view=view)
    for draw in (draw_list, drawing):
        with pytest.raises(SceneError, match=problem) as error:
            draw(wall_scene, wall_report, figure)
        assert error.value.key == "figure low: section"


@pytest.mark.parametrize(
    ("eye", "problem"), [((14.0, 10.0, 1.0), "inside a wall or a model"), ((14.0, 2.0, -1.0), "above the ground")]
)
def test_a_camera_in_a_wall_or_in_the_ground_is_refused_in_both_ways(wall_scene, wall_report, eye, problem):
    figure = Figure("eye", view="camera", camera_from=eye, camera_to=(14.0, 12.0, 0.5), lines=(("A/1", "C"),))
    with pytest.raises(SceneError, match=problem):
        compose(wall_scene, wall_report, figure, draw_list(wall_scene, wall_report, figure), 1.6)
    with pytest.raises(SceneError, match=problem):
        drawing(wall_scene, wall_report, figure)


def test_a_camera_may_stand_where_a_wall_was_taken_away(wall_scene, wall_report):
    eye = (14.0, 10.0, 5.5)  # in the wall's upper part
    figure = replace(LOW, view="camera", camera_from=eye, camera_to=(14.0, 13.0, 0.0))
    _, camera = compose(wall_scene, wall_report, figure, draw_list(wall_scene, wall_report, figure), 1.6)
    assert camera.eye == pytest.approx(eye)


@pytest.mark.skipif(not opengl.probe().works, reason=f"no OpenGL: {opengl.probe().problem}")
def test_the_cut_faces_are_seen_in_the_picture(wall_scene, wall_report):
    opengl.require()
    figure = replace(LOW, view="plan")
    things = draw_list(wall_scene, wall_report, figure)
    page, camera = compose(wall_scene, wall_report, figure, things, 1.6)
    kept = [[t for t in things if t.kind != "cut"], list(things)]
    without, whole = (np.asarray(render(each, page, camera, Paper(320, 200, 100)), np.float64) for each in kept)
    changed = np.abs(whole - without).sum(axis=2) > 6
    assert changed.sum() > 50
    assert whole[changed].mean() < without[changed].mean()  # dark where cut

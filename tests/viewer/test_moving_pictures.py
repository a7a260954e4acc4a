"""Pictures of moves: what is in the draw list and in the vector drawing, whatever it looks like."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from deadground.scenes.document import read_scene
from deadground.scenes.rulings import find
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.rulings.wh40k_moving import move, nearest_end, reach_of
from deadground.viewer import plan
from deadground.viewer.chart import BOTH
from deadground.viewer.cli import run
from deadground.viewer.course import course, leg_length
from deadground.viewer.draw import draw_list
from deadground.viewer.opengl import probe
from deadground.viewer.solids import solids
from deadground.viewer.spread import spread, steps
from deadground.viewer.things import Label, Mark, Path

SCENE = """
schema = 1
ruleset = "wh40k-11e"
units = "in"

[board]
size = [40, 30]

[[feature]]
name = "store"
at = [10, 10]
wh40k = { category = "dense" }

[[feature.floor]]
outline = [[0, 0], [6, 0], [6, 6], [0, 6]]
top = 3
thickness = 0.2

[[unit]]
name = "A"
side = "red"
base = "32mm"
height = 1.5
at = [[5, 13]]
wh40k = { keywords = ["INFANTRY"] }
"""
ON_TOP = (13.0, 13.0, 3.0)
OVER_THE_EDGE = (10.2, 13.0, 3.0)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(SCENE, encoding="utf-8")
    return path


def charted(path, end, limit=None, view=BOTH):
    scene = read_scene(path)
    model = scene.models[0]
    found = move(scene, model, end, limit=limit)
    return scene, course(model, found, nearest_end(scene, model, found), view)


def things_of(scene, chart):
    return draw_list(scene, Report("wh40k-11e", "", {}, ()), chart)


def svg_of(scene, chart):
    return plan.drawing(scene, Report("wh40k-11e", find("wh40k-11e").edition, {}, ()), chart)


def texts(svg):
    root = ET.fromstring(svg)  # noqa: S314  (our own text)
    return {found.text for found in root.iter("{http://www.w3.org/2000/svg}text")}


def test_lengths_have_one_decimal_or_two_where_they_need_them():
    assert (leg_length(4), leg_length(2.5), leg_length(5.2345)) == ("4.0″", "2.5″", "5.23″")


def test_a_draw_list_has_every_leg_with_its_length_and_the_sign_of_its_climb(path):
    things = things_of(*charted(path, ON_TOP, view="perspective"))
    said = [thing.shape.text for thing in things if thing.kind == "measure" and isinstance(thing.shape, Label)]
    assert "up 3.0″" in said
    assert [words.split()[0] for words in said if "″" in words and "ends" not in words] == ["across", "up", "across"]
    signs = [thing.shape for thing in things if thing.kind == "way" and isinstance(thing.shape, Mark)]
    assert [mark.sign for mark in signs] == ["up", "dot", "dot"]
    assert signs[0].at[2] == pytest.approx(1.53)
    assert signs[0].at[0] == pytest.approx(10 - 0.5 - 32 / 50.8, abs=0.002)


def test_the_lines_of_a_way_run_from_where_it_starts_to_where_it_ends(path):
    things = things_of(*charted(path, ON_TOP))
    ways = [thing.shape.points for thing in things if thing.kind == "way" and isinstance(thing.shape, Path)]
    assert np.allclose(ways[0][0][:2], (5, 13))
    assert np.allclose(ways[-1][-1][:2], ON_TOP[:2])
    assert all(np.allclose(one[-1], other[0]) for one, other in itertools.pairwise(ways))


def test_where_a_model_ends_is_seen_through_and_hides_nothing(path):
    things = things_of(*charted(path, ON_TOP))
    (ghost,) = [thing for thing in things if thing.kind == "ghost"]
    assert ghost.look.opacity < 0.5
    assert ghost.shape.vertices[:, 2].min() == pytest.approx(3.0)
    assert ghost.shape.vertices[:, 2].max() == pytest.approx(4.5)


def test_what_may_not_be_gone_is_dashed_from_where_the_limit_ends(path):
    scene, chart = charted(path, ON_TOP, limit=6.0)
    ways = [thing for thing in chart.things if isinstance(thing.shape, Path)]
    lengths = dict.fromkeys((True, False), 0.0)
    for way in ways:
        lengths[way.look.dash is not None] += np.linalg.norm(np.diff(way.shape.points, axis=0), axis=1).sum()
    assert lengths[False] == pytest.approx(6.0)
    assert lengths[True] == pytest.approx(5.0)
    assert {ghost.words for ghost in chart.ghosts} == {
        "not here: it is further than it may move",
        "last place within 6.0″",
    }
    assert "″" in svg_of(scene, chart)


def test_an_illegal_end_has_a_cross_and_its_reason_in_words(path):
    scene, chart = charted(path, OVER_THE_EDGE)
    crosses = [t for t in things_of(scene, chart) if isinstance(t.shape, Mark) and t.shape.sign == "cross"]
    assert [thing.legend for thing in crosses] == ["may not end here"]
    assert np.allclose(crosses[0].shape.at[:2], OVER_THE_EDGE[:2])
    assert all(thing.look.dash for thing in chart.things if isinstance(thing.shape, Path))
    said = texts(svg_of(scene, chart))
    assert "not here: part of its base hangs over the edge" in said
    assert "Not allowed: part of its base hangs over the edge (overhang)." in said
    assert "nearest legal end" in said


def test_a_place_without_a_way_is_tied_to_its_model_by_dots(path, tmp_path):
    walled = SCENE.replace('"INFANTRY"', '"VEHICLE"')
    (tmp_path / "scene.toml").write_text(walled, encoding="utf-8")
    scene, chart = charted(path, (13.0, 13.0, 1.0))
    (line,) = [thing for thing in chart.things if isinstance(thing.shape, Path)]
    assert line.legend == "no way there"
    assert chart.title == "A/1 has no way there"
    assert any("there is no way there" in words for words in texts(svg_of(scene, chart)) if words)


def test_the_vector_drawing_has_a_plan_and_an_elevation_and_no_two_ids_alike(path):
    svg = svg_of(*charted(path, ON_TOP))
    ids = re.findall(r' id="([^"]+)"', svg)
    assert len(ids) == len(set(ids))
    assert {"panel-plan", "panel-front"} <= set(ids)
    assert {"up 3.0″", "A/1 ends here, 3.0″ up", "climbs up", "its way"} <= texts(svg)


def test_a_move_without_opengl_is_drawn_by_the_command(path, tmp_path, capsys):
    out = tmp_path / "move.svg"
    assert run(["move", str(path), "A/1", "13,13,3", "-o", str(out)]) == 0
    assert "written" in capsys.readouterr().err
    assert "up 3.0″" in texts(out.read_text(encoding="utf-8"))


def test_an_ending_that_nothing_writes_is_said_before_anything_is_drawn(path, capsys):
    assert run(["move", str(path), "A/1", "13,13,3", "-o", "move.xyz"]) == 2
    assert "-o" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("limit", "edges"), [(6, [2, 4, 6]), (12, [3, 6, 9, 12]), (1, [1]), (0.5, [0.5]), (7.5, [2, 4, 6, 7.5])]
)
def test_shades_change_at_whole_inches_and_at_the_limit(limit, edges):
    assert steps(limit) == edges


@pytest.fixture
def reached(path):
    scene = read_scene(path)
    model = scene.models[0]
    return scene, spread(model, 9.0, reach_of(scene, model, 9.0), BOTH)


def test_every_floor_has_its_own_plan_and_its_own_colours(reached):
    scene, chart = reached
    svg = svg_of(scene, chart)
    assert [floor.height for floor in chart.floors] == [0.0, 3.0]
    assert {"On the ground", "On the floor at 3.0″", "ground: up to 3″", "at 3.0″: 6″ to 9″"} <= texts(svg)
    assert {'id="panel-plan"', 'id="panel-plan-2"'} <= set(re.findall(r'id="panel-[^"]+"', svg))
    ids = re.findall(r' id="([^"]+)"', svg)
    assert len(ids) == len(set(ids))
    colours = [{region.colour for region in chart.on(floor.height)} for floor in chart.floors]
    assert not colours[0] & colours[1]


def test_shades_do_not_overlap_and_lie_on_their_floor(reached):
    scene, chart = reached
    for floor in chart.floors:
        shapes = [region.shape for region in chart.on(floor.height)]
        pairs = [(a, b) for k, a in enumerate(shapes) for b in shapes[k + 1 :]]
        assert all(a.intersection(b).area < 1e-6 for a, b in pairs)
    drawn = [thing for thing in things_of(scene, chart) if thing.kind == "reach"]
    assert sorted({round(float(thing.shape.vertices[:, 2].max()), 1) for thing in drawn}) == [0.0, 3.0]
    assert [thing.legend for thing in drawn] == [region.called for region in chart.regions]


def test_a_picture_has_a_solid_for_each_sign(path):
    assert all(len(solid.form.vertices) for solid in solids(things_of(*charted(path, ON_TOP, limit=6.0))))


@pytest.mark.skipif(not probe().works, reason="no OpenGL on this machine")
def test_a_picture_in_perspective_is_written(path, tmp_path, capsys):
    for command in (["move", str(path), "A/1", "13,13,3"], ["reach", str(path), "A/1", "--limit", "9"]):
        out = tmp_path / f"{command[0]}.png"
        assert run([*command, "-o", str(out)]) == 0
        assert out.read_bytes().startswith(b"\x89PNG")
    capsys.readouterr()

"""What figures show beyond lines: moves, reaches, zones, tokens, states, and figures side by side."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations

import pytest

from deadground.geometry.errors import InputError, SceneError
from deadground.scenes.document import read_scene
from deadground.scenes.figure import Section
from deadground.scenes.rulings import find
from deadground.scenes.rulings.verdict import Report, State
from deadground.viewer import opengl
from deadground.viewer.chart_file import view_for
from deadground.viewer.cli import run
from deadground.viewer.draw import draw_list
from deadground.viewer.figure import figure_named, judged, writer
from deadground.viewer.look import Look
from deadground.viewer.paper import Paper
from deadground.viewer.solids import solids
from deadground.viewer.strip_picture import develop_strip
from deadground.viewer.strip_plan import is_flat, vector_tree
from deadground.viewer.subject import subject_of
from deadground.viewer.svg import written
from deadground.viewer.things import Label, Mark, Path, Surface

SVG = "{http://www.w3.org/2000/svg}"
needs_opengl = pytest.mark.skipif(not opengl.probe().works, reason=f"no OpenGL: {opengl.probe().problem}")
TABLE = """
schema = 1
ruleset = "wh40k-11e"
units = "in"
title = "Content"

[board]
size = [30, 22]

[[feature]]
name = "store"
at = [10, 8]
wh40k = { category = "dense" }
sctmg = { size = 3 }

[[feature.floor]]
outline = [[0, 0], [6, 0], [6, 6], [0, 6]]
top = 3
thickness = 0.2

[[feature.wall]]
from = [0, 6]
to = [6, 6]
height = 6
thickness = 0.2

[[unit]]
name = "A"
side = "red"
base = "32mm"
height = 1.5
at = [[8.9, 11]]
wh40k = { keywords = ["INFANTRY"] }
sctmg = { size = 2 }
t9a = { height = 1 }

[[unit]]
name = "B"
side = "blue"
base = "32mm"
height = 1.5
at = [[20, 11]]
wh40k = { keywords = ["INFANTRY"] }
sctmg = { size = 2 }
t9a = { height = 1 }

[[token]]
name = "objective"
at = [7, 9.2]
radius = 0.8

[[token]]
name = "wound"
at = [18, 9.5]
radius = 0.4
marker = true
"""
FIGURES = """
[[figure]]
name = "walk"
view = "plan"
lines = [["A", "B"]]
moves = [{ model = "A/1", to = [12, 11, 3], limit = 12 }, { model = "B/1", to = [10.0, 14.0] }]
reach = [{ model = "A/1", limit = 5.5 }]
"""


def scene_of(tmp_path, more, table=TABLE):
    path = tmp_path / "scene.toml"
    path.write_text(table + more, encoding="utf-8")
    return read_scene(path)


def drawn(scene, name):
    figure = figure_named(scene, name)
    changed, report = judged(scene, find(scene.ruleset), figure)
    return changed, report, figure


def svg(scene, name):
    return ET.fromstring(written(vector_tree(*drawn(scene, name))))  # noqa: S314  (our own text)


def texts(root):
    return [node.text for node in root.iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """A scene whose ways and reaches are found once."""
    return scene_of(tmp_path_factory.mktemp("walk"), FIGURES)


def test_a_figure_shows_lines_moves_and_reach_at_once_in_both_ways_to_draw(walk):
    scene = walk
    things = draw_list(*drawn(scene, "walk"))
    kinds = {thing.kind for thing in things}
    assert {"ray", "way", "ghost", "reach"} <= kinds
    marks = [thing.shape.sign for thing in things if thing.kind == "way" and isinstance(thing.shape, Mark)]
    assert marks.count("up") == 1
    assert marks.count("cross") == 1  # B may not end in the wall
    root = svg(scene, "walk")
    assert {"up 3.0″", "A/1 ends here, 3.0″ up", "On the ground", "On the floor at 3.0″"} <= set(texts(root))
    words = root.findtext(f"{SVG}desc")
    assert "A/1 sees B/1" in words or "A/1 does not see B/1" in words
    assert "together" in words
    assert "B/1: not allowed: it stands inside terrain" in words


def test_a_model_that_ends_upstairs_is_drawn_on_the_plan_of_that_floor_alone(walk):
    root = svg(walk, "walk")
    panels = {
        node.get("id"): texts(node) for node in root.iter(f"{SVG}g") if (node.get("id") or "").startswith("panel-")
    }
    assert "A/1 ends here, 3.0″ up" in panels["panel-plan-2"]
    assert "A/1 ends here, 3.0″ up" not in panels["panel-plan"]


def test_a_figure_of_moves_alone_draws_no_lines_and_judges_no_pair(tmp_path):
    scene = scene_of(tmp_path, '[[figure]]\nname = "f"\nmoves = [{ model = "A/1", to = [8, 17] }]\n')
    _, report, _ = drawn(scene, "f")
    assert report.models == ()
    assert not any(thing.kind == "ray" for thing in draw_list(*drawn(scene, "f")))


def test_a_level_section_takes_away_the_reach_of_the_floors_above_it(walk):
    changed, report, figure = drawn(walk, "walk")
    whole, cut = (subject_of(changed, report, replace(figure, section=each)).chart for each in (None, Section(2.5)))
    assert [floor.height for floor in whole.floors] == [0.0, 3.0]
    assert [floor.height for floor in cut.floors] == [0.0]
    assert {region.height for region in cut.regions} == {0.0}


def test_what_a_wall_hides_of_a_reach_is_outlined(walk):
    rings = [t for t in draw_list(*drawn(walk, "walk")) if t.kind == "ring" and "outline" in t.name]
    assert rings
    assert all(ring.look.ghost > 0 and isinstance(ring.shape, Path) for ring in rings)


@pytest.mark.parametrize("system", ["sctmg", "t9a"])
def test_straight_moves_are_drawn_for_the_systems_that_have_them(tmp_path, system):
    table = TABLE.replace("wh40k-11e", system).replace(
        "sctmg = { size = 3 }", "sctmg = { size = 3 }\nt9a = { opaque = true }"
    )
    scene = scene_of(tmp_path, '[[figure]]\nname = "f"\nmoves = [{ model = "A/1", to = [7, 9.2], limit = 2 }]\n', table)
    things = draw_list(*drawn(scene, "f"))
    words = " ".join(thing.words for thing in things if thing.kind == "way")
    assert "further than it may move" in words
    assert ("stands on a token" in words) == (system == "sctmg")


@pytest.mark.parametrize(
    ("key", "table", "problem"),
    [
        ('reach = [{ model = "A/1", limit = 6 }]', TABLE.replace("wh40k-11e", "sctmg"), "reach: expected wh40k-11e"),
        ('dead_ground = [{ model = "A/1" }]', TABLE, "dead_ground: expected sctmg"),
        ('show = ["dead-zones"]', TABLE, "show: expected sctmg"),
        (
            'show = ["hidden"]',
            TABLE.replace("wh40k-11e", "sctmg"),
            'show: expected wh40k-11e, by whose rules there is "hidden"',
        ),
        ('show = ["cover"]', TABLE.replace("wh40k-11e", "sctmg"), "show: expected wh40k-11e or t9a"),
        ('moves = [{ model = "A/1", to = [1, 1], fly = true }]', TABLE, "keyword FLY, found A/1 without it"),
    ],
)
def test_what_the_rules_do_not_know_is_refused_in_one_line(tmp_path, key, table, problem):
    scene = scene_of(tmp_path, f'[[figure]]\nname = "f"\n{key}\n', table)
    with pytest.raises(SceneError, match="figure f: ") as found:
        draw_list(*drawn(scene, "f"))
    assert problem in str(found.value)


def test_dead_ground_and_dead_zones_are_hatched_and_cut_to_the_table(tmp_path):
    table = TABLE.replace("wh40k-11e", "sctmg").replace("[[8.9, 11]]", "[[13, 11, 3]]")
    asked = 'dead_ground = [{ model = "A/1", size = 2 }]\nshow = ["dead-zones", "legend"]\n'
    figure = f'[[figure]]\nname = "f"\nview = "plan"\n{asked}'
    scene = scene_of(tmp_path, figure, table)
    things = {t.kind: t for t in draw_list(*drawn(scene, "f")) if t.kind in ("zone", "shade")}
    assert set(things) == {"zone", "shade"}
    for thing in things.values():
        assert isinstance(thing.shape, Surface)
        assert len(thing.shape.edges) > 20  # its hatching
        assert 0 < thing.look.opacity < 0.5
        assert (thing.shape.vertices.min(axis=0) >= 0).all()
        assert (thing.shape.vertices.max(axis=0)[:2] <= scene.board).all()
    assert {"dead zone round HIGH GROUND", "dead ground of A/1 for Size 2"} <= set(texts(svg(scene, "f")))


def test_tokens_are_drawn_without_being_asked_for_and_markers_as_nothing(tmp_path):
    scene = scene_of(tmp_path, '[[figure]]\nname = "f"\nview = "plan"\n')
    tokens = {t.name: t for t in draw_list(*drawn(scene, "f")) if t.kind == "token" and not isinstance(t.shape, Label)}
    assert isinstance(tokens["objective"].shape, Surface)
    assert isinstance(tokens["wound"].shape, Path)
    assert {"objective", "wound"} <= set(texts(svg(scene, "f")))
    assert not any(
        t.kind == "token"
        for t in draw_list(*drawn(scene_of(tmp_path, '[[figure]]\nname = "f"\nshow = ["labels"]\n'), "f"))
    )


def test_the_sign_of_hiding_stands_only_where_the_report_says_so(tmp_path):
    scene = scene_of(tmp_path, '[[figure]]\nname = "f"\nshow = ["hidden", "cover"]\n')
    figure = figure_named(scene, "f")
    states = (State("A/1", (), 0.0, hidden=True), State("B/1", (), 0.0, hidden=False))
    report = Report("wh40k-11e", "", {}, (), states=states)
    signs = [t for t in subject_of(scene, report, figure).things if t.kind == "state" and isinstance(t.shape, Mark)]
    assert [(t.name, t.shape.sign, t.words) for t in signs] == [("A/1 hidden", "hidden", "A/1 is hidden.")]
    words = [t.shape.text for t in subject_of(scene, report, figure).things if isinstance(t.shape, Label)]
    assert words == ["hidden"]  # the names, which would carry it, are not shown
    assert sum(solid.thing.kind == "state" for solid in solids(draw_list(scene, report, figure))) == 1


STRIP = """
[[figure]]
name = "one"
title = "As it is"
view = "side"
lines = [["A", "B"]]

[[figure]]
name = "two"
title = "With another height"
view = "front"
lines = [["B", "A"]]
with = { wh40k = { solid_height = 5 } }

[[figure]]
name = "both"
title = "Side by side"
panels = ["one", "two"]
caption = "Two of them."

[[figure]]
name = "third"
lines = [["A", "B"]]

[[figure]]
name = "mixed"
panels = ["one", "third"]
"""


def test_figures_side_by_side_have_letters_equal_heights_and_one_legend(tmp_path):
    scene = scene_of(tmp_path, STRIP)
    assert is_flat(scene, figure_named(scene, "both"))
    assert not is_flat(scene, figure_named(scene, "mixed"))
    root = svg(scene, "both")
    said = texts(root)
    assert {"Side by side", "(a) As it is", "(b) With another height", "solid_height 5 (normally 3)"} <= set(said)
    assert "Figure 3. Two of them." in said
    assert said.count("red") == 1
    boxes = [next(g.iter(f"{SVG}rect")) for g in root.iter(f"{SVG}clipPath")]
    assert len({box.get("height") for box in boxes}) == 1
    lefts = sorted((float(box.get("x")), float(box.get("x")) + float(box.get("width"))) for box in boxes)
    assert all(one[1] < other[0] for one, other in combinations(lefts, 2))
    ids = [node.get("id") for node in root.iter() if node.get("id")]
    assert len(ids) == len(set(ids))
    clips = {node.get("clip-path") for node in root.iter() if node.get("clip-path")}
    assert clips <= {f"url(#{name})" for name in ids}


@pytest.mark.slow
@needs_opengl
def test_figures_side_by_side_as_a_picture_are_all_there(tmp_path):
    opengl.require()
    found = develop_strip(*drawn(scene_of(tmp_path, STRIP), "mixed"), Paper(480, 300, 100))
    words = [part.words for group in found.groups for part in group.parts if hasattr(part, "words")]
    assert "(a) As it is" in words
    assert "(b) third" in words
    names = [group.name for group in found.groups if group.name.startswith("ray-")]
    assert {name[4] for name in names} == {"a", "b"}


@pytest.mark.parametrize("form", ["glb", "html"])
def test_figures_side_by_side_are_no_one_scene_to_turn(tmp_path, capsys, form):
    scene_of(tmp_path, STRIP)
    assert run(["figure", str(tmp_path / "scene.toml"), "both", "-o", str(tmp_path / f"f.{form}")]) == 2
    error = capsys.readouterr().err
    assert "figure both: panels: expected a picture (.png, .svg or .pdf)" in error or "viser" in error
    assert not (tmp_path / f"f.{form}").exists()


def test_a_page_too_low_for_its_figures_is_refused(tmp_path):
    many = STRIP + '[[figure]]\nname = "many"\npanels = [' + '"one", ' * 8 + '"two"]\n'
    with pytest.raises(InputError, match="--size"):
        develop_strip(*drawn(scene_of(tmp_path, many), "many"), Paper(600, 220, 100))


def test_the_look_of_moves_is_asked_for_as_that_of_figures(tmp_path):
    scene_of(tmp_path, "")
    out = tmp_path / "move.svg"
    command = [
        "move",
        str(tmp_path / "scene.toml"),
        "A/1",
        "8,17",
        "-o",
        str(out),
        "--view",
        "front",
        "--theme",
        "dark",
    ]
    assert run(command) == 0
    root = ET.parse(out).getroot()  # noqa: S314
    assert "Seen from the front" in texts(root)
    assert view_for(out, Look(view="side")) == "side"
    assert view_for(tmp_path / "move.pdf") == view_for(out)
    assert re.search('<rect width="100%" height="100%" fill="#17191c"', out.read_text(encoding="utf-8"))
    with pytest.raises(InputError, match="--view"):
        writer(".svg", Look(view="above"))
    assert replace(Look(), theme="dark").theme == "dark"

"""Measures, ladders, callouts, ticks, overhangs, scale bars and captions, in pictures and in vector drawings."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import shapely

from deadground.geometry.errors import SceneError
from deadground.scenes.figure import Callout, Ladder, Measure
from deadground.scenes.model import Base
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer import opengl
from deadground.viewer.caption import caption_words
from deadground.viewer.draw import draw_list
from deadground.viewer.glb import glb
from deadground.viewer.labels import Box, Wanted, place
from deadground.viewer.ladders import rungs
from deadground.viewer.lettering import text_width
from deadground.viewer.marks import Blot, Group, Page, Text
from deadground.viewer.measuring import BESIDE, measured_words, span
from deadground.viewer.overlay import overlay
from deadground.viewer.palette import DEFAULT, PALETTES
from deadground.viewer.paper import Paper
from deadground.viewer.picture import compose, render
from deadground.viewer.plan import drawing
from deadground.viewer.solids import solids
from deadground.viewer.ticks import HANGING

SVG = "{http://www.w3.org/2000/svg}"
SHOW = ("openings", "solid-height", "areas", "labels", "legend", "ticks", "overhang", "scale")
ALL = Figure(
    "all",
    "Everything at once",
    lines=(("A/1", "B"), ("A/1", "C"), ("A/2", "B")),
    ranges=(("B", 3.0),),
    show=SHOW,
    caption="What stands in a window's way, said in so many words that they need more than one line under it.",
    measures=(
        Measure("A/1", "B/1"),
        Measure("A", "C", "across", "across", 1.0),
        Measure((12.0, 12.0, 0.0), (12.0, 12.0, 3.0), "climb", "up"),
    ),
    heights=(Ladder((9.5, 10.0), 0.0, 6.0), Ladder((18.6, 10.0), 1.5, 5.2, (1.5, 2.7, 4.0, 5.2))),
    callouts=(Callout("C", "a model on a ledge"), Callout((14.0, 10.0, 2.0), "the window that is closed")),
)


FRONT = replace(ALL, view="front")
"""A view whose camera is not searched for."""


def drawn(scene: Scene, report: Report, figure: Figure = FRONT) -> tuple[Page, tuple[Group, ...]]:
    things = draw_list(scene, report, figure)
    page, camera = compose(scene, report, figure, things, 1.2)
    return page, overlay(things, page, camera, DEFAULT)


def text_box(words: str, at: tuple[float, float], size: float, anchor: str, *, bold: bool) -> Box:
    width = text_width(words, size, bold=bold)
    left = at[0] - (width / 2 if anchor == "middle" else width if anchor == "end" else 0.0)
    return Box(left, at[1] - 0.74 * size, left + width, at[1] + 0.2 * size)


def boxes(groups: tuple[Group, ...]) -> list[tuple[str, Box]]:
    texts = [part for group in groups for part in group.parts if isinstance(part, Text)]
    return [(t.words, text_box(t.words, t.at, t.size, t.anchor, bold=t.bold)) for t in texts]


def svg_boxes(root: ET.Element) -> list[tuple[str, Box]]:
    found = []
    for node in root.iter(f"{SVG}text"):
        at = float(node.attrib["x"]), float(node.attrib["y"])
        anchor, bold = node.attrib.get("text-anchor", "start"), node.attrib.get("font-weight") == "bold"
        found.append(
            (node.text or "", text_box(node.text or "", at, float(node.attrib["font-size"]), anchor, bold=bold))
        )
    return found


def parsed(scene: Scene, report: Report, figure: Figure) -> ET.Element:
    return ET.fromstring(drawing(scene, report, figure))  # noqa: S314  (our own text)


# --- both ways to draw


@pytest.mark.parametrize("view", ["perspective", "plan", "side"])
def test_in_a_picture_nothing_overlaps_or_leaves_the_page(wall_scene, wall_report, view):
    page, groups = drawn(wall_scene, wall_report, replace(ALL, view=view))
    found = boxes(groups)
    assert {"A", "B"} <= {words for words, _ in found}
    assert not [(a, b) for (a, one), (b, other) in combinations(found, 2) if one.overlaps(other)]
    assert all(b.left >= 0 and b.right <= page.width and b.top >= 0 and b.bottom <= page.height for _, b in found)


@pytest.mark.parametrize("view", ["perspective", "plan", "front", "side"])
def test_in_a_vector_drawing_nothing_overlaps_or_leaves_the_page(wall_scene, wall_report, view):
    root = parsed(wall_scene, wall_report, replace(ALL, view=view))
    found, width, height = svg_boxes(root), float(root.attrib["width"]), float(root.attrib["height"])
    assert not [(a, b) for (a, one), (b, other) in combinations(found, 2) if one.overlaps(other)]
    assert all(b.left >= 0 and b.right <= width and b.top >= 0 and b.bottom <= height for _, b in found)


def test_both_ways_to_draw_say_the_same_lengths(wall_scene, wall_report):
    figure = replace(ALL, view="plan")
    _, groups = drawn(wall_scene, wall_report, figure)
    vector = {words for words, _ in svg_boxes(parsed(wall_scene, wall_report, figure))}
    lengths = {words for words, _ in boxes(groups) if words.endswith("″") and words != "6″"}
    assert {"8.24″", "across 5.45″"} <= lengths & vector
    assert "climb 3″" not in lengths | vector  # seen from above it has no length


def test_the_description_tells_lengths_and_callouts_in_words(wall_scene, wall_report):
    words = parsed(wall_scene, wall_report, FRONT).findtext(f"{SVG}desc") or ""
    assert "8.24″ from the base of A/1 to the base of B/1." in words
    assert "A: a model on a ledge." in words
    assert "A/2 may not stand there: part of its base hangs over the edge." in words


def test_a_drawing_is_the_same_each_time(wall_scene, wall_report):
    assert drawing(wall_scene, wall_report, FRONT) == drawing(wall_scene, wall_report, FRONT)


# --- measures


def test_a_length_between_models_is_what_the_referee_measures(wall_scene, wall_report):
    one, other = wall_scene.units[0].models[0], wall_scene.units[1].models[0]
    expected = np.hypot(14.2 - 14.0, 15.5 - 6.0) - 32 / 25.4
    assert span(one, other).inches == pytest.approx(expected, abs=1e-9)
    things = draw_list(wall_scene, wall_report, ALL)
    path = next(
        t.shape for t in things if t.kind == "dimension" and t.name == "measure 1" and hasattr(t.shape, "heads")
    )
    assert path.heads
    assert float(np.linalg.norm(path.points[1] - path.points[0])) == pytest.approx(expected, abs=1e-6)


def test_a_length_counts_height():
    low, high = np.array([0.0, 0.0, 0.0]), np.array([3.0, 0.0, 4.0])
    assert span(low, high).inches == pytest.approx(5.0)
    assert span(high, low).inches == span(low, high).inches


def test_an_oval_base_is_measured_from_its_edge(wall_scene):
    model = replace(wall_scene.units[0].models[0], base=Base("oval", 4.0, 2.0), x=0.0, y=0.0, facing=0.0)
    assert span(model, np.array([5.0, 0.0, 0.0])).inches == pytest.approx(3.0, abs=1e-3)
    assert span(model, np.array([0.0, 5.0, 0.0])).inches == pytest.approx(4.0, abs=1e-3)


def test_a_unit_is_measured_from_its_closest_model(wall_scene, wall_report):
    figure = Figure("m", unlined=True, measures=(Measure("A", (11.0, 9.0, 0.0)),))
    words = {t.words for t in draw_list(wall_scene, wall_report, figure) if t.kind == "dimension"}
    assert words == {"1.37″ from the base of A to (11, 9, 0)."}


@pytest.mark.parametrize(
    ("inches", "words"),
    [(6.0, "6″"), (6.25, "6.25″"), (6.004, "6.004″"), (5.996, "5.996″"), (6.00003, "just over 6″"),
     (5.99997, "just under 6″"), (0.123456, "0.12″")],
)  # fmt: skip
def test_a_length_that_misses_a_tenth_is_not_printed_as_that_tenth(inches, words):
    assert measured_words(inches) == words


@pytest.mark.parametrize(
    "measure",
    [
        Measure("A/1", "A/1"),
        Measure((1.0, 1.0, 0.0), (1.0, 1.0, 0.0)),
        Measure((1.0, 1.0, 0.0), (2.0, 1.0, 0.0), "", "up"),
    ],
)
def test_a_measure_of_no_length_is_refused(wall_scene, wall_report, measure):
    with pytest.raises(SceneError, match=r"measures\[0\].*no distance"):
        draw_list(wall_scene, wall_report, replace(ALL, measures=(measure,)))


def test_an_arrow_drawn_aside_is_tied_to_what_it_measures(wall_scene, wall_report):
    figure = Figure("m", unlined=True, measures=(Measure((1.0, 1.0, 0.0), (5.0, 1.0, 0.0), aside=1.0),))
    paths = {t.name: t.shape.points for t in draw_list(wall_scene, wall_report, figure) if hasattr(t.shape, "heads")}
    assert paths["measure 1"][:, 1] == pytest.approx([2.0, 2.0])
    assert paths["measure 1 rest 0"][1] == pytest.approx([1.0, 1.0, 0.0])
    assert paths["measure 1 rest 1"][1] == pytest.approx([5.0, 1.0, 0.0])


@pytest.mark.parametrize("inches", [0.3, 3.0])
def test_a_short_arrow_keeps_its_length_where_it_is_seen_from_its_side(wall_scene, wall_report, inches):
    ends = (3.0, 12.0, 0.0), (3.0 + inches, 12.0, 0.0)
    figure = replace(ALL, view="plan", callouts=(), measures=(Measure(*ends),))
    _, groups = drawn(wall_scene, wall_report, figure)
    assert f"{inches:g}″" in {words for words, _ in boxes(groups)}


def test_an_arrow_keeps_clear_of_a_line_of_sight_that_joins_the_same_models(wall_scene, wall_report):
    beside = Figure("m", lines=(("A/1", "B"),), measures=(Measure("A/1", "B"),))
    clear = replace(beside, lines=(("A/1", "C"),))
    for figure, away in ((beside, BESIDE), (clear, 0.0)):
        things = draw_list(wall_scene, wall_report, figure)
        (line,) = [t.shape.points for t in things if t.name == "measure 1" and hasattr(t.shape, "heads")]
        ends = np.array([[14.0, 6.0], [14.2, 15.5]])
        assert shapely.LineString(ends).distance(shapely.Point(line.mean(axis=0)[:2])) == pytest.approx(away, abs=1e-6)


# --- ladders and callouts


def test_a_ladder_has_a_rung_for_each_inch_and_for_its_ends():
    assert sorted(rungs(Ladder((0.0, 0.0), 0.0, 3.5))) == [0.0, 1.0, 2.0, 3.0, 3.5]
    assert rungs(Ladder((0.0, 0.0), 0.0, 3.5, (2.6,))) == (2.6,)


def test_a_ladder_stands_where_it_is_put_with_its_numbers_in_a_row(wall_scene, wall_report):
    root = parsed(wall_scene, wall_report, replace(ALL, view="front", heights=(Ladder((9.5, 10.0), 0.0, 6.0),)))
    (names,) = [node for node in root.iter(f"{SVG}g") if node.attrib.get("id") == "names-front"]
    rows = [(n.text, float(n.attrib["x"]), float(n.attrib["y"])) for n in names.iter(f"{SVG}text")
            if (n.text or "").rstrip("″").isdigit() and n.attrib.get("font-weight") != "bold"]  # fmt: skip
    inches = {text: (x, y) for text, x, y in rows if text in {f"{k}″" for k in range(7)}}
    assert len(inches) == 7
    assert np.ptp([x for x, _ in inches.values()]) == pytest.approx(0.0, abs=0.1)
    steps = np.diff([inches[f"{k}″"][1] for k in range(7)])
    assert steps == pytest.approx(np.full(6, steps[0]), abs=0.05)


def test_numbers_of_a_ladder_that_do_not_fit_are_left_out():
    crowd = [Wanted(f"{k}″", Box(100, 100 + 5 * k, 101, 101 + 5 * k), row=True) for k in range(7)]
    placed = place(crowd, Box(0, 0, 200, 200), [])
    assert 0 < len(placed) < 7
    assert len({each.box.left for each in placed}) == 1


def test_callouts_are_lettered_in_order_and_told_under_the_picture(wall_scene, wall_report):
    page, groups = drawn(wall_scene, wall_report)
    by = {group.name: group for group in groups}
    assert by["callout-A"].words == "A: a model on a ledge"
    texts = [part.words for part in by["note-B"].parts if isinstance(part, Text)]
    assert texts == ["B", "the window that is closed"]
    assert all(part.at[1] > page.window.bottom for part in by["note-A"].parts if isinstance(part, Text))


def test_a_caption_has_the_figures_number_in_the_scene(wall_scene):
    second = replace(wall_scene.figures[1], caption="Nobody.")
    scene = replace(wall_scene, figures=(wall_scene.figures[0], second))
    assert caption_words(scene, second) == "Figure 2. Nobody."
    assert caption_words(scene, ALL) == ALL.caption
    assert caption_words(scene, scene.figures[0]) == ""


# --- ticks, overhangs, scale


def marks(scene: Scene, report: Report, figure: Figure = ALL) -> dict[tuple[str, str], object]:
    return {(t.kind, t.name): t for t in draw_list(scene, report, figure) if t.kind in ("verdict", "placement")}


def test_ticks_follow_the_verdicts(wall_scene, wall_report):
    found = marks(wall_scene, wall_report)
    assert (found["verdict", "C/1"].shape.sign, found["verdict", "C/1"].look.colour) == ("tick", DEFAULT.clear)
    assert (found["verdict", "B/1"].shape.sign, found["verdict", "B/1"].look.colour) == ("no", DEFAULT.blocked)
    turned = tuple(replace(v, visible=not v.visible) for v in wall_report.models)
    found = marks(wall_scene, replace(wall_report, models=turned))
    assert found["verdict", "C/1"].shape.sign == "no"
    assert found["verdict", "B/1"].shape.sign == "tick"


def test_a_model_that_stands_wrong_is_crossed_with_its_reason(wall_scene, wall_report):
    found = [t for t in draw_list(wall_scene, wall_report, ALL) if t.kind == "placement"]
    assert {t.name for t in found} == {"A/2"}
    assert {getattr(t.shape, "text", "part of its base hangs over the edge") for t in found} == {
        "part of its base hangs over the edge"
    }


def test_without_ticks_there_are_none(wall_scene, wall_report):
    assert not marks(wall_scene, wall_report, replace(ALL, show=("labels",)))


def test_the_part_of_a_base_beyond_the_edge_is_marked_and_only_that(wall_scene, wall_report):
    (a, b, c) = wall_scene.units
    over = replace(c.models[0], x=15.4)  # the ledge ends at x = 15.5
    scene = replace(wall_scene, units=(a, b, replace(c, models=(over,))))
    found = [t for t in draw_list(scene, wall_report, ALL) if t.kind == "overhang"]
    assert [t.legend for t in found] == [HANGING, ""]
    (top,) = [t.shape for t in found if t.name == "C/1 top"]
    assert top.vertices[:, 0].min() == pytest.approx(15.5, abs=0.01)
    assert top.vertices[:, 0].max() == pytest.approx(15.4 + 16 / 25.4, abs=0.01)
    assert not [t for t in draw_list(wall_scene, wall_report, ALL) if t.kind == "overhang"]


@pytest.mark.skipif(not opengl.probe().works, reason=f"no OpenGL: {opengl.probe().problem}")
def test_the_model_is_seen_through_the_mark_of_what_hangs_over(wall_scene, wall_report):
    opengl.require()
    (a, b, c) = wall_scene.units
    scene = replace(wall_scene, units=(a, b, replace(c, models=(replace(c.models[0], x=15.4),))))
    figure = replace(ALL, view="plan")
    things = draw_list(scene, wall_report, figure)
    page, camera = compose(scene, wall_report, figure, things, 1.6)
    bare = [t for t in things if t.kind != "overhang"]
    flat = [replace(t, shape=replace(t.shape, edges=t.shape.edges[:0])) for t in things if t.name == "C/1 top"]
    without, whole = (
        np.asarray(render(each, page, camera, Paper(320, 200, 100)), np.float64) for each in (bare, bare + flat)
    )
    changed = np.abs(whole - without).sum(axis=2) > 6
    assert changed.sum() > 10
    before, after = without[changed].mean(axis=0), whole[changed].mean(axis=0)
    wrong = np.array([int(DEFAULT.wrong[k : k + 2], 16) for k in (1, 3, 5)], np.float64)
    assert (after - before) @ (wrong - before) > 0
    assert np.linalg.norm(after - wrong) > 60  # not covered by it


def test_the_scale_bar_is_as_long_as_it_says(wall_scene, wall_report):
    parts = [t for t in draw_list(wall_scene, wall_report, ALL) if t.kind == "scale"]
    ends = np.vstack([t.shape.vertices for t in parts if hasattr(t.shape, "faces")])
    (label,) = [t.shape.text for t in parts if hasattr(t.shape, "text")]
    assert label == f"{np.ptp(ends[:, 0]):g}″"
    colours = [t.look.colour for t in parts if hasattr(t.shape, "faces")]
    assert colours[:3] == [DEFAULT.ink, DEFAULT.paper, DEFAULT.ink]


def test_the_legend_tells_what_ticks_mean_in_both_ways(wall_scene, wall_report):
    page, _ = drawn(wall_scene, wall_report)
    vector = {words for words, _ in svg_boxes(parsed(wall_scene, wall_report, FRONT))}
    for words in ("seen", "not seen", "may not stand there"):
        assert words in {entry.words for entry in page.entries}
        assert words in vector


def test_arrows_and_rungs_are_in_the_glb_under_their_names(wall_scene, wall_report):
    bare = Figure("m", unlined=True, measures=ALL.measures[:1], heights=ALL.heights[:1])
    things = draw_list(wall_scene, wall_report, bare)
    (arrow,) = [each.form for each in solids(things) if each.thing.name == "measure 1"]
    ends = next(each.shape.points for each in things if each.name == "measure 1" and hasattr(each.shape, "heads"))
    tips = np.linalg.norm(arrow.vertices[:, None] - ends[None], axis=2).min(axis=0)
    assert tips == pytest.approx([0.0, 0.0], abs=1e-9)
    data = glb(things)
    assert b"dimension measure 1" in data
    assert b"ladder height 1" in data


# --- colours


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", sorted(PALETTES))
@pytest.mark.parametrize("colour", ["ink", "quiet", "wrong", "way", "sheet", "range"])
def test_text_stands_out_from_its_rim_and_the_paper_in_every_theme(name, colour):
    palette = PALETTES[name]
    assert contrast(getattr(palette, colour), palette.paper) >= 4.5


def test_text_over_the_drawing_has_a_rim_in_the_colour_of_the_paper(wall_scene, wall_report):
    _, groups = drawn(wall_scene, wall_report)
    own = [
        g for g in groups if g.name.split("-")[0] in ("dimension", "ladder", "placement", "scale", "name", "measure")
    ]
    texts = [part for group in own for part in group.parts if isinstance(part, Text)]
    assert texts
    assert {text.halo for text in texts} == {DEFAULT.paper}


def test_signs_stay_inside_the_picture(wall_scene, wall_report):
    page, groups = drawn(wall_scene, wall_report)
    own = [g for g in groups if g.name.split("-")[0] in ("dimension", "ladder", "verdict", "placement", "callout")]
    shapes = [part.shape for group in own for part in group.parts if isinstance(part, Blot)]
    assert shapes
    assert page.window.shape.buffer(12).contains(shapely.union_all(shapes))

"""Vector drawings: what stands in the file, not what its pixels look like."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import shapely

from deadground.geometry.errors import InputError, SceneError
from deadground.geometry.plates import Array
from deadground.scenes.model import Base
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer import theme
from deadground.viewer.labels import Box
from deadground.viewer.lettering import text_width
from deadground.viewer.outlines import FRONT, PLAN
from deadground.viewer.panel import Panel
from deadground.viewer.plan import drawing, panels, write
from deadground.viewer.subject import subject_of
from deadground.viewer.svg import slug

SVG = "{http://www.w3.org/2000/svg}"
WHOLE = Figure("whole", "Everything")


def parsed(scene: Scene, report: Report, figure: Figure = WHOLE) -> ET.Element:
    return ET.fromstring(drawing(scene, report, figure))  # noqa: S314  (our own text)


def groups(root: ET.Element) -> dict[str, ET.Element]:
    return {node.attrib["id"]: node for node in root.iter(f"{SVG}g") if "id" in node.attrib}


def texts(root: ET.Element) -> list[str]:
    return [node.text or "" for node in root.iter(f"{SVG}text")]


def numbers(data: str) -> list[float]:
    return [float(found) for found in re.findall(r"-?[\d.]+", data)]


def test_it_is_svg_with_title_and_the_verdicts_in_words(wall_scene, wall_report):
    root = parsed(wall_scene, wall_report, wall_scene.figures[0])
    assert root.tag == f"{SVG}svg"
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert title.text == "The window is closed"
    assert desc.text == (
        "A/1 does not see B/1: gap closed by Solid (wall, opening 1). A/1 sees C/1: 31% of it in view."
    )


def test_the_same_figure_gives_the_same_bytes(wall_scene, wall_report, tmp_path):
    for name in ("one", "two"):
        write(wall_scene, wall_report, wall_scene.figures[0], tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize(
    ("view", "shown"),
    [
        ("plan", ["plan"]),
        ("front", ["front"]),
        ("side", ["side"]),
        ("perspective", ["plan", "side"]),
        ("camera", ["plan", "side"]),
    ],
)
def test_the_view_picks_the_drawings(view, shown, wall_scene, wall_report):
    root = parsed(wall_scene, wall_report, replace(wall_scene.figures[0], view=view))
    assert [name.removeprefix("panel-") for name in groups(root) if name.startswith("panel-")] == shown


@pytest.mark.parametrize("view", ["plan", "front", "side"])
def test_a_line_has_its_verdicts_colour_dash_and_sign(view, wall_scene, wall_report):
    found = groups(parsed(wall_scene, wall_report, replace(WHOLE, view=view)))
    drawn = [verdict for verdict in wall_report.models if slug("line", view, verdict.observer, verdict.target) in found]
    assert len(drawn) == 3
    for verdict in drawn:
        paths = found[slug("line", view, verdict.observer, verdict.target)].findall(f"{SVG}path")
        look = theme.CLEAR if verdict.visible else theme.BLOCKED
        assert paths[2].attrib["stroke"] == look.colour
        assert ("stroke-dasharray" in paths[2].attrib) != verdict.visible
        arrows = [path for path in paths if path.attrib["fill"] == theme.CLEAR.colour]
        crosses = [path for path in paths if path.attrib["d"].count("M") == 2]
        assert (len(arrows), len(crosses)) == ((1, 0) if verdict.visible else (0, 2))


def test_a_verdict_turned_round_changes_the_line_not_the_other_way(wall_scene, wall_report):
    """What is drawn comes from the verdict, never from the figure's author."""
    turned = replace(wall_report.models[2], visible=False)
    root = parsed(wall_scene, replace(wall_report, models=(turned,)), replace(WHOLE, lines=(("A/1", "C/1"),)))
    strokes = {path.attrib["stroke"] for path in groups(root)["line-plan-A_2f1-C_2f1"].findall(f"{SVG}path")}
    assert theme.BLOCKED.colour in strokes
    assert theme.CLEAR.colour not in strokes


def test_the_cross_stands_where_the_line_stops(wall_scene, wall_report):
    figure = replace(wall_scene.figures[0], view="side")
    panel = moved_panel(wall_scene, wall_report, figure)
    at = panel.seen([(14.0, 9.875, 2.0)])[0]
    line = groups(parsed(wall_scene, wall_report, figure))["line-side-A_2f1-B_2f1"]
    cross = numbers(line.findall(f"{SVG}path")[-1].attrib["d"])
    assert (cross[0] + cross[2]) / 2 == pytest.approx(at[0], abs=0.02)


def moved_panel(scene: Scene, report: Report, figure: Figure) -> Panel:
    return panels(scene, subject_of(scene, report, figure), figure.view)[0]


def test_a_verdict_without_a_line_draws_none_and_is_still_told(wall_scene, wall_report):
    root = parsed(wall_scene, wall_report, replace(WHOLE, lines=(("A/2", "C"),)))
    assert not any(name.startswith("line-") for name in groups(root))
    assert "A/2 does not see C/1: terrain in the way." in texts(root)


def test_closed_gaps_are_hatched_and_open_ones_white(wall_scene, wall_report):
    found = groups(parsed(wall_scene, wall_report, replace(wall_scene.figures[0], view="front")))
    fills = {
        name: [path.attrib["fill"] for path in found[f"opening-front-wall-{name}"].findall(f"{SVG}path")]
        for name in (1, 2)
    }
    assert fills == {1: [theme.GAP_OPEN, "url(#closed-gap)"], 2: [theme.GAP_OPEN]}
    words = found["opening-front-wall-1"].find(f"{SVG}desc")
    assert words is not None
    assert words.text == "Opening 1 of wall, 1.50″ to 2.70″ high: closed."


def test_bases_are_true_circles_and_ovals(wall_scene, wall_report):
    unit = wall_scene.units[0]
    oval = replace(unit.models[0], base=Base("oval", 60 / 25.4, 35 / 25.4), facing=30.0)
    scene = replace(wall_scene, units=(replace(unit, models=(oval, unit.models[1])), *wall_scene.units[1:]))
    figure = replace(WHOLE, view="plan")
    scale = moved_panel(scene, wall_report, figure).scale
    found = groups(parsed(scene, wall_report, figure))
    shape = found["model-plan-A_2f1"].find(f"{SVG}ellipse")
    assert shape is not None
    assert float(shape.attrib["rx"]) == pytest.approx(30 / 25.4 * scale, abs=0.01)
    assert float(shape.attrib["ry"]) == pytest.approx(17.5 / 25.4 * scale, abs=0.01)
    assert shape.attrib["transform"].startswith("rotate(-30.00 ")


def test_sides_are_told_apart_without_colour(wall_scene, wall_report):
    found = groups(parsed(wall_scene, wall_report, replace(WHOLE, view="plan")))
    rims = {name: len(found[f"model-plan-{name}"].findall(f"{SVG}ellipse")) for name in ("A_2f1", "B_2f1")}
    assert rims == {"A_2f1": 1, "B_2f1": 2}


def test_the_scale_bar_is_as_long_as_it_says(wall_scene, wall_report):
    figure = replace(WHOLE, view="plan")
    bar = groups(parsed(wall_scene, wall_report, figure))["scale-bar"]
    inches = float((bar.find(f"{SVG}text").text or "").removesuffix("″"))
    length = sum(float(part.attrib["width"]) for part in bar.findall(f"{SVG}rect"))
    assert length == pytest.approx(inches * moved_panel(wall_scene, wall_report, figure).scale, abs=0.05)


def test_a_range_is_measured_from_the_bases_edge(wall_scene, wall_report):
    figure = wall_scene.figures[1]
    scale = moved_panel(wall_scene, wall_report, figure).scale
    ring = groups(parsed(wall_scene, wall_report, figure))["range-plan-B_2f1-3"].find(f"{SVG}path")
    assert ring is not None
    places = numbers(ring.attrib["d"])
    assert max(places[::2]) - min(places[::2]) == pytest.approx((6 + 32 / 25.4) * scale, abs=0.3)


def test_the_solid_height_is_drawn_where_it_is_judged(wall_scene, wall_report):
    figure = replace(wall_scene.figures[0], view="side")
    panel = moved_panel(wall_scene, wall_report, figure)
    root = parsed(wall_scene, wall_report, figure)
    line = groups(root)["solid-height-side-1"].find(f"{SVG}path")
    assert line is not None
    ground = numbers(groups(root)["ground-side"].findall(f"{SVG}path")[-1].attrib["d"])[1]
    assert ground - numbers(line.attrib["d"])[1] == pytest.approx(3.5 * panel.scale, abs=0.05)
    assert "Solid up to 3.5″" in texts(root)


def test_models_hills_and_heights_stand_to_scale(wall_scene, wall_report):
    figure = replace(WHOLE, view="side")
    scale = moved_panel(wall_scene, wall_report, figure).scale
    body = groups(parsed(wall_scene, wall_report, figure))["model-side-C_2f1"].find(f".//{SVG}path")
    assert body is not None
    places = numbers(body.attrib["d"])
    assert max(places[1::2]) - min(places[1::2]) == pytest.approx(1.6 * scale, abs=0.05)
    assert max(places[::2]) - min(places[::2]) == pytest.approx(32 / 25.4 * scale, abs=0.1)


def name_boxes(root: ET.Element, panel: str) -> list[Box]:
    """The boxes of names in a drawing, from the text and where it stands."""
    boxes = []
    for node in groups(root)[f"names-{panel}"].iter(f"{SVG}text"):
        size, x, y = (float(node.attrib[key]) for key in ("font-size", "x", "y"))
        width = text_width(node.text or "", size, bold=node.attrib.get("font-weight") == "bold")
        boxes.append(Box(x - width / 2, y - 0.72 * size, x + width / 2, y + 0.2 * size))
    return boxes


@pytest.mark.parametrize("view", ["plan", "front", "side"])
def test_names_do_not_overlap_and_stay_on_the_drawing(view, wall_scene, wall_report):
    figure = replace(WHOLE, view=view)
    boxes = name_boxes(parsed(wall_scene, wall_report, figure), view)
    assert len(boxes) >= 8
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    panel = moved_panel(wall_scene, wall_report, figure)
    assert all(panel.box.left <= box.left and box.right <= panel.box.right for box in boxes)


def test_nothing_of_the_page_is_outside_it(wall_scene, wall_report):
    long = replace(wall_scene.figures[0], title="A title that goes on and on " * 8)
    root = parsed(wall_scene, wall_report, long)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for node in root.iter(f"{SVG}text"):
        size, x, y = (float(node.attrib[key]) for key in ("font-size", "x", "y"))
        wide = text_width(node.text or "", size, bold=node.attrib.get("font-weight") == "bold")
        left = {"middle": x - wide / 2, "end": x - wide}.get(node.attrib.get("text-anchor", ""), x)
        assert left >= 0
        assert left + wide <= width
        assert 0 < y < height


def test_any_name_makes_a_file_that_can_be_read(wall_scene, wall_report):
    odd = "<&\">'\u0001 ″ Ω 名/1"
    unit = replace(wall_scene.units[1], name=odd[:-2], models=(replace(wall_scene.units[1].models[0], unit=odd[:-2]),))
    scene = replace(wall_scene, title=odd, units=(wall_scene.units[0], unit, wall_scene.units[2]))
    verdicts = tuple(replace(verdict, target=odd) for verdict in wall_report.models[:2])
    root = parsed(scene, replace(wall_report, models=verdicts), replace(WHOLE, title=odd))
    assert odd.replace("\u0001", "\ufffd") in texts(root)


def test_ids_are_unique(wall_scene, wall_report):
    root = parsed(wall_scene, wall_report, wall_scene.figures[0])
    ids = [node.attrib["id"] for node in root.iter() if "id" in node.attrib]
    assert len(ids) == len(set(ids))


def test_different_names_never_share_an_id():
    names = ["A/1", "A-1", "A 1", "A_2f1", "A.1", "Ä1", "a/1"]
    assert len({slug("line", name) for name in names}) == len(names)


def test_show_decides_what_is_drawn(wall_scene, wall_report):
    bare = parsed(wall_scene, wall_report, replace(WHOLE, view="side", show=("openings",)))
    assert "legend" not in groups(bare)
    assert "A/1" not in texts(bare)
    assert not any(name.startswith(("area-", "solid-height")) for name in groups(bare))


def test_what_follows_for_shooting_is_told_below(wall_scene, wall_report):
    root = parsed(wall_scene, wall_report, wall_scene.figures[0])
    assert "A against C: not fully visible, benefit of cover, BS worse by 1." in texts(root)


def test_names_that_do_not_exist_are_said(wall_scene, wall_report, tmp_path):
    with pytest.raises(SceneError, match="did you mean A/1"):
        write(wall_scene, wall_report, replace(WHOLE, lines=(("A/11", "B"),)), tmp_path / "x.svg")
    with pytest.raises(InputError, match="cannot be written"):
        write(wall_scene, wall_report, WHOLE, tmp_path / "no" / "x.svg")


def test_elevations_leave_out_what_has_no_part_in_the_lines(wall_scene, wall_report):
    found = groups(parsed(wall_scene, wall_report, replace(WHOLE, lines=(("A/1", "B"),), view="side")))
    models = {name for name in found if name.startswith("model-")}
    assert models == {"model-side-A_2f1", "model-side-B_2f1"}
    assert "feature-side-wall" in found
    assert "feature-side-ledge" not in found


def test_a_cut_shows_what_the_line_meets(wall_scene, wall_report):
    """From the side the line runs through the wall's section: material below, between and above the two windows."""
    figure = replace(wall_scene.figures[0], view="side")
    scale = moved_panel(wall_scene, wall_report, figure).scale
    paths = groups(parsed(wall_scene, wall_report, figure))["feature-side-wall"].findall(f"{SVG}path")
    cut = [path for path in paths if path.attrib["fill"] == theme.CUT]
    rings = [numbers(ring) for ring in cut[0].attrib["d"].split("Z") if ring.strip()]
    area = sum(shapely.Polygon(list(zip(ring[::2], ring[1::2], strict=True))).area for ring in rings)
    assert len(rings) == 3
    assert area / scale**2 == pytest.approx(0.25 * (6 - 2.4), rel=0.02)


def test_no_line_at_all_still_gives_a_drawing(wall_scene, wall_report):
    root = parsed(replace(wall_scene, units=()), replace(wall_report, models=(), units=()))
    assert "feature-plan-wall" in groups(root)
    root = parsed(replace(wall_scene, units=(), features=(), areas=()), replace(wall_report, models=(), units=()))
    assert "panel-plan" in groups(root)


def test_views_look_where_they_say():
    assert PLAN.flat(_corner()).tolist() == [[1.0, 2.0]]
    assert FRONT.flat(_corner()).tolist() == [[1.0, 3.0]]
    assert math.isclose(sum(PLAN.across), 1.0)


def _corner() -> Array:
    return np.array([[1.0, 2.0, 3.0]])

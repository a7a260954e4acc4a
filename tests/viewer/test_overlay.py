"""What lies over a picture: lines, signs, names, title and legend on the page."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import shapely

from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer import theme
from deadground.viewer.draw import draw_list
from deadground.viewer.lettering import text_width
from deadground.viewer.marks import Blot, Group, Page, Text
from deadground.viewer.overlay import overlay, runs
from deadground.viewer.palette import DEFAULT
from deadground.viewer.picture import compose

ASPECT = 1.6


def drawn(scene: Scene, report: Report, figure: Figure) -> tuple[Page, tuple[Group, ...]]:
    things = draw_list(scene, report, figure)
    page, camera = compose(scene, report, figure, things, ASPECT)
    return page, overlay(things, page, camera, DEFAULT)


def texts(groups: tuple[Group, ...]) -> list[Text]:
    return [part for group in groups for part in group.parts if isinstance(part, Text)]


def box(text: Text) -> shapely.Polygon:
    x, y = text.at
    width = text_width(text.words, text.size, bold=text.bold)
    return shapely.box(x, y - 0.75 * text.size, x + width, y + 0.2 * text.size)


@pytest.mark.parametrize("view", ["perspective", "plan", "front", "side"])
def test_no_two_texts_overlap_and_none_leaves_the_page(wall_scene: Scene, wall_report: Report, view: str) -> None:
    page, groups = drawn(wall_scene, wall_report, replace(wall_scene.figures[0], view=view))
    found = texts(groups)
    sheet = shapely.box(0, 0, page.width, page.height)
    assert len(found) > 6
    assert all(sheet.contains(box(text)) for text in found)
    assert not [(a.words, b.words) for a, b in combinations(found, 2) if box(a).intersects(box(b))]


def test_a_crowd_of_names_does_not_overlap(wall_scene: Scene, wall_report: Report) -> None:
    (one, *rest) = wall_scene.units
    close = tuple(replace(one.models[0], number=n, x=13.0 + 1.3 * (n % 3), y=5 + 1.3 * (n // 3)) for n in range(1, 7))
    crowd = replace(wall_scene, units=(replace(one, models=close), *rest))
    _, groups = drawn(crowd, wall_report, wall_scene.figures[0])
    found = [text for text in texts(groups) if text.words.startswith("A/")]
    assert len(found) == 6
    assert not [(a, b) for a, b in combinations(found, 2) if box(a).intersects(box(b))]


def test_the_legend_names_what_is_in_the_picture_and_nothing_else(wall_scene: Scene, wall_report: Report) -> None:
    _, groups = drawn(wall_scene, wall_report, wall_scene.figures[0])
    words = {text.words for text in texts(groups)}
    assert {"clear line", "blocked line, crossed where it stops", "gap closed by Solid", "Solid height"} <= words
    assert "range from the base's edge" not in words


def test_without_a_legend_the_picture_is_higher(wall_scene: Scene, wall_report: Report) -> None:
    figure = wall_scene.figures[0]
    with_legend, _ = drawn(wall_scene, wall_report, figure)
    without, _ = drawn(wall_scene, wall_report, replace(figure, show=("labels",)))
    assert without.size[1] > with_legend.size[1]


def test_a_long_title_is_broken_into_lines(wall_scene: Scene, wall_report: Report) -> None:
    long = replace(wall_scene.figures[0], title="Through the upper window, never through the lower " * 4)
    page, groups = drawn(wall_scene, wall_report, long)
    lines = [text for text in texts(groups) if text.size == theme.TITLE_SIZE]
    assert len(lines) >= 2
    assert all(box(text).bounds[2] <= page.width for text in lines)
    assert max(text.at[1] for text in lines) < page.window.top


def test_the_inch_sign_is_a_double_prime(wall_scene: Scene, wall_report: Report) -> None:
    _, groups = drawn(wall_scene, wall_report, wall_scene.figures[0])
    assert "3.5\N{DOUBLE PRIME}" in {text.words for text in texts(groups)} | {"3.5\N{DOUBLE PRIME}"}
    assert any("\N{DOUBLE PRIME}" in text.words for text in texts(groups))


def test_lines_are_inked_in_their_verdicts_colour_over_a_dark_casing(wall_scene: Scene, wall_report: Report) -> None:
    _, groups = drawn(wall_scene, wall_report, wall_scene.figures[0])
    colours = {g.name: [p.colour for p in g.parts if isinstance(p, Blot)] for g in groups}
    assert colours["ray-A/1 - C/1"][-1] == theme.CLEAR.colour
    assert colours["ray-A/1 - B/1"][-1] == theme.BLOCKED.colour
    assert DEFAULT.ink in colours["ray-A/1 - C/1"]


def test_a_group_carries_its_verdict_in_words(wall_scene: Scene, wall_report: Report) -> None:
    _, groups = drawn(wall_scene, wall_report, wall_scene.figures[0])
    (line,) = [group for group in groups if group.name == "ray-A/1 - B/1"]
    assert "A/1 does not see B/1" in line.words


def test_ink_stays_inside_the_pictures_window(wall_scene: Scene, wall_report: Report) -> None:
    page, groups = drawn(wall_scene, wall_report, wall_scene.figures[0])
    window = page.window.shape.buffer(1e-6)
    rays = [p.shape for g in groups if g.name.startswith("ray") and g.parts for p in g.parts if isinstance(p, Blot)]
    assert rays
    assert all(window.buffer(12).contains(shape) for shape in rays)


def test_a_line_is_cut_where_it_goes_out_of_sight() -> None:
    line = np.array([[0.0, 0, 1], [1, 0, 1], [2, 0, 0], [3, 0, 0], [4, 0, 1]])
    parts = runs(line)
    assert [seen for _, seen in parts] == [True, False]
    assert sum(float(np.ptp(part[:, 0])) for part, _ in parts) == pytest.approx(4.0)


@pytest.mark.parametrize(("one", "other"), [("clear", "blocked")])
def test_the_two_verdict_colours_stand_out_from_the_ground(one: str, other: str) -> None:
    def luminance(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    def contrast(a: str, b: str) -> float:
        light, dark = sorted((luminance(a), luminance(b)), reverse=True)
        return (light + 0.05) / (dark + 0.05)

    assert contrast(getattr(DEFAULT, one), DEFAULT.ground) >= 3.0
    assert contrast(getattr(DEFAULT, other), DEFAULT.ground) >= 3.0
    assert contrast(DEFAULT.ink, DEFAULT.paper) >= 7.0
    assert contrast(DEFAULT.quiet, DEFAULT.paper) >= 4.5

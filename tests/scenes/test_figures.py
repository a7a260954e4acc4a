"""Illustrations in a scene file: what they may ask for, and what is said of a mistake."""

from __future__ import annotations

import pytest

from deadground.geometry.errors import SceneError
from deadground.scenes.document import read_scene
from deadground.scenes.figure import Callout, Ladder, Measure, Section

TABLE = """
schema = 1
ruleset = "wh40k-11e"
units = "{unit}"
board = {{ size = [{wide}, {wide}] }}
[[feature]]
name = "wall"
at = [{one}, {one}]
block = [{{ size = [{one}, {one}, {one}] }}]
[[unit]]
name = "A"
side = "red"
base = "32mm"
height = {one}
at = [[{five}, {five}]]
[[theme]]
name = "ours"
base = "dark"
clear = "#00ff00"
[[figure]]
name = "first"
{keys}
"""


def figure(tmp_path, keys, unit="in"):
    one = 1 if unit == "in" else 25.4
    path = tmp_path / "table.toml"
    path.write_text(TABLE.format(unit=unit, keys=keys, one=one, five=5 * one, wide=20 * one), encoding="utf-8")
    return read_scene(path).figures[0]


def test_everything_that_a_figure_may_ask_for_is_kept_in_inches(tmp_path):
    found = figure(
        tmp_path,
        'caption = "What one sees."\nsection = { height = 88.9 }\n'
        'measures = [{ from = "A/1", to = [254, 0], along = "across", aside = 25.4 }]\n'
        "heights = [{ at = [25.4, 50.8], to = 177.8, rungs = [25.4] }]\n"
        'callouts = [{ at = [25.4, 25.4, 25.4], text = "here" }]',
        "mm",
    )
    assert found.caption == "What one sees."
    assert found.section is not None
    assert found.section.height == pytest.approx(3.5)
    (measure,) = found.measures
    assert (measure.start, measure.along, measure.aside) == ("A/1", "across", pytest.approx(1.0))
    assert measure.end == pytest.approx((10.0, 0.0, 0.0))
    assert found.heights == (Ladder((1.0, 2.0), 0.0, pytest.approx(7.0), (pytest.approx(1.0),)),)
    assert found.callouts == (Callout(pytest.approx((1.0, 1.0, 1.0)), "here"),)


def test_an_upright_section_runs_through_two_points(tmp_path):
    found = figure(tmp_path, "section = { from = [1, 2], to = [3, 4] }")
    assert found.section == Section(start=(1.0, 2.0), end=(3.0, 4.0))


def test_a_point_without_a_height_lies_on_the_ground(tmp_path):
    found = figure(tmp_path, "measures = [{ from = [1, 2], to = [1, 2, 3], text = 'up' }]")
    assert found.measures == (Measure((1.0, 2.0, 0.0), (1.0, 2.0, 3.0), "up"),)


def test_an_empty_list_of_lines_means_none_and_none_at_all_means_every_line(tmp_path):
    assert figure(tmp_path, "lines = []").unlined
    assert not figure(tmp_path, "").unlined


@pytest.mark.parametrize(
    ("keys", "key", "problem"),
    [
        ('measures = [{ from = "A/2", to = [1, 1] }]', "figure[0].measures[0].from", "did you mean 'A/1'?"),
        ('measures = [{ from = "A/1", to = "A/1" }]', "figure[0].measures[0].to", "a measure needs a length"),
        ("measures = [{ from = [1], to = [1, 1] }]", "figure[0].measures[0].from", "expected [x, y], [x, y, z]"),
        ("measures = [{ from = [1, nan], to = [1, 1] }]", "figure[0].measures[0].from", "expected [x, y], [x, y, z]"),
        ("measures = [{ from = [1, 1], to = [9e9, 1] }]", "figure[0].measures[0].to", "at most 1000 in"),
        ("measures = [{ from = [1, 1], two = [2, 1] }]", "figure[0].measures[0].two", "did you mean 'to'?"),
        ('callouts = [{ at = "B", text = "x" }]', "figure[0].callouts[0].at", "no unit or model is called 'B'"),
        ("heights = [{ at = [1, 1], to = 0 }]", "figure[0].heights[0].to", "a height above 'from'"),
        ("heights = [{ at = [1, 1], to = 3, rungs = [4] }]", "figure[0].heights[0].rungs", "between 'from' and 'to'"),
        ("heights = [{ at = [1, 1], to = 900 }]", "figure[0].heights[0].to", "at most 100 inches, or the rungs"),
        ("heights = [{ at = [1, 1], from = -1, to = 3 }]", "figure[0].heights[0].from", "at least 0"),
        ("section = {}", "figure[0].section.height", "needs a height, or from and to"),
        ("section = { height = 3, from = [1, 1], to = [2, 2] }", "figure[0].section.height", "not both"),
        ("section = { from = [1, 1] }", "figure[0].section.to", "needs from and to"),
        ("section = { from = [1, 1], to = [1, 1] }", "figure[0].section.to", "another point"),
        ("section = { hight = 3 }", "figure[0].section.hight", "did you mean 'height'?"),
        ('show = ["tick"]', "figure[0].show[0]", "'ticks'"),
        ("camera = { from = [1, 1, 1], to = [1, 1, 1] }", "figure[0].camera.to", "another point"),
        ('ranges = [["nobody", 3]]', "figure[0].ranges[0][0]", "no unit or model is called 'nobody'"),
        ('theme = "our"', "figure[0].theme", "did you mean 'ours'?"),
    ],
)
def test_a_mistake_is_told_with_its_key(tmp_path, keys, key, problem):
    with pytest.raises(SceneError) as error:
        figure(tmp_path, keys)
    assert error.value.key == key
    assert problem in error.value.problem


def test_no_figure_has_more_callouts_than_there_are_letters(tmp_path):
    many = ", ".join('{ at = [1, 1], text = "x" }' for _ in range(27))
    with pytest.raises(SceneError, match="at most 26 items"):
        figure(tmp_path, f"callouts = [{many}]")

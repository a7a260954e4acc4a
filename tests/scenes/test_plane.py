from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import affinity
from shapely.geometry.base import BaseGeometry

from deadground.geometry.convex import Convex, Hull, Round, gap_between
from deadground.geometry.units import TOUCH
from deadground.scenes.dead_ground import hidden_ground, seen_ground
from deadground.scenes.model import Base, Model
from deadground.scenes.plane import across, barrier, clear_trace, convex_base, first_crossed, share_behind, swept_ground
from tests.scenes.dense_traces import BOARD, dense_trace, outline, random_table, solid

LEFT, RIGHT = Round(0, 0, 0.5), Round(10, 0, 0.5)


def box(low_x: float, low_y: float, high_x: float, high_y: float) -> BaseGeometry:
    return shapely.box(low_x, low_y, high_x, high_y)


def seen(*obstacles: BaseGeometry, one: Convex = LEFT, other: Convex = RIGHT) -> bool:
    there, back = (clear_trace(*pair, barrier(obstacles)) is not None for pair in ((one, other), (other, one)))
    assert there == back
    return there


def model(base: Base, x: float, y: float, facing: float = 0.0) -> Model:
    return Model("A", 1, "red", base, x, y, 0.0, 1.5, facing)


def test_nothing_between_is_seen_along_the_middle():
    trace = clear_trace(LEFT, RIGHT, barrier([]))
    assert trace is not None
    np.testing.assert_allclose(trace, np.array([[0.5, 0], [9.5, 0]]))


def test_a_wide_wall_hides():
    assert not seen(box(5, -5, 5.2, 5))


def test_a_wall_that_leaves_the_outermost_line_free_does_not_hide():
    """The common tangent of two equal bases runs at y = 0.5: a wall up to there is grazed."""
    assert seen(box(5, -5, 5.2, 0.5))
    assert not seen(box(5, -5, 5.2, 0.502))


@pytest.mark.parametrize(("top", "expected"), [(0.4995, True), (0.5009, True), (0.5011, False)])
def test_less_than_a_touch_deep_is_grazing(top, expected):
    assert seen(box(5, -5, 5.2, top)) is expected


def test_only_a_slanted_line_through_two_offset_slits():
    walls = [box(4, -5, 4.1, 0.05), box(4, 0.07, 4.1, 5), box(6, -5, 6.1, -0.07), box(6, -0.05, 6.1, 5)]
    assert seen(*walls)
    assert not seen(*walls, box(4.9, -0.1, 5.1, 0.1))


def test_walls_that_touch_leave_no_seam():
    assert not seen(box(5, -5, 5.2, 0), box(5, 0, 5.2, 5))
    assert not seen(box(5, -5, 5.2, 0), box(5, 0.0009, 5.2, 5))
    assert seen(box(5, -5, 5.2, 0), box(5, 0.01, 5.2, 5))


def test_a_line_along_a_wall_is_not_across_it():
    assert seen(box(2, 0.5, 8, 3), box(2, -3, 8, 0.49))


def test_from_the_part_of_a_base_outside_a_wall_one_sees():
    assert seen(box(-2, -2, 0.49, 2))
    assert not seen(box(-2, -2, 0.51, 2))


def test_bases_that_touch_see_each_other():
    assert seen(one=LEFT, other=Round(1, 0, 0.5))
    assert seen(box(0.4, 0.1, 0.6, 3), one=LEFT, other=Round(1, 0, 0.5))


def test_bases_of_every_shape_see_round_a_corner():
    square = convex_base(model(Base("square", 1, 1), 0, 0))
    assert seen(box(5, -5, 5.2, 0.49), one=square)
    oval = convex_base(model(Base("oval", 0.5, 1), 0, 0))
    assert seen(box(5, -5, 5.2, 0.49), one=oval)
    assert not seen(box(5, -5, 5.2, 0.49), one=convex_base(model(Base("oval", 0.5, 0.8), 0, 0)), other=Round(10, 0, 0))


def test_a_square_base_turns_with_its_model():
    turned = model(Base("square", 2, 2), 0, 0, facing=45)
    assert across(turned, model(Base("round", 1, 1), 3, 0)) == pytest.approx(3 - 2**0.5 - 0.5)


def test_distances_are_across_only_and_between_bases():
    high = Model("B", 1, "blue", Base("round", 1, 1), 4, 0, 6.0, 1.5)
    assert across(model(Base("round", 1, 1), 0, 0), high) == pytest.approx(3)
    assert gap_between(LEFT, Round(0.7, 0, 0.5)) == 0


def test_the_first_crossing_is_where_the_trace_enters():
    trace = np.array([[0.0, 0.0], [10.0, 0.0]])
    assert first_crossed(trace, box(4, -1, 5, 1)) == pytest.approx([4 + TOUCH, 0])
    assert first_crossed(trace, box(4, 0, 5, 1)) is None


def test_half_a_base_behind_a_wall_is_half_the_lines():
    target = box(9, -1, 11, 1)
    wall = box(5, 0, 5.2, 9)
    nothing = shapely.Polygon()
    assert share_behind(np.zeros(2), target, wall, nothing) == pytest.approx(0.5, abs=1e-6)
    assert share_behind(np.zeros(2), target, box(4, -9, 4.1, 0), wall) == pytest.approx(1)
    assert share_behind(np.zeros(2), target, nothing, wall) == 0
    assert share_behind(np.zeros(2), target, nothing, box(5, -9, 5.2, 9)) is None


def test_a_move_sweeps_the_ground_between_its_points():
    swept = swept_ground(model(Base("square", 1, 1), 0, 0), [(0, 0), (4, 0, 3), (4, 4)])
    assert swept.area == pytest.approx(1 + 4 + 4)
    assert not swept.intersects(shapely.Point(2, 2))
    assert swept_ground(model(Base("square", 1, 1), 0, 0), [(7, 7)]).area == pytest.approx(1)


@pytest.mark.parametrize("part", range(2))
def test_traces_agree_with_many_tried_ones(part):
    agree(range(part * 40, part * 40 + 40))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_traces_agree_with_many_tried_ones_on_two_thousand_tables(part):
    agree(range(part * 200, part * 200 + 200))


def agree(seeds: range) -> None:
    for seed in seeds:
        table = random_table(seed)
        one, other = convex_base(table.one), convex_base(table.other)
        stops = barrier(table.obstacles)
        trace = clear_trace(one, other, stops)
        back = clear_trace(other, one, stops)
        assert (trace is None) == (back is None), f"table {seed}: not mutual"
        if trace is None:
            assert dense_trace(table, seed) is None, f"table {seed}: a clear trace was missed"
        else:
            stopping = shapely.buffer(solid(table), -TOUCH / 10)
            assert is_clear(trace, table.one, table.other, stopping), f"table {seed}: the trace is not clear"


SHARP_NOTCHES = (51219, 60422, 60512, 60836, 61781, 61890)
"""Tables on which pieces meet under angles so sharp that mitres there would reach across a wall."""


@pytest.mark.parametrize("seed", [*range(20), *SHARP_NOTCHES])
def test_what_stops_traces_is_all_of_the_obstacles_but_their_edges(seed):
    table = random_table(seed)
    stops = barrier(table.obstacles)
    assert shapely.is_valid(stops.cornered)
    assert shapely.is_valid(stops.solid)
    assert shapely.covers(stops.solid, shapely.buffer(solid(table), -TOUCH / 10))
    assert shapely.covers(shapely.buffer(shapely.union_all(list(table.obstacles)), TOUCH / 2), stops.solid)


@pytest.mark.parametrize("seed", SHARP_NOTCHES)
def test_traces_agree_with_many_tried_ones_past_sharp_notches(seed):
    agree(range(seed, seed + 1))


def is_clear(trace: np.ndarray, one: Model, other: Model, solid: BaseGeometry) -> bool:
    ends = [
        shapely.distance(outline(m), shapely.Point(end)) < 2 * TOUCH for m, end in zip((one, other), trace, strict=True)
    ]
    return all(ends) and not shapely.intersects(solid, shapely.LineString(trace))


spots = st.tuples(st.floats(0, 12), st.floats(0, 12))
bases = st.one_of(
    st.builds(lambda d: Base("round", d, d), st.floats(0.5, 3)),
    st.builds(lambda a, b: Base("oval", a, b), st.floats(0.5, 3), st.floats(0.5, 3)),
    st.builds(lambda a, b: Base("square", a, b), st.floats(0.5, 3), st.floats(0.5, 3)),
)
models = st.builds(lambda b, p, f: model(b, p[0], p[1], f), bases, spots, st.floats(0, 360))
boxes = st.lists(
    st.builds(lambda p, w, h: box(p[0], p[1], p[0] + w, p[1] + h), spots, st.floats(0.1, 6), st.floats(0.1, 6)),
    max_size=6,
)


@settings(max_examples=40)
@given(models, models, boxes)
def test_seeing_is_mutual(one, other, obstacles):
    seen(*obstacles, one=convex_base(one), other=convex_base(other))


@settings(max_examples=40)
@given(models, models, boxes, boxes)
def test_more_walls_never_reveal(one, other, obstacles, more):
    pair = {"one": convex_base(one), "other": convex_base(other)}
    assert seen(*obstacles, **pair) or not seen(*obstacles, *more, **pair)


@settings(max_examples=40)
@given(models, models, boxes, st.sampled_from([90, 180, 270]))
def test_turning_the_table_changes_nothing(one, other, obstacles, turn):
    def turned(what: BaseGeometry) -> BaseGeometry:
        return affinity.rotate(what, turn, origin=(0, 0))

    pair = [convex_base(m) for m in (one, other)]
    around = [Hull(shapely.get_coordinates(turned(base.polygon))[:-1]) for base in pair]
    plain = [Hull(shapely.get_coordinates(base.polygon)[:-1]) for base in pair]
    shrunk = [shapely.buffer(obstacle, -TOUCH / 100) for obstacle in obstacles]
    if seen(*obstacles, one=plain[0], other=plain[1]):
        assert seen(*map(turned, shrunk), one=around[0], other=around[1])


@pytest.mark.parametrize("seed", range(8))
def test_a_base_on_hidden_ground_has_no_trace_and_elsewhere_it_has_one(seed):
    check_ground(seed, 25)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 180))
def test_hidden_ground_agrees_with_traces_on_many_tables(seed):
    check_ground(seed, 60)


def check_ground(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    table = random_table(seed)
    observer, target = convex_base(table.one), convex_base(table.other)
    stops = barrier(table.obstacles)
    hidden = hidden_ground(observer, centred(target), stops, box(0, 0, BOARD, BOARD))
    for spot in rng.uniform(0, BOARD, (count, 2)):
        point = shapely.Point(spot)
        if shapely.distance(shapely.boundary(hidden), point) > 2 * TOUCH:
            assert (clear_trace(observer, moved(target, spot), stops) is None) == hidden.contains(point)


def centred(base: Convex) -> Convex:
    return moved(base, np.zeros(2))


def moved(base: Convex, spot: np.ndarray) -> Convex:
    if isinstance(base, Round):
        return Round(spot[0], spot[1], base.radius)
    assert isinstance(base, Hull)
    return Hull(base.corners - base.centre + spot)


def test_the_ground_seen_past_a_wall_ends_on_the_tangents():
    """A point-like observer, a wall at x = 5 with y in -1..1: at x = 10 the ground from -2 to 2 is hidden."""
    ground = box(-1, -12, 12, 12)
    seen_part = seen_ground(Round(0, 0, TOUCH), barrier([box(5, -1, 5.001 + 2 * TOUCH, 1)]), ground)
    gap = shapely.difference(shapely.LineString([(10, -12), (10, 12)]), seen_part)
    assert gap.length == pytest.approx(4, abs=0.02)


def test_behind_a_slit_the_ground_seen_is_the_whole_double_cone():
    walls = [box(5, -20, 5.01, -0.01), box(5, 0.01, 5.01, 20)]
    seen_part = seen_ground(Round(0, 0, 1), barrier(walls), box(-2, -20, 15, 20))
    at_ten = shapely.intersection(shapely.LineString([(10, -20), (10, 20)]), seen_part)
    assert at_ten.geom_type == "LineString"
    assert at_ten.length == pytest.approx(2 * 5 * np.tan(np.arcsin(1 / 5)), abs=0.1)

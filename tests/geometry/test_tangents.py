from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadground.geometry.tangents import arc_points, tangents, turned

NUMBERS = st.floats(-20, 20)
CIRCLES = st.tuples(NUMBERS, NUMBERS, st.floats(0, 3))
SENSES = st.sampled_from([1, -1])


def line(start, sense, end, other):
    return [part[0] for part in tangents(start, sense, np.array([end], dtype=float), np.array([other]))]


def test_between_two_points_it_is_the_straight_line():
    direction, length, first, second = line((0, 0, 0), 1, (3, 4, 0), 1)
    assert length == pytest.approx(5)
    assert direction == pytest.approx(math.atan2(4, 3))
    assert list(first) == [0, 0]
    assert second == pytest.approx([3, 4])


def test_round_two_equal_circles_it_runs_beside_their_centres():
    _, length, first, second = line((0, 0, 1), 1, (6, 0, 1), 1)
    assert length == pytest.approx(6)
    assert first == pytest.approx([0, -1])
    assert second == pytest.approx([6, -1])


def test_it_crosses_between_circles_that_it_goes_round_in_opposite_senses():
    _, length, _, _ = line((0, 0, 1), 1, (4, 0, 1), -1)
    assert length == pytest.approx(math.sqrt(12))


def test_there_is_none_from_inside_a_circle():
    assert math.isnan(line((0, 0, 0), 1, (0.5, 0, 1), 1)[1])


@given(CIRCLES, SENSES, CIRCLES, SENSES)
def test_it_touches_both_circles(one, sense, two, other):
    (ax, ay, ar), (bx, by, br) = one, two
    direction, length, first, second = line((ax, ay, ar), sense, (bx, by, br), other)
    if math.isnan(length):
        assert math.hypot(ax - bx, ay - by) <= ar + br
        return
    if length == 0:
        return
    for x, y, radius, side in ((ax, ay, ar, sense), (bx, by, br, other)):
        left = (x - first[0]) * -math.sin(direction) + (y - first[1]) * math.cos(direction)
        assert left == pytest.approx(side * radius, abs=1e-6)
    assert math.hypot(*(second - first)) == pytest.approx(length, abs=1e-6)


def test_turning_goes_one_way_round():
    assert turned(0.0, 1.0, 1) == pytest.approx(1)
    assert turned(0.0, 1.0, -1) == pytest.approx(2 * math.pi - 1)
    assert turned(1.0, 1.0 - 1e-12, 1) == 0


def test_the_points_of_an_arc_lie_on_it():
    points = arc_points((1, 2, 3), -1, 0.3, 1.2, 0.1)
    assert len(points) == 13
    assert np.hypot(points[:, 0] - 1, points[:, 1] - 2) == pytest.approx(3)


def test_a_point_hardly_inside_a_rim_is_on_it():
    direction, length, first, second = line((0.9999, 0, 0), 1, (0, 0, 1), 1)
    assert length == 0
    assert direction % (2 * math.pi) == pytest.approx(math.pi / 2)
    assert list(first) == [0.9999, 0]
    assert second == pytest.approx([1, 0])

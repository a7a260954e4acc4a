"""Shapes to draw."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import shapely
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from deadground.geometry.shapes import Upright
from deadground.viewer.forms import (
    dashes,
    dome,
    drum,
    hatching,
    raised,
    sharp_edges,
    silhouette,
    sliced,
    surface,
    united,
)

GROUND = (np.zeros(3), np.array([1.0, 0, 0]), np.array([0.0, 1.0, 0]))


def oval(a: float, b: float, facing: float = 0.0) -> Upright:
    return Upright(0.0, 0.0, a, b, facing, 0.0, 1.0)


def rim(a: float = 1.0, b: float = 1.0) -> np.ndarray:
    return oval(a, b).rim(np.linspace(0, 2 * np.pi, 64, endpoint=False))


@given(st.floats(0.5, 3), st.floats(0.5, 3), st.floats(1, 15), st.floats(0, 6))
def test_every_point_of_a_range_is_exactly_that_far_from_the_base(
    a: float, b: float, reach: float, foot: float
) -> None:
    outline = rim(a, b)
    form = dome(outline, foot, reach)
    flat = shapely.distance(shapely.Polygon(outline), shapely.points(form.vertices[:, :2]))
    distance = np.hypot(flat, form.vertices[:, 2] - foot)
    assert np.allclose(distance, reach, atol=1e-6)
    assert form.vertices[:, 2].min() > -1e-9


def test_a_range_is_measured_from_the_edge_and_not_from_the_centre() -> None:
    form = dome(rim(2.0, 2.0), 0.0, 15.0)
    assert np.linalg.norm(form.vertices[:, :2], axis=1).max() == pytest.approx(17.0, abs=1e-3)
    assert form.vertices[:, 2].max() == pytest.approx(15.0)


def test_a_range_from_an_upper_floor_meets_the_ground_in_a_smaller_ring() -> None:
    ring = dome(rim(), 3.0, 5.0).edges[:, 0]
    assert np.allclose(ring[:, 2], 0.0, atol=1e-9)
    assert np.linalg.norm(ring[:, :2], axis=1).max() == pytest.approx(5.0, abs=1e-3)  # 1 + 4: 3, 4, 5


def test_a_range_too_short_for_the_ground_ends_in_the_air() -> None:
    assert dome(rim(), 6.0, 2.0).vertices[:, 2].min() == pytest.approx(4.0)


def test_domes_that_overlap_become_one_without_walls_inside() -> None:
    left = dome(rim(), 0.0, 3.0)
    right = dome(rim() + np.array([4.0, 0.0]), 0.0, 3.0)
    whole = united([left, right])
    corners = whole.vertices[whole.faces].reshape(-1, 3)
    for centre in ([0.0, 0.0], [4.0, 0.0]):
        inside = np.hypot(np.maximum(np.linalg.norm(corners[:, :2] - centre, axis=1) - 1, 0), corners[:, 2]) < 2.9
        assert not inside.any()


def test_the_seams_of_a_flat_face_are_no_edges() -> None:
    assert len(sharp_edges(trimesh.creation.box((1, 2, 3)))) == 12
    split = trimesh.creation.box((1, 2, 3)).subdivide()
    lengths = np.linalg.norm(np.diff(sharp_edges(split), axis=1), axis=2)
    assert lengths.sum() == pytest.approx(24.0)


def test_an_open_edge_is_drawn() -> None:
    mesh = trimesh.creation.box((1, 1, 1))
    lidless = trimesh.Trimesh(mesh.vertices, mesh.faces[mesh.face_normals[:, 2] < 0.5], process=False)
    assert len(sharp_edges(lidless)) == 12


def test_a_drum_is_closed_and_shows_two_sides_as_its_outline() -> None:
    form = drum(rim(), 0.0, 2.0)
    mesh = trimesh.Trimesh(form.vertices, form.faces)
    assert mesh.is_volume
    upright = np.ptp(silhouette(form, np.array([0.0, -20.0, 1.0]))[:, :, 2], axis=1) > 1.0
    assert upright.sum() == 2


def test_hatching_stays_inside_and_covers_the_shape() -> None:
    shape = shapely.box(0, 0, 2, 1) - shapely.box(0.8, 0.2, 1.2, 0.8)
    lines = hatching(shape, GROUND, 0.2)
    drawn = shapely.union_all([shapely.LineString(line[:, :2]) for line in lines])
    assert shape.buffer(1e-9).contains(drawn)
    assert drawn.buffer(0.2).contains(shape.buffer(-0.05))


def test_a_raised_shape_has_its_volume() -> None:
    frame = (np.array([1.0, 2, 0]), np.array([1.0, 0, 0]), np.array([0.0, 0, 1]))
    form = raised(shapely.box(0, 1, 2, 2), frame, -0.125, 0.125)
    mesh = trimesh.Trimesh(form.vertices, form.faces)
    assert abs(mesh.volume) == pytest.approx(0.5)
    assert np.allclose(mesh.bounds, [[1, 1.875, 1], [3, 2.125, 2]])


def test_nothing_raised_is_nothing() -> None:
    assert len(raised(shapely.Polygon(), GROUND, 0, 1).faces) == 0


@given(st.floats(0.1, 5), st.floats(0.1, 5), st.floats(0.5, 30))
def test_dashes_begin_with_a_full_one_and_never_reach_past_the_end(on: float, off: float, length: float) -> None:
    parts = dashes(np.array([[0.0, 0.0], [length, 0.0]]), (on, off))
    assert parts[0][0, 0] == 0.0
    assert parts[0][-1, 0] == pytest.approx(min(on, length))
    assert all(part[-1, 0] <= length + 1e-9 for part in parts)
    assert all(math.isclose(b[0, 0] - a[0, 0], on + off) for a, b in pairwise(parts))


def test_a_cut_takes_away_what_lies_before_the_plane() -> None:
    form = sliced(surface(trimesh.creation.box((2, 2, 2))), np.zeros(3), np.array([1.0, 0, 0]))
    assert form.vertices[:, 0].max() <= 1e-9
    assert form.edges[:, :, 0].max() <= 1e-9
    assert form.edges[:, :, 0].min() == -1.0

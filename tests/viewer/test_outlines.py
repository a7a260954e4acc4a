"""Terrain as flat shapes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import shapely
import trimesh

from deadground.meshes.piece import Piece
from deadground.scenes.model import Base
from deadground.scenes.terrain import Feature
from deadground.viewer.outlines import FRONT, PLAN, RIGHT, ground_cut, model_shape, opening_shape, section, silhouette


@pytest.fixture
def wall(wall_scene) -> Feature:
    feature: Feature = wall_scene.features[0]
    return feature


def test_a_silhouette_has_the_windows_one_looks_through(wall):
    assert silhouette(wall, FRONT).area == pytest.approx(8 * 6 - 2 * 1.2 * 1.2)
    assert silhouette(wall, RIGHT).area == pytest.approx(0.25 * 6)
    assert silhouette(wall, PLAN).area == pytest.approx(8 * 0.25)


def test_a_turned_feature_turns_its_silhouette(wall):
    turned = replace(wall, turn=90.0)
    assert silhouette(turned, RIGHT).area == pytest.approx(8 * 6 - 2 * 1.2 * 1.2)
    assert np.allclose(silhouette(turned, PLAN).bounds, (9.875, 10.0, 10.125, 18.0))


def test_a_square_base_is_a_square(wall_scene):
    model = replace(wall_scene.models[0], base=Base("square", 2.0, 1.0), facing=90.0)
    assert model_shape(model, PLAN).area == pytest.approx(2.0)
    assert model_shape(model, PLAN).minimum_rotated_rectangle.area == pytest.approx(2.0)
    low, _, high, _ = model_shape(model, FRONT).bounds
    assert high - low == pytest.approx(1.0)


def test_a_plan_cut_leaves_out_what_is_open_there(wall):
    assert ground_cut(wall, 1.0).area == pytest.approx(8 * 0.25)
    assert ground_cut(wall, 2.0).area == pytest.approx((8 - 1.2) * 0.25)
    assert ground_cut(wall, 7.0).is_empty


def test_a_section_along_a_line_shows_the_wall_with_its_gaps(wall):
    straight = section(wall, np.array([14.0, 6.0, 1.0]), np.array([14.0, 15.0, 2.0]), RIGHT)
    assert straight.area == pytest.approx(0.25 * (6 - 2.4))
    beside = section(wall, np.array([12.0, 6.0, 1.0]), np.array([12.0, 15.0, 2.0]), RIGHT)
    assert beside.area == pytest.approx(0.25 * 6)


def test_a_slanting_section_is_seen_as_its_line_is(wall):
    """Seen from the front, a line at 45 degrees crosses a shape as wide as the wall is thick."""
    slanting = section(wall, np.array([8.0, 6.0, 1.0]), np.array([16.0, 14.0, 2.0]), FRONT)
    low, _, high, _ = slanting.bounds
    assert (low, high) == pytest.approx((11.875, 12.125))


def test_a_section_ends_with_its_line(wall):
    assert section(wall, np.array([14.0, 6.0, 1.0]), np.array([14.0, 9.0, 2.0]), RIGHT).is_empty
    assert section(wall, np.array([14.0, 10.0, 1.0]), np.array([14.0, 10.0, 5.0]), RIGHT).is_empty


def test_openings_are_seen_through_their_thickness(wall):
    gap = wall.piece.openings[0]
    assert opening_shape(wall, gap, gap.outline, FRONT).area == pytest.approx(1.44)
    assert opening_shape(wall, gap, gap.outline, RIGHT).area == pytest.approx(1.2 * 0.25)
    assert opening_shape(wall, gap, shapely.Polygon(), FRONT).is_empty


def test_a_large_mesh_is_drawn_from_fewer_triangles():
    ball = trimesh.creation.icosphere(subdivisions=6, radius=3.0)
    assert len(ball.faces) > 80_000
    shape = silhouette(Feature("ball", Piece(ball), 0.0, 0.0), PLAN)
    assert shape.area == pytest.approx(math.pi * 9, rel=0.01)
    assert len(shapely.get_coordinates(shape)) < 5_000

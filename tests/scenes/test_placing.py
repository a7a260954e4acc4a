"""Where things stand: plans, supports, and the surfaces under a base."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import shapely
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from deadground.geometry.shapes import base_polygon
from deadground.meshes.piece import Piece
from deadground.scenes.model import Base, Model
from deadground.scenes.placing import Ground, Surfaces, base_outline, footprint, placed_mesh, standing, surfaces_under
from deadground.scenes.terrain import Feature

SQUARE = shapely.box(-0.5, -0.5, 0.5, 0.5)


def box(size: tuple[float, float, float] = (4, 2, 1), **placed: float) -> Feature:
    mesh = trimesh.creation.box(size)
    mesh.apply_translation([0, 0, size[2] / 2])
    values = {"x": 0.0, "y": 0.0, "foot": 0.0, "turn": 0.0} | placed
    return Feature("box", Piece(mesh), values["x"], values["y"], values["foot"], values["turn"])


def wedge() -> Feature:
    """A ramp that rises from 0 at x = -2 to 2 at x = 2: slope 1 in 2."""
    corners = [(-2, -2, 0), (2, -2, 0), (2, -2, 2), (-2, 2, 0), (2, 2, 0), (2, 2, 2)]
    faces = [(0, 1, 2), (3, 5, 4), (0, 3, 4), (0, 4, 1), (1, 4, 5), (1, 5, 2), (0, 2, 5), (0, 5, 3)]
    mesh = trimesh.Trimesh(corners, faces, process=False)
    return Feature("ramp", Piece(mesh), 0.0, 0.0)


def model(shape: str, length: float, width: float, **placed: float) -> Model:
    base = Base(shape, length, width)  # type: ignore[arg-type]
    return Model("A", 1, "red", base, placed.get("x", 0.0), placed.get("y", 0.0), 0.0, 1.5, placed.get("facing", 0.0))


def stood(height: float, under: Surfaces) -> tuple[float, str | None]:
    """Height, to a hundredth, and owner of the surface that is meant."""
    found = standing(height, under)
    assert found is not None
    return round(found[0], 2), found[1]


def test_a_placed_mesh_is_turned_and_moved():
    mesh = placed_mesh(box(x=10, y=5, foot=2, turn=90))
    np.testing.assert_allclose(mesh.bounds, [[9, 3, 2], [11, 7, 3]], atol=1e-12)


@given(st.floats(0, 360), st.floats(-50, 50), st.floats(-50, 50))
def test_a_footprint_is_the_plan_of_the_placed_mesh(turn, x, y):
    feature = box(turn=turn, x=x, y=y)
    corners = placed_mesh(feature).vertices[:, :2]
    assert footprint(feature).symmetric_difference(shapely.MultiPoint(corners).convex_hull).area < 1e-9
    assert footprint(feature).area == pytest.approx(8)


def test_a_footprint_fills_holes_and_keeps_parts_that_lie_apart():
    ring = trimesh.creation.annulus(r_min=1, r_max=2, height=1)
    far = trimesh.creation.box((1, 1, 1))
    far.apply_translation([10, 0, 0])
    both = trimesh.util.concatenate([ring, far])
    assert isinstance(both, trimesh.Trimesh)
    feature = Feature("ring", Piece(both), 0.0, 0.0)
    plan = footprint(feature)
    assert isinstance(plan, shapely.MultiPolygon)
    assert plan.area == pytest.approx(4 * math.pi + 1, rel=0.01)


def test_the_footprint_of_an_open_mesh_counts_what_faces_down_too():
    mesh = trimesh.Trimesh([(0, 0, 1), (2, 0, 1), (0, 2, 1)], [(0, 2, 1)], process=False)
    assert footprint(Feature("sheet", Piece(mesh), 0.0, 0.0)).area == pytest.approx(2)


def test_the_ground_and_every_upward_surface_lie_under_a_plan():
    under = surfaces_under(SQUARE, [box(), dataclasses.replace(box(), name="slab", foot=4.0)])
    assert under.levels == pytest.approx((0, 1, 5))
    assert set(under.features) == {None, "box", "slab"}


def test_a_surface_that_the_plan_only_touches_is_not_under_it():
    touching = shapely.box(2, -0.5, 3, 0.5)
    assert surfaces_under(touching, [box()]).levels == (0,)
    assert surfaces_under(shapely.box(1.9, -0.5, 3, 0.5), [box()]).levels == (0, 1)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0.1, 3))
def test_the_ground_kept_for_many_questions_gives_the_same_answers(x, y, size):
    features = [box(x=1, turn=30), dataclasses.replace(box(y=-2, foot=2), name="slab"), wedge()]
    plan = shapely.box(x, y, x + size, y + size)
    kept, once = Ground(features).under(plan), surfaces_under(plan, features)
    assert kept.features == once.features
    np.testing.assert_array_equal(kept.low, once.low)
    np.testing.assert_array_equal(kept.high, once.high)


def test_a_wall_is_nothing_to_stand_on_and_its_top_is():
    assert surfaces_under(SQUARE, [box((0.2, 2, 5))]).levels == pytest.approx((0, 5))


def test_on_a_slope_every_height_under_the_base_is_a_surface():
    under = surfaces_under(SQUARE, [wedge()])
    ramp = [(low, high) for low, high, name in zip(under.low, under.high, under.features, strict=True) if name]
    assert min(low for low, _ in ramp) == pytest.approx(0.75, abs=0.01)
    assert max(high for _, high in ramp) == pytest.approx(1.25, abs=0.01)
    assert stood(1.1, under) == (1.1, "ramp")
    assert stood(1.28, under) == (1.25, "ramp")
    assert standing(1.4, under) is None


@pytest.mark.parametrize(("height", "foot"), [(0.95, 1), (1.05, 1), (1, 1), (0.04, 0), (-0.04, 0)])
def test_a_height_within_a_twentieth_of_an_inch_means_the_surface(height, foot):
    assert stood(height, surfaces_under(SQUARE, [box()]))[0] == foot


@pytest.mark.parametrize("height", [0.93, 1.07, 0.5, -0.2, 3])
def test_a_height_further_from_every_surface_means_none(height):
    assert standing(height, surfaces_under(SQUARE, [box()])) is None


def test_the_nearest_of_two_surfaces_is_meant():
    under = surfaces_under(SQUARE, [box((4, 4, 1)), dataclasses.replace(box((4, 4, 1.04)), name="plate")])
    assert stood(1.03, under) == (1.04, "plate")
    assert stood(1.01, under) == (1, "box")


def test_a_square_base_is_a_turned_rectangle():
    outline = base_outline(model("square", 2, 1, x=3, facing=90))
    assert outline.bounds == pytest.approx((2.5, -1, 3.5, 1))
    assert outline.area == pytest.approx(2)


def test_a_round_base_is_its_polygon():
    round_model = model("round", 1.26, 1.26)
    assert base_outline(round_model).equals(base_polygon(round_model.body))

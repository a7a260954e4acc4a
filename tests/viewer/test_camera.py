"""Cameras: what they frame, and where they stand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from deadground.geometry.errors import SceneError
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer.camera import BORDER, angled, framed, looking
from deadground.viewer.draw import draw_list
from deadground.viewer.standpoint import Screen, camera_of, crossings

clouds = arrays(np.float64, st.tuples(st.integers(2, 12), st.just(3)), elements=st.floats(-30, 30))


@given(clouds, st.floats(-180, 180), st.floats(0, 89), st.floats(0.5, 3), st.booleans())
def test_everything_is_inside_the_border(
    points: np.ndarray, azimuth: float, elevation: float, aspect: float, parallel: bool
) -> None:
    camera = framed(angled(azimuth, elevation, 0.0 if parallel else 26.0), points, aspect)
    flat = camera.project(points, (aspect, 1.0))
    assert (flat[:, 2] > 0).all()
    assert (flat[:, 0] >= BORDER * aspect - 1e-6).all()
    assert (flat[:, 0] <= (1 - BORDER) * aspect + 1e-6).all()
    assert (flat[:, 1] >= BORDER - 1e-6).all()
    assert (flat[:, 1] <= 1 - BORDER + 1e-6).all()


def test_the_plan_has_x_to_the_right_and_y_up() -> None:
    points = np.array([[0.0, 0, 0], [10, 0, 0], [0, 10, 0]])
    origin, right, far = framed(angled(0, 90, 0.0), points, 1.0).project(points, (100, 100))
    assert right[0] > origin[0]
    assert right[1] == pytest.approx(origin[1])
    assert far[1] < origin[1]
    assert far[0] == pytest.approx(origin[0])


def test_from_the_front_higher_is_further_up_and_depth_makes_no_difference() -> None:
    points = np.array([[0.0, 0, 0], [0, 0, 5], [0, 9, 0]])
    low, high, far = framed(angled(0, 0, 0.0), points, 1.0).project(points, (100, 100))
    assert high[1] < low[1]
    assert np.allclose(far[:2], low[:2])


def test_a_camera_by_hand_looks_where_it_is_told() -> None:
    camera = looking(np.array([0.0, -10, 5]), np.array([0.0, 0, 0]))
    assert np.allclose(camera.project(np.zeros((1, 3)), (200, 100))[0, :2], [100, 50])
    assert camera.up[2] > 0


def test_a_camera_by_hand_may_look_straight_down() -> None:
    camera = looking(np.array([3.0, 3, 20]), np.array([3.0, 3, 0]))
    assert np.isfinite(camera.up).all()
    assert camera.up[1] == pytest.approx(1.0)


def test_a_camera_inside_a_wall_is_refused(wall_scene: Scene, wall_report: Report) -> None:
    figure = Figure("f", view="camera", camera_from=(11.0, 10.0, 1.0), camera_to=(14.0, 15.0, 1.0))
    things = draw_list(wall_scene, wall_report, figure)
    with pytest.raises(SceneError, match="inside a wall"):
        camera_of(wall_scene, figure, things, np.zeros((1, 3)), 1.6)
    outside = replace(figure, camera_from=(11.0, 5.0, 9.0))
    assert camera_of(wall_scene, outside, things, np.zeros((1, 3)), 1.6).eye[2] == 9.0


def test_a_point_in_a_box_has_an_odd_number_of_faces_above_it() -> None:
    triangles = np.asarray(trimesh.creation.box((2, 2, 2)).triangles)
    assert crossings(triangles, np.array([0.1, 0.2, 0.0])) == 1
    assert crossings(triangles, np.array([0.1, 0.2, -3.0])) == 2
    assert crossings(triangles, np.array([0.1, 0.2, 3.0])) == 0


def test_the_chosen_camera_sees_where_the_lines_end(wall_scene: Scene, wall_report: Report) -> None:
    figure = wall_scene.figures[0]
    things = draw_list(wall_scene, wall_report, figure)
    points = np.array([[10.0, 5, 0], [18, 16, 6]])
    camera = camera_of(wall_scene, figure, things, points, 1.6)
    assert Screen(things).seen(camera, np.array([[14.0, 9.875, 2.0]])).all()


def test_a_wall_hides_what_is_behind_it_and_a_model_is_no_screen_for_its_own_line(
    wall_scene: Scene, wall_report: Report
) -> None:
    screen = Screen(draw_list(wall_scene, wall_report, wall_scene.figures[0]))
    camera = looking(np.array([12.0, -20, 1.0]), np.array([12.0, 10, 1.0]))
    behind, inside = np.array([[12.0, 14.0, 1.0]]), np.array([[14.0, 6.0, 0.8]])
    assert not screen.seen(camera, behind)[0]
    assert not screen.seen(camera, inside)[0]
    assert screen.seen(camera, inside, ends=("A/1",))[0]

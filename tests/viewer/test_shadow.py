"""Soft contact shadows."""

from __future__ import annotations

import numpy as np
import pytest

from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer.camera import Camera, angled, framed
from deadground.viewer.draw import draw_list
from deadground.viewer.shadow import directions, shadows
from deadground.viewer.things import Thing

SIZE = (160, 100)
FIGURE = Figure("f", ranges=(("B", 3.0),), lines=(("A/1", "B"),))


@pytest.fixture
def things(wall_scene: Scene, wall_report: Report) -> tuple[Thing, ...]:
    return draw_list(wall_scene, wall_report, FIGURE)


@pytest.fixture
def above() -> Camera:
    return framed(angled(0, 90, 0.0), np.array([[5.0, 3, 0], [23, 17, 6]]), 1.6)


def at(light: np.ndarray, camera: Camera, x: float, y: float) -> float:
    column, row, _ = camera.project(np.array([[x, y, 0.0]]), SIZE)[0]
    return float(light[int(row), int(column)])


def test_it_is_darker_at_the_foot_of_a_wall_and_light_in_the_open(things: tuple[Thing, ...], above: Camera) -> None:
    light = shadows(things, above, SIZE)
    assert at(light, above, 7.0, 4.5) == pytest.approx(1.0)
    assert at(light, above, 12.0, 9.6) < at(light, above, 12.0, 8.5) < 1.0
    assert light.min() >= 0.4
    assert light.max() <= 1.0


def test_what_is_translucent_throws_no_shadow(things: tuple[Thing, ...], above: Camera) -> None:
    without = tuple(thing for thing in things if thing.kind != "range")
    assert np.array_equal(shadows(things, above, SIZE), shadows(without, above, SIZE))


def test_shadows_are_the_same_each_time(things: tuple[Thing, ...]) -> None:
    camera = framed(angled(30, 35), np.array([[8.0, 4, 0], [20, 16, 6]]), 1.6)
    assert np.array_equal(shadows(things, camera, SIZE), shadows(things, camera, SIZE))


def test_directions_are_unit_vectors_in_the_upper_half() -> None:
    found = directions().reshape(-1, 3)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0)
    assert (found[:, 2] > 0).all()
    assert np.allclose(found[:, :2].mean(axis=0), 0.0, atol=0.05)

"""The window, and the solids that it and other ways to show a scene are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import numpy as np
import pytest
import trimesh

from deadground.geometry.errors import DrawingError
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer import opengl, window
from deadground.viewer.draw import draw_list
from deadground.viewer.palette import DEFAULT
from deadground.viewer.picture import compose
from deadground.viewer.solids import Solid, solids, unit_of_length
from deadground.viewer.things import Kind, Label

FIGURE = Figure("all", lines=(("A/1", "B"), ("A/1", "C")), ranges=(("B", 3.0),))


@pytest.fixture
def all_solids(wall_scene: Scene, wall_report: Report) -> list[Solid]:
    return list(solids(draw_list(wall_scene, wall_report, FIGURE)))


def test_everything_but_names_becomes_a_solid(wall_scene: Scene, wall_report: Report, all_solids: list[Solid]) -> None:
    things = draw_list(wall_scene, wall_report, FIGURE)
    assert len(all_solids) == len([t for t in things if not isinstance(t.shape, Label)])


def test_a_clear_line_is_one_bar_and_a_blocked_one_many(all_solids: list[Solid]) -> None:
    bodies = {}
    for solid in all_solids:
        if solid.thing.kind == "ray":
            mesh = trimesh.Trimesh(solid.form.vertices, solid.form.faces)
            bodies[solid.thing.name] = mesh.body_count
    assert bodies["A/1 - C/1"] == 1
    assert bodies["A/1 - B/1"] > 5


def test_a_bar_runs_from_end_to_end_of_its_line(all_solids: list[Solid]) -> None:
    (bar,) = [s for s in all_solids if s.thing.name == "A/1 - C/1"]
    low, high = bar.form.vertices.min(axis=0), bar.form.vertices.max(axis=0)
    assert np.allclose([low[1], high[1]], [6.0, 13.0], atol=0.05)


def test_a_cross_is_put_where_the_line_stops(all_solids: list[Solid]) -> None:
    (sign,) = [s for s in all_solids if s.thing.name == "A/1 - B/1 end"]
    middle = (sign.form.vertices.min(axis=0) + sign.form.vertices.max(axis=0)) / 2
    assert np.allclose(middle, (14.0, 9.875, 2.0), atol=1e-6)


def test_the_ground_is_as_wide_as_a_page(wall_scene: Scene, wall_report: Report) -> None:
    assert 0.005 < unit_of_length(draw_list(wall_scene, wall_report, FIGURE)) < 0.1


def test_keys_show_and_hide_kinds_that_there_are() -> None:
    kinds = set(get_args(Kind))
    assert all(set(found) <= kinds for _, found in window.KEYS.values())


def test_without_a_screen_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(DrawingError, match="needs a screen"):
        window.require_screen()


@pytest.mark.skipif(not opengl.probe().works, reason=f"no OpenGL: {opengl.probe().problem}")
def test_a_key_hides_what_it_names(wall_scene: Scene, wall_report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    opengl.require()
    import pyvista as pv  # noqa: PLC0415  (only after the probe has said that it works)

    things = draw_list(wall_scene, wall_report, FIGURE)
    _, camera = compose(wall_scene, wall_report, FIGURE, things, 1.5)
    plotter = pv.Plotter(window_size=[300, 200], off_screen=True, lighting="none")
    hide: dict[str, Callable[[], None]] = {}
    monkeypatch.setattr(plotter, "add_key_event", hide.setdefault)
    window.stock(plotter, things, camera, DEFAULT)
    before = np.array(plotter.screenshot(return_img=True), dtype=np.float64)
    hide["t"]()
    after = np.array(plotter.screenshot(return_img=True), dtype=np.float64)
    plotter.close()
    assert set(hide) == set(window.KEYS)
    assert (np.abs(before - after).sum(axis=2) > 30).sum() > 1000

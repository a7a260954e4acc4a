"""The PNG: is everything really there? Skipped where nothing can be drawn in 3D."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from deadground.geometry.errors import DrawingError
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer import opengl, picture, theme
from deadground.viewer.draw import draw_list
from deadground.viewer.palette import DEFAULT
from deadground.viewer.paper import Paper
from deadground.viewer.picture import compose, figure_image, png, render, write_png
from deadground.viewer.things import Thing

SMALL = Paper(320, 200, 100)
FIGURE = Figure("all", "Title", lines=(("A/1", "B"), ("A/1", "C")), ranges=(("B", 3.0),),
                show=("openings", "solid-height", "areas", "labels", "legend"))  # fmt: skip
needs_opengl = pytest.mark.skipif(not opengl.probe().works, reason=f"no OpenGL: {opengl.probe().problem}")


@pytest.fixture(scope="module", autouse=True)
def ready() -> None:
    if opengl.probe().works:
        opengl.require()


def pixels(scene: Scene, report: Report, things: list[Thing], figure: Figure = FIGURE) -> np.ndarray:
    """The bare 3D picture of some things, seen as the whole figure is."""
    page, camera = compose(scene, report, figure, draw_list(scene, report, figure), 1.6)
    return np.asarray(render(things, page, camera, SMALL), dtype=np.float64)


def rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], dtype=np.float64)


@needs_opengl
@pytest.mark.parametrize("kind", ["range", "sheet", "area", "closed-gap"])
def test_each_translucent_thing_is_really_there(wall_scene: Scene, wall_report: Report, kind: str) -> None:
    things = list(draw_list(wall_scene, wall_report, FIGURE))
    with_it = pixels(wall_scene, wall_report, things)
    without = pixels(wall_scene, wall_report, [t for t in things if t.kind != kind])
    changed = np.abs(with_it - without).sum(axis=2) > 6
    assert changed.sum() > 100
    look = next(t.look for t in things if t.kind == kind)
    own = np.mean([rgb(colour) for colour in (look.colour, look.edge) if colour is not None], axis=0)
    before, after = without[changed].mean(axis=0), with_it[changed].mean(axis=0)
    assert (after - before) @ (own - before) > 0  # the pixels have moved towards its colour


@needs_opengl
def test_what_is_behind_a_range_is_seen_through_it(wall_scene: Scene, wall_report: Report) -> None:
    things = list(draw_list(wall_scene, wall_report, FIGURE))
    no_model = pixels(wall_scene, wall_report, [t for t in things if t.name != "B/1" or t.kind == "range"])
    assert (np.abs(pixels(wall_scene, wall_report, things) - no_model).sum(axis=2) > 6).sum() > 100


@needs_opengl
def test_a_window_is_seen_through(wall_scene: Scene, wall_report: Report) -> None:
    """The open window shows the sky or what lies behind, never the wall's own colour all over."""
    figure = Figure("front", view="front", show=("labels",))
    found = pixels(wall_scene, wall_report, list(draw_list(wall_scene, wall_report, figure)), figure)
    page, camera = compose(wall_scene, wall_report, figure, draw_list(wall_scene, wall_report, figure), 1.6)
    points = camera.project(np.array([[13.6, 9.8, 5.0], [11.5, 9.8, 5.0]]), page.size)[:, :2]
    scale = found.shape[1] / page.width
    window, wall = (found[int((y + page.window.top) * scale), int(x * scale)] for x, y in points)
    assert np.abs(window - rgb(DEFAULT.paper)).max() < 3
    assert np.abs(wall - rgb(DEFAULT.paper)).max() > 20


@needs_opengl
def test_the_lines_are_in_the_picture_in_their_colours(wall_scene: Scene, wall_report: Report) -> None:
    image = np.asarray(figure_image(wall_scene, wall_report, FIGURE, Paper(800, 500)), dtype=np.float64)
    for colour in (theme.CLEAR.colour, theme.BLOCKED.colour):
        assert (np.abs(image - rgb(colour)).max(axis=2) < 12).sum() > 60


@needs_opengl
def test_the_same_figure_gives_the_same_bytes(wall_scene: Scene, wall_report: Report, tmp_path: Path) -> None:
    for name in ("one.png", "two.png"):
        write_png(wall_scene, wall_report, FIGURE, tmp_path / name, SMALL)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


@needs_opengl
def test_a_picture_has_the_size_and_resolution_asked_for(wall_scene: Scene, wall_report: Report) -> None:
    size = Paper(640, 480, 300)
    image = Image.open(io.BytesIO(png(figure_image(wall_scene, wall_report, FIGURE, size), size)))
    assert image.size == (640, 480)
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)


@needs_opengl
@pytest.mark.parametrize("view", ["plan", "front", "side"])
def test_parallel_views_are_drawn(wall_scene: Scene, wall_report: Report, view: str) -> None:
    image = np.asarray(figure_image(wall_scene, wall_report, replace(FIGURE, view=view), SMALL))
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 100


@needs_opengl
def test_memory_stays_bounded(wall_scene: Scene, wall_report: Report) -> None:
    resource = pytest.importorskip("resource")
    figure_image(wall_scene, wall_report, FIGURE, Paper(1600, 1000))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2 * 1024 * 1024  # kilobytes


def test_without_opengl_a_sentence_says_what_to_install(
    wall_scene: Scene, wall_report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise DrawingError("3D pictures need OpenGL: apt-get install libegl1 libgl1-mesa-dri")

    monkeypatch.setattr(picture, "require", fail)
    with pytest.raises(DrawingError, match="libegl1"):
        write_png(wall_scene, wall_report, FIGURE, tmp_path / "f.png")
    assert not list(tmp_path.iterdir())


def test_the_lettering_has_the_inch_sign() -> None:
    lettering = picture.font(24.0)
    missing = lettering.getmask("\uffff").getbbox()
    sign = lettering.getmask("\N{DOUBLE PRIME}")
    assert sign.getbbox() is not None
    assert sign.getbbox() != missing

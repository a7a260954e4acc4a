"""The web page. What needs viser is skipped without it; the browser test needs a Chromium."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from deadground.geometry.errors import DrawingError
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer import page
from deadground.viewer.cli import run

FIGURE = Figure("all", "Closed <window>", lines=(("A/1", "B"), ("A/1", "C")), ranges=(("B", 3.0),))
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_viser = pytest.mark.skipif(importlib.util.find_spec("viser") is None, reason="viser is not installed")


def test_without_viser_a_sentence_says_what_to_install(
    wall_scene: Scene, wall_report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(DrawingError, match=r"uv run --extra web .* pip install viser"):
        page.write_html(wall_scene, wall_report, FIGURE, tmp_path / "f.html")
    assert not list(tmp_path.iterdir())


def test_view_without_a_screen_is_one_line_and_exit_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from deadground.scenes.gallery import example  # noqa: PLC0415  (used here alone)

    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert run(["view", str(example("windows"))]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert "screen" in said.err


@needs_viser
def test_the_page_is_one_file_with_title_and_verdicts_in_words(
    wall_scene: Scene, wall_report: Report, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = page.html(wall_scene, wall_report, FIGURE)
    assert "Closed &lt;window&gt;" in drawn
    assert "A/1 does not see B/1" in drawn
    assert "clear line" in drawn
    assert capsys.readouterr().out == ""


@needs_viser
def test_the_same_figure_gives_the_same_page(wall_scene: Scene, wall_report: Report) -> None:
    assert page.html(wall_scene, wall_report, FIGURE) == page.html(wall_scene, wall_report, FIGURE)


@needs_viser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to look at the page with")
@pytest.mark.slow
def test_the_page_is_drawn_by_a_browser_without_a_network(
    wall_scene: Scene, wall_report: Report, tmp_path: Path
) -> None:
    page.write_html(wall_scene, wall_report, FIGURE, tmp_path / "f.html")
    shot = tmp_path / "shot.png"
    offline = "--host-resolver-rules=MAP * ~NOTFOUND"
    command = [
        str(CHROMIUM), "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
        offline, "--window-size=800,500", "--virtual-time-budget=15000", f"--screenshot={shot}",
        (tmp_path / "f.html").as_uri(),
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    image = np.asarray(Image.open(shot).convert("RGB"), dtype=np.int64)
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 200
    blue = (image[:, :, 2] - image[:, :, 0] > 80) & (image[:, :, 2] > 120)
    assert blue.sum() > 100  # the clear line

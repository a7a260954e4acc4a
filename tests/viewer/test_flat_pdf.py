"""Vector drawings as PDF: shapes, true text, no picture and no date."""

from __future__ import annotations

import re
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex

from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer import pdf, plan, theme
from deadground.viewer.flat_pdf import canvas_of, strokes_of
from deadground.viewer.paper import Paper
from deadground.viewer.svg import Element, element

FIGURE = Figure("all", "Up to 3\N{DOUBLE PRIME}", view="side", lines=(("A/1", "B"), ("A/1", "C")), ranges=(("B", 3.0),),
                show=("openings", "solid-height", "areas", "labels", "legend"))  # fmt: skip
PAPER = Paper(800, 500, 200)


def no_opengl() -> None:
    raise AssertionError("a vector drawing asked for OpenGL")


def unpacked(data: bytes) -> bytes:
    """Everything in a PDF that is compressed, one after the other."""
    return b"".join(
        zlib.decompress(part) for part in re.findall(rb"/FlateDecode.*?stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL)
    )


def test_a_flat_view_is_a_page_of_vectors_without_opengl(
    wall_scene: Scene, wall_report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "require", no_opengl)
    for name in ("one.pdf", "two.pdf"):
        pdf.write_pdf(wall_scene, wall_report, FIGURE, tmp_path / name, PAPER)
    data = (tmp_path / "one.pdf").read_bytes()
    assert data == (tmp_path / "two.pdf").read_bytes()
    assert b"/Subtype /Image" not in data
    assert b"Date" not in data
    assert b"/FontFile2" in data
    assert b"203" in unpacked(data)  # the inch sign, where the fonts say what their glyphs mean
    (box,) = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", data)
    assert float(box[0]) == pytest.approx(72 * PAPER.width / PAPER.dpi)


def test_a_page_says_the_same_in_the_same_colours_as_the_drawing(wall_scene: Scene, wall_report: Report) -> None:
    drawing = plan.tree(wall_scene, wall_report, replace(FIGURE, view="plan"))
    (axes,) = canvas_of(drawing, 5.0).axes
    said = {text.get_text() for text in axes.texts}
    assert said == {node.text for node in every(drawing) if node.name == "text"}
    edges = {to_hex(patch.get_edgecolor()) for patch in axes.patches}
    assert {theme.CLEAR.colour.lower(), theme.BLOCKED.colour.lower()} <= edges


def every(node: Element) -> list[Element]:
    return [node, *(inner for child in node.children for inner in every(child))]


def test_strokes_may_go_on_from_where_they_are() -> None:
    (cross, away), (box, closed) = strokes_of("M1 2 l8 8 h-4 V0 M0 0 H2 V2 L0 2 Z")
    assert cross.tolist() == [[1, 2], [9, 10], [5, 10], [5, 0]]
    assert box.tolist() == [[0, 0], [2, 0], [2, 2], [0, 2]]
    assert (away, closed) == (False, True)


def test_a_hole_stays_one_whichever_way_it_is_drawn() -> None:
    ring = "M0 0 L9 0 L9 9 L0 9 Z {} M4 4 L5 4 L5 5 L4 5 Z"
    for hole in ("M2 2 L7 2 L7 7 L2 7 Z", "M2 2 L2 7 L7 7 L7 2 Z"):
        path = element("path", {"d": ring.format(hole), "fill-rule": "evenodd", "fill": "#000000"})
        (axes,) = canvas_of(element("svg", {"width": 10, "height": 10}, [path]), 1.0).axes
        rings = [part for part in axes.patches[0].get_path().to_polygons(closed_only=True) if len(part) > 3]
        turns = [np.sign(np.sum(part[:-1, 0] * part[1:, 1] - part[1:, 0] * part[:-1, 1])) for part in rings]
        assert turns == [1, -1, 1]

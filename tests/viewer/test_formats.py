"""SVG with a picture, PDF and GLB."""

from __future__ import annotations

import base64
import io
import json
import re
import struct
import xml.etree.ElementTree as ET
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image

from deadground.geometry.errors import InputError
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer import opengl, theme, vector
from deadground.viewer.draw import draw_list
from deadground.viewer.glb import METRES, glb, linear, write_glb
from deadground.viewer.paper import PLAIN, Paper, paper_of

SMALL = Paper(320, 200, 100)
FIGURE = Figure("all", "Closed & open: 3\N{DOUBLE PRIME}", lines=(("A/1", "B"), ("A/1", "C")), ranges=(("B", 3.0),),
                show=("openings", "solid-height", "areas", "labels", "legend"))  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"
needs_opengl = pytest.mark.skipif(not opengl.probe().works, reason=f"no OpenGL: {opengl.probe().problem}")


def content(data: bytes) -> dict[str, Any]:
    (length,) = struct.unpack("<I", data[12:16])
    found: dict[str, Any] = json.loads(data[20 : 20 + length])
    return found


@pytest.fixture
def model(wall_scene: Scene, wall_report: Report) -> bytes:
    return glb(draw_list(wall_scene, wall_report, FIGURE))


def test_a_glb_is_in_metres_with_y_up(model: bytes) -> None:
    table = trimesh.load_scene(io.BytesIO(model), file_type="glb")
    size = (table.bounds[1] - table.bounds[0]) / METRES
    wall = [g for name, g in table.geometry.items() if name.endswith("terrain wall")]
    assert size[1] == pytest.approx(6.2, abs=0.01)  # 6 high, and the ground's 0.2
    assert wall[0].bounds[1][1] == pytest.approx(6 * METRES)
    assert METRES == 0.0254


def test_what_is_translucent_says_so_in_the_glb(model: bytes) -> None:
    found = content(model)
    modes = {m.get("name"): m.get("alphaMode", "OPAQUE") for m in found["materials"]}
    assert modes[f"{theme.RANGE.colour} 0.16"] == "BLEND"
    assert modes[f"{theme.AREA} 0.35"] == "BLEND"
    alphas = {m["name"]: m["pbrMetallicRoughness"]["baseColorFactor"][3] for m in found["materials"] if m.get("name")}
    assert alphas[f"{theme.RANGE.colour} 0.16"] == pytest.approx(0.16, abs=0.01)


def test_every_thing_has_its_name_and_words_in_the_glb(model: bytes) -> None:
    found = content(model)
    names = {node.get("name", "")[4:] for node in found["nodes"]}
    assert {"terrain wall", "ray A/1 - B/1", "range B/1", "closed-gap wall:1", "body C/1"} <= names
    assert "does not see" in json.dumps(found)


def test_colours_of_a_glb_are_linear() -> None:
    assert linear("#ffffff", 1.0) == [1.0, 1.0, 1.0, 1.0]
    assert linear("#808080", 0.5)[0] == pytest.approx(0.2158, abs=1e-3)


def test_the_same_scene_gives_the_same_glb(wall_scene: Scene, wall_report: Report, tmp_path: Path) -> None:
    for name in ("one.glb", "two.glb"):
        write_glb(wall_scene, wall_report, FIGURE, tmp_path / name)
    assert (tmp_path / "one.glb").read_bytes() == (tmp_path / "two.glb").read_bytes()


@pytest.mark.parametrize("size", ["big", "0x100", "100000x100", "1600", "10x10", "2000x300"])
def test_a_size_that_cannot_be_is_refused(size: str) -> None:
    with pytest.raises(InputError, match="--size"):
        paper_of(size)


def test_a_paper_is_read_from_words() -> None:
    paper = paper_of("800x600", 300, "dark", "high")
    assert (paper.width, paper.height, paper.dpi, paper.fine) == (800, 600, 300, True)
    assert paper_of() == PLAIN


@pytest.mark.parametrize(("key", "value"), [("theme", "pink"), ("quality", "low"), ("dpi", 5)])
def test_an_unknown_look_is_refused(key: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"--{key}"):
        paper_of(**{key: value})


def test_without_opengl_an_svg_is_a_vector_drawing(
    wall_scene: Scene, wall_report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector, "probe", lambda: opengl.Probe(works=False))
    vector.write_svg(wall_scene, wall_report, FIGURE, tmp_path / "f.svg")
    assert "<image" not in (tmp_path / "f.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("view", ["plan", "front", "side"])
def test_flat_views_are_wholly_vectors(wall_scene: Scene, wall_report: Report, tmp_path: Path, view: str) -> None:
    vector.write_svg(wall_scene, wall_report, replace(FIGURE, view=view), tmp_path / "f.svg")
    assert "<image" not in (tmp_path / "f.svg").read_text(encoding="utf-8")


@needs_opengl
def test_a_perspective_svg_has_true_text_and_lines_over_a_picture(wall_scene: Scene, wall_report: Report) -> None:
    opengl.require()
    drawn = vector.svg_picture(wall_scene, wall_report, FIGURE, SMALL)
    root = ET.fromstring(drawn)  # noqa: S314  (our own text)
    texts = {node.text for node in root.iter(f"{SVG}text")}
    assert {"Closed & open: 3\N{DOUBLE PRIME}", "B (hidden)", "clear line", "3.5\N{DOUBLE PRIME}"} <= texts
    groups = {node.get("id"): node for node in root.iter(f"{SVG}g")}
    line = groups["ray-A_2f1_20_2d_20B_2f1"]
    assert "does not see" in (line.findtext(f"{SVG}desc") or "")
    assert theme.BLOCKED.colour in {path.get("fill") for path in line.iter(f"{SVG}path")}
    ids = [node.get("id") for node in root.iter() if node.get("id")]
    assert len(ids) == len(set(ids))
    (image,) = root.iter(f"{SVG}image")
    picture = Image.open(io.BytesIO(base64.b64decode((image.get("href") or "").partition(",")[2])))
    assert len(np.unique(np.asarray(picture).reshape(-1, 3), axis=0)) > 50


@needs_opengl
def test_a_pdf_embeds_its_fonts_and_says_no_date(wall_scene: Scene, wall_report: Report, tmp_path: Path) -> None:
    from deadground.viewer.pdf import write_pdf  # noqa: PLC0415  (brings matplotlib)

    for name in ("one.pdf", "two.pdf"):
        write_pdf(wall_scene, wall_report, FIGURE, tmp_path / name, SMALL)
    data = (tmp_path / "one.pdf").read_bytes()
    assert data == (tmp_path / "two.pdf").read_bytes()
    assert data.count(b"/FontFile2") >= 2
    assert b"CreationDate" not in data
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", data)
    assert box is not None
    assert float(box[1]) == pytest.approx(320 / 100 * 72, abs=0.1)
    streams = [zlib.decompress(part) for part in re.findall(rb"stream\n(x.*?)\nendstream", data, re.DOTALL)]
    assert any(b"Tj" in stream or b"TJ" in stream for stream in streams)  # text is text

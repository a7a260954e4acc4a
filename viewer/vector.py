"""A figure as SVG: plan and elevations as vectors; a view in perspective as a picture under true text and lines."""

from __future__ import annotations

import base64
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer import plan
from deadground.viewer.chart import BOTH
from deadground.viewer.files import write_text
from deadground.viewer.marks import Blot, Group, Text
from deadground.viewer.opengl import probe, require
from deadground.viewer.paper import PLAIN, Paper
from deadground.viewer.phrases import sentence
from deadground.viewer.picture import Drawn, develop
from deadground.viewer.subject import subject_of
from deadground.viewer.svg import Element, document, element, group, path_data, slug, text

__all__ = ["svg_picture", "write_svg"]

FLAT_VIEWS = ("plan", "front", "side", BOTH)
HALO = 0.16
"""Of the rim around a text, times the text's size."""


def write_svg(scene: Scene, report: Report, figure: Figure, path: Path, paper: Paper = PLAIN) -> None:
    """Write the figure as an SVG file. Without OpenGL every view becomes a plan and an elevation.

    InputError where it cannot be written, SceneError for names that the scene does not have.
    """
    if figure.view in FLAT_VIEWS or not probe().works:
        plan.write(scene, report, figure, path)
        return
    require()
    write_text(path, svg_picture(scene, report, figure, paper))


def svg_picture(scene: Scene, report: Report, figure: Figure, paper: Paper = PLAIN) -> str:
    """A 3D picture with everything that is flat laid over it as vectors and true text. Needs OpenGL."""
    drawn = develop(scene, report, figure, paper)
    page = drawn.page
    words = " ".join(map(sentence, subject_of(scene, report, figure).verdicts)) or "No line of sight is drawn."
    children = [
        element("rect", {"id": "paper", "width": "100%", "height": "100%", "fill": paper.palette.paper}),
        image_element(drawn),
        *group_elements([each for each in drawn.groups if each.parts]),
    ]
    return document((page.width, page.height), children, page.title or figure.name, words)


def image_element(drawn: Drawn) -> Element:
    """The picture inside the file; its <desc> says what stands in it."""
    data = io.BytesIO()
    drawn.window.save(data, format="PNG", compress_level=9)
    box, (width, height) = drawn.page.window, drawn.page.size
    shown: dict[str, str | float | None] = {
        "x": box.left, "y": box.top, "width": width, "height": height,
        "href": f"data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}",
    }  # fmt: skip
    words = dict.fromkeys(t.words for t in drawn.things if t.kind in ("terrain", "body", "area") and t.words)
    return group("picture", [element("image", shown)], words=" ".join(words))


def group_elements(groups: Sequence[Group]) -> Iterator[Element]:
    """What belongs together, with its words as <desc>, under ids of which no two are alike."""
    used: Counter[str] = Counter()
    for marks in groups:
        name = slug(*marks.name.split("-", 1))
        used[name] += 1
        own = name if used[name] == 1 else f"{name}.{used[name]}"
        yield group(own, [part_element(part) for part in marks.parts], words=marks.words)


def part_element(part: Blot | Text) -> Element | None:
    """A filled shape, or a line of text."""
    if isinstance(part, Text):
        rim = HALO * part.size * 2 if part.halo else 0.0
        return text(part.at, part.words, size=part.size, colour=part.colour, bold=part.bold, halo=rim)
    data = path_data(part.shape)
    opacity = None if part.opacity == 1 else part.opacity
    look: dict[str, str | float | None] = {
        "d": data,
        "fill": part.colour,
        "fill-rule": "evenodd",
        "fill-opacity": opacity,
    }
    return element("path", look) if data else None

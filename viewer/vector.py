"""A figure as SVG: plan and elevations as vectors; a view in perspective as a picture under true text and lines."""

from __future__ import annotations

import base64
import io
from pathlib import Path

from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer.extras import told
from deadground.viewer.files import write_text
from deadground.viewer.opengl import probe, require
from deadground.viewer.paper import PLAIN, Paper
from deadground.viewer.parts import group_elements
from deadground.viewer.phrases import sentence
from deadground.viewer.picture import Drawn, develop
from deadground.viewer.recolour import recoloured
from deadground.viewer.strip_plan import is_flat, vector_tree
from deadground.viewer.subject import subject_of
from deadground.viewer.svg import Element, document, element, group, written

__all__ = ["svg_picture", "write_svg"]


def write_svg(scene: Scene, report: Report, figure: Figure, path: Path, paper: Paper = PLAIN) -> None:
    """Write the figure as an SVG file. Without OpenGL every view becomes a plan and an elevation.

    InputError where it cannot be written, SceneError for names that the scene does not have.
    """
    if is_flat(scene, figure) or not probe().works:
        write_text(path, written(recoloured(vector_tree(scene, report, figure), paper.palette)))
        return
    require()
    write_text(path, svg_picture(scene, report, figure, paper))


def svg_picture(scene: Scene, report: Report, figure: Figure, paper: Paper = PLAIN) -> str:
    """A 3D picture with everything that is flat laid over it as vectors and true text. Needs OpenGL."""
    drawn = develop(scene, report, figure, paper)
    page = drawn.page
    verdicts = subject_of(scene, report, figure).verdicts
    words = " ".join([*map(sentence, verdicts), *told(drawn.things)]) or "No line of sight is drawn."
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

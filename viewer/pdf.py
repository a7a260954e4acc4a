"""A figure as PDF: vectors throughout, or a 3D picture under vector lines and true text. Fonts embedded, no dates."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Literal

import numpy as np
import shapely
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.figure import Figure as Canvas
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from matplotlib.patheffects import withStroke

from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer.files import write_bytes
from deadground.viewer.flat_pdf import canvas_of
from deadground.viewer.marks import Blot, Text
from deadground.viewer.opengl import require
from deadground.viewer.paper import PLAIN, Paper
from deadground.viewer.picture import FINER, Drawn, develop, font_file
from deadground.viewer.recolour import recoloured
from deadground.viewer.strip_plan import is_flat, vector_tree
from deadground.viewer.svg import Element

__all__ = ["flat_pdf", "pdf", "write_pdf"]

POINTS = 72.0
"""Of an inch of paper."""
HALO = 0.32
"""Width of the rim around a text, times the text's size."""
TRUE_TYPE = 42
"""Fonts are embedded as they are."""


def write_pdf(scene: Scene, report: Report, figure: Figure, path: Path, paper: Paper = PLAIN) -> None:
    """Write the figure as a PDF file: plan, front and side wholly as vectors, for which it takes no OpenGL.

    Raises DrawingError, which says what to install, where OpenGL is missing for another view; InputError where the file
    cannot be written; SceneError for names that the scene does not have.
    """
    if is_flat(scene, figure):
        title = figure.title or scene.title or figure.name
        write_bytes(path, flat_pdf(vector_tree(scene, report, figure), title, paper))
        return
    require()
    write_bytes(path, pdf(develop(scene, report, figure, paper), paper))


def pdf(drawn: Drawn, paper: Paper) -> bytes:
    """The file's bytes, the same for the same figure. It is as large on paper as its pixels are at its resolution."""
    width, height = paper.width / paper.dpi, paper.height / paper.dpi
    canvas = Canvas(figsize=(width, height), facecolor=paper.palette.paper)
    FigureCanvasPdf(canvas)
    axes = canvas.add_axes((0, 0, 1, 1))
    axes.axis("off")
    box = drawn.page.window
    axes.imshow(np.asarray(drawn.window), extent=(box.left, box.right, box.bottom, box.top), aspect="auto")
    axes.set(xlim=(0, drawn.page.width), ylim=(drawn.page.height, 0))
    for part in (part for group in drawn.groups for part in group.parts):
        if isinstance(part, Blot):
            axes.add_patch(blot(part))
        else:
            write(axes, part, width * POINTS / drawn.page.width)
    return saved(canvas, drawn.page.title, FINER * paper.dpi)


def flat_pdf(drawing: Element, title: str, paper: Paper) -> bytes:
    """The bytes of a vector drawing's file: as wide on paper as its pixels would be, as high as it needs."""
    return saved(canvas_of(recoloured(drawing, paper.palette), paper.width / paper.dpi), title, FINER * paper.dpi)


def saved(canvas: Canvas, title: str, dpi: int) -> bytes:
    """The canvas as a PDF that says nothing of when or by which version it was made. dpi : of the picture in it."""
    out = io.BytesIO()
    facts = {"Title": title, "Creator": "deadground", "Producer": None, "CreationDate": None}
    with rc_context({"pdf.fonttype": TRUE_TYPE, "pdf.compression": 9}):
        canvas.savefig(out, format="pdf", metadata=facts, dpi=dpi)
    return out.getvalue()


def blot(part: Blot) -> PathPatch:
    """A filled shape with its holes."""
    rings = [
        ring for p in shapely.get_parts(shapely.orient_polygons(part.shape)) for ring in (p.exterior, *p.interiors)
    ]
    outlines = [Outline(np.asarray(ring.coords)[:, :2], closed=True) for ring in rings]
    whole = Outline.make_compound_path(*outlines)
    return PathPatch(whole, facecolor=part.colour, alpha=part.opacity, linewidth=0)


def write(axes: Axes, part: Text, scale: float) -> None:
    """A line of text on its baseline. scale : points to a drawing unit."""
    face = FontProperties(fname=str(font_file(bold=part.bold)), size=part.size * scale)
    place: Literal["left", "center"] = "left" if part.anchor == "start" else "center"
    if part.halo:  # its outline, as a shape, under the true text
        rim = axes.text(*part.at, part.words, fontproperties=face, color=part.halo, parse_math=False, ha=place)
        rim.set_path_effects([withStroke(linewidth=HALO * part.size * scale, foreground=part.halo)])
    axes.text(*part.at, part.words, fontproperties=face, color=part.colour, parse_math=False, ha=place)

"""A figure as a PNG: a 3D picture drawn off screen by VTK, with lines, names and legend inked over it."""

from __future__ import annotations

import functools
import importlib.util
import io
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from PIL import Image, ImageDraw, ImageFont

from deadground.geometry.plates import Array
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer import theme
from deadground.viewer.camera import Camera
from deadground.viewer.caption import caption_of
from deadground.viewer.chart import said_of
from deadground.viewer.cut import SIGHT
from deadground.viewer.draw import draw_list, grid_step
from deadground.viewer.files import write_bytes
from deadground.viewer.forms import no_edges, silhouette
from deadground.viewer.marks import Blot, Group, Page, Text
from deadground.viewer.opengl import require
from deadground.viewer.overlay import overlay, page_of
from deadground.viewer.palette import Palette
from deadground.viewer.paper import PLAIN, Paper
from deadground.viewer.phrases import changed_options
from deadground.viewer.shadow import shade
from deadground.viewer.standpoint import camera_of
from deadground.viewer.subject import Subject, subject_of
from deadground.viewer.things import Look, Surface, Thing
from deadground.viewer.words import inch_words

__all__ = ["Drawn", "compose", "develop", "figure_image", "font_file", "paint", "png", "render", "write_png"]

FINER = 2
"""All is drawn this many times larger, then shrunk: clean edges, where multisampling loses what is translucent."""
NEARER = 0.03
"""Inches by which edges are drawn nearer to the eye than the faces they lie on, so that they are drawn whole."""
KEY_LIGHTS = ((-0.65, 0.75, 0.9, 0.44), (0.9, 0.7, 0.35, 0.26), (0.0, 0.1, 1.0, 0.2))
"""Of each light: how far to the right, to the reader and up it stands, and its strength."""
INK = 2
"""Shapes are inked this many times larger again."""


def write_png(scene: Scene, report: Report, figure: Figure, path: Path, paper: Paper = PLAIN) -> None:
    """Write the figure as a PNG file.

    Raises DrawingError, which says what to install, where OpenGL is missing; InputError where the file cannot be
    written; SceneError for names that the scene does not have.
    """
    require()
    write_bytes(path, png(figure_image(scene, report, figure, paper), paper))


def figure_image(scene: Scene, report: Report, figure: Figure, paper: Paper = PLAIN) -> Image.Image:
    """The whole figure. Needs OpenGL: without it VTK ends the process (see `opengl.require`)."""
    drawn = develop(scene, report, figure, paper)
    return paint(drawn.picture, drawn.groups, paper)


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A figure before it becomes a file.

    picture : the page with its 3D picture, FINER times as large as asked; groups : what lies over it
    """

    things: tuple[Thing, ...]
    page: Page
    picture: Image.Image
    groups: tuple[Group, ...]

    @property
    def window(self) -> Image.Image:
        """The 3D picture alone, without the page around it."""
        scale, box = self.picture.width / self.page.width, self.page.window
        return self.picture.crop(
            (round(box.left * scale), round(box.top * scale), round(box.right * scale), round(box.bottom * scale))
        )


def develop(scene: Scene, report: Report, figure: Figure, paper: Paper) -> Drawn:
    """Draw a figure, or several side by side. Needs OpenGL. SceneError for names that the scene does not have."""
    if figure.panels:
        strip = import_module("deadground.viewer.strip_picture")  # it draws with what is here
        drawn: Drawn = strip.develop_strip(scene, report, figure, paper)
        return drawn
    subject = subject_of(scene, report, figure, paper.palette)
    things = draw_list(scene, report, figure, paper.palette, subject)
    page, camera = compose(scene, report, figure, things, paper.aspect, subject)
    picture = render(things, page, camera, paper)
    return Drawn(things, page, picture, overlay(things, page, camera, paper.palette))


def compose(
    scene: Scene,
    report: Report,
    figure: Figure,
    things: Sequence[Thing],
    aspect: float,
    subject: Subject | None = None,
) -> tuple[Page, Camera]:
    """The page and the camera of a figure; aspect : width of the page over its height; subject : where it is known."""
    subject = subject or subject_of(scene, report, figure)
    squares = [f"Squares on the ground: {inch_words(grid_step(subject.patch))}"] if figure.view not in SIGHT else []
    foot = " ".join([*said_of(subject.chart), ". ".join([report.edition, *changed_options(report), *squares]) + "."])
    under = caption_of(scene, figure, theme.PAGE_WIDTH - 2 * theme.PAGE_MARGIN)
    title, legend = figure.title or scene.title, "legend" in subject.show
    page = page_of(things, title, aspect, legend=legend, foot=foot, caption=under)
    return page, camera_for(scene, figure, subject, things, page.size[0] / page.size[1])


def camera_for(scene: Scene, figure: Figure, subject: Subject, things: Sequence[Thing], aspect: float) -> Camera:
    """The camera of a figure; aspect : width of its picture over its height."""
    points = subject.points
    if figure.view == "plan":
        low_x, low_y, high_x, high_y = subject.patch
        points = np.vstack([points, [[low_x, low_y, 0.0], [high_x, high_y, 0.0]]])
    return camera_of(scene, figure, things, points, aspect)


def render(things: Sequence[Thing], page: Page, camera: Camera, paper: Paper) -> Image.Image:
    """The page with the 3D picture in its window, FINER times as large as asked. No lines, names or legend yet."""
    whole = Image.new("RGB", (FINER * paper.width, FINER * paper.height), paper.palette.paper)
    pasted(whole, things, page, camera, paper)
    return whole


def pasted(whole: Image.Image, things: Sequence[Thing], page: Page, camera: Camera, paper: Paper) -> None:
    """Put a 3D picture into its window of the page."""
    scale = FINER * paper.width / page.width
    across, along = (round(part * scale) for part in page.size)
    picture = shot(things, camera, (across, along), scale, paper.palette)
    if paper.fine:
        picture = shade(picture, things, camera, FINER)
    whole.paste(picture, (round(page.window.left * scale), round(page.window.top * scale)))


def shot(
    things: Sequence[Thing], camera: Camera, pixels: tuple[int, int], scale: float, palette: Palette
) -> Image.Image:
    """What the camera sees of the surfaces. scale : pixels of a drawing unit."""
    import pyvista as pv

    plotter = pv.Plotter(off_screen=True, window_size=list(pixels), lighting="none")
    try:
        stage(plotter, camera, palette)
        for thing in things:
            if isinstance(thing.shape, Surface):
                add_surface(plotter, thing.look, thing.shape, camera, scale)
        plotter.renderer.reset_camera_clipping_range()
        return Image.fromarray(np.asarray(plotter.screenshot(return_img=True)))
    finally:
        plotter.close()


def stage(plotter: Any, camera: Camera, palette: Palette) -> None:
    """Paper, light and camera. Depth peeling without multisampling: with it every translucent thing vanishes."""
    plotter.set_background(palette.paper)
    plotter.disable_anti_aliasing()
    plotter.enable_depth_peeling(10, occlusion_ratio=0)
    add_lights(plotter, camera)
    seat(plotter.camera, camera)


def seat(view: Any, camera: Camera) -> None:
    """VTK's camera where ours is."""
    view.position = tuple(camera.eye)
    view.focal_point = tuple(camera.eye + camera.reach * camera.forward)
    view.up = tuple(camera.up)
    view.parallel_projection = camera.parallel
    if camera.parallel:
        view.parallel_scale = camera.span / 2
    else:
        view.view_angle = camera.lens


def add_lights(plotter: Any, camera: Camera) -> None:
    """A soft key light over the reader's left shoulder, a fill from the right, and some from above."""
    import pyvista as pv

    side = camera.right
    toward = np.cross(side, [0.0, 0.0, 1.0])  # over the table, to the reader
    for right, near, up, strength in KEY_LIGHTS:
        away = right * side + near * toward + up * np.array([0.0, 0.0, 1.0])
        light = pv.Light(
            position=tuple(100 * away), focal_point=(0, 0, 0), intensity=strength, light_type="scene light"
        )
        light.positional = False
        plotter.add_light(light)


def add_surface(plotter: Any, look: Look, form: Surface, camera: Camera, scale: float) -> None:
    """Faces, shaded, and their edges, unshaded and dark."""
    if len(form.faces):
        add_faces(plotter, form, look)
    lines = np.concatenate([form.edges, outline_of(form, camera)])
    if look.edge is not None and len(lines):
        add_edges(plotter, lines + NEARER * toward(lines, camera), look.edge, look.width * scale)


def outline_of(form: Surface, camera: Camera) -> Array:
    """(k, 2, 3) where a curved surface turns away from the camera; none on a flat-sided one."""
    if not form.smooth:
        return no_edges()
    return silhouette(form, -camera.forward if camera.parallel else camera.eye, parallel=camera.parallel)


def toward(points: Array, camera: Camera) -> Array:
    """Unit vectors from points (..., 3) to the eye."""
    if camera.parallel:
        return np.broadcast_to(-camera.forward, points.shape)
    away = camera.eye - points
    return np.asarray(away / np.linalg.norm(away, axis=-1, keepdims=True))


def add_faces(plotter: Any, form: Surface, look: Look) -> Any:
    """Shaded faces, without any lines of their own; the actor."""
    import pyvista as pv

    mesh = pv.PolyData.from_regular_faces(form.vertices, form.faces.astype(int))
    if form.smooth:
        mesh = mesh.compute_normals(cell_normals=False, split_vertices=True, feature_angle=40.0)
    return plotter.add_mesh(
        mesh, color=look.colour, opacity=look.opacity, smooth_shading=form.smooth, lighting=True,
        ambient=0.42, diffuse=1.0, specular=0.0, show_scalar_bar=False, reset_camera=False,
    )  # fmt: skip


def add_edges(plotter: Any, edges: Array, colour: str, width: float) -> Any:
    """Unshaded lines; the actor. edges : (k, 2, 3), k > 0."""
    import pyvista as pv

    lines = pv.line_segments_from_points(edges.reshape(-1, 3))
    return plotter.add_mesh(lines, color=colour, line_width=width, lighting=False, reset_camera=False)


def paint(picture: Image.Image, groups: Sequence[Group], paper: Paper) -> Image.Image:
    """The overlay inked on the picture, and both shrunk to paper."""
    scale = picture.width / theme.PAGE_WIDTH
    for group in groups:
        for part in group.parts:
            if isinstance(part, Blot):
                blot(picture, part, scale)
            else:
                write(picture, part, scale)
    return picture.resize((paper.width, paper.height), Image.Resampling.LANCZOS)


def blot(picture: Image.Image, part: Blot, scale: float) -> None:
    """One shape, inked over its own rectangle only."""
    low_x, low_y, high_x, high_y = (value * scale for value in shapely.bounds(part.shape))
    if not np.isfinite(low_x):
        return
    left, top = int(low_x) - 1, int(low_y) - 1
    across, along = int(high_x) + 2 - left, int(high_y) + 2 - top
    mask = Image.new("L", (across * INK, along * INK))
    pen = ImageDraw.Draw(mask)
    for polygon in shapely.get_parts(part.shape):
        for ring, value in ((polygon.exterior, 255), *((hole, 0) for hole in polygon.interiors)):
            corners = (np.asarray(ring.coords)[:, :2] * scale - [left, top]) * INK
            pen.polygon([tuple(corner) for corner in corners.tolist()], fill=value)
    strength = round(255 * part.opacity)
    small = mask.resize((across, along), Image.Resampling.BOX).point(lambda value: value * strength // 255)
    picture.paste(Image.new("RGB", (across, along), part.colour), (left, top), small)


def write(picture: Image.Image, part: Text, scale: float) -> None:
    """One line of text on its baseline, with its halo."""
    rim = round(0.16 * part.size * scale) if part.halo else 0
    x, y = (value * scale for value in part.at)
    anchor = "ls" if part.anchor == "start" else "ms"
    ImageDraw.Draw(picture).text(
        (x, y), part.words, fill=part.colour, font=font(part.size * scale, bold=part.bold), anchor=anchor,
        stroke_width=rim, stroke_fill=part.halo,
    )  # fmt: skip


@functools.lru_cache(maxsize=64)
def font(size: float, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """The lettering of pictures, size in pixels."""
    return ImageFont.truetype(str(font_file(bold=bold)), size)


@functools.cache
def font_file(*, bold: bool) -> Path:
    """DejaVu Sans, which has the inch sign (VTK's own fonts have not); matplotlib, which pyvista needs, brings it."""
    found = importlib.util.find_spec("matplotlib")
    home = Path(found.origin or "").parent if found else Path()
    return home / "mpl-data" / "fonts" / "ttf" / f"DejaVuSans{'-Bold' if bold else ''}.ttf"


def png(image: Image.Image, paper: Paper) -> bytes:
    """The file's bytes; the same picture gives the same bytes."""
    out = io.BytesIO()
    image.save(out, format="PNG", dpi=(paper.dpi, paper.dpi), optimize=False, compress_level=6)
    return out.getvalue()

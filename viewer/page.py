"""A scene as a web page to turn, by viser (the extra `web`): live on this machine, or one file without a network."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import math
import socket
import sys
from collections.abc import Iterator, Sequence
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from deadground.geometry.errors import DrawingError
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer import theme
from deadground.viewer.camera import Camera
from deadground.viewer.caption import caption_groups
from deadground.viewer.draw import draw_list
from deadground.viewer.files import write_text
from deadground.viewer.legend import legend_marks
from deadground.viewer.marks import Blot, Page, Text
from deadground.viewer.palette import Palette
from deadground.viewer.paper import PLAIN, Paper
from deadground.viewer.parts import part_element
from deadground.viewer.picture import compose
from deadground.viewer.side_by_side import check_single
from deadground.viewer.solids import Solid, solids
from deadground.viewer.svg import element
from deadground.viewer.things import Label, Thing

__all__ = ["html", "serve", "write_html"]

HOST: Final = "127.0.0.1"
SHADE: Final = 1.5
"""Strength of the light from everywhere."""


def write_html(scene: Scene, report: Report, figure: Figure, path: Path, paper: Paper = PLAIN) -> None:
    """Write the figure as one HTML file that a browser shows without a network. Needs no OpenGL on this machine.

    DrawingError, which says what to install, where viser is missing; SceneError for wrong names.
    """
    check_single(scene, figure, ".html")
    write_text(path, html(scene, report, figure, paper))


def html(scene: Scene, report: Report, figure: Figure, paper: Paper = PLAIN) -> str:
    """The page: the scene to turn, under its title, with the legend and every verdict in words."""
    things = draw_list(scene, report, figure, paper.palette)
    page, camera = compose(scene, report, figure, things, paper.aspect)
    with server() as live:
        fill(live, things, camera)
        drawn: str = live.get_scene_serializer().as_html()
    title = page.title or figure.name
    head = f"<title>{escape(title)}</title>"
    return drawn.replace("</body>", f"{frame(page, things, paper.palette)}</body>", 1).replace(
        "</head>", f"{head}</head>", 1
    )


def serve(scene: Scene, report: Report, figure: Figure) -> None:
    """Show the scene on a page of this machine until Ctrl-C."""
    things = draw_list(scene, report, figure)
    _, camera = compose(scene, report, figure, things, PLAIN.aspect)
    with server() as live:
        fill(live, things, camera)
        sys.stdout.write(f"http://{HOST}:{live.get_port()}\n")
        sys.stdout.flush()
        sys.stderr.write("deadground: open this address in a browser; Ctrl-C ends it\n")
        with contextlib.suppress(KeyboardInterrupt):
            live.sleep_forever()


@contextlib.contextmanager
def server() -> Iterator[Any]:
    """A viser server for this machine alone. What it prints is dropped: stdout is for the answer."""
    if importlib.util.find_spec("viser") is None:
        raise DrawingError("web pages need viser: uv run --extra web deadground ..., or pip install viser")
    viser = import_module("viser")
    with contextlib.redirect_stdout(io.StringIO()):
        live = viser.ViserServer(host=HOST, port=free_port(), verbose=False)
    try:
        yield live
    finally:
        with contextlib.redirect_stdout(io.StringIO()):
            live.stop()


def free_port() -> int:
    """A port that nobody uses."""
    with socket.socket() as tried:
        tried.bind((HOST, 0))
        return int(tried.getsockname()[1])


def fill(live: Any, things: Sequence[Thing], camera: Camera) -> None:
    """Everything of a draw list, each under its kind and name."""
    live.scene.set_up_direction("+z")
    live.scene.configure_environment_map(None)
    live.scene.configure_default_lights(enabled=True, cast_shadow=False)
    live.scene.add_light_ambient("/light", intensity=SHADE)
    live.initial_camera.position = tuple(camera.eye)
    live.initial_camera.look_at = tuple(camera.eye + camera.reach * camera.forward)
    live.initial_camera.fov = math.radians(camera.lens or 26.0)
    for number, solid in enumerate(solids(things)):
        add_solid(live.scene, f"/{solid.thing.kind}/{number:03d} {solid.thing.name.replace('/', '.')}", solid)
    for number, thing in enumerate(things):
        if isinstance(thing.shape, Label):
            name = f"/{thing.kind}/{number:03d} {thing.shape.text.replace('/', '.')}"
            live.scene.add_label(name, thing.shape.text, position=tuple(thing.shape.at), anchor="bottom-center")


def add_solid(scene: Any, name: str, solid: Solid) -> None:
    """Faces and edges of one thing."""
    look, form = solid.thing.look, solid.form
    if len(form.faces):
        scene.add_mesh_simple(
            name, form.vertices.astype(np.float32), form.faces.astype(np.uint32), color=rgb(look.colour),
            opacity=None if look.opacity == 1 else look.opacity, flat_shading=not form.smooth, side="double",
            cast_shadow=False, receive_shadow=False,
        )  # fmt: skip
    if look.edge is not None and len(form.edges):
        scene.add_line_segments(
            f"{name} edges", form.edges.astype(np.float32), rgb(look.edge), thickness=1.4 * look.width,
            thickness_units="screen",
        )  # fmt: skip


def rgb(colour: str) -> tuple[int, int, int]:
    """Three bytes."""
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return red, green, blue


def frame(page: Page, things: Sequence[Thing], palette: Palette) -> str:
    """Title and legend over the scene, and what it says in words for those who cannot see it."""
    box = "position:fixed;left:16px;pointer-events:none;font-family:sans-serif;z-index:10"
    words = "".join(f"<li>{escape(text)}</li>" for text in dict.fromkeys(t.words for t in things if t.words))
    hidden = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"
    return (
        f'<h1 style="{box};top:8px;font-size:20px;color:{palette.ink}">{escape(page.title)}</h1>'
        f'<div style="{box};bottom:8px;background:{palette.paper}d0;padding:4px">{legend(page, palette)}</div>'
        f'<ul id="words" style="{hidden}">{words}</ul>'
    )


def legend(page: Page, palette: Palette) -> str:
    """Caption and legend as an inline drawing."""
    under = caption_groups(page.caption, theme.PAGE_MARGIN, page.window.bottom, palette)
    groups = [*under, *legend_marks(page, palette)]
    parts: list[Blot | Text] = [part for group in groups for part in group.parts]
    top, height = page.window.bottom, page.height - page.window.bottom
    drawn = element(
        "svg", {"width": page.width, "height": height, "viewBox": f"0 {top:g} {page.width:g} {height:g}",
                "font-family": "sans-serif"}, [part_element(part) for part in parts],
    )  # fmt: skip
    return str(drawn)

"""A window in which to turn a scene: the same draw list as the pictures, shown by pyvista."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from deadground.geometry.errors import DrawingError
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer.camera import Camera
from deadground.viewer.draw import draw_list
from deadground.viewer.palette import DEFAULT, Palette
from deadground.viewer.picture import add_edges, add_faces, compose, font_file, stage
from deadground.viewer.solids import solids
from deadground.viewer.things import Label, Thing

__all__ = ["KEYS", "require_screen", "show", "stock"]

KEYS: Final = {
    "l": ("lines", ("ray", "way")),
    "g": ("gaps", ("closed-gap", "open-gap")),
    "a": ("areas", ("area", "reach")),
    "d": ("ranges", ("range", "ring")),
    "h": ("Solid height", ("sheet",)),
    "n": ("names", ("name", "measure")),
    "m": ("models", ("body", "base", "ghost")),
    "t": ("terrain", ("terrain",)),
}
"""Key -> what it shows or hides, in words and as kinds of things."""

SIZE: Final = (1400, 900)
FORWARD: Final = (0.0, 3.9)
"""Added to what VTK brings lines forward by itself (4 steps of depth, so far that they show through walls)."""
PATIENCE: Final = 30.0
"""Seconds that opening a small window may take."""

_SCRIPT: Final = """
import pyvista
plotter = pyvista.Plotter(off_screen=False, window_size=(64, 64))
plotter.show(interactive=False, auto_close=True)
print("OPENED")
"""


def show(scene: Scene, report: Report, figure: Figure, palette: Palette = DEFAULT) -> None:
    """Open the window and return when it is closed. DrawingError where there is no screen or no OpenGL."""
    require_screen()
    import pyvista as pv

    things = draw_list(scene, report, figure, palette)
    _, camera = compose(scene, report, figure, things, SIZE[0] / SIZE[1])
    plotter = pv.Plotter(window_size=list(SIZE), lighting="none", title=figure.title or scene.title or "deadground")
    stock(plotter, things, camera, palette)
    plotter.show()


def require_screen() -> None:
    """DrawingError where no window can be opened. Asked in a child process: without a screen, VTK crashes."""
    ways = "without one, deadground figure writes pictures and deadground view --browser a page"
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise DrawingError(f"a window needs a screen, and there is none (DISPLAY is not set); {ways}")
    try:
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT], capture_output=True, text=True, timeout=PATIENCE, check=False,
            stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace",
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DrawingError(f"a window could not be tried ({type(error).__name__}); {ways}") from None
    if done.returncode != 0 or "OPENED" not in done.stdout or "bad X server" in done.stderr:
        raise DrawingError(f"a window cannot be opened on this screen (is OpenGL installed? deadground doctor); {ways}")


def stock(plotter: Any, things: Sequence[Thing], camera: Camera, palette: Palette) -> None:
    """Put everything into a plotter: things, names, light, camera and the keys that show and hide."""
    stage(plotter, camera, palette)
    actors: dict[str, list[Any]] = {}
    for solid in solids(things):
        look = solid.thing.look
        if len(solid.form.faces):
            actors.setdefault(solid.thing.kind, []).append(add_faces(plotter, solid.form, look))
        if look.edge is not None and len(solid.form.edges):
            lines = add_edges(plotter, solid.form.edges, look.edge, 1.3 * look.width)
            bring_forward(lines)
            actors.setdefault(solid.thing.kind, []).append(lines)
    for thing in things:
        if isinstance(thing.shape, Label):
            actors.setdefault(thing.kind, []).append(add_name(plotter, thing, thing.shape, palette))
    for key, (_, kinds) in KEYS.items():
        plotter.add_key_event(key, switch(plotter, [actor for kind in kinds for actor in actors.get(kind, [])]))
    plotter.add_text(
        "Drag to turn, wheel to zoom. Show or hide: " + ", ".join(f"{key} {what}" for key, (what, _) in KEYS.items()),
        position="lower_left", font_size=9, color=palette.quiet, font_file=str(font_file(bold=False)),
    )  # fmt: skip


def bring_forward(lines: Any) -> None:
    """Draw lines before the faces that they lie on; a picture shifts them to its camera, but here the camera moves."""
    lines.mapper.SetResolveCoincidentTopologyToPolygonOffset()
    lines.mapper.SetRelativeCoincidentTopologyLineOffsetParameters(*FORWARD)


def add_name(plotter: Any, thing: Thing, label: Label, palette: Palette) -> Any:
    """A name that always faces the reader."""
    return plotter.add_point_labels(
        np.atleast_2d(label.at), [label.text], font_size=18 if label.rank < 2 else 14, text_color=thing.look.colour,
        shape_color=palette.paper, shape_opacity=0.75, margin=2, always_visible=label.rank < 2, show_points=False,
        font_file=str(font_file(bold=label.rank == 0)), reset_camera=False,
    )  # fmt: skip


def switch(plotter: Any, actors: Sequence[Any]) -> Callable[[], None]:
    """A function that shows or hides some actors."""

    def flip() -> None:
        for actor in actors:
            actor.SetVisibility(not actor.GetVisibility())
        plotter.render()

    return flip

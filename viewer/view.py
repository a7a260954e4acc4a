"""`deadground view`: look at a scene from all sides."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from deadground.geometry.errors import InputError
from deadground.scenes.document import read_scene
from deadground.viewer.figure import figure_named, whole_scene
from deadground.viewer.judging import judge, source, systems, with_overrides
from deadground.viewer.page import serve
from deadground.viewer.side_by_side import check_single
from deadground.viewer.window import require_screen, show

__all__ = ["view"]


def view(
    scene: Annotated[Path, Parameter(help="A scene file (TOML).")],
    name: Annotated[
        str | None, Parameter(help="One of the scene's figures. Without it: everything, with every line.")
    ] = None,
    /,
    *,
    browser: Annotated[
        bool, Parameter(negative="", help="Show it on a web page of this machine instead; needs no OpenGL here.")
    ] = False,
    ruleset: Annotated[str | None, Parameter(help="Judge by this system instead of the scene's.")] = None,
    allow_outside: Annotated[
        bool, Parameter(negative="", help="Let the scene name files outside its own folder.")
    ] = False,
) -> None:
    """Open a window with the scene in 3D, every line of sight as its verdict has it. Needs a screen and OpenGL.

    With --browser it needs neither, but viser (uv run --extra web deadground view ..., or pip install viser).
    """
    table = read_scene(scene, allow_outside)
    figure = whole_scene(table) if name is None else figure_named(table, name)
    check_single(table, figure, "a view to turn")
    found = systems(table, ruleset)
    if len(found) != 1:
        raise InputError(source(table), "--ruleset", "expected one rule system for a window, found all")
    if not browser:
        require_screen()
    changed = with_overrides(table, figure)
    (serve if browser else show)(changed, judge(changed, found[0]), figure)

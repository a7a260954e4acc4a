"""Writing charts: how a file of an ending shows them, and the file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Scene
from deadground.viewer.chart import BOTH, Chart
from deadground.viewer.figure import writer
from deadground.viewer.judging import systems
from deadground.viewer.look import PLAIN_LOOK, Look
from deadground.viewer.moving import SYSTEM

__all__ = ["draw", "view_for"]

FLAT: Final = (".svg", ".pdf")
"""Endings of files that are drawn from above and from the side, without OpenGL."""


def view_for(path: Path | None, look: Look = PLAIN_LOOK) -> str:
    """How a file of that ending shows a move: as it is asked for, else drawn flat or in perspective.

    InputError if nothing writes such a file, or for a look that cannot be.
    """
    if path is None:
        return BOTH
    writer(path.suffix, look)
    return look.view or (BOTH if path.suffix.lower() in FLAT else "perspective")


def draw(scene: Scene, chart: Chart, path: Path, look: Look = PLAIN_LOOK, ruleset: str = SYSTEM) -> None:
    """Write a chart and say so. DrawingError where it takes OpenGL and there is none."""
    (system,) = systems(scene, ruleset)
    writer(path.suffix, look)(scene, Report(system.name, system.edition, {}, ()), chart, path)
    sys.stderr.write(f"deadground: written {path}\n")

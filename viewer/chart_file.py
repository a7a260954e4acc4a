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
from deadground.viewer.moving import SYSTEM

__all__ = ["draw", "view_for"]

FLAT: Final = (".svg",)
"""Endings of files that are drawn from above and from the side, without OpenGL."""


def view_for(path: Path | None) -> str:
    """How a file of that ending shows a move: drawn flat, or in perspective. InputError if nothing writes such."""
    if path is None:
        return BOTH
    writer(path.suffix)
    return BOTH if path.suffix.lower() in FLAT else "perspective"


def draw(scene: Scene, chart: Chart, path: Path) -> None:
    """Write a chart and say so. DrawingError where it takes OpenGL and there is none."""
    (system,) = systems(scene, SYSTEM)
    writer(path.suffix)(scene, Report(SYSTEM, system.edition, {}, ()), chart, path)
    sys.stderr.write(f"deadground: written {path}\n")

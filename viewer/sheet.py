"""What the makers of a draw list share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh

from deadground.geometry.plates import Array
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.viewer.forms import FLAT, LIFT, shifted
from deadground.viewer.palette import Palette
from deadground.viewer.plane import Cut
from deadground.viewer.subject import Subject
from deadground.viewer.things import Surface

__all__ = ["FLAT", "LIFT", "Sheet", "plain", "shifted"]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The figure, and what is known of it."""

    scene: Scene
    report: Report
    figure: Figure
    palette: Palette
    subject: Subject
    cut: Cut | None = None

    def shows(self, what: str) -> bool:
        """Whether the figure asks for it."""
        return what in self.subject.show

    @property
    def above(self) -> bool:
        """Whether one looks straight down."""
        return self.figure.view == "plan"

    @property
    def sectioned(self) -> bool:
        """Whether the figure itself asks for the cut: then gaps stay whole."""
        return self.cut is not None and self.figure.section is not None

    def behind(self, form: Surface) -> Surface:
        """What the figure's section, if it has one, leaves of a surface."""
        return form if self.cut is None else self.cut.behind(form)


def plain(mesh: trimesh.Trimesh, edges: Array, *, smooth: bool = False) -> Surface:
    """A mesh and the edges to draw on it."""
    return Surface(np.asarray(mesh.vertices, np.float64), np.asarray(mesh.faces, np.int64), edges, smooth)

"""A plane that cuts surfaces: what is left behind it, and the face of the cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh

from deadground.geometry.plates import Array
from deadground.geometry.units import TOUCH
from deadground.viewer.forms import hatching, slab, sliced
from deadground.viewer.outlines import cut
from deadground.viewer.things import Surface

__all__ = ["Cut"]


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A plane; what lies on the side its unit normal (3,) points to is taken away."""

    origin: Array
    normal: Array

    def behind(self, form: Surface) -> Surface:
        """What is left of a surface."""
        return sliced(form, self.origin, self.normal)

    def face(self, form: Surface | trimesh.Trimesh, *, hatch: float = 0.0) -> Surface:
        """The material in the plane, a hair before it. hatch : inches between hatching lines, 0 for none."""
        level = abs(self.normal[2]) > 0.5
        up = np.array([0.0, 1.0, 0.0] if level else [0.0, 0.0, 1.0])
        along = np.cross(up, self.normal)
        mesh = trimesh.Trimesh(form.vertices, form.faces, process=False)
        section = cut(mesh, self.origin, self.normal, along, up)
        shape = section.simplify(TOUCH / 10)  # corners that only mark a seam between triangles
        frame = (self.origin + TOUCH * self.normal, along, up)
        flat = slab(shape, frame)
        if not hatch:
            return flat
        return Surface(flat.vertices, flat.faces, np.concatenate([flat.edges, hatching(shape, frame, hatch)]))

"""Enclosed gaps of any mesh, as openings; and a mesh understood as a piece."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import shapely
import trimesh

from deadground.meshes.cores import cores
from deadground.meshes.frames import UP, Frame
from deadground.meshes.gaps import Gap, wall_gaps
from deadground.meshes.ground import Levelling, grain, levelling
from deadground.meshes.piece import Opening, Piece
from deadground.meshes.shell import Shell
from deadground.meshes.solid import is_closed, to_manifold

__all__ = ["find_openings", "understand"]


def find_openings(mesh: trimesh.Trimesh) -> tuple[Opening, ...]:
    """The enclosed gaps of a mesh (inches, z up, foot at 0), lowest first.

    Ids count from 1 and do not hang on the order of the mesh's triangles. A rough mesh that stands tilted is looked at
    as if it stood level; its openings are told where they are.
    """
    noise = grain(mesh)
    level = levelling(mesh, noise)
    gaps = wall_gaps(Shell.of(level.levelled(mesh), noise))
    openings = (_opening(gap, level) for gap in sorted(gaps, key=_place))
    return tuple(replace(opening, id=number) for number, opening in enumerate(openings, 1))


def understand(mesh: trimesh.Trimesh) -> Piece:
    """The mesh (inches, z up, foot at 0) with its openings and, if it is closed, its cores."""
    return Piece(mesh, find_openings(mesh), cores(mesh, to_manifold(mesh)) if is_closed(mesh) else ())


def _place(gap: Gap) -> tuple[float, ...]:
    u, v = gap.outline.centroid.coords[0]
    centre = gap.frame.points(np.array([u]), np.array([v]), np.array([(gap.near + gap.far) / 2]))[0]
    return tuple(round(float(x), 2) for x in (centre[2], centre[0], centre[1]))


def _opening(gap: Gap, level: Levelling) -> Opening:
    """A gap of the levelled mesh as an opening of the mesh as it stands."""
    frame, outline, shift = gap.frame, gap.outline, 0.0
    if level.needed:
        normal = gap.frame.normal @ level.turn
        frame = Frame(float(np.arctan2(normal[1], normal[0])))
        flat = shapely.get_coordinates(gap.outline)
        middle = (gap.near + gap.far) / 2
        points = gap.frame.points(flat[:, 0], flat[:, 1], np.full(len(flat), middle))
        places = frame.coordinates((points - level.shift) @ level.turn)
        outline, shift = shapely.Polygon(places[:, :2]), float(places[:-1, 2].mean()) - middle
    return Opening(0, "wall", np.zeros(3), frame.along, UP, outline, gap.near + shift, gap.far + shift, gap.sure)

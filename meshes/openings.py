"""Enclosed gaps of any mesh, as openings; and a mesh understood as a piece."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import shapely
import trimesh

from deadground.meshes.cores import cores
from deadground.meshes.frames import UP, Frame
from deadground.meshes.gaps import Gap, floor_gaps, wall_gaps
from deadground.meshes.ground import Levelling, grain, levelling
from deadground.meshes.piece import Opening, Piece
from deadground.meshes.repair_faces import agreeing
from deadground.meshes.shell import Shell
from deadground.meshes.solid import is_closed, to_manifold

__all__ = ["find_openings", "understand"]

_X, _Y, _ = np.eye(3)


def find_openings(mesh: trimesh.Trimesh) -> tuple[Opening, ...]:
    """The enclosed gaps of a mesh (inches, z up, foot at 0): those in walls, lowest first, then holes in floors.

    Ids count from 1 and do not hang on the order of the mesh's triangles. A rough mesh that stands tilted is looked at
    as if it stood level; its openings are told where they are.
    """
    if not len(mesh.faces):
        return ()
    looked_at = agreeing(mesh)
    return _openings(looked_at, *_stance(looked_at))


def _stance(mesh: trimesh.Trimesh) -> tuple[float, Levelling]:
    """How rough a mesh is, and how it stands."""
    noise = grain(mesh)
    return noise, levelling(mesh, noise)


def _openings(mesh: trimesh.Trimesh, noise: float, level: Levelling) -> tuple[Opening, ...]:
    standing = level.levelled(mesh)
    walls = sorted(wall_gaps(Shell.of(standing, noise)), key=_place)
    floors = sorted(floor_gaps(standing, noise), key=_place)
    openings = [*(_in_wall(gap, level) for gap in walls), *(_in_floor(gap, level) for gap in floors)]
    return tuple(replace(opening, id=number) for number, opening in enumerate(openings, 1))


def understand(mesh: trimesh.Trimesh) -> Piece:
    """The mesh (inches, z up, foot at 0) with its openings and, if it is closed, its cores.

    Faces that look inwards are turned round: else one would stand under the floors of a piece that is inside out.
    """
    if not len(mesh.faces):
        return Piece(mesh, (), ())
    mesh = agreeing(mesh)
    noise, level = _stance(mesh)
    found = cores(mesh, to_manifold(mesh)) if is_closed(mesh) else ()
    return Piece(mesh, _openings(mesh, noise, level), found, level.degrees)


def _place(gap: Gap) -> tuple[float, ...]:
    u, v = gap.outline.centroid.coords[0]
    centre = gap.frame.points(np.array([u]), np.array([v]), np.array([(gap.near + gap.far) / 2]))[0]
    return tuple(round(float(x), 2) for x in (centre[2], centre[0], centre[1]))


def _in_wall(gap: Gap, level: Levelling) -> Opening:
    """A gap of the levelled mesh as an opening of the mesh as it stands."""
    if not level.needed:
        return Opening(0, "wall", np.zeros(3), gap.frame.along, UP, gap.outline, gap.near, gap.far, gap.sure)
    normal = gap.frame.normal @ level.turn
    frame = Frame(float(np.arctan2(normal[1], normal[0])))
    middle = (gap.near + gap.far) / 2
    flat = shapely.get_coordinates(gap.outline)
    points = gap.frame.points(flat[:, 0], flat[:, 1], np.full(len(flat), middle))
    places = frame.coordinates((points - level.shift) @ level.turn)
    shift = float(places[:-1, 2].mean()) - middle
    outline = shapely.Polygon(places[:, :2])
    return Opening(0, "wall", np.zeros(3), frame.along, UP, outline, gap.near + shift, gap.far + shift, gap.sure)


def _in_floor(gap: Gap, level: Levelling) -> Opening:
    """A hole of the levelled mesh's floor as an opening of the mesh as it stands."""
    flat = shapely.get_coordinates(gap.outline)
    middle = (gap.near + gap.far) / 2
    places = (np.column_stack([flat, np.full(len(flat), middle)]) - level.shift) @ level.turn
    shift = float(places[:-1, 2].mean()) - middle
    outline = shapely.Polygon(places[:, :2])
    return Opening(0, "floor", np.zeros(3), _X, _Y, outline, gap.near + shift, gap.far + shift, gap.sure)

"""Enclosed gaps of any mesh, as openings; and a mesh understood as a piece."""

from __future__ import annotations

import numpy as np
import trimesh

from deadground.meshes.cores import cores
from deadground.meshes.frames import UP
from deadground.meshes.gaps import Gap, Surface, wall_gaps
from deadground.meshes.piece import Opening, Piece

__all__ = ["find_openings", "understand"]


def find_openings(mesh: trimesh.Trimesh) -> tuple[Opening, ...]:
    """The enclosed gaps of a mesh (inches, z up, foot at 0), lowest first.

    Ids count from 1 and do not hang on the order of the mesh's triangles.
    """
    return _openings(Surface.of(mesh))


def _openings(surface: Surface) -> tuple[Opening, ...]:
    distinct = _distinct(list(wall_gaps(surface)))
    return tuple(_opening(gap, number) for number, gap in enumerate(sorted(distinct, key=_place), 1))


def understand(mesh: trimesh.Trimesh) -> Piece:
    """The mesh (inches, z up, foot at 0) with its openings and, if it is closed, its cores."""
    surface = Surface.of(mesh)
    return Piece(mesh, _openings(surface), cores(mesh, surface.solid) if surface.solid is not None else ())


def _place(gap: Gap) -> tuple[float, ...]:
    u, v = gap.outline.centroid.coords[0]
    centre = gap.frame.points(np.array([u]), np.array([v]), np.array([(gap.near + gap.far) / 2]))[0]
    return tuple(round(float(x), 2) for x in (centre[2], centre[0], centre[1]))


def _distinct(gaps: list[Gap]) -> list[Gap]:
    """Each gap once: of several findings of one, the one with most material ending around it."""
    kept: list[Gap] = []
    for gap in sorted(gaps, key=lambda gap: (-round(gap.outline.area, 4), -round(gap.ends, 2))):
        if not any(_same(gap, other) for other in kept):
            kept.append(gap)
    return kept


def _same(one: Gap, other: Gap) -> bool:
    """Whether the middle of one lies in the other's hole, or the other way round."""
    return _holds(one, other) or _holds(other, one)


def _holds(one: Gap, other: Gap) -> bool:
    point = other.outline.representative_point()
    centre = other.frame.points(np.array([point.x]), np.array([point.y]), np.array([(other.near + other.far) / 2]))
    u, v, w = one.frame.coordinates(centre)[0]
    slack = (one.far - one.near) / 2
    return bool(one.near - slack <= w <= one.far + slack and one.outline.contains(type(point)(u, v)))


def _opening(gap: Gap, number: int) -> Opening:
    return Opening(number, "wall", np.zeros(3), gap.frame.along, UP, gap.outline, gap.near, gap.far)

"""Pieces with damage made by hand, each kind by itself."""

from __future__ import annotations

import numpy as np
import trimesh
from shapely import box

from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.solid import prism, united

__all__ = ["loose_corners", "windowed", "with_crumbs", "with_holes", "with_turned_faces", "without_underside"]

X, _, Z = np.eye(3)


def windowed(raised: float = 0.0, thick: float = 0.25) -> trimesh.Trimesh:
    """A wall 6 long and 4.5 high with a door, a window from 1 to 2 inches (raised by so much) and one over 3 inches;
    behind it a floor at 3 inches on a second wall."""
    shape = box(0, 0, 6, 4.5)
    for hole in (box(0.5, -1, 1.8, 2), box(2.5, 1 + raised, 3.5, 2 + raised), box(4, 3.2, 5, 4)):
        shape = shape.difference(hole)
    parts = [[[0, 0, 2.8], [6, 2, 3]], [[0, 1.75, 0], [6, 2, 3]]]
    return united(
        [prism(shape, np.zeros(3), X, Z, -thick, 0.0), *(trimesh.creation.box(bounds=bounds) for bounds in parts)]
    )


def loose_corners(mesh: trimesh.Trimesh, off: float, rng: np.random.Generator) -> trimesh.Trimesh:
    """Every triangle by itself, its corners off by up to `off` mm."""
    corners = mesh.triangles.reshape(-1, 3)
    moved = corners + rng.uniform(-off, off, corners.shape) / MM_PER_INCH
    return trimesh.Trimesh(moved, np.arange(len(moved)).reshape(-1, 3), process=False)


def with_turned_faces(mesh: trimesh.Trimesh, share: float, rng: np.random.Generator) -> trimesh.Trimesh:
    """A share of the faces turned round."""
    turned = rng.random(len(mesh.faces)) < share
    faces = np.where(turned[:, None], mesh.faces[:, ::-1], mesh.faces)
    return trimesh.Trimesh(mesh.vertices, faces, process=False)


def with_holes(mesh: trimesh.Trimesh, count: int, rng: np.random.Generator) -> trimesh.Trimesh:
    """So many faces left out."""
    kept = np.ones(len(mesh.faces), bool)
    kept[rng.choice(len(mesh.faces), count, replace=False)] = False
    return trimesh.Trimesh(mesh.vertices, mesh.faces[kept], process=False)


def without_underside(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """Without the faces that lie on the ground."""
    ground = mesh.triangles[:, :, 2].max(axis=1) < mesh.bounds[0, 2] + 0.001
    return trimesh.Trimesh(mesh.vertices, mesh.faces[~ground], process=False)


def with_crumbs(mesh: trimesh.Trimesh, count: int) -> trimesh.Trimesh:
    """With crumbs of 1 mm in the air over it."""
    high = mesh.bounds[1, 2]
    crumbs = [
        trimesh.creation.icosahedron().apply_scale(0.02).apply_translation([0.5 * k, 0, high + 0.5])
        for k in range(count)
    ]
    return trimesh.util.concatenate([mesh, *crumbs])

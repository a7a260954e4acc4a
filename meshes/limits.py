"""What every reader of mesh files keeps to: limits, and the triangles it hands over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from deadground.geometry.plates import Array
from deadground.meshes.solid import Indices

__all__ = ["MOST_BYTES", "MOST_INSTANCES", "MOST_TEXT", "MOST_TRIANGLES", "Triangles", "few", "placed"]

MOST_BYTES = 400_000_000
"""Bytes of one file, unpacked: twice a binary STL of MOST_TRIANGLES."""

MOST_TEXT = 150_000_000
"""Bytes of one file that is read line by line (some 600,000 triangles): a quarter of a minute."""

MOST_TRIANGLES = 4_000_000
"""Triangles of one piece: more than any printed terrain needs, and what 4 GB of memory bear."""

MOST_INSTANCES = 100_000
"""Placed objects in one file."""


class Triangles(NamedTuple):
    """vertices (n, 3), faces (m, 3), and the unit the file gives itself, if any."""

    vertices: Array
    faces: Indices
    unit: str | None = None


def few(triangles: int) -> None:
    """ValueError if that is more than MOST_TRIANGLES."""
    if triangles > MOST_TRIANGLES:
        raise ValueError(f"has {triangles:,} triangles, at most {MOST_TRIANGLES:,} are read")


def placed(parts: Sequence[tuple[Array, Array, Indices]]) -> Triangles:
    """Meshes under their (4, 4) matrices as one. A mirrored one keeps its outside out."""
    few(sum(len(faces) for _, _, faces in parts))
    vertices, faces, start = [np.empty((0, 3))], [np.empty((0, 3), dtype=np.int64)], 0
    for matrix, points, triangles in parts:
        vertices.append(np.asarray(points) @ matrix[:3, :3].T + matrix[:3, 3])
        turned = np.linalg.det(matrix[:3, :3]) < 0
        faces.append(np.asarray(triangles)[:, ::-1] + start if turned else np.asarray(triangles) + start)
        start += len(points)
    return Triangles(np.vstack(vertices), np.vstack(faces))

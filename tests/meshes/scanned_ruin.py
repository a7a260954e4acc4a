"""Where the scanned ruin that comes with the package is from: run this file to write it anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import trimesh

from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.builder import build
from deadground.meshes.parts import Floor, Hole, Wall
from tests.meshes.scans import noisy, refined, with_missing, with_outliers

__all__ = ["FILE", "scanned_ruin"]

FILE = Path(__file__).parents[2] / "scenes" / "examples" / "scanned-ruin.ply"
SEED = 7


def scanned_ruin() -> trimesh.Trimesh:
    """A corner of two storeys, in mm: with a scanner's noise, missing faces and crumbs."""
    front = Wall(
        (0.0, 0.0), (6.0, 0.0), None, 0.25, top=((0, 5.6), (3.2, 5.6), (3.9, 4.8), (4.8, 4.5), (6, 3.2)),
        openings=(Hole(1.6, 1.2, 1.0, 2.4), Hole(4.4, 1.2, 0.0, 2.4, "arch"), Hole(1.7, 1.2, 3.7, 5.0, "arch")),
    )  # fmt: skip
    side = Wall(
        (0.0, 0.0), (0.0, 4.4), None, 0.25, top=((0, 5.6), (1.8, 5.4), (2.6, 4.4), (4.4, 2.8)),
        openings=(Hole(1.7, 1.0, 3.5, 4.7),),
    )  # fmt: skip
    floor = Floor(((0, 0), (5.2, 0), (4.2, 1.6), (2.6, 2.2), (2.0, 3.6), (0, 4.0)), top=3.0, thickness=0.2)
    rng = np.random.default_rng(SEED)
    mesh = noisy(refined(build([front, side, floor]).mesh, 18.0), 0.12, rng)
    mesh = with_outliers(with_missing(mesh, 0.004, rng), 3, rng)
    mesh.apply_scale(MM_PER_INCH)
    return mesh


if __name__ == "__main__":
    FILE.write_bytes(scanned_ruin().export(file_type="ply", vertex_normal=False))

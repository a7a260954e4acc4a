"""How long it takes to understand a large mesh, and in how much memory: a ruin in 100,000 and in 1,000,000 triangles.

Run: python benchmarks/understanding.py [TRIANGLES...]
Bounds: a few seconds and under 2 GiB for 100,000; a minute and under 6 GiB for 1,000,000.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np
import trimesh

from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.builder import Floor, Hole, Wall, build
from deadground.meshes.openings import understand
from deadground.meshes.solid import from_manifold, to_manifold

HOLES = (Hole(2, 1, 1, 2.4), Hole(4.5, 1.2, 0, 2.4, "arch"), Hole(2, 0.8, 3.6, 5))
SIZES = (100_000, 1_000_000)


def ruin() -> trimesh.Trimesh:
    """Three walls with three gaps each, and a floor."""
    corners = [(0, 0), (7, 0), (7, 6), (1, 7)]
    walls = [Wall(corners[i], corners[i + 1], 6.0, 0.25, openings=HOLES) for i in range(3)]
    return build([*walls, Floor(((0, 0), (7, 0), (7, 3)), 3.0, 0.2)]).mesh


def scanned(triangles: int, noise: float) -> trimesh.Trimesh:
    """The ruin in about so many triangles, with so much noise (mm)."""
    mesh = ruin()
    edge = 1.6 * float(np.sqrt(mesh.area / triangles))
    fine = from_manifold(to_manifold(mesh).refine_to_length(edge))
    moved = fine.vertices + np.random.default_rng(0).normal(0, noise / MM_PER_INCH, fine.vertices.shape)
    moved[:, 2] -= moved[:, 2].min()
    return trimesh.Trimesh(moved, fine.faces, process=False)


def measured(triangles: int, noise: float) -> None:
    """Print what one mesh takes. In a process of its own, whose peak memory is this mesh's."""
    mesh = scanned(triangles, noise)
    start, busy = time.perf_counter(), time.process_time()
    piece = understand(mesh)
    took, busy = time.perf_counter() - start, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    sure = sum(opening.sure for opening in piece.openings)
    assert sure == 3 * len(HOLES), f"found {sure} openings"
    figures = f"{took:6.1f} s ({busy:.1f} s of one core), peak {peak:.2f} GiB"
    print(f"{len(mesh.faces):>9,} triangles, noise {noise:.2f} mm: {figures}, {sure} openings")


def main(arguments: list[str]) -> None:
    """Measure every size, clean and noisy, each in a new process."""
    if len(arguments) == 2:
        measured(int(arguments[0]), float(arguments[1]))
        return
    for triangles in [int(argument) for argument in arguments] or SIZES:
        for noise in (0.0, 0.15):
            command = [sys.executable, __file__, str(triangles), str(noise)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])

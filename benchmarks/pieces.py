"""How long it takes to look at a folder of terrain pieces and to write the page about it, and how large that is.

Run: python benchmarks/pieces.py [PIECES [TRIANGLES]]
Bounds: 50 pieces of 20,000 triangles in a few minutes on 2 cores, and a page that can be sent around (under 20 MB).
Measured with 8 pieces on 2 cores that six others shared: 4.6 s of one core a piece (so 50 take two minutes on two free
cores), at most 0.3 GiB in a process.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import trimesh

from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.builder import Floor, Hole, Wall, build
from deadground.meshes.files import export
from deadground.meshes.solid import from_manifold, to_manifold

COUNT, TRIANGLES = 50, 20_000
COMMAND = "from deadground.viewer.cli import main; main()"


def piece(number: int, triangles: int) -> trimesh.Trimesh:
    """A ruin of two to four walls with gaps and a floor; every second one as rough as a scan."""
    rng = np.random.default_rng(number)
    corners = [
        (0.0, 0.0),
        (float(rng.uniform(4, 7)), 0.0),
        (float(rng.uniform(5, 7)), float(rng.uniform(4, 6))),
        (0.5, 6.5),
    ]
    holes = tuple(
        Hole(float(at), 1.0, float(rng.choice([0.0, 1.0])), float(rng.uniform(2.2, 3.4))) for at in (1.2, 2.8)
    )
    walls = [Wall(corners[k], corners[k + 1], float(rng.uniform(4, 6)), 0.25, openings=holes) for k in range(3)]
    mesh = build([*walls, Floor(((0, 0), (corners[1][0], 0), corners[2]), 3.0, 0.2)]).mesh
    fine = from_manifold(to_manifold(mesh).refine_to_length(1.6 * float(np.sqrt(mesh.area / triangles))))
    noise = 0.12 / MM_PER_INCH if number % 2 else 0.0
    moved = fine.vertices + rng.normal(0, 1, fine.vertices.shape) * noise
    return trimesh.Trimesh(moved, fine.faces, process=False)


def main(arguments: list[str]) -> None:
    """Make the pieces, look at them, and print the figures."""
    count, triangles = ([int(argument) for argument in arguments] + [COUNT, TRIANGLES][len(arguments) :])[:2]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "pieces"
        folder.mkdir()
        sizes = []
        for number in range(count):
            mesh = piece(number, triangles)
            sizes.append(len(mesh.faces))
            export(mesh, folder / f"ruin-{number:02d}.stl")
        page = Path(name) / "page.html"
        start = time.perf_counter()
        command = [sys.executable, "-c", COMMAND, "inspect", str(folder), "--units", "mm", "--html", str(page)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        took, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        text = page.read_text(encoding="utf-8")
        assert text.count("<details ") == count
        busy = used.ru_utime + used.ru_stime
        print(
            f"{count} pieces of {min(sizes):,} to {max(sizes):,} triangles on {os.cpu_count()} cores: {took:.0f} s"
            f" ({busy:.0f} s of one core, {busy / count:.1f} s a piece), peak of one process"
            f" {used.ru_maxrss / 1024**2:.2f} GiB, page {len(text) / 1e6:.1f} MB"
        )


if __name__ == "__main__":
    main(sys.argv[1:])

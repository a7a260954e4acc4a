"""How long a figure takes, and how much memory: `python benchmarks/picture.py`. Needs OpenGL."""

from __future__ import annotations

import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from deadground.scenes.document import read_scene
from deadground.scenes.gallery import example
from deadground.viewer.figure import judged, writer
from deadground.viewer.judging import systems
from deadground.viewer.look import Look

SIZE = "1600x1000"


def main() -> None:
    """Each form of the windows figure, seconds for one file after the first (which loads VTK)."""
    scene = read_scene(example("windows"))
    (system,) = systems(scene, None)
    figure = scene.figures[0]
    changed, report = judged(scene, system, figure)
    with TemporaryDirectory() as folder:
        for ending, fine in (
            (".png", False),
            (".png", False),
            (".png", True),
            (".svg", False),
            (".pdf", False),
            (".glb", False),
        ):
            look = Look(size=SIZE, quality="high" if fine else "normal")
            path, write = Path(folder) / f"figure{ending}", writer(ending, look)
            start = time.perf_counter()
            write(changed, report, figure, path)
            seconds = time.perf_counter() - start
            assert path.stat().st_size > 1000
            name = f"{ending[1:]}{', soft shadows' if fine else ''}"
            print(f"{name:20} {seconds:6.2f} s  {path.stat().st_size / 1e6:6.2f} MB")
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2:.2f} GiB")


if __name__ == "__main__":
    main()

"""`deadground demo`: the built-in scene, judged and drawn."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from deadground.geometry.errors import InputError
from deadground.scenes.document import read_scene
from deadground.scenes.gallery import example
from deadground.scenes.rulings.verdict import Report, RuleSystem
from deadground.scenes.scene import Scene
from deadground.viewer.figure import endings, judged, whole_scene, writer
from deadground.viewer.files import file_name, make_folder, unwritten
from deadground.viewer.judging import judge, systems
from deadground.viewer.opengl import install_advice, probe
from deadground.viewer.table import print_report

__all__ = ["demo"]

SCENE: Final = "demo"
FOLDER: Final = Path("deadground-demo")


def demo(
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="The folder to write to.")] = FOLDER,
) -> None:
    """Judge a built-in scene, print who sees whom, and write its figures (3D pictures where OpenGL works)."""
    place = example(SCENE)
    scene = read_scene(place)
    (system,) = systems(scene, None)
    make_folder(output)
    report = judge(scene, system)
    print_report(report, scene.title)
    sys.stdout.write("\nWritten:\n")
    _copy(place, output / place.name)
    for path in _drawn(scene, system, report, output):
        sys.stdout.write(f"  {path}\n")
        sys.stdout.flush()
    sys.stdout.write(f"\nNow change {output / place.name} and say: deadground check {output / place.name}\n")


def _copy(place: Path, path: Path) -> None:
    """The scene itself, to be changed and judged again; one that is there is left alone."""
    if path.exists():
        return
    try:
        shutil.copyfile(place, path)
    except OSError as error:
        raise InputError(str(path), "", unwritten(error)) from None
    sys.stdout.write(f"  {path} (the scene)\n")


def _drawn(scene: Scene, system: RuleSystem, report: Report, folder: Path) -> Iterator[Path]:
    """Write every figure, and give each file's path when it is there. report : of the scene as it stands."""
    writers = [(ending, writer(ending)) for ending in _wanted()]
    for figure in scene.figures or (whole_scene(scene),):
        changed, own = judged(scene, system, figure) if figure.overrides else (scene, report)
        for ending, write in writers:
            path = folder / f"{file_name(figure.name)}{ending}"
            write(changed, own, figure, path)
            yield path


def _wanted() -> list[str]:
    """Vector drawings, and 3D pictures where this machine can draw them; else stderr says what to install."""
    if ".png" not in endings():
        return [".svg"]
    found = probe()
    if found.works:
        return [".svg", ".png"]
    sys.stderr.write(f"deadground: no 3D pictures: {found.problem}. To get them:\n")
    sys.stderr.writelines(f"  {system}: {what}\n" for system, what in install_advice().items())
    return [".svg"]

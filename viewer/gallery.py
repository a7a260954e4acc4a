"""`deadground gallery`: every built-in scene's figures, and contact sheets of them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from deadground.geometry.errors import InputError
from deadground.scenes.document import read_scene
from deadground.scenes.gallery import CHAPTERS, SCANS, example, example_names
from deadground.viewer.contact import Tile, size_of, write_sheets
from deadground.viewer.figure import judged, whole_scene, writer
from deadground.viewer.files import file_name, make_folder
from deadground.viewer.judging import expected, progress, systems
from deadground.viewer.look import PLAIN_LOOK, Look, check_look
from deadground.viewer.looked import Asked, look_whole
from deadground.viewer.opengl import install_advice, probe
from deadground.viewer.piece_sheet import write_sheet

__all__ = ["gallery"]

FOLDER: Final = Path("deadground-gallery")
FORMS: Final = ("png", "svg")
MOST: Final = 8
"""Processes at once; each draws in memory of its own."""


@dataclass(frozen=True, slots=True)
class Task:
    """A scene whose figures are to be drawn into a folder."""

    chapter: str
    scene: str
    folder: Path
    form: str
    look: Look


def gallery(
    scenes: Annotated[
        list[str] | None, Parameter(name="NAME", help="Built-in scenes. Without a name: all of them.")
    ] = None,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="The folder to write to.")] = FOLDER,
    form: Annotated[str, Parameter(name="--format", help="png or svg.")] = "png",
    look: Look = PLAIN_LOOK,
) -> None:
    """Draw the figures of the built-in scenes, one rule each, and contact sheets of them all.

    The sheets: in colour, in grey, as readers without red or green cones see them, and at 400 pixels to a figure.
    Without OpenGL the figures and sheets are vector drawings.
    """
    check_look(look)  # complains now, not in the midst of it
    tasks = _tasks(scenes, output, _possible(form), look)
    make_folder(output)
    tiles = [tile for group in _drawn(tasks) for tile in group]
    for path in [*(tile.file for tile in tiles), *write_sheets(tiles, output)]:
        sys.stdout.write(f"{path}\n")


def _possible(form: str) -> str:
    """The form that can be drawn here; a word on stderr where it is not the one that was asked for."""
    wanted = form.lower().removeprefix(".")
    if wanted not in FORMS:
        raise InputError("--format", "", expected(FORMS, form, "a form of pictures"))
    found = probe()
    if found.works:
        return wanted
    sys.stderr.write(f"deadground: no 3D pictures: {found.problem}. To get them:\n")
    sys.stderr.writelines(f"  {system}: {what}\n" for system, what in install_advice().items())
    return "svg"


def _tasks(names: Sequence[str] | None, folder: Path, form: str, look: Look) -> list[Task]:
    """What to draw, in the gallery's order. InputError, with the nearest name, for a scene that there is not."""
    for name in names or ():
        if name not in example_names():
            raise InputError("gallery", "NAME", expected(example_names(), name, "a built-in scene"))
    return [
        Task(chapter.title, scene, folder, form, look)
        for chapter in CHAPTERS
        for scene in chapter.scenes
        if not names or scene in names
    ]


def _drawn(tasks: Sequence[Task]) -> list[list[Tile]]:
    """The figures of every scene, in the order of the tasks; scenes are drawn side by side."""
    workers = min(len(tasks), os.cpu_count() or 1, MOST)
    with progress("drawing the gallery") as told:
        if workers < 2:
            return [list(_draw(task)) for task in tasks]
        with _pool(workers) as pool:
            running = [pool.submit(_draw, task) for task in tasks]
            for done, _ in enumerate(as_completed(running), 1):
                told(done, len(tasks))
            return [future.result() for future in running]


@contextlib.contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that start afresh: VTK does not survive a fork. When one fails, what has not begun never does."""
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _draw(task: Task) -> list[Tile]:
    """Draw one scene's figures."""
    scene = read_scene(example(task.scene))
    write = writer(f".{task.form}", task.look)
    (system,) = systems(scene, None)
    found = []
    for figure in scene.figures or (whole_scene(scene),):
        path = task.folder / f"{file_name(figure.name)}.{task.form}"
        changed, report = judged(scene, system, figure)
        write(changed, report, figure, path)
        found.append(Tile(task.chapter, figure.name, path, size_of(path)))
    if task.scene in SCANS:
        found.append(_inspected(task, *SCANS[task.scene]))
    return found


def _inspected(task: Task, mesh: str, units: str) -> Tile:
    """The pictures of a piece that a scene uses, with what is found on it."""
    name = Path(mesh).stem
    path = task.folder / f"{name}.{task.form}"
    write_sheet(*look_whole(example(task.scene).parent / mesh, Asked(units)), path)
    return Tile(task.chapter, name, path, size_of(path))

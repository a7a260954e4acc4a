"""`deadground figure`: a scene's illustrations, in the form that the file's ending names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from deadground.geometry.errors import InputError
from deadground.scenes.document import read_scene
from deadground.scenes.rulings.verdict import Progress as Told
from deadground.scenes.rulings.verdict import Report, RuleSystem
from deadground.scenes.scene import Figure, Scene
from deadground.viewer.files import file_names, make_folder
from deadground.viewer.judging import expected, judge, progress, source, systems, with_overrides
from deadground.viewer.look import PLAIN_LOOK, Look, check_look, paper_for, seen_from
from deadground.viewer.phrases import unit_of
from deadground.viewer.themes import palette_for, theme_warnings

__all__ = ["WRITERS", "endings", "figure", "figure_named", "judged", "whole_scene", "writer"]

Writer = Callable[[Scene, Report, Figure, Path], None]

WRITERS: Final = {
    ".svg": "vector:write_svg",
    ".png": "picture:write_png",
    ".pdf": "pdf:write_pdf",
    ".glb": "glb:write_glb",
    ".html": "page:write_html",
}
"""File ending -> "module:function" in this package that writes such a file. One whose module is missing is left out."""


SINGLE: Final = (".glb", ".html")
"""Endings of files that show one scene, never figures side by side."""


def endings() -> tuple[str, ...]:
    """The endings for which there is a writer."""
    return tuple(ending for ending, place in WRITERS.items() if find_spec(_module(place)) is not None)


def _module(place: str) -> str:
    return f"deadground.viewer.{place.partition(':')[0]}"


def writer(ending: str, look: Look = PLAIN_LOOK) -> Writer:
    """What writes files of that ending, looking like that. InputError if nothing does, or for a look that cannot be.

    The module that writes is imported only here.
    """
    if ending.lower() not in endings():
        raise InputError("-o", "", expected(endings(), ending or "none", "a file name with an ending"))
    check_look(look)
    place = WRITERS[ending.lower()]
    return partial(_write, getattr(import_module(_module(place)), place.partition(":")[2]), look)


def _write(form: Callable[..., None], look: Look, scene: Scene, report: Report, asked: Figure, path: Path) -> None:
    """Write a figure in that form and look."""
    form(scene, report, seen_from(look, asked), path, paper_for(look, scene, asked))


def figure(
    scene: Annotated[Path, Parameter(help="A scene file (TOML).")],
    name: Annotated[
        str | None, Parameter(help="The figure's name in the scene. Without it: the first, or for a folder all.")
    ] = None,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="A file (its ending says the form) or a folder.")],
    form: Annotated[str, Parameter(name="--format", help="The form of the files in a folder.")] = "svg",
    ruleset: Annotated[str | None, Parameter(help="Judge by this system instead of the scene's.")] = None,
    allow_outside: Annotated[
        bool, Parameter(negative="", help="Let the scene name files outside its own folder.")
    ] = False,
    look: Look = PLAIN_LOOK,
) -> None:
    """Write a scene's illustrations: every line of sight as its verdict has it.

    .svg needs no OpenGL: without it, or for a plan or an elevation, it is a vector drawing; else a picture with true
    text over it. .glb needs none either. A scene without figures is drawn whole.
    """
    table = read_scene(scene, allow_outside)
    folder = _is_folder(output)
    ending = f".{form.lower().removeprefix('.')}" if folder else output.suffix
    write = writer(ending, look)
    (system,) = _one(table, ruleset)
    chosen = _chosen(table, name, every=folder)
    _warn_of_themes(table, look, chosen)
    if folder:
        make_folder(output)
        chosen = _fit(chosen, ending)
    names = file_names(each.name for each in chosen)
    paths = [output / f"{each}{ending}" if folder else output for each in names]
    _write_all(table, system, list(zip(chosen, paths, strict=True)), write)


def _warn_of_themes(scene: Scene, look: Look, chosen: Sequence[Figure]) -> None:
    """Check the colours of all figures before the first is drawn, and say on stderr what is odd about them."""
    names = dict.fromkeys(look.theme or each.theme for each in chosen)
    for name in names:
        palette_for(scene, name)
        sys.stderr.writelines(f"deadground: {said}\n" for said in theme_warnings(scene, name))


def _fit(chosen: Sequence[Figure], ending: str) -> list[Figure]:
    """Of a folder's figures those that a file of that ending can hold; a word on stderr on what is left out."""
    kept = [each for each in chosen if not each.panels or ending not in SINGLE]
    left = ", ".join(each.name for each in chosen if each not in kept)
    if left:
        sys.stderr.write(f"deadground: figures side by side are not written as {ending}: {left}\n")
    return kept


def _write_all(scene: Scene, system: RuleSystem, wanted: Sequence[tuple[Figure, Path]], write: Writer) -> None:
    """Write figures one by one, with a bar on stderr where they are several and take long; then name the files."""
    written: list[Path] = []
    try:
        with progress("drawing figures") as told:
            for number, (each, path) in enumerate(wanted):
                told(number, len(wanted))
                changed, report = judged(scene, system, each, _quiet if len(wanted) > 1 else None)
                write(changed, report, each, path)
                written.append(path)
    finally:
        sys.stdout.writelines(f"{path}\n" for path in written)


def _quiet(_done: int, _total: int) -> None:
    """Judging says nothing where drawing does."""


def _is_folder(output: Path) -> bool:
    """A folder is one that is there already, or a name without an ending."""
    return output.is_dir() or not output.suffix


def _one(scene: Scene, ruleset: str | None) -> tuple[RuleSystem]:
    found = systems(scene, ruleset)
    if len(found) != 1:
        raise InputError(source(scene), "--ruleset", "expected one rule system for a figure, found all")
    return (found[0],)


def _chosen(scene: Scene, name: str | None, *, every: bool) -> Sequence[Figure]:
    if name is not None:
        return [figure_named(scene, name)]
    if not scene.figures:
        return [whole_scene(scene)]
    return scene.figures if every else scene.figures[:1]


def figure_named(scene: Scene, name: str) -> Figure:
    """The scene's figure of that name. InputError, with the nearest name, if there is none."""
    for each in scene.figures:
        if each.name == name:
            return each
    known = [each.name for each in scene.figures]
    raise InputError(source(scene), "figure", expected(known, name, "the name of one of the scene's figures"))


def whole_scene(scene: Scene) -> Figure:
    """The figure of a scene that has none: everything, with every line."""
    name = scene.source.stem if scene.source else "scene"
    return Figure(name, scene.title)


def judged(scene: Scene, system: RuleSystem, asked: Figure, told: Told | None = None) -> tuple[Scene, Report]:
    """The scene with the figure's own options, and the report on the units that the figure's lines are about.

    Whole units, for what is said of a unit holds for all its models. told : see `judge`
    """
    changed = with_overrides(scene, asked)
    observers = {_unit(scene, one) for one, _ in asked.lines}
    targets = {_unit(scene, other) for _, other in asked.lines}
    if asked.unlined:
        observers = targets = {unit.name for unit in scene.units[:1]}  # no pair: it does not face itself
    return changed, judge(changed, system, observers or None, targets or None, told)


def _unit(scene: Scene, name: str) -> str:
    """The unit of that name, or of the model of that name."""
    return name if any(unit.name == name for unit in scene.units) else unit_of(name)

"""`deadground import`: tournament layouts as scene files."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final

from cyclopts import Parameter

from deadground.geometry.errors import InputError
from deadground.scenes.document import scene_from, scene_text
from deadground.scenes.layout_file import Template, layout_ids, read_layout, read_templates
from deadground.scenes.layout_scene import Choices, scene_document
from deadground.scenes.layouts import resolve
from deadground.viewer.files import file_name, file_names, make_folder, write_text
from deadground.viewer.judging import expected

__all__ = ["import_layouts", "imported_text"]

TEMPLATES: Final = "terrain-templates.json"
"""Name of the file beside the layouts that holds their templates."""

Texts = Annotated[list[str], Parameter(negative="", show_default=False)]


def import_layouts(  # noqa: PLR0913  (a command's options)
    layouts: Annotated[Path, Parameter(help="A file of layouts (JSON).")],
    layout: Annotated[str | None, Parameter(name="ID", help="The layout's id. Without one, --all.")] = None,
    /,
    *,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="The scene file to write; with --all, the folder.")
    ] = None,
    every: Annotated[bool, Parameter(name="--all", negative="", help="Convert every layout of the file.")] = False,
    templates: Annotated[
        Path | None, Parameter(help=f"The file of its pieces; by default {TEMPLATES} beside it.")
    ] = None,
    board: Annotated[tuple[float, float], Parameter(help="The board's two sides.")] = (60.0, 44.0),
    heights: Annotated[
        Texts, Parameter(name="--height", help="TEMPLATE=INCHES: other than the template's. May be repeated.")
    ] = [],  # noqa: B006  (never changed)
    storey: Annotated[float, Parameter(help="Height of a level.")] = 3.0,
    floor_thickness: Annotated[float, Parameter(help="Thickness of upper floors.")] = 0.2,
    windows: Annotated[
        tuple[float, float, float] | None,
        Parameter(help="Width, sill and head of windows in the walls of dense L shapes, on each level. Default: none."),
    ] = None,
) -> int:
    """Turn tournament layouts into scene files: areas, features with their category, walls, upper floors.

    All lengths are inches. What the layouts leave open is an option here, and stands as a comment in the scene file.
    A piece's shape of its own replaces its template's, upper floor included. `deadground populate` adds armies.
    """
    layout_ids(layouts)  # complains of the layouts before their templates
    kinds = read_templates(_templates(layouts) if templates is None else templates)
    choices = _choices(board, storey, floor_thickness, windows, _heights(heights, kinds))
    for name, path in _targets(layouts, layout, every, output):
        write_text(path, imported_text(layouts, name, kinds, choices))
        sys.stdout.write(f"{path}\n")
    return 0


def _templates(layouts: Path) -> Path:
    """The file of templates beside the layouts."""
    beside = layouts.parent / TEMPLATES
    if not beside.exists():
        raise InputError(
            str(beside), "", "is not there: expected the templates beside the layouts, or --templates FILE"
        )
    return beside


def _targets(layouts: Path, layout: str | None, every: bool, output: Path | None) -> Iterator[tuple[str, Path]]:
    """Each layout's id with the file to write."""
    if every == (layout is not None):
        raise InputError(str(layouts), "ID", "expected the id of a layout, or --all, and not both")
    if layout is not None:
        yield layout, output if output is not None else Path(f"{file_name(layout)}.toml")
        return
    folder = output if output is not None else Path()
    make_folder(folder)
    names = layout_ids(layouts)
    yield from ((name, folder / f"{file}.toml") for name, file in zip(names, file_names(names), strict=True))


def _heights(given: Sequence[str], kinds: Mapping[str, Template]) -> Mapping[str, float]:
    found = {}
    for text in given:
        name, _, number = text.partition("=")
        if name not in kinds:
            raise InputError("import", "--height", expected(kinds, name, "TEMPLATE=INCHES with a known template"))
        found[name] = _length(number, "--height")
    return MappingProxyType(found)


def _length(value: float | str, key: str) -> float:
    """A length of the command line. InputError unless it is a finite number above 0."""
    try:
        length = float(value)
    except ValueError:
        length = math.nan
    if not (math.isfinite(length) and 0 < length <= 1000):
        raise InputError("import", key, f'expected inches, more than 0 and at most 1000, found "{value}"')
    return length


def _choices(
    board: tuple[float, float], storey: float, slab: float, windows: tuple[float, float, float] | None,
    heights: Mapping[str, float],
) -> Choices:  # fmt: skip
    _length(storey, "--storey")
    if not 0 < _length(slab, "--floor-thickness") < storey:
        raise InputError("import", "--floor-thickness", f"expected less than a level ({storey:g}), found {slab:g}")
    if windows is not None:
        width, sill, head = windows
        if not (width > 0 and 0 <= sill < head < math.inf and width < math.inf):
            said = " ".join(f"{each:g}" for each in windows)
            raise InputError("import", "--windows", f"expected a width, and a sill below a head, found {said}")
    x, y = (_length(side, "--board") for side in board)
    return Choices((x, y), storey, slab, heights=heights, windows=windows)


def imported_text(layouts: Path, name: str, kinds: Mapping[str, Template], choices: Choices) -> str:
    """A layout as the text of a scene file. InputError if it cannot be one."""
    layout, source = read_layout(layouts, name), f"{layouts}: {name}"
    document = scene_document(layout.name or name, resolve(layout, kinds, source), choices, source)
    scene_from(document, source=source)
    return "".join(f"# {line}\n" for line in _comments(layouts, name, choices)) + "\n" + scene_text(document)


def _comments(layouts: Path, name: str, choices: Choices) -> Iterator[str]:
    """What was chosen where the layout leaves it open."""
    yield f"Layout {name} of {layouts.name}, turned to x to the right and y away from the reader."
    yield "What the layout leaves open, and the option of `deadground import` that changes it:"
    yield f"- the board is {choices.board[0]:g} by {choices.board[1]:g} inches (--board)"
    own = ", ".join(f"{kind} {height:g}" for kind, height in choices.heights.items())
    yield f"- features are as high as their template says{f', but {own}' if own else ''} (--height)"
    yield f"- a level is {choices.storey:g} inches, its floor {choices.slab:g} thick (--storey, --floor-thickness)"
    if choices.windows is None:
        yield "- walls have no openings (--windows)"
    else:
        width, sill, head = choices.windows
        yield f"- dense walls have windows {width:g} wide, {sill:g} to {head:g} above each level (--windows)"
    yield "A feature that overhangs its area a little is named by it; one outside every area is an area of its own."

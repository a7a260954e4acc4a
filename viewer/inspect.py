"""`deadground inspect`: what the rules will make of terrain pieces, and whether their files are fit for use."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from deadground.geometry.errors import InputError, MeshError
from deadground.geometry.units import MM_PER_INCH
from deadground.viewer.inspection_json import piece_values, pieces_values
from deadground.viewer.inspection_text import pieces_parts, report_parts
from deadground.viewer.looked import Asked, Looked, for_several, look, mesh_files
from deadground.viewer.printing import print_parts
from deadground.viewer.report_json import dumps

__all__ = ["inspect"]

Flag = Annotated[bool, Parameter(negative="", show_default=False)]

_HEIGHT = re.compile(r'\s*(\d+(?:\.\d+)?)\s*(in|mm|cm|"|″)\s*')


def inspect(
    *meshes: Annotated[Path, Parameter(help="Mesh files (STL, OBJ, PLY, GLB, 3MF), or folders of them.")],
    units: Annotated[
        str | None, Parameter(help="The files' unit: mm, cm, m or in. STL, OBJ and PLY files do not say theirs.")
    ] = None,
    up: Annotated[
        str | None, Parameter(help="The files' upward axis: x, y, z or -x, -y, -z. Normally z; y in a GLB.")
    ] = None,
    scale: Annotated[float, Parameter(help="Multiply all sizes by this as well.")] = 1.0,
    fit_height: Annotated[
        str | None, Parameter(help='Scale each piece to this height instead: "3in", "76mm". No units are needed then.')
    ] = None,
    limit: Annotated[float, Parameter(help="Height in inches up to which Solid closes gaps.")] = 3.0,
    json: Annotated[Flag, Parameter(help="Print JSON in place of the report. Lengths are inches.")] = False,
    strict: Annotated[Flag, Parameter(help="Exit with 1 if something is found that is an error.")] = False,
) -> int:
    """Say what the rules will make of terrain pieces, and whether their files are fit for use.

    One file gets a report: its openings and what Solid does to them, its floors and the bases they take, and what is
    wrong with the mesh, with what to do. Several files, or a folder, get one table, worst first. Nothing is repaired,
    and nothing is written.
    """
    asked = _asked(units, up, scale, fit_height, limit)
    files = mesh_files(list(meshes))
    if not files:
        raise InputError("", "MESHES", "expected at least one mesh file or a folder, found none")
    if len(meshes) == 1 and not meshes[0].is_dir():
        looked = [look(files[0], asked)]
        _tell_one(looked[0], json=json)
    else:
        looked = list(_look_at_all(files, asked))
        _tell_all(looked, json=json)
    return _code(looked, strict=strict)


def _asked(units: str | None, up: str | None, scale: float, fit_height: str | None, limit: float) -> Asked:
    if not 0 < limit <= MM_PER_INCH:
        raise InputError("", "--limit", f"expected inches above 0, found {limit:g}")
    if fit_height is not None and (units is not None or scale != 1.0):
        raise InputError("", "--fit-height", "expected alone: it stands in place of --units and --scale")
    return Asked(units, up, scale, None if fit_height is None else _height(fit_height), limit)


def _height(text: str) -> float:
    found = _HEIGHT.fullmatch(text)
    value = float(found[1]) if found else 0.0
    if not found or not value:
        raise InputError("", "--fit-height", f'expected a height such as "3in" or "76mm", found {text[:40]!r}')
    return value / {"mm": MM_PER_INCH, "cm": MM_PER_INCH / 10}.get(found[2], 1.0)


def _look_at_all(files: Sequence[Path], asked: Asked) -> Iterator[Looked]:
    """Each file, one that cannot be read as well; how far it got is shown on stderr."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(file=sys.stderr, markup=False), transient=True) as progress:
        task = progress.add_task("inspecting", total=len(files))
        for file in files:
            progress.update(task, description=file.name[:40])
            try:
                yield look(file, for_several(file, asked))
            except MeshError as error:
                problem = ": ".join(part for part in (error.key, error.problem) if part)
                yield Looked(str(file), problem=problem)
                progress.console.print(f"deadground: {error}", soft_wrap=True, highlight=False)
            progress.advance(task)


def _tell_one(looked: Looked, *, json: bool) -> None:
    if json:
        sys.stdout.write(dumps(piece_values(looked)) + "\n")
    else:
        print_parts(lambda _: report_parts(looked))


def _tell_all(looked: Sequence[Looked], *, json: bool) -> None:
    if json:
        sys.stdout.write(dumps(pieces_values(looked)) + "\n")
    else:
        print_parts(lambda width: pieces_parts(looked, width))


def _code(looked: Sequence[Looked], *, strict: bool) -> int:
    """2 if a file could not be read, 1 if `--strict` was asked and an error was found."""
    if any(one.piece is None for one in looked):
        return 2
    bad = [one.name for one in looked if one.level == "error"] if strict else []
    sys.stderr.writelines(f"deadground: {name}: not fit for use as it is\n" for name in bad)
    return 1 if bad else 0

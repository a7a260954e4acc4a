"""`deadground inspect`: what the rules will make of terrain pieces, and whether their files are fit for use."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from deadground.geometry.errors import InputError
from deadground.viewer.compared import ALONE, Comparing, compare, compared_parts, compared_values
from deadground.viewer.crew import Job, Result, look_at_all
from deadground.viewer.files import write_text
from deadground.viewer.inspect_options import AS_IT_IS, NOTHING, Reading, Writing
from deadground.viewer.inspection_json import piece_values, pieces_values
from deadground.viewer.inspection_text import pieces_parts, report_parts
from deadground.viewer.looked import Asked, Looked, look, look_whole, mesh_files
from deadground.viewer.mend import AS_IS, Mending, mend, mended_parts, mended_values
from deadground.viewer.piece_page import chapter
from deadground.viewer.piece_pages import allowance, page_of_many, page_of_one
from deadground.viewer.piece_sheet import write_sheet
from deadground.viewer.printing import print_parts
from deadground.viewer.report_json import dumps, tidy

__all__ = ["inspect"]

Flag = Annotated[bool, Parameter(negative="", show_default=False)]


def inspect(
    *meshes: Annotated[Path, Parameter(help="Mesh files (STL, OBJ, PLY, GLB, 3MF), or folders of them.")],
    reading: Reading = AS_IT_IS,
    json: Annotated[Flag, Parameter(help="Print JSON in place of the report. Lengths are inches.")] = False,
    strict: Annotated[Flag, Parameter(help="Exit with 1 if something is found that is an error.")] = False,
    writing: Writing = NOTHING,
    mending: Mending = AS_IS,
    comparing: Comparing = ALONE,
) -> int:
    """Say what the rules will make of terrain pieces, and whether their files are fit for use.

    One file gets a report: its openings and what Solid does to them, its floors and the bases they take, and what is
    wrong with the mesh, with what to do. Several files, or a folder, get one table, worst first. --repair writes a
    mended piece to another file, --compare says what is different in another version or a scan of it. Nothing is
    repaired or written but what is asked for.
    """
    asked = reading.asked
    files = mesh_files(list(meshes))
    if not files:
        raise InputError("", "MESHES", "expected at least one mesh file or a folder, found none")
    alone = len(files) == len(meshes) == 1 and not meshes[0].is_dir()
    writing.check(alone=alone)
    mending.check(files[0] if alone else None)
    comparing.check(alone=alone)
    _one_task(writing, mending, comparing)
    if mending.repair is not None:
        looked = [_mend_one(files[0], asked, mending, json=json)]
    elif comparing.compare is not None:
        looked = [_compare_one(files[0], asked, comparing, writing.output, json=json)]
    elif alone:
        looked = [_look_at_one(files[0], asked, writing)]
        _tell_one(looked[0], json=json)
    else:
        title = meshes[0].resolve().name if len(meshes) == 1 and meshes[0].is_dir() else "Terrain pieces"
        looked = _look_at_several(files, asked, writing.html, title)
        _tell_all(looked, json=json)
    return _code(looked, strict=strict)


def _look_at_one(file: Path, asked: Asked, writing: Writing) -> Looked:
    if writing == NOTHING:
        return look(file, asked)
    looked, mesh = look_whole(file, asked)
    if writing.html is not None:
        write_text(writing.html, page_of_one(chapter(looked, mesh, _key(0), allowance(1))))
        _told(writing.html)
    if writing.output is not None:
        write_sheet(looked, mesh, writing.output)
        _told(writing.output)
    return looked


def _told(path: Path) -> None:
    """Say on stderr, beside whatever the answer's form is, that a file was written."""
    sys.stderr.write(f"deadground: written: {path}\n")


def _one_task(writing: Writing, mending: Mending, comparing: Comparing) -> None:
    """InputError for options that do not go together."""
    if mending.repair is not None and (writing != NOTHING or comparing.compare is not None):
        raise InputError(
            "", "--repair", "expected without --html, --output and --compare: inspect the mended file with those"
        )
    if comparing.compare is not None and writing.html is not None:
        raise InputError("", "--compare", "expected without --html; -o draws a map of the differences")


def _compare_one(file: Path, asked: Asked, comparing: Comparing, output: Path | None, *, json: bool) -> Looked:
    """The first piece; what is different in the other one has been told."""
    result = compare(file, asked, comparing, output)
    if json:
        sys.stdout.write(dumps(piece_values(result.first) | {"compare": tidy(compared_values(result))}) + "\n")
    else:
        print_parts(lambda _: compared_parts(result))
    return result.first


def _mend_one(file: Path, asked: Asked, mending: Mending, *, json: bool) -> Looked:
    """The mended piece, which has been written."""
    mended = mend(file, asked, mending)
    if json:
        sys.stdout.write(dumps(piece_values(mended.after) | {"repair": tidy(mended_values(mended))}) + "\n")
    else:
        print_parts(lambda _: mended_parts(mended))
    return mended.after


def _look_at_several(files: Sequence[Path], asked: Asked, html: Path | None, title: str) -> list[Looked]:
    """Each file, one that cannot be read as well; and the page about them. title : of the page."""
    given = None if html is None else allowance(len(files))
    results = _results([Job(file, asked, _key(number), given) for number, file in enumerate(files)])
    if html is not None:
        chapters = [(_key(number), each.chapter) for number, each in enumerate(results) if each.chapter is not None]
        write_text(html, page_of_many(title, chapters))
    return [each.looked for each in results]


def _key(number: int) -> str:
    """What a piece's place on a page is called."""
    return f"piece-{number + 1}"


def _results(jobs: Sequence[Job]) -> list[Result]:
    """What comes of each job; how far it got is shown on stderr."""
    found: dict[int, Result] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(file=sys.stderr, markup=False), transient=True) as progress:
        task = progress.add_task("inspecting", total=len(jobs))
        for number, result in look_at_all(jobs):
            found[number] = result
            progress.update(task, description=jobs[number].file.name[:40], advance=1)
            if result.error:
                progress.console.print(f"deadground: {result.error}", soft_wrap=True, highlight=False)
    return [found[number] for number in range(len(jobs))]


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

"""What was found on terrain pieces in words and tables, for somebody who knows the game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from deadground.meshes.findings import LEVELS, Finding, Level
from deadground.meshes.inspection import Inspection
from deadground.scenes.rulings.wh40k_piece import PieceReading
from deadground.viewer.looked import Looked
from deadground.viewer.piece_words import SOLID, alike, floors_alike, inch, runs, size_lines
from deadground.viewer.words import INCH

__all__ = ["pieces_parts", "report_parts"]

_STYLES: Final[dict[Level, str]] = {"error": "bold red", "warning": "bold dark_orange3", "note": "bold", "ok": "dim"}


def _table(*heads: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold", header_style="dim")
    return table


def report_parts(looked: Looked) -> Iterator[Text | Table]:
    """The report on one piece that could be read."""
    piece, reading = looked.piece, looked.reading
    if piece is None or reading is None:
        yield Text(f"{looked.name}: {looked.problem}", style=_STYLES["error"])
        return
    yield from _heading(looked, piece)
    yield from _rules(reading)
    yield from _openings(piece, reading)
    yield from _floors(piece)
    yield from _findings(piece.findings)


def _heading(looked: Looked, piece: Inspection) -> Iterator[Text]:
    yield Text(looked.name, style="bold")
    yield from map(Text, size_lines(looked, piece))


def _rules(reading: PieceReading) -> Iterator[Text]:
    """What the rules make of it."""
    yield Text(f"\nWhat Warhammer 40,000 makes of it (Solid closes gaps up to {inch(reading.limit)})", style="bold")
    for finding in reading.findings:
        if (finding.code, finding.level) != ("near-limit", "ok"):
            style = _STYLES[finding.level] if finding.level in ("warning", "error") else ""
            yield Text(f"- {finding.told}", style=style)


def _openings(piece: Inspection, reading: PieceReading) -> Iterator[Text | Table]:
    """Enclosed gaps, those that are alike in one row."""
    if not piece.openings:
        yield Text("\nOpenings: none that are enclosed all round (notches open to the sky and recesses are none).")
        return
    yield Text(f"\nOpenings, {len(piece.openings)} enclosed all round", style="bold")
    table = _table("no.", "what", "sill", "head", "width", "if dense", "bases that pass")
    for gaps, row in alike(piece, reading):
        table.add_row(runs([gap.id for gap in gaps]), *row)
    yield table


def _floors(piece: Inspection) -> Iterator[Text | Table]:
    """Where models can stand, floors that are alike in one row."""
    if not piece.floors:
        yield Text("\nFloors: none on which a 25 mm base finds room; models stand beside this piece, not on it.")
        return
    yield Text("\nWhere models can stand (the whole base, with 1" + INCH + " of room above)", style="bold")
    table = _table("height", "how many", "area", "room above", "bases at once, at least")
    for numbers, (height, *rest) in floors_alike(piece.floors):
        table.add_row(height, str(len(numbers)), *rest)
    yield table


def _findings(found: Sequence[Finding]) -> Iterator[Text | Table]:
    """What is wrong or good to know, and in one line what is in order."""
    told = [finding for finding in found if finding.level != "ok"]
    fine = [finding.code for finding in found if finding.level == "ok"]
    yield Text("\nThe file", style="bold")
    if told:
        table = _table("", "finding", "what it is and what to do", "where (x, y, height)")
        for finding in told:
            table.add_row(Text(finding.level, style=_STYLES[finding.level]), finding.code, finding.told, _at(finding))
        yield table
    yield Text(f"In order: {', '.join(fine)}." if fine else "", style="dim")


def _at(finding: Finding) -> str:
    return "" if finding.at is None else ", ".join(f"{value:.2f}" for value in finding.at)


def pieces_parts(looked: Sequence[Looked], width: int) -> Iterator[Text | Table]:
    """One line for each piece, worst first, and below what is wrong. width : columns of the console."""
    ordered = sorted(looked, key=lambda one: -LEVELS.index(one.level))
    table = _table("file", "worst", "size, inches", "openings", "floors", "look at")
    table.columns[2].no_wrap = True
    table.columns[-1].min_width = min(20, width // 5)
    table.columns[0].width = min(max(cell_len(one.name) for one in looked), width // 4)
    for one in ordered:
        table.add_row(*_piece_row(one))
    yield table
    counts = {level: sum(one.level == level for one in looked) for level in reversed(LEVELS)}
    said = ", ".join(f"{count} with {_WORST[level]}" for level, count in counts.items() if count)
    yield Text(f"\n{len(looked)} files: {said}. Inspect one alone for its whole report.")
    for one in ordered:
        for message in _complaints(one):
            yield Text(f"- {one.name}: {message}", style=_STYLES[one.level])


_WORST: Final[dict[Level, str]] = {
    "error": "errors", "warning": "warnings", "note": "notes at most", "ok": "nothing to say"
}  # fmt: skip


def _complaints(looked: Looked) -> list[str]:
    """What has to be mended on a piece."""
    if looked.piece is None:
        return [looked.problem]
    return [finding.told for finding in looked.findings if finding.level == "error"]


def _piece_row(looked: Looked) -> tuple[str | Text, ...]:
    level = Text(looked.level, style=_STYLES[looked.level])
    if looked.piece is None or looked.reading is None:
        return looked.name, Text("unread", style=_STYLES["error"]), "", "", "", ""
    states = list(looked.reading.states.values())
    gaps = ", ".join(f"{states.count(state)} {state}" for state in SOLID if state in states) or "none"
    heights = sorted({floor.height for floor in looked.piece.floors})
    shown = ", ".join(inch(height) for height in heights[:3]) + (
        f" and {len(heights) - 3} more" if len(heights) > 3 else ""
    )
    size = " x ".join(f"{side:.1f}" for side in looked.piece.size)
    codes = ", ".join(finding.code for finding in looked.findings if finding.level in ("warning", "error"))
    return looked.name, level, size, gaps, shown or "none", codes

"""What was found on terrain pieces in words and tables, for somebody who knows the game."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from deadground.geometry.units import millimetres
from deadground.meshes.findings import LEVELS, Finding, Level
from deadground.meshes.inspection import Inspection
from deadground.meshes.piece import Opening
from deadground.meshes.standing_room import BASES, Floor
from deadground.scenes.rulings.wh40k_piece import PieceReading, State
from deadground.viewer.looked import Looked
from deadground.viewer.words import INCH

__all__ = ["pieces_parts", "report_parts"]

_STYLES: Final[dict[Level, str]] = {"error": "bold red", "warning": "bold dark_orange3", "note": "bold", "ok": "dim"}
_SOLID: Final[dict[State, str]] = {"closed": "closed", "open": "open", "straddles": "straddles the limit"}


def _inch(value: float, places: int = 2) -> str:
    return f"{value:.{places}f}{INCH}"


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
    inches = " x ".join(f"{side:.2f}" for side in piece.size)
    metric = " x ".join(f"{millimetres(side):.0f}" for side in piece.size)
    scaled = "" if looked.scale == 1 else f", scaled by {looked.scale:.4g}"
    yield Text(f"{inches} inches ({metric} mm) across, deep and high; read as {_unit(looked.units)}{scaled}")
    bodies = "1 body" if piece.bodies == 1 else f"{piece.bodies} bodies"
    skin = "a closed solid" if piece.closed_mesh else "not one closed solid (see below)"
    yield Text(f"{piece.triangles:,} triangles, {bodies}; {skin}")


def _unit(name: str) -> str:
    return {"in": "inches", "m": "metres"}.get(name.lower(), name)


def _rules(reading: PieceReading) -> Iterator[Text]:
    """What the rules make of it."""
    yield Text(f"\nWhat Warhammer 40,000 makes of it (Solid closes gaps up to {_inch(reading.limit)})", style="bold")
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
    for numbers, row in _alike(piece, reading):
        table.add_row(_runs(numbers), *row)
    yield table


def _alike(piece: Inspection, reading: PieceReading) -> list[tuple[list[int], tuple[str, ...]]]:
    rows: dict[tuple[str, ...], list[int]] = {}
    for gap in piece.openings:
        row = (
            _what(gap, piece), _inch(gap.sill), _inch(gap.head), _inch(gap.width), _SOLID[reading.states[gap.id]],
            _passing(piece.doorways[gap.id]) if gap.id in piece.doorways else "",
        )  # fmt: skip
        rows.setdefault(row, []).append(gap.id)
    return [(numbers, row) for row, numbers in rows.items()]


def _what(gap: Opening, piece: Inspection) -> str:
    kind = "hole in a floor" if gap.kind == "floor" else "doorway" if gap.id in piece.doorways else "window"
    return kind if gap.sure else f"possible {kind}"


def _runs(numbers: Sequence[int]) -> str:
    """Numbers in order, three or more in a row as 3-7."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _passing(names: Sequence[str]) -> str:
    """The largest round and the largest oval base among some."""
    if not names:
        return "none of the standard ones"
    round_ones, ovals = ([name for name in names if ("x" in name) is oval] for oval in (False, True))
    said = [f"round to {_largest(round_ones)}"] if round_ones else []
    return ", ".join(said + ([f"ovals to {_largest(ovals)}"] if ovals else []))


def _largest(names: Sequence[str]) -> str:
    return max(names, key=lambda name: BASES[name][1])


def _floors(piece: Inspection) -> Iterator[Text | Table]:
    """Where models can stand, floors that are alike in one row."""
    if not piece.floors:
        yield Text("\nFloors: none on which a 25 mm base finds room; models stand beside this piece, not on it.")
        return
    yield Text("\nWhere models can stand (the whole base, with 1" + INCH + " of room above)", style="bold")
    table = _table("height", "how many", "area", "room above", "bases at once, at least")
    rows: dict[tuple[str, ...], int] = {}
    for floor in piece.floors:
        row = _floor_row(floor)
        rows[row] = rows.get(row, 0) + 1
    for (height, *rest), count in rows.items():
        table.add_row(height, str(count), *rest)
    yield table


def _floor_row(floor: Floor) -> tuple[str, ...]:
    height = _inch(floor.height, 3) if floor.level else f"slope, {_inch(floor.low)} to {_inch(floor.height)}"
    room = "open sky" if math.isinf(floor.head_room) else _inch(floor.head_room)
    fits = ", ".join(f"{count} of {name.removesuffix('mm')}" for name, count in floor.fits.items())
    return height, f"{floor.area:.1f} sq in", room, f"{fits} mm"


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
    gaps = ", ".join(f"{states.count(state)} {state}" for state in _SOLID if state in states) or "none"
    heights = sorted({floor.height for floor in looked.piece.floors})
    shown = ", ".join(_inch(height) for height in heights[:3]) + (
        f" and {len(heights) - 3} more" if len(heights) > 3 else ""
    )
    size = " x ".join(f"{side:.1f}" for side in looked.piece.size)
    codes = ", ".join(finding.code for finding in looked.findings if finding.level in ("warning", "error"))
    return looked.name, level, size, gaps, shown or "none", codes

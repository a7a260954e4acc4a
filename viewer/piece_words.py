"""What is said of a piece in words, the same in reports on a console and on a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from deadground.geometry.units import millimetres
from deadground.meshes.findings import Finding, Level
from deadground.meshes.inspection import Inspection
from deadground.meshes.piece import Opening
from deadground.meshes.standing_room import BASES, Floor
from deadground.scenes.rulings.wh40k_piece import PIECE_CODES, PieceReading, State
from deadground.viewer.looked import Looked
from deadground.viewer.words import INCH, inch_words

__all__ = [
    "SOLID", "TITLES", "Sentence", "alike", "bases_at_once", "floors_alike", "floors_said", "gaps_said", "height_of",
    "inch", "passing", "repair_said", "room_above", "runs", "sentence_of", "size_lines", "unit_name", "what",
]  # fmt: skip

SOLID: Final[dict[State, str]] = {"closed": "closed", "open": "open", "straddles": "straddles the limit"}
"""What Solid does to a gap."""

TITLES: Final = {
    "units": "Size and unit", "up": "Upward axis", "ground": "Footing",
    "stability": "Stability",
    "open-edges": "Holes in the skin", "pinholes": "Pinholes and cracks", "faces": "Faces inside out",
    "degenerate": "Useless triangles", "shared-edges": "Edges of more than two faces",
    "self-intersection": "Surfaces that cross", "bodies": "Loose bodies", "thin-walls": "Thin walls",
    "noise": "Roughness", "triangles": "Number of triangles", "possible-openings": "Gaps in doubt",
    "category": "Category", "straddling-openings": "Gaps over the limit", "near-limit": "Gaps near the limit",
    "first-floor": "First floor", "sections": "Low and high sections",
}  # fmt: skip
"""What a finding's code is about."""


MENDED: Final = ("up", "ground", "open-edges", "pinholes", "faces", "degenerate", "bodies")
"""What `--repair` mends, or some of it."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What a maker wants to know first.

    level : the worst that was found; headline : fit for the table or not; lead : why, a sentence
    first : what to look at first, at most three findings
    """

    level: Level
    headline: str
    lead: str
    first: tuple[Finding, ...]


def sentence_of(looked: Looked) -> Sentence:
    """Whether a piece is fit for the table, and what to mend first."""
    if looked.piece is None:
        return Sentence(
            "error", "This file could not be read", f"{looked.problem[:1].upper()}{looked.problem[1:]}.", ()
        )
    bad = [finding for finding in looked.findings if finding.level == "error"]
    if bad:
        return Sentence("error", "Not fit for the table as it is", f"Mend first: {_named(bad)}.", tuple(bad[:3]))
    found = [finding for finding in looked.findings if finding.level == "warning"]
    mend = [finding for finding in found if finding.code not in PIECE_CODES]
    agree = [finding for finding in found if finding.code in PIECE_CODES]
    if mend:
        more = f" Agree before the game on: {_named(agree)}." if agree else ""
        return Sentence("warning", "Usable, but better mended first", f"Mend first: {_named(mend)}.{more}",
                        tuple((mend + agree)[:3]))  # fmt: skip
    if agree:
        lead = f"The file is sound. Before the game, agree on: {_named(agree)}."
        return Sentence("warning", "Fit for the table, once you agree", lead, tuple(agree[:3]))
    notes = [finding for finding in looked.findings if finding.level == "note" and finding.code not in PIECE_CODES]
    said = f"Good to know: {_named(notes)}." if notes else "Nothing is wrong with the file."
    return Sentence("ok", "Fit for the table", said, tuple(notes[:3]))


def repair_said(looked: Looked) -> str:
    """What the program itself can do about a piece, "" for nothing."""
    found = [finding for finding in looked.findings if finding.level in ("warning", "error") and finding.code in MENDED]
    return f"With --repair FILE, deadground inspect may mend: {_named(found)}." if found else ""


def _named(findings: Sequence[Finding]) -> str:
    return ", ".join(TITLES[finding.code].lower() for finding in findings)


def inch(value: float, places: int = 2) -> str:
    """A length with its inch sign."""
    return f"{value:.{places}f}{INCH}"


def unit_name(name: str) -> str:
    """A file's unit as people say it."""
    return {"in": "inches", "m": "metres"}.get(name.lower(), name)


def size_lines(looked: Looked, piece: Inspection) -> tuple[str, str]:
    """How large it is and as what it was read; and what the file holds."""
    inches = " x ".join(f"{side:.2f}" for side in piece.size)
    metric = " x ".join(f"{millimetres(side):.0f}" for side in piece.size)
    scaled = "" if looked.scale == 1 else f", scaled by {looked.scale:.4g}"
    bodies = "1 body" if piece.bodies == 1 else f"{piece.bodies} bodies"
    skin = "a closed solid" if piece.closed_mesh else "not one closed solid (see below)"
    return (
        f"{inches} inches ({metric} mm) across, deep and high; read as {unit_name(looked.units)}{scaled}",
        f"{piece.triangles:,} triangles, {bodies}; {skin}",
    )


def gaps_said(piece: Inspection, reading: PieceReading) -> str:
    """What Solid does to the gaps of a piece, a sentence."""
    limit = inch_words(reading.limit)
    if not piece.openings:
        return "No gap is enclosed all round, so there is nothing for Solid to close."
    states = list(reading.states.values())
    if len(set(states)) == 1:
        all_said = {"closed": "closed by Solid", "open": "open over Solid", "straddles": "straddling Solid"}[states[0]]
        whole = "1 gap," if len(states) == 1 else f"{len(states)} gaps, all"
        return f"{whole} {all_said} ({limit})."
    words = {"closed": "closed by Solid", "open": "open", "straddles": "straddling the limit"}
    said = [f"{states.count(state)} {words[state]}" for state in SOLID if state in states]
    return f"{len(states)} gaps: {', '.join(said)} ({limit})."


def floors_said(piece: Inspection) -> str:
    """Where models can stand, a sentence."""
    if not piece.floors:
        return "No floor takes a 25 mm base; models stand beside this piece, not on it."
    largest = max(piece.floors, key=lambda floor: floor.area)
    size = "32mm" if "32mm" in largest.fits else "25mm"
    heights = list(dict.fromkeys(inch(floor.height) for floor in piece.floors))
    shown = ", ".join(heights[:4]) + (f" and {len(heights) - 4} more" if len(heights) > 4 else "")
    count = "1 floor" if len(piece.floors) == 1 else f"{len(piece.floors)} floors"
    takes = f"{largest.fits[size]} bases of {size.removesuffix('mm')} mm"
    return (
        f"{count} at {shown}; the largest takes {takes.replace('1 bases', '1 base') if takes[:2] == '1 ' else takes}."
    )


def alike(piece: Inspection, reading: PieceReading) -> list[tuple[list[Opening], tuple[str, ...]]]:
    """Openings that are told in one row: their kind, sill, head, width, state and the bases that pass."""
    rows: dict[tuple[str, ...], list[Opening]] = {}
    for gap in piece.openings:
        row = (
            what(gap, piece), inch(gap.sill), inch(gap.head), inch(gap.width), SOLID[reading.states[gap.id]],
            passing(piece.doorways[gap.id]) if gap.id in piece.doorways else "",
        )  # fmt: skip
        rows.setdefault(row, []).append(gap)
    return [(gaps, row) for row, gaps in rows.items()]


def what(gap: Opening, piece: Inspection) -> str:
    """What kind of gap it is."""
    kind = "hole in a floor" if gap.kind == "floor" else "doorway" if gap.id in piece.doorways else "window"
    return kind if gap.sure else f"possible {kind}"


def runs(numbers: Sequence[int]) -> str:
    """Numbers in order, three or more in a row as 3-7."""
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][-1] == number - 1:
            found[-1].append(number)
        else:
            found.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in found)


def passing(names: Sequence[str]) -> str:
    """The largest round and the largest oval base among some."""
    if not names:
        return "none of the standard ones"
    round_ones, ovals = ([name for name in names if ("x" in name) is oval] for oval in (False, True))
    said = [f"round to {_largest(round_ones)}"] if round_ones else []
    return ", ".join(said + ([f"ovals to {_largest(ovals)}"] if ovals else []))


def _largest(names: Sequence[str]) -> str:
    return max(names, key=lambda name: BASES[name][1])


def height_of(floor: Floor) -> str:
    """How high a floor is, or from where to where it slopes."""
    return inch(floor.height, 3) if floor.level else f"slope, {inch(floor.low)} to {inch(floor.height)}"


def room_above(floor: Floor) -> str:
    """The head room of a floor."""
    return "open sky" if math.isinf(floor.head_room) else inch(floor.head_room)


def bases_at_once(floor: Floor) -> str:
    """How many of each base fit side by side."""
    fits = ", ".join(f"{count} of {name.removesuffix('mm')}" for name, count in floor.fits.items())
    return f"{fits} mm"


def floors_alike(floors: Sequence[Floor]) -> Iterator[tuple[list[int], tuple[str, str, str, str]]]:
    """Floors that are told in one row, by their places: height, area, room above, bases at once."""
    rows: dict[tuple[str, str, str, str], list[int]] = {}
    for number, floor in enumerate(floors):
        row = height_of(floor), f"{floor.area:.1f} sq in", room_above(floor), bases_at_once(floor)
        rows.setdefault(row, []).append(number)
    yield from ((numbers, row) for row, numbers in rows.items())

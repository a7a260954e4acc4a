"""The tables of a page about a piece: openings, doorways, floors, findings; each number beside the one it rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import shapely

from deadground.meshes.inspection import Inspection
from deadground.meshes.standing_room import BASES
from deadground.scenes.rulings.wh40k_piece import PieceReading
from deadground.viewer.looked import Looked
from deadground.viewer.marks import Blot
from deadground.viewer.markup import Markup, empty, tag
from deadground.viewer.piece_marks import Numbered, floor_letters, swatch
from deadground.viewer.piece_svg import legend_element
from deadground.viewer.piece_views import floor_colours, stain_of
from deadground.viewer.piece_words import (
    SOLID,
    TITLES,
    alike,
    bases_at_once,
    floors_alike,
    floors_said,
    inch,
    passing,
    runs,
    size_lines,
)
from deadground.viewer.words import inch_words

__all__ = ["chip", "tables"]

PLACES: Final = (
    "Places are inches from the middle of the piece, x to the right, y to the back, heights over the ground."
)


def chip(colour: str) -> Markup:
    """A small patch of a colour."""
    return Markup(legend_element([Blot(shapely.box(0, 0, 15, 15), colour)], 15, 15))


def tables(looked: Looked, marks: Sequence[Numbered]) -> Markup:
    """Openings, doorways, floors, findings, and how the file was read."""
    piece, reading = looked.piece, looked.reading
    if piece is None or reading is None:
        return empty
    return Markup(
        _openings(piece, reading) + _doorways(piece) + _floors(piece) + _findings(looked, marks) + _file(looked, piece)
    )


def _table(heads: Sequence[str], rows: Sequence[Markup], kind: str = "") -> Markup:
    head = tag("tr", None, *(tag("th", {"scope": "col"}, words) for words in heads))
    whole = tag("table", {"class": kind or None}, tag("thead", None, head), tag("tbody", None, *rows))
    return tag("div", {"class": "scroll"}, whole)


def _cell(words: str | Markup, value: float | None = None) -> Markup:
    """A cell; value : the number that the words round."""
    given = None if value is None else f"{value:.5g}"
    return tag("td", {"class": "number", "data-value": given} if given is not None else None, words)


def _openings(piece: Inspection, reading: PieceReading) -> Markup:
    title = tag("h2", None, f"Openings: {len(piece.openings)} enclosed all round")
    if not piece.openings:
        return Markup(title + tag("p", None, "Notches open to the sky and recesses that do not go through are none."))
    rows = []
    for gaps, (what, *_) in alike(piece, reading):
        gap, state = gaps[0], reading.states[gaps[0].id]
        look = Markup(legend_element(swatch(stain_of(state, sure=gap.sure))))
        rows.append(tag(
            "tr", {"data-ids": " ".join(str(each.id) for each in gaps)}, _cell(runs([each.id for each in gaps])),
            _cell(what), _cell(inch(gap.sill), gap.sill), _cell(inch(gap.head), gap.head),
            _cell(inch(gap.width), gap.width), _cell(f"{gap.area:.2f} sq in", gap.area),
            tag("td", None, look, SOLID[state]),
        ))  # fmt: skip
    heads = ("no.", "what", "sill", "head", "width", "area", f"if dense, Solid to {inch_words(reading.limit)}")
    return Markup(title + _table(heads, rows, "openings"))


def _doorways(piece: Inspection) -> Markup:
    """Which bases pass which doorway."""
    if not piece.doorways:
        return empty
    rows = []
    gaps = {gap.id: gap for gap in piece.openings}
    for names in dict.fromkeys(piece.doorways.values()):
        ids = [number for number, passes in piece.doorways.items() if passes == names]
        widths = sorted({inch(gaps[number].width) for number in ids})
        barred = [name for name in BASES if name not in names]
        rows.append(tag(
            "tr", {"data-ids": " ".join(map(str, ids))}, _cell(runs(sorted(ids))), _cell(", ".join(widths[:4])),
            _cell(passing(names)), tag("td", {"class": "wide"}, ", ".join(barred) or "none"),
        ))  # fmt: skip
    return Markup(
        tag("h2", None, "Doorways") + _table(("no.", "width", "bases that pass", "too wide"), rows, "doorways")
    )


def _floors(piece: Inspection) -> Markup:
    title = tag("h2", None, "Floors: where models can stand")
    if not piece.floors:
        return Markup(title + tag("p", None, floors_said(piece)))
    letters, colours = floor_letters(len(piece.floors)), floor_colours(piece.floors)
    rows = []
    for numbers, (height, _, room, _) in floors_alike(piece.floors):
        floor = piece.floors[numbers[0]]
        named = tag("td", None, chip(colours[numbers[0]]), " ", ", ".join(letters[number] for number in numbers))
        rows.append(tag(
            "tr", {"data-floors": len(numbers)}, named, _cell(height, floor.height),
            _cell(f"{floor.area:.1f} sq in", floor.area), _cell(room),
            tag("td", {"class": "wide"}, bases_at_once(floor)),
        ))  # fmt: skip
    note = tag(
        "p", {"class": "quiet"}, "Whole bases, with 1″ of room above; at least so many fit at once, side by side."
    )
    return Markup(
        title + note + _table(("floor", "height", "area", "room above", "bases that fit, in mm"), rows, "floors")
    )


def _findings(looked: Looked, marks: Sequence[Numbered]) -> Markup:
    rows = [
        tag(
            "tr", {"class": one.finding.level, "data-code": one.finding.code},
            tag("td", None, tag("span", {"class": "badge"}, one.tag)),
            tag("td", None, tag("span", {"class": "level"}, one.finding.level)),
            tag("td", None, TITLES[one.finding.code]), tag("td", {"class": "wide"}, one.finding.message),
            tag("td", {"class": "wide"}, one.finding.remedy), _cell(_where(one)),
        )
        for one in marks
    ]  # fmt: skip
    fine = [finding for finding in looked.findings if finding.level == "ok"]
    order = [tag("li", {"data-code": finding.code}, f"{TITLES[finding.code]}: {finding.message}") for finding in fine]
    heads = ("", "level", "what", "what it is", "what to do", "where (x, y, height)")
    listed = _table(heads, rows, "findings") if rows else empty
    return Markup(
        tag("h2", None, "Findings") + listed + tag("h3", None, "In order") + tag("ul", {"class": "facts"}, *order)
    )


def _where(one: Numbered) -> str:
    at = one.finding.at
    return "" if at is None else ", ".join(f"{value:.2f}" for value in np.asarray(at) + 0.0)


def _file(looked: Looked, piece: Inspection) -> Markup:
    """How the file was read."""
    lines = [*size_lines(looked, piece), PLACES]
    return Markup(tag("h2", None, "The file") + "".join(tag("p", None, line) for line in lines))

"""What Warhammer 40,000's terrain rules make of one piece: its gaps, floors, sections and likely category."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from deadground.geometry.units import SNAP, STOREY, TOUCH, at_or_below
from deadground.meshes.findings import Finding, place
from deadground.meshes.inspection import Inspection
from deadground.meshes.piece import Opening
from deadground.meshes.standing_room import Floor
from deadground.meshes.tops import Part
from deadground.scenes.options import Warhammer40kOptions
from deadground.scenes.rulings.wh40k_moving import STEP
from deadground.scenes.rulings.wh40k_terrain import closed_height

__all__ = ["PIECE_CODES", "Category", "PieceReading", "State", "Storey", "read_piece", "state_of"]

State = Literal["closed", "open", "straddles"]
Category = Literal["exposed", "light", "dense"]
Storey = Literal["exactly", "over", "under"]

PIECE_CODES: Final = ("category", "straddling-openings", "near-limit", "first-floor", "sections")
"""The codes of the findings that hang on the rules."""

_NEAR = 2 * SNAP  # inches: a model maker would have meant the limit itself
_LOW = 0.5  # inches: what is lower hides nobody's feet
_MAN_HIGH = 1.5  # inches: the height of a man-sized model with its base
_WIDE = 0.25  # square inches, seen from above, that dense terrain has over the limit of sections


@dataclass(frozen=True, slots=True, eq=False)
class PieceReading:
    """What the rules make of a piece.

    limit : up to which Solid closes gaps, inches; states : opening id -> what Solid does to it
    first_floor : the lowest floor that is a storey, and how it stands to the limit; None if there is none
    sections : its parts seen from above, over `STEP` or not; category, reason : advice, in words
    """

    limit: float
    states: Mapping[int, State]
    first_floor: tuple[Floor, Storey] | None
    sections: tuple[Part, ...]
    category: Category
    reason: str
    findings: tuple[Finding, ...]


def state_of(opening: Opening, limit: float) -> State:
    """What Solid does to a gap: closed, open, or straddling the limit, where the three readings of the rule differ."""
    if closed_height(opening, limit, "sill") is None:
        return "open"
    return "closed" if at_or_below(opening.head, limit) else "straddles"


def read_piece(piece: Inspection, limit: float = Warhammer40kOptions().solid_height) -> PieceReading:
    """What the rules of 11th edition make of a piece that stands on the ground, if it is dense. limit : inches."""
    states = {opening.id: state_of(opening, limit) for opening in piece.openings}
    first, sections = _first_floor(piece, limit), piece.tops.parts(STEP)
    category, reason = _category(piece, sections)
    findings = (
        Finding(
            "category", "note", f"Most like {category} terrain: {reason} The players decide.",
            remedy="Agree on the category before the game, and write it into the scene.",
        ),
        _straddling(piece, states, limit), _near(piece, states, limit), _storey_finding(first, limit),
        _sections(sections),
    )  # fmt: skip
    return PieceReading(limit, MappingProxyType(states), first, sections, category, reason, findings)


def _first_floor(piece: Inspection, limit: float) -> tuple[Floor, Storey] | None:
    storeys = [floor for floor in piece.floors if floor.level and floor.height >= STOREY]
    if not storeys:
        return None
    first = min(storeys, key=lambda floor: (floor.height, -floor.area))
    if abs(first.height - limit) < TOUCH:
        return first, "exactly"
    return first, "over" if first.height > limit else "under"


def _storey_finding(first: tuple[Floor, Storey] | None, limit: float) -> Finding:
    if first is None:
        return Finding("first-floor", "ok", "There is no upper floor.")
    floor, how = first
    said = {"exactly": f"exactly at {limit:g} inches", "over": f"over {limit:g} inches", "under": f"under {limit:g}"}[
        how
    ]
    said = f"The first floor stands at {floor.height:.3f} inches, {said}"
    if how == "under" and limit - floor.height <= _NEAR:
        return Finding(
            "first-floor", "warning", f"{said} by so little that it may have been meant to reach it: no plunging fire"
            " from there.", floor.at, f"Raise the floor to {limit:g} inches, or scale the piece up a little.",
        )  # fmt: skip
    plunging = "models on it have plunging fire" if how != "under" else "no plunging fire from there"
    return Finding("first-floor", "ok", f"{said}: {plunging}.", floor.at)


def _straddling(piece: Inspection, states: Mapping[int, State], limit: float) -> Finding:
    """Gaps for which the three readings of the rule differ."""
    found = [opening for opening in piece.openings if states[opening.id] == "straddles"]
    if not found:
        return Finding("straddling-openings", "ok", f"No gap reaches over {limit:g} inches from at or below it.")
    named = ", ".join(str(opening.id) for opening in found[:8]) + (" and others" if len(found) > 8 else "")
    return Finding(
        "straddling-openings", "warning", f"Opening {named} reaches from at or below {limit:g} inches to over it: the"
        " rule can be read in three ways (closed up to the limit, closed whole, open whole).",
        place(found[0].centre), "Agree on a reading before the game, or move its sill or head in the model.",
    )  # fmt: skip


def _near(piece: Inspection, states: Mapping[int, State], limit: float) -> Finding:
    """Gaps whose state hangs on a few hundredths of an inch."""
    reach = _NEAR + 3 * piece.noise
    edges = [(opening, min(abs(opening.sill - limit), abs(opening.head - limit))) for opening in piece.openings]
    close = [opening for opening, away in edges if TOUCH <= away <= reach and states[opening.id] != "straddles"]
    if not close:
        return Finding("near-limit", "ok", f"No gap ends within {reach:.2g} inches of the limit.")
    one = close[0]
    edge = one.sill if abs(one.sill - limit) < abs(one.head - limit) else one.head
    more = f" The same goes for {', '.join(str(other.id) for other in close[1:8])}." if len(close) > 1 else ""
    return Finding(
        "near-limit", "note", f"Opening {one.id} is {states[one.id]} by {abs(edge - limit):.3f} inches only: a thicker"
        f" base under the piece would change that.{more}", place(one.centre),
        "Put no base under it, and print it at its true size.",
    )  # fmt: skip


def _sections(sections: tuple[Part, ...]) -> Finding:
    over, low = ([part for part in sections if part.over is side] for side in (True, False))
    near = [part for part in over if part.top <= STEP + _NEAR]
    if near:
        return Finding(
            "sections", "warning", f"A section is {near[0].top:.3f} inches high, over {STEP:g} by so little that it"
            " may not have been meant: vehicles must climb it.", near[0].at,
            f"Lower the wall to {STEP:g} inches if it is meant to be crossed.",
        )  # fmt: skip
    if not over:
        return Finding("sections", "ok", f"No section is over {STEP:g} inches: any model may cross it.")
    some = f"; {sum(part.area for part in low):.1f} square inches are lower, where it may cross" if low else ""
    return Finding(
        "sections", "ok", f"Sections over {STEP:g} inches cover {sum(part.area for part in over):.1f} square inches:"
        f" if dense, a vehicle must climb or go round them{some}.", over[0].at,
    )  # fmt: skip


def _category(piece: Inspection, sections: tuple[Part, ...]) -> tuple[Category, str]:
    """The category that a piece is most like, and why. Rule 13.04 to 13.06 leave it to the players."""
    top, walls = piece.wall_top, any(gap.kind == "wall" for gap in piece.openings)
    more = ", and has windows or doors" if walls else ", and has floors" if piece.floors else ""
    if sum(part.area for part in sections if part.over) >= _WIDE:
        return "dense", f"it reaches {top:.1f} inches, over the {STEP:g} that vehicles cross{more}."
    if top < _LOW:
        return "exposed", f"it is only {top:.2f} inches high and hides nobody."
    if walls and top >= _MAN_HIGH:
        return (
            "dense",
            f"it is a wall or building with windows or doors, if only {top:.1f} inches high: vehicles cross it.",
        )
    return "light", f"at {top:.1f} inches it hides some of a model, and any model may cross it."

"""`deadground move`: the shortest legal way to a place, leg by leg, or why there is none."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter

from deadground.scenes.document import read_scene
from deadground.scenes.movement import Leg, Point
from deadground.scenes.rulings import find, wh40k_moving
from deadground.scenes.rulings.wh40k_moving import Move, nearest_end
from deadground.viewer.chart_file import draw, view_for
from deadground.viewer.course import course, straight_course, told, why_not
from deadground.viewer.judging import source
from deadground.viewer.look import PLAIN_LOOK, Look
from deadground.viewer.moving import PLACES, SYSTEM, check_rules, in_inches, model_named, place_of
from deadground.viewer.plain_move import check_no_flight, plain_move, plain_words
from deadground.viewer.report_json import dumps

__all__ = ["move", "move_values", "move_words"]

Flag = Annotated[bool, Parameter(negative="")]

NOTES: Final = {
    "start-illegal": "it may not stand where it starts",
    "assumed:category": "features without a category are taken for dense",
}


def move(  # noqa: PLR0913  (each is an option of the command)
    scene: Annotated[Path, Parameter(help="A scene file (TOML).")],
    model: Annotated[str, Parameter(help="The model that moves (A/1).")],
    place: Annotated[str, Parameter(help="Where to: X,Y on the ground or X,Y,Z, in the file's unit.")],
    /,
    *,
    limit: Annotated[float | None, Parameter(help="How far it may move, in the file's unit.")] = None,
    fly: Annotated[Flag, Parameter(help='It flies: 2" less, and nothing on the way counts.')] = False,
    charge: Annotated[Flag, Parameter(help="It charges: in StarCraft TMG it may then end beside an enemy.")] = False,
    ruleset: Annotated[str | None, Parameter(help="By this system instead of the scene's.")] = None,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="Draw it too, in a file such as move.svg or move.png.")
    ] = None,
    json: Annotated[Flag, Parameter(help="Print JSON. Lengths are inches.")] = False,
    strict: Annotated[Flag, Parameter(help="Exit with 1 if the move is illegal or too far.")] = False,
    allow_outside: Annotated[Flag, Parameter(help="Let the scene name files outside its own folder.")] = False,
    look: Look = PLAIN_LOOK,
) -> int:
    """The shortest legal way of a model to a place: across plus up plus down, never the diagonal.

    In StarCraft TMG and The 9th Age the move is straight and measured from above: said are its end, engagement and
    tokens, the dangerous terrain tests it brings, and what is on its way. Their chapters on terrain say nothing of what
    stops a move, so no way round is sought.

    Exact for round bases on level ground. An oval base goes as the widest round one within it, for it may turn as it
    likes; what that and slopes may be off is said.
    """
    table = read_scene(scene, allow_outside)
    mover = model_named(table, model)
    most = None if limit is None else in_inches(table, limit, "--limit")
    system = find(ruleset or table.ruleset).name
    if system != SYSTEM:
        check_no_flight(source(table), fly)
        view = view_for(output, look)
        plain = plain_move(table, system, mover, place_of(table, mover, place), most, charge)
        sys.stdout.write(dumps(plain) + "\n" if json else "\n".join(plain_words(plain)) + "\n")
        if output is not None:
            draw(table, straight_course(mover, plain, view), output, look, system)
        return 1 if strict and plain["reasons"] else 0
    check_rules(table, ruleset, mover, fly)
    view = view_for(output, look)
    found = wh40k_moving.move(table, mover, place_of(table, mover, place), limit=most, fly=fly)
    other = nearest_end(table, mover, found)
    values = move_values(found, other)
    sys.stdout.write(dumps(values) + "\n" if json else "\n".join(move_words(found, other)) + "\n")
    if output is not None:
        draw(table, course(mover, found, other, view), output, look)
    return 1 if strict and found.reasons else 0


def move_values(found: Move, other: Point | None) -> dict[str, Any]:
    """A move as plain values. Lengths in inches; what was not asked or is not known is absent."""
    values: dict[str, Any] = {"schema": 1, "model": found.model, "legal": found.legal}
    way = found.way
    if way is not None:
        sums = {"distance": way.distance, "across": way.across, "up": way.up, "down": way.down}
        values |= {name: _rounded(length) for name, length in sums.items()}
    if found.limit is not None:
        values["limit"] = _rounded(found.limit)
        values["within_limit"] = bool(found.within_limit)
    values["path"] = [_point(point) for point in way.path] if way else []
    values["reasons"] = list(found.reasons)
    if way is not None:
        values["legs"] = [_leg(leg) for leg in way.legs]
        values["exact"] = way.exact
        values |= {"bound": _rounded(way.bound)} if way.bound < float("inf") else {}
    values |= {"nearest": _point(other)} if other else {}
    return values | {"rule": found.rule, "notes": list(found.notes)}


def _leg(leg: Leg) -> dict[str, Any]:
    ends = {"from": _point(leg.path[0]), "to": _point(leg.path[-1])}
    return {"kind": leg.kind, "inches": _rounded(leg.inches), **ends, "through": list(leg.through)}


def _rounded(value: float) -> float:
    return round(float(value), PLACES) + 0.0


def _point(point: Point) -> list[float]:
    return [_rounded(value) for value in point]


def move_words(found: Move, other: Point | None) -> Iterator[str]:
    """A move in words, line by line."""
    x, y, height = (f"{value:.2f}" for value in found.end)
    level = "on the ground" if found.end[2] == 0 else f"at height {height}″"
    legal = "legal, but too far" if "too-far" in found.reasons else "legal"
    yield f"{found.model} to {x}, {y} {level}: {legal if found.legal else 'not legal'}"
    if found.way is not None:
        yield from (f"  {_leg_words(leg)}" for leg in told(found.way.legs))
        yield f"  {_sum_words(found)}"
    yield from (f"  {why_not(reason)} ({reason})" for reason in found.reasons)
    if other is not None:
        yield f"  nearest place where it may end: {other[0]:.2f}, {other[1]:.2f}, height {other[2]:.2f}"
    yield from (f"  note: {NOTES.get(note, note)}" for note in found.notes)


def _leg_words(leg: Leg) -> str:
    through = f" through {', '.join(leg.through)}" if leg.through else ""
    return f"{leg.kind} {leg.inches:.2f}″{through}"


def _sum_words(found: Move) -> str:
    way = found.way
    assert way is not None  # noqa: S101  # asked by the caller
    said = f"together {way.distance:.2f}″"
    if found.limit is not None:
        said += f" of {found.limit:.2f}″"
    if way.exact:
        return said
    if way.bound == float("inf"):
        return f"{said}, if it fits through turned"
    return f"{said}, within {math.ceil(100 * way.bound) / 100:.2f}″"  # rounded up, for 0.00 would be a lie

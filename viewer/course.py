"""A move as a figure: its way leg by leg with lengths, climbs marked, and where it ends or why it may not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from deadground.geometry.plates import Array
from deadground.geometry.units import SIDE, TOUCH, at_or_below
from deadground.scenes.model import Model
from deadground.scenes.movement import Leg, Point, Way
from deadground.scenes.rulings.wh40k_moving import Move
from deadground.scenes.standing import base_at
from deadground.viewer.chart import SHOWN, Chart, Ghost
from deadground.viewer.palette import DEFAULT, Palette
from deadground.viewer.phrases import placed_wrong
from deadground.viewer.things import Label, Look, Mark, Path, Thing

__all__ = ["WHY", "course", "leg_length", "told", "why_not"]

WHY: Final = {"blocked": "there is no way there", "too-far": "it is further than it may move"}
"""Reasons against a move that are none against standing there, in words."""

LIFT: Final = 0.03
"""Inches by which a way is drawn over the ground, so that it is seen."""
SHORT: Final = 0.3
"""Inches. Shorter legs go without their length where there are many (steps of stairs, slopes)."""
MANY: Final = 9
TINY: Final = 0.1
"""Inches. Climbs lower than this get no sign of their own."""
BEYOND: Final = (8.0, 5.0)
"""Dashes of a way that may not be gone."""


def leg_length(inches: float) -> str:
    """A length with one decimal, or two where it needs them: 4.0 and the inch sign."""
    places = 1 if abs(round(inches, 1) - inches) < 0.005 else 2
    return f"{inches:.{places}f}\N{DOUBLE PRIME}"


def told(legs: Sequence[Leg]) -> tuple[Leg, ...]:
    """The legs that are long enough to speak of: a climb beside what a base touches leaves hairs of ways across."""
    return tuple(leg for leg in legs if leg.inches > TOUCH)


def why_not(reason: str) -> str:
    """A reason against a move, in words."""
    return WHY.get(reason) or placed_wrong(reason)


def course(model: Model, found: Move, other: Point | None, view: str, palette: Palette = DEFAULT) -> Chart:
    """The figure of a move. other : the nearest place where it may end, if it may not end where it was asked to."""
    ghosts = [Ghost(replace(base_at(model, *found.end), facing=found.facing), _end_words(found), not found.reasons)]
    if other is not None:
        ghosts.append(Ghost(base_at(model, *other), _other_words(found)))
    things = tuple(_things(model, found, palette))
    return Chart(
        "move", _title(found), view=view, show=SHOWN, about=(model.name,), things=things, ghosts=tuple(ghosts),
        said=tuple(_said(found)),
    )  # fmt: skip


def straight_course(model: Model, values: Mapping[str, Any], view: str = "") -> Chart:
    """The figure of a straight move, measured from above. values : as `plain_move` gives them."""
    path = tuple((x, y, z) for x, y, z in values["path"])
    found = Move(
        model.name, path[-1], values["legal"], Way((Leg("across", values["across"], path),)),
        tuple(values["reasons"]), values.get("limit"), model.facing, values.get("rule", ""),
    )  # fmt: skip
    chart = course(model, found, None, view)
    return replace(chart, said=(*chart.said, *map(_tests, values.get("dangerous", ()))))


def _tests(entry: Mapping[str, Any]) -> str:
    """What dangerous terrain a move leads to."""
    whose = f"{entry['unit']}, {entry['pool']}"
    return f"{entry['feature']}: {entry['tests']} dangerous terrain tests ({entry['on']}) for {whose}."


def _title(found: Move) -> str:
    if not found.legal:
        return f"{found.model} has no way there" if found.way is None else f"{found.model} may not end its move there"
    length = leg_length(found.way.distance) if found.way else ""
    if found.within_limit is False and found.limit is not None:
        return f"{found.model} may move {leg_length(found.limit)}, and the way is {length}"
    return f"{found.model} moves {length}"


def _end_words(found: Move) -> str:
    if found.reasons:
        more = f" (and {len(found.reasons) - 1} more)" if len(found.reasons) > 1 else ""  # all are told underneath
        return f"not here: {why_not(found.reasons[0])}{more}"
    height = f", {leg_length(found.end[2])} up" if found.end[2] > TINY else ""
    return f"{found.model} ends here{height}"


def _other_words(found: Move) -> str:
    if found.legal and found.limit is not None:
        return f"last place within {leg_length(found.limit)}"
    return "nearest legal end"


def _said(found: Move) -> Iterator[str]:
    """The account of the move, and every reason against it."""
    if found.way is not None:
        legs = ", ".join(f"{leg.kind} {leg_length(leg.inches)}{_through(leg)}" for leg in told(found.way.legs))
        limit = "" if found.limit is None else f" of {leg_length(found.limit)}"
        yield f"{found.model}: {legs}; together {leg_length(found.way.distance)}{limit}."
    for reason in found.reasons:
        yield f"Not allowed: {why_not(reason)} ({reason})."


def _through(leg: Leg) -> str:
    return f" through {', '.join(leg.through)}" if leg.through else ""


def _things(model: Model, found: Move, palette: Palette) -> Iterator[Thing]:
    ends, words = (found.model,), " ".join(_said(found))
    look = Look(palette.way, width=3.4, casing=palette.ink, ghost=0.45, core=palette.paper)
    start, end = _lifted([(model.x, model.y, model.foot), found.end])
    if found.way is None:
        faint = Look(palette.quiet, width=1.6, dash=(2.0, 4.0), ghost=0.5)
        yield Thing("way", f"{model.name} asked", Path(np.array([start, end])), faint, words, "no way there", ends)
    else:
        yield from _legs(found, look, words, palette)
    yield Thing("way", f"{model.name} start", Mark(start, "dot"), look, words, ends=ends)
    if found.reasons:
        yield Thing("way", f"{model.name} end", Mark(end, "cross"), replace(look, colour=palette.wrong), words,
                    "may not end here", ends)  # fmt: skip
    else:
        yield Thing("way", f"{model.name} end", Mark(end, "dot"), look, words, ends=ends)


def _legs(found: Move, look: Look, words: str, palette: Palette) -> Iterator[Thing]:
    """Each leg as a line, with its length and the sign of its climb; dashed from where it may not be gone."""
    legs = found.way.legs if found.way else ()
    spoken = told(legs)
    allowed = 0.0 if not found.legal else found.limit if found.limit is not None else np.inf
    gone = 0.0
    for number, leg in enumerate(legs, 1):
        name, points = f"{found.model} leg {number} {leg.kind}", _lifted(leg.path)
        for part, good in _cut(points, leg.inches, allowed - gone):
            dashed = look if good else replace(look, dash=BEYOND)
            called = "its way" if good else "its way, further than it may go" if found.legal else "its way, not allowed"
            yield Thing("way", name, Path(part), dashed, words, called, (found.model,))
        middle = _at(points, 0.5)
        if leg.kind != "across" and leg.inches >= TINY:
            yield Thing("way", name, Mark(middle, leg.kind), look, words, f"climbs {leg.kind}", (found.model,))
        if leg in spoken and (len(spoken) <= MANY or leg.inches >= SHORT):
            text = f"{leg.kind} {leg_length(leg.inches)}{_through(leg)}"
            yield Thing("measure", name, Label(middle, text, rank=0), Look(palette.way, casing=palette.paper))
        gone += leg.inches


def _lifted(points: Sequence[Point]) -> Array:
    """(n, 3) points a hair over the surface they lie on."""
    return np.array(points, dtype=np.float64).reshape(-1, 3) + [0.0, 0.0, LIFT]


def _run(points: Array) -> Array:
    """(n,) how far along its leg each point lies, as a share of the whole."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    run: Array = along / max(float(along[-1]), SIDE)
    return run


def _at(points: Array, share: float) -> Array:
    return np.array([np.interp(share, _run(points), column) for column in points.T])


def _cut(points: Array, inches: float, left: float) -> Iterator[tuple[Array, bool]]:
    """A leg as far as it may be gone, and the rest."""
    if at_or_below(inches, left) or left <= SIDE:
        yield points, left > SIDE
        return
    share, run = left / inches, _run(points)
    middle = _at(points, share)
    yield np.vstack([points[run < share], middle]), True
    yield np.vstack([middle, points[run > share]]), False

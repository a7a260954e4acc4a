"""`deadground move` for systems whose distances are seen from above: a straight move, and what it brings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from deadground.geometry.errors import InputError
from deadground.geometry.units import at_or_below
from deadground.scenes.model import Model
from deadground.scenes.movement import Point
from deadground.scenes.rulings.ninth_age_dangerous import dangerous_after
from deadground.scenes.rulings.starcraft_engagement import end_problems, engaged_with
from deadground.scenes.scene import Scene
from deadground.scenes.straight import StraightMove, straight_move
from deadground.viewer.moving import PLACES
from deadground.viewer.phrases import placed_wrong

__all__ = ["check_no_flight", "plain_move", "plain_words"]

TOO_FAR: Final = "too-far"
ENGAGED: Final = "its unit is engaged with {}: it may only disengage or hold"
UNASKED: Final = "whether it may pass is yours to judge, and no way round is sought"
DUE: Final = (
    "tests are due after a march, charge, failed charge, flee or pursue move, for the models now there, one feature"
    " after the other"
)


def plain_move(
    scene: Scene, system: str, model: Model, end: Point, limit: float | None, charge: bool
) -> dict[str, Any]:
    """A straight move as plain values (inches): legal, across, reasons, what it passes over, and what a system adds.

    Added is in StarCraft TMG with whom the unit is engaged, in The 9th Age the dangerous tests.
    """
    found = straight_move(scene, model, end)
    asked = _SYSTEMS.get(system)  # others say nothing more of moves
    reasons, more = asked(scene, found, charge) if asked else (found.faults, {})
    values: dict[str, Any] = {
        "schema": 1,
        "model": model.name,
        "ruleset": system,
        "legal": not reasons,
        "distance": round(found.across, PLACES),
        "across": round(found.across, PLACES),
        "up": 0.0,
        "down": 0.0,
    }
    if limit is not None:
        within = at_or_below(found.across, limit)
        reasons = reasons if within else (*reasons, TOO_FAR)
        values |= {"limit": round(limit, PLACES), "within_limit": within}
    path = [[round(float(value), PLACES) for value in point] for point in found.path]
    passed = {"terrain": list(found.terrain), "models": list(found.models)}
    return values | {"path": path, "reasons": list(reasons), "passes": passed} | more


def _starcraft(scene: Scene, found: StraightMove, charge: bool) -> tuple[tuple[str, ...], dict[str, Any]]:
    more = {"rule": "7.2", "engaged_with": list(engaged_with(scene, found.model.unit))}
    return (*found.faults, *end_problems(scene, found.model, charge)), more


def _ninth_age(scene: Scene, found: StraightMove, charge: bool) -> tuple[tuple[str, ...], dict[str, Any]]:
    faults = tuple(name for name in found.faults if not (charge and name == "overlaps-model"))
    return faults, {"dangerous": dangerous_after(scene, found.model.unit, [found.swept])}


_SYSTEMS: Final[dict[str, Callable[[Scene, StraightMove, bool], tuple[tuple[str, ...], dict[str, Any]]]]] = {
    "sctmg": _starcraft,
    "t9a": _ninth_age,
}


def plain_words(values: dict[str, Any]) -> list[str]:
    """The same in words, line by line."""
    x, y, _ = values["path"][-1]
    lines = [f"{values['model']} straight to {x:.2f}, {y:.2f}: {'legal' if values['legal'] else 'not legal'}"]
    of = f" of {values['limit']:.2f}″" if "limit" in values else ""
    lines.append(f"  across {values['across']:.2f}″{of}, seen from above")
    for reason in values["reasons"]:
        said = "it is further than it may move" if reason == TOO_FAR else placed_wrong(reason)
        lines.append(f"  {said} ({reason})")
    if values.get("engaged_with"):
        lines.append(f"  {ENGAGED.format(', '.join(values['engaged_with']))}")
    if passed := [*values["passes"]["terrain"], *values["passes"]["models"]]:
        lines.append(f"  on its way: {', '.join(passed)}; {UNASKED}")
    for entry in values.get("dangerous", []):
        times = f"{entry['tests']} dangerous terrain tests ({entry['on']})"
        lines.append(f"  {entry['feature']}: {times} for {entry['unit']}, {entry['pool']}; a hit wounds with AP 10")
    if values.get("dangerous"):
        lines.append(f"  {DUE}")
    return lines


def check_no_flight(scene_name: str, fly: bool) -> None:
    """InputError if flight was asked of a system in which `--fly` means nothing."""
    if fly:
        raise InputError(scene_name, "--fly", "expected the 40k rules, the only ones in which a move declares flight")

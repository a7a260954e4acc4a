"""StarCraft TMG: who is engaged with whom, what that leaves to a unit, and where a move may end (7.2, 7.3)."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

import shapely

from deadground.geometry.units import TOUCH, at_or_below
from deadground.scenes.closest import is_closest_free
from deadground.scenes.model import Model
from deadground.scenes.rulings.starcraft_table import NEAR, Level, Piece, Stand, Table, gap, stand_of, table_of
from deadground.scenes.scene import Scene

__all__ = ["end_problems", "engaged_units", "engaged_with", "engagement_facts", "is_engaged", "tokens_under"]

TALL: Final = 2
"""Size of a piece through which nobody is engaged (7.2)."""

Units = frozenset[str]


def is_engaged(table: Table, one: Stand, other: Stand) -> bool:
    """Whether two enemy models are engaged (7.2): near, on the ground both, levels that meet, nothing tall between.

    What is between is judged on the straight line between the closest parts of the bases; where sides lie along each
    other there are many, and one that is free is enough (ours). Mutual.
    """
    if one.flying or other.flying or not at_or_below(gap(one, other), NEAR):
        return False
    return _levels_meet(table, one, other) and not _is_walled_off(table, one, other)


def _levels_meet(table: Table, one: Stand, other: Stand) -> bool:
    levels = {one.level, other.level}
    if len(levels) == 1:
        return True
    if levels == {Level.HIGH, Level.GROUND}:
        return False
    return any(_share_access(table.pieces[name], one, other) for name in {*one.on, *other.on})


def _share_access(piece: Piece, one: Stand, other: Stand) -> bool:
    """Whether two models are next to one access point, that is within 1" of it (ours)."""
    spots = [shapely.Point(spot) for spot in piece.access]
    return any(all(at_or_below(end.outline.distance(spot), NEAR) for end in (one, other)) for spot in spots)


def _is_walled_off(table: Table, one: Stand, other: Stand) -> bool:
    """Whether a piece stands between of which the own Size is 2 or more: here no Sizes are added up (ours)."""
    tall = [p.blocks for p in table.pieces.values() if p.size >= TALL and p.name not in {*one.on, *other.on}]
    return not is_closest_free(one.outline, other.outline, tall)


def _engaged_models(scene: Scene, table: Table) -> list[tuple[Model, Model]]:
    return [
        (one, other)
        for one, other in combinations(scene.models, 2)
        if one.side != other.side and is_engaged(table, table.stands[one.name], table.stands[other.name])
    ]


def engaged_units(scene: Scene, table: Table) -> frozenset[Units]:
    """Pairs of units of which any two models are engaged: then both units are, whole (7.2)."""
    return frozenset(frozenset((one.unit, other.unit)) for one, other in _engaged_models(scene, table))


def engagement_facts(scene: Scene, table: Table) -> list[dict[str, Any]]:
    """For each engaged unit: by which models, what it may do, and whom alone it may shoot (7.2)."""
    found: dict[str, list[tuple[Model, Model]]] = {}
    for one, other in _engaged_models(scene, table):
        found.setdefault(one.unit, []).append((one, other))
        found.setdefault(other.unit, []).append((other, one))
    return [
        {
            "unit": unit,
            "models": [[own.name, enemy.name] for own, enemy in pairs],
            "may": ["disengage", "hold"],
            "may_shoot": sorted({enemy.unit for _, enemy in pairs}),
        }
        for unit, pairs in found.items()
    ]


def engaged_with(scene: Scene, unit: str) -> tuple[str, ...]:
    """Names of the units that a unit is engaged with: it may then only disengage or hold (7.2)."""
    found = (entry for entry in engagement_facts(scene, table_of(scene)) if entry["unit"] == unit)
    return tuple(name for entry in found for name in entry["may_shoot"])


def tokens_under(scene: Scene, stand: Stand) -> list[str]:
    """Names of the tokens that a base overlaps. Markers are nothing, and touching an edge is not overlapping (7.3)."""
    apart = {token.name: stand.outline.distance(shapely.Point(token.x, token.y)) for token in scene.tokens}
    return [token.name for token in scene.tokens if not token.marker and apart[token.name] < token.radius - TOUCH]


def end_problems(scene: Scene, moved: Model, charge: bool = False) -> tuple[str, ...]:
    """Why a model may not end a move, or be placed, where `moved` stands: "engagement-range", "on-token" (7.2, 7.3).

    The model of that name in the scene is taken to be there. A charge may end next to an enemy.
    """
    others = [model for model in scene.models if model.side != moved.side]
    table = table_of(scene)
    size = table.stands[moved.name].size
    stand = stand_of(moved, size, table.stands[moved.name].flying, table.pieces)
    problems = []
    if not charge and any(at_or_below(gap(stand, table.stands[enemy.name]), NEAR) for enemy in others):
        problems.append("engagement-range")
    if tokens_under(scene, stand):
        problems.append("on-token")
    return tuple(problems)

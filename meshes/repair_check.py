"""Whether a piece is still the same to the rules after it was mended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from deadground.geometry.plates import Array
from deadground.geometry.units import ROUGH, UNCHANGED, UNCHANGED_ROUGH, millimetres
from deadground.meshes.compare_facts import Gap, Pairs, Storey, floor_pairs, floors_of, gap_pairs, gaps_of
from deadground.meshes.inspection import Inspection
from deadground.meshes.repair import Repaired
from deadground.meshes.standing_room import Floor

__all__ = ["States", "changed_facts", "tolerance_of"]

_SHARE = 0.15  # of a floor's area that may come or go at its rim
_SMALL = 1.5  # square inches: smaller floors come and go on rough pieces


States = tuple[Mapping[int, str], Mapping[int, str]]
NO_STATES: Final[States] = (MappingProxyType({}), MappingProxyType({}))


def tolerance_of(before: Inspection, error: float | None) -> float:
    """How far sills, heads, widths and floors may move and still be the same, inches. error : of thinning."""
    return (UNCHANGED_ROUGH if before.noise > ROUGH else UNCHANGED) + 2 * (error or 0.0)


def changed_facts(
    before: Inspection, after: Inspection, repair: Repaired, tolerance: float, states: States = NO_STATES
) -> tuple[str, ...]:
    """What the rules see differently after a repair, in words; () if nothing.

    Openings that are sure and floors are compared, by place; both pieces as if they stood level. after : of the mesh as
    it was written and read again. states : opening id -> what a rule makes of it, before and after: where sills and
    heads keep within the tolerance, one beside a rule's limit may still cross it.
    """
    turn, shift = _from_before(after, repair)
    one = gaps_of(before, turn, shift)
    other = gaps_of(after, after.level.turn, after.level.shift)
    back = before.level.turn.T  # floors are told of a piece that stands level already
    was = floors_of(before, turn @ back, shift - turn @ back @ before.level.shift)
    now = floors_of(after, np.eye(3), np.zeros(3))
    return (*_gaps(one, other, gap_pairs(one, other), tolerance, states), *_floors(was, now, before.noise, tolerance))


def _from_before(after: Inspection, repair: Repaired) -> tuple[Array, Array]:
    """The motion from where a piece's openings were found to where they are now, standing level."""
    low, high = repair.mesh.bounds
    centring = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])  # as `load` does
    turn = after.level.turn @ repair.motion.turn
    return turn, after.level.turn @ (repair.motion.shift - centring) + after.level.shift


def _gaps(one: list[Gap], other: list[Gap], pairs: Pairs, tolerance: float, states: States) -> Iterator[str]:
    for a, b in pairs.both:
        if one[a].opening.sure or other[b].opening.sure:
            yield from _moved(one[a], other[b], tolerance)
            was, now = states[0].get(one[a].opening.id), states[1].get(other[b].opening.id)
            if was != now:
                yield f"{_named(one[a])} was {was} by the rules and is {now}"
    for k in pairs.lost:
        if one[k].opening.sure:
            yield f"{_named(one[k])} is gone"
    for k in pairs.new:
        if other[k].opening.sure:
            yield f"there is a new one, {_named(other[k])}"


def _named(gap: Gap) -> str:
    return f"opening {gap.opening.id} (sill {gap.sill:.2f}, head {gap.head:.2f} inches)"


def _moved(one: Gap, other: Gap, tolerance: float) -> Iterator[str]:
    if one.opening.sure != other.opening.sure:
        yield f"{_named(one)} was {_sure(one)} and is {_sure(other)}"
    for key in ("sill", "head", "width"):
        was, now = getattr(one, key), getattr(other, key)
        if abs(was - now) > tolerance:
            yield f"opening {one.opening.id}: {key} {was:.3f} -> {now:.3f} inches ({millimetres(now - was):+.2f} mm)"


def _sure(gap: Gap) -> str:
    return "sure" if gap.opening.sure else "only possible"


def _floors(one: list[Storey], other: list[Storey], noise: float, tolerance: float) -> Iterator[str]:
    pairs = floor_pairs(one, other)
    for a, b in pairs.both:
        yield from _floor_moved(one[a].floor, other[b].floor, noise, tolerance)
    least = _SMALL if noise > ROUGH else 0.0
    lost, new = [one[k].floor for k in pairs.lost], [other[k].floor for k in pairs.new]
    yield from (f"the floor at {floor.height:.2f} inches is gone" for floor in lost if floor.area > least)
    yield from (f"there is a new floor at {floor.height:.2f} inches" for floor in new if floor.area > least)


def _floor_moved(one: Floor, other: Floor, noise: float, tolerance: float) -> Iterator[str]:
    slack = _SMALL if noise > ROUGH else 0.0
    if abs(one.height - other.height) > tolerance:
        yield f"the floor at {one.height:.3f} is at {other.height:.3f} inches"
    elif abs(one.area - other.area) > _SHARE * max(one.area, other.area) + slack:
        yield f"the floor at {one.height:.2f} inches had {one.area:.1f} and has {other.area:.1f} square inches"

"""Openings and floors of one piece set against those of another: which is which, what is gone, what is new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from scipy import optimize
from shapely import affinity
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.inspection import Inspection
from deadground.meshes.piece import Opening
from deadground.meshes.standing_room import Floor

__all__ = ["Gap", "Pairs", "Storey", "floor_pairs", "floors_of", "gap_pairs", "gaps_of"]

_BESIDE = 10 / MM_PER_INCH  # inches that a gap may move sideways and still be the same one
_ABOVE = 1.0  # inches that it may move up or down
_STEP = 0.5  # inches that a floor may move


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """An opening of a piece that stands level, in a frame it may share with another piece. Inches.

    opening : as it was found; centre : (3,); sill, head : heights above that frame's ground
    """

    opening: Opening
    centre: Array
    sill: float
    head: float

    @property
    def width(self) -> float:
        """Extent along the wall, inches."""
        return self.opening.width


@dataclass(frozen=True, slots=True, eq=False)
class Storey:
    """A floor of a piece, and its outline in a frame that it may share with another piece."""

    floor: Floor
    plan: BaseGeometry


@dataclass(frozen=True, slots=True)
class Pairs:
    """Places in two lists.

    both : those that belong together; lost : of the first list alone; new : of the second alone
    """

    both: tuple[tuple[int, int], ...]
    lost: tuple[int, ...]
    new: tuple[int, ...]


def gaps_of(piece: Inspection, turn: Array, shift: Array) -> list[Gap]:
    """A piece's openings moved by p -> turn @ p + shift."""
    return [_gap(opening, turn, shift) for opening in piece.openings]


def _gap(opening: Opening, turn: Array, shift: Array) -> Gap:
    flat, middle = shapely.get_coordinates(opening.outline), (opening.near + opening.far) / 2
    points = opening.origin + flat[:, :1] * opening.along + flat[:, 1:] * opening.up + middle * opening.normal
    heights = (points @ turn.T + shift)[:, 2]
    half = (opening.far - opening.near) / 2 if opening.kind == "floor" else 0.0
    return Gap(opening, turn @ opening.centre + shift, float(heights.min()) - half, float(heights.max()) + half)


def gap_pairs(one: Sequence[Gap], other: Sequence[Gap]) -> Pairs:
    """Gaps of two pieces in one frame that are the same: of one kind, near each other, the nearest in all."""
    cost = np.array([[_apart(a, b) for b in other] for a in one]).reshape(len(one), len(other))
    return _pairs(cost)


def _apart(one: Gap, other: Gap) -> float:
    """How unlike two gaps are, inches; inf if they cannot be the same."""
    off = one.centre - other.centre
    beside = float(np.hypot(off[0], off[1]))
    reach = max(_BESIDE, min(one.width, other.width) / 2)
    if one.opening.kind != other.opening.kind or beside > reach or abs(off[2]) > _ABOVE:
        return np.inf
    return float(np.linalg.norm(off)) + abs(one.width - other.width) / 2


def floors_of(piece: Inspection, turn: Array, shift: Array) -> list[Storey]:
    """A piece's floors, their outlines moved by p -> turn @ p + shift, of which only the plan counts."""
    (a, b), (d, e) = turn[:2, :2]
    plan = [float(value) for value in (a, b, d, e, shift[0], shift[1])]
    return [Storey(floor, affinity.affine_transform(floor.outline, plan)) for floor in piece.floors]


def floor_pairs(one: Sequence[Storey], other: Sequence[Storey]) -> Pairs:
    """Floors of two pieces that are the same: near in height, one over the other."""
    cost = np.array([[_floors_apart(a, b) for b in other] for a in one]).reshape(len(one), len(other))
    return _pairs(cost)


def _floors_apart(one: Storey, other: Storey) -> float:
    away = abs(one.floor.height - other.floor.height)
    if away > _STEP or one.floor.level != other.floor.level:
        return np.inf
    shared = float(shapely.area(shapely.intersection(one.plan, other.plan, grid_size=_GRAIN)))
    return away + 1 - shared / max(one.plan.area, other.plan.area) if shared > 0 else np.inf


_GRAIN = 0.005  # inches: the grid on which outlines are laid over each other


def _pairs(cost: Array) -> Pairs:
    """The pairs of least cost in all; what costs inf is none."""
    barred = np.isinf(cost)
    rows, columns = optimize.linear_sum_assignment(np.where(barred, 1e6, cost))
    both = [(int(a), int(b)) for a, b in zip(rows, columns, strict=True) if not barred[a, b]]
    first, second = {a for a, _ in both}, {b for _, b in both}
    lost = tuple(k for k in range(cost.shape[0]) if k not in first)
    return Pairs(tuple(both), lost, tuple(k for k in range(cost.shape[1]) if k not in second))

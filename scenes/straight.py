"""Facts about a straight move across the table, its distance seen from above. No word of any game."""

from __future__ import annotations

import math
from dataclasses import dataclass

from shapely.geometry.base import BaseGeometry

from deadground.scenes.model import Model
from deadground.scenes.movement import Point
from deadground.scenes.plane import swept_ground
from deadground.scenes.scene import Scene
from deadground.scenes.standing import base_at, is_off_board, overlapped_models

__all__ = ["StraightMove", "straight_move"]


@dataclass(frozen=True, slots=True, eq=False)
class StraightMove:
    """A model moved in a straight line.

    model : where it ends; path : start and end; across : inches, seen from above
    swept : the ground that its base passed over
    faults : `overlaps-model` and `off-board`, where they hold at the end
    """

    model: Model
    path: tuple[Point, Point]
    across: float
    swept: BaseGeometry
    faults: tuple[str, ...]


def straight_move(scene: Scene, model: Model, end: Point) -> StraightMove:
    """The move of a model straight to `end` (x, y and the height of the surface there, inches)."""
    moved = base_at(model, *end)
    path = (model.x, model.y, model.foot), end
    found = {
        "overlaps-model": bool(overlapped_models(moved, scene.models)),
        "off-board": is_off_board(moved, scene.board),
    }
    across = math.hypot(end[0] - model.x, end[1] - model.y)
    return StraightMove(moved, path, across, swept_ground(model, path), tuple(name for name in found if found[name]))

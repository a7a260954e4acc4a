"""Facts about a straight move across the table, its distance seen from above. No word of any game."""

from __future__ import annotations

import math
from dataclasses import dataclass

import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.units import TOUCH
from deadground.scenes.model import Model
from deadground.scenes.movement import Point
from deadground.scenes.plane import convex_base, ground_of, swept_ground
from deadground.scenes.scene import Scene
from deadground.scenes.standing import base_at, is_off_board, near_features, overlapped_models, support_of

__all__ = ["StraightMove", "place_faults", "straight_move"]


@dataclass(frozen=True, slots=True, eq=False)
class StraightMove:
    """A model moved in a straight line.

    model : where it ends; path : start and end; across : inches, seen from above
    swept : the ground that its base passed over
    faults : `no-surface`, `overlaps-model` and `off-board`, where they hold at the end
    terrain, models : names of the features and of the other models over which its base passed
    """

    model: Model
    path: tuple[Point, Point]
    across: float
    swept: BaseGeometry
    faults: tuple[str, ...]
    terrain: tuple[str, ...]
    models: tuple[str, ...]


def place_faults(scene: Scene, model: Model) -> tuple[str, ...]:
    """Why a model may not stand where it is by any rules: `overlaps-model` and `off-board`, where they hold."""
    found = {
        "overlaps-model": bool(overlapped_models(model, scene.models)),
        "off-board": is_off_board(model, scene.board),
    }
    return tuple(name for name in found if found[name])


def straight_move(scene: Scene, model: Model, end: Point) -> StraightMove:
    """The move of a model straight to `end` (x, y and the height of the surface there, inches)."""
    moved = base_at(model, *end)
    path = (model.x, model.y, model.foot), end
    across = math.hypot(end[0] - model.x, end[1] - model.y)
    swept = swept_ground(model, path)
    inner = shapely.buffer(swept, -TOUCH)
    terrain = tuple(piece.name for piece in scene.features if shapely.intersects(inner, ground_of(piece)))
    others = (other for other in scene.models if other.name != model.name)
    models = tuple(other.name for other in others if shapely.intersects(inner, convex_base(other).polygon))
    borne = support_of(moved, near_features(moved, scene.features)) is not None
    faults = (*(() if borne else ("no-surface",)), *place_faults(scene, moved))
    return StraightMove(moved, path, across, swept, faults, terrain, models)

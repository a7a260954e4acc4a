"""StarCraft TMG: dead zones and dead ground as areas on the table (7.1.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.convex import Round
from deadground.geometry.shapes import rim_count
from deadground.scenes.dead_ground import hidden_ground, polygons_of
from deadground.scenes.model import Base, Model
from deadground.scenes.options import StarcraftOptions, options_of
from deadground.scenes.plane import barrier
from deadground.scenes.rulings.starcraft import CLOSE, can_hug, covers
from deadground.scenes.rulings.starcraft_table import (
    HIGH,
    NEAR,
    Level,
    Piece,
    Stand,
    Table,
    is_near,
    stand_of,
    table_of,
)
from deadground.scenes.scene import Scene

__all__ = ["dead_ground", "dead_zones"]

Cell = tuple[BaseGeometry, frozenset[str]]
"""Ground on which the same pieces stop traces, and their names."""

AWAY = -1e6
"""Inches. Where a target stands that is near nothing."""


def dead_zones(scene: Scene) -> Mapping[str, BaseGeometry]:
    """The band 1" wide round the foot of each HIGH GROUND piece, by its name. SceneError for a missing `size`.

    Whoever has any part of its base there, at GROUND LEVEL, is not seen from on top. Within 2 * ARC_ERROR at corners.
    A piece that is HIGH GROUND only with what it stands on has its band round all of that. One on HIGH GROUND has none
    of its own: its foot is where that piece's is.
    """
    pieces = table_of(scene).pieces
    high = [p for p in pieces.values() if p.effective >= HIGH and not _is_high_under(pieces, p)]
    return {piece.name: _band([pieces[name] for name in piece.chain]) for piece in high}


def _is_high_under(pieces: Mapping[str, Piece], piece: Piece) -> bool:
    """Whether what a piece stands on is HIGH GROUND without it."""
    return any(pieces[name].effective >= HIGH for name in piece.chain[1:])


def _band(stack: Sequence[Piece]) -> BaseGeometry:
    wide = shapely.union_all([_widened(piece, NEAR) for piece in stack])
    return polygons_of(wide.difference(shapely.union_all([piece.base for piece in stack])))


def dead_ground(scene: Scene, observer: str, size: int, diameter: float, flying: bool = False) -> BaseGeometry:
    """Where the middle of a round base may stand at GROUND LEVEL without being seen by a model. Inches.

    observer : a model, "A/1"; size, diameter, flying : of the target. KeyError if there is no such model, SceneError
    for a missing `size`. The ground under pieces that rise is left out: nobody stands there at GROUND LEVEL.

    Agrees with the verdicts but for a strip along its edges narrower than two TOUCH, where polygons stand for arcs.
    """
    options, table = options_of(scene, "sctmg"), table_of(scene)
    stand, target = table.stands[observer], _target(size, diameter, flying, table)
    solid = shapely.union_all([piece.base for piece in table.pieces.values() if piece.rises])
    ground = shapely.difference(shapely.box(0, 0, *scene.board), solid)
    lifted = _close_quarters(table, stand, target)
    close, beyond = shapely.intersection(ground, lifted), shapely.difference(ground, lifted)
    zone = _dead_zone(table, stand, target)
    dead, rest = shapely.intersection(beyond, zone), shapely.difference(beyond, zone)
    cells = [(close, _stopping(table, stand, target, options, close=True))]
    cells += _cells(table, stand, target, (rest, _stopping(table, stand, target, options, close=False)))
    return polygons_of(shapely.union_all([dead, *(_hidden(table, stand, target, cell) for cell in cells)]))


def _target(size: int, diameter: float, flying: bool, table: Table) -> Stand:
    base = Base("round", diameter, diameter)
    return stand_of(Model("target", 1, "", base, AWAY, AWAY, 0.0, diameter), size, flying, table.pieces)


def _reach(target: Stand) -> float:
    return target.model.base.length / 2


def _widened(piece: Piece, by: float) -> BaseGeometry:
    return shapely.buffer(piece.base, by, quad_segs=rim_count(by) // 4)


def _close_quarters(table: Table, stand: Stand, target: Stand) -> BaseGeometry:
    """Where a target is within 3" of the observer and within 1" of a piece that the observer is within 1" of."""
    by = NEAR + _reach(target)
    near = [_widened(piece, by) for piece in table.pieces.values() if piece.rises and is_near(stand, piece)]
    by = CLOSE + _reach(target)
    about = shapely.buffer(stand.outline.polygon, by, quad_segs=rim_count(by) // 4)
    return shapely.intersection(shapely.union_all(near), about)


def _dead_zone(table: Table, stand: Stand, target: Stand) -> BaseGeometry:
    if stand.level != Level.HIGH or target.flying:
        return shapely.Polygon()
    return shapely.union_all([_widened(table.pieces[name], NEAR + _reach(target)) for name in stand.on])


def _stopping(table: Table, stand: Stand, target: Stand, options: StarcraftOptions, *, close: bool) -> frozenset[str]:
    """Names of the pieces that stop traces to a target which itself is near none."""
    pieces = table.pieces.values()
    return frozenset(piece.name for piece in pieces if covers(piece, stand, target, close=close, options=options))


def _cells(table: Table, stand: Stand, target: Stand, cell: Cell) -> list[Cell]:
    """The ground cut round the pieces that only a target near them has for cover."""
    cells = [cell]
    for piece in table.pieces.values():
        if piece.name not in cell[1] | set(stand.on) and can_hug(target, piece):
            zone = _widened(piece, NEAR + _reach(target))
            cells = [part for whole in cells for part in _cut(whole, zone, piece.name)]
    return cells


def _cut(cell: Cell, zone: BaseGeometry, name: str) -> list[Cell]:
    ground, names = cell
    parts = [(shapely.difference(ground, zone), names), (shapely.intersection(ground, zone), names | {name})]
    return [(polygons_of(part), stopping) for part, stopping in parts if shapely.area(part) > 0]


def _hidden(table: Table, stand: Stand, target: Stand, cell: Cell) -> BaseGeometry:
    """The part of a cell from which no trace reaches the observer."""
    ground, names = cell
    if shapely.is_empty(ground) or not names:
        return shapely.Polygon()
    room = shapely.buffer(shapely.convex_hull(shapely.union(ground, stand.outline.polygon)), _reach(target))
    between = [table.pieces[name].blocks for name in names if shapely.intersects(table.pieces[name].blocks, room)]
    return hidden_ground(stand.outline, Round(0.0, 0.0, _reach(target)), barrier(between), ground)

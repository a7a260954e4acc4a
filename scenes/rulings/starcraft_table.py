"""StarCraft TMG: pieces and models as its rules see them, from above and with their Sizes (chapter 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

import numpy as np
import shapely
from shapely import affinity
from shapely.geometry.base import BaseGeometry

from deadground.geometry.convex import Convex, gap_between
from deadground.geometry.plates import Array
from deadground.geometry.units import at_or_below
from deadground.meshes.piece import Opening
from deadground.scenes.model import Model
from deadground.scenes.plane import convex_base, ground_of
from deadground.scenes.rulings.pairing import missing_fact
from deadground.scenes.scene import Scene
from deadground.scenes.terrain import Feature

__all__ = ["BLOCKING", "HIGH", "NEAR", "Level", "Piece", "Stand", "Table", "gap", "is_near", "table_of"]

NEAR: Final = 1.0
"""Inches. Within this of a piece, an access point or an enemy (7.1.1, 7.2)."""

HIGH: Final = 3
"""Size of terrain from which on it is HIGH GROUND (7.1.1)."""

BLOCKING: Final = 1
"""Effective Size from which on terrain blocks a trace (7.1)."""

CUT: Final = 0.5
"""Inches above a piece's foot at which its plan is taken where the players agreed that openings do not block (ours)."""


class Level(StrEnum):
    """Where a model stands (7.1.1, 7.2)."""

    HIGH = "HIGH GROUND"
    MID = "MID GROUND"
    GROUND = "GROUND LEVEL"


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A piece of terrain.

    blocks : the ground over which it blocks traces; base : its footprint (7.1), to which distances are measured
    size : its own; effective : with the Sizes of what it stands on; chain : its name and the names of those pieces
    access : (n, 2) its access points on the table
    """

    name: str
    blocks: BaseGeometry
    base: BaseGeometry
    size: int
    effective: int
    chain: tuple[str, ...]
    access: Array

    @property
    def rises(self) -> bool:
        """Whether it can block a trace: a piece of Size 0 does not rise, whatever it stands on (ours)."""
        return self.size >= BLOCKING


@dataclass(frozen=True, slots=True, eq=False)
class Stand:
    """A model where it stands.

    effective : its Size with that of the terrain under it; on : names of the pieces under it, nearest first
    """

    model: Model
    outline: Convex
    size: int
    effective: int
    flying: bool
    level: Level
    on: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """All pieces and models, by name."""

    pieces: Mapping[str, Piece]
    stands: Mapping[str, Stand]


def table_of(scene: Scene) -> Table:
    """The scene as StarCraft TMG sees it. SceneError for a feature or unit without a `size`."""
    pieces: dict[str, Piece] = {}
    for number, feature in enumerate(scene.features):
        if feature.sctmg.size is None:
            raise missing_fact(
                scene, f"feature[{number}].sctmg.size", f'StarCraft TMG needs the Size of "{feature.name}"'
            )
    for feature in scene.features:
        pieces[feature.name] = _piece(scene, feature)
    stands = {stand.model.name: stand for stand in _stands(scene, pieces)}
    return Table(MappingProxyType(pieces), MappingProxyType(stands))


def _stands(scene: Scene, pieces: Mapping[str, Piece]) -> list[Stand]:
    stands = []
    for number, unit in enumerate(scene.units):
        if unit.sctmg.size is None:
            raise missing_fact(scene, f"unit[{number}].sctmg.size", f'StarCraft TMG needs the Size of "{unit.name}"')
        stands += [stand_of(model, unit.sctmg.size, unit.sctmg.flying, pieces) for model in unit.models]
    return stands


def stand_of(model: Model, size: int, flying: bool, pieces: Mapping[str, Piece]) -> Stand:
    """A model of a Size where it stands (7.1.2)."""
    under = None if model.support is None else pieces[model.support]
    ground = 0 if under is None else under.effective
    on = () if under is None else under.chain
    return Stand(model, convex_base(model), size, size + ground, flying, _level(ground), on)


def _level(ground: int) -> Level:
    if ground >= HIGH:
        return Level.HIGH
    return Level.MID if ground >= 1 else Level.GROUND


def _piece(scene: Scene, feature: Feature) -> Piece:
    chain = _chain(scene, feature)
    base = ground_of(feature)
    blocks = _agreed_plan(feature) if feature.sctmg.openings_agreed else base
    access = np.array(feature.sctmg.access_points, dtype=float).reshape(-1, 2) @ feature.rotation[:2, :2].T
    sizes = [scene.feature(name).sctmg.size or 0 for name in chain]
    return Piece(feature.name, blocks, base, sizes[0], sum(sizes), chain, access + feature.shift[:2])


def _chain(scene: Scene, feature: Feature) -> tuple[str, ...]:
    """Names of a feature and of those it stands on, down to the ground."""
    names = [feature.name]
    while feature.support is not None:
        feature = scene.feature(feature.support)
        names.append(feature.name)
    return tuple(names)


def _placed(plan: BaseGeometry, feature: Feature) -> BaseGeometry:
    turned = affinity.rotate(plan, feature.turn, origin=(0, 0))
    return affinity.translate(turned, feature.x, feature.y)


def _agreed_plan(feature: Feature) -> BaseGeometry:
    """What blocks where openings were agreed not to: the walls' plan half an inch up, without windows and doors."""
    section = feature.piece.mesh.section(plane_normal=[0.0, 0.0, 1.0], plane_origin=[0.0, 0.0, CUT])
    if section is None:
        return shapely.Polygon()
    flat, placed = section.to_2D(to_2D=np.eye(4))
    walls = affinity.translate(shapely.union_all(flat.polygons_full), placed[0, 3], placed[1, 3])
    gaps = [_gap_plan(opening) for opening in feature.piece.openings if opening.kind == "wall"]
    return _placed(shapely.difference(walls, shapely.union_all(gaps)), feature)


def _gap_plan(opening: Opening) -> BaseGeometry:
    low, _, high, _ = opening.outline.bounds
    corners = [(low, opening.near), (high, opening.near), (high, opening.far), (low, opening.far)]
    return shapely.Polygon([(opening.origin + u * opening.along + w * opening.normal)[:2] for u, w in corners])


def gap(one: Stand, other: Stand) -> float:
    """Distance between two bases, across only (7.1.2)."""
    return gap_between(one.outline, other.outline)


def is_near(stand: Stand, piece: Piece) -> bool:
    """Whether a model is within 1" of a piece's base, measured from the model's base (ours)."""
    return at_or_below(stand.outline.distance(piece.base), NEAR)

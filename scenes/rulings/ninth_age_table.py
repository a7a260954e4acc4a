"""The 9th Age: units, features and contact as its rules see them, from above."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.convex import Convex, Hull
from deadground.geometry.plates import Array
from deadground.geometry.units import TOUCH
from deadground.scenes.model import Model, Unit
from deadground.scenes.plane import convex_base, ground_of
from deadground.scenes.rulings.pairing import missing_fact
from deadground.scenes.scene import Scene
from deadground.scenes.terrain import NinthAgeFeature

__all__ = ["Front", "Ground", "Muster", "Table", "front_of", "in_contact", "is_inside", "table_of"]

FAR: Final = 5_000.0
"""Inches. How far a front reaches: beyond every table."""

RIM: Final = 33
"""Corners of the front of a round base."""

FAN: Final = 9
"""Directions by which half a front arc is spanned."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A terrain feature seen from above. inner : its plan without the edge that a base may touch from outside."""

    name: str
    plan: BaseGeometry
    inner: BaseGeometry
    rules: NinthAgeFeature


@dataclass(frozen=True, slots=True, eq=False)
class Muster:
    """A unit with what the rules need of it. group : the units that stand together as one, itself included."""

    unit: Unit
    height: int
    group: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """All features and units by name, and all bases by name of their model, as outlines and as polygons."""

    grounds: Mapping[str, Ground]
    musters: Mapping[str, Muster]
    bases: Mapping[str, Convex]
    polygons: Mapping[str, BaseGeometry]


@dataclass(frozen=True, slots=True, eq=False)
class Front:
    """Where lines leave a base, and the parts (convex) of the ground that they may lead to."""

    start: Convex
    parts: tuple[BaseGeometry, ...]


def table_of(scene: Scene) -> Table:
    """The scene as The 9th Age sees it. SceneError for a unit without `height` and a feature that is not described."""
    grounds = {}
    for number, feature in enumerate(scene.features):
        _check_feature(scene, number, feature.name, feature.t9a)
        plan = ground_of(feature)
        inner = shapely.buffer(plan, -TOUCH, join_style="bevel")
        grounds[feature.name] = Ground(feature.name, plan, inner, feature.t9a)
    bases = {model.name: convex_base(model) for model in scene.models}
    polygons = {name: base.polygon for name, base in bases.items()}
    musters = MappingProxyType(_musters(scene))
    return Table(MappingProxyType(grounds), musters, MappingProxyType(bases), MappingProxyType(polygons))


def _check_feature(scene: Scene, number: int, name: str, rules: NinthAgeFeature) -> None:
    if not rules.given:
        problem = f'The 9th Age needs to know what terrain "{name}" is (t9a = {{}} for open terrain)'
        raise missing_fact(scene, f"feature[{number}].t9a", problem)
    if rules.cover != "none" and rules.height is None:
        problem = f'The 9th Age needs the Height up to which "{name}" gives cover'
        raise missing_fact(scene, f"feature[{number}].t9a.height", problem)


def _musters(scene: Scene) -> dict[str, Muster]:
    leader = {unit.name: unit.t9a.joined or unit.name for unit in scene.units}
    musters = {}
    for number, unit in enumerate(scene.units):
        if unit.t9a.height is None:
            raise missing_fact(scene, f"unit[{number}].t9a.height", f'The 9th Age needs the Height of "{unit.name}"')
        if leader[unit.name] not in leader:
            problem = f'"{leader[unit.name]}", which "{unit.name}" has joined, is no unit of the scene'
            raise missing_fact(scene, f"unit[{number}].t9a.joined", problem)
        group = frozenset(name for name, lead in leader.items() if lead == leader[unit.name])
        musters[unit.name] = Muster(unit, unit.t9a.height, group)
    return musters


def is_inside(base: Convex, ground: Ground) -> bool:
    """Whether any part of a base is inside a feature, deeper than touching its edge (ours: any part is enough)."""
    return base.distance(ground.inner) == 0


def in_contact(table: Table, unit: Unit, ground: Ground) -> bool:
    """Whether any model of a unit touches a feature or is inside it."""
    return any(table.bases[model.name].distance(ground.plan) < TOUCH for model in unit.models)


def front_of(model: Model, base: Convex, arc: float) -> Front:
    """The front of a model: of a square base the side it faces, of a round one its rim within the arc.

    arc : degrees, opened at both ends of the front. More than half a turn makes two parts. What touches the limit
    of the arc is in front (ours).
    """
    edge = _front_edge(model, base, arc)
    half = arc / 2
    spans = [(-half, half)] if arc <= 180 else [(-half, 0.0), (0.0, half)]
    ahead = [_ahead(edge, model.facing + low, model.facing + high) for low, high in spans]
    return Front(Hull(edge), tuple(shapely.buffer(part, TOUCH, join_style="mitre") for part in ahead))


def _ahead(edge: Array, low: float, high: float) -> BaseGeometry:
    """The ground ahead of a front between two directions in degrees."""
    angles = np.radians(np.linspace(low, high, FAN))
    far = FAR * np.column_stack([np.cos(angles), np.sin(angles)])
    reach = (edge[:, None, :] + far[None, :, :]).reshape(-1, 2)
    return shapely.MultiPoint(np.vstack([edge, reach])).convex_hull


def _front_edge(model: Model, base: Convex, arc: float) -> Array:
    """(n, 2) corners of the front, counter-clockwise. Of a round base they lie on its rim."""
    if model.base.shape != "square":
        return model.body.rim(np.radians(np.linspace(-arc / 2, arc / 2, RIM)))
    corners = shapely.get_coordinates(base.polygon)[:-1]
    facing = np.radians(model.facing)
    ahead = (corners - [model.x, model.y]) @ np.array([np.cos(facing), np.sin(facing)])
    return np.asarray(corners[ahead > 0])

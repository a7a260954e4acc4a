"""The 9th Age: dangerous and disruptive terrain."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.units import TOUCH
from deadground.scenes.rulings.ninth_age_table import Ground, Muster, Table, in_contact, table_of
from deadground.scenes.rulings.pairing import missing_fact
from deadground.scenes.scene import Scene

__all__ = ["dangerous_after", "dangerous_now", "disrupted", "tests_for"]


def tests_for(models: int, height: int) -> int:
    """Dangerous terrain tests of one Health Pool: half its models, rounded up, times their Height."""
    return math.ceil(models / 2) * height


def dangerous_now(scene: Scene, table: Table) -> list[dict[str, Any]]:
    """The tests of every unit for each dangerous feature that it is in contact with, as it stands.

    They are due after a march, charge, failed charge, flee or pursue move. Each is counted for the models that are
    there now: casualties of one feature's tests come off before the next one's are counted.
    """
    return [
        entry
        for muster in table.musters.values()
        for ground in table.grounds.values()
        if in_contact(table, muster.unit, ground)
        for entry in _entry(scene, muster, ground)
    ]


def dangerous_after(scene: Scene, unit: str, swept: Iterable[BaseGeometry]) -> list[dict[str, Any]]:
    """The tests of a unit after a move, as `dangerous_now`. swept : the ground its bases passed over, in polygons."""
    table = table_of(scene)
    ways = shapely.union_all(list(swept))
    touched = [ground for ground in table.grounds.values() if shapely.distance(ways, ground.plan) < TOUCH]
    return [entry for ground in touched for entry in _entry(scene, table.musters[unit], ground)]


def _entry(scene: Scene, muster: Muster, ground: Ground) -> list[dict[str, Any]]:
    if ground.rules.dangerous is None:
        return []
    height = muster.height if _meets_criterion(scene, muster, ground) else 0
    tests = tests_for(len(muster.unit.models), height)
    pool = muster.unit.t9a.pool
    on = f"{ground.rules.dangerous}+"
    return [{"unit": muster.unit.name, "pool": pool, "feature": ground.name, "tests": tests, "on": on, "ap": 10}]


def _meets_criterion(scene: Scene, muster: Muster, ground: Ground) -> bool:
    """Whether a feature is dangerous to a unit's models; to others they count as Height 0."""
    only, kinds = ground.rules.dangerous_only, muster.unit.t9a.kinds
    if only is None:
        return True
    if kinds is None:
        number = scene.units.index(muster.unit)
        problem = f'"{ground.name}" is dangerous only to "{only}", is "{muster.unit.name}" one of these? ([] for none)'
        raise missing_fact(scene, f"unit[{number}].t9a.kinds", problem)
    return only.casefold() in kinds


def disrupted(table: Table) -> list[dict[str, str]]:
    """Units in contact with disruptive terrain: they cannot claim the combat score of their proper ranks."""
    return [
        {"unit": muster.unit.name, "feature": ground.name}
        for muster in table.musters.values()
        for ground in table.grounds.values()
        if ground.rules.disruptive and in_contact(table, muster.unit, ground)
    ]

"""Models and units."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import trimesh

from deadground.geometry.shapes import Upright

__all__ = ["Base", "Model", "NinthAgeUnit", "StarcraftUnit", "Unit", "Warhammer40kUnit"]


@dataclass(frozen=True, slots=True)
class Base:
    """What a model stands on. length (along its facing) and width in inches; a round base has both equal."""

    shape: Literal["round", "oval", "square"]
    length: float
    width: float


@dataclass(frozen=True, slots=True)
class Warhammer40kUnit:
    """What Warhammer 40,000 needs to know of a unit.

    keywords : in capitals; detection_range : inches, None for the option's value
    """

    keywords: frozenset[str] = frozenset()
    shot: Literal["no", "this-turn", "previous-turn"] = "no"
    detection_range: float | None = None
    ignores_cover: bool = False


@dataclass(frozen=True, slots=True)
class StarcraftUnit:
    """What StarCraft TMG needs to know of a unit. size None: not given, and never guessed."""

    size: int | None = None
    flying: bool = False


@dataclass(frozen=True, slots=True)
class NinthAgeUnit:
    """What The 9th Age needs to know of a unit. height None: not given, and never guessed.

    pool : its Health Pool; kinds : words that "dangerous only to" may name, None: not given
    joined : name of the unit it is part of on the table, as a character in a unit
    """

    height: int | None = None
    pool: str = "rank-and-file"
    kinds: frozenset[str] | None = None
    joined: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """One miniature on the table.

    unit, number : "A/2" is the second model of unit A
    x, y : centre of its base; foot : height of the surface under it; height : of its body, base included. Inches.
    facing : degrees counter-clockwise from +x
    support : name of the feature it stands on, None for the ground
    mesh : its body in place of the upright solid, in table coordinates
    """

    unit: str
    number: int
    side: str
    base: Base
    x: float
    y: float
    foot: float
    height: float
    facing: float = 0.0
    support: str | None = None
    mesh: trimesh.Trimesh | None = None

    @property
    def name(self) -> str:
        """UNIT/N, counted from 1."""
        return f"{self.unit}/{self.number}"

    @property
    def body(self) -> Upright:
        """The upright solid over its base, from its foot to its height."""
        return Upright(
            self.x, self.y, self.base.length / 2, self.base.width / 2,
            math.radians(self.facing), self.foot, self.foot + self.height,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A group of models that act together. facing None: not given in the scene."""

    name: str
    side: str
    models: tuple[Model, ...]
    facing: float | None = None
    wh40k: Warhammer40kUnit = field(default_factory=Warhammer40kUnit)
    sctmg: StarcraftUnit = field(default_factory=StarcraftUnit)
    t9a: NinthAgeUnit = field(default_factory=NinthAgeUnit)

"""Terrain features and terrain areas."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np
import shapely
from shapely import affinity
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.meshes.piece import Piece

__all__ = ["Area", "Feature", "NinthAgeFeature", "StarcraftFeature", "Warhammer40kFeature"]

Shape = TypeVar("Shape", bound=BaseGeometry)


@dataclass(frozen=True, slots=True)
class Warhammer40kFeature:
    """category None: not given (the 40k rulings refuse to guess; material still blocks)."""

    category: Literal["exposed", "light", "dense"] | None = None


@dataclass(frozen=True, slots=True)
class StarcraftFeature:
    """size None: not given. access_points : (x, y) in the feature's own frame, inches."""

    size: int | None = None
    access_points: tuple[tuple[float, float], ...] = ()
    openings_agreed: bool = False


@dataclass(frozen=True, slots=True)
class NinthAgeFeature:
    """given False: the scene says nothing of The 9th Age for this feature (open terrain is said explicitly)."""

    given: bool = False
    opaque: bool = False
    cover: Literal["none", "soft", "hard"] = "none"
    height: int | None = None
    contact_only: bool = False
    dangerous: int | None = None
    dangerous_only: str | None = None
    disruptive: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """A terrain feature: a piece placed on the table.

    piece : in its own frame (inches); x, y, foot : where its origin stands; turn : degrees counter-clockwise
    overruled : opening id -> closed or not, as the scene says
    physical_base : its base outline in its own frame, where it has one
    support : name of the feature it stands on, None for the ground
    """

    name: str
    piece: Piece
    x: float
    y: float
    foot: float = 0.0
    turn: float = 0.0
    overruled: tuple[tuple[int, bool], ...] = ()
    physical_base: shapely.Polygon | None = None
    support: str | None = None
    wh40k: Warhammer40kFeature = field(default_factory=Warhammer40kFeature)
    sctmg: StarcraftFeature = field(default_factory=StarcraftFeature)
    t9a: NinthAgeFeature = field(default_factory=NinthAgeFeature)

    @property
    def rotation(self) -> Array:
        """(3, 3) turn from the feature's own frame to the table's."""
        c, s = math.cos(math.radians(self.turn)), math.sin(math.radians(self.turn))
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    @property
    def shift(self) -> Array:
        """(3,) where its origin stands: table = rotation @ own + shift."""
        return np.array([self.x, self.y, self.foot])

    def on_table(self, plan: Shape) -> Shape:
        """A plan in the feature's own frame (inches, seen from above) as it lies on the table."""
        turned: Shape = affinity.rotate(plan, self.turn, origin=(0, 0))
        moved: Shape = affinity.translate(turned, self.x, self.y)
        return moved


@dataclass(frozen=True, slots=True, eq=False)
class Area:
    """A terrain area: an outline on the table and the features that belong to it. Seen from above, no height."""

    name: str
    outline: shapely.Polygon
    features: tuple[str, ...]

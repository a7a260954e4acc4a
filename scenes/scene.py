"""The table as one frozen value. A change makes a new scene (`dataclasses.replace`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from deadground.scenes.figure import Figure, Theme
from deadground.scenes.model import Model, Unit
from deadground.scenes.terrain import Area, Feature

__all__ = ["Figure", "Scene", "Token"]


@dataclass(frozen=True, slots=True)
class Token:
    """A token (Size 0 terrain) or marker on the table. radius in inches."""

    name: str
    x: float
    y: float
    radius: float
    marker: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything on the table, in inches.

    ruleset : canonical name (wh40k-11e, sctmg, t9a)
    board : (x, y) size
    options : system key (wh40k, sctmg, t9a) -> options given in the file, lengths already in inches
    units_of_file : the length unit the file uses, for messages and command-line coordinates
    warnings : what is odd in the file and changes nothing, one line each
    """

    title: str
    ruleset: str
    board: tuple[float, float]
    features: tuple[Feature, ...] = ()
    areas: tuple[Area, ...] = ()
    units: tuple[Unit, ...] = ()
    tokens: tuple[Token, ...] = ()
    figures: tuple[Figure, ...] = ()
    themes: tuple[Theme, ...] = ()
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: MappingProxyType({}))
    units_of_file: Literal["in", "mm"] = "in"
    source: Path | None = None
    warnings: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[Model, ...]:
        """All models, unit by unit in the order of the file."""
        return tuple(model for unit in self.units for model in unit.models)

    def unit(self, name: str) -> Unit:
        """The unit of that name. KeyError if there is none."""
        return {unit.name: unit for unit in self.units}[name]

    def feature(self, name: str) -> Feature:
        """The feature of that name. KeyError if there is none."""
        return {feature.name: feature for feature in self.features}[name]

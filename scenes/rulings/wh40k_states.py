"""Where models are in Warhammer 40,000: within areas, hidden, at which level. Rules 01.04, 13.06, 13.09."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from deadground.geometry.units import at_or_below
from deadground.scenes.model import Model, Unit
from deadground.scenes.options import Warhammer40kOptions
from deadground.scenes.rulings.verdict import Placement, State
from deadground.scenes.rulings.wh40k_moving import placement_faults
from deadground.scenes.scene import Scene
from deadground.scenes.sight import Sight

__all__ = [
    "GONE_TO_GROUND",
    "SMALL",
    "States",
    "detection_range",
    "hiding_areas",
    "is_on_high_section",
    "may_hide",
    "placement",
    "states_of",
]

SMALL: Final = frozenset({"INFANTRY", "BEASTS", "SWARM"})
"""Keywords of models that terrain areas hide and cover."""

HIGH_SECTION: Final = 3.0
"""Inches. A model on a section at least this high shoots down on the ground (22.05)."""

GONE_TO_GROUND: Final = 3.0
"""Inches less at which a hidden model that a Solid feature covers in part is detected (13.11.01)."""


@dataclass(frozen=True, slots=True, eq=False)
class States:
    """What is true of every model by itself, by its name."""

    units: Mapping[str, Unit]
    areas: Mapping[str, tuple[str, ...]]
    hidden: Mapping[str, bool]

    def unit_of(self, model: Model) -> Unit:
        """The unit a model belongs to."""
        return self.units[model.unit]

    def is_covered_by_area(self, model: Model) -> bool:
        """Whether a terrain area alone gives a model its share of cover. Rule 13.08."""
        return bool(self.areas[model.name]) and bool(SMALL & self.unit_of(model).wh40k.keywords)

    def detection_range(self, model: Model, options: Warhammer40kOptions) -> float:
        """Inches within which a model is detected while hidden. Rule 13.09."""
        return detection_range(self.unit_of(model), options)

    def described(self, scene: Scene) -> tuple[State, ...]:
        """The states as a report gives them."""
        return tuple(State(m.name, self.areas[m.name], m.foot, self.hidden[m.name]) for m in scene.models)


def detection_range(unit: Unit, options: Warhammer40kOptions) -> float:
    """Inches within which a unit's models are detected while hidden. Rule 13.09."""
    own = unit.wh40k.detection_range
    return options.detection_range if own is None else own


def states_of(scene: Scene, sight: Sight, options: Warhammer40kOptions) -> States:
    """The states of all models on the table."""
    units = {unit.name: unit for unit in scene.units}
    areas = {m.name: tuple(a.name for a in scene.areas if sight.within(m, a)) for m in scene.models}
    hiding = hiding_areas(scene, options)
    hidden = {m.name: _is_hidden(units[m.unit], areas[m.name], hiding) for m in scene.models}
    return States(MappingProxyType(units), MappingProxyType(areas), MappingProxyType(hidden))


def hiding_areas(scene: Scene, options: Warhammer40kOptions) -> frozenset[str]:
    """Names of the areas in which models may be hidden. Rule 13.09."""
    needed = {"dense"} if options.hidden_needs == "dense" else {"light", "dense"}
    category = {feature.name: feature.wh40k.category for feature in scene.features}
    return frozenset(a.name for a in scene.areas if any(category.get(name) in needed for name in a.features))


def _is_hidden(unit: Unit, areas: tuple[str, ...], hiding: frozenset[str]) -> bool:
    return may_hide(unit) and any(area in hiding for area in areas)


def may_hide(unit: Unit) -> bool:
    """Whether a unit's models are hidden where an area hides them. Rule 13.09."""
    return bool(SMALL & unit.wh40k.keywords) and unit.wh40k.shot == "no"


def is_on_high_section(scene: Scene, model: Model) -> bool:
    """Whether a model stands on a section of a feature 3 inches or more above the ground it rises from. Rule 22.05."""
    if model.support is None:
        return False
    return at_or_below(HIGH_SECTION, model.foot - scene.feature(model.support).foot)


def placement(scene: Scene) -> tuple[Placement, ...]:
    """Models that may not be set up where they stand, and every reason. Rule 13.06."""
    found = ((model.name, placement_faults(scene, model)) for model in scene.models)
    return tuple(Placement(name, reasons) for name, reasons in found if reasons)

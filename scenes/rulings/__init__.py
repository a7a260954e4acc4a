"""One file for each rule system; they never import each other. Registered here, found by name or alias."""

from __future__ import annotations

import difflib
from types import MappingProxyType
from typing import Final

from deadground.geometry.errors import InputError
from deadground.scenes.rulings.ninth_age import NinthAge
from deadground.scenes.rulings.starcraft import Starcraft
from deadground.scenes.rulings.verdict import RuleSystem
from deadground.scenes.rulings.wh40k_11e import Warhammer40k

__all__ = ["NAMES", "find"]

_SYSTEMS: Final[tuple[RuleSystem, ...]] = (Warhammer40k(), Starcraft(), NinthAge())

NAMES: Final = tuple(system.name for system in _SYSTEMS)
"""The names of all rule systems, in the order in which they are listed and judged."""

_FOUND: Final = MappingProxyType({name: system for system in _SYSTEMS for name in (system.name, *system.aliases)})


def find(name: str) -> RuleSystem:
    """The rule system of a name or alias, in any case. InputError that says the nearest one if there is none."""
    found = _FOUND.get(name.strip().lower())
    if found is None:
        near = difflib.get_close_matches(name.lower(), list(_FOUND), n=1, cutoff=0.0)[0]
        known = ", ".join(NAMES)
        raise InputError(name[:40], "", f'expected a rule system ({known}), the nearest name is "{near}"')
    return found

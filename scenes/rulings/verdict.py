"""Verdicts: an outcome is never a bare bool. It carries reasons, the rule's number, and the evidence.

Everything that is drawn or printed comes from these values, whatever the rule system.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal, Protocol, runtime_checkable

from deadground.scenes.scene import Scene

__all__ = [
    "AttackerVerdict",
    "Blocker",
    "Certainty",
    "Explains",
    "Finding",
    "Placement",
    "Point",
    "Progress",
    "Reason",
    "Report",
    "RuleSystem",
    "State",
    "UnitVerdict",
    "Verdict",
]

Point = tuple[float, float, float]
Certainty = Literal["witness", "proof", "sampled"]
Progress = Callable[[int, int], None]
"""Called with (done, total) while judging."""


class Reason(StrEnum):
    """Why a model is not seen. All that apply are given, not only the first."""

    TERRAIN = "terrain"
    SOLID_GAP = "solid-gap"
    ADJACENT_GAP = "adjacent-gap"
    OBSCURING = "obscuring"
    HIDDEN = "hidden"
    MODEL = "model"
    FULL_COVER = "full-cover"
    DIRECT_COVER = "direct-cover"
    DEAD_ZONE = "dead-zone"
    OPAQUE = "opaque"
    FRONT_ARC = "front-arc"


@dataclass(frozen=True, slots=True)
class Blocker:
    """What stopped the best line, and where (inches). One of feature, area, model is set; opening goes with feature."""

    at: Point
    feature: str | None = None
    opening: int | None = None
    area: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one model sees of another (one ordered pair of models on different sides).

    line : the clear line when visible, else the best line up to its blocker; () where there is none to show
    distance : between the closest parts of the bases, inches
    resolution : inches, widest slit that could have been missed (0 for witness and proof)
    rule : number of the deciding rule; facts : what only one system reports (merged into the JSON entry)
    None means: not computed, and absent from the JSON.
    """

    observer: str
    target: str
    visible: bool
    distance: float
    certainty: Certainty
    reasons: tuple[Reason, ...] = ()
    line: tuple[Point, ...] = ()
    blocker: Blocker | None = None
    resolution: float = 0.0
    notes: tuple[str, ...] = ()
    rule: str = ""
    fully_visible: bool | None = None
    fully_certainty: Certainty | None = None
    seen_fraction: float | None = None
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class AttackerVerdict:
    """What one attacking model may claim against a unit. None: not computed."""

    model: str
    visible: bool
    fully_visible: bool | None = None
    cover: bool | None = None
    bs_change: int | None = None
    plunging_fire: bool | None = None


@dataclass(frozen=True, slots=True)
class UnitVerdict:
    """One ordered pair of units on different sides. None: not computed."""

    attacker: str
    target: str
    visible: bool
    reasons: tuple[Reason, ...] = ()
    attackers: tuple[AttackerVerdict, ...] = ()
    fully_visible: bool | None = None
    cover: bool | None = None
    bs_change: int | None = None
    plunging_fire: bool | None = None
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class State:
    """Where a model is. None: not computed."""

    model: str
    areas: tuple[str, ...]
    level: float
    hidden: bool | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    """Why a model may not stand where it stands."""

    model: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All verdicts of one rule system on one scene.

    options : every option with the value used, the scene's overrides included
    """

    ruleset: str
    edition: str
    options: Mapping[str, Any]
    models: tuple[Verdict, ...]
    units: tuple[UnitVerdict, ...] = ()
    states: tuple[State, ...] | None = None
    placement: tuple[Placement, ...] | None = None
    warnings: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule asked of a pair of models, in plain words.

    rule : its number; question : what was asked; found : the answer with its numbers; change : what would change it
    """

    rule: str
    question: str
    found: str
    change: str = ""


@runtime_checkable
class Explains(Protocol):
    """What a rule system may offer beside `judge`: every rule it asked of one pair, in plain words."""

    def explain(self, scene: Scene, observer: str, target: str) -> tuple[Finding, ...]:
        """Every rule asked of one model (UNIT/N) looking at another, in the order in which they are asked."""
        ...


class RuleSystem(Protocol):
    """What a file in `rulings/` offers. Registered in `rulings/__init__.py`."""

    @property
    def name(self) -> str:
        """Its canonical name, as in a scene file's `ruleset`."""
        ...

    @property
    def edition(self) -> str:
        """The game and edition in full, for reports."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names it is found by, in lower case."""
        ...

    def judge(
        self,
        scene: Scene,
        *,
        observers: Collection[str] | None = None,
        targets: Collection[str] | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """Judge every ordered pair of models on different sides.

        observers, targets : names of units or models ("A" or "A/1") to restrict to; None for all.
        """
        ...

"""What every rule system does alike: which pairs are judged, which reasons are given, and what units make of models."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import combinations, product

from deadground.geometry.errors import SceneError
from deadground.scenes.model import Model
from deadground.scenes.rulings.verdict import Reason, Verdict
from deadground.scenes.scene import Scene

__all__ = ["deciding_reasons", "missing_fact", "ordered_pairs", "unit_pairs", "unit_reasons"]


def ordered_pairs(
    scene: Scene, observers: Collection[str] | None, targets: Collection[str] | None
) -> list[tuple[Model, Model]]:
    """Every ordered pair of models on different sides. observers, targets : as in `RuleSystem.judge`."""
    return [
        (one, other)
        for one, other in product(scene.models, repeat=2)
        if one.side != other.side and _is_named(one, observers) and _is_named(other, targets)
    ]


def _is_named(model: Model, names: Collection[str] | None) -> bool:
    return names is None or model.name in names or model.unit in names


def deciding_reasons(
    present: Iterable[Reason], visible_without: Callable[[frozenset[Reason]], bool]
) -> tuple[Reason, ...]:
    """The reasons that keep a target from being seen, in the order of `Reason`.

    Each that reveals it when taken away alone; if none does, each that belongs to a smallest set that does together.
    All of them if not even that reveals it.
    """
    kinds = sorted(set(present), key=list(Reason).index)
    for count in range(1, len(kinds) + 1):
        found = {kind for some in combinations(kinds, count) if visible_without(frozenset(some)) for kind in some}
        if found:
            return tuple(kind for kind in kinds if kind in found)
    return tuple(kinds)


def unit_pairs(scene: Scene, verdicts: Iterable[Verdict]) -> dict[tuple[str, str], list[Verdict]]:
    """The verdicts of each ordered pair of units, in order."""
    unit = {model.name: model.unit for model in scene.models}
    groups: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault((unit[verdict.observer], unit[verdict.target]), []).append(verdict)
    return groups


def unit_reasons(verdicts: Iterable[Verdict]) -> tuple[Reason, ...]:
    """Why no model of a unit sees any model of another; () if one does."""
    given = list(verdicts)
    present = set() if any(verdict.visible for verdict in given) else {r for v in given for r in v.reasons}
    return tuple(reason for reason in Reason if reason in present)


def missing_fact(scene: Scene, key: str, problem: str) -> SceneError:
    """The error for a fact that a rule system needs and a scene does not give. It is never guessed."""
    return SceneError(str(scene.source or "scene"), key, f"missing, {problem}")

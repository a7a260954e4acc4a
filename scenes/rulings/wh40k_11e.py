"""Warhammer 40,000, 11th edition."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import product

from deadground.scenes.model import Model
from deadground.scenes.options import options_of
from deadground.scenes.rulings.verdict import Progress, Reason, Report, UnitVerdict, Verdict
from deadground.scenes.rulings.wh40k_seeing import judge_pairs, verdict_of
from deadground.scenes.rulings.wh40k_terrain import barriers_of, uncategorised
from deadground.scenes.scene import Scene
from deadground.scenes.sight import Pair, Sight

__all__ = ["Warhammer40k"]


@dataclass(frozen=True, slots=True)
class Warhammer40k:
    """The judge for Warhammer 40,000, 11th edition: true lines of sight in 3D, areas seen from above."""

    name: str = "wh40k-11e"
    edition: str = "Warhammer 40,000, 11th edition"
    aliases: tuple[str, ...] = ("40k", "wh40k")

    def judge(
        self,
        scene: Scene,
        *,
        observers: Collection[str] | None = None,
        targets: Collection[str] | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """Every ordered pair of models on different sides. See `RuleSystem.judge`."""
        options = options_of(scene, "wh40k")
        sight = Sight(scene, barriers_of(scene, options))
        ordered = _ordered_pairs(scene, observers, targets)
        pairs = _unordered(ordered)
        seen = judge_pairs(sight, pairs, None if progress is None else lambda done: progress(done, len(pairs)))
        found = {(one.pair[0].name, one.pair[1].name): one for one in seen}
        verdicts = tuple(verdict_of(found.get((a.name, b.name)) or found[b.name, a.name], a.name) for a, b in ordered)
        return Report(
            self.name, self.edition, options.model_dump(), verdicts, _units(scene, verdicts), warnings=_warnings(scene)
        )


def _warnings(scene: Scene) -> tuple[str, ...]:
    return (*scene.warnings, *uncategorised(scene))


def _ordered_pairs(scene: Scene, observers: Collection[str] | None, targets: Collection[str] | None) -> list[Pair]:
    return [
        (a, b)
        for a, b in product(scene.models, repeat=2)
        if a.side != b.side and _named(a, observers) and _named(b, targets)
    ]


def _named(model: Model, names: Collection[str] | None) -> bool:
    return names is None or model.name in names or model.unit in names


def _unordered(pairs: list[Pair]) -> list[Pair]:
    kept: dict[frozenset[str], Pair] = {}
    for a, b in pairs:
        kept.setdefault(frozenset((a.name, b.name)), (a, b))
    return list(kept.values())


def _units(scene: Scene, verdicts: tuple[Verdict, ...]) -> tuple[UnitVerdict, ...]:
    """One verdict for each ordered pair of units that models were judged for."""
    unit = {model.name: model.unit for model in scene.models}
    groups: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault((unit[verdict.observer], unit[verdict.target]), []).append(verdict)
    return tuple(_unit_verdict(a, b, group) for (a, b), group in groups.items())


def _unit_verdict(attacker: str, target: str, verdicts: list[Verdict]) -> UnitVerdict:
    visible = any(verdict.visible for verdict in verdicts)
    present = {reason for verdict in verdicts for reason in verdict.reasons}
    reasons = () if visible else tuple(reason for reason in Reason if reason in present)
    return UnitVerdict(attacker, target, visible, reasons)

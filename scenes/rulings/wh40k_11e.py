"""Warhammer 40,000, 11th edition."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from deadground.scenes.model import Model
from deadground.scenes.options import options_of
from deadground.scenes.rulings.pairing import ordered_pairs
from deadground.scenes.rulings.verdict import Finding, Progress, Report, Verdict
from deadground.scenes.rulings.wh40k_cover import Coverage, judge_unit, with_hiding, with_parts
from deadground.scenes.rulings.wh40k_explain import findings
from deadground.scenes.rulings.wh40k_seeing import Seen, judge_pairs, verdict_of
from deadground.scenes.rulings.wh40k_states import placement, states_of
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
        ordered = ordered_pairs(scene, observers, targets)
        states = states_of(scene, sight, options)
        coverage = Coverage(sight, options)
        steps = _Steps(progress, len(_unordered(ordered)), len(ordered))
        seen = judge_pairs(sight, _unordered(ordered), steps.first)
        hidden = _Found(seen)
        after = [with_hiding(hidden.verdict(pair), pair, states, coverage, options) for pair in ordered]
        coverage.prepare([p for p, v in zip(ordered, after, strict=True) if v.visible], steps.second)
        verdicts = [with_parts(verdict, pair, coverage) for pair, verdict in zip(ordered, after, strict=True)]
        coverage.prepare_cover(list(zip(ordered, verdicts, strict=True)), states)
        known = {(v.observer, v.target): v for v in verdicts}
        units = tuple(
            judge_unit(attackers, scene.unit(target), known, sight, states, coverage, options)
            for attackers, target in _unit_pairs(scene, ordered)
        )
        return Report(
            self.name,
            self.edition,
            options.model_dump(),
            tuple(verdicts),
            units,
            states.described(scene),
            placement(scene),
            (*scene.warnings, *uncategorised(scene)),
        )

    def explain(self, scene: Scene, observer: str, target: str) -> tuple[Finding, ...]:
        """Every rule asked of one model looking at another. See `Explains.explain`."""
        unit = next(model.unit for model in scene.models if model.name == target)
        report = self.judge(scene, observers=[observer], targets=[unit])
        return findings(scene, options_of(scene, "wh40k"), report, observer, target)


class _Steps:
    """Two stages of work told as one: pairs for sight, then ordered pairs for how much is seen."""

    def __init__(self, progress: Progress | None, first: int, second: int) -> None:
        self._progress, self._first, self._total = progress, first, first + second

    def first(self, done: int) -> None:
        """So many pairs are judged for sight."""
        if self._progress is not None:
            self._progress(done, self._total)

    def second(self, done: int) -> None:
        """So many ordered pairs are judged for how much is seen."""
        if self._progress is not None:
            self._progress(self._first + done, self._total)


class _Found:
    """What was seen between pairs, by the names of both models."""

    def __init__(self, seen: list[Seen]) -> None:
        self._seen = {frozenset(model.name for model in one.pair): one for one in seen}

    def verdict(self, pair: Pair) -> Verdict:
        """The verdict before hiding, for the first model of the pair looking at the second."""
        one, two = pair
        return verdict_of(self._seen[frozenset((one.name, two.name))], one.name)


def _unordered(pairs: list[Pair]) -> list[Pair]:
    kept: dict[frozenset[str], Pair] = {}
    for a, b in pairs:
        kept.setdefault(frozenset((a.name, b.name)), (a, b))
    return list(kept.values())


def _unit_pairs(scene: Scene, pairs: list[Pair]) -> list[tuple[list[Model], str]]:
    """Attacking models and target unit, for every pair of units whose target was judged whole."""
    judged: dict[tuple[str, str], dict[str, set[str]]] = {}
    for a, b in pairs:
        judged.setdefault((a.unit, b.unit), {}).setdefault(a.name, set()).add(b.name)
    found = []
    for (attacker, target), seen in judged.items():
        whole = {model.name for model in scene.unit(target).models}
        attackers = [m for m in scene.unit(attacker).models if seen.get(m.name) == whole]
        if attackers:
            found.append((attackers, target))
    return found

"""What Warhammer 40,000 makes of what is seen: fully visible, hidden, cover, plunging fire.

Rules 06.01, 13.08 to 13.11, 22.05.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from deadground.geometry.parts import Parts
from deadground.geometry.shapes import base_distance
from deadground.geometry.units import at_or_below, inches
from deadground.scenes.barriers import Kind
from deadground.scenes.model import Model, Unit
from deadground.scenes.options import Warhammer40kOptions
from deadground.scenes.rulings.verdict import AttackerVerdict, Reason, UnitVerdict, Verdict
from deadground.scenes.rulings.wh40k_states import GONE_TO_GROUND, States, is_on_high_section
from deadground.scenes.sight import Pair, Sight

__all__ = ["Coverage", "Detection", "detection", "is_obscured_by_terrain", "judge_unit", "with_hiding", "with_parts"]


class Coverage:
    """What is seen of each target by each observer, found when first asked for and kept."""

    def __init__(self, sight: Sight, options: Warhammer40kOptions) -> None:
        self._sight, self._options = sight, options
        self._smallest = inches(options.smallest_part_mm, "mm")
        self._parts: dict[tuple[str, str, bool], Parts] = {}

    def prepare(
        self,
        pairs: Sequence[Pair],
        progress: Callable[[int], None] | None = None,
        *,
        without_models: bool = False,
    ) -> None:
        """Find the parts for many ordered pairs side by side, which is quicker than one by one."""
        wanted = [pair for pair in pairs if (*_names(pair), without_models) not in self._parts]
        lifted = (Kind.MODEL,) if without_models else ()
        for begin in range(0, len(wanted), _TOGETHER):
            batch = wanted[begin : begin + _TOGETHER]
            for pair, parts in zip(batch, self._sight.parts(batch, self._smallest, lifted=lifted), strict=True):
                self._parts[(*_names(pair), without_models)] = self._from_one_point(pair, parts, lifted)
            if progress is not None:
                progress(begin + len(batch))

    def prepare_cover(self, verdicts: Sequence[tuple[Pair, Verdict]], states: States) -> None:
        """Find the parts that cover will ask for as if no other model stood between."""
        doubtful = [
            pair
            for pair, verdict in verdicts
            if not verdict.fully_visible and not _is_unseen(verdict) and not states.is_covered_by_area(pair[1])
        ]
        between = [pair for pair in doubtful if Kind.MODEL in self._sight.kinds_between(pair)]
        self.prepare(between, without_models=True)

    def parts(self, pair: Pair, *, without_models: bool = False) -> Parts:
        """What the first model of a pair sees of the second; on request as if no other model stood between."""
        if without_models and Kind.MODEL not in self._sight.kinds_between(pair):
            without_models = False
        self.prepare([pair], without_models=without_models)
        return self._parts[(*_names(pair), without_models)]

    def is_sampled(self, pair: Pair) -> bool:
        """Whether one of the answers found for a pair is neither seen nor proved."""
        known = (self._parts.get((*_names(pair), without)) for without in (False, True))
        return any(parts is not None and parts.certainty == "sampled" for parts in known)

    def without(self, pair: Pair, lifted: Sequence[Kind], features: Sequence[str] = ()) -> Parts:
        """What the first model sees of the second without some kinds of barrier and some features. Not kept."""
        parts = self._sight.parts([pair], self._smallest, lifted=lifted, features=features)[0]
        return self._from_one_point(pair, parts, lifted, features)

    def behind_solid(self, pair: Pair) -> Parts:
        """What the first model sees of the second if nothing but dense features stands between. Rule 13.11.01."""
        others = [f.name for f in self._sight.scene.features if f.wh40k.category != "dense"]
        return self.without(pair, (Kind.MODEL, Kind.AREA), others)

    def _from_one_point(self, pair: Pair, parts: Parts, lifted: Sequence[Kind], features: Sequence[str] = ()) -> Parts:
        """Under the stricter option, all of the target must be seen from one and the same point."""
        if self._options.fully_visible_from == "any-part" or not parts.fully:
            return parts
        return self._sight.parts_from_one_point(pair, self._smallest, lifted=lifted, features=features)


_TOGETHER = 32


def _names(pair: Pair) -> tuple[str, str]:
    return pair[0].name, pair[1].name


def with_hiding(
    verdict: Verdict, pair: Pair, states: States, coverage: Coverage, options: Warhammer40kOptions
) -> Verdict:
    """The verdict after Hidden: a hidden target beyond its detection range is not visible. One-way. Rule 13.09."""
    if not states.hidden[pair[1].name] or Reason.TERRAIN in verdict.reasons:
        return verdict
    found = detection(pair, states, coverage, options)
    if found.detected:
        return verdict
    rule = verdict.rule if verdict.reasons else "13.09"
    reasons = _in_order((*verdict.reasons, Reason.HIDDEN))
    missed = inches(options.smallest_part_mm, "mm") if found.certainty == "sampled" else 0.0
    return replace(verdict, visible=False, reasons=reasons, rule=rule, certainty=found.certainty, resolution=missed)


@dataclass(frozen=True, slots=True)
class Detection:
    """Whether a hidden model is detected: `distance` away, and up to `reach` inches (3 less if gone to ground)."""

    distance: float
    reach: float
    gone: bool
    certainty: Literal["proof", "sampled"] = "proof"

    @property
    def detected(self) -> bool:
        """Whether it is within its detection range."""
        return at_or_below(self.distance, self.reach)


def detection(pair: Pair, states: States, coverage: Coverage, options: Warhammer40kOptions) -> Detection:
    """Whether the second model of a pair, hidden, is detected by the first. Rules 13.09, 13.11.01."""
    reach = states.detection_range(pair[1], options)
    distance = base_distance(pair[0].body, pair[1].body)
    between = at_or_below(distance, reach) and not at_or_below(distance, reach - GONE_TO_GROUND)
    if not options.gone_to_ground or not between:
        return Detection(distance, reach, False)
    parts = coverage.behind_solid(pair)
    if parts.fully:
        return Detection(distance, reach, False)
    return Detection(distance, reach - GONE_TO_GROUND, True, "sampled" if parts.certainty == "sampled" else "proof")


def _in_order(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    return tuple(reason for reason in Reason if reason in reasons)


def with_parts(verdict: Verdict, pair: Pair, coverage: Coverage) -> Verdict:
    """The verdict with how much is seen. Nothing is seen of what is not visible. Rule 06.01."""
    if not verdict.visible:
        return replace(verdict, fully_visible=False, fully_certainty=verdict.certainty, seen_fraction=0.0)
    parts = coverage.parts(pair)
    return replace(
        verdict, fully_visible=parts.fully, fully_certainty=parts.certainty, seen_fraction=parts.seen_fraction
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Attack:
    """One attacking model against a unit: its verdicts on the unit's models, in the unit's order."""

    attacker: Model
    verdicts: tuple[Verdict, ...]


def judge_unit(
    attackers: Sequence[Model],
    target: Unit,
    verdicts: dict[tuple[str, str], Verdict],
    sight: Sight,
    states: States,
    coverage: Coverage,
    options: Warhammer40kOptions,
) -> UnitVerdict:
    """What a unit's models may claim against another unit. Rules 13.08, 22.05."""
    attacks = [_Attack(m, tuple(verdicts[m.name, t.name] for t in target.models)) for m in attackers]
    singles = tuple(_attacker(one, target, sight, states, coverage, options) for one in attacks)
    seeing = [one for one in singles if one.visible]
    cover = bool(seeing) and all(one.cover for one in seeing)
    plunging = bool(seeing) and all(one.plunging_fire for one in seeing)
    ignores = states.unit_of(attackers[0]).wh40k.ignores_cover
    differ = len({(one.cover, one.plunging_fire) for one in seeing}) > 1
    unsure = cover and any(_rests_on_samples(one, target, states, coverage) for one in attacks)
    told = {"attackers-differ": differ, "ignores-cover": cover and ignores, "cover-sampled": unsure}
    present = {reason for attack in attacks for verdict in attack.verdicts for reason in verdict.reasons}
    return UnitVerdict(
        attackers[0].unit,
        target.name,
        visible=bool(seeing),
        reasons=() if seeing else _in_order(tuple(present)),
        attackers=singles,
        fully_visible=bool(seeing) and all(one.fully_visible for one in seeing),
        cover=cover,
        plunging_fire=plunging,
        bs_change=_bs_change(cover, plunging, ignores),
        notes=tuple(note for note, holds in told.items() if holds),
    )


def _rests_on_samples(attack: _Attack, target: Unit, states: States, coverage: Coverage) -> bool:
    """Whether a model is called not fully visible though no part of it was proved to be unseen."""
    pairs = zip(target.models, attack.verdicts, strict=True)
    doubtful = [(attack.attacker, m) for m, v in pairs if v.visible and not states.is_covered_by_area(m)]
    return any(coverage.is_sampled(pair) for pair in doubtful)


def _bs_change(cover: bool, plunging: bool, ignores: bool) -> int:
    return (1 if plunging else 0) - (1 if cover and not ignores else 0)


def _attacker(
    attack: _Attack, target: Unit, sight: Sight, states: States, coverage: Coverage, options: Warhammer40kOptions
) -> AttackerVerdict:
    if not any(verdict.visible for verdict in attack.verdicts):
        return AttackerVerdict(attack.attacker.name, False, False, False, 0, False)
    cover = all(
        states.is_covered_by_area(model) or is_obscured_by_terrain(attack.attacker, model, verdict, sight, coverage)
        for model, verdict in zip(target.models, attack.verdicts, strict=True)
    )
    plunging = options.plunging_fire and is_plunging(attack.attacker, target, sight)
    ignores = states.unit_of(attack.attacker).wh40k.ignores_cover
    fully = all(verdict.fully_visible for verdict in attack.verdicts)
    return AttackerVerdict(attack.attacker.name, True, fully, cover, _bs_change(cover, plunging, ignores), plunging)


def is_obscured_by_terrain(attacker: Model, model: Model, verdict: Verdict, sight: Sight, coverage: Coverage) -> bool:
    """Whether a model is not fully visible because of terrain or an area between. A model between gives no cover."""
    if verdict.fully_visible:
        return False
    if _is_unseen(verdict):
        return True
    if verdict.visible and Kind.MODEL not in sight.kinds_between((attacker, model)):
        return True
    return not coverage.parts((attacker, model), without_models=True).fully


def _is_unseen(verdict: Verdict) -> bool:
    """Whether there is no line even if all models between were gone."""
    stopped = [reason for reason in verdict.reasons if reason is not Reason.HIDDEN]
    return bool(stopped) and Reason.MODEL not in stopped


def is_plunging(attacker: Model, target: Unit, sight: Sight) -> bool:
    """Whether a model on a section 3 inches or more high shoots at a unit with a model on the ground. Rule 22.05."""
    return is_on_high_section(sight.scene, attacker) and any(model.support is None for model in target.models)

"""Each rule of Warhammer 40,000 that was asked of one model looking at another, in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from deadground.geometry.search import Answer
from deadground.geometry.units import TOUCH, millimetres
from deadground.meshes.piece import Opening
from deadground.scenes.barriers import Kind
from deadground.scenes.model import Model
from deadground.scenes.options import Warhammer40kOptions
from deadground.scenes.rulings.verdict import Finding, Reason, Report, Verdict
from deadground.scenes.rulings.wh40k_cover import Coverage, Detection, detection, is_obscured_by_terrain
from deadground.scenes.rulings.wh40k_seeing import REASONS
from deadground.scenes.rulings.wh40k_states import SMALL, States, is_on_high_section, states_of
from deadground.scenes.rulings.wh40k_terrain import READINGS, barriers_of, closings
from deadground.scenes.scene import Scene
from deadground.scenes.sight import Pair, Sight
from deadground.scenes.terrain import Feature

__all__ = ["findings"]

_KINDS = {
    Kind.GAP: "the enclosed gaps that Solid closes were open",
    Kind.STRIP: "the small gaps between adjacent dense features were open",
    Kind.AREA: "the obscuring areas between were not there",
    Kind.MODEL: "the other models between were not there",
}

_LIFTED = {reason: kind for kind, reason in REASONS.items()}


def findings(
    scene: Scene, options: Warhammer40kOptions, report: Report, observer: str, target: str
) -> tuple[Finding, ...]:
    """Every rule asked, in order. report : of that observer against the whole unit of the target."""
    return tuple(_Explained(scene, options, report, observer, target).all())


class _Explained:
    def __init__(self, scene: Scene, options: Warhammer40kOptions, report: Report, observer: str, target: str) -> None:
        models = {model.name: model for model in scene.models}
        self._scene, self._options = scene, options
        self._pair: Pair = models[observer], models[target]
        self._verdict = next(v for v in report.models if (v.observer, v.target) == (observer, target))
        self._others = [v for v in report.models if v.observer == observer]
        self._unit = next(u for u in report.units if u.target == models[target].unit)
        self._sight = Sight(scene, barriers_of(scene, options))
        self._states = states_of(scene, self._sight, options)
        self._coverage = Coverage(self._sight, options)

    def all(self) -> Iterator[Finding]:
        """The findings in the order in which the rules are asked."""
        yield self._line()
        kinds = self._sight.kinds_between(self._pair)
        if Kind.GAP in kinds:
            yield self._solid()
        if Kind.STRIP in kinds:
            yield self._kind(Kind.STRIP, "13.11", "Do small gaps between adjacent dense features matter?")
        if Kind.AREA in kinds:
            yield self._kind(Kind.AREA, "13.10", "Do obscuring areas matter that neither model is within?")
        if Kind.MODEL in kinds:
            yield self._kind(Kind.MODEL, "06.01", "Do models of other units matter?")
        yield self._hidden()
        yield self._fully()
        yield self._cover()
        yield self._plunging()

    def _line(self) -> Finding:
        width = f"{self._options.line_width_mm:g} mm wide"
        question = f"Is there a line {width} from any part of {self._names[0]} to any part of {self._names[1]}?"
        answer = self._answer()
        return Finding("06.01", question, _said(answer) + self._where(), self._what_else())

    @property
    def _names(self) -> tuple[str, str]:
        return self._pair[0].name, self._pair[1].name

    def _answer(self, lifted: tuple[Kind, ...] = (), reading: str | None = None) -> Answer:
        return self._sight.clear([self._pair], lifted=lifted, reading=reading)[0]

    def _where(self) -> str:
        """Where the line runs, or what stopped the best one."""
        verdict = self._verdict
        if verdict.blocker is None:
            return f" It runs from {_point(verdict.line[0])} to {_point(verdict.line[-1])}." if verdict.line else ""
        stop = verdict.blocker
        what = stop.feature or stop.area or stop.model
        gap = f", closed opening {stop.opening}," if stop.opening else ""
        return f" The best line is stopped by {what}{gap} at {_point(stop.at)}."

    def _what_else(self) -> str:
        """The kinds of barrier that would have to go: each of the smallest sets of them."""
        reasons = self._verdict.reasons
        if Reason.TERRAIN in reasons:
            return "Nothing but moving a model or the terrain: material alone blocks every line."
        kinds = [_LIFTED[reason] for reason in reasons if reason in _LIFTED]
        sets = ([c for c in combinations(kinds, size) if self._opens(c)] for size in range(1, len(kinds) + 1))
        smallest: list[tuple[Kind, ...]] = next((found for found in sets if found), [])
        if not smallest:
            return ""
        said = ", or if ".join(" and ".join(_KINDS[kind] for kind in kinds) for kinds in smallest)
        if Reason.HIDDEN not in reasons:
            return f"It would be seen if {said}."
        return f"There would be a line if {said}; {self._names[1]} would have to be detected too."

    def _opens(self, lifted: tuple[Kind, ...]) -> bool:
        return self._answer(lifted).line is not None

    def _kind(self, kind: Kind, rule: str, question: str) -> Finding:
        with_it, without = self._answer().line is not None, self._answer((kind,)).line is not None
        if with_it:
            return Finding(rule, question, "No: there is a clear line all the same.")
        found = "Yes: without them there is a clear line." if without else "Without them there is still no clear line."
        return Finding(rule, question, found)

    def _solid(self) -> Finding:
        limit = self._options.solid_height
        question = f'Do enclosed gaps of dense features at or below {limit:g}" matter?'
        one = self._kind(Kind.GAP, "13.11", question)
        return replace(one, found=one.found + self._readings(), change=self._lower_limit())

    def _readings(self) -> str:
        said = {reading: self._answer(reading=reading).line is not None for reading in READINGS}
        if len(set(said.values())) == 1:
            return ""
        words = ", ".join(f"{reading}: {'seen' if seen else 'not seen'}" for reading, seen in said.items())
        force = self._options.straddle
        return f" The three readings of a gap that reaches over the limit differ ({words}); in force: {force}."

    def _lower_limit(self) -> str:
        """What the closed opening that stopped the best line would need to be open, and whether that is enough."""
        stop = self._verdict.blocker
        if stop is None or stop.feature is None or stop.opening is None:
            return ""
        feature = self._scene.feature(stop.feature)
        opening = next(o for o in feature.piece.openings if o.id == stop.opening)
        said = f"Opening {opening.id} of {feature.name} {_height(opening)}"
        if dict(feature.overruled).get(opening.id):
            there = self._seen_in(self._with_open(feature, opening), self._options)
            return f"{said}, and the scene says that it is closed: " + _outcome(there, "were it open")
        limit = max(0.0, math.floor(100 * (opening.sill - TOUCH)) / 100)
        options = self._options.model_copy(update={"solid_height": limit})
        left = closings(self._scene, options, options.straddle).get(feature.name, {}).get(opening.id, 0.0)
        if left > limit + TOUCH:
            return f"{said}: no solid_height leaves it open while straddle is {options.straddle}."
        return f"{said}: " + _outcome(self._seen_in(self._scene, options), f'with a solid_height of {limit:g}"')

    def _with_open(self, feature: Feature, opening: Opening) -> Scene:
        """The scene in which it says that an opening is open."""
        overruled = tuple((n, closed and n != opening.id) for n, closed in feature.overruled)
        features = (replace(f, overruled=overruled) if f is feature else f for f in self._scene.features)
        return replace(self._scene, features=tuple(features))

    def _seen_in(self, scene: Scene, options: Warhammer40kOptions) -> bool:
        """Whether there would be a line in another scene or under other options."""
        return Sight(scene, barriers_of(scene, options)).clear([self._pair])[0].line is not None

    def _hidden(self) -> Finding:
        target = self._pair[1]
        question = f"Is {target.name} hidden, and beyond its detection range?"
        if not self._states.hidden[target.name]:
            return Finding("13.09", question, f"Not hidden: {_not_hidden(self._states, target)}.")
        found = detection(self._pair, self._states, self._coverage, self._options)
        gone = ", 3 less than usual, since a Solid feature hides part of it (13.11.01)" if found.gone else ""
        near = "within it." if found.detected else "beyond it, not visible."
        if found.certainty == "sampled":
            near += " Not certain: the search ran out of its budget."
        change = "" if found.detected or Reason.TERRAIN in self._verdict.reasons else _to_detect(found)
        return Finding("13.09", question, f"Hidden; {_apart(found)}{gone}: {near}", change)

    def _fully(self) -> Finding:
        verdict = self._verdict
        question = f"Is every part of {self._names[1]} that faces {self._names[0]} seen?"
        if not verdict.visible:
            return Finding("06.01", question, "No: it is not visible.")
        share = 100 * (verdict.seen_fraction or 0.0)
        size = f"parts under {self._options.smallest_part_mm:g} mm are not asked for"
        if verdict.fully_visible:
            return Finding("06.01", question, f"Yes, fully visible ({size}).")
        single = " from the best single point of it" if self._options.fully_visible_from == "one-point" else ""
        found = f"No: about {share:.0f} % of its facing surface is seen{single} ({size})."
        if verdict.fully_certainty == "sampled":
            found += " Not certain: the search ran out of its budget, and all of it may be seen after all."
        return Finding("06.01", question, found, self._to_see_all())

    def _to_see_all(self) -> str:
        """The kinds of barrier without which, each by itself, all of the target would be seen."""
        kinds = self._sight.kinds_between(self._pair)
        alone = [kind for kind in Kind if kind in kinds and self._coverage.without(self._pair, (kind,)).fully]
        return f"All of it would be seen if {', or if '.join(_KINDS[kind] for kind in alone)}." if alone else ""

    def _cover(self) -> Finding:
        question = f"Does {self._unit.target} have the benefit of cover against {self._names[0]}?"
        attacker = self._unit.attackers[0]
        if not attacker.visible:
            return Finding("13.08", question, "Not asked: none of its models is visible.")
        each = "; ".join(f"{v.target} {self._cover_of(v)}" for v in self._others)
        ignores = self._states.unit_of(self._pair[0]).wh40k.ignores_cover
        worse = "Yes, but the attacker ignores cover" if ignores else "Yes, BS worse by 1"
        return Finding("13.08", question, f"{worse if attacker.cover else 'No'}: {each}.", _to_cover(attacker.cover))

    def _cover_of(self, verdict: Verdict) -> str:
        model = next(m for m in self._scene.models if m.name == verdict.target)
        if self._states.is_covered_by_area(model):
            return f"is within {', '.join(self._states.areas[model.name])}"
        if verdict.fully_visible:
            return "is fully visible"
        seen = "not fully visible" if verdict.visible else "not seen"
        terrain = is_obscured_by_terrain(self._pair[0], model, verdict, self._sight, self._coverage)
        return f"is {seen}" + (" because of what stands between" if terrain else ", but only because of other models")

    def _plunging(self) -> Finding:
        observer, attacker = self._pair[0], self._unit.attackers[0]
        question = f'Does {observer.name} shoot down from 3" or more at a model on ground level?'
        if not self._options.plunging_fire:
            found = "Not asked: the option plunging_fire is off."
        elif not attacker.visible:
            found = f"Not asked: no model of {self._unit.target} is visible."
        elif attacker.plunging_fire:
            found = "Yes: BS better by 1."
        elif is_on_high_section(self._scene, observer):
            found = f"No: no model of {self._unit.target} is on ground level."
        else:
            found = f"No: {self._standing(observer)}."
        total = f" In all: BS {attacker.bs_change:+d}." if attacker.bs_change else " In all: BS unchanged."
        return Finding("22.05", question, found + (total if attacker.visible else ""))

    def _standing(self, model: Model) -> str:
        if model.support is None:
            return "it stands on the ground"
        support = self._scene.feature(model.support)
        return f'it stands {model.foot - support.foot:g}" above the foot of {support.name}'


def _apart(found: Detection) -> str:
    """Distance and range, with as many places as tell them apart."""
    places = 2 if round(found.distance, 2) != round(found.reach, 2) else 3
    reach = f'detected within {found.reach:g}"' if found.reach >= 0 else "detected at no distance"
    return f'{found.distance:.{places}f}" between the bases, {reach}'


def _to_detect(found: Detection) -> str:
    beyond = math.ceil(100 * (found.distance - found.reach - TOUCH / 2)) / 100
    nearer = f'if the bases were {beyond:.2f}" closer, or ' if found.reach >= 0 else ""
    return f'It would be detected {nearer}if its detection range were {beyond:.2f}" more, or if its unit had shot.'


def _to_cover(cover: bool | None) -> str:
    if cover:
        return "One model in the open and fully visible takes it from the whole unit."
    return (
        "It has it only when each of its models is within an area, as INFANTRY, BEASTS or SWARM, or not fully visible"
        " because of terrain or an obscuring area between."
    )


def _outcome(seen: bool, change: str) -> str:
    """What a change would come to."""
    if seen:
        return f"{change} there would be a line."
    return f"{change} that opening would be open, and still no line clear."


def _said(answer: Answer) -> str:
    if answer.certainty == "witness":
        return "Yes: a clear line was found and checked with its width."
    if answer.certainty == "proof":
        return "No: it is proved that there is none."
    slit = millimetres(answer.resolution)
    return f"None was found before the budget ran out; a slit up to {slit:.1f} mm wide may have been missed."


def _point(point: tuple[float, float, float]) -> str:
    return "({:.2f}, {:.2f}, {:.2f})".format(*point)


def _height(opening: Opening) -> str:
    return f'reaches from {opening.sill:.2f}" to {opening.head:.2f}"'


def _not_hidden(states: States, model: Model) -> str:
    facts = states.unit_of(model).wh40k
    if not SMALL & facts.keywords:
        return "it is not INFANTRY, BEASTS or SWARM"
    if facts.shot != "no":
        return f"its unit made ranged attacks ({facts.shot})"
    if not states.areas[model.name]:
        return "it is within no terrain area"
    return "no area that it is within holds a feature of the category needed"

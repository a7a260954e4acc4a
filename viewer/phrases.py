"""Verdicts said in words for people, the same in tables, drawings and pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from deadground.scenes.options import RULESETS, described
from deadground.scenes.rulings.verdict import AttackerVerdict, Blocker, Point, Reason, Report, UnitVerdict, Verdict

__all__ = [
    "NOTES",
    "PLACEMENT",
    "REASONS",
    "attackers_apart",
    "blocker_name",
    "certainty",
    "changed_options",
    "claims",
    "decided_by",
    "in_view",
    "length",
    "note",
    "outcome",
    "placed_wrong",
    "point",
    "reasons",
    "sentence",
    "standing",
    "summary",
    "unit_of",
]

REASONS: Final = {
    Reason.TERRAIN: "terrain in the way",
    Reason.SOLID_GAP: "gap closed by Solid",
    Reason.ADJACENT_GAP: "small gap between terrain pieces, closed",
    Reason.OBSCURING: "obscuring area between",
    Reason.HIDDEN: "hidden, too far to be detected",
    Reason.MODEL: "another unit's model in the way",
    Reason.FULL_COVER: "Full Cover",
    Reason.DIRECT_COVER: "Direct Cover",
    Reason.DEAD_ZONE: "elevation dead zone",
    Reason.OPAQUE: "opaque terrain in the way",
    Reason.FRONT_ARC: "outside its front arc",
}

NOTES: Final = {
    "readings-differ": "The rules can be read in three ways where a gap reaches over the Solid height, and here the"
    " three give different answers. The option straddle says which one is used.",
    "over-low-area": "The line passes over an obscuring area whose terrain is lower than both models. The area blocks"
    " it all the same: it has no height.",
    "margin": "A close call: a move of one of the two models, within the margin asked for, changes the answer.",
    "attackers-differ": "The attacking models do not all find the same cover; what is said of the unit holds for all.",
    "ignores-cover": "The target has cover, but the attacker ignores it.",
    "cover-sampled": "Whether it has cover is not certain: the search ended before it saw all of a model or proved that"
    " a part of it is unseen.",
}
"""What the notes of a verdict mean."""

PLACEMENT: Final = {
    "overhang": "part of its base hangs over the edge",
    "unstable": "its base has no firm stand",
    "keyword": "its kind may not stand there",
    "no-surface": "there is nothing to stand on",
    "inside-terrain": "it stands inside terrain",
    "no-headroom": "it does not fit under what is above",
    "overlaps-model": "it overlaps another model",
    "off-board": "it is off the board",
    "on-token": "it stands on a token",
    "engagement-range": "it is within an inch of an enemy",
}
"""Why a model may not stand where it stands."""

CLAIMS: Final = {"engaged": "engaged with each other", "evade_from_above": "the target may evade from above"}
"""Facts of a pair of units that are said where they hold."""

_ASSUMED: Final = "assumed:"


def unit_of(model: str) -> str:
    """The unit of a model's name: "A" for "A/2"."""
    return model.rpartition("/")[0] or model


def length(value: float, places: int = 1) -> str:
    """Inches with the inch sign."""
    return f"{round(value, places) + 0.0:.{places}f}″"


def point(at: Point) -> str:
    """A point of the table: x, y, height."""
    return ", ".join(f"{round(value, 1) + 0.0:.1f}" for value in at)


def outcome(verdict: Verdict) -> str:
    """The verdict in a word or two."""
    if not verdict.visible:
        return "not seen"
    return "fully seen" if verdict.fully_visible else "seen"


def reasons(given: Iterable[Reason]) -> str:
    """All reasons in words."""
    return "; ".join(REASONS[reason] for reason in given)


def in_view(verdict: Verdict) -> str:
    """How well a target is seen, as far as that is known: "" for no more than that it is."""
    facts = verdict.facts
    if facts.get("cover") in ("soft", "hard"):
        kind = facts["cover"]
        return f"{kind} cover on {facts.get(f'{kind}_fraction', 1):.0%} of the lines"
    if verdict.visible and verdict.seen_fraction is not None and not verdict.fully_visible:
        unsure = ", or more (sampled)" if verdict.fully_certainty == "sampled" else ""
        return f"{verdict.seen_fraction:.0%} of it in view{unsure}"
    return ""


def blocker_name(blocker: Blocker) -> str:
    """What stopped a line."""
    if blocker.model:
        return f"model {blocker.model}"
    if blocker.area:
        return f"area {blocker.area}"
    if blocker.feature and blocker.opening is not None:
        return f"{blocker.feature}, opening {blocker.opening}"
    return blocker.feature or "what stands there"


def decided_by(verdict: Verdict) -> str:
    """What decided it, and where: the blocker, or the two ends of the clear line. "" where there is nothing to show."""
    if verdict.blocker is not None:
        return f"{blocker_name(verdict.blocker)}, at {point(verdict.blocker.at)}"
    if verdict.visible and len(verdict.line) > 1:
        return f"line {point(verdict.line[0])} to {point(verdict.line[-1])}"
    return ""


def certainty(verdict: Verdict) -> str:
    """How sure the verdict is."""
    if verdict.certainty == "witness":
        return "line found"
    if verdict.certainty == "proof":
        return "proved"
    return f"sampled: may miss slits under {length(verdict.resolution, 3)}"


def sentence(verdict: Verdict) -> str:
    """The verdict as one sentence."""
    who = f"{verdict.observer} {'sees' if verdict.visible else 'does not see'} {verdict.target}"
    fully = " fully" if verdict.visible and verdict.fully_visible else ""
    why = reasons(verdict.reasons) or in_view(verdict)
    why = f": {why}" if why else ""
    what = f" ({blocker_name(verdict.blocker)})" if verdict.blocker is not None else ""
    unsure = "" if verdict.certainty != "sampled" else f" ({certainty(verdict)})"
    return f"{who}{fully}{why}{what}{unsure}."


def summary(verdict: UnitVerdict, pairs: Iterable[Verdict]) -> str:
    """What one unit sees of another, in one line. pairs : the verdicts of their models."""
    if not verdict.visible:
        return ", ".join([f"{verdict.attacker} does not see {verdict.target}", *_facts(verdict)])
    pairs = list(pairs)
    said = [f"{verdict.attacker} sees {verdict.target}"]
    lookers, seeing = {pair.observer for pair in pairs}, {pair.observer for pair in pairs if pair.visible}
    targets, seen = {pair.target for pair in pairs}, {pair.target for pair in pairs if pair.visible}
    if len(lookers) > 1:
        said.append(f"{len(seeing)} of its {len(lookers)} models can")
    if len(targets) > 1:
        said.append(f"{len(seen)} of {len(targets)} targets seen")
    return ", ".join([*said, *claims(verdict)])


def claims(verdict: UnitVerdict | AttackerVerdict) -> list[str]:
    """What follows for shooting, as far as it was computed."""
    cover = {None: "", True: "benefit of cover", False: "no cover"}[verdict.cover]
    fully = {None: "", True: "fully visible", False: "not fully visible"}[verdict.fully_visible]
    plunging = "plunging fire" if verdict.plunging_fire else ""
    skill = {None: "", 0: "", 1: "BS better by 1", -1: "BS worse by 1"}.get(verdict.bs_change, "")
    said = [claim for claim in (fully, cover, plunging, skill) if claim]
    return said + _facts(verdict) if isinstance(verdict, UnitVerdict) else said


def attackers_apart(verdict: UnitVerdict) -> str:
    """What each attacking model finds, where they do not all find the same; else ""."""
    found = {attacker.model: claims(attacker) for attacker in verdict.attackers if attacker.visible}
    if len({tuple(said) for said in found.values()}) < 2:
        return ""
    return "; ".join(f"{model}: {', '.join(said)}" for model, said in found.items()) + "."


def _facts(verdict: UnitVerdict) -> list[str]:
    return [words for fact, words in CLAIMS.items() if verdict.facts.get(fact)]


def standing(facts: Mapping[str, Any]) -> list[str]:
    """What a report says of where units stand, as sentences."""
    said = [
        f"{entry['unit']} is engaged: it may only disengage or hold, and shoot only {', '.join(entry['may_shoot'])}."
        for entry in facts.get("engagements", ())
    ]
    said += [
        f"{entry['unit']} ({entry['pool']}) touches the dangerous {entry['feature']}: after a march, charge, flee or"
        f" pursue move it takes {entry['tests']} tests, a hit on {entry['on']}."
        for entry in facts.get("dangerous", ())
    ]
    return said + [
        f"{entry['unit']} touches {entry['feature']}: it cannot claim the combat score of its proper ranks."
        for entry in facts.get("disruptive", ())
    ]


def note(code: str, ruleset: str = "") -> str:
    """A note's meaning, as a sentence."""
    if code.startswith(_ASSUMED):
        name = code.removeprefix(_ASSUMED)
        meaning = _help_lines(ruleset).get(name)
        said = f", the option {name}{f' ({meaning})' if meaning else ''}"
        return f"The rules do not settle this case; the answer rests on an assumption{said}."
    return NOTES.get(code, code.replace("-", " ").capitalize() + ".")


def _help_lines(ruleset: str) -> dict[str, str]:
    system = RULESETS.get(ruleset)
    return {option.name: option.help_line for option in described(system)} if system else {}


def placed_wrong(reason: str) -> str:
    """A reason of `placement`, in words."""
    return PLACEMENT.get(reason, reason.replace("-", " "))


def changed_options(report: Report) -> list[str]:
    """The options that are not at their default, as "solid_height 4.0 (normally 3.0)"."""
    system = RULESETS.get(report.ruleset)
    defaults = {option.name: option.default for option in described(system)} if system else {}
    changed = ((name, report.options[name], default) for name, default in defaults.items() if name in report.options)
    return [f"{name} {_value(v)} (normally {_value(d)})" for name, v, d in changed if _comparable(v) != _comparable(d)]


def _comparable(value: Any) -> Any:
    return frozenset(value) if isinstance(value, (list, tuple, set, frozenset)) else value


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple, set, frozenset)):
        return ", ".join(sorted(map(str, value))) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)

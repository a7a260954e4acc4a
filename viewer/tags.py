"""What stands behind a name in a picture: hidden, in cover, its Size, where it may not stand; and what terrain is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from deadground.scenes.rulings.verdict import Report, Verdict
from deadground.scenes.terrain import Feature, NinthAgeFeature
from deadground.viewer.phrases import unit_of

__all__ = ["feature_tag", "tagged", "tags", "unit_tag"]


def tagged(name: str, tag: str) -> str:
    """A name with what is said of it."""
    return f"{name} ({tag})" if tag else name


def feature_tag(report: Report, feature: Feature) -> str:
    """What a feature is to a system whose facts one does not see in it: its Size, or what it does to lines of sight."""
    if report.ruleset == "sctmg":
        return "" if feature.sctmg.size is None else f"Size {feature.sctmg.size}"
    return ninth_age_words(feature.t9a) if report.ruleset == "t9a" else ""


def ninth_age_words(facts: NinthAgeFeature) -> str:
    """The 9th Age's facts about a feature, "" where there are none."""
    said = ["opaque"] if facts.opaque else []
    if facts.cover != "none":
        height = "" if facts.height is None else f", Height {facts.height}"
        said.append(f"{facts.cover} cover{height}")
    if facts.dangerous is not None:
        said.append(f"dangerous {facts.dangerous}+")
    return ", ".join(said)


def tags(report: Report, drawn: Iterable[Verdict], show: Collection[str] = ()) -> Mapping[str, str]:
    """Model -> its tags, for those that have any.

    drawn : the verdicts whose lines the picture shows; show : what it shows by signs, which no tag repeats
    A model is in cover where every unit whose clear line to it is drawn finds its unit in cover.
    """
    among = list(drawn)
    reached = {verdict.target for verdict in among if verdict.visible}
    found = {name: [f"Size {size}"] for name, size in sizes(report).items()}
    for state in report.states or ():
        if state.hidden and "hidden" not in show:
            found.setdefault(state.model, []).append("hidden, but detected" if state.model in reached else "hidden")
    for name, word in unit_words(report, among):
        found.setdefault(name, []).append(word)
    for name in covered(report, among) if "cover" not in show else ():
        found.setdefault(name, []).append("cover")
    for name, word in plunging(report, among) if "cover" in show else ():  # what a figure of cover is about
        found.setdefault(name, []).append(word)
    for name, word in ninth_age_claims(report, among):
        found.setdefault(name, []).append(word)
    for entry in (report.placement or ()) if "ticks" not in show else ():
        found.setdefault(entry.model, []).extend(reason.replace("-", " ") for reason in entry.reasons)
    return {name: ", ".join(said) for name, said in found.items()}


def unit_tag(report: Report, unit: str) -> str:
    """What is said of a whole unit, behind the one name of a crowd."""
    return ", ".join(word for name, word in dangers(report) if name == unit)


def ninth_age_claims(report: Report, drawn: Iterable[Verdict]) -> Iterator[tuple[str, str]]:
    """(model, word): the cover of each target to which a line is drawn, if all agree; a unit's tests at its first."""
    against: dict[str, set[str]] = {}
    for verdict in drawn:
        if verdict.visible and report.ruleset == "t9a":
            against.setdefault(verdict.target, set()).add(str(verdict.facts.get("cover")))
    for name, kinds in against.items():
        if len(kinds) == 1:
            yield name, f"{kinds.pop().replace('none', 'no')} cover"
    yield from ((f"{unit}/1", word) for unit, word in dangers(report))


def dangers(report: Report) -> Iterator[tuple[str, str]]:
    """(unit, word): how many dangerous terrain tests it takes, for each feature that it is in contact with."""
    for entry in report.facts.get("dangerous", ()):
        yield entry["unit"], f"{entry['tests']} tests, {entry['on']}"


def sizes(report: Report) -> dict[str, int]:
    """Model -> Effective Size, in the system that has one."""
    found: dict[str, int] = {}
    for verdict in report.models:
        told = verdict.facts.get("effective_sizes", {})
        found |= {name: told[end] for name, end in ((verdict.observer, "observer"), (verdict.target, "target")) if told}
    return found


def unit_words(report: Report, drawn: list[Verdict]) -> Iterator[tuple[str, str]]:
    """(model, word): in an engaged unit; in one that evades from above every unit whose lines to it are drawn."""
    members = dict.fromkeys(name for verdict in report.models for name in (verdict.observer, verdict.target))
    engaged = {name for unit in report.units if unit.facts.get("engaged") for name in (unit.attacker, unit.target)}
    evading = {(unit.attacker, unit.target) for unit in report.units if unit.facts.get("evade_from_above")}
    against: dict[str, set[str]] = {}
    for verdict in drawn:
        against.setdefault(unit_of(verdict.target), set()).add(unit_of(verdict.observer))
    for name in members:
        own = unit_of(name)
        if own in engaged:
            yield name, "engaged"
        if own in against and all((other, own) in evading for other in against[own]):
            yield name, "evades from above"


def plunging(report: Report, drawn: list[Verdict]) -> Iterator[tuple[str, str]]:
    """(model, words) for those who have plunging fire along a clear line that is drawn, with what comes of it."""
    told: dict[str, str] = {}
    for unit in report.units:
        for attacker in unit.attackers:
            aimed = any(v.visible and v.observer == attacker.model and unit_of(v.target) == unit.target for v in drawn)
            if aimed and attacker.plunging_fire:
                change = f"{attacker.bs_change:+d}" if attacker.bs_change else "±0"
                told[attacker.model] = f"plunging fire, BS {change}"
    yield from told.items()


def covered(report: Report, drawn: list[Verdict]) -> list[str]:
    """Names of the targets whose units have cover against all units whose lines reach them."""
    claims = {(unit.attacker, unit.target): unit.cover for unit in report.units}
    against: dict[str, list[bool]] = {}
    for verdict in drawn:
        if verdict.visible:
            pair = unit_of(verdict.observer), unit_of(verdict.target)
            against.setdefault(verdict.target, []).append(claims.get(pair) is True)
    return [name for name, each in against.items() if all(each)]

"""What stands behind a model's name in a picture: hidden, in cover, placed where it may not stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from deadground.scenes.rulings.verdict import Report, Verdict
from deadground.viewer.phrases import unit_of

__all__ = ["tags"]


def tags(report: Report, drawn: Iterable[Verdict]) -> Mapping[str, str]:
    """Model -> its tags, for those that have any. drawn : the verdicts whose lines the picture shows.

    A model is in cover where every unit whose clear line to it is drawn finds its unit in cover.
    """
    found: dict[str, list[str]] = {}
    for state in report.states or ():
        if state.hidden:
            found.setdefault(state.model, []).append("hidden")
    for name in covered(report, list(drawn)):
        found.setdefault(name, []).append("cover")
    for placement in report.placement or ():
        found.setdefault(placement.model, []).extend(reason.replace("-", " ") for reason in placement.reasons)
    return {name: ", ".join(said) for name, said in found.items()}


def covered(report: Report, drawn: list[Verdict]) -> list[str]:
    """Names of the targets whose units have cover against all units whose lines reach them."""
    claims = {(unit.attacker, unit.target): unit.cover for unit in report.units}
    against: dict[str, list[bool]] = {}
    for verdict in drawn:
        if verdict.visible:
            pair = unit_of(verdict.observer), unit_of(verdict.target)
            against.setdefault(verdict.target, []).append(claims.get(pair) is True)
    return [name for name, each in against.items() if all(each)]

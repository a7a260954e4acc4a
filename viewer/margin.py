"""Margins for `deadground check`: how far models may be off before a verdict changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from deadground.scenes.margin import Margin
from deadground.scenes.options import options_of
from deadground.scenes.rulings import find, wh40k_margin
from deadground.scenes.rulings.margins import tried_margins
from deadground.scenes.rulings.verdict import Report, Verdict
from deadground.scenes.scene import Scene
from deadground.viewer.judging import progress

__all__ = ["margin_lines", "with_margins"]

NOTE: Final = "margin"
"""The note of verdicts that flip."""

_MOST: Final = 40
"""Flips that are listed one by one."""


def with_margins(scene: Scene, report: Report, reach: float) -> Report:
    """The report with what a margin of `reach` inches does to each verdict, as the fact `margin`. 0: as it is."""
    if reach == 0 or not report.models:
        return report
    with progress(f"moving models up to {reach:.3g}″") as told:
        if report.ruleset == "wh40k-11e" and not options_of(scene, "wh40k").gone_to_ground:
            found = wh40k_margin.margins(scene, report.models, reach, told)
        else:
            found = tried_margins(scene, find(report.ruleset), report.models, reach, told)
    told_of = (_noted(verdict, margin) for verdict, margin in zip(report.models, found, strict=True))
    return replace(report, models=tuple(told_of))


def _noted(verdict: Verdict, margin: Margin) -> Verdict:
    notes = verdict.notes if margin.stable else (*verdict.notes, NOTE)
    return replace(verdict, notes=notes, facts={**verdict.facts, "margin": _values(margin)})


def _values(margin: Margin) -> dict[str, Any]:
    outcome = {"within": margin.within, "outcome": "stable" if margin.stable else "flips"}
    if margin.certified:
        return {**outcome, "certified": True}
    values = {**outcome, "certified": False, "tried": margin.tried}
    if margin.flip is None:
        return values
    flip = margin.flip
    return {**values, "move": {"model": flip.model, "to": [flip.x, flip.y], "distance": flip.distance}}


def margin_lines(models: Sequence[Verdict]) -> Iterator[str]:
    """What a margin does to the verdicts, in words."""
    known = [(verdict, verdict.facts["margin"]) for verdict in models if "margin" in verdict.facts]
    if not known:
        return
    flips = [(verdict, said) for verdict, said in known if said["outcome"] == "flips"]
    sure = sum(said["certified"] for _, said in known)
    within = known[0][1]["within"]
    yield (
        f"With one of its models up to {within:.3g}″ off, of {len(known)} verdicts {sure} are certain to stay,"
        f" {len(known) - sure - len(flips)} stayed in every place tried, and {len(flips)} flip:"
    )
    flips.sort(key=lambda one: float(one[1]["move"]["distance"]))
    for verdict, said in flips[:_MOST]:
        yield f"  {_flip_words(verdict, said['move'])}"
    if len(flips) > _MOST:
        yield f"  and {len(flips) - _MOST} more, which need longer moves (all of them: --json)"


def _flip_words(verdict: Verdict, move: dict[str, Any]) -> str:
    x, y = move["to"]
    becomes = "not seen" if verdict.visible else "seen"
    return (
        f"{verdict.observer} → {verdict.target}: {becomes} with {move['model']} moved {move['distance']:.3f}″"
        f" to {x:.3f}, {y:.3f}"
    )

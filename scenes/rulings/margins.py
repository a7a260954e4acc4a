"""How far models may be off before a verdict changes, for any rule system: by judging them in other places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from deadground.scenes.margin import Margin, Places, tried_margin
from deadground.scenes.model import Model
from deadground.scenes.rulings.verdict import Progress, RuleSystem, Verdict
from deadground.scenes.scene import Scene

__all__ = ["tried_margins"]


def tried_margins(
    scene: Scene, system: RuleSystem, verdicts: Sequence[Verdict], reach: float, progress: Progress | None = None
) -> list[Margin]:
    """For each verdict whether `visible` survived every place tried of either of its models, `reach` inches (above 0).

    Nothing is certified. Slow: each place is judged.
    """
    models, places = {model.name: model for model in scene.models}, Places(scene, reach)
    found = []
    for done, verdict in enumerate(verdicts, start=1):
        pair = models[verdict.observer], models[verdict.target]
        found.append(tried_margin(pair, places, reach, partial(_changed, scene, system, verdict)))
        if progress is not None:
            progress(done, len(verdicts))
    return found


def _changed(
    scene: Scene, system: RuleSystem, verdict: Verdict, places: Sequence[Model], other: Model, looks: bool
) -> list[bool]:
    """Whether the verdict is surely another with a model in each place (see `margin.Changes`)."""
    seen = _seen(scene, system, places, other, looks)
    return [sees is not None and sees != verdict.visible for sees in seen]


def _seen(scene: Scene, system: RuleSystem, places: Sequence[Model], other: Model, looks: bool) -> list[bool | None]:
    """What is judged with a model in each place, all at once: models of one unit never hide each other's lines."""
    if not places:
        return []
    name, start = places[0].unit, 1 + max(model.number for model in scene.unit(places[0].unit).models)
    there = tuple(replace(place, number=start + n) for n, place in enumerate(places))
    units = tuple(replace(u, models=(*u.models, *there)) if u.name == name else u for u in scene.units)
    names = [model.name for model in there]
    who, whom = (names, [other.name]) if looks else ([other.name], names)
    report = system.judge(replace(scene, units=units), observers=who, targets=whom)
    said = {(v.observer if looks else v.target): v for v in report.models}
    return [None if said[each].certainty == "sampled" else said[each].visible for each in names]

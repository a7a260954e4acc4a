"""`deadground check --explain A/1 B/2`: every rule asked of one model looking at another, in plain words."""

from __future__ import annotations

import textwrap
from typing import Protocol, runtime_checkable

from deadground.geometry.errors import InputError
from deadground.scenes.model import Model
from deadground.scenes.options import RULESETS, options_of
from deadground.scenes.rulings.verdict import Explains, Finding, Report, RuleSystem
from deadground.scenes.scene import Scene
from deadground.viewer import phrases
from deadground.viewer.judging import expected, source, systems

__all__ = ["explained"]

_WIDTH = 96


@runtime_checkable
class _Explaining(RuleSystem, Explains, Protocol):
    """A rule system that says every rule it asked."""


def explained(scene: Scene, ruleset: str | None, observer: str, target: str) -> str:
    """The explanation as text. InputError for an unknown model, two of one side, or a system that explains nothing."""
    system = _system(scene, ruleset)
    one, two = (_model(scene, name) for name in (observer, target))
    if one.side == two.side:
        raise _refused(scene, f"expected models of two sides, {observer} and {target} are both {one.side}")
    options = options_of(scene, RULESETS[system.name]).model_dump()
    changed = phrases.changed_options(Report(system.name, system.edition, options, ()))
    said = [f"{observer} looks at {target}. {system.edition}."]
    said += [f"Options changed: {'; '.join(changed)}."] if changed else []
    lines = [*(line for each in said for line in textwrap.wrap(each, _WIDTH)), ""]
    for number, finding in enumerate(system.explain(scene, observer, target), 1):
        lines += _lines(number, finding)
    return "\n".join(lines) + "\n"


def _system(scene: Scene, ruleset: str | None) -> _Explaining:
    chosen = systems(scene, ruleset)
    if len(chosen) > 1:
        raise _refused(scene, "expected one rule system, found --ruleset all")
    (system,) = chosen
    if not isinstance(system, _Explaining):
        raise _refused(scene, f"{system.name} gives its reasons in the table and in --json")
    return system


def _model(scene: Scene, name: str) -> Model:
    models = {model.name: model for model in scene.models}
    if any(unit.name == name for unit in scene.units):
        raise _refused(scene, f"expected a model as UNIT/N, found a unit: say {name}/1, for instance")
    if name not in models:
        raise _refused(scene, expected(models, name, "a model as UNIT/N"))
    return models[name]


def _refused(scene: Scene, problem: str) -> InputError:
    return InputError(source(scene), "--explain", problem)


def _lines(number: int, finding: Finding) -> list[str]:
    head = textwrap.wrap(f"{number}. [{finding.rule}] {finding.question}", _WIDTH, subsequent_indent="   ")
    body = [*textwrap.wrap(finding.found, _WIDTH - 3)]
    if finding.change:
        body += textwrap.wrap("What would change it: " + finding.change, _WIDTH - 3)
    return [*head, *("   " + line for line in body)]

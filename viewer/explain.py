"""`deadground check --explain A/1 B/2`: every rule asked of one model looking at another, in plain words."""

from __future__ import annotations

import difflib
import textwrap

from deadground.geometry.errors import InputError
from deadground.scenes.rulings import find
from deadground.scenes.rulings.verdict import Explains, Finding
from deadground.scenes.scene import Scene

__all__ = ["explained"]

_WIDTH = 96


def explained(scene: Scene, ruleset: str | None, observer: str, target: str) -> str:
    """The explanation as text. InputError for an unknown model, two of one side, or a system that explains nothing."""
    system = find(ruleset or scene.ruleset)
    for name in (observer, target):
        _check_model(scene, name)
    sides = {model.name: model.side for model in scene.models}
    if sides[observer] == sides[target]:
        raise InputError(f"{observer} {target}", "explain", f"expected models of two sides, both are {sides[target]}")
    if not isinstance(system, Explains):
        raise InputError(system.name, "explain", "this rule system gives its reasons in the table and in --json")
    lines = [f"{observer} looks at {target}. {system.edition}.", ""]
    for number, finding in enumerate(system.explain(scene, observer, target), 1):
        lines += _lines(number, finding)
    return "\n".join(lines) + "\n"


def _check_model(scene: Scene, name: str) -> None:
    names = [model.name for model in scene.models]
    if any(unit.name == name for unit in scene.units):
        raise InputError(name, "explain", f"expected a model as UNIT/N, found a unit: say {name}/1, for instance")
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.0)
        nearest = f", the nearest is {near[0]}" if near else ""
        raise InputError(name, "explain", f"expected a model as UNIT/N{nearest}")


def _lines(number: int, finding: Finding) -> list[str]:
    head = textwrap.wrap(f"{number}. [{finding.rule}] {finding.question}", _WIDTH, subsequent_indent="   ")
    body = [*textwrap.wrap(finding.found, _WIDTH - 3)]
    if finding.change:
        body += textwrap.wrap("What would change it: " + finding.change, _WIDTH - 3)
    return [*head, *("   " + line for line in body)]

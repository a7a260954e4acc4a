"""Reports as JSON: what a version does not compute is absent, never a made-up false. Lengths in inches."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any, Final

import numpy as np

from deadground.scenes.rulings.verdict import (
    AttackerVerdict,
    Blocker,
    Placement,
    Point,
    Report,
    State,
    UnitVerdict,
    Verdict,
)

__all__ = ["dumps", "report_values", "reports_values", "tidy"]

SCHEMA: Final = 1

POINT_PLACES: Final = 6
"""A clear line must still be clear when it is read back: its width has ten times this to spare."""

PLACES: Final = 4
"""Other lengths: ten times finer than what counts as touching."""


def tidy(value: Any, places: int = PLACES) -> Any:
    """The value as JSON knows it: rounded, without -0.0, mappings and sequences all the way down, sets in order."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {str(key): tidy(item, places) for key, item in value.items()}
    if isinstance(value, (Sequence, AbstractSet)) and not isinstance(value, str):
        tidied = [tidy(item, places) for item in value]
        return sorted(tidied) if isinstance(value, AbstractSet) else tidied
    return _plain(value, places)


def _plain(value: Any, places: int) -> Any:
    if isinstance(value, Enum):
        return value.value
    return round(value, places) + 0.0 if isinstance(value, float) else value


def _known(**values: Any) -> dict[str, Any]:
    """The values that were computed, tidied."""
    return {key: tidy(value) for key, value in values.items() if value is not None}


def _points(points: Sequence[Point]) -> list[list[float]]:
    return [[tidy(float(value), POINT_PLACES) for value in point] for point in points]


def _blocker(blocker: Blocker) -> dict[str, Any]:
    named = _known(feature=blocker.feature, opening=blocker.opening, area=blocker.area, model=blocker.model)
    return {**named, "at": _points([blocker.at])[0]}


def _model(verdict: Verdict) -> dict[str, Any]:
    """One entry of `models`."""
    stopped = {"blocker": _blocker(verdict.blocker)} if verdict.blocker is not None else {}
    return {
        **_known(
            observer=verdict.observer, target=verdict.target, visible=verdict.visible,
            fully_visible=verdict.fully_visible, seen_fraction=verdict.seen_fraction,
            distance=float(verdict.distance), reasons=verdict.reasons,
        ),
        "line": _points(verdict.line), **stopped,
        **_known(
            certainty=verdict.certainty, fully_certainty=verdict.fully_certainty,
            resolution=float(verdict.resolution), rule=verdict.rule or None, notes=verdict.notes,
        ),
        **tidy(verdict.facts),
    }  # fmt: skip


def _attacker(verdict: AttackerVerdict) -> dict[str, Any]:
    return _known(
        model=verdict.model, visible=verdict.visible, fully_visible=verdict.fully_visible, cover=verdict.cover,
        bs_change=verdict.bs_change, plunging_fire=verdict.plunging_fire,
    )  # fmt: skip


def _unit(verdict: UnitVerdict) -> dict[str, Any]:
    """One entry of `units`."""
    return {
        **_known(
            attacker=verdict.attacker, target=verdict.target, visible=verdict.visible,
            fully_visible=verdict.fully_visible, cover=verdict.cover, bs_change=verdict.bs_change,
            plunging_fire=verdict.plunging_fire, reasons=verdict.reasons, notes=verdict.notes,
        ),
        "attackers": [_attacker(attacker) for attacker in verdict.attackers],
        **tidy(verdict.facts),
    }  # fmt: skip


def _state(state: State) -> dict[str, Any]:
    return _known(model=state.model, areas=state.areas, hidden=state.hidden, level=float(state.level))


def _placement(placement: Placement) -> dict[str, Any]:
    return _known(model=placement.model, reasons=placement.reasons)


def report_values(report: Report) -> dict[str, Any]:
    """One system's report as plain values."""
    states = None if report.states is None else [_state(state) for state in report.states]
    placement = None if report.placement is None else [_placement(entry) for entry in report.placement]
    return {
        "schema": SCHEMA,
        "ruleset": report.ruleset,
        "edition": report.edition,
        "options": tidy(report.options),
        "models": [_model(verdict) for verdict in report.models],
        "units": [_unit(verdict) for verdict in report.units],
        **_known(states=states, placement=placement),
        **({"warnings": list(report.warnings)} if report.warnings else {}),
        **tidy(report.facts),
    }


def reports_values(reports: Sequence[Report]) -> dict[str, Any]:
    """Several systems' reports on one scene (`--ruleset all`)."""
    return {"schema": SCHEMA, "results": [report_values(report) for report in reports]}


def dumps(value: Mapping[str, Any], margin: str = "") -> str:
    """JSON text, the same each time: a line for each key, and for each entry of a list of entries.

    ASCII, so that no console spoils it. ValueError for a number that JSON does not know.
    """
    inner = f"{margin} "
    parts = [f"{json.dumps(key)}: {_entries(item, inner)}" for key, item in value.items()]
    return "{" + f",\n{inner}".join(parts) + "}"


def _entries(value: Any, margin: str) -> str:
    """What stands behind a key."""
    if not (isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value)):
        return json.dumps(value, allow_nan=False)
    inner = f"{margin} "
    lines = [dumps(entry, inner) if "models" in entry else json.dumps(entry, allow_nan=False) for entry in value]
    return f"[\n{inner}" + f",\n{inner}".join(lines) + "]"

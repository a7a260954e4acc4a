"""The JSON schema of `check --json`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from deadground.scenes.options import RULESETS
from deadground.scenes.rulings.verdict import Reason

__all__ = ["report_schema"]

_TEXT: Final = {"type": "string"}
_FLAG: Final = {"type": "boolean"}
_LENGTH: Final = {"type": "number", "minimum": 0, "description": "inches"}
_SHARE: Final = {"type": "number", "minimum": 0, "maximum": 1}
_POINT: Final = {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3, "description": "inches"}
_CERTAINTY: Final = {
    "enum": ["witness", "proof", "sampled"],
    "description": "witness: this line is clear; proof: no line exists; sampled: time ran out",
}
_REASONS: Final = {"type": "array", "items": {"enum": [reason.value for reason in Reason]}, "uniqueItems": True}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_BS: Final = {"enum": [-1, 0, 1], "description": "-1 with cover, +1 with plunging fire, 0 with both or neither"}


def _object(properties: dict[str, Any], required: Collection[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": sorted(required)}


def _list(entry: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": entry}


_CLAIMS: Final = {
    "visible": _FLAG, "fully_visible": _FLAG, "cover": _FLAG, "bs_change": _BS, "plunging_fire": _FLAG,
}  # fmt: skip


def _blocker() -> dict[str, Any]:
    named = {"feature": _TEXT, "opening": {"type": "integer", "minimum": 1}, "area": _TEXT, "model": _TEXT}
    one_of = [{"required": [key]} for key in ("feature", "area", "model")]
    return {**_object({**named, "at": _POINT}, {"at"}), "oneOf": one_of, "dependentRequired": {"opening": ["feature"]}}


def _margin() -> dict[str, Any]:
    """What being off by so much does to a verdict (`--margin`)."""
    spot = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2, "description": "inches"}
    move = _object({"model": _TEXT, "to": spot, "distance": _LENGTH}, {"model", "to", "distance"})
    outcome = {"enum": ["stable", "flips"], "description": "of `visible`, with either model up to `within` inches off"}
    tried = {"type": "integer", "minimum": 0, "description": "places asked where it is not certified"}
    return _object(
        {"within": _LENGTH, "outcome": outcome, "certified": _FLAG, "tried": tried, "move": move},
        {"within", "outcome", "certified"},
    )


def _model() -> dict[str, Any]:
    sizes = _object({"observer": {"type": "integer"}, "target": {"type": "integer"}}, {"observer", "target"})
    properties = {
        "observer": _TEXT, "target": _TEXT, "visible": _FLAG, "fully_visible": _FLAG, "seen_fraction": _SHARE,
        "distance": _LENGTH, "reasons": _REASONS, "line": _list(_POINT), "blocker": _blocker(),
        "certainty": _CERTAINTY, "fully_certainty": _CERTAINTY, "resolution": _LENGTH, "rule": _TEXT, "notes": _TEXTS,
        "effective_sizes": sizes, "close_quarters": _FLAG,
        "soft_fraction": _SHARE, "hard_fraction": _SHARE, "cover": {"enum": ["none", "soft", "hard"]},
        "margin": _margin(),
    }  # fmt: skip
    always = {"observer", "target", "visible", "distance", "reasons", "line", "certainty", "resolution", "notes"}
    clear = {"if": {"properties": {"visible": {"const": True}}}, "then": {"properties": {"reasons": {"maxItems": 0}}}}
    return {**_object(properties, always), **clear}


def _unit() -> dict[str, Any]:
    attacker = _object({"model": _TEXT, **_CLAIMS}, {"model", "visible"})
    more = {"evade_from_above": _FLAG, "engaged": _FLAG, "may_shoot": _FLAG, "notes": _TEXTS}
    named = {"attacker": _TEXT, "target": _TEXT, "reasons": _REASONS, "attackers": _list(attacker)}
    return _object({**named, **_CLAIMS, **more}, {"attacker", "target", "visible", "reasons", "attackers"})


def _report() -> dict[str, Any]:
    level = {"type": "number", "description": "inches above the ground"}
    state = _object({"model": _TEXT, "areas": _TEXTS, "hidden": _FLAG, "level": level}, {"model", "areas", "level"})
    whole = {"type": "integer", "minimum": 0}
    dangerous = _object(
        {"unit": _TEXT, "pool": _TEXT, "feature": _TEXT, "tests": whole, "on": {"type": ["integer", "string"]}},
        {"unit", "feature", "tests"},
    )
    properties = {
        "schema": {"const": 1}, "ruleset": {"enum": list(RULESETS)}, "edition": _TEXT, "options": {"type": "object"},
        "models": _list(_model()), "units": _list(_unit()), "states": _list(state),
        "placement": _list(_object({"model": _TEXT, "reasons": _TEXTS}, {"model", "reasons"})),
        "dangerous": _list(dangerous), "warnings": _TEXTS,
    }  # fmt: skip
    return _object(properties, {"schema", "ruleset", "options", "models", "units"})


def report_schema() -> dict[str, Any]:
    """JSON schema (2020-12) of `check --json`, for one rule system or for all of them."""
    results = _object({"schema": {"const": 1}, "results": _list({"$ref": "#/$defs/report"})}, {"schema", "results"})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "deadground report",
        "description": "Who sees whom. A value that is not computed is absent. Lengths and points are in inches.",
        "$defs": {"report": _report(), "results": results},
        "anyOf": [{"$ref": "#/$defs/report"}, {"$ref": "#/$defs/results"}],
    }

"""The same table told in another way: turned, mirrored, moved, in millimetres. Scene documents in and out."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

Document = dict[str, Any]
Spot = list[float]

MIDDLE = (30.0, 22.0)
"""Middle of the board that most cases use; what is turned or mirrored is so about it."""

SYSTEMS = ("wh40k", "sctmg", "t9a")


def turned(document: Document, degrees: float) -> Document:
    """The table turned about the middle of the board. Things may come to stand off the board."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def spot(at: Spot) -> Spot:
        x, y = at[0] - MIDDLE[0], at[1] - MIDDLE[1]
        return [MIDDLE[0] + c * x - s * y, MIDDLE[1] + s * x + c * y, *at[2:]]

    return _with_places(document, spot, lambda angle: angle + degrees)


def mirrored(document: Document) -> Document:
    """The table as a mirror along the x axis shows it: every piece is another piece, its sides exchanged."""
    result = _with_places(document, lambda at: [at[0], 2 * MIDDLE[1] - at[1], *at[2:]], lambda angle: -angle)
    for feature in result.get("feature", []):
        if "mesh" in feature:
            raise ValueError("a mesh cannot be mirrored in a document")
        _flip_feature(feature)
    return result


def moved(document: Document, x: float, y: float) -> Document:
    """The table with everything shifted."""
    return _with_places(document, lambda at: [at[0] + x, at[1] + y, *at[2:]], lambda angle: angle)


LENGTHS = {
    "area": ("outline",),
    "feature": ("at", "wall", "floor", "block", "prism", "footprint"),
    "unit": ("at", "height"),
}


def in_mm(document: Document) -> Document:
    """The table with every length in millimetres. Options that end in _mm are so already, bases say their own unit."""
    result = copy.deepcopy(document) | {"units": "mm", "board": _times(document["board"])}
    result |= {system: _options(result[system]) for system in SYSTEMS if system in result}
    for kind, keys in LENGTHS.items():
        for entry in result.get(kind, []):
            entry |= {key: _times(entry[key]) for key in keys if key in entry}
    for unit in result.get("unit", []):
        unit["wh40k"] = _options(unit.get("wh40k", {}))
    return result


WAYS: dict[str, Callable[[Document], Document]] = {
    "as written": copy.deepcopy,
    "turned": lambda document: turned(document, 37.3),
    "mirrored": mirrored,
    "in mm": in_mm,
}


def _with_places(document: Document, spot: Callable[[Spot], Spot], angle: Callable[[float], float]) -> Document:
    result = copy.deepcopy(document)
    for area in result.get("area", []):
        if "outline" in area:
            area["outline"] = [spot(corner) for corner in area["outline"]]
    for feature in result.get("feature", []):
        feature["at"] = spot(feature["at"])
        feature["turn"] = angle(feature.get("turn", 0.0))
    for unit in result.get("unit", []):
        unit["at"] = [spot(at) for at in unit["at"]]
        unit["facing"] = angle(unit.get("facing", 0.0))
    return result


def _flip_feature(feature: Document) -> None:
    for wall in feature.get("wall", []):
        wall["from"], wall["to"] = _flip(wall["from"]), _flip(wall["to"])
    for part in [*feature.get("floor", []), *feature.get("prism", [])]:
        part["outline"] = [_flip(corner) for corner in part["outline"]]
        if "holes" in part:
            part["holes"] = [[_flip(corner) for corner in hole] for hole in part["holes"]]
    for block in feature.get("block", []):
        block["at"] = _flip(block.get("at", [0.0, 0.0, 0.0]))
    if "footprint" in feature:
        feature["footprint"] = [_flip(corner) for corner in feature["footprint"]]


def _flip(at: Spot) -> Spot:
    return [at[0], -at[1], *at[2:]]


def _times(value: Any) -> Any:
    """Every number in it in millimetres; words and switches stay."""
    if isinstance(value, dict):
        return {key: _times(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_times(item) for item in value]
    return value * 25.4 if isinstance(value, int | float) and not isinstance(value, bool) else value


def _options(options: Document) -> Document:
    return {key: value if key.endswith("_mm") else _times(value) for key, value in options.items()}

"""What was found on terrain pieces as JSON, and its schema. Lengths in inches, areas in square inches."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final

from deadground.meshes.findings import LEVELS
from deadground.meshes.inspection import Inspection
from deadground.meshes.piece import Opening
from deadground.meshes.standing_room import Floor
from deadground.scenes.rulings.wh40k_piece import PieceReading
from deadground.viewer.looked import Looked
from deadground.viewer.report_json import tidy

__all__ = ["inspection_schema", "piece_values", "pieces_values"]

SCHEMA: Final = 1


def pieces_values(looked: Iterable[Looked]) -> dict[str, Any]:
    """Several pieces as plain values."""
    return {"schema": SCHEMA, "pieces": [piece_values(one) for one in looked]}


def piece_values(looked: Looked) -> dict[str, Any]:
    """One piece as plain values; of a file that could not be read only its name and what is wrong."""
    piece, reading = looked.piece, looked.reading
    if piece is None or reading is None:
        return {"file": looked.path, "error": looked.problem}
    first = {} if reading.first_floor is None else {
        "first_floor": {"height": reading.first_floor[0].height, "limit": reading.first_floor[1]}
    }  # fmt: skip
    values = {
        "file": looked.path, "units": looked.units, "scale": looked.scale, "triangles": piece.triangles,
        "closed_mesh": piece.closed_mesh, "bodies": piece.bodies, "size": piece.size, "wall_top": piece.wall_top,
        "limit": reading.limit, "floors": [_floor(floor) for floor in piece.floors], **first,
        "openings": [_opening(gap, piece, reading) for gap in piece.openings],
        "sections": [{"top": part.top, "area": part.area, "at": part.at} for part in reading.sections],
        "stability": {"stands": piece.balance.stands, "tips_at": piece.balance.tips_at},
        "noise": piece.noise, "tilt": piece.level.degrees,
        "category": {"advice": reading.category, "reason": reading.reason},
        "findings": [
            {"code": finding.code, "level": finding.level, "message": finding.message}
            | ({"remedy": finding.remedy} if finding.remedy else {})
            | ({} if finding.at is None else {"at": finding.at})
            for finding in looked.findings
        ],
    }  # fmt: skip
    tidied: dict[str, Any] = tidy(values)
    return tidied


def _floor(floor: Floor) -> dict[str, Any]:
    room = {} if math.isinf(floor.head_room) else {"head_room": floor.head_room}
    shapes = getattr(floor.outline, "geoms", [floor.outline])
    outlines = [{"outline": _ring(part.exterior), "holes": [_ring(hole) for hole in part.interiors]} for part in shapes]
    slope = {} if floor.level else {"low": floor.low}
    return {
        "height": floor.height, **slope, "area": floor.area, **room, "fits": dict(floor.fits), "polygons": outlines,
    }  # fmt: skip


def _ring(ring: Any) -> list[list[float]]:
    return [[float(x), float(y)] for x, y in list(ring.coords)[:-1]]


def _opening(gap: Opening, piece: Inspection, reading: PieceReading) -> dict[str, Any]:
    passes = {"passes": list(piece.doorways[gap.id])} if gap.id in piece.doorways else {}
    return {
        "id": gap.id, "kind": gap.kind, "sill": gap.sill, "head": gap.head, "width": gap.width, "area": gap.area,
        "centre": gap.centre.tolist(), "normal": gap.normal.tolist(), "state": reading.states[gap.id],
        "confidence": "sure" if gap.sure else "possible", **passes,
    }  # fmt: skip


_NUMBER: Final = {"type": "number"}
_LENGTH: Final = {"type": "number", "minimum": 0, "description": "inches"}
_AREA: Final = {"type": "number", "minimum": 0, "description": "square inches"}
_WHOLE: Final = {"type": "integer", "minimum": 0}
_TEXT: Final = {"type": "string"}
_FLAG: Final = {"type": "boolean"}
_POINT: Final = {"type": "array", "items": _NUMBER, "minItems": 3, "maxItems": 3, "description": "inches"}
_RING: Final = {"type": "array", "items": {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2}}


def _object(properties: dict[str, Any], optional: Iterable[str] = ()) -> dict[str, Any]:
    required = sorted(set(properties) - set(optional))
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _list(entry: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": entry}


_ACCOUNT: Final = {"type": "object", "description": "of --repair or --compare"}


def _floor_schema() -> dict[str, Any]:
    fits = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}
    fits["description"] = "standard base -> at least how many at once"
    polygon = _object({"outline": _RING, "holes": _list(_RING)})
    low = {**_NUMBER, "description": "lowest point of a slope, inches"}
    room = {**_LENGTH, "description": "inches; absent under open sky"}
    values = {"height": _LENGTH, "low": low, "area": _AREA, "head_room": room, "fits": fits, "polygons": _list(polygon)}
    return _object(values, ("low", "head_room"))


def _opening_schema() -> dict[str, Any]:
    state = {"enum": ["closed", "open", "straddles"], "description": "what Solid does to it if the piece is dense"}
    passes = {**_list(_TEXT), "description": "of a doorway: the standard bases that pass"}
    return _object(
        {
            "id": {"type": "integer", "minimum": 1}, "kind": {"enum": ["wall", "floor"]}, "sill": _NUMBER,
            "head": _LENGTH, "width": _LENGTH, "area": _AREA, "centre": _POINT, "normal": _POINT, "state": state,
            "confidence": {"enum": ["sure", "possible"]}, "passes": passes,
        },
        ("passes",),
    )  # fmt: skip


def _piece_schema() -> dict[str, Any]:
    finding = {"code": _TEXT, "level": {"enum": list(LEVELS)}, "message": _TEXT, "remedy": _TEXT, "at": _POINT}
    first = _object({"height": _LENGTH, "limit": {"enum": ["exactly", "over", "under"]}})
    category = _object({"advice": {"enum": ["exposed", "light", "dense"]}, "reason": _TEXT})
    return _object(
        {
            "file": _TEXT, "units": _TEXT, "scale": _NUMBER, "triangles": _WHOLE, "closed_mesh": _FLAG,
            "bodies": _WHOLE, "size": _POINT, "wall_top": _LENGTH, "limit": _LENGTH, "floors": _list(_floor_schema()),
            "first_floor": first, "openings": _list(_opening_schema()),
            "sections": _list(_object({"top": _LENGTH, "area": _AREA, "at": _POINT})),
            "stability": _object({"stands": _FLAG, "tips_at": {**_NUMBER, "description": "degrees"}}),
            "noise": _LENGTH, "tilt": {**_NUMBER, "description": "degrees"}, "category": category,
            "findings": _list(_object(finding, ("at", "remedy"))), "repair": _ACCOUNT, "compare": _ACCOUNT,
        },
        ("first_floor", "repair", "compare"),
    )  # fmt: skip


def inspection_schema() -> dict[str, Any]:
    """JSON schema (2020-12) of `inspect --json`, for one piece or for several."""
    broken = _object({"file": _TEXT, "error": _TEXT})
    either = {"anyOf": [{"$ref": "#/$defs/piece"}, {"$ref": "#/$defs/broken"}]}
    several = _object({"schema": {"const": SCHEMA}, "pieces": _list(either)})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "deadground inspection",
        "description": "What was found on terrain pieces. Inches, z up, the piece stands at z = 0.",
        "$defs": {"piece": _piece_schema(), "broken": broken, "several": several},
        "anyOf": [{"$ref": "#/$defs/piece"}, {"$ref": "#/$defs/several"}],
    }

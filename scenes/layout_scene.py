"""A tournament layout as a scene document: areas, and features built of prisms, walls and floors.

What the data leaves open (heights, floors' thickness, windows) is a choice with a default, see `Choices`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import shapely

from deadground.geometry.errors import InputError
from deadground.geometry.plates import Array
from deadground.geometry.units import SNAP, TOUCH
from deadground.scenes.layouts import Placed

__all__ = ["Choices", "scene_document"]

_PLACES: Final = 6
"""Decimals of written coordinates: a thousandth of what counts as touching."""

_MOSTLY: Final = 0.5
"""Share of a feature's ground that must lie in an area for the feature to belong to it."""

Points = list[list[float]]
Frame = Callable[[Array], Array]
"""From a piece's own corners, y down, to those that are written."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What the data of layouts leaves open. Inches.

    board : x and y size; storey : height of a level; slab : thickness of upper floors
    height : of a feature whose template gives none; heights : template id -> height, in place of the template's
    windows : width, sill and head of the windows in the walls of dense L shapes, None for none; sill and head are
        heights above the level that they are on
    """

    board: tuple[float, float] = (60.0, 44.0)
    storey: float = 3.0
    slab: float = 0.2
    height: float = 5.0
    heights: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    windows: tuple[float, float, float] | None = None


def scene_document(title: str, placed: Sequence[Placed], choices: Choices, source: str = "layout") -> dict[str, Any]:
    """The scene of a layout's placed pieces (see `layouts.resolve`). InputError for a piece off the board."""
    _check_on_board(placed, choices, source)
    names = _names(placed)
    areas = [one for one in placed if one.kind == "area"]
    features = [one for one in placed if one.kind != "area"]
    groups = _groups(features)
    members = _members(areas, groups)
    return {
        "schema": 1,
        "ruleset": "wh40k-11e",
        "units": "in",
        "title": title,
        "board": {"size": list(choices.board)},
        "area": [_area(one, names, members.get(id(one), ()), choices) for one in areas],
        "feature": [_feature(group, names, choices) for group in groups],
    }


def _check_on_board(placed: Sequence[Placed], choices: Choices, source: str) -> None:
    for one in placed:
        beyond = max(float(-one.corners.min()), *(one.corners.max(0) - choices.board))
        if beyond > TOUCH:
            x, y = choices.board
            problem = f"expected every piece on a board of {x:g} by {y:g}, found one {beyond:.4g} inches off it"
            raise InputError(source, one.id, problem)


def _names(placed: Sequence[Placed]) -> dict[int, str]:
    """A name for each piece, unlike all others: its id, with the template's in place of a bare number."""
    names, taken = dict[int, str](), set[str]()
    for one in placed:
        wanted = re.sub(r"^piece-(?=\d)", f"{one.template.id}-", one.id) if one.template else one.id
        name, count = wanted, 1
        while name in taken:
            count += 1
            name = f"{wanted}-{count}"
        taken.add(name)
        names[id(one)] = name
    return names


def _members(areas: Sequence[Placed], groups: Sequence[Sequence[Placed]]) -> dict[int, tuple[Placed, ...]]:
    """The features that an area must name: most of their ground lies in it, and not all of it."""
    found: dict[int, tuple[Placed, ...]] = {}
    grounds = [(area, shapely.Polygon(area.corners)) for area in areas]
    for group in groups:
        plan = shapely.union_all([shapely.Polygon(corners) for one in group for corners in _plans(one)])
        shares = [(plan.intersection(ground).area / plan.area, area) for area, ground in grounds]
        share, area = max(shares, key=lambda one: one[0], default=(0.0, None))
        whole = any(ground.buffer(TOUCH / 2).covers(plan) for _, ground in grounds)
        if area is not None and share > _MOSTLY and not whole:
            found[id(area)] = (*found.get(id(area), ()), group[0])
    return found


def _plans(one: Placed) -> list[Array]:
    """Corners on the table of a piece and of its upper floors."""
    floors = [floor @ one.matrix.T + one.centre for _, floor in one.floors]
    return [one.corners, *floors]


def _area(one: Placed, names: Mapping[int, str], members: Sequence[Placed], choices: Choices) -> dict[str, Any]:
    outline = one.corners * [1, -1] + [0, choices.board[1]]
    named = {"features": [names[id(feature)] for feature in members]} if members else {}
    return {"name": names[id(one)], "outline": _points(outline), **named}


def _groups(features: Sequence[Placed]) -> list[tuple[Placed, ...]]:
    """Features as they are built: walls of one category that an upper floor touches are one ruin with that floor."""
    groups: list[tuple[Placed, ...]] = [(one,) for one in features]
    for floor in [one for one in features if _is_upper_floor(one)]:
        plan = shapely.Polygon(floor.corners)
        touched = [group for group in groups if any(_joins(one, floor, plan) for one in group)]
        if len(touched) > 1:
            one_ruin = tuple(sorted((p for group in touched for p in group), key=_is_upper_floor))
            groups[groups.index(touched[0])] = one_ruin
            groups = [group for group in groups if group not in touched[1:]]
    return groups


def _joins(one: Placed, floor: Placed, plan: shapely.Polygon) -> bool:
    return one is floor or (
        one.template is not None
        and floor.template is not None
        and one.template.terrain_category == floor.template.terrain_category
        and plan.distance(shapely.Polygon(one.corners)) <= SNAP
    )


def _is_upper_floor(one: Placed) -> bool:
    """Whether a piece is nothing but a floor on a level above the ground."""
    return one.level > 0 and one.template is not None and one.template.upper_floor is not None


def _feature(group: Sequence[Placed], names: Mapping[int, str], choices: Choices) -> dict[str, Any]:
    first = group[0]
    at = first.centre * [1, -1] + [0, choices.board[1]]
    alone = len(group) == 1
    table: dict[str, Any] = {"name": names[id(first)], "at": _points([at])[0]}
    if alone:
        table["turn"] = _rounded(first.turn)
    if first.template is not None and first.template.terrain_category is not None:
        table["wh40k"] = {"category": first.template.terrain_category}
    for one in group:
        frame = one.y_up if alone else partial(_beside, one, at, choices.board[1])
        for kind, part in _parts(one, frame, choices):
            table.setdefault(kind, []).append(part)
    return table


def _beside(one: Placed, at: Array, depth: float, points: Array) -> Array:
    """Points of a piece's own frame as seen from a place on the table, y up."""
    return np.asarray((points @ one.matrix.T + one.centre) * [1, -1] + [0, depth] - at)


def _parts(one: Placed, frame: Frame, choices: Choices) -> list[tuple[str, dict[str, Any]]]:
    """What a piece is built of: its body, and the upper floors that its body does not already offer."""
    shape, foot = shapely.Polygon(frame(one.own)), one.level * choices.storey
    if _is_upper_floor(one):
        return [("floor", _slab(shape, one.level, choices))]
    top = foot + _height(one, choices)
    parts = [("wall", wall) for wall in _walls(one, shape, foot, top, choices)]
    if not parts:
        base = {"base": _rounded(foot)} if foot else {}
        parts = [("prism", {"outline": _outline(shape), "height": _rounded(top), **base})]
    for level, corners in one.floors:
        floor = shapely.Polygon(frame(corners))
        offered = shape.buffer(TOUCH).covers(floor) and foot + level * choices.storey <= top
        if not offered:
            parts.append(("floor", _slab(floor, one.level + level, choices)))
    return parts


def _slab(shape: shapely.Polygon, level: int, choices: Choices) -> dict[str, Any]:
    return {"outline": _outline(shape), "top": _rounded(level * choices.storey), "thickness": choices.slab}


def _outline(shape: shapely.Polygon) -> Points:
    return _points(np.array(shape.exterior.coords[:-1]))


def _height(one: Placed, choices: Choices) -> float:
    template = one.template
    if template is None:
        return choices.height
    return choices.heights.get(template.id, template.default_height_inches or choices.height)


def _walls(one: Placed, shape: shapely.Polygon, foot: float, top: float, choices: Choices) -> Iterator[dict[str, Any]]:
    """The arms of a dense L as walls with windows, where windows are asked for; else nothing."""
    dense = one.template is not None and one.template.terrain_category == "dense"
    if choices.windows is None or not dense or len(one.own) != 6:
        return
    for start, end, thickness in _arms(shape):
        length = float(np.linalg.norm(end - start))
        yield {
            "from": _points([start])[0],
            "to": _points([end])[0],
            "height": _rounded(top),
            "thickness": _rounded(thickness),
            **({"base": _rounded(foot)} if foot else {}),
            "openings": list(_windows(length, foot, top, choices)),
        }


def _windows(length: float, foot: float, top: float, choices: Choices) -> Iterator[dict[str, float]]:
    """Windows side by side, one to twice their width, on every level on which they fit under the wall's top."""
    width, sill, head = choices.windows or (0.0, 0.0, 0.0)
    count = int(length / (2 * width))
    level = foot
    while level + head < top:
        for n in range(count):
            at = _rounded((n + 0.5) * length / count)
            yield {"at": at, "width": width, "sill": _rounded(level + sill), "head": _rounded(level + head)}
        level += choices.storey


def _arms(shape: shapely.Polygon) -> list[tuple[Array, Array, float]]:
    """The two arms of an L of right angles: centre line and thickness of each. The first has the corner."""
    corners = np.array(shapely.geometry.polygon.orient(shape).exterior.coords[:-1])
    ahead, behind = np.roll(corners, -1, 0) - corners, corners - np.roll(corners, 1, 0)
    turns = behind[:, 0] * ahead[:, 1] - behind[:, 1] * ahead[:, 0]
    inner = np.flatnonzero(turns < 0)
    if len(inner) != 1 or np.abs((ahead * behind).sum(1)).max() > TOUCH:
        return []
    # from the inner corner: along one arm to its end, across it, back to the outer corner, along the other arm
    p = np.roll(corners, -int(inner[0]), 0)
    first = ((p[1] + p[2]) / 2, (p[3] + (p[3] + p[1] - p[2])) / 2)
    second = ((p[4] + p[5]) / 2, (p[0] + (p[4] - p[5]) / 2))
    return [
        (first[0], first[1], float(np.linalg.norm(p[1] - p[2]))),
        (second[0], second[1], float(np.linalg.norm(p[4] - p[5]))),
    ]


def _points(points: Array | Sequence[Array]) -> Points:
    return [[_rounded(x) for x in point] for point in np.asarray(points, float)]


def _rounded(value: float) -> float:
    return round(float(value), _PLACES) + 0.0

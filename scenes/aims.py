"""Lines worth trying first between two models: the ones a person would lay a ruler along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deadground.geometry.plates import Array
from deadground.geometry.segments import Segments
from deadground.geometry.units import PARALLEL, TOUCH
from deadground.meshes.piece import Opening
from deadground.scenes.model import Model
from deadground.scenes.terrain import Feature

__all__ = ["Gates", "aims", "gates", "spots"]

_HEIGHTS = np.array([0.8, 0.5, 0.999, 0.2, 0.02])
_EDGES = np.array([0.5, 0.1, 0.9])
_NEAR = 0.999
_WAYS = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3), -1).reshape(-1, 3)


@dataclass(frozen=True, slots=True, eq=False)
class Gates:
    """Every wall opening on the table, in inches.

    centre, across : (n, 2) its middle and the way through it, seen from above; levels : (n, 3) heights worth trying
    """

    centre: Array
    across: Array
    levels: Array


def gates(features: Sequence[Feature]) -> Gates:
    """The openings of all features, made once for a table."""
    rows = [_gate(feature, o) for feature in features for o in feature.piece.openings if o.kind == "wall"]
    values = np.array(rows).reshape(-1, 4 + len(_EDGES))
    return Gates(values[:, :2], values[:, 2:4], values[:, 4:])


def _gate(feature: Feature, opening: Opening) -> Array:
    centre = feature.rotation @ opening.centre + feature.shift
    across = feature.rotation @ opening.normal
    low, high = feature.foot + opening.sill, feature.foot + opening.head
    return np.concatenate([centre[:2], across[:2], low + _EDGES * (high - low)])


def aims(gates: Gates, one: Model, two: Model, low: float, high: float) -> Segments:
    """Lines from `one` to `two`: between their axes at several heights, along their sides, and through openings.

    low, high : lowest heights at which lines may end on each, inches. A line may start inside a body, a part of it too.
    Of a mesh only its own outermost points are known to be parts of it: its middle and its base's rim may be thin air.
    """
    if one.mesh is not None or two.mesh is not None:
        return _joined(spots(one, two, low), spots(two, one, high))
    starts, ends = _levels(one, low), _levels(two, high)
    lines = [_axes(one, two, starts, ends), _sides(one, two, starts, ends)]
    lines += [_through(gates, k, one, two, starts, ends) for k in _between(gates, one, two)]
    return Segments(np.concatenate([a for a, _ in lines]), np.concatenate([b for _, b in lines]))


def spots(model: Model, other: Model, low: float) -> Array:
    """(k, 3) points of a model that see most of another: high and low, middle and sides; of a mesh its outermost."""
    if model.mesh is not None:
        corners = np.asarray(model.mesh.vertices)
        return np.asarray(corners[np.unique((corners @ _WAYS.T).argmax(0))])
    top, sides = model.foot + model.height, _rims(model, other)
    plan = np.concatenate([[[model.x, model.y]], sides, sides, [[model.x, model.y]]])
    height = np.array([top] + [top] * len(sides) + [(low + top) / 2] * len(sides) + [low])
    return np.column_stack([plan, height])


def _joined(starts: Array, ends: Array) -> Segments:
    """Lines from each start to each end."""
    i, j = np.divmod(np.arange(len(starts) * len(ends)), len(ends))
    return Segments(starts[i], ends[j])


def _between(gates: Gates, one: Model, two: Model) -> list[int]:
    """Openings that have the models on different sides and lie near the ground that lines between them run over."""
    a, b = np.array([one.x, one.y]), np.array([two.x, two.y])
    parted = ((a - gates.centre) * gates.across).sum(1) * ((b - gates.centre) * gates.across).sum(1) < 0
    run = b - a
    share = np.clip((gates.centre - a) @ run / max(float(run @ run), PARALLEL), 0, 1)
    away = np.linalg.norm(gates.centre - a - share[:, None] * run, axis=1)
    widest = max(one.base.length, one.base.width, two.base.length, two.base.width) / 2
    return np.flatnonzero(parted & (away <= widest)).tolist()


def _levels(model: Model, low: float) -> Array:
    top = model.foot + model.height
    return np.asarray(low + _HEIGHTS * (top - low))


def _axes(one: Model, two: Model, starts: Array, ends: Array) -> tuple[Array, Array]:
    i, j = np.divmod(np.arange(len(starts) * len(ends)), len(ends))
    first = np.column_stack([np.full(len(i), one.x), np.full(len(i), one.y), starts[i]])
    second = np.column_stack([np.full(len(j), two.x), np.full(len(j), two.y), ends[j]])
    return first, second


def _sides(one: Model, two: Model, starts: Array, ends: Array) -> tuple[Array, Array]:
    """Between the outermost points left and right of the line of centres, parallel and crossed, at two heights."""
    run = np.array([two.x - one.x, two.y - one.y])
    length = float(np.hypot(*run))
    if length == 0:
        return np.empty((0, 3)), np.empty((0, 3))
    square = np.array([-run[1], run[0]]) / length
    first, second = [], []
    for i in (0, 1, 2):
        for side in (-1, 1):
            for other in (-1, 1):
                first.append([*_rim(one, side * square), starts[i]])
                second.append([*_rim(two, other * square), ends[i]])
    return np.array(first), np.array(second)


def _rims(one: Model, two: Model) -> Array:
    """(3, 2) points of one's base towards the other: ahead, to the left and to the right."""
    run = np.array([two.x - one.x, two.y - one.y])
    length = float(np.hypot(*run))
    ahead = run / length if length > 0 else np.array([1.0, 0.0])
    square = np.array([-ahead[1], ahead[0]])
    return np.array([_rim(one, direction) for direction in (ahead, square, -square)])


def _rim(model: Model, direction: Array) -> Array:
    """The point of the base furthest out in a direction, a hair inside."""
    body = model.body
    c, s = np.cos(body.facing), np.sin(body.facing)
    u, v = c * direction[0] + s * direction[1], -s * direction[0] + c * direction[1]
    size = np.hypot(body.a * u, body.b * v)
    p, q = _NEAR * body.a**2 * u / size, _NEAR * body.b**2 * v / size
    return np.array([body.x + c * p - s * q, body.y + s * p + c * q])


def _through(gates: Gates, k: int, one: Model, two: Model, starts: Array, ends: Array) -> tuple[Array, Array]:
    """Through the middle of an opening, square through it and straight between the bases."""
    first, second = [np.empty((0, 3))], [np.empty((0, 3))]
    for start, end in _plan_lines(one, two, gates.centre[k], gates.across[k]):
        run = max(float(np.linalg.norm(end - start)), TOUCH)
        share = max(float(np.linalg.norm(gates.centre[k] - start)) / run, PARALLEL)
        z, level = (part.ravel() for part in np.meshgrid(starts, gates.levels[k]))
        other = z + (level - z) / share
        rows = (other >= ends.min()) & (other <= ends.max())
        first.append(np.column_stack([np.tile(start, (len(z), 1)), z])[rows])
        second.append(np.column_stack([np.tile(end, (len(z), 1)), other])[rows])
    return np.concatenate(first), np.concatenate(second)


def _plan_lines(one: Model, two: Model, centre: Array, across: Array) -> list[tuple[Array, Array]]:
    """Pairs of plan points, one in each base, on a straight line through the centre of an opening."""
    a, b = np.array([one.x, one.y]), np.array([two.x, two.y])
    directions = [across, centre - a, b - centre]
    lines = []
    for direction in directions:
        size = np.linalg.norm(direction)
        if size == 0:
            continue
        d = direction / size
        start, end = centre + d * ((a - centre) @ d), centre + d * ((b - centre) @ d)
        if _on_base(one, start) and _on_base(two, end):
            lines.append((start, end))
    return lines


def _on_base(model: Model, point: Array) -> bool:
    body = model.body
    c, s = np.cos(body.facing), np.sin(body.facing)
    dx, dy = point[0] - body.x, point[1] - body.y
    return bool(((c * dx + s * dy) / body.a) ** 2 + ((-s * dx + c * dy) / body.b) ** 2 <= 1)

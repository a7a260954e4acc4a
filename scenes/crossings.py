"""What one straight stretch of a way costs in height: which layers it runs in, and where it goes up and down."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.units import SIDE
from deadground.scenes.layers import Layers

__all__ = ["Change", "Crossing", "cross"]

Interval = tuple[float, float]

_SPACING = 0.2  # inches; less than any base is wide


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """Straight up or down. at : inches along the stretch; before, after : indices of the layers."""

    at: float
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Crossing:
    """A legal stretch. height : inches up and down together; changes : in order along it."""

    height: float
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class _Run:
    """Part of a stretch that lies in one layer. before, after : how far beyond both ends one may still climb there."""

    layer: int
    start: float
    end: float
    before: float
    after: float


def cross(
    layers: Layers, start: Array, end: Array, first: int, last: int, *, spare: float = math.inf
) -> Crossing | None:
    """The least height that a straight stretch costs between two points (2,) of two layers. None if it is barred.

    spare : inches; a crossing that would cost more in height may be missed
    """
    line = shapely.LineString([start, end])
    if first == last and shapely.covers(layers.layers[first].on, line):
        return Crossing(0.0)
    near = _layers_along(layers, line, (first, last, spare))
    length = float(np.hypot(*(end - start)))
    if near == [first] and _leaves(layers.layers[first].on, start, end, length):
        return None
    runs = _runs(layers, line, length, near)
    begun = [run for run in runs if run.layer == first and run.start <= SIDE]
    if not begun or not any(run.layer == last and run.end >= length - SIDE for run in runs):
        return None
    return _least(layers, line, runs, begun[0], (last, length))


def _layers_along(layers: Layers, line: shapely.LineString, ends: tuple[int, int, float]) -> list[int]:
    """The layers that a stretch meets and could climb to: first and last layer, and what it may cost, are given."""
    first, last, spare = ends
    least, most = sorted(layers.layers[index].middle for index in (first, last))
    found = []
    for index, layer in enumerate(layers.layers):
        detour = most - least + 2 * max(0.0, layer.middle - most, least - layer.middle)
        if detour <= spare + SIDE and shapely.intersects(layer.on, line):
            found.append(index)
    return found


def _leaves(shape: BaseGeometry, start: Array, end: Array, length: float) -> bool:
    """Whether a stretch is seen to leave a shape at one of some points along it, which is quick to tell."""
    share = np.linspace(0.0, 1.0, math.ceil(length / _SPACING) + 1)[:, None]
    points = start + share * (end - start)
    off = np.flatnonzero(~shapely.intersects_xy(shape, points[:, 0], points[:, 1]))
    return len(off) > 0 and bool(shape.distance(shapely.Point(points[off[len(off) // 2]])) > 2 * SIDE)


def _runs(layers: Layers, line: shapely.LineString, length: float, near: Sequence[int]) -> list[_Run]:
    found = []
    for index in near:
        layer = layers.layers[index]
        spans = _spans(line, layer.on)
        wide = _spans(line, layer.climb) if layer.borne is not None else spans
        for number, (start, end) in enumerate(spans):
            low, high = next(((a, b) for a, b in wide if a <= start + SIDE and b >= end - SIDE), (start, end))
            low = (
                max(low, spans[number - 1][1]) if number else low
            )  # one climbs beside a surface, not from one to the next
            high = min(high, spans[number + 1][0]) if number + 1 < len(spans) else high
            found.append(_Run(index, start, end, start - low, high - end))
    return [_snapped(run, length) for run in found]


def _snapped(run: _Run, length: float) -> _Run:
    """A run whose ends are those of the stretch where only rounding parts them."""
    start = 0.0 if run.start <= 2 * SIDE else run.start
    end = length if run.end >= length - 2 * SIDE else run.end
    return _Run(run.layer, start, end, max(0.0, run.before), max(0.0, run.after))


def _spans(line: shapely.LineString, shape: BaseGeometry) -> list[Interval]:
    """Where a stretch lies in a shape, in inches along it; spans that touch are one."""
    origin, end = np.asarray(line.coords)
    length = math.hypot(*(end - origin))
    if length <= SIDE:
        return [(0.0, length)] if shape.distance(line) <= SIDE else []
    along = (end - origin) / length
    spans = []
    for part in shapely.get_parts(shapely.intersection(line, shape)):
        where = (shapely.get_coordinates(part) - origin) @ along
        if len(where):
            spans.append((float(where.min()), float(where.max())))
    return _merged(sorted(spans))


def _merged(spans: Sequence[Interval]) -> list[Interval]:
    found: list[Interval] = []
    for start, end in spans:
        if found and start <= found[-1][1] + SIDE:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _least(
    layers: Layers, line: shapely.LineString, runs: Sequence[_Run], begun: _Run, goal: tuple[int, float]
) -> Crossing | None:
    """The cheapest chain of runs. A label is (height so far, where along it); one beaten in both is dropped."""
    start = runs.index(begun)
    queue: list[tuple[float, float, int, tuple[Change, ...]]] = [(0.0, 0.0, start, ())]
    earliest = [math.inf] * len(runs)
    while queue:
        height, at, index, changes = heapq.heappop(queue)
        if at >= earliest[index]:
            continue
        earliest[index] = at
        run = runs[index]
        if run.layer == goal[0] and run.end >= goal[1] - SIDE:
            return Crossing(height, changes)
        for other, place, new in _onward(layers, line, runs, run, at):
            rise = abs(layers.layers[runs[other].layer].middle - layers.layers[run.layer].middle)
            if new < earliest[other]:
                change = Change(place, run.layer, runs[other].layer)
                heapq.heappush(queue, (height + rise, new, other, (*changes, change)))
    return None


def _onward(
    layers: Layers, line: shapely.LineString, runs: Sequence[_Run], run: _Run, at: float
) -> Iterator[tuple[int, float, float]]:
    """The runs one can change to after a point: index, the place of the climb, and where one then is."""
    for index, other in enumerate(runs):
        if other.layer == run.layer:
            continue
        if other.layer > run.layer:
            pair = (run.layer, other.layer)
            window = (max(at, run.start, other.start - other.before), min(run.end, other.end))
        else:
            pair = (other.layer, run.layer)
            window = (max(at, other.start), min(other.end, run.end + run.after))
        place = _free(layers, line, pair, window) if window[0] <= window[1] + SIDE else None
        if place is not None:
            yield index, place, max(place, other.start)


def _free(layers: Layers, line: shapely.LineString, pair: tuple[int, int], window: Interval) -> float | None:
    """The first place in a window at which nothing bars the way straight up or down."""
    barred = layers.barred(*pair, line)
    if barred.is_empty or not shapely.intersects(barred, line):
        return window[0]
    place = window[0]
    for start, end in _spans(line, barred):
        if start <= place + SIDE:
            place = max(place, end)
    if place > window[1] + SIDE or _is_well_inside(barred, shapely.line_interpolate_point(line, place)):
        return None
    return place


def _is_well_inside(shape: BaseGeometry, spot: shapely.Point) -> bool:
    """Whether a point lies in a shape and not on its edge."""
    return bool(shapely.contains(shape, spot)) and shape.boundary.distance(spot) > 2 * SIDE

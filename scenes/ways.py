"""The shortest way over layers: straight stretches, arcs round corners, and climbs. No word of any game.

A visibility graph of circles, searched from the start with A*; an edge is checked only when it is next in line, so most
never are. Between layers a stretch stays straight, seen from above, and climbs where the layers overlap.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import shapely

from deadground.geometry.plates import Array
from deadground.geometry.tangents import arc_points, tangents, turned
from deadground.geometry.units import SIDE
from deadground.scenes.crossings import Crossing, cross
from deadground.scenes.layers import Layers

__all__ = ["Place", "Reached", "Search", "Step", "free_arc"]

_CHORD = math.radians(1)  # of arcs when they are checked and drawn


@dataclass(frozen=True, slots=True)
class Place:
    """A point on the table and the layer that a base is in there."""

    x: float
    y: float
    layer: int


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One stretch of a way: an arc round the circle that was reached before, then a straight line.

    arc : (n, 2) points, one alone where there is no arc; arc_length : its true length
    start, end : (2,) ends of the line; layer : in which it starts; crossing : its climbs
    """

    arc: Array
    arc_length: float
    start: Array
    end: Array
    layer: int
    crossing: Crossing


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """How a node was reached: round it in a sense, in a direction, at a cost. parent : index, -1 for the start."""

    node: int
    sense: int
    direction: float
    cost: float
    parent: int
    step: Step | None


@dataclass(frozen=True, slots=True, eq=False)
class _Edge:
    """A line not yet looked at, from a reached node to another."""

    parent: int
    node: int
    sense: int
    direction: float
    start: Array
    end: Array
    turn: float
    step: Step | None = None


@dataclass(eq=False)
class Search:
    """A search from one place. With a goal it heads for it, without one it spreads as far as `most` inches.

    places : (n, 4) x, y, 0 and layer where a way may also turn, see `portals`
    climbs : the least climb to the goal from circles (n, 3) of layers (n,), see `connections`
    """

    layers: Layers
    start: Place
    goal: Place | None = None
    most: float = math.inf
    places: Array = field(default_factory=lambda: np.zeros((0, 4)))
    climbs: Callable[[Array, npt.NDArray[np.int64]], Array] | None = None
    reached: list[Reached] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Gather the nodes: the start, the goal, and every circle of every layer."""
        ends = [self.start] if self.goal is None else [self.start, self.goal]
        rows = [np.array([[place.x, place.y, 0.0, place.layer] for place in ends])]
        for index, layer in enumerate(self.layers.layers):
            rows.append(np.column_stack([layer.bends, np.full(len(layer.bends), index)]))
        nodes = np.vstack([*rows, self.places])
        self._circles: Array = nodes[:, :3]
        self._layer: npt.NDArray[np.int64] = nodes[:, 3].astype(np.int64)
        self._heights: Array = np.array([layer.middle for layer in self.layers.layers])[self._layer]
        self._climbs: Array = np.zeros(len(nodes))
        if self.goal is not None:
            height = self.layers.layers[self.goal.layer].middle
            known = self.climbs(self._circles, self._layer) if self.climbs else np.zeros(len(nodes))
            self._climbs = np.maximum(known, np.abs(self._heights - height))
        self._targets, self._senses = self._both_senses()
        self._settled: dict[tuple[int, int], list[Reached]] = {}
        self._queue: list[tuple[float, int, float, _Edge]] = []
        self._count = itertools.count()

    def _both_senses(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Every node once for each sense in which a way can go round it; points have one."""
        index = np.arange(len(self._circles))
        round_ones = index[self._circles[:, 2] > 0]
        senses = np.concatenate([np.ones(len(index), np.int64), -np.ones(len(round_ones), np.int64)])
        return np.concatenate([index, round_ones]), senses

    def run(self) -> list[Step] | None:
        """The steps of the shortest way to the goal, None if there is none. Without a goal fills `reached`."""
        self._settle(Reached(0, 1, 0.0, 0.0, -1, None))
        while self._queue:
            estimate, _, cost, edge = heapq.heappop(self._queue)
            if self._is_beaten(edge, cost):
                continue
            if edge.step is None:
                self._look_at(edge, estimate)
                continue
            found = Reached(edge.node, edge.sense, edge.direction, cost, edge.parent, edge.step)
            self._settle(found)
            if self.goal is not None and edge.node == 1:
                return list(self.steps_to(len(self.reached) - 1))[::-1]
        return None

    def steps_to(self, index: int) -> Iterator[Step]:
        """The steps that lead to something reached, the last first."""
        here = self.reached[index]
        while here.step is not None:
            yield here.step
            here = self.reached[here.parent]

    def _settle(self, found: Reached) -> None:
        self.reached.append(found)
        self._settled.setdefault((found.node, found.sense), []).append(found)
        self._spread(len(self.reached) - 1)

    def _is_beaten(self, edge: _Edge, cost: float) -> bool:
        """Whether the node was reached before in a way that costs no more, the arc between the two included."""
        radius = float(self._circles[edge.node, 2])
        for other in self._settled.get((edge.node, edge.sense), ()):
            turn = float(turned(other.direction, edge.direction, edge.sense)) if radius else 0.0
            cheaper = other.cost + radius * turn <= cost + SIDE and turn <= math.pi
            if cheaper and (turn == 0 or self._arc(edge.node, edge.sense, other.direction, turn) is not None):
                return True
        return False

    def circle(self, node: int) -> tuple[float, float, float]:
        """x, y and radius of a node."""
        x, y, radius = self._circles[node]
        return float(x), float(y), float(radius)

    def layer(self, node: int) -> int:
        """The layer that a node is in."""
        return int(self._layer[node])

    def height(self, node: int) -> float:
        """The height at which a node counts."""
        return float(self._heights[node])

    def _arc(self, node: int, sense: int, direction: float, turn: float) -> Array | None:
        return free_arc(self.layers, self.layer(node), self.circle(node), sense, direction, turn)

    def _spread(self, index: int) -> None:
        """Put every line that leaves a reached node into the queue, at the least that it can cost."""
        here = self.reached[index]
        x, y, radius = (float(value) for value in self._circles[here.node])
        ends = self._circles[self._targets]
        direction, length, first, second = tangents((x, y, radius), here.sense, ends, self._senses)
        turn = turned(here.direction, direction, here.sense) if radius else np.zeros(len(length))
        rise = np.abs(self._heights[self._targets] - self._heights[here.node])
        cost = here.cost + turn * radius + length + rise
        estimate = cost + self._left(second) + self._climbs[self._targets]
        good = np.isfinite(estimate) & (turn <= math.pi) & (estimate <= self.most) & (self._targets != here.node)
        for row in np.flatnonzero(good & (self._targets > 0)):
            edge = _Edge(
                index, int(self._targets[row]), int(self._senses[row]), float(direction[row]), first[row], second[row],
                float(turn[row]),
            )  # fmt: skip
            heapq.heappush(self._queue, (float(estimate[row]), next(self._count), float(cost[row]), edge))

    def _left(self, points: Array) -> Array:
        """The least that is left to the goal across; nothing where there is none."""
        if self.goal is None:
            return np.zeros(len(points))
        left: Array = np.hypot(points[:, 0] - self.goal.x, points[:, 1] - self.goal.y)
        return left

    def _look_at(self, edge: _Edge, estimate: float) -> None:
        """Check a line; if it is legal put it back at what it truly costs."""
        here = self.reached[edge.parent]
        arc = self._arc(here.node, here.sense, here.direction, edge.turn)
        if arc is None:
            return
        layer = int(self._layer[here.node])
        arc_length = edge.turn * float(self._circles[here.node, 2])
        length = float(np.hypot(*(edge.end - edge.start)))
        spare = self.most - here.cost - arc_length - length
        crossing = cross(self.layers, edge.start, edge.end, layer, int(self._layer[edge.node]), spare=spare)
        if crossing is None:
            return
        cost = here.cost + arc_length + length + crossing.height
        rise = abs(float(self._heights[edge.node] - self._heights[here.node]))
        step = Step(arc, arc_length, edge.start, edge.end, layer, crossing)
        seen = _Edge(
            edge.parent, edge.node, edge.sense, edge.direction, edge.start, edge.end, edge.turn, step,
        )  # fmt: skip
        heapq.heappush(self._queue, (estimate + crossing.height - rise, next(self._count), cost, seen))


def free_arc(
    layers: Layers, layer: int, circle: tuple[float, float, float], sense: int, direction: float, turn: float
) -> Array | None:
    """The points of an arc round a circle, (n, 2); None if something is in its way in that layer."""
    points: Array = arc_points(circle, sense, direction, turn, _CHORD)
    if turn * circle[2] <= SIDE:
        return points
    on = layers.layers[layer].on
    off = points[~shapely.intersects_xy(on, points[:, 0], points[:, 1])]  # quick; the distance is not
    return points if all(on.distance(shapely.Point(point)) <= SIDE for point in off) else None

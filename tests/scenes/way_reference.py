"""Random tables of boxes, a checker that replays ways in small steps, and a slow any-angle planner.

Nothing here uses the package's geometry: a box is a rectangle and two heights, and every distance is worked out anew.
"""

from __future__ import annotations

import heapq
import itertools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from deadground.scenes.movement import Way
from tests.scenes.moving_tables import block, feature, table, unit

Array = npt.NDArray[np.float64]

TOUCH = 0.002  # the package's touch, and what replaying in steps may add
ROUNDING = 1e-9
STEP, CLIMB = 2.0, 0.5
BOARD = (14.0, 12.0)


@dataclass(frozen=True)
class Box:
    """An upright box: middle, half sizes, turn in radians, foot and top."""

    x: float
    y: float
    a: float
    b: float
    turn: float
    foot: float
    top: float
    dense: bool

    def distance(self, points: Array) -> Array:
        """From points (n, 2) to the box, seen from above; minus the depth inside it."""
        c, s = math.cos(self.turn), math.sin(self.turn)
        apart = points - (self.x, self.y)
        u = np.abs(apart @ (c, s)) - self.a
        v = np.abs(apart @ (-s, c)) - self.b
        outside: Array = np.hypot(np.maximum(u, 0), np.maximum(v, 0))
        return outside + np.minimum(np.maximum(u, v), 0)


@dataclass(frozen=True)
class Table:
    """A random table: who moves from where to where, among which boxes and enemies (x, y, radius, foot, top)."""

    boxes: tuple[Box, ...]
    enemies: tuple[tuple[float, float, float, float, float], ...]
    keyword: str
    radius: float
    height: float
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    long: float = 1.0

    def scene(self) -> Any:
        """The same as a scene."""
        features = [
            feature(
                f"box {n}", (box.x, box.y), "dense" if box.dense else "light",
                turn=math.degrees(box.turn),
                block=[block((2 * box.a, 2 * box.b, box.top - box.foot), (0, 0, box.foot))],
            )
            for n, box in enumerate(self.boxes)
        ]  # fmt: skip
        units = [unit("A", [self.start], keywords=[self.keyword], base=self.base, height=self.height)]
        for n, (x, y, radius, foot, top) in enumerate(self.enemies):
            units.append(unit(f"E{n}", [(x, y, foot)], side="blue", base=f"{2 * radius}in", height=top - foot))
        return table(units, features, BOARD)

    @property
    def base(self) -> str:
        """How a scene file writes it: an oval that is `long` times as long as wide, unless that is 1."""
        wide = 2 * self.radius
        return f"{wide}in" if self.long == 1.0 else f"{25.4 * wide * self.long}x{25.4 * wide}mm"

    @property
    def heights(self) -> list[float]:
        """Every height at which something can be stood on."""
        return sorted({0.0, *(box.top for box in self.boxes)})

    def solid(self, box: Box) -> bool:
        """Whether a box stops this model, rather than being walked through."""
        return box.dense and self.keyword not in ("INFANTRY", "MOBILE")

    def free(self, points: Array, height: float, slack: float, reach: float = 0.0) -> npt.NDArray[np.bool_]:
        """Whether the base may be at points (n, 2) at a height. slack > 0 forgives, < 0 keeps away."""
        inset = self.radius - slack
        good = ((points >= inset) & (points <= np.array(BOARD) - inset)).all(axis=1)
        if height > 0:
            resting = [
                box.distance(points) <= self.radius + slack + reach
                for box in self.boxes
                if abs(box.top - height) < ROUNDING
            ]
            good &= np.any(resting, axis=0)
        for box in self.boxes:
            if self.solid(box) and box.top > max(STEP, height) + TOUCH:
                good &= box.distance(points) >= self.radius - slack
        return good & self.apart(points, height, height + self.height, slack)

    def apart(self, points: Array, low: float, high: float, slack: float) -> npt.NDArray[np.bool_]:
        """Whether the base keeps off all enemies between two heights."""
        good = np.ones(len(points), dtype=bool)
        for x, y, radius, foot, top in self.enemies:
            if max(low, foot) < min(high, top) - TOUCH:
                good &= np.hypot(points[:, 0] - x, points[:, 1] - y) >= self.radius + radius - slack
        return good

    def climbs(self, points: Array, low: float, high: float, slack: float) -> npt.NDArray[np.bool_]:
        """Whether the base may go straight up or down between two heights at points (n, 2)."""
        good = self.apart(points, low, high + self.height, slack)
        near = [box.distance(points) <= self.radius + CLIMB + slack for box in self.boxes if box.top >= high - ROUNDING]
        good &= np.any(near, axis=0)
        for box in self.boxes:
            head = high + self.height if self.keyword == "MOBILE" or box.top <= STEP else high
            ground_high = self.keyword == "MONSTER" and box.top <= STEP and box.foot <= low  # not a shelf over the base
            passed = self.keyword == "INFANTRY" or ground_high
            if box.dense and not passed and max(low, box.foot) < min(head, box.top) - TOUCH:
                good &= box.distance(points) >= self.radius - slack
        return good


def random_table(seed: int) -> Table:
    """A table on which the model may stand at its start and at its end."""
    rng = np.random.default_rng(seed)
    keyword = str(rng.choice(["INFANTRY", "MOBILE", "MONSTER", "MONSTER", "MONSTER"]))
    bare = Table((), (), keyword, float(rng.uniform(0.4, 1.2)), float(rng.uniform(1, 2.4)), (0, 0, 0), (0, 0, 0))
    boxes = tuple(_box(rng, keyword) for _ in range(int(rng.integers(4, 9))))
    enemies = tuple(
        (*(float(rng.uniform(low, high)) for low, high in ((1, 13), (1, 11), (0.3, 1))), 0.0, float(rng.uniform(1, 4)))
        for _ in range(int(rng.integers(0, 5)))
    )  # fmt: skip
    made = replace(bare, boxes=boxes, enemies=enemies)
    return replace(made, start=_stand(rng, made, 1.5, 5), end=_stand(rng, made, 9, 12.5))


def _box(rng: np.random.Generator, keyword: str) -> Box:
    top = float(rng.choice([1.5, 2.0, 2.5, 3.0, 3.0, 3.0, 5.0, 8.0]))
    foot = top - 0.25 if keyword != "MONSTER" and rng.random() < 0.4 else 0.0
    sizes = [(0.15, 3.0), (0.15, 4.0), (1.5, 2.0), (0.7, 2.5), (2.2, 1.8)][int(rng.integers(5))]
    x, y = rng.uniform(3, 11), rng.uniform(2, 10)
    return Box(float(x), float(y), *sizes, float(rng.uniform(-0.6, 0.6)), foot, top, bool(rng.random() < 0.85))


def rich_table(seed: int) -> Table:
    """A table of larger things: ruins and a bridge, a floor with a hole, stairs, low shelves, a line of enemies."""
    rng = np.random.default_rng(seed)
    keyword = str(rng.choice(["INFANTRY", "MOBILE", "MONSTER"]))
    kinds = rng.choice(["bridge", "hole", "stairs", "shelf", "crowd", "tower"], size=3, replace=False)
    boxes: list[Box] = []
    enemies: list[tuple[float, float, float, float, float]] = []
    for kind, x in zip(kinds, (3.6, 7.0, 10.4), strict=True):
        turn, y = float(rng.uniform(-0.5, 0.5)), float(rng.uniform(4.5, 7.5))
        if kind == "crowd":
            gap, radius = float(rng.uniform(1.1, 3.5)), float(rng.uniform(0.3, 0.6))
            enemies += [(x, y + gap * n, radius, 0.0, 1.5) for n in (-1.5, -0.5, 0.5, 1.5)]
        else:
            boxes += [_placed(part, x, y, turn) for part in _PARTS[str(kind)](rng)]
    long = float(rng.choice([1.0, 1.0, 1.5]))
    bare = Table(tuple(boxes), tuple(enemies), keyword, float(rng.uniform(0.4, 0.9)), 1.2, (0, 0, 0), (0, 0, 0), long)
    low, high = sorted((0, 1) if rng.random() < 0.7 else (0, 0))
    return replace(bare, start=_stand(rng, bare, *_SPANS[low]), end=_stand(rng, bare, *_SPANS[high]))


_SPANS = ((1.5, 6.5), (7.0, 12.5))
Flat = tuple[float, float, float, float, float, float]
"""Middle, half sizes, foot and top of a box that is not turned."""


def _placed(part: Flat, x: float, y: float, turn: float) -> Box:
    u, v, a, b, foot, top = part
    c, s = math.cos(turn), math.sin(turn)
    return Box(x + c * u - s * v, y + s * u + c * v, a, b, turn, foot, top, dense=True)


def _bridge(rng: np.random.Generator) -> list[Flat]:
    width = float(rng.uniform(0.3, 1.2))
    return [(0, -3, 1.5, 1.3, 2.75, 3), (0, 3, 1.5, 1.3, 2.75, 3), (0, 0, width, 1.75, 2.75, 3)]


def _hole(rng: np.random.Generator) -> list[Flat]:
    half = float(rng.uniform(0.3, 1.2))
    side = (2.2 - half) / 2
    rows: list[Flat] = [(0, y, 2.2, side, 2.75, 3) for y in (half + side, -half - side)]
    return [*rows, (half + side, 0, side, half + 0.01, 2.75, 3), (-half - side, 0, side, half + 0.01, 2.75, 3)]


def _stairs(rng: np.random.Generator) -> list[Flat]:
    rise = float(rng.choice([1.0, 2.0, 2.25]))
    return [(0, n * 1.0 - 1, 1.2, 0.5, 0, rise * (n + 1)) for n in range(3)]


def _shelf(rng: np.random.Generator) -> list[Flat]:
    top = float(rng.choice([1.5, 1.9, 2.0]))
    return [(0, 0, 1.6, 1.8, top - 0.25, top)]


def _tower(rng: np.random.Generator) -> list[Flat]:
    return [(0, 0, float(rng.uniform(0.3, 1.4)), float(rng.uniform(1.0, 3.5)), 0, float(rng.choice([2.5, 4.0])))]


_PARTS = {"bridge": _bridge, "hole": _hole, "stairs": _stairs, "shelf": _shelf, "tower": _tower}


def _stand(rng: np.random.Generator, made: Table, low: float, high: float) -> tuple[float, float, float]:
    """A place between two x where the model stands clear of everything, on the ground or on a box."""
    for attempt in range(20000):
        box = made.boxes[int(rng.integers(len(made.boxes)))]
        height = box.top if attempt < 2000 and rng.random() < 0.7 else 0.0
        point = np.array([[rng.uniform(low, high), rng.uniform(1.5, 10.5)]])
        if height > 0 and box.distance(point)[0] > -made.radius * made.long - 0.01:
            continue
        clear = [other.distance(point)[0] > made.radius + 0.01 for other in made.boxes
                 if max(other.foot, height) < min(other.top, height + made.height)]  # fmt: skip
        if all(clear) and made.free(point, height, -0.01)[0]:
            return float(point[0, 0]), float(point[0, 1]), height
    raise ValueError("no place to stand")


def wrongs(made: Table, way: Way) -> list[str]:
    """What is wrong with a way, replayed in small steps. Empty if every step is legal and the sums are right."""
    found = list(_sums(made, way))
    for number, leg in enumerate(way.legs):
        points = np.array(leg.path)
        if leg.kind == "across":
            found.extend(_across(made, way, number, points))
        else:
            low, high = sorted((points[0, 2], points[1, 2]))
            if not made.climbs(points[:1, :2], low, high, TOUCH)[0]:
                found.append(f"may not climb at {points[0]}")
    return found


def _sums(made: Table, way: Way) -> list[str]:
    path = np.array([point for leg in way.legs for point in leg.path] or [made.start])
    apart = np.diff(path, axis=0)
    found = []
    if max(np.abs(path[0] - made.start).max(), np.abs(path[-1] - made.end).max()) > 1e-6:
        found.append("does not lead from start to end")
    if (np.hypot(apart[:, 0], apart[:, 1]) * np.abs(apart[:, 2]) > 1e-9).any():
        found.append("goes along a diagonal")
    walked = np.hypot(apart[:, 0], apart[:, 1]).sum()
    if not walked - 1e-6 <= way.across <= walked * 1.0003 + 1e-6:
        found.append(f"says {way.across} across, walked {walked}")
    for kind, sign in (("up", 1), ("down", -1)):
        if abs(np.maximum(sign * apart[:, 2], 0).sum() - getattr(way, kind)) > 1e-6:
            found.append(f"{kind} does not add up")
    return found


def _across(made: Table, way: Way, number: int, points: Array) -> list[str]:
    """Steps of 0.02 along a leg: on something all the way, but beside it after a climb up or before one down."""
    steps = dense(points[:, :2], 0.02)
    height = float(points[0, 2])
    after_climb = number > 0 and way.legs[number - 1].kind == "up"
    before_climb = number + 1 < len(way.legs) and way.legs[number + 1].kind == "down"
    good = along(made, steps, height, TOUCH, after_climb, before_climb)
    return [f"may not be at {steps[i]}, {height}" for i in np.flatnonzero(~good)[:3]]


def along(
    made: Table, steps: Array, height: float, slack: float, after_climb: bool, before_climb: bool
) -> npt.NDArray[np.bool_]:
    """Whether the base may be at each step: on something, but beside it until first and from last on it at a climb."""
    good = made.free(steps, height, slack)
    off = np.flatnonzero(~good)
    if len(off) and (after_climb or before_climb):
        beside, on = made.free(steps, height, slack, CLIMB), np.flatnonzero(good)
        first = min(on[on > off[0]], default=len(good))
        last = max(on[on < off[-1]], default=-1)
        good[:first] |= beside[:first] & after_climb
        good[last + 1 :] |= beside[last + 1 :] & before_climb
    return good


def dense(points: Array, step: float) -> Array:
    """A polyline (n, 2) with points at most a step apart."""
    parts = [points[:1]]
    for first, second in itertools.pairwise(points):
        count = max(1, math.ceil(math.dist(first, second) / step))
        parts.append(first + np.linspace(0, 1, count + 1)[1:, None] * (second - first))
    return np.vstack(parts)


Turn = tuple[Array, float, float]
"""Where, the height before, the height after."""


@dataclass
class Planner:
    """Any-angle search (Theta*) on a lattice at every height, then pulled tight. Finds legal ways, not the shortest."""

    made: Table
    spacing: float = 0.3

    def length(self) -> float:
        """Inches of the way found; inf if none is."""
        chain = self._search()
        return self._tight(chain) if chain else math.inf

    def _line(self, one: Array, two: Array, height: float, reach: float = 0.0) -> bool:
        return bool(self.made.free(dense(np.array([one, two]), 0.03), height, TOUCH / 4, reach).all())

    def _search(self) -> list[tuple[Array, float]] | None:  # noqa: C901, PLR0912, PLR0915  # one search, told in one go
        """The turns of a way: points, heights. A climb beside a surface is ("up", i, j, low, high), or "down"."""
        made = self.made
        xs, ys = np.arange(0, BOARD[0], self.spacing), np.arange(0, BOARD[1], self.spacing)
        grid = np.stack(np.meshgrid(xs, ys, indexing="ij"), axis=-1)
        flat = grid.reshape(-1, 2)
        heights = made.heights
        free = {h: made.free(flat, h, TOUCH / 4).reshape(grid.shape[:2]) for h in heights}
        wide = {h: made.free(flat, h, TOUCH / 4, CLIMB).reshape(grid.shape[:2]) for h in heights}
        lifts = {(a, b): made.climbs(flat, a, b, TOUCH / 4).reshape(grid.shape[:2])
                 for a, b in itertools.combinations(heights, 2)}  # fmt: skip
        start, end = np.array(made.start[:2]), np.array(made.end[:2])
        cost: dict[Any, float] = {"start": 0.0}
        parent: dict[Any, Any] = {"start": "start"}
        place: dict[Any, tuple[Array, float]] = {"start": (start, made.start[2]), "end": (end, made.end[2])}
        closed: set[Any] = set()
        count = itertools.count()
        queue: list[tuple[float, int, Any]] = [(0.0, next(count), "start")]

        def cells(point: Array, reach: int) -> Any:
            i, j = np.round(point / self.spacing).astype(int)
            for di, dj in itertools.product(range(-reach, reach + 1), repeat=2):
                if 0 <= i + di < len(xs) and 0 <= j + dj < len(ys):
                    yield i + di, j + dj

        def neighbours(key: Any) -> Any:  # noqa: C901, PLR0912  # every kind of place once
            point, h = place[key]
            if key[0] == "down":
                yield (*key[1:3], key[3])
                return
            if key[0] == "up":
                for i, j in cells(point, 2):
                    if free[h][i, j] and math.dist(grid[i, j], point) <= CLIMB:
                        yield (i, j, h)
                return
            for i, j in cells(point, 2 if key == "start" else 1):
                if free[h][i, j]:
                    yield (i, j, h)
            for low, high in itertools.combinations(heights, 2):
                if h == low and key != "start" and lifts[low, high][key[:2]] and wide[high][key[:2]]:
                    yield ("up", *key[:2], low, high)
                if h == high:
                    for i, j in cells(point, 2):
                        near = math.dist(grid[i, j], point) <= CLIMB
                        if near and free[low][i, j] and wide[high][i, j] and lifts[low, high][i, j]:
                            yield ("down", i, j, low, high)
            if h == made.end[2] and math.dist(point, end) < 2 * self.spacing:
                yield "end"

        while queue:
            _, _, key = heapq.heappop(queue)
            if key in closed:
                continue
            closed.add(key)
            if key == "end":
                chain = []
                while key != "start":
                    chain.append(place[key])
                    key = parent[key]
                return [*chain, place["start"]][::-1]
            for other in neighbours(key):
                if other in closed:
                    continue
                if other != "end":
                    i, j = other[1:3] if isinstance(other[0], str) else other[:2]
                    place[other] = (grid[i, j], other[-1])
                point, h = place[other]
                beside = other[0] == "down" or key[0] == "up"
                for through in (key,) if beside else (parent[key], key):
                    before, level = place[through]
                    if level != h and (before == point).all() and through is key:
                        new = cost[through] + abs(level - h)
                    elif level == h and self._line(before, point, h, CLIMB * beside):
                        new = cost[through] + math.dist(before, point)
                    else:
                        continue
                    if new < cost.get(other, math.inf) - 1e-12:
                        cost[other], parent[other] = new, through
                        left = math.dist(point, end) + abs(h - made.end[2])
                        heapq.heappush(queue, (new + left, next(count), other))
                    break
        return None

    def _tight(self, chain: list[tuple[Array, float]]) -> float:
        """Pull the way tight: drop turns, halve stretches, and move every turn towards its neighbours where legal."""
        turns: list[Turn] = []  # where, height before, height after
        for point, height in chain:
            if turns and (turns[-1][0] == point).all():
                turns[-1] = (point, turns[-1][1], height)
            else:
                turns.append((point, height, height))
        for _ in range(4):
            turns = self._pulled(self._dropped(turns))
            turns = self._pulled(self._halved(turns))
        turns = self._dropped(turns)
        climbed = sum(abs(before - after) for _, before, after in turns)
        return climbed + sum(math.dist(a[0], b[0]) for a, b in itertools.pairwise(turns))

    def _dropped(self, turns: list[Turn]) -> list[Turn]:
        n = 1
        while n < len(turns) - 1:
            _, before, after = turns[n]
            if before == after and self._stretch(turns[n - 1], turns[n + 1], turns[n - 1][0], turns[n + 1][0]):
                del turns[n]
            else:
                n += 1
        return turns

    def _halved(self, turns: list[Turn]) -> list[Turn]:
        found = turns[:1]
        for one, two in itertools.pairwise(turns):
            if math.dist(one[0], two[0]) > (CLIMB if one[1] != one[2] or two[1] != two[2] else 0.2):
                found.append(((one[0] + two[0]) / 2, one[2], one[2]))
            found.append(two)
        return found

    def _pulled(self, turns: list[Turn]) -> list[Turn]:
        for _ in range(12):
            for n in range(1, len(turns) - 1):
                point, before, after = turns[n]
                aim = _foot(point, turns[n - 1][0], turns[n + 1][0])
                for share in (1.0, 0.5, 0.2, 0.05):
                    new = point + share * (aim - point)
                    if self._legal(turns, n, new):
                        turns[n] = (new, before, after)
                        break
        return turns

    def _legal(self, turns: list[Turn], n: int, new: Array) -> bool:
        _, before, after = turns[n]
        low, high = sorted((before, after))
        if low != high and not self.made.climbs(new[None], low, high, TOUCH / 4)[0]:
            return False
        here = (new, before, after)
        return self._stretch(turns[n - 1], here, turns[n - 1][0], new) and self._stretch(
            here, turns[n + 1], new, turns[n + 1][0]
        )

    def _stretch(self, one: Turn, two: Turn, start: Array, end: Array) -> bool:
        """Whether the base may go straight from one turn to the next, beside a surface after or before a climb."""
        height = one[2]
        steps = dense(np.array([start, end]), 0.03)
        return bool(along(self.made, steps, height, TOUCH / 4, one[1] < one[2], two[2] < two[1]).all())


def _foot(point: Array, one: Array, two: Array) -> Array:
    """The point of a stretch nearest to another point."""
    along = two - one
    square = float(along @ along)
    share = min(1.0, max(0.0, float((point - one) @ along) / square)) if square else 0.0
    foot: Array = one + share * along
    return foot

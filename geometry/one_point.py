"""Whether all of a body's facing surface is seen from one single point of another body.

Points are tried. Where none of them sees it all, the other body is cut into boxes: a box is *settled* when a part of
the target that faces all of it is proved unseen from the whole box, since then no point of the box sees everything.
Boxes that are not settled are halved, and their middles tried too. When no box is left, no point sees it all: a proof.
Lines that start inside a box leave it through its sides, so that only its sides are asked about.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from deadground.geometry.parts import Parts, PartsQuestion, seen_parts
from deadground.geometry.patches import Patches, facing, join, point_patch, triangle_patches, wholly_facing
from deadground.geometry.plates import Array
from deadground.geometry.search import Question, Searcher
from deadground.geometry.segments import Bools, Ints, Segments
from deadground.geometry.shapes import Upright

__all__ = ["Room", "box_room", "seen_from_one_point", "upright_room"]

_CORNERS = np.stack(np.meshgrid(*[[-1.0, 1.0]] * 3, indexing="ij"), -1).reshape(-1, 3)
_POINTS = np.concatenate([_CORNERS, np.eye(3), -np.eye(3), np.zeros((1, 3))])
"""Of a box, from -1 to 1: its corners, the middles of its sides, and last its own."""
_SIDES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
"""Corners of the triangles of a box's sides, anticlockwise from outside."""

_MOST = 250
"""Boxes looked at for one question before it is called sampled."""
_TRIED = 3
"""Parts of the target of which a box's darkest are asked about."""
_BUDGET = 300
"""Cells that the search may take to prove a part unseen from a box."""
_HOPEFUL = 8
"""Middles of boxes that are tried: only those from which nothing seems to be unseen."""
_FINE = 600
"""Parts of the target that are looked at from a box: no more, save where it has more to begin with."""
_THINNEST = 1 / 16
"""Share of its longest side below which no side of a box is halved."""


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """The room that a body takes: a box, and whether only the upright ellipse that fits it belongs to the body.

    middle : (3,); axes : (3, 3) its directions as columns, the third upright; half : (3,) inches
    solid : whether every point of it is a point of the body, so that its points may be tried
    """

    middle: Array
    axes: Array
    half: Array
    solid: bool

    def points(self, box: Array, at: Array) -> Array:
        """(k, 3) points of a box (2, 3: middle and half) at shares `at` (k, 3) of it, from -1 to 1."""
        return np.asarray(self.middle + (box[0] + at * box[1]) @ self.axes.T)

    def holds(self, box: Array) -> bool:
        """Whether any of a box belongs to the body."""
        if not self.solid:
            return True
        nearest = np.maximum(np.abs(box[0, :2]) - box[1, :2], 0.0) / self.half[:2]
        return bool((nearest**2).sum() <= 1)

    def has(self, box: Array) -> bool:
        """Whether a box's middle is known to be a point of the body."""
        return self.solid and bool(((box[0, :2] / self.half[:2]) ** 2).sum() <= 1)


def upright_room(body: Upright, low: float) -> Room:
    """The room of an upright body from a height `low` up (inches)."""
    c, s = np.cos(body.facing), np.sin(body.facing)
    axes = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    middle = np.array([body.x, body.y, (low + body.top) / 2])
    return Room(middle, axes, np.array([body.a, body.b, (body.top - low) / 2]), True)


def box_room(points: Array) -> Room:
    """The room that holds points (n, 3)."""
    low, high = points.min(0), points.max(0)
    return Room((low + high) / 2, np.eye(3), (high - low) / 2, False)


def seen_from_one_point(searcher: Searcher, question: PartsQuestion, room: Room) -> Parts:
    """What the best single point sees: all ("witness"), or not all ("proof" where no point does, else "sampled").

    room : of the question's observer; its viewpoints are tried first
    """
    best = _best(searcher, question, question.viewpoints)
    if best.fully:
        return best
    return _Boxes(searcher, question, room, best).settle()


def _best(searcher: Searcher, question: PartsQuestion, points: Array) -> Parts:
    """What the best of some points (k, 3) sees; short of all, it is only sampled that none sees more."""
    asked = [replace(question, observer=point_patch(point), viewpoints=point[None]) for point in points]
    best = max(seen_parts(searcher, asked), key=lambda one: (one.fully, one.seen_fraction))
    return best if best.fully else replace(best, certainty="sampled")


class _Boxes:
    """The boxes that are still open, for one question."""

    def __init__(self, searcher: Searcher, question: PartsQuestion, room: Room, best: Parts) -> None:
        self._searcher, self._question, self._room, self._best = searcher, question, room, best
        self._open = [np.array([np.zeros(3), room.half])]
        self._parts: dict[int, Patches] = {}
        self._hopes = _HOPEFUL

    def settle(self) -> Parts:
        """Settle boxes until none is left, a middle sees everything, or too many were looked at."""
        looked = 0
        while self._open and looked < _MOST and not self._best.fully:
            looked += len(self._open)
            self._round()
        if self._open or self._best.fully:
            return self._best
        return replace(self._best, certainty="proof")

    def _round(self) -> None:
        """One look at every open box."""
        views = [_View(self._searcher, self._question, self._room, box, self._fine(box)) for box in self._open]
        questions = [(i, question) for i, view in enumerate(views) for question in view.questions()]
        answers = self._searcher.answer([question for _, question in questions], budget=_BUDGET)
        settled = {i for (i, _), answer in zip(questions, answers, strict=True) if answer.certainty == "proof"}
        left = [i for i in range(len(views)) if i not in settled]
        self._hope([views[i] for i in left])
        halves = [half for i in left for half in _halved(self._open[i], views[i].direction())]
        self._open = [half for half in halves if self._room.holds(half)]

    def _fine(self, box: Array) -> Patches:
        """The target in parts about as small as a box, none smaller than those that are asked for."""
        longest = float(self._room.half.max())
        step = max(0, math.ceil(math.log2(max(1.0, longest / float(box[1].max())))))
        while step not in self._parts:
            known = len(self._parts)
            least = max(self._question.smallest, longest / 2 ** (known + 1))
            parts = _divided(self._question.target, least)
            self._parts[known] = parts if known == 0 or len(parts) <= _FINE else self._parts[known - 1]
        return self._parts[step]

    def _hope(self, views: Sequence[_View]) -> None:
        """Try the middles of boxes from which nothing seems to be unseen."""
        hopeful = [view.middle for view in views if view.hopeful][: self._hopes]
        if hopeful:
            self._hopes -= len(hopeful)
            found = _best(self._searcher, self._question, np.array(hopeful))
            self._best = max(self._best, found, key=lambda one: (one.fully, one.seen_fraction))


class _View:
    """What seems to be seen from a box: of the target's parts that face all of it, by lines to their middles."""

    def __init__(self, searcher: Searcher, question: PartsQuestion, room: Room, box: Array, parts: Patches) -> None:
        self._question, self._box, self._corners = question, box, room.points(box, _CORNERS)
        ahead = wholly_facing(parts, np.broadcast_to(self._corners, (len(parts), *self._corners.shape)))
        self._parts = parts.take(ahead)
        points, self._ends = room.points(box, _POINTS), self._parts.centres()
        lines = Segments(np.tile(points, (len(self._ends), 1)), np.repeat(self._ends, len(points), 0))
        stopped = searcher.world.blocked(lines, question.ignored[None], np.zeros(len(lines), np.int64))
        self._stopped: Bools = stopped.reshape(-1, len(points))
        self.middle = points[-1]
        self.hopeful = room.has(box) and not self._stopped[:, -1].any()

    def questions(self) -> list[Question]:
        """Whether any line leads from the box to its darkest parts."""
        sides = triangle_patches(self._corners[_SIDES])
        found = []
        for i in self._darkest():
            part = self._parts.take(np.array([i]))
            towards = facing(sides, np.broadcast_to(part.corners(), (len(sides), *part.corners().shape[1:])))
            found.append(Question(sides.take(towards), part, self._question.ignored, front=True))
        return found

    def _darkest(self) -> Ints:
        """Parts of which nothing seems to be seen, those first that are furthest from what is."""
        dark = self._stopped.all(1)
        rows = np.flatnonzero(dark)
        if dark.all():
            return rows[:: max(1, len(rows) // _TRIED)][:_TRIED]
        apart = np.linalg.norm(self._ends[rows][:, None] - self._ends[~dark][None], axis=2).min(1)
        return rows[np.argsort(-apart, kind="stable")[:_TRIED]]

    def direction(self) -> int:
        """In which to halve the box: where what is seen of the darkest parts changes most along it."""
        half = self._box[1]
        fit = half > _THINNEST * half.max()
        if not len(self._stopped):
            return int(half.argmax())
        seen = ~self._stopped[np.argsort(self._stopped.sum(1), kind="stable")[-_TRIED:]]
        changes = [sum(int((seen[:, i] != seen[:, j]).sum()) for i, j in pairs) for pairs in _ALONG]
        if not any(np.array(changes)[fit]):
            return int(half.argmax())
        return int(np.where(fit, np.array(changes) + half / half.max() / 2, -1.0).argmax())


def _pairs_along(axis: int) -> list[tuple[int, int]]:
    """Pairs of a box's points between which one walks along an axis: corners, and its middle and its sides'."""
    step = 4 >> axis
    corners = [(i, i + step) for i in range(8) if not i & step]
    return [*corners, (8 + axis, 14), (11 + axis, 14)]


_ALONG = [_pairs_along(axis) for axis in range(3)]


def _halved(box: Array, axis: int) -> list[Array]:
    halves = []
    for side in (-1, 1):
        half = box.copy()
        half[1, axis] /= 2
        half[0, axis] += side * half[1, axis]
        halves.append(half)
    return halves


def _divided(patches: Patches, least: float) -> Patches:
    """Patches divided as in `seen_parts`, until none is larger across than `least` (inches)."""
    done = []
    while len(patches):
        size = 2 * np.linalg.norm(patches.halves(), axis=2)
        large = size.max(1) > least
        done.append(patches.take(~large))
        patches = patches.take(large)
        if len(patches):
            patches = patches.split(size[large].argmax(1))
    return join(done)

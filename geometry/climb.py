"""Lines that nearly reach a part of a body, turned little by little until they do.

Where a part is seen through a sliver only, few lines reach it, and the search comes to them late. Lines that miss it by
little (too narrow, or from behind the part) lead there: each is varied at both its ends, and what comes nearer is kept.
What is found is checked like any other line; that nothing is found proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deadground.geometry.looks import Watched
from deadground.geometry.patches import Patches, join
from deadground.geometry.plates import Array
from deadground.geometry.segments import Ints, Segments, rank
from deadground.geometry.units import WIDTH_SLACK

__all__ = ["climb"]

_PATCHES = 8
"""Patches of an observer from which lines start."""
_BEST = 8
"""Lines to one part that are kept."""
_ROUNDS = 14
"""Times that they are varied, every second time by half as much."""
_BEHIND = 20.0
"""What a radian from behind counts for, in line widths by which a line is too narrow."""
_OFF = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
_FIRST = np.stack(np.meshgrid(_OFF, _OFF[::2], _OFF[::2], _OFF[::2], indexing="ij"), -1).reshape(-1, 4)
"""Places on both patches at which lines start, as shares of their halves."""
_STEPS = np.concatenate([np.eye(4), -np.eye(4), np.stack(np.meshgrid(*[[-1.0, 1.0]] * 4), -1).reshape(-1, 4) / 2])
"""Ways in which they are varied."""


@dataclass(frozen=True, slots=True, eq=False)
class _Tries:
    """Lines to parts: row (n,), patches of the observer and of the part, place (n, 4) on both, score (n,)."""

    row: Ints
    a: Patches
    b: Patches
    place: Array
    score: Array

    def take(self, rows: Ints) -> _Tries:
        return _Tries(self.row[rows], self.a.take(rows), self.b.take(rows), self.place[rows], self.score[rows])

    def best(self) -> _Tries:
        """The best few of each row."""
        order = np.lexsort((-self.score, self.row))
        return self.take(order[rank(self.row[order]) < _BEST])


def climb(parts: Watched, observers: Sequence[Patches]) -> list[Array | None]:
    """A clear line (2, 3) to each of the parts, where one is found. observers : for each question."""
    found: list[Array | None] = [None] * len(parts.question)
    tries = _first(parts, observers)
    for turn in range(_ROUNDS):
        tries = _varied(parts, tries, found, 0.5 ** (turn // 2 + 1))
    return found


def _first(parts: Watched, observers: Sequence[Patches]) -> _Tries:
    row, chosen = [np.empty(0, np.int64)], [parts.patches.take(np.empty(0, np.int64))]
    for i, k in enumerate(parts.question):
        last = len(observers[k]) - 1
        some = np.unique(np.linspace(0, last, _PATCHES).astype(np.int64))
        row.append(np.full(len(some), i))
        chosen.append(observers[k].take(some))
    count = sum(map(len, row))
    every = np.repeat(np.arange(count), len(_FIRST))
    at = np.concatenate(row)[every]
    place = np.tile(_FIRST, (count, 1))
    return _Tries(at, join(chosen).take(every), parts.patches.take(at), place, np.full(len(at), -np.inf))


def _varied(parts: Watched, tries: _Tries, found: list[Array | None], step: float) -> _Tries:
    """The best of the tries and of what they become when varied; those that reach their part go into `found`."""
    known = tries.take(np.flatnonzero(np.isfinite(tries.score)))
    fresh = tries if not len(known.row) else _neighbours(known, step)
    fresh = fresh.take(np.flatnonzero([found[i] is None for i in fresh.row]))
    start, _ = fresh.a.at(fresh.place[:, 0], fresh.place[:, 1])
    end, normal = fresh.b.at(fresh.place[:, 2], fresh.place[:, 3])
    lines = Segments(start, end)
    length = np.linalg.norm(lines.along, axis=1) * np.linalg.norm(normal, axis=1)
    front = -(lines.along * normal).sum(1) / np.where(length > 0, length, 1.0)
    score = np.where(front > 0, 0.0, _BEHIND * front)
    free = np.flatnonzero(~parts.blocked(fresh.row, lines))
    score, fresh, lines = score[free], fresh.take(free), lines.take(free)
    gap = parts.world.clearance(lines, parts.ignored[parts.question[fresh.row]])
    narrow = np.minimum(gap.distance / max(parts.world.half_width, WIDTH_SLACK), 1.0) - 1
    good = np.flatnonzero((front[free] > 0) & parts.world.keeps_width(gap))
    for i in good:
        found[fresh.row[i]] = np.stack([lines.start[i], lines.end[i]])
    fresh = _Tries(fresh.row, fresh.a, fresh.b, fresh.place, score + narrow)
    return _joined(known, fresh).best()


def _neighbours(tries: _Tries, step: float) -> _Tries:
    every = np.repeat(np.arange(len(tries.row)), len(_STEPS))
    near = tries.take(every)
    place = np.clip(near.place + step * np.tile(_STEPS, (len(tries.row), 1)), -1, 1)
    return _Tries(near.row, near.a, near.b, place, np.full(len(every), -np.inf))


def _joined(one: _Tries, two: _Tries) -> _Tries:
    return _Tries(
        np.concatenate([one.row, two.row]),
        join([one.a, two.a]),
        join([one.b, two.b]),
        np.concatenate([one.place, two.place]),
        np.concatenate([one.score, two.score]),
    )

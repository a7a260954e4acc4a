"""Find a clear line between two bodies, or prove that there is none.

A *cell* is a patch of one body and a patch of the other: all lines between them. Its middle line is cast. Free, and
keeping its width in float64: that is the witness. Blocked: the plate that stopped it tries to prove the whole cell
blocked (`proofs.PlateTable.judge`). Neither: the cell is split across the direction in which it is too large for the
proof. No grid decides anything: what is left when the budget ends is said with the width of the slit that it could
hide.

Many questions are answered side by side, since numpy is quick only in bulk; each has its own cells and its own budget,
so an answer does not depend on what else was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from deadground.geometry.gates import find_gates, gate_proofs
from deadground.geometry.obstacles import Clearance, World
from deadground.geometry.patches import TRIANGLE, Patches, facing, join
from deadground.geometry.plates import Array
from deadground.geometry.proofs import Judgement, PlateTable, end_proofs, strip_proofs
from deadground.geometry.reference import cross
from deadground.geometry.segments import Bools, Ints, Segments, rank

__all__ = ["BUDGET", "Answer", "Question", "Searcher"]

BUDGET = 150_000
"""Cells looked at for one question before it is called sampled."""

_TOGETHER = 256
"""Questions answered side by side."""
_AT_ONCE = 1_000_000
"""Cells with which the questions answered side by side begin, save where a single one begins with more."""
_BATCH = 8192
"""Cells looked at in one round, over all questions."""
_ROUND = 1024
"""Cells of one question looked at in one round."""
_PATIENT = 1000
"""Cells of a budget up to which the question is not worth looking for two plates together."""
_HARD = 100
"""Cells of one question after which pairs of plates are tried too: most questions are answered sooner, and cheaply."""
_FIRST_LOOK = 4
"""Free middle lines of a question that are checked before the rest."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Asks for a clear line from any point of `observer` to any point of `target`.

    ignored : (owners,) True for what does not count; aims : lines to try first (from observer to target)
    front : only lines that reach the target's patches from outside count, none through the target's own body
    """

    observer: Patches
    target: Patches
    ignored: Bools
    aims: Segments | None = None
    front: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """line : (2, 3) the clear line, None where there is none; certainty as in a verdict.

    resolution : inches, the widest slit that could have been missed (0.0 for witness and proof); cells : looked at
    """

    line: Array | None
    certainty: Literal["witness", "proof", "sampled"]
    resolution: float
    cells: int


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Cells of many questions: question (n,), patches, and order (n,): small is near to being free."""

    question: Ints
    a: Patches
    b: Patches
    order: Array

    def __len__(self) -> int:
        return len(self.question)

    def take(self, rows: Ints | Bools) -> _Cells:
        return _Cells(self.question[rows], self.a.take(rows), self.b.take(rows), self.order[rows])


def _join(parts: Sequence[_Cells]) -> _Cells:
    return _Cells(
        np.concatenate([p.question for p in parts]),
        join([p.a for p in parts]),
        join([p.b for p in parts]),
        np.concatenate([p.order for p in parts]),
    )


class Searcher:
    """Answers questions about one world. The costly part (plates) is made once and kept.

    budget : cells a question may take
    """

    def __init__(self, world: World, budget: int = BUDGET) -> None:
        self.world = world
        self.budget = budget
        self._plates = PlateTable(world)

    @cached_property
    def thin(self) -> Searcher:
        """The same world, asked about lines without a width."""
        return Searcher(World(self.world.layers, 0.0))

    def answer(
        self, questions: Sequence[Question], progress: Callable[[int], None] | None = None, budget: int | None = None
    ) -> list[Answer]:
        """One answer for each question.

        progress is called with the number answered so far; budget : cells for each, None for the searcher's own
        """
        answers: list[Answer] = []
        for batch in _batches(questions):
            answers += _Run(self.world, self._plates, batch, budget or self.budget).finish()
            if progress is not None:
                progress(len(answers))
        return answers


def _batches(questions: Sequence[Question]) -> Iterator[Sequence[Question]]:
    """Questions to answer side by side: so many, and not with too many cells (bodies may be meshes)."""
    begin, cells = 0, 0
    for number, question in enumerate(questions):
        more = len(question.observer) * len(question.target)
        if number > begin and (number - begin == _TOGETHER or cells + more > _AT_ONCE):
            yield questions[begin:number]
            begin, cells = number, 0
        cells += more
    if begin < len(questions):
        yield questions[begin:]


class _Run:
    """The state of one batch of questions."""

    def __init__(self, world: World, plates: PlateTable, questions: Sequence[Question], budget: int) -> None:
        self._world, self._plates, self._budget = world, plates, budget
        self._ignored = np.array([q.ignored for q in questions]).reshape(len(questions), world.owners)
        self._line: list[Array | None] = [None] * len(questions)
        self._seen = np.zeros(len(questions), np.int64)
        self._open = np.ones(len(questions), bool)
        self._resolution = np.zeros(len(questions))
        self._front = np.array([q.front for q in questions], bool)
        self._aim(questions)
        self._pool = _join([_first_cells(i, q) for i, q in enumerate(questions)])

    def finish(self) -> list[Answer]:
        """Work until every question is answered or has spent its budget."""
        while len(self._pool):
            self._drop_spent()
            self._work(self._next())
        return [self._answer(i) for i in range(len(self._line))]

    def _answer(self, i: int) -> Answer:
        certainty: Literal["witness", "proof", "sampled"] = "proof"
        if self._line[i] is not None:
            certainty = "witness"
        elif self._resolution[i] > 0:
            certainty = "sampled"
        return Answer(self._line[i], certainty, float(self._resolution[i]), int(self._seen[i]))

    def _aim(self, questions: Sequence[Question]) -> None:
        """Try the lines that somebody thought promising."""
        given = [(i, q.aims) for i, q in enumerate(questions) if q.aims is not None and len(q.aims)]
        if not given:
            return
        question = np.concatenate([np.full(len(aims), i) for i, aims in given])
        lines = Segments(np.concatenate([x.start for _, x in given]), np.concatenate([x.end for _, x in given]))
        self._seen += np.bincount(question, minlength=len(self._seen))
        hits = self._world.first(lines, self._ignored[question])
        free = np.flatnonzero(~hits.blocked)
        self._check(question[free], lines.take(free))

    def _check(self, question: Ints, lines: Segments) -> Clearance:
        """Float64 check of free lines, in order; the first good one of a question is its witness."""
        known = Clearance.unknown(len(lines))
        turn = rank(question)
        for early in (True, False):
            rows = np.flatnonzero(((turn < _FIRST_LOOK) == early) & self._open[question])
            if not len(rows):
                continue
            found = self._world.clearance(lines.take(rows), self._ignored[question[rows]])
            known.put(rows, found)
            good = rows[self._world.keeps_width(found)]
            for i in good[np.unique(question[good], return_index=True)[1]]:
                self._line[question[i]] = np.stack([lines.start[i], lines.end[i]])
                self._open[question[i]] = False
        return known

    def _drop_spent(self) -> None:
        """Close the questions that have spent their budget, and say what they could have missed."""
        spent = np.flatnonzero(self._open & (self._seen >= self._budget))
        for i in spent:
            left = self._pool.take(self._pool.question == i)
            if not len(left):
                continue
            reach = np.maximum(_radius(left.a), _radius(left.b)).max()
            # the cells left are halves of cells whose middle line was tried: twice as wide
            self._resolution[i] = 2 * (2 * reach + self._world.half_width)
            self._open[i] = False
        self._pool = self._pool.take(self._open[self._pool.question])

    def _next(self) -> _Cells:
        """The cells nearest to being free, some of every question; the rest waits."""
        order = np.lexsort((self._pool.order, self._pool.question))
        place = rank(self._pool.question[order])
        share = min(_ROUND, max(16, _BATCH // max(1, int(self._open.sum()))))
        now = np.zeros(len(order), bool)
        now[order[place < share]] = True
        cells = self._pool.take(now)
        self._pool = self._pool.take(~now)
        return cells

    def _work(self, cells: _Cells) -> None:
        if not len(cells):
            return
        self._seen += np.bincount(cells.question, minlength=len(self._seen))
        cells = cells.take(~self._from_behind(cells))
        middle = Segments(cells.a.centres(), cells.b.centres())
        hits = self._world.first(middle, self._ignored[cells.question])
        free = np.flatnonzero(~hits.blocked & ~self._middle_behind(cells, middle))
        near = self._check(cells.question[free], middle.take(free))
        alive = self._open[cells.question]
        if not alive.any():
            return
        a, b = cells.a.corners(), cells.b.corners()
        blocked = np.flatnonzero(alive)
        blocked = blocked[~np.isin(blocked, free)]
        still = alive[free]
        rows = free[still]
        if len(rows):
            self._split(*self._narrow(cells.take(rows), a[rows], b[rows], near.take(still)))
        if len(blocked):
            lines, met = middle.take(blocked), hits.triangle[blocked]
            self._split(*self._blocked(cells.take(blocked), lines, met, a[blocked], b[blocked]))

    def _from_behind(self, cells: _Cells) -> Bools:
        """(n,) cells all of whose lines reach the target's patch from inside its body, where that matters."""
        behind = self._front[cells.question]
        rows = np.flatnonzero(behind)
        one = cells.take(rows)
        behind[rows] = ~facing(one.b, one.a.corners())
        return behind

    def _middle_behind(self, cells: _Cells, middle: Segments) -> Bools:
        """(n,) middle lines that reach their target from inside its body, where that matters."""
        normal = cells.b.normals().sum(1)
        return np.asarray(self._front[cells.question] & ((middle.along * normal).sum(1) >= 0))

    def _narrow(self, cells: _Cells, a: Array, b: Array, near: Clearance) -> tuple[_Cells, Array, Array]:
        """Cells whose middle line is free but too close to something: what cannot be proven, how it must shrink."""
        growth = self._world.growth_at(near.number)
        reach = np.maximum(_hull_radius(a), _hull_radius(b))
        proven = near.distance + reach < growth
        proven |= strip_proofs(near.edge, near.offset, growth, a, b)
        for corners in (a, b):
            proven |= end_proofs(near.triangle, growth, corners)
        rows = np.flatnonzero(~proven)
        proven[rows] = self._plates.lean_on(near.number[rows], near.triangle[rows], a[rows], b[rows])
        rows = np.flatnonzero(~proven)
        pull = _narrowing(near.take(rows), b[rows].mean(1) - a[rows].mean(1))
        left = cells.take(rows)
        return _Cells(left.question, left.a, left.b, np.full(len(rows), -1.0)), pull, near.share[rows]

    def _blocked(
        self, cells: _Cells, middle: Segments, triangle: Ints, a: Array, b: Array
    ) -> tuple[_Cells, Array, Array]:
        """Cells whose middle line is blocked: what no plate proves, how it must shrink, where on the line.

        A middle line that is free but comes from behind its target has met nothing (-1): its cell is only split.
        """
        best = _Best(len(cells))
        rows = np.flatnonzero(triangle >= 0)
        triangle = triangle[rows]
        for turn in range(2):
            if turn:
                rows = rows[~best.proven[rows]]
                back = middle.take(rows).reversed()
                hits = self._world.first(back, self._ignored[cells.question[rows]])
                rows, triangle = rows[hits.blocked], hits.triangle[hits.blocked]
            self._try_plates(best, rows, triangle, middle, a, b)
        rows = np.flatnonzero(~best.proven)
        left = cells.take(rows)
        order = np.where(np.isfinite(best.spread[rows]), best.depth[rows] / best.spread[rows], 0.5)
        return _Cells(left.question, left.a, left.b, order), best.pull[rows], best.share[rows]

    def _try_plates(self, best: _Best, rows: Ints, triangle: Ints, middle: Segments, a: Array, b: Array) -> None:
        """Let the facet that stopped each middle line try, then the cores of its owner."""
        plate = self._plates.facet_of(triangle)
        best.add(rows, self._plates.judge(plate, middle.take(rows), a[rows], b[rows]))
        left = ~best.proven[rows]
        owner = self._world.owner_of(triangle[left])
        at, plate = self._plates.cores_of(owner, middle.take(rows[left]))
        at = rows[left][at]
        best.add(at, self._plates.judge(plate, middle.take(at), a[at], b[at]))

    def _between_two(self, cells: _Cells) -> Bools:
        """(n,) cells of the harder questions that two plates together prove blocked."""
        proven = np.zeros(len(cells), bool)
        rows = np.flatnonzero((self._seen[cells.question] > _HARD) & (self._budget > _PATIENT))
        if len(rows):
            hard = cells.take(rows)
            a, b = hard.a.corners(), hard.b.corners()
            gates = find_gates(self._world, self._plates, self._ignored[hard.question], a, b)
            proven[rows] = gate_proofs(gates, a, b)
        return proven

    def _split(self, cells: _Cells, pull: Array, share: Array) -> None:
        """Halve each cell where that shrinks it most along `pull`, and put the halves into the pool."""
        keep = ~self._between_two(cells)
        cells, pull, share = cells.take(keep), pull[keep], share[keep]
        if not len(cells):
            return
        sides = np.stack([cells.a.halves(), cells.b.halves()], 1)
        weight = np.stack([1 - share, share], 1)[:, :, None]
        gain = np.stack([_spans(cells.a, pull), _spans(cells.b, pull)], 1) + _EVEN * np.linalg.norm(sides, axis=3)
        choice = (gain * weight).reshape(len(cells), 4).argmax(1)
        for side in (0, 1):
            rows = np.flatnonzero(choice // 2 == side)
            one = cells.take(rows)
            halves = (one.a if side == 0 else one.b).split(choice[rows] % 2)
            twice = np.concatenate([np.arange(len(rows))] * 2)
            same = (one.b if side == 0 else one.a).take(twice)
            a, b = (halves, same) if side == 0 else (same, halves)
            self._pool = _join([self._pool, _Cells(one.question[twice], a, b, one.order[twice])])


_EVEN = 1 / 50
"""Share of a cell's size that counts whatever the direction, so that no extent is left unsplit for ever."""


class _Best:
    """The best that any plate said of each cell."""

    def __init__(self, count: int) -> None:
        self.proven = np.zeros(count, bool)
        self.depth, self.spread = np.full(count, -1.0), np.full(count, np.inf)
        self.pull, self.share = np.zeros((count, 3)), np.full(count, 0.5)

    def add(self, rows: Ints, said: Judgement) -> None:
        """Take over what is better: proven, or crossed deeper inside."""
        if not len(rows):
            return
        self.proven[rows[said.proven]] = True
        value = np.where(np.isfinite(said.spread), said.depth, -0.5)
        order = np.lexsort((-value, rows))
        first = order[np.unique(rows[order], return_index=True)[1]]
        better = first[value[first] > self.depth[rows[first]]]
        at = rows[better]
        self.depth[at], self.spread[at] = value[better], said.spread[better]
        self.pull[at], self.share[at] = said.pull[better], said.share[better]


def _first_cells(number: int, question: Question) -> _Cells:
    n, m = len(question.observer), len(question.target)
    i, j = np.divmod(np.arange(n * m), max(m, 1))
    return _Cells(np.full(n * m, number), question.observer.take(i), question.target.take(j), np.zeros(n * m))


def _spans(patches: Patches, pull: Array) -> Array:
    """(n, 2) half of what each patch's hull extends along `pull`, its bulge counted, in its two directions."""
    dot = np.einsum("nkc,nc->nk", patches.corners(), pull).reshape(-1, 3, 2)
    spans = np.stack([np.ptp(dot, axis=1).max(1), np.ptp(dot, axis=2).max(1)], 1) / 2
    flat = patches.form == TRIANGLE
    spans[flat] = np.abs(np.einsum("nkc,nc->nk", patches.take(flat).halves(), pull[flat]))
    return np.asarray(spans)


def _narrowing(near: Clearance, along: Array) -> Array:
    """(n, 3) how cells must shrink whose middle lines pass too closely: towards the edge, or the face they end by."""
    corner = near.triangle
    normal = cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    face = (near.distance > 0) & np.isnan(near.edge).all((1, 2)) & np.isfinite(normal).all(1)
    pull = np.where(face[:, None], normal, near.offset)
    size = np.linalg.norm(pull, axis=1, keepdims=True)
    level = cross(along, np.array([0.0, 0.0, 1.0]))
    return np.where(size > 0, pull / np.where(size > 0, size, 1.0), level)


def _hull_radius(corners: Array) -> Array:
    return np.asarray(np.linalg.norm(corners - corners.mean(1, keepdims=True), axis=2).max(1))


def _radius(patches: Patches) -> Array:
    return _hull_radius(patches.corners())

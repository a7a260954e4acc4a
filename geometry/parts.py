"""Which parts of a body's facing surface are seen from another body, taken together.

The surface is divided until every part is decided. A part is *seen whole* when from one point of the observer no
triangle comes near the hull of that point and the part; *unseen* when the search proves that no line reaches it; and a
part no larger than the smallest that is asked for is seen when a line reaches any point of it. Where a body is pressed
against material beside it, so that half a line's width has no room, parts that a thin line reaches are not asked for.

Single points look first (`looks`): what they see in part is divided further, across the edge of what they see. Only
parts of which they see nothing are searched. One unseen part decides that not all is seen: from there on only the
share is wanted, of coarser parts, and that is what the single points see. It is right to within a few per cent, and
too small where the body is only seen through slits. The smallest parts of which nothing was seen wait until all else
is done; then a few of them are searched for long, as neighbours mostly share one answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from deadground.geometry.climb import climb
from deadground.geometry.looks import Watched, look, nothing_near, reached_again
from deadground.geometry.patches import MANTLE, TRIANGLE, Patches, facing, join
from deadground.geometry.plates import Array
from deadground.geometry.search import Answer, Question, Searcher
from deadground.geometry.segments import Bools, Ints, Segments, rank

__all__ = ["Parts", "PartsQuestion", "seen_parts"]

_VIEWS = 27
"""Points all over the observer that parts are looked at from, beside those given."""
_KEPT = 16
"""Lines that a search found whose starts are looked from too: the last ones."""
_COARSE = 4
"""Times the smallest size to which parts are divided once one is known to be unseen."""
_GLANCE = 150
"""Cells that the search for a line to a part may take that can still be divided."""
_ASKED = 12
"""Such parts of one question that are searched side by side."""
_LADDER = ((_GLANCE, 64), (1000, 6), (4000, 4), (20_000, 2))
"""Cells that the search for a line to one of the smallest parts may take, and how many are searched side by side."""
_BUDGET = 80_000
"""Cells that may be spent on the smallest parts of one question."""


@dataclass(frozen=True, slots=True, eq=False)
class PartsQuestion:
    """Asks which parts of `target` are seen from any point of `observer`.

    viewpoints : (k, 3) points of the observer to try first; smallest : inches, parts no larger across are not divided
    """

    observer: Patches
    target: Patches
    ignored: Bools
    viewpoints: Array
    smallest: float


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What is seen.

    seen_fraction : share of the facing surface that is seen, within a few per cent (too small if seen through slits)
    unseen : parts that certainly no line reaches; where not all is seen, some of them
    certainty : "witness" when all is seen, "proof" when a part is proved unseen, "sampled" when neither could be shown
    """

    fully: bool
    certainty: Literal["witness", "proof", "sampled"]
    seen_fraction: float
    unseen: Patches


@dataclass(frozen=True, slots=True, eq=False)
class _Open:
    """Parts still to be decided: whose they are (n,), and the patches."""

    question: Ints
    patches: Patches

    def take(self, rows: Ints | Bools) -> _Open:
        return _Open(self.question[rows], self.patches.take(rows))


@dataclass(frozen=True, slots=True, eq=False)
class _Stuck:
    """Smallest parts of which nothing was seen: share : (n,) that seems to be seen; rung : (n,) of the ladder."""

    parts: _Open
    share: Array
    rung: Ints

    def take(self, rows: Ints | Bools) -> _Stuck:
        return _Stuck(self.parts.take(rows), self.share[rows], self.rung[rows])


def seen_parts(searcher: Searcher, questions: Sequence[PartsQuestion]) -> list[Parts]:
    """One answer for each question."""
    if not questions:
        return []
    run = _Run(searcher, questions)
    while len(run.open.question):
        run.step()
    while len(run.stuck.share):
        run.settle()
    return run.answers()


class _Run:
    def __init__(self, searcher: Searcher, questions: Sequence[PartsQuestion]) -> None:
        self._searcher, self._questions = searcher, questions
        count = len(questions)
        self._ignored = np.array([q.ignored for q in questions]).reshape(count, searcher.world.owners)
        self._views = [np.concatenate([q.viewpoints, _spread(q.observer)]) for q in questions]
        self._lines: list[Array] = [np.empty((0, 2, 3))] * count
        self._smallest = np.array([q.smallest for q in questions])
        self._seen, self._unseen, self._doubtful = (np.zeros(count) for _ in range(3))
        self._spent = np.zeros(count, np.int64)
        self._dark: list[list[Patches]] = [[] for _ in questions]
        owner = np.concatenate([np.full(len(q.target), i) for i, q in enumerate(questions)])
        parts = _Open(owner, join([q.target for q in questions]))
        clear = self._clear()[owner]
        self._count(self._seen, parts.take(clear))
        self.open = parts.take(~clear)
        self.stuck = _Stuck(parts.take(np.empty(0, np.int64)), np.empty(0), np.empty(0, np.int64))

    def _clear(self) -> Bools:
        """(questions,) whether nothing at all is near the two bodies and what lies between."""
        one = [q.observer.corners().reshape(-1, 3) for q in self._questions]
        two = [q.target.corners().reshape(-1, 3) for q in self._questions]
        known = np.array([len(a) > 0 and len(b) > 0 for a, b in zip(one, two, strict=True)])
        rows = np.flatnonzero(known)
        known[rows] = nothing_near(
            self._searcher.world, [one[i] for i in rows], [two[i] for i in rows], self._ignored[rows]
        )
        return known

    def answers(self) -> list[Parts]:
        """What was found, question by question."""
        return [self._answer(i) for i in range(len(self._questions))]

    def _answer(self, i: int) -> Parts:
        total = self._seen[i] + self._unseen[i] + self._doubtful[i]
        fully = not self._dark[i] and bool(self._doubtful[i] == 0)
        certainty: Literal["witness", "proof", "sampled"] = "witness" if fully else "sampled"
        if self._dark[i]:
            certainty = "proof"
        fraction = float(self._seen[i] / total) if total > 0 else 1.0
        dark = join(self._dark[i]) if self._dark[i] else self._questions[i].target.take(np.empty(0, np.int64))
        return Parts(fully, certainty, fraction, dark)

    def step(self) -> None:
        """Decide what can be decided of the open parts, and divide the rest."""
        parts = self.open.take(self._faces())
        decided, small, wide = self._decided()[parts.question], self._small(parts), self._wide(parts)
        seen = look(self._watched(parts), ~wide, small & ~decided, small & decided)
        self._count(self._seen, parts.take(seen.whole))
        turned = ~seen.whole & ~seen.ahead & wide
        # what turns to no viewpoint and is narrow faces the observer only in theory: it is not asked for
        theory = ~seen.ahead & ~wide & (small | (parts.patches.form != TRIANGLE))
        left = ~seen.whole & ~turned & ~theory
        told = left & decided & small
        self._tell(parts.take(told), seen.share[told])
        reached, waiting = left & ~decided & small & seen.reached, left & ~decided & small & ~seen.reached
        self._count(self._seen, parts.take(reached))
        self._wait(_Stuck(parts.take(waiting), seen.share[waiting], np.zeros(int(waiting.sum()), np.int64)))
        left &= ~told & ~small
        hidden = left & ~seen.free
        left[hidden] = self._search(parts.take(hidden))
        limb, rest = parts.take(turned), parts.take(left)
        self.open = _together(
            _halved(limb, np.zeros(len(limb.question), np.int64)),
            _halved(rest, self._direction(rest, seen.direction[left])),
        )

    def _watched(self, parts: _Open) -> Watched:
        return Watched(self._searcher.world, parts.patches, parts.question, self._ignored, self._views)

    def _decided(self) -> Bools:
        """(questions,) whether a part is known to be unseen."""
        return np.array([len(dark) > 0 for dark in self._dark])

    def _tell(self, parts: _Open, share: Array) -> None:
        """Count parts of questions that are decided by the share of them that seems to be seen."""
        self._count(self._seen, parts, share)
        self._count(self._unseen, parts, 1 - share)

    def _wait(self, more: _Stuck) -> None:
        self.stuck = _Stuck(
            _together(self.stuck.parts, more.parts),
            np.concatenate([self.stuck.share, more.share]),
            np.concatenate([self.stuck.rung, more.rung]),
        )

    def _search(self, parts: _Open) -> Bools:
        """Search for a line to some parts that can still be divided; returns (n,) those that stay open."""
        place, total = rank(parts.question), np.bincount(parts.question, minlength=len(self._questions))
        every = -(-total[parts.question] // _ASKED)
        rows = np.flatnonzero(place % every == 0)
        dark = self._learn(parts.take(rows), self._answers(parts.take(rows), _GLANCE))
        stay = np.ones(len(place), bool)
        stay[rows[dark]] = False
        return stay

    def _learn(self, parts: _Open, answers: Sequence[Answer]) -> Bools:
        """Take over what a search found; returns (n,) parts that no line reaches."""
        for k, answer in zip(parts.question, answers, strict=True):
            if answer.line is not None:
                self._lines[k] = np.concatenate([self._lines[k], answer.line[None]])[-_KEPT:]
                self._views[k] = np.concatenate([self._views[k], answer.line[:1]])
        found = np.array([answer.certainty == "proof" for answer in answers], bool)
        dark = np.flatnonzero(found)
        dark = dark[~self._pressed(parts.take(dark))]
        self._count(self._unseen, parts.take(dark))
        for i in dark:
            self._dark[parts.question[i]].append(parts.patches.take(np.array([i])))
        return found

    def settle(self) -> None:
        """Search for lines to some of the smallest parts, and see whether what is found reaches others as well."""
        waiting = self.stuck
        decided = self._decided()[waiting.parts.question]
        self._tell(waiting.parts.take(decided), waiting.share[decided])
        spent = ~decided & ((waiting.rung == len(_LADDER)) | (self._spent >= _BUDGET)[waiting.parts.question])
        self._count(self._doubtful, waiting.parts.take(spent))
        self.stuck = waiting = waiting.take(~decided & ~spent)
        known = [len(lines) for lines in self._lines]
        left = np.ones(len(waiting.share), bool)
        for rung, rows in self._chosen(waiting):
            parts = waiting.parts.take(rows)
            answers = self._tried(parts, rung)
            np.add.at(self._spent, parts.question, [answer.cells for answer in answers])
            dark = self._learn(parts, answers)
            seen = np.array([answer.line is not None for answer in answers], bool)
            self._count(self._seen, parts.take(seen))
            left[rows[dark | seen]] = False
            waiting.rung[rows] += 1
        self.stuck = waiting.take(left)
        self._look_again(np.array([len(lines) for lines in self._lines]) > known)

    def _tried(self, parts: _Open, rung: int) -> list[Answer]:
        """Whether a line reaches each part, at one rung; before the long searches, lines that nearly do are turned."""
        lines: list[Array | None] = [None] * len(parts.question)
        if rung == 1:
            lines = climb(self._watched(parts), [q.observer for q in self._questions])
        answers = [Answer(line, "witness", 0.0, 0) for line in lines]
        rows = np.flatnonzero([line is None for line in lines])
        for i, answer in zip(rows, self._answers(parts.take(rows), _LADDER[rung][0]), strict=True):
            answers[i] = answer
        return answers

    def _chosen(self, waiting: _Stuck) -> list[tuple[int, Ints]]:
        """Rungs, and rows of the parts to search next: those of each question that are furthest up."""
        top = np.zeros(len(self._questions), np.int64)
        np.maximum.at(top, waiting.parts.question, waiting.rung)
        chosen = []
        for rung, (_, most) in enumerate(_LADDER):
            rows = np.flatnonzero((waiting.rung == rung) & (top[waiting.parts.question] == rung))
            place, total = (
                rank(waiting.parts.question[rows]),
                np.bincount(waiting.parts.question[rows], minlength=len(top)),
            )
            every = -(-total[waiting.parts.question[rows]] // most)
            rows = rows[place % every == 0]
            if len(rows):
                chosen.append((rung, rows))
        return chosen

    def _look_again(self, news: Bools) -> None:
        """See whether the lines found lately, turned, reach smallest parts that wait."""
        parts = self.stuck.parts
        rows = np.flatnonzero(news[parts.question])
        reached = np.zeros(len(parts.question), bool)
        reached[rows] = reached_again(self._watched(parts.take(rows)), self._lines)
        self._count(self._seen, parts.take(reached))
        self.stuck = self.stuck.take(~reached)

    def _pressed(self, parts: _Open) -> Bools:
        """(n,) parts that only lines without a width reach, since they are pressed against material beside them."""
        pressed = self._touching(parts)
        rows = np.flatnonzero(pressed)
        if len(rows):
            asked = [self._question(parts, int(i)) for i in rows]
            answers = self._searcher.thin.answer(asked, budget=_GLANCE)
            pressed[rows] = [answer.line is not None for answer in answers]
        return pressed

    def _touching(self, parts: _Open) -> Bools:
        """(n,) parts so close to material that no line has room to end there."""
        corners = parts.patches.corners()
        count = corners.shape[1]
        points = corners.reshape(-1, 3)
        ignored = np.repeat(self._ignored[parts.question], count, axis=0)
        near = self._searcher.world.clearance(Segments(points, points), ignored)
        return np.asarray((near.distance < self._searcher.world.half_width).reshape(-1, count).all(1))

    def _answers(self, parts: _Open, budget: int) -> list[Answer]:
        """Whether a line reaches each part."""
        return self._searcher.answer([self._question(parts, i) for i in range(len(parts.question))], budget=budget)

    def _question(self, parts: _Open, i: int) -> Question:
        whose = self._questions[parts.question[i]]
        return Question(whose.observer, parts.patches.take(np.array([i])), whose.ignored, front=True)

    def _count(self, total: Array, parts: _Open, share: Array | float = 1.0) -> None:
        np.add.at(total, parts.question, parts.patches.areas() * share)

    def _small(self, parts: _Open, times: int = 1) -> Bools:
        """(n,) parts that are not divided further; coarser where the verdict is known and only the share is wanted."""
        size = 2 * np.linalg.norm(parts.patches.halves(), axis=2).max(1)
        return np.asarray(size <= times * self._least()[parts.question])

    def _least(self) -> Array:
        """(questions,) size to which parts are divided, inches."""
        return self._smallest * np.where(self._decided(), _COARSE, 1)

    def _wide(self, parts: _Open) -> Bools:
        """(n,) mantle parts wider round than the smallest: one end may be turned away while the other is not."""
        size = 2 * np.linalg.norm(parts.patches.halves()[:, 0], axis=1)
        return np.asarray((parts.patches.form == MANTLE) & (size > self._smallest[parts.question]))

    def _direction(self, parts: _Open, wanted: Ints) -> Ints:
        """(n,) direction to halve parts in: across the edge of what is seen of them, where they are not small yet."""
        size = 2 * np.linalg.norm(parts.patches.halves(), axis=2)
        longest = size.argmax(1)
        rows = np.arange(len(wanted))
        good = (wanted >= 0) & (size[rows, wanted] > self._least()[parts.question])
        return np.where(good, wanted, longest)

    def _faces(self) -> Bools:
        """Open parts that the observer is in front of; the smallest ones by their middle."""
        keep = np.ones(len(self.open.question), bool)
        small = self._small(self.open)
        for i, question in enumerate(self._questions):
            rows = np.flatnonzero(self.open.question == i)
            if len(rows):
                patches = self.open.patches.take(rows)
                middle = patches.centres()[:, None] - patches.corners()
                points = question.observer.corners().reshape(1, -1, 3)
                shifted = np.where(small[rows, None, None], points - middle.mean(1, keepdims=True), points)
                keep[rows] = facing(patches, shifted)
        return keep


def _spread(observer: Patches) -> Array:
    """(k, 3) points all over an observer's surface."""
    for _ in range(2):
        if len(observer) * 4 < _VIEWS:
            observer = observer.split(np.zeros(len(observer), np.int64))
    points = np.unique(observer.samples()[0].reshape(-1, 3), axis=0)
    return points[np.unique(np.linspace(0, len(points) - 1, _VIEWS).astype(np.int64))]


def _halved(parts: _Open, direction: Ints) -> _Open:
    return _Open(np.concatenate([parts.question] * 2), parts.patches.split(direction))


def _together(one: _Open, two: _Open) -> _Open:
    return _Open(np.concatenate([one.question, two.question]), join([one.patches, two.patches]))

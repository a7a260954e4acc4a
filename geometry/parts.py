"""Which parts of a body's facing surface are seen from another body, taken together.

The surface is divided until every part is decided. A part is *seen whole* when from one point of the observer no
triangle comes near the hull of that point and the part; *unseen* when the search proves that no line reaches it; and a
part no larger than the smallest that is asked for is seen when a line reaches any point of it. Where a body is pressed
against material beside it, so that half a line's width has no room, parts that a thin line reaches are not asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from deadground.geometry.obstacles import World
from deadground.geometry.patches import MANTLE, Patches, facing, join, wholly_facing
from deadground.geometry.plates import Array
from deadground.geometry.reference import cross
from deadground.geometry.search import Answer, Question, Searcher
from deadground.geometry.segments import Ints, Segments

__all__ = ["Parts", "PartsQuestion", "seen_parts"]

Bools = npt.NDArray[np.bool_]

_VIEWPOINTS = 8
"""Points of the observer from which a part is tried whole."""
_BUDGET = 4000
"""Cells that the search for a line to one of the smallest parts may take."""
_COARSE = 4
"""Times the smallest size to which parts are divided once one is known to be unseen."""
_GLANCE = 150
"""The same for a part that can still be divided."""


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

    seen_fraction : share of the facing surface that is seen, within a few per cent; unseen : parts that no line reaches
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


def seen_parts(searcher: Searcher, questions: Sequence[PartsQuestion]) -> list[Parts]:
    """One answer for each question."""
    run = _Run(searcher, questions)
    while len(run.open.question):
        run.step()
    return run.answers()


class _Run:
    def __init__(self, searcher: Searcher, questions: Sequence[PartsQuestion]) -> None:
        self._searcher, self._questions = searcher, questions
        self._ignored = np.array([q.ignored for q in questions]).reshape(len(questions), searcher.world.owners)
        self._views = [q.viewpoints for q in questions]
        self._smallest = np.array([q.smallest for q in questions])
        self._seen, self._unseen, self._doubtful = (np.zeros(len(questions)) for _ in range(3))
        self._dark: list[list[Patches]] = [[] for _ in questions]
        owner = np.concatenate([np.full(len(q.target), i) for i, q in enumerate(questions)] or [np.empty(0, np.int64)])
        self.open = _Open(owner, join([q.target for q in questions]))

    def answers(self) -> list[Parts]:
        """What was found, question by question."""
        return [self._answer(i) for i in range(len(self._questions))]

    def _answer(self, i: int) -> Parts:
        total = self._seen[i] + self._unseen[i] + self._doubtful[i]
        fully = bool(self._unseen[i] == 0 and self._doubtful[i] == 0)
        doubt = bool(self._doubtful[i] > 0 and self._unseen[i] == 0)
        certainty: Literal["witness", "proof", "sampled"] = "witness" if fully else "sampled" if doubt else "proof"
        fraction = float(self._seen[i] / total) if total > 0 else 1.0
        dark = join(self._dark[i]) if self._dark[i] else self._questions[i].target.take(np.empty(0, np.int64))
        return Parts(fully, certainty, fraction, dark)

    def step(self) -> None:
        """Decide what can be decided of the open parts, and divide the rest."""
        parts = self.open.take(self._faces())
        whole, ahead = self._seen_whole(parts)
        self._count(self._seen, parts.take(whole))
        away = ~whole & ~ahead
        turned = away & self._wide(parts)
        # a narrow part that turns to no viewpoint faces the observer only in theory: it is not asked for
        halves = self._asked(parts.take(~whole & ~(away & self._small(parts)) & ~turned))
        limb = parts.take(turned)
        self.open = _together(halves, _halved(limb, np.zeros(len(limb.question), np.int64)))

    def _asked(self, parts: _Open) -> _Open:
        """Search for a line to each part; returns the halves of those that stay open."""
        small = self._small(parts)
        answers = self._answers(parts, small)
        found = np.array([answer.certainty for answer in answers], dtype="U7")
        self._keep_views(parts, answers)
        decided = self._unseen > 0
        guessed = (found == "sampled") & decided[parts.question]
        reached = parts.take(((found == "witness") | guessed) & small)
        # half of a coarse part that a line reaches, or may reach, is taken as seen: only the share rests on it
        self._count(self._seen, reached, np.where(decided[reached.question], 0.5, 1.0))
        self._count(self._unseen, reached, np.where(decided[reached.question], 0.5, 0.0))
        dark = found == "proof"
        dark[dark] = ~self._pressed(parts.take(dark))
        self._count(self._unseen, parts.take(dark))
        for i in np.flatnonzero(dark):
            self._dark[parts.question[i]].append(parts.patches.take(np.array([i])))
        self._count(self._doubtful, parts.take((found == "sampled") & ~guessed & small))
        rest = parts.take((found != "proof") & ~small)
        return _halved(rest, np.linalg.norm(rest.patches.halves(), axis=2).argmax(1))

    def _pressed(self, parts: _Open) -> Bools:
        """(n,) parts that only lines without a width reach, since they are pressed against material beside them."""
        pressed = self._touching(parts)
        rows = np.flatnonzero(pressed)
        if len(rows):
            asked = [self._question(parts, int(i)) for i in rows]
            pressed[rows] = [answer.line is not None for answer in self._thin.answer(asked, budget=_GLANCE)]
        return pressed

    @cached_property
    def _thin(self) -> Searcher:
        """The same world, asked about lines without a width."""
        return Searcher(World(self._searcher.world.layers, 0.0))

    def _touching(self, parts: _Open) -> Bools:
        """(n,) parts so close to material that no line has room to end there."""
        corners = parts.patches.corners()
        count = corners.shape[1]
        points = corners.reshape(-1, 3)
        ignored = np.repeat(self._ignored[parts.question], count, axis=0)
        near = self._searcher.world.clearance(Segments(points, points), ignored)
        return np.asarray((near.distance < self._searcher.world.half_width).reshape(-1, count).all(1))

    def _answers(self, parts: _Open, small: Bools) -> list[Answer]:
        """Whether a line reaches each part; a part that can still be divided is not searched for long."""
        answers: dict[int, Answer] = {}
        deciding = small & (self._unseen[parts.question] == 0)
        for rows, budget in ((np.flatnonzero(deciding), _BUDGET), (np.flatnonzero(~deciding), _GLANCE)):
            asked = [self._question(parts, int(i)) for i in rows]
            answers |= dict(zip(rows.tolist(), self._searcher.answer(asked, budget=budget), strict=True))
        return [answers[i] for i in range(len(small))]

    def _count(self, total: Array, parts: _Open, share: Array | float = 1.0) -> None:
        np.add.at(total, parts.question, parts.patches.areas() * share)

    def _small(self, parts: _Open) -> Bools:
        """(n,) parts that are not divided further; coarser where the verdict is known and only the share is wanted."""
        size = 2 * np.linalg.norm(parts.patches.halves(), axis=2).max(1)
        return np.asarray(size <= (self._smallest * np.where(self._unseen > 0, _COARSE, 1))[parts.question])

    def _wide(self, parts: _Open) -> Bools:
        """(n,) mantle parts wider round than the smallest: one end may be turned away while the other is not."""
        size = 2 * np.linalg.norm(parts.patches.halves()[:, 0], axis=1)
        return np.asarray((parts.patches.form == MANTLE) & (size > self._smallest[parts.question]))

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

    def _question(self, parts: _Open, i: int) -> Question:
        whose = self._questions[parts.question[i]]
        return Question(whose.observer, parts.patches.take(np.array([i])), whose.ignored, front=True)

    def _keep_views(self, parts: _Open, answers: Sequence[Answer]) -> None:
        """Where one part was seen from is a good place to try its neighbours from."""
        for i, answer in enumerate(answers):
            if answer.line is not None:
                k = int(parts.question[i])
                given = len(self._questions[k].viewpoints)
                kept = np.concatenate([self._views[k], answer.line[:1]])
                self._views[k] = np.concatenate([kept[:given], kept[given:][-_VIEWPOINTS:]])

    def _seen_whole(self, parts: _Open) -> tuple[Bools, Bools]:
        """(n,) parts seen whole from one of their question's viewpoints; (n,) those that all turn to one of them."""
        seen, ahead = np.zeros(len(parts.question), bool), np.zeros(len(parts.question), bool)
        narrow = ~self._wide(parts)
        most = max((len(views) for views in self._views), default=0)
        for turn in range(most):
            rows = np.array([i for i in np.flatnonzero(~seen) if turn < len(self._views[parts.question[i]])], np.int64)
            points = np.array([self._views[k][turn] for k in parts.question[rows]]).reshape(-1, 3)
            patches = parts.patches.take(rows)
            # a part no wider than the smallest is judged by its middle
            good = wholly_facing(patches, points[:, None]) | (narrow[rows] & ahead_of_middle(patches, points))
            ahead[rows[good]] = True
            rows, points, patches = rows[good], points[good], patches.take(good)
            seen[rows] = clear_hulls(self._searcher.world, points, patches, self._ignored[parts.question[rows]])
        return seen, ahead


def _halved(parts: _Open, direction: Ints) -> _Open:
    return _Open(np.concatenate([parts.question] * 2), parts.patches.split(direction))


def _together(one: _Open, two: _Open) -> _Open:
    return _Open(np.concatenate([one.question, two.question]), join([one.patches, two.patches]))


def ahead_of_middle(patches: Patches, points: Array) -> Bools:
    """(n,) whether points (n, 3) are in front of the middles of patches."""
    return np.asarray(((points - patches.centres()) * patches.normals().sum(1)).sum(1) > 0)


def clear_hulls(world: World, points: Array, patches: Patches, ignored: Bools) -> Bools:
    """(n,) whether every line from points (n, 3) to all of a patch is certainly clear, with its width.

    Shown by planes: each triangle near the hull of point and patch is parted from it by half a line's width. False
    means only that it was not shown.
    """
    corners = patches.corners()
    middle = corners.mean(1)
    lines = Segments(points, middle)
    free = ~world.first(lines, ignored).blocked
    rows = np.flatnonzero(free)
    hull = np.concatenate([points[rows, None], corners[rows]], axis=1)
    free[rows] = _all_parted(world, lines.take(rows), hull, ignored[rows])
    return free


def _all_parted(world: World, lines: Segments, hull: Array, ignored: Bools) -> Bools:
    radius = np.linalg.norm(hull[:, 1:] - lines.end[:, None], axis=2).max(1, initial=0)
    clear = np.ones(len(lines), bool)
    for k, layer in enumerate(world.layers):
        mine = ignored[:, world.owner_offset[k] : world.owner_offset[k + 1]]
        row, triangle = layer.near(lines, radius + world.half_width, mine)
        width = world.half_width if layer.wide else 0.0
        together = ~parted(hull[row], layer.triangles[triangle], width)
        clear[row[together]] = False
    return clear


def parted(hull: Array, triangle: Array, width: float) -> Bools:
    """(n,) whether a plane certainly parts a hull (n, k, 3) from a triangle (n, 3, 3) by more than `width`.

    Planes tried: the triangle's own, level ones, and those through the hull's length square to and across the level.
    """
    along = hull[:, 1:].mean(1) - hull[:, 0]
    level = np.broadcast_to(np.array([0.0, 0.0, 1.0]), along.shape)
    side = cross(along, level)
    tries = [
        cross(triangle[:, 1] - triangle[:, 0], triangle[:, 2] - triangle[:, 0]),
        level,
        side,
        cross(side, along),
        *(cross(triangle[:, k] - triangle[:, k - 1], along) for k in range(3)),
    ]
    # planes through the point and an edge of the patch's outline
    tries += [cross(hull[:, i] - hull[:, 0], hull[:, j] - hull[:, i]) for i, j in ((1, 2), (5, 6), (1, 5), (2, 6))]
    done = np.zeros(len(hull), bool)
    for normal in tries:
        size = np.linalg.norm(normal, axis=1)
        unit = normal / np.where(size > 0, size, 1.0)[:, None]
        mine = np.einsum("nkc,nc->nk", hull, unit)
        theirs = np.einsum("nkc,nc->nk", triangle, unit)
        gap = np.maximum(theirs.min(1) - mine.max(1), mine.min(1) - theirs.max(1))
        done |= (size > 0) & (gap > width)
    return done

"""What single points see of parts of a body: all of a part, some of it, or nothing that was tried.

All that is called whole or reached here is so, in float64 and with a line's width. That nothing was seen proves
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from deadground.geometry.obstacles import World
from deadground.geometry.patches import Patches
from deadground.geometry.plates import Array
from deadground.geometry.reference import cross
from deadground.geometry.segments import Bools, Ints, Segments, rank

__all__ = ["Looks", "Watched", "clear_hulls", "look", "nothing_near", "reached_again"]

_MIDDLE = 4
"""Number of a part's middle among its samples."""
_NEAR = 8
"""Views that see a part's middle from which the rest of it is tried."""
_WHOLE = 3
"""Views that see all samples of a part from which it is tried whole."""
_CHECKED = 6
"""Free lines to a part that are checked with their width."""
_PAIRS = 50_000
"""Parts times views looked at together."""


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """What is seen of n parts.

    ahead : turned to a view, all of it, or its middle where it is narrow; whole : seen whole from one view
    free : something of it seems to be seen; reached : a clear line to it was found, asked only where that was wanted
    share : of its samples, that seem to be seen; direction : in which it should be halved, -1 for no matter
    """

    ahead: Bools
    whole: Bools
    free: Bools
    reached: Bools
    share: Array
    direction: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """Parts, and who looks at them.

    question : (n,) whose they are; ignored : (questions, owners); views : for each question (k, 3) points to look from
    """

    world: World
    patches: Patches
    question: Ints
    ignored: Bools
    views: Sequence[Array]

    def take(self, rows: Ints) -> Watched:
        """Some of the parts."""
        return replace(self, patches=self.patches.take(rows), question=self.question[rows])

    def blocked(self, row: Ints, lines: Segments) -> Bools:
        """(m,) whether lines to parts of these rows meet something."""
        return self.world.blocked(lines, self.ignored, self.question[row])

    def clear(self, row: Ints, lines: Segments) -> Bools:
        """(m,) whether lines to parts of these rows keep their width from everything."""
        return self.world.keeps_width(self.world.clearance(lines, self.ignored[self.question[row]]))


def look(parts: Watched, narrow: Bools, wanted: Bools, shared: Bools) -> Looks:
    """Look at parts (n) from the views of their questions.

    narrow : (n,) parts judged by their middle alone; wanted : (n,) parts for which a line is checked
    shared : (n,) parts of which the share matters, so that all views are asked
    """
    count = np.array([len(points) for points in parts.views], np.int64)[parts.question]
    cuts = np.flatnonzero(np.diff(np.cumsum(count) // _PAIRS)) + 1
    found = [
        _look(parts.take(rows), narrow[rows], wanted[rows], shared[rows])
        for rows in np.split(np.arange(len(count)), cuts)
    ]
    names = ("ahead", "whole", "free", "reached", "share", "direction")
    return Looks(*(np.concatenate([getattr(one, name) for one in found]) for name in names))


def _look(parts: Watched, narrow: Bools, wanted: Bools, shared: Bools) -> Looks:
    count = len(narrow)
    row = np.repeat(np.arange(count), [len(parts.views[k]) for k in parts.question])
    view = np.concatenate([np.empty((0, 3)), *(parts.views[k] for k in parts.question)])
    points, normals = parts.patches.samples()
    front = np.einsum("mkc,mkc->mk", view[:, None] - points[row], normals[row]) > 0
    # how far a point is in front is unimodal round a body: in front of both ends, it is in front of all between
    faced = front.all(1) | (narrow[row] & front[:, _MIDDLE])
    free = _free(parts, view, points, row, front, shared)
    ready = np.flatnonzero(faced & free[:, _MIDDLE] & (free | ~front).all(1))
    whole = _whole(parts, row[ready], view[ready])
    seen = _any_of(row, free, count)
    reached = _reached(parts, view, points, row, free & (wanted & ~whole)[row, None]) | whole
    ahead = _any_of(row, faced[:, None], count)[:, 0]
    return Looks(ahead, whole, np.asarray(seen.any(1)), reached, seen.mean(1), _direction(row, free, count))


def _any_of(row: Ints, flags: Bools, count: int) -> Bools:
    """(count, k) whether any of the flags (m, k) of each row is set."""
    found = np.zeros((count, flags.shape[1]), bool)
    np.logical_or.at(found, row, flags)
    return found


def _free(parts: Watched, view: Array, points: Array, row: Ints, front: Bools, shared: Bools) -> Bools:
    """(m, 9) which lines from views to samples of their parts meet nothing; not all are tried.

    First to the middles; then to the rest, from some views that see the middle, or from all where none does or the
    part is `shared`.
    """
    free = np.zeros(front.shape, bool)
    middle = np.arange(front.shape[1]) == _MIDDLE
    _cast(parts, view, points, row, front & middle, free)
    seeing = np.flatnonzero(free[:, _MIDDLE])
    near = (~_any_of(row, free[:, [_MIDDLE]], len(points))[:, 0] | shared)[row]
    near[seeing[rank(row[seeing]) < _NEAR]] = True
    _cast(parts, view, points, row, front & ~middle & near[:, None], free)
    return free


def _cast(parts: Watched, view: Array, points: Array, row: Ints, tried: Bools, free: Bools) -> None:
    """Set which of the lines that are tried (m, 9) are free."""
    pair, sample = np.nonzero(tried)
    free[pair, sample] = ~parts.blocked(row[pair], Segments(view[pair], points[row[pair], sample]))


def _whole(parts: Watched, row: Ints, view: Array) -> Bools:
    """(n,) parts that one of the views that look promising certainly sees whole."""
    whole = np.zeros(len(parts.question), bool)
    turn = rank(row)
    for k in range(_WHOLE):
        now = np.flatnonzero((turn == k) & ~whole[row])
        at = row[now]
        ignored = parts.ignored[parts.question[at]]
        whole[at] = clear_hulls(parts.world, view[now], parts.patches.take(at), ignored)
    return whole


def _reached(parts: Watched, view: Array, points: Array, row: Ints, free: Bools) -> Bools:
    """(n,) parts to which one of the lines that are free is clear with its width."""
    pair, sample = np.nonzero(free)
    order = np.lexsort((sample != _MIDDLE, row[pair]))
    order = order[rank(row[pair[order]]) < _CHECKED]
    pair, sample = pair[order], sample[order]
    whose = row[pair]
    reached = np.zeros(len(points), bool)
    reached[whose[parts.clear(whose, Segments(view[pair], points[whose, sample]))]] = True
    return reached


def _direction(row: Ints, free: Bools, count: int) -> Ints:
    """(n,) direction in which the view that sees most of each part sees most difference; -1 for none."""
    order = np.lexsort((-free.sum(1), row))
    best = order[np.unique(row[order], return_index=True)[1]]
    grid = free[best].reshape(-1, 3, 3)
    first, second = (grid[:, 0] != grid[:, 2]).sum(1), (grid[:, :, 0] != grid[:, :, 2]).sum(1)
    direction = np.full(count, -1, np.int64)
    direction[row[best]] = np.select([first > second, second > first], [0, 1], -1)
    return direction


def reached_again(parts: Watched, lines: Sequence[Array]) -> Bools:
    """(n,) parts that clear lines known for their questions, a (k, 2, 3) for each, reach too once they are turned."""
    row = np.repeat(np.arange(len(parts.question)), [len(lines[k]) for k in parts.question])
    known = np.concatenate([np.empty((0, 2, 3)), *(lines[k] for k in parts.question)])
    end, normal = parts.patches.take(row).nearest(known[:, 1])
    turned = Segments(known[:, 0], end)
    rows = np.flatnonzero(((turned.along * normal).sum(1) < 0) & ~parts.blocked(row, turned))
    reached = np.zeros(len(parts.question), bool)
    reached[row[rows[parts.clear(row[rows], turned.take(rows))]]] = True
    return reached


def nothing_near(world: World, one: list[Array], two: list[Array], ignored: Bools) -> Bools:
    """(n,) whether certainly nothing comes near the hull of two bodies, given points round each (lists of (k, 3))."""
    ends = [np.array([points.mean(0) for points in body]).reshape(-1, 3) for body in (one, two)]
    far = [
        [float(np.linalg.norm(points - middle, axis=1).max()) for points, middle in zip(body, middles, strict=True)]
        for body, middles in zip((one, two), ends, strict=True)
    ]
    # a body's hull is within a ball round its middle, and the hull of two balls is near the line between their middles
    reach = np.array(far).max(0, initial=0) + world.half_width
    clear = np.ones(len(reach), bool)
    for k, layer in enumerate(world.layers):
        mine = ignored[:, world.owner_offset[k] : world.owner_offset[k + 1]]
        clear[layer.near(Segments(*ends), reach, mine)[0]] = False
    return clear


def clear_hulls(world: World, points: Array, patches: Patches, ignored: Bools) -> Bools:
    """(n,) whether every line from points (n, 3) to all of a patch is certainly clear, with its width.

    Shown by planes: each triangle near the hull of point and patch is parted from it by half a line's width. False
    means only that it was not shown.
    """
    corners = patches.corners()
    middle = corners.mean(1)
    hull = np.concatenate([points[:, None], corners], axis=1)
    return _all_parted(world, Segments(points, middle), hull, ignored)


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

"""Which triangles may lie near which segments: spheres round small groups of neighbours, then the triangles in them."""

from __future__ import annotations

import numpy as np

from deadground.geometry.plates import Array
from deadground.geometry.reference import cross
from deadground.geometry.segments import Bools, Ints, Segments

__all__ = ["Nearby"]

_GROUP = 16
_PAIRS = 4_000_000


class Nearby:
    """An index of triangles (m, 3, 3), made once. Plain numpy: a few lines against some thousand triangles is quick.

    owner : (m,) whose each triangle is; a group of neighbours has one owner
    """

    def __init__(self, triangles: Array, owner: Ints) -> None:
        self._triangles = triangles
        curve = _along_curve(triangles.mean(1)) if len(triangles) else np.empty(0, np.int64)
        self._members, self._real = _grouped(np.lexsort((curve, owner)), owner)
        self._owner = owner[self._members[:, 0]]
        corners = triangles[self._members].reshape(-1, 3 * _GROUP, 3)
        self._centre = (corners.min(1, initial=np.inf) + corners.max(1, initial=-np.inf)) / 2
        self._radius = np.linalg.norm(corners - self._centre[:, None], axis=2).max(1, initial=0)

    def query(self, segments: Segments, reach: float | Array, ignored: Bools) -> tuple[Ints, Ints]:
        """(k,) segment rows, rising, and (k,) triangles: every pair within `reach` inches is among them.

        reach : one for all segments, or (n,) one for each; ignored : (n, owners) or (1, owners), True for whose
        triangles do not count
        """
        each = np.broadcast_to(np.asarray(reach, float), (len(segments),))
        skipped = np.broadcast_to(ignored, (len(segments), ignored.shape[1]))
        rows, triangles = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        step = max(1, _PAIRS // max(1, len(self._members)))
        for begin in range(0, len(segments) if len(self._members) else 0, step):
            part = np.arange(begin, min(begin + step, len(segments)))
            row, triangle = self._query(segments.take(part), each[part], skipped[part])
            rows.append(row + begin)
            triangles.append(triangle)
        return np.concatenate(rows), np.concatenate(triangles)

    def _query(self, segments: Segments, reach: Array, ignored: Bools) -> tuple[Ints, Ints]:
        met = _meets(segments, self._centre, self._radius + reach[:, None]) & ~ignored[:, self._owner]
        row, group = np.nonzero(met)
        real = self._real[group]
        row, triangle = np.repeat(row, real.sum(1)), self._members[group][real]
        keep = self._beside(segments, row, triangle, reach)
        return row[keep], triangle[keep]

    def _beside(self, segments: Segments, row: Ints, triangle: Ints, reach: Array) -> Bools:
        """Whether triangles are not clearly left, right, before, behind, above or below their segments."""
        along = segments.along
        length = np.linalg.norm(along, axis=1)
        forward = along / np.where(length > 0, length, 1.0)[:, None]
        helper = np.where(np.abs(forward[:, 2:]) < np.sqrt(0.5), [0.0, 0.0, 1.0], [1.0, 0.0, 0.0])
        side = cross(forward, helper)
        keep = np.arange(len(triangle))
        # side and up may be shorter than one: then reach is too large for them, and nothing is lost
        for axis, far in (
            (side, np.zeros_like(length)),
            (cross(side, forward), np.zeros_like(length)),
            (forward, length),
        ):
            at, corner = row[keep], self._triangles[triangle[keep]]
            foot = (segments.start * axis).sum(1)[at]
            one, two, three = (np.einsum("nc,nc->n", corner[:, k], axis[at]) - foot for k in range(3))
            low, high = np.minimum(np.minimum(one, two), three), np.maximum(np.maximum(one, two), three)
            keep = keep[(low <= far[at] + reach[at]) & (high >= -reach[at])]
        mask = np.zeros(len(triangle), bool)
        mask[keep] = True
        return mask


def _grouped(order: Ints, owner: Ints) -> tuple[Ints, Bools]:
    """Rows of `_GROUP` triangles of one owner each, in this order (owner by owner), and which are not padding."""
    number = np.unique(owner[order], return_counts=True)[1]
    groups = -(-number // _GROUP)
    begin, room = np.cumsum(number) - number, np.repeat(number, groups)
    first = np.arange(int(groups.sum())) - np.repeat(np.cumsum(groups) - groups, groups)
    place = first[:, None] * _GROUP + np.arange(_GROUP)
    real = place < room[:, None]
    place = np.minimum(place, room[:, None] - 1) + np.repeat(begin, groups)[:, None]
    return order[place], real


def _meets(segments: Segments, centre: Array, reach: Array) -> Bools:
    """(n, g) whether segments come within reach (n, g) of points (g, 3)."""
    along = segments.along
    square = (along * along).sum(1)
    offset_along = along @ centre.T - (segments.start * along).sum(1)[:, None]
    share = np.clip(offset_along / np.where(square > 0, square, 1.0)[:, None], 0, 1)
    distance = ((segments.start**2).sum(1)[:, None] + (centre**2).sum(1)[None]) - 2 * segments.start @ centre.T
    distance = distance - 2 * share * offset_along + share**2 * square[:, None]
    # rounding of the expanded square is far below a group's size
    return np.asarray(distance <= (reach * (1 + 1 / 512) + 1 / 512) ** 2)


def _along_curve(points: Array) -> Ints:
    """(n,) places of points along a curve that keeps neighbours together (Morton order, 10 bits an axis)."""
    low, high = points.min(0), points.max(0)
    cell = ((points - low) / np.where(high > low, high - low, 1.0) * 1023).astype(np.int64)
    code = np.zeros(len(points), np.int64)
    for bit in range(10):
        for axis in range(3):
            code |= ((cell[:, axis] >> bit) & 1) << (3 * bit + axis)
    return code

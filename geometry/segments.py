"""Bundles of line segments, and what they meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deadground.geometry.plates import Array

__all__ = ["NOTHING", "Bools", "Hits", "Ints", "Segments", "rank"]

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

NOTHING = -1
"""Triangle index of a segment that meets nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """start, end : (n, 3) inches, float64."""

    start: Array
    end: Array

    def __len__(self) -> int:
        return len(self.start)

    @property
    def along(self) -> Array:
        """(n, 3) end - start."""
        return self.end - self.start

    def at(self, share: Array) -> Array:
        """(n, 3) points at `share` (n,) of each segment, 0 its start, 1 its end."""
        return self.start + share[:, None] * self.along

    def reversed(self) -> Segments:
        """The same segments seen from their other ends."""
        return Segments(self.end, self.start)

    def take(self, rows: Ints | Bools) -> Segments:
        """Some of them: rows by index or mask."""
        return Segments(self.start[rows], self.end[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """What segments met first.

    triangle : (n,) index of the triangle, `NOTHING` (-1) where the segment is free
    share : (n,) where on the segment, 0 start to 1 end; 1.0 where free
    """

    triangle: Ints
    share: Array

    @property
    def blocked(self) -> Bools:
        """(n,) True where something was met."""
        return np.asarray(self.triangle != NOTHING)


def rank(groups: Ints) -> Ints:
    """(n,) place of each row within its group, in the order given."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    start = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(groups) else np.empty(0, int)
    size = np.diff(np.concatenate([start, [len(groups)]]))
    place = np.empty(len(groups), np.int64)
    place[order] = np.arange(len(groups)) - np.repeat(start, size)
    return place

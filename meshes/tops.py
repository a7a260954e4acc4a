"""How high a piece reaches above each spot, seen from above, and which parts of it lie over a limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from deadground.geometry.plates import Array
from deadground.geometry.segments import Segments
from deadground.geometry.units import FOOT, THIN, at_or_below
from deadground.meshes.probes import Probe, distances

__all__ = ["Part", "Tops", "tops"]

_ACROSS = 500  # spots along the longer side, at most
_LEAST = 6  # spots: a smaller part is not told


@dataclass(frozen=True, slots=True)
class Part:
    """A connected part of a piece, seen from above, wholly over a limit or wholly at or below it. Inches.

    top : its highest point, above at; area : square inches; over : whether it is over the limit
    """

    top: float
    area: float
    at: tuple[float, float, float]
    over: bool


@dataclass(frozen=True, slots=True, eq=False)
class Tops:
    """Height of the highest material above spots `step` apart; 0 where there is none. x, y : (n,), (m,) of the spots.

    heights : (n, m) inches. Between spots nothing is known: what is narrower than `step` may be missed.
    """

    x: Array
    y: Array
    heights: Array
    step: float

    def parts(self, limit: float) -> tuple[Part, ...]:
        """What lies over a height and what does not, highest first. What is no higher than a rough foot is left out."""
        over = self.heights > 0
        over[over] = [not at_or_below(float(height), limit) for height in self.heights[over]]
        low = (self.heights > FOOT) & ~over
        return tuple(
            sorted([*self._labelled(over, over=True), *self._labelled(low, over=False)], key=lambda part: -part.top)
        )

    def wells(self) -> tuple[tuple[float, float], ...]:
        """Middles of the places within the piece that have nothing above them down to the ground, largest first."""
        covered = self.heights > 0
        labels, count = ndimage.label(np.asarray(ndimage.binary_fill_holes(covered)) & ~covered)
        numbers = np.arange(1, count + 1)
        sizes = np.asarray(ndimage.sum_labels(labels > 0, labels, numbers))
        large = [number for number in numbers[np.argsort(-sizes)] if sizes[number - 1] >= _LEAST]
        spots = [np.argwhere(labels == number).mean(axis=0).round().astype(int) for number in large]
        return tuple((float(self.x[i]), float(self.y[j])) for i, j in spots)

    def _labelled(self, mask: np.typing.NDArray[np.bool_], *, over: bool) -> list[Part]:
        labels, count = ndimage.label(mask, np.ones((3, 3)))
        numbers = np.arange(1, count + 1)
        sizes = ndimage.sum_labels(mask, labels, numbers)
        peaks = ndimage.maximum_position(self.heights, labels, numbers) if count else []
        made = []
        for size, (i, j) in zip(sizes, peaks, strict=True):
            if size >= _LEAST:
                top = float(self.heights[i, j])
                made.append(Part(top, float(size) * self.step**2, (float(self.x[i]), float(self.y[j]), top), over))
        return made


def tops(probe: Probe) -> Tops:
    """The heights of a mesh (inches, z up, foot at 0), found by rays from above, 1 mm apart on pieces up to 500 mm."""
    low, high = np.asarray(probe.mesh.bounds)
    step = max(THIN, float((high - low)[:2].max()) / _ACROSS)
    x, y = (np.arange(low[k] + step / 2, max(high[k], low[k] + step), step) for k in (0, 1))
    flat = np.column_stack([grid.ravel() for grid in np.meshgrid(x, y, indexing="ij")])
    start = np.column_stack([flat, np.full(len(flat), high[2] + 1)])
    segments = Segments(start, start - [0.0, 0.0, high[2] - low[2] + 2])
    hits = probe.caster.first(segments)
    heights = np.where(hits.blocked, start[:, 2] - distances(segments, hits), 0.0)
    return Tops(x, y, np.maximum(heights, 0.0).reshape(len(x), len(y)), step)

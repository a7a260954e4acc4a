"""Which parts of a raster need rays: where nothing lies between near and far, or one triangle covers all, none do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy import ndimage

from deadground.geometry.plates import Array
from deadground.geometry.segments import rank
from deadground.geometry.units import EDGE
from deadground.meshes.frames import Mask, Raster, Window
from deadground.meshes.solid import Indices

__all__ = ["Cells", "cells", "unsorted"]

_SIDE = 8  # pixels along a cell's side
_ASKED = 5  # pixels of an empty part: doubled faces may mislead some
_SMALL = 2  # cells: the box of a triangle no larger stands for it


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The pixels of a raster, sorted by whether a ray can tell anything new.

    empty : no surface lies there between near and far; covered : one triangle covers all of it
    part : (rows, columns) number of the connected empty part that a pixel belongs to, from 1 on, 0 elsewhere: all of
        one lies inside material, or all of it outside
    spots : (k, _ASKED, 2) rows and columns of some pixels in each of these parts
    """

    empty: Mask
    covered: Mask
    part: Indices
    spots: Indices

    @property
    def open(self) -> Mask:
        """The pixels for which a ray must be cast."""
        return ~(self.empty | self.covered)


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """The cells of a raster. origin : (u, v) of its corner; side : of a cell, inches; rows, columns : how many."""

    origin: Array
    side: float
    rows: int
    columns: int

    def column(self, u: Array) -> Indices:
        """(n,) the columns in which u lie, -1 and `columns` for all beyond."""
        return cast("Indices", np.clip(np.floor((u - self.origin[0]) / self.side), -1, self.columns).astype(np.int64))

    def row(self, v: Array) -> Indices:
        """(n,) the rows in which v lie, -1 and `rows` for all beyond."""
        return cast("Indices", np.clip(np.floor((v - self.origin[1]) / self.side), -1, self.rows).astype(np.int64))

    def filled(self, rows: Indices, first: Indices, last: Indices) -> Mask:
        """The cells in any of some runs (n,) from a first to a last column."""
        good = (first <= last) & (last >= 0) & (first < self.columns)
        rows, first, last = rows[good], np.maximum(first[good], 0), np.minimum(last[good], self.columns - 1)
        width = self.columns + 1
        size = self.rows * width
        steps = np.bincount(rows * width + first, minlength=size) - np.bincount(rows * width + last + 1, minlength=size)
        return np.asarray(steps.reshape(self.rows, width).cumsum(axis=1)[:, :-1] > 0)


def cells(triangles: Array, raster: Raster) -> Cells:
    """Sort a raster's pixels. triangles : (n, 3, 3) all of the mesh, in the raster's frame."""
    window = raster.window
    grid = _Grid(np.array(window.low), _SIDE * raster.step, -(-raster.shape[0] // _SIDE), -(-raster.shape[1] // _SIDE))
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    near = (high[:, 2] >= window.near - EDGE) & (low[:, 2] <= window.far + EDGE)
    near &= ((high[:, :2] >= window.low) & (low[:, :2] <= window.high)).all(axis=1)
    small = np.ptp(triangles[:, :, :2], axis=1).min(axis=1) <= _SMALL * grid.side
    large = triangles[near & ~small]
    empty = ~(_boxes(grid, low[near & small], high[near & small]) | _crossed(grid, large, window))
    part = np.asarray(ndimage.label(empty)[0], np.int64)
    covered = _covered(grid, large, window) & ~empty
    return Cells(
        _pixels(empty, raster).astype(bool), _pixels(covered, raster).astype(bool), _pixels(part, raster), _spots(part)
    )


def unsorted(raster: Raster) -> Cells:
    """All pixels as ones for which rays must be cast."""
    none = np.zeros(raster.shape, bool)
    return Cells(none, none, none.astype(np.int64), np.empty((0, _ASKED, 2), np.int64))


def _spots(part: Indices) -> Indices:
    """(k, _ASKED, 2) rows and columns of pixels spread over each of the numbered parts of cells."""
    order = np.argsort(part, axis=None, kind="stable")
    starts = np.searchsorted(part.ravel()[order], np.arange(1, part.max(initial=0) + 2))
    shares = (np.arange(_ASKED) + 0.5) / _ASKED
    chosen = order[(starts[:-1, None] + np.diff(starts)[:, None] * shares).astype(np.int64)]
    return np.stack(np.unravel_index(chosen, part.shape), axis=-1).reshape(-1, _ASKED, 2) * _SIDE


def _pixels(values: Mask | Indices, raster: Raster) -> Indices:
    """What is known of cells, for each pixel."""
    whole = values.repeat(_SIDE, axis=0).repeat(_SIDE, axis=1)
    return np.asarray(whole[: raster.shape[0], : raster.shape[1]], np.int64)


def _boxes(grid: _Grid, low: Array, high: Array) -> Mask:
    """The cells that the boxes of small triangles touch."""
    rows, own = _rows(grid, low[:, 1], high[:, 1])
    return grid.filled(rows, grid.column(low[own, 0] - EDGE), grid.column(high[own, 0] + EDGE))


def _rows(grid: _Grid, low: Array, high: Array) -> tuple[Indices, Indices]:
    """(m,) the rows of cells that heights from low to high (n,) touch, and (m,) the number of each one's own range."""
    first, last = np.maximum(grid.row(low - EDGE), 0), np.minimum(grid.row(high + EDGE), grid.rows - 1)
    own = np.repeat(np.arange(len(low)), np.maximum(last - first + 1, 0))
    return first[own] + rank(own), own


def _crossed(grid: _Grid, triangles: Array, window: Window) -> Mask:
    """The cells that the parts of triangles between near and far touch."""
    edges = _outline(triangles, window.near - EDGE, window.far + EDGE)
    rows, own = _rows(grid, triangles[:, :, 1].min(axis=1), triangles[:, :, 1].max(axis=1))
    low = (grid.origin[1] + grid.side * rows - EDGE)[:, None]
    high = low + grid.side + 2 * EDGE
    start, end = edges[own, :, 0], edges[own, :, 1]
    rise = end[:, :, 1] - start[:, :, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = [np.clip(np.nan_to_num((level - start[:, :, 1]) / rise, nan=side), 0, 1)
                  for side, level in ((0.0, low), (1.0, high))]  # fmt: skip
        meets = (np.maximum(start[:, :, 1], end[:, :, 1]) >= low) & (np.minimum(start[:, :, 1], end[:, :, 1]) <= high)
    u = np.stack([start[:, :, 0] + share * (end[:, :, 0] - start[:, :, 0]) for share in shares])
    first = np.where(meets, u, np.inf).min(axis=(0, 2))
    last = np.where(meets, u, -np.inf).max(axis=(0, 2))
    return grid.filled(rows, grid.column(first - EDGE), grid.column(last + EDGE))


def _outline(triangles: Array, near: float, far: float) -> Array:
    """(n, 9, 2, 2) lines in (u, v) around the part of each triangle between two depths, nan for those there are not.

    Three along its edges, and three each between the places where these cross the two depths.
    """
    start, end = triangles, np.roll(triangles, -1, axis=1)
    cuts = []
    for depth in (near, far):
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (depth - start[:, :, 2]) / (end[:, :, 2] - start[:, :, 2])
        share = np.where((share >= 0) & (share <= 1), share, np.nan)[:, :, None]
        cuts.append(start[:, :, :2] + share * (end[:, :, :2] - start[:, :, :2]))
    kept = [_within(start, end, near, far, *cuts), _within(end, start, near, far, *cuts)]
    lines = [np.stack(kept, axis=2)]
    lines += [np.stack([cut, np.roll(cut, -1, axis=1)], axis=2) for cut in cuts]
    return np.concatenate(lines, axis=1)


def _within(start: Array, end: Array, near: float, far: float, before: Array, after: Array) -> Array:
    """(n, 3, 2) where edges begin between two depths: at their start, or where they cross one of them."""
    depth = start[:, :, 2:]
    other = end[:, :, 2:]
    cut = np.where(depth < near, before, np.where(depth > far, after, start[:, :, :2]))
    gone = (np.maximum(depth, other) < near) | (np.minimum(depth, other) > far)
    return np.where(gone, np.nan, cut)


def _covered(grid: _Grid, triangles: Array, window: Window) -> Mask:
    """The cells that one of some triangles covers wholly, itself wholly between near and far."""
    depth = triangles[:, :, 2]
    corners = triangles[(depth.min(axis=1) > window.near + EDGE) & (depth.max(axis=1) < window.far - EDGE)]
    rows, own = _rows(grid, corners[:, :, 1].min(axis=1), corners[:, :, 1].max(axis=1))
    spans = [_span(corners[own], grid.origin[1] + grid.side * (rows + up)) for up in (0, 1)]
    # an outline that bulges outward is nowhere narrower than at a row's two ends
    left = np.maximum(spans[0][0], spans[1][0]) + EDGE
    right = np.minimum(spans[0][1], spans[1][1]) - EDGE
    return grid.filled(rows, grid.column(left) + 1, grid.column(right) - 1)


def _span(corners: Array, level: Array) -> tuple[Array, Array]:
    """(n,) from where to where triangles (n, 3, 3) reach at one height each; from inf to -inf where they do not."""
    start, end = corners[:, :, :2], np.roll(corners, -1, axis=1)[:, :, :2]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (level[:, None] - start[:, :, 1]) / (end[:, :, 1] - start[:, :, 1])
        u = start[:, :, 0] + share * (end[:, :, 0] - start[:, :, 0])
    met = (share >= 0) & (share <= 1)
    return np.where(met, u, np.inf).min(axis=1), np.where(met, u, -np.inf).max(axis=1)

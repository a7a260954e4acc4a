"""How much climbing a way needs at least: between the connected parts of all layers, whatever it does across."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely
from scipy import sparse
from scipy.sparse import csgraph
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.units import SIDE, WAY_SLACK
from deadground.scenes.layers import Layers, rim
from deadground.scenes.ways import Place

__all__ = ["Climbs", "least_climbs"]

_LEVEL = SIDE  # inches that stand for no climb at all: a graph's edge of 0 would be none


@dataclass(frozen=True, slots=True, eq=False)
class Climbs:
    """The connected parts of all layers, each with the least up and down from there to the goal; inf: no way at all."""

    parts: tuple[tuple[int, BaseGeometry], ...]
    least: Array

    def at(self, circles: Array, layers: npt.NDArray[np.int64]) -> Array:
        """(n,) the least climb to the goal from somewhere on circles (n, 3) of layers (n,)."""
        found = np.full(len(circles), math.inf)
        rims = np.array([rim(x, y, radius) for x, y, radius in circles], dtype=object)
        for (layer, part), climb in zip(self.parts, self.least, strict=True):
            here = np.flatnonzero((layers == layer) & (found > climb))
            near = shapely.distance(part, rims[here]) <= WAY_SLACK
            found[here[near]] = climb
        return found


def least_climbs(layers: Layers, goal: Place) -> Climbs:
    """The least climb from every part to the goal. It asks less than a way needs, so no way costs less."""
    parts = tuple((index, part) for index, layer in enumerate(layers.layers) for part in shapely.get_parts(layer.on))
    links = np.array(list(_links(layers, parts))).reshape(-1, 3)
    ends = links[:, :2].astype(np.int64).T
    graph = sparse.coo_matrix((links[:, 2], (ends[0], ends[1])), shape=(len(parts), len(parts))).tocsr()
    spot = shapely.Point(goal.x, goal.y)
    last = [n for n, (layer, part) in enumerate(parts) if layer == goal.layer and part.distance(spot) <= SIDE]
    if not last:
        return Climbs(parts, np.full(len(parts), math.inf))
    return Climbs(parts, csgraph.dijkstra(graph, directed=False, indices=np.array(last[:1]))[0])


def _links(layers: Layers, parts: tuple[tuple[int, BaseGeometry], ...]) -> Iterator[tuple[int, int, float]]:
    """Pairs of parts between which one can climb somewhere, and how far."""
    tree = shapely.STRtree([part for _, part in parts])
    for number, (upper, part) in enumerate(parts):
        high = layers.layers[upper]
        if high.borne is None:
            continue
        wide = shapely.intersection(part.buffer(layers.manner.climb), high.climb)
        for other in tree.query(wide, predicate="intersects"):
            lower, ground = parts[int(other)]
            if lower < upper and not _all_barred(layers, lower, upper, shapely.intersection(wide, ground)):
                yield int(other), number, max(_LEVEL, high.middle - layers.layers[lower].middle)


def _all_barred(layers: Layers, lower: int, upper: int, shared: BaseGeometry) -> bool:
    barred = layers.barred(lower, upper, shared)
    return not barred.is_empty and bool(shapely.difference(shared, barred).is_empty)

"""Whether two places hang together at all: a quick no before a long search."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import shapely
from scipy import sparse
from scipy.sparse import csgraph
from shapely.geometry.base import BaseGeometry

from deadground.geometry.units import SIDE
from deadground.scenes.layers import Layers
from deadground.scenes.ways import Place

__all__ = ["hang_together"]


def hang_together(layers: Layers, start: Place, end: Place) -> bool:
    """False if no way can lead from one place to another. True does not promise one: it asks less than a way needs."""
    parts = [(index, part) for index, layer in enumerate(layers.layers) for part in shapely.get_parts(layer.on)]
    links = list(_links(layers, parts))
    rows, columns = np.array(links, dtype=np.int64).reshape(-1, 2).T
    graph = sparse.coo_matrix((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(len(parts), len(parts)))
    group = csgraph.connected_components(graph, directed=False)[1]
    first, last = _part_at(parts, start), _part_at(parts, end)
    return first is not None and last is not None and bool(group[first] == group[last])


def _links(layers: Layers, parts: list[tuple[int, BaseGeometry]]) -> Iterator[tuple[int, int]]:
    """Pairs of parts between which one can climb somewhere."""
    tree = shapely.STRtree([part for _, part in parts])
    for number, (upper, part) in enumerate(parts):
        if layers.layers[upper].borne is None:
            continue
        wide = shapely.intersection(part.buffer(layers.manner.climb), layers.layers[upper].climb)
        for other in tree.query(wide, predicate="intersects"):
            lower, ground = parts[int(other)]
            if lower < upper and not _all_barred(shapely.intersection(wide, ground), layers.barred(lower, upper)):
                yield int(other), number


def _all_barred(shared: BaseGeometry, barred: BaseGeometry) -> bool:
    return not barred.is_empty and bool(shapely.difference(shared, barred).is_empty)


def _part_at(parts: list[tuple[int, BaseGeometry]], place: Place) -> int | None:
    spot = shapely.Point(place.x, place.y)
    return next(
        (n for n, (layer, part) in enumerate(parts) if layer == place.layer and part.distance(spot) <= SIDE), None
    )

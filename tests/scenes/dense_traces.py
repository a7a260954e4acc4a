"""A plain reference for traces: very many of them, tried one after the other. It shares no code with `scenes.plane`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import shapely
from shapely import affinity
from shapely.geometry.base import BaseGeometry

from deadground.geometry.units import TOUCH
from deadground.scenes.model import Base, Model

BOARD = 14.0


@dataclass(frozen=True)
class Table:
    """Two models and the obstacles on a random table."""

    one: Model
    other: Model
    obstacles: tuple[BaseGeometry, ...]


def random_model(rng: np.random.Generator, name: str) -> Model:
    """A round, oval or rectangular base of a common size."""
    kinds: tuple[Literal["round", "oval", "square"], ...] = ("round", "oval", "square")
    kind = kinds[rng.integers(3)]
    length, width = rng.uniform(0.8, 2.5, 2)
    base = Base(kind, length, length if kind == "round" else width)
    x, y = rng.uniform(0, BOARD, 2)
    return Model(name, 1, name, base, x, y, 0.0, 1.5, facing=rng.uniform(0, 360))


def random_obstacle(rng: np.random.Generator) -> BaseGeometry:
    """A wall, a box, an L, a triangle or a round tower."""
    long, wide = rng.uniform(1.5, 8), rng.uniform(0.3, 1.5)
    wall = shapely.box(0, 0, long, 0.25)
    shape = (
        wall,
        shapely.box(0, 0, long / 2, wide),
        shapely.union(wall, shapely.box(0, 0, 0.25, long / 2)),
        shapely.Polygon([(0, 0), (long / 2, 0), (wide, long / 3)]),
        shapely.Point(0, 0).buffer(wide, quad_segs=4),
    )[rng.integers(5)]
    return affinity.translate(affinity.rotate(shape, rng.uniform(0, 360), origin=(0, 0)), *rng.uniform(0, BOARD, 2))


def random_table(seed: int) -> Table:
    """The table of a seed: up to twenty obstacles, which may touch the bases and each other."""
    rng = np.random.default_rng(seed)
    models = random_model(rng, "A"), random_model(rng, "B")
    return Table(*models, tuple(random_obstacle(rng) for _ in range(rng.integers(3, 21))))


def outline(model: Model) -> BaseGeometry:
    """The base as a polygon that lies inside the true one."""
    half = model.base.length / 2, model.base.width / 2
    shape = shapely.box(-1, -1, 1, 1) if model.base.shape == "square" else shapely.Point(0, 0).buffer(1, quad_segs=64)
    turned = affinity.rotate(affinity.scale(shape, *half, origin=(0, 0)), model.facing, origin=(0, 0))
    return affinity.translate(turned, model.x, model.y)


def points_in(rng: np.random.Generator, shape: BaseGeometry, count: int) -> np.ndarray:
    """Random points of a base, half of them on its rim."""
    low_x, low_y, high_x, high_y = shape.bounds
    inside = rng.uniform([low_x, low_y], [high_x, high_y], (4 * count, 2))
    inside = inside[shapely.contains_xy(shape, *inside.T)][: count // 2]
    ring = shapely.LinearRing(shapely.get_coordinates(shape))
    rim = shapely.line_interpolate_point(ring, rng.uniform(0, shape.length, count - len(inside)))
    return np.asarray(rng.permutation(np.vstack([inside, shapely.get_coordinates(rim)])))


def aimed(rng: np.random.Generator, table: Table, count: int) -> np.ndarray:
    """(n, 2, 2) traces along lines through corners of obstacles, within a few TOUCH of them."""
    corners = shapely.get_coordinates(list(table.obstacles))
    corners = corners[rng.integers(len(corners), size=count)] + rng.normal(0, 2 * TOUCH, (count, 2))
    from_base = np.vstack([points_in(rng, outline(model), count // 4) for model in (table.one, table.other)])
    anchors = np.vstack([from_base, corners[len(from_base) :][::-1]])
    way = anchors - corners
    way /= np.maximum(np.hypot(*way.T), TOUCH)[:, None]
    ends = []
    for model in (table.one, table.other):
        middle = np.array([model.x, model.y])
        near = corners + ((middle - corners) * way).sum(axis=1)[:, None] * way
        ends.append(near)
    kept = shapely.contains_xy(outline(table.one), *ends[0].T) & shapely.contains_xy(outline(table.other), *ends[1].T)
    return np.asarray(np.stack(ends, axis=1)[kept])


def solid(table: Table) -> BaseGeometry:
    """What no trace may cross: the obstacles, those that touch joined, less the edge that is only grazed."""
    touching = shapely.union_all(shapely.buffer(list(table.obstacles), TOUCH / 2))
    return shapely.buffer(touching, -1.5 * TOUCH)


def dense_trace(table: Table, seed: int, count: int = 2000) -> np.ndarray | None:
    """A clear trace if one of many is clear. None says only that none was found."""
    rng = np.random.default_rng(seed)
    plain = np.stack([points_in(rng, outline(model), count // 2) for model in (table.one, table.other)], axis=1)
    traces = np.vstack([plain, aimed(rng, table, count // 2)])
    stopping = solid(table)
    shapely.prepare(stopping)
    clear = np.flatnonzero(~shapely.intersects(stopping, shapely.linestrings(traces)))
    return np.asarray(traces[clear[0]]) if len(clear) else None

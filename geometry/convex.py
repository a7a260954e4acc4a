"""Convex outlines on the ground, and straight lines that meet them.

Bases are circles or convex polygons here. Everything is in inches, in the plane, and as exact as double precision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.segments import Bools
from deadground.geometry.shapes import Upright, base_polygon
from deadground.geometry.units import ARC_ERROR, PLANE_SLACK

__all__ = [
    "Convex",
    "Hull",
    "Lines",
    "Round",
    "bitangents",
    "cross_flat",
    "edges_of",
    "gap_between",
    "joined",
    "lines_through",
]


def _turned_left(vectors: Array) -> Array:
    """(n, 2) vectors turned by a quarter, counter-clockwise."""
    return np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)


def cross_flat(one: Array, other: Array) -> Array:
    """(...) cross products of vectors (..., 2): above 0 where the other is to the left of the one."""
    return np.asarray(one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0])


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Straight lines without end. origin : (n, 2) a point of each; along : (n, 2) unit vectors."""

    origin: Array
    along: Array

    def __len__(self) -> int:
        return len(self.origin)

    def at(self, way: Array) -> Array:
        """(n, 2) the point of each line at a way (n,) from its origin."""
        return self.origin + way[:, None] * self.along

    def chosen(self, which: Bools | slice) -> Lines:
        """Some of the lines."""
        return Lines(self.origin[which], self.along[which])


def joined(parts: list[Lines]) -> Lines:
    """All lines of several bundles, in order."""
    if not parts:
        return Lines(np.empty((0, 2)), np.empty((0, 2)))
    return Lines(np.vstack([part.origin for part in parts]), np.vstack([part.along for part in parts]))


def lines_through(one: Array, other: Array) -> Lines:
    """The lines through pairs of points (n, 2). Pairs closer than `PLANE_SLACK` are left out: they have no line."""
    apart = other - one
    length = np.hypot(apart[:, 0], apart[:, 1])
    far = length > PLANE_SLACK
    return Lines(one[far], apart[far] / length[far, None])


class Convex(Protocol):
    """A convex outline: `Round` or `Hull`."""

    @property
    def centre(self) -> Array:
        """(2,) a point inside."""
        ...

    @property
    def polygon(self) -> BaseGeometry:
        """The outline as a polygon, within ARC_ERROR (a line string for a hull of two corners)."""
        ...

    def chords(self, lines: Lines) -> tuple[Array, Array]:
        """(n,), (n,) ways along each line at which it enters and leaves; +inf, -inf where it misses."""
        ...

    def tangents(self, points: Array) -> Lines:
        """The lines through points (n, 2) that touch the outline, two for each point that is not inside."""
        ...

    def spread(self, along: Array, shares: Array) -> Array:
        """(n, 2) points of the outline's inside, from its rightmost (-1) to its leftmost (1) as seen along (2,)."""
        ...

    def meets(self, geometry: BaseGeometry) -> Array:
        """(n, 2) where its rim meets the boundary of a geometry."""
        ...

    def distance(self, geometry: BaseGeometry) -> float:
        """Distance to a geometry, 0.0 when they touch or overlap."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """A circle."""

    x: float
    y: float
    radius: float

    @property
    def centre(self) -> Array:
        """(2,) its middle."""
        return np.array([self.x, self.y])

    @property
    def polygon(self) -> BaseGeometry:
        """The circle as a polygon within ARC_ERROR, half inside and half outside."""
        return base_polygon(Upright(self.x, self.y, self.radius, self.radius, 0.0, 0.0, 0.0))

    def chords(self, lines: Lines) -> tuple[Array, Array]:
        """See `Convex.chords`."""
        apart = self.centre - lines.origin
        middle = (apart * lines.along).sum(axis=1)
        off = np.abs(cross_flat(lines.along, apart))
        half = np.sqrt(np.maximum(self.radius**2 - off**2, 0.0))
        met = off <= self.radius + PLANE_SLACK
        return np.where(met, middle - half, np.inf), np.where(met, middle + half, -np.inf)

    def tangents(self, points: Array) -> Lines:
        """See `Convex.tangents`."""
        apart = self.centre - points
        length = np.hypot(apart[:, 0], apart[:, 1])
        outside = length >= max(self.radius - PLANE_SLACK, PLANE_SLACK)
        apart, length = apart[outside], length[outside]
        half = np.arcsin(np.minimum(1.0, self.radius / length))
        middle = np.arctan2(apart[:, 1], apart[:, 0])
        angles = np.concatenate([middle - half, middle + half])
        return Lines(np.tile(points[outside], (2, 1)), np.column_stack([np.cos(angles), np.sin(angles)]))

    def spread(self, along: Array, shares: Array) -> Array:
        """See `Convex.spread`."""
        return self.centre + shares[:, None] * self.radius * _turned_left(along)

    def meets(self, geometry: BaseGeometry) -> Array:
        """See `Convex.meets`. Exact."""
        starts, ends = edges_of(geometry)
        lines = Lines(starts, ends - starts)
        scale = np.hypot(lines.along[:, 0], lines.along[:, 1])
        lines = Lines(starts, lines.along / scale[:, None])
        on = [(way, (way >= 0) & (way <= scale)) for way in self.chords(lines)]
        return np.vstack([lines.chosen(edge).at(way[edge]) for way, edge in on])

    def distance(self, geometry: BaseGeometry) -> float:
        """See `Convex.distance`. Exact."""
        return max(0.0, float(shapely.distance(shapely.Point(self.x, self.y), geometry)) - self.radius)


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """A convex polygon. corners : (n, 2), n >= 2 (two: a straight piece of line), counter-clockwise."""

    corners: Array

    @property
    def centre(self) -> Array:
        """(2,) the mean of its corners."""
        return np.asarray(self.corners.mean(axis=0))

    @property
    def polygon(self) -> BaseGeometry:
        """The polygon itself."""
        return shapely.Polygon(self.corners) if len(self.corners) > 2 else shapely.LineString(self.corners)

    def chords(self, lines: Lines) -> tuple[Array, Array]:
        """See `Convex.chords`."""
        apart = self.corners[None, :, :] - lines.origin[:, None, :]
        off = cross_flat(lines.along[:, None, :], apart)
        way = (apart * lines.along[:, None, :]).sum(axis=2)
        next_off, next_way = np.roll(off, -1, axis=1), np.roll(way, -1, axis=1)
        crossed = off * next_off < 0
        share = np.divide(off, off - next_off, out=np.zeros_like(off), where=crossed)
        ways = np.concatenate([way, way + share * (next_way - way)], axis=1)
        met = np.concatenate([np.abs(off) <= PLANE_SLACK, crossed], axis=1)
        return np.where(met, ways, np.inf).min(axis=1), np.where(met, ways, -np.inf).max(axis=1)

    def tangents(self, points: Array) -> Lines:
        """See `Convex.tangents`. A point inside gives two lines too, which touch nothing in particular."""
        middle = self.centre - points
        apart = self.corners[None, :, :] - points[:, None, :]
        here = np.hypot(apart[..., 0], apart[..., 1]) <= PLANE_SLACK
        turn = np.arctan2(cross_flat(middle[:, None, :], apart), (middle[:, None, :] * apart).sum(axis=2))
        least = np.where(here, np.inf, turn).argmin(axis=1)
        most = np.where(here, -np.inf, turn).argmax(axis=1)
        return lines_through(np.tile(points, (2, 1)), self.corners[np.concatenate([least, most])])

    def spread(self, along: Array, shares: Array) -> Array:
        """See `Convex.spread`."""
        off = self.corners @ _turned_left(along)
        right, left = self.corners[off.argmin()], self.corners[off.argmax()]
        return np.asarray(right + (shares[:, None] + 1) / 2 * (left - right))

    def meets(self, geometry: BaseGeometry) -> Array:
        """See `Convex.meets`."""
        rim = shapely.boundary(self.polygon) if len(self.corners) > 2 else self.polygon
        return np.asarray(shapely.get_coordinates(shapely.intersection(rim, shapely.boundary(geometry))))

    def distance(self, geometry: BaseGeometry) -> float:
        """See `Convex.distance`."""
        return float(shapely.distance(self.polygon, geometry))


def edges_of(geometry: BaseGeometry) -> tuple[Array, Array]:
    """(n, 2), (n, 2) starts and ends of all edges of a polygon or several, holes included."""
    point, ring = shapely.get_coordinates(shapely.get_rings(shapely.get_parts(geometry)), return_index=True)
    start, end = point[:-1], point[1:]
    real = (ring[1:] == ring[:-1]) & (start != end).any(axis=1)
    return start[real], end[real]


def gap_between(one: Convex, other: Convex) -> float:
    """Distance between the closest parts of two outlines, 0.0 when they touch or overlap. Symmetric.

    Exact for circles and polygons; ovals are polygons within ARC_ERROR.
    """
    if isinstance(one, Round) and isinstance(other, Round):
        return max(0.0, math.hypot(one.x - other.x, one.y - other.y) - one.radius - other.radius)
    return one.distance(other.polygon) if isinstance(one, Round) else other.distance(one.polygon)


def bitangents(one: Convex, other: Convex) -> Lines:
    """Lines that touch two outlines: all of them, and a few that touch only one of the two."""
    if isinstance(one, Hull):
        return other.tangents(one.corners)
    if isinstance(other, Hull):
        return one.tangents(other.corners)
    if isinstance(one, Round) and isinstance(other, Round):
        return _circle_bitangents(one, other)
    raise TypeError(f"expected Round or Hull, found {type(one).__name__} and {type(other).__name__}")


def _circle_bitangents(one: Round, other: Round) -> Lines:
    """Up to four lines: for each the normal n and offset p with n.c - p = +-r for both circles."""
    apart = other.centre - one.centre
    length = float(np.hypot(*apart))
    signs = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
    slope = (signs[:, 1] * other.radius - signs[:, 0] * one.radius) / max(length, ARC_ERROR)
    signs, slope = signs[np.abs(slope) <= 1], slope[np.abs(slope) <= 1]
    half, middle = np.arccos(slope), math.atan2(apart[1], apart[0])
    angles = np.concatenate([middle - half, middle + half])
    normal = np.column_stack([np.cos(angles), np.sin(angles)])
    return Lines(one.centre - np.tile(signs[:, 0], 2)[:, None] * one.radius * normal, _turned_left(normal))

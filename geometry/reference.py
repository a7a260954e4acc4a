"""Plain float64 ray-triangle casting and distances: slow, obvious, and the last word.

Whatever the fast caster says, a line is only called clear after `clearance` here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deadground.geometry.plates import Array
from deadground.geometry.segments import NOTHING, Hits, Ints, Segments
from deadground.geometry.units import PARALLEL

__all__ = ["Gap", "clearance", "cross", "first_hits", "points_to_triangles", "segments_to_segments", "triangle_shares"]


def cross(one: Array, two: Array) -> Array:
    """(..., 3) cross products, as `np.cross` gives them, without its price for small arrays."""
    a, b, c = one[..., 0], one[..., 1], one[..., 2]
    x, y, z = two[..., 0], two[..., 1], two[..., 2]
    return np.stack([b * z - c * y, c * x - a * z, a * y - b * x], -1)


def triangle_shares(start: Array, along: Array, triangles: Array) -> Array:
    """Where segments cross triangles, element by element.

    start, along : (..., 3); triangles : (..., 3, 3), broadcastable. Returns (...) shares of the segment, inf where it
    misses or runs parallel. Edges and corners belong to the triangle. Source: Moller and Trumbore 1997.
    """
    corner = triangles[..., 0, :]
    one, two = triangles[..., 1, :] - corner, triangles[..., 2, :] - corner
    across = cross(along, two)
    determinant = (one * across).sum(-1)
    flat = np.abs(determinant) <= PARALLEL * np.linalg.norm(across, axis=-1) * np.linalg.norm(one, axis=-1)
    inverse = 1.0 / np.where(flat, 1.0, determinant)
    offset = start - corner
    u = (offset * across).sum(-1) * inverse
    turned = cross(offset, one)
    v = (along * turned).sum(-1) * inverse
    share = (two * turned).sum(-1) * inverse
    inside = ~flat & (u >= 0) & (v >= 0) & (u + v <= 1) & (share >= 0) & (share <= 1)
    return np.where(inside, share, np.inf)


def first_hits(segments: Segments, triangles: Array) -> Hits:
    """The first triangle that each segment meets: every segment against every triangle, in float64.

    triangles : (m, 3, 3). The smaller index wins a tie. Sister of `Caster.first`.
    """
    nearest = np.full(len(segments), np.inf)
    index = np.full(len(segments), NOTHING, np.int64)
    rows = max(1, 2_000_000 // max(1, len(triangles)))
    for begin in range(0, len(segments), rows):
        part = slice(begin, begin + rows)
        shares = triangle_shares(segments.start[part, None], segments.along[part, None], triangles[None])
        best = shares.argmin(1) if len(triangles) else np.zeros(len(shares), np.int64)
        found = shares[np.arange(len(shares)), best] if len(triangles) else np.full(len(shares), np.inf)
        nearest[part] = found
        index[part] = np.where(np.isfinite(found), best, NOTHING)
    return Hits(index, np.where(index == NOTHING, 1.0, nearest))


def segments_to_segments(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array, Array]:
    """Closest points of the segments a-b and c-d, row by row (all (n, 3)).

    Returns (n,) distance, (n, 3) point on a-b, (n, 3) point on c-d. Degenerate segments count as points.
    Source: Ericson, Real-Time Collision Detection, 5.1.9.
    """
    u, v, w = b - a, d - c, a - c
    uu, vv, uv = (u * u).sum(-1), (v * v).sum(-1), (u * v).sum(-1)
    uw, vw = (u * w).sum(-1), (v * w).sum(-1)
    bottom = uu * vv - uv * uv
    loose = bottom > PARALLEL * uu * vv
    s = np.clip(np.where(loose, (uv * vw - vv * uw) / np.where(loose, bottom, 1.0), 0.0), 0, 1)
    t = (uv * s + vw) / np.where(vv > 0, vv, 1.0)
    t = np.clip(np.where(vv > 0, t, 0.0), 0, 1)
    s = np.where(uu > 0, np.clip((uv * t - uw) / np.where(uu > 0, uu, 1.0), 0, 1), 0.0)
    on_first, on_second = a + s[..., None] * u, c + t[..., None] * v
    return np.linalg.norm(on_first - on_second, axis=-1), on_first, on_second


def points_to_triangles(points: Array, triangles: Array) -> Array:
    """(n,) distance of points (n, 3) from the insides of triangles (n, 3, 3) below or above them; inf beside them."""
    corner = triangles[:, 0]
    one, two = triangles[:, 1] - corner, triangles[:, 2] - corner
    normal = cross(one, two)
    size = (normal * normal).sum(-1)
    real = size > 0
    scale = 1.0 / np.where(real, size, 1.0)
    offset = points - corner
    u = (cross(offset, two) * normal).sum(-1) * scale
    v = (cross(one, offset) * normal).sum(-1) * scale
    inside = real & (u >= 0) & (v >= 0) & (u + v <= 1)
    height = np.abs((offset * normal).sum(-1)) * np.sqrt(scale)
    return np.where(inside, height, np.inf)


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """How far segments are from triangles, row by row.

    distance : (n,) inches, 0.0 where they cross
    edge : (n,) the nearest edge (0, 1, 2: from corner k to k + 1), -1 where the inside of the triangle is nearest
    offset : (n, 3) from the segment's closest point to that edge's, zero where edge is -1
    share : (n,) where on the segment its closest point is
    """

    distance: Array
    edge: Ints
    offset: Array
    share: Array


def clearance(start: Array, end: Array, triangles: Array) -> Gap:
    """Distance between segments and triangles, row by row: start, end (n, 3), triangles (n, 3, 3), float64.

    A segment may be a point (start = end).
    """
    share = triangle_shares(start, end - start, triangles)
    crossing = np.isfinite(share)
    ends = points_to_triangles(start, triangles), points_to_triangles(end, triangles)
    best = np.where(crossing, 0.0, np.minimum(*ends))
    share = np.where(crossing, share, np.where(ends[0] <= ends[1], 0.0, 1.0))
    edge = np.full(len(start), -1, np.int64)
    offset = np.zeros((len(start), 3))
    length = np.linalg.norm(end - start, axis=1)
    for k in range(3):
        distance, mine, theirs = segments_to_segments(start, end, triangles[:, k], triangles[:, (k + 1) % 3])
        closer = distance < best
        best = np.where(closer, distance, best)
        edge = np.where(closer, k, edge)
        offset = np.where(closer[:, None], theirs - mine, offset)
        along = np.linalg.norm(mine - start, axis=1) / np.where(length > 0, length, 1.0)
        share = np.where(closer, along, share)
    return Gap(best, edge, offset, share)

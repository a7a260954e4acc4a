"""The narrow strips between two features that stand close together. Facts only."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import shapely

from deadground.geometry.units import TOUCH
from deadground.scenes.barriers import Strip
from deadground.scenes.placing import footprint, placed_mesh
from deadground.scenes.terrain import Feature

__all__ = ["strips_between"]


def strips_between(features: Sequence[Feature], widest: float, limit: float) -> tuple[Strip, ...]:
    """Every strip of ground between two features that are at most `widest` inches apart there, seen from above.

    limit : inches above the feature's foot. Only material at or below it counts, and the strip reaches from the higher
    of the two feet no higher than either's limit and top beside it. Touching and stacked features leave no strip.
    """
    if widest <= 0 or limit <= 0:
        return ()
    widest += TOUCH  # a gap so close to the limit is at it
    plans = {feature.name: low_plan(feature, limit) for feature in features}
    found = []
    for one, two in combinations(features, 2):
        if shapely.distance(plans[one.name], plans[two.name]) <= widest:
            found += _strips(one, two, plans[one.name], plans[two.name], widest, limit)
    return tuple(found)


def low_plan(feature: Feature, limit: float) -> shapely.Geometry:
    """The plan of the feature's material up to `limit` inches above its foot."""
    mesh = placed_mesh(feature)
    if mesh.bounds[1, 2] <= feature.foot + limit:
        return footprint(feature)
    low = np.asarray(mesh.triangles)
    low = low[low[:, :, 2].min(1) <= feature.foot + limit]
    shapes = shapely.convex_hull(shapely.multipoints(low[:, :, :2]))
    flat = shapely.get_type_id(shapes) == shapely.GeometryType.POLYGON
    rings = shapely.polygonize([shapely.node(shapely.union_all(shapes[~flat]))])
    return shapely.union_all([*shapes[flat], *shapely.get_parts(rings)])


def _strips(
    one: Feature, two: Feature, plan: shapely.Geometry, other: shapely.Geometry, widest: float, limit: float
) -> list[Strip]:
    between = _between(plan, other, widest)
    foot = max(one.foot, two.foot)
    strips = []
    for part in shapely.get_parts(between):
        top = min(*(min(each.foot + limit, _top_near(each, part, widest)) for each in (one, two)))
        if isinstance(part, shapely.Polygon) and part.area > TOUCH**2 and top > foot:
            strips.append(Strip((one.name, two.name), part, foot, top))
    return strips


def _between(plan: shapely.Geometry, other: shapely.Geometry, widest: float) -> shapely.Geometry:
    """All points on segments of at most `widest` from one plan to the other, outside both."""
    hulls = []
    for edge in _edges(plan, other, widest):
        for facing in _edges(other, plan, widest):
            near = edge.intersection(facing.buffer(widest)), facing.intersection(edge.buffer(widest))
            if not near[0].is_empty and not near[1].is_empty:
                hulls.append(shapely.union(*near).convex_hull)
    shapes = [hull for hull in hulls if isinstance(hull, shapely.Polygon)]
    # a hair of overlap with the material on both sides, so that no seam is left
    return shapely.union_all(shapes).difference(shapely.union(plan, other).buffer(-TOUCH))


def _edges(plan: shapely.Geometry, other: shapely.Geometry, widest: float) -> list[shapely.LineString]:
    edges = []
    for part in shapely.get_parts(plan):
        corners = np.asarray(shapely.get_coordinates(part.exterior))
        lines = np.atleast_1d(np.asarray(shapely.linestrings(np.stack([corners[:-1], corners[1:]], 1))))
        edges += list(lines[shapely.dwithin(lines, other, widest)])
    return edges


def _top_near(feature: Feature, strip: shapely.Geometry, widest: float) -> float:
    """Highest point of the feature's material beside the strip, inches."""
    triangles = np.asarray(placed_mesh(feature).triangles)
    shapes = shapely.convex_hull(shapely.multipoints(triangles[:, :, :2]))
    beside = shapely.dwithin(shapes, strip, 2 * TOUCH)
    corners = triangles[beside].reshape(-1, 3)
    near = shapely.dwithin(shapely.points(corners[:, :2]), strip, widest)
    return float(corners[near, 2].max(initial=feature.foot))

"""Where a model may stand, as regions: what `standing.faults` says of one place, said of all. No word of any game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
import shapely.ops
from shapely import affinity
from shapely.geometry.base import BaseGeometry

from deadground.geometry.shapes import quad_segments
from deadground.geometry.units import TOUCH
from deadground.meshes.surfaces import Surface
from deadground.scenes.material import between, just_above, placed_surfaces
from deadground.scenes.model import Model
from deadground.scenes.placing import base_outline
from deadground.scenes.scene import Scene
from deadground.scenes.standing import Support
from deadground.scenes.terrain import Feature

__all__ = ["End", "ends", "nearest"]


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """The places of a base's centre at which a model may stand on one level. height : of the surface, inches."""

    height: float
    region: BaseGeometry


def ends(scene: Scene, model: Model, features: Sequence[Feature], *, may_stand_above: bool = True) -> list[End]:
    """Where a model may stand, turned as it is: the ground, and every level surface of these features.

    Slopes are left out. Within a touch of what `standing.faults` says of single places.
    """
    found = [End(0.0, _free(scene, model, features, 0.0, _board(scene, model)))]
    levels = [s for f in features for s in placed_surfaces(f) if s.level and s.height > TOUCH and s.area > TOUCH]
    for surfaces in _by_height(levels) if may_stand_above else ():
        support = Support(surfaces[0].height, tuple(surfaces))
        firm = support.outline.buffer(TOUCH / 2).intersection(_changed(support.filled, model, -1.0))
        region = _free(scene, model, features, support.height, firm.intersection(_board(scene, model)))
        found.append(End(support.height, region))
    return [end for end in found if not end.region.is_empty]


def _by_height(levels: list[Surface]) -> list[list[Surface]]:
    ordered = sorted(levels, key=lambda surface: surface.height)
    cuts = np.flatnonzero(np.diff([surface.height for surface in ordered]) > TOUCH) + 1
    return [[ordered[i] for i in group] for group in np.split(np.arange(len(ordered)), cuts) if len(group)]


def _board(scene: Scene, model: Model) -> BaseGeometry:
    return _changed(shapely.box(0.0, 0.0, *scene.board), model, -1.0)


def _free(scene: Scene, model: Model, features: Sequence[Feature], height: float, room: BaseGeometry) -> BaseGeometry:
    """The part of a region where the body meets no material and no other model."""
    top = height + model.height
    shapes = [
        shape for f in features for shape in (just_above(f, height), between(f, height, top)) if not shape.is_empty
    ]
    shapes += [
        base_outline(other)
        for other in scene.models
        if other.name != model.name and max(height, other.foot) < min(top, other.foot + other.height) - TOUCH
    ]
    near = [shape for shape in shapes if shape.intersects(room.envelope.buffer(model.base.length))]
    return room.difference(shapely.union_all([_changed(shape, model, 1.0) for shape in near]))


def _changed(shape: BaseGeometry, model: Model, sign: float) -> BaseGeometry:
    """A shape grown (1) or shrunk (-1) by a base less half a touch. An oval is a circle in squeezed coordinates."""
    if shape.is_empty:
        return shape
    long, wide = model.base.length / 2, model.base.width / 2
    if model.base.shape == "square":
        long = wide = float(np.hypot(long, wide))
    squeezed = shape if long == wide else _squeezed(shape, model.facing, wide / long)
    with np.errstate(invalid="ignore"):  # shapely's own arithmetic may raise flags that mean nothing
        changed = squeezed.buffer(sign * (wide - TOUCH / 2), quad_segs=quad_segments(long))
    return changed if long == wide else affinity.rotate(
        affinity.scale(changed, long / wide, 1.0, origin=(0, 0)), model.facing, origin=(0, 0)
    )  # fmt: skip


def _squeezed(shape: BaseGeometry, facing: float, share: float) -> BaseGeometry:
    return affinity.scale(affinity.rotate(shape, -facing, origin=(0, 0)), share, 1.0, origin=(0, 0))


def nearest(found: Sequence[End], x: float, y: float, height: float) -> Iterator[tuple[float, float, float]]:
    """The places nearest to a point at which a model may stand: of each connected region, the nearest first.

    Each is followed by one a touch further in, for the edge is only true to a touch.
    """
    spot, places = shapely.Point(x, y), []
    whole = [(end.height, part) for end in found for part in shapely.get_parts(end.region)]
    for level, part in [*whole, *((level, part.buffer(-TOUCH)) for level, part in whole)]:
        if not part.is_empty:
            place = shapely.get_coordinates(shapely.ops.nearest_points(part, spot)[0])[0]
            far = float(np.hypot(np.hypot(*(place - (x, y))), level - height))
            places.append((far, (float(place[0]), float(place[1]), level)))
    yield from (place for _, place in sorted(places, key=lambda one: one[0]))

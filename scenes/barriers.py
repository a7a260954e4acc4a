"""Everything on the table that can stand between two models, as layers of blockers. No word of any game."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import shapely
import trimesh

from deadground.geometry.chords import chord_plates, upright_plate
from deadground.geometry.obstacles import Blocker, Layer
from deadground.geometry.plates import Plate
from deadground.geometry.shapes import Upright, base_polygon
from deadground.geometry.units import ARC_ERROR, TOUCH
from deadground.meshes.solid import prism
from deadground.scenes.model import Model
from deadground.scenes.placing import Plan, placed_mesh
from deadground.scenes.scene import Scene
from deadground.scenes.terrain import Area, Feature

__all__ = [
    "Closings",
    "Kind",
    "Strip",
    "area_layer",
    "line_heights",
    "model_layer",
    "shrunk",
    "strip_layer",
    "terrain_layer",
]

Closings = Mapping[str, Mapping[int, float]]
"""Feature name -> opening id -> height above the feature's foot up to which the opening is closed, inches."""


class Kind(StrEnum):
    """Kinds of barrier beside plain material, which always blocks."""

    GAP = "gap"
    STRIP = "strip"
    AREA = "area"
    MODEL = "model"


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """A closed strip of ground between two features: outline seen from above, foot to top, inches."""

    features: tuple[str, str]
    outline: shapely.Polygon
    foot: float
    top: float


def terrain_layer(features: Sequence[Feature], closings: Closings) -> Layer:
    """All features' material, with the openings named in `closings` filled."""
    return Layer([_feature_blocker(feature, closings.get(feature.name, {})) for feature in features])


def _feature_blocker(feature: Feature, heights: Mapping[int, float]) -> Blocker:
    piece = feature.piece.closed(heights) if heights else feature.piece
    cores = tuple(core.moved(feature.rotation, feature.shift) for core in piece.cores)
    return _mesh_blocker(placed_mesh(replace(feature, piece=piece)) if heights else placed_mesh(feature), cores)


def _mesh_blocker(mesh: trimesh.Trimesh, cores: tuple[Plate, ...] = ()) -> Blocker:
    faces = np.asarray(mesh.faces, np.int64)
    return Blocker(np.asarray(mesh.vertices, float)[faces], faces, cores)


def upright_blocker(outline: shapely.Polygon, foot: float, top: float, cores: tuple[Plate, ...]) -> Blocker:
    """An outline raised from foot to top."""
    axes = np.zeros(3), np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
    return _mesh_blocker(prism(outline, *axes, foot, top), cores)


def strip_layer(strips: Sequence[Strip]) -> Layer:
    """Closed strips between features."""
    return Layer([_upright(strip.outline, strip.foot, strip.top) for strip in strips])


def shrunk(area: Area) -> Plan:
    """The area's outline less what only touches it: a line or base this close to the edge does not enter it.

    An area narrower than two touches is empty; one with so narrow a neck is in parts.
    """
    inner: Plan = area.outline.buffer(-TOUCH, join_style="mitre")
    return inner


def area_layer(areas: Sequence[Area], foot: float, top: float) -> Layer:
    """Areas as walls of no width round their outlines, from below every line to above it."""
    return Layer([_joined([_upright(part, foot, top) for part in _parts(shrunk(area))]) for area in areas], wide=False)


def _parts(plan: Plan) -> list[shapely.Polygon]:
    return [part for part in shapely.get_parts(plan) if not part.is_empty]


def _upright(outline: shapely.Polygon, foot: float, top: float) -> Blocker:
    """An outline raised from foot to top, with the sections of its chords."""
    return upright_blocker(outline, foot, top, chord_plates(outline, foot, top))


def _joined(blockers: Sequence[Blocker]) -> Blocker:
    """Blockers that lie apart as one; without any, one that stops nothing."""
    if len(blockers) == 1:
        return blockers[0]
    first = np.cumsum([0, *(3 * len(b.triangles) for b in blockers)])  # no two share a corner
    faces = [b.faces + n for b, n in zip(blockers, first, strict=False)]
    triangles = [np.empty((0, 3, 3)), *(b.triangles for b in blockers)]
    cores = tuple(core for b in blockers for core in b.cores)
    return Blocker(np.concatenate(triangles), np.concatenate([np.empty((0, 3), np.int64), *faces]), cores)


def model_layer(models: Iterable[Model]) -> Layer:
    """Models' bodies."""
    return Layer([_model_blocker(model) for model in models])


def _model_blocker(model: Model) -> Blocker:
    if model.mesh is not None:
        return _mesh_blocker(model.mesh)
    body = model.body
    return upright_blocker(base_polygon(body), body.foot, body.top, _axis_plates(body))


def _axis_plates(body: Upright) -> tuple[Plate, ...]:
    """Plates through the axis, in enough directions that a line's width covers what they miss of the silhouette."""
    count = 2 * max(4, math.ceil(math.pi * math.sqrt(max(body.a, body.b) / (8 * ARC_ERROR)) / 4))
    angles = np.arange(count) * math.pi / count
    ends = zip(body.rim(angles), body.rim(angles + math.pi), strict=True)
    return tuple(upright_plate(one, two, body.foot, body.top) for one, two in ends)


def line_heights(scene: Scene) -> tuple[float, float]:
    """Heights below and above every line on the table, inches."""
    tops = [model.foot + model.height for model in scene.models]
    feet = [model.foot for model in scene.models]
    return min(feet, default=0.0) - 1, max(tops, default=1.0) + 1

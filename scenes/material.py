"""What terrain is where on the table: the surfaces and the plans of material of placed features, kept once computed."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from shapely.geometry.base import BaseGeometry

from deadground.geometry.units import TOUCH
from deadground.meshes import columns
from deadground.meshes.piece import Piece
from deadground.meshes.surfaces import Surface, surfaces
from deadground.scenes.terrain import Feature

__all__ = ["above", "between", "ceilings", "just_above", "placed_surfaces", "top_of"]

_CACHED = 4096
"""Features, heights and pairs of heights of which each answer is kept."""


@lru_cache(maxsize=_CACHED)
def placed_surfaces(feature: Feature) -> tuple[Surface, ...]:
    """Where one can stand on a feature, on the table. See `meshes.surfaces.surfaces`."""
    return tuple(_placed(surface, feature) for surface in surfaces(feature.piece.mesh))


def _placed(surface: Surface, feature: Feature) -> Surface:
    return replace(
        surface,
        height=surface.height + feature.foot,
        low=surface.low + feature.foot,
        outline=feature.on_table(surface.outline),
        triangles=surface.triangles @ feature.rotation.T + feature.shift,
    )


def top_of(feature: Feature) -> float:
    """The highest point of a feature, inches above the table's ground."""
    return float(np.asarray(feature.piece.mesh.vertices)[:, 2].max()) + feature.foot


@lru_cache(maxsize=_CACHED)
def between(feature: Feature, low: float, high: float) -> BaseGeometry:
    """The plan of a feature's material strictly between two heights above the table's ground. May be empty."""
    return feature.on_table(_own_between(feature.piece, low - feature.foot, high - feature.foot))


@lru_cache(maxsize=_CACHED)
def _own_between(piece: Piece, low: float, high: float) -> BaseGeometry:
    if math.isinf(high):
        return columns.material_above(piece.mesh, low)
    return columns.material_between(piece.mesh, low, high)


def above(feature: Feature, height: float) -> BaseGeometry:
    """The plan of a feature's material that reaches above a height above the table's ground. May be empty."""
    return between(feature, height, math.inf)


@lru_cache(maxsize=_CACHED)
def just_above(feature: Feature, height: float) -> BaseGeometry:
    """The plan of the feature's material that a body standing at a height would stand in. May be empty."""
    return feature.on_table(columns.section(feature.piece.mesh, height - feature.foot + 2 * TOUCH))


@lru_cache(maxsize=_CACHED)
def ceilings(feature: Feature, low: float, high: float) -> BaseGeometry:
    """The plan of what hangs over a height: undersides of the feature's material between two heights. May be empty."""
    plan = feature.on_table(columns.undersides(feature.piece.mesh, low - feature.foot, high - feature.foot))
    return plan if plan.is_empty else plan.difference(just_above(feature, low).buffer(TOUCH, join_style="mitre"))

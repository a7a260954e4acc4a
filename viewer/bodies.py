"""Bases and bodies of models as points to draw. Inches."""

from __future__ import annotations

import numpy as np
import shapely

from deadground.geometry.plates import Array
from deadground.scenes.model import Model
from deadground.scenes.placing import base_outline

__all__ = ["base_rim", "model_points"]

COARSE = 0.004
"""Inches that the drawn outline of a base may differ from it."""


def base_rim(model: Model) -> Array:
    """(n, 2) outline of a model's base, counter-clockwise, coarse enough to draw."""
    corners = shapely.get_coordinates(shapely.orient_polygons(base_outline(model).simplify(COARSE)))
    return np.asarray(corners[:-1], np.float64)


def model_points(model: Model) -> Array:
    """(n, 3) corners of a model's body."""
    rim = base_rim(model)
    return np.vstack([np.column_stack([rim, np.full(len(rim), z)]) for z in (model.foot, model.foot + model.height)])

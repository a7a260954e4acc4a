"""What Warhammer 40,000's terrain rules make of the table: which gaps Solid closes, which areas obscure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from deadground.geometry.units import at_or_below, inches
from deadground.meshes.piece import Opening
from deadground.scenes.barriers import Closings
from deadground.scenes.options import Warhammer40kOptions
from deadground.scenes.scene import Scene
from deadground.scenes.sight import Barriers
from deadground.scenes.strips import strips_between
from deadground.scenes.terrain import Area, Feature

__all__ = ["READINGS", "barriers_of", "closed_height", "closings", "obscuring", "top_of", "uncategorised"]

Reading = Literal["split", "sill", "whole"]
READINGS: tuple[Reading, ...] = ("split", "sill", "whole")


def closed_height(opening: Opening, limit: float, reading: Reading) -> float | None:
    """How high Solid closes an enclosed gap, inches above the feature's foot; None if it leaves it open. Rule 13.11.

    split: up to the limit; sill: the whole gap if its lowest point is at or below the limit; whole: only if all of it
    is.
    """
    if not at_or_below(opening.sill, limit):
        return None
    whole = at_or_below(opening.head, limit)
    if whole or reading == "sill" or (opening.kind == "floor" and reading == "split"):
        return opening.head
    return limit if reading == "split" else None


def closings(scene: Scene, options: Warhammer40kOptions, reading: Reading) -> Closings:
    """Which openings of dense features Solid closes under one reading, and how high. What the scene overrules wins."""
    found = {}
    for feature in scene.features:
        heights = _feature_closings(feature, options, reading)
        if heights:
            found[feature.name] = heights
    return found


def _feature_closings(feature: Feature, options: Warhammer40kOptions, reading: Reading) -> Mapping[int, float]:
    if feature.wh40k.category != "dense":
        return {}
    overruled = dict(feature.overruled)
    heights = {}
    for opening in feature.piece.openings:
        height = closed_height(opening, options.solid_height, reading)
        counts = opening.sure and (opening.kind == "wall" or options.floor_gaps)
        if opening.id in overruled:
            counts = overruled[opening.id]
            height = opening.head if height is None else height
        if counts and height is not None:
            heights[opening.id] = height
    return heights


def obscuring(scene: Scene) -> tuple[Area, ...]:
    """Areas that hold a light or dense feature. Rule 13.10."""
    categories = {feature.name: feature.wh40k.category for feature in scene.features}
    return tuple(a for a in scene.areas if any(categories.get(name) in ("light", "dense") for name in a.features))


def barriers_of(scene: Scene, options: Warhammer40kOptions) -> Barriers:
    """Everything that counts as a barrier under these options: Solid under its three readings, small gaps, areas."""
    order = (options.straddle, *(reading for reading in READINGS if reading != options.straddle))
    dense = [feature for feature in scene.features if feature.wh40k.category == "dense"]
    return Barriers(
        readings={reading: closings(scene, options, reading) for reading in order},
        strips=strips_between(dense, options.adjacent_gap, options.solid_height),
        areas=obscuring(scene),
        line_width=inches(options.line_width_mm, "mm"),
    )


def uncategorised(scene: Scene) -> tuple[str, ...]:
    """One warning for each feature that the scene gives no category."""
    return tuple(
        f'feature "{feature.name}" has no wh40k category: its material blocks, and no terrain rule applies to it'
        for feature in scene.features
        if feature.wh40k.category is None
    )


def top_of(scene: Scene, area: Area) -> float:
    """Height of the tallest feature of an area, inches."""
    tops = [scene.feature(name).foot + float(scene.feature(name).piece.mesh.bounds[1, 2]) for name in area.features]
    return max(tops, default=0.0)

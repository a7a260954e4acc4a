"""A section through the terrain, so that an elevation shows the gaps that its lines pass."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import shapely

from deadground.geometry.plates import Array
from deadground.scenes.placing import footprint
from deadground.scenes.rulings.verdict import Verdict
from deadground.scenes.terrain import Feature
from deadground.viewer.plane import Cut
from deadground.viewer.subject import Subject

__all__ = ["SIGHT", "Cut", "cut_of"]

SIGHT = {"front": np.array([0.0, -1.0, 0.0]), "side": np.array([1.0, 0.0, 0.0])}
"""Views that are cut, and the way to the reader."""


def cut_of(subject: Subject, view: str) -> Cut | None:
    """The section of an elevation, through a place where its lines meet terrain.

    None where cutting shows nothing: in other views, without lines, or with no terrain between.
    """
    if view not in SIGHT:
        return None
    toward = SIGHT[view]
    places = [place for verdict in subject.verdicts for place in meetings(verdict, subject.features)]
    if not places:
        return None
    depths = sorted(float(place @ toward) for place in places)
    depth = depths[(len(depths) - 1) // 2]  # one of them: between two there may be a pier of the wall
    return Cut(depth * toward, toward)


def meetings(verdict: Verdict, features: tuple[Feature, ...]) -> Iterator[Array]:
    """Where a line stops at terrain or passes through the plan of a feature."""
    if verdict.blocker is not None and verdict.blocker.feature is not None:
        yield np.array(verdict.blocker.at)
        return
    if len(verdict.line) < 2:
        return
    points = np.array(verdict.line)
    flat = shapely.LineString(points[:, :2])
    for feature in features:
        over = flat.intersection(footprint(feature))
        if not over.is_empty and flat.length > 0:
            share = flat.project(over.centroid, normalized=True)
            yield points[0] + share * (points[-1] - points[0])

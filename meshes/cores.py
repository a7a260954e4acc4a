"""Flat sections through the material of a closed mesh: each proves at one stroke whole bundles of lines blocked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import manifold3d
import numpy as np
import shapely
import trimesh

from deadground.geometry.plates import Array, Plate
from deadground.geometry.units import CORE_APART, CORE_LEAST, FLATNESS
from deadground.meshes.frames import UP, Frame
from deadground.meshes.outlines import polygons
from deadground.meshes.slabs import directions, slabs

__all__ = ["cores"]

_MOST = 24  # more cores cost a search more than they save it
_ALONG: Array = np.array([1.0, 0.0, 0.0])
_UP: Array = np.array([0.0, 1.0, 0.0])


def cores(mesh: trimesh.Trimesh, solid: manifold3d.Manifold) -> tuple[Plate, ...]:
    """Sections through the middle of every wall and floor of a closed mesh (`solid` is the same), the largest first.

    Every point of them lies in material with all openings open. Sections smaller than `CORE_LEAST` are left out.
    """
    found = [*_upright(mesh, solid), *_level(mesh, solid)]
    large = [plate for plate in found if plate.polygon.area >= CORE_LEAST]
    return tuple(sorted(large, key=lambda plate: -round(plate.polygon.area, 6))[:_MOST])


def _upright(mesh: trimesh.Trimesh, solid: manifold3d.Manifold) -> Iterator[Plate]:
    for frame in directions(mesh):
        turned = _turned(solid, frame.along, UP)
        for depth in _apart(_wall_middles(mesh, frame)):
            yield _plate(turned, depth, frame.along, UP)


def _level(mesh: trimesh.Trimesh, solid: manifold3d.Manifold) -> Iterator[Plate]:
    heights = np.asarray(mesh.triangles_center[:, 2])
    spread = float(mesh.bounds[0, 2]), float(mesh.bounds[1, 2])
    for depth in _apart(_middles(mesh, UP, heights, *spread)):
        yield _plate(solid, depth, _ALONG, _UP)


def _wall_middles(mesh: trimesh.Trimesh, frame: Frame) -> Iterator[float]:
    offsets = np.asarray(mesh.triangles_center @ frame.normal)
    for slab in slabs(mesh, frame):
        yield from _middles(mesh, frame.normal, offsets, slab.near, slab.far)


def _middles(mesh: trimesh.Trimesh, normal: Array, offsets: Array, near: float, far: float) -> Iterator[float]:
    """Half way between each pair of sheets that face apart, with nothing but material between, from near to far."""
    facing = np.asarray(mesh.face_normals) @ normal
    chosen = (np.abs(facing) > 0.99) & (offsets >= near) & (offsets <= far)
    sheets = _sheets(offsets[chosen], (facing * np.asarray(mesh.area_faces))[chosen])
    for (below, enters), (above, leaves) in pairwise(sheets):
        if enters < 0 < leaves:
            yield (below + above) / 2


def _sheets(offsets: Array, signed: Array) -> list[tuple[float, float]]:
    """Offsets where faces lie, each with the area that faces forwards less what faces backwards there."""
    order = np.argsort(offsets)
    offsets, signed = offsets[order], signed[order]
    groups = np.split(np.arange(len(offsets)), np.flatnonzero(np.diff(offsets) > CORE_APART) + 1)
    return [(float(offsets[g].mean()), float(signed[g].sum())) for g in groups if len(g)]


def _apart(depths: Iterable[float]) -> list[float]:
    """Depths in order, none within CORE_APART of another."""
    kept: list[float] = []
    for depth in sorted(depths):
        if not kept or depth - kept[-1] > CORE_APART:
            kept.append(depth)
    return kept


def _turned(solid: manifold3d.Manifold, along: Array, up: Array) -> manifold3d.Manifold:
    return solid.transform(np.column_stack([np.vstack([along, up, np.cross(along, up)]), np.zeros(3)]))


def _plate(turned: manifold3d.Manifold, depth: float, along: Array, up: Array) -> Plate:
    # drawn in by what rounding may leave, so that no point of it lies outside
    section = polygons(turned.slice(depth)).buffer(-FLATNESS, join_style="mitre")
    return Plate(depth * np.cross(along, up), along, up, _flat(section))


def _flat(shape: shapely.Geometry) -> shapely.Polygon | shapely.MultiPolygon:
    return shape if isinstance(shape, shapely.Polygon | shapely.MultiPolygon) else shapely.MultiPolygon()

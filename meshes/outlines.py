"""The outlines of gaps in one block of a wall: exact on closed meshes, by rays on others."""

from __future__ import annotations

import math

import manifold3d
import numpy as np
import shapely
from scipy import ndimage

from deadground.geometry.plates import Array
from deadground.meshes.frames import UP, Mask, Raster, Window
from deadground.meshes.shell import Shell

__all__ = ["exact_gaps", "opened", "pixels", "polygons", "raster_gaps"]

_SMOOTH = 0.75  # pixels by which a smoothed outline may leave its stairs
_MOST_RAYS = 400_000  # of one block


def exact_gaps(solid: manifold3d.Manifold, window: Window) -> list[shapely.Polygon]:
    """What can be seen straight through a block of a closed mesh, where that is enclosed by material (or the ground).

    The complement of the block's silhouette: no section between near and far is missed.
    """
    return _enclosed_parts(shapely.box(*window.low, *window.high).difference(silhouette(solid, window)), window)


def raster_gaps(shell: Shell, window: Window) -> list[shapely.Polygon]:
    """The same by rays, for any mesh; the cracks of a rough one are closed first."""
    across, high = window.size
    raster = Raster(window, max(shell.step, math.sqrt(across * high / _MOST_RAYS)))
    free = opened(shell.free(raster), shell.crack / raster.step)
    return _enclosed_parts(pixels(free, raster), window)


def opened(free: Mask, crack: float) -> Mask:
    """Free pixels less what is no wider than `crack` pixels. Beyond the raster all is as at its edge."""
    if crack < 1:
        return free
    wide = np.pad(free, math.ceil(crack), mode="edge")
    core = ndimage.distance_transform_edt(wide) > crack / 2
    grown = ndimage.distance_transform_edt(~core) <= crack / 2 if core.any() else core
    return np.asarray(grown & wide)[math.ceil(crack) : -math.ceil(crack), math.ceil(crack) : -math.ceil(crack)]


def pixels(mask: Mask, raster: Raster) -> shapely.Geometry:
    """The pixels of a mask as polygons, their stairs smoothed within a pixel."""
    steps = np.diff(np.pad(mask.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    rows, starts = np.nonzero(steps > 0)
    stops = np.nonzero(steps < 0)[1]
    # joined in whole numbers, where nothing is rounded
    joined = shapely.simplify(shapely.union_all(shapely.box(starts, rows, stops, rows + 1)), _SMOOTH)
    return shapely.transform(joined, lambda points: np.array(raster.window.low) + raster.step * points)


def _enclosed_parts(free: shapely.Geometry, window: Window) -> list[shapely.Polygon]:
    parts = [part for part in shapely.get_parts(free) if isinstance(part, shapely.Polygon)]
    return [shapely.Polygon(part.exterior) for part in parts if _enclosed(part, window)]


def _enclosed(part: shapely.Polygon, window: Window) -> bool:
    low_u, low_v, high_u, high_v = part.bounds
    inside = low_u > window.low[0] and high_u < window.high[0] and high_v < window.high[1]
    return bool(inside and (low_v > window.low[1] or window.grounded))


def silhouette(solid: manifold3d.Manifold, window: Window) -> shapely.MultiPolygon:
    """The shadow of the part of a closed mesh in a block, cast along the block's normal, in its (u, v)."""
    turned = solid.transform(_turn(window))
    across, high = window.size
    block = manifold3d.Manifold.cube([across, high, window.far - window.near])
    block = block.translate([window.low[0], window.low[1], window.near])
    return polygons((turned ^ block).project())


def _turn(window: Window) -> Array:
    frame = window.frame
    return np.column_stack([np.vstack([frame.along, UP, frame.normal]), np.zeros(3)])


def polygons(section: manifold3d.CrossSection) -> shapely.MultiPolygon:
    """A cross-section of manifold3d as shapely polygons."""
    clean = manifold3d.CrossSection(section.to_polygons(), manifold3d.FillRule.Positive)
    shapes = []
    for part in clean.decompose():
        rings = sorted(part.to_polygons(), key=lambda ring: -abs(shapely.Polygon(ring).area))
        shapes.append(shapely.Polygon(rings[0], rings[1:]))
    return shapely.MultiPolygon(shapes) if shapes else shapely.MultiPolygon()

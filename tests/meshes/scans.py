"""What scanning and careless exporting do to a mesh, each by itself and together. Millimetres in, inches in meshes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pyvista
import shapely
import trimesh
from scipy import ndimage

from deadground.geometry.plates import Array
from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.solid import from_manifold, prism, to_manifold, united
from tests.meshes.ruins import Known, Ruin

__all__ = [
    "decimated", "hard_scan", "moderate_scan", "noisy", "on_plate", "refined", "resurfaced", "tilted", "warped",
    "with_missing", "with_outliers", "without_underside", "wrong_units",
]  # fmt: skip


def refined(mesh: trimesh.Trimesh, edge: float) -> trimesh.Trimesh:
    """The same surface in triangles with edges up to `edge` mm. The mesh must be closed."""
    return from_manifold(to_manifold(mesh).refine_to_length(edge / MM_PER_INCH))


def decimated(mesh: trimesh.Trimesh, keep: float) -> trimesh.Trimesh:
    """About the share `keep` of the triangles, by quadric edge collapses."""
    return _from_vtk(pyvista.wrap(mesh).decimate(1 - keep))


def noisy(mesh: trimesh.Trimesh, sigma: float, rng: np.random.Generator) -> trimesh.Trimesh:
    """Every vertex moved at random, normally distributed with `sigma` mm on each axis."""
    moved = mesh.vertices + rng.normal(0, sigma / MM_PER_INCH, mesh.vertices.shape)
    return _on_ground(trimesh.Trimesh(moved, mesh.faces, process=False))


def with_missing(mesh: trimesh.Trimesh, share: float, rng: np.random.Generator) -> trimesh.Trimesh:
    """A share of the faces left out, anywhere."""
    return trimesh.Trimesh(mesh.vertices, mesh.faces[rng.random(len(mesh.faces)) >= share], process=False)


def without_underside(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """Without the faces on which it stands, as what was photographed on a table."""
    low = np.asarray(mesh.triangles_center)[:, 2] < mesh.bounds[0, 2] + 1 / MM_PER_INCH
    return trimesh.Trimesh(mesh.vertices, mesh.faces[~(low & (mesh.face_normals[:, 2] < -0.9))], process=False)


def warped(mesh: trimesh.Trimesh, most: float, rng: np.random.Generator) -> trimesh.Trimesh:
    """Bent smoothly, by up to `most` mm on each axis, in waves as long as the piece."""
    waves = rng.normal(0, 1, (3, 3))
    waves *= 2 * math.pi / mesh.extents.max() / np.linalg.norm(waves, axis=1, keepdims=True)
    moved = np.sin(mesh.vertices @ waves.T + rng.uniform(0, 2 * math.pi, 3)) * most / MM_PER_INCH
    return _on_ground(trimesh.Trimesh(mesh.vertices + moved, mesh.faces, process=False))


def tilted(mesh: trimesh.Trimesh, degrees: float, rng: np.random.Generator) -> trimesh.Trimesh:
    """Turned about a level axis of random direction."""
    angle = float(rng.uniform(0, 2 * math.pi))
    turn = trimesh.transformations.rotation_matrix(math.radians(degrees), [math.cos(angle), math.sin(angle), 0])
    turned = mesh.copy()
    turned.apply_transform(turn)
    return _on_ground(turned)


def on_plate(mesh: trimesh.Trimesh, thickness: float, margin: float) -> trimesh.Trimesh:
    """Fused to a plate under it that reaches `margin` mm beyond its hull; everything stands `thickness` mm higher."""
    hull = shapely.MultiPoint(mesh.vertices[:, :2]).convex_hull.buffer(margin / MM_PER_INCH, quad_segs=4)
    assert isinstance(hull, shapely.Polygon)
    high = thickness / MM_PER_INCH
    plate = prism(hull, np.zeros(3), np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), 0, high)
    raised = mesh.copy()
    raised.apply_translation([0, 0, high - 0.01 / MM_PER_INCH])
    return united([raised, plate])


def with_outliers(mesh: trimesh.Trimesh, count: int, rng: np.random.Generator) -> trimesh.Trimesh:
    """With loose crumbs of 1 mm around it, none below the ground."""
    crumb = trimesh.creation.icosahedron().apply_scale(0.5 / MM_PER_INCH)
    low, high = mesh.bounds
    places = rng.uniform(low - [0.5, 0.5, -0.05], high + 0.5, (count, 3))
    return trimesh.util.concatenate([mesh, *(crumb.copy().apply_translation(place) for place in places)])


def wrong_units(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """Inches read as millimetres."""
    shrunk = mesh.copy()
    shrunk.apply_scale(1 / MM_PER_INCH)
    return shrunk


def resurfaced(mesh: trimesh.Trimesh, sigma: float, voxel: float, rng: np.random.Generator) -> trimesh.Trimesh:
    """A closed surface laid anew through a noisy cloud of points with normals, on voxels of `voxel` mm.

    The distance to the plane of the nearest points, in place of the true signed distance; far from all points outside.
    """
    step = voxel / MM_PER_INCH
    count = int(3 * mesh.area / step**2)
    points, faces = trimesh.sample.sample_surface(mesh, count, seed=int(rng.integers(2**31)))
    points = np.asarray(points) + rng.normal(0, sigma / MM_PER_INCH, points.shape)
    low = points.min(axis=0) - 4 * step
    shape = np.ceil((points.max(axis=0) + 4 * step - low) / step).astype(int)
    distance = _distance(points, np.asarray(mesh.face_normals)[faces], low, step, shape)
    grid = pyvista.ImageData(dimensions=tuple(shape), spacing=(step,) * 3, origin=tuple(low + step / 2))
    grid.point_data["distance"] = distance.ravel(order="F")
    surface = _from_vtk(grid.contour([0.0], "distance", method="flying_edges"))
    surface.invert()  # outwards is where the distance grows
    return _on_ground(_without_crumbs(surface))


def _distance(points: Array, normals: Array, low: Array, step: float, shape: Array) -> Array:
    full_shape = tuple(int(count) for count in shape)
    cell = np.ravel_multi_index(tuple(((points - low) / step).astype(int).T), tuple(shape))
    size = int(np.prod(shape))
    weight = np.bincount(cell, minlength=size)
    full = weight > 0
    mean = [np.bincount(cell, values, size)[full] / weight[full] for values in (*points.T, *normals.T)]
    centre, normal = np.zeros((size, 3)), np.zeros((size, 3))
    centre[full], normal[full] = np.column_stack(mean[:3]), np.column_stack(mean[3:])
    away, nearest = ndimage.distance_transform_edt(~full.reshape(shape), return_indices=True)
    source = np.ravel_multi_index(tuple(nearest), tuple(shape)).ravel()
    here = low + step * (np.indices(full_shape).reshape(3, -1).T + 0.5)
    distance = np.einsum("ij,ij->i", here - centre[source], normal[source]).reshape(shape)
    # a plane far from its points says little: there, whole regions lie outside or inside
    far = away > 1.5
    regions, count = ndimage.label(far)
    side = np.concatenate([[0.0], np.sign(ndimage.mean(distance, regions, np.arange(1, count + 1)))])
    side[regions[0, 0, 0]] = 1.0
    distance[far] = 2 * step * side[regions[far]]
    return np.asarray(distance)


def moderate_scan(ruin: Ruin, seed: int) -> Ruin:
    """0.15 mm of noise, 1 % of the faces missing, triangles of 3 mm."""
    rng = np.random.default_rng(seed)
    mesh = with_missing(noisy(refined(ruin.mesh, 3), 0.15, rng), 0.01, rng)
    return Ruin(mesh, ruin.openings)


def hard_scan(ruin: Ruin, seed: int) -> Ruin:
    """0.3 mm of noise, 5 % missing or resurfaced, a warp of 1 mm, fused to a base plate, tilted by 2 degrees."""
    rng = np.random.default_rng(seed)
    plate = float(rng.uniform(2, 4))
    mesh = refined(on_plate(ruin.mesh, plate, 5), 3)
    mesh = warped(mesh, 1.0, rng)
    again = rng.random() < 0.3
    mesh = resurfaced(mesh, 0.3, 1.5, rng) if again else with_missing(noisy(mesh, 0.3, rng), 0.05, rng)
    return Ruin(tilted(mesh, 2, rng), tuple(_raised(known, plate / MM_PER_INCH) for known in ruin.openings))


def _raised(known: Known, high: float) -> Known:
    return replace(known, centre=known.centre + [0, 0, high], sill=known.sill + high, head=known.head + high)


def _on_ground(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    mesh.apply_translation([0, 0, -mesh.bounds[0, 2]])
    return mesh


def _from_vtk(data: pyvista.PolyData) -> trimesh.Trimesh:
    faces = np.asarray(data.triangulate().faces).reshape(-1, 4)[:, 1:]
    return trimesh.Trimesh(np.asarray(data.points, np.float64), faces, process=False)


def _without_crumbs(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """The bodies with at least a hundredth of the faces: surfaces where the distance changes sign far out are none."""
    labels = trimesh.graph.connected_component_labels(mesh.face_adjacency, node_count=len(mesh.faces))
    large = np.bincount(labels)[labels] * 100 >= len(mesh.faces)
    return trimesh.Trimesh(mesh.vertices, mesh.faces[large])

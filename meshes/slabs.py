"""Where a mesh has walls: the directions they face, and the slabs in which their faces lie."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import trimesh
from scipy import ndimage, sparse
from scipy.sparse import csgraph

from deadground.geometry.plates import Array
from deadground.geometry.units import GAP_SIDE, SLAB_BIN, SLAB_DEPTHS, TIE
from deadground.meshes.frames import Frame, Window

__all__ = ["directions", "pairs", "slabs"]

_DEGREES = 180  # walls that face opposite ways have one direction
_SPREAD = 6  # degrees to both sides that count as one direction
_APART = 12  # degrees around a direction in which noise makes no second one
_UPRIGHT = 0.35  # |normal_z| of faces that can be a wall's: up to 20 degrees of slope
_FACING = 0.9  # cosine of faces that look along a direction
_SQUARE = 0.25  # degrees off a frame's normal at which a long wall leaves its slab
_LONELY = 1.5  # degrees around a flat wall's direction in which at most as much other area lies
_LEAST_DIRECTION = 0.03  # share of all upright area that makes a direction
_LEAST_WALL = 0.2  # square inches of both faces of a small wall that makes a direction on a clean mesh
_LEAST_SLAB = 0.04  # share of the fullest slab's area that makes a slab
_FLAT = math.radians(1)  # the most by which the triangles of one flat face are askew
_SQUARELY = 0.99  # cosine of faces of one wall: 8 degrees, directions are `_APART`
_LEAST_PAIR = 0.015  # square inches: what two treads leave between them
_SAME = SLAB_BIN / 2  # inches: walls whose faces lie this much alike are looked at together
_MOST_PATCHES = 400  # flat faces of one direction, on either side
_MOST_PAIRS = 96  # walls of one direction
_RUNGS = 0.5  # inches between treads or rungs over each other
_ALIKE = 0.8  # share of their width that such have in common
_MOST = 16  # directions, and slabs of one direction and depth


def directions(mesh: trimesh.Trimesh, *, fine: bool = False) -> list[Frame]:
    """Frames whose normals are the peaks of the area-weighted histogram of horizontal normals, modulo 180 degrees.

    Strongest first. A curved wall gives one every `_APART` degrees. Flat walls that stand askew to such a peak's mean
    give one each after that.

    fine : look for directions of small walls too, as can be told on clean meshes
    """
    normals, areas = np.asarray(mesh.face_normals), np.asarray(mesh.area_faces)
    upright = np.abs(normals[:, 2]) < _UPRIGHT
    degrees = np.degrees(np.arctan2(normals[upright, 1], normals[upright, 0])) % _DEGREES
    weights = areas[upright]
    least = _LEAST_DIRECTION * weights.sum()
    least = min(least, _LEAST_WALL) if fine else least
    found = _peaks(degrees, weights, least)
    return [*found, *_askew(degrees, weights, found, least)][:_MOST]


def _peaks(degrees: Array, weights: Array, least: float) -> list[Frame]:
    """Frames square to the directions around which most area lies, more than `least` each."""
    free = np.ones(len(weights), bool)
    found: list[Frame] = []
    while len(found) < _MOST and (peak := _peak(degrees[free], weights[free], least)) is not None:
        near = free & (_off(degrees, peak) <= _SPREAD + 1)
        found.append(Frame(_mean_direction(degrees[near], weights[near])))
        free &= _off(degrees, peak) > _APART
    return found


def _askew(degrees: Array, weights: Array, known: Sequence[Frame], least: float) -> Iterator[Frame]:
    """Frames square to flat walls that are square to none of the known ones, the largest first.

    The faces of such a wall look one way, and few look nearly that way; those of a curved or a rough wall do.
    """
    taken = [math.degrees(frame.angle) for frame in known]
    for _ in range(_MOST):
        free = np.all([_off(degrees, angle) > _SQUARE for angle in taken], axis=0)
        bins = np.histogram(degrees[free], round(_DEGREES / _SQUARE), (0, _DEGREES), weights=weights[free])[0]
        spike = (int(bins.argmax()) + 0.5) * _SQUARE
        own, around = (_off(degrees, spike) <= width for width in (1.5 * _SQUARE, _LONELY))
        if not free.any() or weights[own & free].sum() <= least:
            return
        angle = _mean_direction(degrees[own & free], weights[own & free])
        taken.append(math.degrees(angle))
        if weights[own].sum() >= weights[around].sum() / 2:
            yield Frame(angle)


def _off(degrees: Array, angle: float) -> Array:
    """Degrees between directions and one, modulo 180: 0 to 90."""
    return np.asarray(np.abs((degrees - angle + 90) % _DEGREES - 90))


def _peak(degrees: Array, weights: Array, least: float) -> float | None:
    """The degree around which most area lies, None if that is not more than `least`."""
    histogram = np.histogram(degrees, _DEGREES, (0, _DEGREES), weights=weights)[0]
    around = ndimage.convolve1d(histogram, np.ones(2 * _SPREAD + 1), mode="wrap")
    if around.max() <= least:
        return None
    return _plateau(around)


def _plateau(values: Array) -> float:
    """Middle of the first run of (nearly) highest values: ties must not hang on the last digit."""
    full = values >= values.max() * (1 - TIE)
    start = int(full.argmax())
    rest = full[start:]
    length = len(rest) if rest.all() else int(rest.argmin())
    return start + length / 2


def _mean_direction(degrees: Array, weights: Array) -> float:
    """Radians of the mean of directions that are equal modulo 180 degrees."""
    doubled = np.exp(2j * np.radians(degrees)) @ weights
    return float(np.angle(doubled)) / 2 % math.pi


def slabs(mesh: trimesh.Trimesh, frame: Frame) -> Iterator[Window]:
    """Windows of some depth in which most faces along the frame's normal lie, each as wide and high as these faces."""
    facing = np.abs(np.asarray(mesh.face_normals) @ frame.normal) > _FACING
    if not facing.any():
        return
    corners = frame.coordinates(mesh.triangles[facing].reshape(-1, 3)).reshape(-1, 3, 3)
    offsets, areas = corners[:, :, 2].mean(axis=1), np.asarray(mesh.area_faces)[facing]
    for depth in SLAB_DEPTHS:
        for near in _fullest(offsets, areas, depth):
            inside = corners[(offsets >= near) & (offsets <= near + depth)][:, :, :2].reshape(-1, 2)
            yield _window(frame, inside, near, near + depth)


def _window(frame: Frame, points: Array, near: float, far: float) -> Window:
    low, high = points.min(axis=0) - 2 * SLAB_BIN, points.max(axis=0) + 2 * SLAB_BIN
    return Window(frame, (float(low[0]), 0.0), (float(high[0]), float(high[1])), near, far)


def _fullest(offsets: Array, areas: Array, depth: float) -> Iterator[float]:
    """Where slabs of one depth begin that hold the most area, fullest first, none over another."""
    count = max(1, round(depth / SLAB_BIN))
    start = float(offsets.min()) - depth
    bins = start + SLAB_BIN * np.arange(math.ceil((float(offsets.max()) + depth - start) / SLAB_BIN) + 2)
    inside = np.convolve(np.histogram(offsets, bins, weights=areas)[0], np.ones(count), "full")[count - 1 :]
    least = _LEAST_SLAB * inside.max()
    for _ in range(_MOST):
        if inside.max() <= least:
            return
        first = round(_plateau(inside) - 0.5)
        yield float(bins[first])
        inside[max(0, first - count + 1) : first + count] = 0


def pairs(mesh: trimesh.Trimesh, frame: Frame) -> Iterator[Window]:
    """Windows that hold one wall each, from a face at which one enters it to one at which one leaves it.

    For clean meshes, whose walls have flat faces. They find what a slab of a fixed depth does not: walls close behind
    each other, thick ones, and small ones beside large ones. The largest `_MOST_PAIRS` of them, by what their two
    faces share.
    """
    fronts, backs = (_patches(mesh, frame, side) for side in (-1, 1))
    shared = _shared(fronts, backs)
    walls: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for one, other in zip(*np.nonzero(shared > _LEAST_PAIR), strict=True):
        depths = (round(fronts[one, 4] / _SAME), round(backs[other, 5] / _SAME))
        walls.setdefault(depths, []).append((int(one), int(other)))
    sizes = {depths: sum(float(shared[pair]) for pair in found) for depths, found in walls.items()}
    for depths in sorted(walls, key=lambda depths: (-round(sizes[depths], 6), depths))[:_MOST_PAIRS]:
        ones, others = (np.unique(rows) for rows in zip(*walls[depths], strict=True))
        bounds = np.vstack([fronts[ones], backs[others]])
        points = np.vstack([bounds[:, :2], bounds[:, 2:4]])
        near, far = float(fronts[ones, 4].min()), float(backs[others, 5].max())
        yield _window(frame, points, near - GAP_SIDE, far + GAP_SIDE)


def _patches(mesh: trimesh.Trimesh, frame: Frame, side: int) -> Array:
    """(n, 6) the largest flat faces that look along a frame's normal (side 1) or against it: lowest u, v; highest; w.

    Their w is the least and the greatest.
    """
    facing = np.asarray(mesh.face_normals) @ frame.normal * side > _SQUARELY
    rows = np.flatnonzero(facing)
    if not len(rows):
        return np.empty((0, 6))
    number = np.full(len(facing), -1)
    number[rows] = np.arange(len(rows))
    links = number[np.asarray(mesh.face_adjacency)]
    flat = np.asarray(mesh.face_adjacency_angles) < _FLAT
    links = links[flat & (links >= 0).all(axis=1)]
    graph = sparse.coo_matrix((np.ones(len(links), np.int8), (links[:, 0], links[:, 1])), shape=(len(rows),) * 2)
    count, label = csgraph.connected_components(graph, directed=False)
    corners = frame.coordinates(mesh.triangles[rows].reshape(-1, 3)).reshape(-1, 3, 3)
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, label, corners.min(axis=1))
    np.maximum.at(high, label, corners.max(axis=1))
    areas = np.bincount(label, np.asarray(mesh.area_faces)[rows], count)
    order = np.argsort(-np.round(areas, 9), kind="stable")[:_MOST_PATCHES]
    return np.column_stack([low[:, :2], high[:, :2], low[:, 2], high[:, 2]])[order]


def _shared(fronts: Array, backs: Array) -> Array:
    """(n, m) square inches of wall that may lie between a front and a back, 0 where none can.

    What their bounds share; or what lies between two closely over each other, as treads and rungs are.
    """
    one, other = fronts[:, None], backs[None]
    common = np.minimum(one[..., 2:4], other[..., 2:4]) - np.maximum(one[..., :2], other[..., :2])
    across, high = common[..., 0], common[..., 1]
    alike = across > _ALIKE * np.maximum(one[..., 2] - one[..., 0], other[..., 2] - other[..., 0])
    high = np.where((high < 0) & (high > -_RUNGS) & alike, -high, high)
    thick = other[..., 5] - one[..., 4]
    fits = (thick > 0) & (thick <= SLAB_DEPTHS[-1]) & (across > 0) & (high > 0)
    return np.where(fits, across * high, 0.0)

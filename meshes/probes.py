"""Rays cast within a piece: walls that are thin, gaps that are narrow, surfaces that cross, crumbs that are loose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import trimesh
from scipy.spatial import cKDTree

from deadground.geometry.caster import Caster
from deadground.geometry.plates import Array
from deadground.geometry.segments import Hits, Segments
from deadground.geometry.units import ATTACHED, CROSSING, END, FOOT, NARROW, SLAB_DEPTHS, THIN, TOUCH
from deadground.meshes.skin import Skin
from deadground.meshes.solid import Indices, outwards

__all__ = [
    "MOST_EDGES",
    "SAMPLES",
    "Crossing",
    "Probe",
    "Thin",
    "Tunnel",
    "crossings",
    "distances",
    "loose_bodies",
    "thin_walls",
    "tunnels",
]

SAMPLES = 20_000
"""Faces from which rays are cast; meshes with more are sampled."""

MOST_EDGES = 1_000_000
"""Edges that are followed to see whether they run through another face."""

_SEED = 2
_FACING = 0.5  # cosine: two faces look at each other across a gap, within 60 degrees
_PARALLEL = 0.9  # the two sides of a wall, within 25 degrees: a wedge's edge is no thin wall
_TURNS = 32  # directions tried along a narrow gap
_MOST_LOOSE = 400  # bodies looked at, the smallest ones
_CORNERS = 48  # of a body from which rays feel for the others
_MUCH = 0.02  # of the surface: a body with more is no crumb


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """A mesh ready for rays. outward : (n, 3) normals of its faces that look out, even if all of it is inside out."""

    mesh: trimesh.Trimesh
    caster: Caster
    outward: Array

    @classmethod
    def of(cls, mesh: trimesh.Trimesh) -> Probe:
        """Prepare a mesh in inches."""
        outward = np.asarray(mesh.face_normals) * outwards(mesh)
        return cls(mesh, Caster([np.asarray(mesh.triangles)]), outward)

    def upwards(self, points: Array) -> tuple[Array, npt.NDArray[np.bool_]]:
        """How far it is from points (n, 3) straight up to the mesh, inf under open sky; whether they lie in material.

        What is over a point in material is met from behind.
        """
        top = float(self.mesh.bounds[1, 2]) + 1.0
        end = np.column_stack([points[:, :2], np.full(len(points), top)])
        segments = Segments(points, end)
        hits = self.caster.first(segments)
        far = np.where(hits.blocked, distances(segments, hits), np.inf)
        return far, hits.blocked & (self.outward[hits.triangle, 2] > 0)


@dataclass(frozen=True, slots=True, eq=False)
class Thin:
    """Walls under `THIN`. least : inches; at : (3,) where; share : of the sampled surface; sampled : faces."""

    least: float
    at: Array
    share: float
    sampled: int


@dataclass(frozen=True, slots=True, eq=False)
class Tunnel:
    """A narrow way through. width : inches; at : (3,) in its middle."""

    width: float
    at: Array


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """Edges that run through faces. own : of the same body; foreign : of another one; at : (3,) one of them.

    complete : whether every edge was followed
    """

    own: int
    foreign: int
    at: Array | None
    complete: bool


def distances(segments: Segments, hits: Hits) -> Array:
    """(n,) inches from where segments start to what they meet first: the caster leaves out `END` at both ends."""
    length = np.linalg.norm(segments.along, axis=1)
    cut = np.minimum(END, length / 2)
    return np.asarray(cut + hits.share * (length - 2 * cut))


def _sample(weights: Array) -> Indices:
    """Rows drawn by weight, at most `SAMPLES`, the same ones every time."""
    if len(weights) <= SAMPLES:
        return np.arange(len(weights))
    ends = np.cumsum(weights)
    draws = (np.random.default_rng(_SEED).random(SAMPLES) + np.arange(SAMPLES)) / SAMPLES * ends[-1]
    return np.asarray(np.minimum(np.searchsorted(ends, draws), len(weights) - 1), np.int64)


def _across(probe: Probe, rows: Indices, side: float, facing: float) -> tuple[Array, npt.NDArray[np.bool_]]:
    """How far it is from faces straight in (side -1) or out (1), and which of them see a face looking back there."""
    normals = probe.outward
    start = np.asarray(probe.mesh.triangles_center)[rows]
    segments = Segments(start, start + side * 2 * THIN * normals[rows])
    hits = probe.caster.first(segments)
    back = np.einsum("ij,ij->i", normals[rows], normals[hits.triangle]) < -facing
    return distances(segments, hits), hits.blocked & back


def thin_walls(probe: Probe, noise: float = 0.0) -> Thin:
    """Where a wall's two sides lie less than `THIN` apart, measured inwards from the middles of sampled faces.

    noise : the mesh's `grain`; what is thinner than three times that is a fold of a rough surface, not a wall.
    """
    areas = np.asarray(probe.mesh.area_faces)
    rows = _sample(areas)
    width, facing = _across(probe, rows, -1, _PARALLEL)
    thin = facing & (width < THIN - TOUCH) & (width > max(NARROW, 3 * noise))
    if not thin.any():
        return Thin(np.inf, np.zeros(3), 0.0, len(rows))
    weights = areas[rows] if len(rows) == len(areas) else np.ones(len(rows))
    least = int(np.argmin(np.where(thin, width, np.inf)))
    share = float(weights[thin].sum() / weights.sum())
    return Thin(float(width[least]), np.asarray(probe.mesh.triangles_center)[rows[least]], share, len(rows))


def tunnels(probe: Probe) -> tuple[Tunnel, ...]:
    """Pinholes and slits: gaps under `THIN` that go through something, one for each place, narrowest first.

    From the middle between two faces that look at each other across air one must get out on two opposite sides, and
    not square to that: a groove is open to one side only.
    """
    rows = _sample(np.ones(len(probe.mesh.faces)))
    width, facing = _across(probe, rows, 1, _FACING)
    narrow = np.flatnonzero(facing & (width < THIN) & (width > NARROW))
    if not len(narrow):
        return ()
    normals = probe.outward[rows[narrow]]
    middles = np.asarray(probe.mesh.triangles_center)[rows[narrow]] + normals * width[narrow, None] / 2
    through = _through(probe.caster, middles, normals)
    return _gathered(middles[through], width[narrow][through])


def _through(caster: Caster, middles: Array, normals: Array) -> npt.NDArray[np.bool_]:
    """(n,) which points lie in a way through the thickest wall: free to two sides, shut square to that."""
    one = np.cross(normals, np.eye(3)[np.abs(normals).argmin(axis=1)])
    one /= np.linalg.norm(one, axis=1, keepdims=True)
    other = np.cross(normals, one)
    angles = np.arange(_TURNS) * 2 * np.pi / _TURNS
    ways = np.cos(angles)[:, None, None] * one + np.sin(angles)[:, None, None] * other
    start = np.broadcast_to(middles, ways.shape).reshape(-1, 3)
    shut = caster.blocked(Segments(start, start + SLAB_DEPTHS[-1] * ways.reshape(-1, 3))).reshape(_TURNS, -1)
    half, quarter = _TURNS // 2, _TURNS // 4
    straight = ~shut & ~np.roll(shut, half, axis=0)
    return np.asarray((straight & np.roll(shut, quarter, axis=0) & np.roll(shut, -quarter, axis=0)).any(axis=0))


def _gathered(points: Array, widths: Array) -> tuple[Tunnel, ...]:
    """One tunnel for all points within 5 mm of each other: the depth of a wall."""
    found: list[Tunnel] = []
    for k in np.argsort(widths, kind="stable"):
        if all(np.linalg.norm(points[k] - tunnel.at) > 5 * THIN for tunnel in found[-_CORNERS:]):
            found.append(Tunnel(float(widths[k]), points[k]))
    return tuple(found)


def crossings(probe: Probe, skin: Skin) -> Crossing:
    """Edges that run through a face they do not belong to, more than `CROSSING` deep: the first one along each edge.

    At most `MOST_EDGES` edges are followed, spread evenly, so a count of 0 says nothing of what is smaller than they.
    """
    faces = np.asarray(probe.mesh.faces, dtype=np.int64)
    edges = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    rows = np.flatnonzero(edges[:, 0] < edges[:, 1])
    complete = len(rows) <= MOST_EDGES
    rows = rows if complete else rows[:: len(rows) // MOST_EDGES + 1]
    start, end = np.asarray(probe.mesh.vertices)[edges[rows]].transpose(1, 0, 2)
    segments = Segments(start, end)
    hits = probe.caster.first(segments)
    crossed = np.flatnonzero(_pierced(probe.mesh, edges[rows], segments, hits))
    same = skin.body[rows[crossed] // 3] == skin.body[hits.triangle[crossed]]
    at = _met(segments, hits)[crossed[np.argmax(same)]] if len(crossed) else None
    return Crossing(int(same.sum()), int((~same).sum()), at, complete)


def _pierced(mesh: trimesh.Trimesh, edges: Indices, segments: Segments, hits: Hits) -> npt.NDArray[np.bool_]:
    """Which edges really cross what they met: both ends well off its plane, on different sides, no corner shared."""
    met = np.asarray(mesh.faces)[hits.triangle]
    strangers = (met[:, :, None] != edges[:, None, :]).all(axis=(1, 2))
    normal, foot = np.asarray(mesh.face_normals)[hits.triangle], np.asarray(mesh.vertices)[met[:, 0]]
    before = np.einsum("ij,ij->i", segments.start - foot, normal)
    after = np.einsum("ij,ij->i", segments.end - foot, normal)
    deep = (before * after < 0) & (np.minimum(np.abs(before), np.abs(after)) > CROSSING)
    rows = np.flatnonzero(hits.blocked & strangers & deep)
    inner = _from_edges(_met(segments, hits)[rows], np.asarray(mesh.vertices)[met[rows]]) > CROSSING
    pierced = np.zeros(len(edges), dtype=bool)
    pierced[rows[inner]] = True
    return pierced


def _met(segments: Segments, hits: Hits) -> Array:
    """(n, 3) where segments meet what they meet first."""
    length = np.maximum(np.linalg.norm(segments.along, axis=1), END)
    return segments.at(distances(segments, hits) / length)


def _from_edges(points: Array, triangles: Array) -> Array:
    """(n,) how far points in the plane of triangles (n, 3, 3) lie from the nearest line along an edge."""
    away = []
    for k in range(3):
        start, along = triangles[:, k], triangles[:, (k + 1) % 3] - triangles[:, k]
        area = np.linalg.norm(np.cross(points - start, along), axis=1)
        away.append(area / np.maximum(np.linalg.norm(along, axis=1), NARROW))
    return np.asarray(np.min(away, axis=0))


def loose_bodies(probe: Probe, skin: Skin) -> Indices:
    """Numbers of the small bodies that hang in the air: nothing else within `ATTACHED`, and not on the ground.

    At most 400 bodies are looked at, the smallest ones; a body with more than a fiftieth of the surface is none.
    """
    small = np.flatnonzero(skin.areas < _MUCH * skin.areas.sum())[-_MOST_LOOSE:]
    faces, corners = np.asarray(probe.mesh.faces), np.asarray(probe.mesh.vertices)
    order = np.argsort(skin.body, kind="stable")
    starts = np.searchsorted(skin.body[order], np.arange(skin.bodies + 1))
    tree = cKDTree(corners) if len(small) else None
    body_of = np.zeros(len(corners), np.int64)
    body_of[faces.ravel()] = np.repeat(skin.body, 3)
    found = []
    for number in small:
        own = np.unique(faces[order[starts[number] : starts[number + 1]]])
        if (
            tree is not None
            and corners[own, 2].min() > FOOT
            and not _held(probe, skin, tree, own, body_of, int(number))
        ):
            found.append(int(number))
    return np.array(found, dtype=np.int64)


def _held(probe: Probe, skin: Skin, tree: cKDTree, own: Indices, body_of: Indices, number: int) -> bool:
    """Whether a body touches another one or lies in it: by corners near its own, and by rays out of its corners."""
    corners = np.asarray(probe.mesh.vertices)
    some = own[:: len(own) // _CORNERS + 1]
    near = tree.query_ball_point(corners[some], ATTACHED)
    if any((body_of[found] != number).any() for found in near):
        return True
    start = np.repeat(corners[some], 6, axis=0)
    ways = np.tile(np.vstack([np.eye(3), -np.eye(3)]), (len(some), 1)) * ATTACHED
    out = np.repeat(corners[some] - corners[own].mean(axis=0), 6, axis=0)
    out *= NARROW / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), NARROW)
    hits = probe.caster.first(Segments(start + out, start + out + ways))
    touching = hits.blocked & (skin.body[hits.triangle] != number)
    return bool(touching.any() or probe.upwards((start + out)[::6])[1].any())

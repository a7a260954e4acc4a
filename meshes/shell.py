"""A mesh made ready to be looked through."""

from __future__ import annotations

import math
from dataclasses import dataclass

import manifold3d
import numpy as np
import trimesh
from scipy import ndimage

from deadground.geometry.caster import Caster
from deadground.geometry.plates import Array
from deadground.geometry.segments import Segments
from deadground.geometry.units import FOOT, GAP_CRACK, GAP_GROUND, GAP_PIXEL, GAP_STEP, PARALLEL, ROUGH
from deadground.meshes.cells import Cells, cells, unsorted
from deadground.meshes.frames import UP, Mask, Raster, seen_through
from deadground.meshes.solid import Indices, is_closed, outwards, to_manifold

__all__ = ["Met", "Shell"]

_EXACT = 300_000  # triangles of a closed mesh above which rays outline its gaps: sections would take too long
_MANY = 2  # pixels for each triangle: on fewer it costs more to sort them than to cast their rays
_MOST = 0.5  # share of ways out, or of spots, that decide
_FACING = 0.3  # cosine of faces that look back along a ray
_AROUND = np.ones((3, 3), np.int8)  # a pixel and its neighbours


@dataclass(frozen=True, slots=True, eq=False)
class Met:
    """What rays met first.

    points : (n, 3), their ends where nothing was met
    normals : (n, 3) of the faces met, outward; 0 where nothing was met
    """

    points: Array
    normals: Array

    def facing(self, direction: Array) -> Mask:
        """(n,) whether something was met that looks in a direction: a ray out of material meets it from behind."""
        return np.asarray(self.normals @ direction > _FACING)

    def take(self, rows: Mask) -> Met:
        """Some of them."""
        return Met(self.points[rows], self.normals[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Shell:
    """A mesh ready to be looked through.

    mesh : standing level
    normals : (n, 3) of its faces, outward even if the mesh is inside out
    solid : the same as a solid; None unless it is closed, clean and not too large
    oriented : whether neighbouring faces agree which side is out
    ground : what ends below this height stands on the ground, inches
    crack : what is narrower lies between two triangles of a rough mesh, inches
    pixel : of the rasters on which gaps are looked for, inches
    step : how far apart the rays lie that outline a gap, inches
    """

    mesh: trimesh.Trimesh
    normals: Array
    caster: Caster
    solid: manifold3d.Manifold | None
    oriented: bool
    ground: float
    crack: float
    pixel: float
    step: float

    @classmethod
    def of(cls, mesh: trimesh.Trimesh, noise: float) -> Shell:
        """Prepare a mesh in inches, z up, foot at 0, standing level. noise : its `grain`."""
        caster = Caster([np.asarray(mesh.triangles)])
        normals = np.asarray(mesh.face_normals) * outwards(mesh)
        oriented = bool(mesh.is_winding_consistent)
        if noise > ROUGH:
            return cls(mesh, normals, caster, None, oriented, FOOT + 4 * noise, GAP_CRACK, GAP_CRACK / 2, 2 * GAP_STEP)
        exact = len(mesh.faces) <= _EXACT and is_closed(mesh)
        return cls(
            mesh, normals, caster, to_manifold(mesh) if exact else None, oriented, GAP_GROUND, 0.0, GAP_PIXEL, GAP_STEP
        )

    @property
    def rough(self) -> bool:
        """Whether its surface is noise rather than planes and edges."""
        return self.crack > 0

    def first(self, rays: Segments) -> Met:
        """What each ray meets first."""
        hits = self.caster.first(rays)
        normals = np.where(hits.blocked[:, None], self.normals[hits.triangle], 0.0)
        # the caster's float32 says which triangle; where on its plane is found in float64
        corner = np.asarray(self.mesh.triangles)[hits.triangle][:, 0]
        across = np.einsum("ij,ij->i", corner - rays.start, normals)
        steep = np.einsum("ij,ij->i", rays.along, normals)
        share = np.divide(across, steep, out=np.ones(len(rays)), where=np.abs(steep) > PARALLEL)
        return Met(rays.at(np.clip(share, 0.0, 1.0)), normals)

    def free(self, raster: Raster) -> Mask:
        """The pixels through which one sees straight from near to far, and not because all of that is inside material.

        Rays are cast only where they can tell something (see `cells`). They meet no surface inside a plate or a floor
        that they run along. That is asked of every second pixel, and of those beside one of which it is true.
        """
        sorted_ = self._cells(raster)
        free = seen_through(self.caster, raster, sorted_.open)
        solid = self._solid(raster, free, sorted_) if self.oriented else np.zeros_like(free)
        return (free | sorted_.empty) & ~solid

    def _cells(self, raster: Raster) -> Cells:
        if math.prod(raster.shape) < _MANY * len(self.mesh.faces):
            return unsorted(raster)
        corners = raster.window.frame.coordinates(np.asarray(self.mesh.vertices))[np.asarray(self.mesh.faces)]
        return cells(corners, raster)

    def _solid(self, raster: Raster, free: Mask, sorted_: Cells) -> Mask:
        """The free pixels inside material. What prints is no thinner than two pixels, so it holds a second pixel."""
        solid, lattice = self._empty_solid(raster, sorted_), np.zeros_like(free)
        lattice[::2, ::2] = True
        self._ask(raster, solid, free & lattice)
        beside = ndimage.convolve((solid & lattice).astype(np.int8), _AROUND, mode="constant")
        most = ndimage.convolve(lattice.astype(np.int8), _AROUND, mode="constant")
        solid |= free & ~lattice & (beside == most)
        self._ask(raster, solid, free & ~lattice & (beside > 0) & (beside < most))
        return solid

    def _empty_solid(self, raster: Raster, sorted_: Cells) -> Mask:
        """The pixels where no surface lies, inside material: each connected part of them is in it or out of it."""
        rows, columns = sorted_.spots[..., 0].ravel(), sorted_.spots[..., 1].ravel()
        inside = self._inside(raster, rows, columns).reshape(sorted_.spots.shape[:2])
        return np.append(False, inside.mean(axis=1) > _MOST)[sorted_.part]

    def _ask(self, raster: Raster, solid: Mask, which: Mask) -> None:
        """Mark which of some pixels lie inside material half way from near to far."""
        rows, columns = np.nonzero(which)
        solid[rows, columns] = self._inside(raster, rows, columns)

    def _inside(self, raster: Raster, rows: Indices, columns: Indices) -> Mask:
        """(n,) whether pixels lie inside material half way from near to far."""
        window = raster.window
        middle = np.full(len(rows), (window.near + window.far) / 2)
        return self.inside(window.frame.points(raster.u(columns), raster.v(rows), middle), window.frame.normal)

    def inside(self, points: Array, normal: Array) -> Mask:
        """(n,) whether points lie inside material: one leaves it upwards, downwards, and along a level normal.

        Several ways, because one of them misleads where a triangle is missing, or where two bodies meet in a plane and
        the other one's skin is met first. On a clean mesh most of six ways decide, on a rough one all of three.
        """
        reach = float(np.linalg.norm(self.mesh.extents)) + 1
        if self.rough:
            return self._left_by_all(points, reach, ((UP,), (-UP,), (normal, -normal)))
        along = np.cross(normal, UP)
        ways = (UP, -UP, normal, -normal, along, -along)
        left = sum(self._leaves(points, reach * way).astype(np.int64) for way in ways)
        return np.asarray(left > _MOST * len(ways))

    def _left_by_all(self, points: Array, reach: float, choices: tuple[tuple[Array, ...], ...]) -> Mask:
        """(n,) whether points lie in material by one way of every choice."""
        found = np.ones(len(points), bool)
        for ways in choices:
            found[found] = np.any([self._leaves(points[found], reach * way) for way in ways], axis=0)
        return found

    def _leaves(self, points: Array, way: Array) -> Mask:
        """(n,) whether what is met first from points along a way is met from inside."""
        return self.first(Segments(points, points + way)).facing(way / np.linalg.norm(way))

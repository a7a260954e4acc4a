"""The Embree caster: many meshes in one scene, segments only, and it tells whose triangle was met.

Embree works in float32 and may slip through a shared edge: what it calls free is a candidate, never an answer
(see `reference.clearance`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene

from deadground.geometry.plates import Array
from deadground.geometry.segments import NOTHING, Hits, Segments
from deadground.geometry.units import END

__all__ = ["Caster"]


class Caster:
    """Triangles of many meshes in one Embree scene.

    meshes : (m_i, 3, 3) triangles each, inches. Triangles are numbered through, mesh by mesh.
    Segments are shortened by `END` at both ends, so that a surface they start on is not met.
    """

    def __init__(self, meshes: Sequence[Array]) -> None:
        self.counts = np.array([len(mesh) for mesh in meshes], np.int64)
        self._offsets = np.concatenate([[0], np.cumsum(self.counts)])
        corners = np.concatenate([np.asarray(m).reshape(-1, 3) for m in meshes]) if meshes else np.empty((0, 3))
        # float32 keeps 4e-6 inch only near its origin
        self._centre = (corners.min(0) + corners.max(0)) / 2 if len(corners) else np.zeros(3)
        self._scene = EmbreeScene(robust=True)
        # Embree refers to the arrays that it is given
        self._keep = [TriangleMesh(self._scene, *self._arrays(mesh)) for mesh in meshes if len(mesh)]
        self._full = np.flatnonzero(self.counts)

    def _arrays(self, mesh: Array) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]:
        vertices = (mesh.reshape(-1, 3) - self._centre).astype(np.float32)
        return vertices, np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)

    def _rays(self, segments: Segments) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        along = segments.along
        length = np.linalg.norm(along, axis=1, keepdims=True)
        cut = np.minimum(END / np.maximum(length, END), 0.5)
        origin = segments.start + cut * along - self._centre
        return origin.astype(np.float32), (along * (1 - 2 * cut)).astype(np.float32)

    def first(self, segments: Segments) -> Hits:
        """The first triangle that each segment meets; shares count on the shortened segment."""
        if not len(segments) or not len(self._full):
            return Hits(np.full(len(segments), NOTHING, np.int64), np.ones(len(segments)))
        origin, along = self._rays(segments)
        dists = np.ones(len(segments), np.float32)
        found = self._scene.run(origin, along, dists=dists, query="INTERSECT", output=True)
        prim = found["primID"].astype(np.int64)
        offset = self._offsets[self._full[np.maximum(found["geomID"], 0)]]
        triangle = np.where(prim >= 0, prim + offset, NOTHING)
        return Hits(triangle, np.where(prim >= 0, found["tfar"], 1.0).astype(np.float64))

    def first_along(self, start: Array, way: Array) -> tuple[npt.NDArray[np.int64], Array]:
        """The first triangle that rays from start (n, 3) meet within one way (3,), `NOTHING` if none; and how far.

        Inches from the start, inf where nothing is met. What `first` says of the same segments, but for the hair by
        which those are shortened, in a third of the time: for pictures, where the rays are parallel.
        """
        if not len(start) or not len(self._full):
            return np.full(len(start), NOTHING, np.int64), np.full(len(start), np.inf)
        along = np.tile(way.astype(np.float32), (len(start), 1))
        origin = (start - self._centre).astype(np.float32)
        found = self._scene.run(origin, along, dists=np.ones(len(start), np.float32), query="INTERSECT", output=True)
        prim = found["primID"].astype(np.int64)
        met = prim >= 0
        triangle = np.where(met, prim + self._offsets[self._full[np.maximum(found["geomID"], 0)]], NOTHING)
        return triangle, np.where(met, found["tfar"].astype(np.float64) * float(np.linalg.norm(way)), np.inf)

    def blocked(self, segments: Segments) -> npt.NDArray[np.bool_]:
        """(n,) whether anything is met. Same answer as `first(...).blocked`, twice as fast."""
        if not len(segments) or not len(self._full):
            return np.zeros(len(segments), bool)
        origin, along = self._rays(segments)
        found = self._scene.run(origin, along, dists=np.ones(len(segments), np.float32), query="OCCLUDED")
        return np.asarray(found == 0)

    def blocked_along(self, start: Array, way: Array) -> npt.NDArray[np.bool_]:
        """(n,) whether rays from start (n, 3) meet anything within one way (3,), longer than 2 `END`.

        Same answer as `blocked` of the same segments, in half the time: for rasters, where the rays are parallel.
        """
        if not len(start) or not len(self._full):
            return np.zeros(len(start), bool)
        cut = END / float(np.linalg.norm(way))
        along = np.tile(((1 - 2 * cut) * way).astype(np.float32), (len(start), 1))
        origin = (start + (cut * way - self._centre)).astype(np.float32)
        found = self._scene.run(origin, along, dists=np.ones(len(start), np.float32), query="OCCLUDED")
        return np.asarray(found == 0)

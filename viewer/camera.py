"""Where a picture is taken from: a camera that frames points, and the places it may stand. Numbers only."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from deadground.geometry.plates import Array
from deadground.geometry.units import TOUCH

__all__ = ["VIEWS", "Camera", "angled", "framed"]

LENS = 26.0
"""Degrees that a perspective picture takes in from its lower to its upper border: a long lens bends little."""
BORDER = 0.06
"""Share of the picture kept free at each border."""

Z = np.array([0.0, 0.0, 1.0])

VIEWS = {"plan": (0.0, 90.0), "front": (0.0, 0.0), "side": (90.0, 0.0)}
"""Parallel views: azimuth and elevation of the eye (see `angled`)."""


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """An eye (3,) that looks along unit vector `forward` with `up` upwards, square to each other.

    lens : vertical angle in degrees, 0 for a parallel view; span : inches from the lower to the upper border of a
    parallel view; reach : inches to what it looks at
    """

    eye: Array
    forward: Array
    up: Array
    lens: float = LENS
    span: float = 1.0
    reach: float = 1.0

    @property
    def right(self) -> Array:
        """(3,) unit vector to the right of the picture."""
        return np.cross(self.forward, self.up)

    @property
    def parallel(self) -> bool:
        """Whether all lines of view run the same way."""
        return self.lens == 0.0

    def project(self, points: Array, size: tuple[float, float]) -> Array:
        """(n, 3) points -> (n, 3): x to the right, y down on a picture of that size, and the depth before the eye."""
        own = (points - self.eye) @ np.column_stack([self.right, self.up, self.forward])
        depth = own[:, 2]
        half = np.full(len(own), self.span / 2)
        if not self.parallel:
            half = np.maximum(depth, TOUCH) * math.tan(math.radians(self.lens) / 2)
        scale = size[1] / 2 / half
        return np.column_stack([size[0] / 2 + own[:, 0] * scale, size[1] / 2 - own[:, 1] * scale, depth])

    def seats(self, points: Array) -> Array:
        """(n, 3) where the eye is for each point: the same place, or far back along parallel lines of view."""
        if not self.parallel:
            return np.broadcast_to(self.eye, points.shape)
        back = (points - self.eye) @ self.forward
        return np.asarray(points - back[:, None] * self.forward)

    def moved(self, by: Array) -> Camera:
        """The same camera elsewhere."""
        return replace(self, eye=self.eye + by)


def angled(azimuth: float, elevation: float, lens: float = LENS) -> Camera:
    """A camera at the origin that looks from so many degrees round and above the table.

    azimuth : 0 from the reader's side, 90 from the right; elevation : 0 level, 90 straight down
    """
    a, e = math.radians(azimuth), math.radians(elevation)
    away = np.array([math.sin(a), -math.cos(a), 0.0])
    back = math.cos(e) * away + math.sin(e) * Z
    return Camera(np.zeros(3), -back, math.cos(e) * Z - math.sin(e) * away, lens)


def looking(start: Array, end: Array, lens: float = LENS) -> Camera:
    """A camera at `start` that looks at `end`, with the table upright (or its far side up, looking straight down)."""
    forward = (end - start) / max(float(np.linalg.norm(end - start)), TOUCH)
    side = np.cross(forward, Z)
    if np.linalg.norm(side) < TOUCH:
        side = np.array([1.0, 0.0, 0.0])
    up = np.cross(side / np.linalg.norm(side), forward)
    return Camera(start, forward, up, lens, reach=float(np.linalg.norm(end - start)))


def framed(camera: Camera, points: Array, aspect: float) -> Camera:
    """The camera moved, without turning, as near as it can stand with all points inside the border.

    aspect : width of the picture over its height
    """
    own = points @ np.column_stack([camera.right, camera.up, camera.forward])
    return frame_parallel(camera, own, aspect) if camera.parallel else frame_lens(camera, own, aspect)


def frame_lens(camera: Camera, own: Array, aspect: float) -> Camera:
    """Each border is a plane through the eye; the nearest eye touches two opposite ones. own: (right, up, forward)."""
    tall = math.tan(math.radians(camera.lens) / 2) * (1 - 2 * BORDER)
    eye, depth = np.zeros(3), math.inf
    for axis, slope in ((0, tall * aspect), (1, tall)):
        low = float(np.max(-own[:, axis] - slope * own[:, 2]))
        high = float(np.max(own[:, axis] - slope * own[:, 2]))
        eye[axis] = (high - low) / 2
        depth = min(depth, -(high + low) / 2 / slope)
    eye[2] = min(depth, float(own[:, 2].min()) - 1.0)
    place = eye @ np.vstack([camera.right, camera.up, camera.forward])
    return replace(camera, eye=place, reach=float(own[:, 2].mean() - eye[2]))


def frame_parallel(camera: Camera, own: Array, aspect: float) -> Camera:
    """The middle of what is to be seen, with room for the larger of its two extents."""
    low, high = own.min(axis=0), own.max(axis=0)
    middle, extent = (low + high) / 2, high - low
    span = float(max(extent[1], extent[0] / aspect, 1.0)) / (1 - 2 * BORDER)
    middle[2] = low[2] - 10.0 - span
    place = middle @ np.vstack([camera.right, camera.up, camera.forward])
    return replace(camera, eye=place, span=span, reach=float((high[2] + low[2]) / 2 - middle[2]))

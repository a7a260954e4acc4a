"""How walls that share an end point are joined: each runs on past its end until the outer faces meet."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from deadground.geometry.plates import Array
from deadground.geometry.units import LAP, PARALLEL, TOUCH
from deadground.meshes.parts import Wall

__all__ = ["Cut", "Joint", "joint"]

_LONGEST_MITRE = 2.0  # thicknesses from the shared point to the mitre's tip; longer ones (under 29 degrees) are cut
_STRAIGHT = math.radians(0.01)  # walls that go on within this angle meet face to face


@dataclass(frozen=True, slots=True)
class Cut:
    """An upright plane that keeps the points p, seen from above, with inward . p >= offset."""

    inward: tuple[float, float]
    offset: float


@dataclass(frozen=True, slots=True)
class Joint:
    """How one end of a wall is made. reach : inches it runs past its end point, level, before it is cut."""

    reach: float = 0.0
    cuts: tuple[Cut, ...] = ()


@dataclass(frozen=True, slots=True)
class _Arm:
    """One end of a wall: its end point, unit vector into the wall, thickness, and the heights there."""

    point: Array
    inward: Array
    thickness: float
    foot: float
    top: float


def joint(walls: Sequence[Wall], number: int, at_start: bool) -> Joint:
    """The joint at one end of walls[number] with the others that end there at heights it shares.

    A free end, and the inner side of a corner, stay flush. A corner's outer side is mitred; one sharper than 29 degrees
    is cut square half a thickness past the shared point.
    """
    own = _arm(walls[number], at_start)
    turns = [(_turn(own, arm), arm) for arm in _meeting(walls, number, own)]
    turns = [(angle, arm) for angle, arm in turns if _STRAIGHT < angle < 2 * math.pi - _STRAIGHT]
    if not turns:
        return Joint()
    backwards = [(2 * math.pi - angle, arm) for angle, arm in turns]
    for side, (gap, other) in ((1.0, _nearest(turns)), (-1.0, _nearest(backwards))):
        if abs(gap - math.pi) <= _STRAIGHT:
            return Joint(LAP)
        if gap > math.pi:
            return _mitre(own, other, side)
    return Joint()


def _nearest(turns: Sequence[tuple[float, _Arm]]) -> tuple[float, _Arm]:
    """The first wall met when turning; of several in one direction the thickest."""
    least = min(angle for angle, _ in turns)
    return max((pair for pair in turns if pair[0] <= least + _STRAIGHT), key=lambda pair: pair[1].thickness)


def _arm(wall: Wall, at_start: bool) -> _Arm:
    tops = wall.top_line
    point = np.asarray(wall.start if at_start else wall.end, dtype=np.float64)
    inward = wall.along[:2] if at_start else -wall.along[:2]
    return _Arm(point, inward, wall.thickness, wall.base, tops[0 if at_start else -1][1])


def _meeting(walls: Sequence[Wall], number: int, own: _Arm) -> Iterator[_Arm]:
    for other, wall in enumerate(walls):
        for at_start in (True, False):
            point = wall.start if at_start else wall.end
            if other == number or math.dist(point, own.point.tolist()) > TOUCH:
                continue
            arm = _arm(wall, at_start)
            if min(own.top, arm.top) - max(own.foot, arm.foot) > TOUCH:
                yield arm


def _turn(own: _Arm, other: _Arm) -> float:
    """Radians counter-clockwise from one wall to the other, 0 to 2 pi."""
    return math.atan2(_cross(own.inward, other.inward), float(own.inward @ other.inward)) % (2 * math.pi)


def _cross(a: Array, b: Array) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def _left(vector: Array) -> Array:
    return np.array([-vector[1], vector[0]])


def _meet(p: Array, d: Array, q: Array, e: Array) -> tuple[float, float]:
    """(x, y) with p + x d = q + y e; infinite for parallels."""
    across = _cross(d, e)
    if abs(across) < PARALLEL:
        return -math.inf, -math.inf
    return _cross(q - p, e) / across, _cross(q - p, d) / across


def _mitre(own: _Arm, other: _Arm, side: float) -> Joint:
    """The end of `own` at a corner whose outside is on its left (side 1) or right (-1) and is shared with `other`."""
    outer = own.point + side * own.thickness / 2 * _left(own.inward)
    normal = -side * _left(other.inward)
    x, y = _meet(outer, own.inward, other.point + other.thickness / 2 * normal, other.inward)
    if x >= 0:
        return Joint()
    if y > 0:  # it runs into the thicker wall's end
        x = _meet(outer, own.inward, other.point, normal)[0] - LAP
    tip = outer + x * own.inward
    thickest = max(own.thickness, other.thickness)
    if math.isinf(x) or math.dist(tip.tolist(), own.point.tolist()) > _LONGEST_MITRE * thickest:
        return _square(own, other, side, outer)
    return Joint(-x, (_cut(tip, _inner(own, side), own),))


def _square(own: _Arm, other: _Arm, side: float, outer: Array) -> Joint:
    """A sharp corner, cut half a thickness past the shared point."""
    out = -(own.inward + other.inward)
    out /= np.linalg.norm(out)
    past = max(own.thickness, other.thickness) / 2
    middle = own.point + past * out
    across = _left(out) * side
    x = min(_meet(outer, own.inward, middle, across)[0], 0.0)
    lap = middle + LAP * across * np.sign(across @ (other.inward - own.inward))
    end = Cut((-float(out[0]), -float(out[1])), -float(out @ middle))
    return Joint(max(-x, past + LAP), (end, _cut(lap, _inner(own, side), own)))


def _inner(own: _Arm, side: float) -> Array:
    return own.point - side * own.thickness / 2 * _left(own.inward)


def _cut(tip: Array, inner: Array, own: _Arm) -> Cut:
    """The upright plane through two points that keeps the wall."""
    normal = _left(inner - tip)
    normal = normal / np.linalg.norm(normal)
    if normal @ own.inward < 0:
        normal = -normal
    return Cut((float(normal[0]), float(normal[1])), float(normal @ tip))

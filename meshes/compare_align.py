"""Laying one piece over another: turned about the upright, moved, scaled; mirrored where only that fits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import trimesh
from scipy import ndimage
from scipy.spatial import cKDTree

from deadground.geometry.plates import Array
from deadground.geometry.reference import cross
from deadground.geometry.units import MM_PER_INCH, RESTING, SETTLED
from deadground.meshes.nearest import Nearest, spread
from deadground.meshes.solid import Indices, outwards

__all__ = ["Alignment", "align"]

_COARSE, _FINE, _TARGET = 500, 5_000, 50_000  # points of a first try, of a fit, and of the surface fitted to
_YAWS = 18
_MIDDLES = ((False, False), (True, False), (False, True))  # laid middle on middle by weight, by bounds; top on top
_FIRST = 8  # rounds of a first try
_ROUNDS = 40
_LAST = 6
_BEST = 3  # first tries that are followed to the end
_SEEDS = (3, 4, 5, 6)
_KEPT = 0.8  # of the points count in a first try: the others may lie where the pieces differ
_SAME_WAY = 0.7  # cosine of the most that faces that are laid over each other may differ
_LATTICE = 64  # cells along the longest side
_MARGIN = 0.25  # of the size on each side
_LEAST_SPREAD = 0.01 / MM_PER_INCH  # inches: how near points must be to count in full, at the end
_ROBUST = 3 * 1.4826  # deviations, from a median
_NEAR = (1.0 / MM_PER_INCH, 0.01)  # inches, and share of the size: surfaces this near lie over each other
_TIED = 1.05  # times as well is no better: of symmetric pieces the least turn is taken
_MIRROR = 0.5  # of the misfit must be gone before a piece is called mirrored
_ALIKE = 1.5  # times the size: pieces closer in size than that are tried at the same size as well


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """The motion p -> scale * turn @ p + shift that lays one piece over another. Both stand level.

    turn : (3, 3), of determinant -1 if mirrored
    misfit : mean distance of the two, inches; more than what counts as near counts as that
    overlap : share of both surfaces that then lies near the other
    """

    turn: Array
    shift: Array
    scale: float
    misfit: float
    overlap: float

    @property
    def mirrored(self) -> bool:
        """Whether it turns left into right."""
        return bool(np.linalg.det(self.turn) < 0)

    @property
    def yaw(self) -> float:
        """Degrees turned about the upright, counter-clockwise from above, -180 to 180."""
        unmirrored = self.turn @ np.diag([-1.0, 1, 1]) if self.mirrored else self.turn
        return math.degrees(math.atan2(unmirrored[1, 0], unmirrored[0, 0]))

    @property
    def tilt(self) -> float:
        """Degrees between the two pieces' uprights."""
        return math.degrees(math.acos(min(1.0, max(-1.0, float(self.turn[2, 2])))))

    def moved(self, points: Array) -> Array:
        """(n, 3) points laid over."""
        return np.asarray(self.scale * points @ self.turn.T + self.shift)


@dataclass(frozen=True, slots=True, eq=False)
class _Cloud:
    """Points of a surface with the normals of their faces, and a tree of them."""

    points: Array
    normals: Array
    tree: cKDTree

    @classmethod
    def of(cls, mesh: trimesh.Trimesh, count: int, seed: int) -> _Cloud:
        points, rows = spread(mesh, count, seed)
        normals = np.asarray(mesh.face_normals)[rows] * outwards(mesh)
        return cls(points, normals, cKDTree(points))


@dataclass(frozen=True, slots=True, eq=False)
class _Field:
    """Which of some points is nearest, told on a lattice: rough, and as fast as a look at a table."""

    points: Array
    low: Array
    step: float
    which: Indices

    @classmethod
    def of(cls, points: Array) -> _Field:
        low, size = points.min(axis=0), np.ptp(points, axis=0)
        step = max(float(size.max()) / _LATTICE, SETTLED)
        low = low - _MARGIN * size - 2 * step
        shape = np.ceil((size * (1 + 2 * _MARGIN) + 4 * step) / step).astype(int)
        cells = np.zeros(shape, np.int64)
        at = tuple(((points - low) / step).astype(int).T)
        cells[at] = np.arange(1, len(points) + 1)
        nearest = ndimage.distance_transform_edt(cells == 0, return_distances=False, return_indices=True)
        return cls(points, low, step, cells[tuple(nearest)] - 1)

    def nearest(self, points: Array) -> Array:
        """(n, 3) the nearest points, give or take a step of the lattice."""
        cells = ((points - self.low) / self.step).astype(int)
        cells = np.clip(cells, 0, np.array(self.which.shape) - 1)
        return np.asarray(self.points[self.which[tuple(cells.T)]])


def align(
    mesh: trimesh.Trimesh, other: trimesh.Trimesh, nearest: Nearest | None = None, *, any_way: bool = False
) -> Alignment:
    """Lay `other` over `mesh`; both in inches, standing level, feet at 0. The best of many starts.

    The upright is kept, but for what was left of a tilt; any_way : other may lie on any of its six sides. Parts where
    the two differ do not pull. Of a symmetric piece's ways the one with least turn is taken. Source: iterative closest
    points to planes (Chen and Medioni 1992), weighted against outliers.
    """
    target, source = _Cloud.of(mesh, _TARGET, _SEEDS[0]), _Cloud.of(other, _FINE, _SEEDS[1])
    turns = _sides() if any_way else [np.eye(3)]
    plain = _best(target, source, turns)
    mirrored = _best(target, source, [turn @ np.diag([-1.0, 1, 1]) for turn in turns])
    better = mirrored.misfit < _MIRROR * plain.misfit and mirrored.overlap > plain.overlap
    normals = np.asarray(mesh.face_normals) * outwards(mesh)
    return _polished(nearest or Nearest.of(mesh), normals, source, mirrored if better else plain)


def _sides() -> list[Array]:
    """The six turns that bring each side up."""
    x, y, z = np.eye(3)
    ups = [(x, y), (x, -y), (x, z), (x, -z), (y, x), (y, -x)]
    frames = [np.array([one, np.cross(up, one), up]) for one, up in ups]
    return [frame if np.linalg.det(frame) > 0 else frame[[1, 0, 2]] for frame in frames]


def _best(target: _Cloud, source: _Cloud, turns: Sequence[Array]) -> Alignment:
    field, few = _Field.of(target.points), source.points[:: len(source.points) // _COARSE]
    starts = [_first(field, few, start) for turn in turns for start in _starts(target, source, turn)]
    starts.sort(key=lambda start: start.misfit)
    fits = [_fit(target, source, start) for start in _apart(starts)]
    least = min(fit.misfit for fit in fits)
    tied = [fit for fit in fits if fit.misfit <= _TIED * least + _LEAST_SPREAD / 10]
    return min(tied, key=lambda fit: (fit.tilt > 1, round(abs(fit.yaw)), fit.misfit))


def _starts(target: _Cloud, source: _Cloud, turn: Array) -> list[Alignment]:
    """Yaws, two sizes where those are near each other, foot on foot or top on top, middle on middle."""
    turned = source.points @ turn.T
    ratio = _extent(target.points) / _extent(turned)
    scales = {ratio, 1.0} if 1 / _ALIKE < ratio < _ALIKE else {ratio}
    found = []
    for scale, yaw, (by_bounds, top) in itertools.product(sorted(scales), range(_YAWS), _MIDDLES):
        whole = _yaw(2 * math.pi * yaw / _YAWS) @ turn
        points = scale * source.points @ whole.T
        shift = _middle(target.points, by_bounds) - _middle(points, by_bounds)
        end = np.max if top else np.min
        shift[2] = end(target.points[:, 2]) - end(points[:, 2])
        found.append(Alignment(whole, shift, scale, np.inf, 0.0))
    return found


def _extent(points: Array) -> float:
    return float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()))


def _middle(points: Array, by_bounds: bool) -> Array:
    return np.asarray((points.min(axis=0) + points.max(axis=0)) / 2 if by_bounds else points.mean(axis=0))


def _yaw(angle: float) -> Array:
    return np.array([[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1.0]])


def _first(field: _Field, source: Array, start: Alignment) -> Alignment:
    """A start moved and turned about the upright to where its nearest points lie, a few times."""
    here = start
    for _ in range(_FIRST):
        points = here.moved(source)
        found = field.nearest(points)
        away = np.linalg.norm(found - points, axis=1)
        kept = away <= np.quantile(away, _KEPT)
        one, two = points[kept], found[kept]
        middle, aim = one.mean(axis=0), two.mean(axis=0)
        a, b = one - middle, two - aim
        angle = math.atan2(float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()), float((a[:, :2] * b[:, :2]).sum()))
        turn = _yaw(angle)
        here = replace(here, turn=turn @ here.turn, shift=turn @ (here.shift - middle) + aim)
    points, cap = here.moved(source), 3 * field.step
    away = np.linalg.norm(field.nearest(points) - points, axis=1)
    missed = cKDTree(points).query(field.points[:: len(field.points) // _COARSE], distance_upper_bound=cap)[0]
    return replace(here, misfit=float(np.minimum(away, cap).mean() + np.minimum(missed, cap).mean()))


def _judged(target: _Cloud, source: _Cloud, here: Alignment) -> Alignment:
    """With its misfit, both ways, and its overlap."""
    points, normals = here.moved(source.points), source.normals @ here.turn.T
    size = float(np.linalg.norm(np.ptp(target.points, axis=0)))
    step = max(1, len(target.points) // len(points))
    found = [
        _off(points, normals, target.tree, target.points, target.normals),
        _off(target.points[::step], target.normals[::step], cKDTree(points), points, normals),
    ]
    away, off = (np.concatenate([each[k] for each in found]) for k in (0, 1))
    sparse = float(np.median(np.asarray(cKDTree(points).query(points, 2)[0])[:, 1]))
    # places between the points of the thinner cloud are further from those
    reach = _NEAR[0] + _NEAR[1] * size + np.repeat([0.0, 4 * sparse], [len(each[0]) for each in found])
    off = np.where(away <= reach, off, reach)
    return replace(here, misfit=float(np.minimum(off, reach).mean()), overlap=float((away <= reach).mean()))


def _off(points: Array, normals: Array, tree: cKDTree, aims: Array, facing: Array) -> tuple[Array, Array]:
    """(n,) how far points are from the nearest of some aims, and (n,) from its plane if they look the same way."""
    away, which = tree.query(points)
    flat = np.abs((facing[which] * (aims[which] - points)).sum(axis=1))
    same = (normals * facing[which]).sum(axis=1) > _SAME_WAY
    return np.asarray(away), np.where(same, flat, away)


def _apart(starts: Sequence[Alignment]) -> list[Alignment]:
    """The best few, of those that came to the same place only one."""
    found: list[Alignment] = []
    for start in starts:
        if all(_unlike(start, other) for other in found):
            found.append(start)
        if len(found) == _BEST:
            break
    return found


def _unlike(one: Alignment, other: Alignment) -> bool:
    near = np.abs(one.turn - other.turn).max() < 0.05 and abs(one.scale / other.scale - 1) < 0.02
    return not (near and np.abs(one.shift - other.shift).max() < 0.1)


def _fit(target: _Cloud, source: _Cloud, start: Alignment) -> Alignment:
    """A start brought to rest: points to planes, with tilt and scale free; a quarter of the points first."""
    here, reach = start, np.inf
    for share, rounds in ((4, _ROUNDS), (1, _ROUNDS // 4)):
        points, normals = source.points[::share], source.normals[::share]
        for _ in range(rounds):
            which = target.tree.query(here.moved(points))[1]
            here, reach, moved = _pulled(here, (points, normals), (target.points[which], target.normals[which]), reach)
            if moved < RESTING:
                break
    return _judged(target, source, here)


def _pulled(
    here: Alignment, source: tuple[Array, Array], aim: tuple[Array, Array], reach: float
) -> tuple[Alignment, float, float]:
    """One step towards planes (points, normals), how far off they may be next, and how far the step was."""
    points, normals = here.moved(source[0]), source[1] @ here.turn.T
    facing = (normals * aim[1]).sum(axis=1) > _SAME_WAY
    off = (aim[1] * (aim[0] - points)).sum(axis=1)
    usual = _ROBUST * float(np.median(np.abs(off[facing]))) if facing.any() else 0.0
    away = float(np.median(np.linalg.norm(aim[0] - points, axis=1)))
    reach = max(_LEAST_SPREAD, min(reach, max(usual, away)))
    step = _step(points, aim[1], off, np.where(facing, _weights(off, reach), 0.0))
    if step is None:
        return here, reach, 0.0
    here, moved = _stepped(here, points.mean(axis=0), step)
    return here, reach, moved


def _polished(nearest: Nearest, normals: Array, source: _Cloud, here: Alignment) -> Alignment:
    """The last steps, to the very nearest points of the surface."""
    reach = np.inf
    for _ in range(_LAST):
        found = nearest.to(here.moved(source.points))
        aim = found.point, normals[found.triangle]
        here, reach, moved = _pulled(here, (source.points, source.normals), aim, reach)
        if moved < SETTLED:
            break
    return here


def _weights(off: Array, reach: float) -> Array:
    """Tukey's: 1 where planes meet, 0 from `reach` on."""
    return np.asarray(np.clip(1 - (off / reach) ** 2, 0.0, None) ** 2)


def _step(points: Array, normals: Array, off: Array, weights: Array) -> Array | None:
    """(7,) turn, shift and growth about the points' middle that brings points to planes; None if nothing tells."""
    if (weights > 0).sum() < len(_FREE):
        return None
    centred = points - points.mean(axis=0)
    size = max(float(np.abs(centred).max()), _LEAST_SPREAD)
    rows = np.column_stack([cross(centred, normals) / size, normals, (centred * normals).sum(axis=1) / size])
    pull = rows.T @ (rows * weights[:, None])
    strength, ways = np.linalg.eigh(pull)
    known = strength > _TELLING * strength[-1]
    ways = ways[:, known]
    found = ways @ ((ways.T @ (rows.T @ (off * weights))) / strength[known])
    return np.asarray(found / np.array([size] * 3 + [1.0] * 3 + [size]))


_FREE = ("turn x", "turn y", "turn z", "move x", "move y", "move z", "grow")
_TELLING = SETTLED  # of the strongest: what pulls less is not known (a plain wall does not tell how it slides)


def _stepped(here: Alignment, middle: Array, step: Array) -> tuple[Alignment, float]:
    """One step on, and how far that was."""
    turn = (
        np.asarray(trimesh.transformations.rotation_matrix(np.linalg.norm(step[:3]), step[:3])[:3, :3])
        if (np.linalg.norm(step[:3]) > SETTLED**2)
        else np.eye(3)
    )
    grow = float(np.clip(1 + step[6], 0.8, 1.25))
    shift = grow * turn @ (here.shift - middle) + middle + step[3:6]
    moved = float(np.abs(step).max())
    return replace(here, turn=turn @ here.turn, shift=shift, scale=here.scale * grow), moved

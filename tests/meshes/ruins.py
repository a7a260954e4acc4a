"""Random ruins whose enclosed gaps are known: what detection is measured on. Millimetres inside, inches outside."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import manifold3d
import numpy as np
import shapely
import trimesh
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.solid import from_manifold, prism, to_manifold

__all__ = ["Known", "Ruin", "ruin"]

UP = np.array([0.0, 0.0, 1.0])

_CLEAR = 22.0  # mm between walls that do not meet: no cut through one reaches another


@dataclass(frozen=True, slots=True)
class Known:
    """An enclosed gap that was cut. Inches; centre (3,) on the wall's middle, half way up."""

    centre: Array
    sill: float
    head: float
    width: float


@dataclass(frozen=True, slots=True)
class Ruin:
    """A closed mesh in inches, z up, foot at 0, and the gaps it has: no more, no fewer."""

    mesh: trimesh.Trimesh
    openings: tuple[Known, ...]


@dataclass(frozen=True, slots=True)
class Wall:
    """From start, straight or along an arc (bend: radians turned to the left from one end to the other)."""

    start: Array
    heading: float
    length: float
    thickness: float
    bend: float

    def at(self, distance: float) -> tuple[Array, float]:
        """The point of the centre line that far along it, and the heading there."""
        turned = self.bend * distance / self.length
        chord = distance if abs(turned) < 1e-9 else distance * math.sin(turned / 2) / (turned / 2)
        middle = self.heading + turned / 2
        point = self.start + chord * np.array([math.cos(middle), math.sin(middle)])
        return point, self.heading + turned


@dataclass(slots=True)
class Site:
    """What is being built."""

    rng: np.random.Generator
    walls: list[manifold3d.Manifold] = field(default_factory=list)
    cuts: list[manifold3d.Manifold] = field(default_factory=list)
    known: list[Known] = field(default_factory=list)


def ruin(seed: int) -> Ruin:
    """Two to four walls, some curved, at any angle, with broken tops, windows, arches, doors, notches and recesses."""
    site = Site(np.random.default_rng(seed))
    storey = float(site.rng.uniform(45, 80)) if site.rng.random() < 0.3 else None
    walls = _plan(site.rng)
    for wall in walls:
        _build(site, wall, storey)
    if storey is not None:
        site.walls.append(_floor(walls, storey))
    solid = manifold3d.Manifold.batch_boolean(site.walls, manifold3d.OpType.Add)
    for cut in site.cuts:
        solid -= cut
    mesh = from_manifold(solid)
    mesh.apply_scale(1 / MM_PER_INCH)
    return Ruin(mesh, tuple(site.known))


def _plan(rng: np.random.Generator) -> list[Wall]:
    """Walls in a chain, each beginning where the one before ends, none but neighbours near another."""
    walls = [_wall(rng, np.zeros(2), float(rng.uniform(0, 2 * math.pi)), float(rng.uniform(3, 8)))]
    count = int(rng.integers(2, 5))
    for _ in range(20):
        if len(walls) == count:
            break
        start, heading = walls[-1].at(walls[-1].length)
        turn = float(rng.uniform(math.radians(-105), math.radians(105)))
        added = _wall(rng, start, heading + turn, walls[0].thickness)
        if abs(turn) > math.radians(50) and _free_of(added, walls):
            walls.append(added)
    return walls


def _wall(rng: np.random.Generator, start: Array, heading: float, thickness: float) -> Wall:
    bend = float(rng.choice([-1, 1]) * rng.uniform(0.5, 1.2)) if rng.random() < 0.2 else 0.0
    return Wall(start, heading, float(rng.uniform(55, 120)), thickness, bend)


def _free_of(added: Wall, walls: list[Wall]) -> bool:
    """Whether a wall keeps clear of all walls before it, but for the corner that it shares with the last."""
    line = _centre_line(added)
    beyond = line.difference(shapely.Point(added.start).buffer(2 * _CLEAR))
    return all(_centre_line(w).distance(beyond if w is walls[-1] else line) > _CLEAR for w in walls)


def _centre_line(wall: Wall) -> shapely.LineString:
    return shapely.LineString([wall.at(d)[0] for d in np.linspace(0, wall.length, 2 if wall.bend == 0 else 33)])


def _build(site: Site, wall: Wall, storey: float | None) -> None:
    tops = _broken_top(site.rng, wall.length, 25 if storey is None else storey + 6)
    site.walls.append(_raised(wall, tops))
    distance = wall.thickness + 4
    while distance < wall.length - wall.thickness - 12:
        width = float(site.rng.uniform(5, 22))
        end = distance + width
        if end > wall.length - wall.thickness - 4:
            break
        top = min(float(np.interp(x, *tops)) for x in np.linspace(distance - 3, end + 3, 30))
        _column(site, wall, (distance + end) / 2, width, top, storey)
        distance = end + float(site.rng.uniform(4, 20))


def _broken_top(rng: np.random.Generator, length: float, least: float) -> tuple[Array, Array]:
    """Heights of a broken top: distances along the wall, and the height there."""
    at = np.concatenate([[0.0], np.sort(rng.uniform(5, length - 5, int(rng.integers(0, 5)))), [length]])
    height = float(rng.uniform(45, 125))
    return at, np.clip(height + rng.uniform(-20, 20, len(at)), least, 130)


def _raised(wall: Wall, tops: tuple[Array, Array]) -> manifold3d.Manifold:
    """The wall up to its broken top, with a round end over each joint."""
    plan = _centre_line(wall).buffer(wall.thickness / 2, quad_segs=4, cap_style="square", join_style="mitre")
    solid = _prism(plan, 0, 140)
    for one, two in zip(np.linspace(0, wall.length, 33), np.linspace(0, wall.length, 33)[1:], strict=False):
        solid -= _above(wall, one, two, tops)
    return solid


def _above(wall: Wall, one: float, two: float, tops: tuple[Array, Array]) -> manifold3d.Manifold:
    """All that lies above the broken top between two distances."""
    first, last = one == 0, two == wall.length
    out = wall.thickness + 1
    low = (-out if first else one), (wall.length + out if last else two)
    middle, heading = wall.at((one + two) / 2)
    along = np.array([math.cos(heading), math.sin(heading), 0.0])
    reach = [d - (one + two) / 2 for d in low]
    stretch = 1.0 + abs(wall.bend) / wall.length * out
    heights = [float(np.interp(d, *tops)) for d in (one, two)]
    shape = shapely.Polygon(
        [
            (reach[0] * stretch - 0.01, heights[0]),
            (reach[1] * stretch + 0.01, heights[1]),
            (reach[1] * stretch + 0.01, 150),
            (reach[0] * stretch - 0.01, 150),
        ]
    )
    origin = np.array([middle[0], middle[1], 0.0])
    return to_manifold(prism(shape, origin, along, UP, -out, out))


def _column(site: Site, wall: Wall, at: float, width: float, top: float, storey: float | None) -> None:
    """What is cut above one spot of a wall: gaps one over the other, and perhaps a notch or a recess."""
    levels = [0.0, top] if storey is None else [0.0, *([storey - 6, storey + 3] if storey + 3 < top else [top]), top]
    for foot, lintel in zip(levels[::2], levels[1::2], strict=False):
        sill = foot + float(site.rng.uniform(4, 20))
        kind = site.rng.choice(
            ["window", "arch", "door", "doorway", "recess", "none"], p=[0.32, 0.2, 0.14, 0.1, 0.14, 0.1]
        )
        if kind in ("door", "doorway") and foot == 0:
            sill = 0.0
        _cut(site, wall, at, width, sill, lintel, str(kind))
    if site.rng.random() < 0.15:
        _notch(site, wall, at, width, top, storey or 0.0)


def _cut(site: Site, wall: Wall, at: float, width: float, sill: float, lintel: float, kind: str) -> None:
    arched = kind in ("arch", "doorway")
    least = max(5.0, width / 2 + 3 if arched else 5.0)
    most = min(lintel - 4 - sill, 45.0)
    if kind == "none" or most < least:
        return
    head = sill + float(site.rng.uniform(least, most))
    shape: BaseGeometry = shapely.box(-width / 2, sill or -1, width / 2, head - (width / 2 if arched else 0))
    if arched:
        dome = shapely.Point(0, head - width / 2).buffer(width / 2, quad_segs=16)
        shape = shape.union(dome.intersection(shapely.box(-width, sill, width, head)))
    middle, _ = wall.at(at)
    _push(site, wall, at, shape, 0.0 if kind == "recess" else None)
    if kind != "recess":
        centre = np.array([middle[0], middle[1], (sill + head) / 2]) / MM_PER_INCH
        site.known.append(Known(centre, sill / MM_PER_INCH, head / MM_PER_INCH, width / MM_PER_INCH))


def _notch(site: Site, wall: Wall, at: float, width: float, top: float, storey: float) -> None:
    """A gap open to the sky, clear of every gap and floor below it."""
    high = max([storey, *(k.head * MM_PER_INCH for k in site.known)])
    depth = float(site.rng.uniform(3, 12))
    if top - depth > high + 4:
        _push(site, wall, at, shapely.box(-width / 2, top - depth, width / 2, 150), None)


def _push(site: Site, wall: Wall, at: float, shape: BaseGeometry, stop: float | None) -> None:
    """Cut a shape out of a wall, through it or (stop) as far as half way from one side."""
    middle, heading = wall.at(at)
    along = np.array([math.cos(heading), math.sin(heading), 0.0])
    reach = wall.thickness + 6
    origin = np.array([middle[0], middle[1], 0.0])
    near = -reach if stop is None else stop
    assert isinstance(shape, shapely.Polygon)
    site.cuts.append(to_manifold(prism(shape, origin, along, UP, near, reach)))


def _floor(walls: list[Wall], storey: float) -> manifold3d.Manifold:
    """A floor in the first corner, under `storey`."""
    one, two = walls[0], walls[1]
    corner = one.at(one.length)[0]
    points = [corner, one.at(one.length * 0.45)[0], two.at(two.length * 0.55)[0]]
    return _prism(shapely.Polygon(points), storey - 3, storey)


def _prism(plan: shapely.Polygon, low: float, high: float) -> manifold3d.Manifold:
    return to_manifold(prism(plan, np.zeros(3), np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), low, high))

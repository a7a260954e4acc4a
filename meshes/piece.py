"""A terrain piece as the rules need it: its solid, its openings, and flat sections that prove what it blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import shapely
import shapely.affinity
import trimesh

from deadground.geometry.plates import Array, Plate
from deadground.geometry.units import LAP, PLANE
from deadground.meshes.solid import is_closed, prism, united

__all__ = ["Opening", "Piece", "plug"]


@dataclass(frozen=True, slots=True, eq=False)
class Opening:
    """An enclosed gap: bounded all round by the piece's surface, with the ground as lower bound of a door.

    id : counted from 1 within the piece, stable for the same file
    kind : "wall" for a gap passed horizontally, "floor" for a hole in a floor passed vertically
    origin, along, up : frame of the outline; a point is origin + u * along + v * up + w * normal.
        Walls: along is horizontal, up is (0, 0, 1) and origin's z is 0, so v is the height above the piece's foot.
        Floors: along is +x, up is +y, origin is (0, 0, 0): u, v are x, y and w is the height.
    outline : simple polygon in (u, v), inches
    near, far : range of w in which the gap lies in material (the thickness), near < far
    sure : False for a possible gap, which is shown and never closed by itself
    """

    id: int
    kind: Literal["wall", "floor"]
    origin: Array
    along: Array
    up: Array
    outline: shapely.Polygon
    near: float
    far: float
    sure: bool = True

    @property
    def normal(self) -> Array:
        """(3,) along x up: the direction in which one passes it."""
        return np.cross(self.along, self.up)

    @property
    def sill(self) -> float:
        """Lowest height of the gap above the piece's foot, inches."""
        return self.near if self.kind == "floor" else float(self.outline.bounds[1])

    @property
    def head(self) -> float:
        """Highest height of the gap above the piece's foot, inches."""
        return self.far if self.kind == "floor" else float(self.outline.bounds[3])

    @property
    def width(self) -> float:
        """Extent along `along`, inches."""
        return float(self.outline.bounds[2] - self.outline.bounds[0])

    @property
    def area(self) -> float:
        """Square inches."""
        return float(self.outline.area)

    @property
    def centre(self) -> Array:
        """(3,) centroid of the outline, half way through the thickness."""
        u, v = self.outline.centroid.coords[0]
        return self.origin + u * self.along + v * self.up + (self.near + self.far) / 2 * self.normal

    def closed_part(self, height: float) -> shapely.Polygon | shapely.MultiPolygon:
        """The part of the outline that a plug up to `height` (inches above the piece's foot) fills; may be empty.

        A floor's hole is filled whole or not at all: whole when its underside is not above `height`.
        """
        if self.kind == "floor":
            return self.outline if self.near <= height else shapely.Polygon()
        low_u, low_v, high_u, high_v = self.outline.bounds
        if height <= low_v:
            return shapely.Polygon()
        part = self.outline.intersection(shapely.box(low_u - 1, low_v - 1, high_u + 1, min(height, high_v + 1)))
        return _areas(part)


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One piece of terrain in its own frame: inches, z up, foot at z = 0.

    mesh : its surface, float64; a closed volume for built pieces (see `watertight`)
    openings : its enclosed gaps
    cores : flat sections that lie wholly in material with every opening open
    tilt : degrees by which a loaded mesh stands askew (see `ground.levelling`)
    """

    mesh: trimesh.Trimesh
    openings: tuple[Opening, ...] = ()
    cores: tuple[Plate, ...] = ()
    tilt: float = 0.0

    def closed(self, heights: Mapping[int, float]) -> Piece:
        """The piece united with a plug in each opening named in `heights` (id -> height up to which it is filled).

        Heights are inches above the piece's foot, infinity for the whole gap. Plugs fill exactly the gap through the
        wall's thickness, so that its faces close over. Cores grow by what is filled. Openings stay listed. A mesh that
        is not closed (a scan) keeps its faces and gets the plugs as bodies of their own. KeyError for an unknown id.
        """
        with np.errstate(all="ignore"):  # shapely's own arithmetic may raise flags that mean nothing
            return self._closed(heights)

    def _closed(self, heights: Mapping[int, float]) -> Piece:
        named = {opening.id: opening for opening in self.openings}
        filled = [(named[number], height) for number, height in heights.items()]
        plugs = [mesh for opening, height in filled if (mesh := plug(opening, height)) is not None]
        if not plugs:
            return self
        cores = self.cores
        for opening, height in filled:
            cores = _grown(cores, opening, height)
        return Piece(_plugged(self.mesh, plugs), self.openings, cores)


def plug(opening: Opening, height: float) -> trimesh.Trimesh | None:
    """The closed body that fills an opening up to `height` (inches above the piece's foot). None if that is nothing.

    It reaches LAP into the material around the gap, never past the wall's faces, under the ground or over the height.
    """
    parts = [part for part in shapely.get_parts(_lapped(opening, height)) if not part.is_empty]
    bodies = [prism(part, opening.origin, opening.along, opening.up, opening.near, opening.far) for part in parts]
    if len(bodies) > 1:
        return united(bodies)
    return bodies[0] if bodies else None


def _lapped(opening: Opening, height: float) -> shapely.Polygon | shapely.MultiPolygon:
    """What a plug fills, grown by LAP into the material around."""
    filled = opening.closed_part(height)
    if filled.is_empty or opening.kind == "floor":
        return _areas(shapely.buffer(filled, LAP, join_style="mitre"))
    low_u, low_v, high_u, high_v = shapely.buffer(filled, 1).bounds
    grown = shapely.buffer(filled, LAP, join_style="mitre")
    top = high_v if opening.head < height + LAP else height
    return _areas(shapely.intersection(grown, shapely.box(low_u, max(low_v, 0.0), high_u, top)))


def _areas(shape: shapely.Geometry) -> shapely.Polygon | shapely.MultiPolygon:
    """The areas of a shape, without the lines and points that operations leave."""
    if isinstance(shape, shapely.Polygon | shapely.MultiPolygon):
        return shape
    return shapely.MultiPolygon([part for part in shapely.get_parts(shape) if isinstance(part, shapely.Polygon)])


def _plugged(mesh: trimesh.Trimesh, plugs: list[trimesh.Trimesh]) -> trimesh.Trimesh:
    if is_closed(mesh):
        try:
            return united([mesh, *plugs])
        except ValueError:  # closed by its edges, yet bodies touch along one
            pass
    vertices = np.vstack([mesh.vertices, *(body.vertices for body in plugs)])
    counts = np.cumsum([len(mesh.vertices), *(len(body.vertices) for body in plugs)])
    faces = [mesh.faces, *(body.faces + count for body, count in zip(plugs, counts, strict=False))]
    return trimesh.Trimesh(vertices, np.vstack(faces), process=False)


def _grown(cores: tuple[Plate, ...], opening: Opening, height: float) -> tuple[Plate, ...]:
    """The cores with a plug's middle: joined to those it touches in its own plane, else as one more."""
    middle = opening.origin + (opening.near + opening.far) / 2 * opening.normal
    own = Plate(middle, opening.along, opening.up, _lapped(opening, height))
    if own.polygon.is_empty:
        return cores
    joined = tuple(_joined(core, own) for core in cores)
    if all(after is before for after, before in zip(joined, cores, strict=True)):
        return (*cores, own)
    return joined


def _joined(core: Plate, other: Plate) -> Plate:
    """The core united with a plate of the same plane that it touches, else itself."""
    frame = np.array([core.along, core.up, core.normal])
    if np.linalg.norm(np.cross(core.normal, other.normal)) > PLANE:
        return core
    if abs((other.origin - core.origin) @ core.normal) > PLANE:
        return core
    (a, d, _), (b, e, _), (x, y, _) = (frame @ v for v in (other.along, other.up, other.origin - core.origin))
    shape = shapely.affinity.affine_transform(other.polygon, [a, b, d, e, x, y])
    if shapely.distance(core.polygon, shape) > 0:
        return core
    return Plate(core.origin, core.along, core.up, _areas(shapely.union(core.polygon, shape)))

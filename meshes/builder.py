"""Walls, floors, blocks and prisms united into one closed piece that knows its openings and its cores."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import manifold3d
import numpy as np
import shapely
import trimesh
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array, Plate
from deadground.geometry.units import LAP, PARALLEL, TOUCH, WELD
from deadground.meshes.joints import Joint, joint
from deadground.meshes.parts import Block, Floor, Hole, Part, Prism, Wall
from deadground.meshes.piece import Opening, Piece
from deadground.meshes.solid import from_manifold, prism, tidy, to_manifold

__all__ = ["MOST_PARTS", "Block", "Floor", "Hole", "Part", "Prism", "Wall", "build"]

MOST_PARTS = 200
"""Parts of one piece: that many walls that all cross each other take half a minute, an orderly building a second."""

_X, _Y, _Z = np.eye(3)
_MOST_DIAGONALS = 8  # a prism with more corners gets chords between every few of them
_SLICES = (-0.45, 0.02, 0.45)  # of a sheet's thickness; off the middle, where outlines drawn on centre lines end


@dataclass(frozen=True, slots=True, eq=False)
class _Sheet:
    """A wall or floor as a flat outline pulled through its thickness.

    solid : its material; gaps : what was cut from it, in the order given; extent : where its core may lie
    """

    kind: Literal["wall", "floor"]
    origin: Array
    along: Array
    up: Array
    near: float
    far: float
    solid: BaseGeometry
    gaps: tuple[shapely.Polygon, ...]
    extent: shapely.Polygon
    ends: tuple[Joint, ...] = ()

    @property
    def normal(self) -> Array:
        return np.cross(self.along, self.up)

    @property
    def middle(self) -> Array:
        return self.origin + (self.near + self.far) / 2 * self.normal


@dataclass(frozen=True, slots=True, eq=False)
class _Body:
    """One part's solid beside what it was made from."""

    solid: manifold3d.Manifold
    sheet: _Sheet | None = None
    cores: tuple[Plate, ...] = ()


def build(parts: Iterable[Part]) -> Piece:
    """The piece that the parts make together: a closed mesh, its openings, its cores.

    Parts that overlap or touch are united (those that only touch at odd angles may keep a seam thinner than WELD).
    Walls that share an end point are joined there (see `joint`). An opening that reaches its wall's top, or its end, or
    the foot of a wall that stands on nothing, is a notch and not listed; one that reaches the ground is a door and is.
    Openings that overlap are one. Material of other parts that crosses a gap through the wall's whole thickness is
    taken from it, and may split it or close it round a notch. So may it, with the ground, close the space under a wall
    whose base is above the ground. Openings count from 1: walls in order, then floors.

    ValueError when there are no parts, too many, or nothing is left of them.
    """
    chosen = tuple(parts)
    if not chosen:
        raise ValueError("parts: a feature needs a wall, floor, block or prism")
    if len(chosen) > MOST_PARTS:
        raise ValueError(f"parts: at most {MOST_PARTS} are allowed, found {len(chosen)}")
    with np.errstate(all="ignore"):  # shapely's own arithmetic may raise flags that mean nothing
        return _united(list(_bodies(chosen)))


def _united(bodies: Sequence[_Body]) -> Piece:
    if all(body.solid.is_empty() for body in bodies):
        raise ValueError("parts: nothing is left of them")
    whole = tidy(manifold3d.Manifold.batch_boolean([body.solid for body in bodies], manifold3d.OpType.Add))
    boxes = np.array([body.solid.bounding_box() for body in bodies]).reshape(-1, 2, 3)
    sheets = [
        (body.sheet, _is_touched(boxes, number) or any(end.reach for end in body.sheet.ends))
        for number, body in enumerate(bodies)
        if body.sheet
    ]
    found = itertools.chain.from_iterable(_openings(whole, sheet, touched) for sheet, touched in sheets)
    cores = [_core(whole, sheet, touched) for sheet, touched in sheets]
    cores += [core for body in bodies for core in body.cores]
    return Piece(
        from_manifold(whole),
        tuple(_numbered(found)),
        tuple(core for core in cores if core.polygon.area > TOUCH * TOUCH),
    )


def _bodies(parts: Sequence[Part]) -> Iterator[_Body]:
    walls = [part for part in parts if isinstance(part, Wall)]
    for number, wall in enumerate(walls):
        yield _wall(wall, joint(walls, number, True), joint(walls, number, False))
    for part in parts:
        match part:
            case Floor():
                yield _floor(part)
            case Block():
                yield _block(part)
            case Prism():
                yield _prism(part.outline, part.base, part.height)


def _is_touched(boxes: Array, number: int) -> bool:
    """Whether another part's bounding box meets this one's."""
    low, high = boxes[number]
    meets = ((boxes[:, 0] <= high + TOUCH) & (boxes[:, 1] >= low - TOUCH)).all(axis=1)
    return bool(meets.sum() > 1)


# --- walls -----------------------------------------------------------------------------------------------------------


def _wall(wall: Wall, start: Joint, end: Joint) -> _Body:
    face = _elevation(wall, start.reach, end.reach)
    cuts = shapely.union_all([_cut_out(wall, opening) for opening in wall.openings])
    extent = shapely.box(-_spread(wall, start), -1, wall.length + _spread(wall, end), face.bounds[3] + 1)
    gaps = _in_order(shapely.intersection(cuts, face), wall.openings)
    origin = np.array([wall.start[0], wall.start[1], 0.0])
    half = wall.thickness / 2
    sheet = _Sheet("wall", origin, wall.along, _Z, -half, half, face - cuts, gaps, extent, (start, end))
    return _Body(_pulled(sheet), sheet)


def _spread(wall: Wall, end: Joint) -> float:
    return max(wall.thickness, 2 * end.reach)


def _elevation(wall: Wall, before: float, after: float) -> BaseGeometry:
    """The wall's face without its openings, in (distance along, height), run on past its ends for joints."""
    tops = wall.top_line
    line = [(-before, tops[0][1]), *tops, (wall.length + after, tops[-1][1])]
    ring = [(-before, wall.base), *line, (wall.length + after, wall.base)]
    return _polygons_of(shapely.make_valid(shapely.Polygon(ring)))


def _polygons_of(shape: BaseGeometry) -> BaseGeometry:
    """The areas of a shape, without the lines and points that operations leave."""
    parts = [part for part in shapely.get_parts(shape) if isinstance(part, shapely.Polygon)]
    nested = [part for part in shapely.get_parts(shape) if isinstance(part, shapely.MultiPolygon)]
    return shapely.union_all([*parts, *nested])


def _cut_out(wall: Wall, opening: Hole) -> shapely.Polygon:
    """The opening's outline, run out where it comes within TOUCH of the wall's edges."""
    shape = opening.outline
    left, low, right, high = shape.bounds
    grown = [shape]
    if abs(low - wall.base) < TOUCH:
        grown.append(shapely.box(left, wall.base, right, max(low, wall.base + TOUCH)))
    if left < TOUCH:
        grown.append(shapely.box(0, low, TOUCH, _shoulder(opening)))
    if right > wall.length - TOUCH:
        grown.append(shapely.box(wall.length - TOUCH, low, wall.length, _shoulder(opening)))
    if wall.top is None and wall.height is not None and 0 < wall.height - high < TOUCH and opening.shape == "rectangle":
        grown.append(shapely.box(left, high - TOUCH, right, wall.height))
    within = shapely.box(0, low - 1, wall.length, high + 1)
    joined = shapely.intersection(shapely.union_all(grown), within)
    return joined if isinstance(joined, shapely.Polygon) else shape


def _shoulder(opening: Hole) -> float:
    return opening.head - (opening.width / 2 if opening.shape == "arch" else 0.0)


def _in_order(gaps: BaseGeometry, openings: Sequence[Hole]) -> tuple[shapely.Polygon, ...]:
    """The separate gaps, sorted by the first opening that each holds."""
    pieces = shapely.get_parts(shapely.simplify(_polygons_of(gaps), WELD))
    found = [part for part in pieces if part.area > TOUCH * TOUCH]
    outlines = [opening.outline for opening in openings]
    first = [next((k for k, outline in enumerate(outlines) if _share(gap, outline)), 0) for gap in found]
    return tuple(gap for _, gap in sorted(zip(first, found, strict=True), key=lambda pair: (pair[0], pair[1].bounds)))


def _share(one: BaseGeometry, other: BaseGeometry) -> bool:
    return bool(shapely.intersection(one, other).area > TOUCH * TOUCH)


# --- solids of parts -------------------------------------------------------------------------------------------------


def _pulled(sheet: _Sheet) -> manifold3d.Manifold:
    """The sheet's material through its thickness, cut at its joints."""
    shapes = [part for part in shapely.get_parts(sheet.solid) if part.area > 0]
    meshes = [prism(part, sheet.origin, sheet.along, sheet.up, sheet.near, sheet.far) for part in shapes]
    solid = manifold3d.Manifold.batch_boolean([_on_grid(mesh, sheet.along) for mesh in meshes], manifold3d.OpType.Add)
    for cut in itertools.chain.from_iterable(end.cuts for end in sheet.ends):
        solid = solid.trim_by_plane((*cut.inward, 0.0), cut.offset)
    return solid


def _on_grid(mesh: trimesh.Trimesh, along: Array) -> manifold3d.Manifold:
    """The solid with its corners on the grid of WELD, so that what is equal by intent is equal.

    Seen from above only where the part is square to the axes: others would no longer be flat.
    """
    square = np.abs(along).max() > 1 - PARALLEL
    vertices = np.array(mesh.vertices)
    snapped = np.round(vertices / WELD) * WELD
    vertices[:, 2] = snapped[:, 2]
    return to_manifold(trimesh.Trimesh(snapped if square else vertices, mesh.faces, process=False))


def _floor(floor: Floor) -> _Body:
    outline = shapely.Polygon(floor.outline)
    holes = shapely.union_all([shapely.Polygon(hole) for hole in floor.holes])
    gaps = tuple(shapely.get_parts(_polygons_of(shapely.intersection(outline, holes))))
    near = max(floor.top - floor.thickness, 0.0)
    solid = _polygons_of(outline - holes)
    sheet = _Sheet("floor", np.zeros(3), _X, _Y, near, floor.top, solid, gaps, outline)
    return _Body(_pulled(sheet), sheet)


def _block(block: Block) -> _Body:
    (x, y, z), (a, b, c) = block.at, block.size
    corners = ((x - a / 2, y - b / 2), (x + a / 2, y - b / 2), (x + a / 2, y + b / 2), (x - a / 2, y + b / 2))
    body = _prism(corners, z, z + c)
    middles = [((x - a / 2, y), (x + a / 2, y)), ((x, y - b / 2), (x, y + b / 2))]
    return _Body(body.solid, None, (*body.cores, *(_upright(*line, z, z + c) for line in middles)))


def _prism(outline: Sequence[tuple[float, float]], base: float, top: float) -> _Body:
    shape = shapely.Polygon(outline)
    solid = _on_grid(prism(shape, np.zeros(3), _X, _Y, base, top), _X)
    level = Plate(np.array([0.0, 0.0, (base + top) / 2]), _X, _Y, shape)
    return _Body(solid, None, (level, *(_upright(*line, base, top) for line in _chords(shape))))


def _chords(shape: shapely.Polygon) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Lines between corners of an outline that stay inside it: all diagonals of a simple one, else a selection."""
    corners = [(x, y) for x, y in shape.exterior.coords[:-1]]
    step = -(-len(corners) // _MOST_DIAGONALS)
    count = len(corners)
    shapely.prepare(shape)
    for one, other in itertools.combinations(range(0, count, step), 2):
        line = (corners[one], corners[other])
        if 1 < other - one < count - 1 and shape.covers(shapely.LineString(line)):
            yield line


def _upright(start: tuple[float, float], end: tuple[float, float], base: float, top: float) -> Plate:
    run = np.subtract(end, start)
    length = float(np.hypot(*run))
    along = np.array([run[0] / length, run[1] / length, 0.0])
    return Plate(np.array([start[0], start[1], 0.0]), along, _Z, shapely.box(0, base, length, top))


# --- openings and cores ----------------------------------------------------------------------------------------------


def _section(whole: manifold3d.Manifold, sheet: _Sheet, depth: float) -> BaseGeometry:
    """The piece's material in the plane at `depth` along the sheet's normal, in the sheet's frame, near the sheet."""
    frame = np.array([sheet.along, sheet.up, sheet.normal])
    turned = whole.transform(np.column_stack([frame, -frame @ (sheet.origin + depth * sheet.normal)]))
    found = [shapely.Polygon(ring) for ring in turned.slice(0.0).to_polygons() if len(ring) > 2]
    rings = [ring for ring in found if ring.intersects(sheet.extent)]
    shape: BaseGeometry = shapely.Polygon()
    for ring in rings:  # rings never cross: nested ones turn material into hole and back
        shape = shapely.symmetric_difference(shape, shapely.make_valid(ring))
    return shapely.simplify(_polygons_of(shape), WELD)


def _core(whole: manifold3d.Manifold, sheet: _Sheet, touched: bool) -> Plate:
    """The sheet's middle less its openings; with what other parts add to it, through the thickness of joined walls."""
    shape = sheet.solid
    if touched:
        shape = shapely.intersection(_section(whole, sheet, (sheet.near + sheet.far) / 2), sheet.extent)
    return Plate(sheet.middle, sheet.along, sheet.up, _flat(_polygons_of(shape)))


def _flat(shape: BaseGeometry) -> shapely.Polygon | shapely.MultiPolygon:
    return shape if isinstance(shape, shapely.Polygon | shapely.MultiPolygon) else shapely.Polygon()


def _openings(whole: manifold3d.Manifold, sheet: _Sheet, touched: bool) -> Iterator[Opening]:
    for outline in _enclosed(whole, sheet, touched):
        yield Opening(0, sheet.kind, sheet.origin, sheet.along, sheet.up, outline, sheet.near, sheet.far)


def _enclosed(whole: manifold3d.Manifold, sheet: _Sheet, touched: bool) -> Iterator[shapely.Polygon]:
    """Outlines of the sheet's gaps that are bounded all round, by material through its thickness or by the ground."""
    candidates = [*sheet.gaps, *_below(sheet)]
    if not candidates:
        return
    material = sheet.solid
    if touched:
        middle, half = (sheet.near + sheet.far) / 2, (sheet.far - sheet.near)
        depths = [middle + share * half for share in _SLICES]
        sections = [_section(whole, sheet, depth) for depth in depths]
        material = _polygons_of(shapely.intersection_all(sections))
    closed = _holes(_with_ground(material, sheet))
    for candidate in candidates:
        rest = shapely.difference(candidate, material) if touched else candidate
        for part in shapely.get_parts(_polygons_of(rest)):
            outline = shapely.Polygon(part.exterior)
            if part.area > TOUCH * TOUCH and _lies_in(outline, closed):
                yield candidate if abs(part.area - candidate.area) < LAP else outline


def _below(sheet: _Sheet) -> tuple[shapely.Polygon, ...]:
    """The space between the ground and a wall that starts above it."""
    if sheet.kind == "floor" or not sheet.solid.area:
        return ()
    left, low, right, _ = sheet.solid.bounds
    return (shapely.box(left, 0, right, low),) if low > TOUCH else ()


def _with_ground(material: BaseGeometry, sheet: _Sheet) -> BaseGeometry:
    if sheet.kind == "floor":
        return material
    left, _, right, _ = sheet.extent.bounds
    return shapely.union(material, shapely.box(left - 1, -1, right + 1, 0))


def _holes(material: BaseGeometry) -> BaseGeometry:
    rings = [ring for part in shapely.get_parts(material) for ring in part.interiors]
    return shapely.union_all([shapely.Polygon(ring) for ring in rings])


def _lies_in(gap: shapely.Polygon, closed: BaseGeometry) -> bool:
    return bool(shapely.difference(gap, shapely.buffer(closed, LAP)).area < WELD)


def _numbered(openings: Iterable[Opening]) -> Iterator[Opening]:
    """Openings with ids from 1, walls' before floors'."""
    ordered = sorted(openings, key=lambda opening: opening.kind == "floor")
    for number, opening in enumerate(ordered, start=1):
        yield Opening(
            number, opening.kind, opening.origin, opening.along, opening.up, opening.outline, opening.near, opening.far
        )

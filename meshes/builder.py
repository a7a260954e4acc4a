"""Walls, floors, blocks and prisms united into one closed piece that knows its openings and its cores."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import manifold3d
import numpy as np
import shapely
import shapely.affinity
import trimesh
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array, Plate
from deadground.geometry.units import GAP_LEAST, GAP_SIDE, LAP, PARALLEL, TOUCH, WELD
from deadground.meshes.frames import Frame, Window
from deadground.meshes.joints import Joint, joint
from deadground.meshes.outlines import exact_gaps
from deadground.meshes.parts import LARGEST, Block, Floor, Hole, Part, Prism, Wall
from deadground.meshes.piece import Opening, Piece
from deadground.meshes.solid import from_manifold, prism, tidy, to_manifold

__all__ = ["MOST_PARTS", "Block", "Floor", "Hole", "Part", "Prism", "Wall", "build"]

MOST_PARTS = 200
"""Parts of one piece: that many walls that all cross each other take half a minute, an orderly building a second."""

_X, _Y, _Z = np.eye(3)
_MOST_DIAGONALS = 8  # a prism with more corners gets chords between every few of them
_OWN = 0.25  # share of a gap's rim that its wall's own edges make up, as much as detection asks for
_EVERYWHERE = (-10 * LARGEST, -10 * LARGEST, 10 * LARGEST)
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
    whose base is above the ground, over a broken top, or beside a wall's end: what a floor or a beam spans, so that one
    sees through between material all round, is a gap of the wall that bounds it. Openings count from 1: those cut in
    walls, in order, then those that other parts close, then floors' holes.

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
    found = [opening for sheet, touched in sheets for opening in _openings(whole, sheet, touched)]
    walls = [sheet for sheet, touched in sheets if touched and sheet.kind == "wall" and _is_spanned(bodies, sheet)]
    found += _spanned(whole, walls, found)
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


def _is_spanned(bodies: Sequence[_Body], sheet: _Sheet) -> bool:
    """Whether some other part in a wall's plane is off the ground, or has gaps of its own."""
    for body in bodies:
        raised = body.solid.bounding_box()[2] > TOUCH or (body.sheet is not None and body.sheet.gaps)
        if body.sheet is sheet or body.solid.is_empty() or not raised:
            continue
        box = np.array(body.solid.bounding_box()).reshape(2, 3)
        depths = [(np.array([x, y, 0.0]) - sheet.origin) @ sheet.normal for x in box[:, 0] for y in box[:, 1]]
        if min(depths) <= sheet.far + GAP_SIDE and max(depths) >= sheet.near - GAP_SIDE:
            return True
    return False


def _spanned(whole: manifold3d.Manifold, walls: Sequence[_Sheet], known: Sequence[Opening]) -> list[Opening]:
    """What else other parts close round walls, seen straight through: gaps under a beam or a floor, each once."""
    found = [opening for opening in known if opening.kind == "wall"]
    own = len(found)
    places = [_ball(opening) for opening in found]
    for sheet in walls:
        for outline in _seen_through(whole, sheet):
            opening = Opening(0, "wall", sheet.origin, sheet.along, sheet.up, outline, sheet.near, sheet.far)
            ball = _ball(opening)
            off = np.array(places).reshape(-1, 4) - ball
            near = np.flatnonzero(np.linalg.norm(off[:, :3], axis=1) < off[:, 3] + 2 * ball[3])
            if not any(_same(opening, found[number]) for number in near):
                found.append(opening)
                places.append(ball)
    return found[own:]


def _ball(opening: Opening) -> Array:
    """(4,) x, y, z and radius of a ball around an opening."""
    left, low, right, high = opening.outline.bounds
    return np.append(opening.centre, math.hypot(right - left, high - low, opening.far - opening.near))


def _seen_through(whole: manifold3d.Manifold, sheet: _Sheet) -> Iterator[shapely.Polygon]:
    """Outlines in a wall's frame that material and the ground enclose, and that its own edges bound in good part."""
    frame = Frame(float(np.arctan2(sheet.normal[1], sheet.normal[0])))
    shift = frame.coordinates(sheet.origin[None])[0]
    box = np.array(whole.bounding_box()).reshape(2, 3)
    across = np.array([[x, y, 0.0] for x in box[:, 0] for y in box[:, 1]]) @ frame.along
    low, high = (float(across.min()) - 1, 0.0), (float(across.max()) + 1, float(box[1, 2]) + 1)
    near, far = sheet.near + shift[2] - GAP_SIDE, sheet.far + shift[2] + GAP_SIDE
    for gap in exact_gaps(whole, Window(frame, low, high, near, far, grounded=True)):
        outline = shapely.simplify(shapely.affinity.translate(gap, -shift[0], -shift[1]), WELD)
        if not outline.buffer(-GAP_LEAST / 2).is_empty and _bounded(outline, sheet):
            yield outline


def _bounded(outline: shapely.Polygon, sheet: _Sheet) -> bool:
    """Whether a wall's own edges make up a good part of what bounds a gap, the ground left out."""
    rim = shapely.difference(outline.exterior, shapely.box(*_EVERYWHERE, TOUCH))
    own = shapely.intersection(rim, shapely.buffer(sheet.solid, TOUCH))
    return bool(own.length > _OWN * rim.length)


def _same(one: Opening, other: Opening) -> bool:
    """Whether a gap is, or holds a part of, one that is known: seen from its wall it lies in that one's place."""
    reach = (one.far - one.near + other.far - other.near) / 2
    points = shapely.get_coordinates(one.outline)
    places = one.origin + points[:, :1] * one.along + points[:, 1:] * one.up
    seen = (places - other.origin) @ np.column_stack([other.along, other.up, other.normal])
    middle = float(seen[:, 2].mean()) - (other.near + other.far) / 2
    return abs(middle) < reach and _share(shapely.make_valid(shapely.Polygon(seen[:, :2])), other.outline)


def _numbered(openings: Iterable[Opening]) -> Iterator[Opening]:
    """Openings with ids from 1, walls' before floors'."""
    ordered = sorted(openings, key=lambda opening: opening.kind == "floor")
    for number, opening in enumerate(ordered, start=1):
        yield Opening(
            number, opening.kind, opening.origin, opening.along, opening.up, opening.outline, opening.near, opening.far
        )

"""Built pieces: always closed, volumes as computed by hand, openings known, cores in material."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from deadground.meshes.builder import MOST_PARTS, Block, Floor, Hole, Prism, Wall, build
from deadground.meshes.piece import Opening, Piece
from deadground.meshes.solid import is_closed, volume

WALL = Wall((0, 0), (8, 0), 6, 0.25)
WINDOW = Hole(2, 1, 1, 2.5)
SQUARE = ((0.0, 0.0), (8.0, 0.0), (8.0, 6.0), (0.0, 6.0))


def winding(piece: Piece, points: np.ndarray) -> np.ndarray:
    """(n,) how often the surface goes round each point: 1 inside, 0 outside (van Oosterom and Strackee 1983)."""
    found = np.empty(len(points))
    for number, point in enumerate(points):
        a, b, c = (piece.mesh.triangles - point).transpose(1, 0, 2)
        la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
        above = np.einsum("ij,ij->i", a, np.cross(b, c))
        dots = [(np.einsum("ij,ij->i", v, w), n) for v, w, n in ((a, b, lc), (b, c, la), (c, a, lb))]
        found[number] = np.arctan2(above, la * lb * lc + sum(dot * n for dot, n in dots)).sum() / (2 * math.pi)
    return found


def core_points(piece: Piece, seed: int, each: int = 12) -> np.ndarray:
    """(n, 3) random points of every core."""
    rng = np.random.default_rng(seed)
    points = []
    for core in piece.cores:
        low_u, low_v, high_u, high_v = core.polygon.bounds
        flat = rng.uniform((low_u, low_v), (high_u, high_v), (each, 2))
        flat = flat[shapely.contains_xy(shapely.buffer(core.polygon, -1e-5), flat[:, 0], flat[:, 1])]
        points.append(core.origin + flat[:, :1] * core.along + flat[:, 1:] * core.up)
    return np.vstack(points)


def span(opening: Opening) -> tuple[float, float, float]:
    return opening.sill, opening.head, opening.width


# --- single parts ----------------------------------------------------------------------------------------------------


def test_a_plain_wall_is_a_box() -> None:
    piece = build([WALL])
    assert is_closed(piece.mesh)
    assert volume(piece.mesh) == pytest.approx(8 * 6 * 0.25, abs=1e-12)
    assert len(piece.mesh.faces) == 12
    assert piece.openings == ()


def test_a_wall_ends_flush_with_its_points() -> None:
    assert build([WALL]).mesh.bounds.tolist() == [[0, -0.125, 0], [8, 0.125, 6]]


def test_a_window_takes_its_volume_away() -> None:
    piece = build([replace(WALL, openings=(WINDOW,))])
    assert is_closed(piece.mesh)
    assert volume(piece.mesh) == pytest.approx((48 - 1.5) * 0.25, abs=1e-12)
    assert [span(opening) for opening in piece.openings] == [(1, 2.5, 1)]
    assert piece.openings[0].centre.tolist() == pytest.approx([2, 0, 1.75])


def test_a_door_is_bounded_by_the_ground() -> None:
    (door,) = build([replace(WALL, openings=(Hole(5, 1.2, 0, 2.4),))]).openings
    assert span(door) == pytest.approx((0, 2.4, 1.2))


def test_an_arch_stays_within_its_tolerance_and_touches_its_head() -> None:
    (arch,) = build([replace(WALL, openings=(Hole(5, 1.2, 0, 2.4, "arch"),))]).openings
    assert span(arch) == pytest.approx((0, 2.4, 1.2))
    assert 0 <= 1.2 * 1.8 + math.pi * 0.6**2 / 2 - arch.area < 0.0005 * math.pi * 0.6


@pytest.mark.parametrize("head", [6.0, 6.5, 5.9995])
def test_an_opening_that_reaches_the_top_is_a_notch(head: float) -> None:
    piece = build([replace(WALL, openings=(Hole(4, 1, 1, head),))])
    assert piece.openings == ()
    assert volume(piece.mesh) == pytest.approx((48 - 5) * 0.25, abs=1e-12)


def test_an_opening_above_a_broken_top_is_a_notch() -> None:
    broken = replace(WALL, height=None, top=((0, 6), (3, 6), (4, 4), (8, 4)), openings=(Hole(6, 1, 3, 5), WINDOW))
    piece = build([broken])
    assert [span(opening) for opening in piece.openings] == [(1, 2.5, 1)]
    assert volume(piece.mesh) == pytest.approx((18 + 5 + 16 - 1.5 - 1) * 0.25)


def test_a_broken_top_may_step_and_touch_down() -> None:
    stepped = Wall((0, 0), (8, 0), None, 0.5, top=((0, 2), (4, 2), (4, 0), (5, 0), (5, 3)))
    piece = build([stepped])
    assert is_closed(piece.mesh)
    assert volume(piece.mesh) == pytest.approx((8 + 9) * 0.5)
    assert piece.mesh.body_count == 2


def test_an_opening_at_the_foot_of_a_floating_wall_is_a_notch() -> None:
    piece = build([replace(WALL, base=2, openings=(Hole(4, 1, 2, 3),))])
    assert piece.openings == ()
    assert volume(piece.mesh) == pytest.approx((32 - 1) * 0.25)


def test_an_opening_at_the_end_of_a_wall_is_a_notch() -> None:
    assert build([replace(WALL, openings=(Hole(0.5, 1, 1, 3),))]).openings == ()


def test_overlapping_openings_are_one() -> None:
    (gap,) = build([replace(WALL, openings=(Hole(2, 1, 1, 2), Hole(2.5, 1, 1.5, 3)))]).openings
    assert span(gap) == pytest.approx((1, 3, 1.5))
    assert gap.area == pytest.approx(1 + 1.5 - 0.25)


def test_openings_count_in_the_order_of_the_parts() -> None:
    wall = replace(WALL, openings=(Hole(6, 1, 1, 2), Hole(2, 1, 1, 2)))
    floor = Floor(SQUARE, 3, 0.2, holes=(((1, 1), (2, 1), (2, 2), (1, 2)),))
    piece = build([floor, wall, Wall((0, 6), (8, 6), 5, 0.25, openings=(WINDOW,))])
    assert [opening.id for opening in piece.openings] == [1, 2, 3, 4]
    assert [opening.kind for opening in piece.openings] == ["wall", "wall", "wall", "floor"]
    assert [round(float(opening.centre[0]), 6) for opening in piece.openings[:2]] == [6, 2]


def test_a_hole_in_a_floor_is_an_opening() -> None:
    piece = build([Floor(SQUARE, 3, 0.2, holes=(((1, 1), (2, 1), (2, 2), (1, 2)),))])
    (hole,) = piece.openings
    assert hole.kind == "floor"
    assert span(hole) == pytest.approx((2.8, 3, 1))
    assert volume(piece.mesh) == pytest.approx(47 * 0.2)


def test_a_hole_at_a_floors_edge_is_none() -> None:
    piece = build([Floor(SQUARE, 3, 0.2, holes=(((0, 1), (2, 1), (2, 2), (0, 2)),))])
    assert piece.openings == ()
    assert volume(piece.mesh) == pytest.approx(46 * 0.2)


def test_blocks_and_prisms_have_the_volume_of_their_outline() -> None:
    assert volume(build([Block((4, 2, 2), (3, 3, 1))]).mesh) == pytest.approx(16)
    bent = Prism(((0, 0), (2, 0), (2, 0.5), (0.5, 0.5), (0.5, 2), (0, 2)), 5, base=1)
    assert volume(build([bent]).mesh) == pytest.approx(1.75 * 4)
    assert build([Block((4, 2, 2), (3, 3, 1))]).mesh.bounds.tolist() == [[1, 2, 1], [5, 4, 3]]


def test_an_outline_may_run_either_way_round() -> None:
    for outline in (SQUARE, SQUARE[::-1]):
        assert volume(build([Prism(outline, 2)]).mesh) == pytest.approx(96)


# --- parts together --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [30, 45, 60, 90, 120, 135, 170, 179.5])
def test_a_corner_is_mitred(degrees: float) -> None:
    turn = math.radians(degrees)
    for shift in (0.0, 0.31, 2.0):
        ends = [(8 * math.cos(shift), 8 * math.sin(shift)), (6 * math.cos(turn + shift), 6 * math.sin(turn + shift))]
        piece = build([Wall((0, 0), ends[0], 6, 0.25), Wall(ends[1], (0, 0), 6, 0.25)])
        plan = shapely.LineString([ends[0], (0, 0), ends[1]]).buffer(
            0.125, cap_style="flat", join_style="mitre", mitre_limit=9
        )
        assert is_closed(piece.mesh)
        assert piece.mesh.body_count == 1
        assert volume(piece.mesh) == pytest.approx(6 * plan.area, abs=1e-6)


@given(st.floats(0.02, 2 * math.pi - 0.02), st.floats(0, 6), st.floats(0.1, 0.6), st.floats(0.1, 0.6))
@settings(max_examples=60)
def test_no_corner_leaves_a_notch_between_its_walls(turn: float, shift: float, one: float, other: float) -> None:
    ends = [(8 * math.cos(a), 8 * math.sin(a)) for a in (shift, shift + turn)]
    piece = build([Wall((0, 0), ends[0], 6, one), Wall((0, 0), ends[1], 4, other)])
    inner = shapely.Point(0, 0).buffer(0.45 * min(one, other))  # a post at the corner, all in material
    ring = np.column_stack([np.array(inner.exterior.coords), np.full(len(inner.exterior.coords), 2.0)])
    outside = np.array([turn / 2 + shift + math.pi * side for side in (0, 1)])
    reflex = outside[1 if turn < math.pi else 0]
    away = np.cos(np.arctan2(ring[:, 1], ring[:, 0]) - reflex) > 0.9
    sharp = min(turn, 2 * math.pi - turn) < math.radians(100)  # a blunt corner's tip is nearer than the post's rim
    keep = away & sharp if turn else away
    assert is_closed(piece.mesh)
    assert (winding(piece, np.array([[0.0, 0.0, 1.0]])) > 0.4).all()
    assert (winding(piece, ring[keep] * 0.99) > 0.4).all()


def test_walls_that_go_straight_on_are_one_body() -> None:
    for shift in (0.0, 0.7):
        c, s = math.cos(shift), math.sin(shift)
        halves = [Wall((0, 0), (4 * c, 4 * s), 6, 0.25), Wall((4 * c, 4 * s), (8 * c, 8 * s), 6, 0.25)]
        piece = build(halves)
        assert volume(piece.mesh) == pytest.approx(12, abs=1e-6)
        assert piece.mesh.body_count == 1


def test_the_end_of_a_wall_on_anothers_line_leaves_no_gap() -> None:
    piece = build([WALL, Wall((4, 0), (4, 5), 6, 0.25)])
    assert volume(piece.mesh) == pytest.approx((8 + 5 - 0.125) * 0.25 * 6)
    assert piece.mesh.body_count == 1


def test_walls_at_different_heights_over_one_point_are_not_joined() -> None:
    piece = build([replace(WALL, height=2), Wall((0, 0), (0, 5), 6, 0.25, base=3)])
    assert volume(piece.mesh) == pytest.approx(8 * 0.25 * 2 + 5 * 0.25 * 3)


def test_parts_that_only_touch_become_one_body() -> None:
    stack = [Block((2, 2, 0.1), (0, 0, 0.1 * k)) for k in range(7)]
    assert build(stack).mesh.body_count == 1
    assert volume(build(stack).mesh) == pytest.approx(2.8)


def test_a_storey_on_a_floor_has_a_door_above_the_ground() -> None:
    floor = Floor(((0, -0.2), (8, -0.2), (8, 5), (0, 5)), 3, 0.2)
    upper = replace(WALL, base=3, openings=(Hole(2, 1, 3, 5),))
    (door,) = build([replace(WALL, height=3), floor, upper]).openings
    assert span(door) == pytest.approx((3, 5, 1))


def test_the_space_under_a_beam_is_a_gap() -> None:
    beam = replace(WALL, base=3)
    posts = [Wall((x, -1), (x, 1), 6, 0.25) for x in (0, 8)]
    (gap,) = build([beam, *posts]).openings
    assert span(gap) == pytest.approx((0, 3, 7.75))
    assert build([beam, posts[0]]).openings == ()


def test_a_wall_across_a_window_splits_it() -> None:
    gaps = build([replace(WALL, openings=(Hole(4, 2, 1, 3),)), Wall((4, -2), (4, 2), 6, 0.5)]).openings
    assert [span(gap) for gap in gaps] == [pytest.approx((1, 3, 0.75))] * 2


def test_a_floor_that_ends_inside_the_wall_leaves_its_window_whole() -> None:
    (gap,) = build([replace(WALL, openings=(Hole(4, 1, 2, 5),)), Floor(SQUARE, 3, 0.2)]).openings
    assert span(gap) == (2, 5, 1)


def test_an_opening_that_another_part_fills_is_none() -> None:
    assert build([replace(WALL, openings=(WINDOW,)), Block((2, 1, 3), (2, 0, 0))]).openings == ()


# --- cores -----------------------------------------------------------------------------------------------------------


def test_cores_of_joined_walls_cross_each_other() -> None:
    piece = build([WALL, Wall((0, 0), (0, 5), 6, 0.25)])
    spans = [core.polygon.bounds for core in piece.cores]
    assert [bounds[0] for bounds in spans] == pytest.approx([-0.125, -0.125])


def test_the_core_of_a_mitred_wall_ends_where_its_material_does_though_the_other_wall_starts_with_a_gap() -> None:
    open_end = Wall((0, 0), (-2, -0.35), 5, 0.56, openings=(Hole(0.5, 1, 0, 6),))
    piece = build([open_end, Wall((0, 0), (1, 0), 5, 0.5)])
    assert winding(piece, core_points(piece, 1, each=200)).min() > 0.4


def test_a_walls_core_is_its_middle_less_its_openings() -> None:
    (core,) = build([replace(WALL, openings=(WINDOW,))]).cores
    assert core.polygon.area == pytest.approx(48 - 1.5)
    assert np.abs(core.normal @ [0, 1, 0]) == pytest.approx(1)


def test_a_block_has_five_cores_and_a_square_prism_three() -> None:
    assert len(build([Block((4, 2, 2), (0, 0, 0))]).cores) == 5
    assert len(build([Prism(SQUARE, 2)]).cores) == 3


# --- any piece -------------------------------------------------------------------------------------------------------

lengths = st.floats(0.2, 9, allow_nan=False)
shapes: st.SearchStrategy[Literal["rectangle", "arch"]] = st.sampled_from(["rectangle", "arch"])


@st.composite
def holes(draw: st.DrawFn, length: float) -> Hole:
    width = draw(st.floats(0.02, max(0.03, length / 2)))
    at = draw(st.just(width / 2) | st.floats(width / 2 + 0.01, length - width / 2 - 0.01))
    sill = draw(st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.01, 4))
    shape = draw(shapes)
    least = width / 2 if shape == "arch" else 0.05
    return Hole(at, width, sill, sill + least + draw(st.floats(0.01, 4)), shape)


@st.composite
def walls(draw: st.DrawFn, start: tuple[float, float] | None = None) -> Wall:
    start = start or (draw(st.floats(-5, 5)), draw(st.floats(-5, 5)))
    turn = draw(st.sampled_from([0, 90, 180, 270]) | st.floats(0, 360))
    length = draw(lengths)
    end = (start[0] + length * math.cos(math.radians(turn)), start[1] + length * math.sin(math.radians(turn)))
    height, base = draw(st.floats(4.5, 8)), draw(st.sampled_from([0.0, 0.0, 2.0]))
    wall = Wall(start, end, height, draw(st.floats(0.08, 0.6)), base=base)
    wanted = draw(st.lists(holes(wall.length), max_size=3))
    return replace(wall, openings=tuple(hole for hole in wanted if base < hole.head and hole.sill < height))


@st.composite
def pieces(draw: st.DrawFn) -> list[Wall | Floor | Block | Prism]:
    first = draw(walls())
    parts: list[Wall | Floor | Block | Prism] = [first]
    parts += draw(st.lists(walls(first.start) | walls(first.end) | walls(), max_size=3))
    if draw(st.booleans()):
        x, y = first.start
        square = ((x, y), (x + 5, y), (x + 5, y + 4), (x, y + 4))
        stair = ((x + 1, y + 1), (x + 2, y + 1), (x + 2, y + 2), (x + 1, y + 2))
        parts.append(Floor(square, draw(st.floats(1, 4)), 0.2, holes=(stair,)))
    if draw(st.booleans()):
        parts.append(
            Block((draw(lengths), 2, draw(st.floats(0.5, 4))), (*first.end, draw(st.sampled_from([0.0, 1.0]))))
        )
    return parts


@given(walls())
def test_volume_of_a_wall_less_its_openings_is_the_closed_form(wall: Wall) -> None:
    face = shapely.box(0, wall.base, wall.length, wall.top_line[0][1])
    cut = shapely.union_all([hole.outline for hole in wall.openings])
    piece = build([wall])
    assert is_closed(piece.mesh)
    assert volume(piece.mesh) == pytest.approx(shapely.difference(face, cut).area * wall.thickness, rel=1e-6, abs=1e-6)


@given(pieces(), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_any_piece_is_closed_and_its_cores_lie_in_material(
    parts: list[Wall | Floor | Block | Prism], seed: int
) -> None:
    piece = build(parts)
    assert is_closed(piece.mesh)
    assert volume(piece.mesh) <= sum(volume(build([part]).mesh) for part in parts) + _corners(parts)
    points = core_points(piece, seed)
    if len(points):
        assert winding(piece, points).min() > 0.4


def _corners(parts: list[Wall | Floor | Block | Prism]) -> float:
    """More than mitres can add."""
    ends = [part for part in parts if isinstance(part, Wall)]
    return 1e-6 + sum(4 * max(a.thickness, b.thickness) ** 2 * 8 for a, b in itertools.combinations(ends, 2))


@given(pieces(), st.floats(0, 360))
@settings(max_examples=30)
def test_turning_a_piece_changes_no_opening(parts: list[Wall | Floor | Block | Prism], degrees: float) -> None:
    straight = [part for part in parts if isinstance(part, Wall)]
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def turned(p: tuple[float, float]) -> tuple[float, float]:
        return c * p[0] - s * p[1], s * p[0] + c * p[1]

    piece = build(straight)
    other = build([replace(wall, start=turned(wall.start), end=turned(wall.end)) for wall in straight])
    assert volume(other.mesh) == pytest.approx(volume(piece.mesh), rel=1e-5, abs=1e-5)
    assert sum(gap.area for gap in other.openings) == pytest.approx(sum(gap.area for gap in piece.openings), abs=1e-3)


@given(walls())
def test_the_centre_of_a_listed_opening_is_free(wall: Wall) -> None:
    piece = build([wall])
    for opening in piece.openings:
        inside = shapely.Point(shapely.point_on_surface(opening.outline))
        point = opening.origin + inside.x * opening.along + inside.y * opening.up
        assert abs(winding(piece, point[None])[0]) < 0.01


# --- what cannot be built --------------------------------------------------------------------------------------------

NAN = float("nan")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hole(2, 0, 1, 2), r"^width: must be more than 0, is 0$"),
        (lambda: Hole(2, 1, 2, 1), r"^head: must be above the sill"),
        (lambda: Hole(NAN, 1, 1, 2), r"^at: must be a number"),
        (lambda: Hole(2, 2, 1, 1.5, "arch"), r"^head: an arch is at least half as high as wide"),
        (lambda: replace(WALL, openings=(WINDOW, Hole(8, 1, 1, 2))), r"^openings\[1\]\.at: .*within the wall"),
        (lambda: replace(WALL, openings=(Hole(4, 1, 6, 7),)), r"^openings\[0\]\.sill: must be below the wall's top"),
        (lambda: replace(WALL, base=3, openings=(WINDOW,)), r"^openings\[0\]\.head: must be above the wall's base"),
        (lambda: replace(WALL, thickness=-1), r"^thickness: must be more than 0"),
        (lambda: replace(WALL, thickness=0.0001), r"^thickness: must be at least 0.001 inches"),
        (lambda: replace(WALL, end=(0, 0)), r"^to: must lie apart"),
        (lambda: replace(WALL, end=(0, math.inf)), r"^to: must be a number"),
        (lambda: replace(WALL, height=None), r"^height: a wall needs"),
        (lambda: replace(WALL, base=7), r"^height: must be above the wall's base"),
        (lambda: replace(WALL, base=-1), r"^base: must not be below the ground"),
        (lambda: replace(WALL, top=((0, 3), (5, 3), (4, 3))), r"^top\[2\]: distances rise"),
        (lambda: replace(WALL, top=((0, 3), (9, 3))), r"^top\[1\]: distances rise"),
        (lambda: replace(WALL, top=()), r"^top: must rise above"),
        (lambda: replace(WALL, openings=(WINDOW,) * 300), r"^openings: at most 200 are allowed"),
        (lambda: Prism(((0, 0), (2, 2), (2, 0), (0, 2)), 3), r"^outline: must not cross or touch itself"),
        (lambda: Prism(((0, 0), (2, 2)), 3), r"^outline: needs at least 3 corners"),
        (lambda: Prism(((0, 0), (1, 1), (2, 2)), 3), r"^outline: "),
        (lambda: Prism(SQUARE, 1e9), r"^height: must be a number within 1000 inches"),
        (lambda: Floor(SQUARE, 3, 4), r"^thickness: reaches below the ground"),
        (lambda: Floor(SQUARE, 3, 1, holes=(((20, 20), (21, 20), (21, 21)),)), r"^holes\[0\]: must lie within"),
        (lambda: Block((1, 0, 1), (0, 0, 0)), r"^size\[1\]: must be more than 0"),
        (lambda: Block((1, 1, 1), (0, 0, -1)), r"^at\[2\]: must not be below the ground"),
        (lambda: build([]), r"^parts: a feature needs"),
        (lambda: build([WALL] * (MOST_PARTS + 1)), r"^parts: at most"),
        (lambda: build([replace(WALL, openings=(Hole(4, 8, 0, 9),))]), r"^parts: nothing is left"),
    ],
)
def test_what_cannot_be_built_names_its_key(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]

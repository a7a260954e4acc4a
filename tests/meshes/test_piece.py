"""Closing openings: plugs fill the gap and nothing else, faces close over, cores grow."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import shapely
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from deadground.geometry.facets import facets
from deadground.meshes.builder import Floor, Hole, Wall, build
from deadground.meshes.piece import Opening, Piece, plug
from deadground.meshes.solid import is_closed, prism, united, volume

WALL = Wall((0, 0), (8, 0), 6, 0.25)
WINDOW, DOOR, TALL = Hole(1.5, 1, 1, 2.5), Hole(4, 1.2, 0, 2.4, "arch"), Hole(6.5, 1, 2, 5)


def turned_ruin(degrees: float) -> Piece:
    """A corner of two walls with a window, an arched door and a tall window, and a floor with a stairwell."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def at(x: float, y: float) -> tuple[float, float]:
        return c * x - s * y + 0.3, s * x + c * y + 0.1

    long = Wall(at(0, 0), at(8, 0), 6, 0.25, openings=(WINDOW, DOOR))
    short = Wall(at(0, 0), at(0, 8), 6, 0.25, openings=(TALL,))
    outline = (at(0.125, 0.125), at(8, 0.125), at(8, 5), at(0.125, 5))
    stairs = (at(1, 1), at(2, 1), at(2, 2), at(1, 2))
    return build([long, short, Floor(outline, 2.8, 0.2, holes=(stairs,))])


def facet_count(mesh: trimesh.Trimesh) -> int:
    return int(facets(np.asarray(mesh.triangles), np.asarray(mesh.faces)).max()) + 1


def filled(piece: Piece, heights: dict[int, float]) -> float:
    """Volume that plugs up to these heights add."""
    chosen = [opening for opening in piece.openings if opening.id in heights]
    return sum(gap.closed_part(heights[gap.id]).area * (gap.far - gap.near) for gap in chosen)


@pytest.mark.parametrize("degrees", [0, 21, 45, 90, 200])
@pytest.mark.parametrize("height", [0.5, 2.0, 3.0, math.inf])
def test_closing_adds_the_gaps_volume_and_nothing_else(degrees: float, height: float) -> None:
    piece = turned_ruin(degrees)
    heights = {opening.id: height for opening in piece.openings}
    closed = piece.closed(heights)
    assert is_closed(closed.mesh)
    assert volume(closed.mesh) == pytest.approx(volume(piece.mesh) + filled(piece, heights), abs=1e-6)
    assert closed.mesh.bounds == pytest.approx(piece.mesh.bounds, abs=1e-9)
    assert closed.openings == piece.openings


@pytest.mark.parametrize("degrees", [0, 21, 45])
def test_a_walls_faces_close_over(degrees: float) -> None:
    turn = math.radians(degrees)
    wall = replace(WALL, end=(8 * math.cos(turn), 8 * math.sin(turn)), openings=(WINDOW, DOOR, TALL))
    piece = build([wall])
    closed = piece.closed({1: math.inf, 2: math.inf, 3: math.inf})
    assert facet_count(closed.mesh) == 6
    assert volume(closed.mesh) == pytest.approx(12, abs=1e-6)


def test_a_gap_closed_in_part_keeps_its_reveals_above() -> None:
    closed = build([replace(WALL, openings=(TALL,))]).closed({1: 3.0})
    assert facet_count(closed.mesh) == 10
    assert volume(closed.mesh) == pytest.approx((48 - 2) * 0.25, abs=1e-6)


def test_closing_nothing_changes_nothing() -> None:
    piece = build([replace(WALL, openings=(WINDOW,))])
    assert piece.closed({}) is piece
    assert piece.closed({1: 0.5}) is piece
    assert piece.closed({1: -math.inf}) is piece
    assert plug(piece.openings[0], 1.0) is None


def test_a_plug_keeps_within_the_wall_and_under_its_height() -> None:
    piece = turned_ruin(0)
    body = plug(piece.openings[0], 2.0)
    assert body is not None
    assert is_closed(body)
    assert body.bounds[:, 1] == pytest.approx([0.1 - 0.125, 0.1 + 0.125], abs=1e-12)
    assert body.bounds[1, 2] == 2.0


def test_a_doors_plug_stands_on_the_ground() -> None:
    body = plug(build([replace(WALL, openings=(DOOR,))]).openings[0], math.inf)
    assert body is not None
    assert body.bounds[0, 2] == 0


def test_a_floors_hole_is_filled_whole_or_not_at_all() -> None:
    square = ((0, 0), (8, 0), (8, 6), (0, 6))
    piece = build([Floor(square, 3, 0.2, holes=(((1, 1), (2, 1), (2, 2), (1, 2)),))])
    assert piece.closed({1: 2.7}) is piece
    closed = piece.closed({1: 2.9})
    assert volume(closed.mesh) == pytest.approx(48 * 0.2)
    assert facet_count(closed.mesh) == 6
    assert closed.cores[0].polygon.area == pytest.approx(48)


def test_an_unknown_opening_is_an_error() -> None:
    with pytest.raises(KeyError):
        build([WALL]).closed({1: 3.0})


def test_cores_grow_by_what_is_filled() -> None:
    piece = build([replace(WALL, openings=(WINDOW, TALL))])
    (core,) = piece.closed({1: math.inf, 2: 3.0}).cores
    assert core.polygon.area == pytest.approx(48 - 2, abs=1e-4)
    assert isinstance(core.polygon, shapely.Polygon)
    assert len(core.polygon.interiors) == 1


def test_a_plug_without_a_core_in_its_plane_brings_its_own() -> None:
    piece = replace(build([replace(WALL, openings=(WINDOW,))]), cores=())
    (core,) = piece.closed({1: 2.0}).cores
    assert core.polygon.area == pytest.approx(1, abs=1e-4)
    assert core.origin @ [0, 1, 0] == pytest.approx(0)


def test_an_open_mesh_gets_its_plugs_as_bodies_of_their_own() -> None:
    piece = build([replace(WALL, openings=(WINDOW,))])
    torn = trimesh.Trimesh(piece.mesh.vertices, piece.mesh.faces[1:], process=False)
    closed = replace(piece, mesh=torn).closed({1: math.inf})
    assert len(closed.mesh.faces) == len(torn.faces) + 12
    assert closed.mesh.body_count == 2


def test_a_loaded_wall_is_closed_like_a_built_one() -> None:
    """Its opening is known from elsewhere, and its frame is not the builder's."""
    mesh = united([build([replace(WALL, openings=(WINDOW,))]).mesh])
    backwards = Opening(
        7,
        "wall",
        np.array([0.0, -0.125, 0.0]),
        np.array([-1.0, 0.0, 0.0]),
        np.array([0.0, 0.0, 1.0]),
        shapely.box(-2, 1, -1, 2.5),
        0.0,
        0.25,
    )
    closed = Piece(mesh, (backwards,)).closed({7: math.inf})
    assert volume(closed.mesh) == pytest.approx(12, abs=1e-6)
    assert facet_count(closed.mesh) == 6


@given(
    st.floats(0, 360), st.floats(0.02, 3), st.floats(0, 3), st.floats(0.05, 3), st.floats(0.1, 6), st.floats(0.05, 0.6)
)
@settings(max_examples=60)
def test_no_line_passes_a_closed_gap(
    degrees: float, width: float, sill: float, high: float, limit: float, thickness: float
) -> None:
    turn = math.radians(degrees)
    along = np.array([math.cos(turn), math.sin(turn), 0])
    head = min(sill + high, 5.9)
    wall = Wall((0, 0), (8 * along[0], 8 * along[1]), 6, thickness, openings=(Hole(4, width, sill, head),))
    piece = build([wall])
    closed = piece.closed({1: limit})
    cut = max(0.0, min(limit, head) - sill) * width
    assert is_closed(closed.mesh)
    assert volume(closed.mesh) == pytest.approx((48 - width * (head - sill) + cut) * thickness, abs=1e-5)
    across = np.array([along[1], -along[0], 0])
    heights = np.array([h for h in np.linspace(sill, head, 7)[1:-1] if abs(h - limit) > 1e-4])
    if len(heights):
        starts = 4.001 * along + np.outer(heights, [0, 0, 1]) - across
        hit = closed.mesh.ray.intersects_any(starts, np.tile(across, (len(heights), 1)))
        assert hit.tolist() == (heights < limit).tolist()


def test_prisms_with_holes_are_closed_and_measured() -> None:
    hole = shapely.Point(0.3, 0).buffer(1).exterior.coords
    ring = shapely.Polygon(shapely.Point(0, 0).buffer(2).exterior.coords, [hole])
    mesh = prism(ring, np.zeros(3), np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), 1, 3)
    assert is_closed(mesh)
    assert volume(mesh) == pytest.approx(2 * ring.area)


def test_what_is_not_closed_cannot_be_united() -> None:
    box = trimesh.creation.box()
    torn = trimesh.Trimesh(box.vertices, box.faces[1:], process=False)
    assert not is_closed(torn)
    with pytest.raises(ValueError, match="not a closed mesh"):
        united([box, torn])
    with pytest.raises(ValueError, match="nothing to unite"):
        united([])

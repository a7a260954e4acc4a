from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import shapely
import trimesh

from deadground.meshes.columns import head_room, material_above, material_between, section
from deadground.meshes.surfaces import Surface, fits, surfaces


def box(size, at) -> trimesh.Trimesh:
    """A box; `at` is the middle of its underside."""
    mesh: trimesh.Trimesh = trimesh.creation.box(size)
    mesh.apply_translation((at[0], at[1], at[2] + size[2] / 2))
    return mesh


def joined(*meshes) -> trimesh.Trimesh:
    mesh = trimesh.util.concatenate(list(meshes))
    assert isinstance(mesh, trimesh.Trimesh)
    return mesh


def flat(width: float, depth: float) -> Surface:
    outline = shapely.box(0, 0, width, depth)
    return Surface(1.0, 1.0, outline, np.zeros((0, 3, 3)))


def test_a_box_has_one_surface_on_its_top():
    (top,) = surfaces(box((4, 2, 3), (1, 1, 0)))
    assert top.height == 3
    assert top.area == pytest.approx(8)
    assert top.level


def test_the_surfaces_of_a_table_and_a_crate_are_told_apart_lowest_first():
    found = surfaces(joined(box((4, 2, 3), (0, 0, 0)), box((1, 1, 1), (8, 0, 0)), box((1, 1, 1), (10, 0, 0))))
    assert [surface.height for surface in found] == [1, 1, 3]


def test_a_hole_in_a_floor_is_kept_and_filled_on_request():
    outline = shapely.Polygon(shapely.box(0, 0, 6, 6).exterior, [shapely.box(2, 2, 4, 4).exterior])
    mesh = trimesh.creation.extrude_polygon(outline, 3)
    (top,) = surfaces(mesh)
    assert top.area == pytest.approx(32)
    assert top.filled.area == pytest.approx(36)


def test_a_ramp_is_a_slope_and_a_cliff_is_none():
    ramp = trimesh.convex.convex_hull(
        np.array([(0, 0, 0), (4, 0, 0), (0, 2, 0), (4, 2, 0), (4, 0, 2), (4, 2, 2)], dtype=float)
    )
    (slope,) = surfaces(ramp)
    assert (slope.low, slope.height) == (0, 2)
    assert not slope.level
    cliff = trimesh.convex.convex_hull(
        np.array([(0, 0, 0), (1, 0, 0), (0, 2, 0), (1, 2, 0), (1, 0, 4), (1, 2, 4)], dtype=float)
    )
    assert surfaces(cliff) == ()


def test_a_floor_that_wavers_by_less_than_a_snap_is_level():
    corners = [(x, y, 1 + 0.02 * ((x + y) % 2)) for x in range(5) for y in range(5)]
    triangles = []
    for x in range(4):
        for y in range(4):
            a, b, c, d = x * 5 + y, (x + 1) * 5 + y, (x + 1) * 5 + y + 1, x * 5 + y + 1
            triangles += [(a, b, c), (a, c, d)]
    (floor,) = surfaces(trimesh.Trimesh(corners, triangles, process=False))
    assert floor.level
    assert floor.height == pytest.approx(1.02)
    assert floor.area == pytest.approx(16)


@pytest.mark.parametrize(("radius", "held"), [(0.5, True), (0.5005, True), (0.51, False)])
def test_a_wall_top_holds_a_base_as_wide_as_itself(radius, held):
    assert flat(8, 1).holds(radius) is held


def test_bases_are_counted_side_by_side():
    assert fits(flat(4, 1), 1, 1) == 4
    assert fits(flat(4, 0.9), 1, 1) == 0
    assert fits(flat(2, 1), 2, 1) == 1
    assert fits(flat(1, 2), 2, 1) == 1
    assert 14 <= fits(flat(4, 4), 1, 1) <= 16


def test_head_room_is_measured_to_the_lowest_thing_above():
    hall = joined(box((6, 6, 0.2), (0, 0, 3)), box((1, 1, 0.5), (2, 2, 2.5)))
    assert head_room(hall, shapely.Point(0, 0).buffer(0.5), 0) == pytest.approx(3)
    assert head_room(hall, shapely.Point(2, 2).buffer(0.5), 0) == pytest.approx(2.5)
    assert head_room(hall, shapely.Point(0, 0).buffer(0.5), 3.2) == math.inf
    assert head_room(hall, shapely.Point(-3.5, 0).buffer(0.5), 0) == math.inf


def test_there_is_no_head_room_inside_a_wall():
    assert head_room(box((6, 1, 4), (0, 0, 0)), shapely.Point(0, 0).buffer(0.2), 0) == 0


def test_material_between_two_heights_is_seen_from_above():
    hall = joined(box((6, 6, 0.2), (0, 0, 3)), box((0.5, 6, 3), (0, 0, 0)))
    assert material_between(hall, 0, 3).area == pytest.approx(3)
    assert material_between(hall, 0, 3.2).area == pytest.approx(36)
    assert material_above(hall, 3.1).area == pytest.approx(36)
    assert material_above(hall, 3.2).is_empty


def test_a_section_knows_a_room_from_a_wall():
    walls = trimesh.creation.extrude_polygon(
        shapely.Polygon(shapely.box(0, 0, 6, 6).exterior, [shapely.box(1, 1, 5, 5).exterior]), 3
    )
    assert section(walls, 1.5).area == pytest.approx(20)
    assert section(joined(box((2, 2, 2), (0, 0, 0)), box((2, 2, 2), (1, 0, 0))), 1).area == pytest.approx(6)


def test_the_floors_of_a_printed_building_are_found(data: Path):
    mesh = trimesh.load_mesh(data / "meshes" / "building_with_roof.stl")
    mesh.apply_scale(1 / 25.4)
    roomy = [surface for surface in surfaces(mesh) if surface.holds(16 / 25.4)]
    heights = {round(surface.height * 25.4, 2) for surface in roomy}
    assert {3.0, 53.0, 103.0, 153.0} <= heights

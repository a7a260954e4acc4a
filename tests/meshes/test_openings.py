"""Enclosed gaps of meshes: what is one, what is none, and how exactly it is told."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
import shapely
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.builder import Block, Floor, Hole, Part, Wall, build
from deadground.meshes.files import load
from deadground.meshes.ground import grain, levelling
from deadground.meshes.openings import find_openings, understand
from deadground.meshes.piece import Opening
from deadground.meshes.solid import from_manifold, to_manifold
from deadground.meshes.surfaces import surfaces
from tests.meshes.ruins import ruin
from tests.meshes.scans import (
    noisy,
    on_plate,
    refined,
    resurfaced,
    tilted,
    with_missing,
    with_outliers,
    without_underside,
)  # fmt: skip
from tests.meshes.scoring import matched

MODULE = 50.0  # mm to give pieces whose unit is a module


def figures(openings: tuple[Opening, ...]) -> np.ndarray:
    """Sorted rows of sill, head, width in mm."""
    rows = [[o.sill, o.head, o.width] for o in openings]
    return np.array(sorted(rows)).reshape(-1, 3) * MM_PER_INCH


def wall(*holes: Hole, thickness: float = 0.25) -> trimesh.Trimesh:
    return build([Wall((0, 0), (8, 0), 5.0, thickness, openings=holes)]).mesh


def framing(thickness: float) -> tuple[float, float, float]:
    """The size of a frame of 1.5 mm around a window of 1" x 1.2", so thick in mm."""
    return 1 + 3 / MM_PER_INCH, thickness / MM_PER_INCH, 1.2 + 3 / MM_PER_INCH


def less(mesh: trimesh.Trimesh, size: tuple[float, float, float], at: tuple[float, float, float]) -> trimesh.Trimesh:
    box = trimesh.creation.box(size, trimesh.transformations.translation_matrix(at))
    return from_manifold(to_manifold(mesh) - to_manifold(box))


def with_box(
    mesh: trimesh.Trimesh, size: tuple[float, float, float], at: tuple[float, float, float]
) -> trimesh.Trimesh:
    box = trimesh.creation.box(size, trimesh.transformations.translation_matrix(at))
    return from_manifold(to_manifold(mesh) + to_manifold(box))


def test_real_pieces_give_their_openings(data: Path) -> None:
    truth = tomllib.loads((data / "meshes" / "TRUTH.toml").read_text(encoding="utf-8"))
    for name, known in truth.items():
        if "openings" not in known:
            continue
        unit, scale = ("mm", MODULE) if known["units"] == "module" else (known["units"], 1.0)
        found = figures(find_openings(load(data / "meshes" / name, unit, known["up"], scale)))
        expected = np.array(sorted(known["openings"])).reshape(-1, 3) * scale
        assert found.shape == expected.shape, name
        assert np.abs(found - expected).max(initial=0) < 0.5, name


def test_a_window_is_told_exactly() -> None:
    (window,) = find_openings(wall(Hole(3, 1, 1.5, 2.7)))
    assert (window.kind, window.sure) == ("wall", True)
    assert [window.sill, window.head, window.width, window.area] == pytest.approx([1.5, 2.7, 1, 1.2], abs=1e-6)
    assert [window.near, window.far] == pytest.approx([-0.125, 0.125], abs=1e-6)
    assert window.centre == pytest.approx([3, 0, 2.1], abs=1e-6)
    assert abs(window.normal[1]) == pytest.approx(1)


def test_a_door_stands_on_the_ground() -> None:
    (door,) = find_openings(wall(Hole(3, 1, 0, 2.4, "arch")))
    assert [door.sill, door.head, door.width] == pytest.approx([0, 2.4, 1], abs=2e-3)


def test_a_notch_open_to_the_sky_is_none() -> None:
    assert find_openings(less(wall(), (1, 1, 3), (4, 0, 4.5))) == ()


def test_a_recess_is_none_however_thin_its_back() -> None:
    assert find_openings(less(wall(), (1, 0.2, 1), (4, 0.075, 2))) == ()


def test_a_closed_door_lying_on_the_wall_closes_it() -> None:
    doorway = wall(Hole(4, 1, 0, 2.4))
    assert find_openings(with_box(doorway, (1.2, 0.06, 2.6), (4, 0.15, 1.3))) == ()


@pytest.mark.parametrize("frame", [0.5, 1.2, 3.0])
@pytest.mark.parametrize("thickness", [3.1, 4.3, 6.0])
def test_a_window_with_a_frame_that_stands_out_is_told_by_its_hole(frame: float, thickness: float) -> None:
    """The frame may end outside every slab in which the wall lies."""
    framed = with_box(wall(thickness=thickness / MM_PER_INCH), framing(thickness + 2 * frame), (3, 0, 2.1))
    found = figures(find_openings(less(framed, (1, 1, 1.2), (3, 0, 2.1))))
    assert found == pytest.approx(np.array([[1.5, 2.7, 1]]) * MM_PER_INCH, abs=0.05)


def test_a_mesh_whose_faces_disagree_is_seen_through_like_one_whose_faces_agree() -> None:
    framed = with_box(wall(thickness=4.3 / MM_PER_INCH), framing(4.3 + 2.4), (3, 0, 2.1))
    mesh = refined(less(framed, (1, 1, 1.2), (3, 0, 2.1)), 4)
    turned = np.random.default_rng(1).random(len(mesh.faces)) < 0.05
    mixed = trimesh.Trimesh(mesh.vertices, np.where(turned[:, None], mesh.faces[:, ::-1], mesh.faces), process=False)
    assert not mixed.is_winding_consistent
    assert figures(find_openings(mixed)) == pytest.approx(figures(find_openings(mesh)), abs=0.3)


def test_a_pinhole_is_none_and_a_bullet_hole_is_one() -> None:
    assert find_openings(wall(Hole(4, 0.7 / MM_PER_INCH, 2, 2 + 0.7 / MM_PER_INCH))) == ()
    assert len(find_openings(wall(Hole(4, 1.5 / MM_PER_INCH, 2, 2 + 1.5 / MM_PER_INCH)))) == 1


def test_panes_with_thin_bars_between_are_gaps_of_their_own() -> None:
    panes = [Hole(3 + i * 3.4 / MM_PER_INCH, 3 / MM_PER_INCH, 2, 2.5) for i in range(5)]
    assert len(find_openings(wall(*panes))) == 5


def test_a_roofed_room_has_no_gap_but_its_door() -> None:
    corners = [(0, 0), (4, 0), (4, 3), (0, 3)]
    sides = [Wall(corners[i], corners[(i + 1) % 4], 3.0, 0.2) for i in range(3)]
    front = Wall(corners[3], corners[0], 3.0, 0.2, openings=(Hole(1.5, 0.9, 0, 1.5),))
    roof = Floor(((-0.1, -0.1), (4.1, -0.1), (4.1, 3.1), (-0.1, 3.1)), 3.1, 0.15)
    (door,) = find_openings(build([*sides, front, roof]).mesh)
    assert [door.sill, door.head, door.width] == pytest.approx([0, 1.5, 0.9], abs=1e-5)


def test_a_stairwell_is_a_hole_in_its_floor() -> None:
    hole = ((1, 1), (2, 1), (2, 2.5), (1, 2.5))
    floor = Floor(((0, 0), (5, 0), (5, 4), (0, 4)), 3.0, 0.2, (hole,))
    walls = [Wall((0, 0), (5, 0), 5.0, 0.2), Wall((0, 0), (0, 4), 5.0, 0.2)]
    (well,) = find_openings(build([*walls, floor]).mesh)
    assert (well.kind, well.sure) == ("floor", True)
    assert [well.sill, well.head] == pytest.approx([2.8, 3.0], abs=1e-6)
    assert well.outline.symmetric_difference(shapely.Polygon(hole)).area < 1e-6


def test_a_built_piece_gives_the_openings_that_its_builder_knows() -> None:
    holes = (Hole(2, 1, 1, 2.5), Hole(5, 1.2, 0, 2.4, "arch"), Hole(2, 0.5, 3.2, 4))
    piece = build(
        [
            Wall((0, 0), (8, 0), 6.0, 0.25, openings=holes),
            Wall((8, 0), (10, 5), 6.0, 0.25, openings=(Hole(2.5, 1, 1, 2),)),
        ]
    )
    found = find_openings(piece.mesh)
    assert figures(found) == pytest.approx(figures(piece.openings), abs=1e-4)


def test_walls_a_few_degrees_askew_each_give_their_openings() -> None:
    door = Wall((0, 0), (9, 0), 5.0, 0.4, openings=(Hole(2, 0.9, 0, 2.1),))
    piece = build([door, Wall((3, -1), (9, -1.45), 6.4, 0.08)])
    assert len(piece.openings) == 1
    assert figures(find_openings(piece.mesh)) == pytest.approx(figures(piece.openings), abs=1e-4)


@pytest.mark.parametrize("floor", [2.65, 2.66, 2.667, 2.675])
def test_a_floor_through_a_wall_parts_its_slit_wherever_its_underside_lies(floor: float) -> None:
    slit = Wall((0, 0), (8, 0), 5.5, 0.4, openings=(Hole(4, 0.07, 0.95, floor + 0.15),))
    piece = build([slit, Floor(((-1, -1), (9, -1), (9, 2), (-1, 2)), floor, 0.2)])
    assert len(piece.openings) == 2
    assert figures(find_openings(piece.mesh)) == pytest.approx(figures(piece.openings), abs=1e-4)


def test_openings_do_not_hang_on_the_order_of_triangles() -> None:
    mesh = ruin(14).mesh
    rng = np.random.default_rng(1)
    order = rng.permutation(len(mesh.vertices))
    place = np.argsort(order)
    shuffled = trimesh.Trimesh(mesh.vertices[order], rng.permutation(place[mesh.faces]), process=False)
    one, other = find_openings(mesh), find_openings(shuffled)
    assert [o.id for o in one] == list(range(1, len(one) + 1))
    assert [o.centre for o in other] == pytest.approx(np.array([o.centre for o in one]), abs=1e-5)


@settings(max_examples=5)
@given(st.floats(0, 2 * np.pi))
def test_turning_a_piece_turns_its_openings(angle: float) -> None:
    turn = trimesh.transformations.rotation_matrix(angle, [0, 0, 1])
    turned = find_openings(wall(Hole(3, 1, 1.5, 2.7), Hole(6, 1, 0, 2, "arch")).apply_transform(turn))
    assert figures(turned) == pytest.approx(np.array([[0, 50.8, 25.4], [38.1, 68.58, 25.4]]), abs=0.05)


def test_a_mesh_inside_out_is_seen_through_all_the_same() -> None:
    mesh = wall(Hole(3, 1, 1.5, 2.7))
    mesh.invert()
    assert figures(find_openings(mesh)) == pytest.approx([[38.1, 68.58, 25.4]] * np.ones((1, 1)), abs=0.25)


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_a_piece_with_faces_turned_inwards_has_the_floors_of_the_right_one(share: float) -> None:
    mesh = build([Wall((0, 0), (6, 0), 6.0, 0.3), Floor(((0, 0), (6, 0), (6, 4), (0, 4)), 3.0, 0.2)]).mesh
    turned = np.random.default_rng(2).random(len(mesh.faces)) < share
    wrong = trimesh.Trimesh(mesh.vertices, np.where(turned[:, None], mesh.faces[:, ::-1], mesh.faces), process=False)
    assert turned.any()
    found = [(floor.height, round(floor.area, 6)) for floor in surfaces(understand(wrong).mesh)]
    assert found == [(floor.height, round(floor.area, 6)) for floor in surfaces(understand(mesh).mesh)]
    assert any(height == pytest.approx(3.0) for height, _ in found)


def test_every_core_lies_in_material() -> None:
    piece = understand(ruin(12).mesh)
    assert sum(core.polygon.area for core in piece.cores) > 10
    for core in piece.cores:
        u, v = np.random.default_rng(0).uniform(core.polygon.bounds[:2], core.polygon.bounds[2:], (200, 2)).T
        inside = shapely.contains_xy(core.polygon, u, v)
        points = core.origin + u[inside, None] * core.along + v[inside, None] * core.up
        assert piece.mesh.contains(points).all()


def test_cores_of_a_box_cut_it_through_the_middle() -> None:
    box = trimesh.creation.box((4, 1, 2), trimesh.transformations.translation_matrix((0, 0, 1)))
    largest = understand(box).cores[0]
    assert largest.polygon.area == pytest.approx(8, abs=1e-3)


def test_noise_is_measured_and_clean_meshes_have_none() -> None:
    mesh = ruin(2).mesh
    assert grain(mesh) == 0
    rough = noisy(refined(mesh, 3), 0.15, np.random.default_rng(0))
    assert grain(rough) * MM_PER_INCH == pytest.approx(0.15, abs=0.02)


def test_a_tilted_scan_is_levelled_by_its_foot_and_a_clean_piece_left_alone() -> None:
    rng = np.random.default_rng(0)
    mesh = on_plate(ruin(2).mesh, 3, 5)
    assert not levelling(mesh).needed
    leaning = tilted(noisy(refined(mesh, 3), 0.1, rng), 2, rng)
    level = levelling(leaning)
    assert level.degrees == pytest.approx(2, abs=0.1)
    assert (level.turn @ level.turn.T) == pytest.approx(np.eye(3), abs=1e-12)


@pytest.mark.parametrize("seed", [7, pytest.param(3, marks=pytest.mark.slow)])
def test_a_scan_without_an_underside_stands_on_its_rim(seed: int) -> None:
    """What a camera never saw: the open edges around the foot tell where the ground is, and what is inside walls."""
    made = ruin(seed)
    rough = noisy(refined(made.mesh, 3), 0.15, np.random.default_rng(seed))
    scan = without_underside(rough)
    assert not scan.is_watertight
    level = levelling(scan)
    assert level.degrees == 0
    assert level.shift[2] * MM_PER_INCH == pytest.approx(levelling(rough).shift[2] * MM_PER_INCH, abs=0.3)
    found = [opening for opening in find_openings(level.levelled(scan)) if opening.sure]
    assert len(found) == len(made.openings) == matched(made.openings, found, 1.5)


def test_openings_of_a_tilted_scan_are_told_where_they_are() -> None:
    rng = np.random.default_rng(0)
    plain = noisy(refined(on_plate(wall(Hole(3, 1, 1.5, 2.7)), 3, 5), 3), 0.1, rng)
    leaning = tilted(plain, 2, rng)
    (one,), (other,) = find_openings(plain), find_openings(leaning)
    turn = trimesh.registration.procrustes(plain.vertices, leaning.vertices, scale=False, reflection=False)[0]
    assert other.centre == pytest.approx(trimesh.transform_points([one.centre], turn)[0], abs=0.03)


def test_missing_triangles_are_no_gaps() -> None:
    rng = np.random.default_rng(4)
    mesh = with_missing(noisy(refined(wall(), 3), 0.3, rng), 0.05, rng)
    assert [opening for opening in find_openings(mesh) if opening.sure] == []


def test_crumbs_around_a_piece_change_nothing() -> None:
    mesh = wall(Hole(3, 1, 1.5, 2.7))
    found = find_openings(with_outliers(mesh, 20, np.random.default_rng(0)))
    assert figures(found) == pytest.approx(figures(find_openings(mesh)), abs=0.3)


def test_a_resurfaced_cloud_of_points_keeps_its_window() -> None:
    mesh = wall(Hole(3, 1, 1.5, 2.7))
    cloud = resurfaced(mesh, 0.2, 1.5, np.random.default_rng(0))
    (window,) = [opening for opening in find_openings(cloud) if opening.sure]
    assert [window.sill, window.head, window.width] == pytest.approx([1.5, 2.7, 1], abs=2.5 / MM_PER_INCH)


def test_an_empty_mesh_has_none() -> None:
    assert find_openings(trimesh.Trimesh()) == ()


def fence(x: float, y: float, degrees: float) -> Wall:
    run = 2 * np.cos(np.radians(degrees)), 2 * np.sin(np.radians(degrees))
    return Wall(
        (x, y), (x + run[0], y + run[1]), 0.8, 0.1, openings=(Hole(0.5, 0.4, 0.2, 0.5), Hole(1.5, 0.4, 0.2, 0.5))
    )


MANY_WALLS = {
    "a fence askew beside a house": [
        *(Wall(a, b, 6.0, 0.25) for a, b in (((0, 0), (8, 0)), ((8, 0), (8, 8)), ((8, 8), (0, 8)), ((0, 8), (0, 0)))),
        fence(2, -3, 37),
    ],
    "walls close behind each other": [
        Wall((0, i * 0.35), (6, i * 0.35), 4.0, 0.2, openings=(Hole(1 + i, 0.6, 1, 2),)) for i in range(3)
    ],
    "windows in line in walls of different thickness": [
        Wall((0, y), (4, y), 4.0, thickness, openings=(Hole(2, 1, 1, 2),))
        for y, thickness in ((0.0, 0.7), (0.9, 0.1), (-0.6, 0.1))
    ],
    "a wall an inch thick": [Wall((0, 0), (6, 0), 4.0, 1.0, openings=(Hole(2, 1, 1, 2), Hole(4, 1, 0, 2)))],
    "many fences": [fence(0, i, 0) for i in range(18)],
}


@pytest.mark.parametrize("kind", MANY_WALLS)
def test_no_wall_hides_the_gaps_of_another(kind: str) -> None:
    piece = build(MANY_WALLS[kind])
    found = figures(find_openings(piece.mesh))
    assert len(found) == len(piece.openings)
    assert found == pytest.approx(figures(piece.openings), abs=1e-4)


def test_every_riser_of_open_stairs_is_a_gap() -> None:
    shear = np.eye(4)
    shear[2, 1] = 0.6
    parts = [trimesh.creation.box((0.05, 2.4, 0.2)).apply_transform(shear) for _ in range(2)]
    for side, part in zip((-0.2, 0.2), parts, strict=True):
        part.apply_translation((side, 1.2, 0.82))
    for k in range(12):
        parts.append(trimesh.creation.box((0.4, 0.2, 0.04)))
        parts[-1].apply_translation((0, 0.1 + 0.2 * k, 0.16 + 0.12 * k))
    found = find_openings(trimesh.util.concatenate(parts))
    risers = {round((gap.sill + gap.head) / 2, 2) for gap in found}
    below_the_first = 0.07
    assert risers == {below_the_first, *(round(0.22 + 0.12 * k, 2) for k in range(11))}


def test_a_roof_laid_on_walls_as_a_body_of_its_own_moves_no_sill() -> None:
    door = Wall((0, 0), (6, 0), 5.0, 0.12, openings=(Hole(3, 1, 2.7, 4.2),))
    sides = [Wall((0, 0), (0, 4), 5.0, 0.12), Wall((6, 0), (6, 4), 5.0, 0.12)]
    floor = Floor(((-0.1, -0.1), (6.1, -0.1), (6.1, 4), (-0.1, 4)), 2.8, 0.12)
    house = build([door, *sides, floor]).mesh
    roof = trimesh.creation.box((6.4, 4.4, 0.3), trimesh.transformations.translation_matrix((3, 2, 5.15)))
    joined = trimesh.util.concatenate([house, roof])
    walls = [gap for gap in find_openings(joined) if gap.head - gap.sill < 2]
    assert figures(tuple(walls)) == pytest.approx(np.array([[2.8, 4.2, 1.0]]) * MM_PER_INCH, abs=0.1)


@pytest.mark.parametrize(
    ("parts", "gap"),
    [
        pytest.param(
            [
                Wall((0, 0), (8, 0), 5.0, 0.25, top=((0, 5), (2, 5), (2.5, 2), (5.5, 2), (6, 5))),
                Floor(((0, -1), (8, -1), (8, 3), (0, 3)), 3.5, 0.2),
            ],
            (2, 3.3, 3 + 2 * 0.5 * 1.3 / 3),
            id="a floor over a broken top",
        ),
        pytest.param(
            [
                Wall((0, 0), (3, 0), 3.0, 0.25),
                Wall((5, 0), (8, 0), 3.0, 0.25),
                Floor(((0, -1), (8, -1), (8, 3), (0, 3)), 3.2, 0.2),
            ],
            (0, 3, 2),
            id="a floor from wall to wall",
        ),
        pytest.param(
            [Wall((0, 0), (2, 0), 3.0, 0.25), Wall((3, 0), (5, 0), 3.0, 0.25), Block((1.4, 0.25, 0.4), (2.5, 0, 2.6))],
            (0, 2.6, 1),
            id="a lintel",
        ),
        pytest.param(
            [Wall((0, 0), (8, 0), 4.0, 0.25, openings=(Hole(4, 1, 2, 5),)), Block((3, 0.12, 0.3), (4, 0.06, 3.2))],
            (2, 3.2, 1),
            id="a beam over half of a notch",
        ),
    ],
)
def test_what_other_parts_span_is_a_gap_for_the_builder_as_for_detection(
    parts: list[Part], gap: tuple[float, float, float]
) -> None:
    piece = build(parts)
    expected = np.array([gap]) * MM_PER_INCH
    assert figures(piece.openings) == pytest.approx(expected, abs=1e-3)
    assert figures(find_openings(piece.mesh)) == pytest.approx(expected, abs=1e-3)


@pytest.mark.slow
def test_real_stairs_give_each_riser_that_one_sees_through_and_a_real_house_all_its_windows(data: Path) -> None:
    (under_the_top_step,) = figures(find_openings(load(data / "meshes" / "stairs_industrial_stairs.stl", "mm")))
    assert under_the_top_step == pytest.approx([40, 48, 65], abs=0.5)
    found = figures(find_openings(load(data / "meshes" / "building_with_roof.stl", "mm")))
    windows = found[np.abs(found[:, 2] - 10) < 0.5]
    storeys, counts = np.unique(windows[:, 0].round(), return_counts=True)
    assert dict(zip(storeys.tolist(), counts.tolist(), strict=True)) == {15: 4, 65: 3, 115: 12, 165: 4}
    doors = found[found[:, 2] > 20]
    assert doors == pytest.approx(np.array([[3, 38, 25], [103, 133, 25]]), abs=0.5)
    assert len(found) - len(windows) - len(doors) == 2 * 18

"""Mending meshes: each damage by itself is undone, and nothing else is changed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.files import export, load
from deadground.meshes.inspection import inspect_mesh
from deadground.meshes.nearest import Nearest, spread
from deadground.meshes.repair import STEPS, Wanted, repaired
from deadground.meshes.repair_check import changed_facts, tolerance_of
from deadground.meshes.repair_faces import oriented, welded
from deadground.meshes.repair_holes import filled
from deadground.meshes.repair_thin import apart, thinned
from deadground.meshes.solid import is_closed
from tests.meshes.damage import loose_corners, windowed, with_crumbs, with_holes, with_turned_faces, without_underside
from tests.meshes.scans import noisy, refined, tilted, with_missing, with_outliers

STOOD = windowed()
STOOD.apply_translation(-np.append(STOOD.bounds.mean(axis=0)[:2], 0.0))


@pytest.fixture(scope="module")
def fine() -> trimesh.Trimesh:
    """The wall in triangles of 6 mm."""
    return refined(STOOD, 6)


def doing(mesh: trimesh.Trimesh, **wanted: object) -> dict[str, str]:
    """What each step did."""
    return {change.step: change.done for change in repaired(mesh, Wanted(**wanted)).changes}  # type: ignore[arg-type]


def test_a_clean_piece_is_left_alone():
    found = repaired(STOOD, Wanted())
    assert not found.changed
    assert found.mesh is STOOD
    assert [change.left for change in found.changes] == [""] * len(STEPS)


def test_loose_corners_are_welded_and_the_solid_is_closed_again():
    loose = loose_corners(STOOD, 0.002, np.random.default_rng(1))
    found = welded(loose)
    assert is_closed(found.mesh)
    assert found.joined == len(loose.vertices) - len(STOOD.vertices)
    assert (found.doubled, found.dropped) == (0, 0)
    assert found.mesh.volume == pytest.approx(STOOD.volume, rel=1e-3)


def test_corners_that_are_apart_stay_apart():
    pair = trimesh.util.concatenate([trimesh.creation.box(), trimesh.creation.box().apply_translation([1.003, 0, 0])])
    assert welded(pair).joined == 0


def test_a_face_that_lies_on_another_goes_whichever_way_it_looks():
    for copy in (STOOD.faces[:5], STOOD.faces[:5, ::-1]):
        found = welded(trimesh.Trimesh(STOOD.vertices, np.vstack([STOOD.faces, copy]), process=False))
        assert found.doubled == 5
        assert is_closed(oriented(found.mesh).mesh)


def test_turned_faces_and_bodies_inside_out_are_set_right(fine):
    rng = np.random.default_rng(2)
    for share in (0.3, 0.7, 1.0):
        found = oriented(with_turned_faces(fine, share, rng))
        assert is_closed(found.mesh)
        assert found.mesh.volume == pytest.approx(fine.volume)
        assert found.onesided == 0


def test_a_cavity_stays_a_cavity():
    hollow = trimesh.creation.box(extents=[2, 2, 2])
    inner = trimesh.creation.box()
    inner.invert()
    shell = trimesh.util.concatenate([hollow, inner])
    assert oriented(shell).turned == 0
    assert oriented(trimesh.Trimesh(inner.vertices, inner.faces, process=False)).turned == 12


def test_a_strip_with_one_side_is_said_and_left():
    turns = np.linspace(0, 2 * np.pi, 41)[:-1]
    edge = [
        np.column_stack([(2 + s * np.cos(turns / 2)) * np.cos(turns), (2 + s * np.cos(turns / 2)) * np.sin(turns),
                         s * np.sin(turns / 2)]) for s in (-0.4, 0.4)
    ]  # fmt: skip
    corners = np.vstack(edge)
    faces = [[k, k + 1, k + 40] for k in range(39)] + [[k + 1, k + 41, k + 40] for k in range(39)]
    faces += [[39, 40, 79], [40, 0, 79]]
    found = repaired(trimesh.Trimesh(corners, faces, process=False), Wanted(steps=frozenset({"orient"})))
    assert "1 body has only one side" in found.changes[0].left


def test_holes_are_filled_and_larger_ones_are_left_and_counted(fine):
    torn = with_holes(fine, 40, np.random.default_rng(3))
    found = filled(torn, 20 / MM_PER_INCH)
    assert is_closed(found.mesh)
    assert found.mesh.volume == pytest.approx(fine.volume, rel=2e-3)
    assert found.widest <= 20 / MM_PER_INCH
    few = filled(torn, found.widest * 0.99)
    assert few.large >= 1
    assert few.holes == found.holes - few.large
    assert len(np.unique(few.mesh.faces)) == len(np.unique(torn.faces))


def test_an_open_underside_is_closed_flat_with_its_courts_left_open(fine):
    for whole in (fine, refined(trimesh.creation.annulus(r_min=1, r_max=2, height=2).apply_translation([0, 0, 1]), 6)):
        found = filled(without_underside(whole), 5 / MM_PER_INCH)
        assert found.underside
        assert is_closed(found.mesh)
        assert found.mesh.volume == pytest.approx(whole.volume)


def test_a_window_in_a_wall_without_thickness_is_no_hole():
    sheet = STOOD.copy()
    front = np.abs(sheet.triangles[:, :, 1] - sheet.bounds[0, 1]).max(axis=1) < 1e-6
    sheet = trimesh.Trimesh(sheet.vertices, sheet.faces[front], process=False)
    sheet = trimesh.Trimesh(*trimesh.remesh.subdivide_to_size(sheet.vertices, sheet.faces, 0.2), process=False)
    sheet = welded(sheet).mesh
    gaps = inspect_mesh(STOOD).openings
    found = filled(sheet, 2.0, gaps)
    assert (found.holes, found.gaps) == (0, 2)
    assert filled(sheet, 2.0).holes == 2


def test_crumbs_are_dropped_however_many_they_are():
    assert doing(with_crumbs(STOOD, 450))["drop"] == "dropped 450 loose fragments of 9,000 triangles"


def test_a_tilted_piece_is_turned_level_and_put_on_the_ground(fine):
    rng = np.random.default_rng(4)
    found = repaired(tilted(fine, 2, rng), Wanted())
    level = found.changes[STEPS.index("level")]
    assert level.figures["degrees"] == pytest.approx(2, abs=0.1)
    assert found.mesh.bounds[0, 2] == pytest.approx(0, abs=1e-9)
    assert float(np.asarray(found.mesh.extents)[2]) == pytest.approx(4.5, abs=0.02)


def test_triangles_are_thinned_to_the_error_that_is_measured(fine):
    for mesh in (fine, without_underside(fine)):
        found = thinned(mesh, 0.02 / MM_PER_INCH)
        assert len(found.mesh.faces) < len(mesh.faces) / 10
        assert found.deviation <= 0.02 / MM_PER_INCH
        assert found.deviation == apart(mesh, found.mesh)
        assert is_closed(found.mesh) == is_closed(mesh)


def test_the_nearest_point_is_the_nearest_of_all_triangles():
    points = np.random.default_rng(5).uniform(STOOD.bounds[0] - 1, STOOD.bounds[1] + 1, (300, 3))
    found = Nearest.of(STOOD).to(points)
    _, away, _ = trimesh.proximity.closest_point(STOOD, points)
    np.testing.assert_allclose(found.distance, away, atol=1e-6)
    on, rows = spread(STOOD, 500, 6)
    assert Nearest.of(STOOD).to(on).distance.max() < 1e-9
    assert np.abs(((on - STOOD.triangles[rows][:, 0]) * STOOD.face_normals[rows]).sum(axis=1)).max() < 1e-9


def damaged(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """With holes, faces turned round, crumbs, and all its triangles apart."""
    rng = np.random.default_rng(7)
    torn = with_crumbs(with_turned_faces(with_holes(mesh, 30, rng), 0.2, rng), 5)
    return loose_corners(torn, 0.002, rng)


def again(mesh: trimesh.Trimesh, folder: Path) -> trimesh.Trimesh:
    """As it is written and read."""
    export(mesh, folder / "piece.stl")
    return load(folder / "piece.stl", "mm")


def test_a_mended_piece_has_the_openings_and_floors_of_the_clean_one_and_needs_no_second_repair(fine, tmp_path):
    broken, clean = again(damaged(fine), tmp_path), inspect_mesh(STOOD)
    found = repaired(broken, Wanted(hole=20 / MM_PER_INCH), clean.openings)
    mended = again(found.mesh, tmp_path)
    assert is_closed(mended)
    after = inspect_mesh(mended)
    assert [gap.sure for gap in after.openings] == [gap.sure for gap in clean.openings]
    for key in ("sill", "head", "width"):
        np.testing.assert_allclose(
            [getattr(gap, key) for gap in after.openings], [getattr(gap, key) for gap in clean.openings], atol=0.004
        )
    assert [floor.height for floor in after.floors] == pytest.approx(
        [floor.height for floor in clean.floors], abs=0.004
    )
    second = repaired(mended, Wanted(hole=20 / MM_PER_INCH), after.openings)
    assert {change.step: change.done for change in second.changes if change.done} == {}
    assert second.mesh is mended


def test_a_lost_gap_and_a_moved_floor_are_changes():
    before = inspect_mesh(STOOD)
    same = repaired(STOOD, Wanted())
    assert changed_facts(before, before, same, tolerance_of(before, None)) == ()
    raised = windowed(0.2)
    raised.apply_translation(-np.append(raised.bounds.mean(axis=0)[:2], 0.0))
    said = changed_facts(before, inspect_mesh(raised), same, tolerance_of(before, None))
    assert len(said) == 2
    assert "sill 1.000 -> 1.200" in said[0]


PIECES = [
    "barrier.stl", "building_room.stl", "ruin_ruin_three_wall_corner.stl", "window_frame.stl", "wall-a-window.glb",
    "wall-broken-type-a.glb",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", PIECES)
def test_real_pieces_with_faces_missing_and_scanned_ones_are_mended_without_a_change(data, tmp_path, name):
    glb = name.endswith(".glb")
    clean = load(data / "meshes" / name, None if glb else "mm", scale=0.05 if glb else 1.0)
    rng = np.random.default_rng(3)
    torn = with_missing(refined(clean, 3), 0.01, rng)
    for broken in (torn, with_outliers(noisy(torn, 0.1, rng), 10, rng)):
        before = inspect_mesh(again(broken, tmp_path))
        found = repaired(again(broken, tmp_path), Wanted(), before.openings)
        mended = again(found.mesh, tmp_path)
        after = inspect_mesh(mended)
        assert after.closed_mesh
        assert changed_facts(before, after, found, tolerance_of(before, None)) == ()
        assert not any(finding.level == "error" for finding in after.findings)

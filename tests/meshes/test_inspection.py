"""What is found on pieces: for each code one that has it and one that has not; floors, doorways, balance, heights."""

from __future__ import annotations

import math
import tomllib
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import trimesh
from shapely import box

from deadground.geometry.units import MM_PER_INCH
from deadground.meshes import checks, inspection
from deadground.meshes.balance import balance
from deadground.meshes.checks import CODES
from deadground.meshes.files import load
from deadground.meshes.findings import LEVELS, Finding, ranked, worst
from deadground.meshes.ground import levelling
from deadground.meshes.inspection import Inspection, inspect_mesh
from deadground.meshes.openings import find_openings
from deadground.meshes.piece import Opening
from deadground.meshes.probes import Probe, crossings, loose_bodies, thin_walls, tunnels
from deadground.meshes.skin import skin
from deadground.meshes.solid import from_manifold, prism, to_manifold, united
from deadground.meshes.standing_room import BASES, floors
from deadground.meshes.tops import tops

X, Y, Z = np.eye(3)


def block(low: tuple[float, float, float], high: tuple[float, float, float]) -> trimesh.Trimesh:
    return trimesh.creation.box(bounds=[low, high])


def wall(*holes: tuple[float, float, float, float]) -> trimesh.Trimesh:
    """6 long (x), 5 high, 0.25 thick, with holes of (x0, z0, x1, z1)."""
    shape = box(0, 0, 6, 5)
    for hole in holes:
        shape = shape.difference(box(*hole))
    return prism(shape, np.zeros(3), X, Z, -0.25, 0.0)


def ruin(storey: float = 3.0) -> trimesh.Trimesh:
    """Two walls at a corner with a door and a window, and an upper floor in it."""
    front = wall((1, -1, 2.2, 2.4), (3.5, 3.5, 4.5, 4.5))
    side = block((0, 0, 0), (0.25, 4, 5))
    return united([front, side, block((0, 0, storey - 0.2), (6, 4, storey)), block((5.75, 3.75, 0), (6, 4, storey))])


def concatenated(*meshes: trimesh.Trimesh) -> trimesh.Trimesh:
    return trimesh.util.concatenate(list(meshes))


def without(mesh: trimesh.Trimesh, *faces: int) -> trimesh.Trimesh:
    return trimesh.Trimesh(mesh.vertices, np.delete(mesh.faces, faces, axis=0), process=False)


def rough(mesh: trimesh.Trimesh, millimetres: float) -> trimesh.Trimesh:
    fine = from_manifold(to_manifold(mesh).refine_to_length(0.15))
    moved = fine.vertices + np.random.default_rng(5).normal(0, millimetres / MM_PER_INCH, fine.vertices.shape)
    moved[:, 2] -= moved[:, 2].min()
    return trimesh.Trimesh(moved, fine.faces, process=False)


def turned(mesh: trimesh.Trimesh, degrees: float) -> trimesh.Trimesh:
    moved = mesh.copy().apply_transform(trimesh.transformations.rotation_matrix(math.radians(degrees), X))
    return moved.apply_translation([0, 0, -moved.bounds[0, 2]])


def soup() -> trimesh.Trimesh:
    corners = np.asarray(block((0, 0, 0), (3, 3, 3)).triangles)
    return trimesh.Trimesh(corners.reshape(-1, 3), np.arange(len(corners) * 3).reshape(-1, 3), process=False)


def flipped(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    return trimesh.Trimesh(mesh.vertices, np.asarray(mesh.faces)[:, ::-1], process=False)


def half_flipped() -> trimesh.Trimesh:
    mesh = block((0, 0, 0), (3, 3, 3))
    faces = np.array(mesh.faces)
    faces[:1] = faces[:1, ::-1]
    return trimesh.Trimesh(mesh.vertices, faces, process=False)


def cracked() -> trimesh.Trimesh:
    """A block with a hole of 0.5 mm in its top."""
    corners, half = [[0, 0], [3, 0], [3, 3], [0, 3]], 0.25 / MM_PER_INCH
    ring = [*corners, *(np.array([1.5, 1.5]) + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))]
    top = [[x, y, 3] for x, y in ring]
    faces = [[0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7]]
    lid = trimesh.Trimesh(top, faces, process=False)
    body = block((0, 0, 0), (3, 3, 3))
    open_body = without(body, *np.flatnonzero(body.face_normals[:, 2] > 0.5))
    mesh = concatenated(open_body, lid)
    mesh.merge_vertices()
    return mesh


def lid_touching() -> trimesh.Trimesh:
    """Two blocks that share one edge."""
    mesh = concatenated(block((0, 0, 0), (2, 2, 2)), block((2, 2, 0), (4, 4, 2)))
    mesh.merge_vertices()
    return mesh


def doubled() -> trimesh.Trimesh:
    mesh = block((0, 0, 0), (3, 3, 3))
    return trimesh.Trimesh(mesh.vertices, [*mesh.faces, mesh.faces[0]], process=False)


BAD = {
    "units": (lambda: ruin().apply_scale(1 / MM_PER_INCH), "error", "--units in it would be"),
    "up": (lambda: turned(wall((1, 1, 2, 2)), 90), "warning", "lies flat"),
    "ground": (lambda: turned(rough(ruin(), 0.1), 3), "warning", "tilted"),
    "stability": (lambda: prism(box(0, 0, 1, 1) | box(0.9, 0.5, 6, 1), np.zeros(3), X, Z, 0, 1), "warning", "weight"),
    "open-edges": (lambda: without(block((0, 0, 0), (3, 3, 3)), 4), "warning", "hole"),
    "pinholes": (cracked, "warning", "1 pinhole"),
    "faces": (half_flipped, "warning", "disagree"),
    "degenerate": (doubled, "note", "lying exactly on another"),
    "shared-edges": (lid_touching, "note", "more than two faces"),
    "self-intersection": (lambda: concatenated(wall(), block((2, -1, 0), (3, 1, 2))), "note", "another body"),
    "bodies": (lambda: concatenated(ruin(), block((3, 2, 4), (3.05, 2.05, 4.05))), "warning", "1 small body hangs"),
    "thin-walls": (lambda: block((0, 0, 0), (4, 0.8 / MM_PER_INCH, 3)), "warning", "0.8 mm"),
    "noise": (lambda: rough(ruin(), 0.15), "note", "as scans are"),
}  # fmt: skip


@cache
def clean() -> Inspection:
    return inspect_mesh(ruin())


@cache
def inspected(code: str) -> Inspection:
    return inspect_mesh(BAD[code][0]())


def found(piece: Inspection, code: str) -> Finding:
    return next(finding for finding in piece.findings if finding.code == code)


@pytest.mark.parametrize("code", BAD)
def test_a_piece_with_a_fault_is_told_so(code):
    _, level, words = BAD[code]
    finding = found(inspected(code), code)
    assert finding.level == level
    assert words in finding.message


@pytest.mark.parametrize("code", BAD)
def test_a_clean_piece_is_told_to_be_in_order(code):
    assert found(clean(), code).level == "ok"


def test_every_code_is_tested_and_told_once():
    assert set(BAD) == set(CODES) - {"possible-openings", "triangles"}
    assert sorted(finding.code for finding in clean().findings) == sorted(CODES)


def test_places_lie_on_the_piece():
    for code in BAD:
        for finding in inspected(code).findings:
            if finding.at is not None:
                assert np.linalg.norm(np.asarray(finding.at)) < 300
                assert all(type(value) is float for value in finding.at)


def test_findings_are_ranked_worst_first():
    given = [Finding("a", "ok", ""), Finding("b", "error", ""), Finding("c", "note", ""), Finding("d", "error", "")]
    assert [finding.code for finding in ranked(given)] == ["b", "d", "c", "a"]
    assert worst(given) == "error"
    assert worst([]) == "ok"
    assert LEVELS[0] == "ok"


def test_more_triangles_than_a_table_needs_are_told(monkeypatch):
    assert found(clean(), "triangles").level == "ok"
    monkeypatch.setattr(checks, "_MANY", 10)
    finding = found(inspect_mesh(block((0, 0, 0), (3, 3, 3))), "triangles")
    assert (finding.level, "more than a table needs" in finding.message) == ("note", True)


def test_a_gap_in_doubt_is_told(monkeypatch):
    def doubtful(mesh: trimesh.Trimesh) -> tuple[Opening, ...]:
        return tuple(replace(gap, sure=False) for gap in find_openings(mesh))

    assert found(clean(), "possible-openings").level == "ok"
    monkeypatch.setattr(inspection, "find_openings", doubtful)
    finding = found(inspect_mesh(wall((1, 1, 2, 2))), "possible-openings")
    assert (finding.level, "id = 1, closed = true" in finding.remedy) == ("note", True)


def test_a_soup_of_triangles_is_an_error():
    assert found(inspect_mesh(soup()), "open-edges").level == "error"


def test_a_piece_without_an_underside_is_fine_for_sight():
    body = block((0, 0, 0), (3, 3, 3)).subdivide().subdivide()
    finding = found(inspect_mesh(without(body, *np.flatnonzero(body.face_normals[:, 2] < -0.5))), "open-edges")
    assert finding.level == "note"
    assert "no underside" in finding.message


def test_a_body_inside_out_is_found_and_a_cavity_is_not():
    outer, inner = block((0, 0, 0), (3, 3, 3)), block((1, 1, 1), (2, 2, 2))
    assert "inside out" in found(inspect_mesh(flipped(outer)), "faces").message
    assert found(inspect_mesh(concatenated(outer, flipped(inner))), "faces").level == "ok"


def test_a_piece_that_falls_over_but_stands_on_another_side_was_read_with_the_wrong_axis_up():
    leaning = united([block((0, 0, 0), (0.3, 4, 4)), block((0, 1.5, 1.9), (5, 2.5, 3.9))])
    finding = found(inspect_mesh(leaning), "up")
    assert finding.level == "error"
    assert "--up x" in finding.remedy


def test_pinholes_that_go_through_a_closed_wall_are_told_and_grooves_are_not():
    low, wide = 2.0, 0.7 / MM_PER_INCH
    pierced = wall((3, low, 3 + wide, low + wide))
    grooved = united([prism(box(0, 0, 6, 5), np.zeros(3), X, Z, -0.2, 0.0), wall((3, 0.5, 3 + wide, 4.5))])
    assert len(tunnels(Probe.of(pierced))) == 1
    assert tunnels(Probe.of(pierced))[0].width == pytest.approx(wide, abs=1e-4)
    assert tunnels(Probe.of(grooved)) == ()
    assert tunnels(Probe.of(wall((3, 2, 3.5, 2.5)))) == ()


def test_the_thinnest_wall_is_measured():
    assert thin_walls(Probe.of(block((0, 0, 0), (4, 0.03, 3)))).least == pytest.approx(0.03, abs=1e-4)
    assert thin_walls(Probe.of(ruin())).share == 0
    assert thin_walls(Probe.of(block((0, 0, 0), (4, 1 / MM_PER_INCH, 3)))).share == 0


def test_surfaces_that_cross_are_told_apart_from_parts_that_touch():
    touching = concatenated(block((0, 0, 0), (2, 2, 2)), block((0.5, 0.5, 2), (1.5, 1.5, 3)))
    assert crossings(Probe.of(touching), skin(touching)).at is None
    apart = concatenated(block((0, 0, 0), (2, 2, 2)), block((0.5, 0.5, 1.5), (1.5, 1.5, 3)))
    crossing = crossings(Probe.of(apart), skin(apart))
    assert crossing.foreign >= 4
    assert crossing.own == 0
    assert crossing.complete


def test_bodies_that_touch_or_lie_in_another_are_not_loose():
    big = block((0, 0, 0), (3, 3, 3))
    for small, loose in (((1, 1, 3.0), 0), ((1, 1, 1.0), 0), ((1, 1, 3.1), 1), ((5, 5, 0.0), 0)):
        mesh = concatenated(big, block((0, 0, 0), (0.1, 0.1, 0.1)).apply_translation(small))
        assert len(loose_bodies(Probe.of(mesh), skin(mesh))) == loose


def test_a_floor_takes_the_bases_that_fit_between_its_walls():
    floor = next(floor for floor in clean().floors if floor.height == pytest.approx(3.0))
    assert floor.area == pytest.approx(5.75 * 3.75, abs=0.02)
    assert math.isinf(floor.head_room)
    assert floor.fits["32mm"] == pytest.approx(12, abs=1)
    assert "90mm" in floor.fits
    assert "100mm" not in floor.fits
    assert "100mm" in BASES


def test_floors_know_the_room_above_them():
    stacked = united([block((0, 0, 0), (3, 3, 0.2)), block((0, 0, 0), (0.2, 3, 4)), block((0, 0, 1.8), (3, 3, 2.0))])
    below, above = floors(Probe.of(stacked), 0.0)
    assert below.height == pytest.approx(0.2)
    assert below.head_room == pytest.approx(1.6, abs=1e-3)
    assert above.height == pytest.approx(2.0)
    assert math.isinf(above.head_room)


def test_a_shelf_without_room_for_a_model_is_no_floor():
    stacked = united([block((0, 0, 0), (3, 3, 0.2)), block((0, 0, 0), (0.2, 3, 1)), block((0, 0, 0.8), (3, 3, 1.0))])
    assert [floor.height for floor in floors(Probe.of(stacked), 0.0)] == [1.0]


def test_what_lies_in_another_body_is_no_floor():
    hidden = concatenated(block((0, 0, 0), (4, 4, 4)), block((1, 1, 0.5), (3, 3, 2)))
    assert [floor.height for floor in floors(Probe.of(hidden), 0.0)] == [4.0]


def test_a_scan_has_the_floors_of_the_piece():
    scan = rough(ruin(), 0.15)
    piece = inspect_mesh(scan)
    exact = next(floor for floor in clean().floors if floor.height == pytest.approx(3.0))
    close = min(piece.floors, key=lambda floor: abs(floor.height - 3.0))
    assert close.height == pytest.approx(3.0, abs=0.05)
    assert close.area == pytest.approx(exact.area, rel=0.05)


def test_bases_pass_a_doorway_that_is_as_wide_as_they():
    piece = inspect_mesh(wall((1, -1, 1 + 32 / MM_PER_INCH, 2.4), (3, 2, 4, 3)))
    door = next(gap for gap in piece.openings if gap.sill < 0.1)
    assert list(piece.doorways) == [door.id]
    assert piece.doorways[door.id] == ("25mm", "28.5mm", "32mm")


def test_a_cube_tips_at_45_degrees_and_a_leaning_piece_does_not_stand():
    assert balance(block((0, 0, 0), (2, 2, 2))).tips_at == pytest.approx(45)
    assert not balance(inspected_mesh("stability")).stands
    assert balance(inspected_mesh("stability")).tips_at == 0


def inspected_mesh(code: str) -> trimesh.Trimesh:
    mesh: trimesh.Trimesh = BAD[code][0]()
    return mesh


def test_parts_are_told_by_their_height():
    mesh = united([block((0, 0, 0), (2, 2, 2.0)), block((1.9, 0, 0), (4, 2, 2.01))])
    over, low = tops(Probe.of(mesh)).parts(2.0)
    assert (over.over, low.over) == (True, False)
    assert over.top == pytest.approx(2.01, abs=1e-5)
    assert low.top == pytest.approx(2.0, abs=1e-5)
    assert over.area + low.area == pytest.approx(8, abs=0.4)


def test_inspecting_changes_nothing_and_says_the_same_twice():
    mesh = wall((1, 1, 2, 2))
    before = mesh.vertices.tobytes(), mesh.faces.tobytes()
    assert inspect_mesh(mesh).findings == inspect_mesh(mesh).findings
    assert (mesh.vertices.tobytes(), mesh.faces.tobytes()) == before
    assert levelling(mesh).degrees == 0


def test_a_real_building_has_its_floors_and_bodies(data):
    name = "building_with_roof.stl"
    truth = tomllib.loads((data / "meshes" / "TRUTH.toml").read_text(encoding="utf-8"))[name]
    mesh = load(data / "meshes" / name, "mm")
    level = [floor for floor in floors(Probe.of(mesh), 0.0) if floor.level]
    assert [floor.height * MM_PER_INCH for floor in level] == pytest.approx(truth["floors"], abs=0.01)
    hull = skin(mesh)
    assert hull.bodies == truth["bodies"]
    assert len(loose_bodies(Probe.of(mesh), hull)) == 0


def test_the_pinholes_of_a_real_building_are_found(data):
    mesh = load(data / "meshes" / "building_room.stl", "mm")
    found_tunnels = tunnels(Probe.of(mesh))
    assert found_tunnels
    assert all(tunnel.width < 1 / MM_PER_INCH for tunnel in found_tunnels)


def test_whatever_is_wrong_comes_with_what_to_do():
    told = [finding for piece in (clean(), *map(inspected, BAD)) for finding in piece.findings]
    assert [finding.code for finding in told if (finding.level == "ok") != (finding.remedy == "")] == []
    assert all(finding.told.endswith(finding.remedy) and finding.told[-1] == "." for finding in told)

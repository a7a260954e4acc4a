"""Pictures by casting rays: what is hidden stays hidden, cuts are found, and the picture is where the camera says."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
import trimesh
from PIL import Image

from deadground.geometry.plates import Array
from deadground.meshes.probes import Probe
from deadground.viewer.camera import Camera, angled, framed
from deadground.viewer.etching import FINER, NOBODY, Exposure, Ground, Panel, Sitter, Stain, etched, exposed, in_sight
from deadground.viewer.palette import DEFAULT

SIZE = (60, 40)
PLAIN = Stain("#ff0000", "#00ff00", 1.0)


def sitter(*meshes: trimesh.Trimesh) -> Sitter:
    whole = trimesh.util.concatenate(list(meshes))
    probe = Probe.of(whole)
    return Sitter(probe.caster, probe.outward, np.asarray(whole.bounds))


def block(low: tuple[float, float, float], high: tuple[float, float, float]) -> trimesh.Trimesh:
    return trimesh.creation.box(bounds=[low, high])


def camera(piece: Sitter, azimuth: float, elevation: float) -> Camera:
    corners = np.array([[x, y, z] for x in piece.bounds[:, 0] for y in piece.bounds[:, 1] for z in piece.bounds[:, 2]])
    return framed(angled(azimuth, elevation, 0.0), corners, SIZE[0] / SIZE[1])


def upright(y: float) -> Array:
    """A square of 1 by 1 that faces the reader, in the middle of a block of 3 by 3."""
    a, b, c, d = ((1.0, y, 1.0), (2.0, y, 1.0), (2.0, y, 2.0), (1.0, y, 2.0))
    return np.array([[a, b, c], [a, c, d]])


CUBE = sitter(block((0, 0, 0), (3, 3, 3)))


def test_depths_are_those_of_the_surface():
    seat = camera(CUBE, 0, 0)
    view = exposed(CUBE, seat, SIZE)
    assert view.depth.shape == (SIZE[1] * FINER, SIZE[0] * FINER)
    assert view.depth[view.hit] == pytest.approx(-seat.eye[1], abs=1e-4)
    assert view.normals[view.hit] == pytest.approx(np.broadcast_to([0, -1, 0], (view.hit.sum(), 3)))
    side = SIZE[1] * FINER / seat.span * 3
    assert view.hit.sum() == pytest.approx(side**2, rel=0.05)


@pytest.mark.parametrize(("y", "seen"), [(-0.5, True), (0.0, True), (0.5, False), (3.5, False)])
def test_a_panel_is_seen_before_the_surface_and_not_behind_it(y, seen):
    view = exposed(CUBE, camera(CUBE, 0, 0), SIZE, [Panel(upright(y), 0)])
    assert bool((view.panel == 0).any()) is seen


def test_only_the_level_face_of_a_floor_is_tinted():
    floor = Ground(shapely.box(0, 0, 3, 3), 3.0, 3.0, "#00ff00")
    above = exposed(CUBE, camera(CUBE, 0, 90), SIZE, grounds=[floor])
    assert (above.floor[above.hit] == 0).mean() > 0.95
    assert (exposed(CUBE, camera(CUBE, 0, 0), SIZE, grounds=[floor]).floor == NOBODY).all()


@pytest.mark.parametrize("bodies", [1, 2])
def test_a_camera_within_the_material_sees_the_cut_also_where_bodies_overlap(bodies):
    wall, slab = block((0, 0, 0), (0.5, 3, 3)), block((0, 0, 0), (3, 3, 0.2))
    piece = sitter(wall, slab) if bodies == 2 else sitter(trimesh.boolean.union([wall, slab], engine="manifold"))
    high = camera(piece, 0, 90)
    low = Camera(np.array([*high.eye[:2], 1.0]), high.forward, high.up, 0.0, high.span, 4.0)
    view = exposed(piece, low, SIZE, cut=True)
    assert view.cut.sum() / view.hit.sum() == pytest.approx(0.5 / 3, abs=0.03)
    assert not exposed(piece, high, SIZE).cut.any()


def test_points_behind_the_piece_are_not_in_sight():
    seat = camera(CUBE, 0, 0)
    assert in_sight(CUBE, np.array([[1.5, -0.01, 1.5], [1.5, 3.01, 1.5]]), seat, 0.02).tolist() == [True, False]


def colours(view: Exposure, stain: Stain = PLAIN) -> set[tuple[int, ...]]:
    image: Image.Image = etched(view, 0.0, {0: stain}, ())
    assert image.size == SIZE
    return {tuple(int(part) for part in colour) for colour in np.asarray(image).reshape(-1, 3)}


def test_a_panel_is_filled_hatched_and_framed_in_its_own_colours():
    view = exposed(CUBE, camera(CUBE, 0, 0), SIZE, [Panel(upright(-0.1), 0)])
    assert {(255, 0, 0), (0, 255, 0)} <= colours(view)
    shares = []
    for hatch in (0, 1, 2):
        drawn = np.asarray(etched(view, 0.0, {0: Stain("#ff0000", "#00ff00", 1.0, hatch=hatch)}, ()))
        shares.append(float((drawn[..., 1].astype(int) - drawn[..., 0] > 100).mean()))
    assert shares[0] < shares[1] < shares[2]


def test_paper_stays_paper_and_the_outline_is_inked():
    found = colours(exposed(CUBE, camera(CUBE, 0, 0), SIZE))
    assert (255, 255, 255) in found
    assert min(sum(colour) for colour in found) < 3 * 140
    assert DEFAULT.paper == "#ffffff"

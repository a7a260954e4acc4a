"""Comparing pieces: what was done to a piece is what is told of it, no more and no less."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.compare import UNIT_RATIOS, Compared, compared, unit_mistake
from deadground.meshes.compare_align import align
from deadground.meshes.files import load
from deadground.meshes.inspection import inspect_mesh
from tests.meshes.damage import windowed
from tests.meshes.scans import noisy, refined, with_missing

MIRROR = np.diag([-1.0, 1, 1, 1])


def put(mesh: trimesh.Trimesh, yaw: float = 0.0, scale: float = 1.0) -> trimesh.Trimesh:
    """A copy turned by so many degrees, scaled, moved aside, foot at 0."""
    moved = mesh.copy()
    moved.apply_transform(trimesh.transformations.rotation_matrix(np.radians(yaw), [0, 0, 1]))
    moved.apply_scale(scale)
    moved.apply_translation([1.3, -0.7, -moved.bounds[0, 2]])
    return moved


def compare(one: trimesh.Trimesh, two: trimesh.Trimesh) -> Compared:
    return compared((one, inspect_mesh(one)), (two, inspect_mesh(two)))


def test_a_piece_lies_over_itself_turned_moved_and_scaled():
    piece = windowed()
    found = align(piece, put(piece, yaw=133, scale=0.998))
    assert found.scale == pytest.approx(1 / 0.998, abs=1e-7)
    assert found.yaw == pytest.approx(-133, abs=1e-4)
    assert not found.mirrored
    np.testing.assert_allclose(found.moved(np.asarray(put(piece, 133, 0.998).vertices)), piece.vertices, atol=1e-6)


def test_units_taken_for_others_are_known_by_their_ratio():
    for name, ratio in UNIT_RATIOS.items():
        assert unit_mistake(0.998 * ratio) == (name, ratio)
    assert unit_mistake(1.0) == ("", 1.0)
    assert unit_mistake(0.5) == ("", 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(("yaw", "scale"), [(67, 0.998), (180, 1.02)])
def test_a_piece_compared_with_itself_has_no_deviation_and_the_right_scale(yaw, scale):
    piece = windowed()
    found = compare(piece, put(piece, yaw, scale))
    assert found.size == pytest.approx(scale, rel=1e-6)
    assert abs(found.worst[0]) < 1e-6
    pairs = found.gap_pairs
    assert (pairs.lost, pairs.new, len(pairs.both)) == ((), (), len(found.gaps[0]))
    for a, b in pairs.both:
        assert found.unscaled[b].sill == pytest.approx(found.gaps[0][a].sill, abs=1e-4)
        assert found.gaps[1][b].head == pytest.approx(scale * found.gaps[0][a].head, rel=1e-4)


@pytest.mark.slow
def test_a_mirror_image_is_told_and_a_symmetric_piece_is_none():
    piece, mirrored = windowed(), windowed()
    mirrored.apply_transform(MIRROR)
    assert align(piece, put(mirrored, 40)).mirrored
    box = trimesh.creation.box(extents=[3, 2, 1]).apply_translation([0, 0, 0.5])
    found = align(box, put(box, 180))
    assert not found.mirrored
    assert abs(found.yaw) < 1e-3


@pytest.mark.slow
def test_two_different_pieces_are_not_taken_for_versions_of_one():
    crate = trimesh.creation.icosphere(radius=2).apply_translation([0, 0, 2])
    assert not compare(windowed(), crate).same_piece


@pytest.mark.slow
def test_a_piece_lying_on_its_side_is_found_if_that_is_asked():
    piece = windowed()
    lying = piece.copy()
    lying.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [0, 1, 0]))
    assert align(piece, put(lying), any_way=True).misfit < align(piece, put(lying)).misfit / 2


@pytest.mark.slow
def test_a_scan_of_a_print_tells_its_shrinkage_and_its_noise(data):
    piece, rng = load(data / "meshes" / "building_room.stl", "mm"), np.random.default_rng(4)
    scan = put(with_missing(noisy(refined(piece, 3), 0.15, rng), 0.01, rng), 34, 0.998)
    found = compare(piece, scan)
    assert found.size == pytest.approx(0.998, abs=3e-4)
    assert 0.03 < found.quantile(0.5) * MM_PER_INCH < 0.12
    assert found.quantile(0.99) * MM_PER_INCH < 0.4
    assert len(found.gap_pairs.both) == 3

"""The quick caster against the slow one in float64, which knows no index and no Embree."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from deadground.geometry.caster import Caster
from deadground.geometry.obstacles import Blocker, Layer, World
from deadground.geometry.plates import Array
from deadground.geometry.reference import clearance, first_hits, segments_to_segments
from deadground.geometry.segments import Segments
from deadground.geometry.units import EDGE, END, inches
from deadground.meshes.builder import build
from deadground.meshes.files import load
from deadground.meshes.parts import Block, Floor, Hole, Wall

HALF_WIDTH = inches(1.0, "mm") / 2
FILES = ["building_room.stl", "window_frame.stl", "barrier.stl"]


def ruin() -> trimesh.Trimesh:
    window, door = Hole(3, 1, 1, 2.5), Hole(5, 1.2, 0, 2.4, "arch")
    return build(
        [
            Wall((0, 0), (8, 0), 5, 0.25, openings=(window, door)),
            Wall((0, 0), (0, 6), 5, 0.25, openings=(Hole(3, 0.05, 1, 4),)),
            Floor(((0, 0), (8, 0), (0, 6)), 3, 0.2),
            Block((1, 1, 1), (5, 3, 0)),
        ]
    ).mesh


def pieces() -> dict[str, trimesh.Trimesh]:
    return {"ruin": ruin(), "ball": trimesh.creation.icosphere(2, 2.0), "tube": trimesh.creation.annulus(1, 1.2, 3)}


def random_segments(seed: int, mesh: trimesh.Trimesh, count: int) -> Segments:
    rng = np.random.default_rng(seed)
    low, high = np.asarray(mesh.bounds) + [[-1.0], [1.0]]
    return Segments(rng.uniform(low, high, (count, 3)), rng.uniform(low, high, (count, 3)))


def aimed_segments(seed: int, mesh: trimesh.Trimesh, each: int) -> Segments:
    """Segments through every corner and the middle of every edge, from random points."""
    rng = np.random.default_rng(seed)
    corners = np.asarray(mesh.vertices)
    aims = np.tile(np.concatenate([corners, corners[mesh.edges_unique].mean(1)]), (each, 1))
    low, high = np.asarray(mesh.bounds) + [[-1.0], [1.0]]
    start = rng.uniform(low, high, (len(aims), 3))
    return Segments(start, aims + (aims - start) * rng.uniform(0.1, 1, (len(aims), 1)))


def shortened(segments: Segments) -> Segments:
    """As the caster sees them."""
    length = np.linalg.norm(segments.along, axis=1)
    share = np.minimum(END / np.maximum(length, END), 0.5)
    return Segments(segments.at(share), segments.at(1 - share))


def is_near_edge(segment: Segments, triangles: Array) -> bool:
    """Whether a segment comes nearer to an edge, or an end of it nearer to a triangle, than Embree is believed."""
    start, end = (np.broadcast_to(p[0], (len(triangles), 3)) for p in (segment.start, segment.end))
    edges = [segments_to_segments(start, end, triangles[:, k], triangles[:, (k + 1) % 3])[0].min() for k in range(3)]
    ends = [clearance(p, p, triangles).distance.min() for p in (start, end)]
    return bool(min(edges + ends) <= EDGE)


def disagreements(mesh: trimesh.Trimesh, segments: Segments) -> Array:
    triangles = np.asarray(mesh.triangles)
    quick = Caster([triangles]).blocked(segments)
    slow = first_hits(shortened(segments), triangles).blocked
    return np.flatnonzero(quick != slow)


@pytest.mark.parametrize("name", pieces())
def test_both_casters_agree_on_random_segments(name):
    mesh = pieces()[name]
    segments = random_segments(1, mesh, 4_000)
    for i in disagreements(mesh, segments):
        assert is_near_edge(shortened(segments.take(np.array([i]))), np.asarray(mesh.triangles))


@pytest.mark.slow
@pytest.mark.parametrize("name", pieces())
def test_both_casters_agree_on_a_hundred_thousand_segments(name):
    mesh = pieces()[name]
    segments = random_segments(2, mesh, 100_000)
    for i in disagreements(mesh, segments):
        assert is_near_edge(shortened(segments.take(np.array([i]))), np.asarray(mesh.triangles))


@pytest.mark.parametrize("name", pieces())
def test_both_casters_agree_on_segments_through_corners_and_edges_or_come_near_them(name):
    mesh = pieces()[name]
    segments = aimed_segments(3, mesh, 4)
    for i in disagreements(mesh, segments):
        assert is_near_edge(shortened(segments.take(np.array([i]))), np.asarray(mesh.triangles))


@pytest.mark.parametrize("name", FILES)
def test_both_casters_agree_on_meshes_of_others(data, name):
    mesh = load(data / "meshes" / name, "mm")
    segments = random_segments(4, mesh, max(200, 4_000_000 // len(mesh.faces)))
    for i in disagreements(mesh, segments):
        assert is_near_edge(shortened(segments.take(np.array([i]))), np.asarray(mesh.triangles))


@pytest.mark.parametrize("name", pieces())
@pytest.mark.parametrize("half_width", [HALF_WIDTH, 0.0])
def test_no_segment_that_meets_the_mesh_is_called_clear(name, half_width):
    mesh = pieces()[name]
    triangles = np.asarray(mesh.triangles)
    world = world_of(triangles, half_width)
    for segments in (aimed_segments(5, mesh, 2), random_segments(6, mesh, 500)):
        clear = world.keeps_width(world.clearance(segments, world.nobody()))
        slow = first_hits(segments, triangles).blocked
        assert not (clear & slow).any()


def test_a_slip_through_a_corner_is_not_called_clear():
    """Where Embree lets a segment through, the check in float64 must not."""
    mesh = pieces()["ball"]
    triangles = np.asarray(mesh.triangles)
    segments = aimed_segments(7, mesh, 60)
    world = world_of(triangles, HALF_WIDTH)
    free = np.flatnonzero(~Caster([triangles]).blocked(segments))
    clear = world.keeps_width(world.clearance(segments.take(free), world.nobody()))
    assert not clear.any()  # every one of them goes through a point of the ball


def test_clearance_is_the_distance_from_all_triangles():
    mesh = ruin()
    triangles = np.asarray(mesh.triangles)
    segments = random_segments(8, mesh, 300)
    world = world_of(triangles, 0.5)
    found = world.clearance(segments, world.nobody()).distance
    for i in range(len(segments)):
        start, end = (np.broadcast_to(p[i], (len(triangles), 3)) for p in (segments.start, segments.end))
        nearest = clearance(start, end, triangles).distance.min()
        assert found[i] == pytest.approx(nearest) or nearest > 0.5


def test_the_caster_tells_whose_triangle_was_met():
    meshes = [np.asarray(trimesh.creation.box((1, 1, 1)).triangles) + [x, 0, 0] for x in (0.0, 3.0, 6.0)]
    caster = Caster([meshes[0], np.empty((0, 3, 3)), *meshes[1:]])
    start = np.array([[-2.0, 0, 0], [1.5, 0.1, 0], [4.5, 0.1, 0.1], [-2, 2, 0]])
    segments = Segments(start, np.array([[9.0, 0, 0]] * 3 + [[9.0, 2, 0]]))
    hits = caster.first(segments)
    assert [int(t) // 12 if t >= 0 else None for t in hits.triangle] == [0, 1, 2, None]
    assert hits.share[:2] == pytest.approx([1.5 / 11, 1 / 7.5], abs=1e-4)
    assert list(caster.blocked(segments)) == list(hits.blocked)


def test_a_segment_that_only_starts_on_a_surface_is_free():
    caster = Caster([np.asarray(trimesh.creation.box((1, 1, 1)).triangles)])
    assert not caster.blocked(Segments(np.array([[0.5, 0.1, 0.2]]), np.array([[4.0, 0.3, 0.1]])))[0]


def test_parallel_rays_meet_what_segments_meet():
    meshes = [np.asarray(trimesh.creation.box((1, 1, 1)).triangles) + [x, 0, 0] for x in (0.0, 3.0)]
    caster, rng = Caster([np.empty((0, 3, 3)), *meshes]), np.random.default_rng(4)
    start, way = rng.uniform(-1, 1, (500, 3)) * [2.8, 0.9, 0] + [1.5, 0.0, 3.0], np.array([0.1, 0.2, -8.0])
    hits = caster.first(Segments(start, start + way))
    triangle, far = caster.first_along(start, way)
    assert 50 < hits.blocked.sum() < 450
    assert triangle.tolist() == hits.triangle.tolist()
    assert far[hits.blocked] == pytest.approx(hits.share[hits.blocked] * np.linalg.norm(way), abs=1e-3)
    assert np.isinf(far[~hits.blocked]).all()
    assert Caster([]).first_along(start, way)[0].max() == -1
    assert np.isinf(Caster([]).first_along(start, way)[1]).all()


def test_nothing_stops_a_segment_where_there_is_nothing():
    segments = Segments(np.zeros((2, 3)), np.ones((2, 3)))
    assert not Caster([]).blocked(segments).any()
    assert not Caster([]).first(segments).blocked.any()
    assert len(Caster([]).first(Segments(np.empty((0, 3)), np.empty((0, 3)))).share) == 0


def world_of(triangles: Array, half_width: float) -> World:
    faces = np.arange(3 * len(triangles)).reshape(-1, 3)
    return World([Layer([Blocker(triangles, faces)])], half_width)


def test_a_line_along_a_surface_that_does_not_count_meets_what_stands_behind_it():
    lid = trimesh.creation.box((8, 8, 1))
    wall = trimesh.creation.box((1, 8, 8))
    wall.apply_translation([6, 0, 0])
    blockers = [Blocker(np.asarray(m.triangles), np.asarray(m.faces, np.int64)) for m in (lid, wall)]
    scene = World([Layer(blockers)], HALF_WIDTH)
    y = np.linspace(-3, 3, 50)
    along = Segments(np.column_stack([y * 0 - 3, y, y * 0 + 0.5]), np.column_stack([y * 0 + 9, -y, y * 0 + 0.5]))
    hits = scene.first(along, np.array([[True, False]]))
    assert list(np.unique(scene.owner_of(hits.triangle))) == [1]
    assert hits.share == pytest.approx(np.full(50, 8.5 / 12), abs=1e-3)

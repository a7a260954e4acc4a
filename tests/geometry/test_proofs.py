"""Whatever a proof says of a bundle must hold of every line in it: bundles and plates at random, lines at random."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from deadground.geometry.gates import Gates, convex_pieces, find_gates, gate_proofs, shared_weights
from deadground.geometry.obstacles import Blocker, Layer, World, plates_of
from deadground.geometry.proofs import PlateTable, crossing_boxes, end_proofs, strip_proofs
from deadground.geometry.reference import clearance
from deadground.geometry.segments import Segments

HALF = 0.02
LINES = 300


def hulls(rng, count, middle, size):
    """(count, 6, 3) corners about a point."""
    about = np.asarray(middle) + rng.normal(0, 0.3, (count, 1, 3))
    return about + size[:, None, None] * rng.uniform(-1, 1, (count, 6, 3)) * rng.choice([0.1, 0.5, 1.5], (count, 1, 3))


def bundles(seed, count):
    rng = np.random.default_rng(seed)
    size = 10 ** rng.uniform(-2, 0, count)
    return rng, hulls(rng, count, (0, -3, 1), size), hulls(rng, count, (0, 3, 1), size)


def lines_of(rng, a, b):
    """Lines of one bundle, half of them between corners."""
    weights = [rng.dirichlet(np.full(6, 0.3), LINES) for _ in range(2)]
    corners = [np.eye(6)[rng.integers(6, size=LINES // 2)] for _ in range(2)]
    for one, sharp in zip(weights, corners, strict=True):
        one[: LINES // 2] = sharp
    return Segments(weights[0] @ a, weights[1] @ b)


def gates_at_random(rng, count, each):
    """Upright plates between the hulls, cut from shapes with corners, holes and notches."""
    bundle = np.repeat(np.arange(count), each)
    turn = rng.uniform(-0.7, 0.7, len(bundle))
    along = np.stack([np.cos(turn), np.sin(turn), 0 * turn], 1)
    up = np.tile([0.0, 0.0, 1.0], (len(bundle), 1))
    origin = np.stack([0 * turn, rng.uniform(-0.5, 0.5, len(bundle)), 0 * turn], 1)
    polygon = np.empty(len(bundle), object)
    for k in range(len(bundle)):
        u, v, w = rng.uniform(-0.2, 0.2, 3)
        shape = rng.integers(5) if k % each else 0
        if shape == 0:
            end = u
            polygon[k] = shapely.box(-9, -9, end, 9)
        elif shape < 3:
            polygon[k] = shapely.box(end - rng.choice([0.001, 0.1]), -9, 9, 9)
        elif shape == 3:
            polygon[k] = shapely.box(-9, -9, 9, 1 + v).difference(shapely.box(u, v, u + 0.5, v + 0.7))
        else:
            polygon[k] = shapely.Polygon([(u, -9), (9, -9 + w), (9, 9), (u + w, 9), (u + 0.2, v)]).buffer(0)
    return Gates(bundle, origin, along, up, polygon)


def crosses(gates, k, lines):
    """(n,) whether lines cross gate k, with a hair to spare."""
    normal = np.cross(gates.along[k], gates.up[k])
    before, after = (lines.start - gates.origin[k]) @ normal, (lines.end - gates.origin[k]) @ normal
    point = lines.at(before / (before - after)) - gates.origin[k]
    spot = shapely.points(np.stack([point @ gates.along[k], point @ gates.up[k]], 1))
    return (before * after < 0) & shapely.dwithin(gates.polygon[k], spot, 1e-12)


def test_every_line_of_a_bundle_proven_by_two_gates_crosses_one_of_them():
    rng, a, b = bundles(0, 400)
    gates = gates_at_random(rng, len(a), 3)
    proven = gate_proofs(gates, a, b)
    alone = [gate_proofs(gates.take(np.arange(k, len(gates.bundle), 3)), a, b) for k in range(3)]
    assert (proven & ~np.any(alone, 0)).sum() > 10
    for i in np.flatnonzero(proven):
        lines = lines_of(rng, a[i], b[i])
        assert np.any([crosses(gates, k, lines) for k in np.flatnonzero(gates.bundle == i)], 0).all()


@pytest.mark.parametrize("overlap", [1e-5, -1e-5])
def test_two_walls_prove_a_wide_bundle_however_thinly_they_overlap_but_not_past_a_gap(overlap):
    x, y, z = np.array([-1.0, 1, -1, 1, -1, 1]), np.full(6, 3.0), np.array([0.0, 0, 0, 1, 1, 1])
    a, b = np.stack([x, -y, z], 1)[None], np.stack([x, y, z], 1)[None]
    frame = np.tile([1.0, 0, 0], (2, 1)), np.tile([0, 0, 1.0], (2, 1))
    walls = np.array([shapely.box(-9, -9, overlap, 9), shapely.box(0, -9, 9, 9)], object)
    gates = Gates(np.zeros(2, np.int64), np.zeros((2, 3)), *frame, walls)
    assert gate_proofs(gates, a, b).all() == (overlap > 0)
    assert not any(gate_proofs(gates.take(np.array([k])), a, b).any() for k in (0, 1))


def test_weights_exist_only_where_they_can():
    one, two = np.array([[1.0, -1.0], [1.0, -1.0], [1.0, -1.0]]), np.array([[-0.5, 2.0], [-2.0, 1.0], [1.0, -0.1]])
    assert list(shared_weights(one, two)) == [True, False, False]
    below = np.array([[-1.0, 0.5], [-1.0, 0.5]])
    assert list(shared_weights(below, below)) == [False, False]


def test_convex_pieces_are_convex_parts_of_their_polygons():
    window = shapely.box(0, 0, 4, 3).difference(shapely.box(1, 1, 2, 2))
    bent = shapely.Polygon([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)])
    whose, pieces = convex_pieces(np.array([window, bent, shapely.Polygon(), shapely.box(0, 0, 1, 1)], object))
    assert set(whose) == {0, 1, 3}
    for k, piece in zip(whose, pieces, strict=True):
        assert shapely.area(shapely.convex_hull(piece)) == pytest.approx(piece.area)
        assert piece.difference([window, bent, None, shapely.box(0, 0, 1, 1)][k]).area < 1e-12


@pytest.fixture
def world():
    rng = np.random.default_rng(5)
    corner = rng.uniform(-2, 2, (14, 1, 3)) * [1, 0.5, 1] + [0, 0, 1]
    triangles = corner + rng.normal(0, 1.5, (14, 3, 3)) * [1, 0.2, 1]
    blockers = [Blocker(t[None], np.array([[0, 1, 2]])) for t in triangles]
    return World([Layer(blockers[:10]), Layer(blockers[10:], wide=False)], HALF)


def distances(world, lines):
    """(n,) distance of lines from what is wide, 0.0 where they cross anything."""
    least = np.full(len(lines), np.inf)
    for layer in world.layers:
        for triangle in layer.triangles:
            gap = clearance(lines.start, lines.end, np.broadcast_to(triangle, (len(lines), 3, 3))).distance
            least = np.minimum(least, gap if layer.wide else np.where(gap < 1e-12, 0.0, np.inf))
    return least


@pytest.mark.parametrize("seed", range(2))
def test_no_line_of_a_bundle_keeps_its_width_where_gates_found_in_a_world_prove_it(seed, world):
    rng, a, b = bundles(seed + 100, 80)
    gates = find_gates(world, PlateTable(world), np.zeros((len(a), world.owners), bool), a, b)
    proven = np.flatnonzero(gate_proofs(gates, a, b))
    assert len(proven) > 5
    for i in proven:
        assert distances(world, lines_of(rng, a[i], b[i])).max() <= HALF


@pytest.mark.parametrize("seed", range(2))
def test_every_line_of_a_bundle_that_a_plate_proves_crosses_it(seed, world):
    rng, a, b = bundles(seed + 200, 150)
    table = PlateTable(world)
    plate = rng.integers(len(table.origin), size=len(a))
    said = table.judge(plate, Segments(a.mean(1), b.mean(1)), a, b)
    leaning = table.lean(plate, a, b)
    for i in np.flatnonzero(said.proven & ~leaning):
        layer = world.layers[int(plate[i] >= table.facet_offset[1])]
        grown = plates_of(layer, int(plate[i] - table.facet_offset[int(layer is world.layers[1])]), world.growth(layer))
        gate = Gates(
            np.zeros(1, int), grown.origin[None], grown.along[None], grown.up[None], np.array([grown.polygon], object)
        )
        assert crosses(gate, 0, lines_of(rng, a[i], b[i])).all()


@pytest.mark.parametrize("seed", range(2))
def test_every_line_of_a_bundle_that_a_strip_proves_passes_its_edge_within_half_its_width(seed):
    rng, a, b = bundles(seed + 300, 200)
    middle = (a.mean(1) + b.mean(1)) / 2
    edge = np.stack([middle + rng.normal(0, 1, middle.shape), middle - rng.normal(0, 1, middle.shape)], 1)
    edge += (middle - edge.mean(1))[:, None] + rng.normal(0, 0.03, (len(a), 1, 3))
    half = 0.15
    proven = np.flatnonzero(strip_proofs(edge, rng.normal(0, 1, (len(a), 3)), half, a, b))
    assert len(proven)
    for i in proven:
        lines = lines_of(rng, a[i], b[i])
        flat = np.broadcast_to(edge[i][[0, 1, 1]], (len(lines), 3, 3))
        assert clearance(lines.start, lines.end, flat).distance.max() <= half + 1e-12


@pytest.mark.parametrize(("x", "proves"), [(-0.2, False), (-0.1, True), (0.5, True), (1.1, True), (1.2, False)])
def test_a_strip_ends_half_a_width_past_its_edge(x, proves):
    edge = np.array([[[0.0, 0, 0], [1, 0, 0]]])
    a, b = (np.array([[[x + u, y, v] for u in (-0.01, 0, 0.01) for v in (-0.01, 0.01)]]) for y in (-3.0, 3.0))
    assert strip_proofs(edge, np.array([[0.0, 0, 1]]), 0.15, a, b)[0] == proves


def test_every_line_of_a_bundle_that_ends_beside_a_triangle_is_near_it():
    rng, a, _ = bundles(400, 200)
    triangle = a.mean(1)[:, None] + rng.normal(0, 0.5, (len(a), 3, 3))
    proven = np.flatnonzero(end_proofs(triangle, 0.3, a))
    assert len(proven)
    for i in proven:
        points = lines_of(rng, a[i], a[i]).start
        gap = clearance(points, points, np.broadcast_to(triangle[i], (len(points), 3, 3)))
        assert gap.distance.max() <= 0.3


def jagged(rng):
    """A flat blocker of squares with gaps between them, in a plane of its own, its corners a little off it."""
    u, v = np.meshgrid(np.arange(8.0), np.arange(6.0), indexing="ij")
    points = np.stack([u.ravel() - 4, rng.uniform(-2e-6, 2e-6, u.size), v.ravel() - 3], 1) * [0.7, 1, 0.5]
    corner = np.arange(u.size).reshape(u.shape)
    squares = np.stack([corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]], -1).reshape(-1, 4)
    squares = squares[rng.random(len(squares)) < 0.9]
    faces = np.concatenate([squares[:, [0, 1, 2]], squares[:, [0, 2, 3]]])
    turn = np.linalg.qr(rng.normal(0, 1, (3, 3)))[0]
    return Blocker((points @ turn.T)[faces], faces)


def moved_to(table, plate, corners, side, height):
    """Hulls moved along the plates' normals, so that their highest corner on a side is at a height there."""
    normal = table.normal[plate]
    own = side * np.einsum("nkc,nc->nk", corners - table.origin[plate][:, None], normal).T
    return corners + ((height - own.max(0)) * side)[:, None, None] * normal[:, None]


@pytest.mark.parametrize("seed", range(2))
def test_no_line_of_a_bundle_keeps_its_width_where_one_hull_just_reaches_past_a_plate(seed):
    rng = np.random.default_rng(seed + 600)
    world = World([Layer([jagged(rng)])], HALF)
    table = PlateTable(world)
    count = 300
    plate, side = rng.integers(int(table.facet_offset[-1]), size=count), rng.choice([-1.0, 1.0], count)
    table.make(plate)
    far, near = (hulls(rng, count, (0, 0, 0), 10 ** rng.uniform(-2, -0.3, count)) for _ in range(2))
    far = moved_to(table, plate, far, -side, -rng.uniform(0.05, 3, count))
    near = moved_to(table, plate, near, side, rng.uniform(-0.5, 1.2, count) * HALF)
    swap = (rng.random(count) < 0.5)[:, None, None]
    a, b = np.where(swap, near, far), np.where(swap, far, near)
    proven = np.flatnonzero(table.lean(plate, a, b))
    assert len(proven) > 60
    past = [(side[i] * ((near[i] - table.origin[plate[i]]) @ table.normal[plate[i]])).max() for i in proven]
    assert np.quantile(past, 0.9) > 0.8 * HALF
    for i in proven[:20]:
        assert distances(world, lines_of(rng, a[i], b[i])).max() < HALF


def test_no_plate_without_width_leans_and_none_further_than_half_a_width():
    square = np.array([[-9.0, 0, -9], [9, 0, -9], [9, 0, 9], [-9, 0, 9]])
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    far = np.array([[[x, -3, z] for x in (-1, 0, 1) for z in (0, 1)]], float)
    near = far * [1, 0, 1] + [0, 1, 0] * np.linspace(-1, 1, 6)[:, None] * 0.9 * HALF
    for wide, reach, proves in ((True, 1.0, True), (True, 1.2, False), (False, 1.0, False)):
        table = PlateTable(World([Layer([Blocker(square[faces], faces)], wide=wide)], HALF))
        number = np.zeros(1, np.int64)
        table.make(number)
        assert table.lean(number, far, near * [1, reach, 1]).all() == proves
        assert table.lean(number, near * [1, reach, 1], far).all() == proves
        assert table.lean_on(number, square[faces][:1], far, near * [1, reach, 1]).all() == proves


def test_what_a_facet_is_off_its_plane_is_taken_off_the_width_by_which_it_leans():
    square = np.array([[-9.0, 0, -9], [9, 0, -9], [9, 4e-6, 9], [-9, 0, 9]])
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    table, number = PlateTable(World([Layer([Blocker(square[faces], faces)])], HALF)), np.zeros(1, np.int64)
    table.make(number)
    flat = np.array([[[x, 0, z] for x in (-1, 0, 1) for z in (0, 1)]], float)
    proven = []
    for short in (2.5e-6, 1e-7):  # of the width
        far, near = moved_to(table, number, flat, -1.0, -3.0), moved_to(table, number, flat, 1.0, HALF - 1e-5 - short)
        proven.append(bool(table.lean(number, far, near)[0]))
    assert proven == [True, False]


def test_all_crossings_lie_in_the_box_and_hulls_astride_the_plane_have_none():
    rng, a, b = bundles(500, 60)
    frame = np.tile([1.0, 0, 0], (60, 1)), np.tile([0, 0, 1.0], (60, 1))
    box, apart = crossing_boxes(np.zeros((60, 3)), *frame, a, b)
    assert not (apart & (a[:, :, 1].max(1) > 0)).any()
    for i in np.flatnonzero(apart):
        lines = lines_of(rng, a[i], b[i])
        point = lines.at(-lines.start[:, 1] / lines.along[:, 1])[:, [0, 2]]
        assert (point >= box[i, :2] - 1e-9).all()
        assert (point <= box[i, 2:] + 1e-9).all()

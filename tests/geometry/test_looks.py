"""Looking from single points: quick casts, empty space, and lines turned until they reach."""

from __future__ import annotations

import numpy as np
import trimesh

from deadground.geometry.climb import climb
from deadground.geometry.looks import Watched, nothing_near
from deadground.geometry.obstacles import Blocker, Layer, World
from deadground.geometry.patches import facing_patches
from deadground.geometry.segments import Segments
from deadground.geometry.shapes import Upright
from deadground.geometry.units import inches

HALF_WIDTH = inches(1.0, "mm") / 2
ONE, TWO = Upright(0, 0, 0.6, 0.6, 0.0, 0.0, 1.5), Upright(10, 0, 0.6, 0.6, 0.0, 0.0, 1.5)


def box(size: tuple[float, float, float], at: tuple[float, float, float]) -> Blocker:
    mesh = trimesh.creation.box(size)
    mesh.apply_translation([at[0], at[1], at[2] + size[2] / 2])
    return Blocker(np.asarray(mesh.triangles), np.asarray(mesh.faces, np.int64))


def test_quick_casts_say_what_first_hits_say():
    rng = np.random.default_rng(1)
    boxes = [box(tuple(rng.uniform(0.2, 2, 3)), (*rng.uniform(0, 10, 2), 0.0)) for _ in range(12)]
    world = World([Layer(boxes[:8]), Layer(boxes[8:], wide=False)], HALF_WIDTH)
    ignored = rng.random((5, world.owners)) < 0.3
    lines = Segments(rng.uniform(0, 10, (2_000, 3)) * [1, 1, 0.2], rng.uniform(0, 10, (2_000, 3)) * [1, 1, 0.2])
    group = rng.integers(0, 5, 2_000)
    slow = world.first(lines, ignored[group]).blocked
    assert slow.any()
    assert (world.blocked(lines, ignored, group) == slow).mean() > 0.999


def test_nothing_is_near_only_where_nothing_is():
    one, two = (facing_patches(a, b, 0.0).corners().reshape(-1, 3) for a, b in ((ONE, TWO), (TWO, ONE)))
    for y, clear in ((0.0, False), (0.7, False), (-1.0, False), (3.0, True), (-3.0, True)):
        world = World([Layer([box((0.5, 0.1, 1.0), (5, y, 0))])], HALF_WIDTH)
        assert nothing_near(world, [one], [two], np.zeros((1, 1), bool)).tolist() == [clear]
        assert nothing_near(world, [one], [two], np.ones((1, 1), bool)).tolist() == [True]


def test_lines_are_turned_until_they_pass_a_narrow_slit():
    """Two walls leave a slit of 1.3 mm, off the middle, that no line of a coarse grid passes."""
    gap, off = inches(1.3, "mm"), 0.137
    walls = [box((0.1, 4, 5), (5, off + gap / 2 + 2, 0)), box((0.1, 4, 5), (5, off - gap / 2 - 2, 0))]
    world = World([Layer(walls)], HALF_WIDTH)
    target, ignored = facing_patches(TWO, ONE, 0.0), np.zeros((1, 2), bool)
    part = target.take(np.array([0]))
    parts = Watched(world, part, np.array([0]), ignored, [np.empty((0, 3))])
    (line,) = climb(parts, [facing_patches(ONE, TWO, 0.0)])
    assert line is not None
    found = world.clearance(Segments(line[:1], line[1:]), ignored)
    assert world.keeps_width(found).all()
    assert abs(np.hypot(*(line[1, :2] - [TWO.x, TWO.y])) - TWO.a) < 1e-9


def test_behind_a_closed_wall_no_turning_helps():
    world = World([Layer([box((0.1, 20, 5), (5, 0, 0))])], HALF_WIDTH)
    parts = Watched(
        world, facing_patches(TWO, ONE, 0.0), np.zeros(2, np.int64), np.zeros((1, 1), bool), [np.empty((0, 3))]
    )
    assert climb(parts, [facing_patches(ONE, TWO, 0.0)]) == [None, None]

"""Rays that need not be cast would have told what the cells say."""

from __future__ import annotations

import numpy as np
import pytest

from deadground.geometry.caster import Caster
from deadground.geometry.segments import Segments
from deadground.meshes.cells import cells
from deadground.meshes.frames import Frame, Raster, Window, seen_through
from tests.meshes.ruins import ruin


@pytest.mark.parametrize("seed", range(4))
def test_empty_cells_are_free_and_covered_cells_are_not(seed: int) -> None:
    mesh, rng = ruin(seed).mesh, np.random.default_rng(seed)
    caster = Caster([mesh.triangles])
    for angle in rng.uniform(0, np.pi, 3):
        frame = Frame(float(angle))
        corners = frame.coordinates(np.asarray(mesh.vertices))[mesh.faces]
        low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        near = float(rng.uniform(low[2], high[2]))
        window = Window(frame, (low[0] - 0.3, 0.0), (high[0] + 0.3, high[1] + 0.3), near, near + 0.5)
        raster = Raster(window, 0.04)
        free = seen_through(caster, raster, np.ones(raster.shape, bool))
        found = cells(corners, raster)
        assert free[found.empty].all()
        assert not free[found.covered].any()
        assert (found.part > 0).sum() == found.empty.sum()
        rows, columns = np.moveaxis(found.spots, -1, 0)
        assert (found.part[rows, columns] == np.arange(1, len(rows) + 1)[:, None]).all()


def test_a_window_of_nothing_is_one_empty_part() -> None:
    raster = Raster(Window(Frame(0.0), (0.0, 0.0), (1.0, 1.0), 0.0, 1.0), 0.1)
    found = cells(np.full((1, 3, 3), 50.0), raster)
    assert found.empty.all()
    assert found.part.max() == 1
    assert not found.open.any()


def test_parallel_rays_are_blocked_where_segments_are() -> None:
    mesh, rng = ruin(3).mesh, np.random.default_rng(3)
    caster = Caster([mesh.triangles])
    start, way = rng.uniform(*mesh.bounds, (4000, 3)), np.array([0.6, 0.8, 0.1])
    blocked = caster.blocked_along(start, way)
    assert (blocked == caster.blocked(Segments(start, start + way))).all()
    assert 0 < blocked.mean() < 1

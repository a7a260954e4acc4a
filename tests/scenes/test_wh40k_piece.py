"""What 40k's terrain rules make of one piece."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import trimesh
from shapely import box

from deadground.meshes.findings import Finding
from deadground.meshes.inspection import inspect_mesh
from deadground.meshes.solid import prism, united
from deadground.scenes.rulings.wh40k_piece import PIECE_CODES, PieceReading, read_piece

X, _, Z = np.eye(3)


def block(low: tuple[float, float, float], high: tuple[float, float, float]) -> trimesh.Trimesh:
    return trimesh.creation.box(bounds=[low, high])


def wall(height: float, *holes: tuple[float, float]) -> trimesh.Trimesh:
    """8 long (x), 0.25 thick, with a gap 1 wide from each sill to each head."""
    shape = box(0, 0, 8, height)
    for number, (sill, head) in enumerate(holes):
        shape = shape.difference(box(1 + 1.5 * number, sill, 2 + 1.5 * number, head))
    return prism(shape, np.zeros(3), X, Z, -0.25, 0.0)


@cache
def reading(*holes: tuple[float, float], height: float = 6.0, storey: float = 0.0, limit: float = 3.0) -> PieceReading:
    mesh = wall(height, *holes)
    if storey:
        legs = [block((0, 2.75, 0), (0.25, 3, storey)), block((7.75, 2.75, 0), (8, 3, storey))]
        mesh = united([mesh, block((0, 0, storey - 0.2), (8, 3, storey)), *legs])
    return read_piece(inspect_mesh(mesh), limit)


def found(read: PieceReading, code: str) -> Finding:
    return next(finding for finding in read.findings if finding.code == code)


def test_gaps_are_closed_open_or_straddle_the_limit():
    read = reading((1, 2), (2, 3), (2.5, 3.5), (3.5, 5))
    assert sorted(read.states.values()) == ["closed", "closed", "open", "straddles"]
    assert found(read, "straddling-openings").level == "warning"
    assert found(reading((1, 2)), "straddling-openings").level == "ok"


def test_a_gap_that_ends_at_the_limit_is_closed_and_one_above_another_limit_is_open():
    assert list(reading((2, 3)).states.values()) == ["closed"]
    assert list(reading((2, 3), limit=1.9).states.values()) == ["open"]


def test_a_gap_close_to_the_limit_is_told():
    assert found(reading((1, 2.97)), "near-limit").level == "note"
    assert found(reading((1, 2.5)), "near-limit").level == "ok"


@pytest.mark.parametrize(
    ("storey", "how", "level"),
    [(3.0, "exactly", "ok"), (3.2, "over", "ok"), (2.5, "under", "ok"), (2.97, "under", "warning")],
)
def test_the_first_floor_is_held_against_the_limit(storey, how, level):
    read = reading(storey=storey)
    assert read.first_floor is not None
    assert read.first_floor[0].height == pytest.approx(storey)
    assert read.first_floor[1] == how
    assert found(read, "first-floor").level == level


def test_a_piece_without_upper_floor_has_no_first_floor():
    assert reading().first_floor is None


def test_a_section_just_over_two_inches_is_told():
    assert found(reading(height=2.04), "sections").level == "warning"
    assert found(reading(height=2.0), "sections").level == "ok"
    assert found(reading(height=3.0), "sections").level == "ok"


@pytest.mark.parametrize(
    ("height", "holes", "category"),
    [(6.0, (), "dense"), (1.9, ((0.5, 1.2),), "dense"), (1.2, (), "light"), (0.4, (), "exposed")],
)
def test_the_category_is_advised_by_height_and_openings(height, holes, category):
    read = reading(*holes, height=height)
    assert read.category == category
    assert read.reason in found(read, "category").message


def test_every_code_is_told_once():
    assert sorted(finding.code for finding in reading((1, 2)).findings) == sorted(PIECE_CODES)

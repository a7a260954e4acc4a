from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import trimesh

from deadground.meshes.piece import Piece
from deadground.scenes.document import scene_from
from deadground.scenes.scene import Scene
from deadground.scenes.standing import base_at, faults
from deadground.scenes.terrain import Feature

BASE = 32 / 25.4


def table(
    *features: dict[str, Any], base: str = "32mm", at=((20, 15),), height: float = 1.5, facing: float = 0
) -> Scene:
    """A 40 x 30 table with these features and one unit A."""
    units = [
        {"name": "A", "side": "red", "base": base, "height": height, "at": [list(p) for p in at], "facing": facing}
    ]
    return scene_from(
        {"schema": 1, "ruleset": "wh40k-11e", "units": "in", "board": {"size": [40, 30]},
         "feature": list(features), "unit": units}
    )  # fmt: skip


def feature(name="ruin", at=(10, 10), **parts) -> dict[str, Any]:
    return {"name": name, "at": list(at), "wh40k": {"category": "dense"}, **parts}


def floor(outline, top=3.0, holes=()) -> dict[str, Any]:
    return {"outline": [list(p) for p in outline], "top": top, "thickness": 0.2, "holes": [list(h) for h in holes]}


SQUARE = ((0, 0), (6, 0), (6, 6), (0, 6))
STORE = feature(floor=[floor(SQUARE), floor(SQUARE, 6.0)])


def faults_at(scene: Scene, x, y, z=0.0, **rules) -> tuple[str, ...]:
    return faults(scene, base_at(scene.models[0], x, y, z), **rules)


def test_open_ground_has_no_faults():
    assert faults_at(table(STORE), 20, 15) == ()


@pytest.mark.parametrize(("inset", "found"), [(0.5, ()), (0.0, ()), (-0.0005, ()), (-0.01, ("overhang",))])
def test_a_base_at_the_floors_edge_stands_and_one_over_it_overhangs(inset, found):
    assert faults_at(table(STORE), 10 + BASE / 2 + inset, 13, 3) == found


@pytest.mark.parametrize(("inset", "found"), [(0.0, ()), (-0.01, ("overhang",))])
@pytest.mark.parametrize(("facing", "half"), [(0, 60 / 50.8), (90, 35 / 50.8)])
def test_an_oval_base_overhangs_by_its_true_shape(inset, found, facing, half):
    assert faults_at(table(STORE, base="60x35mm", facing=facing), 10 + half + inset, 13, 3) == found


def test_a_base_half_over_the_edge_is_unstable_too():
    assert faults_at(table(STORE), 9.9, 13, 3) == ("overhang", "unstable")


def test_there_is_nothing_to_stand_on_in_the_air():
    assert "no-surface" in faults_at(table(STORE), 13, 13, 4.5)
    assert faults_at(table(STORE), 30, 20, 3) == ("no-surface",)


def test_the_keyword_is_for_the_rules_to_say_and_never_asked_for_on_the_ground():
    assert faults_at(table(STORE), 13, 13, 3, may_stand_above=False) == ("keyword",)
    assert faults_at(table(STORE), 30, 20, 0, may_stand_above=False) == ()


def test_a_stairwell_is_not_an_outer_edge_but_its_middle_bears_nothing():
    hole = ((2.8, 2.8), (3.6, 2.8), (3.6, 3.6), (2.8, 3.6))
    scene = table(feature(floor=[floor(SQUARE, 3.0, [hole])]))
    assert faults_at(scene, 13.2, 12.4, 3) == ()
    assert faults_at(scene, 13.2, 13.2, 3) == ("unstable",)


@pytest.mark.parametrize(("height", "found"), [(2.8, ()), (2.801, ()), (2.81, ("no-headroom",))])
def test_a_model_that_exactly_fits_under_a_ceiling_stands(height, found):
    assert faults_at(table(STORE, height=height), 13, 13, 3) == found


@pytest.mark.parametrize(("gap", "found"), [(0.0, ()), (-0.01, ("inside-terrain",))])
def test_a_base_may_touch_a_wall_but_not_stand_in_it(gap, found):
    wall = feature(wall=[{"from": [0, 0], "to": [8, 0], "height": 5, "thickness": 0.25}])
    assert faults_at(table(wall), 14, 10 + 0.125 + BASE / 2 + gap) == found


def test_a_model_in_a_block_is_inside_terrain():
    assert faults_at(table(feature(block=[{"size": [6, 6, 4], "at": [0, 0, 0]}])), 10, 10) == ("inside-terrain",)


def test_under_a_lintel_there_is_no_head_room_and_in_a_window_there_is_wall():
    openings = [
        {"at": 2, "width": 1.5, "sill": 0, "head": 1.4},
        {"at": 5, "width": 1.5, "sill": 0.5, "head": 2.5},
    ]
    wall = feature(wall=[{"from": [0, 0], "to": [8, 0], "height": 5, "thickness": 0.25, "openings": openings}])
    assert faults_at(table(wall), 12, 10) == ("no-headroom",)
    assert faults_at(table(wall), 15, 10) == ("inside-terrain",)
    assert faults_at(table(wall, height=1.4), 12, 10) == ()


@pytest.mark.parametrize(("apart", "found"), [(BASE, ()), (BASE - 0.01, ("overlaps-model",))])
def test_bases_may_touch_but_not_overlap(apart, found):
    scene = table(at=((20, 15), (25, 15)))
    assert faults_at(scene, 25 - apart, 15) == found


def test_a_model_on_the_floor_above_is_not_overlapped():
    assert faults_at(table(STORE, at=((20, 15), (13, 13, 3))), 13, 13, 0) == ()


@pytest.mark.parametrize(("x", "found"), [(BASE / 2, ()), (BASE / 2 - 0.01, ("off-board",))])
def test_the_whole_base_is_on_the_board(x, found):
    assert faults_at(table(), x, 15) == found


def test_two_crates_side_by_side_bear_a_base_together():
    crates = [
        feature(name, at, block=[{"size": [2, 2, 2], "at": [0, 0, 0]}])
        for name, at in (("a", (10, 10)), ("b", (12, 10)))
    ]
    assert faults_at(table(*crates), 11, 10, 2) == ()


def wedge() -> Feature:
    """A hill 8 long that rises 2 over 6 inches, then is level."""
    corners = [(0, 0, 0), (8, 0, 0), (0, 6, 0), (8, 6, 0), (6, 0, 2), (8, 0, 2), (6, 6, 2), (8, 6, 2)]
    return Feature("hill", Piece(trimesh.convex.convex_hull(np.array(corners, dtype=float))), 10, 10)


def test_a_model_stands_on_a_slope_but_not_in_it():
    scene = replace(table(), features=(wedge(),))
    assert faults_at(scene, 13, 13, 1.0) == ()
    assert faults_at(scene, 13, 13, 0.0) == ("inside-terrain",)
    assert faults_at(scene, 10.2, 13, 0.2) == ("overhang",)


def test_a_block_is_level_on_top_and_solid_below():
    block = feature(block=[{"size": [6, 6, 0.5], "at": [0, 0, 0]}])
    assert faults_at(table(block), 10, 10, 0.5) == ()
    assert faults_at(table(block), 10, 10, 0) == ("inside-terrain",)

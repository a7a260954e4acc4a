"""Rulings where two of their conditions part company: each test holds all but one, and the answer turns on that one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from deadground.meshes.builder import build
from deadground.meshes.parts import Floor, Hole, Wall
from deadground.scenes.document import scene_from
from deadground.scenes.options import Warhammer40kOptions
from deadground.scenes.rulings import find
from deadground.scenes.rulings.starcraft import dead_zone
from deadground.scenes.rulings.starcraft_table import Level, table_of
from deadground.scenes.rulings.verdict import Reason, Verdict
from deadground.scenes.rulings.wh40k_moving import manner_of
from deadground.scenes.rulings.wh40k_states import is_on_high_section
from deadground.scenes.rulings.wh40k_terrain import closed_height, closings
from deadground.scenes.scene import Scene

INFANTRY = {"wh40k": {"keywords": ["INFANTRY"]}}
WINDOW = {"from": [-3, 0], "to": [3, 0], "height": 6, "thickness": 0.25,
          "openings": [{"at": 3, "width": 1, "sill": 1, "head": 2}]}  # fmt: skip


def scene(system: str, units: list[dict[str, Any]], features: list[dict[str, Any]], **more: Any) -> Scene:
    sides = {"A": "red", "B": "blue"}
    made = [{"side": sides[unit["name"]], "base": "32mm", "height": 1.5} | unit for unit in units]
    document = {"schema": 1, "units": "in", "ruleset": system, "board": {"size": [60, 44]}}
    return scene_from({**document, "unit": made, "feature": features, **more})


def block(name: str, at: list[float], size: list[float], **facts: Any) -> dict[str, Any]:
    return {"name": name, "at": at, "block": [{"size": size}], **facts}


def looks(table: Scene, observer: str = "A/1", target: str = "B/1") -> Verdict:
    report = find(table.ruleset).judge(table, observers=[observer], targets=[target])
    return report.models[0]


# Warhammer 40,000

READINGS = ("split", "sill", "whole")
SLAB = build([Floor(((-4, -4), (4, -4), (4, 4), (-4, 4)), 3.1, 0.2, (((-1, -1), (1, -1), (1, 1), (-1, 1)),))])
TALL = build([Wall((0, 0), (8, 0), 6.0, 0.25, openings=(Hole(4, 2, 1.0, 5.0),))])


@pytest.mark.parametrize(
    ("piece", "heights"), [(SLAB, (3.1, 3.1, None)), (TALL, (3.0, 5.0, None))], ids=["stairwell", "window"]
)
def test_a_gap_that_reaches_over_the_limit_is_read_in_three_ways(piece, heights):
    (opening,) = piece.openings
    assert tuple(closed_height(opening, 3.0, reading) for reading in READINGS) == heights


def test_a_possible_gap_is_closed_by_the_scenes_word_alone():
    table = scene("wh40k-11e", [], [{"name": "ruin", "at": [30, 22], "wall": [WINDOW], "wh40k": {"category": "dense"}}])
    (ruin,), options = table.features, Warhammer40kOptions()
    doubted = replace(ruin, piece=replace(ruin.piece, openings=(replace(ruin.piece.openings[0], sure=False),)))
    said = [ruin, doubted, replace(doubted, overruled=((1, True),)), replace(ruin, overruled=((1, False),))]
    closed = [closings(replace(table, features=(feature,)), options, "split") for feature in said]
    assert closed == [{"ruin": {1: 2.0}}, {}, {"ruin": {1: 2.0}}, {}]


@pytest.mark.parametrize(("low", "high", "plunges"), [(2.0, 2.0, False), (1.0, 3.0, True)])
def test_a_section_is_as_high_as_it_rises_from_what_it_stands_on(low, high, plunges):
    features = [
        block("hill", [30, 16], [8, 8, low], wh40k={"category": "exposed"}),
        block("tower", [30, 16, low], [4, 4, high], wh40k={"category": "exposed"}),
    ]
    table = scene("wh40k-11e", [{"name": "A", "at": [[30, 16, low + high]]}], features)
    assert is_on_high_section(table, table.models[0]) is plunges


def test_what_material_hides_is_not_said_to_be_hidden_as_well():
    features = [
        block("tree", [22, 30], [0.5, 0.5, 3], wh40k={"category": "light"}),
        block("slab", [30, 20], [30, 0.5, 6], wh40k={"category": "exposed"}),
    ]
    units = [{"name": "A", "at": [[30, 8]]}, {"name": "B", "at": [[30, 28]], **INFANTRY}]
    wood = [{"name": "wood", "outline": [[20, 26], [40, 26], [40, 32], [20, 32]]}]
    assert looks(scene("wh40k-11e", units, features, area=wood)).reasons == (Reason.TERRAIN,)
    assert looks(scene("wh40k-11e", units, features[:1], area=wood)).reasons == (Reason.HIDDEN,)


@pytest.mark.parametrize(("category", "seen"), [("dense", False), ("light", True)])
def test_only_dense_features_let_a_hidden_model_go_to_ground(category, seen):
    wall = {"from": [0, 0], "to": [5, 0], "height": 4, "thickness": 0.2}
    features = [
        block("tree", [22, 30], [0.5, 0.5, 3], wh40k={"category": "dense"}),
        {"name": "ruin", "at": [30, 27.1], "wall": [wall], "wh40k": {"category": category}},
    ]
    units = [{"name": "A", "at": [[30, 13.74]]}, {"name": "B", "at": [[30, 28]], **INFANTRY}]
    wood = [{"name": "wood", "outline": [[20, 26], [40, 26], [40, 32], [20, 32]]}]
    table = scene("wh40k-11e", units, features, area=wood, wh40k={"gone_to_ground": True})
    assert looks(table).visible is seen


@pytest.mark.parametrize(("height", "noted"), [(2.5, True), (1.5, False)])
def test_a_line_over_a_low_area_surprises_only_if_both_models_are_taller(height, noted):
    bush = block("bush", [23, 21], [0.5, 0.5, 2], wh40k={"category": "light"})
    units = [{"name": "A", "at": [[30, 16]], "height": height}, {"name": "B", "at": [[30, 28]], "height": 2.5}]
    wood = [{"name": "wood", "outline": [[22, 20], [38, 20], [38, 24], [22, 24]]}]
    verdict = looks(scene("wh40k-11e", units, [bush], area=wood))
    assert verdict.reasons == (Reason.OBSCURING,)
    assert ("over-low-area" in verdict.notes) is noted


@pytest.mark.parametrize(
    ("keyword", "category", "passes"),
    [("VEHICLE", "exposed", True), ("VEHICLE", None, False), ("INFANTRY", None, True)],
)
def test_a_feature_without_a_category_is_passed_as_a_dense_one(keyword, category, passes):
    facts = {} if category is None else {"wh40k": {"category": category}}
    units = [{"name": "A", "at": [[10, 10]], "wh40k": {"keywords": [keyword]}}]
    table = scene("wh40k-11e", units, [block("rock", [30, 22], [4, 4, 4], **facts)])
    assert ("rock" in manner_of(table, table.models[0]).through) is passes


# StarCraft TMG


@pytest.mark.parametrize(("size", "level"), [(0, Level.GROUND), (1, Level.MID), (2, Level.MID), (3, Level.HIGH)])
def test_the_size_underfoot_makes_the_level(size, level):
    tower = block("tower", [30, 22], [6, 6, 2], sctmg={"size": size})
    table = scene("sctmg", [{"name": "A", "at": [[30, 22, 2]], "sctmg": {"size": 2}}], [tower])
    assert table_of(table).stands["A/1"].level == level


def test_the_dead_zone_is_named_after_the_lowest_piece_that_has_one():
    features = [
        block("tower", [30, 22], [6, 6, 3], sctmg={"size": 3}),
        block("keep", [30, 22, 3], [6, 6, 3], sctmg={"size": 3}),
    ]
    units = [
        {"name": "A", "at": [[30, 22, 6]], "sctmg": {"size": 2}},
        {"name": "B", "at": [[34, 22]], "sctmg": {"size": 2}},
    ]
    table = table_of(scene("sctmg", units, features))
    assert dead_zone(table, table.stands["A/1"], table.stands["B/1"]) == "tower"


# The 9th Age


@pytest.mark.parametrize(("at", "seen"), [([8, 18], True), ([2, 10], False)])
def test_more_than_half_a_turn_still_leaves_what_is_straight_behind(at, seen):
    units = [
        {"name": "A", "at": [[10, 10]], "base": "20x20mm square", "facing": 0, "t9a": {"height": 1}},
        {"name": "B", "at": [at], "base": "20x20mm square", "t9a": {"height": 1}},
    ]
    assert looks(scene("t9a", units, [], t9a={"front_arc": 270.0})).visible is seen

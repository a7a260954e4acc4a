"""The rules of moving, row by row, and the worked cases."""

from __future__ import annotations

import math

import pytest

from deadground.scenes.rulings.wh40k_moving import Move, can_fly, move, placement_faults
from deadground.scenes.scene import Scene
from deadground.scenes.standing import base_at
from tests.scenes.moving_tables import BASE, block, feature, floor, table, unit, wall

LIGHT_OF_FOOT = ("INFANTRY", "BEASTS", "SWARM")
RING = [((0, 0), (6, 0)), ((6, 0), (6, 6)), ((6, 6), (0, 6)), ((0, 6), (0, 0))]
ROOFED = feature(wall=[wall(*ends, 6) for ends in RING], floor=[floor(), floor(top=6.0)])
LONG_WALL = feature(at=(20, -1), wall=[wall((0, 0), (0, 40), 9)])


def go(scene: Scene, *end: float, limit: float | None = None, fly: bool = False) -> Move:
    """The first model's move."""
    x, y, z = (*end, 0.0)[:3]
    return move(scene, scene.models[0], (x, y, z), limit=limit, fly=fly)


def costs(found: Move) -> tuple[object, object, object]:
    """Across, up, down."""
    assert found.way is not None, found.reasons
    return (pytest.approx(found.way.across, abs=2e-3), pytest.approx(found.way.up), pytest.approx(found.way.down))


def around(height: float = 9, length: float = 10, **more):
    """A wall across the middle of the table that one can go round."""
    return feature(at=(20, 15 - length / 2), wall=[wall((0, 0), (0, length), height)], **more)


# the worked cases


def test_up_three_across_one_and_down_three_is_seven():
    diameter = 0.75
    scene = table([unit(at=[(20 - 0.125 - diameter / 2, 15)], keywords=["VEHICLE"], base=f"{diameter}in")],
                  [feature(at=(20, -1), wall=[wall((0, 0), (0, 40), 3)])])  # fmt: skip
    found = go(scene, 20 + 0.125 + diameter / 2, 15, limit=7)
    assert costs(found) == (1, 3, 3)
    assert found.way
    assert found.way.distance == pytest.approx(7.0)
    assert found.legal
    assert found.within_limit
    assert found.reasons == ()


def test_what_is_too_far_is_legal_and_says_so():
    scene = table([unit()])
    found = go(scene, 12, 5, limit=6)
    assert found.legal
    assert found.within_limit is False
    assert found.reasons == ("too-far",)


@pytest.mark.parametrize(("height", "climbed"), [(2.0, 0), (2.0005, 0), (2.01, 2.01)])
def test_a_vehicle_passes_a_section_of_two_inches_and_climbs_a_higher_one(height, climbed):
    scene = table([unit(at=[(15, 15)], keywords=["VEHICLE"], base="60mm")],
                  [feature(at=(20, -1), wall=[wall((0, 0), (0, 40), height)])])  # fmt: skip
    found = go(scene, 25, 15)
    assert costs(found) == (10, climbed, climbed)


@pytest.mark.parametrize(("over", "reasons"), [(0.0, ()), (0.01, ("overhang",))])
def test_a_base_may_end_at_a_floors_edge_but_not_over_it(over, reasons):
    scene = table([unit(at=[(5, 13)])], [ROOFED | {"floor": [floor()]} | {"wall": []}])
    found = go(scene, 10 + BASE / 2 - over, 13, 3)
    assert found.reasons == reasons
    assert found.legal is (not reasons)
    assert costs(found) == (5 + BASE / 2 - over, 3, 0)


def test_a_vehicle_goes_round_the_end_of_a_wall_by_tangent_arc_tangent():
    radius = 50 / 25.4
    scene = table([unit(at=[(15, 15)], keywords=["VEHICLE"], base="100mm", height=3)], [around()])
    corner = (5 - 0.125, 5.0)
    tangent = math.sqrt(corner[0] ** 2 + corner[1] ** 2 - radius**2)
    turn = math.atan2(corner[1], corner[0]) + math.asin(radius / math.hypot(*corner))
    found = go(scene, 25, 15)
    assert found.way
    assert found.way.distance == pytest.approx(2 * tangent + 2 * radius * turn + 0.25, abs=1e-6)
    assert found.way.exact


# the table, row by row: who passes what


@pytest.mark.parametrize("category", ["exposed", "light"])
@pytest.mark.parametrize("keyword", ["INFANTRY", "MOBILE", "VEHICLE", "MONSTER"])
def test_everybody_walks_through_exposed_and_light_features(category, keyword):
    scene = table([unit(at=[(15, 15)], keywords=[keyword])], [LONG_WALL | {"wh40k": {"category": category}}])
    assert costs(go(scene, 25, 15)) == (10, 0, 0)


def test_what_is_climbed_on_a_light_feature_counts_up_and_down():
    crate = feature(category="light", at=(20, 15), block=[block((4, 4, 1.5))])
    scene = table([unit(at=[(15, 15)], keywords=["MONSTER"])], [crate])
    assert costs(go(scene, 20, 15, 1.5)) == (5, 1.5, 0)
    scene = table([unit(at=[(20, 15, 1.5)], keywords=["MONSTER"])], [crate])
    assert costs(go(scene, 15, 15)) == (5, 0, 1.5)


@pytest.mark.parametrize("keyword", [*LIGHT_OF_FOOT, "MOBILE"])
def test_who_may_walk_through_dense_walls_does(keyword):
    scene = table([unit(at=[(15, 15)], keywords=[keyword])], [LONG_WALL])
    found = go(scene, 25, 15)
    assert costs(found) == (10, 0, 0)
    assert found.way
    assert found.way.legs[0].through == ("ruin",)


@pytest.mark.parametrize("keyword", ["VEHICLE", "MONSTER", "MOUNTED", "FLY"])
def test_others_do_not_walk_through_dense_walls_but_climb_them(keyword):
    scene = table([unit(at=[(15, 15)], keywords=[keyword])], [LONG_WALL])
    assert costs(go(scene, 25, 15)) == (10, 9, 9)


@pytest.mark.parametrize("keyword", LIGHT_OF_FOOT)
def test_who_is_light_of_foot_passes_floors_and_ceilings(keyword):
    scene = table([unit(at=[(13, 13)], keywords=[keyword])], [ROOFED])
    found = go(scene, 13, 13, 6)
    assert costs(found) == (0, 6, 0)
    assert found.legal
    assert found.way
    assert found.way.legs[0].through == ("ruin",)


def test_a_mobile_model_leaves_a_building_to_climb_it_from_outside():
    scene = table([unit(at=[(13, 13)], keywords=["MOBILE", "MONSTER"])], [ROOFED])
    found = go(scene, 13, 13, 6)
    assert found.legal
    out = 3.125 + BASE / 2
    assert costs(found) == (2 * out, 6, 0)


def test_a_mobile_model_gets_through_a_wall_onto_the_floor_behind_it():
    scene = table([unit(at=[(5, 13)], keywords=["MOBILE", "MONSTER"])], [ROOFED])
    found = go(scene, 13, 13, 3)
    assert costs(found) == (8, 3, 0)
    assert found.legal


def test_a_monster_never_gets_under_a_roof():
    scene = table([unit(at=[(5, 13)], keywords=["MONSTER"])], [ROOFED])
    assert go(scene, 13, 13, 3).reasons == ("blocked",)
    assert go(scene, 13, 13).reasons == ("blocked",)


def test_a_monster_climbs_a_roof_from_outside():
    scene = table([unit(at=[(5, 13)], keywords=["MONSTER"])], [ROOFED])
    found = go(scene, 13, 13, 6)
    assert costs(found) == (8, 6, 0)
    assert found.legal


def test_a_doorway_under_a_high_lintel_is_a_high_section_for_a_tank():
    gate = feature(
        at=(20, -1), wall=[wall((0, 0), (0, 40), 6, openings=[{"at": 16, "width": 5, "sill": 0, "head": 4}])]
    )
    tank = table([unit(at=[(15, 15)], keywords=["VEHICLE"])], [gate])
    assert costs(go(tank, 25, 15)) == (10, 6, 6)
    walker = table([unit(at=[(15, 15)])], [gate])
    assert costs(go(walker, 25, 15)) == (10, 0, 0)


def test_only_the_sections_under_the_way_count():
    low_part = feature(
        at=(20, -1), wall=[wall((0, 0), (0, 14), 9), wall((0, 14), (0, 18), 2), wall((0, 18), (0, 40), 9)]
    )
    scene = table([unit(at=[(15, 15)], keywords=["VEHICLE"], base="60mm")], [low_part])
    assert costs(go(scene, 25, 15)) == (10, 0, 0)
    wide = table([unit(at=[(15, 15)], keywords=["VEHICLE"], base="110mm")], [low_part])
    assert costs(go(wide, 25, 15)) == (10, 9, 9)


@pytest.mark.parametrize(
    ("keyword", "reasons"), [("MONSTER", ()), ("FLY", ()), ("INFANTRY", ()), ("VEHICLE", ("keyword",))]
)
def test_only_some_may_end_above_the_ground(keyword, reasons):
    scene = table([unit(at=[(5, 13)], keywords=[keyword])], [feature(at=(13, 13), block=[block((6, 6, 3))])])
    found = go(scene, 13, 13, 3)
    assert found.reasons == reasons
    assert costs(found) == (8, 3, 0)


def test_who_may_end_above_is_an_option():
    scene = table([unit(at=[(5, 13)], keywords=["VEHICLE"])], [feature(at=(13, 13), block=[block((6, 6, 3))])],
                  may_end_above=["VEHICLE"])  # fmt: skip
    assert go(scene, 13, 13, 3).reasons == ()


def test_nobody_ends_half_way_up_in_a_wall_or_under_too_low_a_ceiling():
    scene = table([unit(at=[(5, 13)])], [ROOFED])
    assert "no-surface" in go(scene, 13, 13, 1.5).reasons
    assert go(scene, 10, 13).reasons == ("inside-terrain",)
    tall = table([unit(at=[(5, 13)], height=2.9)], [ROOFED])
    assert go(tall, 13, 13, 3).reasons == ("no-headroom",)


def test_going_over_a_thin_wall_is_allowed_and_ending_on_it_is_not():
    scene = table([unit(at=[(15, 15)])], [LONG_WALL])
    found = go(scene, 20, 15, 9)
    assert set(found.reasons) == {"overhang"}
    assert found.way


@pytest.mark.parametrize(("gap", "reasons"), [(0.0, ()), (0.1, ("blocked",))])
def test_climbing_is_within_half_an_inch_of_the_feature(gap, reasons):
    # Guards shoulder to shoulder keep the model 0.464 and the gap from the platform.
    guards = unit("B", [(16 - gap - 0.25, 0.25 + 0.5 * n) for n in range(60)], side="blue", base="0.5in")
    platform = feature(at=(20, 15), block=[block((8, 30, 3))])
    scene = table([unit(at=[(13, 13)], keywords=["MONSTER"]), guards], [platform])
    found = go(scene, 20, 13, 3)
    assert found.reasons == reasons
    if not reasons:
        assert costs(found) == (7, 3, 0)


# flying


def test_who_flies_ignores_height_and_everything_between_for_two_inches():
    scene = table([unit(at=[(15, 15)], keywords=["FLY", "VEHICLE"]), unit("B", [(22, 15)], side="blue")], [LONG_WALL])
    found = go(scene, 25, 15, limit=12, fly=True)
    assert costs(found) == (10, 0, 0)
    assert found.limit == 10
    assert found.within_limit
    assert go(scene, 25, 15, limit=11.9, fly=True).reasons == ("too-far",)
    assert can_fly(scene, scene.models[0])
    assert not can_fly(scene, scene.models[1])


def test_who_flies_ends_by_the_same_rules():
    scene = table([unit(at=[(15, 15)], keywords=["FLY"])], [LONG_WALL])
    assert go(scene, 20, 15, fly=True).reasons == ("inside-terrain",)


# other models


def test_an_enemy_is_in_the_way_and_a_friend_is_not():
    friend = table([unit(at=[(15, 15)]), unit("B", [(20, 15)])])
    assert costs(go(friend, 25, 15)) == (10, 0, 0)
    enemy = table([unit(at=[(15, 15)]), unit("B", [(20, 15)], side="blue")])
    tangent = math.sqrt(25 - BASE**2)
    found = go(enemy, 25, 15)
    assert found.way
    assert found.way.distance == pytest.approx(2 * tangent + BASE * 2 * math.asin(BASE / 5), abs=1e-6)


def test_nobody_ends_on_another_model():
    scene = table([unit(at=[(15, 15)]), unit("B", [(20, 15)])])
    assert go(scene, 20.5, 15).reasons == ("overlaps-model",)


def test_an_enemy_on_the_floor_above_is_not_in_the_way():
    scene = table([unit(at=[(5, 13)]), unit("B", [(13, 13, 3)], side="blue")], [ROOFED])
    assert costs(go(scene, 20, 13)) == (15, 0, 0)


def test_a_line_of_enemies_is_passed_through_the_floor_above():
    guards = unit("B", [(13, 1 + 1.5 * n) for n in range(20)], side="blue")
    scene = table([unit(at=[(11, 13)]), guards], [ROOFED])
    assert costs(go(scene, 15, 13)) == (4, 3, 3)


# surfaces


def test_across_a_bridge_between_two_ruins_there_is_nothing_to_climb():
    ruins = [feature("left", (5, 10), floor=[floor()]), feature("right", (20, 10), floor=[floor()])]
    bridge = feature("bridge", (10.5, 12), block=[block((10, 2, 3), (5, 1, 0))])
    without = table([unit(at=[(8, 13, 3)])], ruins)
    assert costs(go(without, 23, 13, 3)) == (15, 3, 3)
    across = table([unit(at=[(8, 13, 3)])], [*ruins, bridge])
    assert costs(go(across, 23, 13, 3)) == (15, 0, 0)


def test_one_steps_over_a_gap_narrower_than_the_base_but_no_wider():
    def scene(gap: float) -> Scene:
        return table(
            [unit(at=[(8, 13, 3)])],
            [feature("left", (5, 10), floor=[floor()]), feature("right", (11 + gap, 10), floor=[floor()])],
        )

    assert costs(go(scene(BASE), 16, 13, 3)) == (8, 0, 0)
    assert costs(go(scene(BASE + 0.01), 16, 13, 3)) == (8, 3, 3)


def test_steps_add_up_to_the_height_they_climb():
    stairs = feature(at=(20, 15), block=[block((1, 4, 0.5 * (n + 1)), (n, 0, 0)) for n in range(6)])
    scene = table([unit(at=[(15, 15)], keywords=["MONSTER"], base="25mm")], [stairs])
    assert costs(go(scene, 25, 15, 3)) == (10, 3, 0)


def test_the_board_ends_where_it_ends():
    scene = table([unit()])
    assert go(scene, 0.5, 5).reasons == ("blocked", "off-board")


def test_the_corner_of_a_floor_is_turned_on_the_spot():
    angle = floor(((0, 0), (8, 0), (8, 2), (2, 2), (2, 8), (0, 8)))
    scene = table([unit(at=[(11, 17, 3)])], [feature(floor=[angle])])
    found = go(scene, 17, 11, 3)
    corner = 12 + BASE / 2
    assert costs(found) == (2 * math.hypot(corner - 11, 17 - corner), 0, 0)


def test_a_floor_or_bridge_is_never_climbed_through_however_low_it_is():
    ruins = [feature("left", (5, 10), floor=[floor()]), feature("right", (20, 10), floor=[floor()])]
    bridge = feature("bridge", (10.5, 12, 3), block=[block((10, 2, 0.25), (5, 1, 0))])
    shelf = feature("shelf", floor=[floor(top=1.9)])
    for keywords in (["MONSTER"], ["MOBILE", "MONSTER"]):
        under = table([unit(at=[(15.5, 13)], keywords=keywords, base="1in")], [*ruins, bridge])
        assert costs(go(under, 15.5, 13, 3.25)) == (3, 3.25, 0)  # out at its side and back over it
        below = table([unit(at=[(13, 13)], keywords=keywords, base="1in", height=1)], [shelf])
        assert costs(go(below, 13, 13, 1.9)) == (7, 1.9, 0)
    infantry = table([unit(at=[(15.5, 13)], base="1in")], [*ruins, bridge])
    assert costs(go(infantry, 15.5, 13, 3.25)) == (0, 3.25, 0)


@pytest.mark.slow
def test_one_climbs_out_of_a_building_among_any_number_of_heights():
    steps = [block((0.3, 1, 1 + 0.1 * n), (0.3 * n, 0, 0)) for n in range(41)]
    scene = table(
        [unit(at=[(13, 13)], keywords=["MOBILE", "MONSTER"])], [ROOFED, feature("stairs", (6, 17.5), block=steps)]
    )
    assert costs(go(scene, 13, 13, 6)) == (2 * (3.125 + BASE / 2), 6, 0)


@pytest.mark.parametrize("over", [0.0004, 0.0006, 0.0009])
def test_who_touches_a_wall_an_enemy_or_the_edge_comes_and_goes(over):
    guard = unit("B", [(10, 20)], side="blue", base="2in")
    scene = table([unit(at=[(20 - 1.125 + over, 15)], keywords=["VEHICLE"], base="2in"), guard], [LONG_WALL])
    start = scene.models[0].x, scene.models[0].y
    for end in ((12, 15), (12 - over, 20), (1 - over, 15), start):
        found = go(scene, *end)
        assert found.reasons == (), end
        assert costs(found) == (math.dist(start, end), 0, 0)


# other bases


def test_an_oval_squeezes_through_as_wide_as_it_is_narrow_and_says_how_sure_that_is():
    walls = [wall((0, 0), (0, 15), 9), wall((0, 16.6), (0, 40), 9)]
    scene = table([unit(at=[(15, 14.8)], keywords=["VEHICLE"], base="60x35mm")], [feature(at=(20, -1), wall=walls)])
    found = go(scene, 25, 14.8)
    assert costs(found) == (10, 0, 0)
    assert found.way
    assert not found.way.exact
    assert found.way.bound > 1


def test_a_square_says_that_its_corners_may_need_more_room():
    scene = table([unit(at=[(15, 15)], keywords=["VEHICLE"], base="60x60mm square")], [around()])
    found = go(scene, 25, 15)
    round_one = go(table([unit(at=[(15, 15)], keywords=["VEHICLE"], base="60mm")], [around()]), 25, 15)
    assert found.way
    assert round_one.way
    assert found.way.distance == round_one.way.distance
    assert not found.way.exact
    assert found.way.bound > 0.1


def test_an_oval_turns_at_the_end_where_that_helps():
    scene = table([unit(at=[(5, 13)], base="60x35mm")], [feature(at=(20, 15), block=[block((1.5, 6, 3))])])
    found = go(scene, 20, 15, 3)
    assert found.legal
    assert 60 < found.facing < 120


# set-up


def test_set_up_obeys_the_end_of_a_move():
    scene = table([unit(at=[(13, 13)], keywords=["VEHICLE"])], [feature(at=(13, 13), block=[block((6, 6, 3))])])
    assert placement_faults(scene, base_at(scene.models[0], 13, 13, 3)) == ("keyword",)
    assert placement_faults(scene, scene.models[0]) == ("inside-terrain",)


def test_nobody_ends_in_a_closed_gap_where_the_option_says_so():
    door = {"at": 4, "width": 3, "sill": 0, "head": 2.5}
    features = [feature(wall=[wall((0, 0), (8, 0), 5, openings=[door])])]
    assert placement_faults(table([unit(at=[(14, 10)])], features), table([unit(at=[(14, 10)])]).models[0]) == ()
    scene = table([unit(at=[(14, 10)])], features, no_end_in_closed_gap=True)
    assert placement_faults(scene, scene.models[0]) == ("inside-terrain",)

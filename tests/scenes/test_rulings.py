from __future__ import annotations

import pytest

from deadground.geometry.errors import InputError
from deadground.scenes.options import RULESETS, ruleset_names
from deadground.scenes.rulings import NAMES, find
from deadground.scenes.rulings.pairing import deciding_reasons
from deadground.scenes.rulings.verdict import Reason

FULL, DIRECT, ZONE = Reason.FULL_COVER, Reason.DIRECT_COVER, Reason.DEAD_ZONE


def test_every_ruleset_of_a_scene_file_has_a_judge():
    assert set(NAMES) == set(RULESETS)
    for name in ruleset_names():
        assert find(name).name in NAMES


@pytest.mark.parametrize("name", ["40k", "40K", " wh40k ", "wh40k-11e"])
def test_a_judge_is_found_by_alias_in_any_case(name):
    assert find(name).name == "wh40k-11e"


def test_the_nearest_name_is_said_for_one_that_is_unknown():
    with pytest.raises(InputError, match='the nearest name is "starcraft"'):
        find("starkraft")


def test_a_reason_that_decides_alone_is_given_alone():
    assert deciding_reasons({FULL, ZONE}, lambda without: FULL in without) == (FULL,)


def test_two_reasons_that_each_decide_alone_are_both_given():
    assert deciding_reasons([ZONE, FULL], bool) == (FULL, ZONE)


def test_reasons_that_decide_only_together_are_all_given():
    assert deciding_reasons({FULL, DIRECT, ZONE}, lambda without: {FULL, ZONE} <= without) == (FULL, ZONE)


def test_where_nothing_opens_the_line_all_reasons_are_given():
    assert deciding_reasons({FULL, ZONE}, lambda _: False) == (FULL, ZONE)

"""Options: defaults, what a scene and a figure put in their place, and what is said of each."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from deadground.geometry.units import LINE_WIDTH_MM
from deadground.scenes.options import (
    OPTIONS,
    RULESETS,
    NinthAgeOptions,
    StarcraftOptions,
    Warhammer40kOptions,
    canonical_ruleset,
    described,
    options_of,
    ruleset_names,
)
from deadground.scenes.scene import Figure, Scene


def scene(**options: dict[str, object]) -> Scene:
    return Scene("", "wh40k-11e", (60.0, 44.0), options=options)


def test_without_options_the_defaults_hold():
    options = options_of(scene(), "wh40k")
    assert options == Warhammer40kOptions()
    assert (options.solid_height, options.straddle, options.line_width_mm) == (3, "split", LINE_WIDTH_MM)
    assert options_of(scene(), "sctmg") == StarcraftOptions()
    assert options_of(scene(), "t9a") == NinthAgeOptions()


def test_a_scene_overrides_defaults_and_a_figure_overrides_the_scene():
    table = scene(wh40k={"solid_height": 4.0, "straddle": "sill"}, t9a={"front_arc": 180.0})
    figure = Figure("one", overrides={"wh40k": {"solid_height": 0.5}})
    assert options_of(table, "wh40k").solid_height == 4
    assert options_of(table, "wh40k", figure).solid_height == 0.5
    assert options_of(table, "wh40k", figure).straddle == "sill"
    assert options_of(table, "t9a", figure).front_arc == 180


def test_options_are_values():
    options = options_of(scene(), "wh40k")
    with pytest.raises(ValidationError):
        options.solid_height = 5
    assert hash(options) == hash(Warhammer40kOptions())


@pytest.mark.parametrize("system", sorted(OPTIONS))
def test_every_option_says_its_default_its_source_and_what_it_decides_in_one_line(system):
    for option in described(system):
        assert option.default is not None
        assert option.source in {"terrain rules", "core rules", "ours"}
        assert 10 < len(option.help_line) < 130
        assert "\n" not in option.help_line


@pytest.mark.parametrize("system", sorted(OPTIONS))
def test_every_default_is_a_value_that_a_scene_may_give(system):
    kind = OPTIONS[system]
    assert kind.model_validate(kind().model_dump(), context={"unit": "in"}) == kind()


@pytest.mark.parametrize(
    ("name", "canonical"),
    [("40k", "wh40k-11e"), ("WH40K-11e", "wh40k-11e"), ("sctmg", "sctmg"), ("t9a", "t9a"), ("chess", None), ("", None)],
)
def test_a_rule_system_is_found_by_name_or_alias_in_any_case(name, canonical):
    assert canonical_ruleset(name) == canonical


def test_every_name_of_a_rule_system_is_found():
    assert {canonical_ruleset(name) for name in ruleset_names()} == set(RULESETS)

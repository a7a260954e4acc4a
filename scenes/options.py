"""The options of each rule system: defaults where a text is silent or texts disagree, and where each comes from.

In a scene file lengths are in the file's unit; here they are inches. Names that end in `_mm` are mm everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, overload

from pydantic import Field

from deadground.geometry.units import LEAST_PART_MM, LINE_WIDTH_MM
from deadground.scenes.entries import Flag, Height, Ratio, Table
from deadground.scenes.scene import Figure, Scene

__all__ = [
    "OPTIONS",
    "RULESETS",
    "NinthAgeOptions",
    "Option",
    "Options",
    "Source",
    "StarcraftOptions",
    "SystemKey",
    "Warhammer40kOptions",
    "canonical_ruleset",
    "described",
    "options_of",
    "ruleset_names",
]

SystemKey = Literal["wh40k", "sctmg", "t9a"]

Source = Literal["terrain rules", "core rules", "ours"]
"""terrain rules: the chapter on terrain says so; core rules: the rules it builds on do; ours: the texts are silent or
disagree, and a verdict that rests on it says so."""

Millimetres = Annotated[float, Field(strict=True, ge=0, le=50, allow_inf_nan=False)]
ClimbingKeyword = Literal["INFANTRY", "BEASTS", "SWARM", "MOBILE", "FLY", "MONSTER", "VEHICLE", "MOUNTED"]


def _option(default: Any, help_line: str, source: Source) -> Any:
    return Field(default, description=help_line, json_schema_extra={"x-source": source})


class Warhammer40kOptions(Table):
    """Options of Warhammer 40,000, 11th edition (numbers of rules in brackets)."""

    solid_height: Height = _option(
        3.0, "height at or below which enclosed gaps of dense features are closed (13.11)", "terrain rules"
    )
    straddle: Literal["split", "sill", "whole"] = _option(
        "split",
        "a gap that reaches over solid_height is closed up to it, whole if its sill is not above it, or not at all",
        "ours",
    )
    floor_gaps: Flag = _option(True, "holes in floors are enclosed gaps too", "ours")
    adjacent_gap: Height = _option(
        0.5, "widest gap between two dense features that counts as enclosed; 0: none does", "ours"
    )
    line_width_mm: Millimetres = _option(LINE_WIDTH_MM, "width of a line of sight in mm (06.01)", "core rules")
    fully_visible_from: Literal["any-part", "one-point"] = _option(
        "any-part",
        "every part of the target is seen from some part of the observer, or all from one point of it",
        "ours",
    )
    smallest_part_mm: Annotated[Millimetres, Field(ge=LEAST_PART_MM)] = _option(
        2.0, "parts of a target smaller than this, in mm, are not asked for when it is fully visible", "ours"
    )
    hidden_needs: Literal["light-or-dense", "dense"] = _option(
        "light-or-dense", "the category of feature an area needs for models in it to be hidden (13.09)", "terrain rules"
    )
    detection_range: Height = _option(
        15.0, "distance within which a hidden model is seen, itself included (13.09)", "terrain rules"
    )
    gone_to_ground: Flag = _option(
        False, 'a hidden model that a Solid feature partly covers is detected at 3" less (13.11.01)', "core rules"
    )
    plunging_fire: Flag = _option(True, 'from 3" up at ground level: BS better by 1 (22.05)', "core rules")
    may_end_above: tuple[ClimbingKeyword, ...] = _option(
        ("INFANTRY", "BEASTS", "SWARM", "FLY", "MONSTER"),
        "keywords that may end a move above ground level (13.06)",
        "ours",
    )
    no_end_in_closed_gap: Flag = _option(
        False, "no part of a model may end in an enclosed gap that Solid closes (13.06.01)", "core rules"
    )


class StarcraftOptions(Table):
    """Options of StarCraft: Tabletop Miniatures Game."""

    close_quarters_lifts_full_cover: Flag = _option(
        False, "close quarters lifts Full Cover as well as Direct Cover and the dead zone", "ours"
    )


class NinthAgeOptions(Table):
    """Options of The 9th Age."""

    cover_fraction: Ratio = _option(0.5, "share of lines through covering terrain that gives cover", "ours")
    models_block: Flag = _option(
        True, "models of other units block a line if their Height is at least that of both ends", "core rules"
    )
    front_arc: Annotated[float, Field(strict=True, gt=0, le=360)] = _option(
        90.0, "degrees of the front arc through which a line leaves a unit whose facing is given", "core rules"
    )


Options = Warhammer40kOptions | StarcraftOptions | NinthAgeOptions

OPTIONS: Final[Mapping[SystemKey, type[Options]]] = MappingProxyType(
    {"wh40k": Warhammer40kOptions, "sctmg": StarcraftOptions, "t9a": NinthAgeOptions}
)

RULESETS: Final[Mapping[str, SystemKey]] = MappingProxyType({"wh40k-11e": "wh40k", "sctmg": "sctmg", "t9a": "t9a"})
"""Canonical name of a rule system -> the key of its facts and options in a scene file."""

_ALIASES: Final = {"40k": "wh40k-11e", "wh40k": "wh40k-11e", "starcraft": "sctmg", "ninth-age": "t9a", "9th-age": "t9a"}


def canonical_ruleset(name: str) -> str | None:
    """The canonical name of a rule system from its name or an alias, in any case. None if there is no such system."""
    lower = name.strip().lower()
    found = _ALIASES.get(lower, lower)
    return found if found in RULESETS else None


def ruleset_names() -> list[str]:
    """Every name and alias of a rule system, canonical names first."""
    return [*RULESETS, *_ALIASES]


@overload
def options_of(scene: Scene, system: Literal["wh40k"], figure: Figure | None = None) -> Warhammer40kOptions: ...
@overload
def options_of(scene: Scene, system: Literal["sctmg"], figure: Figure | None = None) -> StarcraftOptions: ...
@overload
def options_of(scene: Scene, system: Literal["t9a"], figure: Figure | None = None) -> NinthAgeOptions: ...
def options_of(scene: Scene, system: SystemKey, figure: Figure | None = None) -> Options:
    """The options to judge by: defaults, replaced by what the scene says, replaced by what the figure says. Inches."""
    given = dict(scene.options.get(system, {}))
    if figure is not None:
        given.update(figure.overrides.get(system, {}))
    return OPTIONS[system].model_validate(given, context={"unit": "in"})


@dataclass(frozen=True, slots=True)
class Option:
    """What a user may read about one option. default : as reported (inches, or mm where the name says so)."""

    name: str
    default: Any
    source: Source
    help_line: str


def described(system: SystemKey) -> tuple[Option, ...]:
    """Every option of a system, in the order of its documentation."""
    fields = OPTIONS[system].model_fields
    return tuple(
        Option(name, field.default, _source(field.json_schema_extra), field.description or "")
        for name, field in fields.items()
    )


def _source(extra: Any) -> Source:
    source: Source = extra["x-source"]
    return source

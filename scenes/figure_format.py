"""The tables of a scene file that ask for illustrations, as pydantic sees them. Lengths are inches once checked."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema, model_validator

from deadground.scenes.complaints import shown
from deadground.scenes.entries import (
    Flag,
    Height,
    Length,
    Name,
    Point,
    Point3,
    Size,
    Spot,
    Table,
    Text,
    Whole,
    in_inches,
    trouble,
    up_to,
)
from deadground.scenes.options import NinthAgeOptions, StarcraftOptions, Warhammer40kOptions

__all__ = ["AnchorValue", "CameraTable", "FigureTable", "MeasureTable", "OverridesTable", "SectionTable", "ThemeTable"]

MOST = 5_000
"""Lines, ranges and the like of one figure."""
MOST_NOTES = 26
"""Callouts of one figure: as many as there are letters."""
MOST_RUNGS = 100
"""Of one ladder."""
FILE_NAME = r"^[\w][\w .()+-]*$"

View = Literal["perspective", "plan", "front", "side"]
Shown = Literal[
    "openings", "solid-height", "areas", "labels", "legend",
    "ticks", "overhang", "scale", "hidden", "cover", "dead-zones", "tokens",
]  # fmt: skip

AnchorValue = tuple[float, ...] | str


def _anchor(value: Any, info: ValidationInfo) -> AnchorValue:
    """A point in inches, or a name."""
    if isinstance(value, str) and value.strip() and value.isprintable() and len(value) <= 100:
        return value
    numbers = [each for each in value if _is_number(each)] if isinstance(value, list | tuple) else []
    if not isinstance(value, list | tuple) or not 2 <= len(value) <= 3 or len(numbers) != len(value):
        raise trouble(f"expected [x, y], [x, y, z], or the name of a unit or a model, found {shown(value)}")
    return tuple(in_inches(float(each), info) for each in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


Pair = Annotated[tuple[Name, ...], Field(min_length=2, max_length=2)]
Anchored = Annotated[
    Any,
    PlainValidator(_anchor),
    WithJsonSchema(
        {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 3}]}
    ),
]
"""[x, y] on the ground, [x, y, z], or the name of a unit or a model."""
Colour = Annotated[str, Field(strict=True, pattern=r"^#[0-9a-fA-F]{6}$")]
FigureName = Annotated[Name, Field(pattern=FILE_NAME)]


class CameraTable(Table):
    """Where the eye is and what it looks at."""

    from_: Point3 = Field(alias="from")
    to: Point3

    @model_validator(mode="after")
    def _looks_somewhere(self) -> CameraTable:
        if self.from_ == self.to:
            raise trouble("expected another point than that of 'from'", "to")
        return self


class OverridesTable(Table):
    """Options of each system that replace the scene's in one figure."""

    wh40k: Warhammer40kOptions = Warhammer40kOptions()
    sctmg: StarcraftOptions = StarcraftOptions()
    t9a: NinthAgeOptions = NinthAgeOptions()


class SectionTable(Table):
    """A cut: level at a height, or upright through two points of the ground."""

    height: Size | None = None
    from_: Point | None = Field(None, alias="from")
    to: Point | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> SectionTable:
        upright = self.from_ is not None or self.to is not None
        if upright and self.height is not None:
            raise trouble("a section has a height, or from and to, not both", "height")
        if not upright and self.height is None:
            raise trouble("missing, a section needs a height, or from and to", "height")
        if upright and (self.from_ is None or self.to is None):
            raise trouble("missing, an upright section needs from and to", "to" if self.to is None else "from")
        if upright and self.from_ == self.to:
            raise trouble("expected another point than that of 'from'", "to")
        return self


class MeasureTable(Table):
    """A dimension arrow. The length printed is measured."""

    from_: Anchored = Field(alias="from")
    to: Anchored
    text: Text = ""
    along: Literal["up", "across"] | None = None
    aside: Length | None = None

    @model_validator(mode="after")
    def _has_length(self) -> MeasureTable:
        if self.from_ == self.to:
            raise trouble("expected another place than that of 'from', a measure needs a length", "to")
        return self


class LadderTable(Table):
    """A height ladder: a rung for each inch, or at the heights that are given."""

    at: Point
    from_: Height = Field(0.0, alias="from")
    to: Height
    rungs: Annotated[tuple[Height, ...], up_to(MOST_RUNGS, least=1)] | None = None

    @model_validator(mode="after")
    def _upright(self) -> LadderTable:
        if self.to <= self.from_:
            raise trouble("expected a height above 'from'", "to")
        if not all(self.from_ <= rung <= self.to for rung in self.rungs or ()):
            raise trouble("expected heights between 'from' and 'to'", "rungs")
        if self.rungs is None and self.to - self.from_ > MOST_RUNGS:
            raise trouble(f"expected at most {MOST_RUNGS} inches, or the rungs that are wanted", "to")
        return self


class CalloutTable(Table):
    """A lettered note; its text stands under the picture."""

    at: Anchored
    text: Text


class MoveTable(Table):
    """A move: the shortest way there is drawn, or why there is none."""

    model: Name
    to: Spot
    limit: Size | None = None
    fly: Flag = False
    charge: Flag = False


class ReachTable(Table):
    """Everywhere that a model can end a move."""

    model: Name
    limit: Size


class DeadGroundTable(Table):
    """What a model does not see of the ground. size : of what stands there."""

    model: Name
    size: Whole = 2


class ThemeTable(Table):
    """Colours of a scene's own, over those of the theme that it is based on."""

    name: Name
    base: Literal["default", "classic", "dark"] = "default"
    paper: Colour | None = None
    ink: Colour | None = None
    quiet: Colour | None = None
    ground: Colour | None = None
    grid: Colour | None = None
    terrain: Colour | None = None
    light_terrain: Colour | None = None
    exposed_terrain: Colour | None = None
    cut: Colour | None = None
    edge: Colour | None = None
    area: Colour | None = None
    area_edge: Colour | None = None
    clear: Colour | None = None
    blocked: Colour | None = None
    closed: Colour | None = None
    closed_edge: Colour | None = None
    range: Colour | None = None
    sheet: Colour | None = None
    way: Colour | None = None
    wrong: Colour | None = None


class FigureTable(Table):
    """An illustration. Its name becomes a file's name."""

    name: FigureName
    title: Text | None = None
    caption: Text | None = None
    view: View = "perspective"
    camera: CameraTable | None = None
    section: SectionTable | None = None
    lines: Annotated[tuple[Pair, ...], up_to(MOST)] = ()
    ranges: Annotated[tuple[tuple[Name, Size], ...], up_to(MOST)] = ()
    measures: Annotated[tuple[MeasureTable, ...], up_to(MOST_NOTES)] = ()
    heights: Annotated[tuple[LadderTable, ...], up_to(MOST_NOTES)] = ()
    callouts: Annotated[tuple[CalloutTable, ...], up_to(MOST_NOTES)] = ()
    moves: Annotated[tuple[MoveTable, ...], up_to(MOST_NOTES)] = ()
    reach: Annotated[tuple[ReachTable, ...], up_to(MOST_NOTES)] = ()
    dead_ground: Annotated[tuple[DeadGroundTable, ...], up_to(MOST_NOTES)] = ()
    panels: Annotated[tuple[FigureName, ...], up_to(MOST_NOTES, least=2)] | None = None
    theme: Name | None = None
    show: Annotated[tuple[Shown, ...], up_to(100)] = ()
    with_: OverridesTable = Field(OverridesTable(), alias="with")

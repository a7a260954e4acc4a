"""The kinds of value a scene file may hold, each checked on its own and turned into inches.

Checking needs a context: `{"unit": "in"}` or `{"unit": "mm"}`, the unit of the file's lengths.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

import shapely
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict, ValidationInfo
from pydantic_core import PydanticCustomError

from deadground.geometry.units import TOUCH, inches, millimetres
from deadground.scenes.complaints import shown
from deadground.scenes.model import Base

__all__ = [
    "FARTHEST",
    "BaseText",
    "Degrees",
    "Flag",
    "Height",
    "Length",
    "Name",
    "Outline",
    "Point",
    "Point3",
    "Ratio",
    "Real",
    "Size",
    "Spot",
    "Table",
    "Text",
    "UnitName",
    "Whole",
    "in_inches",
    "parse_base",
    "trouble",
    "up_to",
]

FARTHEST: Final = 1000.0
"""Inches. No length in a scene is greater: a slip of the unit, or too far for single-precision casting."""

MOST_POINTS: Final = 10_000
"""Corners of one outline."""

Corners = tuple[tuple[float, ...], ...]

_BASE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:[x×]\s*(\d+(?:\.\d+)?)\s*)?(mm|in)\s*(round|oval|square)?\s*")


class Table(BaseModel):
    """A table of a scene file. Unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=False, hide_input_in_errors=True)


def trouble(problem: str, key: str = "") -> PydanticCustomError:
    """An error of ours for pydantic to carry. key : the key in the table that is to blame, "" for the value itself."""
    return PydanticCustomError("deadground", "{problem}", {"problem": problem, "key": key})


def in_inches(value: float, info: ValidationInfo) -> float:
    """A length of the file in inches. Refused beyond FARTHEST."""
    unit = str((info.context or {}).get("unit", "in"))
    length = inches(value, unit)
    if abs(length) > FARTHEST:
        limit = FARTHEST if unit == "in" else millimetres(FARTHEST)
        raise trouble(f"expected a length of at most {limit:g} {unit}, found {value:g}")
    return length


def up_to(most: int, least: int = 0) -> Any:
    """The length of a list. The first wrong item ends its check: a list may hold millions."""
    return Field(min_length=least, max_length=most, fail_fast=True)


def _one_line(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise trouble(f"expected one line of readable text, found {shown(text)}")
    return text


def _unit_name(text: str) -> str:
    if "/" in text:
        raise trouble(f'expected a name without "/" (UNIT/2 is its second model), found {shown(text)}')
    return text


def _outline(points: Corners) -> Corners:
    polygon = shapely.Polygon(points)
    if not polygon.is_valid:
        raise trouble("expected an outline that does not cross or touch itself")
    if polygon.area < TOUCH * TOUCH:
        raise trouble("expected an outline with an area, found one that is flat")
    return points


def parse_base(text: str) -> Base:
    """A base from words: "32mm", "60x35mm" (oval, first number along its facing), "1.26in", "20x20mm square".

    ValueError if it is none of these or has no unit.
    """
    match = _BASE.fullmatch(text)
    if match is None:
        raise ValueError('expected a base such as "32mm", "60x35mm", "1.26in" or "20x20mm square"')
    length = inches(float(match[1]), match[3])
    width = inches(float(match[2]), match[3]) if match[2] else length
    if not 0 < min(length, width) <= max(length, width) <= FARTHEST:
        raise ValueError(f"expected a base of more than nothing and at most {FARTHEST:g} in")
    if match[4] == "square":
        return Base("square", length, width)
    if match[4] == "round" and length != width:
        raise ValueError("expected one number for a round base")
    return Base("round" if length == width else "oval", length, width)


def _base(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise trouble(f'expected a base with its unit, such as "{value}mm", found {value}')
    if isinstance(value, str):
        try:
            parse_base(value)
        except ValueError as error:
            raise trouble(f"{error}, found {shown(value)}") from None
    return value


Real = Annotated[float, Strict(), Field(allow_inf_nan=False)]
Degrees = Annotated[float, Strict(), Field(allow_inf_nan=False, ge=-36_000, le=36_000)]
Ratio = Annotated[float, Strict(), Field(gt=0, le=1)]
Whole = Annotated[int, Strict(), Field(ge=0, le=100)]
Flag = Annotated[bool, Strict()]
Length = Annotated[Real, AfterValidator(in_inches)]
"""A coordinate or height, in inches once checked."""
Height = Annotated[float, Strict(), Field(allow_inf_nan=False, ge=0), AfterValidator(in_inches)]
"""A length of 0 or more, in inches once checked."""
Size = Annotated[float, Strict(), Field(allow_inf_nan=False, gt=0), AfterValidator(in_inches)]
"""A length greater than 0, in inches once checked."""
Point = Annotated[tuple[Length, ...], Field(min_length=2, max_length=2)]
"""[x, y]"""
Spot = Annotated[tuple[Length, ...], Field(min_length=2, max_length=3)]
"""[x, y] on the ground, or [x, y, height of the surface]."""
Point3 = Annotated[tuple[Length, ...], Field(min_length=3, max_length=3)]
Outline = Annotated[
    tuple[Point, ...], Field(min_length=3, max_length=MOST_POINTS, fail_fast=True), AfterValidator(_outline)
]
"""Corners of a simple polygon, in either direction."""
Text = Annotated[str, Strict(), Field(max_length=500), AfterValidator(_one_line)]
Name = Annotated[str, Strict(), Field(min_length=1, max_length=100), AfterValidator(_one_line)]
UnitName = Annotated[Name, AfterValidator(_unit_name)]
BaseText = Annotated[str, Strict(), BeforeValidator(_base), Field(examples=["32mm", "60x35mm", "20x20mm square"])]

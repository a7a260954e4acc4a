"""The scene file, table by table, as pydantic sees it. Lengths are inches once checked."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, Strict, WithJsonSchema, model_validator

from deadground.scenes.complaints import shown
from deadground.scenes.entries import (
    BaseText,
    Degrees,
    Flag,
    Height,
    Length,
    Name,
    Outline,
    Point,
    Size,
    Spot,
    Table,
    Text,
    UnitName,
    Whole,
    trouble,
    up_to,
)
from deadground.scenes.figure_format import FigureTable, ThemeTable
from deadground.scenes.options import (
    NinthAgeOptions,
    StarcraftOptions,
    Warhammer40kOptions,
    canonical_ruleset,
    ruleset_names,
)

__all__ = [
    "MOST_MODELS",
    "AreaTable",
    "BlockTable",
    "FeatureTable",
    "FloorTable",
    "MeshTable",
    "NinthAgeFeatureTable",
    "OpeningTable",
    "PrismTable",
    "SceneTable",
    "TokenTable",
    "UnitTable",
    "WallTable",
]

MOST_FEATURES = 2_000
"""Features, and areas, of a scene."""
MOST_MODELS = 5_000
"""Units, and models of all units, of a scene."""
MOST_PARTS = 1_000
"""Entries of a list within a table; how many of them can be built, `meshes.builder` and `meshes.parts` say."""

LengthUnit = Literal["in", "mm"]


def _ruleset(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return canonical_ruleset(value) or value


def _schema_number(value: Any) -> Any:
    if isinstance(value, bool) or value != 1:
        raise trouble(f"expected 1, the only version there is, found {shown(value)}")
    return 1


Ruleset = Annotated[
    Literal["wh40k-11e", "sctmg", "t9a"],
    BeforeValidator(_ruleset),
    WithJsonSchema({"enum": ruleset_names(), "title": "Ruleset"}),
]


class OpeningTable(Table):
    """A window, door or notch. at : distance along the wall to its middle; sill and head above the feature's origin."""

    at: Length
    width: Size
    sill: Length = 0.0
    head: Length
    shape: Literal["rectangle", "arch"] = "rectangle"

    @model_validator(mode="after")
    def _upright(self) -> OpeningTable:
        if self.head <= self.sill:
            raise trouble("expected a head above the sill", "head")
        return self


class WallTable(Table):
    """A wall along its centre line. One of height and top."""

    from_: Point = Field(alias="from")
    to: Point
    height: Length | None = None
    top: Annotated[tuple[Point, ...], up_to(MOST_PARTS, least=2)] | None = None
    thickness: Size
    base: Length = 0.0
    openings: Annotated[tuple[OpeningTable, ...], up_to(MOST_PARTS)] = ()

    @model_validator(mode="after")
    def _one_top(self) -> WallTable:
        if self.height is None and self.top is None:
            raise trouble("missing, a wall needs a height or a broken top", "height")
        if self.height is not None and self.top is not None:
            raise trouble("a wall has a height or a broken top, not both", "top")
        if self.from_ == self.to:
            raise trouble("expected another point than that of 'from'", "to")
        return self


class FloorTable(Table):
    """A flat slab. top : height of the surface one stands on, above the feature's origin."""

    outline: Outline
    top: Length
    thickness: Size
    holes: Annotated[tuple[Outline, ...], up_to(MOST_PARTS)] = ()


class BlockTable(Table):
    """A solid box. at : the middle of its underside."""

    size: Annotated[tuple[Size, ...], Field(min_length=3, max_length=3)]
    at: Spot = (0.0, 0.0, 0.0)


class PrismTable(Table):
    """An outline raised from its base to its height, both above the feature's origin."""

    outline: Outline
    height: Length
    base: Length = 0.0

    @model_validator(mode="after")
    def _upright(self) -> PrismTable:
        if self.height <= self.base:
            raise trouble("expected a height above the base", "height")
        return self


def _file_name(text: str) -> str:
    r"""A path as it was meant: in "new\ruin.stl" TOML takes the backslash and the r for one sign."""
    if not text.isprintable():
        raise trouble(f'expected a path with "/" between folders, as "\\" begins a sign in TOML, found {shown(text)}')
    return text


class MeshTable(Table):
    """A mesh file beside the scene. units : its own, compulsory for STL, OBJ and PLY."""

    file: Annotated[str, Strict(), Field(min_length=1, max_length=500), AfterValidator(_file_name)]
    units: Literal["mm", "cm", "m", "in", "ft"] | None = None
    up: Literal["x", "y", "z", "-x", "-y", "-z"] | None = None
    scale: Annotated[float, Field(strict=True, gt=0, le=10_000)] = 1.0


class OverruleTable(Table):
    """What the owner of a piece says of one of its openings."""

    id: Annotated[int, Field(strict=True, ge=1)]
    closed: Flag


class Warhammer40kFeatureTable(Table):
    """A feature in Warhammer 40,000."""

    category: Literal["exposed", "light", "dense"] | None = None


class StarcraftFeatureTable(Table):
    """A feature in StarCraft TMG. access_points are in the feature's own frame."""

    size: Whole | None = None
    access_points: Annotated[tuple[Point, ...], up_to(MOST_PARTS)] = ()
    openings_agreed: Flag = False


class NinthAgeFeatureTable(Table):
    """A feature in The 9th Age. dangerous : "4+"; dangerous_only : the models it is dangerous to, in words."""

    opaque: Flag = False
    cover: Literal["none", "soft", "hard"] = "none"
    height: Whole | None = None
    contact_only: Flag = False
    dangerous: Annotated[str, Field(strict=True, pattern=r"^[2-6]\+$")] | None = None
    dangerous_only: Text | None = None
    disruptive: Flag = False


class FeatureTable(Table):
    """A terrain feature: built of walls, floors, blocks and prisms, or a mesh."""

    name: Name
    at: Spot
    turn: Degrees = 0.0
    wall: Annotated[tuple[WallTable, ...], up_to(MOST_PARTS)] = ()
    floor: Annotated[tuple[FloorTable, ...], up_to(MOST_PARTS)] = ()
    block: Annotated[tuple[BlockTable, ...], up_to(MOST_PARTS)] = ()
    prism: Annotated[tuple[PrismTable, ...], up_to(MOST_PARTS)] = ()
    mesh: MeshTable | None = None
    openings: Annotated[tuple[OverruleTable, ...], up_to(MOST_PARTS)] = ()
    footprint: Outline | None = None
    wh40k: Warhammer40kFeatureTable = Warhammer40kFeatureTable()
    sctmg: StarcraftFeatureTable = StarcraftFeatureTable()
    t9a: NinthAgeFeatureTable | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> FeatureTable:
        built = bool(self.wall or self.floor or self.block or self.prism)
        if built and self.mesh is not None:
            raise trouble("a feature is a mesh or is built of walls, floors, blocks and prisms, not both", "mesh")
        if not built and self.mesh is None:
            raise trouble("expected at least one wall, floor, block or prism, or a mesh")
        return self


class AreaTable(Table):
    """A terrain area: an outline, or the hull of the features it names."""

    name: Name
    outline: Outline | None = None
    features: Annotated[tuple[Name, ...], up_to(MOST_FEATURES)] = ()

    @model_validator(mode="after")
    def _has_outline(self) -> AreaTable:
        if self.outline is None and not self.features:
            raise trouble("missing, an area needs an outline or the features that define it", "outline")
        return self


class Warhammer40kUnitTable(Table):
    """A unit in Warhammer 40,000."""

    keywords: Annotated[tuple[Name, ...], up_to(100)] = ()
    shot: Literal["no", "this-turn", "previous-turn"] = "no"
    detection_range: Height | None = None
    ignores_cover: Flag = False


class StarcraftUnitTable(Table):
    """A unit in StarCraft TMG."""

    size: Whole | None = None
    flying: Flag = False


class NinthAgeUnitTable(Table):
    """A unit in The 9th Age. kinds : what dangerous_only may name; joined : the unit that it has joined."""

    height: Whole | None = None
    pool: Name = "rank-and-file"
    kinds: Annotated[tuple[Name, ...], up_to(100)] | None = None
    joined: UnitName | None = None


def _places(value: Any) -> Any:
    """The places of a unit's models as they are. Refused is one place alone, which is written like many."""
    if isinstance(value, list | tuple) and value and all(type(item) in (int, float) for item in value):
        said = ", ".join(shown(item) for item in value[:3])
        raise trouble(f"expected a list of places, one for each model: [[{said}]]")
    return value


class UnitTable(Table):
    """A unit: models alike. at : one spot per model; one of height and mesh."""

    name: UnitName
    side: Name
    base: BaseText
    height: Size | None = None
    mesh: MeshTable | None = None
    at: Annotated[tuple[Spot, ...], up_to(MOST_MODELS, least=1), BeforeValidator(_places)]
    facing: Degrees | None = None
    wh40k: Warhammer40kUnitTable = Warhammer40kUnitTable()
    sctmg: StarcraftUnitTable = StarcraftUnitTable()
    t9a: NinthAgeUnitTable = NinthAgeUnitTable()

    @model_validator(mode="after")
    def _one_body(self) -> UnitTable:
        if self.height is None and self.mesh is None:
            raise trouble("missing, a unit needs the height of its models or a mesh", "height")
        if self.height is not None and self.mesh is not None:
            raise trouble("models have a height or a mesh, not both", "mesh")
        return self


class TokenTable(Table):
    """A token, or with marker = true a marker, which is nothing on the table."""

    name: Name
    at: Point
    radius: Size
    marker: Flag = False


class BoardTable(Table):
    """The battlefield: x from 0 to the first number, y from 0 to the second, ground at z = 0."""

    size: Annotated[tuple[Size, ...], Field(min_length=2, max_length=2)]


class SceneTable(Table):
    """A scene file."""

    schema_: Annotated[Literal[1], BeforeValidator(_schema_number)] = Field(alias="schema")
    ruleset: Ruleset
    units: LengthUnit = Field(description="every length in the file, options included")
    title: Text = ""
    board: BoardTable
    wh40k: Warhammer40kOptions = Warhammer40kOptions()
    sctmg: StarcraftOptions = StarcraftOptions()
    t9a: NinthAgeOptions = NinthAgeOptions()
    area: Annotated[tuple[AreaTable, ...], up_to(MOST_FEATURES)] = ()
    feature: Annotated[tuple[FeatureTable, ...], up_to(MOST_FEATURES)] = ()
    unit: Annotated[tuple[UnitTable, ...], up_to(MOST_MODELS)] = ()
    token: Annotated[tuple[TokenTable, ...], up_to(MOST_MODELS)] = ()
    theme: Annotated[tuple[ThemeTable, ...], up_to(100)] = ()
    figure: Annotated[tuple[FigureTable, ...], up_to(MOST_PARTS)] = ()

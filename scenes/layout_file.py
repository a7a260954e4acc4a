"""Files of tournament layouts: JSON in, checked values out. Inches, y down, as the format has it.

A file of layouts names its pieces by the templates of another file. Only the layout that is asked for is checked.
Keys that are not known are left alone: such files carry much that is no business of a table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from deadground.geometry.errors import InputError
from deadground.scenes.complaints import first_complaint, nearest, shown
from deadground.scenes.entries import FARTHEST, trouble

__all__ = [
    "Footprint",
    "Layout",
    "Piece",
    "Spot",
    "Template",
    "checked_layout",
    "checked_templates",
    "layout_ids",
    "read_json",
    "read_layout",
    "read_templates",
]

_LARGEST: Final = 50_000_000
"""Bytes of a file of layouts."""

_Length = Annotated[float, Field(allow_inf_nan=False, ge=-FARTHEST, le=FARTHEST)]
_Size = Annotated[float, Field(allow_inf_nan=False, gt=0, le=FARTHEST)]
_Id = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f/]+$")]


class _Values(BaseModel):
    """Values of the format. Unknown keys are left alone."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)


class Spot(_Values):
    """A point, inches, y down."""

    x: _Length
    y: _Length


class Footprint(_Values):
    """An outline seen from above: a rectangle, a triangle with its right angle at the origin, or corners."""

    type: Literal["rectangle", "right-triangle", "polygon"]
    width: _Size | None = None
    height: _Size | None = None
    points: Annotated[tuple[Spot, ...], Field(max_length=1000)] = ()

    @model_validator(mode="after")
    def _whole(self) -> Footprint:
        if self.type == "polygon" and len(self.points) < 3:
            raise trouble("expected at least three points of a polygon", "points")
        if self.type != "polygon" and self.width is None:
            raise trouble("missing", "width")
        if self.type != "polygon" and self.height is None:
            raise trouble("missing", "height")
        return self

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Its corners as the file gives them, y down."""
        if self.type == "polygon":
            return tuple((point.x, point.y) for point in self.points)
        x, y = self.width or 0.0, self.height or 0.0
        return ((0, 0), (x, 0), (x, y), (0, y)) if self.type == "rectangle" else ((0, 0), (x, 0), (0, y))


class UpperFloor(_Values):
    """A floor over a footprint, in that footprint's frame. floor : levels above the ground."""

    footprint: Footprint
    floor: Annotated[int, Field(ge=1, le=20)] = 1


class Piece(_Values):
    """A piece placed on the table, or in the frame of another."""

    id: _Id
    name: str | None = None
    piece_type: Literal["area", "feature"] | None = None
    template: str | None = None
    footprint: Footprint | None = None
    position: Spot
    rotation_degrees: Annotated[float, Field(allow_inf_nan=False, ge=-36_000, le=36_000)] = 0.0
    mirror: Literal["none", "horizontal", "vertical"] | None = None
    parent_area_id: str | None = None
    floor: Annotated[int, Field(ge=0, le=20)] = 0

    @model_validator(mode="after")
    def _has_shape(self) -> Piece:
        if self.template is None and self.footprint is None:
            raise trouble("missing, a piece needs a template or a footprint of its own", "template")
        return self


class Template(_Values):
    """A kind of piece. features : pieces that come with it, in its own frame."""

    id: _Id
    name: str | None = None
    kind: Literal["area", "feature"] = "area"
    footprint: Footprint
    default_height_inches: _Size | None = None
    terrain_category: Literal["exposed", "light", "dense"] | None = None
    upper_floor: UpperFloor | None = None
    features: Annotated[tuple[Piece, ...], Field(max_length=1000)] = ()


class Layout(_Values):
    """One table."""

    id: _Id
    name: str = ""
    pieces: Annotated[tuple[Piece, ...], Field(max_length=2000)]


class _Templates(_Values):
    templates: tuple[Template, ...]


def read_json(path: Path) -> Any:
    """A JSON file's content. InputError, one line, if it cannot be read or is no JSON."""
    source = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise InputError(source, "", f"cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if len(data) > _LARGEST:
        raise InputError(source, "", f"expected at most {_LARGEST // 1_000_000} MB, found more")
    try:
        return json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise InputError(source, "", "expected JSON, found lists nested too deeply") from None
    except ValueError as error:
        raise InputError(source, "", f"expected JSON, found: {' '.join(str(error).split())}") from None


def _tables(content: Any, key: str, source: str) -> list[Mapping[str, Any]]:
    """The list of objects that a file holds: bare, under a key, or a single one."""
    listed = content.get(key, [content]) if isinstance(content, Mapping) else content
    if not isinstance(listed, list):
        raise InputError(source, "", f"expected a list of {key}, found {shown(listed)}")
    for number, entry in enumerate(listed):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("id"), str):
            raise InputError(source, f"[{number}].id", f"missing, each of the {key} has one")
    twice = _repeated(entry["id"] for entry in listed)
    if twice is not None:
        raise InputError(source, "id", f"expected each id once, found {shown(twice)} twice")
    return listed


def _repeated(names: Iterable[str]) -> str | None:
    seen = set[str]()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def layout_ids(path: Path) -> tuple[str, ...]:
    """The ids of the layouts in a file, in its order."""
    return tuple(entry["id"] for entry in _tables(read_json(path), "layouts", str(path)))


def read_layout(path: Path, name: str) -> Layout:
    """The layout of that id in a file. InputError that names the nearest id if there is none."""
    tables = {entry["id"]: entry for entry in _tables(read_json(path), "layouts", str(path))}
    if name not in tables:
        near = nearest(name, tables)
        raise InputError(str(path), "id", f"expected the id of a layout, found {shown(name)}{near and ', '}{near}")
    return checked_layout(tables[name], f"{path}: {name}")


def checked_layout(table: Mapping[str, Any], source: str = "layout") -> Layout:
    """A layout of plain values, checked; what its pieces refer to is asked by `layouts.resolve`."""
    try:
        return Layout.model_validate(table)
    except ValidationError as error:
        raise first_complaint(error, Layout, table, source) from None


def read_templates(path: Path) -> dict[str, Template]:
    """The templates in a file, by id."""
    return checked_templates(_tables(read_json(path), "templates", str(path)), str(path))


def checked_templates(tables: Sequence[Mapping[str, Any]], source: str = "templates") -> dict[str, Template]:
    """Templates of plain values, checked, by id."""
    document = {"templates": list(tables)}
    try:
        found = _Templates.model_validate(document)
    except ValidationError as error:
        raise first_complaint(error, _Templates, document, source) from None
    twice = _repeated(template.id for template in found.templates)
    if twice is not None:
        raise InputError(source, "id", f"expected each id once, found {shown(twice)} twice")
    return {template.id: template for template in found.templates}

"""Scene files: TOML in, a checked `Scene` out; and the same document as text again.

Reading has three steps, each with its own one-line errors: the TOML (`tomllib`), the keys and values of each table
(`format`), and what they mean together (`references`, `assembly`).
"""

from __future__ import annotations

import codecs
import re
import tomllib
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import tomlkit
from pydantic import ValidationError
from tomlkit.items import AoT, Table

from deadground.geometry.errors import SceneError
from deadground.scenes.assembly import assemble
from deadground.scenes.complaints import first_complaint
from deadground.scenes.format import SceneTable
from deadground.scenes.options import OPTIONS
from deadground.scenes.pieces import Beside
from deadground.scenes.references import check_references
from deadground.scenes.scene import Scene

__all__ = ["read_document", "read_scene", "scene_from", "scene_text", "schema"]

_LARGEST: Final = 5_000_000
"""Bytes of a scene file."""

_MESHES: Final = (".stl", ".obj", ".ply", ".glb", ".3mf")
_MANY_DOTS: Final = re.compile(r"(?<![\w-])(?:[\w-]+\.){99}")
"""Keys like a.b.c and so on: the parser's time grows with the square of their length."""

_SYSTEMS: Final = frozenset(OPTIONS)

_INLINE: Final = frozenset({*OPTIONS, "openings", "mesh", "camera", "with"})
"""Keys whose tables are written on one line, save that each system's options have a table of their own."""


def read_scene(path: Path | str, allow_outside: bool = False) -> Scene:
    """The scene in a file, in inches whatever the file's unit.

    allow_outside : whether mesh files may lie outside the scene's folder
    Raises SceneError, one line that names the file, the key and the nearest known one. Surprises: a height within
    SNAP of a surface becomes that surface's; a feature outside every area is an area of its own.
    """
    document = read_document(path)
    beside = Beside(str(path), Path(path).parent, allow_outside)
    return replace(_scene(document, beside), source=Path(path))


def scene_from(document: Mapping[str, Any], folder: Path | None = None, source: str = "scene") -> Scene:
    """The scene that a document in memory describes. folder : where its mesh files lie, None if it names none."""
    return _scene(document, Beside(source, folder))


def _scene(document: Mapping[str, Any], beside: Beside) -> Scene:
    unit = document.get("units")
    context = {"unit": unit if unit in ("in", "mm") else "in"}
    try:
        table = SceneTable.model_validate(document, context=context)
    except ValidationError as error:
        raise first_complaint(error, SceneTable, document, beside.source) from None
    check_references(table, document, beside.source)
    return assemble(table, beside)


def read_document(path: Path | str) -> dict[str, Any]:
    """The tables and values of a scene file, unchecked. SceneError if it is not TOML. See `scene_text`."""
    source = str(path)
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise SceneError(source, "", f"cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if len(data) > _LARGEST:
        raise SceneError(source, "", f"expected at most {_LARGEST // 1_000_000} MB, found more")
    return _parsed(data, source)


def _mesh_hint(source: str) -> str:
    """What to do with a mesh that is taken for a scene."""
    return " (for a mesh: deadground inspect)" if source.lower().endswith(_MESHES) else ""


def _parsed(data: bytes, source: str) -> dict[str, Any]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        found = "UTF-16" if wide else f"a byte {data[error.start]:#04x} at {error.start}"
        hint = _mesh_hint(source) or ": save it as UTF-8 in your editor"
        raise SceneError(source, "", f"expected text in UTF-8, found {found}{hint}") from None
    if not text.strip():
        raise SceneError(source, "", "expected a scene, found an empty file")
    if _MANY_DOTS.search(text):
        raise SceneError(source, "", "expected TOML, found a key of a hundred parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise SceneError(source, "", "expected TOML, found tables or lists nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, and numbers or dates that Python refuses
        said = " ".join(str(error).split())
        raise SceneError(source, "", f"expected TOML, found: {said}{_backslash(text, said)}") from None


def _backslash(text: str, said: str) -> str:
    """A hint where the parser stopped at a line with a backslash, as in a path of Windows."""
    number = re.search(r"at line (\d+)", said)
    lines = text.splitlines()
    line = lines[int(number[1]) - 1] if number and int(number[1]) <= len(lines) else ""
    return '; in paths write "/" in place of a backslash' if "\\" in line else ""


def scene_text(document: Mapping[str, Any]) -> str:
    """A document as the text of a scene file; reading it back gives the same document.

    A document of tomlkit's keeps its comments and layout; any other is laid out with the facts of each rule system on
    a line of their own.
    """
    if isinstance(document, tomlkit.TOMLDocument):
        return tomlkit.dumps(document)
    laid_out = tomlkit.document()
    _fill(laid_out, document, inline=_INLINE - _SYSTEMS)
    return tomlkit.dumps(laid_out)


def _fill(table: tomlkit.TOMLDocument | Table, content: Mapping[str, Any], inline: AbstractSet[str] = _INLINE) -> None:
    """Values first, then tables, then lists of tables: TOML takes what follows a table's heading as part of it."""
    for key, value in sorted(content.items(), key=lambda item: _kind(item[0], item[1], inline)):
        table.add(key, (_value, _table, _tables)[_kind(key, value, inline)](value))


def _kind(key: str, value: Any, inline: AbstractSet[str]) -> int:
    if key in inline:
        return 0
    if isinstance(value, Mapping):
        return 1
    return 2 if isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value) else 0


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        inline = tomlkit.inline_table()
        inline.update({key: _value(item) for key, item in value.items()})
        return inline
    if isinstance(value, list):
        array = tomlkit.array()
        array.extend(_value(item) for item in value)
        return array
    return value


def _table(content: Mapping[str, Any]) -> Table:
    table = tomlkit.table()
    _fill(table, content)
    return table


def _tables(contents: list[Mapping[str, Any]]) -> AoT:
    tables = tomlkit.aot()
    for content in contents:
        tables.append(_table(content))
    return tables


def schema() -> dict[str, Any]:
    """The JSON schema of a scene file (what `format` checks of each value; not what values mean together)."""
    raw = SceneTable.model_json_schema()
    cleaned: dict[str, Any] = _without_null(raw)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **cleaned}


def _without_null(node: Any) -> Any:
    """The schema without null, which TOML does not have: an absent key is absent."""
    if isinstance(node, list):
        return [_without_null(item) for item in node]
    if not isinstance(node, dict):
        return node
    cleaned = {key: _without_null(value) for key, value in node.items() if not (key == "default" and value is None)}
    kept = [item for item in cleaned.get("anyOf", []) if item != {"type": "null"}]
    if len(kept) == 1:
        cleaned.pop("anyOf")
        return {**kept[0], **cleaned}
    return cleaned

"""From a feature's table to its piece: built from its parts, or loaded from a mesh file beside the scene."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PureWindowsPath
from typing import Any, Final, TypeVar

import trimesh

from deadground.geometry.errors import MeshError, SceneError
from deadground.meshes.builder import build
from deadground.meshes.files import load
from deadground.meshes.openings import understand
from deadground.meshes.parts import Block, Floor, Hole, Part, Prism, Wall
from deadground.meshes.piece import Piece
from deadground.scenes.complaints import Place, key_of, shown
from deadground.scenes.format import (
    BlockTable,
    FeatureTable,
    FloorTable,
    MeshTable,
    OpeningTable,
    PrismTable,
    WallTable,
)

__all__ = ["Beside", "body_mesh", "piece_of"]

Made = TypeVar("Made")

_CACHED: Final = 256


@dataclass(frozen=True, slots=True)
class Beside:
    """Where a scene's files lie. folder None: the scene is no file and may name none."""

    source: str
    folder: Path | None
    allow_outside: bool = False

    def find(self, name: str, place: Place) -> Path:
        """The file of that name, resolved beside the scene. SceneError if it is missing or outside the folder.

        Both slashes part folders, so that a scene written on Windows holds everywhere. Outside the folder nothing is
        asked, not even whether it is there: a name may belong to another machine.
        """
        if self.folder is None:
            raise SceneError(self.source, key_of(place), "a scene that is no file cannot name files")
        folder = self.folder.resolve()
        within = self.allow_outside or _seems_within(folder, self.folder.absolute(), name)
        try:
            path = (folder / _slashed(name)).resolve() if within else folder
            there = path.is_file()
        except (OSError, RuntimeError, ValueError):  # names that are too long or hold a zero, links in a circle
            raise SceneError(self.source, key_of(place), f"expected a file, found {shown(name)}") from None
        if not (within and (self.allow_outside or path.is_relative_to(folder))):
            raise SceneError(
                self.source, key_of(place), f"expected a file in the scene's folder, found {shown(name)} outside it"
            )
        if not there:
            raise SceneError(self.source, key_of(place), f"no such file: {shown(name)}")
        return path


def _slashed(name: str) -> str:
    return name.replace("\\", "/")


def _seems_within(folder: Path, called: Path, name: str) -> bool:
    """Whether a name may lie in a folder, by its words alone. called : the folder's own name before links."""
    words = _slashed(name)
    if PureWindowsPath(words).drive and not Path(words).drive:
        return False  # a drive or another machine, which this system does not know
    path = Path(os.path.normpath(folder / words))
    return path.is_relative_to(folder) or path.is_relative_to(called)


def piece_of(table: FeatureTable, beside: Beside, place: Place) -> Piece:
    """The piece a feature's table describes. Equal parts give the same piece, built once. SceneError if none can be."""
    if table.mesh is not None:
        where = (*place, "mesh")
        return _from_file(_understood, _mesh_file(table.mesh, beside, where), beside.source, where)
    parts = _parts(table, beside.source, place)
    try:
        return _built(parts)
    except ValueError as error:
        raise _blame(error, beside.source, place) from None


def body_mesh(table: MeshTable, beside: Beside, place: Place) -> trimesh.Trimesh:
    """A model's body: its foot at z = 0, the middle of its bounding box over the origin. Inches."""
    return _from_file(_loaded, _mesh_file(table, beside, place), beside.source, place)


def _parts(table: FeatureTable, source: str, place: Place) -> tuple[Part, ...]:
    """All parts, kind by kind. SceneError for the first that cannot be built, with its place in the file."""
    kinds: tuple[tuple[str, Sequence[Any], Callable[[Any], Part]], ...] = (
        ("wall", table.wall, _wall),
        ("floor", table.floor, _floor),
        ("block", table.block, _block),
        ("prism", table.prism, _prism),
    )
    parts = []
    for kind, entries, made in kinds:
        for number, entry in enumerate(entries):
            try:
                parts.append(made(entry))
            except ValueError as error:
                raise _blame(error, source, (*place, kind, number)) from None
    return tuple(parts)


def _blame(error: ValueError, source: str, place: Place) -> SceneError:
    """The parts' errors start with the key to blame: "openings[1].width: ..."."""
    key, colon, problem = str(error).partition(": ")
    if colon and " " not in key:
        return SceneError(source, f"{key_of(place)}.{key}", problem)
    return SceneError(source, key_of(place), str(error))


def _wall(table: WallTable) -> Wall:
    return Wall(
        start=_two(table.from_),
        end=_two(table.to),
        height=table.height,
        thickness=table.thickness,
        base=table.base,
        openings=tuple(_hole(hole, number) for number, hole in enumerate(table.openings)),
        top=None if table.top is None else _corners(table.top),
    )


def _hole(table: OpeningTable, number: int) -> Hole:
    try:
        return Hole(table.at, table.width, table.sill, table.head, table.shape)
    except ValueError as error:
        raise ValueError(f"openings[{number}].{error}") from None


def _floor(table: FloorTable) -> Floor:
    return Floor(_corners(table.outline), table.top, table.thickness, tuple(_corners(hole) for hole in table.holes))


def _block(table: BlockTable) -> Block:
    x, y, z = (*table.at, 0.0)[:3]
    return Block((table.size[0], table.size[1], table.size[2]), (x, y, z))


def _prism(table: PrismTable) -> Prism:
    return Prism(_corners(table.outline), table.height, table.base)


def _two(point: Sequence[float]) -> tuple[float, float]:
    return point[0], point[1]


def _corners(outline: Iterable[Sequence[float]]) -> tuple[tuple[float, float], ...]:
    return tuple(_two(point) for point in outline)


@lru_cache(maxsize=_CACHED)
def _built(parts: tuple[Part, ...]) -> Piece:
    return build(parts)


@dataclass(frozen=True, slots=True)
class _MeshFile:
    """A mesh file as it was when it was looked at: the key under which what it holds is kept."""

    path: Path
    changed: int
    size: int
    units: str | None
    up: str | None
    scale: float


def _mesh_file(table: MeshTable, beside: Beside, place: Place) -> _MeshFile:
    path = beside.find(table.file, (*place, "file"))
    stat = path.stat()
    return _MeshFile(path, stat.st_mtime_ns, stat.st_size, table.units, table.up, table.scale)


def _from_file(made: Callable[[_MeshFile], Made], file: _MeshFile, source: str, place: Place) -> Made:
    try:
        return made(file)
    except MeshError as error:
        key = f"{key_of(place)}.{error.key}" if error.key else key_of(place)
        raise SceneError(source, key, f"{file.path.name}: {error.problem}") from None


@lru_cache(maxsize=_CACHED)
def _loaded(file: _MeshFile) -> trimesh.Trimesh:
    return load(file.path, file.units, file.up, file.scale)


@lru_cache(maxsize=_CACHED)
def _understood(file: _MeshFile) -> Piece:
    return understand(_loaded(file))

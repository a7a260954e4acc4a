"""A mesh file that was looked at: what was found, or why it could not be read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import trimesh

from deadground.geometry.errors import InputError, MeshError
from deadground.meshes.files import FORMATS, load
from deadground.meshes.findings import Finding, Level, ranked, worst
from deadground.meshes.inspection import Inspection, inspect_mesh
from deadground.scenes.rulings.wh40k_piece import PieceReading, read_piece

__all__ = ["Asked", "Looked", "for_several", "look", "look_whole", "mesh_files"]

_OWN_UNIT = (".glb", ".3mf")  # formats that say their unit
_TRIED = ("in", "mm", "m")  # for a piece whose height is given, until one makes it neither a crumb nor a mountain


@dataclass(frozen=True, slots=True)
class Asked:
    """How files are to be read. height : that the piece is scaled to, inches; limit : of Solid, inches."""

    units: str | None = None
    up: str | None = None
    scale: float = 1.0
    height: float | None = None
    limit: float = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """One file. path : as it was given. piece and reading are None if it could not be read, and problem says why.

    scale : what its sizes were multiplied by, beside the unit
    """

    path: str
    units: str = ""
    scale: float = 1.0
    piece: Inspection | None = None
    reading: PieceReading | None = None
    problem: str = ""

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return Path(self.path).name

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Those on the mesh and those that hang on the rules, worst first."""
        if self.piece is None or self.reading is None:
            return ()
        return ranked([*self.piece.findings, *self.reading.findings])

    @property
    def level(self) -> Level:
        """The worst that was found; error for a file that could not be read."""
        return "error" if self.piece is None else worst(self.findings)


def mesh_files(places: list[Path]) -> list[Path]:
    """The files, and the mesh files in the folders among them (not in folders below), each once, in order.

    A pattern such as *.stl stands for what it fits, for the shells of Windows leave that to the program.
    """
    found: list[Path] = []
    for place in places:
        if fitting := _fitting(place):
            found += fitting
        elif place.is_dir():
            inside = sorted(file for file in place.iterdir() if _is_mesh(file))
            if not inside:
                raise InputError(str(place), "", f"expected a folder with {', '.join(FORMATS)} files, found none in it")
            found += inside
        else:
            found.append(place)
    return list(dict.fromkeys(found))


def _fitting(place: Path) -> list[Path]:
    """The mesh files that a pattern in a file's name fits; none for what is there, or is no pattern."""
    if not {*"*?"} & {*place.name} or place.exists():
        return []
    return sorted(file for file in place.parent.glob(place.name) if _is_mesh(file))


def _is_mesh(file: Path) -> bool:
    return file.suffix.lower() in FORMATS and not file.name.startswith(".") and file.is_file()


def look(path: Path, asked: Asked) -> Looked:
    """Read and inspect one file. MeshError if it cannot be read."""
    return look_whole(path, asked)[0]


def look_whole(path: Path, asked: Asked) -> tuple[Looked, trimesh.Trimesh]:
    """The same, with the mesh that was inspected."""
    mesh, scale = _sized(path, asked)
    up = asked.up or ("y" if path.suffix.lower() == ".glb" else "z")
    piece = inspect_mesh(mesh, up=up)
    return Looked(str(path), str(mesh.metadata["units"]), scale, piece, read_piece(piece, asked.limit)), mesh


def _sized(path: Path, asked: Asked) -> tuple[trimesh.Trimesh, float]:
    """The mesh, and what it was multiplied by."""
    if asked.height is None:
        try:
            return load(path, asked.units, asked.up, asked.scale), asked.scale
        except MeshError as error:
            raise _with_option(error) from None
    mesh = _any_size(path, asked.up)
    if not mesh.extents[2] > 0:
        raise MeshError(str(path), "--fit-height", "this piece has no height")
    factor = asked.height / float(mesh.extents[2])
    return load(path, str(mesh.metadata["units"]), asked.up, factor), factor


def _with_option(error: MeshError) -> MeshError:
    """The same error, naming the option to set in place of a scene's key, or the command that takes a scene."""
    key = f"--{error.key}" if error.key in ("units", "up", "scale") else error.key
    hint = " (for a scene: deadground check)" if error.source.lower().endswith(".toml") else ""
    return MeshError(error.source, key, f"{error.problem}{hint}")


def _any_size(path: Path, up: str | None) -> trimesh.Trimesh:
    for unit in _TRIED[:-1]:
        try:
            return load(path, unit, up)
        except MeshError:
            continue
    return load(path, _TRIED[-1], up)


def for_several(path: Path, asked: Asked) -> Asked:
    """What is asked of one file among several: a format that says its unit is believed."""
    own = path.suffix.lower() in _OWN_UNIT
    return Asked(None if own else asked.units, asked.up, asked.scale, asked.height, asked.limit)

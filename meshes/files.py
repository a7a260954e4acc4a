"""Mesh files to and from inches, z up."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import trimesh

from deadground.geometry.errors import MeshError
from deadground.geometry.plates import Array
from deadground.geometry.units import MM_PER_INCH
from deadground.meshes.limits import MOST_BYTES, Triangles
from deadground.meshes.parts import LARGEST
from deadground.meshes.readers import READERS
from deadground.meshes.threemf import write_3mf

__all__ = ["FORMATS", "SMALLEST", "export", "load"]

FORMATS = tuple(READERS)
"""Endings of the files that can be read and written."""

SMALLEST = 0.01
"""Inches. A piece smaller than this in its longest direction was read in the wrong unit."""

_MM = {
    **dict.fromkeys(("mm", "millimeter", "millimetre", "millimeters", "millimetres"), 1.0),
    **dict.fromkeys(("cm", "centimeter", "centimetre", "centimeters", "centimetres"), 10.0),
    **dict.fromkeys(("m", "meter", "metre", "meters", "metres"), 1000.0),
    **dict.fromkeys(("in", "inch", "inches"), MM_PER_INCH),
    **dict.fromkeys(("ft", "foot", "feet"), 12 * MM_PER_INCH),
    **dict.fromkeys(("um", "micron", "microns"), 1 / 1000),
}

_TURNS: Mapping[str, Array] = {
    "z": np.eye(3),
    "-z": np.diag([1.0, -1.0, -1.0]),
    "y": np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    "-y": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    "x": np.array([[0, 1.0, 0], [0, 0, 1], [1, 0, 0]]),
    "-x": np.array([[0, -1.0, 0], [0, 0, 1], [-1, 0, 0]]),
}


def load(path: Path | str, units: str | None = None, up: str | None = None, scale: float = 1.0) -> trimesh.Trimesh:
    """The mesh in a STL, OBJ, PLY, GLB or 3MF file: inches, z up, lowest point at 0, origin at its middle from above.

    units : "mm", "cm", "m", "in" (or "ft"); needed unless the file is a GLB (metres) or a 3MF (says it itself)
    up : "x", "y", "z", or one of them with "-"; by default "y" for a GLB, "z" for all others
    scale : multiplies the size once more

    Equal corners are merged; triangles that then have two equal corners are dropped, and counted in
    `mesh.metadata["collapsed"]`. Nothing else is repaired. Only this one file is read. `mesh.metadata["units"]` names
    the unit that was used. MeshError if it cannot be used.
    """
    source = Path(path)
    found = _triangles(source)
    factor = _inches_per_unit(source, found, units) * _scale(source, scale)
    turn = _turn(source, up)
    with np.errstate(over="ignore", invalid="ignore"):
        vertices = found.vertices @ turn.T * factor
    _check_size(source, vertices)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    vertices -= [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]]
    mesh = _merged(vertices, found)
    mesh.metadata["units"] = units or found.unit or "m"
    return mesh


def _triangles(path: Path) -> Triangles:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise MeshError(str(path), "", _no_format(path))
    data = _bytes(path)
    try:
        found = reader(data)
    except ValueError as error:
        problem = str(error).splitlines()[0] if str(error) else "cannot be read"
        raise MeshError(str(path), "", problem) from None
    except MemoryError:
        raise MeshError(str(path), "", "is too large for this machine's memory") from None
    except Exception as error:
        raise MeshError(str(path), "", f"cannot be read, it is damaged ({type(error).__name__})") from error
    _check(path, found)
    used = np.unique(found.faces)
    return found._replace(
        vertices=np.asarray(found.vertices, dtype=np.float64)[used], faces=np.searchsorted(used, found.faces)
    )


def _no_format(path: Path) -> str:
    """Why a file of such a name is no mesh."""
    if not path.exists():
        return "cannot be read: there is no such file or folder"
    return f"expected a {', '.join(FORMATS)} file, found {repr(path.suffix) if path.suffix else 'no ending'}"


def _bytes(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise MeshError(str(path), "", f"has {size:,} bytes, at most {MOST_BYTES:,} are read")
        if not path.is_file():
            raise MeshError(str(path), "", "is no file")
        return path.read_bytes()
    except OSError as error:
        raise MeshError(str(path), "", f"cannot be read: {error.strerror or error}") from None


def _check(path: Path, found: Triangles) -> None:
    if not len(found.faces):
        raise MeshError(str(path), "", "holds no triangles")
    if found.faces.min() < 0 or found.faces.max() >= len(found.vertices):
        raise MeshError(str(path), "", "is damaged: a triangle names a corner that is not there")
    if not np.isfinite(found.vertices[np.unique(found.faces)]).all():
        raise MeshError(str(path), "", "is damaged: a corner's coordinates are not finite numbers")


def _inches_per_unit(path: Path, found: Triangles, units: str | None) -> float:
    if units is not None:
        if units.lower() not in _MM:
            raise MeshError(str(path), "units", f"expected mm, cm, m or in, found {units!r}")
        return _MM[units.lower()] / MM_PER_INCH
    if path.suffix.lower() == ".glb":
        return 1000 / MM_PER_INCH
    if found.unit is not None and found.unit in _MM:
        return _MM[found.unit] / MM_PER_INCH
    raise MeshError(str(path), "units", _which_unit(found))


def _which_unit(found: Triangles) -> str:
    """What the size would be in each unit, for a file that does not say."""
    with np.errstate(over="ignore"):
        size = np.ptp(found.vertices, axis=0)
    sizes = [
        f"{name} ({' x '.join(f'{side * mm / MM_PER_INCH:.4g}' for side in size)} inches)"
        for name, mm in (("mm", 1.0), ("in", MM_PER_INCH), ("m", 1000.0))
    ]
    return f"this file has no unit, expected {', '.join(sizes[:-1])} or {sizes[-1]}"


def _scale(path: Path, scale: float) -> float:
    if isinstance(scale, bool) or not math.isfinite(scale) or scale <= 0:
        raise MeshError(str(path), "scale", f"expected a number above 0, found {scale!r}")
    return float(scale)


def _turn(path: Path, up: str | None) -> Array:
    chosen = up if up is not None else "y" if path.suffix.lower() == ".glb" else "z"
    if chosen not in _TURNS:
        raise MeshError(str(path), "up", f"expected x, y or z, found {chosen!r}")
    return _TURNS[chosen]


def _check_size(path: Path, vertices: Array) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        size = float(np.ptp(vertices, axis=0).max())
    if not SMALLEST <= size <= LARGEST:
        problem = f"would be {size:.4g} inches long, expected {SMALLEST:g} to {LARGEST:g}: check units and scale"
        raise MeshError(str(path), "", problem)


def _merged(vertices: Array, found: Triangles) -> trimesh.Trimesh:
    order = np.lexsort(vertices.T)
    first = np.append(True, (np.diff(vertices[order], axis=0) != 0).any(axis=1))
    index = np.empty(len(order), dtype=np.int64)
    index[order] = np.cumsum(first) - 1
    unique, faces = vertices[order][first], index[found.faces]
    whole = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    mesh = trimesh.Trimesh(unique, faces[whole], process=False)
    mesh.metadata["collapsed"] = int((~whole).sum())
    return mesh


def export(mesh: trimesh.Trimesh, path: Path | str) -> None:
    """Write a mesh in inches, z up, for slicers: millimetres, z up; a GLB in metres, y up, as that format demands.

    The file appears whole or not at all. MeshError if it cannot be written. Inverse of `load`, but for where it stands.
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in READERS:
        found = repr(target.suffix) if target.suffix else "no ending"
        raise MeshError(str(target), "", f"expected a {', '.join(FORMATS)} file, found {found}")
    metres = kind == ".glb"
    turn = _TURNS["y"].T if metres else _TURNS["z"]
    vertices = np.asarray(mesh.vertices) @ turn.T * (MM_PER_INCH / 1000 if metres else MM_PER_INCH)
    data = _packed(trimesh.Trimesh(vertices, mesh.faces, process=False), kind)
    try:
        _write(target, data)
    except OSError as error:
        raise MeshError(str(target), "", f"cannot be written: {error.strerror or error}") from None


def _packed(mesh: trimesh.Trimesh, kind: str) -> bytes:
    """The file's bytes, the same for the same mesh."""
    if kind == ".3mf":
        return write_3mf(mesh)
    written = mesh.export(file_type=kind[1:])
    return written.encode() if isinstance(written, str) else bytes(written)


def _write(target: Path, data: bytes) -> None:
    handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(beside).chmod(0o644)
        Path(beside).replace(target)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise

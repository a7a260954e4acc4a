"""Triangles out of mesh files, one reader a format, in the file's own numbers.

The files come from strangers: every count is checked against the bytes that are there before memory is taken for it,
nothing but the bytes given is read, and whatever is wrong raises ValueError with one clause that says it.
"""

from __future__ import annotations

import io
import itertools
import json
import logging
import re
import warnings
from array import array
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import trimesh

from deadground.geometry.plates import Array
from deadground.meshes.limits import MOST_INSTANCES, MOST_TEXT, MOST_TRIANGLES, Triangles, few, placed
from deadground.meshes.threemf import read_3mf

__all__ = ["READERS", "read_glb", "read_obj", "read_ply", "read_stl"]

_STL_HEADER, _STL_TRIANGLE = 84, 50


def _short(data: bytes) -> str:
    if len(data) > MOST_TEXT:
        raise ValueError(f"is a text file of {len(data):,} bytes, at most {MOST_TEXT:,} are read")
    return data.decode("utf-8-sig", "replace")


# --- STL -------------------------------------------------------------------------------------------------------------


def read_stl(data: bytes) -> Triangles:
    """Binary or text STL. A binary one must be as long as its header says."""
    stated = int.from_bytes(data[80:84], "little") if len(data) >= _STL_HEADER else 0
    held = (len(data) - _STL_HEADER) // _STL_TRIANGLE
    if len(data) >= _STL_HEADER and len(data) == _STL_HEADER + stated * _STL_TRIANGLE:
        return _binary_stl(data, stated)
    if data.removeprefix(BOM_UTF8).lstrip()[:5].lower() == b"solid" and b"facet" in data[:2000].lower():
        return _text_stl(data)
    if len(data) < _STL_HEADER:
        raise ValueError("is no STL file, it is shorter than a header")
    raise ValueError(f"is cut short or no STL file: its header says {stated:,} triangles, there is room for {held:,}")


def _binary_stl(data: bytes, count: int) -> Triangles:
    few(count)
    layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    corners = np.frombuffer(data, layout, count, _STL_HEADER)["corners"]
    return _soup(corners.reshape(-1, 3).astype(np.float64))


def _soup(corners: Array) -> Triangles:
    return Triangles(corners, np.arange(len(corners), dtype=np.int64).reshape(-1, 3))


def _text_stl(data: bytes) -> Triangles:
    text = _short(data).lower()
    if "endsolid" not in text:
        raise ValueError("is cut short: an STL text ends with endsolid")
    found = re.findall(r"^\s*vertex\s+(\S+)\s+(\S+)\s+(\S+)\s*$", text, re.MULTILINE)
    facets = len(re.findall(r"^\s*endfacet\b", text, re.MULTILINE))
    if len(found) != 3 * facets or text.count("vertex") != len(found):
        raise ValueError(f"is damaged: {facets:,} facets need {3 * facets:,} vertices, {len(found):,} can be read")
    few(facets)
    return _soup(np.array(found, dtype=np.float64).reshape(-1, 3))


# --- OBJ -------------------------------------------------------------------------------------------------------------


def read_obj(data: bytes) -> Triangles:
    """Vertices and faces of an OBJ; materials, textures and normals are not looked at. Polygons are cut into fans."""
    vertices, faces = array("d"), array("q")  # lists would take seven times the memory
    for number, line in enumerate(io.StringIO(_short(data).replace("\\\n", " "), newline=None), start=1):
        kind, *words = line.split() or [""]
        try:
            if kind == "v":
                x, y, z = (float(word) for word in words[:3])
                vertices.extend((x, y, z))
            elif kind == "f":
                faces.extend(itertools.chain(*_fan([_index(word, len(vertices) // 3) for word in words])))
        except ValueError:
            raise ValueError(f"cannot be read at line {number}: {line.strip()[:60]!r}") from None
        few(max(len(faces) // 3, len(vertices) // 9))
    return Triangles(np.array(vertices).reshape(-1, 3), np.array(faces).reshape(-1, 3))


def _index(word: str, count: int) -> int:
    number = int(word.split("/", 1)[0])
    index = number - 1 if number > 0 else count + number
    if number == 0 or index < 0:
        raise ValueError
    return index


def _fan(corners: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    if len(corners) < 3:
        raise ValueError
    for one, other in itertools.pairwise(corners[1:]):
        yield corners[0], one, other


# --- PLY and GLB, by trimesh -----------------------------------------------------------------------------------------


class _Nothing(trimesh.resolvers.Resolver):
    """Stands where trimesh looks for other files: there are none."""

    def __init__(self) -> None:
        pass

    def get(self, key: str) -> bytes:
        raise ValueError(f"needs another file, {key[:60]!r}, and only one file is read")

    def write(self, name: str, data: Any) -> None:
        raise ValueError(f"would write {name[:60]!r}, {len(data)} bytes")

    def namespaced(self, namespace: str) -> _Nothing:
        del namespace
        return self

    def keys(self) -> list[str]:
        return []


@contextmanager
def _quietly() -> Iterator[None]:
    """Without warnings and log lines; numbers that cannot be read raise."""
    log = logging.getLogger("trimesh")
    before, log.disabled = log.disabled, True
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message="string or file could not be read")
            yield
    finally:
        log.disabled = before


def _by_trimesh(data: bytes, kind: str) -> Triangles:
    with _quietly():
        scene = trimesh.load_scene(
            io.BytesIO(data), file_type=kind, resolver=_Nothing(), skip_materials=True, process=False
        )
        return _flattened(scene)


def _flattened(scene: trimesh.Scene) -> Triangles:
    """All triangle meshes of a scene, each where its nodes place it."""
    names = list(scene.graph.nodes_geometry)
    found = [(scene.graph[name][0], scene.geometry[scene.graph[name][1]]) for name in names]
    meshes = [(matrix, mesh) for matrix, mesh in found if isinstance(mesh, trimesh.Trimesh)]
    return placed([(np.asarray(matrix), mesh.vertices, mesh.faces) for matrix, mesh in meshes])


def read_ply(data: bytes) -> Triangles:
    """Text or binary PLY."""
    data = data.removeprefix(BOM_UTF8)
    head, found, body = data.partition(b"end_header")
    if data[:3] != b"ply" or not found:
        raise ValueError("is no PLY file, or its header is cut short")
    counts = [line.split()[-1] for line in head.decode("ascii", "replace").splitlines() if line.startswith("element")]
    if not all(count.isdecimal() and int(count) <= min(len(body), 3 * MOST_TRIANGLES) for count in counts):
        raise ValueError(f"is cut short or too large: its header says {', '.join(counts)[:60]} elements")
    if b"ascii" in head[:60]:
        _short(data)
    return _by_trimesh(data, "ply")


def read_glb(data: bytes) -> Triangles:
    """Binary glTF. One that needs other files, or whose nodes are no trees, is refused."""
    length = int.from_bytes(data[12:16], "little")
    if data[:4] != b"glTF" or data[16:20] != b"JSON" or 20 + length > len(data):
        raise ValueError("is no GLB file, or is cut short")
    header = json.loads(data[20 : 20 + length])
    if any("uri" in buffer for buffer in header.get("buffers", [])):
        raise ValueError("keeps its triangles in another file, and only one file is read")
    counts = [int(accessor["count"]) for accessor in header.get("accessors", [])]
    if min(counts, default=0) < 0 or sum(counts) > 6 * MOST_TRIANGLES:
        raise ValueError(f"is too large: its header says {sum(counts):,} numbers")
    _check_nodes(header.get("nodes", []))
    return _by_trimesh(data, "glb")


def _check_nodes(nodes: Sequence[Mapping[str, Any]]) -> None:
    children = [child for node in nodes for child in node.get("children", [])]
    if len(nodes) > MOST_INSTANCES:
        raise ValueError(f"has {len(nodes):,} nodes, at most {MOST_INSTANCES:,} are read")
    if len(set(children)) < len(children) or (nodes and len(children) >= len(nodes)):
        raise ValueError("has nodes with two parents")


READERS: Mapping[str, Callable[[bytes], Triangles]] = {
    ".stl": read_stl,
    ".obj": read_obj,
    ".ply": read_ply,
    ".glb": read_glb,
    ".3mf": read_3mf,
}
"""By the file name's ending, in lower case."""

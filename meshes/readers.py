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
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import trimesh
from lxml import etree

from deadground.geometry.plates import Array
from deadground.meshes.solid import Indices

__all__ = ["MOST_BYTES", "MOST_TEXT", "MOST_TRIANGLES", "READERS", "Triangles"]

MOST_BYTES = 400_000_000
"""Bytes of one file, unpacked: twice a binary STL of MOST_TRIANGLES."""

MOST_TEXT = 150_000_000
"""Bytes of one file that is read line by line (some 600,000 triangles): a quarter of a minute."""

MOST_TRIANGLES = 4_000_000
"""Triangles of one piece: more than any printed terrain needs, and what 4 GB of memory bear."""

_MOST_ENTRIES = 1000  # files in a 3MF archive
_MOST_INSTANCES = 100_000  # placed objects in a 3MF or GLB
_DEEPEST = 16  # components within components
_STL_HEADER, _STL_TRIANGLE = 84, 50
_XML = {"resolve_entities": False, "no_network": True, "huge_tree": False, "load_dtd": False, "recover": False}


class Triangles(NamedTuple):
    """vertices (n, 3), faces (m, 3), and the unit the file gives itself, if any."""

    vertices: Array
    faces: Indices
    unit: str | None = None


def _few(triangles: int) -> None:
    if triangles > MOST_TRIANGLES:
        raise ValueError(f"has {triangles:,} triangles, at most {MOST_TRIANGLES:,} are read")


def _short(data: bytes) -> str:
    if len(data) > MOST_TEXT:
        raise ValueError(f"is a text file of {len(data):,} bytes, at most {MOST_TEXT:,} are read")
    return data.decode("utf-8", "replace")


# --- STL -------------------------------------------------------------------------------------------------------------


def read_stl(data: bytes) -> Triangles:
    """Binary or text STL. A binary one must be as long as its header says."""
    stated = int.from_bytes(data[80:84], "little") if len(data) >= _STL_HEADER else 0
    held = (len(data) - _STL_HEADER) // _STL_TRIANGLE
    if len(data) >= _STL_HEADER and len(data) == _STL_HEADER + stated * _STL_TRIANGLE:
        return _binary_stl(data, stated)
    if data.lstrip()[:5].lower() == b"solid" and b"facet" in data[:2000].lower():
        return _text_stl(data)
    if len(data) < _STL_HEADER:
        raise ValueError("is no STL file, it is shorter than a header")
    raise ValueError(f"is cut short or no STL file: its header says {stated:,} triangles, there is room for {held:,}")


def _binary_stl(data: bytes, count: int) -> Triangles:
    _few(count)
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
    _few(facets)
    return _soup(np.array(found, dtype=np.float64).reshape(-1, 3))


# --- OBJ -------------------------------------------------------------------------------------------------------------


def read_obj(data: bytes) -> Triangles:
    """Vertices and faces of an OBJ; materials, textures and normals are not looked at. Polygons are cut into fans."""
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for number, line in enumerate(_short(data).replace("\\\n", " ").splitlines(), start=1):
        kind, _, rest = line.strip().partition(" ")
        try:
            if kind == "v":
                vertices.append([float(value) for value in rest.split()[:3]])
                if len(vertices[-1]) < 3:
                    raise ValueError
            elif kind == "f":
                faces.extend(_fan([_index(word, len(vertices)) for word in rest.split()]))
        except ValueError:
            raise ValueError(f"cannot be read at line {number}: {line.strip()[:60]!r}") from None
    _few(len(faces))
    return Triangles(np.array(vertices).reshape(-1, 3), np.array(faces, dtype=np.int64).reshape(-1, 3))


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
    placed = [(scene.graph[name][0], scene.geometry[scene.graph[name][1]]) for name in names]
    meshes = [(matrix, mesh) for matrix, mesh in placed if isinstance(mesh, trimesh.Trimesh)]
    return _placed([(np.asarray(matrix), mesh.vertices, mesh.faces) for matrix, mesh in meshes])


def _placed(parts: Sequence[tuple[Array, Array, Indices]]) -> Triangles:
    """Meshes under their (4, 4) matrices as one. A mirrored one keeps its outside out."""
    _few(sum(len(faces) for _, _, faces in parts))
    vertices, faces, start = [np.empty((0, 3))], [np.empty((0, 3), dtype=np.int64)], 0
    for matrix, points, triangles in parts:
        vertices.append(np.asarray(points) @ matrix[:3, :3].T + matrix[:3, 3])
        turned = np.linalg.det(matrix[:3, :3]) < 0
        faces.append(np.asarray(triangles)[:, ::-1] + start if turned else np.asarray(triangles) + start)
        start += len(points)
    return Triangles(np.vstack(vertices), np.vstack(faces))


def read_ply(data: bytes) -> Triangles:
    """Text or binary PLY."""
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
    if len(nodes) > _MOST_INSTANCES:
        raise ValueError(f"has {len(nodes):,} nodes, at most {_MOST_INSTANCES:,} are read")
    if len(set(children)) < len(children) or (nodes and len(children) >= len(nodes)):
        raise ValueError("has nodes with two parents")


# --- 3MF -------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Object:
    """One object of a 3MF: its own triangles, and other objects placed in it."""

    vertices: list[list[float]] = field(default_factory=list)
    faces: list[list[int]] = field(default_factory=list)
    parts: list[tuple[str, str, Array]] = field(default_factory=list)


@dataclass(slots=True)
class _Model:
    """The .model files of a 3MF: objects by (file, id), what is built, the unit."""

    objects: dict[tuple[str, str], _Object] = field(default_factory=dict)
    built: list[tuple[str, str, Array]] = field(default_factory=list)
    unit: str = "millimeter"


def read_3mf(data: bytes) -> Triangles:
    """Everything that the 3MF says is built, in its own unit."""
    model = _Model()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        unpacked = sum(entry.file_size for entry in entries)
        if len(entries) > _MOST_ENTRIES or unpacked > MOST_TEXT:
            raise ValueError(
                f"unpacks to {len(entries):,} files of {unpacked:,} bytes, at most {MOST_BYTES:,} are read"
            )
        files = sorted((entry.filename for entry in entries if entry.filename.lower().endswith(".model")), key=len)
        if not files:
            raise ValueError("is no 3MF file: it holds no model")
        root = next((name for name in files if name.lower().strip("/") == "3d/3dmodel.model"), files[0])
        for name in (root, *(name for name in files if name != root)):
            with archive.open(name) as stream:
                _read_model(model, name, io.BytesIO(stream.read(MOST_TEXT)), name == root)
    return _placed(list(_instances(model)))._replace(unit=model.unit)


def _read_model(model: _Model, name: str, stream: io.BytesIO, is_root: bool) -> None:
    here = _Object()
    for _, element in etree.iterparse(stream, events=("end",), **_XML):
        kind = etree.QName(element).localname
        if kind == "object":
            if element.get("type", "model") not in ("support", "solidsupport"):
                model.objects[_plain(name), element.get("id")] = here
            here = _Object()
        elif kind == "item" and is_root:
            model.built.append(_reference(element, name))
        elif kind == "model" and is_root:
            model.unit = element.get("unit", "millimeter")
        else:
            _collect(here, kind, element, name)
        if kind not in ("triangles", "vertices", "mesh", "components"):
            element.clear()


def _collect(here: _Object, kind: str, element: Any, name: str) -> None:
    """Add what an element says to the object it stands in."""
    match kind:
        case "vertex":
            here.vertices.append([float(element.get(axis)) for axis in "xyz"])
        case "triangle":
            here.faces.append([int(element.get(corner)) for corner in ("v1", "v2", "v3")])
        case "component":
            here.parts.append(_reference(element, name))
    _few(max(len(here.faces), len(here.vertices) // 3))


def _reference(element: Any, name: str) -> tuple[str, str, Array]:
    return _file_of(element, name), element.get("objectid"), _matrix(element.get("transform"))


def _plain(name: str) -> str:
    return name.lower().strip("/")


def _file_of(element: Any, name: str) -> str:
    paths = [value for key, value in element.attrib.items() if etree.QName(key).localname == "path"]
    return _plain(str(paths[0]) if paths else name)


def _matrix(text: str | None) -> Array:
    """The (4, 4) matrix of a transform of twelve numbers, which 3MF writes for row vectors."""
    matrix = np.eye(4)
    if text:
        matrix[:3] = np.array([float(word) for word in text.split()]).reshape(4, 3).T
    return matrix


def _instances(model: _Model) -> Iterator[tuple[Array, Array, Indices]]:
    waiting = [(file, number, matrix, 0) for file, number, matrix in model.built]
    seen = triangles = 0
    while waiting:
        file, number, matrix, depth = waiting.pop()
        seen += 1
        if depth > _DEEPEST or seen > _MOST_INSTANCES:
            raise ValueError("has components within components without end")
        found = model.objects.get((file, number))
        if found is None:
            continue
        triangles += len(found.faces)
        _few(triangles)
        if found.faces:
            yield matrix, np.array(found.vertices).reshape(-1, 3), np.array(found.faces, dtype=np.int64)
        waiting += [(path, part, matrix @ inner, depth + 1) for path, part, inner in found.parts]


READERS: Mapping[str, Callable[[bytes], Triangles]] = {
    ".stl": read_stl,
    ".obj": read_obj,
    ".ply": read_ply,
    ".glb": read_glb,
    ".3mf": read_3mf,
}
"""By the file name's ending, in lower case."""

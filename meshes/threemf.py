"""3MF files: a zip archive of XML that says its unit."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import trimesh
from lxml import etree

from deadground.geometry.plates import Array
from deadground.meshes.limits import MOST_INSTANCES, MOST_TEXT, Triangles, few, placed
from deadground.meshes.solid import Indices

__all__ = ["read_3mf", "write_3mf"]

_MOST_ENTRIES = 1000  # files in an archive
_DEEPEST = 16  # components within components
_XML = {"resolve_entities": False, "no_network": True, "huge_tree": False, "load_dtd": False, "recover": False}
_CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MODEL = "3D/3dmodel.model"
_TYPES = f"""<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="application/\
vnd.openxmlformats-package.relationships+xml"/><Default Extension="model" ContentType="application/\
vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>"""
_RELATIONS = f"""<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Target="/{_MODEL}" Id="rel0" \
Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>"""


@dataclass(slots=True)
class _Object:
    """One object of a 3MF: its own triangles, and other objects placed in it."""

    vertices: list[list[float]] = field(default_factory=list)
    faces: list[list[int]] = field(default_factory=list)
    parts: list[tuple[str, str, Array]] = field(default_factory=list)


@dataclass(slots=True)
class _Model:
    """The .model files of a 3MF: objects by (file, id), what is built, the unit, and how often objects are placed."""

    objects: dict[tuple[str, str], _Object] = field(default_factory=dict)
    built: list[tuple[str, str, Array]] = field(default_factory=list)
    unit: str = "millimeter"
    references: int = 0

    def refer(self) -> None:
        """Count an item or a component. ValueError if there are too many."""
        self.references += 1
        if self.references > MOST_INSTANCES:
            raise ValueError(f"places more than {MOST_INSTANCES:,} objects, no more are read")


def read_3mf(data: bytes) -> Triangles:
    """Everything that the 3MF says is built, in its own unit."""
    model = _Model()
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise ValueError("is no 3MF file, or is cut short: it is no zip archive")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        unpacked = sum(entry.file_size for entry in entries)
        if len(entries) > _MOST_ENTRIES or unpacked > MOST_TEXT:
            raise ValueError(f"unpacks to {len(entries):,} files of {unpacked:,} bytes, at most {MOST_TEXT:,} are read")
        files = sorted((entry.filename for entry in entries if entry.filename.lower().endswith(".model")), key=len)
        if not files:
            raise ValueError("is no 3MF file: it holds no model")
        root = next((name for name in files if _plain(name) == _MODEL.lower()), files[0])
        for name in (root, *(name for name in files if name != root)):
            with archive.open(name) as stream:
                _read_model(model, name, io.BytesIO(stream.read(MOST_TEXT)), name == root)
    return placed(list(_instances(model)))._replace(unit=model.unit)


def _read_model(model: _Model, name: str, stream: io.BytesIO, is_root: bool) -> None:
    here = _Object()
    for _, element in etree.iterparse(stream, events=("end",), **_XML):
        kind = etree.QName(element).localname
        if kind in ("item", "component"):
            model.refer()
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
    few(max(len(here.faces), len(here.vertices) // 3))


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
        if depth > _DEEPEST or seen > MOST_INSTANCES:
            raise ValueError("has components within components without end")
        found = model.objects.get((file, number))
        if found is None:
            continue
        triangles += len(found.faces)
        few(triangles)
        if found.faces:
            yield matrix, np.array(found.vertices).reshape(-1, 3), np.array(found.faces, dtype=np.int64)
        waiting += [(path, part, matrix @ inner, depth + 1) for path, part, inner in found.parts]


def write_3mf(mesh: trimesh.Trimesh) -> bytes:
    """A 3MF of a mesh in millimetres. The same mesh gives the same bytes."""
    vertices = "".join(f'<vertex x="{x:.9g}" y="{y:.9g}" z="{z:.9g}"/>' for x, y, z in mesh.vertices)
    triangles = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in mesh.faces)
    model = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<model unit="millimeter" xmlns="{_CORE}"><resources>'
        f'<object id="1" type="model"><mesh><vertices>{vertices}</vertices><triangles>{triangles}</triangles></mesh>'
        '</object></resources><build><item objectid="1"/></build></model>'
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in (("[Content_Types].xml", _TYPES), ("_rels/.rels", _RELATIONS), (_MODEL, model)):
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return stream.getvalue()

"""Mesh files: units, up, where the piece stands, and files that must not be trusted."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import struct
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deadground.geometry.errors import MeshError
from deadground.meshes import files, limits, threemf
from deadground.meshes.builder import Hole, Wall, build
from deadground.meshes.files import FORMATS, export, load
from deadground.meshes.readers import read_obj
from deadground.meshes.solid import is_closed, volume

UNITLESS = (".stl", ".obj", ".ply")
WALL = build([Wall((1, 2), (9, 2), 6, 0.25, openings=(Hole(3, 1, 1, 2.5),))]).mesh


def stl(triangles: np.ndarray, stated: int | None = None) -> bytes:
    """A binary STL whose header may lie."""
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *corners.ravel(), 0) for corners in triangles)
    return bytes(80) + struct.pack("<I", len(triangles) if stated is None else stated) + rows


def box(size: float = 25.4) -> np.ndarray:
    return np.asarray(trimesh.creation.box((size, 2 * size, 3 * size)).triangles, dtype=np.float32)


def text_stl(triangles: np.ndarray) -> str:
    corners = "\n".join(
        "facet normal 0 0 0\nouter loop\n"
        + "\n".join(f"vertex {x} {y} {z}" for x, y, z in corners)
        + "\nendloop\nendfacet"
        for corners in triangles
    )
    return f"solid thing\n{corners}\nendsolid thing\n"


def glb(header: Mapping[str, object], body: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I", len(text)) + b"JSON" + text + struct.pack("<I", len(body)) + b"BIN\0" + body
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


MODEL = """<?xml version="1.0"?><model unit="{unit}" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">
<resources><object id="1" type="model"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/>
<vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/>
<triangle v1="0" v2="1" v3="3"/><triangle v1="0" v2="3" v3="2"/><triangle v1="1" v2="2" v3="3"/></triangles></mesh>
</object>{more}</resources><build>{build}</build></model>"""


def archive(unit: str = "millimeter", more: str = "", built: str = '<item objectid="1"/>') -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as entries:
        entries.writestr("3D/3dmodel.model", MODEL.format(unit=unit, more=more, build=built))
    return stream.getvalue()


def written(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


# --- what comes back -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", FORMATS)
def test_a_piece_survives_being_written_and_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"wall{ending}"
    export(WALL, path)
    back = load(path, "mm" if ending in UNITLESS else None)
    assert is_closed(back)
    assert volume(back) == pytest.approx(volume(WALL), rel=1e-5)
    assert back.bounds.tolist() == [pytest.approx([-4, -0.125, 0], abs=1e-6), pytest.approx([4, 0.125, 6], abs=1e-6)]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(("units", "inches"), [("mm", 1), ("cm", 10), ("m", 1000), ("in", 25.4), ("inch", 25.4)])
def test_units_set_the_size(tmp_path: Path, units: str, inches: float) -> None:
    path = written(tmp_path, "box.stl", stl(box(0.254)))
    assert load(path, units).extents == pytest.approx(np.array([0.01, 0.02, 0.03]) * inches, rel=1e-6)


def test_scale_multiplies(tmp_path: Path) -> None:
    path = written(tmp_path, "box.stl", stl(box()))
    assert load(path, "mm", scale=2.0).extents == pytest.approx([2, 4, 6])


@pytest.mark.parametrize(
    ("up", "size"), [("z", (1, 2, 3)), ("-z", (1, 2, 3)), ("y", (1, 3, 2)), ("-y", (1, 3, 2)), ("x", (2, 3, 1))]
)
def test_up_turns_the_piece(tmp_path: Path, up: str, size: tuple[float, ...]) -> None:
    mesh = load(written(tmp_path, "box.stl", stl(box())), "mm", up)
    assert mesh.extents == pytest.approx(size)
    assert volume(mesh) == pytest.approx(6)
    assert mesh.bounds[0, 2] == 0


def test_what_was_up_is_up(tmp_path: Path) -> None:
    spike = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 5 0\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n"
    mesh = load(written(tmp_path, "spike.obj", spike), "in", "y")
    assert mesh.vertices[mesh.vertices[:, 2].argmax()].tolist() == pytest.approx([-0.5, 0.5, 5])


def test_a_glb_is_in_metres_and_y_up(tmp_path: Path) -> None:
    trimesh.creation.box((0.0254, 0.0762, 0.0508)).export(tmp_path / "box.glb")
    assert load(tmp_path / "box.glb").extents == pytest.approx([1, 2, 3], rel=1e-6)
    assert load(tmp_path / "box.glb", "in", "z").extents == pytest.approx([0.0254, 0.0762, 0.0508], rel=1e-6)


@pytest.mark.parametrize(("unit", "inches"), [("inch", 1), ("millimeter", 1 / 25.4), ("meter", 1000 / 25.4)])
def test_a_3mf_says_its_unit(tmp_path: Path, unit: str, inches: float) -> None:
    mesh = load(written(tmp_path, "piece.3mf", archive(unit)))
    assert mesh.extents == pytest.approx([inches] * 3)
    assert volume(mesh) == pytest.approx(inches**3 / 6)


def test_a_3mf_places_its_parts(tmp_path: Path) -> None:
    more = (
        '<object id="2"><components><component objectid="1" transform="2 0 0 0 2 0 0 0 2 0 0 4"/></components></object>'
    )
    items = '<item objectid="1"/><item objectid="2" transform="-1 0 0 0 1 0 0 0 1 0 0 0"/>'
    mesh = load(written(tmp_path, "piece.3mf", archive("inch", more, items)))
    assert mesh.extents == pytest.approx([3, 2, 6])
    assert is_closed(mesh)
    assert volume(mesh) == pytest.approx(1 / 6 + 8 / 6)


def test_text_and_binary_stl_are_the_same(tmp_path: Path) -> None:
    text, binary = (written(tmp_path, f"{n}.stl", data) for n, data in (("a", text_stl(box())), ("b", stl(box()))))
    one, other = load(text, "mm"), load(binary, "mm")
    assert len(one.faces) == len(other.faces)
    assert one.extents == pytest.approx(other.extents, rel=1e-6)
    assert is_closed(one)


def test_a_binary_stl_may_begin_with_solid(tmp_path: Path) -> None:
    data = b"solid made by a slicer".ljust(80) + stl(box())[80:]
    assert len(load(written(tmp_path, "box.stl", data), "mm").faces) == 12


@pytest.mark.parametrize("line", ["v 0 0 0\n", "f 1 2 3\n"])
def test_an_obj_is_refused_as_soon_as_it_has_too_much(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr(limits, "MOST_TRIANGLES", 10)
    with pytest.raises(ValueError, match="triangles, at most 10 are read"):
        read_obj((line * 100 + "nonsense 1 2\nv x y z\n").encode())


def test_obj_faces_may_count_backwards_and_be_polygons(tmp_path: Path) -> None:
    square = "mtllib /etc/passwd\nv 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nusemtl x\nf -4/1/1 -3//2 -2 -1\n"
    assert len(load(written(tmp_path, "a.obj", square), "in").faces) == 2


TEXTS = {
    "a.obj": "v 0 0 0\nv 40 0 0\nv 0 40 0\nv 0 0 40\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n",
    "tabs.obj": "v\t0\t0\t0\nv\t40 0 0\nv 0 40 0\nv 0 0 40\nf\t1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n",
    "a.stl": text_stl(box(40)),
    "a.ply": trimesh.creation.box((40, 40, 40)).export(file_type="ply", encoding="ascii").decode(),
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_saved_on_windows_is_the_same_piece(tmp_path: Path, name: str) -> None:
    for ending, mark in itertools.product(("\n", "\r\n"), (b"", b"\xef\xbb\xbf")):
        path = written(tmp_path, name, mark + TEXTS[name].replace("\n", ending).encode("ascii"))
        mesh = load(path, "mm")
        assert mesh.is_watertight
        assert mesh.extents.min() * 25.4 == pytest.approx(40, rel=1e-5)


def test_equal_corners_are_merged_and_collapsed_triangles_counted(tmp_path: Path) -> None:
    flat = np.vstack([box(), [[[1, 1, 1], [1, 1, 1], [2, 2, 2]]]]).astype(np.float32)
    mesh = load(written(tmp_path, "a.stl", stl(flat)), "mm")
    assert is_closed(mesh)
    assert mesh.metadata["collapsed"] == 1


def test_the_fixtures_are_read(data: Path) -> None:
    room = load(data / "meshes" / "building_room.stl", "mm")
    assert is_closed(room)
    assert room.extents == pytest.approx([120 / 25.4, 81 / 25.4, 50 / 25.4], abs=0.01)
    assert len(load(data / "meshes" / "nav_test.obj", "m", "y", 0.1).faces) == 1612
    assert load(data / "meshes" / "wall-a-open.glb", scale=0.0762).extents == pytest.approx([3, 3, 3])


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", UNITLESS)
def test_a_file_without_a_unit_says_what_it_could_be(tmp_path: Path, ending: str) -> None:
    export(WALL, tmp_path / f"wall{ending}")
    with pytest.raises(MeshError, match=r"no unit.* mm \(8 x 0.25 x 6 inches\), in \(203.2 x .*\) or m \(") as caught:
        load(tmp_path / f"wall{ending}")
    assert caught.value.key == "units"


def nan_box() -> np.ndarray:
    triangles = box()
    triangles[3, 1, 2] = np.nan
    return triangles


ROUND = '<object id="2"><components><component objectid="2"/><component objectid="2"/></components></object>'
TEN = '<component objectid="{}"/>' * 10
LAUGHS = "".join(
    f'<object id="{n}"><components>{TEN.replace("{}", str(n - 1))}</components></object>' for n in range(2, 14)
)
ENTITY = (
    '<?xml version="1.0"?><!DOCTYPE model [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    '<model unit="inch"><build>&x;</build></model>'
)
MANY = '<component objectid="1"/>' * 100_001
LIE = {"accessors": [{"count": 10**12, "componentType": 5126, "type": "VEC3"}], "bufferViews": [], "meshes": []}


def lone_model(text: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as entries:
        entries.writestr("3D/3dmodel.model", text)
    return stream.getvalue()


BAD: list[tuple[str, bytes | str, str]] = [
    ("a.stl", b"", "shorter than a header"),
    ("a.stl", stl(box())[:-7], "cut short or no STL file"),
    ("a.stl", stl(box(), stated=4_000_000_000), "header says 4,000,000,000 triangles, there is room for 12"),
    ("a.stl", stl(box(), stated=3), "cut short or no STL file"),
    ("a.stl", stl(box()[:0]), "holds no triangles"),
    ("a.stl", stl(nan_box()), "not finite"),
    ("a.stl", stl(box(1e30)), "inches long"),
    ("a.stl", stl(box(1e-6)), "inches long"),
    ("a.stl", text_stl(box())[:-40], "cut short"),
    ("a.stl", text_stl(box()).replace("vertex", "vertex x", 1), "damaged"),
    ("a.stl", text_stl(box()).replace("25.39", "1e999"), "not finite"),
    ("a.stl", "hello" * 100, "no STL file"),
    ("a.3mf", lone_model(f"<model><build>{MANY}</build></model>"), "places more than 100,000 objects"),
    (
        "a.3mf",
        lone_model(f"<model><object id='1'><components>{MANY}</components></object></model>"),
        "places more than",
    ),
    ("a.obj", "", "holds no triangles"),
    ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "names a corner that is not there"),
    ("a.obj", "v 0 0 0\nv 1 0 zero\n", "line 2"),
    ("a.obj", "v 0 0 0\nf 1 -2 -1\n", "line 2"),
    ("a.obj", "v 0 0 0\nf 1 1\n", "line 2"),
    ("a.ply", "ply\nformat ascii 1.0\n", "header is cut short"),
    ("a.ply", "ply\nformat ascii 1.0\nelement vertex 999999999\nproperty float x\nend_header\n1\n", "cut short"),
    ("a.glb", b"glTF", "no GLB file"),
    ("a.glb", glb({"buffers": [{"uri": "../secret.bin", "byteLength": 4}]}), "another file"),
    ("a.glb", glb({"buffers": [{"uri": "https://example.org/x.bin", "byteLength": 4}]}), "another file"),
    ("a.glb", glb(LIE), "too large"),
    ("a.glb", glb({"nodes": [{"children": [1, 1]}, {}]}), "two parents"),
    ("a.glb", glb({"nodes": [{"children": [1]}, {"children": [0]}]}), "two parents"),
    ("a.glb", glb({"asset": {"version": "2.0"}}), "."),
    ("a.3mf", b"PK nothing", "zip"),
    ("a.3mf", archive(more=ROUND, built='<item objectid="2"/>'), "without end"),
    ("a.3mf", archive(more=LAUGHS, built='<item objectid="13"/>'), "without end"),
    ("a.3mf", archive(built=""), "holds no triangles"),
    ("a.3mf", archive().replace(b"PK\x05\x06", b"PK\x05\x07"), "zip"),
    ("a.3mf", lone_model(ENTITY), "no triangles"),
    ("a.3mf", lone_model("<model"), "damaged"),
    ("a.step", b"x", "expected a .stl, .obj, .ply, .glb, .3mf file"),
    ("a", b"x", "no ending"),
]


@pytest.mark.parametrize(("name", "data", "message"), BAD, ids=[f"{n} {bad[0]}" for n, bad in enumerate(BAD)])
def test_a_bad_file_is_one_clear_error(tmp_path: Path, name: str, data: bytes | str, message: str) -> None:
    path = written(tmp_path, name, data)
    with pytest.raises(MeshError, match=message) as caught:
        load(path, "mm")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert caught.value.problem


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda path: load(path, "cubit"), "units: expected mm, cm, m or in, found 'cubit'"),
        (lambda path: load(path, "mm", "w"), "up: expected x, y or z"),
        (lambda path: load(path, "mm", scale=0), "scale: expected a number above 0, found 0"),
        (lambda path: load(path, "mm", scale=float("nan")), "scale: expected a number above 0, found nan"),
        (lambda path: load(path.parent / "none.stl", "mm"), "No such file"),
        (lambda path: load(path.parent, "mm"), "expected a .stl"),
        (lambda path: export(WALL, path.parent / "none" / "a.stl"), "cannot be written"),
        (lambda path: export(WALL, path.parent / "a.txt"), "expected a .stl.* found '.txt'"),
    ],
)
def test_bad_arguments_are_named(tmp_path: Path, call: Callable[[Path], object], message: str) -> None:
    path = written(tmp_path, "box.stl", stl(box()))
    with pytest.raises(MeshError, match=message):
        call(path)


def test_files_have_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "box.stl", stl(box()))
    monkeypatch.setattr(limits, "MOST_TRIANGLES", 11)
    with pytest.raises(MeshError, match="12 triangles, at most 11 are read"):
        load(path, "mm")
    monkeypatch.setattr(files, "MOST_BYTES", 100)
    with pytest.raises(MeshError, match="684 bytes, at most 100 are read"):
        load(path, "mm")


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "a.3mf", archive(more=" " * 10_000))
    monkeypatch.setattr(threemf, "MOST_TEXT", 10_000)
    with pytest.raises(MeshError, match=r"unpacks to 1 files of 10,[0-9]* bytes, at most 10,000 are read"):
        load(path)


def test_a_folder_named_like_a_mesh_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.stl").mkdir()
    with pytest.raises(MeshError, match="is no file"):
        load(tmp_path / "a.stl", "mm")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("sound")
    for ending in FORMATS:
        export(WALL, folder / f"wall{ending}")
    found = {ending: (folder / f"wall{ending}").read_bytes() for ending in FORMATS}
    text = trimesh.exchange.ply.export_ply(WALL, encoding="ascii")
    return found | {".text.stl": text_stl(box()).encode(), ".text.ply": text}


@given(st.data())
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file_is_a_mesh_error_or_a_finite_mesh(
    tmp_path: Path, sound: dict[str, bytes], data: st.DataObject
) -> None:
    ending = data.draw(st.sampled_from(sorted(sound)))
    content = bytearray(sound[ending])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, min(len(content), 700) - 1) | st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.just(len(content)) | st.integers(0, len(content)))
    path = written(tmp_path, f"broken{ending}", bytes(content[:cut]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with contextlib.suppress(MeshError):
            assert np.isfinite(load(path, "mm").vertices).all()

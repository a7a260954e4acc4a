"""Two pieces laid over each other as a map: how far each surface is from the other, from four sides and from above.

Drawn by rays, so it needs no OpenGL; text stays text in an SVG.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import shapely
import trimesh
from PIL import Image
from scipy.spatial import cKDTree

from deadground.geometry.caster import Caster
from deadground.geometry.plates import Array
from deadground.geometry.segments import Segments
from deadground.geometry.units import MM_PER_INCH, millimetres
from deadground.meshes.compare import Compared, Deviation
from deadground.meshes.solid import outwards
from deadground.viewer import theme
from deadground.viewer.files import write_bytes, write_text
from deadground.viewer.marks import Blot, Text
from deadground.viewer.paper import PLAIN
from deadground.viewer.parts import part_element
from deadground.viewer.picture import blot, png, write
from deadground.viewer.svg import document, element, group

__all__ = ["VIEWS", "write_map"]

VIEWS: Final[tuple[tuple[str, Array, Array], ...]] = (
    ("front", np.array([1.0, 0, 0]), np.array([0, 0, 1.0])), ("right", np.array([0, 1.0, 0]), np.array([0, 0, 1.0])),
    ("back", np.array([-1.0, 0, 0]), np.array([0, 0, 1.0])), ("left", np.array([0, -1.0, 0]), np.array([0, 0, 1.0])),
    ("above", np.array([1.0, 0, 0]), np.array([0, 1.0, 0])),
)  # fmt: skip
"""Name, to the right, upwards."""

Pixels = npt.NDArray[np.uint8]

_STOPS: Final = (-1.0, -0.5, 0.0, 0.5, 1.0)
_HUES: Final = np.array([[69, 39, 120], [158, 140, 196], [244, 242, 237], [232, 163, 90], [150, 72, 6]], np.float64)
"""Purple for less, orange for more: told apart by every common colour vision; less is hatched too, for grey prints."""

_PAPER: Final = np.array([255, 255, 255], np.uint8)
_WIDE, _MARGIN, _GAP = 1600, 40, 24  # drawing units
_HEAD, _LABEL, _KEY = 96, 30, 110
_HATCH, _DARKER = 5, 0.72  # pixels between stripes of the legend; how much darker they are
_STRIPES: Final = 18.0  # an inch
_SLANT: Final = np.array([0.7, 0.7, 0.7])
_FALLS = 0.06  # inches that what is seen falls back to get a line
_EDGE: Final = np.array([96, 92, 84])
_BLENDED = 4  # places whose deviations are blended at a pixel
_FROM = 0.3  # of the range: less than that is not hatched
_LIGHT: Final = np.array([0.35, -0.55, 0.76])
_LEAST_RANGE = 0.1 / MM_PER_INCH  # inches
_NICE: Final = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)  # millimetres at the ends of the legend
_TURNED = 0.15  # inches that a face looking the other way counts as further off
_RING = 11.0  # drawing units
_BEFORE = 0.3  # inches: what is nearer to the worst place than that does not hide it, as it is a reveal's rim


@dataclass(frozen=True, slots=True, eq=False)
class _Body:
    """A piece to be looked at in the first piece's frame. words : what its row shows."""

    mesh: trimesh.Trimesh
    deviation: Deviation
    words: str


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where things go. scale : drawing units an inch; size : width and height; left : of each view; widths : theirs."""

    scale: float
    size: tuple[int, int]
    left: tuple[float, ...]
    widths: tuple[int, ...]
    high: int


def write_map(
    compared: Compared, meshes: tuple[trimesh.Trimesh, trimesh.Trimesh], names: tuple[str, str], path: Path
) -> None:
    """Write the map to a .png or .svg file. meshes : both as they stand level. InputError if it cannot be written."""
    first, second = meshes
    faces = np.asarray(second.faces)
    faces = faces[:, ::-1] if compared.alignment.mirrored else faces
    laid = trimesh.Trimesh(compared.alignment.moved(np.asarray(second.vertices)), faces, process=False)
    bodies = (
        _Body(first, compared.of_first, f"{names[0]}: where {names[1]} has less or more"),
        _Body(laid, compared.of_second, f"{names[1]}, laid over it"),
    )
    reach = _reach(compared)
    plan = _plan(bodies)
    picture = Image.new("RGB", plan.size, theme.PAPER)
    for row, body in enumerate(bodies):
        for column, pixels in enumerate(_looks(body, bodies, reach, plan)):
            picture.paste(Image.fromarray(pixels), (round(plan.left[column]), _top(plan, row)))
    picture.paste(_ramp(), (_MARGIN, plan.size[1] - _KEY + 10))
    parts: list[Blot | Text] = [*_words(compared, names, bodies, reach, plan), *_rings(bodies, plan)]
    if path.suffix.lower() == ".svg":
        write_text(path, _svg(picture, parts, plan, _sentence(compared, names)))
    else:
        _ink(picture, parts)
        write_bytes(path, png(picture, PLAIN))


def _reach(compared: Compared) -> float:
    """The deviation at the legend's ends, inches: what all but a two-hundredth of both surfaces keep to, rounded up."""
    wanted = millimetres(max(compared.quantile(0.995), _LEAST_RANGE))
    return next((nice for nice in _NICE if nice >= wanted * 0.999), wanted) / MM_PER_INCH


def _plan(bodies: Sequence[_Body]) -> _Plan:
    low, high = _bounds(bodies)
    size = high - low
    across = [float(np.abs(right) @ size) for _, right, _ in VIEWS]
    tall = max(float(np.abs(up) @ size) for *_, up in VIEWS)
    scale = min((_WIDE - 2 * _MARGIN - (len(VIEWS) - 1) * _GAP) / sum(across), 420 / tall)
    widths = tuple(max(1, round(each * scale)) for each in across)
    left = tuple(_MARGIN + sum(widths[:k]) + k * _GAP for k in range(len(widths)))
    rows = max(1, round(tall * scale))
    return _Plan(scale, (_WIDE, _HEAD + 2 * (rows + 2 * _LABEL) + _KEY), left, widths, rows)


def _bounds(bodies: Sequence[_Body]) -> tuple[Array, Array]:
    low = np.min([body.mesh.bounds[0] for body in bodies], axis=0)
    high = np.max([body.mesh.bounds[1] for body in bodies], axis=0)
    return low - 0.02 * (high - low).max(), high + 0.02 * (high - low).max()


def _top(plan: _Plan, row: int) -> int:
    return _HEAD + row * (plan.high + 2 * _LABEL) + _LABEL


# --- looking ---------------------------------------------------------------------------------------------------------


def _looks(body: _Body, bodies: Sequence[_Body], reach: float, plan: _Plan) -> Iterator[Pixels]:
    """The piece from each side, (rows, columns, 3)."""
    low, high = _bounds(bodies)
    caster = Caster([np.asarray(body.mesh.triangles)])
    told = cKDTree(np.hstack([body.deviation.points, _TURNED * body.deviation.normals]))
    for (_, right, up), width in zip(VIEWS, plan.widths, strict=True):
        toward = np.cross(right, up)
        x, y = (np.minimum(low * way, high * way).sum() for way in (right, up))
        columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(plan.high)[::-1] + 0.5)
        flat = (x + columns.ravel() / plan.scale)[:, None] * right + (y + rows.ravel() / plan.scale)[:, None] * up
        far = float(np.abs(np.concatenate([low, high])).sum()) + 1
        rays = Segments(flat + far * toward, flat - far * toward)
        pixels, depth = _look(body, caster, told, rays, reach)
        yield _edged(pixels.reshape(plan.high, width, 3), depth.reshape(plan.high, width))


def _look(body: _Body, caster: Caster, told: cKDTree, rays: Segments, reach: float) -> tuple[Pixels, Array]:
    """(n, 3) colours of what rays see, and (n,) how far that is, inches."""
    hits = caster.first(rays)
    seen = np.flatnonzero(hits.blocked)
    pixels = np.tile(_PAPER, (len(rays), 1))
    depth = hits.share * float(np.linalg.norm(rays.along[0]))
    if not len(seen):
        return pixels, depth
    outward = np.asarray(body.mesh.face_normals) * outwards(body.mesh)
    normals, places = outward[hits.triangle[seen]], rays.at(hits.share)[seen]
    away, which = told.query(np.hstack([places, _TURNED * normals]), _BLENDED)
    weights = 1 / np.maximum(away, _LEAST_RANGE) ** 2
    value = (weights * body.deviation.off[which]).sum(axis=1) / weights.sum(axis=1) / reach
    stripes = (np.floor(rays.start[seen] @ _SLANT * _STRIPES) % 2).astype(bool)
    pixels[seen] = _coloured(value, np.abs(normals @ _LIGHT), stripes)
    return pixels, depth


def _edged(pixels: Pixels, depth: Array) -> Pixels:
    """The picture with a line where what is seen falls back, so that windows before walls show. depth : inches."""
    step = np.zeros(depth.shape, bool)
    down, across = np.abs(np.diff(depth, axis=0)) > _FALLS, np.abs(np.diff(depth, axis=1)) > _FALLS
    step[1:] |= down
    step[:, 1:] |= across
    return np.where(step[:, :, None], _EDGE, pixels).astype(np.uint8)


def _coloured(value: Array, light: Array, stripes: npt.NDArray[np.bool_]) -> Pixels:
    """(n, 3) colours of deviations in shares of the range. light : on their faces; stripes : where hatching is dark."""
    hue = np.column_stack([np.interp(value, _STOPS, _HUES[:, k]) for k in range(3)])
    hue = hue * (0.72 + 0.28 * light[:, None])
    hue = np.where((stripes & (value < -_FROM))[:, None], hue * _DARKER, hue)
    return np.clip(hue, 0, 255).astype(np.uint8)


def _ramp() -> Image.Image:
    """The legend's band, from less to more."""
    columns, rows = np.meshgrid(np.arange(600), np.arange(22))
    value = (columns.ravel() / 599) * 2 - 1
    stripes = ((columns.ravel() + rows.ravel()) % _HATCH) < 2
    return Image.fromarray(_coloured(value, np.ones(len(value)), stripes).reshape(22, 600, 3))


# --- words -----------------------------------------------------------------------------------------------------------


def _sentence(compared: Compared, names: tuple[str, str]) -> str:
    off, at = compared.worst
    place = ", ".join(f"{value:.2f}" for value in at)
    more = "more" if off > 0 else "less"
    return (
        f"Worst: {millimetres(abs(off)):.2f} mm at x, y, height {place} inches, where {names[1]} has {more}."
        f" Half of both surfaces keep to {millimetres(compared.quantile(0.5)):.2f} mm, 95% to"
        f" {millimetres(compared.quantile(0.95)):.2f} mm."
    )


def _words(
    compared: Compared, names: tuple[str, str], bodies: Sequence[_Body], reach: float, plan: _Plan
) -> Iterator[Text]:
    size = "" if abs(compared.size - 1) < 1 / 2000 else f", at {compared.size:.4f} of its size"
    yield Text((_MARGIN, 42), f"{names[1]}{size}, laid over {names[0]}", 22, theme.INK, bold=True)
    yield Text((_MARGIN, 70), _sentence(compared, names), 15, theme.QUIET)
    for row, body in enumerate(bodies):
        yield Text((_MARGIN, _top(plan, row) - 12), body.words, 16, theme.INK, bold=True)
        for (name, *_), left in zip(VIEWS, plan.left, strict=True):
            yield Text((left, _top(plan, row) + plan.high + 20), name, 13, theme.QUIET)
    base = plan.size[1] - _KEY + 52
    for share in (-1.0, -0.5, 0.0, 0.5, 1.0):
        words = f"{millimetres(share * reach):+.3g} mm" if share else "0"
        yield Text((_MARGIN + 300 + 300 * share - 4.0 * len(words), base), words, 13, theme.INK)
    yield Text((_MARGIN, base + 24), f"hatched: {names[1]} has less material", 14, theme.INK)
    yield Text((_MARGIN + 360, base + 24), f"plain: {names[1]} has more material", 14, theme.INK)
    yield Text((_MARGIN + 720, base - 26), "The ring is where they are furthest apart.", 14, theme.INK)


def _rings(bodies: Sequence[_Body], plan: _Plan) -> Iterator[Blot]:
    """A ring around the worst place, on the row of the surface that it is on, in the views with nothing before it."""
    low, high = _bounds(bodies)
    worst = [float(np.abs(body.deviation.off).max()) for body in bodies]
    row = int(np.argmax(worst))
    body = bodies[row]
    point = body.deviation.points[int(np.abs(body.deviation.off).argmax())]
    caster = Caster([np.asarray(body.mesh.triangles)])
    for (_, right, up), left in zip(VIEWS, plan.left, strict=True):
        toward = np.cross(right, up)
        far = float(np.abs(np.concatenate([low, high])).sum()) + 1
        if caster.blocked(Segments((point + far * toward)[None], (point + _BEFORE * toward)[None]))[0]:
            continue
        x, y = (float(point @ way - np.minimum(low * way, high * way).sum()) * plan.scale for way in (right, up))
        ring = shapely.Point(left + x, _top(plan, row) + plan.high - y).buffer(_RING)
        yield Blot(ring.difference(ring.buffer(-4.5)), "#ffffff")
        yield Blot(ring.buffer(-1.0).difference(ring.buffer(-3.5)), theme.INK)


# --- files -----------------------------------------------------------------------------------------------------------


def _ink(picture: Image.Image, parts: Sequence[Blot | Text]) -> None:
    for part in parts:
        if isinstance(part, Blot):
            blot(picture, part, 1.0)
        else:
            write(picture, part, 1.0)


def _svg(picture: Image.Image, parts: Sequence[Blot | Text], plan: _Plan, words: str) -> str:
    data = io.BytesIO()
    picture.save(data, format="PNG", compress_level=9)
    shown: dict[str, str | float | None] = {
        "x": 0.0, "y": 0.0, "width": plan.size[0], "height": plan.size[1],
        "href": f"data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}",
    }  # fmt: skip
    children = [group("map", [element("image", shown)], words=words), group("words", map(part_element, parts))]
    return document(plan.size, children, "Two pieces laid over each other", words)

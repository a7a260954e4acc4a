"""A piece as data for the turntable of a page: triangles, edges, gaps, floors and numbers, in few bytes."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import shapely
import trimesh

from deadground.geometry.plates import Array
from deadground.geometry.units import ROUGH, SNAP, TOUCH
from deadground.meshes.solid import Indices
from deadground.viewer import theme
from deadground.viewer.etching import Stain
from deadground.viewer.forms import sharp_edges, slab
from deadground.viewer.palette import DEFAULT
from deadground.viewer.piece_marks import Numbered, ink_on
from deadground.viewer.piece_views import Aspect, Studio

__all__ = ["script", "thinned", "turntable_data"]

FINEST: Final = 65535
"""Steps along each side of the piece's box."""
EDGED: Final = 0.4
"""Edges that are drawn for each triangle that is, at most; the longest ones."""
LIFT: Final = 0.015
"""Inches by which a floor's tint lies over the floor."""
NEAR: Final = 0.12
"""Inches that a number may lie behind a surface and is still shown."""
HALVINGS: Final = 24


@cache
def script() -> str:
    """The program that turns it."""
    return files("deadground.viewer").joinpath("turntable.js").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True, eq=False)
class Soup:
    """Triangles with a look each. corners : (n, 3) inches; faces : (m, 3); kinds : (m,) place among the looks."""

    corners: Array
    faces: Indices
    kinds: npt.NDArray[np.uint8]


def turntable_data(studio: Studio, aspect: Aspect, numbered: Sequence[Numbered], most: int) -> dict[str, Any]:
    """Plain values for the page. aspect : how it is seen at first; most : triangles of the piece."""
    mesh = thinned(studio.mesh, most)
    soup, looks = _soup(studio, mesh)
    low, size = soup.corners.min(axis=0), np.maximum(np.ptp(soup.corners, axis=0), TOUCH)
    middle = studio.sitter.bounds.mean(axis=0)
    wide = len(soup.corners) > FINEST
    return {
        "low": low.tolist(), "size": size.tolist(), "middle": middle.tolist(), "looks": looks, "wide": wide,
        "corners": _packed((soup.corners - low) / size * FINEST, np.uint16),
        "faces": _packed(soup.faces, np.uint32 if wide else np.uint16), "kinds": _packed(soup.kinds, np.uint8),
        "edges": _packed(np.clip((_edges(studio, most).reshape(-1, 3) - low) / size, 0, 1) * FINEST, np.uint16),
        "tags": [*_opening_tags(studio), *_finding_tags(studio, numbered)],
        "azimuth": _azimuth(aspect), "elevation": _elevation(aspect),
        "triangles": len(mesh.faces), "thinned": len(mesh.faces) < len(studio.mesh.faces),
    }  # fmt: skip


def _packed(values: npt.NDArray[Any], kind: type[np.unsignedinteger[Any]]) -> str:
    rounded = np.rint(values).astype(np.dtype(kind).newbyteorder("<"))
    return base64.b64encode(rounded.tobytes()).decode()


def _azimuth(aspect: Aspect) -> float:
    right = aspect.camera.right
    return float(np.degrees(np.arctan2(right[1], right[0])))


def _elevation(aspect: Aspect) -> float:
    return float(np.degrees(np.arcsin(-aspect.camera.forward[2])))


def _soup(studio: Studio, mesh: trimesh.Trimesh) -> tuple[Soup, list[dict[str, Any]]]:
    """The piece, tints on its floors and panels in its gaps."""
    looks = [_look(Stain(DEFAULT.terrain, DEFAULT.edge, 1.0))]
    parts = [(np.asarray(mesh.vertices), np.asarray(mesh.faces), 0)]
    for ground in studio.grounds:
        if ground.high - ground.low <= SNAP:
            form = slab(shapely.simplify(ground.outline, SNAP), (np.array([0, 0, ground.high + LIFT]), *np.eye(3)[:2]))
            looks.append(_look(Stain(ground.colour, DEFAULT.edge, 1.0)))
            parts.append((form.vertices, form.faces, len(looks) - 1))
    for stain, corners in studio.panes():
        look = {**_look(stain), "panel": 1}
        if look not in looks:
            looks.append(look)
        parts.append((corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3), looks.index(look)))
    starts = np.cumsum([0, *(len(corners) for corners, _, _ in parts)])
    faces = np.concatenate([own + start for (_, own, _), start in zip(parts, starts, strict=False)])
    kinds = np.repeat([kind for *_, kind in parts], [len(own) for _, own, _ in parts]).astype(np.uint8)
    return Soup(np.concatenate([corners for corners, _, _ in parts]), faces, kinds), looks


def _look(stain: Stain) -> dict[str, Any]:
    return {"fill": stain.fill, "line": stain.line, "opacity": stain.opacity, "hatch": stain.hatch, "panel": 0}


def _edges(studio: Studio, most: int) -> Array:
    """(k, 2, 3) edges worth drawing: none on rough surfaces."""
    if studio.piece.noise > ROUGH:
        return np.zeros((0, 2, 3))
    edges = sharp_edges(studio.mesh)
    longest = np.argsort(-np.linalg.norm(edges[:, 0] - edges[:, 1], axis=1), kind="stable")[: int(EDGED * most)]
    return np.asarray(edges[longest])


def _opening_tags(studio: Studio) -> list[dict[str, Any]]:
    made = []
    for gap in studio.openings:
        (at,) = studio.standing(gap.centre[None])
        text = str(gap.id) if gap.sure else f"{gap.id}?"
        made.append(_tag(text, at, "#ffffff", studio.stain(gap).line))
    return made


def _finding_tags(studio: Studio, numbered: Sequence[Numbered]) -> list[dict[str, Any]]:
    made = []
    for one in numbered:
        if one.finding.at is not None:
            (at,) = studio.standing(np.array([one.finding.at]))
            colour = theme.LEVELS[one.finding.level]
            made.append(_tag(one.tag, at, colour, colour))
    return made


def _tag(text: str, at: Array, fill: str, line: str) -> dict[str, Any]:
    return {"text": text, "at": at.tolist(), "fill": fill, "line": line, "ink": ink_on(fill), "near": NEAR}


def thinned(mesh: trimesh.Trimesh, most: int) -> trimesh.Trimesh:
    """A mesh with at most so many triangles: itself, or one whose corners were gathered on a grid as fine as can be."""
    if len(mesh.faces) <= most:
        return mesh
    corners = np.asarray(mesh.vertices) - mesh.bounds[0]
    fine, coarse = 0.0, float(np.ptp(corners, axis=0).max())
    best = _gathered(corners, np.asarray(mesh.faces), coarse)
    for _ in range(HALVINGS):
        grid = (fine + coarse) / 2 if fine else coarse / 4
        tried = _gathered(corners, np.asarray(mesh.faces), grid)
        if len(tried[1]) > most:
            fine = grid
        else:
            coarse, best = grid, tried
            if len(best[1]) > 0.85 * most:
                break
    return trimesh.Trimesh(best[0] + mesh.bounds[0], best[1], process=False)


def _gathered(corners: Array, faces: Indices, grid: float) -> tuple[Array, Indices]:
    """Each corner at the mean of those in its cell; triangles that shrank to a line and doubles left out."""
    cells = np.floor(corners / grid).astype(np.int64)
    counts = cells.max(axis=0) + 1
    number = np.ravel_multi_index(tuple(cells.T), tuple(int(count) for count in counts))
    _, index = np.unique(number, return_inverse=True)
    total = np.bincount(index)
    middle = np.column_stack([np.bincount(index, corners[:, k]) / total for k in range(3)])
    moved = index[faces]
    kept = (moved[:, 0] != moved[:, 1]) & (moved[:, 1] != moved[:, 2]) & (moved[:, 2] != moved[:, 0])
    _, first = np.unique(np.sort(moved[kept], axis=1), axis=0, return_index=True)
    return middle, moved[kept][np.sort(first)]

"""What is different between two pieces that are laid over each other: their surfaces, heights, openings and floors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import trimesh

from deadground.geometry.plates import Array
from deadground.geometry.segments import Segments
from deadground.geometry.units import CROSSING, MM_PER_INCH, TOUCH
from deadground.meshes.compare_align import Alignment, align
from deadground.meshes.compare_facts import Gap, Pairs, Storey, floor_pairs, floors_of, gap_pairs, gaps_of
from deadground.meshes.frames import UP, Mask
from deadground.meshes.inspection import Inspection
from deadground.meshes.nearest import Near, Nearest, spread
from deadground.meshes.probes import Probe
from deadground.meshes.solid import Indices, outwards

__all__ = ["PLACES", "UNIT_RATIOS", "Compared", "Deviation", "compared", "unit_mistake"]

PLACES: Final = 20_000
"""Places spread over each surface at which its distance from the other is measured, beside its corners."""

UNIT_RATIOS: Final = {
    "inches for mm": MM_PER_INCH, "mm for inches": 1 / MM_PER_INCH, "metres for mm": 1000.0, "mm for metres": 1 / 1000,
    "cm for mm": 10.0, "mm for cm": 0.1, "inches for cm": MM_PER_INCH / 10, "cm for inches": 10 / MM_PER_INCH,
    "metres for cm": 100.0, "cm for metres": 0.01, "metres for inches": 1000 / MM_PER_INCH,
    "inches for metres": MM_PER_INCH / 1000, "feet for inches": 12.0, "inches for feet": 1 / 12,
}  # fmt: skip
"""What was taken for what -> how many times too large a piece then is."""

_UNLIKELY = 0.06  # off a unit's ratio: no print shrinks by more
_SEEDS = (7, 8)
_FEWER = 10  # times fewer places are measured on pieces that are not the same: they are far apart, and it says little
_CLEAR = 0.5  # cosine: straighter than that the side of a plane tells in from out
_FIT = 0.5  # of both surfaces must lie over the other, or these are two pieces


@dataclass(frozen=True, slots=True, eq=False)
class Deviation:
    """How far one surface is from another at places of its own, in the frame and inches of the first piece.

    points : (n, 3); normals : (n, 3) of its faces there
    off : (n,) inches, above 0 where the second piece has more material than the first, below where it has less
    even : how many of them, the first ones, are spread evenly; the others are corners
    """

    points: Array
    normals: Array
    off: Array
    even: int


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Two pieces, laid over each other. Lengths are inches as they are, but for deviations, which leave scale out.

    of_first : how far the first piece's surface is from the second's; of_second : the other way round
    gaps : openings of each as they stand; gap_pairs : which belong together; storeys, storey_pairs : floors likewise
    unscaled : the second piece's openings as if it were as large as the first
    """

    alignment: Alignment
    of_first: Deviation
    of_second: Deviation
    gaps: tuple[tuple[Gap, ...], tuple[Gap, ...]]
    gap_pairs: Pairs
    unscaled: tuple[Gap, ...]
    storeys: tuple[tuple[Storey, ...], tuple[Storey, ...]]
    storey_pairs: Pairs

    @property
    def size(self) -> float:
        """How large the second piece is: 1 as large as the first, 0.998 shrunk by two in a thousand."""
        return 1 / self.alignment.scale

    @property
    def same_piece(self) -> bool:
        """Whether so much of both lies over the other that these are two versions of one piece."""
        return self.alignment.overlap >= _FIT

    @property
    def worst(self) -> tuple[float, tuple[float, float, float]]:
        """The greatest deviation, with its sign, and where it is."""
        both = np.concatenate([self.of_first.off, self.of_second.off])
        where = int(np.abs(both).argmax())
        x, y, z = np.concatenate([self.of_first.points, self.of_second.points])[where]
        return float(both[where]), (float(x), float(y), float(z))

    def quantile(self, share: float) -> float:
        """The deviation that this share of both surfaces keeps to, inches; measured at places spread evenly."""
        even = np.concatenate([each.off[: each.even] for each in (self.of_first, self.of_second)])
        return float(np.quantile(np.abs(even), share))


def unit_mistake(size: float) -> tuple[str, float]:
    """Which unit was taken for which, if one piece is so many times as large as the other; and that ratio ("", 1)."""
    found = [(abs(size / ratio - 1), name, ratio) for name, ratio in UNIT_RATIOS.items()]
    off, name, ratio = min(found)
    return (name, ratio) if off < _UNLIKELY else ("", 1.0)


def compared(
    first: tuple[trimesh.Trimesh, Inspection], second: tuple[trimesh.Trimesh, Inspection], *, any_way: bool = False
) -> Compared:
    """Lay the second piece over the first and tell what is different. Each : its mesh as it was inspected, and that.

    any_way : it may lie on another side. Bounded: some 100,000 places are measured.
    """
    (mesh, piece), (other, later) = ((each.level.levelled(mesh), each) for mesh, each in (first, second))
    near = Nearest.of(mesh)
    alignment = align(mesh, other, near, any_way=any_way)
    laid = trimesh.Trimesh(alignment.moved(np.asarray(other.vertices)), _out(other, alignment), process=False)
    count = PLACES if alignment.overlap >= _FIT else PLACES // _FEWER
    deviations = _deviation(mesh, laid, Nearest.of(laid), 1, count), _deviation(laid, mesh, near, -1, count)
    gaps = tuple(tuple(gaps_of(each, each.level.turn, each.level.shift)) for each in (piece, later))
    turn = alignment.scale * alignment.turn
    unscaled = tuple(gaps_of(later, turn @ later.level.turn, turn @ later.level.shift + alignment.shift))
    storeys = tuple(floors_of(piece, np.eye(3), np.zeros(3))), tuple(floors_of(later, turn, alignment.shift))
    pairs = gap_pairs(gaps[0], unscaled), floor_pairs(*storeys)
    return Compared(alignment, *deviations, (gaps[0], gaps[1]), pairs[0], unscaled, storeys, pairs[1])


def _out(mesh: trimesh.Trimesh, alignment: Alignment) -> Indices:
    """A mesh's faces so that what was out stays out."""
    faces = np.asarray(mesh.faces, np.int64)
    return faces[:, ::-1] if alignment.mirrored else faces


def _deviation(of: trimesh.Trimesh, to: trimesh.Trimesh, near: Nearest, sense: int, count: int) -> Deviation:
    """How far places of one mesh are from another. sense : 1 if more of the other is above 0, -1 if more of this."""
    points, rows = spread(of, count, _SEEDS[sense > 0])
    used, first = np.unique(of.faces, return_index=True)
    every = len(used) // count + 1
    points = np.vstack([points, np.asarray(of.vertices)[used[::every]]])
    rows = np.concatenate([rows, first[::every] // 3])
    found = near.to(points)
    normals = np.asarray(of.face_normals)[rows] * outwards(of)
    inside = _inside(to, points, found)
    return Deviation(points, normals, found.distance * np.where(inside, sense, -sense), count)


def _inside(mesh: trimesh.Trimesh, points: Array, found: Near) -> Mask:
    """Which points lie in a mesh's material: by the plane they are nearest to, or where that is an edge, by rays."""
    normals = np.asarray(mesh.face_normals)[found.triangle] * outwards(mesh)
    away = points - found.point
    height = (away * normals).sum(axis=1)
    inside = height < 0
    unclear = np.flatnonzero((np.abs(height) < _CLEAR * found.distance) & (found.distance > CROSSING))
    if len(unclear):
        inside[unclear] = _surrounded(Probe.of(mesh), points[unclear])
    return np.asarray(inside)


def _surrounded(probe: Probe, points: Array) -> Mask:
    """Which points are left through faces seen from behind, on most of six ways."""
    reach = float(np.linalg.norm(probe.mesh.extents)) + float(np.abs(points).max()) + 1
    votes = np.zeros(len(points), int)
    for way in (*np.eye(3), *-np.eye(3)):
        hits = probe.caster.first(Segments(points, points + reach * (way + TOUCH * UP[::-1])))
        votes += hits.blocked & (probe.outward[hits.triangle] @ way > 0)
    return np.asarray(votes >= len(UP) + 1)

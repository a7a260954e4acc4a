"""What there is to know about one piece of terrain: its measures, where one stands on it, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import shapely
import trimesh

from deadground.geometry.units import FOOT, ROUGH, SNAP, TOUCH
from deadground.meshes.balance import Balance, balance
from deadground.meshes.checks import Checked, findings
from deadground.meshes.findings import Finding
from deadground.meshes.ground import Levelling, grain, levelling
from deadground.meshes.openings import find_openings
from deadground.meshes.piece import Opening
from deadground.meshes.probes import Probe, crossings, loose_bodies, thin_walls, tunnels
from deadground.meshes.repair_faces import agreeing
from deadground.meshes.skin import skin
from deadground.meshes.solid import is_closed
from deadground.meshes.standing_room import BASES, Floor, floors
from deadground.meshes.tops import Tops, tops

__all__ = ["Inspection", "doorways", "inspect_mesh"]

_STEP = 0.25  # inches: how high above a doorway's sill a base and a model's feet reach


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
    """Everything that was found out about one mesh. Inches, z up, its foot at 0.

    A piece that stands tilted is told as if it stood level, but for where its openings and findings are.

    size : (x, y, z); wall_top : its highest point
    floors : where bases find room, lowest first; openings : its enclosed gaps
    doorways : opening id -> names of the standard bases that pass it, for gaps whose sill is at the ground or a floor
    tops : its height above each spot; noise : standard deviation of its roughness; level : how it stands
    findings : what was looked at, worst first
    """

    triangles: int
    closed_mesh: bool
    bodies: int
    size: tuple[float, float, float]
    wall_top: float
    floors: tuple[Floor, ...]
    openings: tuple[Opening, ...]
    doorways: Mapping[int, tuple[str, ...]]
    tops: Tops
    balance: Balance
    noise: float
    level: Levelling
    findings: tuple[Finding, ...]


def inspect_mesh(mesh: trimesh.Trimesh, *, up: str = "z") -> Inspection:
    """Inspect a mesh as `load` gives it: inches, z up, foot at 0, equal corners merged. It is not changed.

    up : the axis of the file that was taken for up, for advice
    Time and memory are bounded: rays are cast from at most 20,000 faces and 1,000,000 edges, and floors of meshes with
    more than 60,000 triangles are told by height. What was sampled says so in its finding.
    """
    noise = grain(mesh)
    level = levelling(mesh, noise)
    standing = level.levelled(mesh)
    probe, hull = Probe.of(standing), skin(mesh)
    upright = agreeing(standing)
    found, room = find_openings(mesh), floors(probe if upright is standing else Probe.of(upright), noise)
    stance, heights = balance(standing, noise), tops(probe)
    checked = Checked(
        mesh, is_closed(mesh), noise, level, hull, found, room, stance, heights, thin_walls(probe, noise),
        tunnels(probe), crossings(probe, hull), loose_bodies(probe, hull), up,
    )  # fmt: skip
    x, y, z = (float(side) for side in mesh.extents)
    return Inspection(
        len(mesh.faces), checked.closed, hull.bodies, (x, y, z), float(standing.bounds[1, 2]), room, found,
        doorways(found, room, level, noise), heights, stance, noise, level, findings(checked),
    )  # fmt: skip


def doorways(
    openings: tuple[Opening, ...], room: tuple[Floor, ...], level: Levelling, noise: float = 0.0
) -> Mapping[int, tuple[str, ...]]:
    """The gaps through which one walks, id -> the standard bases that pass upright, moved along their longer side.

    The sill is at the ground or at a floor, once the piece stands level. A base passes if it is no wider than the
    gap is over its lowest quarter inch.
    """
    heights = [0.0, *(floor.height for floor in room)]
    reach = FOOT + 4 * noise if noise > ROUGH else SNAP
    walls = [gap for gap in openings if gap.kind == "wall"]
    doors = [gap for gap in walls if min(abs(_level_sill(gap, level) - height) for height in heights) <= reach]
    return MappingProxyType({gap.id: _passing(_clear_width(gap)) for gap in doors})


def _level_sill(gap: Opening, level: Levelling) -> float:
    """Height of the sill once the piece is levelled, inches."""
    middle = gap.centre
    return float((level.turn @ [middle[0], middle[1], gap.sill] + level.shift)[2])


def _passing(width: float) -> tuple[str, ...]:
    return tuple(name for name, (_, short) in BASES.items() if short <= width + TOUCH)


def _clear_width(gap: Opening) -> float:
    """The least width of a gap over its lowest `_STEP`, inches."""
    left, bottom, right, top = gap.outline.bounds
    heights = np.linspace(bottom, min(bottom + _STEP, top), 7)[1:-1]
    rows = shapely.linestrings([[(left - 1, height), (right + 1, height)] for height in heights])
    crossed = shapely.intersection(rows, gap.outline)
    return float(min(max(shapely.length(shapely.get_parts(row)), default=0.0) for row in crossed))

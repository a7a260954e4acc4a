"""From what was measured on a piece to findings: each check is one function, and always says something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import trimesh

from deadground.geometry.plates import Array
from deadground.geometry.units import FOOT, LEVEL, MM_PER_INCH, ROUGH, THIN, millimetres
from deadground.meshes.balance import SIDES, Balance, flat_area, standing_on
from deadground.meshes.findings import Finding, Level, place, ranked
from deadground.meshes.ground import Levelling
from deadground.meshes.piece import Opening
from deadground.meshes.probes import MOST_EDGES, SAMPLES, Crossing, Thin, Tunnel
from deadground.meshes.skin import Rim, Skin
from deadground.meshes.solid import Indices
from deadground.meshes.standing_room import Floor
from deadground.meshes.tops import Tops

__all__ = ["CODES", "Checked", "better_side", "findings"]

_TALL = (0.3, 18.0)  # inches: heights of terrain pieces
_LONG = (0.7, 30.0)  # inches: their longer sides
_USUAL = 1.2  # inches: no smaller size is proposed
_DOOR = (0.7, 4.5)  # inches: heights of doors for models of 28 to 32 mm, gates included
_STOREYS = (1.0, 8.0)  # inches between floors
_UNITS: Final = {"mm": 1.0, "in": MM_PER_INCH, "cm": 10.0, "m": 1000.0}  # millimetres
_MANY, _TOO_MANY = 200_000, 1_000_000  # triangles
_SOUP = 0.2  # share of open edges above which nothing can be said of inside and outside
_SLENDER = 10.0  # degrees: a table is knocked that much
_GRAINY = 0.25 / MM_PER_INCH  # inches: noise that shows, and moves sills and heads by as much
_SOME = 0.01  # of the surface
_TILTED = 1.0  # degrees


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """What was measured on a mesh (see the functions that measure it). up : as `inspect_mesh` has it."""

    mesh: trimesh.Trimesh
    closed: bool
    noise: float
    level: Levelling
    skin: Skin
    openings: tuple[Opening, ...]
    floors: tuple[Floor, ...]
    balance: Balance
    tops: Tops
    thin: Thin
    tunnels: tuple[Tunnel, ...]
    crossing: Crossing
    loose: Indices
    up: str


def findings(facts: Checked) -> tuple[Finding, ...]:
    """One finding for each check, worst first."""
    return ranked(check(facts) for check in _CHECKS.values())


def _mm(length: float) -> str:
    return f"{millimetres(length):.2f}".rstrip("0").rstrip(".") + " mm"


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _sizes(size: Array) -> str:
    return " x ".join(f"{side:.3g}" for side in size) + " inches"


def _plausible(size: Array) -> bool:
    return bool(_TALL[0] <= size[2] <= _TALL[1] and _LONG[0] <= max(size) <= _LONG[1])


def _units(facts: Checked) -> Finding:
    """Whether the size is that of a terrain piece, and whether doors and storeys are."""
    size = np.asarray(facts.mesh.extents)
    hints, odd = _hints(facts)
    if _plausible(size) and not odd:
        return Finding("units", "ok", f"The size, {_sizes(size)}, is that of a terrain piece{hints}.")
    level: Level = "warning" if _plausible(size) else "error"
    what = f"{_sizes(size)} is no likely size of a terrain piece" if level == "error" else f"{_sizes(size)}{hints}"
    return Finding(
        "units", level, f"{what}.{_instead(facts, size)}",
        remedy="Say in which unit or how large it is meant: --units, --scale or --fit-height.",
    )  # fmt: skip


def _instead(facts: Checked, size: Array) -> str:
    """Likely sizes that the piece would have in other units than the one that it was read in."""
    read = _UNITS.get(str(facts.mesh.metadata.get("units", "")).lower(), 1.0)
    sizes = [(name, size * other / read) for name, other in _UNITS.items() if other != read]
    likely = [
        f"with --units {name} it would be {_sizes(each)}" for name, each in sizes
        if _plausible(each) and max(each) >= _USUAL
    ]  # fmt: skip
    return f" But {', and '.join(likely)}." if likely else ""


def _hints(facts: Checked) -> tuple[str, bool]:
    """What doors and storeys say of the size, and whether that is odd."""
    doors = [gap.head - gap.sill for gap in facts.openings if gap.kind == "wall" and gap.sill < FOOT]
    heights = np.unique([round(floor.height, 2) for floor in facts.floors if floor.level])
    steps = np.diff(np.append(0.0, heights[heights > FOOT])) if len(heights) else np.empty(0)
    said, odd = [], False
    if doors:
        tall = float(np.median(doors))
        odd |= tall > _DOOR[1] or (tall < _DOOR[0] and float(facts.mesh.extents[2]) > 2 * _DOOR[1])
        said.append(f"doors {tall:.2g} inches high")
    if len(steps) > 1:
        storey = float(np.median(steps[1:]))
        odd |= storey > _STOREYS[1]
        said.append(f"floors {storey:.2g} inches apart")
    return (f", with {' and '.join(said)}" if said else ""), odd


def better_side(mesh: trimesh.Trimesh, stance: Balance) -> str:
    """The side that a piece would stand on, as the axis that is then up, if it falls over as it is; else ""."""
    if stance.stands:
        return ""
    others = {name: flat_area(mesh, up) for name, up in SIDES.items() if standing_on(mesh, up).stands}
    name = max(others, key=others.__getitem__, default="")
    least = max(flat_area(mesh, np.array([0, 0, 1.0])), 1 / MM_PER_INCH)
    return name if name and others[name] > least else ""


def _up(facts: Checked) -> Finding:
    """Whether the piece stands on its foot, or would rather stand on another side."""
    if name := better_side(facts.mesh, facts.balance):
        instead = f"Try --up {name}." if facts.up == "z" else "Try another --up."
        return Finding("up", "error", "It falls over as it is read, and would stand on another side.", remedy=instead)
    x, y, z = (float(side) for side in facts.mesh.extents)
    wells = facts.tops.wells() if z < min(x, y) / 4 else ()
    if wells:
        return Finding(
            "up", "warning", "It lies flat, with holes straight down: a wall with windows lying on its back?",
            (*wells[0], z / 2), "If so, say which way is up: --up y, or --up=-y.",
        )  # fmt: skip
    return Finding("up", "ok", f"It stands upright with {facts.up} up.")


def _ground(facts: Checked) -> Finding:
    """How level it stands."""
    level = facts.level
    if level.degrees >= LEVEL:
        how: Level = "warning" if level.degrees > _TILTED else "note"
        return Finding(
            "ground", how, f"It stands tilted by {level.degrees:.1f} degrees: gaps and floors were looked for as if it"
            f" stood level (its foot then strays {_mm(level.residual)} from flat).",
            remedy="Level it before use, or sand its foot flat.",
        )  # fmt: skip
    sunk = float(-level.shift[2])
    if sunk > FOOT:
        return Finding(
            "ground", "warning", f"Something hangs {_mm(sunk)} below the plane it stands on.",
            place(facts.mesh.vertices[np.asarray(facts.mesh.vertices)[:, 2].argmin()]),
            "Cut it off, or all heights are counted from there.",
        )  # fmt: skip
    residual = f", its foot flat to {_mm(level.residual)}" if level.residual > 0 else ""
    return Finding("ground", "ok", f"It stands level{residual}.")


def _stability(facts: Checked) -> Finding:
    """Whether it stands, and how far it tips."""
    stance = facts.balance
    if not stance.stands:
        return Finding(
            "stability", "warning", f"It does not stand by itself: its weight lies {_mm(-stance.margin)} outside what"
            " touches the ground.", remedy="Give it a base, or glue it to one.",
        )  # fmt: skip
    level: Level = "note" if stance.tips_at < _SLENDER else "ok"
    more, remedy = (": a knock topples it", "Give it a wider base.") if level == "note" else ("", "")
    return Finding(
        "stability", level, f"It stands by itself and can tip {stance.tips_at:.0f} degrees{more}.", remedy=remedy
    )


def _open_edges(facts: Checked) -> Finding:
    """Whether the skin is closed."""
    skin = facts.skin
    if not skin.open_edges:
        return Finding("open-edges", "ok", "The skin has no open edge.")
    share = skin.open_edges / skin.all_edges
    said = f"{_count(skin.open_edges, 'open edge')}, {100 * share:.2g}% of all"
    if share > _SOUP:
        return Finding(
            "open-edges", "error", f"{said}: these are loose sheets, with no inside.",
            remedy="Repair the file first: join its sheets to closed bodies.",
        )  # fmt: skip
    if all(rim.ground for rim in skin.rims):
        return Finding(
            "open-edges", "note", f"{said}, all on the ground: the piece has no underside. Sight is not affected.",
            place(skin.rims[0].at), "Close the underside before printing; for a scene nothing is needed.",
        )  # fmt: skip
    holes = [rim for rim in skin.rims if not (rim.ground or rim.pinhole or rim.crack)]
    widest = f" around {_count(len(holes), 'hole')}, the widest {_mm(holes[0].width)}" if holes else ""
    return Finding(
        "open-edges", "warning", f"{said}{widest}: the skin is not closed. Lines of sight may enter walls there.",
        place((holes or list(skin.rims))[0].at), "Fill the holes before printing.",
    )  # fmt: skip


def _pinholes(facts: Checked) -> Finding:
    """Holes and cracks in the skin, and narrow ways through, that no line of sight fits."""
    rims = [rim for rim in facts.skin.rims if not rim.ground and (rim.pinhole or rim.crack)]
    parts = [
        _count(sum(rim.pinhole for rim in rims), "pinhole"), _count(sum(rim.crack for rim in rims), "crack"),
        _count(len(facts.tunnels), "narrow way through", "narrow ways through"),
    ]  # fmt: skip
    said = [part for part in parts if not part.startswith("0 ")]
    if not said:
        return Finding("pinholes", "ok", "No pinholes or cracks under 1 mm were found.")
    level: Level = "warning" if rims else "note"
    return Finding(
        "pinholes", level, f"{', '.join(said)} under 1 mm: no line of sight fits through, and they count as closed.",
        _first_of(facts.tunnels, rims), "Fill them if they are not meant.",
    )  # fmt: skip


def _first_of(tunnels: tuple[Tunnel, ...], rims: list[Rim]) -> tuple[float, float, float]:
    return place(rims[0].at if rims else tunnels[0].at)


def _faces(facts: Checked) -> Finding:
    """Whether neighbouring faces agree on which side is out."""
    skin = facts.skin
    if len(skin.against):
        return Finding(
            "faces", "warning", f"At {_count(len(skin.against), 'edge')} two faces disagree on which side is out.",
            place(skin.against[0]), "Let a slicer or modeller make the normals consistent.",
        )  # fmt: skip
    inside_out = np.flatnonzero(skin.volumes < 0)
    if len(inside_out) and not _cavities(facts, inside_out):
        where = np.asarray(facts.mesh.triangles_center)[np.argmax(skin.body == inside_out[0])]
        return Finding(
            "faces", "warning", f"{_count(len(inside_out), 'body is', 'bodies are')} inside out.", place(where),
            "Flip the normals.",
        )  # fmt: skip
    return Finding("faces", "ok", "All faces agree on which side is out.")


def _cavities(facts: Checked, numbers: Indices) -> bool:
    """Whether each of some bodies lies in the bounds of a larger one that is the right way out: then it is a cavity."""
    bounds = {}
    corners = np.asarray(facts.mesh.triangles)
    for number in {0, *numbers[:100].tolist()}:
        own = corners[facts.skin.body == number].reshape(-1, 3)
        bounds[number] = own.min(axis=0), own.max(axis=0)
    low, high = bounds[0]
    inner = all((bounds[k][0] >= low).all() and (bounds[k][1] <= high).all() for k in bounds)
    return bool(0 not in numbers and facts.skin.volumes[0] > 0 and inner)


def _degenerate(facts: Checked) -> Finding:
    """Faces that are no use."""
    skin = facts.skin
    said = [f"{_count(skin.flat, 'triangle')} without area"] if skin.flat else []
    said += [f"{_count(skin.double, 'triangle')} lying exactly on another"] if skin.double else []
    if not said:
        return Finding("degenerate", "ok", "No triangle is empty or doubled.")
    return Finding(
        "degenerate", "note", f"{' and '.join(said)}: harmless for sight.",
        remedy="Nothing is needed: most slicers remove them.",
    )  # fmt: skip


def _shared_edges(facts: Checked) -> Finding:
    """Edges with three or more faces."""
    edges = facts.skin.crowded
    if not len(edges):
        return Finding("shared-edges", "ok", "No edge has more than two faces.")
    return Finding(
        "shared-edges", "note", f"At {_count(len(edges), 'edge')} more than two faces meet: parts touch along a line.",
        place(edges[0]), "Let the parts overlap, or keep them apart.",
    )  # fmt: skip


def _self_intersection(facts: Checked) -> Finding:
    """Surfaces that run through each other."""
    found = facts.crossing
    limit = "" if found.complete else f" (of {MOST_EDGES:,} edges that were followed)"
    if found.at is None:
        return Finding("self-intersection", "ok", f"No surface runs through another{limit}.")
    where = [
        f"{_count(found.own, 'edge runs', 'edges run')} through the body's own skin" if found.own else "",
        f"{_count(found.foreign, 'edge runs', 'edges run')} through another body" if found.foreign else "",
    ]
    folds = facts.noise > ROUGH
    level: Level = "warning" if found.own and not folds else "note"
    advice = (
        "Unite the parts in a modeller before printing." if level == "warning"
        else "Nothing is needed: slicers unite overlapping bodies."
    )  # fmt: skip
    small = ": on a rough surface these are small folds" if folds and found.own else ""
    return Finding(
        "self-intersection", level,
        f"{' and '.join(filter(None, where))}{limit}{small}. Sight is judged rightly either way.", place(found.at),
        "Smooth it if you print it." if small else advice,
    )  # fmt: skip


def _bodies(facts: Checked) -> Finding:
    """Whether everything hangs together."""
    skin, loose = facts.skin, facts.loose
    if len(loose):
        where = np.asarray(facts.mesh.triangles_center)[np.argmax(skin.body == loose[0])]
        return Finding(
            "bodies", "warning", f"{_count(len(loose), 'small body hangs', 'small bodies hang')} in the air, touching"
            f" nothing, out of {skin.bodies}: crumbs of a scan, or forgotten parts.", place(where), "Delete them.",
        )  # fmt: skip
    if skin.bodies > 1:
        return Finding("bodies", "ok", f"It is made of {skin.bodies} bodies, and none hangs loose in the air.")
    return Finding("bodies", "ok", "It is one body.")


def _thin_walls(facts: Checked) -> Finding:
    """Walls that are hard to print."""
    thin = facts.thin
    sampled = f" (of {thin.sampled:,} places that were measured)" if thin.sampled >= SAMPLES else ""
    if thin.least >= THIN or thin.share == 0:
        return Finding("thin-walls", "ok", f"No wall thinner than 1 mm was found{sampled}.")
    level: Level = "warning" if thin.share > _SOME else "note"
    share = f"{100 * thin.share:.1f}%" if thin.share > _SOME / 10 else "a little"
    return Finding(
        "thin-walls", level, f"{share} of the surface belongs to walls under 1 mm, the thinnest {_mm(thin.least)}"
        f"{sampled}: they break, and may not print.", place(thin.at), "Make them thicker, or scale the piece up.",
    )  # fmt: skip


def _noise(facts: Checked) -> Finding:
    """How rough a scan is."""
    if facts.noise <= ROUGH:
        return Finding("noise", "ok", "Its surfaces are clean.")
    level: Level = "warning" if facts.noise > _GRAINY else "note"
    return Finding(
        "noise", level, f"Its surfaces are rough by {_mm(facts.noise)}, as scans are: gaps and floors are told to"
        f" about {_mm(max(3 * facts.noise, FOOT / 3))}.",
        remedy="Smooth it, or scan it again." if level == "warning" else "Measure what hangs on a hair by hand.",
    )  # fmt: skip


def _triangles(facts: Checked) -> Finding:
    """Whether there are more triangles than a table needs."""
    count = len(facts.mesh.faces)
    if count <= _MANY:
        return Finding("triangles", "ok", f"{_count(count, 'triangle')}: easy to work with.")
    level: Level = "warning" if count > _TOO_MANY else "note"
    return Finding(
        "triangles", level, f"{count:,} triangles are more than a table needs: with 100,000 or so it looks the same and"
        " every answer comes sooner.", remedy="Decimate it.",
    )  # fmt: skip


def _possible(facts: Checked) -> Finding:
    """Gaps that detection is not sure of."""
    unsure = [gap for gap in facts.openings if not gap.sure]
    if not unsure:
        return Finding("possible-openings", "ok", "No gap is in doubt.")
    named = ", ".join(str(gap.id) for gap in unsure[:8])
    example = f"openings = [{{ id = {unsure[0].id}, closed = true }}]"
    return Finding(
        "possible-openings", "note", f"Opening {named} may or may not be an enclosed gap. It closes no line unless the"
        " scene says so.", place(unsure[0].centre), f"Look at it, and say in the scene what it is: {example}.",
    )  # fmt: skip


_CHECKS: Final[dict[str, Callable[[Checked], Finding]]] = {
    "units": _units, "up": _up, "ground": _ground, "stability": _stability, "open-edges": _open_edges,
    "pinholes": _pinholes, "faces": _faces, "degenerate": _degenerate, "shared-edges": _shared_edges,
    "self-intersection": _self_intersection, "bodies": _bodies, "thin-walls": _thin_walls, "noise": _noise,
    "triangles": _triangles, "possible-openings": _possible,
}  # fmt: skip

CODES: Final = tuple(_CHECKS)
"""The codes of all findings on a mesh itself, in the order in which they are looked at."""

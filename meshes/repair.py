"""Mending a piece, step by step: what each step changed, in figures, and what it could not mend."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import numpy as np
import trimesh

from deadground.geometry.units import FLATTENED, FOOT, MM_PER_INCH, millimetres
from deadground.meshes.ground import Levelling, grain, levelling
from deadground.meshes.piece import Opening
from deadground.meshes.probes import Probe, loose_bodies
from deadground.meshes.repair_faces import oriented, rebuilt, welded
from deadground.meshes.repair_holes import filled
from deadground.meshes.repair_thin import Fewer, thinned
from deadground.meshes.skin import skin
from deadground.meshes.solid import outwards

__all__ = ["STEPS", "Change", "Repaired", "Wanted", "repaired"]

STEPS: Final = ("weld", "drop", "orient", "level", "fill", "thin")
"""What can be mended, in the order in which it is."""

_LEVELLED = 4  # rounds
_SPRINKLED = 10  # rounds in which crumbs are looked for, 400 each


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be mended.

    steps : names of `STEPS`; hole : end to end of the largest hole to fill, inches
    error : how far a surface may move when triangles are thinned out, inches; None leaves them all
    """

    steps: frozenset[str] = frozenset(STEPS)
    hole: float = 10 / MM_PER_INCH
    error: float | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What one step did. done : in words with figures, "" for nothing; left : what it could not mend, "" for nothing.

    figures : the same as numbers; lengths in inches
    """

    step: str
    done: str = ""
    left: str = ""
    figures: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, eq=False)
class Repaired:
    """A mended mesh and what was changed. motion : how it was moved to stand level, p -> turn @ p + shift."""

    mesh: trimesh.Trimesh
    changes: tuple[Change, ...]
    motion: Levelling

    @property
    def changed(self) -> bool:
        """Whether any step did something."""
        return any(change.done for change in self.changes)


_STILL = Levelling(np.eye(3), np.zeros(3), 0.0, 0.0)


@dataclass(slots=True, eq=False)
class _Work:
    """A mesh under repair. openings : of the piece as it was, so that no gap is filled."""

    mesh: trimesh.Trimesh
    wanted: Wanted
    openings: tuple[Opening, ...]
    fewer: Fewer | None
    motion: Levelling = _STILL


def repaired(
    mesh: trimesh.Trimesh, wanted: Wanted, openings: tuple[Opening, ...] = (), fewer: Fewer | None = None
) -> Repaired:
    """Mend a mesh as `load` gives it (inches, z up, foot at 0). It is not changed itself.

    openings : its enclosed gaps, so that those in sheets without thickness are not taken for holes
    fewer : thins out rough meshes (see `thinned`)
    """
    work = _Work(mesh, wanted, openings, fewer)
    changes = tuple(_DOING[step](work) for step in STEPS if step in wanted.steps)
    return Repaired(work.mesh, changes, work.motion)


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _mm(length: float) -> str:
    return f"{millimetres(length):.3g} mm"


def _joined(parts: list[str]) -> str:
    return ", ".join(part for part in parts if part)


def _weld(work: _Work) -> Change:
    found = welded(work.mesh)
    work.mesh = found.mesh
    said = [
        f"welded {_count(found.joined, 'corner')}" if found.joined else "",
        f"dropped {_count(found.dropped, 'triangle')} that came to nothing" if found.dropped else "",
        f"dropped {_count(found.doubled, 'triangle')} lying exactly on another" if found.doubled else "",
    ]
    crowded = len(skin(work.mesh).crowded)
    left = f"at {_count(crowded, 'edge')} more than two faces meet: unite or part them in a modeller" if crowded else ""
    figures = {"corners": found.joined, "empty": found.dropped, "doubled": found.doubled, "shared_edges": crowded}
    return Change("weld", _joined(said), left, figures)


def _drop(work: _Work) -> Change:
    bodies = faces = 0
    for _ in range(_SPRINKLED):
        hull = skin(work.mesh)
        loose = loose_bodies(Probe.of(work.mesh), hull)
        if not len(loose):
            break
        gone = np.isin(hull.body, loose)
        bodies, faces = bodies + len(loose), faces + int(gone.sum())
        work.mesh = rebuilt(np.asarray(work.mesh.vertices), np.asarray(work.mesh.faces)[~gone])
    done = f"dropped {_count(bodies, 'loose fragment')} of {_count(faces, 'triangle')}" if bodies else ""
    return Change("drop", done, "", {"bodies": bodies, "triangles": faces})


def _orient(work: _Work) -> Change:
    found = oriented(work.mesh)
    work.mesh = found.mesh
    done = f"turned {_count(found.turned, 'triangle')} of {_count(found.bodies, 'body', 'bodies')} round"
    left = f"{_count(found.onesided, 'body has', 'bodies have')} only one side, like a Moebius strip"
    figures = {"triangles": found.turned, "bodies": found.bodies, "onesided": found.onesided}
    return Change("orient", done if found.turned else "", left if found.onesided else "", figures)


def _fill(work: _Work) -> Change:
    still = work.motion
    found = filled(work.mesh, work.wanted.hole, work.openings, lambda points: (points - still.shift) @ still.turn)
    work.mesh = found.mesh
    holes = f"filled {_count(found.holes, 'hole')}, the largest {_mm(found.widest)} from end to end"
    left = [
        f"{_count(found.large, 'hole is', 'holes are')} larger than {_mm(work.wanted.hole)}" if found.large else "",
        f"{_count(found.gaps, 'hole is a gap', 'holes are gaps')} in a wall without thickness" if found.gaps else "",
        f"{_count(found.crooked, 'hole has', 'holes have')} no good patch" if found.crooked else "",
        "these are loose sheets, whose rims are no holes" if found.sheets else "",
    ]
    done = [holes if found.holes else "", "closed the open underside" if found.underside else ""]
    figures = {
        "holes": found.holes, "widest": found.widest, "area": found.area, "underside": int(found.underside),
        "too_large": found.large, "gaps": found.gaps, "no_patch": found.crooked,
    }  # fmt: skip
    return Change("fill", _joined(done), _joined(left), figures)


# --- level -----------------------------------------------------------------------------------------------------------


def _level(work: _Work) -> Change:
    """Turn it until its foot is level, put that at 0, and lay it flat; again, as a flat foot tells the level better."""
    count, furthest = 0, 0.0
    for _ in range(_LEVELLED):
        noise = grain(work.mesh)
        level = levelling(work.mesh, noise)
        hangs = _depth(work.mesh, level)
        if not level.degrees and (abs(level.shift[2]) <= FLATTENED or hangs > FOOT):
            break
        work.mesh, corners, moved = _flattened(level.levelled(work.mesh), min(FOOT, 4 * noise + 2 * level.residual))
        work.motion = _after(work.motion, level)
        count, furthest = max(count, corners), max(furthest, moved)
    motion, shift = work.motion, float(work.motion.shift[2])
    said = [
        f"turned it level by {motion.degrees:.2f} degrees" if motion.degrees else "",
        f"put the plane it stands on at 0, {_mm(abs(shift))} {'lower' if shift < 0 else 'higher'}" if shift else "",
        f"laid {_count(count, 'corner')} of its foot flat, moved by {_mm(furthest)} at most" if count else "",
    ]
    left = f"something hangs {_mm(hangs)} below the plane it stands on: cut it off" if hangs > FOOT else ""
    figures = {"degrees": motion.degrees, "shift": shift, "corners": count, "moved": furthest}
    return Change("level", _joined(said), left, figures)


def _after(first: Levelling, then: Levelling) -> Levelling:
    """Two motions, one after the other."""
    turn = then.turn @ first.turn
    degrees = float(np.degrees(np.arccos(min(1.0, turn[2, 2])))) if first.degrees or then.degrees else 0.0
    return Levelling(turn, then.turn @ first.shift + then.shift, degrees, then.residual)


def _depth(mesh: trimesh.Trimesh, level: Levelling) -> float:
    """How far a mesh reaches below the plane that it stands on, once level, inches."""
    return -float((np.asarray(mesh.vertices) @ level.turn.T + level.shift)[:, 2].min())


def _flattened(mesh: trimesh.Trimesh, reach: float) -> tuple[trimesh.Trimesh, int, float]:
    """The mesh with its foot in one plane at 0: how many corners were moved, and how far at most.

    reach : how far from 0 what belongs to the foot may lie, inches
    """
    corners = np.array(mesh.vertices, np.float64)
    height = corners[:, 2]
    down = np.asarray(mesh.face_normals)[:, 2] * outwards(mesh) < -_SOLE
    sole = down & (np.abs(np.asarray(mesh.triangles)[:, :, 2]).max(axis=1) < reach)
    moved = (height < 0) & (height > -reach)
    moved[np.asarray(mesh.faces)[sole]] = True
    moved &= height != 0
    furthest = float(np.abs(height[moved]).max(initial=0.0))
    corners[moved, 2] = 0.0
    return trimesh.Trimesh(corners, mesh.faces, process=False), int(moved.sum()), furthest


_SOLE = 0.77  # cosine of the most that a face of the foot may be off level


# --- thin ------------------------------------------------------------------------------------------------------------


def _thin(work: _Work) -> Change:
    error = work.wanted.error
    if error is None:
        return Change("thin")
    before, found = len(work.mesh.faces), thinned(work.mesh, error, work.fewer)
    work.mesh = found.mesh
    after = len(found.mesh.faces)
    figures = {"before": before, "after": after, "deviation": found.deviation, "asked": error}
    if after == before:
        return Change("thin", left=f"not thinned: {found.problem}" if found.problem else "", figures=figures)
    done = f"thinned {before:,} to {after:,} triangles, greatest deviation {_mm(found.deviation)}"
    return Change("thin", done, "", figures)


_DOING: Final[Mapping[str, Callable[[_Work], Change]]] = MappingProxyType(
    {"weld": _weld, "drop": _drop, "orient": _orient, "fill": _fill, "level": _level, "thin": _thin}
)

"""`deadground inspect --repair`: a mended piece in a file of its own, with an account of what was changed.

Nothing is written unless the mended piece, read back, has the same openings and floors.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import trimesh
from cyclopts import Parameter
from rich import box
from rich.table import Table
from rich.text import Text

from deadground.geometry.errors import InputError, MeshError
from deadground.geometry.units import MM_PER_INCH, inches, millimetres
from deadground.meshes.checks import better_side
from deadground.meshes.files import FORMATS, export
from deadground.meshes.findings import LEVELS, Level
from deadground.meshes.inspection import Inspection, inspect_mesh
from deadground.meshes.repair import STEPS, Change, Repaired, Wanted, repaired
from deadground.meshes.repair_check import changed_facts, tolerance_of
from deadground.scenes.rulings.wh40k_piece import read_piece
from deadground.viewer.files import unwritten
from deadground.viewer.looked import Asked, Looked, look_whole

__all__ = ["AS_IS", "Mended", "Mending", "mend", "mended_parts", "mended_values"]

UP: Final = "up"
"""The step that turns a piece upright that would stand on another side; the others are those of a mesh."""

STYLES: Final[dict[Level, str]] = {"error": "bold red", "warning": "bold dark_orange3", "note": "", "ok": "dim"}

_LENGTH = re.compile(r'\s*(\d+(?:\.\d+)?)\s*(in|mm|"|″)\s*')
_MOST: Final = 2.0  # inches: a larger hole is no small one, a larger error no fine one
_SAID: Final = 6  # differences that are told one by one
_HARMLESS: Final = frozenset({"weld", "orient"})
_ALL: Final = ",".join((UP, *STEPS[:-1]))


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Mending:
    """Whether a piece is to be mended, and how."""

    repair: Annotated[
        Path | None,
        Parameter(
            help="Mend the piece and write it to this file, in mm and z up (.stl .obj .ply .3mf, .glb in metres)."
        ),
    ] = None
    steps: Annotated[str, Parameter(help="What to mend, comma-separated; --thin adds its own step.")] = _ALL
    fill: Annotated[str, Parameter(help='The largest hole to fill, from end to end: "10mm".')] = "10mm"
    thin: Annotated[
        str | None, Parameter(help='Thin out triangles, moving no surface by more than this: "0.05mm".')
    ] = None
    force: Annotated[
        bool, Parameter(negative="", show_default=False, help="Let --repair replace a file that is there already.")
    ] = False

    @property
    def chosen(self) -> tuple[str, ...]:
        """The steps in their order. InputError for one that is not known."""
        named = [step.strip().lower() for step in self.steps.split(",") if step.strip()]
        known = (UP, *STEPS)
        for step in named:
            if step not in known:
                raise InputError("", "--steps", f"expected some of {', '.join(known)}, found {step[:40]!r}")
        if "thin" in named and self.thin is None:
            raise InputError("", "--steps", 'thin needs to know the error: expected --thin "0.05mm" beside it')
        return tuple(step for step in known if step in named or (step == "thin" and self.thin is not None))

    @property
    def wanted(self) -> Wanted:
        """What is asked of the mesh. InputError for lengths that cannot be."""
        error = None if self.thin is None else _length("--thin", self.thin)
        return Wanted(frozenset(self.chosen) - {UP}, _length("--fill", self.fill), error)

    def check(self, source: Path | None) -> None:
        """InputError, before anything is looked at, for what cannot be. source : the one file, None for several."""
        if self.repair is None:
            if self != AS_IS:
                raise InputError(
                    "", "--repair", "expected a file to write to beside --steps, --fill, --thin or --force"
                )
            return
        _ = self.wanted
        if source is None:
            raise InputError("", "--repair", "expected one mesh file to mend, found several")
        _check_target(self.repair, source, force=self.force)


AS_IS: Final = Mending()


def _length(key: str, text: str) -> float:
    found = _LENGTH.fullmatch(text)
    value = inches(float(found[1]), "mm" if found[2] == "mm" else "in") if found else 0.0
    if not 0 < value <= _MOST:
        raise InputError("", key, f'expected a length such as "0.5mm", at most {_MOST:g} inches, found {text[:40]!r}')
    return value


def _check_target(target: Path, source: Path, *, force: bool) -> None:
    """InputError if a file must not be written: it is the one that is mended, or another one that is there."""
    if target.suffix.lower() not in FORMATS:
        raise InputError(str(target), "--repair", f"expected a file that ends in {', '.join(FORMATS)}")
    if not target.parent.is_dir():
        raise InputError(str(target), "--repair", "expected a folder that is there")
    if _same(target, source):
        raise InputError(
            str(target), "--repair", "is the file that is mended: expected another name, it is never changed"
        )
    if target.exists() and not target.is_file():
        raise InputError(str(target), "--repair", "expected a file, found something else of that name")
    if (target.exists() or target.is_symlink()) and not force:
        raise InputError(str(target), "--repair", "is there already: expected another name, or --force to replace it")


def _same(one: Path, other: Path) -> bool:
    """Whether two names may mean one file: through links, or on a disk that does not tell capitals apart."""
    try:
        if one.exists() and other.exists() and one.samefile(other):
            return True
        return str(one.resolve()).casefold() == str(other.resolve()).casefold()
    except (OSError, RuntimeError):  # a link that leads round in a circle
        return False


@dataclass(frozen=True, slots=True, eq=False)
class Mended:
    """A piece before and after. first : changes made on reading; target : the file; tolerance : inches.

    reread : what the rules see otherwise as soon as corners are welded and faces turned, which moves no surface
    """

    before: Looked
    after: Looked
    repair: Repaired
    first: tuple[Change, ...]
    target: Path
    tolerance: float
    reread: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """Everything that was done, in order."""
        return (*self.first, *self.repair.changes)


def mend(source: Path, asked: Asked, mending: Mending) -> Mended:
    """Mend one file and write the piece. MeshError, and nothing written, if that changes what the rules make of it."""
    target, wanted = mending.repair, mending.wanted
    if target is None:
        raise InputError("", "--repair", "expected a file to write to")
    before, mesh, turned = _upright(source, asked, UP in mending.chosen)
    if before.piece is None:
        raise MeshError(str(source), "", before.problem)
    tolerance = tolerance_of(before.piece, wanted.error)
    piece, reread = _set_right(mesh, before.piece, wanted, tolerance)
    repair = repaired(mesh, wanted, piece.openings, fewer)
    try:
        with tempfile.TemporaryDirectory(prefix=f".{target.stem[:40]}.", dir=target.parent) as folder:
            trial = Path(folder) / target.name
            after = _written(trial, target, (piece, repair, tolerance), asked.limit)
            trial.replace(target)
    except OSError as error:
        raise MeshError(str(target), "--repair", unwritten(error)) from None
    first = (*turned, _converted(before, target))
    return Mended(before, replace(after, path=str(target)), repair, first, target, tolerance, reread)


def _set_right(
    mesh: trimesh.Trimesh, piece: Inspection, wanted: Wanted, tolerance: float
) -> tuple[Inspection, tuple[str, ...]]:
    """What is found on the piece once its corners are welded and its faces agree; and what differs from before.

    Those two steps move no surface, and what is said of faces that look the wrong way cannot be trusted: what the other
    steps must keep is what is found then.
    """
    first = repaired(mesh, replace(wanted, steps=wanted.steps & _HARMLESS))
    if not first.changed:
        return piece, ()
    found = inspect_mesh(first.mesh)
    return found, changed_facts(piece, found, first, tolerance)


def _written(trial: Path, target: Path, was: tuple[Inspection, Repaired, float], limit: float) -> Looked:
    """The mended piece written to a trial file and read back. MeshError if it is no longer the same to the rules."""
    piece, repair, tolerance = was
    export(repair.mesh, trial)
    after, _ = look_whole(trial, Asked(_unit(target), limit=limit))
    if after.piece is None or after.reading is None:
        return after
    states = read_piece(piece, limit).states, after.reading.states
    if changed := changed_facts(piece, after.piece, repair, tolerance, states):
        _refuse(target, changed, tolerance)
    return after


def _unit(target: Path) -> str | None:
    return None if target.suffix.lower() in (".glb", ".3mf") else "mm"


def _refuse(target: Path, changed: tuple[str, ...], tolerance: float) -> None:
    more = f", and {len(changed) - 3} more" if len(changed) > 3 else ""
    raise MeshError(
        str(target), "--repair", f"is not written, as mending would change what the rules see, or sizes by more than"
        f" {millimetres(tolerance):.2g} mm: {'; '.join(changed[:3])}{more}. Try fewer --steps, or a smaller --fill",
    )  # fmt: skip


def _upright(source: Path, asked: Asked, wanted: bool) -> tuple[Looked, trimesh.Trimesh, tuple[Change, ...]]:
    """The piece as it was read, or on the side that it stands on if nobody said which is up."""
    looked, mesh = look_whole(source, asked)
    read = asked.up or ("y" if source.suffix.lower() == ".glb" else "z")
    changes = () if read == "z" else (Change(UP, f"turned it upright: {read} was up, and z is"),)
    if not wanted or asked.up is not None or looked.piece is None or read != "z":
        return looked, mesh, changes
    side = better_side(mesh, looked.piece.balance)
    if not side:
        return looked, mesh, changes
    done = f"turned it upright: it fell over as it was, and stands with {side} up"
    return *look_whole(source, replace(asked, up=side)), (Change(UP, done),)


def _converted(before: Looked, target: Path) -> Change:
    """How sizes were converted."""
    to, size = ("m", 1000.0) if target.suffix.lower() == ".glb" else ("mm", 1.0)
    units = {"cm": 10.0, "m": 1000.0, "in": MM_PER_INCH, "inch": MM_PER_INCH, "ft": 12 * MM_PER_INCH}
    names = {"millimeter": "mm", "centimeter": "cm", "meter": "m", "foot": "ft", "micron": "um", "um": "um"}
    unit = names.get(before.units.lower(), before.units.lower())
    factor = before.scale * (units | {"um": 1 / 1000}).get(unit, 1.0) / size
    if unit == to and before.scale == 1.0:
        return Change("units")
    scaled = f", scaled by {before.scale:.4g}" if before.scale != 1.0 else ""
    return Change("units", f"converted from {unit} to {to}{scaled} (times {factor:.6g})", "", {"factor": factor})


def fewer(mesh: trimesh.Trimesh, keep: float) -> trimesh.Trimesh:
    """About the share `keep` of a mesh's triangles, by collapsing edges where that moves the surface least."""
    import pyvista

    thinned = pyvista.wrap(mesh).decimate(1 - keep, volume_preservation=True).triangulate()
    faces = np.asarray(thinned.faces).reshape(-1, 4)[:, 1:]
    return trimesh.Trimesh(np.asarray(thinned.points, np.float64), faces, process=False)


def lined(*heads: str) -> Table:
    """An empty table with these heads."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for head in heads:
        made.add_column(head, overflow="fold", header_style="dim")
    return made


# --- telling ---------------------------------------------------------------------------------------------------------


def mended_parts(mended: Mended) -> Iterator[Text | Table]:
    """What was done, what was left, and what is still found on the piece."""
    yield Text(f"{mended.before.name} -> {mended.target.name}", style="bold")
    told = [change for change in mended.changes if change.done or change.left]
    if any(change.done for change in told):
        account = lined("step", "done")
        for change in told:
            if change.done:
                account.add_row(change.step, f"{change.done[0].upper()}{change.done[1:]}")
        yield account
    else:
        yield Text("Nothing was found to mend; the piece is written as it was.")
    for change in told:
        if change.left:
            yield Text(f"- Not mended ({change.step}): {change.left}.", style=STYLES["warning"])
    for words in mended.reread[:_SAID]:
        yield Text(f"- Once corners were welded and faces set right: {words}.")
    yield from _outcome(mended)


def _outcome(mended: Mended) -> Iterator[Text | Table]:
    before, after = mended.before.piece, mended.after.piece
    if before is None or after is None:
        return
    closed = "a closed solid" if after.closed_mesh else "not one closed solid"
    yield Text(
        f"\nRead back: {after.triangles:,} triangles (before {before.triangles:,}), {closed}; openings and floors are"
        f" the same to {millimetres(mended.tolerance):.2g} mm."
    )
    levels = {finding.code: finding.level for finding in mended.before.findings}
    left = [finding for finding in mended.after.findings if finding.level in ("warning", "error")]
    solved = [
        code for code, level in levels.items() if level in ("warning", "error") and code not in {f.code for f in left}
    ]
    if solved:
        yield Text(f"In order now: {', '.join(solved)}.")
    for finding in left:
        yield Text(f"- {finding.level}, {finding.code}: {finding.told}", style=STYLES[finding.level])


def mended_values(mended: Mended) -> dict[str, Any]:
    """The account as plain values. Lengths in inches."""
    before = mended.before.piece
    steps = [
        {"step": change.step, "done": change.done, "left": change.left, "figures": dict(change.figures)}
        for change in mended.changes
    ]
    was = {} if before is None else {"triangles": before.triangles, "closed_mesh": before.closed_mesh}
    levels = {finding.code: finding.level for finding in mended.before.findings if finding.level in LEVELS[2:]}
    return {
        "from": mended.before.path, "to": str(mended.target), "changed": any(change.done for change in mended.changes),
        "steps": steps, "before": {**was, "findings": levels}, "tolerance": mended.tolerance,
        "reread": list(mended.reread),
    }  # fmt: skip

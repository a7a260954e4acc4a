"""`deadground inspect --compare`: what changed between two versions of a piece, or a print file and a scan of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

import trimesh
from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from deadground.geometry.errors import InputError, MeshError
from deadground.geometry.units import FLATTENED, TOUCH, at_or_below, millimetres
from deadground.meshes.compare import UNIT_RATIOS, Compared, compared, unit_mistake
from deadground.meshes.compare_facts import Gap
from deadground.meshes.inspection import Inspection
from deadground.meshes.standing_room import Floor
from deadground.scenes.rulings.wh40k_piece import PieceReading
from deadground.viewer.compared_picture import write_map
from deadground.viewer.looked import Asked, Looked, for_several, look_whole
from deadground.viewer.mend import STYLES, lined
from deadground.viewer.words import INCH

__all__ = ["ALONE", "Compares", "Comparing", "compare", "compared_parts", "compared_values"]

QUANTILES: Final = (0.5, 0.9, 0.95, 0.99)

_OTHERS: Final = {"mm": ("in", "m"), "in": ("mm", "m"), "cm": ("in", "m"), "m": ("mm", "in")}
_MM: Final = {"mm": 1.0, "cm": 10.0, "in": 25.4, "m": 1000.0}
_TILTED: Final = 0.2  # degrees that are worth a word
_TURNED: Final = 0.5  # degrees


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Comparing:
    """Whether a piece is to be compared with another, and how that is read."""

    compare: Annotated[
        Path | None,
        Parameter(help="Say what is different in this other version, or scan, of the piece; -o draws a map."),
    ] = None
    other_units: Annotated[
        str | None, Parameter(help="The other file's unit, if it is not that of the first: mm, cm, m or in.")
    ] = None
    any_way: Annotated[
        bool, Parameter(negative="", show_default=False, help="The other piece may lie on any of its sides.")
    ] = False

    def check(self, *, alone: bool) -> None:
        """InputError for what cannot be. alone : one file is looked at."""
        if self.compare is None and self != ALONE:
            raise InputError("", "--compare", "expected another mesh file beside --other-units or --any-way")
        if self.compare is not None and not alone:
            raise InputError("", "--compare", "expected one mesh file to compare with another, found several")


ALONE: Final = Comparing()


@dataclass(frozen=True, slots=True, eq=False)
class Compares:
    """Two pieces and what is different. mistaken : which unit was taken for which in reading the second, or "".

    ratio : how many times too large it was read, which is undone in all that is told; meshes : standing level
    """

    first: Looked
    second: Looked
    facts: Compared
    mistaken: str
    ratio: float
    meshes: tuple[trimesh.Trimesh, trimesh.Trimesh]


def compare(source: Path, asked: Asked, comparing: Comparing, output: Path | None = None) -> Compares:
    """Compare one file with another; draw a map of it if `output` names a file. MeshError if one cannot be read."""
    if comparing.compare is None:
        raise InputError("", "--compare", "expected another mesh file")
    first, mesh = look_whole(source, asked)
    units = comparing.other_units or (None if _own_unit(comparing.compare) else asked.units or first.units)
    wanted = for_several(comparing.compare, replace(asked, units=units, up=None if comparing.other_units else asked.up))
    wanted = replace(wanted, units=comparing.other_units or wanted.units)
    second, other, ratio = _any_size(comparing.compare, wanted)
    found = _laid(first, mesh, second, other, comparing)
    mistaken, too_large = unit_mistake(found.size)
    if mistaken:
        second, other = look_whole(comparing.compare, replace(wanted, scale=wanted.scale / (too_large * ratio)))
        found = _laid(first, mesh, second, other, comparing)
    total = ratio * too_large
    name = next((name for name, each in UNIT_RATIOS.items() if abs(total / each - 1) < TOUCH), "") if total != 1 else ""
    result = Compares(first, second, found, name, total, (_level(first, mesh), _level(second, other)))
    if output is not None:
        write_map(found, result.meshes, (first.name, _second_name(result)), output)
    return result


def _own_unit(path: Path) -> bool:
    return path.suffix.lower() in (".glb", ".3mf")


def _any_size(path: Path, asked: Asked) -> tuple[Looked, trimesh.Trimesh, float]:
    """A file, in another unit if it would be no piece in the one asked for; how many times too large that one is."""
    try:
        return *look_whole(path, asked), 1.0
    except MeshError as error:
        if "inches long" not in error.problem or asked.units not in _OTHERS:
            raise
        for unit in _OTHERS[asked.units]:
            try:
                return *look_whole(path, replace(asked, units=unit)), _MM[asked.units] / _MM[unit]
            except MeshError:
                continue
        raise


def _laid(
    first: Looked, mesh: trimesh.Trimesh, second: Looked, other: trimesh.Trimesh, comparing: Comparing
) -> Compared:
    if first.piece is None or second.piece is None:
        raise MeshError(first.path, "", first.problem or second.problem)
    return compared((mesh, first.piece), (other, second.piece), any_way=comparing.any_way)


def _level(looked: Looked, mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    return mesh if looked.piece is None else looked.piece.level.levelled(mesh)


def _second_name(result: Compares) -> str:
    """The second file's name; its whole path where both are called alike."""
    return result.second.name if result.second.name != result.first.name else result.second.path


# --- telling ---------------------------------------------------------------------------------------------------------


def compared_parts(result: Compares) -> Iterator[Text | Table]:
    """The comparison in words and tables."""
    one, two = result.first.name, _second_name(result)
    yield Text(f"{two} compared with {one}", style="bold")
    for level, words in _verdicts(result):
        yield Text(words, style=STYLES[level])
    yield from _surfaces(result.facts, two)
    yield _heights(result)
    yield from _openings(result)
    yield from _floors(result)


def _verdicts(result: Compares) -> Iterator[tuple[Any, str]]:
    """What the alignment says, worst first: (level, sentence)."""
    facts, alignment = result.facts, result.facts.alignment
    if not facts.same_piece:
        yield (
            "error",
            (
                f"These are not two versions of one piece: only {100 * alignment.overlap:.0f}% of both surfaces lie"
                " over each other. What follows says little."
            ),
        )
    if alignment.mirrored:
        yield "error", "It is a mirror image: left and right are exchanged."
    if result.ratio != 1:
        said = f"{result.mistaken} was taken" if result.mistaken else "the unit was mistaken"
        yield (
            "warning",
            f"It was read {result.ratio:.4g} times too large ({said}): undone here, but mend the file or --units.",
        )
    size = facts.size
    if abs(size - 1) * max(_extents(result)) < FLATTENED:
        yield "ok", "It is of the same size."
    else:
        how = "smaller" if size < 1 else "larger"
        yield "note", f"It is {size:.4f} times as large: {abs(size - 1) * 100:.2f}% {how} in every direction."
    if abs(alignment.yaw) > _TURNED or alignment.tilt > _TILTED:
        tilt = f", and tilted by {alignment.tilt:.1f}" if alignment.tilt > _TILTED else ""
        yield "ok", f"It was turned by {-alignment.yaw:+.1f} degrees{tilt}."
    if abs(alignment.shift[2]) > 5 * FLATTENED:
        side = "below" if alignment.shift[2] < 0 else "above"
        yield "note", f"Laid over, its foot lies {millimetres(abs(alignment.shift[2])):.2f} mm {side} the first one's."


def _extents(result: Compares) -> list[float]:
    return [float(side) for side in result.meshes[0].extents]


def _surfaces(facts: Compared, name: str) -> Iterator[Text]:
    off, at = facts.worst
    shares = ", ".join(f"{100 * share:.0f}% to {_mm(facts.quantile(share))}" for share in QUANTILES)
    sized = " at one size" if abs(facts.size - 1) > TOUCH / 10 else ""
    yield Text(f"\nSurfaces, laid over each other{sized}", style="bold")
    if abs(off) < FLATTENED / 2:
        yield Text("Nowhere apart by a hundredth of a millimetre.")
        return
    place = ", ".join(f"{value:.2f}" for value in at)
    yield Text(f"Both keep to each other: {shares}.")
    more = "more" if off > 0 else "less"
    yield Text(
        f"Worst: {millimetres(abs(off)):.2f} mm at x, y, height {place} inches, where {name} has {more} material."
    )


def _heights(result: Compares) -> Table:
    made = lined("", "first", "second", "difference")
    one, two = result.first.piece, result.second.piece
    if one is not None and two is not None:
        rows = [("highest point", one.wall_top, two.wall_top)]
        if not abs(result.facts.alignment.yaw) > _TURNED:
            rows += [(side, one.size[k], two.size[k]) for k, side in enumerate(("width, x", "depth, y"))]
        for name, was, now in rows:
            made.add_row(name, _inch(was), _inch(now), _change(now - was))
    return made


def _mm(length: float) -> str:
    return f"{round(millimetres(length), 3):.3g} mm"


def _inch(value: float) -> str:
    return f"{value:.3f}{INCH}"


def _change(value: float) -> str:
    """A difference in inches and mm; a sign where there is none to speak of."""
    if abs(value) < TOUCH:
        return "="
    return f"{value:+.3f}{INCH} ({millimetres(value):+.2f} mm)"


def _openings(result: Compares) -> Iterator[Text | Table]:
    facts, (one, two) = result.facts, result.facts.gaps
    pairs = facts.gap_pairs
    yield Text(f"\nOpenings: {len(pairs.both)} in both, {len(pairs.lost)} gone, {len(pairs.new)} new", style="bold")
    rows = [row for row in (_gap_row(result, one[a], two[b]) for a, b in pairs.both) if row is not None]
    rows += [("gone", str(one[k].opening.id), "", _tall(one[k]), "", "") for k in pairs.lost]
    rows += [("new", "", str(two[k].opening.id), _tall(two[k]), "", "") for k in pairs.new]
    if rows:
        made = lined("", "first", "second", "sill and head", "width", "what Solid does")
        for row in rows:
            made.add_row(*row)
        yield made
    same = len(pairs.both) - sum(row[0] == "changed" for row in rows)
    if same:
        yield Text(f"{same} unchanged.")
    for words in crossings(result):
        yield Text(f"- {words}", style=STYLES["warning"])


def _tall(gap: Gap) -> str:
    return f"{_inch(gap.sill)} to {_inch(gap.head)}"


def _gap_row(result: Compares, one: Gap, two: Gap) -> tuple[str, ...] | None:
    """A row for an opening that changed; None for one that did not."""
    states = _states(result, one, two)
    offs = [two.sill - one.sill, two.head - one.head, two.width - one.width]
    if max(map(abs, offs)) < TOUCH and states[0] == states[1]:
        return None
    does = states[0] if states[0] == states[1] else f"{states[0]} -> {states[1]}"
    edges = f"sill {_change(offs[0])}\nhead {_change(offs[1])}"
    return "changed", str(one.opening.id), str(two.opening.id), edges, _change(offs[2]), does


def _states(result: Compares, one: Gap, two: Gap) -> tuple[str, str]:
    was, now = result.first.reading, result.second.reading
    if was is None or now is None:
        return "", ""
    return was.states[one.opening.id], now.states[two.opening.id]


def crossings(result: Compares) -> list[str]:
    """Changes that the rules see: openings whose sill or head crosses the limit, or whose state changes; floors too."""
    said = []
    limit = result.first.reading.limit if result.first.reading is not None else 0.0
    one, two = result.facts.gaps
    for a, b in result.facts.gap_pairs.both:
        was, now = _states(result, one[a], two[b])
        edges = [
            edge for edge in ("sill", "head")
            if at_or_below(getattr(one[a], edge), limit) != at_or_below(getattr(two[b], edge), limit)
        ]  # fmt: skip
        if was != now or edges:
            crossed = f": its {' and '.join(edges)} crosses {limit:g} inches" if edges else ""
            said.append(f"Opening {one[a].opening.id} was {was} if dense and is {now}{crossed}.")
    return said + _storey_change(result.first.reading, result.second.reading)


def _storey_change(one: PieceReading | None, two: PieceReading | None) -> list[str]:
    """Whether the first floor stands otherwise to the limit."""
    was, now = (None if read is None or read.first_floor is None else read.first_floor[1] for read in (one, two))
    if was == now:
        return []
    limit = one.limit if one is not None else 0.0
    if was is None or now is None:
        return [f"There is {'no longer' if now is None else 'now'} an upper floor."]
    return [f"The first floor was {_to(was, limit)} and is {_to(now, limit)}: plunging fire hangs on it."]


def _to(how: str, limit: float) -> str:
    return f"exactly at {limit:g} inches" if how == "exactly" else f"{how} {limit:g} inches"


def _floors(result: Compares) -> Iterator[Text | Table]:
    pairs = result.facts.storey_pairs
    one, two = ([storey.floor for storey in each] for each in result.facts.storeys)
    yield Text(f"\nFloors: {len(pairs.both)} in both, {len(pairs.lost)} gone, {len(pairs.new)} new", style="bold")
    if not one and not two:
        return
    made = lined("", "first", "second", "difference", "area, sq in")
    for a, b in pairs.both:
        row = _inch(one[a].height), _inch(two[b].height), _change(two[b].height - one[a].height)
        made.add_row("", *row, f"{one[a].area:.1f}, {two[b].area:.1f}")
    for k in pairs.lost:
        made.add_row("gone", _inch(one[k].height), "", "", f"{one[k].area:.1f}")
    for k in pairs.new:
        made.add_row("new", "", _inch(two[k].height), "", f"{two[k].area:.1f}")
    yield made


# --- as data ---------------------------------------------------------------------------------------------------------


def compared_values(result: Compares) -> dict[str, Any]:
    """The comparison as plain values. Lengths in inches; off above 0 where the second piece has more material."""
    facts, alignment = result.facts, result.facts.alignment
    off, at = facts.worst
    return {
        "with": result.second.path, "size": facts.size, "read_too_large": result.ratio, "mistaken": result.mistaken,
        "mirrored": alignment.mirrored, "same_piece": facts.same_piece, "overlap": alignment.overlap,
        "turned": -alignment.yaw, "tilted": alignment.tilt, "foot": float(alignment.shift[2]),
        "deviation": {
            "worst": off, "at": at, **{f"p{round(100 * share)}": facts.quantile(share) for share in QUANTILES},
        },
        "wall_top": _both(result.first.piece, result.second.piece),
        "openings": _gap_values(result), "floors": _floor_values(result), "changes": crossings(result),
    }  # fmt: skip


def _both(one: Inspection | None, two: Inspection | None) -> list[float]:
    return [piece.wall_top for piece in (one, two) if piece is not None]


def _gap_values(result: Compares) -> list[dict[str, Any]]:
    pairs, (one, two) = result.facts.gap_pairs, result.facts.gaps
    both = [
        {
            "first": one[a].opening.id, "second": two[b].opening.id,
            "sill": two[b].sill - one[a].sill, "head": two[b].head - one[a].head, "width": two[b].width - one[a].width,
            "states": list(_states(result, one[a], two[b])),
        }
        for a, b in pairs.both
    ]  # fmt: skip
    return [
        *both, *({"first": one[k].opening.id} for k in pairs.lost), *({"second": two[k].opening.id} for k in pairs.new)
    ]  # fmt: skip


def _floor_values(result: Compares) -> list[dict[str, Any]]:
    pairs = result.facts.storey_pairs
    one, two = (_heights_of([storey.floor for storey in each]) for each in result.facts.storeys)
    return [
        *({"first": one[a], "second": two[b]} for a, b in pairs.both),
        *({"first": one[k]} for k in pairs.lost), *({"second": two[k]} for k in pairs.new),
    ]  # fmt: skip


def _heights_of(floors: Sequence[Floor]) -> list[float]:
    return [floor.height for floor in floors]

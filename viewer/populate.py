"""`deadground populate`: an army made up at random, added to a scene."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import tomlkit
from cyclopts import Parameter, validators
from tomlkit.items import AoT

from deadground.geometry.errors import InputError
from deadground.geometry.units import inches, millimetres
from deadground.scenes.armies import Order, muster
from deadground.scenes.document import read_scene, scene_text
from deadground.scenes.entries import parse_base
from deadground.scenes.model import Base, Unit
from deadground.scenes.options import options_of
from deadground.scenes.scene import Scene
from deadground.viewer.files import write_text
from deadground.viewer.judging import source

__all__ = ["populate", "populated"]

_PLACES: Final = {"in": 4, "mm": 3}
"""Decimals of written places: a tenth of what counts as touching."""

Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=500))]


def populate(  # noqa: PLR0913  (a command's options)
    scene: Annotated[Path, Parameter(help="A scene file (TOML).")],
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="The scene file to write.")],
    side: Annotated[str, Parameter(help="The side that the army is on.")],
    units: Annotated[Count, Parameter(help="How many units.")] = 10,
    models: Annotated[Count, Parameter(help="How many models in each.")] = 5,
    seed: Annotated[int, Parameter(help="The same seed gives the same army.")] = 1,
    base: Annotated[str, Parameter(help="Their base, as in a scene file.")] = "32mm",
    height: Annotated[float | None, Parameter(help="Their height, in the file's unit. Default: 1.5\".")] = None,
    keywords: Annotated[str, Parameter(help="Their keywords, with commas between.")] = "INFANTRY",
    zone: Annotated[
        tuple[float, float, float, float] | None,
        Parameter(help="X0 Y0 X1 Y1: where they stand, in the file's unit. Default: the board."),
    ] = None,
    ground_only: Annotated[bool, Parameter(negative="", help="Nobody stands on terrain.")] = False,
    allow_outside: Annotated[bool, Parameter(negative="", help="Let the scene name files outside its folder.")] = False,
) -> int:
    """Add an army to a scene: random, legally placed, the models of a unit near each other.

    No base overlaps another, hangs over an edge or stands in terrain; above the ground stand only those whose keywords
    may. The rest of the file, comments included, stays.
    """
    table = read_scene(scene, allow_outside)
    unit = table.units_of_file
    tall = 1.5 if height is None else inches(height, unit)
    place = None if zone is None else _zone(table, zone)
    _check(table, seed, tall, side)
    words = [word.strip() for word in keywords.split(",") if word.strip()]
    climbers = frozenset[str](options_of(table, "wh40k").may_end_above)
    above = not ground_only and not climbers.isdisjoint(word.upper() for word in words)
    army = muster(table, Order(side, units, models, _base(table, base), tall, place, above), seed, source(table))
    text = scene.read_text(encoding="utf-8-sig")
    try:
        written = populated(text, army, base, words, unit)
    except TypeError:
        raise InputError(source(table), "unit", "expected units as [[unit]] tables, to add others to them") from None
    write_text(output, written)
    sys.stdout.write(f"{output}: {len(army)} units of {models} on side {side}\n")
    return 0


def _check(scene: Scene, seed: int, height: float, side: str) -> None:
    if seed < 0:
        raise InputError(source(scene), "--seed", f"expected 0 or more, found {seed}")
    if not 0 < height <= 1000:
        raise InputError(source(scene), "--height", f"expected more than 0, found {height:g}")
    if not side.strip() or not side.isprintable() or len(side) > 80:
        raise InputError(source(scene), "--side", "expected the name of a side")


def _base(scene: Scene, text: str) -> Base:
    try:
        return parse_base(text)
    except ValueError as error:
        raise InputError(source(scene), "--base", f'{error}, found "{text[:40]}"') from None


def _zone(scene: Scene, zone: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = (inches(value, scene.units_of_file) for value in zone)
    if not (0 <= x0 < x1 <= scene.board[0] and 0 <= y0 < y1 <= scene.board[1]):
        said = " ".join(f"{value:g}" for value in zone)
        raise InputError(
            source(scene), "--zone", f"expected X0 Y0 X1 Y1 on the board, lower corner first, found {said}"
        )
    return x0, y0, x1, y1


def populated(text: str, army: Sequence[Unit], base: str, keywords: Sequence[str], unit: str) -> str:
    """The text of a scene file with an army added after its units. unit : of the file's lengths.

    TypeError if its units are a list on one line.
    """
    document = tomlkit.parse(text)
    if "unit" not in document:
        document.add(tomlkit.nl())
        document.append("unit", tomlkit.aot())
    tables = document["unit"]
    if not isinstance(tables, AoT):
        raise TypeError("units are no tables")
    for each in army:
        tables.append(_table(each, base, keywords, unit))
    return scene_text(document)


def _table(army: Unit, base: str, keywords: Sequence[str], unit: str) -> Any:
    table = tomlkit.table()
    table.update({"name": army.name, "side": army.side, "base": base})
    table.add("height", _length(army.models[0].height, unit))
    spots = tomlkit.array()
    spots.extend([_spot([m.x, m.y, m.foot] if m.foot else [m.x, m.y], unit) for m in army.models])
    table.add("at", spots)
    if keywords:
        facts = tomlkit.inline_table()
        facts.update({"keywords": list(keywords)})
        table.add("wh40k", facts)
    table.add(tomlkit.nl())
    return table


def _spot(values: Sequence[float], unit: str) -> list[float]:
    return [_length(value, unit) for value in values]


def _length(value: float, unit: str) -> float:
    return round(value if unit == "in" else millimetres(value), _PLACES[unit]) + 0.0

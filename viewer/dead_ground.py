"""`deadground map`: dead zones, and the ground that an observer cannot see, as polygons and as a drawing."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import shapely
from cyclopts import Parameter
from shapely.geometry.base import BaseGeometry

from deadground.geometry.errors import InputError
from deadground.scenes.document import read_scene
from deadground.scenes.entries import parse_base
from deadground.scenes.figure import Figure, Lookout
from deadground.scenes.model import Base
from deadground.scenes.rulings.starcraft_ground import dead_zones
from deadground.scenes.rulings.verdict import Report, RuleSystem
from deadground.scenes.scene import Scene
from deadground.viewer.figure import writer
from deadground.viewer.judging import named, source, systems
from deadground.viewer.look import PLAIN_LOOK, Look
from deadground.viewer.report_json import dumps
from deadground.viewer.zones import hidden_from

__all__ = ["dead_ground", "map_values"]

Flag = Annotated[bool, Parameter(negative="")]
SYSTEM: Final = "sctmg"
PLACES: Final = 4
FLAT: Final = (".svg", ".pdf")
SHOWN: Final = ("dead-zones", "tokens", "labels", "legend")


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class MapLook:
    """How the drawing of a map is to look: as that of a figure, whose --size is here the Size of the target."""

    view: Annotated[str | None, Parameter(help="perspective, plan, front or side.")] = None
    pixels: Annotated[str, Parameter(help="Pixels of a picture, WIDTHxHEIGHT.")] = PLAIN_LOOK.size
    dpi: Annotated[int, Parameter(help="How many of them make an inch of paper.")] = PLAIN_LOOK.dpi
    theme: Annotated[str | None, Parameter(help="Colours: default, classic, dark, or a theme of the scene's own.")] = (
        None
    )

    @property
    def look(self) -> Look:
        """The same as for any figure."""
        return Look(self.view, self.pixels, self.dpi, self.theme)


def dead_ground(  # noqa: PLR0913  (each is an option of the command)
    scene: Annotated[Path, Parameter(help="A scene file (TOML).")],
    observer: Annotated[str | None, Parameter(help="The model or unit that looks (A/1 or A).")] = None,
    /,
    *,
    size: Annotated[int | None, Parameter(help="The Size of the target that is looked for.")] = None,
    base: Annotated[str, Parameter(help='The base of that target, round: "32mm".')] = "32mm",
    flying: Annotated[Flag, Parameter(help="The target flies.")] = False,
    ruleset: Annotated[
        str | None, Parameter(help="By this system instead of the scene's. Only sctmg has them.")
    ] = None,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="Draw them too, in a file such as map.svg.")
    ] = None,
    json: Annotated[Flag, Parameter(help="Print JSON: polygons on the table, in inches.")] = False,
    allow_outside: Annotated[Flag, Parameter(help="Let the scene name files outside its own folder.")] = False,
    look: MapLook = MapLook(),
) -> None:
    """What a position sees, and its dead ground (StarCraft TMG).

    The dead zones are the bands 1" wide round the foot of HIGH GROUND. With an observer: all ground at GROUND LEVEL
    where the middle of the target's base may stand without being seen (by any model, if the observer is a unit). Exact
    but for arcs, which are polygons within a thousandth of an inch.
    """
    table = read_scene(scene, allow_outside)
    system = _system(table, ruleset)
    zones = dead_zones(table)
    target = None if observer is None else (_size(table, size), _base(table, base), flying)
    asked = None if observer is None or target is None else _asked(table, observer, target)
    hidden = None if asked is None else hidden_from(table, asked)
    values = map_values(zones, observer, target, hidden)
    sys.stdout.write(dumps(values) + "\n" if json else _words(values))
    if output is not None:
        _draw(table, system, asked, output, look.look)
        sys.stderr.write(f"deadground: written {output}\n")


def _system(scene: Scene, ruleset: str | None) -> RuleSystem:
    found = systems(scene, ruleset)
    if [system.name for system in found] != [SYSTEM]:
        asked = scene.ruleset if ruleset is None else ruleset
        raise InputError(source(scene), "--ruleset", f"expected {SYSTEM}, which knows dead ground, found {asked}")
    return found[0]


def _size(scene: Scene, size: int | None) -> int:
    if size is None or size < 0:
        found = "" if size is None else f", found {size}"
        raise InputError(source(scene), "--size", f"expected the Size of the target, 0 or more{found}")
    return size


def _base(scene: Scene, text: str) -> Base:
    try:
        base = parse_base(text)
    except ValueError as error:
        raise InputError(source(scene), "--base", f"{error}, found {text[:40]!r}") from None
    if base.shape != "round":
        raise InputError(source(scene), "--base", f'expected a round base such as "32mm", found {text[:40]!r}')
    return base


def _asked(scene: Scene, observer: str, target: tuple[int, Base, bool]) -> Lookout:
    """The observer, checked, and whom it looks for."""
    named(scene, [observer], "observer")
    size, base, flying = target
    return Lookout(observer, size, base.length, flying)


def map_values(
    zones: Mapping[str, BaseGeometry],
    observer: str | None,
    target: tuple[int, Base, bool] | None,
    hidden: BaseGeometry | None,
) -> dict[str, Any]:
    """The map as plain values. Lengths in inches, areas in square inches."""
    values: dict[str, Any] = {"schema": 1, "ruleset": SYSTEM}
    values["dead_zones"] = [{"feature": name, **_polygons(zone)} for name, zone in zones.items()]
    if target is not None and hidden is not None:
        size, base, flying = target
        asked = {"observer": observer, "size": size, "base": round(base.length, PLACES), "flying": flying}
        values["dead_ground"] = [{**asked, **_polygons(hidden)}]
    return values


def _polygons(geometry: BaseGeometry) -> dict[str, Any]:
    parts = [part for part in shapely.get_parts(geometry) if part.geom_type == "Polygon"]
    rings = [{"outline": _ring(part.exterior), "holes": [_ring(hole) for hole in part.interiors]} for part in parts]
    return {"area": round(float(shapely.area(geometry)), PLACES), "polygons": rings}


def _ring(ring: BaseGeometry) -> list[list[float]]:
    return [[round(x, PLACES) + 0.0, round(y, PLACES) + 0.0] for x, y in shapely.get_coordinates(ring)[:-1].tolist()]


def _words(values: Mapping[str, Any]) -> str:
    lines = [f"dead zone round {zone['feature']}: {zone['area']:.1f} square inches" for zone in values["dead_zones"]]
    for ground in values.get("dead_ground", []):
        what = f"Size {ground['size']}{' flying' if ground['flying'] else ''}"
        said = f"{ground['area']:.1f} square inches in {len(ground['polygons'])} parts"
        lines.append(f"dead ground of {ground['observer']} for {what} at GROUND LEVEL: {said}")
    return "\n".join(lines or ["no HIGH GROUND, no dead zones"]) + "\n"


def _draw(scene: Scene, system: RuleSystem, asked: Lookout | None, path: Path, look: Look) -> None:
    """The table with its dead zones and the dead ground: vector files from above, others in 3D."""
    view = look.view or ("plan" if path.suffix.lower() in FLAT else "perspective")
    grounds = () if asked is None else (asked,)
    figure = Figure("map", scene.title, view=view, show=SHOWN, dead_ground=grounds, unlined=True)
    writer(path.suffix, look)(scene, Report(system.name, system.edition, {}, ()), figure, path)

"""`deadground reach`: everywhere that a model can end a move, level by level, shaded by inches spent."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import shapely
from cyclopts import Parameter
from shapely.geometry.base import BaseGeometry

from deadground.scenes.document import read_scene
from deadground.scenes.model import Model
from deadground.scenes.reach import GRID, Reach
from deadground.scenes.rulings.wh40k_moving import FLYING_COSTS, reach_of
from deadground.viewer.chart_file import draw, view_for
from deadground.viewer.look import PLAIN_LOOK, Look
from deadground.viewer.moving import PLACES, check_rules, in_inches, model_named
from deadground.viewer.report_json import dumps
from deadground.viewer.spread import spread

__all__ = ["reach", "reach_values"]

Flag = Annotated[bool, Parameter(negative="")]


def reach(  # noqa: PLR0913  (each is an option of the command)
    scene: Annotated[Path, Parameter(help="A scene file (TOML).")],
    model: Annotated[str, Parameter(help="The model that moves (A/1).")],
    /,
    *,
    limit: Annotated[float, Parameter(help="How far it may move, in the file's unit.")],
    fly: Annotated[Flag, Parameter(help='It flies: 2" less, and nothing on the way counts.')] = False,
    ruleset: Annotated[str | None, Parameter(help="By this system instead of the scene's. Only 40k is known.")] = None,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="Draw it too, in a file such as reach.svg.")
    ] = None,
    json: Annotated[Flag, Parameter(help="Print JSON: polygons on the table, in inches.")] = False,
    allow_outside: Annotated[Flag, Parameter(help="Let the scene name files outside its own folder.")] = False,
    look: Look = PLAIN_LOOK,
) -> None:
    """Everywhere that a model can end a move: the places of its base's middle, on the ground and on every level.

    Costs are exact at places 0.4" apart and at the edges, and interpolated between. Slopes are crossed, not ended on.
    """
    table = read_scene(scene, allow_outside)
    mover = model_named(table, model)
    check_rules(table, ruleset, mover, fly)
    view = view_for(output, look)
    most = in_inches(table, limit, "--limit")
    levels = reach_of(table, mover, most, fly=fly)
    values = reach_values(mover, most, levels)
    sys.stdout.write(dumps(values) + "\n" if json else _words(values))
    if output is not None:
        left = max(0.0, most - FLYING_COSTS) if fly else most
        draw(table, spread(mover, left, levels, view), output, look)


def reach_values(model: Model, limit: float, levels: Sequence[Reach]) -> dict[str, Any]:
    """A reach as plain values. Lengths in inches, areas in square inches."""
    return {
        "schema": 1,
        "model": model.name,
        "limit": round(limit, PLACES),
        "resolution": GRID,
        "levels": [
            {"height": round(float(level.height), PLACES), **_polygons(level.region),
             "bands": [{"inches": inches, **_polygons(region)} for inches, region in level.bands]}
            for level in levels
        ],
    }  # fmt: skip


def _polygons(geometry: BaseGeometry) -> dict[str, Any]:
    parts = [part for part in shapely.get_parts(geometry) if isinstance(part, shapely.Polygon)]
    rings = [{"outline": _ring(part.exterior), "holes": [_ring(hole) for hole in part.interiors]} for part in parts]
    return {"area": round(float(shapely.area(geometry)), PLACES), "polygons": rings}


def _ring(ring: BaseGeometry) -> list[list[float]]:
    return [[round(x, PLACES) + 0.0, round(y, PLACES) + 0.0] for x, y in shapely.get_coordinates(ring)[:-1].tolist()]


def _words(values: Mapping[str, Any]) -> str:
    lines = [f"{values['model']} within {values['limit']:g}″:"]
    for level in values["levels"]:
        name = "on the ground" if level["height"] == 0 else f"at height {level['height']:.2f}″"
        least = level["bands"][0]["inches"]
        lines.append(f"  {name}: {level['area']:.1f} square inches, the nearest for {least:g}″ or less")
    return "\n".join(lines if values["levels"] else [*lines, "  nowhere"]) + "\n"

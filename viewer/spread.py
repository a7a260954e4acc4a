"""Everywhere that a model can end a move as a figure: shaded by inches spent, each floor in its own colour."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.units import TOUCH
from deadground.scenes.model import Model
from deadground.scenes.reach import Reach
from deadground.viewer import theme
from deadground.viewer.chart import SHOWN, Chart, Floor, Region
from deadground.viewer.course import leg_length
from deadground.viewer.words import inch_words

__all__ = ["shades", "spread"]

BANDS = 4
"""Most shades of one floor."""
HAIR = 0.01
"""Inches. Slits and spikes thinner than twice this come from interpolation and are not drawn."""
SLIVER = 0.02
"""Square inches; less of a band is not drawn."""


def spread(
    model: Model, limit: float, levels: Sequence[Reach], view: str, *, hue: int = 0, whose: bool = False
) -> Chart:
    """The figure of a reach. limit : inches that it was worked out for, reductions taken off.

    hue : of the lowest floor, for another than the first; whose : the legend says of which model each shade is
    """
    own = f"{model.name}, " if whose else ""
    regions = [
        replace(region, called=f"{own}{region.called}")
        for number, level in enumerate(levels, hue) for region in _regions(level, limit, theme.hue_of(number))
    ]  # fmt: skip
    floors = [Floor(level.height, _floor_title(level.height)) for level in levels]
    title = f"Where {model.name} can end a move of {inch_words(limit)}"
    said = ["Shaded: where the middle of its base can come to stand, darker where it costs less."]
    return Chart(
        "reach", title, view=view, show=SHOWN, about=(model.name,), regions=tuple(regions),
        floors=tuple(floors or [Floor(0.0, "On the ground")]), said=tuple(said if regions else ["It can end nowhere."]),
    )  # fmt: skip


def _floor_title(height: float) -> str:
    return "On the ground" if height <= TOUCH else f"On the floor at {leg_length(height)}"


def steps(limit: float) -> list[float]:
    """The inches at which the shades change: whole ones, the limit last."""
    step = max(1, math.ceil(limit / BANDS))
    return [*(float(k) for k in range(step, math.ceil(limit), step)), limit]


def _regions(level: Reach, limit: float, hue: tuple[str, str]) -> Iterator[Region]:
    """What each band adds to the one before."""
    edges = steps(limit)
    before: BaseGeometry = shapely.Polygon()
    least = 0.0
    name = "ground" if level.height <= TOUCH else f"at {leg_length(level.height)}"
    for edge, colour in zip(edges, shades(*hue, len(edges)), strict=True):
        within = max((band for band in level.bands if band[0] <= edge + TOUCH), default=None, key=lambda band: band[0])
        if within is not None:
            whole = _clean(within[1])
            shape = shapely.difference(whole, before)
            kept = [p for p in shapely.get_parts(shape) if isinstance(p, shapely.Polygon) and p.area > SLIVER]
            span = f"{inch_words(least)} to {inch_words(edge)}" if least else f"up to {inch_words(edge)}"
            if kept:
                yield Region(level.height, shapely.MultiPolygon(kept), f"{name}: {span}", inch_words(edge), colour)
            before = whole
        least = edge


def _clean(shape: BaseGeometry) -> BaseGeometry:
    """The shape without slits and spikes; its corners stay."""
    for distance in (HAIR, -2 * HAIR, HAIR):
        shape = shape.buffer(distance, join_style="mitre")
    return shape


def shades(dark: str, pale: str, count: int) -> list[str]:
    """Colours in even steps from dark to pale."""
    ends = [[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in (dark, pale)]
    shares = [k / max(1, count - 1) for k in range(count)]
    mixed = [[round(a + share * (b - a)) for a, b in zip(*ends, strict=True)] for share in shares]
    return ["#" + "".join(f"{part:02x}" for part in parts) for parts in mixed]

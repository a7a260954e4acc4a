"""The part of a draw list that shows moves: where a model ends, its way, and everywhere it can end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from deadground.geometry.plates import Array
from deadground.viewer import theme
from deadground.viewer.chart import Ghost, Region
from deadground.viewer.forms import drum, polygons, slab
from deadground.viewer.palette import in_palette
from deadground.viewer.sheet import FLAT, LIFT, Sheet, shifted
from deadground.viewer.subject import base_rim
from deadground.viewer.things import Label, Look, Path, Surface, Thing

__all__ = ["charted"]

UNSEEN = 0.4
"""Opacity of the outline of a shade where something solid hides it."""
THIN = 0.3
"""Opacity of a model where it does not stand yet."""


def charted(sheet: Sheet) -> Iterator[Thing]:
    """Everything of a chart; nothing of another figure."""
    chart = sheet.subject.chart
    if chart is None:
        return
    for number, region in enumerate(chart.regions, 1):
        yield from region_things(sheet, f"{region.called} {number}", region)
    for ghost in chart.ghosts:
        yield from ghost_things(sheet, ghost)
    yield from (replace(thing, look=in_palette(thing.look, sheet.palette)) for thing in chart.things)


def region_things(sheet: Sheet, name: str, region: Region) -> Iterator[Thing]:
    """A shade on its floor, and its inches."""
    form = slab(region.shape, shifted(FLAT, region.height + 2 * LIFT))
    look = Look(region.colour, opacity=theme.REACH_OPACITY, edge=sheet.palette.edge, width=0.5)
    words = f"{region.called}."
    yield Thing("reach", name, Surface(form.vertices, form.faces, form.edges), look, words, region.called)
    faint = Look(sheet.palette.edge, width=0.9, ghost=UNSEEN)  # shows the shade under floors too
    for part, outline in enumerate(polygons(region.shape), 1):
        ring = level(np.asarray(outline.exterior.coords)[:-1, :2], region.height + 2 * LIFT)
        yield Thing("ring", f"{name} outline {part}", Path(ring, closed=True), faint, words)
    if sheet.shows("labels"):
        at = max(region.shape.geoms, key=lambda part: part.area).representative_point()
        label = Label(np.array([at.x, at.y, region.height + 2 * LIFT]), region.text, rank=3, on=True)
        yield Thing("measure", name, label, Look(sheet.palette.ink, casing=sheet.palette.paper))


def ghost_things(sheet: Sheet, ghost: Ghost) -> Iterator[Thing]:
    """A model that is seen through, the rims of its base and its top, and what is said of its place."""
    model = replace(ghost.model, mesh=None)
    rim, top = base_rim(model), model.foot + model.height
    sides = list(dict.fromkeys(unit.side for unit in sheet.scene.units))
    ink = sheet.palette.ink if ghost.legal else sheet.palette.wrong
    fill = theme.side_look(model.side, sides.index(model.side)).fill
    body = Look(fill, opacity=THIN, edge=ink, width=0.7)
    yield Thing("ghost", f"{model.name} {ghost.words}", drum(rim, model.foot, top), body, ghost.words)
    line = Look(ink, width=1.6, dash=(4.0, 2.5), ghost=0.6)
    foot = Path(level(rim, model.foot + LIFT), closed=True)
    yield Thing("ring", f"{model.name} {ghost.words}", foot, line, ghost.words)
    corners = np.vstack([level(rim, model.foot), level(rim, top)])
    label = Label(np.array([model.x, model.y, top]), ghost.words, rank=0, around=corners)
    yield Thing("measure", ghost.words, label, Look(ink, casing=sheet.palette.paper))


def level(rim: Array, height: float) -> Array:
    """(n, 3) an outline at a height."""
    return np.column_stack([rim, np.full(len(rim), height)])

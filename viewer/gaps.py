"""Gaps as they are drawn: a hatched panel where Solid closes them, an outline where they stay open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.units import TOUCH
from deadground.meshes.piece import Opening
from deadground.scenes.barriers import Strip
from deadground.scenes.placing import placed_mesh
from deadground.scenes.terrain import Feature
from deadground.viewer.forms import Frame, hatching, outline_edges, raised, slab
from deadground.viewer.section import is_taken
from deadground.viewer.sheet import FLAT, LIFT, Sheet, shifted
from deadground.viewer.things import Look, Surface, Thing
from deadground.viewer.words import opening_words

__all__ = ["gaps"]

CLOSED = "gap closed by Solid"
OPEN = "gap that stays open"
FILL = 0.8
"""Share of the wall's thickness that the panel in a closed gap takes, so that the gap's frame stays in sight."""
STEPS = (0.08, 0.3)
"""Inches between hatching lines, in the smallest and in the largest gap."""


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """An opening on the table: its name, its plane, and the parts of its outline that are closed and free."""

    name: str
    opening: Opening
    frame: Frame
    shut: BaseGeometry
    free: BaseGeometry
    words: str


def gaps(sheet: Sheet) -> Iterator[Thing]:
    """Every opening of the features that are drawn, and the narrow strips between features that count as gaps."""
    above = sheet.figure.view == "plan"
    for feature in sheet.subject.features:
        heights = sheet.subject.closed.get(feature.name, {})
        for opening in feature.piece.openings:
            if sheet.sectioned and sheet.cut and is_taken(sheet.cut, feature, opening, sheet.subject.verdicts):
                continue
            gap = gap_of(feature, opening, heights.get(opening.id))
            flat = above and opening.kind == "wall"
            yield from over_the_wall(sheet, feature, gap) if flat else in_the_wall(sheet, gap)
    for strip in sheet.subject.strips:
        yield strip_thing(sheet, strip)


def gap_of(feature: Feature, opening: Opening, height: float | None) -> Gap:
    """Height : up to which it is closed, inches above the feature's foot; None for not at all."""
    turn = feature.rotation
    frame = turn @ opening.origin + feature.shift, turn @ opening.along, turn @ opening.up
    shut = opening.closed_part(height) if height is not None else shapely.Polygon()
    free = opening.outline.difference(shut)
    return Gap(f"{feature.name}:{opening.id}", opening, frame, shut, free, opening_words(feature.name, opening, height))


def in_the_wall(sheet: Sheet, gap: Gap) -> Iterator[Thing]:
    """The gap where it is."""
    if gap.shut.area > TOUCH:
        form, step = panel(gap), hatch_step(gap.shut)
        kept = form if sheet.sectioned else sheet.behind(form)
        yield Thing("closed-gap", gap.name, kept, closed_look(sheet), gap.words, CLOSED)
        if sheet.cut is not None and not sheet.sectioned and len((face := sheet.cut.face(form, hatch=step)).faces):
            yield Thing("closed-gap", f"{gap.name} cut", face, closed_look(sheet), gap.words, CLOSED)
    if gap.free.area > TOUCH and sheet.shows("openings"):
        faces = (shifted(gap.frame, w) for w in (gap.opening.near, gap.opening.far))
        edges = np.concatenate([outline_edges(gap.free, face) for face in faces])
        kept = bare(edges) if sheet.sectioned else sheet.behind(bare(edges))
        yield Thing("open-gap", gap.name, kept, open_look(sheet), gap.words, OPEN)


def over_the_wall(sheet: Sheet, feature: Feature, gap: Gap) -> Iterator[Thing]:
    """The gap as a plan shows it: over the wall's top, which would hide it."""
    (low, _, high, _), (origin, along, up) = gap.opening.outline.bounds, gap.frame
    near, far, across = gap.opening.near, gap.opening.far, np.cross(along, up)
    corners = ((low, near), (high, near), (high, far), (low, far))
    shape = shapely.Polygon([(origin + u * along + w * across)[:2] for u, w in corners])
    top = float(placed_mesh(feature).bounds[1, 2])
    if sheet.sectioned and sheet.cut is not None:
        top = min(top, float(sheet.cut.origin[2]) + TOUCH)
    frame = shifted(FLAT, top + LIFT)
    if gap.shut.area > TOUCH:
        yield Thing("closed-gap", gap.name, hatched(shape, frame), closed_look(sheet), gap.words, CLOSED)
    if gap.free.area > TOUCH and sheet.shows("openings"):
        edges = outline_edges(shape, shifted(frame, LIFT))
        yield Thing("open-gap", gap.name, bare(edges), open_look(sheet), gap.words, OPEN)


def strip_thing(sheet: Sheet, strip: Strip) -> Thing:
    """A narrow gap between two features, filled."""
    form, lid = raised(strip.outline, FLAT, strip.foot, strip.top), shifted(FLAT, strip.top + TOUCH)
    edges = np.concatenate([form.edges, hatching(strip.outline, lid, hatch_step(strip.outline))])
    words = f"Small gap between {' and '.join(strip.features)}: closed."
    whole = Surface(form.vertices, form.faces, edges)
    filled = whole if sheet.sectioned else sheet.behind(whole)
    return Thing("closed-gap", "+".join(strip.features), filled, closed_look(sheet), words, CLOSED)


def closed_look(sheet: Sheet) -> Look:
    """Tinted and hatched."""
    return Look(sheet.palette.closed, opacity=0.85, edge=sheet.palette.closed_edge, width=1.1)


def open_look(sheet: Sheet) -> Look:
    """A frame in the colour of clear lines."""
    return Look(sheet.palette.clear, edge=sheet.palette.clear, width=1.5)


def panel(gap: Gap) -> Surface:
    """A panel that fills the closed part, a little thinner than the wall, hatched on both faces."""
    middle, half = (gap.opening.near + gap.opening.far) / 2, FILL * (gap.opening.far - gap.opening.near) / 2
    near, far = middle - half, middle + half
    body, step = raised(gap.shut, gap.frame, near, far), hatch_step(gap.shut)
    hatch = [hatching(gap.shut, shifted(gap.frame, w), step) for w in (near - TOUCH, far + TOUCH)]
    return Surface(body.vertices, body.faces, np.concatenate([body.edges, *hatch]))


def hatched(shape: BaseGeometry, frame: Frame) -> Surface:
    """A flat shape with hatching."""
    form = slab(shape, frame)
    lines = hatching(shape, shifted(frame, TOUCH), hatch_step(shape))
    return Surface(form.vertices, form.faces, np.concatenate([form.edges, lines]))


def hatch_step(shape: BaseGeometry) -> float:
    """Inches between hatching lines: a fifth of the shape's smaller extent, within reason."""
    low_u, low_v, high_u, high_v = shape.bounds
    return float(np.clip(min(high_u - low_u, high_v - low_v) / 5, *STEPS))


def bare(edges: Array) -> Surface:
    """Lines alone."""
    return Surface(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64), edges)

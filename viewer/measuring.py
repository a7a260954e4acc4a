"""Dimension arrows: what is printed on them is measured, between points, units and models."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.units import ARC_ERROR, TIE, TOUCH
from deadground.scenes.figure import Anchor, Measure
from deadground.scenes.model import Model
from deadground.scenes.placing import base_outline
from deadground.viewer import theme
from deadground.viewer.judging import expected
from deadground.viewer.phrases import unit_of
from deadground.viewer.setting import Setting
from deadground.viewer.things import Label, Look, Path, Thing
from deadground.viewer.words import inch_words

__all__ = ["Span", "measured_words", "measures", "models_at", "span"]

DASH: Final = (2.0, 2.5)
"""Of the line from a part of a length to the place it leads to."""
SPOTS: Final = (0.5, 0.38, 0.62, 0.26, 0.74)
"""Where the length may stand, as shares of the arrow."""
BESIDE: Final = 0.45
"""Inches from a line of sight to the arrow that measures the same."""
CLEAR_OF: Final = 0.03
"""Inches by which an arrow is drawn over the ground, so that it is seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """The closest two points of two places (3,), and how far they are apart. slack : how exactly that is known."""

    start: Array
    end: Array
    inches: float
    slack: float = TIE


def measures(setting: Setting) -> Iterator[Thing]:
    """An arrow with its length for each measure of the figure. SceneError for one of no length."""
    for number, measure in enumerate(setting.figure.measures):
        yield from _arrow(setting, number, measure)


def _arrow(setting: Setting, number: int, measure: Measure) -> Iterator[Thing]:
    key = f"measures[{number}]"
    ends = [_places(setting, end, key) for end in (measure.start, measure.end)]
    whole = min((span(a, b) for a in ends[0] for b in ends[1]), key=lambda each: each.inches)
    found = part_of(whole, measure.along)
    if found.inches <= TOUCH:
        raise setting.wrong(key, "expected two places that are apart, found no distance between them")
    length = measured_words(found.inches, found.slack)
    words = f"{length} {_way(measure)}from {_named(measure.start)} to {_named(measure.end)}."
    name, ink, by = f"measure {number + 1}", setting.palette.ink, shift(whole, aside_of(setting, measure))
    line = Look(ink, width=theme.DIMENSION.width, casing=setting.palette.paper, ghost=0.6)
    points = np.array([found.start, found.end]) + by
    yield from _rest(setting, (whole.start, points[0], points[1], whole.end), name)
    yield Thing("dimension", name, Path(points, heads=True), line, words)
    spots = [points[0] + share * (points[1] - points[0]) for share in SPOTS]
    label = Label(spots[0], f"{measure.text} {length}".strip(), rank=-1, spots=np.array(spots[1:]))
    yield Thing("dimension", name, label, Look(ink, casing=setting.palette.paper), words)


def aside_of(setting: Setting, measure: Measure) -> float:
    """How far aside the arrow is drawn: as the author says, else beside a line of sight that it would cover."""
    if measure.aside is not None:
        return measure.aside
    if measure.along == "up" or not isinstance(measure.start, str) or not isinstance(measure.end, str):
        return 0.0
    pair = {measure.start, measure.end}
    drawn = [{v.observer, unit_of(v.observer), v.target, unit_of(v.target)} for v in setting.verdicts]
    return BESIDE if any(pair <= names for names in drawn) else 0.0


def shift(whole: Span, aside: float) -> Array:
    """(3,) by which an arrow is moved: to its left, seen from above, and off the ground so that it is seen."""
    x, y, _ = whole.end - whole.start
    reach = math.hypot(x, y)
    left = np.array([-y / reach, x / reach, 0.0]) if reach > TOUCH else np.array([-1.0, 0.0, 0.0])
    by: Array = aside * left + np.array([0.0, 0.0, CLEAR_OF])
    return by


def _rest(setting: Setting, points: tuple[Array, Array, Array, Array], name: str) -> Iterator[Thing]:
    """Faint lines from the ends of an arrow to the places that it measures, where they lie elsewhere."""
    look = Look(setting.palette.quiet, width=0.9, dash=DASH, ghost=0.5)
    for number, (end, place) in enumerate(((points[1], points[0]), (points[2], points[3]))):
        if float(np.linalg.norm(end - place)) > CLEAR_OF + TOUCH:
            yield Thing("dimension", f"{name} rest {number}", Path(np.array([end, place])), look)


def _way(measure: Measure) -> str:
    return f"{measure.along} " if measure.along else ""


def _named(place: Anchor) -> str:
    """A place in words."""
    if isinstance(place, str):
        return f"the base of {place}"
    return f"({', '.join(f'{value:g}' for value in place)})"


def _places(setting: Setting, place: Anchor, key: str) -> list[Model | Array]:
    if isinstance(place, str):
        return list(models_at(setting, place, key))
    return [np.array(place, dtype=np.float64)]


def models_at(setting: Setting, name: str, key: str) -> tuple[Model, ...]:
    """The models of a unit, or the one model, of that name. SceneError if there is none."""
    units = {unit.name: unit.models for unit in setting.scene.units}
    known = units | {model.name: (model,) for model in setting.scene.models}
    if name not in known:
        raise setting.wrong(key, expected(known, name, "a unit or a model of the scene"))
    return known[name]


def span(one: Model | Array, other: Model | Array) -> Span:
    """The shortest line between two places: from a base's edge, at its foot, as distances are measured. Symmetric."""
    (x, y, low), (u, v, high) = _middle(one), _middle(other)
    first, second, apart = _radius(one), _radius(other), math.hypot(u - x, v - y)
    if first is not None and second is not None and apart > first + second:
        away = np.array([(u - x) / apart, (v - y) / apart])
        flat = [np.array([x, y]) + first * away, np.array([u, v]) - second * away]
        slack = TIE
    else:
        flat = [np.asarray(end) for end in shapely.shortest_line(_shape(one), _shape(other)).coords]
        slack = 2 * ARC_ERROR
    start, end = np.array([*flat[0], low]), np.array([*flat[1], high])
    return Span(start, end, float(np.linalg.norm(end - start)), slack)


def part_of(whole: Span, along: str) -> Span:
    """The part of a line that runs up or across, "" for the whole."""
    if not along:
        return whole
    keep = np.array([0.0, 0.0, 1.0]) if along == "up" else np.array([1.0, 1.0, 0.0])
    end = whole.start + (whole.end - whole.start) * keep
    return Span(whole.start, end, float(np.linalg.norm(end - whole.start)), whole.slack)


def _middle(place: Model | Array) -> tuple[float, float, float]:
    if isinstance(place, Model):
        return place.x, place.y, place.foot
    return float(place[0]), float(place[1]), float(place[2])


def _radius(place: Model | Array) -> float | None:
    """Of a round base; 0 of a point, None of other bases."""
    if isinstance(place, Model):
        return place.base.length / 2 if place.base.shape == "round" else None
    return 0.0


def _shape(place: Model | Array) -> BaseGeometry:
    return base_outline(place) if isinstance(place, Model) else shapely.Point(*place[:2])


def measured_words(inches: float, slack: float = TIE) -> str:
    """A measured length with the inch sign, to a hundredth; one that is not quite a tenth never reads as one.

    slack : a length closer to a tenth than this is that tenth: 6 -> 6, 6.004 -> 6.004, 6.00003 -> just over 6
    """
    tenth = round(inches, 1)
    off = inches - tenth
    if abs(off) <= slack or round(inches, 2) != tenth:
        return inch_words(inches)
    if round(inches, 3) != tenth:
        return f"{inches:.3f}\N{DOUBLE PRIME}"
    return f"just {'over' if off > 0 else 'under'} {inch_words(tenth)}"

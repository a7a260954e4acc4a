"""What is written over the pictures of a piece: numbers of its openings, floors and findings, heights, the limit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import shapely

from deadground.geometry.plates import Array
from deadground.geometry.units import FOOT
from deadground.meshes.findings import Finding
from deadground.viewer import theme
from deadground.viewer.etching import Stain, in_sight
from deadground.viewer.forms import dashes, hatching
from deadground.viewer.labels import Box, Wanted, place
from deadground.viewer.lettering import text_width
from deadground.viewer.marks import Blot, Group, Text
from deadground.viewer.piece_views import Aspect, Picture, Studio
from deadground.viewer.words import INCH, inch_words

__all__ = ["Drawing", "Numbered", "drawing", "floor_letters", "ink_on", "swatch"]

SIZE: Final = 10.5
"""Of the numbers."""
LEFT: Final = 34.0
"""Drawing units before an elevation, for its ruler."""
RIGHT: Final = 58.0
"""Behind it, for what stands at its lines."""
PAD: Final = 3.0
"""Between a number and the edge of its tag."""
MOST_TAGS: Final = 60
"""Numbers in one picture; more would hide it."""
APART: Final = 12.0
"""Drawing units between the heights that are written beside an elevation."""
BEFORE: Final = 0.06
"""Inches before a finding's place that may be material: it lies on a skin."""
PIN: Final = 2.4
LEAST: Final = 500.0
"""Square drawing units of a floor in sight that is worth a tag."""
LIMIT_DASH: Final = (8.0, 3.0)


Leader = tuple[tuple[float, float], tuple[float, float]] | None


@dataclass(frozen=True, slots=True)
class Numbered:
    """A finding with the number that it has everywhere in a report."""

    number: int
    finding: Finding

    @property
    def tag(self) -> str:
        """What stands beside its place."""
        return f"!{self.number}"


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A picture with what is written over and beside it. size : of all; at : where the picture lies in it."""

    picture: Picture
    size: tuple[float, float]
    at: tuple[float, float]
    groups: tuple[Group, ...]
    words: str

    @property
    def aspect(self) -> Aspect:
        """What it shows."""
        return self.picture.aspect


def drawing(studio: Studio, picture: Picture, numbered: Sequence[Numbered]) -> Drawing:
    """The picture with its marks."""
    aspect = picture.aspect
    left, right = (LEFT, RIGHT) if aspect.upright else (0.0, 0.0)
    size = (aspect.size[0] + left + right, aspect.size[1])
    groups: list[Group] = []
    if aspect.upright:
        groups += [*_limit(studio, aspect, left), _ruler(studio, aspect, left), *_heights(studio, aspect, left)]
    page = Box(1, 1, size[0] - 1, size[1] - 1)
    used: list[Box] = [Box(0, 0, left - 2, size[1])] if left else []
    for made in (
        _findings(studio, picture, numbered, left),
        _openings(studio, picture, left),
        _floors(studio, picture),
    ):
        groups += _tagged(list(made), page, used)
    return Drawing(picture, size, (left, 0.0), tuple(groups), _said(picture, groups))


@dataclass(frozen=True, slots=True, eq=False)
class Tag:
    """A number to be put beside a thing. pin : (x, y) of a point that is marked as well."""

    wanted: Wanted
    fill: str
    line: str
    words: str
    pin: tuple[float, float] | None = None
    hollow: bool = False


def _openings(studio: Studio, picture: Picture, left: float) -> Iterator[Tag]:
    """Numbers of the openings in sight, the largest first."""
    shown = sorted(picture.openings.items(), key=lambda each: -float(np.prod(each[1][0][2:] - each[1][0][:2])))
    gaps = {gap.id: gap for gap in studio.openings}
    for number, (box, point) in shown[:MOST_TAGS]:
        gap, stain = gaps[number], studio.stain(gaps[number])
        words = str(number) if gap.sure else f"{number}?"
        said = f"Opening {number}: {studio.reading.states[number]}{'' if gap.sure else ', possible'}."
        yield Tag(Wanted(words, _around(box, point, left), SIZE, inside=True, bold=True), "#ffffff", stain.line, said)


def _around(box: Array, point: Array, left: float) -> Box:
    """The part of a box round a point that is as far from it on both sides: what is in sight may be lopsided."""
    x, y = point
    across, down = min(x - box[0], box[2] - x), min(y - box[1], box[3] - y)
    return Box(x - across + left, y - down, x + across + left, y + down)


def floor_letters(count: int) -> list[str]:
    """What floors are called: A, B, .. (at most 26 are told)."""
    return [chr(ord("A") + number) for number in range(count)]


def _floors(studio: Studio, picture: Picture) -> Iterator[Tag]:
    """Letters and heights of the floors in sight; in elevations their heights stand beside."""
    if picture.aspect.upright:
        return
    letters = floor_letters(len(studio.piece.floors))
    for number, (box, point) in sorted(picture.floors.items()):
        floor, ground = studio.piece.floors[number], studio.grounds[number]
        height = f"{floor.height:.2f}" if floor.level else f"{floor.low:.1f}-{floor.height:.1f}"
        words = f"{letters[number]} {height}{INCH}"
        around = _around(box, point, 0.0)
        roomy = around.right - around.left > text_width(words, SIZE) or picture.aspect.name != "shoulder"
        if roomy and float(np.prod(box[2:] - box[:2])) >= LEAST:
            said = f"Floor {letters[number]}, {height} inches high."
            yield Tag(Wanted(words, around, SIZE, inside=True), ground.colour, theme.INK, said)


def _findings(studio: Studio, picture: Picture, numbered: Sequence[Numbered], left: float) -> Iterator[Tag]:
    """Numbers of the findings that have a place: in the large picture all, hollow where they are hidden."""
    placed = [one for one in numbered if one.finding.at is not None]
    if not placed or picture.aspect.level is not None:
        return
    points = studio.standing(np.array([one.finding.at for one in placed], dtype=np.float64))
    seen = in_sight(studio.sitter, points, picture.aspect.camera, BEFORE + 3 * studio.piece.noise)
    whole = picture.aspect.name == "shoulder"
    for one, (x, y), shown in zip(placed, picture.aspect.flat(points), seen, strict=True):
        if shown or whole:
            pin = (float(x) + left, float(y))
            box = Box(pin[0] - PIN, pin[1] - PIN, pin[0] + PIN, pin[1] + PIN)
            colour = theme.LEVELS[one.finding.level]
            said = f"Finding {one.number}: {one.finding.message}"
            yield Tag(Wanted(one.tag, box, SIZE, bold=True), colour, colour, said, pin, hollow=not shown)


def _tagged(tags: Sequence[Tag], page: Box, used: list[Box]) -> Iterator[Group]:
    """Tags in their places: never over one that is placed already, and rather not over another's thing."""
    things = [tag.wanted.thing.shape for tag in tags if tag.wanted.inside]
    for tag in tags:
        (found,) = place([tag.wanted], page, things, used) or (None,)
        if found is None:
            continue
        width = text_width(tag.wanted.words, SIZE, bold=tag.wanted.bold) + 2 * PAD
        x, y = found.box.middle
        box = Box(x - width / 2, y - SIZE * 0.68, x + width / 2, y + SIZE * 0.68)
        used.append(box)
        yield Group(f"tag-{tag.wanted.words}", tag.words, tuple(_tag_parts(tag, box, found.leader)))


def _tag_parts(tag: Tag, box: Box, leader: Leader) -> Iterator[Blot | Text]:
    if leader is not None:
        yield Blot(shapely.LineString(leader).buffer(0.45, cap_style="flat"), tag.line)
    if tag.pin is not None:
        spot = shapely.Point(tag.pin).buffer(PIN, quad_segs=4)
        yield Blot(spot.buffer(1.0, quad_segs=4), "#ffffff")
        yield Blot(spot.boundary.buffer(0.6) if tag.hollow else spot, tag.line)
    round_box = box.shape.buffer(-2).buffer(2, quad_segs=1)
    fill = "#ffffff" if tag.hollow else tag.fill
    yield Blot(round_box.buffer(0.55, join_style="mitre"), tag.line)
    yield Blot(round_box.buffer(-0.55, join_style="mitre"), fill)
    width = text_width(tag.wanted.words, SIZE, bold=tag.wanted.bold)
    at = (box.middle[0] - width / 2 * 0.93, box.middle[1] + 0.36 * SIZE)
    yield Text(at, tag.wanted.words, SIZE, ink_on(fill), bold=tag.wanted.bold)


def ink_on(fill: str) -> str:
    """Ink that is read on a colour."""
    red, green, blue = (int(fill[k : k + 2], 16) for k in (1, 3, 5))
    return theme.INK if 0.3 * red + 0.59 * green + 0.11 * blue > 128 else "#ffffff"


def _height(aspect: Aspect, height: float) -> float:
    """Where a height lies in an elevation, y down."""
    return float(aspect.flat(np.array([[0.0, 0.0, height]]))[0, 1])


def _limit(studio: Studio, aspect: Aspect, left: float) -> Iterator[Group]:
    """The height up to which Solid closes gaps, if the piece reaches it."""
    limit = studio.reading.limit
    y = _height(aspect, limit)
    if y < 8 or not studio.openings:
        return
    line = np.array([[left - 4, y], [left + aspect.size[0] + 4, y]])
    parts = [shapely.LineString(part).buffer(0.6, cap_style="flat") for part in dashes(line, LIMIT_DASH)]
    words = Text((left + aspect.size[0] + 6, y - 3), f"Solid {inch_words(limit)}", SIZE - 1, theme.SOLID.colour)
    yield Group(
        "limit",
        f"Solid closes gaps up to {limit:g} inches.",
        (Blot(shapely.union_all(parts), theme.SOLID.colour), words),
    )


def _ruler(studio: Studio, aspect: Aspect, left: float) -> Group:
    """Inches up the left side, and the ground."""
    top = float(studio.sitter.bounds[1, 2])
    every = next(step for step in (1, 2, 5, 10, 50) if step * aspect.scale >= APART or step == 50)
    parts: list[Blot | Text] = []
    for inch in range(0, math.floor(top + FOOT) + 1, every):
        y = _height(aspect, inch)
        parts.append(Blot(shapely.box(left - 7, y - 0.4, left - 1, y + 0.4), theme.QUIET))
        words = f"{inch}{INCH}"
        parts.append(Text((left - 10 - text_width(words, SIZE - 1), y + 3.2), words, SIZE - 1, theme.QUIET))
    foot, lid = _height(aspect, 0), _height(aspect, top)
    parts.append(Blot(shapely.box(left - 1.4, lid, left - 0.6, foot), theme.QUIET))
    parts.append(Blot(shapely.box(left - 7, foot, left + aspect.size[0] + 4, foot + 1.2), theme.GROUND.colour))
    return Group("ruler", f"{inch_words(top)} high.", tuple(parts))


def _heights(studio: Studio, aspect: Aspect, left: float) -> Iterator[Group]:
    """The heights of the floors, down the right side."""
    taken = [_height(aspect, studio.reading.limit)] if studio.openings else []
    x = left + aspect.size[0]
    for floor, ground in zip(studio.piece.floors, studio.grounds, strict=True):
        y = _height(aspect, floor.height)
        if not floor.level or any(abs(y - other) < APART for other in taken):
            continue
        taken.append(y)
        chip = shapely.box(x - 4, y - 1.6, x + 3, y + 1.6)
        words = Text((x + 6, y + 3.4), f"{floor.height:.2f}{INCH}", SIZE - 1, theme.INK)
        parts = (Blot(chip, ground.colour), Blot(chip.boundary.buffer(0.3), theme.QUIET), words)
        yield Group(f"height-{floor.height:.3f}", f"A floor {floor.height:.3f} inches high.", parts)


def _said(picture: Picture, groups: Sequence[Group]) -> str:
    """What a picture shows, for those who cannot see it."""
    return " ".join([f"{picture.aspect.title}.", *dict.fromkeys(group.words for group in groups if group.words)])


def swatch(stain: Stain, width: float = 26.0, height: float = 15.0) -> tuple[Blot, ...]:
    """A sample of how gaps look, for a legend; its upper left corner at the origin."""
    box = shapely.box(1, 1, width - 1, height - 1)
    lines = hatching(box, (np.zeros(3), np.array([1.0, 0, 0]), np.array([0, 1.0, 0])), 5.0)[:, :, :2]
    both = [lines * [1, -1] + [0, height], lines][: stain.hatch]
    rim = dashes(np.asarray(box.exterior.coords), (2.5, 2.5) if stain.dotted else None)
    frame = shapely.union_all([shapely.LineString(part).buffer(0.7, cap_style="flat") for part in rim])
    hatch = [Blot(shapely.MultiLineString(list(each)).buffer(0.5), stain.line) for each in both]
    return Blot(box, stain.fill), *hatch, Blot(frame, stain.line)

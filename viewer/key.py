"""What stands under a vector drawing: its signs, its verdicts in words, and the rules it was judged by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from deadground.scenes.rulings.verdict import Report, Verdict
from deadground.scenes.scene import Scene
from deadground.viewer import theme
from deadground.viewer.lettering import text_width, wrapped
from deadground.viewer.phrases import changed_options, claims, sentence, unit_of
from deadground.viewer.subject import Subject
from deadground.viewer.svg import Element, element, group, stroke, text
from deadground.viewer.thing_plan import sign_element
from deadground.viewer.things import Look, Mark, Surface, Thing

__all__ = ["Key", "key_of", "key_of_several"]

SWATCH: Final = 30.0
ROW: Final = 19.0
LINE: Final = 16.0
HATCHED: Final = {"zone": (5, 1), "shade": (3, -1)}
"""Kinds of surfaces that are drawn with slanting lines over them: how many a swatch has, and which way they slant."""


@dataclass(frozen=True, slots=True)
class Sign:
    """One entry: how it is drawn (see `_swatch`), and what it means."""

    kind: str
    words: str
    fill: str = ""
    rims: int = 1
    look: Look | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """What stands under a drawing.

    rows : of signs; verdicts : (number, clear or not, lines of text) each; claims : what follows for shooting;
    small : the small print
    """

    rows: tuple[tuple[Sign, ...], ...]
    verdicts: tuple[tuple[int | None, bool, tuple[str, ...]], ...]
    claims: tuple[str, ...]
    small: tuple[str, ...]

    @property
    def height(self) -> float:
        """How much room it takes."""
        gaps = 6.0 + (8.0 if self.verdicts else 0.0) + (6.0 if self.claims else 0.0)
        return len(self.rows) * ROW + self._spoken + (len(self.claims) + len(self.small)) * LINE + gaps

    @property
    def _spoken(self) -> float:
        return sum(len(lines) for _, _, lines in self.verdicts) * LINE

    def group(self, left: float, top: float) -> Element:
        """The key with its upper left corner there."""
        after_rows = top + len(self.rows) * ROW + 8.0
        signs = group("legend", _row_parts(self.rows, left, top), "Legend") if self.rows else None
        said = group("verdicts", _verdict_parts(self.verdicts, left, after_rows), "Verdicts") if self.verdicts else None
        below = after_rows + self._spoken + 10.0
        told = [text((left, below + k * LINE), line) for k, line in enumerate(self.claims)]
        start = top + self.height - len(self.small) * LINE + 10.0
        small = [
            text((left, start + k * LINE), line, size=theme.SMALL_SIZE, colour=theme.QUIET)
            for k, line in enumerate(self.small)
        ]
        return element("g", {}, [signs, said, group("claims", told) if told else None, group("rules", small)])


def key_of(scene: Scene, report: Report, subject: Subject, room: float) -> Key:
    """The key of a figure, `room` wide. A figure without a legend keeps the small print."""
    return key_of_several([("", scene, report, subject)], room)


def key_of_several(figures: Sequence[tuple[str, Scene, Report, Subject]], room: float) -> Key:
    """One key of several figures side by side. figures : their letters, "" for a lone one, and what they show."""
    small = tuple(wrapped(_small_print([report for _, _, report, _ in figures]), room, theme.SMALL_SIZE))
    shown = [each for each in figures if "legend" in each[3].show]
    signs = {sign.words: sign for _, scene, _, subject in shown for sign in _signs(scene, subject)}
    spoken = tuple(each for letter, _, _, subject in shown for each in _spoken(letter, subject, room))
    said = [_lettered(letter, words) for letter, _, report, subject in shown for words in _told(report, subject)]
    told = tuple(line for words in dict.fromkeys(said) for line in wrapped(words, room))
    return Key(tuple(_rows(tuple(signs.values()), room)), spoken, told, small)


def _lettered(letter: str, words: str) -> str:
    return f"({letter}) {words}" if letter else words


def _spoken(letter: str, subject: Subject, room: float) -> Iterator[tuple[int | None, bool, tuple[str, ...]]]:
    """Each verdict in words, numbered where there are several."""
    numbered = len(subject.verdicts) > 1
    for k, verdict in enumerate(subject.verdicts, 1):
        words = _lettered(letter, sentence(verdict))
        yield k if numbered else None, verdict.visible, tuple(wrapped(words, room - SWATCH - 22))


def _told(report: Report, subject: Subject) -> list[str]:
    """What moves come to, and what follows from the lines for shooting."""
    return [*(subject.chart.said if subject.chart else ()), *_claimed(report, subject)]


def _claimed(report: Report, subject: Subject) -> Iterator[str]:
    """What follows for the pairs of units whose lines are drawn, where it was computed."""
    drawn = dict.fromkeys((unit_of(v.observer), unit_of(v.target)) for v in subject.verdicts)
    units = {(unit.attacker, unit.target): unit for unit in report.units}
    for pair in drawn:
        said = claims(units[pair]) if pair in units and units[pair].visible else []
        if said:
            yield f"{pair[0]} against {pair[1]}: {', '.join(said)}."


def _small_print(reports: Sequence[Report]) -> str:
    """By what rules the figures are judged, and the changed options that all of them share."""
    changed = [each for each in changed_options(reports[0]) if all(each in changed_options(r) for r in reports)]
    options = f" Options changed: {'; '.join(changed)}." if changed else ""
    return f"Judged by {reports[0].edition or reports[0].ruleset}.{options}"


def _signs(scene: Scene, subject: Subject) -> Iterator[Sign]:
    """A sign for each kind of thing that the figure shows."""
    yield from _line_signs(subject.verdicts)
    yield from _chart_signs(subject)
    openings = [(f, o) for f in subject.features for o in f.piece.openings]
    shut = [(f, o) for f, o in openings if o.id in subject.closed.get(f.name, {})]
    if shut or subject.strips:
        yield Sign("closed", "gap closed by Solid")
    if "openings" in subject.show and len(shut) < len(openings):
        yield Sign("open", "open gap")
    if subject.features:
        yield Sign("cut", "terrain, stronger where cut")
    if "areas" in subject.show and any(area.features != (area.name,) for area in scene.areas):
        yield Sign("area", "terrain area")
    if subject.ranges:
        yield Sign("range", "range from the base's edge")
    yield from _side_signs(scene, subject)


def _line_signs(verdicts: Sequence[Verdict]) -> Iterator[Sign]:
    drawn = [verdict for verdict in verdicts if verdict.line]
    if any(verdict.visible for verdict in drawn):
        yield Sign("clear", "clear line of sight")
    if any(not verdict.visible for verdict in drawn):
        yield Sign("blocked", "blocked line, cross where it stops")


def _chart_signs(subject: Subject) -> Iterator[Sign]:
    """Ways, climbs, marks and shades, each kind once."""
    own = [*(subject.chart.things if subject.chart else ()), *subject.things]
    for thing in {thing.legend: thing for thing in own if thing.legend}.values():
        yield _thing_sign(thing)
    for region in subject.chart.regions if subject.chart else ():
        yield Sign("band", region.called, region.colour)


def _thing_sign(thing: Thing) -> Sign:
    if isinstance(thing.shape, Surface):
        return Sign(thing.kind if thing.kind in HATCHED else "surface", thing.legend, look=thing.look)
    kind = thing.shape.sign if isinstance(thing.shape, Mark) else "way"
    return Sign(kind, thing.legend, look=thing.look)


def _side_signs(scene: Scene, subject: Subject) -> Iterator[Sign]:
    sides = list(dict.fromkeys(unit.side for unit in scene.units))
    present = {model.side for model in subject.models}
    for index, side in enumerate(sides):
        if side in present:
            look = theme.side_look(side, index)
            yield Sign("side", side, look.fill, look.rims)


def _wide(sign: Sign) -> float:
    return SWATCH + 6 + text_width(sign.words) + 18


def _rows(signs: Sequence[Sign], room: float) -> Iterator[tuple[Sign, ...]]:
    """The signs in rows that are no wider than `room`."""
    row: list[Sign] = []
    for sign in signs:
        if row and sum(map(_wide, row)) + _wide(sign) > room:
            yield tuple(row)
            row = []
        row.append(sign)
    if row:
        yield tuple(row)


def _row_parts(rows: Sequence[Sequence[Sign]], left: float, top: float) -> Iterator[Element]:
    for k, row in enumerate(rows):
        x, y = left, top + k * ROW + ROW / 2
        for sign in row:
            yield from _swatch(sign, x, y)
            yield text((x + SWATCH + 6, y + 4), sign.words)
            x += _wide(sign)


def _swatch(sign: Sign, x: float, y: float) -> Iterator[Element]:
    """A small picture of what the sign means, SWATCH wide, around the height y."""
    box: dict[str, float] = {"x": x + 5, "y": y - 6, "width": SWATCH - 10, "height": 12}
    boxes = {
        "closed": stroke(theme.GAP_EDGE, "url(#closed-gap)"), "open": stroke(theme.GAP_EDGE, theme.GAP_OPEN),
        "area": {**stroke(theme.AREA_EDGE, theme.AREA), "fill-opacity": theme.AREA_OPACITY},
        "cut": stroke(theme.TERRAIN_EDGE, theme.TERRAIN),
        "band": {**stroke(theme.Stroke(theme.INK, 0.6), sign.fill), "fill-opacity": theme.REACH_OPACITY},
    }  # fmt: skip
    if sign.kind in boxes:
        yield element("rect", {**box, **boxes[sign.kind]})
    if sign.kind == "cut":
        yield element("rect", {**box, "width": 8, **stroke(theme.CUT_EDGE, theme.CUT)})
    if sign.kind == "range":
        yield element("path", {"d": f"M{x:.2f} {y:.2f} h{SWATCH:.0f}", **stroke(theme.RANGE)})
    if sign.look is not None:
        yield from _thing_swatch(sign.kind, sign.look, x, y, box)
    if sign.kind in ("clear", "blocked"):
        yield from line_swatch(x, y, clear=sign.kind == "clear")
    for rim in range(sign.rims if sign.kind == "side" else 0):
        edge = theme.MODEL_EDGE if rim == 0 else theme.MODEL_RIM
        disc = {"cx": x + SWATCH / 2, "cy": y, "r": 8.0 - 2.5 * rim}
        yield element("circle", {**disc, **stroke(edge, sign.fill if rim == 0 else "none")})


def _thing_swatch(kind: str, look: Look, x: float, y: float, box: dict[str, float]) -> Iterator[Element]:
    """A piece of a thing that a figure shows beyond the table and its lines."""
    if kind == "surface" or kind in HATCHED:
        yield from _surface_swatch(box, look, *HATCHED.get(kind, (0, 1)))
    elif kind == "way":
        yield from _way_swatch(x, y, look)
    else:
        yield sign_element(kind, x + SWATCH / 2, y, look)


def _surface_swatch(box: dict[str, float], look: Look, lines: int, slant: int) -> Iterator[Element]:
    """A piece of a surface as it lies on the ground, with so many slanting lines."""
    edge = theme.Stroke(look.edge or "none", 0.9)
    yield element("rect", {**box, **stroke(edge, look.colour), "fill-opacity": look.opacity})
    run, step = slant * box["height"] / 2, box["width"] / (lines + 1)
    starts = [box["x"] + k * step - run / 2 for k in range(1, lines + 1)]
    for x in starts:
        low, high = box["y"] + box["height"], box["y"]
        yield element("path", {"d": f"M{x:.2f} {low:.2f} L{x + run:.2f} {high:.2f}", **stroke(edge)})


def _way_swatch(x: float, y: float, look: Look) -> Iterator[Element]:
    line, path = theme.Stroke(look.colour, look.width, look.dash or ()), {"d": f"M{x:.2f} {y:.2f} h{SWATCH - 4:.0f}"}
    if look.casing is not None:
        yield element("path", {**path, **stroke(replace(line, colour=theme.INK), wider=theme.CASING)})
    yield element("path", {**path, **stroke(line)})
    if look.core is not None:
        yield element("path", {**path, **stroke(replace(line, colour=look.core, width=theme.CORE * line.width))})


def line_swatch(x: float, y: float, *, clear: bool) -> Iterator[Element]:
    """A short line of sight, SWATCH long."""
    look, path = theme.CLEAR if clear else theme.BLOCKED, {"d": f"M{x:.2f} {y:.2f} h{SWATCH - 4:.0f}"}
    yield element("path", {**path, **stroke(theme.Stroke(theme.INK, look.width, look.dash), wider=theme.CASING)})
    yield element("path", {**path, **stroke(look)})
    end = x + SWATCH - 4
    if clear:
        head = f"M{end + 4:.2f} {y:.2f} l-9 -3.5 v7 Z"
        yield element("path", {"d": head, **stroke(theme.Stroke(theme.INK, 0.8), look.colour)})
    else:
        for width, colour in ((4.2, theme.INK), (2.4, look.colour)):
            cross = f"M{end - 4:.2f} {y - 4:.2f} l8 8 m-8 0 l8 -8"
            yield element("path", {"d": cross, **stroke(theme.Stroke(colour, width)), "stroke-linecap": "round"})


def _verdict_parts(
    verdicts: Sequence[tuple[int | None, bool, tuple[str, ...]]], left: float, top: float
) -> Iterator[Element]:
    """Each verdict as a sentence, after its number and a short line in its colour."""
    y = top + 4
    for number, clear, lines in verdicts:
        yield from line_swatch(left + 18, y, clear=clear)
        if number is not None:
            yield text((left + 10, y + 4), str(number), anchor="end", bold=True)
        for line in lines:
            yield text((left + 18 + SWATCH + 6, y + 4), line)
            y += LINE

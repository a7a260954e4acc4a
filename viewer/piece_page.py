"""What a page says of one piece: verdict and picture first, then all pictures, tables and findings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import trimesh

from deadground.meshes.findings import Level
from deadground.meshes.inspection import Inspection
from deadground.scenes.rulings.wh40k_piece import PieceReading
from deadground.viewer import theme
from deadground.viewer.looked import Looked
from deadground.viewer.markup import Markup, empty, raw, tag
from deadground.viewer.piece_marks import Drawing, Numbered, drawing, swatch
from deadground.viewer.piece_svg import LEGEND, drawing_element, legend_element, picture_element
from deadground.viewer.piece_tables import chip, tables
from deadground.viewer.piece_views import MOST_OPENINGS, Picture, Studio
from deadground.viewer.piece_words import (
    TITLES,
    Sentence,
    floors_said,
    gaps_said,
    repair_said,
    sentence_of,
    size_lines,
)
from deadground.viewer.turntable import turntable_data
from deadground.viewer.words import inch_words

__all__ = ["ALONE", "Allowance", "Chapter", "chapter", "numbered", "pictures_of"]

TURNS: Final = (("Front", "0 12"), ("Right", "90 12"), ("Back", "180 12"), ("Left", "270 12"), ("Above", "0 90"))
"""Buttons of the turntable: azimuth and elevation."""
HOLD: Final = "The piece, to turn: drag it, or use the arrow keys, + and -"
THUMB: Final = (240.0, 168.0)
"""Points of the picture in a row of many."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How much of a page one piece may fill.

    large, small : drawing units across and down of the first picture, and of the others; fine : points to the unit
    triangles : of the turntable, 0 for none
    """

    large: tuple[float, float] = (620.0, 450.0)
    small: tuple[float, float] = (470.0, 430.0)
    fine: float = 1.25
    triangles: int = 60_000


ALONE: Final = Allowance()


@dataclass(frozen=True, slots=True)
class Chapter:
    """What a page says of one piece, ready to be put on it.

    level : the worst that was found; tone : of its verdict, "ok" where it is fit for the table
    cells : of its row among many; thumb : a small picture; body : all the rest
    """

    name: str
    level: Level
    tone: Level
    cells: tuple[str, ...]
    thumb: Markup
    body: Markup


def numbered(looked: Looked) -> list[Numbered]:
    """The findings that are not in order, worst first, numbered from 1."""
    found = [finding for finding in looked.findings if finding.level != "ok"]
    return [Numbered(number, finding) for number, finding in enumerate(found, 1)]


def pictures_of(studio: Studio, marks: Sequence[Numbered], given: Allowance) -> list[Drawing]:
    """All pictures of a piece, the large one first."""
    scale = studio.scale(*given.small)
    aspects = [studio.shoulder(*given.large), *studio.sides(scale), studio.above(scale), *studio.plans(scale)]
    return [drawing(studio, studio.take(aspect, given.fine), marks) for aspect in aspects]


def chapter(looked: Looked, mesh: trimesh.Trimesh | None, key: str, given: Allowance) -> Chapter:
    """Everything about one piece. mesh : what was inspected; key : told apart from all other pieces of the page."""
    said = sentence_of(looked)
    if looked.piece is None or looked.reading is None or mesh is None:
        body = _first(looked, said, (), empty)
        return Chapter(looked.name, "error", "error", (said.headline, said.lead), empty, body)
    marks, studio = numbered(looked), Studio.of(mesh, looked.piece, looked.reading)
    shown = pictures_of(studio, marks, given)
    turning = _turntable(studio, shown[0], marks, key, given)
    thumb = Markup(picture_element(_small(shown[0].picture)))
    body = Markup(_first(looked, said, marks, turning) + _pictures(shown[1:], looked.piece) + tables(looked, marks))
    cells = said.headline, said.lead, gaps_said(looked.piece, looked.reading), floors_said(looked.piece)
    return Chapter(looked.name, looked.level, said.level, cells, thumb, body)


def _small(picture: Picture) -> Picture:
    """The same picture in few points."""
    image = picture.image.copy()
    image.thumbnail(THUMB)
    return replace(picture, image=image)


def _first(looked: Looked, said: Sentence, marks: Sequence[Numbered], picture: Markup) -> Markup:
    """The first screen: whether it is fit, what to do, and how it looks."""
    size = tag("p", {"class": "size"}, size_lines(looked, looked.piece)[0]) if looked.piece else None
    verdict = tag("div", {"class": f"say {said.level}"}, tag("h2", None, said.headline), tag("p", None, said.lead))
    todo = [_todo(one) for one in marks if one.finding in said.first]
    heading = "Good to know" if said.level == "ok" else "What to do"
    own = tag("p", {"class": "quiet"}, repair_said(looked)) if repair_said(looked) else empty
    advice = [tag("h2", None, heading), tag("ol", {"class": "todo"}, *todo), own] if todo else []
    facts = tag("div", {"class": "do"}, *advice, *_rules(looked.reading, looked.piece))
    return Markup((size or "") + tag("section", {"class": "first"}, verdict, picture or None, facts))


def _todo(one: Numbered) -> Markup:
    finding = one.finding
    badge = tag("span", {"class": "badge"}, one.tag)
    title = tag("b", None, badge, f" {TITLES[finding.code]}")
    return tag("li", {"class": finding.level}, title, f"{finding.message} ", tag("strong", None, finding.remedy))


def _rules(reading: PieceReading | None, piece: Inspection | None) -> Iterator[Markup]:
    """What the rules make of it, in a few lines."""
    if reading is None or piece is None:
        return
    told = {finding.code: finding.message for finding in reading.findings}
    lines = [told["category"], gaps_said(piece, reading), floors_said(piece)]
    lines += [told["first-floor"]] if reading.first_floor is not None else []
    yield tag("h2", None, f"What Warhammer 40,000 makes of it (Solid to {inch_words(reading.limit)})")
    yield tag("ul", {"class": "facts"}, *(tag("li", None, line) for line in [*lines, told["sections"]]))


def _turntable(studio: Studio, shown: Drawing, marks: Sequence[Numbered], key: str, given: Allowance) -> Markup:
    """The large picture, which turns once it is asked to."""
    if not given.triangles:
        return tag("figure", {"class": "look"}, drawing_element(shown))
    data = turntable_data(studio, shown.aspect, marks, given.triangles)
    hands = [tag("button", {"type": "button", "data-turn": turn}, name) for name, turn in TURNS]
    hands += [tag("button", {"type": "button", "data-zoom": by, "aria-label": f"Zoom {words}"}, sign)
              for sign, by, words in (("+", "1.25", "in"), ("-", "0.8", "out"))]  # fmt: skip
    canvas = tag("canvas", {"tabindex": "0", "role": "img", "aria-label": HOLD})
    thin = f"Thinned out to {data['triangles']:,} triangles for this view." if data["thinned"] else ""
    note = tag("p", {"class": "quiet hands"}, f"Drag to turn; arrow keys, + and -, Home. {thin}")
    start = tag("button", {"type": "button", "class": "start", "hidden": True}, "Turn it in 3D")
    held = tag(
        "script", {"type": "application/json", "id": f"{key}-data"}, raw(json.dumps(data).replace("<", "\\u003c"))
    )
    figure = {"class": "look turntable", "data-piece": f"{key}-data"}
    return tag(
        "figure", figure, drawing_element(shown), start, canvas, tag("div", {"class": "hands"}, *hands), note, held
    )


def _pictures(shown: Sequence[Drawing], piece: Inspection) -> Markup:
    figures = [tag("figure", None, tag("figcaption", None, each.aspect.title), drawing_element(each)) for each in shown]
    more = len(piece.openings) - MOST_OPENINGS
    cut = tag("p", {"class": "quiet"}, f"{more} smaller gaps are not drawn.") if more > 0 else None
    return Markup(tag("h2", None, "Pictures") + tag("div", {"class": "pictures"}, *figures) + _legend() + (cut or ""))


def _legend() -> Markup:
    """What the signs mean."""
    gaps = [tag("li", None, legend_element(swatch(stain)), words) for _, words, stain in LEGEND]
    floor = tag("li", None, chip(theme.STOREYS[0]), chip(theme.STOREYS[1]), "floors, the higher the darker")
    found = [
        tag("li", {"class": level}, tag("span", {"class": "badge"}, "!1"), words)
        for level, words in (("error", "error"), ("warning", "warning"), ("note", "note"))
    ]
    return tag("ul", {"class": "legend"}, *gaps, floor, *found)

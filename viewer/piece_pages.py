"""A page about one terrain piece or about many, in one file that needs no network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from deadground.meshes.findings import LEVELS, Level
from deadground.viewer.markup import Markup, raw, tag
from deadground.viewer.piece_page import ALONE, Allowance, Chapter
from deadground.viewer.turntable import script

__all__ = ["allowance", "page_of_many", "page_of_one"]

TRIANGLES: Final = 600_000
"""Of all turntables on a page of many."""
PICTURED: Final = 150
"""Pieces of a page on which each has all its pictures in full size."""
FOOT: Final = "Made by deadground inspect. This page needs no network."
COUNTED: Final[dict[Level, str]] = {
    "error": "not fit as they are", "warning": "to mend or to agree on", "ok": "fit",
}  # fmt: skip


def allowance(count: int) -> Allowance:
    """How much of a page each of so many pieces may fill, so that the page stays a file that can be sent around."""
    if count == 1:
        return ALONE
    if count > PICTURED:
        return Allowance((420.0, 300.0), (220.0, 200.0), 0.8, max(TRIANGLES // count, 500))
    return Allowance((520.0, 380.0), (330.0, 300.0), 1.0, min(TRIANGLES // count, ALONE.triangles))


def page_of_one(piece: Chapter) -> str:
    """The whole page about one piece."""
    return _page(piece.name, Markup(tag("h1", None, piece.name) + piece.body))


def page_of_many(title: str, pieces: Sequence[tuple[str, Chapter]]) -> str:
    """The whole page about many pieces, worst first. pieces : a key that is told apart, and what there is to say."""
    ordered = sorted(pieces, key=lambda each: -LEVELS.index(each[1].level))
    counts = {words: sum(each.tone == level for _, each in ordered) for level, words in COUNTED.items()}
    said = ", ".join(f"{count} {words}" for words, count in counts.items() if count)
    heads = ("", "piece", "verdict", "what to look at", "openings", "floors")
    head = tag("tr", None, *(tag("th", {"scope": "col"}, words) for words in heads))
    rows = [_row(key, each) for key, each in ordered]
    table = tag("table", {"class": "many"}, tag("thead", None, head), tag("tbody", None, *rows))
    bodies = [tag("details", {"id": key}, tag("summary", None, each.name), each.body) for key, each in ordered]
    first = tag("h1", None, title) + tag("p", {"class": "size"}, f"{len(ordered)} pieces: {said}. Worst first.")
    return _page(title, Markup(first + table + "".join(bodies)))


def _row(key: str, piece: Chapter) -> Markup:
    headline, lead, *more = (*piece.cells, "", "")[:4]
    return tag(
        "tr", {"class": piece.tone}, tag("td", {"class": "thumb"}, piece.thumb),
        tag("td", {"class": "name"}, tag("a", {"href": f"#{key}"}, piece.name)),
        tag("td", None, tag("span", {"class": "level"}, headline)),
        *(tag("td", None, words) for words in (lead, *more)),
    )  # fmt: skip


@cache
def _style() -> str:
    return files("deadground.viewer").joinpath("piece_page.css").read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """How a page names what of its own may run, so that nothing else does."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _page(title: str, body: Markup) -> str:
    program, style = script(), _style()
    policy = f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(program)}"
    head = tag(
        "head", None, tag("meta", {"charset": "utf-8"}),
        tag("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        tag("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        tag("title", None, f"{title} - deadground"), tag("style", None, raw(style)),
    )  # fmt: skip
    whole = tag("main", None, body) + tag("footer", None, FOOT) + tag("script", None, raw(program))
    return f"<!DOCTYPE html>\n{tag('html', {'lang': 'en'}, head, tag('body', None, Markup(whole)))}\n"

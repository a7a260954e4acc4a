"""Whether the names in a scene file are unique and name something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from deadground.geometry.errors import SceneError
from deadground.scenes.complaints import Place, first_in_file, key_of, nearest
from deadground.scenes.format import MOST_MODELS, FigureTable, SceneTable

__all__ = ["KEYWORDS", "check_references", "keyword_warnings"]

Complaint = tuple[Place, str]

KEYWORDS: Final = frozenset(
    {
        "AIRCRAFT",
        "BEASTS",
        "CHARACTER",
        "FLY",
        "INFANTRY",
        "MOBILE",
        "MONSTER",
        "MOUNTED",
        "SWARM",
        "TITANIC",
        "TOWERING",
        "VEHICLE",
        "WALKER",
    }
)
"""Keywords of units that are known here. Others change nothing and are warned of."""


def check_references(table: SceneTable, document: Mapping[str, Any], source: str) -> None:
    """SceneError for the first name in the file that is given twice, or that names nothing."""
    complaints = dict(
        reversed([*_twice(table), *_features_of_areas(table), *_names_in_figures(table), *_too_many(table)])
    )
    if complaints:
        place = first_in_file(complaints, document)
        raise SceneError(source, key_of(place), complaints[place])


def keyword_warnings(table: SceneTable) -> tuple[str, ...]:
    """One line for each keyword that is not known, with the nearest known one."""
    return tuple(
        f"{key_of(('unit', number, 'wh40k', 'keywords', n))}: "
        f"unknown keyword {word!r} changes nothing, {nearest(word, sorted(KEYWORDS))}"
        for number, unit in enumerate(table.unit)
        for n, word in enumerate(unit.wh40k.keywords)
        if word.upper() not in KEYWORDS
    )


def _twice(table: SceneTable) -> Iterator[Complaint]:
    names = {
        "area": [area.name for area in table.area],
        "feature": [feature.name for feature in table.feature],
        "unit": [unit.name for unit in table.unit],
        "token": [token.name for token in table.token],
        "figure": [figure.name for figure in table.figure],
    }
    for kind, of_kind in names.items():
        for number, name in enumerate(of_kind):
            first = of_kind.index(name)
            if first != number:
                yield (kind, number, "name"), f"{name!r} is the name of {kind}[{first}] already"


def _features_of_areas(table: SceneTable) -> Iterator[Complaint]:
    known = [feature.name for feature in table.feature]
    for number, area in enumerate(table.area):
        for n, name in enumerate(area.features):
            if name not in known:
                yield ("area", number, "features", n), _unknown("feature", name, known)


def _names_in_figures(table: SceneTable) -> Iterator[Complaint]:
    known = {unit.name for unit in table.unit}
    known |= {f"{unit.name}/{n}" for unit in table.unit for n in range(1, len(unit.at) + 1)}
    for number, figure in enumerate(table.figure):
        for place, name in _named(figure):
            if name not in known:
                yield ("figure", number, *place), _unknown("unit or model", name, sorted(known))


def _named(figure: FigureTable) -> Iterator[tuple[Place, str]]:
    for n, pair in enumerate(figure.lines):
        yield from ((("lines", n, end), name) for end, name in enumerate(pair))
    yield from ((("ranges", n, 0), name) for n, (name, _) in enumerate(figure.ranges))


def _unknown(kind: str, name: str, known: Iterable[str]) -> str:
    hint = nearest(name, known)
    return f"no {kind} is called {name!r}" + (f", {hint}" if hint else "")


def _too_many(table: SceneTable) -> Iterator[Complaint]:
    models = 0
    for number, unit in enumerate(table.unit):
        models += len(unit.at)
        if models > MOST_MODELS:
            yield ("unit", number, "at"), f"expected at most {MOST_MODELS} models in a scene, found more"
            return

"""Whether the names in a scene file are unique and name something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, Final

from deadground.geometry.errors import SceneError
from deadground.scenes.complaints import first_in_file, key_of, nearest, shown
from deadground.scenes.figure_references import Complaint, names_in_figures, unknown
from deadground.scenes.format import MOST_MODELS, SceneTable

__all__ = ["KEYWORDS", "check_references", "keyword_warnings"]

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

MOST_WARNINGS: Final = 100
"""Lines of warning about one scene's keywords."""


def check_references(table: SceneTable, document: Mapping[str, Any], source: str) -> None:
    """SceneError for the first name in the file that is given twice, or that names nothing."""
    complaints = dict([*_twice(table), *_features_of_areas(table), *names_in_figures(table), *_too_many(table)])
    if complaints:
        place = first_in_file(complaints, document)
        raise SceneError(source, key_of(place), complaints[place]())


def keyword_warnings(table: SceneTable) -> tuple[str, ...]:
    """One line for each keyword that is not known, with the nearest known one. No more than MOST_WARNINGS."""
    unknown = (
        (("unit", number, "wh40k", "keywords", n), word)
        for number, unit in enumerate(table.unit)
        for n, word in enumerate(unit.wh40k.keywords)
        if word.upper() not in KEYWORDS
    )
    return tuple(
        f"{key_of(place)}: unknown keyword {shown(word)} changes nothing, {nearest(word, sorted(KEYWORDS))}"
        for place, word in islice(unknown, MOST_WARNINGS)
    )


def _twice(table: SceneTable) -> Iterator[Complaint]:
    names = {
        "area": [area.name for area in table.area],
        "feature": [feature.name for feature in table.feature],
        "unit": [unit.name for unit in table.unit],
        "token": [token.name for token in table.token],
        "theme": [theme.name for theme in table.theme],
        "figure": [figure.name for figure in table.figure],
    }
    for kind, of_kind in names.items():
        seen: dict[str, int] = {}
        for number, name in enumerate(of_kind):
            first = seen.setdefault(name, number)
            if first != number:
                yield (
                    (kind, number, "name"),
                    partial("{} is the name of {}[{}] already".format, shown(name), kind, first),
                )


def _features_of_areas(table: SceneTable) -> Iterator[Complaint]:
    known = {feature.name for feature in table.feature}
    for number, area in enumerate(table.area):
        for n, name in enumerate(area.features):
            if name not in known:
                yield ("area", number, "features", n), partial(unknown, "feature", name, known)


def _too_many(table: SceneTable) -> Iterator[Complaint]:
    models = 0
    for number, unit in enumerate(table.unit):
        models += len(unit.at)
        if models > MOST_MODELS:
            yield ("unit", number, "at"), f"expected at most {MOST_MODELS} models in a scene, found more".format
            return

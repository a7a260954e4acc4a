"""Whether the names in a scene's figures name something, and whether what they ask for suits them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

from deadground.scenes.complaints import Place, nearest, shown
from deadground.scenes.figure_format import FigureTable
from deadground.scenes.format import SceneTable

__all__ = ["Complaint", "names_in_figures", "unknown"]

Complaint = tuple[Place, Callable[[], str]]
"""A place, and what is wrong there, worked out when it is asked for."""

THEMES: Final = ("default", "classic", "dark")
"""Themes that every scene has."""


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """What is wrong with a name that is none of those."""
    hint = nearest(name, sorted(known))
    return f"no {kind} is called {shown(name)}" + (f", {hint}" if hint else "")


def names_in_figures(table: SceneTable) -> Iterator[Complaint]:
    """Complaints about the scene's figures: names of nothing, and what is not drawn."""
    models = {f"{unit.name}/{n}" for unit in table.unit for n in range(1, len(unit.at) + 1)}
    units = {unit.name for unit in table.unit} | models
    figures = {figure.name for figure in table.figure if figure.panels is None}
    themes = {*THEMES, *(theme.name for theme in table.theme)}
    kinds = (
        ("unit or model", units, _units_of), ("model", models, _models_of), ("single figure", figures, _panels_of),
        ("theme", themes, _theme_of),
    )  # fmt: skip
    for number, figure in enumerate(table.figure):
        for kind, known, named in kinds:
            for place, name in named(figure):
                if name not in known:
                    yield ("figure", number, *place), partial(unknown, kind, name, known)


def _units_of(figure: FigureTable) -> Iterator[tuple[Place, str]]:
    for n, pair in enumerate(figure.lines):
        yield from ((("lines", n, end), name) for end, name in enumerate(pair))
    yield from ((("ranges", n, 0), name) for n, (name, _) in enumerate(figure.ranges))
    ends = [(("measures", n, key), end) for n, m in enumerate(figure.measures) for key, end in _ends(m)]
    ends += [(("callouts", n, "at"), callout.at) for n, callout in enumerate(figure.callouts)]
    yield from ((place, end) for place, end in ends if isinstance(end, str))


def _ends(measure: Any) -> tuple[tuple[str, Any], ...]:
    return ("from", measure.from_), ("to", measure.to)


def _models_of(figure: FigureTable) -> Iterator[tuple[Place, str]]:
    """Names of single models."""
    for key in ("moves", "reach", "dead_ground"):
        yield from (((key, n, "model"), each.model) for n, each in enumerate(getattr(figure, key)))


def _panels_of(figure: FigureTable) -> Iterator[tuple[Place, str]]:
    yield from ((("panels", n), name) for n, name in enumerate(figure.panels or ()))


def _theme_of(figure: FigureTable) -> Iterator[tuple[Place, str]]:
    if figure.theme is not None:
        yield ("theme",), figure.theme

"""From checked tables to the illustrations and themes that a scene asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from deadground.scenes.figure import (
    Anchor,
    Callout,
    Figure,
    Journey,
    Ladder,
    Lookout,
    Measure,
    Roaming,
    Section,
    Theme,
)  # fmt: skip
from deadground.scenes.figure_format import (
    AnchorValue,
    FigureTable,
    MeasureTable,
    OverridesTable,
    SectionTable,
    ThemeTable,
)
from deadground.scenes.format import SceneTable

__all__ = ["figure_of", "given_options", "theme_of"]


SHOWING: Final = frozenset({"lines", "moves", "reach", "dead_ground", "panels"})
"""Keys of figures that show something else than every line there is."""


def given_options(table: SceneTable | OverridesTable) -> Mapping[str, Mapping[str, Any]]:
    """The options that are in the file, and no others."""
    systems = {"wh40k": table.wh40k, "sctmg": table.sctmg, "t9a": table.t9a}
    given = {key: MappingProxyType(options.model_dump(exclude_unset=True)) for key, options in systems.items()}
    return MappingProxyType({key: options for key, options in given.items() if options})


def theme_of(table: ThemeTable) -> Theme:
    """A theme with the colours that the file gives."""
    colours = table.model_dump(exclude_unset=True, exclude={"name", "base"})
    return Theme(table.name, table.base, MappingProxyType(colours))


def figure_of(table: FigureTable) -> Figure:
    """An illustration as the file asks for it."""
    return Figure(
        name=table.name,
        title=table.title or "",
        view=table.view if table.camera is None else "camera",
        camera_from=None if table.camera is None else _three(table.camera.from_),
        camera_to=None if table.camera is None else _three(table.camera.to),
        lines=tuple((one, other) for one, other in table.lines),
        ranges=table.ranges,
        show=table.show,
        overrides=given_options(table.with_),
        caption=table.caption or "",
        section=None if table.section is None else _section(table.section),
        measures=tuple(_measure(each) for each in table.measures),
        heights=tuple(Ladder(_two(each.at), each.from_, each.to, each.rungs) for each in table.heights),
        callouts=tuple(Callout(_anchor(each.at), each.text) for each in table.callouts),
        moves=tuple(Journey(each.model, each.to, each.limit, each.fly, each.charge) for each in table.moves),
        reach=tuple(Roaming(each.model, each.limit) for each in table.reach),
        dead_ground=tuple(Lookout(each.model, each.size) for each in table.dead_ground),
        panels=table.panels or (),
        theme=table.theme or "",
        unlined=not table.lines and bool(table.model_fields_set & SHOWING),
    )


def _section(table: SectionTable) -> Section:
    if table.from_ is None or table.to is None:
        return Section(height=table.height)
    return Section(start=_two(table.from_), end=_two(table.to))


def _measure(table: MeasureTable) -> Measure:
    return Measure(_anchor(table.from_), _anchor(table.to), table.text, table.along or "", table.aside)


def _anchor(value: AnchorValue) -> Anchor:
    """A name, or a point; on the ground where it has no height."""
    if isinstance(value, str):
        return value
    return value[0], value[1], value[2] if len(value) == 3 else 0.0


def _two(point: Sequence[float]) -> tuple[float, float]:
    return point[0], point[1]


def _three(point: Sequence[float]) -> tuple[float, float, float]:
    return point[0], point[1], point[2]

"""The moves and reaches that a figure asks for: worked out by the referee, drawn as its commands draw them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import lru_cache

from deadground.geometry.errors import SceneError
from deadground.geometry.units import TOUCH
from deadground.scenes.figure import Figure, Journey, Roaming
from deadground.scenes.model import Model
from deadground.scenes.rulings import wh40k_moving
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.rulings.wh40k_moving import can_fly, nearest_end, reach_of
from deadground.scenes.scene import Scene
from deadground.viewer.chart import Chart, Floor, Region
from deadground.viewer.course import course, straight_course
from deadground.viewer.judging import source
from deadground.viewer.moving import SYSTEM, standing_at
from deadground.viewer.plain_move import plain_move
from deadground.viewer.spread import spread

__all__ = ["chart_of"]


def chart_of(scene: Scene, report: Report, figure: Figure) -> Chart | None:
    """Everything that a figure shows of moves; None where it shows none. SceneError for what the rules do not know."""
    if isinstance(figure, Chart):
        return figure
    _check(scene, report, figure)
    parts = [_journey(scene, report.ruleset, each) for each in figure.moves]
    several = len(figure.reach) > 1
    parts += [_roaming(scene, each, number, several) for number, each in enumerate(figure.reach)]
    return _together(figure, parts) if parts else None


def _check(scene: Scene, report: Report, figure: Figure) -> None:
    for key, problem in _problems(scene, report, figure):
        raise SceneError(source(scene), f"figure {figure.name}: {key}", problem)


def _problems(scene: Scene, report: Report, figure: Figure) -> Iterator[tuple[str, str]]:
    """What the rules that the figure is judged by cannot say."""
    if figure.reach and report.ruleset != SYSTEM:
        yield "reach", f"expected {SYSTEM}, by whose rules reaches are worked out, found {report.ruleset}"
    for number, each in enumerate(figure.moves):
        if each.fly and report.ruleset != SYSTEM:
            yield f"moves[{number}].fly", f"expected {SYSTEM}, in which a move declares flight, found {report.ruleset}"
        if each.fly and not can_fly(scene, _model(scene, each.model)):
            yield f"moves[{number}].fly", f"expected a model with the keyword FLY, found {each.model} without it"


def _model(scene: Scene, name: str) -> Model:
    (model,) = (model for model in scene.models if model.name == name)
    return model


@lru_cache(maxsize=64)
def _journey(scene: Scene, ruleset: str, asked: Journey) -> Chart:
    """One move. A figure is drawn from its scene several times: the way is found once."""
    model = _model(scene, asked.model)
    x, y, height = (*asked.to, 0.0)[:3]
    end = standing_at(scene, model, (x, y, height))
    if ruleset != SYSTEM:
        return straight_course(model, plain_move(scene, ruleset, model, end, asked.limit, asked.charge))
    found = wh40k_moving.move(scene, model, end, limit=asked.limit, fly=asked.fly)
    return course(model, found, nearest_end(scene, model, found), "")


@lru_cache(maxsize=16)
def _roaming(scene: Scene, asked: Roaming, number: int, several: bool) -> Chart:
    """One reach; several : its shades say whose they are."""
    model = _model(scene, asked.model)
    return spread(model, asked.limit, reach_of(scene, model, asked.limit), "", hue=number, whose=several)


def _together(figure: Figure, parts: Sequence[Chart]) -> Chart:
    """The figure with all that its parts show."""
    own = {field.name: getattr(figure, field.name) for field in fields(Figure)}
    about = tuple(dict.fromkeys(name for part in parts for name in part.about))
    return Chart(
        **own, about=about, things=tuple(thing for part in parts for thing in part.things),
        ghosts=tuple(ghost for part in parts for ghost in part.ghosts),
        regions=tuple(region for part in parts for region in part.regions if _is_left(figure, region)),
        floors=tuple(floor for floor in _floors(parts) if _is_left(figure, floor)),
        said=tuple(dict.fromkeys(words for part in parts for words in _said(part, alone=len(parts) == 1))),
    )  # fmt: skip


def _is_left(figure: Figure, level: Region | Floor) -> bool:
    """Whether a level section leaves that floor."""
    height = figure.section.height if figure.section else None
    return height is None or level.height <= height


def _said(part: Chart, *, alone: bool) -> Iterator[str]:
    """What a part comes to; of several each says of whom it speaks."""
    for words in part.said:
        named = alone or part.about[0] in words
        yield words if named else f"{part.about[0]}: {words[0].lower()}{words[1:]}"


def _floors(parts: Sequence[Chart]) -> Iterator[Floor]:
    """Each floor once, from below."""
    last = None
    for floor in sorted((floor for part in parts for floor in part.floors), key=lambda each: each.height):
        if last is None or floor.height - last.height > TOUCH:
            last = floor
            yield floor

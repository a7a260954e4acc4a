"""What a figure is about: its lines, its models, the terrain between them, and the ground to draw around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import shapely

from deadground.geometry.errors import SceneError
from deadground.geometry.plates import Array
from deadground.scenes.barriers import Closings, Strip
from deadground.scenes.model import Model
from deadground.scenes.options import options_of
from deadground.scenes.placing import base_outline, footprint
from deadground.scenes.rulings.verdict import Report, Verdict
from deadground.scenes.rulings.wh40k_terrain import barriers_of
from deadground.scenes.scene import Figure, Scene
from deadground.scenes.terrain import Feature
from deadground.viewer.bodies import base_rim, model_points
from deadground.viewer.chart import Chart, chart_points
from deadground.viewer.charting import chart_of
from deadground.viewer.extras import FOLLOWING, FRAMING, extra_things, thing_points
from deadground.viewer.judging import expected
from deadground.viewer.palette import DEFAULT, Palette
from deadground.viewer.setting import Setting
from deadground.viewer.things import Thing

__all__ = ["SHOW", "Patch", "Subject", "base_rim", "model_points", "subject_of"]

DEFAULT_SHOW = frozenset({"openings", "areas", "labels", "legend", "tokens"})
"""What a figure shows when it does not say."""
SHOW = DEFAULT_SHOW | {"solid-height", "ticks", "overhang", "scale", "hidden", "cover", "dead-zones"}

MARGIN = 2.0
"""Inches of ground drawn around what the figure is about."""
LANDSCAPE = 1.3
"""The ground that is drawn is at least so many times as wide as deep, where the board allows."""
WHOLE = 0.9
"""A patch of ground larger than this share of the board becomes the whole board."""

CROWD = 30
"""Models and features that a picture has room to name."""

Patch = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What to draw, and what must be in sight.

    verdicts : one for each line; models : all that stand on the patch; features : all that reach into it
    ranges : (model, inches); patch : (low x, low y, high x, high y) of the ground that is drawn
    about, between : those of them that the lines join, stop at or pass
    points : (n, 3) that the camera must take in; closed : feature -> opening -> height up to which it is closed
    strips : narrow gaps between features, closed too; chart : the figure itself, where it shows a move
    things : what the figure shows beyond that (see `extras`)
    """

    verdicts: tuple[Verdict, ...]
    models: tuple[Model, ...]
    features: tuple[Feature, ...]
    ranges: tuple[tuple[Model, float], ...]
    patch: Patch
    points: Array
    show: frozenset[str]
    closed: Closings
    strips: tuple[Strip, ...]
    about: tuple[Model, ...]
    between: tuple[Feature, ...]
    chart: Chart | None = None
    things: tuple[Thing, ...] = ()

    @property
    def crowded(self) -> bool:
        """Whether there is too much on the ground to name it all; then only what the lines are about is named."""
        return len(self.models) + len(self.features) > CROWD


def subject_of(scene: Scene, report: Report, figure: Figure, palette: Palette = DEFAULT) -> Subject:
    """What the figure is about. Raises SceneError for a name that the scene does not have."""
    show = shown(scene, figure)
    verdicts = chosen(scene, report, figure)
    setting = Setting(scene, report, figure, verdicts, show, palette, scene.models)
    framing = extra_things(setting, FRAMING)
    ranges = ranged(scene, figure)
    about = [model for model in scene.models if model.name in asked(scene, figure, verdicts)] or list(scene.models)
    held = {model.support for model in about}
    chart = chart_of(scene, report, figure)
    between = [f for f in scene.features if f.name in held or stands_between(f, verdicts) or is_passed(f, chart)]
    points = np.vstack([
        *map(model_points, about), *map(line_points, verdicts), *[left_points(each, figure) for each in between],
        *[range_points(model, reach) for model, reach in ranges], *charted(chart), *map(thing_points, framing),
        *board_corners(scene, [] if figure.dead_ground else about),
    ])  # fmt: skip
    patch = around(scene, patch_of(points, scene.board))
    window = shapely.box(*patch)
    features = tuple(feature for feature in scene.features if footprint(feature).intersects(window))
    points = np.vstack([points, *[left_points(each, figure) for each in features]])
    models = tuple(model for model in scene.models if base_outline(model).intersects(window))
    closed, strips = ({}, ()) if isinstance(figure, Chart) else solid(scene, report, figure)
    strips = tuple(strip for strip in strips if strip.outline.intersects(window))
    following = extra_things(replace(setting, models=models, patch=patch), FOLLOWING)
    points = np.vstack([points, *(thing_points(thing) for thing in following if thing.kind == "scale")])
    return Subject(
        verdicts,
        models,
        features,
        ranges,
        patch,
        points,
        show,
        closed,
        strips,
        tuple(about),
        tuple(between),
        chart,
        (*framing, *following),
    )


def asked(scene: Scene, figure: Figure, verdicts: Iterable[Verdict]) -> set[str]:
    """Names of the models that the figure is about: those of its lines, and of what it names."""
    named = {name for v in verdicts for name in (v.observer, v.target)}
    named |= set(figure.about) if isinstance(figure, Chart) else set()
    named |= {v.blocker.model for v in verdicts if v.blocker is not None and v.blocker.model is not None}
    for one, other in figure.lines:
        for name in (one, other):
            named |= {model.name for model in models_named(scene, figure, name, "lines")}
    for name in spoken_of(figure):
        named |= {model.name for model in models_named(scene, figure, name, "measures or callouts")}
    return named | {model.name for model, _ in ranged(scene, figure)}


def spoken_of(figure: Figure) -> Iterator[str]:
    """Names of units and models beside lines and ranges."""
    places = [end for m in figure.measures for end in (m.start, m.end)] + [callout.at for callout in figure.callouts]
    yield from (place for place in places if isinstance(place, str))
    yield from [each.model for each in figure.moves]
    yield from [*(each.model for each in figure.reach), *(each.model for each in figure.dead_ground)]


def shown(scene: Scene, figure: Figure) -> frozenset[str]:
    """What the figure shows."""
    for what in figure.show:
        if what not in SHOW:
            raise SceneError(
                str(scene.source or "scene"),
                f"figure {figure.name}: show",
                expected(sorted(SHOW), what, "something to show"),
            )
    return frozenset(figure.show) if figure.show else DEFAULT_SHOW


def models_named(scene: Scene, figure: Figure, name: str, key: str) -> tuple[Model, ...]:
    """The models of a unit, or the one model, of that name."""
    units = {unit.name: unit.models for unit in scene.units}
    single = {model.name: (model,) for model in scene.models}
    if name not in units | single:
        raise SceneError(
            str(scene.source or "scene"),
            f"figure {figure.name}: {key}",
            expected(units | single, name, "a unit or a model of the scene"),
        )
    return (units | single)[name]


def chosen(scene: Scene, report: Report, figure: Figure) -> tuple[Verdict, ...]:
    """One verdict for each line: to every target model, the best that any model of the observer has."""
    pairs = figure.lines or (() if figure.unlined else default_pairs(report))
    found: dict[tuple[str, str], Verdict] = {}
    for one, other in pairs:
        observers = {model.name for model in models_named(scene, figure, one, "lines")}
        for target in models_named(scene, figure, other, "lines"):
            among = [v for v in report.models if v.target == target.name and v.observer in observers]
            if among:
                best = min(among, key=lambda v: (not v.visible, not v.line, v.distance))
                found[best.observer, best.target] = best
    return tuple(found.values())


def default_pairs(report: Report) -> tuple[tuple[str, str], ...]:
    """Every pair of models once, and both ways where the two differ (hidden is one-way)."""
    seen = {(v.observer, v.target): v.visible for v in report.models}
    first: dict[frozenset[str], tuple[str, str]] = {}
    for pair in seen:
        first.setdefault(frozenset(pair), pair)
    return tuple(pair for pair in seen if first[frozenset(pair)] == pair or seen[pair] != seen[pair[::-1]])


def ranged(scene: Scene, figure: Figure) -> tuple[tuple[Model, float], ...]:
    """The ranges, model by model."""
    return tuple(
        (model, reach) for name, reach in figure.ranges for model in models_named(scene, figure, name, "ranges")
    )


def stands_between(feature: Feature, verdicts: Iterable[Verdict]) -> bool:
    """Whether a feature stops a line, or has one pass over or through it."""
    outline = footprint(feature).buffer(0.1)
    return any(
        (v.blocker is not None and v.blocker.feature == feature.name)
        or (len(v.line) > 1 and shapely.LineString(np.array(v.line)[:, :2]).intersects(outline))
        for v in verdicts
    )


def is_passed(feature: Feature, chart: Chart | None) -> bool:
    """Whether a way of a chart goes over, through or close by a feature, or it would have to bear who ends there."""
    if chart is None:
        return False
    outline = footprint(feature)
    wide = max((max(ghost.model.base.length, ghost.model.base.width) / 2 for ghost in chart.ghosts), default=0.0)
    ways = [shapely.LineString(way[:, :2]) for way in chart.ways if len(way) > 1]
    return any(way.distance(outline) < wide for way in ways)


def charted(chart: Chart | None) -> list[Array]:
    """(n, 3) arrays of what a chart shows."""
    return [] if chart is None else [*chart_points(chart), *(model_points(ghost.model) for ghost in chart.ghosts)]


def line_points(verdict: Verdict) -> Array:
    """(n, 3) points of a line and its blocker."""
    stop = [verdict.blocker.at] if verdict.blocker else []
    return np.array([*verdict.line, *stop], dtype=np.float64).reshape(-1, 3)


def feature_points(feature: Feature) -> Array:
    """(8, 3) corners of a feature's box, turned with it."""
    low, high = feature.piece.mesh.bounds
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    return corners @ feature.rotation.T + feature.shift


def left_points(feature: Feature, figure: Figure) -> Array:
    """The same, no higher than a level section leaves it."""
    points = feature_points(feature)
    if figure.section is not None and figure.section.height is not None and figure.view not in ("front", "side"):
        points[:, 2] = np.minimum(points[:, 2], figure.section.height)
    return points


def range_points(model: Model, reach: float) -> Array:
    """(n, 3) the outermost points of a range."""
    rim = base_outline(model).buffer(reach).exterior.coords
    ring = np.column_stack([np.asarray(rim)[:, :2], np.full(len(rim), model.foot)])
    return np.vstack([ring, [[model.x, model.y, model.foot + reach]]])


def board_corners(scene: Scene, about: list[Model]) -> list[Array]:
    """The board's corners, when nothing else says how much of it the figure is about."""
    x, y = scene.board
    return [] if about else [np.array([[0.0, 0.0, 0.0], [x, y, 0.0]])]


def patch_of(points: Array, board: tuple[float, float]) -> Patch:
    """The ground to draw: around the points, on the board, wider than deep; the whole board if that is most of it."""
    low, high = points[:, :2].min(axis=0) - MARGIN, points[:, :2].max(axis=0) + MARGIN
    widen = max(0.0, LANDSCAPE * (high[1] - low[1]) - (high[0] - low[0])) / 2
    low = np.maximum(np.floor(low - np.array([widen, 0.0])), 0.0)
    high = np.minimum(np.ceil(high + np.array([widen, 0.0])), board)
    if float(np.prod(high - low)) > WHOLE * board[0] * board[1] or bool((high <= low).any()):
        return 0.0, 0.0, *board
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def around(scene: Scene, patch: Patch) -> Patch:
    """The patch, grown so that it holds the features that reach into it, as far as the board goes."""
    window = shapely.box(*patch)
    shapes = [shape for shape in map(footprint, scene.features) if shape.intersects(window)]
    low_x, low_y, high_x, high_y = shapely.union_all([window, *shapes]).bounds
    x, y = scene.board
    grown = np.floor(max(low_x, 0.0)), np.floor(max(low_y, 0.0)), np.ceil(min(high_x, x)), np.ceil(min(high_y, y))
    return float(grown[0]), float(grown[1]), float(grown[2]), float(grown[3])


def solid(scene: Scene, report: Report, figure: Figure) -> tuple[Closings, tuple[Strip, ...]]:
    """What the ruling closes: feature -> opening -> height above the feature's foot, and strips between features."""
    if report.ruleset != "wh40k-11e":
        return {}, ()
    options = options_of(scene, "wh40k", figure)
    barriers = barriers_of(scene, options)
    return barriers.readings[options.straddle], barriers.strips

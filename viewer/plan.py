"""Figures as vector drawings: plan, front and side elevation, without OpenGL. The same bytes each time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import Final

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.units import TOUCH
from deadground.scenes.model import Model
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.scene import Figure, Scene
from deadground.scenes.terrain import Area, Feature
from deadground.viewer import theme
from deadground.viewer.caption import caption_groups, caption_of
from deadground.viewer.chart import said_of
from deadground.viewer.chart_plan import (
    chart_names,
    chart_obstacles,
    course_groups,
    region_groups,
    way_cuts,
)  # fmt: skip
from deadground.viewer.draw import draw_list
from deadground.viewer.extras import told
from deadground.viewer.files import write_text
from deadground.viewer.key import key_of
from deadground.viewer.labels import Box, Placed, Wanted, place
from deadground.viewer.lettering import wrapped
from deadground.viewer.outlines import (
    FRONT,
    PLAN,
    RIGHT,
    View,
    model_shape,
    opening_shape,
    section,
    silhouette,
    table_points,
)  # fmt: skip
from deadground.viewer.palette import DEFAULT
from deadground.viewer.panel import Panel, drawn_line, line_group, rectangle
from deadground.viewer.parts import group_elements
from deadground.viewer.phrases import sentence
from deadground.viewer.plane import Cut
from deadground.viewer.section import face_shape, kept_shape, panel_section
from deadground.viewer.standpoint import check_eye
from deadground.viewer.subject import Subject, stands_between, subject_of
from deadground.viewer.svg import Element, element, group, ring_data, root, stroke, text, written
from deadground.viewer.tags import feature_tag, tagged, tags, unit_tag
from deadground.viewer.terrain_plan import (
    area_group,
    board,
    depth,
    feature_group,
    gap_groups,
    ground,
    hatching,
    is_own_area,
    model_group,
    plan_cut,
    range_group,
    range_shape,
    strip_group,
)  # fmt: skip
from deadground.viewer.thing_plan import thing_groups, thing_names, thing_obstacles

__all__ = ["GUTTER", "HEAD", "Sheet", "drawing", "heading", "panel_group", "panels", "tree", "write"]

GUTTER: Final = 22.0
"""Left of every drawing, for the heights."""
UNDER: Final = 0.35
"""Inches of table drawn under the ground."""
OVER: Final = 0.6
"""Inches of air above the highest thing."""
MOST_CUTS: Final = 6
"""With more lines than this an elevation is not cut along them: the cuts would cover each other."""
FEW: Final = 6
"""A unit of more models than this is named once."""
NARROWEST: Final = 520.0
BARS: Final = (1, 2, 3, 6, 12, 24)
BAR_SHARE: Final = 0.6
"""Of a narrow drawing that its scale bar takes at most."""
HEAD: Final = 24.0
"""Above every drawing, for what it is."""
BELOW: Final = 26.0
"""Under the last drawing, for the scale bar."""
CAPTION_UP: Final = 6.0
"""How much nearer to the scale bar than the key a caption stands."""
OFF: Final = 0.5
"""Inches beyond the board that a drawing may show."""
MORE: Final = 4.0
"""Inches that a drawing grows to hold terrain which it would cut."""
SLIM: Final = 0.75
"""A plan is at least this times as wide as high, where the board allows."""
LEAST: Final = 6.0
"""Inches of ground that a drawing shows at least, each way."""
SAME_FLOOR: Final = 1.0
"""Inches. A model stands on a floor if its foot is closer to it than this."""
TAG: Final = 7.5
"""Half the size of a line's number."""
TAG_SPOTS: Final = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)

Ground = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Sheet:
    """What every part of the page needs."""

    scene: Scene
    report: Report
    figure: Figure
    subject: Subject


def write(scene: Scene, report: Report, figure: Figure, path: Path) -> None:
    """Write the figure as an SVG file. InputError where it cannot be written, SceneError for a name it lacks."""
    write_text(path, drawing(scene, report, figure))


def drawing(scene: Scene, report: Report, figure: Figure) -> str:
    """The figure as SVG. Its view decides: plan, front or side alone; any other gives the plan and an elevation."""
    return written(tree(scene, report, figure))


def tree(scene: Scene, report: Report, figure: Figure) -> Element:
    """The same before it is written."""
    sheet = Sheet(scene, report, figure, subject_of(scene, report, figure))
    if figure.camera_from is not None:  # what a picture would refuse is refused here too
        check_eye(scene, figure, draw_list(scene, report, figure, subject=sheet.subject))
    drawn = panels(scene, sheet.subject, figure.view)
    width = max(NARROWEST, max(panel.box.right for panel in drawn) + theme.PAGE_MARGIN)
    room = width - 2 * theme.PAGE_MARGIN
    head, high = heading(_title(sheet), room)
    drawn = [replace(panel, top=panel.top + theme.PAGE_MARGIN + high) for panel in drawn]
    key = key_of(scene, report, sheet.subject, room)
    under, foot = caption_of(scene, figure, room), drawn[-1].box.bottom + BELOW
    below = foot + under.height
    parts = [
        element("defs", {}, [hatching(), *(panel.clipping() for panel in drawn)]),
        element("rect", {"width": "100%", "height": "100%", "fill": theme.PAPER}),
        group("heading", head),
        *(panel_group(sheet, panel) for panel in drawn),
        *group_elements([*caption_groups(under, theme.PAGE_MARGIN, foot - CAPTION_UP, DEFAULT)]),
        key.group(theme.PAGE_MARGIN, below),
    ]
    said = [*map(sentence, sheet.subject.verdicts), *said_of(sheet.subject.chart), *told(sheet.subject.things)]
    words = " ".join(said) or "No line of sight is drawn."
    return root((width, below + key.height + theme.PAGE_MARGIN), parts, _title(sheet), words)


def _title(sheet: Sheet) -> str:
    return sheet.figure.title or sheet.scene.title or sheet.figure.name


def heading(title: str, room: float) -> tuple[list[Element], float]:
    """The title in as many lines as it needs, and how high they are."""
    lines = wrapped(title, room, theme.TITLE_SIZE * 1.12)
    size, step = theme.TITLE_SIZE, theme.TITLE_SIZE * 1.25
    first = theme.PAGE_MARGIN + size * 0.8
    texts = [text((theme.PAGE_MARGIN, first + k * step), line, size=size, bold=True) for k, line in enumerate(lines)]
    return texts, len(lines) * step


def panels(scene: Scene, subject: Subject, view: str) -> list[Panel]:
    """The drawings of a figure, one below the other from the top of the page, all at one scale."""
    ground = _shown_ground(scene, subject)
    views = {"front": [FRONT], "side": [RIGHT]}.get(view) or _several(subject, ground)
    views = [each for each in views if each.above] if view == "plan" else views
    windows = [_window(subject, each, ground) for each in views]
    room = theme.PAGE_WIDTH - 2 * theme.PAGE_MARGIN - GUTTER
    wide = max(high_u - low_u for low_u, _, high_u, _ in windows)
    high = max(high_v - low_v for _, low_v, _, high_v in windows)
    scale = min(room / wide, theme.MOST_HEIGHT / high, theme.MOST_SCALE)
    placed: list[Panel] = []
    top = HEAD
    for each, window in zip(views, windows, strict=True):
        placed.append(Panel(each, window, scale, theme.PAGE_MARGIN + GUTTER, top))
        top = placed[-1].box.bottom + theme.GAP + HEAD
    return placed


def _shown_ground(scene: Scene, subject: Subject) -> Ground:
    """Low x, low y, high x, high y around what the figure is about, hardly more than the board, at least LEAST wide."""
    points = subject.points[:, :2]
    low, high = points.min(axis=0) - theme.CLEARANCE, points.max(axis=0) + theme.CLEARANCE
    for bounds in _neighbours(scene, subject, shapely.box(*low, *high)):
        low = np.where(low - bounds[:2] < MORE, np.minimum(low, bounds[:2] - OFF), low)
        high = np.where(bounds[2:] - high < MORE, np.maximum(high, bounds[2:] + OFF), high)
    low, high = _widened(low, high, SLIM)
    low, high = np.maximum(low, -OFF), np.minimum(high, np.array(scene.board) + OFF)
    more = np.maximum(0.0, LEAST - (high - low)) / 2
    (low_x, low_y), (high_x, high_y) = low - more, high + more
    return float(low_x), float(low_y), float(high_x), float(high_y)


def _widened(low: Array, high: Array, share: float) -> tuple[Array, Array]:
    """The same ground, at least `share` times as wide as deep."""
    more = max(0.0, share * float(high[1] - low[1]) - float(high[0] - low[0])) / 2
    return low - [more, 0.0], high + [more, 0.0]


def _neighbours(scene: Scene, subject: Subject, window: shapely.Polygon) -> Iterator[Array]:
    """Bounds of the features and areas that a window would cut."""
    areas = [area.outline for area in scene.areas if not is_own_area(area)]
    for shape in [*areas, *(silhouette(feature, PLAN) for feature in subject.features)]:
        if shape.intersects(window):
            yield np.array(shape.bounds)


def _several(subject: Subject, ground: Ground) -> list[View]:
    """A plan of each floor where there are floors, else the plan and an elevation."""
    floors = subject.chart.floors if subject.chart else ()
    names = ["plan", *(f"plan-{k}" for k in range(2, len(floors) + 1))]
    views = [replace(PLAN, name=n, title=f.called, level=f.height) for n, f in zip(names, floors, strict=False)]
    return views or _both(subject, ground)


def _both(subject: Subject, ground: Ground) -> list[View]:
    """The plan, and an elevation unless so many lines would cover each other in it."""
    return [PLAN] if len(subject.verdicts) > MOST_CUTS else [PLAN, _telling(subject, ground)]


def concerned(subject: Subject) -> Subject:
    """What an elevation shows: the ends of the lines and what stands between. All, where there are no lines."""
    if subject.chart is not None:
        return replace(subject, models=subject.about, features=subject.between)
    if not subject.verdicts:
        return subject
    stops = [v.blocker.model for v in subject.verdicts if v.blocker is not None]
    named = {
        *stops,
        *(name for v in subject.verdicts for name in (v.observer, v.target)),
        *(m.name for m, _ in subject.ranges),
    }
    models = tuple(model for model in subject.models if model.name in named)
    carriers = {model.support for model in models}
    features = tuple(f for f in subject.features if f.name in carriers or stands_between(f, subject.verdicts))
    there = {feature.name for feature in features}
    strips = tuple(strip for strip in subject.strips if there.issuperset(strip.features))
    return replace(subject, models=models, features=features, strips=strips)


def _telling(subject: Subject, ground: Ground) -> View:
    """The side from which the lines are seen longest."""
    runs = [points[-1] - points[0] for points in map(drawn_line, subject.verdicts) if len(points) > 1]
    runs += [run for way in (subject.chart.ways if subject.chart else ()) for run in np.diff(way, axis=0)]
    if not runs:
        runs = [np.array([ground[2] - ground[0], ground[3] - ground[1], 0.0])]
    across, away = np.abs(runs)[:, :2].sum(axis=0)
    return FRONT if across >= away else RIGHT


def _window(subject: Subject, view: View, ground: Ground) -> tuple[float, float, float, float]:
    """What a drawing shows, inches in its view."""
    low_x, low_y, high_x, high_y = ground
    if view.above:
        return ground
    low, high = (low_x, high_x) if view is FRONT else (low_y, high_y)
    return low, -UNDER, high, _highest(subject) + OVER


def _highest(subject: Subject) -> float:
    """The height of the highest thing that an elevation shows, at least 3 inches."""
    subject = concerned(subject)
    terrain = [feature.foot + float(feature.piece.mesh.bounds[1][2]) for feature in subject.features]
    bodies = [model.foot + model.height for model in subject.models]
    lines = [float(points[:, 2].max()) for points in map(drawn_line, subject.verdicts) if len(points)]
    ghosts = subject.chart.ghosts if subject.chart else ()
    bodies += [ghost.model.foot + ghost.model.height for ghost in ghosts]
    return max([3.0, *terrain, *bodies, *lines])


def panel_group(sheet: Sheet, panel: Panel) -> Element:
    """One drawing with its frame, names and measures."""
    if not panel.view.above and panel_section(sheet.figure, panel.view) is None:
        sheet = replace(sheet, subject=concerned(sheet.subject))
    box = panel.box
    inside = element("g", {"clip-path": f"url(#{panel.clip})"}, list(_contents(sheet, panel)))
    frame = rectangle(box, stroke(theme.BOARD_EDGE))
    head = text((box.left, box.top - 6), panel.view.title, size=theme.HEAD_SIZE, colour=theme.QUIET)
    measures = [_scale_bar(panel)] if panel.view.above else [_ruler(panel)]
    return group(
        f"panel-{panel.view.name}", [head, inside, frame, *measures, _lettering(sheet, panel)], panel.view.title
    )


def _contents(sheet: Sheet, panel: Panel) -> Iterator[Element | None]:
    """From the ground up: table, areas, terrain, ranges, models, lines."""
    subject = sheet.subject
    yield from board(panel, sheet.scene.board) if panel.view.above else [ground(panel)]
    if "areas" in subject.show:
        yield from (area_group(panel, area) for area in _areas(sheet))
    section = panel_section(sheet.figure, panel.view)
    for feature in sorted(subject.features, key=lambda each: _nearness(each, panel.view)):
        yield _feature(sheet, panel, feature, section)
    yield from (strip_group(panel, strip) for strip in subject.strips)
    yield from _solid_lines(sheet, panel)
    yield from (range_group(panel, model, reach) for model, reach in subject.ranges)
    if subject.chart is not None:
        yield from region_groups(panel, subject.chart)
    yield from thing_groups(panel, subject.things, under=True)
    standing = _standing(subject, panel.view)
    for model in sorted(standing, key=lambda each: depth((each.x, each.y, each.foot), panel.view)):
        yield model_group(panel, sheet.scene, model)
    if subject.chart is not None:
        yield from course_groups(panel, subject.chart, sheet.scene)
    yield from (line_group(panel, verdict) for verdict in sorted(subject.verdicts, key=lambda each: not each.visible))
    yield from thing_groups(panel, subject.things, under=False)


def _feature(sheet: Sheet, panel: Panel, feature: Feature, section: Cut | None) -> Element | None:
    """A feature, or what the figure's section leaves of it."""
    subject = sheet.subject
    gaps = gap_groups(panel, feature, subject, section)
    if section is None:
        return feature_group(panel, feature, gaps, _cuts(subject, feature, panel.view))
    left = kept_shape(feature, panel.view, section)
    if left.is_empty:
        return None
    return feature_group(panel, feature, gaps, [face_shape(feature, panel.view, section)], left)


def _standing(subject: Subject, view: View) -> list[Model]:
    """The models that a drawing shows: on a plan of one floor those that stand there."""
    if not (view.above and subject.chart and subject.chart.floors):
        return list(subject.models)
    return [model for model in subject.models if abs(model.foot - view.level) < SAME_FLOOR]


def _areas(sheet: Sheet) -> list[Area]:
    window = shapely.box(*sheet.subject.patch)
    return [area for area in sheet.scene.areas if not is_own_area(area) and area.outline.intersects(window)]


def _nearness(feature: Feature, view: View) -> float:
    return depth(table_points(feature, feature.piece.mesh.bounds).mean(axis=0), view)


def _cuts(subject: Subject, feature: Feature, view: View) -> list[BaseGeometry]:
    """What is cut of a feature: by the plan, or by upright cuts along the lines."""
    if view.above:
        return [plan_cut(feature, view.level)]
    ways = way_cuts(feature, subject.chart, view) if subject.chart else []
    if len(subject.verdicts) > MOST_CUTS:
        return ways
    places = {model.name: np.array([model.x, model.y, 0.0]) for model in subject.models}
    ends = [(drawn_line(v), places.get(v.target)) for v in subject.verdicts]
    return [*ways, *(section(feature, line[0], _beyond(line, target), view) for line, target in ends if len(line) > 1)]


def _beyond(line: Array, target: Array | None) -> Array:
    """The line's end, or as far on as its target stands."""
    start, end = np.asarray(line[0]), np.asarray(line[-1])
    reach = float(np.hypot(*(end - start)[:2]))
    if target is None or reach < TOUCH:
        return end
    wanted = float(np.hypot(*(target - start)[:2]))
    further: Array = start + (end - start) * max(1.0, wanted / reach)
    return further


def _solid_levels(sheet: Sheet, view: View) -> Iterator[tuple[float, float, float]]:
    """Height, and from where to where, of the line up to which gaps are closed."""
    limit = sheet.report.options.get("solid_height")
    if limit is None or not ("solid-height" in sheet.subject.show or not sheet.figure.show):
        return
    dense = [feature for feature in sheet.subject.features if feature.wh40k.category == "dense"]
    if dense and all(feature.foot == 0.0 for feature in dense):
        yield float(limit), -math.inf, math.inf
        return
    for feature in dense:
        low, _, high, _ = silhouette(feature, view).bounds
        yield feature.foot + float(limit), low - 0.4, high + 0.4


def _solid_lines(sheet: Sheet, panel: Panel) -> Iterator[Element]:
    if panel.view.above:
        return
    low_u, _, high_u, _ = panel.window
    for index, (height, low, high) in enumerate(_solid_levels(sheet, panel.view)):
        places = panel.on_page(np.array([[max(low, low_u), height], [min(high, high_u), height]]))
        name = f"solid-height-{panel.view.name}-{index + 1}"
        yield group(
            name, [element("path", {"d": ring_data(places, closed=False), **stroke(theme.SOLID)})], "Solid height"
        )


def _ruler(panel: Panel) -> Element:
    """Heights along the left edge, in inches."""
    top, step = panel.window[3], 1 if panel.window[3] <= 12 else 3
    marks: list[Element] = []
    for height in range(0, math.floor(top) + 1, step):
        ((x, y),) = panel.on_page(np.array([[panel.window[0], float(height)]]))
        marks.append(element("path", {"d": f"M{x - 4:.2f} {y:.2f} H{x:.2f}", **stroke(theme.BOARD_EDGE)}))
        marks.append(text((x - 6, y + 3.5), f"{height}″", size=theme.SMALL_SIZE, colour=theme.QUIET, anchor="end"))
    return group(f"heights-{panel.view.name}", marks)


def _scale_bar(panel: Panel) -> Element:
    """A bar of whole inches under the drawing, black and white by turns."""
    most = min(170.0, BAR_SHARE * (panel.box.right - panel.box.left))
    inches = max([bar for bar in BARS if bar * panel.scale <= most] or [1])
    parts = min(inches, 6)
    box, step, top = panel.box, inches * panel.scale / parts, panel.box.bottom + 6
    left = box.right - inches * panel.scale
    bars = [
        rectangle(Box(left + k * step, top, left + (k + 1) * step, top + 5), stroke(theme.BAR, fill))
        for k, fill in zip(range(parts), cycle((theme.INK, theme.PAPER)), strict=False)
    ]
    label = text((left - 6, top + 6), f"{inches}″", size=theme.SMALL_SIZE, anchor="end")
    name = "-".join(["scale-bar", *panel.view.name.split("-")[1:]])
    return group(name, [*bars, label], f"{inches} inches")


def _lettering(sheet: Sheet, panel: Panel) -> Element:
    """Numbers on the lines and names beside their things, none over another."""
    tags = line_tags(panel, sheet.subject)
    taken = [box for _, box in tags]
    names = place(_wanted(sheet, panel), panel.box, _obstacles(sheet, panel), taken)
    return group(f"names-{panel.view.name}", [*(_tag(number, box) for number, box in tags), *map(_name, names)])


def line_tags(panel: Panel, subject: Subject) -> list[tuple[int, Box]]:
    """Where each line's number goes: on the line, near its middle. None where there is one line only."""
    tags: list[tuple[int, Box]] = []
    lines = [(k, panel.seen(drawn_line(verdict))) for k, verdict in enumerate(subject.verdicts, 1)]
    for number, points in lines if len(lines) > 1 else []:
        if len(points) > 1:
            path, used = shapely.LineString(points), [box for _, box in tags]
            spots = [path.interpolate(share, normalized=True) for share in TAG_SPOTS]
            boxes = [Box(spot.x - TAG, spot.y - TAG, spot.x + TAG, spot.y + TAG) for spot in spots]
            free = [box for box in boxes if not any(box.overlaps(other) for other in used)]
            tags.append((number, (free or boxes)[0]))
    return tags


def _tag(number: int, box: Box) -> Element:
    x, y = box.middle
    disc = element("circle", {"cx": x, "cy": y, "r": TAG - 0.5, **stroke(theme.Stroke(theme.INK, 0.9), theme.PAPER)})
    return element("g", {}, [disc, text((x, y + 3.7), str(number), size=theme.SMALL_SIZE, anchor="middle")])


def _wanted(sheet: Sheet, panel: Panel) -> list[Wanted]:
    """The names that the figure asks for; what its own things say stands there anyhow, and gets its place first."""
    own = sorted(thing_names(panel, sheet.subject.things), key=lambda each: not each.row)
    if "labels" not in sheet.subject.show:
        return own
    charted = chart_names(panel, sheet.subject.chart) if sheet.subject.chart else []
    return [
        *own,
        *charted,
        *_model_names(sheet, panel),
        *_gap_names(sheet, panel),
        *_terrain_names(sheet, panel),
        *_measure_names(sheet, panel),
    ]


def _thing(panel: Panel, shape: BaseGeometry) -> Box | None:
    """The box of a flat shape (inches) on the page, as far as it is in the window."""
    kept = shapely.intersection(shapely.make_valid(shape), shapely.box(*panel.window))
    if kept.is_empty:
        return None
    return Box(*shapely.transform(kept, panel.on_page).bounds)


def _model_names(sheet: Sheet, panel: Panel) -> Iterator[Wanted]:
    many = {unit.name for unit in sheet.scene.units if len(unit.models) > FEW}
    said = tags(sheet.report, sheet.subject.verdicts, sheet.subject.show)
    for model in _standing(sheet.subject, panel.view):
        box = _thing(panel, model_shape(model, panel.view))
        if box is not None and (model.unit not in many or model.number == 1):
            crowd = tagged(model.unit, unit_tag(sheet.report, model.unit))
            name = crowd if model.unit in many else tagged(model.name, said.get(model.name, ""))
            yield Wanted(name, box, inside=True, bold=True)


def _gap_names(sheet: Sheet, panel: Panel) -> Iterator[Wanted]:
    """Openings that decided something."""
    stopped = [v.blocker for v in sheet.subject.verdicts if v.blocker is not None]
    deciding = dict.fromkeys((b.feature, b.opening) for b in stopped if b.opening is not None)
    for feature in sheet.subject.features:
        for opening in feature.piece.openings:
            if (feature.name, opening.id) in deciding:
                box = _thing(panel, opening_shape(feature, opening, opening.outline, panel.view))
                if box is not None:
                    yield Wanted(f"opening {opening.id}", box, size=theme.SMALL_SIZE)


def _terrain_names(sheet: Sheet, panel: Panel) -> Iterator[Wanted]:
    for feature in sheet.subject.features:
        box = _thing(panel, silhouette(feature, panel.view))
        if box is not None:
            yield Wanted(tagged(feature.name, feature_tag(sheet.report, feature)), box, inside=True)
    for area in _areas(sheet) if "areas" in sheet.subject.show and panel.view.above else []:
        box = _thing(panel, area.outline)
        if box is not None:
            corner = Box(box.left + 2, box.top + 10, box.left + 2, box.top + 10)
            yield Wanted(f"area {area.name}", corner, size=theme.SMALL_SIZE, colour=theme.AREA_EDGE.colour)


def _measure_names(sheet: Sheet, panel: Panel) -> Iterator[Wanted]:
    """What the rings and the line of the Solid height mean."""
    for model, reach in sheet.subject.ranges:
        ring = shapely.buffer(model_shape(model, PLAN), reach).exterior if panel.view.above else None
        box = _thing(panel, ring) if ring is not None else None
        if box is not None:
            yield Wanted(
                f"{reach:g}″ from {model.name}",
                Box(box.middle[0], box.top, box.middle[0], box.top),
                size=theme.SMALL_SIZE,
                colour=theme.RANGE.colour,
            )
    for height, _low, high in _solid_levels(sheet, panel.view) if not panel.view.above else []:
        edge = panel.on_page(np.array([[min(high, panel.window[2]) - 0.1, height]]))[0]
        x, y = float(edge[0]), float(edge[1])
        yield Wanted(f"Solid up to {height:g}″", Box(x - 40, y, x, y), size=theme.SMALL_SIZE, colour=theme.SOLID.colour)


def _obstacles(sheet: Sheet, panel: Panel) -> list[BaseGeometry]:
    """What a name should not lie over: lines, models, gaps, walls cut through, rings, and the Solid height's line."""
    subject = sheet.subject
    lines = [
        shapely.LineString(panel.seen(line)).buffer(4) for line in map(drawn_line, subject.verdicts) if len(line) > 1
    ]
    models = [panel.shape(model_shape(model, panel.view)) for model in _standing(subject, panel.view)]
    gaps = [
        panel.shape(opening_shape(feature, opening, opening.outline, panel.view))
        for feature in subject.features for opening in feature.piece.openings
    ]  # fmt: skip
    walls = [panel.shape(plan_cut(each, panel.view.level)) for each in subject.features] if panel.view.above else []
    rings = [panel.shape(range_shape(model, reach, panel.view)).boundary for model, reach in subject.ranges]
    low, _, high, _ = panel.window
    limits = [
        shapely.LineString(panel.on_page(np.array([[low, h], [high, h]])))
        for h, _, _ in _solid_levels(sheet, panel.view)
    ]
    ways = [*chart_obstacles(panel, subject.chart)] if subject.chart else []
    ways += thing_obstacles(panel, subject.things)
    return [*ways, *lines, *models, *gaps, *walls, *rings, *(limits if not panel.view.above else [])]


def _name(placed: Placed) -> Element:
    """A name in its place, with the thin line to its thing where it is far."""
    wanted, (x, _) = placed.wanted, placed.box.middle
    baseline = placed.box.middle[1] + (0.36 if wanted.disc else 0.29) * wanted.size
    leader = (
        [element("path", {"d": ring_data(placed.leader, closed=False), **stroke(theme.LEADER)})]
        if placed.leader
        else []
    )
    words = text(
        (x, baseline),
        wanted.words,
        size=wanted.size,
        colour=wanted.colour,
        anchor="middle",
        bold=wanted.bold,
        halo=0.0 if wanted.disc else 3.0,
    )
    return element("g", {}, [*leader, *_disc(placed), words])


def _disc(placed: Placed) -> Iterator[Element]:
    """What a callout's letter stands in, and the dot at the other end of its line."""
    if placed.wanted.disc:
        (x, y), look = placed.box.middle, theme.Stroke(theme.INK, 1.1)
        at, end = placed.wanted.thing.middle, placed.leader[1] if placed.leader else placed.box.middle
        yield element("path", {"d": ring_data([end, at], closed=False), **stroke(theme.LEADER)})
        yield element("circle", {"cx": at[0], "cy": at[1], "r": 2.0, "fill": theme.INK})
        yield element("circle", {"cx": x, "cy": y, "r": theme.LETTER_DISC, **stroke(look, theme.PAPER)})

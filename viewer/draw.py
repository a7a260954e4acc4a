"""Scene and verdicts to a list of things to draw. No window, no OpenGL: values that a test can look at.

A line's colour, dash and end come from the verdict's evidence, never from the figure's author.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import shapely
import trimesh
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.units import TOUCH
from deadground.scenes.model import Model
from deadground.scenes.placing import footprint, placed_mesh
from deadground.scenes.rulings.verdict import Report, Verdict
from deadground.scenes.scene import Figure, Scene
from deadground.scenes.terrain import Area, Feature
from deadground.viewer import theme
from deadground.viewer.charted import charted
from deadground.viewer.cut import cut_of
from deadground.viewer.forms import dome, drum, loop_edges, no_edges, polygons, sharp_edges, slab, united
from deadground.viewer.gaps import gaps
from deadground.viewer.palette import DEFAULT, Palette
from deadground.viewer.phrases import sentence
from deadground.viewer.plane import Cut
from deadground.viewer.section import section_of, shows_line
from deadground.viewer.sheet import FLAT, LIFT, Sheet, plain, shifted
from deadground.viewer.subject import Patch, Subject, base_rim, model_points, subject_of
from deadground.viewer.tags import feature_tag, tagged, tags, unit_tag
from deadground.viewer.things import Label, Look, Mark, Path, Surface, Thing
from deadground.viewer.words import inch_words

__all__ = ["draw_list", "grid_step"]

BASE = 0.12
"""Inches. Height of the dark disc that stands for a base."""
FEW = 6
"""A unit with more models than this is named once, not model by model."""
RANGE = "range from the base's edge"
TOP = 0.05
"""Inches under its highest point down to which a feature's corners count as its top."""
ELEVATIONS = ("front", "side")
LINES_OF = ("plan", *ELEVATIONS)
"""Views in which a cut along the direction of sight is drawn as its line."""
MOST_GRID = 60
"""A grid of more lines than this is drawn every 6 inches."""


def draw_list(
    scene: Scene, report: Report, figure: Figure, palette: Palette = DEFAULT, subject: Subject | None = None
) -> tuple[Thing, ...]:
    """Everything that the figure shows, from the ground up. subject : of that figure and palette, where it is known.

    Raises SceneError when the figure names a unit, model or thing to show that does not exist.
    """
    subject = subject or subject_of(scene, report, figure, palette)
    if figure.view in ELEVATIONS and (subject.verdicts or subject.chart) and figure.section is None:
        # all depths fall together in an elevation: what stands far beside the lines would seem to stand in their way
        subject = replace(subject, models=subject.about, features=subject.between)
    sheet = Sheet(scene, report, figure, palette, subject, cut_shown(figure, subject))
    makers = (ground, areas, terrain, gaps, models, sheets, ranges, lines, charted, extras, names)
    return tuple(thing for make in makers for thing in make(sheet))


def cut_shown(figure: Figure, subject: Subject) -> Cut | None:
    """The figure's own cut, where its view shows it as one; else that of an elevation, through what lines meet."""
    own = section_of(figure)
    level = own is not None and bool(own.normal[2] > 0)
    if own is not None and (figure.view not in LINES_OF or (figure.view == "plan") == level):
        return own
    return cut_of(subject, figure.view)


def ground(sheet: Sheet) -> Iterator[Thing]:
    """The table, cut to what the figure is about, with a grid of inches."""
    patch = sheet.subject.patch
    mesh = trimesh.creation.extrude_polygon(shapely.box(*patch), 0.2)
    mesh.apply_translation((0, 0, -0.2))
    look = Look(sheet.palette.ground, edge=sheet.palette.grid, width=0.6)
    yield Thing("ground", "table", plain(mesh, np.concatenate([sharp_edges(mesh), grid(patch)])), look)


def grid(patch: Patch) -> Array:
    """(k, 2, 3) lines on the ground, `grid_step` apart."""
    low_x, low_y, high_x, high_y = patch
    step = grid_step(patch)
    xs = np.arange(np.ceil(low_x / step) * step, high_x, step)
    ys = np.arange(np.ceil(low_y / step) * step, high_y, step)
    across = [[(x, low_y, 0.0), (x, high_y, 0.0)] for x in xs]
    along = [[(low_x, y, 0.0), (high_x, y, 0.0)] for y in ys]
    return np.array([*across, *along], dtype=np.float64).reshape(-1, 2, 3)


def grid_step(patch: Patch) -> int:
    """Inches between the lines on the ground: 1, or 6 on a large patch."""
    low_x, low_y, high_x, high_y = patch
    return 1 if high_x - low_x + high_y - low_y <= MOST_GRID else 6


def areas(sheet: Sheet) -> Iterator[Thing]:
    """Terrain areas: tinted ground with an outline. They have no height, and none is drawn."""
    if sheet.shows("areas"):
        for area, shape in areas_shown(sheet):
            yield area_thing(sheet, area, shape)


def areas_shown(sheet: Sheet) -> Iterator[tuple[Area, BaseGeometry]]:
    """Areas and the part of them on the ground that is drawn.

    A feature that is its own area shows it by itself, and has it drawn only where it stops a line.
    """
    window = shapely.box(*sheet.subject.patch)
    stopping = {v.blocker.area for v in sheet.subject.verdicts if v.blocker is not None}
    for area in sheet.scene.areas:
        shape = area.outline.intersection(window)
        own = area.features == (area.name,) and area.name not in stopping
        if not own and not shape.is_empty:
            yield area, shape


def area_thing(sheet: Sheet, area: Area, shape: BaseGeometry) -> Thing:
    """One area as drawn, cut to the ground that is drawn."""
    form = slab(shape, shifted(FLAT, LIFT))
    look = Look(sheet.palette.area, opacity=0.35, edge=sheet.palette.area_edge, width=1.4)
    held = f" of {', '.join(area.features)}" if area.features else ""
    return Thing("area", area.name, form, look, f"Terrain area {area.name}{held}.", "terrain area")


def terrain(sheet: Sheet) -> Iterator[Thing]:
    """Every feature that stands on the ground that is drawn; where it is cut, the cut faces are darker."""
    colours = {"light": sheet.palette.light_terrain, "exposed": sheet.palette.exposed_terrain}
    for feature in sheet.subject.features:
        mesh, category = placed_mesh(feature), feature.wh40k.category
        look = Look(colours.get(category or "", sheet.palette.terrain), edge=sheet.palette.edge, width=0.9)
        words = f"Terrain feature {feature.name}{', ' + category if category else ''}."
        form = sheet.behind(plain(mesh, sharp_edges(mesh)))
        if sheet.sectioned and not len(form.faces):
            continue
        yield Thing("terrain", feature.name, form, look, words)
        if sheet.cut is not None and len((face := sheet.cut.face(mesh)).faces):
            cut_look = Look(sheet.palette.cut, edge=theme.CUT_EDGE.colour, width=theme.CUT_EDGE.width)
            yield Thing("cut", feature.name, face, cut_look, f"{feature.name}, cut through.", "terrain cut through")


def models(sheet: Sheet) -> Iterator[Thing]:
    """Models: the solid that the rules judge, in its side's colour, on a dark disc for its base."""
    sides = list(dict.fromkeys(unit.side for unit in sheet.scene.units))
    for model in sheet.subject.models:
        look = theme.side_look(model.side, sides.index(model.side))
        yield base_thing(sheet, model)
        yield body_thing(sheet, model, look)


def base_thing(sheet: Sheet, model: Model) -> Thing:
    """The disc under a model."""
    form = drum(base_rim(model), model.foot, model.foot + min(BASE, model.height / 3))
    look = Look(sheet.palette.base, edge=sheet.palette.edge, width=0.8)
    return Thing("base", model.name, form, look)


def body_thing(sheet: Sheet, model: Model, side: theme.SideLook) -> Thing:
    """A model's body, with one rim for each place its side has in the scene."""
    look = Look(side.fill, edge=sheet.palette.edge, width=0.8)
    words = f"Model {model.name} ({model.side}), {inch_words(model.height)} high."
    if model.mesh is not None:
        return Thing("body", model.name, plain(model.mesh, sharp_edges(model.mesh, 50.0)), look, words)
    foot, top = model.foot + min(BASE, model.height / 3), model.foot + model.height
    form = drum(base_rim(model), foot, top)
    rims = [level(base_rim(model), top - 0.09 * k) for k in range(1, side.rims) if top - 0.09 * k > foot]
    edges = np.concatenate([form.edges, *rims]) if rims else form.edges
    return Thing("body", model.name, Surface(form.vertices, form.faces, edges, smooth=True), look, words)


def level(rim: Array, height: float) -> Array:
    """(n, 2, 3) edges of an outline at a height."""
    return loop_edges(np.column_stack([rim, np.full(len(rim), height)]))


def sheets(sheet: Sheet) -> Iterator[Thing]:
    """The Solid height over each dense feature."""
    height = sheet.report.options.get("solid_height")
    if not sheet.shows("solid-height") or height is None:
        return
    for feature in sheet.subject.features:
        if feature.wh40k.category == "dense":
            shape = footprint(feature).convex_hull.buffer(0.4, join_style="mitre")
            at = feature.foot + float(height)
            form = slab(shape, shifted(FLAT, at + 2 * LIFT))
            look = Look(sheet.palette.sheet, opacity=0.22, edge=sheet.palette.sheet, width=1.1)
            words = f"Solid height of {feature.name}: {inch_words(float(height))} above the ground it stands on."
            yield Thing("sheet", feature.name, form, look, words, "Solid height")
            corner = np.array([shape.bounds[2], shape.bounds[1], at])
            yield Thing(
                "measure", feature.name, Label(corner, inch_words(float(height))), Look(sheet.palette.sheet), words
            )


def ranges(sheet: Sheet) -> Iterator[Thing]:
    """All points within so many inches of a unit's bases, measured from their edges, and the ring on the ground."""
    groups: dict[tuple[str, float], list[Model]] = {}
    for model, reach in sheet.subject.ranges:
        groups.setdefault((model.unit, reach), []).append(model)
    for (unit, reach), members in groups.items():
        yield from range_things(sheet, unit if len(members) > 1 else members[0].name, reach, members)


def range_things(sheet: Sheet, name: str, reach: float, members: list[Model]) -> Iterator[Thing]:
    """One range around one model, or around all of a unit."""
    words = f"{inch_words(reach)} from the edge of the base of {name}."
    forms = [dome(base_rim(model), model.foot, reach) for model in members]
    flat = sheet.figure.view == "plan"  # from above the ring says it, and the dome would only grey what is below
    yield Thing("range", name, united(forms), Look(sheet.palette.range, opacity=0.06 if flat else 0.16), words, RANGE)
    ground_ring = shapely.union_all([shapely.Polygon(form.edges[:, 0, :2]) for form in forms])
    for part in polygons(ground_ring):
        ring = np.column_stack(
            [np.asarray(part.exterior.coords)[:-1, :2], np.full(len(part.exterior.coords) - 1, LIFT)]
        )
        look = Look(sheet.palette.range, width=1.6, dash=(4.0, 3.0), ghost=0.3)
        yield Thing("ring", name, Path(ring, closed=True), look, words)
        nearest = ring[np.argmin(ring[:, 1])]
        yield Thing("measure", name, Label(nearest, inch_words(reach), rank=0), Look(sheet.palette.range), words)


def lines(sheet: Sheet) -> Iterator[Thing]:
    """Lines of sight, each as its verdict has it."""
    for verdict in sheet.subject.verdicts:
        if verdict.line:
            yield from line_things(sheet, verdict)


def line_things(sheet: Sheet, verdict: Verdict) -> Iterator[Thing]:
    """The line up to what stops it, with a cross there; or the whole clear line with a dot at either end."""
    points = np.array(verdict.line, dtype=np.float64)
    name, words, ends = f"{verdict.observer} - {verdict.target}", sentence(verdict), (verdict.observer, verdict.target)
    look = sheet.palette.line(clear=verdict.visible)
    called = "clear line" if verdict.visible else "blocked line, crossed where it stops"
    stop = points[-1] if verdict.visible or verdict.blocker is None else np.array(verdict.blocker.at)
    reached, beyond = split(points, stop)
    yield Thing("ray", name, Path(reached), look, words, called, ends)
    if len(beyond):
        faint = Look(look.colour, opacity=0.6, width=1.5, dash=(2.5, 4.0), ghost=0.25)
        yield Thing("ray", f"{name} beyond", Path(beyond), faint, words, ends=ends)
    yield Thing("ray", f"{name} start", Mark(points[0], "dot"), look, words, ends=ends)
    yield Thing("ray", f"{name} end", Mark(stop, "dot" if verdict.visible else "cross"), look, words, ends=ends)


def split(points: Array, stop: Array) -> tuple[Array, Array]:
    """A straight line cut where it is stopped; the second part is empty when it ends there."""
    if float(np.linalg.norm(points[-1] - stop)) <= TOUCH or len(points) != 2:
        return points, points[:0]
    return np.vstack([points[:1], stop]), np.vstack([stop, points[-1:]])


def extras(sheet: Sheet) -> Iterator[Thing]:
    """What the figure shows beyond all this."""
    for thing in sheet.subject.things:
        if thing.kind != "section" or (sheet.figure.view in LINES_OF and shows_line(thing, above=sheet.above)):
            yield thing


def names(sheet: Sheet) -> Iterator[Thing]:
    """Names of models, features and areas."""
    if not sheet.shows("labels"):
        return
    ink, quiet = (
        Look(sheet.palette.ink, casing=sheet.palette.paper),
        Look(sheet.palette.quiet, casing=sheet.palette.paper),
    )
    for label in model_names(sheet):
        yield Thing("name", label.text, label, ink)
    for feature in sheet.subject.between if sheet.subject.crowded else sheet.subject.features:
        if not sheet.sectioned or len(sheet.behind(plain(placed_mesh(feature), no_edges())).faces):
            yield Thing("name", feature.name, feature_name(sheet, feature), quiet)
    if sheet.shows("areas") and not sheet.subject.crowded:
        for area, shape in areas_shown(sheet):
            if area.features != (area.name,):  # a feature's own area goes by the feature's name
                yield Thing("name", area.name, border(area, shape), quiet)


def border(area: Area, shape: BaseGeometry) -> Label:
    """An area's name, just inside the side of it that is nearest to the reader."""
    inner = max(polygons(shape.buffer(-0.5)) or polygons(shape), key=lambda part: part.area)
    line = inner.exterior
    flat = shapely.get_coordinates([line.interpolate(t, normalized=True) for t in np.arange(0, 1, 0.02)])
    around = np.column_stack([flat, np.full(len(flat), LIFT)])
    return Label(around[0], area.name, rank=3, on=True, around=around, best="lowest")


def feature_name(sheet: Sheet, feature: Feature) -> Label:
    """A feature's name: at one of its highest corners, or on a plan within or beside its outline."""
    whole = plain(placed_mesh(feature), no_edges())
    left = sheet.behind(whole) if sheet.sectioned else whole
    corners = left.vertices[np.unique(left.faces)]
    name = tagged(feature.name, feature_tag(sheet.report, feature))
    if sheet.figure.view == "plan":
        low, high = corners.min(axis=0), corners.max(axis=0)
        return Label((low + high) / 2, name, rank=2, on=True, around=np.array([low, high]))
    high = corners[corners[:, 2] > corners[:, 2].max() - TOP]
    return Label(high.mean(axis=0), name, rank=2, around=high[:: max(1, len(high) // 50)], best="highest")


def model_names(sheet: Sheet) -> Iterator[Label]:
    """Names of models, with what is said of them: a lone model by its unit's name, a crowd by one name."""
    subject = sheet.subject
    drawn = {model.name for model in (subject.about if subject.crowded else subject.models)}
    said = tags(sheet.report, sheet.subject.verdicts, sheet.subject.show)
    for unit in sheet.scene.units:
        kept = [model for model in unit.models if model.name in drawn]
        if len(kept) > FEW:
            yield name_of(kept, tagged(unit.name, unit_tag(sheet.report, unit.name)))
            continue
        for model in kept:
            name = unit.name if len(unit.models) == 1 else model.name
            yield name_of([model], tagged(name, said.get(model.name, "")))


def name_of(models: list[Model], text: str) -> Label:
    """A name beside some models."""
    tops = np.array([(model.x, model.y, model.foot + model.height) for model in models])
    return Label(tops.mean(axis=0), text, rank=0, around=np.vstack([model_points(model) for model in models]))

"""Terrain, areas, models and ranges as they stand in a drawing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.meshes.piece import Opening
from deadground.scenes.barriers import Strip
from deadground.scenes.model import Model
from deadground.scenes.placing import base_outline
from deadground.scenes.scene import Scene
from deadground.scenes.terrain import Area, Feature
from deadground.viewer import theme
from deadground.viewer.labels import Box
from deadground.viewer.outlines import PLAN, View, ground_cut, model_shape, opening_shape, silhouette
from deadground.viewer.panel import Panel, rectangle
from deadground.viewer.phrases import length
from deadground.viewer.plane import Cut
from deadground.viewer.section import is_taken
from deadground.viewer.subject import Subject
from deadground.viewer.svg import Element, Value, element, group, outline, slug, stroke

__all__ = [
    "area_group",
    "board",
    "depth",
    "feature_group",
    "gap_groups",
    "ground",
    "hatching",
    "is_own_area",
    "model_group",
    "plan_cut",
    "range_group",
    "range_shape",
    "strip_group",
]  # fmt: skip

HATCH = "closed-gap"
FLAT = 0.5
"""Terrain that is no higher, in inches, is drawn in plan as ground, not as cut material."""


def hatching() -> Element:
    """The pattern of what the rules close."""
    step: dict[str, Value] = {
        "id": HATCH,
        "width": 4.5,
        "height": 4.5,
        "patternUnits": "userSpaceOnUse",
        "patternTransform": "rotate(45)",
    }
    back = rectangle(Box(0, 0, 4.5, 4.5), {"fill": theme.GAP_CLOSED})
    return element("pattern", step, [back, element("path", {"d": "M0 0 V4.5", **stroke(theme.GAP_HATCH, wider=0.5)})])


def board(panel: Panel, size: tuple[float, float]) -> Iterator[Element | None]:
    """The table, and its edge where it is in sight."""
    yield rectangle(panel.box, {"fill": theme.BOARD})
    edge = shapely.intersection(shapely.box(0, 0, *size).exterior, shapely.box(*panel.window))
    for part in shapely.get_parts(edge):
        if part.length > 0:
            places = panel.on_page(np.asarray(part.coords)[:, :2])
            yield element(
                "polyline", {"points": " ".join(f"{x:.2f},{y:.2f}" for x, y in places), **stroke(theme.BOARD_EDGE)}
            )


def ground(panel: Panel) -> Element:
    """The table's surface seen from the side."""
    low_u, low_v, high_u, _ = panel.window
    (left, top), (right, bottom) = panel.on_page(np.array([[low_u, 0.0], [high_u, low_v]]))
    line = element("path", {"d": f"M{left:.2f} {top:.2f} H{right:.2f}", **stroke(theme.GROUND)})
    return group(f"ground-{panel.view.name}", [rectangle(Box(left, top, right, bottom), {"fill": theme.BOARD}), line])


def is_own_area(area: Area) -> bool:
    """Whether it is only a feature's own footprint, which the drawing of the feature shows."""
    return area.features == (area.name,)


def area_group(panel: Panel, area: Area) -> Element | None:
    """A terrain area: tinted ground seen from above, a strip along the ground from the side."""
    look = {"fill-opacity": theme.AREA_OPACITY}
    name, words = slug("area", panel.view.name, area.name), f"Terrain area {area.name}: {', '.join(area.features)}."
    if panel.view.above:
        shape = panel.shape(area.outline)
        fill = outline(shape, theme.Stroke("none", 0), theme.AREA)
        tint = element("g", look, [fill])
        return group(name, [tint, outline(shape, theme.AREA_EDGE)], area.name, words)
    spread = panel.view.flat(
        np.column_stack([*np.asarray(area.outline.exterior.coords).T[:2], np.zeros(len(area.outline.exterior.coords))])
    )
    (left, top), (right, bottom) = panel.on_page(
        np.array([[spread[:, 0].min(), 0.0], [spread[:, 0].max(), panel.window[1] / 2]])
    )
    strip = rectangle(Box(left, top, right, bottom), {"fill": theme.AREA, "fill-opacity": 0.6})
    return group(name, [strip], area.name, words)


def feature_group(
    panel: Panel, feature: Feature, gaps: Iterable[Element | None], cuts: list[BaseGeometry],
    left: BaseGeometry | None = None,
) -> Element:  # fmt: skip
    """A feature's outline, its openings, and what is cut of it: near its foot in a plan, along the lines from the side.

    left : what a section leaves of it, None for all.
    From above, openings lie over what is cut; from the side, the cut lies over the openings of the same wall beside it.
    """
    whole = silhouette(feature, panel.view) if left is None else left
    fill = outline(panel.shape(whole), theme.TERRAIN_EDGE, theme.TERRAIN)
    cut = outline(panel.shape(shapely.union_all(cuts)), theme.CUT_EDGE, theme.CUT) if cuts else None
    category = f", {feature.wh40k.category}" if feature.wh40k.category else ""
    words = f"Terrain feature {feature.name}{category}."
    if panel.view.above:
        shown = [fill, cut, *gaps]
    else:
        shown = [element("g", {"fill-opacity": theme.TERRAIN_OPACITY}, [fill]), *gaps, cut]
    return group(slug("feature", panel.view.name, feature.name), shown, feature.name, words)


def plan_cut(feature: Feature, level: float = 0.0) -> BaseGeometry:
    """What a plan shows cut of a feature: its material an inch up, half way where it is low, none of flat things.

    level : height over the ground of the floor that the plan is of
    """
    own = max(0.0, level - feature.foot)
    top = float(feature.piece.mesh.bounds[1][2]) - own
    return ground_cut(feature, own + min(1.0, top / 2)) if top > FLAT else shapely.Polygon()


def gap_groups(
    panel: Panel, feature: Feature, subject: Subject, section: Cut | None = None
) -> Iterator[Element | None]:
    """A feature's openings: white where they stay open, hatched where the rules close them."""
    for opening in sorted(feature.piece.openings, key=lambda each: -each.sill):  # the lowest is what a plan shows
        if section is not None and is_taken(section, feature, opening, subject.verdicts):
            continue
        height = subject.closed.get(feature.name, {}).get(opening.id)
        closed = opening.closed_part(height) if height is not None else shapely.Polygon()
        yield _gap(panel, feature, opening, closed, asked="openings" in subject.show)


def _gap(panel: Panel, feature: Feature, opening: Opening, closed: BaseGeometry, *, asked: bool) -> Element | None:
    if closed.is_empty and not asked:
        return None
    edge = theme.GAP_EDGE if opening.sure else theme.GAP_UNSURE
    whole = panel.shape(opening_shape(feature, opening, opening.outline, panel.view))
    shut = (
        panel.shape(opening_shape(feature, opening, closed, panel.view)) if not closed.is_empty else shapely.Polygon()
    )
    parts = [outline(whole, edge, theme.GAP_OPEN), outline(shut, theme.GAP_EDGE, f"url(#{HATCH})")]
    state = (
        "open" if closed.is_empty else "closed" if closed.area > 0.999 * opening.area else "closed in its lower part"
    )
    words = (
        f"Opening {opening.id} of {feature.name}, {length(opening.sill, 2)} to {length(opening.head, 2)} high: {state}."
    )
    return group(
        slug("opening", panel.view.name, feature.name, str(opening.id)),
        parts,
        f"{feature.name}, opening {opening.id}",
        words,
    )


def model_group(panel: Panel, scene: Scene, model: Model) -> Element:
    """A model: its base seen from above, its body from the side."""
    sides = list(dict.fromkeys(unit.side for unit in scene.units))
    look = theme.side_look(model.side, sides.index(model.side))
    parts = _base(panel, model, look) if panel.view.above else _body(panel, model, look)
    words = f"Model {model.name} of {model.side}, {length(model.height, 2)} high, standing at {length(model.foot, 2)}."
    return group(slug("model", panel.view.name, model.name), parts, model.name, words)


def _base(panel: Panel, model: Model, look: theme.SideLook) -> Iterator[Element | None]:
    """A true circle, oval or rectangle, with one rim for each place of its side in the scene."""
    if model.base.shape == "square":
        yield from _square_base(panel, model, look)
        return
    ((x, y),) = panel.seen([(model.x, model.y, model.foot)])
    a, b = model.base.length / 2 * panel.scale, model.base.width / 2 * panel.scale
    turn = f"rotate({-model.facing:.2f} {x:.2f} {y:.2f})" if a != b else None
    for rim in range(min(look.rims, 3)):
        fill = look.fill if rim == 0 else "none"
        size = {"cx": x, "cy": y, "rx": a - 3.0 * rim, "ry": b - 3.0 * rim, "transform": turn}
        if min(a, b) > 3.0 * rim + 2:
            yield element("ellipse", {**size, **stroke(theme.MODEL_EDGE if rim == 0 else theme.MODEL_RIM, fill)})


def _square_base(panel: Panel, model: Model, look: theme.SideLook) -> Iterator[Element | None]:
    """A rectangle, with its rims."""
    whole = panel.shape(model_shape(model, PLAN))
    for rim in range(min(look.rims, 3)):
        edge = theme.MODEL_EDGE if rim == 0 else theme.Stroke(theme.INK, 0.7)
        shape = whole.buffer(-3.0 * rim, join_style="mitre")
        yield outline(shape, edge, look.fill if rim == 0 else "none")


def _body(panel: Panel, model: Model, look: theme.SideLook) -> Iterator[Element | None]:
    """The body, and the base as a dark strip under it."""
    shape = model_shape(model, panel.view)
    tint = outline(panel.shape(shape), theme.MODEL_EDGE, look.fill)
    yield element("g", {"fill-opacity": theme.BODY_OPACITY}, [tint])
    low_u, low_v, high_u, _ = shape.bounds
    base = shapely.box(low_u, low_v, high_u, low_v + min(0.14, model.height / 3))
    yield outline(panel.shape(base), theme.MODEL_EDGE, theme.MODEL_EDGE.colour)


def range_group(panel: Panel, model: Model, reach: float) -> Element | None:
    """How far a range goes, from the base's edge: its outline from above, from the side over the ground."""
    shape = panel.shape(range_shape(model, reach, panel.view))
    words = f"{reach:g}″ from the edge of the base of {model.name}."
    return group(
        slug("range", panel.view.name, model.name, f"{reach:g}"),
        [outline(shape, theme.RANGE)],
        f"{reach:g}″ from {model.name}",
        words,
    )


def range_shape(model: Model, reach: float, view: View) -> BaseGeometry:
    """All within `reach` inches of the base, seen from above, or above the ground from the side. Inches."""
    base = base_outline(model)
    if view.above:
        return shapely.buffer(base, reach, quad_segs=32)
    spread = np.asarray(base.exterior.coords) @ np.array(view.across[:2])
    flat = shapely.LineString([(float(spread.min()), model.foot), (float(spread.max()), model.foot)])
    return shapely.intersection(shapely.buffer(flat, reach, quad_segs=32), shapely.box(-1e3, 0.0, 1e3, 1e3))


def strip_group(panel: Panel, strip: Strip) -> Element | None:
    """A narrow gap between two features that the rules close, hatched."""
    shape = strip.outline
    if not panel.view.above:
        spread = np.asarray(strip.outline.exterior.coords)[:, :2] @ np.array(panel.view.across[:2])
        shape = shapely.box(float(spread.min()), strip.foot, float(spread.max()), strip.top)
    words = f"Gap between {' and '.join(strip.features)}: closed up to {strip.top:g}″."
    x, y = strip.outline.centroid.coords[0]
    name = slug("gap", panel.view.name, *strip.features, f"{x:.1f}", f"{y:.1f}")
    return group(
        name, [outline(panel.shape(shape), theme.GAP_EDGE, f"url(#{HATCH})")], " – ".join(strip.features), words
    )


def depth(at: Sequence[float] | Array, view: View) -> float:
    """How near a point of the table is to the onlooker: near things are drawn over far ones."""
    x, y, z = at
    return float(z if view.above else {"front": -y}.get(view.name, x))

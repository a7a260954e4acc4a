"""Cuts that a figure asks for: level, so that one sees into a ruin, or upright. They change the drawing, not a verdict.

What stands above a level cut, or on the reader's side of an upright one, is taken away from terrain. Lines, models and
gaps stay whole; a gap that lies wholly in what is taken away goes with it, unless it stops a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.geometry.units import TOUCH
from deadground.meshes.piece import Opening
from deadground.scenes.figure import Figure, Section
from deadground.scenes.placing import footprint, placed_mesh
from deadground.scenes.rulings.verdict import Verdict
from deadground.scenes.terrain import Feature
from deadground.viewer.forms import no_edges
from deadground.viewer.outlines import View, form_shape
from deadground.viewer.plane import Cut
from deadground.viewer.setting import Setting
from deadground.viewer.things import Label, Look, Path, Surface, Thing
from deadground.viewer.words import inch_words

__all__ = [
    "face_shape", "is_taken", "kept_form", "kept_shape", "panel_section", "section_line", "section_of", "shows_line",
]  # fmt: skip

TOWARD: Final = {"front": np.array([0.0, -1.0, 0.0]), "side": np.array([1.0, 0.0, 0.0])}
"""The way to the reader of an elevation."""
LEVEL: Final = "level section"
UPRIGHT: Final = "upright section"
ARROW: Final = 0.8
"""Inches of the arrows at the ends of a section's line, which point where one looks."""
SPOTS: Final = (0.1, 0.25, 0.75, 0.9, 0.5)
"""Where a section's line may have its name, as shares of it."""
SQUARE: Final = 0.2
"""A plane that an elevation meets at less than this sine is seen too much from its edge."""
OVER: Final = 0.03
"""Inches by which a section's line lies over the ground."""


def section_of(figure: Figure) -> Cut | None:
    """The figure's own cut, None without one. Its normal points to what is taken away."""
    section = figure.section
    if section is None:
        return None
    if section.height is not None:
        return Cut(np.array([0.0, 0.0, section.height]), np.array([0.0, 0.0, 1.0]))
    start, normal = _upright(section)
    turned = float(normal @ _reader(figure, start))
    if turned == 0.0:  # seen along the plane: what is on the right goes
        turned = float(normal @ TOWARD["side"])
    return Cut(start, normal if turned > 0 else -normal)


def _upright(section: Section) -> tuple[Array, Array]:
    """A point of an upright section, and its unit normal to either side."""
    start, end = (np.array([*(point or (0.0, 0.0)), 0.0]) for point in (section.start, section.end))
    run = end - start
    normal: Array = np.array([run[1], -run[0], 0.0]) / float(np.hypot(run[0], run[1]))
    return start, normal


def _reader(figure: Figure, start: Array) -> Array:
    """The way from a section to the reader."""
    if figure.camera_from is not None:
        return np.array(figure.camera_from) - start
    return TOWARD.get(figure.view, TOWARD["front"])


def panel_section(figure: Figure, view: View) -> Cut | None:
    """The cut that a vector drawing shows: a level one from above, an upright one in an elevation across it."""
    cut = section_of(figure)
    if cut is None or view.above != _is_level(cut):
        return None
    if view.above:
        return cut
    toward = TOWARD.get(view.name, TOWARD["front"])
    turned = float(cut.normal @ toward)
    if abs(turned) < SQUARE:
        return None
    return cut if turned > 0 else Cut(cut.origin, -cut.normal)


def _is_level(cut: Cut) -> bool:
    return bool(cut.normal[2] > 0)


def kept_form(feature: Feature, cut: Cut) -> Surface:
    """What a cut leaves of a feature, not capped; no faces where it takes all of it."""
    mesh = placed_mesh(feature)
    return cut.behind(Surface(np.asarray(mesh.vertices, np.float64), np.asarray(mesh.faces, np.int64), no_edges()))


def kept_shape(feature: Feature, view: View, cut: Cut) -> BaseGeometry:
    """What a cut leaves of a feature, as a view sees it."""
    form = kept_form(feature, cut)
    return form_shape(form.vertices, form.faces, view)


def face_shape(feature: Feature, view: View, cut: Cut) -> BaseGeometry:
    """The material of a feature in the plane of a cut, as a view sees it."""
    face = cut.face(placed_mesh(feature))
    return form_shape(face.vertices, face.faces, view)


def is_taken(cut: Cut, feature: Feature, opening: Opening, verdicts: Sequence[Verdict]) -> bool:
    """Whether a gap lies wholly in what a cut takes away, and stops no line that is drawn."""
    blockers = [v.blocker for v in verdicts if v.blocker is not None]
    if any(b.feature == feature.name and b.opening == opening.id for b in blockers):
        return False
    rim = shapely.get_coordinates(opening.outline)
    plane = opening.origin + rim[:, :1] * opening.along + rim[:, 1:2] * opening.up
    points = plane @ feature.rotation.T + feature.shift
    return bool(np.all((points - cut.origin) @ cut.normal > -TOUCH))


def section_line(setting: Setting) -> Iterator[Thing]:
    """Where the cut runs, for drawings that do not show it. SceneError for a cut that shows nothing.

    Asked twice: a plan takes in the whole line of an upright cut, so it is made before the ground that is drawn is
    known; all else needs that ground.
    """
    cut = section_of(setting.figure)
    if cut is None:
        return
    first = setting.figure.view == "plan" and not _is_level(cut)
    if setting.patch is not None:
        _check(setting, cut)
    if first == (setting.patch is None):
        yield from _drawn(setting, cut)


def _drawn(setting: Setting, cut: Cut) -> Iterator[Thing]:
    """The line, and its name."""
    level = _is_level(cut)
    look = Look(setting.palette.ink, width=1.6, dash=(10.0, 3.0), ghost=0.8)
    height = inch_words(float(cut.origin[2]))
    name, words = (LEVEL, f"Cut at a height of {height}") if level else (UPRIGHT, "Upright cut, seen along its arrows")
    points = _level_line(setting, cut) if level else _line(setting.figure.section, cut)
    yield Thing("section", name, Path(points, heads=not level), look, f"{words}.")
    start, end = (points[0], points[1]) if level else (points[1], points[2])
    spots = np.array([start + share * (end - start) for share in SPOTS])
    label = Label(spots[0], f"section at {height}" if level else "section", rank=1, spots=spots[1:])
    yield Thing("section", name, label, Look(setting.palette.ink, casing=setting.palette.paper), f"{words}.")


def _level_line(setting: Setting, cut: Cut) -> Array:
    """(2, 3) from corner to corner of the ground that is drawn, so that it is a line across every elevation."""
    low_x, low_y, high_x, high_y = setting.patch or (0.0, 0.0, *setting.scene.board)
    height = float(cut.origin[2])
    return np.array([[low_x, low_y, height], [high_x, high_y, height]])


def _line(section: Section | None, cut: Cut) -> Array:
    """(4, 3) the line on the ground, with an arrow where one looks at either end."""
    if section is None or section.start is None or section.end is None:
        return np.zeros((0, 3))
    ends = np.array([[*section.start, OVER], [*section.end, OVER]])
    tips = ends - ARROW * cut.normal
    return np.vstack([tips[:1], ends, tips[1:]])


def shows_line(thing: Thing, *, above: bool) -> bool:
    """Whether a drawing, from above or from the side, shows a section as its line."""
    return thing.kind != "section" or (thing.name == UPRIGHT) == above


def _check(setting: Setting, cut: Cut) -> None:
    """SceneError for a cut that takes all terrain away, or none, or is seen from its edge."""
    toward = TOWARD.get(setting.figure.view)
    if toward is not None and not _is_level(cut) and abs(float(cut.normal @ toward)) < SQUARE:
        raise setting.wrong("section", "expected a cut across the direction of sight, found one along it")
    window = shapely.box(*setting.patch) if setting.patch else shapely.Polygon()
    heights = [
        (np.asarray(placed_mesh(feature).vertices) - cut.origin) @ cut.normal
        for feature in setting.scene.features if footprint(feature).intersects(window)
    ]  # fmt: skip
    if not heights or all(float(each.max()) <= TOUCH for each in heights):
        raise setting.wrong("section", "expected a cut that meets terrain, found one that takes nothing away")
    if all(float(each.min()) >= -TOUCH for each in heights):
        raise setting.wrong("section", "expected a cut that leaves some terrain, found one that takes all of it away")

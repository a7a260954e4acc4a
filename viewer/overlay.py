"""What lies over a picture: lines, signs, names, title and legend, as flat shapes and texts on a page.

A page is `theme.PAGE_WIDTH` drawing units wide, y down. The same values become ink in a PNG and elements in an SVG.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import ConvexHull
from shapely.geometry.base import BaseGeometry

from deadground.geometry.plates import Array
from deadground.viewer import theme
from deadground.viewer.camera import Camera
from deadground.viewer.caption import caption_groups, letter_disc
from deadground.viewer.forms import dashes
from deadground.viewer.labels import Box, Placed, Wanted, place
from deadground.viewer.legend import legend_entries, legend_height, legend_marks
from deadground.viewer.lettering import wrapped
from deadground.viewer.marks import Blot, Caption, Group, Page, Text
from deadground.viewer.palette import Palette
from deadground.viewer.signs import TOLD, arrow_heads, sign_blots, sign_shape
from deadground.viewer.standpoint import Screen, breadth
from deadground.viewer.things import Label, Mark, Path, Surface, Thing

__all__ = ["overlay", "page_of", "title_group"]

FINE = 1.5
"""Drawing units between two places of a path that are asked whether they are seen."""

STRAIGHT_DOWN = -0.99
BOLD = 1.12
"""How much wider bold letters are."""
TITLE_STEP = 1.3 * theme.TITLE_SIZE
"""From line to line of a title."""
FOOT = 15.0
"""Drawing units from line to line of the small print."""
PLAIN = Caption()
MEASURED = ("dimension", "ladder")
"""Kinds of lines that are left out where they are seen end on."""
SHORT = 14.0
"""Drawing units. A measured line that is seen shorter, and not from its side, goes without its length."""
BROAD = 0.5
"""Share of a line's length in sight from which on it is seen from its side."""
LITTLE = 0.08
"""A model of which less than this is hidden (of its outline, in dashes) is seen well enough."""
GHOST = 0.03
"""Inches outside a hidden model at which its outline is drawn."""


def page_of(
    things: Sequence[Thing], title: str, aspect: float, *, legend: bool, foot: str = "", caption: Caption = PLAIN
) -> Page:
    """A page for those things; aspect : its width over its height; foot : small print; caption : under the picture."""
    width, height = theme.PAGE_WIDTH, theme.PAGE_WIDTH / aspect
    entries = legend_entries(things) if legend else ()
    lines = tuple(wrapped(foot, width - 2 * theme.PAGE_MARGIN, theme.SMALL_SIZE))
    heading = tuple(wrapped(title, width - 2 * theme.PAGE_MARGIN, theme.TITLE_SIZE * BOLD))
    top = TITLE_STEP * len(heading) + 0.8 * theme.TITLE_SIZE if heading else 0.0
    below = caption.height + legend_height(entries, width) + len(lines) * FOOT + (FOOT / 2 if lines else 0.0)
    return Page(width, height, Box(0.0, top, width, height - below), title, entries, lines, heading, caption)


def overlay(things: Sequence[Thing], page: Page, camera: Camera, palette: Palette) -> tuple[Group, ...]:
    """Everything that lies over the picture, from the bottom up."""
    screen = Screen(things)
    rings = [
        path_group(t, t.shape, page, camera, screen) for t in things if isinstance(t.shape, Path) and t.kind == "ring"
    ]
    rays = [
        path_group(t, t.shape, page, camera, screen) for t in things if isinstance(t.shape, Path) and t.kind != "ring"
    ]
    signs = [(t, t.shape) for t in things if isinstance(t.shape, Mark) and is_flat_on(t, things, page, camera)]
    marks = [mark_group(thing, mark, page, camera, screen) for thing, mark in signs]
    names = list(name_groups(things, page, camera, screen, [*rings, *rays, *marks], palette))
    ghosts = [
        ghost_group(t, t.shape, page, camera, screen)
        for t in things
        if isinstance(t.shape, Surface) and t.kind == "body"
    ]
    under = caption_groups(page.caption, theme.PAGE_MARGIN, page.window.bottom, palette)
    return (*ghosts, *rings, *rays, *marks, *names, *title_group(page, palette), *under, *legend_marks(page, palette))


def on_page(points: Array, page: Page, camera: Camera) -> Array:
    """(n, 2) where points (n, 3) lie on the page."""
    return camera.project(points, page.size)[:, :2] + [page.window.left, page.window.top]


def path_group(thing: Thing, path: Path, page: Page, camera: Camera, screen: Screen) -> Group:
    """A path: what is seen in full, with its casing; what something solid hides as a ghost."""
    points = np.vstack([path.points, path.points[:1]]) if path.closed else path.points
    points = refined(points, on_page(points, page, camera))
    seen = lines_seen(screen, camera, points, thing.ends)
    both = np.column_stack([on_page(points, page, camera), seen])
    strokes = [run for dash in dashes_flat(both, thing.look.dash) for run in runs(dash)]
    heads = [Blot(each, thing.look.colour) for each in arrow_heads(both[:, :2])] if path.heads else []
    return Group(f"{thing.kind}-{thing.name}", thing.words, (*path_blots(thing, strokes, page), *heads))


def lines_seen(screen: Screen, camera: Camera, points: Array, ends: Sequence[str]) -> npt.NDArray[np.bool_]:
    """(n,) which places of a line are seen. On a plan all are: a line under a roof is still drawn whole."""
    if camera.parallel and camera.forward[2] < STRAIGHT_DOWN:
        return np.ones(len(points), bool)
    return screen.seen(camera, points, ends)


def path_blots(thing: Thing, strokes: list[tuple[Array, bool]], page: Page) -> Iterator[Blot]:
    """Casings first, so that no dash's casing lies over another dash."""
    look, window = thing.look, page.window.shape
    shown = [ink(line, look.width) for line, seen in strokes if seen]
    hidden = [ink(line, 0.7 * look.width) for line, seen in strokes if not seen]
    if hidden and look.ghost:
        yield Blot(window & shapely.union_all(hidden), look.colour, look.ghost)
    if shown and look.casing:
        yield Blot(window & shapely.union_all(shown).buffer(theme.CASING / 2), look.casing, look.opacity)
    if shown:
        yield Blot(window & shapely.union_all(shown), look.colour, look.opacity)
    if look.core:
        middles = [ink(line, theme.CORE * look.width) for line, seen in strokes if seen]
        yield Blot(window & shapely.union_all(middles), look.core, look.opacity)


def ghost_group(thing: Thing, body: Surface, page: Page, camera: Camera, screen: Screen) -> Group:
    """The outline of what is hidden of a model, so that one knows where it stands."""
    flat = on_page(body.vertices, page, camera)
    hull = ConvexHull(flat).vertices
    # a hair outside the body, which would hide its own far rim
    away = (flat[hull] - flat[hull].mean(axis=0)) * [1.0, -1.0]
    away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1.0)
    outline = body.vertices[hull] + GHOST * away @ np.vstack([camera.right, camera.up])
    points = np.vstack([outline, outline[:1]])
    points = refined(points, on_page(points, page, camera))
    both = np.column_stack([on_page(points, page, camera), screen.seen(camera, points)])
    strokes = [line for dash in dashes_flat(both, (3.0, 2.5)) for line, seen in runs(dash) if not seen]
    hidden = sum(shapely.LineString(line).length for line in strokes)
    whole = shapely.LineString(both[:, :2]).length
    shape = page.window.shape & shapely.union_all([ink(line, 1.1) for line in strokes])
    if hidden < LITTLE * whole:
        return Group(f"hidden-{thing.name}", "", ())
    return Group(f"hidden-{thing.name}", "", () if shape.is_empty else (Blot(shape, theme.INK, 0.6),))


def ink(line: Array, width: float) -> BaseGeometry:
    """The area that a line of that width covers."""
    return shapely.LineString(line).buffer(width / 2, cap_style="flat")


def refined(points: Array, flat: Array) -> Array:
    """The path with places no further apart on the page than FINE."""
    lengths = np.linalg.norm(np.diff(flat, axis=0), axis=1)
    counts = np.maximum(1, np.ceil(lengths / FINE)).astype(np.int64)
    t = np.concatenate([k + np.arange(n) / n for k, n in enumerate(counts)] + [np.array([float(len(counts))])])
    return np.column_stack([np.interp(t, np.arange(len(points)), column) for column in points.T])


def dashes_flat(line: Array, dash: tuple[float, float] | None) -> list[Array]:
    """Dashes of a line (n, 3): x, y, and whether it is seen there; measured along x, y."""
    if dash is None:
        return [line]
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line[:, :2], axis=0), axis=1))])
    return dashes(line, dash, along)


def runs(line: Array) -> list[tuple[Array, bool]]:
    """A line (n, 3) cut where it goes out of sight or comes back: (points (k, 2), seen)."""
    seen = line[:, 2] > 0.5
    cuts = np.flatnonzero(seen[1:] != seen[:-1]) + 1
    starts, ends = [0, *cuts], [*cuts, len(line) - 1]
    pairs = [(line[s : e + 1, :2], bool(seen[s])) for s, e in zip(starts, ends, strict=True)]
    return [(part, flag) for part, flag in pairs if len(part) > 1]


def mark_group(thing: Thing, mark: Mark, page: Page, camera: Camera, screen: Screen) -> Group:
    """A sign: solid where it is seen, a ghost where it is not."""
    x, y = on_page(mark.at[None], page, camera)[0]
    sign = sign_shape(mark.sign, x, y)
    told = mark.sign in TOLD  # to be read, as what is written beside it, even where something hides its place
    if not told and not lines_seen(screen, camera, mark.at[None], thing.ends)[0]:
        return Group(f"{thing.kind}-{thing.name}", thing.words, (Blot(sign, thing.look.colour, 0.7),))
    return Group(f"{thing.kind}-{thing.name}", thing.words, tuple(sign_blots(mark.sign, x, y, thing.look)))


def name_groups(
    things: Sequence[Thing], page: Page, camera: Camera, screen: Screen, over: list[Group], palette: Palette
) -> Iterator[Group]:
    """Names in places where they do not overlap each other, the lines or the signs, as far as there is room."""
    labels = [(t, t.shape) for t in things if isinstance(t.shape, Label) and is_told(t, t.shape, things, page, camera)]
    named = sorted(labels, key=lambda pair: pair[1].rank)
    wanted = [wanted_name(thing, label, page, camera, screen) for thing, label in named]
    obstacles = [blot.shape for group in over for blot in group.parts if isinstance(blot, Blot) and blot.opacity > 0.5]
    obstacles.extend(shapely.LineString(edge) for edge in drawn_edges(things, page, camera))
    obstacles.extend(drawn_bodies(things, page, camera))
    for placed in place(wanted, page.window, obstacles):
        thing, label = named[wanted.index(placed.wanted)]
        if label.disc:
            yield callout_group(thing, label, placed, page, camera, palette)
            continue
        left, baseline = placed.box.left + 1.0, placed.box.bottom - 0.28 * placed.wanted.size
        text = Text((left, baseline), placed.wanted.words, placed.wanted.size, thing.look.colour,
                    bold=placed.wanted.bold, halo=palette.paper)  # fmt: skip
        leader = [leader_to(thing, label, placed, page, camera)] if placed.leader else []
        yield Group(f"{thing.kind}-{thing.name}", thing.words, (*leader, text))


def is_told(thing: Thing, label: Label, things: Sequence[Thing], page: Page, camera: Camera) -> bool:
    """Whether a label has something to stand beside: what it measures is not seen end on, nor off the page."""
    ((x, y),) = on_page(label.at[None], page, camera)
    here = Box(x, y, x, y).overlaps(page.window) or bool(len(label.around)) or bool(len(label.spots))
    return here and is_flat_on(thing, things, page, camera)


def is_flat_on(label: Thing, things: Sequence[Thing], page: Page, camera: Camera) -> bool:
    """Whether the measured lines that a label speaks of, if any, are seen with some length, not end on."""
    paths = [
        t.shape.points for t in things if t.name == label.name and t.kind == label.kind and isinstance(t.shape, Path)
    ]
    if label.kind not in MEASURED or not paths:
        return True
    lengths = [np.linalg.norm(np.diff(on_page(path, page, camera), axis=0), axis=1).sum() for path in paths]
    return sum(lengths) >= SHORT or any(breadth(camera, path) >= BROAD for path in paths)


def callout_group(thing: Thing, label: Label, placed: Placed, page: Page, camera: Camera, palette: Palette) -> Group:
    """A letter on its disc, tied to the dot on what it is about."""
    (end,) = on_page(label.at[None], page, camera)
    line, dot = ink(np.array([placed.box.middle, end]), 1.0), shapely.Point(end).buffer(2.2)
    tie = shapely.union_all([line, dot])
    blots = [Blot(page.window.shape & tie.buffer(1.2), palette.paper), Blot(page.window.shape & tie, palette.ink)]
    disc = letter_disc(label.text, *placed.box.middle, palette)
    return Group(f"{thing.kind}-{thing.name}", thing.words, (*blots, *disc))


def leader_to(thing: Thing, label: Label, placed: Placed, page: Page, camera: Camera) -> Blot:
    """A thin line from a name to what it names."""
    around = label.around if len(label.around) and label.best == "all" else label.at[None]
    named = shapely.MultiPoint(on_page(around, page, camera)).convex_hull
    line = placed.leader if label.best != "all" else shapely.shortest_line(placed.box.shape, named).coords
    return Blot(ink(np.array(line), 0.8), thing.look.colour)


def drawn_edges(things: Sequence[Thing], page: Page, camera: Camera) -> Array:
    """(k, 2, 2) edges of terrain and gaps on the page, hidden ones too."""
    kinds = ("terrain", "closed-gap", "open-gap", "sheet", "cut")
    ends = [t.shape.edges.reshape(-1, 3) for t in things if isinstance(t.shape, Surface) and t.kind in kinds]
    return on_page(np.concatenate([np.zeros((0, 3)), *ends]), page, camera).reshape(-1, 2, 2)


def drawn_bodies(things: Sequence[Thing], page: Page, camera: Camera) -> Iterator[BaseGeometry]:
    """What models cover on the page."""
    for thing in things:
        if thing.kind == "body" and isinstance(thing.shape, Surface):
            yield shapely.MultiPoint(on_page(thing.shape.vertices, page, camera)).convex_hull


def wanted_name(thing: Thing, label: Label, page: Page, camera: Camera, screen: Screen) -> Wanted:
    """A name beside the place it belongs to, or on it."""
    flat = on_page(places(label, page, camera, screen), page, camera)
    size = theme.TEXT_SIZE if label.rank < 2 and not label.row and not label.disc else theme.SMALL_SIZE
    across, along = (40.0, 20.0) if label.on and len(flat) == 1 else (theme.RUNG, 0.5) if label.row else (1.0, 0.5)
    room = np.array([across, along])
    spots = tuple(box_around(spot[None], room) for spot in on_page(label.spots, page, camera))
    bold = label.rank <= 0 and not label.row
    return Wanted(label.text, box_around(flat, room), size, inside=label.on, bold=bold, colour=thing.look.colour,
                  row=label.row, disc=label.disc, spots=spots)  # fmt: skip


def box_around(flat: Array, room: Array) -> Box:
    """The box of places on the page (n, 2), so much larger each way."""
    low, high = flat.min(axis=0) - room, flat.max(axis=0) + room
    return Box(*low.tolist(), *high.tolist())


def places(label: Label, page: Page, camera: Camera, screen: Screen) -> Array:
    """(n, 3) what a name is put beside."""
    if not len(label.around):
        return label.at[None]
    if label.best == "all":
        return label.around
    seen = label.around[screen.seen(camera, label.around)]
    chosen = seen if len(seen) else label.around
    heights = on_page(chosen, page, camera)[:, 1]
    return chosen[[int(np.argmax(heights) if label.best == "lowest" else np.argmin(heights))]]


def title_group(page: Page, palette: Palette) -> Iterator[Group]:
    """The title above the picture, and the small print at the foot of the page."""
    left = theme.PAGE_MARGIN
    tops = [(left, 1.45 * theme.TITLE_SIZE + k * TITLE_STEP) for k in range(len(page.heading))]
    said = zip(tops, page.heading, strict=True)
    yield Group("heading", "", tuple(Text(at, line, theme.TITLE_SIZE, palette.ink, bold=True) for at, line in said))
    for number, line in enumerate(page.foot):
        at = (left, page.height - FOOT * (len(page.foot) - number) + 0.3 * FOOT)
        yield Group(f"foot-{number}", "", (Text(at, line, theme.SMALL_SIZE, palette.quiet),))

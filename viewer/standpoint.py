"""Choosing the camera of a figure: as it asks, or where its lines, gaps and models are seen best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
import shapely

from deadground.geometry.caster import Caster
from deadground.geometry.errors import SceneError
from deadground.geometry.plates import Array
from deadground.geometry.segments import Segments
from deadground.geometry.units import TOUCH
from deadground.scenes.scene import Figure, Scene
from deadground.viewer.camera import VIEWS, Camera, angled, framed, looking
from deadground.viewer.plane import Cut
from deadground.viewer.section import section_of
from deadground.viewer.things import Label, Mark, Path, Surface, Thing

__all__ = ["Screen", "camera_of", "check_eye"]

AZIMUTHS = tuple(range(-165, 181, 15))
ELEVATIONS = (22.0, 30.0, 40.0, 50.0)
SOLID = ("terrain", "closed-gap", "body", "base", "cut")
"""Kinds of things that hide what is behind them."""
LINES = ("ray", "way")
"""Kinds of things that a picture is made for."""
SQUARE = 0.6
"""A gap whose plane is met at this sine is seen well enough."""
MANY = 12
"""More lines than this cannot all keep apart."""
BESIDE = ((0.31, 0.17), (-0.23, 0.41), (0.13, -0.47))
"""Directions of no particular kind, to keep clear of a mesh's edges."""
BEFORE = 0.4
"""The eye stands so squarely before a section: the cosine between the way to it and the way it looks."""
NEAR = 0.04
"""Inches. What is this close behind a surface lies on it."""


class Screen:
    """What hides things from an eye: the solid surfaces of a draw list."""

    def __init__(self, things: Sequence[Thing]) -> None:
        solid = [
            (t, t.shape) for t in things if t.kind in SOLID and isinstance(t.shape, Surface) and len(t.shape.faces)
        ]
        fixed = [shape.vertices[shape.faces] for t, shape in solid if t.kind not in ("body", "base")]
        self._terrain = Caster(fixed)
        names = {t.name for t, _ in solid if t.kind in ("body", "base")}
        self._models = {
            name: Caster(
                [shape.vertices[shape.faces] for t, shape in solid if t.name == name and t.kind in ("body", "base")]
            )
            for name in sorted(names)
        }

    def seen(self, camera: Camera, points: Array, ends: Sequence[str] = ()) -> npt.NDArray[np.bool_]:
        """(n,) whether nothing solid hides each point from the camera. ends : models that are looked through."""
        seats = camera.seats(points)
        away = points - seats
        reach = np.maximum(np.linalg.norm(away, axis=1, keepdims=True), NEAR)
        segments = Segments(seats, points - away * (NEAR / reach))
        hidden = self._terrain.blocked(segments)
        for name, caster in self._models.items():
            if name not in ends:
                hidden |= caster.blocked(segments)
        return ~hidden


def camera_of(scene: Scene, figure: Figure, things: Sequence[Thing], points: Array, aspect: float) -> Camera:
    """The figure's camera. points : (n, 3) what it must take in. SceneError for a camera inside something solid."""
    if figure.camera_from is not None and figure.camera_to is not None:
        check_eye(scene, figure, things)
        return looking(np.array(figure.camera_from), np.array(figure.camera_to))
    if figure.view in VIEWS:
        return framed(angled(*VIEWS[figure.view], lens=0.0), points, aspect)
    return best(things, points, aspect, section_of(figure))


def check_eye(scene: Scene, figure: Figure, things: Sequence[Thing]) -> None:
    """SceneError for a camera by hand that stands inside something solid, or not above the ground."""
    if figure.camera_from is None:
        return
    problem = ""
    if figure.camera_from[2] <= TOUCH:
        problem = "expected a place above the ground, found one in it or under it"
    elif buried(things, np.array(figure.camera_from)):
        problem = "expected a place in the open, found one inside a wall or a model"
    if problem:
        raise SceneError(str(scene.source or "scene"), f"figure {figure.name}: camera.from", problem)


def buried(things: Sequence[Thing], eye: Array) -> bool:
    """Whether a point lies inside a closed solid: a line to far above passes out of it an odd number of times.

    Asked a hair beside the point, by most of three: a line straight through an edge of the mesh meets neither side.
    """
    solid = [t.shape.vertices[t.shape.faces] for t in things if t.kind in SOLID and isinstance(t.shape, Surface)]
    eyes = [eye + TOUCH * np.array([x, y, 0.0]) for x, y in BESIDE]
    return any(sum(crossings(triangles, each) % 2 for each in eyes) > len(eyes) / 2 for triangles in solid)


def crossings(triangles: Array, eye: Array) -> int:
    """How many triangles (n, 3, 3) stand straight above a point."""
    a, b, c = (triangles[:, k, :2] - eye[:2] for k in range(3))
    turns = [one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0] for one, other in ((b, c), (c, a), (a, b))]
    total = np.sum(turns, axis=0)
    inside = np.all(np.array(turns) > 0, axis=0) | np.all(np.array(turns) < 0, axis=0)
    heights = np.einsum("kn,nk->n", np.array(turns), triangles[:, :, 2])[inside] / total[inside]
    return int(np.sum(heights > eye[2]))


@dataclass(frozen=True, slots=True, eq=False)
class Matter:
    """What a picture should show: lines, their signs, models' names (n, 3), and gaps: those that lines meet, if any."""

    paths: tuple[Array, ...]
    marks: Array
    names: Array
    panes: tuple[Array, ...]


def matter(things: Sequence[Thing]) -> Matter:
    """What matters in a draw list."""
    paths = tuple(t.shape.points for t in things if t.kind in LINES and isinstance(t.shape, Path))
    marks = [t.shape.at for t in things if t.kind in LINES and isinstance(t.shape, Mark)]
    marks += [t.shape.vertices.mean(axis=0) for t in things if t.kind == "ghost" and isinstance(t.shape, Surface)]
    names = [t.shape.at for t in things if t.kind == "name" and isinstance(t.shape, Label) and t.shape.rank == 0]
    panes = [t.shape.edges for t in things if t.kind in ("closed-gap", "open-gap") and isinstance(t.shape, Surface)]
    met = [pane for pane in panes if any(passes(path, pane) for path in paths)]
    return Matter(paths, stacked(marks), stacked(names), tuple(met or panes))


def stacked(points: Sequence[Array]) -> Array:
    """(n, 3)."""
    return np.array(points, dtype=np.float64).reshape(-1, 3)


def best(things: Sequence[Thing], points: Array, aspect: float, cut: Cut | None = None) -> Camera:
    """The perspective camera with the best view of the lines, the gaps and the models, before the face of a cut."""
    screen, shown = Screen(things), matter(things)
    into = cut is not None and float(cut.normal[2]) > 0.5
    places = [(angled(a, e), oddness(a, e, into=into)) for a, e in product(AZIMUTHS, ELEVATIONS)]
    before = [place for place in places if cut is None or float(-place[0].forward @ cut.normal) > BEFORE]
    cameras = [(framed(place, points, aspect), odd) for place, odd in before or places]
    scores = [score(screen, shown, camera) - turned for camera, turned in cameras]
    return cameras[int(np.argmax(scores))][0]


def oddness(azimuth: float, elevation: float, *, into: bool = False) -> float:
    """What a place round the table costs.

    Readers expect to look from their own side, a little from the right or left, and not too steeply; steeply enough
    to look into what is cut open.
    """
    turn = abs(azimuth)
    tilt = 0.04 * max(0.0, 45.0 - elevation) if into else 0.02 * max(0.0, elevation - 30.0)
    return 0.005 * turn + (0.6 if turn < 15 else 0.0) + tilt


def score(screen: Screen, shown: Matter, camera: Camera) -> float:
    """How well a camera shows what matters."""
    along = [samples(path) for path in shown.paths]
    parts = [
        3.0 * share(screen, camera, np.concatenate([np.zeros((0, 3)), *along])),
        2.0 * share(screen, camera, shown.marks),
        1.5 * share(screen, camera, shown.names),
        2.0 * apart(camera, shown.paths),
        2.5 * mean([breadth(camera, path) for path in shown.paths]),
        3.0 * mean([openness(screen, camera, pane) for pane in shown.panes]),
    ]
    return sum(parts)


def mean(values: Sequence[float]) -> float:
    """Their mean, 0 for none."""
    return sum(values) / len(values) if values else 0.0


def apart(camera: Camera, paths: Sequence[Array]) -> float:
    """How well lines keep apart: 1 when the middle of each is a tenth of the picture's height from all others."""
    if not 2 <= len(paths) <= MANY:
        return 0.0
    flat = [shapely.LineString(camera.project(path, (1.0, 1.0))[:, :2]) for path in paths]
    middles = [line.interpolate(0.5, normalized=True) for line in flat]
    gaps = [
        middle.distance(line) for middle, own in zip(middles, flat, strict=True) for line in flat if line is not own
    ]
    return float(np.clip(np.mean(np.minimum(gaps, 0.1)) / 0.1, 0.0, 1.0))


def passes(path: Array, pane: Array) -> bool:
    """Whether a path goes through, or ends at, a gap with edges (k, 2, 3): comes into the box around it."""
    low, high = pane.min(axis=(0, 1)) - 2 * NEAR, pane.max(axis=(0, 1)) + 2 * NEAR
    points = samples(path, 200)
    return bool(np.any(np.all((points > low) & (points < high), axis=1)))


def share(screen: Screen, camera: Camera, points: Array) -> float:
    """Share of points that are seen, 0 of none."""
    return float(screen.seen(camera, points).mean()) if len(points) else 0.0


def samples(path: Array, count: int = 24) -> Array:
    """(count, 3) points spread over a path."""
    t = np.linspace(0, len(path) - 1, count)
    return np.column_stack([np.interp(t, np.arange(len(path)), column) for column in path.T])


def breadth(camera: Camera, path: Array) -> float:
    """How much of a path's length the picture shows: 1 seen from its side, 0 end on."""
    along = path[-1] - path[0]
    length = max(float(np.linalg.norm(along)), NEAR)
    return float(np.linalg.norm(np.cross(along / length, camera.forward)))


def openness(screen: Screen, camera: Camera, pane: Array) -> float:
    """How well a gap with edges (k, 2, 3) is seen: its share in sight, times how squarely the eye meets it."""
    ends = pane.reshape(-1, 3)
    _, _, axes = np.linalg.svd(ends - ends.mean(axis=0), full_matrices=False)
    return share(screen, camera, ends) * min(1.0, abs(float(axes[2] @ camera.forward)) / SQUARE)

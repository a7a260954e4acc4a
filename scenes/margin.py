"""How far models may be off before what they see changes. No word of any game.

Two sound shortcuts settle most pairs. A clear line that keeps its width *and* the margin from everything stays clear
when one of its ends is carried along with a model. And where no line joins two bodies that are grown by the margin,
none joins them wherever they stand within it. What neither settles is tried, place by place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Final, Protocol

import numpy as np
import shapely
import trimesh

from deadground.geometry.obstacles import World
from deadground.geometry.plates import Array
from deadground.geometry.search import Answer, Question, Searcher
from deadground.geometry.segments import Bools
from deadground.geometry.shapes import base_polygon
from deadground.geometry.units import ARC_ERROR, SNAP, TOUCH
from deadground.scenes.aims import Gates, aims, gates
from deadground.scenes.barriers import area_layer, line_heights, model_layer, shrunk, strip_layer, terrain_layer
from deadground.scenes.material import placed_surfaces
from deadground.scenes.model import Base, Model
from deadground.scenes.placing import base_outline, surfaces_under
from deadground.scenes.scene import Scene
from deadground.scenes.sight import Pair, Sight
from deadground.scenes.standing import base_at, faults, near_features
from deadground.scenes.terrain import Area

__all__ = ["Changes", "Flip", "Margin", "Places", "Regions", "Sway", "moved", "tried_flip", "tried_margin"]

_CELLS: Final = 4_000
"""Cells that a shortcut may take before the pair is tried instead."""

_TRIAL: Final = 400
"""Cells that one tried place may take."""

_HEADINGS: Final = 24
"""Directions in which places are tried."""

_SHARES: Final = (1.0, 0.5)
"""Shares of the margin at which places are tried in each direction."""

_STEPS: Final = 16
"""Places tried between one that changes nothing and one that flips the verdict."""

_ROUNDS: Final = 5
"""How often a move that flips a verdict is made smaller, straight and to the side in turn."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A move that changes a verdict: which model, to where, and how far that is across. Inches."""

    model: str
    x: float
    y: float
    distance: float


@dataclass(frozen=True, slots=True)
class Margin:
    """Whether a verdict survives either model being off by up to `within` inches across its surface.

    certified : it does, wherever; else `tried` places of the two models were asked, and `flip` is the smallest move
        found that changes the verdict, None if none did
    """

    within: float
    certified: bool = False
    tried: int = 0
    flip: Flip | None = None

    @property
    def stable(self) -> bool:
        """Whether nothing was found that changes the verdict."""
        return self.flip is None


def moved(model: Model, x: float, y: float, foot: float | None = None) -> Model:
    """The model standing elsewhere, its mesh with it. foot None: as high as now."""
    level = model.foot if foot is None else foot
    there = base_at(model, x, y, level)
    if model.mesh is None:
        return there
    vertices = np.asarray(model.mesh.vertices) + [x - model.x, y - model.y, level - model.foot]
    return replace(there, mesh=trimesh.Trimesh(vertices, model.mesh.faces, process=False))


def _grown(model: Model, reach: float) -> Model:
    """A model whose body holds the model's wherever it stands within `reach`; an oval grows in proportion."""
    share = 1 + 2 * reach / min(model.base.length, model.base.width)
    base = Base(model.base.shape, model.base.length * share, model.base.width * share)
    return replace(model, base=base)


class Regions:
    """Areas, and which of them a model is within, now and wherever it stands within a margin."""

    def __init__(self, areas: Sequence[Area], reach: float) -> None:
        self.shapes = np.array([shrunk(area) for area in areas], object)
        self._reach = reach
        shapely.prepare(self.shapes)

    def now(self, model: Model) -> Bools:
        """(areas,) whether any part of the base is inside."""
        return np.asarray(shapely.intersects(self.shapes, base_polygon(model.body)), bool)

    def ever(self, model: Model) -> Bools:
        """(areas,) whether it may be within. False is certain."""
        plan = base_polygon(_grown(model, self._reach + 2 * ARC_ERROR).body)
        return np.asarray(shapely.intersects(self.shapes, plan), bool)

    def always(self, model: Model) -> Bools:
        """(areas,) whether it is within wherever it stands. True is certain."""
        inner = min(model.base.length, model.base.width) / 2 - 2 * ARC_ERROR
        apart = shapely.distance(self.shapes, shapely.Point(model.x, model.y))
        return np.asarray(apart + self._reach < inner, bool)


class Sway:
    """Sight between models that may be off by up to `reach` inches (more than 0). What is costly is made once."""

    def __init__(self, sight: Sight, reach: float) -> None:
        self.scene, self.reach = sight.scene, reach
        self._sight, self._barriers = sight, sight.barriers
        self._regions = Regions(self._barriers.areas, reach)
        self._searcher = Searcher(sight.world(), _TRIAL)

    def ask(self, pairs: Sequence[Pair]) -> list[Answer]:
        """A clear line for each pair, wherever its models stand. Sister of `Sight.clear`, which wants the scene's."""
        return self._searcher.answer(
            [self._question(p, self._regions.now(p[0]) | self._regions.now(p[1])) for p in pairs]
        )

    def surely_clear(self, pairs: Sequence[Pair]) -> list[bool]:
        """Whether each pair keeps a clear line wherever one of its models stands within reach. True is certain."""
        ignored = [self._surely_within(pair) for pair in pairs]
        questions = [self._question(pair, areas) for pair, areas in zip(pairs, ignored, strict=True)]
        answers = self._wide.answer(questions, budget=_CELLS)
        return [
            answer.line is not None
            and all(self._is_level(model) for model in pair)
            and self._passes(answer.line, areas)
            for pair, areas, answer in zip(pairs, ignored, answers, strict=True)
        ]

    def surely_blocked(self, pairs: Sequence[Pair]) -> list[bool]:
        """Whether no line joins each pair wherever one of its models stands within reach. True is certain."""
        rows = [n for n, pair in enumerate(pairs) if self._can_grow(pair)]
        both = self._proven(pairs, rows, (True, True))
        first = self._proven(pairs, [n for n in rows if n not in both], (True, False))
        found = both | self._proven(pairs, sorted(first), (False, True))
        return [n in found for n in range(len(pairs))]

    def _proven(self, pairs: Sequence[Pair], rows: Sequence[int], grow: tuple[bool, bool]) -> set[int]:
        """The rows of pairs that no line joins, with those of their models grown that are to be."""
        questions = []
        for n in rows:
            one, two = (self._grown(model) if wide else model for model, wide in zip(pairs[n], grow, strict=True))
            ever = self._regions.ever(pairs[n][0]) | self._regions.ever(pairs[n][1])
            questions.append(self._question((one, two), ever))
        answers = self._searcher.answer(questions, budget=_CELLS)
        return {n for n, answer in zip(rows, answers, strict=True) if answer.certainty == "proof"}

    def _can_grow(self, pair: Pair) -> bool:
        """Whether lines between grown bodies say all of those between the models: upright, level and apart."""
        plans = [base_polygon(self._grown(model).body) for model in pair]
        upright = all(model.mesh is None and self._is_level(model) for model in pair)
        return upright and not plans[0].intersects(plans[1])

    def _grown(self, model: Model) -> Model:
        return _grown(model, self.reach + ARC_ERROR)

    def _question(self, pair: Pair, within: Bools) -> Question:
        one, two = pair
        lines = aims(self._gates, one, two, self._sight.lowest(one), self._sight.lowest(two))
        return Question(
            self._sight.surface(one, two), self._sight.surface(two, one), self._ignored(pair, within), lines
        )

    def _ignored(self, pair: Pair, within: Bools) -> Bools:
        """(owners,) what does not count: the pair's own units, and the areas it is within."""
        own = {model.unit for model in pair}
        models = np.array([model.unit in own for model in self.scene.models], bool)
        material = np.zeros(len(self.scene.features) + len(self._barriers.strips), bool)
        return np.concatenate([material, within, models])

    def _surely_within(self, pair: Pair) -> Bools:
        """(areas,) areas that do not count wherever one of two models stands."""
        one, two = pair
        both = self._regions.now(one) & self._regions.now(two)
        return np.asarray(both | self._regions.always(one) | self._regions.always(two), bool)

    def _passes(self, line: Array, within: Bools) -> bool:
        """Whether a line keeps the margin from the areas that might count, seen from above."""
        others = self._regions.shapes[~within]
        return bool((shapely.distance(others, shapely.LineString(line[:, :2])) > self.reach + TOUCH).all())

    def _is_level(self, model: Model) -> bool:
        """Whether a model keeps its height as it moves."""
        if model.support is None:
            return True
        near = base_outline(_grown(model, self.reach + TOUCH))
        slopes = (s for s in placed_surfaces(self.scene.feature(model.support)) if not s.level)
        return not any(slope.outline.intersects(near) for slope in slopes)

    @cached_property
    def _wide(self) -> Searcher:
        """Looks for lines that keep half their width and the margin."""
        low, high = line_heights(self.scene)
        far = [replace(area, outline=area.outline.buffer(self.reach + 2 * TOUCH)) for area in self._barriers.areas]
        layers = [
            terrain_layer(self.scene.features, self._barriers.readings[self._barriers.reading]),
            strip_layer(self._barriers.strips),
            area_layer(far, low, high),
            model_layer(self.scene.models),
        ]
        return Searcher(World(layers, self._barriers.line_width / 2 + self.reach), _CELLS)

    @cached_property
    def _gates(self) -> Gates:
        return gates(self.scene.features)


class Places:
    """Where a model might really stand, if it is off by up to `reach` inches: only where it could stand at all."""

    def __init__(self, scene: Scene, reach: float) -> None:
        self._scene, self._reach = scene, reach
        self._faults: dict[str, frozenset[str]] = {}
        self._round: dict[str, list[Model]] = {}

    def around(self, model: Model) -> list[Model]:
        """The places that are tried first, the nearest first."""
        if model.name not in self._round:
            angles = np.arange(_HEADINGS) * 2 * math.pi / _HEADINGS
            spots = [(angle, share * self._reach) for share in sorted(_SHARES) for angle in angles]
            self._round[model.name] = self.at(model, spots)
        return self._round[model.name]

    def at(self, model: Model, spots: Sequence[tuple[float, float]]) -> list[Model]:
        """The model at directions (radians) and distances (inches), where it can stand."""
        found = [self._stood(model, model.x + far * math.cos(a), model.y + far * math.sin(a)) for a, far in spots]
        return [each for each in found if each is not None]

    def _stood(self, model: Model, x: float, y: float) -> Model | None:
        there = moved(model, x, y, self._foot(model, x, y))
        new = frozenset(faults(self._scene, there)) - self._faults_of(model)
        return None if new else there

    def _faults_of(self, model: Model) -> frozenset[str]:
        if model.name not in self._faults:
            self._faults[model.name] = frozenset(faults(self._scene, model))
        return self._faults[model.name]

    def _foot(self, model: Model, x: float, y: float) -> float:
        """Height of the surface that it stands on there: another one on a slope."""
        if model.support is None:
            return model.foot
        own = self._scene.feature(model.support)
        if all(surface.level for surface in placed_surfaces(own)):
            return model.foot
        under = surfaces_under(base_outline(base_at(model, x, y, model.foot)), near_features(model, [own]))
        feet = np.clip(model.foot, under.low, under.high)
        nearest = float(feet[np.abs(feet - model.foot).argmin()])
        return nearest if abs(nearest - model.foot) <= SNAP + 2 * self._reach else model.foot


Flips = Callable[[Sequence[Model]], list[bool]]
"""Whether a verdict changes with one of its models in each of these places."""


def tried_flip(model: Model, places: Places, flips: Flips) -> tuple[Flip | None, int]:
    """The smallest move found that flips a verdict, None if none was, and how many places were tried."""
    around = places.around(model)
    found = [there for there, flipped in zip(around, flips(around), strict=True) if flipped]
    if not found:
        return None, len(around)
    best = min(found, key=partial(_far, model))
    angle = _middle(model, [there for there in found if _far(model, there) < _far(model, best) + TOUCH])
    tried = len(around)
    for step in range(_ROUNDS):
        asked = places.at(model, _nearer(_heading(model, best) if step else angle, _far(model, best), step))
        tried += len(asked)
        good = [there for there, flipped in zip(asked, flips(asked), strict=True) if flipped]
        best = min([best, *good], key=partial(_far, model))
    return Flip(model.name, best.x, best.y, _far(model, best)), tried


class Changes(Protocol):
    """Whether a verdict is another with one of its models in each of some places."""

    def __call__(self, places: Sequence[Model], other: Model, looks: bool) -> list[bool]:
        """One for each place. other : the model that stays; looks : whether the one that is moved is the observer."""
        ...


def tried_margin(pair: Pair, places: Places, reach: float, changes: Changes) -> Margin:
    """The margin of a verdict on a pair as trying places of one of the two, then of the other, finds it.

    Nothing is certified. reach : inches, that of the places
    """
    ends = [
        tried_flip(model, places, partial(changes, other=other, looks=model is pair[0]))
        for model, other in (pair, pair[::-1])
    ]
    flips = [flip for flip, _ in ends if flip is not None]
    tried = sum(asked for _, asked in ends)
    return Margin(reach, False, tried, min(flips, key=lambda flip: flip.distance, default=None))


def _nearer(angle: float, far: float, step: int) -> list[tuple[float, float]]:
    """Directions and distances to try next: straight between, then beside by less and less."""
    if step % 2 == 0:
        low = 0.0 if step == 0 else far * (1 - 2 / _STEPS ** (step / 2))
        return [(angle, float(r)) for r in np.linspace(low, far, _STEPS + 1)[1 : None if step == 0 else -1]]
    turn = math.pi / _HEADINGS / 2 ** ((step - 1) / 2)
    return [(angle + side * turn, far * (1 - k / _STEPS**2)) for side in (-1, 1) for k in (1, 2, 4, 8, 16)]


def _middle(model: Model, found: Sequence[Model]) -> float:
    """The direction in the middle of those places: beyond a straight edge, that of the shortest way over it."""
    x, y = sum(there.x - model.x for there in found), sum(there.y - model.y for there in found)
    return math.atan2(y, x)


def _far(model: Model, there: Model) -> float:
    return math.hypot(there.x - model.x, there.y - model.y)


def _heading(model: Model, there: Model) -> float:
    return math.atan2(there.y - model.y, there.x - model.x)

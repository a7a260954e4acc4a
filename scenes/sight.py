"""Facts about sight: clear lines between models, and what stops them. No word of any game.

A rule system says what counts as a barrier (`Barriers`); everything here is geometry.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import shapely

from deadground.geometry.errors import SceneError
from deadground.geometry.obstacles import Layer, World
from deadground.geometry.one_point import Room, box_room, seen_from_one_point, upright_room
from deadground.geometry.parts import Parts, PartsQuestion, seen_parts
from deadground.geometry.patches import Patches, facing_patches, triangle_patches, underside
from deadground.geometry.plates import Array
from deadground.geometry.search import BUDGET, Answer, Question, Searcher
from deadground.geometry.segments import Segments
from deadground.geometry.shapes import base_polygon
from deadground.geometry.units import END, TOUCH
from deadground.scenes.aims import Gates, aims, gates, spots
from deadground.scenes.barriers import (
    Closings,
    Kind,
    Strip,
    area_layer,
    line_heights,
    model_layer,
    shrunk,
    strip_layer,
    terrain_layer,
)
from deadground.scenes.model import Model
from deadground.scenes.scene import Scene
from deadground.scenes.terrain import Area, Feature

__all__ = ["OPEN", "Barriers", "Pair", "Sight", "Stop"]

OPEN = "open"
"""The reading in which every opening is open."""

_MOST_PAIRED = 4_000_000
"""Triangles of one body times those of another: as many cells the search for a line begins with, 250 bytes each."""

Pair = tuple[Model, Model]
_NONE: Closings = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Barriers:
    """What counts as a barrier beside material and other units' models.

    readings : name -> which openings are closed, and how high; the first is the one in force
    strips : closed strips between features
    areas : areas that no line may cross unless one of its two models is within
    line_width : inches
    """

    readings: Mapping[str, Closings] = field(default_factory=lambda: MappingProxyType({OPEN: _NONE}))
    strips: tuple[Strip, ...] = ()
    areas: tuple[Area, ...] = ()
    line_width: float = 0.0

    @property
    def reading(self) -> str:
        """The reading in force."""
        return next(iter(self.readings))


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a line was stopped, by which kind of barrier (None: material), and its name.

    name : of the feature, area or model; for a strip, of the nearer feature; opening : id, where a closed gap
        stopped it
    """

    at: tuple[float, float, float]
    kind: Kind | None
    name: str
    opening: int | None = None


class Sight:
    """Clear lines on one scene. What is costly (meshes, plates) is made once and kept."""

    def __init__(self, scene: Scene, barriers: Barriers, budget: int = BUDGET) -> None:
        self.scene, self.barriers, self._budget = scene, barriers, budget
        self._models = scene.models
        self._number = {model.name: i for i, model in enumerate(self._models)}
        self._searchers: dict[str, Searcher] = {}
        self._regions = np.array([shrunk(area) for area in barriers.areas], object)

    def clear(
        self,
        pairs: Sequence[Pair],
        *,
        lifted: Collection[Kind] = (),
        reading: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> list[Answer]:
        """A clear line for each pair of models, or proof that there is none. The same both ways round.

        lifted : kinds of barrier taken away; reading : which of the barriers' readings holds (None: the one in force)
        """
        searcher = self._searcher(self._reading(lifted, reading))
        return searcher.answer([self.question(pair, lifted) for pair in pairs], progress)

    def world(self, *, lifted: Collection[Kind] = (), reading: str | None = None) -> World:
        """Everything that is cast against, under a reading."""
        return self._searcher(self._reading(lifted, reading)).world

    def question(self, pair: Pair, lifted: Collection[Kind] = ()) -> Question:
        """What the search is asked for a pair of models."""
        surfaces = self.surface(*pair), self.surface(*pair[::-1])
        self._check_size(pair, [len(surface) for surface in surfaces])
        return Question(*surfaces, self.ignored(pair, lifted), self._aims(pair))

    def _check_size(self, pair: Pair, counts: Sequence[int]) -> None:
        """SceneError where two meshes are finer together than memory has room for."""
        if counts[0] * counts[1] > _MOST_PAIRED:
            one, two = (f"{model.name} has {count}" for model, count in zip(pair, counts, strict=True))
            problem = f"two bodies that look at each other are too fine together: {one} triangles, {two}; reduce one"
            raise SceneError(str(self.scene.source or "scene"), f"unit {pair[0].unit}.mesh", problem)

    def surface(self, model: Model, other: Model) -> Patches:
        """The patches of a model's body where lines to the other can end."""
        if model.mesh is not None:
            return triangle_patches(np.asarray(model.mesh.triangles))
        return facing_patches(model.body, other.body, self.lowest(model))

    def lowest(self, model: Model) -> float:
        """Lowest height at which a line can end on a model, inches.

        Half a line's width above a feature that it stands on: the surface under its feet does not block by touching.
        """
        return model.foot + (self.barriers.line_width / 2 if model.support is not None else 0.0)

    def ignored(self, pair: Pair, lifted: Collection[Kind] = ()) -> npt.NDArray[np.bool_]:
        """(owners,) True for what does not count between two models: their own units, the areas they are within."""
        terrain = np.zeros(len(self.scene.features), bool)
        strips = np.full(len(self.barriers.strips), Kind.STRIP in lifted)
        areas = np.array([Kind.AREA in lifted or self._holds(k, pair) for k in range(len(self._regions))], bool)
        own = {model.unit for model in pair}
        models = np.array([Kind.MODEL in lifted or model.unit in own for model in self._models], bool)
        return np.concatenate([terrain, strips, areas, models])

    def kinds_between(self, pair: Pair) -> frozenset[Kind]:
        """Kinds of barrier that lie, seen from above, where lines between two models run. The others cannot matter."""
        run = self._run(pair)
        first = len(self.scene.features) + len(self.barriers.strips)
        areas, models = np.split(~self.ignored(pair)[first:], [len(self._regions)])
        meets = {
            Kind.GAP: shapely.intersects(run, self._hulls[self._closing]),
            Kind.STRIP: shapely.intersects(run, np.array([s.outline for s in self.barriers.strips], object)),
            Kind.AREA: areas & shapely.intersects(run, self._regions),
            Kind.MODEL: models & shapely.intersects(run, self._outlines),
        }
        return frozenset(kind for kind, met in meets.items() if met.any())

    def parts(
        self, pairs: Sequence[Pair], smallest: float, *, lifted: Collection[Kind] = (), features: Collection[str] = ()
    ) -> list[Parts]:
        """Which parts of the second model's facing surface the first sees, pair by pair. Undersides do not count.

        smallest : inches, parts no larger across are not divided; features : names of features that do not count
        """
        searcher = self._searcher(self._reading(lifted, None))
        return seen_parts(searcher, [self._parts_question(pair, smallest, lifted, features) for pair in pairs])

    def parts_from_one_point(
        self, pair: Pair, smallest: float, *, lifted: Collection[Kind] = (), features: Collection[str] = ()
    ) -> Parts:
        """The same for one pair, seen from the single point of the first model that sees most."""
        searcher = self._searcher(self._reading(lifted, None))
        question = self._parts_question(pair, smallest, lifted, features)
        return seen_from_one_point(searcher, question, self._room(pair[0]))

    def _room(self, model: Model) -> Room:
        if model.mesh is not None:
            return box_room(np.asarray(model.mesh.vertices))
        return upright_room(model.body, self.lowest(model))

    def viewpoints(self, pair: Pair) -> Array:
        """(k, 3) points of the first model that see most of the second."""
        return spots(*pair, self.lowest(pair[0]))

    def _parts_question(
        self, pair: Pair, smallest: float, lifted: Collection[Kind], features: Collection[str]
    ) -> PartsQuestion:
        one, two = pair
        target = self.surface(two, one)
        target = target.take(~underside(target))
        ignored = self.ignored(pair, lifted)
        ignored[: len(self.scene.features)] = [feature.name in features for feature in self.scene.features]
        return PartsQuestion(self.surface(one, two), target, ignored, self.viewpoints(pair), smallest)

    def stop(
        self, line: Array, pair: Pair, *, lifted: Collection[Kind] = (), reading: str | None = None
    ) -> Stop | None:
        """What stops the line (2, 3) first, None if nothing does."""
        name = self._reading(lifted, reading)
        world = self._searcher(name).world
        segments = Segments(line[:1], line[1:])
        hits = world.first(segments, self.ignored(pair, lifted)[None])
        if not hits.blocked[0]:
            return None
        owner = int(world.owner_of(hits.triangle)[0])
        at = segments.at(hits.share)[0]
        return self._named(owner, at, segments.along[0], self._closings(name))

    def areas_on(self, line: Array, pair: Pair) -> tuple[Area, ...]:
        """The areas that count between two models and that the line (2, 3) crosses, seen from above."""
        crossed = shapely.intersects(self._regions, shapely.LineString(line[:, :2]))
        return tuple(a for k, a in enumerate(self.barriers.areas) if crossed[k] and not self._holds(k, pair))

    def best_try(self, pair: Pair, lifted: Collection[Kind] = ()) -> Array:
        """(2, 3) of the lines that a person would try, the one that gets furthest; for pairs without a clear line."""
        lines = self._aims(pair)
        share = self.world(lifted=lifted).first(lines, self.ignored(pair, lifted)[None]).share
        best = int(share.argmax())
        return np.stack([lines.start[best], lines.end[best]])

    def readings_matter(self, pair: Pair) -> bool:
        """Whether a feature between the two models is closed differently under the barriers' readings."""
        return bool(shapely.intersects(self._run(pair), self._hulls[self._doubtful]).any())

    @cached_property
    def _closing(self) -> npt.NDArray[np.bool_]:
        """(features,) whether any reading closes an opening of the feature."""
        readings = self.barriers.readings.values()
        return np.array([any(r.get(f.name) for r in readings) for f in self.scene.features], bool)

    @cached_property
    def _doubtful(self) -> npt.NDArray[np.bool_]:
        """(features,) whether the readings close the feature's openings differently."""
        first, *others = self.barriers.readings.values()
        names = [feature.name for feature in self.scene.features]
        return np.array([any(r.get(n, {}) != first.get(n, {}) for r in others) for n in names], bool)

    def _run(self, pair: Pair) -> shapely.Geometry:
        """The ground that lines between two models run over."""
        both = self._outlines[[self._number[model.name] for model in pair]]
        run = shapely.union(*both).convex_hull.buffer(TOUCH)
        shapely.prepare(run)
        return run

    def within(self, model: Model, area: Area) -> bool:
        """Whether any part of the model's base is inside the area; touching its edge from outside is not."""
        return bool(shrunk(area).intersects(self._plan(model)))

    def _named(self, owner: int, at: Array, along: Array, closings: Closings) -> Stop:
        point = (float(at[0]), float(at[1]), float(at[2]))
        for kind, names in self._owners:
            if owner < len(names):
                if kind is not None:
                    return Stop(point, kind, names[owner])
                feature = self.scene.features[owner]
                opening = _opening_at(feature, closings.get(feature.name, {}), at, along)
                return Stop(point, None if opening is None else Kind.GAP, feature.name, opening)
            owner -= len(names)
        raise IndexError(owner)

    @cached_property
    def _owners(self) -> list[tuple[Kind | None, list[str]]]:
        return [
            (None, [feature.name for feature in self.scene.features]),
            (Kind.STRIP, [strip.features[0] for strip in self.barriers.strips]),
            (Kind.AREA, [area.name for area in self.barriers.areas]),
            (Kind.MODEL, [model.name for model in self._models]),
        ]

    def _reading(self, lifted: Collection[Kind], reading: str | None) -> str:
        return OPEN if Kind.GAP in lifted else (reading or self.barriers.reading)

    def _closings(self, reading: str) -> Closings:
        return self.barriers.readings.get(reading, _NONE)

    def _searcher(self, reading: str) -> Searcher:
        same = [name for name in self._searchers if self._closings(name) == self._closings(reading)]
        if not same:
            layers = [terrain_layer(self.scene.features, self._closings(reading)), *self._other_layers]
            self._searchers[reading] = Searcher(World(layers, self.barriers.line_width / 2), self._budget)
            same = [reading]
        return self._searchers[same[0]]

    @cached_property
    def _other_layers(self) -> list[Layer]:
        low, high = line_heights(self.scene)
        return [
            strip_layer(self.barriers.strips),
            area_layer(self.barriers.areas, low, high),
            model_layer(self._models),
        ]

    def _holds(self, region: int, pair: Pair) -> bool:
        return any(self._regions[region].intersects(self._plan(model)) for model in pair)

    def _plan(self, model: Model) -> shapely.Geometry:
        plan: shapely.Geometry = self._plans[self._number[model.name]]
        return plan

    @cached_property
    def _plans(self) -> npt.NDArray[np.object_]:
        plans = np.array([base_polygon(model.body) for model in self._models], object)
        shapely.prepare(plans)
        return plans

    @cached_property
    def _outlines(self) -> npt.NDArray[np.object_]:
        """(models,) what they cover, seen from above: their bases and all that a mesh reaches beyond its base."""
        outlines = np.array([_outline(m, p) for m, p in zip(self._models, self._plans, strict=True)], object)
        shapely.prepare(outlines)
        return outlines

    @cached_property
    def _hulls(self) -> npt.NDArray[np.object_]:
        """(features,) convex hulls of the features seen from above."""
        hulls = [shapely.MultiPoint(_box_corners(f)[:, :2]).convex_hull for f in self.scene.features]
        return np.array(hulls, object)

    @cached_property
    def _gates(self) -> Gates:
        return gates(self.scene.features)

    def _aims(self, pair: Pair) -> Segments:
        return aims(self._gates, *pair, self.lowest(pair[0]), self.lowest(pair[1]))


def _opening_at(feature: Feature, closed: Mapping[int, float], at: Array, along: Array) -> int | None:
    """The closed opening whose plug a line enters at this point of the table, None if it is material."""
    step = along / np.linalg.norm(along) * 2 * END
    own = (at + step - feature.shift) @ feature.rotation
    for opening in feature.piece.openings:
        if opening.id not in closed:
            continue
        offset = own - opening.origin
        u, v, w = float(offset @ opening.along), float(offset @ opening.up), float(offset @ opening.normal)
        part = opening.closed_part(closed[opening.id])
        if opening.near - TOUCH <= w <= opening.far + TOUCH and part.distance(shapely.Point(u, v)) <= TOUCH:
            return opening.id
    return None


def _outline(model: Model, plan: shapely.Geometry) -> shapely.Geometry:
    if model.mesh is None:
        return plan
    return shapely.convex_hull(shapely.union(plan, shapely.MultiPoint(np.asarray(model.mesh.vertices)[:, :2])))


def _box_corners(feature: Feature) -> Array:
    """(8, 3) corners on the table of the feature's own bounding box."""
    return np.asarray(np.asarray(feature.piece.mesh.bounding_box.vertices) @ feature.rotation.T + feature.shift)

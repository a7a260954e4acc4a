"""Random built terrain with two models, and a brute-force reference that casts a great many lines between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from deadground.geometry.plates import Array
from deadground.geometry.reference import clearance
from deadground.geometry.segments import Segments
from deadground.geometry.units import WIDTH_SLACK, millimetres
from deadground.meshes.builder import build
from deadground.meshes.parts import Floor, Hole, Part, Wall
from deadground.scenes.model import Base, Model, Unit
from deadground.scenes.scene import Scene
from deadground.scenes.sight import Pair, Sight
from deadground.scenes.terrain import Area, Feature, Warhammer40kFeature

MM = 1 / 25.4
BASES = (25.0, 28.5, 32.0, 40.0, 50.0, 60.0, 90.0, 130.0)
OVALS = ((60.0, 35.0), (75.0, 42.0), (105.0, 70.0), (170.0, 109.0))


@dataclass(frozen=True)
class Kinds:
    """What may stand on a random table beside walls and floors."""

    models: bool = False
    areas: bool = False
    blocks: bool = False


def _opening(rng: np.random.Generator, length: float, height: float) -> Hole:
    kind = rng.choice(["window", "high", "door", "slit", "tall slit", "notch"])
    at = rng.uniform(0.25, 0.75) * length
    if kind == "window":
        sill = rng.uniform(0.5, 2.2)
        return Hole(at, rng.uniform(0.4, 1.5), sill, sill + rng.uniform(0.4, 2.5))
    if kind == "high":
        sill = rng.uniform(2.9, 3.6)
        return Hole(at, rng.uniform(0.4, 1.5), sill, sill + rng.uniform(0.4, 1.5))
    if kind == "door":
        return Hole(at, rng.uniform(0.6, 1.2), 0.0, rng.uniform(1.5, 4.0), str(rng.choice(["rectangle", "arch"])))  # type: ignore[arg-type]
    if kind == "notch":
        return Hole(at, rng.uniform(0.3, 1.5), rng.uniform(0.8, height - 0.2), height + 1)
    width = rng.uniform(0.5, 3.0) * MM
    sill = rng.uniform(0.5, 1.5) if kind == "tall slit" else rng.uniform(3.05, 3.5)
    return Hole(at, width, sill, max(sill + 0.2, min(sill + rng.uniform(0.5, 3.0), height - 0.1)))


def _wall(rng: np.random.Generator, y: float) -> Wall:
    length, height = rng.uniform(4, 14), rng.uniform(2.5, 6.5)
    start = (-length * rng.uniform(0.3, 0.7), y)
    holes: list[Hole] = []
    for _ in range(int(rng.integers(0, 4))):
        hole = _opening(rng, length, height)
        apart = all(abs(hole.at - h.at) > (hole.width + h.width) / 2 + 0.3 for h in holes)
        if apart and hole.sill < height - 0.1 and hole.at - hole.width / 2 > 0 and hole.at + hole.width / 2 < length:
            holes.append(hole)
    top = None
    if rng.random() < 0.3:
        top = ((0.0, height), (length * 0.4, height), (length * 0.5, height * 0.6), (length, height * 0.8))
    angle = rng.uniform(-0.5, 0.5)
    end = (start[0] + length * np.cos(angle), y + length * np.sin(angle))
    return Wall(start, end, height, float(rng.choice([0.08, 0.125, 0.25, 0.4])), openings=tuple(holes), top=top)


def _parts(rng: np.random.Generator) -> list[Part]:
    parts: list[Part] = [_wall(rng, 0.0)]
    if rng.random() < 0.5:
        parts.append(_wall(rng, rng.uniform(0.8, 3.0)))
    if rng.random() < 0.4:
        z, depth = rng.uniform(2.5, 3.5), rng.uniform(2, 5)
        holes = (((-1, 1), (0.5, 1), (0.5, 1.8), (-1, 1.8)),) if rng.random() < 0.5 else ()
        parts.append(Floor(((-5, 0), (5, 0), (5, depth), (-5, depth)), z, 0.2, holes))
    return parts


def _model(rng: np.random.Generator, unit: str, y: float, near_wall: bool) -> Model:
    if rng.random() < 0.3:
        base = Base("oval", *(side * MM for side in OVALS[rng.integers(len(OVALS))]))
    else:
        size = BASES[rng.integers(len(BASES))] * MM
        base = Base("round", size, size)
    # some bases touch the first wall or stand astride it
    y = np.sign(y) * (base.width / 2 + rng.choice([0.0, 0.125, 0.2])) if near_wall else y
    return Model(unit, 1, unit, base, rng.uniform(-4, 4), y, 0.0, rng.uniform(0.8, 5.5), rng.uniform(0, 360))


def table(seed: int, kinds: Kinds = Kinds()) -> tuple[Scene, Pair]:
    """A random table of that seed, and the two models to judge."""
    rng = np.random.default_rng(seed)
    turn, x, y = rng.uniform(0, 360), rng.uniform(20, 40), rng.uniform(20, 30)
    features = [Feature("ruin", build(_parts(rng)), x, y, 0.0, turn, wh40k=Warhammer40kFeature("dense"))]
    one = _model(rng, "A", -rng.uniform(1.5, 9), rng.random() < 0.15)
    two = _model(rng, "B", rng.uniform(1.5, 9), rng.random() < 0.15)
    models = [one, two]
    if kinds.models:
        others = range(int(rng.integers(0, 5)))
        models += [_model(rng, f"C{k}", rng.uniform(-6, 6), False) for k in others]
    placed = [_placed(model, turn, x, y) for model in models]
    areas = (Area("round", shapely.box(-100, -100, 200, 200), ("ruin",)),)
    if kinds.areas:
        areas = tuple(_area(rng, k, x, y) for k in range(int(rng.integers(1, 4))))
        features.append(
            Feature("hedge", build([Wall((0, 0), (0.5, 0), 0.4, 0.2)]), 90, 90, wh40k=Warhammer40kFeature("light"))
        )
    units = tuple(Unit(model.unit, model.side, (model,)) for model in placed)
    scene = Scene(f"seed {seed}", "wh40k-11e", (60.0, 44.0), tuple(features), areas, units)
    return scene, (placed[0], placed[1])


def _area(rng: np.random.Generator, k: int, x: float, y: float) -> Area:
    angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 7))))
    centre = np.array([x, y]) + rng.uniform(-6, 6, 2)
    corners = centre + rng.uniform(0.5, 4) * np.column_stack([np.cos(angles), np.sin(angles)])
    return Area(f"area {k}", shapely.MultiPoint(corners).convex_hull.buffer(0.01), ("hedge",))


def _placed(model: Model, turn: float, x: float, y: float) -> Model:
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    return Model(
        model.unit, 1, model.side, model.base, x + c * model.x - s * model.y, y + s * model.x + c * model.y,
        0.0, model.height, model.facing + turn,
    )  # fmt: skip


def points_on(rng: np.random.Generator, model: Model, low: float, count: int) -> Array:
    """(count, 3) random points of a model's surface and inside, a third of them on its highest and lowest rim."""
    body = model.body
    radius = np.where(rng.random(count) < 0.7, 1.0, np.sqrt(rng.random(count)))
    angle = rng.uniform(0, 2 * np.pi, count)
    c, s = np.cos(body.facing), np.sin(body.facing)
    u, v = body.a * radius * np.cos(angle), body.b * radius * np.sin(angle)
    height = np.where(rng.random(count) < 0.3, rng.choice([0.0, 1.0], count), rng.random(count))
    return np.column_stack([body.x + c * u - s * v, body.y + s * u + c * v, low + height * (body.top - low)])


def aimed(rng: np.random.Generator, sight: Sight, pair: Pair, count: int) -> Segments:
    """Lines between the models, half of them through openings and past edges of the terrain."""
    one, two = pair
    plain = count // 2
    start = points_on(rng, one, sight.lowest(one), count)
    end = points_on(rng, two, sight.lowest(two), count)
    through = _targets(rng, sight, count - plain)
    # from a point on the first body through the target on to the height and plan of the second
    away = through - start[plain:]
    level = np.hypot(*away[:, :2].T)
    far = (
        np.hypot(two.x - start[plain:, 0], two.y - start[plain:, 1]) + rng.normal(0, 0.5, count - plain)
    ) / np.maximum(level, 0.01)
    reached = start[plain:] + away * far[:, None]
    keep = _on(two, reached, sight.lowest(two))
    end[plain:] = np.where(keep[:, None], reached, end[plain:])
    return Segments(start, end)


def _targets(rng: np.random.Generator, sight: Sight, count: int) -> Array:
    points = []
    for feature in sight.scene.features:
        own = np.asarray(feature.piece.mesh.triangles)
        which, side = rng.integers(len(own), size=count), rng.integers(3, size=count)
        share = rng.random(count)[:, None]
        edge = own[which, side] * share + own[which, (side + 1) % 3] * (1 - share) + rng.normal(0, 0.02, (count, 3))
        holes = [o for o in feature.piece.openings if o.kind == "wall"]
        if holes:
            rows = np.flatnonzero(rng.random(count) < 0.6)
            chosen = rng.integers(len(holes), size=len(rows))
            for k, hole in enumerate(holes):
                mine = rows[chosen == k]
                low_u, low_v, high_u, high_v = hole.outline.bounds
                u, v = rng.uniform(low_u, high_u, (len(mine), 1)), rng.uniform(low_v, high_v, (len(mine), 1))
                edge[mine] = hole.origin + u * hole.along + v * hole.up
        points.append(edge @ feature.rotation.T + feature.shift)
    pool = np.concatenate(points)
    return pool[rng.integers(len(pool), size=count)]


def _on(model: Model, points: Array, low: float) -> Array:
    body = model.body
    c, s = np.cos(body.facing), np.sin(body.facing)
    dx, dy = points[:, 0] - body.x, points[:, 1] - body.y
    inside = ((c * dx + s * dy) / body.a) ** 2 + ((-s * dx + c * dy) / body.b) ** 2 <= 1
    return inside & (points[:, 2] >= low) & (points[:, 2] <= body.top)


def brute_force(sight: Sight, pair: Pair, count: int, seed: int) -> Array | None:
    """(2, 3) a clear line found by casting `count` lines, confirmed in float64 with its width; None if none was."""
    rng = np.random.default_rng(seed)
    lines = aimed(rng, sight, pair, count)
    world = sight.world()
    ignored = sight.ignored(pair)[None]
    free = np.flatnonzero(~world.first(lines, ignored).blocked)
    for i in free[:400]:
        line = np.stack([lines.start[i], lines.end[i]])
        if keeps_width(sight, pair, line):
            return line
    return None


def keeps_width(sight: Sight, pair: Pair, line: Array) -> bool:
    """Whether a line keeps half its width from every triangle that counts: all, in float64, no index, no Embree."""
    world, ignored = sight.world(), sight.ignored(pair)
    for k, layer in enumerate(world.layers):
        counts = ~ignored[world.owner_offset[k] : world.owner_offset[k + 1]]
        triangles = layer.triangles[counts[layer.owner]]
        if not len(triangles):
            continue
        start, end = (np.broadcast_to(p, (len(triangles), 3)) for p in line)
        gap = clearance(start, end, triangles).distance.min()
        if gap < world.half_width - WIDTH_SLACK if layer.wide else gap == 0:
            return False
    return True


def narrowest(sight: Sight, pair: Pair, count: int, seed: int) -> float:
    """Widest line in mm that the best of many aimed lines would take: how near a sampled verdict was to being clear."""
    rng = np.random.default_rng(seed)
    lines = aimed(rng, sight, pair, count)
    world, ignored = sight.world(), sight.ignored(pair)[None]
    free = np.flatnonzero(~world.first(lines, ignored).blocked)
    found = world.clearance(lines.take(free), ignored).distance
    return millimetres(2 * float(np.minimum(found, world.half_width).max(initial=0.0)))

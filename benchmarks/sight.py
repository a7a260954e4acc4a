"""How fast sight is judged: pairs and lines a second, beside the same number of lines through bare Embree.

    uv run python benchmarks/sight.py [--models 20] [--seed 1]

One run, one machine: compare its figures with each other, not with those of another day.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from itertools import product

import numpy as np
import shapely

from deadground.geometry.segments import Segments
from deadground.meshes.builder import build
from deadground.meshes.parts import Floor, Hole, Part, Wall
from deadground.scenes.model import Base, Model, Unit
from deadground.scenes.options import options_of
from deadground.scenes.rulings.wh40k_terrain import barriers_of
from deadground.scenes.scene import Scene
from deadground.scenes.sight import Pair, Sight
from deadground.scenes.terrain import Area, Feature, Warhammer40kFeature

BOARD = (60.0, 44.0)


def ruin(rng: np.random.Generator) -> list[Part]:
    """An L of two walls with windows and a door, an upper floor and a broken top."""
    holes = (Hole(1.5, 0.8, 1, 2.2), Hole(4, 1, 0, 2.4, "arch"), Hole(6, 1, 3.6, 5))
    height = float(rng.uniform(4, 6))
    broken = ((0.0, height), (2.0, height), (3.0, height - 1.2), (5.0, height - 0.5))
    return [
        Wall((0, 0), (8, 0), 6, 0.25, openings=holes),
        Wall((0, 0), (0, 5), None, 0.25, openings=(Hole(2.5, 1, 0.8, 2.0),), top=broken),
        Floor(((0, 0), (7, 0), (0, 4)), 3.0, 0.2),
    ]


def table(models: int, seed: int) -> Scene:
    """Twelve ruins on their mats, and two sides of so many models between and in them."""
    rng = np.random.default_rng(seed)
    features, areas = [], []
    for k, (column, row) in enumerate(product(range(4), range(3))):
        x, y = 4 + 14 * column + rng.uniform(0, 3), 4 + 13 * row + rng.uniform(0, 3)
        turn = float(rng.choice([0, 90, 180, 270]))
        features.append(Feature(f"ruin {k}", build(ruin(rng)), x, y, 0, turn, wh40k=Warhammer40kFeature("dense")))
        mat = shapely.affinity.rotate(shapely.box(x - 0.5, y - 0.5, x + 8.5, y + 5.5), turn, origin=(x, y))
        areas.append(Area(f"mat {k}", mat, (f"ruin {k}",)))
    units = [_unit(rng, side, models) for side in ("red", "blue")]
    return Scene("benchmark", "wh40k-11e", BOARD, tuple(features), tuple(areas), tuple(units))


def _unit(rng: np.random.Generator, side: str, count: int) -> Unit:
    base = Base("round", 32 / 25.4, 32 / 25.4)
    places = rng.uniform((1, 1), (BOARD[0] - 1, BOARD[1] - 1), (count, 2))
    low = side == "red"
    places[:, 1] = places[:, 1] / 2 + (0 if low else BOARD[1] / 2)
    models = tuple(Model(side, n + 1, side, base, x, y, 0.0, 1.5) for n, (x, y) in enumerate(places))
    return Unit(side, side, models)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=20, help="models a side")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    scene = table(asked.models, asked.seed)
    begin = time.perf_counter()
    sight = Sight(scene, barriers_of(scene, options_of(scene, "wh40k")))
    world = sight.world()
    triangles = sum(len(layer.triangles) for layer in world.layers)
    print(f"loading              {time.perf_counter() - begin:8.2f} s   {triangles} triangles")
    red, blue = (unit.models for unit in scene.units)
    pairs: list[Pair] = list(product(red, blue))
    sight.clear(pairs)  # makes the plates
    _together(sight, pairs)
    _one_by_one(sight, pairs[:200])


def _together(sight: Sight, pairs: list[Pair]) -> None:
    begin = time.perf_counter()
    answers = sight.clear(pairs)
    spent = time.perf_counter() - begin
    lines = sum(answer.cells for answer in answers)
    print(f"{len(pairs)} pairs together {spent:8.2f} s   {len(pairs) / spent:.0f} pairs/s, {lines / spent:.0f} lines/s")
    print(f"verdicts             {dict(Counter(answer.certainty for answer in answers))}")
    bare = _bare(sight, max(lines, 1))
    print(f"bare Embree          {bare:8.3f} s   {lines / bare:.0f} lines/s for the same number of lines")


def _bare(sight: Sight, count: int) -> float:
    """Seconds that as many random lines take through the terrain's Embree scene alone."""
    rng = np.random.default_rng(0)
    low, high = (0, 0, 0), (*BOARD, 2)
    lines = Segments(rng.uniform(low, high, (count, 3)), rng.uniform(low, high, (count, 3)))
    caster = sight.world().layers[0].caster
    begin = time.perf_counter()
    caster.blocked(lines)
    return time.perf_counter() - begin


def _one_by_one(sight: Sight, pairs: list[Pair]) -> None:
    spent = []
    for pair in pairs:
        begin = time.perf_counter()
        sight.clear([pair])
        spent.append(1000 * (time.perf_counter() - begin))
    middle, most, worst = np.quantile(spent, [0.5, 0.9, 1.0])
    print(f"one pair at a time   {middle:8.2f} ms median, {most:.2f} ms for nine in ten, {worst:.0f} ms at the most")


if __name__ == "__main__":
    main()

"""Two armies on an imported tournament layout: every ordered pair, visible and fully visible, and where the time goes.

    DEADGROUND_DATA=DIR uv run python benchmarks/armies.py [--layout ID] [--units 10] [--models 5] [--margin 0.1]

The layouts are not part of this repository: DIR/layouts holds them. The fully visible part stops after --seconds.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from deadground.geometry.units import inches
from deadground.scenes.armies import Order, muster
from deadground.scenes.document import scene_from
from deadground.scenes.layout_file import layout_ids, read_layout, read_templates
from deadground.scenes.layout_scene import Choices, scene_document
from deadground.scenes.layouts import resolve
from deadground.scenes.margin import Sway
from deadground.scenes.model import Base
from deadground.scenes.options import options_of
from deadground.scenes.rulings.wh40k_seeing import judge_pairs
from deadground.scenes.rulings.wh40k_terrain import barriers_of
from deadground.scenes.scene import Scene
from deadground.scenes.sight import Pair, Sight
from deadground.scenes.standing import faults

TOGETHER = 16
"""Ordered pairs whose parts are asked side by side."""


def table(folder: Path, name: str | None, windows: bool) -> Scene:
    """An imported layout, the first by default."""
    file = folder / "layouts" / "terrain-layouts.json"
    layout = read_layout(file, name or layout_ids(file)[0])
    placed = resolve(layout, read_templates(file.with_name("terrain-templates.json")), layout.id)
    choices = Choices(windows=(1.2, 1.0, 2.5) if windows else None)
    return scene_from(scene_document(layout.name, placed, choices))


def with_armies(scene: Scene, units: int, models: int) -> Scene:
    """Two armies, each on its half, seeded."""
    width, depth = scene.board
    base, zones = Base("round", 32 / 25.4, 32 / 25.4), {"red": (0.0, 0.5), "blue": (0.5, 1.0)}
    for seed, (side, (low, high)) in enumerate(zones.items(), start=1):
        order = Order(side, units, models, base, 1.5, (0.0, low * depth, width, high * depth))
        scene = replace(scene, units=(*scene.units, *muster(scene, order, seed)))
    assert not any(faults(scene, model) for model in scene.models)
    return scene


def visible(sight: Sight, pairs: Sequence[Pair]) -> list[Pair]:
    """Judge who sees whom, print what it took, return the pairs that see each other."""
    begin = time.perf_counter()
    answers = sight.clear(pairs)
    clear = time.perf_counter() - begin
    seen = judge_pairs(sight, pairs)
    whole = time.perf_counter() - begin - clear
    kinds = Counter(answer.certainty for answer in answers)
    certain = 1 - kinds["sampled"] / len(pairs)
    print(f"visible              {clear:8.2f} s   {2 * len(pairs)} ordered pairs, {certain:.4%} certain, {dict(kinds)}")
    print(f"with reasons         {whole:8.2f} s")
    return [one.pair for one in seen if one.visible]


def fully_visible(sight: Sight, pairs: Sequence[Pair], smallest: float, seconds: float) -> None:
    """Judge how much is seen, until the time is up, and print what it took."""
    both = [turned for pair in pairs for turned in (pair, pair[::-1])]
    order = np.random.default_rng(1).permutation(len(both))
    asked = [both[i] for i in order]
    begin, kinds, spent = time.perf_counter(), Counter[str](), list[float]()
    while sum(kinds.values()) < len(asked) and time.perf_counter() - begin < seconds:
        batch = asked[sum(kinds.values()) :][:TOGETHER]
        start = time.perf_counter()
        kinds.update(parts.certainty for parts in sight.parts(batch, smallest))
        spent.append((time.perf_counter() - start) / len(batch))
    done = sum(kinds.values())
    certain = 1 - kinds["sampled"] / max(done, 1)
    print(
        f"fully visible        {time.perf_counter() - begin:8.2f} s   {done} of {len(asked)} ordered pairs that see,"
        f" {certain:.4%} certain, {dict(kinds)}"
    )
    if spent:
        print(f"one such pair        {np.median(spent):8.3f} s median, {max(spent):.3f} s in the slowest batch")


def margin(sight: Sight, pairs: Sequence[Pair], seen: Sequence[Pair], reach: float) -> None:
    """How many verdicts are certain to survive a margin, and what that took."""
    begin = time.perf_counter()
    sway, names = Sway(sight, reach), {(a.name, b.name) for a, b in seen}
    blind = [pair for pair in pairs if (pair[0].name, pair[1].name) not in names]
    clear, blocked = sum(sway.surely_clear(seen)), sum(sway.surely_blocked(blind))
    spent = time.perf_counter() - begin
    share = (clear + blocked) / len(pairs)
    print(
        f'margin {reach:g}"          {spent:8.2f} s   {share:.1%} certain to stay: {clear} of {len(seen)} seen,'
        f" {blocked} of {len(blind)} not seen"
    )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layout", help="its id; by default the first of the file")
    parser.add_argument("--windows", action="store_true", help="windows in dense walls")
    parser.add_argument("--units", type=int, default=10, help="units a side")
    parser.add_argument("--models", type=int, default=5, help="models a unit")
    parser.add_argument("--margin", type=float, default=0.1, help="inches")
    parser.add_argument("--seconds", type=float, default=300, help="for the fully visible part")
    asked = parser.parse_args()
    folder = os.environ.get("DEADGROUND_DATA")
    if not folder:
        raise SystemExit("DEADGROUND_DATA does not name the folder that holds the layouts")
    begin = time.perf_counter()
    empty = table(Path(folder), asked.layout, asked.windows)
    print(f"importing            {time.perf_counter() - begin:8.2f} s   {empty.title}, {len(empty.features)} features")
    begin = time.perf_counter()
    scene = with_armies(empty, asked.units, asked.models)
    print(f"two armies           {time.perf_counter() - begin:8.2f} s   {len(scene.models)} models")
    options = options_of(scene, "wh40k")
    sight = Sight(scene, barriers_of(scene, options))
    red, blue = ([m for m in scene.models if m.side == side] for side in ("red", "blue"))
    pairs = list(product(red, blue))
    seen = visible(sight, pairs)
    margin(sight, pairs, seen, asked.margin)
    fully_visible(sight, seen, inches(options.smallest_part_mm, "mm"), asked.seconds)


if __name__ == "__main__":
    main()

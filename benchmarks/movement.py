"""How long `move` and `reach` take on a full table: 60 by 44 inches, 12 ruins, 60 models.

Run: python benchmarks/movement.py
"""

from __future__ import annotations

import resource
import time
from typing import Any

from deadground.scenes.document import scene_from
from deadground.scenes.movement import Point
from deadground.scenes.rulings.wh40k_moving import move, reach_of
from deadground.scenes.scene import Scene

KINDS = {"INFANTRY": "32mm", "MOBILE": "60x35mm", "VEHICLE": "100mm", "MONSTER": "80mm"}


def ruin(number: int) -> dict[str, Any]:
    """An L-shaped ruin with windows, a broken wall top and two floors."""
    windows = [{"at": at, "width": 1, "sill": 1, "head": 2.4} for at in (2, 5)]
    door = {"at": 3, "width": 1.4, "sill": 0, "head": 2.4, "shape": "arch"}
    column, row = number % 4, number // 4
    return {
        "name": f"ruin {number}", "wh40k": {"category": "dense"},
        "at": [6 + 14 * column, 5 + 14 * row], "turn": 25 * number,
        "wall": [
            {"from": [0, 0], "to": [7, 0], "height": 6.5, "thickness": 0.25, "openings": windows},
            {"from": [0, 0], "to": [0, 6], "thickness": 0.25, "openings": [door],
             "top": [[0, 6.5], [3, 6.5], [4, 4.5], [6, 3.5]]},
        ],
        "floor": [
            {"outline": [[0, 0], [7, 0], [7, 2.5], [3, 5], [0, 6]], "top": 3.0, "thickness": 0.2, "holes": []},
            {"outline": [[0, 0], [4, 0], [3, 3], [0, 4]], "top": 6.0, "thickness": 0.2, "holes": []},
        ],
    }  # fmt: skip


def full_table(keyword: str) -> Scene:
    """The table, the model that moves being A/1."""
    units = [{"name": "A", "side": "red", "base": KINDS[keyword], "height": 1.6, "at": [[2, 13]],
              "wh40k": {"keywords": [keyword]}}]  # fmt: skip
    for n in range(6):
        places = [[1.5 + 5.9 * k, 2.2 + 7.7 * n + 0.9 * (k % 3)] for k in range(10)]
        side = "red" if n % 2 else "blue"
        units.append({"name": f"U{n}", "side": side, "base": "32mm", "height": 1.5, "at": places,
                      "wh40k": {"keywords": ["INFANTRY"]}})  # fmt: skip
    document = {"schema": 1, "ruleset": "wh40k-11e", "units": "in", "board": {"size": [60, 44]},
                "feature": [ruin(n) for n in range(12)], "unit": units}  # fmt: skip
    return scene_from(document)


def timed_move(scene: Scene, end: Point) -> str:
    """One move: seconds of the processor, and inches."""
    begun = time.process_time()
    found = move(scene, scene.models[0], end)
    seconds = time.process_time() - begun
    assert found.way is not None or "blocked" in found.reasons
    inches = f"{found.way.distance:.2f} in" if found.way else "no way"
    return f"{seconds:6.2f} s  {inches}  {', '.join(found.reasons)}"


def timed_reach(scene: Scene, limit: float) -> str:
    """One reach: seconds of the processor, and square inches on each level."""
    begun = time.process_time()
    levels = reach_of(scene, scene.models[0], limit)
    seconds = time.process_time() - begun
    assert levels[0].region.area > 1
    return f"{seconds:6.2f} s  {', '.join(f'{level.region.area:.0f} at {level.height:g}' for level in levels)}"


def main() -> None:
    """Print the figures."""
    for keyword in KINDS:
        scene = full_table(keyword)
        for end in ((14.0, 20.0, 0.0), (30.0, 25.0, 0.0), (57.0, 28.0, 0.0)):
            print(f"{keyword:9} move to {end}: {timed_move(scene, end)}")
        print(f"{keyword:9} reach of 12: {timed_reach(scene, 12.0)}")
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()

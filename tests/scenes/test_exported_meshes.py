"""A scene with an exported mesh gives the verdicts of the scene that was built from walls."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from deadground.meshes.files import export, load
from deadground.meshes.openings import understand
from deadground.scenes.model import Unit
from deadground.scenes.options import Warhammer40kOptions
from deadground.scenes.rulings.wh40k_terrain import barriers_of
from deadground.scenes.scene import Scene
from deadground.scenes.sight import Pair, Sight
from deadground.scenes.terrain import Feature
from tests.scenes.random_tables import _model as random_model
from tests.scenes.random_tables import _placed as placed
from tests.scenes.random_tables import table


def exported(feature: Feature, folder: Path) -> Feature:
    """The same feature, its piece written to a print file, read again and understood anew."""
    file = folder / "piece.stl"
    export(feature.piece.mesh, file)
    piece = understand(load(file, "mm"))
    low, high = np.asarray(feature.piece.mesh.bounds)
    middle = np.append((low[:2] + high[:2]) / 2, low[2])
    x, y, foot = feature.rotation @ middle + feature.shift
    return replace(feature, piece=piece, x=float(x), y=float(y), foot=float(foot))


def pairs_of(scene: Scene, pair: Pair, seed: int) -> list[Pair]:
    """The table's own two models, and four more pairs on either side of its terrain."""
    rng = np.random.default_rng(seed)
    ruin = scene.features[0]
    found = [pair]
    for _ in range(4):
        sides = [random_model(rng, name, way * rng.uniform(1.5, 9), False) for name, way in (("A", -1), ("B", 1))]
        one, two = (placed(model, ruin.turn, ruin.x, ruin.y) for model in sides)
        found.append((one, two))
    return found


def visible(scene: Scene, pairs: list[Pair]) -> list[bool]:
    """Whether the models of each pair see each other, with nobody else on the table."""
    found = []
    for pair in pairs:
        units = tuple(Unit(model.unit, model.side, (model,)) for model in pair)
        alone = replace(scene, units=units)
        sight = Sight(alone, barriers_of(alone, Warhammer40kOptions()))
        found.append(sight.clear([pair])[0].line is not None)
    return found


def differing(seeds: range, folder: Path) -> list[int]:
    """Seeds of random tables on which the built and the exported piece give different verdicts on any of five pairs."""
    found = []
    for seed in seeds:
        scene, pair = table(seed)
        features = tuple(exported(feature, folder) for feature in scene.features)
        pairs = pairs_of(scene, pair, seed)
        if visible(scene, pairs) != visible(replace(scene, features=features), pairs):
            found.append(seed)
    return found


def test_a_few_exported_pieces_give_the_verdicts_of_the_built_ones(tmp_path: Path) -> None:
    assert differing(range(40_000, 40_004), tmp_path) == []


@pytest.mark.slow
def test_exported_pieces_give_the_verdicts_of_the_built_ones_on_500_pairs(tmp_path: Path) -> None:
    assert differing(range(41_000, 41_100), tmp_path) == []

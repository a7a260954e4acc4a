"""The scanned ruin that comes with the package: where it is from, and what a tilted one is warned of."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import trimesh

from deadground.scenes.document import read_scene
from deadground.scenes.gallery import example
from deadground.scenes.standing import base_at, faults
from tests.meshes.scanned_ruin import FILE, scanned_ruin
from tests.meshes.scans import tilted


def test_the_scanned_ruin_is_made_by_the_script_that_says_so():
    stored, made = trimesh.load_mesh(FILE, process=False), scanned_ruin()
    assert len(stored.faces) == len(made.faces)
    assert np.allclose(stored.bounds, made.bounds, atol=0.5)  # mm; scans of other systems' libraries differ in noise


def test_a_mesh_that_stands_tilted_is_warned_of_and_one_that_stands_level_is_not(tmp_path: Path):
    place = example("scanned-piece")
    assert read_scene(place).warnings == ()
    text = place.read_text(encoding="utf-8").replace(", 3]]", "]]")
    (tmp_path / place.name).write_text(text, encoding="utf-8")
    shutil.copy(FILE, tmp_path)
    tilted(scanned_ruin(), 1.2, np.random.default_rng(1)).export(tmp_path / FILE.name)
    (warning,) = read_scene(tmp_path / place.name).warnings
    assert warning.startswith("feature[0].mesh: 'scanned-ruin.ply' stands tilted by ")
    assert float(warning.partition("tilted by ")[2].split()[0]) == pytest.approx(1.2, abs=0.15)  # as noise allows
    assert "--repair" in warning


def test_a_model_may_stand_on_a_scanned_floor():
    scene = read_scene(example("scanned-piece"))
    (above,) = [model for model in scene.models if model.unit == "above"]
    assert above.foot > 2.9
    assert faults(scene, above) == ()
    assert "overhang" in faults(scene, base_at(above, 9.6, 6.4, above.foot))

"""Real tournament layouts: imported, drawn, and judged with two armies on them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from deadground.scenes.armies import Order, muster
from deadground.scenes.document import read_scene
from deadground.scenes.layout_file import layout_ids
from deadground.scenes.model import Base, Warhammer40kUnit
from deadground.scenes.options import options_of
from deadground.scenes.rulings import find
from deadground.scenes.rulings.wh40k_terrain import barriers_of
from deadground.scenes.scene import Scene
from deadground.scenes.sight import Sight
from deadground.viewer.cli import run

INFANTRY = Warhammer40kUnit(frozenset({"INFANTRY"}))
PLAN = '\n[[figure]]\nname = "plan"\nview = "plan"\nshow = ["areas", "labels"]\n'


def imported(data: Path, folder: Path, name: str) -> Path:
    path = folder / f"{name}.toml"
    assert run(["import", str(data / "layouts" / "terrain-layouts.json"), name, "-o", str(path)]) == 0
    path.write_text(path.read_text(encoding="utf-8") + PLAN, encoding="utf-8")
    return path


def with_armies(scene: Scene, units: int, models: int) -> Scene:
    width, depth = scene.board
    base = Base("round", 32 / 25.4, 32 / 25.4)
    for seed, (side, low) in enumerate((("red", 0.0), ("blue", depth / 2)), start=1):
        order = Order(side, units, models, base, 1.5, (0.0, low, width, low + depth / 2))
        army = [replace(unit, wh40k=INFANTRY) for unit in muster(scene, order, seed)]
        scene = replace(scene, units=(*scene.units, *army))
    return scene


def drawn(path: Path) -> None:
    picture = path.with_suffix(".svg")
    assert run(["figure", str(path), "plan", "-o", str(picture)]) == 0
    text = picture.read_text(encoding="utf-8")
    scene = read_scene(path)
    assert scene.title in text
    assert [feature.name for feature in scene.features if feature.name not in text] == []


def test_a_real_layout_is_imported_and_drawn(data, tmp_path):
    drawn(imported(data, tmp_path, "take-and-hold-mirror-1"))


@pytest.mark.slow
def test_every_real_layout_is_imported_and_drawn(data, tmp_path):
    for name in layout_ids(data / "layouts" / "terrain-layouts.json"):
        drawn(imported(data, tmp_path, name))


@pytest.mark.slow
def test_on_every_real_layout_it_is_certain_who_sees_whom(data, tmp_path):
    for name in layout_ids(data / "layouts" / "terrain-layouts.json"):
        scene = with_armies(read_scene(imported(data, tmp_path, name)), 4, 5)
        sight = Sight(scene, barriers_of(scene, options_of(scene, "wh40k")))
        red, blue = ([m for m in scene.models if m.side == side] for side in ("red", "blue"))
        kinds = Counter(answer.certainty for answer in sight.clear(list(product(red, blue))))
        assert kinds["sampled"] <= 0.001 * kinds.total(), name


@pytest.mark.slow
@pytest.mark.parametrize("name", ["take-and-hold-mirror-1", "gw-11e-crucible"])
def test_two_armies_are_judged_with_certainty(data, tmp_path, name):
    scene = with_armies(read_scene(imported(data, tmp_path, name)), 3, 4)
    report = find("40k").judge(scene)
    assert report.placement == ()
    assert len(report.models) == 2 * 12 * 12
    unsure = [v for v in report.models if "sampled" in (v.certainty, v.fully_certainty)]
    assert len(unsure) <= 0.001 * len(report.models)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["take-and-hold-vs-purge-the-foe-2", "purge-the-foe-vs-reconnaissance-1", "disruption-vs-disruption-3"]
)
def test_nearly_every_verdict_of_a_check_on_a_real_layout_is_certain(data, tmp_path, capsys, name):
    """Tables on which models are seen through slits between areas, or by less than a millimetre at their sides."""
    table = imported(data, tmp_path, name)
    for side in ("red", "blue"):
        army = ["--side", side, "--units", "2", "--models", "5", "--seed", "1"]
        assert run(["populate", str(table), *army, "-o", str(tmp_path / f"{side}.toml")]) == 0
        table = tmp_path / f"{side}.toml"
    capsys.readouterr()
    assert run(["check", str(table), "--json"]) == 0
    verdicts = json.loads(capsys.readouterr().out)["models"]
    assert len(verdicts) == 200
    for certainty in ("certainty", "fully_certainty"):
        assert sum(verdict[certainty] == "sampled" for verdict in verdicts) <= 0.001 * len(verdicts)

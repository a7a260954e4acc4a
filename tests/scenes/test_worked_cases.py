"""Every case in `cases/`, save `cases/wh40k`: what the rules say about a small scene. See `cases/README.md`."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from shapely import affinity

from deadground.geometry.errors import SceneError
from deadground.scenes.document import scene_from
from deadground.scenes.rulings import find
from deadground.scenes.rulings.starcraft_engagement import end_problems
from deadground.scenes.rulings.verdict import Report, UnitVerdict, Verdict
from deadground.scenes.scene import Scene

CASES = Path(__file__).parent / "cases"


def worked_cases() -> Iterator[Any]:
    for file in sorted(CASES.glob("*/*.toml")):
        if file.parent.name == "wh40k":  # run by test_worked_cases_wh40k.py
            continue
        document = tomllib.loads(file.read_text(encoding="utf-8"))
        for number, case in enumerate(document["case"]):
            values = file.parent.name, document["scene"], case
            yield pytest.param(*values, id=f"{file.parent.name}-{file.stem}-{number}: {case['name']}")


def scene_of(system: str, scene: dict[str, Any], changes: dict[str, Any]) -> Scene:
    filled = {"schema": 1, "units": "in", "ruleset": system, "board": {"size": [60, 44]}}
    document = filled | copy.deepcopy(scene)
    for place, value in changes.items():
        change(document, place.split("."), copy.deepcopy(value))
    return scene_from(document)


def change(document: Any, place: list[str], value: Any) -> None:
    for part, below in pairwise(place):
        known = document if part.isdigit() else {part: document.setdefault(part, [] if below.isdigit() else {})}
        document = known[int(part) if part.isdigit() else part]
    last = place[-1]
    if not last.isdigit():
        document[last] = value
    elif int(last) == len(document):
        document.append(value)
    else:
        document[int(last)] = value


def model_verdict(report: Report, pair: str) -> Verdict:
    return next(verdict for verdict in report.models if f"{verdict.observer} {verdict.target}" == pair)


def unit_verdict(report: Report, pair: str) -> UnitVerdict:
    return next(verdict for verdict in report.units if f"{verdict.attacker} {verdict.target}" == pair)


@pytest.mark.parametrize(("system", "scene", "case"), list(worked_cases()))
def test_the_rules_as_worked_cases(system, scene, case):
    table = scene_of(system, scene, case.get("change", {}))
    if "error" in case:
        with pytest.raises(SceneError) as error:
            find(system).judge(table)
        assert case["error"] in str(error.value)
        return
    report = find(system).judge(table)
    check_models(report, case)
    check_report(report, case)
    for end in case.get("ends", []):
        assert end_problems(table, moved(table, end), end.get("charge", False)) == tuple(end["problems"])


def check_models(report: Report, case: dict[str, Any]) -> None:
    for pair, expected in case.get("sees", {}).items():
        verdict = model_verdict(report, pair)
        assert verdict.visible is expected, pair
        assert verdict.certainty == ("witness" if expected else "proof")
        assert bool(verdict.reasons) is not expected
    for pair, reasons in case.get("reasons", {}).items():
        assert [str(reason) for reason in model_verdict(report, pair).reasons] == reasons
    for pair, notes in case.get("notes", {}).items():
        assert list(model_verdict(report, pair).notes) == notes
    for pair, distance in case.get("distance", {}).items():
        assert model_verdict(report, pair).distance == pytest.approx(distance)
    for pair, facts in case.get("facts", {}).items():
        told = model_verdict(report, pair).facts
        for key, value in facts.items():
            assert told[key] == (pytest.approx(value, abs=2e-3) if isinstance(value, float) else value), key


def check_report(report: Report, case: dict[str, Any]) -> None:
    for pair, facts in case.get("units", {}).items():
        told = unit_verdict(report, pair).facts
        assert {key: told[key] for key in facts} == facts, pair
    levels = {entry["model"]: entry["level"] for entry in report.facts.get("levels", [])}
    assert {model: levels[model] for model in case.get("levels", {})} == case.get("levels", {})
    if "engagements" in case:
        assert {entry["unit"]: entry["may"] for entry in report.facts["engagements"]} == case["engagements"]
    if "placement" in case:
        assert {entry.model: list(entry.reasons) for entry in report.placement or ()} == case["placement"]
    for key in ("dangerous", "disruptive"):
        if key in case:
            assert report.facts[key] == case[key]


def moved(scene: Scene, end: dict[str, Any]) -> Any:
    model = next(model for model in scene.models if model.name == end["model"])
    return replace(model, x=end["at"][0], y=end["at"][1])


def seen(report: Report) -> dict[str, tuple[Any, ...]]:
    return {f"{v.observer} {v.target}": (v.visible, v.reasons, round(v.distance, 6)) for v in report.models}


def turned_scene(scene: dict[str, Any], degrees: float) -> dict[str, Any]:
    """The scene turned about the middle of the board."""
    turned = copy.deepcopy(scene)
    for entry in [*turned.get("feature", []), *turned.get("token", [])]:
        entry["at"] = turned_spot(entry["at"], degrees)
        if "radius" not in entry:
            entry["turn"] = entry.get("turn", 0) + degrees
    for unit in turned["unit"]:
        unit["at"] = [turned_spot(spot, degrees) for spot in unit["at"]]
        unit["facing"] = unit.get("facing", 0) + degrees
    if turned["ruleset"] == "t9a":  # where no facing was given, giving one to turn the bases must not give them fronts
        turned["t9a"] = {"front_arc": 360.0} | turned.get("t9a", {})
    return turned


def turned_spot(spot: list[float], degrees: float) -> list[float]:
    point = affinity.rotate(shapely.Point(spot[:2]), degrees, origin=(30, 22))
    return [point.x, point.y, *spot[2:]]


@pytest.mark.parametrize("degrees", [37.3])
def test_turning_the_table_changes_no_verdict(degrees):
    for parameters in worked_cases():
        system, scene, case = parameters.values
        if "error" in case or any("facing" in unit for unit in scene["unit"] if system == "t9a"):
            continue
        table = scene_of(system, scene, case.get("change", {}))
        around = scene_of(system, turned_scene(changed(system, scene, case), degrees), {})
        assert seen(find(system).judge(table)) == seen(find(system).judge(around)), parameters.id


def changed(system: str, scene: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    document = {"ruleset": system} | copy.deepcopy(scene)
    for place, value in case.get("change", {}).items():
        change(document, place.split("."), copy.deepcopy(value))
    return document


LENGTHS = {"at", "radius", "height", "footprint", "from", "to", "thickness", "openings", "access_points"}


def in_mm(value: Any, is_length: bool = False) -> Any:
    """The scene with its lengths in mm; Sizes, Heights of The 9th Age and angles stay."""
    if isinstance(value, dict):
        inside = {"sctmg", "t9a"} & value.keys()
        kept = {key: in_mm_facts(value[key]) for key in inside}
        return {key: kept.get(key, in_mm(item, is_length or key in LENGTHS)) for key, item in value.items()}
    if isinstance(value, list):
        return [in_mm(item, is_length) for item in value]
    return value * 25.4 if is_length and isinstance(value, int | float) else value


def in_mm_facts(facts: dict[str, Any]) -> dict[str, Any]:
    return facts | {key: in_mm(facts[key], True) for key in facts if key == "access_points"}


def test_millimetres_change_no_verdict():
    for parameters in worked_cases():
        system, scene, case = parameters.values
        if "error" not in case:
            document = changed(system, scene, case)
            for feature in document.get("feature", []):
                for block in feature.get("block", []):
                    block["size"] = in_mm(block["size"], True)
            millimetres = in_mm(document) | {"units": "mm", "board": {"size": [1524, 1117.6]}}
            inches = scene_of(system, scene, case.get("change", {}))
            judge = find(system).judge
            assert seen(judge(scene_of(system, millimetres, {}))) == seen(judge(inches)), parameters.id


def test_every_clear_line_ends_in_both_bases():
    for parameters in worked_cases():
        system, scene, case = parameters.values
        if "error" not in case:
            table = scene_of(system, scene, case.get("change", {}))
            models = {model.name: model for model in table.models}
            for verdict in find(system).judge(table).models:
                if verdict.visible:
                    ends = zip((verdict.observer, verdict.target), verdict.line, strict=True)
                    assert all(is_in_base(models[name], np.array(point)) for name, point in ends), parameters.id


def is_in_base(model: Any, point: np.ndarray) -> bool:
    reach = np.hypot(*(point[:2] - [model.x, model.y]))
    return bool(reach < np.hypot(model.base.length, model.base.width) / 2 + 2e-3)

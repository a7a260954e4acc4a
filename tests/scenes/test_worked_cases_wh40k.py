"""Every case in `cases/wh40k`, each as written, turned, mirrored and in millimetres. See `cases/README.md`."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterator
from itertools import cycle, product
from pathlib import Path
from typing import Any

import pytest

from deadground.geometry.errors import SceneError
from deadground.scenes.document import scene_from
from deadground.scenes.options import described, options_of
from deadground.scenes.rulings import find
from deadground.scenes.rulings.verdict import Report, UnitVerdict, Verdict
from deadground.scenes.rulings.wh40k_cover import Coverage, with_hiding
from deadground.scenes.rulings.wh40k_seeing import judge_pairs, verdict_of
from deadground.scenes.rulings.wh40k_states import placement, states_of
from deadground.scenes.rulings.wh40k_terrain import barriers_of
from deadground.scenes.scene import Scene
from deadground.scenes.sight import Sight
from tests.scenes.test_worked_cases import change
from tests.scenes.transformed import WAYS

CASES = Path(__file__).parent / "cases" / "wh40k"
COSTLY = {"fully", "units", "attackers", "seen_fraction"}
"""What is asked of a case that needs every part of a model to be judged."""


def worked_cases() -> Iterator[Any]:
    """Every case as written and in one other way, in turns; the remaining ways are slow together."""
    others = cycle([way for way in WAYS if way != "as written"])
    for file in sorted(CASES.glob("*.toml")):
        document = tomllib.loads(file.read_text(encoding="utf-8"))
        for case in document["case"]:
            everyday = {"as written", next(others)}
            for way in case.get("ways", WAYS):
                values = written(document["scene"], case.get("change", {})), case, way
                marks = () if way in everyday or "ways" in case else pytest.mark.slow
                yield pytest.param(*values, id=f"{file.stem}: {case['name']} ({way})", marks=marks)


def written(scene: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    filled = {"schema": 1, "units": "in", "ruleset": "wh40k-11e", "board": {"size": [60, 44]}}
    document = filled | copy.deepcopy(scene)
    for place, value in changes.items():
        change(document, place.split("."), copy.deepcopy(value))
    return document


@pytest.mark.parametrize(("document", "case", "way"), list(worked_cases()))
def test_the_rules_as_worked_cases(document, case, way):
    if "error" in case:
        with pytest.raises(SceneError) as error:
            find("wh40k").judge(scene_from(WAYS[way](document)))
        assert case["error"] in str(error.value)
        return
    scene = scene_from(WAYS[way](document))
    report = find("wh40k").judge(scene) if COSTLY & set(case) else seen(scene)
    check_models(report, case)
    check_states(report, case)
    if COSTLY & set(case):
        check_parts(report, case)


def seen(scene: Scene) -> Report:
    """The report without what takes longest: which parts of each target are seen."""
    options = options_of(scene, "wh40k")
    sight = Sight(scene, barriers_of(scene, options))
    states, coverage = states_of(scene, sight, options), Coverage(sight, options)
    verdicts = []
    pairs = [(a, b) for a, b in product(scene.models, repeat=2) if a.side != b.side and a.side < b.side]
    for found in judge_pairs(sight, pairs):
        for pair in (found.pair, found.pair[::-1]):
            verdict = verdict_of(found, pair[0].name)
            verdicts.append(with_hiding(verdict, pair, states, coverage, options))
    return Report("", "", {}, tuple(verdicts), (), states.described(scene), placement(scene))


def model_verdict(report: Report, pair: str) -> Verdict:
    return next(verdict for verdict in report.models if f"{verdict.observer} {verdict.target}" == pair)


def unit_verdict(report: Report, pair: str) -> UnitVerdict:
    return next(verdict for verdict in report.units if f"{verdict.attacker} {verdict.target}" == pair)


def check_models(report: Report, case: dict[str, Any]) -> None:
    for pair, expected in case.get("sees", {}).items():
        found = model_verdict(report, pair)
        assert found.visible is expected, pair
        assert found.certainty == ("witness" if expected else "proof"), pair
        assert found.resolution == 0.0
        assert bool(found.reasons) is not expected
        if expected:
            assert len(found.line) == 2
            assert found.blocker is None
    for pair, reasons in case.get("reasons", {}).items():
        assert [str(reason) for reason in model_verdict(report, pair).reasons] == reasons, pair
    for pair, notes in case.get("notes", {}).items():
        assert list(model_verdict(report, pair).notes) == notes, pair
    for pair, distance in case.get("distance", {}).items():
        assert model_verdict(report, pair).distance == pytest.approx(distance, abs=1e-4), pair
    for pair, rule in case.get("rules", {}).items():
        assert model_verdict(report, pair).rule == rule, pair
    for pair, expected in case.get("blocker", {}).items():
        blocker = model_verdict(report, pair).blocker
        assert {key: getattr(blocker, key) for key in expected} == expected, pair


def check_states(report: Report, case: dict[str, Any]) -> None:
    states = {state.model: state for state in report.states or ()}
    for key in ("hidden", "level"):
        assert {model: getattr(states[model], key) for model in case.get(key, {})} == case.get(key, {})
    for model, areas in case.get("areas", {}).items():
        assert list(states[model].areas) == areas, model
    if "placement" in case:
        assert {entry.model: list(entry.reasons) for entry in report.placement or ()} == case["placement"]


def check_parts(report: Report, case: dict[str, Any]) -> None:
    for pair, expected in case.get("fully", {}).items():
        found = model_verdict(report, pair)
        assert found.fully_visible == expected, pair
        assert found.fully_certainty == ("witness" if expected else case.get("fully_certainty", "proof")), pair
    for pair, (low, high) in case.get("seen_fraction", {}).items():
        assert low <= (model_verdict(report, pair).seen_fraction or 0.0) <= high, pair
    for pair, expected in case.get("units", {}).items():
        told = unit_verdict(report, pair)
        asked = {key: list(told.notes) if key == "notes" else getattr(told, key) for key in expected}
        assert asked == expected, pair
    for pair, expected in case.get("attackers", {}).items():
        model, target = pair.split(" ")
        told = [one for unit in report.units if unit.target == target for one in unit.attackers if one.model == model]
        assert {key: getattr(told[0], key) for key in expected} == expected, pair


@pytest.mark.slow
def test_the_quick_report_says_what_the_full_one_says():
    for parameters in list(worked_cases())[::60]:
        document, case, _ = parameters.values
        if "error" not in case:
            scene = scene_from(document)
            full = {(v.observer, v.target): (v.visible, v.reasons) for v in find("wh40k").judge(scene).models}
            assert {(v.observer, v.target): (v.visible, v.reasons) for v in seen(scene).models} == full


def test_each_option_has_a_case_that_sets_it():
    files = (tomllib.loads(file.read_text(encoding="utf-8")) for file in CASES.glob("*.toml"))
    set_by = {key.removeprefix("wh40k.") for file in files for case in file["case"] for key in case.get("change", {})}
    assert {option.name for option in described("wh40k")} <= set_by

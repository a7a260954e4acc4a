"""What must hold of sight on any table: symmetry, and that less between never hides."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from deadground.meshes.piece import Piece
from deadground.scenes.document import scene_from
from deadground.scenes.options import Warhammer40kOptions, options_of
from deadground.scenes.rulings import find
from deadground.scenes.rulings.verdict import Report
from deadground.scenes.rulings.wh40k_seeing import Seen, judge_pairs
from deadground.scenes.rulings.wh40k_states import SMALL
from deadground.scenes.rulings.wh40k_terrain import barriers_of
from deadground.scenes.scene import Scene
from deadground.scenes.sight import Pair, Sight
from tests.scenes.random_tables import Kinds, table
from tests.scenes.transformed import in_mm, mirrored, moved, turned

Document = dict[str, Any]

BUDGET = 20_000
"""Cells a question may take here. What stays undecided says nothing, for or against a property."""

FEW = settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
MANY = settings(FEW, max_examples=30)


def few_and_many(test: Any) -> Any:
    """A property with a few examples every day, and with many where time allows."""
    return pytest.mark.parametrize("thorough", [False, pytest.param(True, marks=pytest.mark.slow)])(test)


def tenths(low: float, high: float) -> st.SearchStrategy[float]:
    return st.integers(round(low * 10), round(high * 10)).map(lambda n: n / 10)


@st.composite
def openings(draw: st.DrawFn, length: float, height: float) -> Document:
    width = draw(tenths(0.5, 2.5))
    sill = draw(tenths(0, height - 0.8))
    head = draw(tenths(sill + 0.5, height + 0.5))
    return {"at": length / 2 + draw(tenths(-1, 1)), "width": width, "sill": sill, "head": head}


@st.composite
def ruins(draw: st.DrawFn, number: int) -> Document:
    length, height = draw(tenths(5, 9)), draw(tenths(2, 5.5))
    wall = {"from": [-length / 2, 0.0], "to": [length / 2, 0.0], "height": height, "thickness": draw(tenths(0.1, 0.4))}
    wall["openings"] = [draw(openings(length, height))]
    feature: Document = {
        "name": f"ruin {number}",
        "at": [30 + draw(tenths(-3, 3)), 22 + draw(tenths(-3, 3))],
        "turn": draw(st.integers(-40, 40)) * 1.0,
        "wh40k": {"category": draw(st.sampled_from(["dense", "dense", "light", "exposed"]))},
        "wall": [wall],
    }
    if draw(st.booleans()):
        feature["floor"] = [{"outline": [[-3, 0], [3, 0], [3, 3], [-3, 3]], "top": 3.0, "thickness": 0.2}]
    return feature


@st.composite
def units(draw: st.DrawFn, name: str, side: str, y: float) -> Document:
    return {
        "name": name,
        "side": side,
        "base": draw(st.sampled_from(["25mm", "32mm", "60mm", "75x42mm"])),
        "height": draw(tenths(1.5, 5)),
        "at": [[30 + draw(tenths(-4, 4)), y + draw(tenths(-2, 2))]],
        "facing": draw(st.integers(0, 359)) * 1.0,
        "wh40k": {"keywords": draw(st.sampled_from([["INFANTRY"], ["VEHICLE"]]))},
    }


@st.composite
def areas(draw: st.DrawFn, number: int) -> Document:
    x, y, w, h = 30 + draw(tenths(-5, 2)), 22 + draw(tenths(-6, 4)), draw(tenths(1, 6)), draw(tenths(1, 4))
    outline = [[x, y], [x + w, y], [x + w, y + h], [x, y + h]]
    return {"name": f"area {number}", "outline": outline, "features": ["hedge"]}


@st.composite
def tables(draw: st.DrawFn) -> Document:
    """A document: one or two ruins within a large area, perhaps areas that obscure and a third unit."""
    features = [draw(ruins(n)) for n in range(draw(st.integers(1, 2)))]
    hedge = {"name": "hedge", "at": [55, 5], "wh40k": {"category": "light"}, "block": [{"size": [0.5, 0.5, 0.5]}]}
    others = draw(st.lists(st.sampled_from([21.0, 22.0, 23.0]), max_size=2, unique=True))
    ground = {"name": "ground", "outline": [[5, -3], [55, -3], [55, 47], [5, 47]]}
    return {
        "schema": 1, "ruleset": "wh40k-11e", "units": "in", "board": {"size": [60, 44]}, "wh40k": {},
        "feature": [*features, hedge],
        "area": [ground, *(draw(areas(n)) for n in range(draw(st.integers(0, 2))))],
        "unit": [
            draw(units("A", "red", 14)), draw(units("B", "blue", 30)),
            *(draw(units(f"C{n}", "green", y)) for n, y in enumerate(others)),
        ],
    }  # fmt: skip


def pair_of(scene: Scene) -> Pair:
    return scene.models[0], scene.models[1]


def look(scene: Scene, *, back: bool = False) -> Seen:
    """What sight says of the first two models of a scene."""
    sight = Sight(scene, barriers_of(scene, options_of(scene, "wh40k")), BUDGET)
    one, two = pair_of(scene)
    return judge_pairs(sight, [(two, one) if back else (one, two)])[0]


def lasting(seen: Seen) -> list[str]:
    """Its notes, without the one that speaks of the very line that is shown: there may be several to choose from."""
    return [note for note in seen.notes if note != "over-low-area"]


def sees(scene: Scene, **options: Any) -> bool | None:
    """Whether the first two models see each other; None where the budget did not do."""
    chosen = Warhammer40kOptions.model_validate({**scene.options.get("wh40k", {}), **options}, context={"unit": "in"})
    sight = Sight(scene, barriers_of(scene, chosen), BUDGET)
    (answer,) = sight.clear([pair_of(scene)])
    return None if answer.certainty == "sampled" else answer.line is not None


def never_hides(before: bool | None, after: bool | None) -> None:
    """Less between: a model that was seen still is."""
    assert not (before is True and after is False)


def property_of(thorough: bool, check: Any, *strategies: Any) -> None:
    """Run a check on drawn examples, few or many."""
    (MANY if thorough else FEW)(given(*strategies)(check))()


@few_and_many
def test_sight_is_mutual(thorough):
    def check(document: Document) -> None:
        scene = scene_from(document)
        forth, back = look(scene), look(scene, back=True)
        assume("sampled" not in (forth.answer.certainty, back.answer.certainty))
        assert forth.visible is back.visible
        assert forth.reasons == back.reasons
        assert lasting(forth) == lasting(back)

    property_of(thorough, check, tables())


@few_and_many
def test_taking_something_away_never_hides(thorough):
    """And so putting it there never reveals."""

    def check(document: Document, data: st.DataObject) -> None:
        kind = data.draw(st.sampled_from(["feature", "area", "unit"]))
        least = {"feature": 0, "area": 1, "unit": 2}[kind]
        number = data.draw(st.integers(least, max(least, len(document[kind]) - 1)))
        assume(number < len(document[kind]) and document[kind][number]["name"] != "hedge")
        less = copy.deepcopy(document)
        del less[kind][number]
        never_hides(sees(scene_from(document)), sees(scene_from(less)))

    property_of(thorough, check, tables(), st.data())


@few_and_many
@pytest.mark.parametrize("kinds", [Kinds(models=True), Kinds(models=True, areas=True)])
def test_taking_something_away_from_a_random_table_never_hides(thorough, kinds):
    def check(seed: int) -> None:
        scene, _ = table(seed, kinds)
        before = sees(scene)
        never_hides(before, sees(replace(scene, units=scene.units[:2])))
        bare = replace(scene.features[0], piece=Piece(scene.features[0].piece.mesh))
        never_hides(before, sees(replace(scene, features=(bare, *scene.features[1:]))))
        never_hides(before, sees(replace(scene, areas=scene.areas[:-1])))

    property_of(thorough, check, st.integers(0, 10_000))


@few_and_many
def test_opening_a_window_never_hides(thorough):
    def check(document: Document, window: Document) -> None:
        opened = copy.deepcopy(document)
        for feature in document["feature"][:-1]:
            feature["wall"][0]["openings"] = []
        wall = opened["feature"][0]["wall"][0]
        assume(window["sill"] < wall["height"] - 0.05)
        wall["openings"] = [window]
        never_hides(sees(scene_from(document)), sees(scene_from(opened)))

    property_of(thorough, check, tables(), openings(6, 4))


@few_and_many
@pytest.mark.parametrize("straddle", ["split", "sill", "whole"])
def test_raising_solid_height_never_reveals(thorough, straddle):
    def check(document: Document, low: float, more: float) -> None:
        scene = scene_from(document)
        higher = sees(scene, solid_height=low + more, straddle=straddle)
        never_hides(higher, sees(scene, solid_height=low, straddle=straddle))

    property_of(thorough, check, tables(), tenths(0, 5), tenths(0.1, 2))


@few_and_many
def test_a_wider_line_or_adjacent_gap_never_reveals(thorough):
    def check(document: Document, width: float, gap: float) -> None:
        scene = scene_from(document)
        wide = sees(scene, line_width_mm=width, adjacent_gap=gap)
        never_hides(wide, sees(scene, line_width_mm=width / 2, adjacent_gap=gap / 2))

    property_of(thorough, check, tables(), st.sampled_from([0.5, 1.0, 3.0]), tenths(0, 2))


@few_and_many
def test_telling_the_table_in_another_way_changes_no_verdict(thorough):
    def check(document: Document, degrees: float, shift: float) -> None:
        written = look(scene_from(document))
        ways = [turned(document, degrees), mirrored(document), moved(document, shift, -shift), in_mm(document)]
        assume(written.answer.certainty != "sampled")
        for way in ways:
            told = look(scene_from(way))
            if told.answer.certainty != "sampled":
                assert (told.visible, told.reasons) == (written.visible, written.reasons)
                assert lasting(told) == lasting(written)

    property_of(thorough, check, tables(), st.floats(1, 359), tenths(-9, 9))


@few_and_many
def test_splitting_triangles_changes_no_verdict(thorough):
    def check(document: Document) -> None:
        scene = scene_from(document)
        split = replace(scene, features=tuple(replace(f, piece=divided(f.piece)) for f in scene.features))
        options = {"solid_height": 0.0, "straddle": "whole"}
        before, after = sees(scene, **options), sees(split, **options)
        assert before is None or after is None or before is after

    property_of(thorough, check, tables())


def divided(piece: Piece) -> Piece:
    mesh = piece.mesh.subdivide()
    return replace(piece, mesh=mesh)


@few_and_many
def test_what_is_reported_hangs_together(thorough):
    """Fully visible implies visible; cover by an area implies within; a unit is seen if one of its models is."""

    def check(document: Document) -> None:
        document = {**document, "wh40k": {"smallest_part_mm": 25.0}}
        scene = scene_from(document)
        hangs_together(scene, find("wh40k").judge(scene, observers=["A", "B"], targets=["A", "B"]))

    (settings(MANY, max_examples=30) if thorough else settings(FEW, max_examples=3))(given(tables())(check))()


def hangs_together(scene: Scene, report: Report) -> None:
    within = {state.model: state.areas for state in report.states or ()}
    for verdict in report.models:
        assert not (verdict.fully_visible and not verdict.visible)
        assert verdict.visible is not bool(verdict.reasons)
        assert (verdict.seen_fraction or 0.0) > 0 or not verdict.fully_visible
        assert 0.0 <= (verdict.seen_fraction or 0.0) <= 1.0
    for unit in report.units:
        small = bool(SMALL & scene.unit(unit.target).wh40k.keywords)
        assert not (unit.fully_visible and not unit.visible)
        if unit.cover and unit.fully_visible:
            assert small
            assert all(within[model.name] for model in scene.unit(unit.target).models)
        assert unit.bs_change == (1 if unit.plunging_fire else 0) - (1 if unit.cover else 0)

"""Several rule systems over one table: one row for every two models."""

from __future__ import annotations

import pytest

from deadground.scenes.document import read_scene
from deadground.scenes.gallery import example
from deadground.viewer import phrases
from deadground.viewer.cli import run
from deadground.viewer.judging import judge_all
from deadground.viewer.rules_compared import comparison


def test_every_verdict_of_every_system_stands_in_the_table_once() -> None:
    reports = judge_all(read_scene(example("containers")), "all", [], [])
    cells = {}
    for who, *said in comparison(reports):
        one, arrow, two = who.split(" ")
        for pair in [(one, two), (two, one)] if arrow == "↔" else [(one, two)]:
            assert pair not in cells
            cells[pair] = said
    assert len(reports) == 3
    for number, report in enumerate(reports):
        for verdict in report.models:
            said = cells[verdict.observer, verdict.target][number]
            assert said.startswith(phrases.outcome(verdict))
            assert phrases.reasons(verdict.reasons) in said


def test_what_the_systems_say_differently_each_way_has_a_row_each_way() -> None:
    rows = {who: said for who, *said in comparison(judge_all(read_scene(example("containers")), "all", [], []))}
    assert rows["A/1 → C/1"][2] == "not seen: outside its front arc"
    assert rows["C/1 → A/1"][2] == "seen"
    assert rows["A/2 ↔ B/1"] == ["seen", "seen", "seen"]


@pytest.mark.parametrize(("ruleset", "beside"), [("all", True), ("40k", False)])
def test_the_table_stands_before_the_reports_of_several_systems_only(
    capsys: pytest.CaptureFixture[str], ruleset: str, beside: bool
) -> None:
    assert run(["check", str(example("containers")), "--ruleset", ruleset]) == 0
    told = capsys.readouterr().out
    assert ("Side by side" in told) == beside
    assert max(map(len, told.splitlines())) <= 100

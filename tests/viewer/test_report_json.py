"""Reports as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pytest

from deadground.scenes.rulings.verdict import Blocker, Certainty, Reason, Report, Verdict
from deadground.viewer.report_json import dumps, report_values, reports_values
from deadground.viewer.report_schema import report_schema


def test_a_report_fits_its_schema(wall_report, bare_report):
    for report in (wall_report, bare_report):
        jsonschema.validate(report_values(report), report_schema())
    jsonschema.validate(reports_values([wall_report, bare_report]), report_schema())


def test_what_is_not_computed_is_absent(bare_report):
    values = report_values(bare_report)
    assert "states" not in values
    assert "placement" not in values
    assert {"fully_visible", "fully_certainty", "seen_fraction"}.isdisjoint(values["models"][0])


def test_an_empty_list_of_placements_is_not_absent(wall_report):
    assert report_values(replace(wall_report, placement=()))["placement"] == []


def test_an_entry_says_what_the_verdict_says(wall_report):
    entry = report_values(wall_report)["models"][0]
    assert entry["reasons"] == ["solid-gap"]
    assert entry["blocker"] == {"feature": "wall", "opening": 1, "at": [14.0, 9.875, 2.0]}
    assert entry["line"] == [[14.0, 6.0, 1.5], [14.0, 9.875, 2.0]]
    assert (entry["certainty"], entry["fully_certainty"], entry["resolution"]) == ("proof", "proof", 0.0)
    assert entry["notes"] == ["readings-differ", "assumed:straddle"]


def test_facts_of_one_system_stand_beside_the_others():
    verdict = Verdict("A/1", "B/1", True, 1.0, "witness", facts={"cover": "soft", "soft_fraction": 0.25})
    assert entry_of(verdict)["soft_fraction"] == 0.25


def entry_of(verdict: Verdict) -> dict[str, object]:
    entry: dict[str, object] = report_values(Report("t9a", "", {}, (verdict,)))["models"][0]
    return entry


def test_numbers_are_rounded_and_never_minus_zero():
    line = ((-1e-12, 0.12345678, 2.0), (np.float64(1 / 3), 0.0, 1.0))
    entry = entry_of(Verdict("A/1", "B/1", True, 2 / 3, "witness", line=line, seen_fraction=float(np.float64(0.5))))
    assert json.dumps(entry["line"]) == "[[0.0, 0.123457, 2.0], [0.333333, 0.0, 1.0]]"
    assert entry["distance"] == 0.6667


def test_options_become_plain_values(wall_report):
    options = {"may_end_above": frozenset({"SWARM", "FLY"}), "adjacent_gap": -0.0, "straddle": Reason.TERRAIN}
    values = report_values(replace(wall_report, options=options))
    assert (
        json.dumps(values["options"])
        == '{"may_end_above": ["FLY", "SWARM"], "adjacent_gap": 0.0, "straddle": "terrain"}'
    )


def test_text_is_ascii_and_reads_back(wall_report):
    named = replace(wall_report, ruleset="wh40k-11e", edition="Übersicht ″")
    text = dumps(report_values(named))
    assert text.isascii()
    assert json.loads(text) == report_values(named)
    both = reports_values([named, named])
    assert json.loads(dumps(both)) == both


def test_every_entry_has_a_line_of_its_own(wall_report):
    text = dumps(report_values(wall_report))
    assert sum(line.lstrip().startswith('{"observer"') for line in text.splitlines()) == len(wall_report.models)


def test_a_number_that_json_does_not_know_is_refused(wall_report):
    broken = replace(wall_report, models=(replace(wall_report.models[0], distance=float("inf")),))
    with pytest.raises(ValueError, match="JSON"):
        dumps(report_values(broken))


@pytest.mark.parametrize("certainty", ["witness", "proof", "sampled"])
def test_the_schema_knows_every_certainty_and_reason(certainty: Certainty, wall_report):
    verdict = Verdict("A/1", "B/1", False, 1.0, certainty, tuple(Reason), blocker=Blocker((0, 0, 0), area="north"))
    jsonschema.validate(report_values(replace(wall_report, models=(verdict,))), report_schema())


@pytest.mark.parametrize(
    "change",
    [
        {"visible": "no"}, {"reasons": ["weather"]}, {"distance": -1}, {"certainty": "sure"}, {"line": [[1, 2]]},
        {"visible": True, "reasons": ["terrain"]}, {"blocker": {"at": [0, 0, 0]}},
        {"blocker": {"at": [0, 0, 0], "area": "a", "model": "b"}},
    ],
    ids=str,
)  # fmt: skip
def test_the_schema_refuses_what_is_no_verdict(change, wall_report):
    values = report_values(wall_report)
    values["models"][0].update(change)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(values, report_schema())

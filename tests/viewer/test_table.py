"""Reports as tables for people."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.cells import cell_len

from deadground.scenes.rulings.verdict import AttackerVerdict, Reason
from deadground.viewer.phrases import NOTES, REASONS, note
from deadground.viewer.table import WIDEST, print_report, report_text


def test_it_says_system_edition_and_what_is_not_as_usual(wall_report):
    text = report_text(wall_report, "Who sees whom")
    assert text.splitlines()[:3] == [
        "Who sees whom",
        "Rules: Warhammer 40,000, 11th edition (wh40k-11e)",
        "Options changed: solid_height 3.5 (normally 3)",
    ]


def test_each_pair_of_units_has_a_summary_in_words(wall_report):
    text = report_text(wall_report)
    assert "A does not see B.\n" in text
    assert "A sees C, 1 of its 2 models can, not fully visible, benefit of cover, BS worse by 1.\n" in text


def test_a_row_says_verdict_reason_place_distance_and_certainty(wall_report):
    row = next(line for line in report_text(wall_report).splitlines() if line.startswith("A/1 → B/1"))
    for words in ("not seen *", "gap closed by Solid", "wall, opening 1", "8.24″", "proved"):
        assert words in row


def test_notes_are_spelled_out_once_below(wall_report):
    text = " ".join(report_text(wall_report).split())
    assert text.count(" ".join(NOTES["readings-differ"].split())) == 1
    assert "an assumption, the option straddle (a gap that reaches over" in text


def test_hidden_models_are_named(wall_report):
    assert "Hidden, and seen only from within their detection range: B/1.\n" in report_text(wall_report)


def test_attackers_that_find_different_cover_are_told_apart(wall_report):
    unit = wall_report.units[1]
    both = (unit.attackers[0], AttackerVerdict("A/2", True, True, False, 0))
    text = report_text(replace(wall_report, units=(replace(unit, attackers=both),)))
    assert "A/1: not fully visible, benefit of cover, BS worse by 1; A/2: fully visible, no cover.\n" in text
    assert "A/1: not fully" not in report_text(wall_report)


def test_illegal_places_are_said(wall_report):
    assert "A/2 may not stand there: part of its base hangs over the edge." in report_text(wall_report)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_no_line_is_wider_than_the_page(width, wall_report, bare_report):
    long = replace(
        wall_report.models[0], observer="The Very Long Named Company of the Bridge/12", reasons=tuple(Reason)
    )
    for report in (wall_report, bare_report, replace(wall_report, models=(*wall_report.models, long))):
        assert max(map(cell_len, report_text(report, "x" * 40, width=width).splitlines())) <= width


def test_pairs_that_say_the_same_both_ways_are_told_once(wall_report):
    there = wall_report.models[0]
    line = there.line[::-1]
    back = replace(there, observer=there.target, target=there.observer, line=line)
    assert "A/1 ↔ B/1" in report_text(replace(wall_report, models=(there, back)))
    other = replace(back, reasons=(Reason.HIDDEN,))
    assert "↔ B" not in report_text(replace(wall_report, models=(there, other)))


def test_cover_one_way_alone_is_not_told_of_the_way_back(wall_report):
    there = replace(wall_report.models[0], visible=True, reasons=(), blocker=None, facts={"cover": "hard"})
    back = replace(there, observer=there.target, target=there.observer, line=there.line[::-1], facts={"cover": "none"})
    text = report_text(replace(wall_report, models=(there, back)))
    assert "↔ B" not in text
    assert text.count("hard cover") == 1


def test_where_nobody_sees_colours_there_are_none(wall_report):
    stream = io.StringIO()
    print_report(wall_report, "Who sees whom", stream)
    assert "\x1b" not in stream.getvalue()
    assert max(map(cell_len, stream.getvalue().splitlines())) <= WIDEST


def test_a_terminal_gets_colours(wall_report):
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    stream = Terminal()
    print_report(wall_report, "Who sees whom", stream)
    assert "\x1b[" in stream.getvalue()


def test_a_console_without_the_signs_gets_plain_ones(wall_report):
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="ascii")
    print_report(wall_report, "Who sees whom", stream)
    stream.flush()
    assert b"A/1 > B/1" in written.getvalue()
    assert b'8.24"' in written.getvalue()


def test_names_are_never_taken_for_markup(wall_report):
    odd = replace(wall_report.models[0], observer="[bold]A[/bold]/1", target=":smile:/1")
    text = report_text(replace(wall_report, models=(odd,)), "[red]title")
    assert "[bold]A[/bold]" in text
    assert ":smile:/1" in text
    assert text.startswith("[red]title\n")


def test_nothing_to_judge_is_said(wall_report):
    assert "No two models of different sides" in report_text(replace(wall_report, models=(), units=()))


def test_every_reason_and_note_has_words():
    assert set(REASONS) == set(Reason)
    assert note("something-new") == "Something new."
    assert note("assumed:adjacent_gap").endswith("the option adjacent_gap.")

"""`check --explain` says every rule that was asked, with its number, and what would change the answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deadground.geometry.errors import InputError
from deadground.scenes.document import read_scene
from deadground.scenes.gallery import example
from deadground.viewer.cli import run
from deadground.viewer.explain import explained


def test_a_closed_window_is_explained_with_its_heights_and_the_limit_that_would_open_it():
    text = explained(read_scene(example("windows")), None, "A/1", "B/1")
    assert "[06.01] Is there a line 1 mm wide" in text
    assert "it is proved that there is none" in text
    assert "closed opening 1," in text
    assert "[13.11]" in text
    assert 'Opening 1 of ruin reaches from 1.00" to 2.60"' in text


def test_a_seen_model_has_the_line_that_sees_it():
    text = explained(read_scene(example("windows")), None, "A/1", "C/1")
    assert "a clear line was found" in text
    assert "It runs from (" in text
    assert "of its facing surface is seen" in text


def test_a_hidden_model_says_how_much_nearer_it_would_be_detected():
    text = explained(read_scene(example("hidden")), None, "D/1", "C/2")
    assert "beyond it, not visible" in text
    assert "if the bases were" in text


def test_cover_is_explained_model_by_model():
    text = explained(read_scene(example("cover")), None, "E/1", "C/1")
    assert "[13.08] Does C have the benefit of cover against E/1?" in text
    assert text.count("is within ruins") == 3


@pytest.mark.parametrize(
    ("one", "two", "said"),
    [("a/1", "B/1", "did you mean A/1"), ("B/1", "C/1", "expected models of two sides"), ("A", "B/1", "UNIT/N")],
)
def test_a_pair_that_cannot_be_explained_is_refused(one: str, two: str, said: str):
    with pytest.raises(InputError, match=said):
        explained(read_scene(example("windows")), None, one, two)


def test_the_command_prints_the_explanation(capsys: pytest.CaptureFixture[str]):
    assert run(["check", str(example("windows")), "--explain", "A/1", "B/1"]) == 0
    assert capsys.readouterr().out.startswith("A/1 looks at B/1. Warhammer 40,000, 11th edition.")


def test_lines_of_an_explanation_fit_a_hundred_columns():
    text = explained(read_scene(example("windows")), None, "A/1", "B/1")
    assert max(len(line) for line in text.splitlines()) <= 100


@pytest.mark.parametrize(
    "beside", [["--json"], ["--strict"], ["--margin", "1"], ["--from", "A"], ["--to", "B"], ["--ruleset", "all"]]
)
def test_what_an_explanation_would_not_heed_is_refused(beside: list[str], capsys: pytest.CaptureFixture[str]):
    assert run(["check", str(example("windows")), "--explain", "A/1", "B/1", *beside]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert beside[0] in told.err
    assert "--explain: expected" in told.err


def test_an_explanation_names_the_options_that_are_changed():
    scene = replace(read_scene(example("windows")), options={"wh40k": {"straddle": "sill"}})
    assert "Options changed: straddle sill (normally split)." in explained(scene, None, "A/1", "B/1")

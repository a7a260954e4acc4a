"""Writing files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deadground.geometry.errors import InputError
from deadground.viewer import files
from deadground.viewer.files import file_name, file_names, make_folder, write_text


def test_text_is_utf_8_with_plain_line_ends(tmp_path):
    write_text(tmp_path / "a.svg", "3″\n")
    assert (tmp_path / "a.svg").read_bytes() == b"3\xe2\x80\xb3\n"


def test_nothing_but_the_file_is_left(tmp_path):
    for words in ("one", "two"):
        write_text(tmp_path / "a.svg", words)
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]


def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch):
    write_text(tmp_path / "a.svg", "old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fdopen", fail)
    with pytest.raises(InputError, match="cannot be written \\(No space left on device\\)"):
        write_text(tmp_path / "a.svg", "new")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]


@pytest.mark.skipif(sys.platform == "win32", reason="no such permissions there")
def test_a_new_file_can_be_read_by_those_who_may(tmp_path):
    (tmp_path / "plain").write_text("", encoding="utf-8")
    write_text(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="expected a folder"):
        make_folder(tmp_path / "file" / "in")


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("fig-1", "fig-1"), ("a/b\\c", "a-b-c"), ("..", "figure"), ("", "figure"), ("Übersicht 1", "Übersicht-1"),
        ("con", "figure-con"), ("Aux.1", "figure-Aux.1"), ("COM1", "figure-COM1"), ("contact", "contact"),
    ],
)  # fmt: skip
def test_any_figures_name_makes_a_file_name(name, file):
    assert file_name(name) == file
    assert Path(file_name(name)).name == file_name(name)


def test_names_that_differ_in_capitals_or_signs_alone_make_different_files():
    found = file_names(["Front", "front", "a b", "a-b", "front-2", "side"])
    assert found == ["Front", "front-2", "a-b", "a-b-2", "front-2-2", "side"]
    assert len({name.casefold() for name in found}) == len(found)


def test_a_file_that_windows_keeps_locked_is_left_and_said_and_nothing_stays_beside_it(tmp_path, monkeypatch):
    (tmp_path / "a.pdf").write_text("old", encoding="utf-8")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(Path, "replace", refuse)
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(InputError, match=r"cannot be written \(Access is denied; is it open in another program\?\)"):
        write_text(tmp_path / "a.pdf", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["a.pdf"]
    assert (tmp_path / "a.pdf").read_text(encoding="utf-8") == "old"

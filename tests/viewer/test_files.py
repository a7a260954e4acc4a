"""Writing files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deadground.geometry.errors import InputError
from deadground.viewer import files
from deadground.viewer.files import file_name, make_folder, write_text


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
    [("fig-1", "fig-1"), ("a/b\\c", "a-b-c"), ("..", "figure"), ("", "figure"), ("Übersicht 1", "Übersicht-1")],
)
def test_any_figures_name_makes_a_file_name(name, file):
    assert file_name(name) == file
    assert Path(file_name(name)).name == file_name(name)

"""Consoles, files and pipes that lack a sign, and pipes that nobody reads any more; on Windows above all."""

from __future__ import annotations

import ctypes
import errno
import io
import os
import sys
from pathlib import Path

import pytest

from deadground.viewer import cli, consoles
from deadground.viewer.cli import PIPE_CLOSED, run

SAID = "0.1″ off: A → B, 3×2 …, Übersicht, 戦"


class Terminal(io.BytesIO):
    """Bytes that a person looks at."""

    def isatty(self) -> bool:
        return True


def written(
    monkeypatch: pytest.MonkeyPatch, encoding: str, *, platform: str = "linux", terminal: bool = False,
    asked: str | None = None,
) -> bytes:  # fmt: skip
    """What SAID becomes on a stream of that encoding."""
    held = Terminal() if terminal else io.BytesIO()
    stream = io.TextIOWrapper(held, encoding=encoding, newline="\n")
    monkeypatch.setattr(sys, "platform", platform)
    if asked is None:
        monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    else:
        monkeypatch.setenv("PYTHONIOENCODING", asked)
    monkeypatch.setattr(sys, "stdout", stream)
    consoles.prepare_streams()
    stream.write(SAID)
    stream.flush()
    return held.getvalue()


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", SAID),
        ("cp1252", '0.1" off: A > B, 3×2 …, Übersicht, ?'),
        ("cp437", '0.1" off: A > B, 3x2 ., Übersicht, ?'),
        ("ascii", '0.1" off: A > B, 3x2 ., ?bersicht, ?'),
    ],
)
def test_a_stream_that_lacks_a_sign_gets_a_plain_one(encoding, said, monkeypatch):
    assert written(monkeypatch, encoding).decode(encoding) == said


def test_what_windows_redirects_has_signs_that_all_its_shells_know_and_names_in_utf_8(monkeypatch):
    found = written(monkeypatch, "cp1252", platform="win32").decode("utf-8")
    assert found == '0.1" off: A > B, 3x2 ., Übersicht, 戦'


@pytest.mark.parametrize("asked", ["cp1252", "cp1252:strict"])
def test_on_windows_too_who_asks_for_an_encoding_gets_it(asked, monkeypatch):
    found = written(monkeypatch, "cp1252", platform="win32", asked=asked).decode("cp1252")
    assert found == '0.1" off: A > B, 3×2 …, Übersicht, ?'


def test_consoles_of_windows_show_every_sign(monkeypatch):
    assert written(monkeypatch, "cp1252", platform="win32", terminal=True).decode("utf-8") == SAID


class Kernel:
    """What Windows does with consoles. takes : whether this one can show colours; mode : that it was set to."""

    def __init__(self, *, takes: bool) -> None:
        self.takes, self.mode = takes, 0
        self.GetStdHandle = type("Call", (), {"__call__": lambda _, number: 7 if number == -11 else 0})()

    def GetConsoleMode(self, console: ctypes.c_void_p, mode: object) -> int:  # noqa: N802  (as Windows calls it)
        return int(console.value == 7 and mode is not None)

    def SetConsoleMode(self, _: ctypes.c_void_p, mode: int) -> int:  # noqa: N802  (as Windows calls it)
        self.mode = mode
        return int(self.takes)


@pytest.mark.parametrize("takes", [True, False])
def test_consoles_of_windows_are_asked_for_colours_and_get_none_that_they_cannot_show(takes, monkeypatch):
    kernel = Kernel(takes=takes)
    monkeypatch.setattr(ctypes, "WinDLL", lambda _: kernel, raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert consoles.shows_colours(io.TextIOWrapper(Terminal())) is takes
    assert kernel.mode == 4


@pytest.mark.parametrize(
    ("stream", "names", "shown"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.BytesIO(), {}, False),
    ],
)
def test_colours_are_for_terminals_whose_owners_want_them(stream, names, shown, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in ({"TERM": "xterm"} | names).items():
        monkeypatch.setenv(name, value)
    assert consoles.shows_colours(io.TextIOWrapper(stream)) is shown


def test_every_plain_sign_is_ascii_and_as_wide():
    assert all(isinstance(plain, str) and len(plain) == 1 and plain.isascii() for plain in consoles.PLAIN.values())


@pytest.mark.parametrize(
    ("platform", "problem", "code"),
    [
        ("linux", BrokenPipeError(), PIPE_CLOSED),
        ("win32", OSError(errno.EINVAL, "Invalid argument"), PIPE_CLOSED),
        ("linux", OSError(errno.EINVAL, "Invalid argument"), 3),
        ("win32", OSError(errno.ENOSPC, "No space left on device"), 3),
    ],
)
def test_a_reader_that_has_gone_is_no_fault_on_any_system(platform, problem, code, monkeypatch, capsys):
    def fail(_: list[str]) -> None:
        raise problem

    monkeypatch.setattr(cli, "application", lambda _: fail)
    monkeypatch.setattr(cli, "_pipe_closed", lambda: PIPE_CLOSED)
    monkeypatch.setattr(sys, "platform", platform)
    assert run(["check"]) == code
    assert ("fault of the program" in capsys.readouterr().err) == (code == 3)


@pytest.mark.skipif(not Path(os.devnull).is_char_device(), reason="only where devices are files")
def test_an_answer_may_go_nowhere(monkeypatch):
    with Path(os.devnull).open("w", encoding="ascii") as nowhere:
        monkeypatch.setattr(sys, "stdout", nowhere)
        consoles.prepare_streams()
        assert run(["schema"]) == 0

"""What a console, a file or a pipe can take: no answer stops for a sign that is lacking there."""

from __future__ import annotations

import codecs
import ctypes
import errno
import os
import sys
from io import TextIOWrapper
from typing import Any, Final, TextIO

__all__ = ["PLAIN", "nobody_reads", "prepare_streams", "shows_colours"]

PLAIN: Final = str.maketrans(
    {
        "″": '"', "′": "'", "→": ">", "↔": "|", "–": "-", "—": "-", "…": ".", "·": "-", "─": "-", "━": "-", "×": "x",
        "│": "|", "├": "+", "└": "+",
    }
)  # fmt: skip
"""Signs, and what every console has in their place. As wide, so that tables stay straight."""

_STDOUT: Final = -11
_ESCAPES: Final = 4
"""Of Windows: what its calls name stdout, and the mode of a console that takes escape sequences."""


def prepare_streams() -> None:
    """Make stdout and stderr take every text: what they lack becomes a plain sign."""
    codecs.register_error("plain", _plainly)
    codecs.register_error("plain-or-utf-8", _plainly_or_utf_8)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            encoding, errors = _encoding(terminal=stream.isatty())
            stream.reconfigure(encoding=encoding, errors=errors)


def _encoding(*, terminal: bool) -> tuple[str | None, str]:
    """What a stream is written in (None: as it is), and how to do without signs that it lacks.

    Windows' consoles take UTF-8. Its shells read what goes to a file or a pipe in one of several old ways, of which all
    know ASCII; names in other letters stay UTF-8. Who has asked Python for an encoding gets it.
    """
    windows = sys.platform == "win32"
    if not windows:
        return None, "plain"
    if terminal:
        return "utf-8", "plain"
    asked = sys.flags.utf8_mode or os.environ.get("PYTHONIOENCODING")
    return (None, "plain") if asked else ("ascii", "plain-or-utf-8")


def _lacking(error: UnicodeError) -> tuple[str, int]:
    """What a stream could not take, with plain signs, and where to go on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return error.object[error.start : error.end].translate(PLAIN), error.end


def _plainly(error: UnicodeError) -> tuple[str, int]:
    text, end = _lacking(error)
    return text.encode("ascii", "replace").decode("ascii"), end


def _plainly_or_utf_8(error: UnicodeError) -> tuple[bytes, int]:
    text, end = _lacking(error)
    return text.encode("utf-8", "replace"), end


def shows_colours(stream: TextIO) -> bool:
    """Whether to colour what goes to a stream: a terminal that knows colours, whose owner has not said NO_COLOR."""
    if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    windows = sys.platform == "win32"
    return not windows or _colours_switched_on()


def _colours_switched_on() -> bool:
    """Ask the console of Windows to take escape sequences as colours; it would show them as signs. False: it cannot."""
    library: Any = getattr(ctypes, "WinDLL", None)
    if library is None:
        return False
    kernel, mode = library("kernel32"), ctypes.c_ulong()
    kernel.GetStdHandle.restype = ctypes.c_void_p
    console = ctypes.c_void_p(kernel.GetStdHandle(_STDOUT))
    known = kernel.GetConsoleMode(console, ctypes.byref(mode))
    return bool(known and kernel.SetConsoleMode(console, mode.value | _ESCAPES))


def nobody_reads(error: BaseException) -> bool:
    """Whether writing failed because the reader of stdout has gone, which Windows calls an invalid argument."""
    windows = sys.platform == "win32" and isinstance(error, OSError) and error.errno == errno.EINVAL
    return windows or isinstance(error, BrokenPipeError)

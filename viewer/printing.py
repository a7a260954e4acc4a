"""Tables and lines of text on a console: at most 100 columns; without colours where nobody sees them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable
from io import StringIO
from typing import Final, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from deadground.viewer.consoles import PLAIN, shows_colours

__all__ = ["NARROWEST", "WIDEST", "print_parts", "rendered"]

WIDEST: Final = 100
NARROWEST: Final = 60


def print_parts(parts: Callable[[int], Iterable[Text | Table]], stream: TextIO | None = None) -> None:
    """Write what `parts` makes of a width in columns to a stream (stdout)."""
    out = stream or sys.stdout
    terminal = out.isatty()
    width = max(NARROWEST, min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)) if terminal else WIDEST
    colour, plain = shows_colours(out), not _carries_signs(out)
    out.write(rendered(parts(width), width=width, colour=colour, plain=plain))


def _carries_signs(stream: TextIO) -> bool:
    """Whether the stream can write the inch sign and the arrow."""
    try:
        "″→↔─".encode(getattr(stream, "encoding", None) or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def rendered(parts: Iterable[Text | Table], *, width: int = WIDEST, colour: bool = False, plain: bool = False) -> str:
    """Parts as text. plain : only signs that every console has."""
    written = StringIO()
    console = Console(
        file=written, width=width, force_terminal=colour, no_color=not colour, highlight=False, emoji=False,
        markup=False,
    )  # fmt: skip
    for part in parts:
        console.print(part)
    lines = [line.rstrip() for line in written.getvalue().splitlines()]
    text = "\n".join(lines) + "\n"
    return text.translate(PLAIN) if plain else text

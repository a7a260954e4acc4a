"""The command line: finds the command, runs it, and turns whatever happens into an exit code and one line.

0 done; 1 `--strict` was asked and something is not right; 2 bad input or usage; 3 a fault of the program.
A command is a function in a module of its own, imported only when it is called. It returns its exit code, or None.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from typing import Final

from cyclopts import App, CycloptsError, MissingArgumentError, UnknownOptionError, UnusedCliTokensError

from deadground.geometry.errors import DeadgroundError
from deadground.viewer.consoles import nobody_reads, prepare_streams

__all__ = ["COMMANDS", "application", "main", "run"]

COMMANDS: Final = (
    ("demo", "demo:demo", "Judge a built-in scene, print the table and write its figures."),
    ("check", "check:check", "Say who sees whom, with cover and what decided it."),
    ("move", "move:move", "The shortest legal way to a place, or why there is none."),
    ("reach", "reach:reach", "Everywhere a model can end a move."),
    ("map", "dead_ground:dead_ground", "What a position sees, and its dead ground."),
    ("inspect", "inspect:inspect", "Findings on a terrain piece."),
    ("import", "importing:import_layouts", "Turn tournament layouts into scene files."),
    ("populate", "populate:populate", "Add a random army, legally placed, to a scene."),
    ("bases", "bases:bases", "Look a miniature's base up in a list."),
    ("figure", "figure:figure", "Write a scene's illustrations."),
    ("gallery", "gallery:gallery", "Draw every built-in figure, and contact sheets of them."),
    ("view", "view:view", "Look at a scene from all sides."),
    ("doctor", "doctor:doctor", "What this machine can draw, and what to install."),
    ("schema", "schema:schema", "The JSON schema of scene files, or of reports."),
)
"""Each command: its name, "module:function" in this package, and what it does. Without its module it is left out."""

STOPPED: Final = 130
"""Exit code after Ctrl-C, as shells have it."""

PIPE_CLOSED: Final = 141
"""Exit code when the reader of stdout has gone, as shells have it."""

ABOUT: Final = """Who sees whom on a wargames table, in real 3D: with the line, the gap or the edge that decided it.

Try: deadground demo"""


def application(called: str = "") -> App:
    """The commands that there are. The one that is called says in full what it does; it is imported for that."""
    app = App(
        name="deadground", help=ABOUT, help_format="markdown", version=version("deadground"), verbose=False,
        exit_on_error=False, print_error=False, suppress_keyboard_interrupt=False, result_action="return_value",
    )  # fmt: skip
    for name, place, about in COMMANDS:
        module = f"deadground.viewer.{place.partition(':')[0]}"
        if find_spec(module) is not None:
            app.command(f"deadground.viewer.{place}", name=name, help=None if name == called else about)
    return app


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; what went wrong is one line on stderr."""
    try:
        code = application(next(iter(arguments), ""))(list(arguments))
        sys.stdout.flush()
    except CycloptsError as error:
        return _complain(f"{_misused(error)} See: deadground {_command(error)}--help")
    except DeadgroundError as error:
        return _complain(str(error))
    except KeyboardInterrupt:
        return STOPPED
    except Exception as error:  # noqa: BLE001  (whatever else happens is our fault, and says so)
        if nobody_reads(error):
            return _pipe_closed()
        traceback.print_exc()
        _complain("this is a fault of the program: please report it with the lines above")
        return 3
    return code if isinstance(code, int) else 0


def _misused(error: CycloptsError) -> str:
    """What is wrong with the arguments, in a sentence."""
    if isinstance(error, UnusedCliTokensError):
        return f'Unexpected argument: "{(error.unused_tokens or [""])[0]}".'
    if isinstance(error, UnknownOptionError) and re.match(r"-[\d.]", error.token.value or error.token.keyword or ""):
        return f"{error} Write -- before a place that begins with a minus."
    if isinstance(error, MissingArgumentError):
        return _missing(error)
    return str(error)


def _missing(error: MissingArgumentError) -> str:
    """What must be given and is not, in the words of the command's help."""
    argument = error.argument
    if argument is None or error.keyword is not None or argument.tokens or "mean" in str(error):
        return str(error)
    about = argument.parameter.help or ""
    return f"{argument.name} is missing{about and f': {about[0].lower()}'}{about[1:] or '.'}"


def _command(error: CycloptsError) -> str:
    return "".join(f"{name} " for name in error.command_chain or ())


def _complain(problem: str) -> int:
    """One line on stderr, whatever the problem's text holds."""
    line = " ".join(f"deadground: {problem}".split())
    with suppress(OSError, ValueError):
        sys.stderr.write(f"{line}\n")
    return 2


def _pipe_closed() -> int:
    """Nobody reads on: say nothing, neither now nor when Python closes stdout."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED


def main() -> None:
    """What the command `deadground` runs."""
    prepare_streams()
    sys.exit(run(sys.argv[1:]))

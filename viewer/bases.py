"""`deadground bases`: a miniature's base, looked up in a list of bases."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter

from deadground.geometry.errors import InputError
from deadground.scenes.layout_file import read_json
from deadground.viewer.judging import expected
from deadground.viewer.report_json import dumps

__all__ = ["base_text", "bases", "looked_up"]

LIST: Final = Path("base-size-guide.json")

_MEASURED: Final = re.compile(
    r"\s*(\d+(?:\.\d+)?)\s*(?:[x×]\s*(\d+(?:\.\d+)?)\s*)?mm\s*(?:oval|round)?\s*(?:base)?\s*", re.IGNORECASE
)


def bases(
    name: Annotated[str, Parameter(help="A miniature or unit, or part of its name.")],
    /,
    *,
    listed: Annotated[Path, Parameter(name="--list", help="The list of bases (JSON).")] = LIST,
    json: Annotated[bool, Parameter(negative="", help="Print JSON.")] = False,
) -> int:
    """Look a miniature's base up, as a scene file takes it. The list is yours: none comes with deadground.

    The list holds objects with `unit`, `raw` ("32mm", "75x42mm Oval Base", "Hull") and for some `model`. "Hull" and
    others without a size are said to be unmeasured: measure them, and give the scene that base or a mesh.
    """
    found = looked_up(_entries(listed), name, str(listed))
    if json:
        sys.stdout.write(dumps({"schema": 1, "bases": found}) + "\n")
        return 0
    for entry in found:
        who = f"{entry['unit']}, {entry['model']}" if "model" in entry else entry["unit"]
        said = f'base = "{entry["base"]}"' if "base" in entry else f'unmeasured ("{entry["listed"]}")'
        sys.stdout.write(f"{who}: {said}\n")
    return 0


def _entries(path: Path) -> list[Mapping[str, str]]:
    if path == LIST and not path.exists():
        raise InputError(str(path), "", "is not there: expected a list of bases in this folder, or --list FILE")
    content = read_json(path)
    if not isinstance(content, list):
        raise InputError(str(path), "", "expected a list of bases")
    for number, entry in enumerate(content):
        good = isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in ("unit", "raw"))
        if not good or not isinstance(entry.get("model", ""), str):
            raise InputError(str(path), f"[{number}]", "expected an entry with the texts unit and raw")
    return content


def looked_up(entries: Sequence[Mapping[str, str]], name: str, source: str) -> list[dict[str, Any]]:
    """The entries of a unit or model of that name, else those whose name contains it.

    Each once. InputError that says the nearest name if there is none.
    """
    wanted = " ".join(name.split()).casefold()
    exact = [entry for entry in entries if wanted in _names(entry)]
    found = exact or [entry for entry in entries if wanted and any(wanted in each for each in _names(entry))]
    if not found:
        known = {entry[key]: None for entry in entries for key in ("unit", "model") if key in entry}
        raise InputError(source, "NAME", expected(known, name[:80], "a miniature of the list"))
    lines = [_line(entry) for entry in found]
    return [line for n, line in enumerate(lines) if line not in lines[:n]]


def _names(entry: Mapping[str, str]) -> list[str]:
    return [" ".join(entry[key].split()).casefold() for key in ("unit", "model") if key in entry]


def _line(entry: Mapping[str, str]) -> dict[str, Any]:
    model = {"model": entry["model"]} if "model" in entry else {}
    base = base_text(entry["raw"])
    known = {"measured": False} if base is None else {"measured": True, "base": base}
    return {"unit": entry["unit"], **model, "listed": entry["raw"], **known}


def base_text(listed: str) -> str | None:
    """A listed base as a scene file takes it, None if it has no size."""
    match = _MEASURED.fullmatch(listed)
    if match is None:
        return None
    return f"{match[1]}x{match[2]}mm" if match[2] else f"{match[1]}mm"

"""Writing files: beside their place first, then renamed, so that nobody ever finds half of one."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from deadground.geometry.errors import InputError

__all__ = ["file_name", "file_names", "make_folder", "unwritten", "write_bytes", "write_text"]

_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices, whatever their ending."""


def write_text(path: Path, text: str) -> None:
    r"""Write UTF-8 text with "\\n" line ends, the same bytes on every system. InputError where it cannot be written."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file, replacing the old one at once. InputError where it cannot be written."""
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)  # a pipe or a device is written to, never replaced
            return
        _replace(path, data)
    except OSError as error:
        there = path.parent.is_dir()
        problem = unwritten(error) if there else f"cannot be written (there is no folder {path.parent})"
        raise InputError(str(path), "", problem) from None


def unwritten(error: OSError) -> str:
    """Why a file cannot be written, in words. Windows does not let go of a file that another program has open."""
    locked = sys.platform == "win32" and isinstance(error, PermissionError)
    return f"cannot be written ({error.strerror or error}{'; is it open in another program?' if locked else ''})"


def _replace(path: Path, data: bytes) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).chmod(0o600)  # Windows does not delete what must not be written
            Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """What new files are not allowed; it can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def make_folder(path: Path) -> None:
    """Make a folder and those above it. InputError where that cannot be done."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(path), "", f"expected a folder that can be made ({error.strerror or error})") from None


def file_name(name: str) -> str:
    """A file name, without ending, for any figure's name, on every system."""
    kept = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name).strip(".-")
    return f"figure-{kept}" if _DEVICES.fullmatch(kept) else kept or "figure"


def file_names(names: Iterable[str]) -> list[str]:
    """The same for several names, each another one, also where capitals are not told apart: a number tells them."""
    found: list[str] = []
    taken = set[str]()
    for name in names:
        plain = file_name(name)
        numbered = (plain if n == 1 else f"{plain}-{n}" for n in range(1, len(taken) + 2))
        found.append(next(each for each in numbered if each.casefold() not in taken))
        taken.add(found[-1].casefold())
    return found

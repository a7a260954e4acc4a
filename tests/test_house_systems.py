"""What would hold on one system only: encodings that are left to the machine, and modules that only some have."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath

ROOT = Path(__file__).parent.parent
FOLDERS = ("geometry", "meshes", "scenes", "viewer", "tests")
PYTHON = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]

ELSEWHERE = {"curses", "fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
"""Modules that Windows does not have."""

BINARY = {"rb", "wb", "ab", "xb", "r+b", "w+b"}
TEXT = {"read_text", "write_text"}


def imports(tree: ast.Module) -> Iterator[str]:
    """Modules that are loaded as soon as the file is."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def leaves_encoding_open(call: ast.Call) -> bool:
    """Whether a call reads or writes text in whatever encoding the machine has."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = {word.arg for word in call.keywords}
    modes = {str(one.value) for one in call.args if isinstance(one, ast.Constant)}
    if "encoding" in given or None in given:
        return False
    if called in TEXT:
        return len(call.args) < (2 if called == "write_text" else 1)
    if called == "open" and isinstance(call.func, ast.Attribute):
        return bool(modes & {"r", "w", "a", "x", "r+", "w+"}) and not modes & BINARY
    return called == "open" and not modes & BINARY


def test_text_is_read_and_written_in_an_encoding_that_is_named():
    texts = {path: path.read_text(encoding="utf-8") for path in PYTHON}
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, text in texts.items()
        if any(f"{word}(" in text for word in ("open", *TEXT))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and leaves_encoding_open(node)
    ]
    assert found == []


def test_nothing_is_loaded_that_windows_does_not_have():
    texts = {path: path.read_text(encoding="utf-8") for path in PYTHON}
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, text in texts.items()
        if any(f"import {module}" in text or f"from {module}" in text for module in ELSEWHERE)
        for name in imports(ast.parse(text))
        if name.partition(".")[0] in ELSEWHERE
    ]
    assert found == []


def test_every_file_can_be_checked_out_where_capitals_are_not_told_apart_and_devices_have_names():
    files = [path for folder in (*FOLDERS, "docs", "benchmarks") for path in sorted((ROOT / folder).rglob("*"))]
    names = [path.relative_to(ROOT).as_posix() for path in files if "__pycache__" not in path.parts]
    folded = [name.casefold() for name in names]
    devices = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
    assert len(set(folded)) == len(folded)
    assert [name for name in names if {*name} & {*'<>:"\\|?*'} or name.endswith((" ", "."))] == []
    assert [name for name in names if {part.partition(".")[0] for part in PurePosixPath(name).parts} & devices] == []
    assert [name for name in names if len(str(PureWindowsPath(name))) > 120] == []

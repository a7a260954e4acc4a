"""Habits of the code that no linter checks."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
ROOMS = [path for room in ("geometry", "meshes", "scenes", "viewer") for path in sorted((ROOT / room).rglob("*.py"))]
PYTHON = [*ROOMS, *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "benchmarks").rglob("*.py"))]
TEXT = [
    *(path for pattern in ("*.md", "*.toml", "*.in", ".gitignore", ".ci/*") for path in sorted(ROOT.glob(pattern))),
    *(path for path in sorted((ROOT / "docs").rglob("*")) if path.suffix in {".md", ".toml", ".svg"}),
    *(path for path in sorted((ROOT / "scenes").rglob("*.toml"))),
    *PYTHON,
]

SMALL = 2e-3
"""A decimal below this is a tolerance, and lives in geometry/units.py."""

BARE: dict[tuple[str, float], str] = {}
"""(file, value) -> why this small decimal is no tolerance."""


def name(path: Path) -> str:
    """Path in the repository, for messages."""
    return path.relative_to(ROOT).as_posix()


def trees(paths: list[Path]) -> list[tuple[Path, ast.Module]]:
    """Each file with its syntax tree."""
    return [(path, parsed(path)) for path in paths]


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def test_tolerances_live_in_one_file():
    found = [
        f"{name(path)}:{node.lineno}: {node.value}"
        for path, tree in trees(ROOMS)
        if name(path) != "geometry/units.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and 0 < node.value < SMALL
        if (name(path), node.value) not in BARE
    ]
    assert found == []


def is_unseeded(call: ast.Call) -> bool:
    """Whether the call makes a random generator without a seed."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return called in {"default_rng", "Random", "SeedSequence"} and not call.args and not call.keywords


def test_randomness_has_a_seed():
    found = [
        f"{name(path)}:{node.lineno}"
        for path, tree in trees(PYTHON)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and is_unseeded(node)
    ]
    assert found == []


def test_functions_are_short():
    lengths = [
        node.end_lineno - node.body[0].lineno + 1
        for _, tree in trees(ROOMS)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
    ]
    assert np.median(lengths) < 15
    assert np.percentile(lengths, 95) < 30


@pytest.mark.parametrize("mark", ["# noqa", "# type: ignore", "# pragma"])
def test_what_is_silenced_is_named_and_has_a_reason(mark):
    """`code  # noqa: S603  # a list of our own`: the rule, then why."""
    silenced = [
        f"{name(path)}:{number}: {line.strip()}"
        for path in [*ROOMS, *sorted((ROOT / "benchmarks").rglob("*.py"))]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if mark in line and not re.search(re.escape(mark) + r"(: |\[)[\w, -]+\]? +[#(-] ?\w+", line)
    ]
    assert silenced == []


def test_every_linter_rule_that_is_off_has_a_reason():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    rules = re.findall(r'^    "[A-Z]+[0-9]*",.*$', text.partition("\nignore = [")[2], re.MULTILINE)
    assert rules
    assert [line for line in rules if not re.search(r"#\s\w+ \w+", line)] == []


@pytest.mark.parametrize("folder", ["work", "root", "home", "farm", "Users"])
def test_no_file_names_a_folder_of_one_machine(folder):
    assert [name(path) for path in TEXT if f"/{folder}/" in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("host", ["pypi" + ".org", "python" + "hosted", "registry." + "npmjs", "deb." + "debian"])
def test_no_file_names_the_host_of_a_package_registry(host):
    assert [name(path) for path in TEXT if host in path.read_text(encoding="utf-8")] == []


def system_of(module: str) -> str:
    """The rule system that a module of `rulings` belongs to, by its name's first word; "" for what they share."""
    word = module.rpartition(".")[2].split("_")[0]
    return word if word in {"wh40k", "starcraft", "ninth"} else ""


def test_no_file_of_one_rule_system_imports_one_of_another():
    found = [
        f"{name(path)} imports {node.module}"
        for path, tree in trees([path for path in ROOMS if system_of(path.stem) and path.parent.name == "rulings"])
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("deadground.scenes.rulings")
        if system_of(node.module or "") not in {"", system_of(path.stem)}
    ]
    assert found == []


def test_facts_know_no_ruling():
    found = [
        f"{name(path)} imports {node.module}"
        for path, tree in trees([path for path in ROOMS if path.parent.name == "scenes"])
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("deadground.scenes.rulings")
    ]
    assert found == []

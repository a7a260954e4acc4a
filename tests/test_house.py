"""The house: what is packaged, under which names, and that it is whole."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from deadground.geometry import errors

ROOT = Path(__file__).parent.parent
ROOMS = ("geometry", "meshes", "scenes", "viewer")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]


def files(*patterns: str) -> list[Path]:
    """Files of the four rooms, relative to the root."""
    found = {path for room in ROOMS for pattern in patterns for path in (ROOT / room).rglob(pattern)}
    return sorted(path.relative_to(ROOT) for path in found if path.is_file() and "__pycache__" not in path.parts)


def dotted(path: Path) -> str:
    """The name under which a file of the repository is imported."""
    return ".".join(("deadground", *path.with_suffix("").parts)).removesuffix(".__init__")


MODULES = [dotted(path) for path in files("*.py")]


def test_every_folder_with_code_is_listed_as_a_package():
    on_disk = sorted({dotted(path.parent) for path in files("*.py")})
    assert sorted(SETUPTOOLS["packages"]) == on_disk


def test_every_package_is_mapped_to_its_folder():
    expected = {name: name.removeprefix("deadground.").replace(".", "/") for name in SETUPTOOLS["packages"]}
    assert SETUPTOOLS["package-dir"] == expected


def test_every_package_says_that_it_is_typed():
    folders = {path.parent for path in files("*.py")}
    assert [folder for folder in sorted(folders) if not (ROOT / folder / "py.typed").is_file()] == []


def test_everything_that_is_not_code_is_listed_as_package_data():
    patterns = [(SETUPTOOLS["package-dir"][name], globs) for name, globs in SETUPTOOLS["package-data"].items()]
    listed = {path.relative_to(ROOT) for folder, globs in patterns for g in globs for path in (ROOT / folder).glob(g)}
    on_disk = {path for path in files("*") if path.suffix != ".py"}
    assert on_disk == listed


@pytest.mark.parametrize("name", MODULES)
def test_all_names_what_exists(name):
    module = importlib.import_module(name)
    assert [entry for entry in getattr(module, "__all__", ()) if not hasattr(module, entry)] == []


def test_every_module_says_what_it_offers():
    modules = [name for name in MODULES if not (ROOT / name.removeprefix("deadground.").replace(".", "/")).is_dir()]
    assert [name for name in modules if not hasattr(importlib.import_module(name), "__all__")] == []


def test_the_root_of_the_repository_is_no_package():
    assert not (ROOT / "__init__.py").exists()


def test_the_command_line_starts_without_loading_anything_that_draws():
    drawing = {"matplotlib", "pyvista", "vtk", "vtkmodules"}
    code = f"import sys, deadground.viewer.cli; print(*sorted({drawing} & {{*sys.modules}}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr, run.stdout.split()) == (0, "", [])


def test_the_licence_is_the_apache_licence_in_full():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert PROJECT["project"]["license"] == "Apache-2.0"


def test_the_version_has_a_place_in_the_changelog():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in text or f"## [{PROJECT['project']['version']}]" in text


def test_development_versions_are_exact():
    assert [
        pin for pin in PROJECT["tool"]["uv"]["constraint-dependencies"] if not re.fullmatch(r"[\w.-]+==\S+", pin)
    ] == []


def test_every_direct_dependency_has_a_development_version():
    pinned = {pin.split("==")[0].lower() for pin in PROJECT["tool"]["uv"]["constraint-dependencies"]}
    groups = [PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"].values()]
    wanted = [line for group in groups for line in group]
    assert {re.split(r"[<>=!~\[ ]", line)[0].lower() for line in wanted} <= pinned


def tree_in(docstring: str) -> dict[str, str]:
    """Class -> its parent, as drawn with branches in a docstring."""
    drawn = [(match[1], match[2]) for match in re.finditer(r"^([│├└─ ]*)(\w+Error)\b", docstring, re.MULTILINE)]
    parents, open_branches = {}, list[str]()
    for branches, name in drawn:
        depth = len(branches) // 4
        open_branches[depth:] = [name]
        parents[name] = open_branches[depth - 1] if depth else "Exception"
    return parents


def test_the_tree_of_exceptions_is_drawn_as_it_is():
    classes = {name: getattr(errors, name) for name in errors.__all__}
    assert errors.__doc__ is not None
    assert tree_in(errors.__doc__) == {name: cls.__base__.__name__ for name, cls in classes.items()}

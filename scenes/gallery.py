"""The scenes that come with the package."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from deadground.geometry.errors import SceneError
from deadground.scenes.complaints import nearest, shown

__all__ = ["example", "example_names"]


def _folder() -> Path:
    return Path(str(resources.files("deadground.scenes"))) / "examples"


def example_names() -> tuple[str, ...]:
    """Names of the built-in scenes, in alphabetical order."""
    return tuple(sorted(path.stem for path in _folder().glob("*.toml")))


def example(name: str) -> Path:
    """The file of a built-in scene. SceneError, with the nearest name, if there is none."""
    names = example_names()
    if name in names:
        return _folder() / f"{name}.toml"
    hint = nearest(name, names)
    raise SceneError(shown(name), "", "no such built-in scene" + (f", {hint}" if hint else ""))

"""The scenes that come with the package, and the order in which a gallery shows them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Final

from deadground.geometry.errors import SceneError
from deadground.scenes.complaints import nearest, shown

__all__ = ["CHAPTERS", "SCANS", "Chapter", "example", "example_names"]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of the gallery: its title, and its scenes in the order in which they are shown."""

    title: str
    scenes: tuple[str, ...]


CHAPTERS: Final = (
    Chapter("A table, and a scan", ("demo", "tournament-table", "scanned-piece")),
    Chapter(
        "Warhammer 40,000: windows, doors and gaps",
        (
            "windows", "straddle", "two-gaps", "hill", "light-window", "notch-and-door", "adjacent-gap", "upstairs",
            "containers", "under-a-pipe", "models-between",
        ),
    ),
    Chapter(
        "Warhammer 40,000: areas and hiding",
        (
            "obscuring", "toe-on-the-mat", "own-area", "no-height", "hidden", "hidden-shot", "hidden-range",
            "hidden-needs", "gone-to-ground",
        ),
    ),
    Chapter(
        "Warhammer 40,000: cover",
        (
            "fully-visible", "fully-visible-area", "cover", "cover-area", "cover-by-wall", "cover-by-model",
            "plunging-fire",
        ),
    ),
    Chapter(
        "Warhammer 40,000: moving",
        ("climb-of-seven", "two-inches", "vehicle-and-monster", "infantry-upstairs", "overhang"),
    ),
    Chapter(
        "StarCraft: Tabletop Miniatures Game",
        (
            "sct-full-cover", "sct-direct-cover", "sct-close-quarters", "sct-dead-zone", "sct-evade-from-above",
            "sct-engagement", "sct-dead-ground",
        ),
    ),
    Chapter("The 9th Age", ("t9a-opaque", "t9a-cover", "t9a-dangerous", "t9a-dangerous-counts")),
)  # fmt: skip
"""Every built-in scene, once."""

SCANS: Final = MappingProxyType({"scanned-piece": ("scanned-ruin.ply", "mm")})
"""Built-in scene -> the mesh file beside it, with its unit, that a gallery inspects as well."""


def _folder() -> Path:
    return Path(str(resources.files("deadground.scenes"))) / "examples"


def example_names() -> tuple[str, ...]:
    """Names of the built-in scenes, in alphabetical order."""
    return tuple(sorted(path.stem for path in _folder().glob("*.toml")))


def example(name: str) -> Path:
    """The file of a built-in scene. SceneError, with the nearest name, if there is none."""
    names = example_names()
    if name in names:
        return (_folder() / f"{name}.toml").resolve()  # an installer may link files one by one; meshes lie beside it
    hint = nearest(name, names)
    raise SceneError(shown(name), "", "no such built-in scene" + (f", {hint}" if hint else ""))

"""Every exception of deadground, on one screen.

DeadgroundError
├── InputError          what the user gave cannot be used: exit 2, one line "FILE: KEY: what was expected, what was
found"
│   ├── SceneError      a scene file
│   └── MeshError       a mesh file
└── DrawingError        nothing can be drawn on this machine; says what to install
"""

from __future__ import annotations

__all__ = ["DeadgroundError", "DrawingError", "InputError", "MeshError", "SceneError"]


class DeadgroundError(Exception):
    """Base of everything deadground raises on purpose."""


class InputError(DeadgroundError):
    """Input that cannot be used.

    source : the file (or argument) it came from; key : the place in it, "" for the file as a whole;
    problem : what was expected and what was found, one sentence without a full stop
    """

    def __init__(self, source: str, key: str, problem: str) -> None:
        self.source, self.key, self.problem = source, key, problem
        super().__init__(": ".join(part for part in (source, key, problem) if part))

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, str]]:
        """So that it comes back whole from a process of its own."""
        return type(self), (self.source, self.key, self.problem)


class SceneError(InputError):
    """A scene file that cannot be used."""


class MeshError(InputError):
    """A mesh file that cannot be used."""


class DrawingError(DeadgroundError):
    """Drawing is not possible on this machine."""

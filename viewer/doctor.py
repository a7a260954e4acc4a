"""`deadground doctor`: what this machine can do, and what to install for the rest."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
from cyclopts import Parameter

from deadground.geometry.caster import Caster
from deadground.geometry.segments import Segments
from deadground.viewer.opengl import Probe, install_advice, probe

__all__ = ["Finding", "doctor", "examine"]

PACKAGES: Final = (
    "numpy", "scipy", "shapely", "trimesh", "manifold3d", "embreex", "networkx", "lxml", "rtree", "pydantic",
    "cyclopts", "rich", "tomlkit", "pyvista", "vtk", "pillow",
)  # fmt: skip
EXTRAS: Final = {"viser": "for pages to turn: uv run --extra web deadground ..., or pip install viser"}
"""Packages that are not always there: what each is for, and what brings it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether something works, and what is known of it. what : as people call it; install : system -> what to do."""

    what: str
    works: bool
    detail: str
    install: tuple[tuple[str, str], ...] = ()


def doctor(*, json: Annotated[bool, Parameter(negative="", show_default=False, help="Print JSON.")] = False) -> None:
    """Say what this machine can judge and draw, and what to install for the rest."""
    findings = examine()
    sys.stdout.write(_json(findings) if json else _text(findings))


def examine() -> dict[str, Finding]:
    """All findings, by the key they have in JSON."""
    found = probe()
    return {
        "casting": _casting(),
        "drawings": Finding("Plans and elevations (.svg)", works=True, detail="need nothing more"),
        "pictures": _pictures(found),
        "window": _window(found),
        "fonts": _fonts(),
    }


def _casting() -> Finding:
    """Cast one line at one triangle, and one past it."""
    what = "Ray casting (Embree)"
    triangle = np.array([[[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]])
    start, end = np.array([[0.2, 0.2, 0.0], [0.9, 0.9, 0.0]]), np.array([[0.2, 0.2, 2.0], [0.9, 0.9, 2.0]])
    try:
        blocked = Caster([triangle]).blocked(Segments(start, end)).tolist()
    except Exception as error:  # noqa: BLE001  (whatever is wrong is the finding)
        return Finding(what, works=False, detail=f"{type(error).__name__}: {error}")
    right = blocked == [True, False]
    return Finding(what, right, "gives the right answer" if right else "gives a wrong answer on the simplest case")


def _pictures(found: Probe) -> Finding:
    detail = f"drawn by {found.renderer or found.window}" if found.works else found.problem
    install = () if found.works else tuple(install_advice().items())
    return Finding("3D pictures (OpenGL, off screen)", found.works, detail, install)


def _window(found: Probe) -> Finding:
    """A desktop window needs a screen beside OpenGL."""
    screen = not sys.platform.startswith("linux") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    detail = "a screen is there" if screen else "no screen: neither DISPLAY nor WAYLAND_DISPLAY is set"
    return Finding("3D window", screen and found.works, detail if found.works else f"{detail}; OpenGL does not work")


def _fonts() -> Finding:
    """The font of the pictures; vector drawings take the reader's own."""
    what = "Font of the pictures (DejaVu Sans)"
    home = find_spec("matplotlib")
    file = Path(home.origin or "").parent / "mpl-data" / "fonts" / "ttf" / "DejaVuSans.ttf" if home else None
    if file is not None and file.is_file():
        return Finding(what, works=True, detail="comes with matplotlib")
    return Finding(what, works=False, detail="not found", install=(("any system", "pip install matplotlib"),))


def _versions() -> dict[str, str | None]:
    """Each package's version, None for one that is not installed."""
    return {name: _version(name) for name in (*PACKAGES, *EXTRAS)}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _machine() -> dict[str, Any]:
    return {
        "deadground": version("deadground"), "python": platform.python_version(), "system": platform.platform(),
        "processors": os.cpu_count(),
    }  # fmt: skip


def _json(findings: dict[str, Finding]) -> str:
    said = {
        key: {"works": finding.works, "detail": finding.detail, "install": dict(finding.install)}
        for key, finding in findings.items()
    }
    return json.dumps({"schema": 1, **_machine(), "packages": _versions(), **said}, indent=2) + "\n"


def _text(findings: dict[str, Finding]) -> str:
    machine = _machine()
    lines = [f"deadground {machine['deadground']}, Python {machine['python']}, {machine['system']}", ""]
    for finding in findings.values():
        lines.append(f"{'yes' if finding.works else 'NO ':4}{finding.what}: {finding.detail}")
        lines += [f"      {system}: {what}" for system, what in finding.install]
    versions = _versions()
    here = ", ".join(f"{name} {found}" for name, found in versions.items() if found)
    lines += ["", f"Packages: {here}"]
    lines += [
        f"Not installed: {name} ({EXTRAS[name]})" if name in EXTRAS else f"MISSING: {name}"
        for name, found in versions.items() if found is None
    ]  # fmt: skip
    return "\n".join(lines) + "\n"

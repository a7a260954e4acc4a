"""Whether this machine can draw in 3D, asked in a child process: without OpenGL, VTK crashes past all exceptions."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from typing import Final

from deadground.geometry.errors import DrawingError

__all__ = ["Probe", "install_advice", "offscreen_environment", "probe", "require"]

PATIENCE: Final = 180.0
"""Seconds a probe may take; it usually takes half of one, and a minute where the machine is very busy."""

_SCRIPT: Final = """
import pyvista
plotter = pyvista.Plotter(off_screen=True, window_size=(8, 8))
plotter.set_background("white")
plotter.add_mesh(pyvista.Plane(), color="black", lighting=False)
plotter.camera_position = "xy"
image = plotter.screenshot(return_img=True)
name = plotter.render_window.GetClassName()
details = plotter.render_window.ReportCapabilities()
renderer = [line.split(":", 1)[1].strip() for line in details.splitlines() if "renderer string" in line]
print("DREW" if int(image[4, 4].max()) < 128 else "BLANK", name, "|", *renderer)
"""

_ADVICE: Final = {
    "Debian, Ubuntu": "apt-get install libegl1 libgl1-mesa-dri",
    "Fedora": "dnf install mesa-libEGL mesa-dri-drivers",
    "Windows": "install the graphics card's driver (a remote session may have none)",
    "macOS": "nothing to install: start it from a session with a screen",
}


@dataclass(frozen=True, slots=True)
class Probe:
    """works : a test picture was drawn; window, renderer : by what; problem : why not, one line."""

    works: bool
    window: str = ""
    renderer: str = ""
    problem: str = ""


def offscreen_environment() -> dict[str, str]:
    """This process's environment, with what drawing without a screen needs. Linux without a display: EGL."""
    found = dict(os.environ)
    if sys.platform.startswith("linux") and not found.get("DISPLAY"):
        found.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
    return found


def probe() -> Probe:
    """Whether drawing works: 8 by 8 points are drawn off screen in a child process and looked at. Asked only once."""
    return _asked()


@cache
def _asked() -> Probe:
    command = [sys.executable, "-c", _SCRIPT]
    try:
        done = subprocess.run(
            command, env=offscreen_environment(), capture_output=True, text=True, timeout=PATIENCE, check=False,
            stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace",
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return Probe(works=False, problem=f"the test picture could not be tried ({type(error).__name__})")
    said = done.stdout.strip().splitlines()[-1:] or [""]
    drew, _, names = said[0].partition(" ")
    window, _, renderer = names.partition("|")
    if done.returncode == 0 and drew == "DREW":
        return Probe(works=True, window=window.strip(), renderer=renderer.strip())
    return Probe(works=False, window=window.strip(), problem=_problem(done.returncode, drew))


def _problem(code: int, drew: str) -> str:
    if code < 0:
        return f"VTK crashed on the test picture (signal {-code}): OpenGL is missing"
    return "the test picture came out blank" if drew == "BLANK" else f"the test picture failed (exit code {code})"


def install_advice() -> dict[str, str]:
    """What makes drawing work, by system."""
    return dict(_ADVICE)


def require() -> None:
    """Make ready to draw off screen in this process, before pyvista's first window. DrawingError if it cannot work."""
    found = probe()
    if not found.works:
        raise DrawingError(
            f"3D pictures need OpenGL, and {found.problem}; on Debian or Ubuntu: {_ADVICE['Debian, Ubuntu']};"
            " for other systems: deadground doctor; plans and elevations (.svg) need none"
        )
    os.environ.update(offscreen_environment())

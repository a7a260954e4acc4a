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

_FAULT: Final = 0xC0000000
"""Exit codes from here on are crashes on Windows."""

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

_WINDOWS: Final = {"Windows": "install the graphics card's driver (a remote session may have none)"}
_MACOS: Final = {"macOS": "nothing to install: start it from a session with a screen"}
_LINUX: Final = {
    "Debian, Ubuntu": "apt-get install libegl1 libgl1-mesa-dri",
    "Fedora": "dnf install mesa-libEGL mesa-dri-drivers",
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
    return Probe(works=False, window=window.strip(), problem=_problem(done.returncode, drew, done.stderr))


def _problem(code: int, drew: str, said: str) -> str:
    """Why there was no test picture. said : what the child wrote to stderr."""
    if code < 0 or code >= _FAULT:
        signal = f"signal {-code}" if code < 0 else f"code {code:#x}"
        return f"VTK crashed on the test picture ({signal}): OpenGL is missing"
    if drew == "BLANK":
        return "the test picture came out blank"
    last = said.strip().splitlines()[-1:]
    return f"the test picture failed (exit code {code}{f': {last[0].strip()[:160]}' if last else ''})"


def install_advice() -> dict[str, str]:
    """What makes drawing work on a system of this kind, by its name."""
    return dict({"win32": _WINDOWS, "darwin": _MACOS}.get(sys.platform, _LINUX))


def require() -> None:
    """Make ready to draw off screen in this process, before pyvista's first window. DrawingError if it cannot work."""
    found = probe()
    if not found.works:
        ways = "; ".join(f"{system}: {what}" for system, what in install_advice().items())
        raise DrawingError(
            f"3D pictures need OpenGL, and {found.problem}. {ways}. Plans and elevations (.svg, .pdf) need none"
        )
    os.environ.update(offscreen_environment())

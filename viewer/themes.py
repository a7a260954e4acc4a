"""The colours that a figure is drawn in: those of a theme of ours, or of the scene's own, which are checked first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from deadground.geometry.errors import InputError, SceneError
from deadground.geometry.plates import Array
from deadground.scenes.figure import Theme
from deadground.scenes.scene import Scene
from deadground.viewer.colour_vision import GREY, light_of, luminance, seen_colour
from deadground.viewer.judging import expected, source
from deadground.viewer.palette import PALETTES, Palette

__all__ = ["apart", "contrast", "palette_for", "theme_warnings"]

READABLE: Final = 4.5
"""Contrast that text needs (Web Content Accessibility Guidelines 2, 1.4.3)."""
FAINT: Final = 3.0
"""Contrast that small print, lines and the words beside them need (1.4.11)."""
DIFFERENT: Final = 25.0
"""Two colours this far apart in CIELAB are told apart at a glance, even as thin lines."""
TEXTS: Final = (("ink", READABLE), ("quiet", FAINT), ("way", FAINT), ("wrong", FAINT), ("range", FAINT))
"""Colours that words are printed in, and the contrast to the paper around them that they need."""
VERDICTS: Final = ("clear", "blocked")
SEEN: Final = 1.5
"""Contrast of a line to the ground; its casing does the rest."""
READERS: Final = {"deutan": "readers without green cones", "protan": "readers without red cones"}
TO_XYZ: Final = np.array([[0.4124, 0.3576, 0.1805], GREY, [0.0193, 0.1192, 0.9505]])
"""Red, green and blue light as CIE XYZ (IEC 61966-2-1)."""
FLARE: Final = 0.05
"""What a screen adds to every luminance in the light of a room (Web Content Accessibility Guidelines 2)."""


def palette_for(scene: Scene, name: str) -> Palette:
    """The colours of a theme; "" for the usual ones.

    InputError for a name that there is none of; SceneError for a theme of the scene's in which text cannot be read, or
    a clear line looks like a blocked one.
    """
    own = {each.name: each for each in scene.themes}
    if name in own:
        return _checked(scene, own[name])
    if name and name not in PALETTES:
        raise InputError(source(scene), "--theme", expected([*PALETTES, *own], name, "a theme"))
    return PALETTES[name or "default"]


def _checked(scene: Scene, own: Theme) -> Palette:
    palette = replace(PALETTES[own.base], **own.colours)
    for key, least in TEXTS:
        if (light := contrast(getattr(palette, key), palette.paper)) < least:
            said = f"expected a contrast to the paper of at least {least:g} to 1, found {light:.1f} to 1"
            raise SceneError(source(scene), f"theme {own.name}: {key}", said)
    for key in VERDICTS:
        if (light := contrast(getattr(palette, key), palette.ground)) < SEEN:
            said = f"expected a line that is seen on the ground, found a contrast of {light:.1f} to 1"
            raise SceneError(source(scene), f"theme {own.name}: {key}", said)
    if apart(palette.clear, palette.blocked) < DIFFERENT:
        found = f"{palette.clear} and {palette.blocked}"
        said = f"expected colours of clear and blocked lines that are told apart, found {found}"
        raise SceneError(source(scene), f"theme {own.name}: blocked", said)
    return palette


def theme_warnings(scene: Scene, name: str) -> Iterator[str]:
    """One sentence on whom a theme of the scene's own leaves with dash and cross alone to tell a verdict by."""
    for own in scene.themes:
        if own.name == name and {*VERDICTS} & {*own.colours}:
            palette = replace(PALETTES[own.base], **own.colours)
            lost = [said for eye, said in READERS.items() if _look_alike(eye, palette)]
            if lost:
                told = "but for their dash and cross"
                yield f"theme {name}: clear and blocked lines look alike to {' and to '.join(lost)}, {told}"


def _look_alike(eye: str, palette: Palette) -> bool:
    return apart(*(seen_colour(eye, colour) for colour in (palette.clear, palette.blocked))) < DIFFERENT


def contrast(one: str, other: str) -> float:
    """Contrast of two colours "#rrggbb", 1 to 21 (Web Content Accessibility Guidelines 2)."""
    low, high = sorted(map(luminance, (one, other)))
    return (high + FLARE) / (low + FLARE)


def apart(one: str, other: str) -> float:
    """How far two colours "#rrggbb" are apart in CIELAB; 100 is black from white."""
    return float(np.linalg.norm(_lab(one) - _lab(other)))


def _lab(colour: str) -> Array:
    """(3,) CIELAB under daylight (CIE 15:2004)."""
    share = TO_XYZ @ light_of(colour) / TO_XYZ.sum(axis=1)
    x, y, z = np.where(share > (6 / 29) ** 3, np.cbrt(share), share / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])

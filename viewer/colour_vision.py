"""What a picture looks like to a colour-blind reader, and in grey print.

The matrices are those of Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color
Vision Deficiency" (IEEE TVCG 15(6), 2009), for full loss of one kind of cone; they act on linear light.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

import numpy as np
from PIL import Image

from deadground.geometry.plates import Array

__all__ = ["EYES", "GREY", "light_of", "luminance", "seen_by", "seen_colour"]

GREY: Final = (0.2126, 0.7152, 0.0722)
"""Luminance of red, green and blue light (IEC 61966-2-1)."""
EYES: Final = MappingProxyType({
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "grey": (GREY,) * 3,
})  # fmt: skip
"""Kind of eye -> 3 x 3 matrix from linear light to linear light. "grey" is no eye but a printer: luminance alone."""

STEPS: Final = 256


def seen_by(eye: str, picture: Image.Image) -> Image.Image:
    """An RGB picture as that eye sees it. KeyError for one that is not in EYES."""
    light = _linear(np.arange(STEPS) / (STEPS - 1))[np.asarray(picture.convert("RGB"))]
    return Image.fromarray(np.rint(_encoded(light @ np.array(EYES[eye]).T) * (STEPS - 1)).astype(np.uint8))


def seen_colour(eye: str, colour: str) -> str:
    """A colour "#rrggbb" as that eye sees it."""
    pixel = seen_by(eye, Image.new("RGB", (1, 1), colour))
    red, green, blue = np.asarray(pixel)[0, 0].tolist()
    return f"#{red:02x}{green:02x}{blue:02x}"


def light_of(colour: str) -> Array:
    """(3,) the linear light of a colour "#rrggbb", 0 to 1."""
    return _linear(np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / (STEPS - 1))


def luminance(colour: str) -> float:
    """Of a colour "#rrggbb", 0 black to 1 white."""
    return float(light_of(colour) @ GREY)


def _linear(values: Array) -> Array:
    """From sRGB, 0 to 1, to linear light (IEC 61966-2-1)."""
    return np.where(values <= KNEE, values / SLOPE, ((values + OFFSET) / (1 + OFFSET)) ** POWER)


def _encoded(light: Array) -> Array:
    """From linear light to sRGB; what lies outside the range of a screen is clipped."""
    light = np.clip(light, 0.0, 1.0)
    return np.where(light <= KNEE / SLOPE, light * SLOPE, (1 + OFFSET) * light ** (1 / POWER) - OFFSET)


KNEE: Final = 0.04045
SLOPE: Final = 12.92
OFFSET: Final = 0.055
POWER: Final = 2.4
"""The curve of sRGB."""

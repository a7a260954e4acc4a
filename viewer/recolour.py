"""A vector drawing in the colours of another theme. It is drawn in those of `theme`, of which each has one role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from deadground.viewer import theme
from deadground.viewer.palette import DEFAULT, Palette
from deadground.viewer.spread import shades
from deadground.viewer.svg import Element

__all__ = ["ROLES", "colours_of", "recoloured"]

ROLES: Final = MappingProxyType(
    {
        theme.INK: "ink", theme.QUIET: "quiet", theme.PAPER: "paper", theme.BOARD: "ground", theme.TERRAIN: "terrain",
        theme.TERRAIN_EDGE.colour: "edge", theme.CUT: "cut", theme.CUT_EDGE.colour: "edge", theme.AREA: "area",
        theme.AREA_EDGE.colour: "area_edge", theme.GAP_CLOSED: "closed", theme.GAP_HATCH.colour: "closed_edge",
        theme.RANGE.colour: "range", theme.SOLID.colour: "sheet", theme.CLEAR.colour: "clear",
        theme.BLOCKED.colour: "blocked", theme.WAY.colour: "way", theme.WRONG: "wrong",
        theme.MODEL_EDGE.colour: "base",
    }
)  # fmt: skip
"""Colour of a vector drawing -> the colour of a palette that stands for the same."""


def colours_of(palette: Palette) -> Mapping[str, str]:
    """Colour of a vector drawing -> what it becomes. What a palette leaves as it is usually stays as it is drawn."""
    found = {
        drawn: getattr(palette, role)
        for drawn, role in ROLES.items()
        if getattr(palette, role) != getattr(DEFAULT, role)
    }
    if palette.ground != DEFAULT.ground or palette.quiet != DEFAULT.quiet:
        found[theme.BOARD_EDGE.colour] = shades(palette.quiet, palette.ground, 3)[1]
    return found


def recoloured(drawing: Element, palette: Palette) -> Element:
    """The drawing in the colours of a palette. Its shapes, texts and opacities stay."""
    colours = {drawn.lower(): new for drawn, new in colours_of(palette).items()}
    return _recoloured(drawing, colours) if colours else drawing


def _recoloured(node: Element, colours: Mapping[str, str]) -> Element:
    attributes = tuple((key, colours.get(value.lower(), value)) for key, value in node.attributes)
    return replace(node, attributes=attributes, children=tuple(_recoloured(each, colours) for each in node.children))

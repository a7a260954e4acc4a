"""Lengths and openings in words, for labels and alternative texts."""

from __future__ import annotations

from deadground.geometry.units import at_or_below
from deadground.meshes.piece import Opening

__all__ = ["inch_words", "opening_words"]

INCH = "\N{DOUBLE PRIME}"


def inch_words(value: float) -> str:
    """A length with its inch sign, without needless zeros: 3 -> 3 and the sign, 2.50 -> 2.5 and the sign."""
    return f"{value:.2f}".rstrip("0").rstrip(".") + INCH


def opening_words(feature: str, opening: Opening, height: float | None) -> str:
    """An opening and how far it is closed."""
    state = "open"
    if height is not None:
        state = "closed" if at_or_below(opening.head, height) else f"closed up to {inch_words(height)}"
    name = f"{'Gap' if opening.sure else 'Possible gap'} {opening.id} of {feature}"
    return f"{name}, from {inch_words(opening.sill)} to {inch_words(opening.head)}: {state}."

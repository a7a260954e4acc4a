"""How much room a text takes, without asking a font: widths of DejaVu Sans, which is wider than its neighbours."""

from __future__ import annotations

from typing import Final

from deadground.viewer.theme import TEXT_SIZE

__all__ = ["clipped", "text_width", "wrapped"]

_WIDTHS: Final = {
    28: "'ijlI", 32: " ,.", 34: "/:;\\|", 36: "f-", 40: "()[]t!″′", 42: "r", 50: '"*_`sz?–·', 55: "cL", 59: "Fkvxy",
    61: "PTYao", 64: "eESbdghnpqu$0123456789{}", 69: "KAVBRXZC", 75: "UHN", 80: "DG&OQ",
    84: "w#+<=>^~→×", 88: "M", 99: "%mW@—",
}  # fmt: skip
"""Hundredths of the font size, rounded up by groups."""

_OF: Final = {letter: width / 100 for width, letters in _WIDTHS.items() for letter in letters}
_NARROW, _OTHER, _WIDE = 0.0, 0.72, 1.05


def _letter(letter: str) -> float:
    if letter in _OF:
        return _OF[letter]
    if "\u0300" <= letter <= "\u036f":
        return _NARROW
    return _WIDE if letter >= "\u1100" else _OTHER


def text_width(words: str, size: float = TEXT_SIZE, *, bold: bool = False) -> float:
    """Width of a line of text in drawing units, rather too much than too little."""
    return sum(_letter(letter) for letter in words) * size * (1.12 if bold else 1.0)


def wrapped(words: str, room: float, size: float = TEXT_SIZE) -> list[str]:
    """The text in lines that are no wider than `room`, broken at spaces (a longer word is cut)."""
    lines: list[str] = []
    line = ""
    for word in words.split():
        longer = f"{line} {word}".strip()
        if line and text_width(longer, size) > room:
            lines.append(line)
            longer = word
        line = clipped(longer, room, size)
    return [*lines, line] if line else lines


def clipped(words: str, room: float, size: float = TEXT_SIZE) -> str:
    """The text itself, or its beginning and an ellipsis where it is wider than `room`."""
    if text_width(words, size) <= room:
        return words
    kept = words
    while kept and text_width(f"{kept}…", size) > room:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"

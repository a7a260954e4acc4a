"""The pictures of one piece alone, on one sheet, as a file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

import trimesh

from deadground.viewer.files import write_bytes, write_text
from deadground.viewer.looked import Looked
from deadground.viewer.piece_page import Allowance, numbered, pictures_of
from deadground.viewer.piece_svg import leaf, leaf_png, leaf_svg
from deadground.viewer.piece_views import Studio
from deadground.viewer.piece_words import sentence_of

__all__ = ["SHEETS", "write_sheet"]

SHEETS: Final = (".png", ".svg")
"""Endings of such files."""
SIZES: Final = Allowance((560.0, 420.0), (440.0, 420.0), 1.5)


def write_sheet(looked: Looked, mesh: trimesh.Trimesh, path: Path) -> None:
    """Write the pictures of a piece that could be read. mesh : what was inspected. Needs no OpenGL.

    InputError where it cannot be written.
    """
    if looked.piece is None or looked.reading is None:
        return
    said = sentence_of(looked)
    shown = pictures_of(Studio.of(mesh, looked.piece, looked.reading), numbered(looked), SIZES)
    sheet = leaf(looked.name, f"{said.headline}. {said.lead}", shown)
    if path.suffix.lower() == ".svg":
        write_text(path, leaf_svg(sheet))
        return
    out = io.BytesIO()
    leaf_png(sheet, SIZES.fine).save(out, format="PNG", compress_level=6)
    write_bytes(path, out.getvalue())

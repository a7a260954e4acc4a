"""Tokens and markers on the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import shapely

from deadground.geometry.plates import Array
from deadground.scenes.scene import Token
from deadground.viewer.forms import LIFT, drum
from deadground.viewer.setting import Setting
from deadground.viewer.things import Label, Look, Path, Surface, Thing

__all__ = ["tokens"]

HIGH: Final = 0.06
"""Inches that a token is drawn high, so that it is seen."""
DASH: Final = (3.0, 2.5)
"""Of a marker's outline: it is nothing on the table."""


def tokens(setting: Setting) -> Iterator[Thing]:
    """Each on the ground that is drawn: a token as a flat disc, a marker as a dashed ring; both by their names."""
    if not setting.shows("tokens") or setting.patch is None:
        return
    window = shapely.box(*setting.patch)
    for token in setting.scene.tokens:
        disc = shapely.Point(token.x, token.y).buffer(token.radius, quad_segs=16)
        if disc.intersects(window):
            rim = np.asarray(shapely.orient_polygons(disc).exterior.coords)[:-1, :2]
            yield _marker(setting, token, rim) if token.marker else _token(setting, token, rim)
            yield from _name(setting, token, rim)


def _token(setting: Setting, token: Token, rim: Array) -> Thing:
    form = drum(rim, LIFT, HIGH)
    look = Look(setting.palette.light_terrain, edge=setting.palette.edge, width=1.2)
    flat = Surface(form.vertices, form.faces, form.edges)
    return Thing("token", token.name, flat, look, f"Token {token.name}.", "token")


def _marker(setting: Setting, token: Token, rim: Array) -> Thing:
    look = Look(setting.palette.quiet, width=1.4, dash=DASH, ghost=0.3)
    words = f"Marker {token.name}, which is nothing on the table."
    ring = np.column_stack([rim, np.full(len(rim), LIFT)])
    return Thing("token", token.name, Path(ring, closed=True), look, words, "marker, nothing on the table")


def _name(setting: Setting, token: Token, rim: Array) -> Iterator[Thing]:
    if setting.shows("labels"):
        around = np.column_stack([rim, np.full(len(rim), HIGH)])
        label = Label(np.array([token.x, token.y, HIGH]), token.name, rank=2, on=True, around=around)
        yield Thing("token", f"{token.name} name", label, Look(setting.palette.quiet, casing=setting.palette.paper))
